"""Connections that send no request: they take a descriptor each, of which a process has a thousand or fewer."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS: Final = 20.0  # for all headers of a request
MAX_WAITING: Final = 100  # connections that have not sent all of them


class TimedConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Ends a connection whose request does not come, and the oldest of these where there are many.

    A program that opens connections and sends one letter a minute would else keep everybody out, without a token.
    """

    _waiting: ClassVar[dict[TimedConnection, None]] = {}  # the oldest first
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Starts or ends the time for a request."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering:
            self._forget()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._end)
            self._waiting[self] = None
            if len(self._waiting) > MAX_WAITING:
                next(iter(self._waiting))._end()

    def _forget(self) -> None:
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._forget()
        if not self.transport.is_closing():
            self.transport.abort()
