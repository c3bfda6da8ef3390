"""Java .properties files: each value with a letter is a segment; keys, comments and layout stay unchanged.

Line breaks and tabs are shown as `\\n` and `\\t`; continued lines are read and written as one line. Comments above a
key are its note. In an ICU message with plural or select forms, each form is a segment (`app.formats.icu`). In other
values with `{0}`, a doubled apostrophe is an apostrophe (java.text.MessageFormat). A file that is not UTF-8 is Latin-1,
as in Java before version 9. An ASCII file stays ASCII, with \\uXXXX for all other characters; in a Latin-1 file,
\\uXXXX is written for characters that Latin-1 lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from functools import partial

from app.errors import DocumentError
from app.formats.added_forms import AddedForm, FixedPlural, by_place
from app.formats.base import Unit, one_line
from app.formats.escapes import from_shown, from_utf16, in_utf16_escapes, repeated, repeated_keys_note, shown
from app.formats.icu import IcuFile, IcuText, icu_message
from app.formats.prose import ProseFile
from app.formats.unit_notes import key_note
from app.text.encoding import decode_text

# A line with the lines that continue it: those behind an odd number of backslashes.
_LINE = re.compile(r"(?:\\(?:\r\n|[\s\S]|\Z)|[^\\\r\n])*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_COMMENT = re.compile(r"[ \t\f]*([#!][^\r\n]*)")
_KEY = re.compile(r"[ \t\f]*(?P<key>(?:\\[\s\S]|[^\\\s=:])*)[ \t\f]*(?:[=:][ \t\f]*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(\r\n|[\r\n])[ \t\f]*|([\s\S]))")
_BACKSLASH = re.compile(r"\\(?:(\r\n|[\r\n])|[\s\S])")
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ARGUMENT = re.compile(r"\{\d+[,}]")
_LONE_APOSTROPHE = re.compile(r"(?<!')'(?:'')*(?!')")
_NOT_LATIN_1 = re.compile(rb"[\x80-\x9f]")  # text in Windows code pages, control characters there
_SPACE_ESCAPES = re.compile(r"\\[tnrf ]|\\(?:\r\n|[\r\n])|\s")


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a .properties file; every text file is a valid one."""
    latin_1 = None if _NOT_LATIN_1.search(data) else "iso-8859-1"
    decoded = decode_text(data, name, DocumentError, encoding, otherwise=latin_1)
    text = decoded.text
    units: list[Unit] = []
    icu: list[IcuText] = []
    added: list[AddedForm] = []
    fixed: list[FixedPlural] = []
    forms: set[str] = set()  # texts of ICU messages, in which `app.formats.icu` writes the apostrophes
    comments: list[str] = []
    keys: Counter[str] = Counter()
    blanked = _BACKSLASH.sub(lambda found: " " * len(found.group()) if found[1] else found.group(), text)
    position = 0
    while position < len(text):
        if comment := _COMMENT.match(text, position):
            end_of_line = comment.end()
            comments.append(comment[1].strip(" \t\f#!"))
        else:
            line, key = _LINE.match(text, position), _KEY.match(text, position)
            assert line is not None, "it may be empty"
            assert key is not None, "it may be empty"
            end_of_line = line.end()
            start, end = _without_outer_space(text, min(key.end(), end_of_line), end_of_line)
            message = icu_message(blanked, start, end)
            icu += message.texts
            name_of = _value(key["key"])
            fixed += message.fixed_plurals_of(name_of)
            keys[name_of] += 1
            note = partial(_note, name_of, comments)
            by_start: dict[int, Unit] = {}
            for begin, last, form in [(one.start, one.end, one.path) for one in message.texts] or [(start, end, "")]:
                first, last = _without_outer_space(text, begin, last)
                raw = text[first:last]
                if any(map(str.isalpha, _value(raw))):
                    blank = re.sub(r"[\r\n]", " ", raw)
                    by_start[begin] = Unit(first, last, blank, note=note(form), whole=((0, len(raw)),))
                    forms |= {raw} if message.texts else set()
            units += by_start.values()
            for plural in message.plurals:
                if like := by_start.get(plural.other.start):
                    added += plural.added(text, like, note, blanked)
            comments = []
        line_end = _LINE_END.match(text, end_of_line)
        position = line_end.end() if line_end else end_of_line
    first_escaped = 0x80 if text.isascii() else 0x100
    is_unicode = not text.isascii() and decoded.encoding.startswith("utf")
    return IcuFile(
        decoded,
        units,
        show=lambda raw: one_line(shown(_value(raw) if raw in forms else _message(raw))),
        mark_up=partial(_marked_up, first_escaped=None if is_unicode else first_escaped, forms=forms),
        icu=icu,
        added=by_place(added),
        fixed_plurals=fixed,
        remarks=(repeated_keys_note(repeated(keys.elements())),),
    )


def _note(key: str, comments: Sequence[str], form: str) -> str:
    return " · ".join(filter(None, [key_note(key), form, *comments]))


def _without_outer_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space, escaped or not, at its ends, which is layout."""
    while start < end and (match := _SPACE_ESCAPES.match(text, start, end)):
        start = match.end()
    position = last = start
    while position < end:
        space = _SPACE_ESCAPES.match(text, position, end)
        character = space or _ESCAPE.match(text, position, end)
        position = character.end() if character else position + 1
        last = last if space else position
    return start, last


def _value(raw: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return "" if match[2] else _LETTERS.get(match[3], match[3])

    return from_utf16(_ESCAPE.sub(character, raw))


def _message(raw: str) -> str:
    """The text of a value."""
    value = _value(raw)
    return value.replace("''", "'") if _doubles_apostrophes(value) else value


def _doubles_apostrophes(value: str) -> bool:
    return _ARGUMENT.search(value) is not None and not _LONE_APOSTROPHE.search(value)


def _marked_up(raw: str, translation: str, first_escaped: int | None, forms: Set[str]) -> str:
    value = from_shown(one_line(translation))
    if raw not in forms and _doubles_apostrophes(_value(raw)):
        value = value.replace("'", "''")
    value = value.replace("\\", "\\\\")
    for letter, character in _LETTERS.items():
        value = value.replace(character, f"\\{letter}")
    value = re.sub(r"\A ", r"\\ ", value)
    return value if first_escaped is None else in_utf16_escapes(value, first_escaped)
