"""The command line: settings from flags and environment, ports that are taken, and how the server stops."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

import app
from app.__main__ import _parse, _set_environment, main
from app.access.actor import OWNER
from app.paths import MODEL_FOLDER, default_log_path
from app.ui.api import Api
from app.ui.server import Server, bind, server_config
from tests.app.ui.test_api import api, message  # noqa: F401
from tests.e2e.conftest import App, ForkedApp

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_printed(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        _parse(["--version"])
    assert capsys.readouterr().out == f"Pinpoint {app.VERSION}\n"


@pytest.mark.parametrize(
    ("started_as", "name"), [("/usr/bin/pinpoint", "pinpoint"), ("app/__main__.py", "python -m app")]
)
def test_help_names_the_program_as_it_was_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], started_as: str, name: str
):
    monkeypatch.setattr("sys.argv", [started_as])
    for arguments in (["--help"], ["stats", "--help"]):
        with pytest.raises(SystemExit):
            main(arguments)
    printed = capsys.readouterr().out
    assert f"usage: {name} [" in printed
    assert f"{name} stats 12" in printed


def test_flags_go_before_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PORT", "7001")
    monkeypatch.setenv("PINPOINT_HOST", "127.0.0.2")
    assert (_parse([]).host, _parse([]).port) == ("127.0.0.2", 7001)
    flags = _parse(["--port", "7002", "--host", "localhost"])
    assert (flags.host, flags.port) == ("localhost", 7002)


@pytest.mark.parametrize(
    ("variables", "flags"),
    [
        ({"HOST": "0.0.0.0"}, []),  # set by some shells and compilers
        ({"PINPOINT_HOST": ""}, []),  # an empty address would listen on every network
        ({}, ["--host", ""]),
    ],
)
def test_app_listens_on_this_computer_only_by_default(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], flags: list[str]
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert _parse(flags).host == "127.0.0.1"


def test_other_names_of_the_server_are_collected():
    assert _parse([]).allow_host == ()
    assert _parse(["--allow-host", "a.example", "--allow-host", "b.example"]).allow_host == ("a.example", "b.example")


@pytest.mark.parametrize(("arguments", "host"), [((), ""), (("HOST=127.0.0.9",), "127.0.0.9")])
def test_make_run_takes_the_host_from_its_command_line_only(tmp_path: Path, arguments: tuple[str, ...], host: str):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "host=$PINPOINT_HOST"\n')
    python.chmod(0o755)
    for done in ("installed-run", "compiled-core"):
        (tmp_path / done).touch()
    command = ["make", "run", f"VENV={tmp_path}", *arguments]
    environment = {**os.environ, "HOST": "x86_64-linux-gnu"}
    for name in ("PINPOINT_HOST", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # the last three: `make test` runs this test
        environment.pop(name, None)
    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    assert output == f"host={host}\n"


def test_settings_of_gradio_in_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.environ", {"GRADIO_VIBE_MODE": "1", "GRADIO_SHARE": "True", "GRADIO": "kept"})
    _set_environment()
    gradio = {name: value for name, value in os.environ.items() if name.startswith("GRADIO")}
    assert gradio == {"GRADIO": "kept", "GRADIO_ANALYTICS_ENABLED": "False"}


def test_folder_that_another_user_made_does_not_stop_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "gradio").write_text("nobody can write a file into this folder")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    started = App(MODEL_FOLDER, tmp_path / "log.sqlite")
    try:
        (own,) = tmp_path.glob("pinpoint-*")
        assert own.stat().st_mode & 0o777 == 0o700
        assert httpx.get(f"{started.url}/healthz").status_code == 200
        assert (
            httpx.get(
                started.address,
                headers={"Sec-Fetch-Site": "none"},  # as a browser says of an address that somebody typed
                follow_redirects=True,
            ).status_code
            == 200
        )
    finally:
        started.stop()
    assert list(tmp_path.glob("pinpoint-*")) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "70000"],
        ["--threads", "0"],
        ["--port", "many"],
        ["--fly"],
        ["--no-browser", "--window"],
    ],
)
def test_settings_that_make_no_sense_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        _parse(arguments)
    assert arguments[0].removeprefix("--") in capsys.readouterr().err


def test_port_that_is_not_a_number_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("PORT", "http")
    with pytest.raises(SystemExit):
        _parse([])
    assert "PORT is 'http'" in capsys.readouterr().err


def test_busy_port_moves_on_to_the_next_free_one():
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with bind("127.0.0.1", port) as second:
            assert second.getsockname()[1] > port


def test_without_a_browser_a_busy_port_stops_the_start(tmp_path: Path):
    with bind("127.0.0.1", 0) as busy:
        port = str(busy.getsockname()[1])
        with pytest.raises(AssertionError, match=f"cannot listen on port {port}: .*choose another with --port"):
            ForkedApp(MODEL_FOLDER, tmp_path / "log.sqlite", "--port", port)


def test_error_for_no_free_port_names_the_flag():
    with bind("127.0.0.1", 0) as taken, pytest.raises(OSError, match="--port"):
        bind("127.0.0.1", taken.getsockname()[1], tries=1)


def test_address_of_another_computer_cannot_be_listened_on():
    with pytest.raises(OSError, match=r"192\.0\.2\.1"):  # reserved for documentation
        bind("192.0.2.1", 7860, tries=1)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these systems have other data folders")
def test_log_is_in_the_data_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_log_path() == tmp_path / "pinpoint" / "sessions.sqlite"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("win32", "local"), ("darwin", "home/Library/Application Support"), ("linux", "share")],
)
def test_log_of_an_earlier_version_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, folder: str
):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path / "home")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr("app.paths.user_data_path", lambda *_, **__: tmp_path / "new")
    assert default_log_path() == tmp_path / "new" / "sessions.sqlite"
    earlier = tmp_path / folder / "pinpoint" / "sessions.sqlite"
    earlier.parent.mkdir(parents=True)
    earlier.touch()
    assert default_log_path() == earlier
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "sessions.sqlite").touch()
    assert default_log_path() == tmp_path / "new" / "sessions.sqlite"


def test_waiting_request_is_answered_when_the_server_stops(api: Api, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    monkeypatch.setattr("app.ui.api.HOLD_SECONDS", 60)
    token = message(api, "open")["token"]
    snapshot = api.sessions.find(OWNER, token).snapshot(OWNER)
    asked = {"token": token, "since": snapshot["version"], "open": None, "detail_since": snapshot["version"]}
    replies: list[bytes] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        reply = await api.changes(OWNER, asked)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(reply["ok"]).encode()})

    async def stopped() -> None:
        listener = bind("127.0.0.1", 0)
        config = uvicorn.Config(application, log_level="critical", lifespan="off", timeout_graceful_shutdown=5)
        server = Server(config, api.stop)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while not api._waiting:
            await asyncio.sleep(0.01)
        server.should_exit = True
        replies.append(await reader.read())
        writer.close()
        await serving

    asyncio.run(stopped())
    assert replies[0].startswith(b"HTTP/1.1 200") and b"true" in replies[0]


def test_many_waiting_calls_of_the_server_share_its_threads():
    """With Python's own six threads on two cores, a few documents that are being read would stop everybody."""
    barrier = threading.Barrier(30)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.gather(*[asyncio.to_thread(barrier.wait, 60) for _ in range(30)])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def answered() -> bytes:
        listener = bind("127.0.0.1", 0)
        server = Server(uvicorn.Config(application, log_level="critical", lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        line = await reader.readline()
        writer.close()
        server.should_exit = True
        await serving
        return line

    assert asyncio.run(answered()).startswith(b"HTTP/1.1 200")


def test_replies_are_not_delayed_until_the_reader_confirms_the_first_packet():
    """Head and body of a reply are two packets; the second one waited 40 ms for the confirmation of the first."""

    async def is_undelayed() -> bool:
        found = asyncio.get_running_loop().create_future()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            found.set_result(bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        listener = bind("127.0.0.1", 0)
        async with await asyncio.start_server(answer, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            is_off = bool(await found)
            writer.close()
            return is_off

    assert asyncio.run(is_undelayed())


def test_idle_connection_stays_open_longer_than_clients_and_proxies_keep_theirs():
    """A request that meets the server's closing of its connection has an error instead of an answer."""

    async def application(scope: Any, receive: Any, send: Any) -> None: ...

    assert server_config(application).timeout_keep_alive > 60, "nginx"


@pytest.mark.full
def test_connection_answers_again_after_more_than_the_usual_five_seconds():
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def lines() -> list[bytes]:
        listener = bind("127.0.0.1", 0)
        server = Server(server_config(application))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        found = []
        for pause in (0.0, 6.0):
            await asyncio.sleep(pause)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            found.append(await reader.readline())
            await reader.readuntil(b"\r\n\r\n")
        writer.close()
        server.should_exit = True
        await serving
        return found

    assert [line[:12] for line in asyncio.run(lines())] == [b"HTTP/1.1 204"] * 2


@pytest.mark.parametrize(("arguments", "status"), [(["--engine", "ray"], 1), (["serve", "--replicas", "2"], 2)])
def test_ray_that_is_not_there_is_named_with_the_cure(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "ray", None)  # importing it now raises ImportError
    assert main(arguments) == status
    assert "Ray is not installed: pip install 'pinpoint[server]'" in capsys.readouterr().err
