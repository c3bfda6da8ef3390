"""Changes inside of a YAML string that keep the bytes of everything else in it: its escapes, quotes and line breaks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.formats.base import Edit, splice

_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_BREAKS = r"(?:\r\n|\r|\n)\s*"
_FOLD = rf"(?P<space>[ \t]+)(?P<after>{_BREAKS})?|(?P<fold>{_BREAKS})"
_TOKENS = {
    '"': re.compile(
        rf"\\(?:(?P<code>x[0-9A-Fa-f]{{2}}|u[0-9A-Fa-f]{{4}}|U[0-9A-Fa-f]{{8}})|(?P<join>\r\n[ \t]*|[\r\n][ \t]*)"
        rf"|(?P<sign>[\s\S]))|{_FOLD}|[^\\]"
    ),
    "'": re.compile(rf"(?P<quote>'')|{_FOLD}|[\s\S]"),
    "": re.compile(rf"{_FOLD}|[\s\S]"),
}
_LINE_END = re.compile(r"\r\n|\r|\n")


def with_changes(raw: str, value: str, edits: Sequence[Edit]) -> str | None:
    """The string with these edits of its value, written as `raw`; None if this is not possible.

    `raw` is plain or in quotation marks; the new texts are escaped for it.
    """
    mark = raw[0] if raw[:1] in ('"', "'") else ""
    end = len(raw) - len(mark)
    places: list[int] = []  # where each sign of the value begins in `raw`
    signs: list[str] = []
    for token in _TOKENS[mark].finditer(raw, len(mark), end):
        text = _value(token)
        signs.append(text)
        steps = 1 if len(text) == len(token.group()) else 0
        places += [token.start() + steps * number for number in range(len(text))]
    places.append(end)
    if "".join(signs) != value:
        return None
    return splice(raw, [(places[start], places[stop], _escaped(text, mark)) for start, stop, text in edits])


def value_in(raw: str) -> str:
    """The value of a string as it is written: plain or in quotation marks."""
    mark = raw[0] if raw[:1] in ('"', "'") else ""
    return "".join(map(_value, _TOKENS[mark].finditer(raw, len(mark), len(raw) - len(mark))))


def _value(token: re.Match[str]) -> str:
    """The value of a token."""
    groups = token.groupdict()
    if line_breaks := groups["fold"] or groups["after"]:
        num_lines = len(_LINE_END.findall(line_breaks))
        return "\n" * (num_lines - 1) or " "
    if groups.get("quote"):
        return "'"
    if code := groups.get("code"):
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else ""
    if groups.get("join") is not None:
        return ""
    if sign := groups.get("sign"):
        return _ESCAPED.get(sign, sign)
    return token.group()


def _escaped(text: str, mark: str) -> str:
    if mark == "'":
        return text.replace("'", "''")
    if mark == '"':
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return text
