"""The server's log lines: one line for each event, as text or JSON, without texts of people.

Messages of exceptions may quote a document or name a file, so only their class and place in the code are written.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from app.access.actor import Actor
from app.access.admitted import known_actor
from app.settings import LogFormat

Asgi = Callable[[Any, Any, Any], Awaitable[None]]

_REQUESTS: Final = logging.getLogger("pinpoint.requests")
_FIELDS: Final = "pinpoint_fields"  # of a record
_PERSON: Final = "pinpoint_person"  # of a record: the pseudonym of the person who acts
_ROOT: Final = Path(__file__).resolve().parents[1]
# Addresses whose next part is a token or a name; the rest of them is not written.
_KNOWN: Final = (
    "/gradio_api/component_server", "/healthz", "/metrics", "/status", "/download/", "/glossary/", "/archive/",
    "/model/",
    "/assets/", "/static/", "/pinpoint/", "/theme.css", "/favicon.ico",
    "/sign-in", "/account", "/password", "/sign-out", "/api/v1/", "/v2/", "/v3/", "/MTRestService/", "/tmserver/",
    "/translate", "/languages", "/listPairs", "/detect",
)  # fmt: skip
QUIET: Final = ("/healthz", "/metrics", "/assets/", "/static/", "/theme.css", "/favicon.ico")  # monitors and files


def fields(**values: Any) -> dict[str, Any]:
    """The argument `extra` of a logging call, with fields of the event. None is left out."""
    return {_FIELDS: {name: value for name, value in values.items() if value is not None}}


class EventFormatter(logging.Formatter):
    """One line for each record: time, level, event, person and fields; of other libraries, only who wrote it."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__()
        self._is_json = log_format == "json"

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line without line breaks."""
        event = _event(record)
        if self._is_json:
            return json.dumps(event, ensure_ascii=True)
        rest = " ".join(f"{name}={value}" for name, value in event.items() if name not in ("time", "level", "event"))
        return f"{event['time']} {event['level']} {event['event']} {rest}".rstrip()


def _event(record: logging.LogRecord) -> dict[str, Any]:
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    event: dict[str, Any] = {"time": f"{when}.{int(record.msecs):03d}Z", "level": record.levelname.lower()}
    given: Mapping[str, Any] | None = getattr(record, _FIELDS, None)
    # Of our own messages, the template without its arguments; those of libraries may quote anything.
    is_own = record.name.partition(".")[0] in ("pinpoint", "app", "engine")
    event["event"] = record.msg if is_own and isinstance(record.msg, str) else "message"
    event["logger"] = record.name
    if person := getattr(record, _PERSON, ""):
        event["person"] = person
    event.update(given or {})
    if given is None:
        event["place"] = f"{_short(record.pathname)}:{record.lineno}"
    if record.exc_info and (error := record.exc_info[1]) is not None:
        event["error"] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)
        event["frames"] = " < ".join(f"{_short(frame.filename)}:{frame.lineno}" for frame in reversed(frames[-8:]))
    return event


def by(actor: Actor | None) -> dict[str, str]:
    """For `extra` of a log record: names the person who acts, by pseudonym; the owner and Pinpoint are not named."""
    return {_PERSON: pseudonym(actor.name)} if actor is not None and actor.name else {}


def pseudonym(name: str) -> str:
    """The same eight digits for the same name or token, from which it cannot be read."""
    return sha256(b"pinpoint " + name.encode()).hexdigest()[:8]


def _short(path: str) -> str:
    file = Path(path)
    return file.relative_to(_ROOT).as_posix() if file.is_relative_to(_ROOT) else file.name


def logged_requests(application: Asgi) -> Asgi:
    """The same application, with a log line for each request: area of the address, status, duration, no content."""

    async def logged(scope: Any, receive: Any, send: Any) -> None:
        place = area(scope["path"]) if scope["type"] == "http" else ""
        if not place or place in QUIET:
            await application(scope, receive, send)
            return
        status, num_bytes, error = 500, 0, None
        began = time.perf_counter()

        async def send_noted(message: Any) -> None:
            nonlocal status, num_bytes
            status = message.get("status", status)
            num_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await application(scope, receive, send_noted)
        except BaseException as problem:
            error = type(problem).__name__
            raise
        finally:
            level = logging.ERROR if status >= 500 else logging.INFO
            ms = round(1000 * (time.perf_counter() - began), 1)
            noted = fields(method=scope["method"], address=place, status=status, ms=ms, bytes=num_bytes, error=error)
            _REQUESTS.log(level, "request", extra={**noted, **by(known_actor(scope))})

    return logged


def area(path: str) -> str:
    """The beginning of an address that the server knows; the rest may have tokens and names."""
    if path == "/":
        return path
    return next((known for known in _KNOWN if path.startswith(known)), "other")


def set_up(log_format: LogFormat | None) -> None:
    """Without a format, warnings go to the terminal as before; with one, every event as a line of standard error."""
    # It quotes a byte of each form that is not valid, also of requests without a key.
    logging.getLogger("python_multipart").setLevel(logging.ERROR)
    if log_format is None:
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
        return
    handler = logging.StreamHandler()
    handler.setFormatter(EventFormatter(log_format))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("pinpoint").setLevel(logging.INFO)
    logging.captureWarnings(True)
