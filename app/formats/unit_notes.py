"""The labels in the notes of segments, such as "Key: menu.file": written in English, and shown in the page's language.

A document stores each note as one text, whose parts are joined by " · ".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from app.formats.base import one_line
from app.i18n import Message, joined

_BETWEEN: Final = " · "


def key_note(key: str) -> str:
    """The note that names a string's key."""
    return str(_key(one_line(key))) if key else ""


def name_note(name: str) -> str:
    """The note that names a unit."""
    return str(_name(name))


def plural_note(number: int, of_all: int | None = None) -> str:
    """The note that numbers a plural form from 1, of so many if that is known."""
    return str(_plural(str(number)) if of_all is None else _plural_of(str(number), str(of_all)))


def numbers_note(note: str, numbers: str) -> str:
    """A note with the numbers that a plural form is for."""
    return f"{note}{_BETWEEN}{_numbers(numbers)}"


def context_note(context: str) -> str:
    """The note that names the context of a message (msgctxt)."""
    return str(_context(one_line(context)))


def class_note(name: str) -> str:
    """The note that names the class of a program in which a message is used."""
    return str(_class(one_line(name)))


def place_note(place: str) -> str:
    """The note that names the only place for which a translation is."""
    return str(_place(one_line(place)))


def shown_note(note: str) -> str:
    """The note with translatable labels; the texts after the labels and comments of the document do not change.

    >>> shown_note("Key: menu.file · a comment").in_language("de")
    'Schlüssel: menu.file · a comment'
    """
    labels = iter(_LABELS)  # in this order; the parts after the last label are comments
    parts = [_labelled(part, labels) for part in note.split(_BETWEEN)]
    return joined(_BETWEEN, parts) if any(isinstance(part, Message) for part in parts) else note


def _key(text: str) -> Message:
    return Message("Key: {text}", text=text)


def _name(text: str) -> Message:
    return Message("Name: {text}", text=text)


def _plural(number: str) -> Message:
    return Message("Plural form {number}", number=number)


def _plural_of(number: str, of_all: str) -> Message:
    return Message("Plural form {number} of {all}", number=number, all=of_all)


def _context(text: str) -> Message:
    return Message("Context: {text}", text=text)


def _class(text: str) -> Message:
    return Message("Class: {text}", text=text)


def _place(text: str) -> Message:
    return Message("Only for this place: {text}", text=text)


def _numbers(numbers: str) -> Message:
    return Message("numbers such as {numbers}", numbers=numbers)


_Label = tuple[re.Pattern[str], Callable[..., Message]]
_LABELS: Final[tuple[_Label, ...]] = (
    (re.compile(r"Key: (.+)", re.DOTALL), _key),
    (re.compile(r"Name: (.+)", re.DOTALL), _name),
    (re.compile(r"Plural form (\d+)"), _plural),
    (re.compile(r"Plural form (\d+) of (\d+)"), _plural_of),
    (re.compile(r"numbers such as (.+)"), _numbers),
    (re.compile(r"Context: (.+)", re.DOTALL), _context),
    (re.compile(r"Class: (.+)", re.DOTALL), _class),
    (re.compile(r"Only for this place: (.+)", re.DOTALL), _place),
)


def _labelled(part: str, labels: Iterator[_Label]) -> str:
    """A part with the next label that fits; `labels` continues after it."""
    for pattern, make in labels:
        if found := pattern.fullmatch(part):
            return make(*found.groups())
    return part
