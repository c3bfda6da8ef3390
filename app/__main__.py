"""python -m app: flags to objects to a page in the browser, or to a command. Only here are the parts put together."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path

from app import VERSION
from app.cli.arguments import COMMANDS, OVERVIEW, parse, program_name
from app.errors import AppError
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER, default_log_path

DEFAULT_PORT = 7860


def main(arguments: list[str] | None = None) -> int:
    """Runs Pinpoint until it is stopped, or one of its commands; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return _command(arguments)
    flags = _parse(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        return _serve(flags)
    except (AppError, OSError) as error:
        print(f"Pinpoint could not start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _command(arguments: list[str]) -> int:
    _set_environment()
    flags = parse(arguments)
    from app.cli import log_commands, translate
    from engine import EngineError

    run = {
        "translate": translate.translate,
        "stats": log_commands.stats,
        "export": log_commands.export,
        "import-log": log_commands.import_log,
        "backup": log_commands.backup,
    }[flags.command]
    try:
        return run(flags)
    except (AppError, EngineError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description="Post-edit a document in the browser.",
        epilog=OVERVIEW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Pinpoint {VERSION}")
    parser.add_argument(
        "--model",
        type=Path,
        default=MODEL_FOLDER,
        help="a model's folder, or the hub id of one that `python -m engine models` names (default: the bundled one)",
    )
    parser.add_argument(
        "--direction",
        metavar="en-de",
        help="what new documents are translated in (default: what each says itself, else the model's first)",
    )
    parser.add_argument("--document", type=Path, help="a document to open (default: the sample)")
    parser.add_argument("--glossary", type=Path, help="a glossary for it: CSV, TSV, XLSX, TBX, UTX or TMX")
    parser.add_argument(
        "--log", type=Path, default=None, help=f"where sessions are kept (default: {default_log_path()})"
    )
    parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"), help="address to listen on (or HOST)")
    parser.add_argument(
        "--port", type=int, default=None, help="port to listen on (or PORT); a busy one moves on by one"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of the model (default: 1; more help where cores are idle)"
    )
    parser.add_argument(
        "--device", default="cpu", help="where the model computes: cpu, or cuda for a GPU, in 16 bits (default: cpu)"
    )
    parser.add_argument(
        "--no-fill", action="store_true", help="only offer what the memory has for a segment, also an exact match"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    if arguments and not arguments[0].startswith("-"):
        parser.error(f"there is no command {arguments[0]!r}; the commands are {', '.join(COMMANDS)}")
    flags = parser.parse_args(arguments)
    if flags.port is None:
        given = os.environ.get("PORT", str(DEFAULT_PORT))
        if not given.isdecimal():
            parser.error(f"PORT is {given!r}; it must be a number")
        flags.port = int(given)
    if not 0 <= flags.port <= 65535:
        parser.error(f"the port is {flags.port}; it must be between 0 and 65535")
    if flags.threads < 1:
        parser.error(f"--threads is {flags.threads}; it must be at least 1")
    return flags


def _stop(*_: object) -> None:
    """Ends as Ctrl+C does, so that what is open is closed."""
    raise KeyboardInterrupt


def _serve(flags: argparse.Namespace) -> int:
    _set_environment()
    from app.models.loading import ModelHandle

    # The model loads while Gradio, which takes seconds to import, does so.
    model = ModelHandle(flags.model, flags.direction, flags.device)
    model.load_in_background(flags.threads)

    import uvicorn

    from app.log.store import LogStore
    from app.models.directions import read_ahead
    from app.sessions import Sessions
    from app.ui.api import Api
    from app.ui.server import Server, bind, build_server, is_loopback

    signal.signal(signal.SIGTERM, _stop)
    with ExitStack() as closing:
        closing.callback(model.stop)
        store = LogStore.open(flags.log or default_log_path())
        closing.callback(store.close)
        closing.callback(model.close)
        for note in store.notes:
            print(note)
        if flags.model != MODEL_FOLDER:  # the first document needs to know what it translates
            print(f"Loading {flags.model.as_posix()} …", flush=True)
            model.wait()
        sessions = Sessions(store, model, SAMPLES_FOLDER, fills_from_memory=not flags.no_fill)
        closing.callback(sessions.close)
        if flags.direction is None:  # else none is guessed
            model.on_change(lambda: read_ahead(model.directions))
        if flags.document or flags.glossary:
            for note in sessions.open_files(flags.document, flags.glossary):
                print(note)
        listener = bind(flags.host, flags.port)
        port = listener.getsockname()[1]
        address = f"http://{_shown_host(flags.host)}:{port}"
        if flags.port not in (0, port):
            print(f"Port {flags.port} is busy; using {port} instead.")
        api = Api(sessions)
        application = build_server(api, host=flags.host, port=port)
        if not is_loopback(flags.host):
            print("Everyone who can reach this address can read and change the documents: there is no password.")
        print(f"Pinpoint is at {address} (stop with Ctrl+C)", flush=True)
        if not flags.no_browser and _has_display():
            threading.Timer(1.0, webbrowser.open, [address]).start()
        config = uvicorn.Config(application, log_level="warning", timeout_graceful_shutdown=1, access_log=False)
        Server(config, api).run(sockets=[listener])
    return 0


def _set_environment() -> None:
    """Settings that Gradio, PyTorch and their libraries read when they are imported."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    own = {"127.0.0.1", "localhost", "::1"}
    # Threads that spin while they wait for each other made a step 15 times slower where other programs used the cores.
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")  # or a download from the hub could not be stopped
    for name in ("NO_PROXY", "no_proxy"):
        given = [entry for entry in os.environ.get(name, "").split(",") if entry]
        os.environ[name] = ",".join(dict.fromkeys([*given, *sorted(own)]))


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
