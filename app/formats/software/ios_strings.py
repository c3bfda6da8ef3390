"""Strings of iOS and macOS (.strings): each value with a letter is a segment; keys, comments and layout stay unchanged.

Line breaks and tabs are shown as `\\n` and `\\t`. Comments above an entry and its key are its note.
"""

from __future__ import annotations

import re

from app.errors import DocumentError
from app.formats.base import Unit, line_of, one_line
from app.formats.escapes import from_shown, from_utf16, repeated, repeated_keys_note, shown
from app.formats.prose import ProseFile
from app.formats.unit_notes import key_note
from app.text.encoding import decode_text

_STRING = r'"(?:\\[\s\S]|[^"\\])*"'
_SPACE = r"\s*"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |/\*(?P<block>(?:(?!\*/)[\s\S])*)\*/
    |//(?P<line>[^\r\n]*)
    |(?P<key>{_STRING}|[\w.$/:-]+){_SPACE}(?:={_SPACE}(?P<value>{_STRING}|[\w.$/:-]+){_SPACE})?;""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9A-Fa-f]{4})|([0-7]{3})|([\s\S]))")
_INTERPOLATION = "\\("  # of Swift: it is not escaped, in a value that has it
_INTERPOLATED = re.compile(r"(?<!\\)(?:\\\\)*+\\\(")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a .strings file. Raises DocumentError with the line of the first error."""
    if data.startswith(b"bplist"):
        raise DocumentError(
            "{name} is a compiled file: choose the text file of the same name in the Xcode project", name=name
        )
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    units: list[Unit] = []
    comments: list[str] = []
    keys: list[str] = []
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise DocumentError(
                '{name}, {place}: expected an entry such as "key" = "value"; or a comment: correct this line and '
                "open the file again",
                name=name,
                place=line_of(text, position),
            )
        position = token.end()
        if token["space"]:
            continue
        if token["key"] is None:
            comments.append(" ".join((token["block"] or token["line"] or "").split()))
            continue
        key, value = _value(token["key"].strip('"')), token["value"]
        keys.append(key)
        if value and value.startswith('"') and any(map(str.isalpha, _value(value[1:-1]))):
            start, end = token.span("value")
            note = " · ".join(filter(None, [key_note(key), *comments]))
            blank = re.sub(r"[\r\n]", " ", value[1:-1])
            units.append(Unit(start + 1, end - 1, blank, note=note, whole=((0, end - start - 2),)))
        comments = []
    return ProseFile(
        decoded,
        units,
        show=lambda raw: one_line(shown(_value(raw))),
        mark_up=_marked_up,
        remarks=(repeated_keys_note(repeated(keys)),),
    )


def _value(raw: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[3] == "(":
            return _INTERPOLATION
        return chr(int(match[2], 8)) if match[2] else _LETTERS.get(match[3], match[3])

    return from_utf16(_ESCAPE.sub(character, raw))


def _marked_up(raw: str, translation: str) -> str:
    value = from_shown(one_line(translation)).replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in _LETTERS.items():
        value = value.replace(character, f"\\{letter}")
    return value.replace("\\\\(", _INTERPOLATION) if _INTERPOLATED.search(raw) else value
