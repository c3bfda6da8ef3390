"""Connections whose other end sends or reads slowly, or not at all: over real sockets."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from app.ui import connections
from app.ui.server import Server, bind, server_config

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HEAD = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
REPLY_BYTES = 32 * 2**20  # more than the system keeps for a connection


class PatientLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves to the next timer as soon as no data is on its way: pauses take no time.

    The clock stands still while anything runs, so a busy machine changes nothing.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        selector = selectors.DefaultSelector()
        select = selector.select

        def select_or_move_clock(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if not timeout:
                return select(timeout)
            ready = select(min(timeout, 0.01))  # the system takes a moment to pass data on
            if not ready:
                self._seconds += timeout
            return ready

        selector.select = select_or_move_clock  # type: ignore[method-assign]
        super().__init__(selector)

    def time(self) -> float:
        return self._seconds


def run(test: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=PatientLoop) as runner:
        runner.run(test)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, then answers with its length; GET has a reply that only its reader can take."""
    num_bytes, is_more = 0, True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        num_bytes, is_more = num_bytes + len(message["body"]), message.get("more_body", False)
    body = b"%d" % num_bytes if scope["path"] != "/large" else bytes(REPLY_BYTES)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def serving() -> AsyncIterator[Callable[[], Awaitable[Connection]]]:
    """A function that opens a connection to a server with this application."""
    listener = bind("127.0.0.1", 0)
    server = Server(server_config(application), shutdown_seconds=0)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    yield lambda: asyncio.open_connection(*listener.getsockname())
    server.should_exit = True
    await task


async def is_ended(connection: Connection, seconds: float = 20) -> bool:
    """True if the server ends the connection in that time."""
    try:
        await asyncio.wait_for(connection[0].read(), seconds)
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


async def answer(connection: Connection, request: bytes) -> bytes:
    reader, writer = connection
    writer.write(request)
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    return head[:12] + await reader.read(len(head))


def test_connections_without_a_request_are_ended_and_do_not_block_others(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "MAX_WAITING", 3)

    async def attack() -> None:
        async with serving() as connect:
            slow = [await connect() for _ in range(5)]
            assert [await is_ended(each) for each in slow[:2]] == [True, True], "the oldest of too many"
            monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
            own = await connect()
            assert await answer(own, HEAD % 2 + b"ab") == b"HTTP/1.1 2002"
            own[1].write(b"GET / HTTP/1.1\r\nX-Slow: ")  # the next request does not come to its end
            assert await is_ended(own)

    run(attack())


@pytest.mark.parametrize("header", [b"X: " + b"a" * 2**17, b"a:\r\n" * 2**16, b"X: a\r\n" + b" a\r\n" * 2**16])
def test_headers_that_do_not_end_are_refused_before_they_are_collected(header: bytes):
    """Without a limit, three such connections keep everybody waiting."""

    async def attack() -> None:
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + header)
            assert (await reader.readline()).startswith(b"HTTP/1.1 400")
            with suppress(ConnectionError):
                assert b"64 KiB" in await reader.read()

    run(attack())


@pytest.mark.parametrize("beginning", [b"", b"name="])
def test_body_that_does_not_come_ends_its_connection(beginning: bytes, monkeypatch: pytest.MonkeyPatch):
    """Nobody needs a token for this: the sign-in and the API read bodies before they know who sends them."""
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)

    async def attack() -> None:
        async with serving() as connect:
            slow = await connect()
            slow[1].write(HEAD % 100 + beginning)
            assert await is_ended(slow)

    run(attack())


def test_body_of_one_letter_at_a_time_ends_its_connection(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)

    async def attack() -> None:
        async with serving() as connect:
            slow = await connect()
            slow[1].write(HEAD % 10_000)
            for _ in range(400):
                with suppress(ConnectionError):
                    slow[1].write(b"a")
                    await slow[1].drain()
                if slow[0].at_eof() or slow[0].exception():
                    return
                await asyncio.sleep(0.05)
            raise AssertionError("it is open after 20 seconds")

    run(attack())


def test_body_that_comes_steadily_takes_its_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(connections, "MAX_WAITING", 2)

    async def upload() -> None:
        async with serving() as connect:
            own = await connect()
            own[1].write(HEAD % 30_000)
            silent = [await connect() for _ in range(2)]
            for each in silent:
                each[1].write(HEAD % 100)
            for _ in range(15):  # three times as long as a body may be silent, among too many silent ones
                own[1].write(b"a" * 2000)
                await asyncio.sleep(0.2)
            assert await answer(own, b"") == b"HTTP/1.1 20030000"
            assert await is_ended(silent[0])

    run(upload())


def test_of_too_many_connections_the_longest_silent_one_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "MAX_WAITING", 3)

    async def upload() -> None:
        async with serving() as connect:
            own, *silent = uploads = [await connect() for _ in range(3)]
            for each in uploads:  # the own one is the first
                each[1].write(HEAD % 100)
                await asyncio.sleep(0.1)
            own[1].write(b"a" * 50)
            await asyncio.sleep(0.1)
            await connect()
            assert [await is_ended(each, 1) for each in silent] == [True, False]
            assert await answer(own, b"a" * 50) == b"HTTP/1.1 200100"

    run(upload())


@pytest.mark.parametrize("header", [b"", b"Connection: close\r\n"])
def test_reply_that_is_not_read_ends_its_connection(header: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "READ_SECONDS", 0.3)

    async def attack() -> None:
        async with serving() as connect:
            reader, writer = await connect()
            transport: Any = writer.transport
            transport.pause_reading()
            writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n")
            await asyncio.sleep(2)
            transport.resume_reading()
            received = b""
            with suppress(ConnectionError):
                received = await asyncio.wait_for(reader.read(), 20)
            assert len(received) < REPLY_BYTES

    run(attack())


def test_reply_that_is_read_slowly_arrives_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "READ_SECONDS", 1.0)

    async def download() -> None:
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            for _ in range(8):
                await reader.readexactly(REPLY_BYTES // 8)
                await asyncio.sleep(0.3)
            assert head.startswith(b"HTTP/1.1 200")

    run(download())
