"""The messages of a PO file: their strings, flags and comments, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.errors import DocumentError
from app.formats.base import line_of
from app.formats.escapes import LETTERS
from app.text.nontranslatables import placeholders

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_STRINGS = r'"(?:[^"\\\r\n]|\\.)*"(?:[ \t]*"(?:[^"\\\r\n]|\\.)*")*'
_KEYWORD = re.compile(rf"[ \t]*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*({_STRINGS})[ \t]*$")
_DOMAIN = re.compile(rf"domain[ \t]*{_STRINGS}")
_MORE = re.compile(rf"[ \t]*({_STRINGS})[ \t]*$")
_STRING = re.compile(r'"((?:[^"\\\r\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)


@dataclass(slots=True)
class PoStrings:
    """The value of a keyword, in parts, and the span of its quoted strings."""

    parts: list[str]
    start: int
    end: int

    @property
    def value(self) -> str:
        """The whole value."""
        return "".join(self.parts)


@dataclass(slots=True)
class PoEntry:
    """One message of the file.

    `flags` and `previous` are spans of whole lines; `head` is the offset of its first comment or keyword.
    """

    start: int
    head: int = -1
    ids: dict[str, PoStrings] = field(default_factory=dict)
    targets: list[PoStrings] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    flags: tuple[int, int] | None = None
    previous: list[tuple[int, int]] = field(default_factory=list)

    def is_fuzzy(self, text: str) -> bool:
        """True if the entry has the flag "fuzzy"."""
        return self.flags is not None and "fuzzy" in flags_of(text[slice(*self.flags)])

    def source_for(self, form: int, *, first_is_one: bool) -> str:
        """The source of a plural form: the singular for the first of several forms, otherwise the plural.

        If the first form is also used for other numbers than one, its source is the plural, unless the singular shows
        the number.
        """
        if "msgid_plural" not in self.ids:
            return self.ids["msgid"].value
        singular, plural = self.ids["msgid"].value, self.ids["msgid_plural"].value
        is_singular = form == 0 and len(self.targets) > 1
        return singular if is_singular and (first_is_one or placeholders(singular) == placeholders(plural)) else plural

    @property
    def is_header(self) -> bool:
        """True if it is the header of the file."""
        return not self.ids["msgid"].value and "msgctxt" not in self.ids


def po_entries(text: str, name: str) -> Iterator[PoEntry]:
    """The messages of a file in their order. Raises DocumentError with the line of the first that is not valid."""
    entry = PoEntry(0)
    keyword = ""
    for line in _LINE.finditer(text):
        content, start = line[1], line.start()
        if keyword and content.startswith('"') and (more := _MORE.match(content)):  # there may be a million of them
            _add(entry, keyword, _value(more[1]), -1, start + more.end(1), text, name)
            continue
        stripped = content.strip()
        found = _KEYWORD.match(content)
        is_next = stripped.startswith("#") or (found is not None and not found[1].startswith("msgstr"))
        if entry.targets and (is_next and not stripped.startswith("#~")):
            yield _checked(entry, text, name)
            entry, keyword = PoEntry(start), ""
        if not stripped or stripped.startswith("#~") or _DOMAIN.fullmatch(stripped):
            keyword = ""
        elif stripped.startswith("#"):
            _add_comment(entry, stripped, (start, line.end()))
        elif found:
            keyword = found[1]
            if not keyword.startswith("msgstr") and not entry.ids:
                entry.start = start
                entry.head = start if entry.head < 0 else entry.head
            _add(entry, keyword, _value(found[2]), start + found.start(2), start + found.end(2), text, name)
        elif keyword and (more := _MORE.match(content)):
            _add(entry, keyword, _value(more[1]), -1, start + more.end(1), text, name)
        else:
            raise DocumentError(
                "{name}, {place}: expected a comment or a keyword with a quoted string, found {text!r}: correct "
                "the line (`msgfmt --check` helps) and open the file again",
                name=name,
                place=line_of(text, start),
                text=stripped[:40],
            )
    if entry.ids or entry.targets:
        yield _checked(entry, text, name)


def _checked(entry: PoEntry, text: str, name: str) -> PoEntry:
    if "msgid" not in entry.ids or not entry.targets:
        lacking = "msgid" if "msgid" not in entry.ids else "msgstr"
        raise DocumentError(
            "{name}, {place}: the message has no {lacking}: add it and open the file again",
            name=name,
            place=line_of(text, entry.start),
            lacking=lacking,
        )
    return entry


def _add(entry: PoEntry, keyword: str, value: str, start: int, end: int, text: str, name: str) -> None:
    """Adds the strings of a keyword, or appends more of them if `start` is -1."""
    if start < 0:
        before = entry.targets[-1] if keyword.startswith("msgstr") else entry.ids[keyword]
        before.parts.append(value)
        before.end = end
        return
    if keyword in entry.ids:
        raise DocumentError(
            "{name}, {place}: the message has a second {keyword} before its msgstr: correct it and open the file again",
            name=name,
            place=line_of(text, start),
            keyword=keyword,
        )
    strings = PoStrings([value], start, end)
    if keyword.startswith("msgstr"):
        entry.targets.append(strings)
    else:
        entry.ids[keyword] = strings


def _add_comment(entry: PoEntry, line: str, place: tuple[int, int]) -> None:
    kind, content = line[1:2], line[2:].strip()
    entry.head = place[0] if entry.head < 0 else entry.head
    if kind == "," and entry.flags is None:
        entry.flags = place
    elif kind == "|":
        entry.previous.append(place)
    elif kind in (".", " ") and content:
        entry.comments.append(content)
    elif kind == ":":
        entry.references.append(content)


def _value(strings: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 8))
        if match[2]:
            return chr(int(match[2], 16))
        return LETTERS.get(match[3], match[3])

    value = strings[1:-1] if strings.count('"') == 2 else "".join(_STRING.findall(strings))
    return _ESCAPE.sub(character, value) if "\\" in value else value


def flags_of(line: str) -> list[str]:
    """The flags of a comment line: "#, fuzzy, c-format" -> ["fuzzy", "c-format"]."""
    return [flag.strip() for flag in line.strip().removeprefix("#,").split(",")]
