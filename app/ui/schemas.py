"""What goes between the page and the app: messages read with care, replies in the page's language, errors as replies.

A message is made by whoever can reach the server: types, ranges and lengths are checked here. Exceptions become
messages for a person in one place (`answer`).
"""

from __future__ import annotations

import base64
import binascii
import logging
from collections.abc import Callable
from typing import Any, get_args

from app.checks import CHECKS, CheckName
from app.errors import AppError, CommandError
from app.i18n import Message, translated
from app.models.style import FORMALITIES, Style
from app.segments import Json as Json
from app.segments.constraint_changes import BanCase, one_line
from app.segments.find_replace import Query
from app.segments.text_changes import ReportedEdit, ReportedOrigin
from engine import Avoid, EngineError

_log = logging.getLogger("pinpoint")


class PageMessage:
    """A message from the page, read with care: what is missing or of the wrong kind is refused."""

    def __init__(self, fields: Any) -> None:
        if not isinstance(fields, dict):
            raise CommandError(Message("The page sent a message that is no object; reload the page."))
        self.fields = fields

    def text(self, name: str) -> str:
        """A string."""
        return self._field(name, str)

    def optional_text(self, name: str) -> str | None:
        """A string or null."""
        return None if self.fields.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        """An integer."""
        value = self._field(name, int)
        if isinstance(value, bool):
            raise self._wrong(name)
        return value

    def optional_number(self, name: str) -> int | None:
        """An integer or null."""
        return None if self.fields.get(name) is None else self.number(name)

    def flag(self, name: str) -> bool:
        """True or false."""
        return self._field(name, bool)

    def place(self, name: str) -> int:
        """An integer from 0 on."""
        value = self.number(name)
        if value < 0:
            raise self._wrong(name)
        return value

    def index(self) -> int:
        """The number of a segment."""
        return self.number("segment")

    def choice(self, name: str, allowed: tuple[Any, ...]) -> Any:
        """One of the allowed strings."""
        value = self.text(name)
        if value not in allowed:
            raise self._wrong(name)
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        values = self._field(name, list)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(name)
        return values

    def optional_numbers(self, name: str) -> list[int] | None:
        """A list of integers, or null."""
        if self.fields.get(name) is None:
            return None
        values = self._field(name, list)
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise self._wrong(name)
        return values

    def counts(self, name: str) -> dict[str, int]:
        """An object of integers."""
        values = self._field(name, dict)
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values.values()):
            raise self._wrong(name)
        return values

    def texts_by_name(self, name: str) -> dict[str, str]:
        """An object of strings."""
        values = self._field(name, dict)
        if not all(isinstance(value, str) for value in values.values()):
            raise self._wrong(name)
        return values

    def style(self) -> Style:
        """The form of address and the domain, each null where the model may choose."""
        formality = None if self.fields.get("formality") is None else self.choice("formality", FORMALITIES)
        return Style(formality, self.optional_text("domain"))

    def query(self) -> Query:
        """What is to be found and replaced."""
        flags = (self.flag(name) for name in ("matches_case", "whole_words", "in_confirmed"))
        return Query(one_line(self.text("find")), one_line(self.text("replacement")), *flags)

    def bans(self, name: str) -> list[Avoid]:
        """A list of {"text", "case"}; blank ones are left out."""
        bans = []
        for value in self._field(name, list):
            ban = PageMessage(value)
            text, case = ban.text("text"), ban.choice("case", get_args(BanCase))
            if text.strip():
                bans.append(Avoid(text, case))
        return bans

    def checks(self, name: str) -> list[CheckName]:
        """A list of names of checks."""
        values = self.texts(name)
        if not set(values) <= set(CHECKS):
            raise self._wrong(name)
        return [check for check in CHECKS if check in values]

    def told_edit(self) -> ReportedEdit | None:
        """What the page says of an edit: {"before", "changes": [[offset, how many went, what came, origin], ...]}."""
        if self.fields.get("told") is None:
            return None
        told = PageMessage(self._field("told", dict))
        changes = told._field("changes", list)
        for change in changes:
            if not isinstance(change, list) or [type(item) for item in change] != [int, int, str, str]:
                raise self._wrong("told")
            if change[3] not in get_args(ReportedOrigin):
                raise self._wrong("told")
        return ReportedEdit(told.text("before"), [tuple(change) for change in changes])

    def data(self, name: str) -> bytes:
        """A file's bytes, sent as base64."""
        try:
            return base64.b64decode(self.text(name), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self._wrong(name) from error

    def position(self) -> tuple[int, int | None, int]:
        """What the page has: its version, the open segment, and that segment's stamp."""
        return self.number("since"), self.optional_number("open"), self.number("detail_since")

    def _field(self, name: str, kind: type) -> Any:
        value = self.fields.get(name)
        if not isinstance(value, kind):
            raise self._wrong(name)
        return value

    def _wrong(self, name: str) -> CommandError:
        return CommandError(Message("The page sent no usable {name!r}; reload the page.", name=name))


def told(message: Any, reply: Json) -> Json:
    """The reply in the language that the page asked for; in English where it asked for none that there is."""
    language = message.get("language") if isinstance(message, dict) else None
    in_language: Json = translated(reply, language) if isinstance(language, str) else reply
    return in_language


def answer(action: Callable[[], Json]) -> Json:
    """The action's reply, or what went wrong."""
    try:
        return action()
    except (AppError, EngineError) as error:
        return failure(error)
    except Exception:
        return mistake()


def mistake() -> Json:
    """The reply to a mistake of ours, which is being handled; the terminal has all of it."""
    _log.exception("a command of the page failed")
    message = Message(
        "Something went wrong inside Pinpoint; the terminal it was started from says more. Nothing was changed."
    )
    return {"ok": False, "error": {"kind": "internal", "message": message}}


def failure(error: Exception) -> Json:
    """The reply that tells a person of an error."""
    kind = getattr(error, "kind", type(error).__name__)
    return {"ok": False, "error": {"kind": kind, "message": error.args[0] if len(error.args) == 1 else str(error)}}
