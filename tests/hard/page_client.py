"""The page's protocol over HTTP, for load tests and benchmarks."""

from __future__ import annotations

import base64
import random
from typing import Any

import httpx

NUM_SEGMENTS = 40
TEXT = "".join(f"Press button {number} to restart the router.\n" for number in range(NUM_SEGMENTS)).encode()


class PageClient:
    """What a page sends, over HTTP."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=60, trust_env=False)
        self._name = f"client{random.getrandbits(40)}"
        self._sequence = 0
        self.token = ""

    def call(self, function: str, **fields: Any) -> dict[str, Any]:
        message = {"data": fields, "component_id": 1, "fn_name": function, "session_hash": self._name}
        reply = self._http.post("/gradio_api/component_server", json=message)
        reply.raise_for_status()
        answer: dict[str, Any] = reply.json()
        if not answer["ok"]:
            raise RuntimeError(f"{fields.get('name')}: {answer['error']['message']}")
        return answer

    def command(self, name: str, **fields: Any) -> dict[str, Any]:
        self._sequence += 1
        position = {"since": 10**9, "open": None, "detail_since": 10**9}
        own = {"token": self.token, "client": self._name, "sequence": self._sequence}
        return self.call("command", name=name, **own, **position, **fields)

    def greet(self) -> str:
        """The token of the session that the app shows."""
        self.token = self.call("hello", token=None)["token"]
        return self.token

    def begin(self, name: str) -> str:
        """Opens a document of NUM_SEGMENTS segments; the token of its session."""
        self.greet()
        self.open_file(name, TEXT)
        return self.token

    def open_file(self, name: str, data: bytes) -> dict[str, Any]:
        """Opens a document in a new session, which later commands are about; the reply."""
        reply = self.command("open_document", file=name, data=base64.b64encode(data).decode("ascii"))
        self.token = reply["token"]
        return reply
