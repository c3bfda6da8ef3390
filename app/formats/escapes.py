"""Strings of software: control characters are shown as escapes (`\\n`), and repeated keys are named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from app.formats.base import one_line
from app.i18n import Message
from app.text.encoding import shortened_list

LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_SPELLED = {character: f"\\{letter}" for letter, character in LETTERS.items()}
_CONTROL = re.compile(r"[\a\b\f\n\r\t\v\\]")
_SHOWN_ESCAPE = re.compile(r"\\([abfnrtv\\])")
_UNICODE = re.compile(r"[^\x00-\x7f]")


def shown(value: str) -> str:
    """The value on one line, with an escape for each control character and backslash."""
    return _CONTROL.sub(lambda match: _SPELLED[match.group()], value)


def from_shown(text: str) -> str:
    """The inverse of `shown`; a backslash that does not start an escape is literal."""
    return _SHOWN_ESCAPE.sub(lambda match: LETTERS[match[1]], text)


def in_utf16_escapes(text: str, first: int = 0x80) -> str:
    r"""The text with each character from code point `first` on written as \uXXXX; as two of them beyond U+FFFF."""

    def escaped(match: re.Match[str]) -> str:
        character = match.group()
        if ord(character) < first:
            return character
        units = character.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))

    return _UNICODE.sub(escaped, text)


def from_utf16(text: str) -> str:
    """The text with each pair of surrogates joined to its character; a lone one stays."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def repeated(keys: Iterable[str]) -> list[str]:
    """The keys that occur more than once."""
    return [key for key, count in Counter(keys).items() if key and count > 1]


def repeated_keys_note(keys: Iterable[str]) -> str | None:
    """The note about these keys, which occur more than once."""
    repeated = [*dict.fromkeys(map(one_line, keys))]
    if not repeated:
        return None
    return Message(
        "Keys that occur more than once: {keys}. Each of their texts is offered; most programs use only the last.",
        keys=shortened_list(repeated),
    )
