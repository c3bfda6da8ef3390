"""Replies to the page, errors included: every exception becomes a message for a person in one place (`attempt`)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.access.actor import Actor
from app.errors import AppError, shown_message
from app.i18n import Message, translated
from app.segments import Json
from app.server_log import by
from engine import EngineError

_log = logging.getLogger("pinpoint")


class ErrorDetails(TypedDict):
    """`kind` is for the page's script, `message` for the person."""

    kind: str
    message: str


class ErrorReply(TypedDict):
    """The reply to a command that changed nothing, with the reason; kind "saved" is for one that was carried out."""

    ok: Literal[False]
    error: ErrorDetails


def in_language_of(message: Any, reply: Json | ErrorReply) -> Json:
    """The reply in the language that the message names; in English if there is no such language."""
    language = message.get("language") if isinstance(message, dict) else None
    whole: Json = {**reply}
    return translated(whole, language) if isinstance(language, str) else whole


def attempt(actor: Actor, action: Callable[[], Json | ErrorReply]) -> Json | ErrorReply:
    """The action's reply, or the reply with its error."""
    try:
        return action()
    except (AppError, EngineError) as error:
        return error_reply(error)
    except Exception:
        return internal_error(actor)


def error_reply(error: Exception) -> ErrorReply:
    """The reply that shows a person an error."""
    kind = getattr(error, "kind", type(error).__name__)
    return {"ok": False, "error": {"kind": kind, "message": shown_message(error)}}


def saved_reply(actor: Actor) -> ErrorReply:
    """The reply to a command that was carried out, if the exception that is being handled came after that."""
    _log.exception("the reply to a saved change could not be read", extra=by(actor))
    message = Message("The change is saved, but Pinpoint could not show it: reload this page.")
    return {"ok": False, "error": {"kind": "saved", "message": message}}


def internal_error(actor: Actor) -> ErrorReply:
    """The reply to an unexpected exception (a bug), which is being handled; the log has the details."""
    _log.exception("a command of the page failed", extra=by(actor))
    message = Message("An internal error occurred in Pinpoint; nothing was changed. The terminal shows the details.")
    return {"ok": False, "error": {"kind": "internal", "message": message}}
