"""The HTTP API as one ASGI application in front of the page: checks requests, and answers errors in each dialect."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from app import VERSION
from app.access.headers import Header, headers_problem
from app.errors import ApiError, ApiErrorKind, AppError, LogError, shown_message
from app.log.connection import noting_writes
from app.monitoring import AREA
from app.serving import (
    apertium_api,
    assignment_api,
    deepl_api,
    deepl_documents,
    deepl_glossaries,
    deepl_memories,
    document_api,
    job_api,
    libretranslate_api,
    mtuoc_api,
    opus_cat_api,
    own_api,
    project_api,
    session_api,
    tmserver_api,
)
from app.serving.api_description import ErrorReply, describe, operation_id
from app.serving.api_fields import body_of, object_of, query
from app.serving.api_limits import MAX_BODY_BYTES, MAX_DOCUMENT_BYTES
from app.serving.api_schemas import problem_of
from app.serving.dialects import BEARER_KEY, BY_ADDRESS, ApiContext, field_key, unadmitted_fields_of
from engine import InvalidRequest

Asgi = Callable[[Any, Any, Any], Awaitable[None]]

_LOGGER: Final = logging.getLogger(__name__)
_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")
_TRANSLATE: Final = "/translate"  # the same in three dialects, which differ in the fields
# How errors are shown, by the beginning of the address, or by the whole address.
_PREFIXES: Final[Mapping[str, ErrorReply]] = {
    f"{own_api.PREFIX}/": own_api.error_reply,
    **dict.fromkeys(deepl_api.PREFIXES, deepl_api.error_reply),
    opus_cat_api.PREFIX: opus_cat_api.error_reply,
    f"{tmserver_api.PREFIX}/": tmserver_api.error_reply,
    libretranslate_api.FILE_PREFIX: libretranslate_api.error_reply,
}
_PATHS: Final[Mapping[str, ErrorReply]] = {
    _TRANSLATE: libretranslate_api.error_reply,
    **dict.fromkeys(libretranslate_api.PATHS, libretranslate_api.error_reply),
    **dict.fromkeys(apertium_api.PATHS, apertium_api.error_reply),
}
_DOCUMENT_PATHS: Final = frozenset({document_api.PATH, deepl_documents.PATH})
_WRITTEN: Final = "pinpoint.written"  # in the scope of a request
_SAVED: Final = "The change is saved, but the server could not read what to answer: do not send it again."
_KIND_OF_STATUS: Final[Mapping[int, ApiErrorKind]] = {404: "not_found", 405: "wrong_method", 413: "too_large"}
_HEADERS: Final = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_DESCRIPTION: Final = (
    "Translations that contain required texts. Each request needs a key, made with `pinpoint keys create NAME`: "
    "`Authorization: Bearer KEY`, or in the dialect's own way. The bodies of other dialects may also be forms. "
    "Offsets count Unicode code points; scores are natural-log probabilities."
)


class ApiGateway:
    """Sends requests for the API's addresses to it, and all others to the page.

    Refuses requests of other sites and messages that are too large, and adds the security headers.
    """

    def __init__(self, page: Asgi, context: ApiContext, is_own: Callable[[Iterable[Header]], bool]) -> None:
        """`is_own` checks that the headers of a request name this server as host, and as origin if there is one."""
        self.page = page
        self.api = build_api(context)
        self._context = context
        self._is_own = is_own

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request (ASGI)."""
        if scope["type"] == "http" and scope["path"].startswith("//"):  # as OmegaT sends it for a URL that ends in /
            scope = {**scope, "path": "/" + scope["path"].lstrip("/")}
        reply = error_reply_of(scope["path"], scope["query_string"]) if scope["type"] == "http" else None
        if reply is None:
            await self.page(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        scope[AREA] = "api"
        try:
            self._check(scope)
        except ApiError as error:
            await reply(error)(scope, receive, send_with_headers)
            return
        with noting_writes() as written:
            scope[_WRITTEN] = written
            await self.api(scope, _counted(receive, _max_bytes(scope)), send_with_headers)

    def start(self) -> None:
        """Continues the jobs of earlier runs, on the event loop of the server."""
        self._context.jobs.start(job_api.work_of(self._context))

    def stop(self) -> None:
        """Ends the open streams and interrupts the jobs, so that the server can stop."""
        self.api.state.is_stopping = True
        self._context.jobs.stop()

    def _check(self, scope: Any) -> None:
        """Raises ApiError for a request that is not passed on."""
        headers = scope["headers"]
        if (problem := headers_problem(headers)) is not None:
            raise ApiError("too_large", problem)
        if not self._is_own(headers):
            message = (
                "This server does not answer under this host name: start Pinpoint with --allow-host NAME to allow it."
            )
            raise ApiError("foreign", message)
        length = dict(headers).get(b"content-length", b"0")
        if not length.isdigit():
            raise ApiError("invalid", "The Content-Length is not a number.")
        if len(length) > 12 or int(length) > _max_bytes(scope):
            raise _too_large(_max_bytes(scope))


def build_api(context: ApiContext) -> FastAPI:
    """The application with all dialects, without the checks of `ApiGateway`."""
    api = FastAPI(
        title="Pinpoint",
        version=VERSION,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=operation_id,
    )
    api.state.context = context
    api.state.is_stopping = False
    parts = (own_api, job_api, document_api, session_api, assignment_api, project_api)
    deepl = (deepl_api, deepl_glossaries, deepl_documents, deepl_memories)
    for part in (*parts, *deepl, libretranslate_api, apertium_api, opus_cat_api, tmserver_api):
        api.include_router(part.router)
    dialects = (libretranslate_api, apertium_api, mtuoc_api)
    keys = [*map(field_key, ("api_key", "key")), BEARER_KEY]
    fields = {each.name: each for dialect in dialects for each in dialect.FIELDS if "key" not in each.name}
    optional = query(*(replace(each, is_required=False) for each in fields.values()))
    schema = {"anyOf": [object_of(*dialect.FIELDS) for dialect in dialects]}
    for method, extra in (("GET", optional), ("POST", body_of(schema))):
        api.add_api_route(
            _TRANSLATE,
            translate,
            methods=[method],
            tags=["LibreTranslate", "Apertium APy", "MTUOC"],
            dependencies=keys,
            openapi_extra=extra | BY_ADDRESS,
        )
    error_replies = [dialect.error_reply for dialect in dialects]
    describe(api, lambda path: error_replies if path == _TRANSLATE else [error_reply_of(path)])

    @api.exception_handler(ApiError)
    async def refused(request: Request, error: ApiError) -> Response:
        return _reply(request, error)

    @api.exception_handler(HTTPException)
    async def impossible(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, ApiError):  # raised while the body was read
            return _reply(request, error.__cause__)
        if isinstance(error.__cause__, ClientDisconnect):
            return await hung_up(request, error.__cause__)
        kind = _KIND_OF_STATUS.get(error.status_code, "invalid")
        if kind not in ("not_found", "wrong_method"):
            return _reply(request, ApiError(kind, str(error.detail)))
        methods = _methods(request)
        others = f", only {methods}" if methods else ""
        problem = f"This server does not offer {request.method[:20]} {request.url.path[:200]}{others}."
        response = _reply(request, ApiError(kind, problem))
        if methods:
            response.headers["allow"] = methods
        return response

    @api.exception_handler(ClientDisconnect)
    async def hung_up(request: Request, error: ClientDisconnect) -> Response:
        return _reply(request, ApiError("hung_up", "The caller hung up."))  # only for the counts

    @api.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        return _reply(request, ApiError("invalid", problem_of(error.errors())))

    @api.exception_handler(LogError)
    async def not_stored(request: Request, error: LogError) -> Response:
        _LOGGER.error("%s", error)  # its message names a file of the server, which is not the caller's business
        if _has_written(request):
            return _reply(request, ApiError("internal", _SAVED))
        problem = "The server cannot read or write its files; its output has the details."
        return _reply(request, ApiError("not_ready", problem, retry_after=30))

    @api.exception_handler(InvalidRequest)
    @api.exception_handler(AppError)
    async def failed(request: Request, error: AppError | InvalidRequest) -> Response:
        return _reply(request, ApiError("invalid", shown_message(error)))

    @api.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        problem = "Something went wrong in the server; its output has the details."
        return _reply(request, ApiError("internal", _SAVED if _has_written(request) else problem))

    return api


async def translate(request: Request) -> Response:
    """Translates a text in the dialect of its fields: `langpair` Apertium, `src` MTUOC, otherwise LibreTranslate."""
    fields = await unadmitted_fields_of(request, takes_address=True)
    is_apertium = "langpair" in fields or ({"q", "key"} <= fields.keys() and "target" not in fields)
    if is_apertium:
        request.state.error_reply = apertium_api.error_reply
        return await apertium_api.translate(request, fields)
    if "src" in fields:
        request.state.error_reply = mtuoc_api.error_reply
        return await mtuoc_api.translate(request, fields)
    return await libretranslate_api.translate(request, fields)


def error_reply_of(path: str, query: bytes = b"") -> ErrorReply | None:
    """The format of error replies for an address; None if it is not an address of the API."""
    if path == _TRANSLATE and b"langpair=" in query:
        return apertium_api.error_reply
    return _PATHS.get(path) or next((reply for start, reply in _PREFIXES.items() if path.startswith(start)), None)


def _methods(request: Request) -> str:
    """The methods that an address is offered with, separated by commas."""
    scopes = {method: {**request.scope, "method": method} for method in _METHODS}
    return ", ".join(
        method
        for method, scope in scopes.items()
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    )


def _has_written(request: Request) -> bool:
    """True if a request is carried out, although its reply cannot be made."""
    return _WRITTEN in request.scope and request.scope[_WRITTEN].is_any


def _reply(request: Request, error: ApiError) -> Response:
    reply = getattr(request.state, "error_reply", None)
    reply = reply or error_reply_of(request.url.path, request.scope["query_string"])
    assert reply is not None
    response = reply(error)
    if error.retry_after is not None:
        response.headers["retry-after"] = str(error.retry_after)
    return response


def _max_bytes(scope: Any) -> int:
    """The largest body of a request."""
    is_document = scope["method"] == "POST" and scope["path"] in _DOCUMENT_PATHS
    return MAX_DOCUMENT_BYTES if is_document else MAX_BODY_BYTES


def _too_large(max_bytes: int) -> ApiError:
    return ApiError("too_large", f"The request is larger than {max_bytes / 2**20:.0f} MiB: send it in parts.")


def _counted(receive: Any, max_bytes: int) -> Any:
    """The function that receives a body, which may come without a length. It raises ApiError if there is too much."""
    num_bytes = 0

    async def receive_part() -> Any:
        nonlocal num_bytes
        message = await receive()
        num_bytes += len(message.get("body", b""))
        if num_bytes > max_bytes:
            raise _too_large(max_bytes)
        return message

    return receive_part
