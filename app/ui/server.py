"""The web server: the page, its static files, the downloads, and the security headers."""

from __future__ import annotations

import asyncio
import io
import logging
import mimetypes
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, cast
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from app.access.actor import Actor
from app.access.admitted import admit
from app.access.headers import MAX_HEADER_BYTES, headers_problem, is_https
from app.errors import AppError, shown_message
from app.formats.archive import MAX_ARCHIVE_BYTES
from app.formats.documents import Export
from app.glossary.reading.glossary_file import MAX_BYTES as MAX_UPLOAD_BYTES
from app.models.registry import MAX_MODEL_BYTES
from app.monitoring import Metrics
from app.reports.audit import AuditFilter, AuditKind
from app.sessions.totals import FileKind
from app.tm.memory_file import MAX_BYTES as MAX_MEMORY_BYTES
from app.ui.account import (
    ACCOUNT_PATH,
    MAX_FORM_BYTES,
    PASSWORD_PATH,
    PROVIDER_PATHS,
    SIGN_IN_PATH,
    SIGN_OUT_PATH,
    add_account,
    add_openid,
)
from app.ui.api import Api
from app.ui.connections import TimedConnection
from app.ui.content_policy import PageSender, policy
from app.ui.draining import Asgi, Draining
from app.ui.own_pages import OwnPages
from app.ui.page import COMPONENT_PATH, FUNCTION_PATHS, STATIC_PATH, add_functions, json_reply, mount_page
from app.ui.page_bundle import page_bundle
from app.ui.sign_in import SignedIn, SignIn
from app.ui.static_files import StaticFiles

_LOGGER = logging.getLogger(__name__)
# How long an idle connection stays open. A client that sends a request while the server closes its connection gets an
# error instead of an answer: clients and proxies close theirs earlier (nginx after 60 seconds).
KEEP_ALIVE_SECONDS = 75
STATIC_FOLDER = Path(__file__).parent / "static"
MAX_BODY_BYTES = MAX_MEMORY_BYTES * 4 // 3 + 2 * 2**20  # the largest translation memory as base64 in its message
UPLOAD_PATH = "/glossary/"  # glossaries come as they are, and may be larger
ARCHIVE_PATH = "/archive/"  # archives of documents come as they are
MODEL_PATH = "/model/"  # files of models go to disk as they come
_MAX_THREADS = 32
_SHORT_SECONDS = 0.5  # a request that takes longer is asked a second time whether its person is signed in
PUBLIC_PATH = f"/{STATIC_PATH}/"  # the same for everybody; browsers read a manifest without cookies
# What the page uses. Gradio has more, such as uploads and queues; they are closed.
_GRADIO_FILES = ("/assets/", "/static/")
_READ_PATHS = (*_GRADIO_FILES, COMPONENT_PATH + "/", "/download/", PUBLIC_PATH)
HEALTH_PATH = "/healthz"  # needs no token; returns only the status and the version
PUBLIC_ROUTES = frozenset({HEALTH_PATH, SIGN_IN_PATH, *PROVIDER_PATHS})  # for people who are not signed in
METRICS_PATH = "/metrics"
_READ_PAGES = PROVIDER_PATHS | {"/", "/theme.css", "/favicon.ico", "/status", ACCOUNT_PATH, METRICS_PATH, HEALTH_PATH}
_MAX_FILE_PATH = 250  # bytes; Gradio does not catch the system's error for a name that is too long
_FORM_PATHS = (SIGN_IN_PATH, PASSWORD_PATH, SIGN_OUT_PATH)
_WRITE_PATHS = (UPLOAD_PATH, ARCHIVE_PATH, MODEL_PATH)
_LIMITS = {
    UPLOAD_PATH: MAX_UPLOAD_BYTES,
    ARCHIVE_PATH: MAX_ARCHIVE_BYTES,
    MODEL_PATH: MAX_MODEL_BYTES,
    **dict.fromkeys(_FORM_PATHS, MAX_FORM_BYTES),
}
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_HEADERS_WITH_POLICY = ((b"content-security-policy", policy()), *_HEADERS)


