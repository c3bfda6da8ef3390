"""The end of the server: requests on their way are finished, and new ones are refused for the time being."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi.responses import PlainTextResponse

Asgi = Callable[[Any, Any, Any], Awaitable[None]]

RETRY_SECONDS: Final = 10  # a restart takes five seconds and the model one or two
_LOOK_SECONDS: Final = 0.05


class Draining:
    """Counts the requests that are being answered. After `drain`, new ones get the status 503 with Retry-After."""

    def __init__(self, application: Asgi) -> None:
        self._application = application
        self._num_open = 0
        self._is_ending = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request (ASGI)."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        if self._is_ending:
            headers = {"retry-after": str(RETRY_SECONDS), "connection": "close", "cache-control": "no-store"}
            refusal = PlainTextResponse("Pinpoint is restarting: try again in a moment.", 503, headers)
            await refusal(scope, receive, send)
            return
        self._num_open += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._num_open -= 1

    async def drain(self, seconds: float, is_forced: Callable[[], bool]) -> int:
        """Refuses new requests and waits for the others, at most so long; returns how many are still open."""
        self._is_ending = True
        end = time.monotonic() + seconds
        while self._num_open and time.monotonic() < end and not is_forced():
            await asyncio.sleep(_LOOK_SECONDS)
        return self._num_open
