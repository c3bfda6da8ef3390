"""The Content-Security-Policy of each reply, as strict as Gradio's page allows.

Scripts come from files of this server and from the inline scripts of Gradio's page, each allowed by its hash; an
injected script does not run, and nothing is evaluated. Gradio's page sets `style` attributes and adds a style element,
so that inline styles must be allowed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any


def policy(scripts: str = "") -> bytes:
    """The policy's header; `scripts` are hashes of inline scripts that may run."""
    return (
        f"default-src 'self'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; manifest-src 'self'; frame-ancestors 'none'"
    ).encode("ascii")


def hashes_of(page: bytes) -> str:
    """The hashes of the inline scripts of a page, each with a space before it."""
    hashes = (hashlib.sha256(script).digest() for script in _inline_scripts(page))
    return "".join(f" 'sha256-{base64.b64encode(each).decode('ascii')}'" for each in hashes)


def _inline_scripts(page: bytes) -> Iterator[bytes]:
    for part in page.split(b"<script")[1:]:  # a regular expression takes quadratic time for unclosed elements
        attributes, _, rest = part.partition(b">")
        script, end, _ = rest.partition(b"</script>")
        if end and b"src=" not in attributes:
            yield script


class PageSender:
    """Sends the page of Gradio with a policy that allows its inline scripts (a function `send` of ASGI)."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._start: Any = None
        self._body = bytearray()

    async def __call__(self, message: Any) -> None:
        """One message of the reply; sent when the body is complete."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False):
            header = (b"content-security-policy", policy(hashes_of(bytes(self._body))))
            await self._send({**self._start, "headers": [*self._start["headers"], header]})
            await self._send({**message, "body": bytes(self._body)})