class Doors:
    """Refuses requests of other sites, requests without the access token, and messages that are too large.

    Closes addresses that the page does not use, and adds the security headers. Without `sign_in`, no token is needed.
    """

    def __init__(self, app: Any, own_pages: OwnPages, sign_in: SignIn | None) -> None:
        self.app = app
        self.own_pages = own_pages
        self.sign_in = sign_in

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request (ASGI)."""
        if scope["type"] == "websocket":  # the page uses none
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        is_page = scope["path"] == "/"
        if is_page:  # its scripts are read
            scope["headers"] = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
            send = PageSender(send)
        headers = _HEADERS if is_page else _HEADERS_WITH_POLICY

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        person = "" if self.sign_in is None else self.sign_in.person_of(scope["headers"], _address_of(scope))
        if person is not None:  # without sign-in, everybody who reaches the server acts as its owner
            admit(scope, Actor.signed_in(person))
        refusal = self._refusal(scope, person)
        if refusal is not None or person is None or self.sign_in is None or scope["path"] in _FORM_PATHS:
            await (refusal or self.app)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, _while_signed_in(self.sign_in, person, scope, receive, send_with_headers))

    def _refusal(self, scope: Any, person: str | None) -> Response | None:
        """The reply to a request that is not passed on; `person` is None without a token."""
        if (problem := headers_problem(scope["headers"])) is not None:
            return PlainTextResponse(problem, 431)
        if not self.own_pages.sent(scope["headers"]):
            return PlainTextResponse(
                "This server answers only its own page. If this is another name of this server, start Pinpoint with "
                "--allow-host NAME.",
                403,
            )
        if not _is_used(scope["method"], scope["path"]):
            return PlainTextResponse("Not found.", 404)
        if self.sign_in is not None and (answer := self._sign_in_answer(self.sign_in, scope, person)) is not None:
            return answer
        headers = dict(scope["headers"])
        if b"transfer-encoding" in headers:  # the size must be known before anything is read
            return PlainTextResponse("The message has no Content-Length.", 411)
        max_bytes = next((most for path, most in _LIMITS.items() if scope["path"].startswith(path)), MAX_BODY_BYTES)
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return PlainTextResponse("The Content-Length is not a number.", 400)
        if len(length) > len(str(max_bytes)) or int(length) > max_bytes:
            return PlainTextResponse("The message is too large.", 413)
        return None

    @staticmethod
    def _sign_in_answer(sign_in: SignIn, scope: Any, person: str | None) -> Response | None:
        """The reply to a request that signs in or does not have the access token."""
        if scope["path"] == "/":
            headers = scope["headers"]
            is_secure = is_https(scope["scheme"], headers)
            return sign_in.answer(scope["query_string"], headers, _address_of(scope), is_https=is_secure)
        is_public = scope["path"] in PUBLIC_ROUTES or scope["path"].startswith(PUBLIC_PATH)
        return None if is_public or person is not None else sign_in.refusal()


def _address_of(scope: Any) -> str:
    """The address of the client; "" if it is not known."""
    return (scope.get("client") or ("",))[0]


def _while_signed_in(sign_in: SignIn, person: str, scope: Any, receive: Any, send: Any) -> Any:
    """The function that sends a reply, or a refusal if the person was signed out while the request waited."""
    begun, is_refused = time.monotonic(), False

    async def send_or_refuse(message: Any) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start" and time.monotonic() - begun > _SHORT_SECONDS:
            is_refused = await asyncio.to_thread(sign_in.person_of, scope["headers"], _address_of(scope)) != person
            if is_refused:
                await sign_in.refusal()(scope, receive, send)
        if not is_refused:
            await send(message)

    return send_or_refuse


def _is_used(method: str, path: str) -> bool:
    """True if the page or a documented client sends such requests."""
    if method == "POST":
        return path in FUNCTION_PATHS or path.startswith(_WRITE_PATHS) or path in _FORM_PATHS
    if path.startswith(_GRADIO_FILES) and len(path.encode("utf-8", "replace")) > _MAX_FILE_PATH:
        return False
    return method in ("GET", "HEAD") and (path in _READ_PAGES or path.startswith(_READ_PATHS))


def server_config(application: Any, trusted_proxies: Sequence[str] = ()) -> uvicorn.Config:
    """The settings of the server that answers for an ASGI application.

    `trusted_proxies` are addresses and networks whose X-Forwarded-For names the client. From others, the header counts
    for nothing: a program could pretend to have another address.
    """
    return uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        log_config=None,  # the app says where messages go
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        http=TimedConnection,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )


class _Threads(ThreadPoolExecutor):
    """Threads that the end of the event loop does not wait for: what hangs in one of them must not keep the app."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


