"""Limits of connections: how long they may be idle, and how large the headers of a request are.

Each connection uses a descriptor, of which a process has a thousand or fewer.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from app.access.headers import MAX_HEADER_BYTES

HEAD_SECONDS: Final = 20.0  # for all headers of a request
BODY_SECONDS: Final = 60.0  # for a part of its body
READ_SECONDS: Final = 60.0  # for a part of a reply
MIN_RATE: Final = 500.0  # bytes a second of a body or a reply, on average
MAX_WAITING: Final = 100  # connections that have not sent a whole request


class TimedConnection(H11Protocol):
    """Ends connections that do not send their request or body, and the longest silent one if there are too many.

    One whose reply is not read ends, too. A program that opens connections and sends one letter a minute, or reads
    none, would else keep everybody out, without a token.

    h11 is used even where httptools is installed (Ray installs it): httptools collects headers without any limit.
    """

    # The one whose head began first, or whose body was silent for longest, comes first.
    _waiting: ClassVar[dict[TimedConnection, None]] = {}
    _timer: asyncio.TimerHandle | None = None
    _due = 0.0  # when the request must be here, by the clock of the event loop; for a body, it moves
    _is_body = False
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look(0)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look(len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        self._stop_reading_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_reading_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_reading_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.get_write_buffer_size():  # which closing the connection would wait for
            self._start_reading_timer()

    def send_400_response(self, msg: str) -> None:
        super().send_400_response(f"The request is not HTTP, or its headers exceed {MAX_HEADER_BYTES // 1024} KiB.")

    def _look(self, num_bytes: int) -> None:
        """Starts, moves or ends the time for a request, of which so many bytes came."""
        is_answering = (
            self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]
        )
        if is_answering and not self.cycle.more_body:
            self._forget()
            return
        if self._timer is None or self._is_body != is_answering:
            self._forget()
            self._is_body = is_answering
            seconds = BODY_SECONDS if is_answering else HEAD_SECONDS
            self._due = self.loop.time() + seconds
            self._timer = self.loop.call_later(seconds, self._end_if_due)
            self._waiting[self] = None
        elif self._is_body:
            self._due = min(self._due + num_bytes / MIN_RATE, self.loop.time() + BODY_SECONDS)
            self._waiting[self] = self._waiting.pop(self, None)
        if len(self._waiting) > MAX_WAITING:
            silent = next((each for each in self._waiting if not each.flow.read_paused), self)
            silent._end()

    def _end_if_due(self) -> None:
        now = self.loop.time()
        if self.flow.read_paused:  # what came is not taken by the app yet
            self._due = now + BODY_SECONDS
        if now < self._due:
            self._timer = self.loop.call_later(self._due - now, self._end_if_due)
        else:
            self._end()

    def _forget(self) -> None:
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._forget()
        if not self.transport.is_closing():
            self.transport.abort()

    def _start_reading_timer(self) -> None:
        self._stop_reading_timer()
        num_unread = self.transport.get_write_buffer_size()
        self._reading_timer = self.loop.call_later(READ_SECONDS, self._end_if_unread, num_unread)

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _end_if_unread(self, num_before: int) -> None:
        self._reading_timer = None
        num_unread = self.transport.get_write_buffer_size()
        if not num_unread:
            return
        if num_before - num_unread < min(num_before, MIN_RATE * READ_SECONDS):
            self.transport.abort()
        else:
            self._start_reading_timer()
