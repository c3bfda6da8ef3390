"""python -m app: starts the server and opens the page, or runs a command. Only this module wires the parts together."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from app import VERSION
from app.access.actor import OWNER
from app.cli.arguments import COMMANDS, OVERVIEW, parse
from app.collector import IdleCollector, keep_modules_out_of_collections
from app.ending import Ending
from app.errors import AppError
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER, default_log_path
from app.server_log import fields as event_fields
from app.server_log import logged_requests
from app.server_log import set_up as set_up_log
from app.settings import AppSettings, add_flags, as_toml, given_settings, program_name, settings_from

# For how long one Python thread keeps another waiting. A command waits for its turn after each statement of SQLite.
# With Python's 5 ms, half of the replies took 0.4 s while another person's document of 20,000 segments was opened.
SWITCH_SECONDS: Final = 0.0002

if TYPE_CHECKING:
    from app.monitoring import Metrics
    from app.serving.gateway import ApiGateway
    from app.serving.keys import ApiFile
    from app.sessions import Sessions
    from app.ui.server import Doors
    from app.ui.sign_in import SignIn
    from engine import Engine


def main(arguments: list[str] | None = None) -> int:
    """Runs Pinpoint until it is stopped, or one of its commands; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return _command(arguments)
    settings = _parse(arguments)
    set_up_log(settings.log_format)
    try:
        return _serve(settings)
    except (AppError, OSError) as error:
        print(f"Pinpoint could not start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _command(arguments: list[str]) -> int:
    _set_environment()
    flags = parse(arguments)
    from engine import EngineError

    if getattr(flags, "no_core", False):
        from engine import use_core

        use_core(False)
    try:
        return _handler_of(flags.command)(flags)
    except (AppError, EngineError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


# The modules of the commands, without `app.cli`. Those of the log are in one.
_MODULES: Final = {
    "translate": "translate_many", "models": "models_command", "mcp": "mcp_command", "serve": "serve_command",
    "demo": "demo_command",
    "keys": "keys_command", "people": "people_command", "memory": "memory_command",
    "import-review": "review_command",
    "assignments": "assignments_command", "deadlines": "deadlines_command",
    "webhooks": "webhooks_command", "usage": "usage_command",
    "dependencies": "dependencies",
}  # fmt: skip


def _handler_of(command: str) -> Callable[[argparse.Namespace], int]:
    """The function that carries out a command. PyTorch takes seconds to import, and few commands need it."""
    module = import_module(f"app.cli.{_MODULES.get(command, 'log_commands')}")
    handler: Callable[[argparse.Namespace], int] = getattr(module, command.replace("-", "_"))
    return handler


def _parse(arguments: list[str]) -> AppSettings:
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description="Post-edit a document in the browser.",
        epilog=OVERVIEW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Pinpoint {VERSION}")
    add_flags(parser)
    if arguments and not arguments[0].startswith("-"):
        parser.error(f"there is no command {arguments[0]!r}; the commands are {', '.join(COMMANDS)}")
    flags = parser.parse_args(arguments)
    try:
        settings = settings_from(flags, os.environ)
        if settings.show_config:
            print(as_toml(given_settings(flags, os.environ)), end="")
            parser.exit()
    except ValueError as error:
        parser.error(str(error))
    return settings


def _serve(settings: AppSettings) -> int:
    _set_environment()
    gradio_folder = TemporaryDirectory(prefix="pinpoint-")  # its usual folder is shared by all users of the computer
    os.environ["GRADIO_TEMP_DIR"] = gradio_folder.name
    from app.models.loading import ModelHandle
    from engine import use_core

    use_core(not settings.no_core)
    find_engine = served_engines(settings) if settings.engine == "ray" else None
    tracing = None
    if settings.tracing or os.environ.get("OTEL_TRACES_EXPORTER") == "otlp":
        from app.tracing import Tracing  # its library is an extra

        tracing = Tracing.to_collector()
    watch = None if tracing is None else tracing.engine
    model = ModelHandle(settings.model, settings.direction, settings.device, find_engine=find_engine, watch=watch)
    model.describe()

    from app.access.openid import OpenId, Provider
    from app.log.store import LogStore
    from app.models.opened_models import OpenedModels
    from app.models.published_models import PublishedModels
    from app.monitoring import Metrics
    from app.reading import SeparateReader
    from app.serving.keys import ApiFile
    from app.serving.passwords import Passwords
    from app.serving.webhooks import Webhooks
    from app.sessions import Sessions
    from app.ui.api import Api
    from app.ui.own_pages import is_loopback
    from app.ui.server import Server, bind, build_server, server_config
    from app.ui.sign_in import SignIn
    from app.whole_files import remove_leftovers

    keep_modules_out_of_collections()
    sys.setswitchinterval(SWITCH_SECONDS)
    server_log = logging.getLogger("pinpoint.server")

    def tell(text: object) -> None:
        """Shows a text, which may have names or the access token, to the person who started the app."""
        if settings.log_format is None:
            print(text, flush=True)

    with Ending(settings.shutdown_seconds) as ending, ExitStack() as closing:
        ending.finally_do(gradio_folder.cleanup)
        closing.enter_context(gradio_folder)
        closing.callback(model.stop)
        collector = IdleCollector()
        collector.begin()
        closing.callback(collector.close)
        log = settings.log or default_log_path()
        remove_leftovers(log.parent)
        store = LogStore.open(log, exclusively=True)
        closing.callback(store.close)
        if tracing is not None:
            closing.callback(tracing.close)
            store.connection.watch = tracing.writing
        closing.callback(model.close_before_exit)
        for note in store.notes:
            tell(note)
        if settings.model != MODEL_FOLDER:  # the first document needs its language pairs
            tell(f"Loading {settings.model.as_posix()} …")
            model.load_in_background(settings.threads)
            model.wait()
        published = PublishedModels(settings.model_registry)
        published.clean()
        files = SeparateReader()
        closing.callback(files.close)
        ending.finally_do(files.kill)
        sessions = Sessions(
            store,
            model,
            SAMPLES_FOLDER,
            fills_from_memory=not settings.no_fill,
            published=published,
            files=files,
            opened=OpenedModels(is_allowed=not settings.no_auth or is_loopback(settings.host)),
        )
        sessions.models.uploads.clean()
        closing.callback(sessions.close)
        if settings.document or settings.glossary:
            for note in sessions.open_files(OWNER, settings.document, settings.glossary):
                tell(note)
        # A service has to be where its proxy looks; to a person, the browser shows the page at another port too.
        listener = bind(settings.host, settings.port, tries=1 if settings.no_browser else 50)
        port = listener.getsockname()[1]
        address = f"http://{_shown_host(settings.host)}:{port}"
        store.announce(address)
        if settings.port not in (0, port):
            tell(f"Port {settings.port} is busy; using {port} instead.")
        api = Api(sessions)
        provider = Provider.of(settings)
        needs_keys = settings.api or provider is not None or ApiFile.path_beside(store.path).exists()
        keys = ApiFile.beside(store.path) if needs_keys else None
        if keys is not None:
            closing.callback(keys.close)
            if tracing is not None:
                keys.connection.watch = tracing.writing
            webhooks = Webhooks(keys, store)
            closing.callback(webhooks.close)
            webhooks.start()
        find_person = (lambda key: None) if keys is None else keys.person_with
        sign_in = None
        if not settings.no_auth:
            passwords = None if keys is None else Passwords(keys)
            token_file = log.with_name(log.name + ".token")
            openid = None if provider is None else OpenId(provider, store.people.has_role)
            sign_in = SignIn.from_file(token_file, find_person, settings.person_header, passwords, keys, openid)
        metrics = Metrics(sessions)
        page = build_server(
            api, host=settings.host, port=port, sign_in=sign_in, allowed_hosts=settings.allow_host, metrics=metrics
        )
        application: ApiGateway | Doors = page
        starts, stops = [], [api.stop]
        if settings.api and keys is not None:
            application = gateway = with_api(page, sessions, keys, metrics)
            starts.append(gateway.start)
            stops.append(gateway.stop)
            tell(f"Other programs reach the API at {address} with a key: see `{program_name()} keys`.")
        if sign_in is None:
            tell("Everyone who can reach this address can read and change the documents (--no-auth).")
        elif not is_loopback(settings.host):
            tell(
                "Without https, others in the network can read the documents and the access token: use a proxy with "
                "https."
            )
        tell(f"Pinpoint is at {sign_in.address(address) if sign_in else address} (stop with Ctrl+C)")
        server_log.info("started", extra=event_fields(version=VERSION, address=address))
        closing.callback(server_log.info, "stopped")
        if not settings.no_browser and _has_display():
            threading.Timer(1.0, _open_page, [address, sign_in, settings.window]).start()
        if model.state == "loading":  # while the browser shows the page, which would otherwise come half a second later
            model.load_in_background(settings.threads)
        files.start_ahead()
        sessions.start()
        served = metrics.counting(application)
        logged = served if settings.log_format is None else logged_requests(served)
        config = server_config(logged if tracing is None else tracing.requests(logged), settings.trust_proxy)
        closing.callback(ending.unwind)
        Server(config, *stops, starts=starts, shutdown_seconds=ending.request_seconds).run(sockets=[listener])
    return 0


def served_engines(settings: AppSettings) -> Callable[[Path], Engine | None]:
    """Finds the engine of a model in the Ray cluster; None for models that are loaded here.

    Raises AppError if there is no cluster. A search for the model of the start raises ModelError if it is not served.
    """
    from app.models.loading import DEADLINE_MS
    from engine import ModelError, ServedModels

    try:
        served = ServedModels()
    except ModelError as error:
        raise AppError(str(error)) from error

    def find_engine(folder: Path) -> Engine | None:
        engine = served.engine(folder, deadline_ms=DEADLINE_MS)
        if engine is None and folder == settings.model:
            raise ModelError(f"Ray does not serve {folder}: run `{program_name()} serve --model {folder}` first")
        return engine

    return find_engine


def with_api(page: Doors, sessions: Sessions, keys: ApiFile, metrics: Metrics) -> ApiGateway:
    """The page with the HTTP API before it. Both use the same models, and answer under the same names."""
    from app.serving.admission import Admission
    from app.serving.api_documents import ApiDocuments
    from app.serving.api_glossaries import ApiGlossaries
    from app.serving.api_jobs import ApiJobs
    from app.serving.dialects import ApiContext
    from app.serving.gateway import ApiGateway
    from app.serving.stored_jobs import StoredJobs
    from app.serving.translations import TranslationService

    translations = TranslationService(sessions.models.handles, sessions.options)
    admission, documents = Admission(keys), ApiDocuments(keys, sessions)
    context = ApiContext(
        admission,
        translations,
        ApiGlossaries(keys),
        documents,
        sessions.store,
        metrics,
        sessions.assignments,
        sessions.totals,
        sessions.library,
        ApiJobs(StoredJobs(keys)),
    )
    return ApiGateway(page, context, page.own_pages.sent)


def _open_page(address: str, sign_in: SignIn | None, in_window: bool) -> None:
    from app.ui.window import open_page

    if note := open_page(sign_in.address_once(address) if sign_in else address, in_window=in_window):
        print(note, flush=True)


def _set_environment() -> None:
    """Settings that Gradio, PyTorch and their libraries read when they are imported."""
    for name in [name for name in os.environ if name.startswith("GRADIO_")]:
        del os.environ[name]  # some share the page with the world, or let others edit the code
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