class Server(uvicorn.Server):
    """Finishes the requests on their way when it stops, without waiting for open pages, which wait for changes."""

    def __init__(
        self,
        config: uvicorn.Config,
        *stops: Callable[[], None],
        starts: Sequence[Callable[[], None]] = (),
        shutdown_seconds: float = 1.0,
    ) -> None:
        """`starts` are called once the event loop runs, and `stops` first at the end.

        `stops` end requests that wait for something. The others may take `shutdown_seconds`, and their connections a
        second more; a second signal ends them at once.
        """
        config.timeout_graceful_shutdown = min(1.0, shutdown_seconds / 2)  # type: ignore[assignment]
        config.app = self._draining = Draining(cast(Asgi, config.app))
        super().__init__(config)
        self._starts, self._stops = starts, stops
        self._shutdown_seconds = shutdown_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts the server, with threads for all that waits in them."""
        # Python would make six on two cores, all of which may be reading documents.
        asyncio.get_running_loop().set_default_executor(_Threads(_MAX_THREADS))
        await super().startup(sockets)
        for start in self._starts:
            start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal stops the server, a second one does not wait for requests.

        As `run` then returns, uvicorn must not raise the signals again, which it would otherwise do.
        """
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers the waiting requests, finishes the others, then closes the connections."""
        for stop in self._stops:
            stop()
        if num_left := await self._draining.drain(self._shutdown_seconds, lambda: self.force_exit):
            _LOGGER.warning("%d requests were not finished in %g seconds", num_left, self._shutdown_seconds)
        await super().shutdown(sockets)


def build_server(
    api: Api,
    *,
    host: str,
    port: int,
    sign_in: SignIn | None,
    allowed_hosts: Sequence[str] = (),
    metrics: Metrics | None = None,
) -> Doors:
    """The whole web application. It answers requests to `host` and to the names `allowed_hosts`.

    They need the access token of `sign_in`; with None, nobody needs one. `metrics` are shown at METRICS_PATH.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    mimetypes.add_type("application/manifest+json", ".webmanifest")  # not every system knows it
    files = _page_files()
    app.mount(f"/{STATIC_PATH}", files, name="static")
    app.mount(COMPONENT_PATH, StaticFiles(STATIC_FOLDER / "component"), name="component")

    @app.get("/status")
    def status(actor: SignedIn) -> Response:
        return json_reply(api.status())

    @app.get(METRICS_PATH)
    def show_metrics(actor: SignedIn) -> Response:
        if metrics is None:
            return PlainTextResponse("Not found.", 404)
        return Response(metrics.text(), media_type=metrics.content_type, headers={"cache-control": "no-store"})

    @app.api_route(HEALTH_PATH, methods=["GET", "HEAD"])  # many monitors send HEAD
    def health() -> Response:
        answer = api.health()
        return JSONResponse(answer, 503 if answer["status"] == "stuck" else 200, {"cache-control": "no-store"})

    @app.get("/download/{token}/activity")
    def download_activity(
        token: str,
        actor: SignedIn,
        person: str | None = None,
        session: int | None = None,
        kind: AuditKind | None = None,
    ) -> Response:
        return _file(lambda: api.activity(actor, token, AuditFilter(person, session, kind)))

    @app.get("/download/{token}/usage")
    def download_usage(token: str, actor: SignedIn) -> Response:
        return _file(lambda: api.usage(actor, token))

    @app.get("/download/{token}/totals/{project}/{ending}")
    def download_totals(token: str, project: int, ending: FileKind, actor: SignedIn) -> Response:
        return _file(lambda: api.totals(actor, token, project, ending))

    @app.get("/download/{token}/segmentation/{project}")
    def download_segmentation(token: str, project: int, actor: SignedIn) -> Response:
        return _file(lambda: api.segmentation(actor, token, project))

    @app.get("/download/{token}/{kind}")
    def download(token: str, kind: str, actor: SignedIn, language: str = "en", segments: str = "") -> Response:
        return _file(lambda: api.download(actor, token, kind, language, segments))

    @app.get("/download/{token}/glossary/{glossary}/{kind}")
    def download_glossary(token: str, glossary: int, kind: str, actor: SignedIn) -> Response:
        return _file(lambda: api.glossaries.download(actor, token, glossary, kind))

    @app.get("/download/{token}/import/{number}/{shown}")
    def download_rows(token: str, number: int, shown: str, actor: SignedIn, language: str = "en") -> Response:
        return _file(lambda: api.glossaries.download_rows(actor, token, number, shown, language))

    @app.get("/download/{token}/zip/{key}")
    def download_archive(token: str, key: str, actor: SignedIn) -> Response:
        return _file(lambda: api.packed(actor, token, key))

    @app.get("/download/{token}/analysis/{key}/csv")
    def download_analysis(token: str, key: str, actor: SignedIn) -> Response:
        return _file(lambda: api.analysis(actor, token, key))

    @app.get("/download/{token}/analysis/{key}/xlsx")
    def download_quote(
        token: str, key: str, actor: SignedIn, percents: Annotated[list[float], Query()], price: float = 0.0
    ) -> Response:
        return _file(lambda: api.quote(actor, token, key, percents, price))

    @app.post(UPLOAD_PATH + "{token}")
    async def upload_glossary(
        request: Request, token: str, file: str, actor: SignedIn, language: str = "en", columns: str = ""
    ) -> Response:
        data = await _body(request, MAX_UPLOAD_BYTES)
        if data is None:
            return PlainTextResponse("The file is too large.", 413)
        reply = await asyncio.to_thread(api.glossaries.stage, actor, token, file, data, language, columns)
        return await asyncio.to_thread(json_reply, reply)

    @app.post(ARCHIVE_PATH + "{token}")
    async def upload_archive(
        request: Request, token: str, file: str, actor: SignedIn, language: str = "en"
    ) -> Response:
        data = await _body(request, MAX_ARCHIVE_BYTES)
        if data is None:
            return PlainTextResponse("The file is too large.", 413)
        return await asyncio.to_thread(lambda: json_reply(api.begin_archive(actor, token, file, data, language)))

    @app.post(MODEL_PATH + "{token}")
    async def upload_model(
        request: Request, token: str, upload: str, file: str, actor: SignedIn, language: str = "en"
    ) -> Response:
        num_bytes = int(request.headers.get("content-length", "0"))
        return json_reply(await api.receive_model(actor, token, upload, file, num_bytes, request.stream(), language))

    if sign_in is not None:
        add_account(app, sign_in)
        if sign_in.openid is not None:
            add_openid(app, sign_in, sign_in.openid)
    add_functions(app, api)
    mount_page(app, api, files.version, host=host, port=port, max_file_bytes=MAX_BODY_BYTES)
    return Doors(app, OwnPages.of(host, allowed_hosts), sign_in)


