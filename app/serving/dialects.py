"""Code that all dialects of the HTTP API share: the services that they use, and reading of requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from fastapi import Request, Security
from fastapi.responses import Response
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, APIKeyQuery, HTTPBearer

from app.access.admitted import admit
from app.errors import ApiError, ApiErrorKind
from app.formats.documents import Export
from app.log.store import LogStore
from app.models.document_direction import language_and_script
from app.monitoring import Metrics
from app.serving.admission import Admission, Caller
from app.serving.api_documents import ApiDocuments, Upload
from app.serving.api_glossaries import ApiGlossaries
from app.serving.api_jobs import ApiJobs
from app.serving.api_limits import MAX_UNKNOWN_BYTES
from app.serving.constrained_texts import Answer, ConstrainedText, TranslationSetup, check_lengths, check_work
from app.serving.keys import ip_address_of
from app.serving.translations import Hangup, TranslationService
from app.sessions.assignments import Assignments
from app.sessions.totals import Totals
from app.text.client_json import MAX_SMALL_BYTES, parsed_json, read_json
from app.tm.library import MemoryLibrary

# The HTTP status of each kind of error; a dialect may replace some.
HTTP_STATUS: Final[Mapping[ApiErrorKind, int]] = {
    "no_key": 401,
    "wrong_key": 401,
    "forbidden": 403,
    "foreign": 403,
    "not_found": 404,
    "wrong_method": 405,
    "invalid": 400,
    "unsupported": 400,
    "unmet": 422,
    "in_use": 409,
    "too_large": 413,
    "too_fast": 429,
    "used_up": 429,
    "not_ready": 503,
    "too_late": 504,
    "hung_up": 499,  # as nginx counts it; nobody reads the reply
    "internal": 500,
}
_FORM: Final = "application/x-www-form-urlencoded"
FORM_WITH_FILE: Final = "multipart/form-data"
_MAX_FIELDS: Final = 1000  # of a form, or of an address
_CHARSET: Final = re.compile("charset", re.IGNORECASE)
_UTF_8: Final = re.compile(r"""\s*=\s*["']?utf-?8\b""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ApiContext:
    """The services that all dialects use."""

    admission: Admission
    translations: TranslationService
    glossaries: ApiGlossaries
    documents: ApiDocuments
    store: LogStore
    metrics: Metrics
    assignments: Assignments
    totals: Totals
    memory: MemoryLibrary
    jobs: ApiJobs

    async def translate(
        self,
        request: Request,
        caller: Caller,
        texts: Sequence[str],
        items: Sequence[ConstrainedText],
        setup: TranslationSetup,
    ) -> list[Answer]:
        """The answers in the order of the items, which are parts of the texts. Counts the characters of the texts.

        Raises ApiError, before anything is counted if the items are too much work.
        """
        check_work(items)
        await self.charge(caller, *texts)
        return await self.translations.translate(caller, items, setup, hangup(request))

    async def charge(self, caller: Caller, *texts: str) -> None:
        """Counts the characters of texts to translate. Raises ApiError if a text or all of them are too long."""
        check_lengths(texts)
        await asyncio.to_thread(self.admission.charge, caller, sum(map(len, texts)))

    async def with_glossaries(
        self, setup: TranslationSetup, caller: Caller, numbers: Sequence[str]
    ) -> TranslationSetup:
        """The same setup with the terms of some of the person's glossaries, if any. Raises ApiError."""
        if not numbers:
            return setup
        pair = language_and_script(setup.source), language_and_script(setup.target)
        # The forms of the terms, and the dictionaries for these, may take seconds the first time.
        terms = await asyncio.to_thread(self.glossaries.matcher, caller.name, numbers, pair)
        return replace(setup, terms=terms)


@asynccontextmanager
async def admitted(
    request: Request, key: str | None, place: str, *, takes_address: bool = False
) -> AsyncIterator[Caller]:
    """The caller with this key from `place`, while the request is answered. Raises ApiError.

    With `takes_address`, a request without a key is identified by the address of the client.
    """
    admission = context_of(request).admission
    address = _address_of(request) if takes_address else None
    client = request.client.host if request.client else ""
    caller = await asyncio.to_thread(admission.enter, key, address, place, client)
    admit(request.scope, caller.actor)
    with admission.running(caller):
        yield caller


def _address_of(request: Request) -> str | None:
    """The address of the client, unless it may be a browser with a page of another site.

    Such a page can send requests, although it cannot read the answers.
    """
    if request.client is None or request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return None
    found = ip_address_of(request.client.host)
    return None if found is None else str(found)


class _LargeJsonRequest(Request):
    """A request whose JSON may be large."""

    async def json(self) -> Any:
        """The value of the body. FastAPI calls this; Starlette's own would parse on the thread of all connections."""
        try:
            return await parsed_json(await self.body())
        except ValueError as error:
            raise ApiError("invalid", f"The body cannot be read as JSON: {error}.") from error


# For the description of the API only: these dependencies refuse nothing, because the key is checked elsewhere.
BEARER_KEY: Final = Security(HTTPBearer(auto_error=False, scheme_name="Key"))
DEEPL_KEY: Final = Security(
    APIKeyHeader(
        name="Authorization",
        auto_error=False,
        scheme_name="DeepLKey",
        description="`DeepL-Auth-Key KEY`, as for DeepL.",
    )
)
# A client without a key is identified by its address, for which a key was made.
BY_ADDRESS: Final[dict[str, Any]] = {"security": [{}]}


def field_key(name: str) -> Any:
    """The key in a field of the address, or of the body, which OpenAPI cannot describe."""
    about = "The key, as a field of the address or of the body."
    return Security(APIKeyQuery(name=name, auto_error=False, scheme_name=f"KeyIn_{name}", description=about))


class KeyFirstRoute(APIRoute):
    """An address with the key in `Authorization: Bearer KEY`, which is checked before FastAPI reads the body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_admitted(request: Request) -> Response:
            key = header_key(request, "Bearer")
            async with admitted(request, key, "the header `Authorization: Bearer KEY`") as caller:
                request.state.caller = caller
                return await handle(_LargeJsonRequest(request.scope, request.receive))

        return handle_admitted


def caller_of(request: Request) -> Caller:
    """The sender of a request to a `KeyFirstRoute`."""
    caller = request.state.caller
    assert isinstance(caller, Caller)
    return caller


def context_of(request: Request) -> ApiContext:
    """The services, for a function that answers a request."""
    context = request.app.state.context
    assert isinstance(context, ApiContext)
    return context


def header_key(request: Request, scheme: str) -> str | None:
    """The key in `Authorization: SCHEME KEY`."""
    given, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if given.lower() == scheme.lower() else None


@asynccontextmanager
async def uploaded(request: Request, caller: Caller) -> AsyncIterator[tuple[Upload, dict[str, Any]]]:
    """The document in the field `file` of a form, and the other fields. Raises ApiError."""
    if not request.headers.get("content-type", "").startswith(FORM_WITH_FILE):
        raise ApiError("invalid", f"The body is not a form ({FORM_WITH_FILE}) with a file.")
    _check_charset(request)
    with context_of(request).documents.receiving(caller.name):
        async with request.form(max_files=1, max_fields=20) as form:
            fields = _joined([(name, value) for name, value in form.multi_items() if name != "file"])
            file = form.get("file")
            if file is None or isinstance(file, str) or not file.filename:
                raise ApiError("invalid", "file is missing, or has no name.")
            yield Upload(file.filename, await file.read()), fields


async def unadmitted_fields_of(request: Request, *, takes_address: bool = False) -> dict[str, Any]:
    """The fields of a request whose key is one of them, or which needs none. Raises ApiError.

    A large body is parsed only if the request contains a valid key.
    """
    body = await request.body()
    if len(body) > MAX_UNKNOWN_BYTES:
        sent = b"\n".join((request.scope["query_string"], request.headers.get("authorization", "").encode(), body))
        address = _address_of(request) if takes_address else None
        await asyncio.to_thread(context_of(request).admission.check_contains_key, sent, address)
    return await fields_of(request)


async def fields_of(request: Request) -> dict[str, Any]:
    """The fields of a request: of its address, and of its body as JSON or as a form. Raises ApiError.

    A field that a form repeats becomes a list.
    """
    fields = query_of(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == FORM_WITH_FILE:
        _check_charset(request)
        async with request.form(max_files=1, max_fields=200) as form:
            return fields | _joined([(name, await _value(value)) for name, value in form.multi_items()])
    body = await request.body()
    if not body:
        return fields
    found = await _read_body(body, kind)
    if not isinstance(found, dict):
        raise ApiError("invalid", "The body is not a JSON object.")
    return fields | found


async def json_of(request: Request) -> Any:
    """The value of a body in JSON. Raises ApiError."""
    return await _read_body(await request.body(), "")


async def _read_body(body: bytes, kind: str) -> Any:
    is_small = len(body) <= MAX_SMALL_BYTES
    try:
        return _parsed(body, kind) if is_small else await asyncio.to_thread(_parsed, body, kind)
    except ValueError as error:
        shown = "a form" if kind == _FORM else "JSON"
        raise ApiError("invalid", f"The body cannot be read as {shown}: {error}.") from error


def query_of(request: Request) -> dict[str, Any]:
    """The fields of the address of a request. Raises ApiError."""
    try:
        return _form(request.scope["query_string"])
    except ValueError as error:
        raise ApiError("invalid", f"The query of the address cannot be read: {error}.") from error


def _parsed(body: bytes, kind: str) -> Any:
    """The fields of a form, or the value of a JSON text. Raises ValueError."""
    if kind == _FORM:
        if body.lstrip().startswith(b"{"):  # as curl sends it
            raise ValueError("it is JSON, which needs the header Content-Type: application/json")
        return _form(body)
    found = read_json(body)
    try:  # what a reply could not repeat
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text has half of a surrogate pair, such as \\ud800") from error
    except ValueError as error:  # 1e999, which is read as Infinity
        raise ValueError("a number is too large") from error
    return found


def _form(data: bytes) -> dict[str, Any]:
    """The fields of an encoded form, or of an address. Raises ValueError."""
    if data.count(b"&") >= _MAX_FIELDS:
        raise ValueError(f"it has more than {_MAX_FIELDS:,} fields")
    try:
        return _joined(parse_qsl(data.decode("utf-8"), keep_blank_values=True, errors="strict"))
    except UnicodeDecodeError as error:
        raise ValueError("it is not in UTF-8") from error


def _check_charset(request: Request) -> None:
    """Raises ApiError for a form that is not in UTF-8: other encodings can yield texts that a reply cannot contain."""
    if not all(_UTF_8.match(each) for each in _CHARSET.split(request.headers["content-type"])[1:]):
        raise ApiError("invalid", "The form is not in UTF-8.")


def hangup(request: Request) -> Hangup:
    """A function that waits until the caller of a request, whose body was read, hangs up."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return gone


class DownloadResponse(Response):
    """A file, in the description of the API."""

    media_type = "application/octet-stream"


def file_reply(file: Export) -> Response:
    """A file as a download."""
    return DownloadResponse(
        file.data, headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
    )


async def _value(value: Any) -> Any:
    return value if isinstance(value, str) else (value.filename or "", await value.read())


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            known = fields[name]
            fields[name] = [*known, value] if isinstance(known, list) else [known, value]
        else:
            fields[name] = value
    return fields