@cache
def _page_files() -> StaticFiles:
    return StaticFiles(STATIC_FOLDER, page_bundle(STATIC_FOLDER))


async def _body(request: Request, max_bytes: int) -> bytes | None:
    """The body of a request, which is in memory once; None if it is larger."""
    body = io.BytesIO()
    async for chunk in request.stream():
        if body.tell() + len(chunk) > max_bytes:
            return None
        body.write(chunk)
    return body.getvalue()  # which does not copy


def _file(make: Callable[[], Export]) -> Response:
    """The file as a download, or the error as plain text."""
    try:
        file = make()
    except AppError as error:
        return PlainTextResponse(shown_message(error), 404)
    disposition = f"attachment; filename*=UTF-8''{quote(file.name)}"
    headers = {"content-disposition": disposition, "cache-control": "no-store"}
    return Response(file.data, media_type="application/octet-stream", headers=headers)


def bind(host: str, port: int, tries: int = 50) -> socket.socket:
    """A listening socket on the first free one of `tries` ports from `port` up; for port 0 the system chooses."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | None = None
    for candidate in range(port, min(port + tries, 65536)) if port else (0,):
        # With the protocol, asyncio switches off the delay of small packets (TCP_NODELAY): 40 ms for each reply.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if not _is_windows():
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(128)
        except OSError as error:
            problem = error
            listener.close()
            continue
        return listener
    ports = f"port {port}" if tries == 1 else f"a port from {port} to {port + tries - 1}"
    raise OSError(f"{host}: the app cannot listen on {ports}: {problem}; choose another with --port") from problem


def _is_windows() -> bool:
    return hasattr(socket, "SO_EXCLUSIVEADDRUSE")
