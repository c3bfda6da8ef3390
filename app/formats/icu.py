"""ICU messages in files of software: the texts of their plural and select forms, each a segment of its own.

    {count, plural, one {# file} other {# files}}

Of a message with such an argument, only the texts are offered; names, selectors and layout stay unchanged. "#", the
number in a plural form, is shown as the argument that it stands for ("{count}"), where that is not in the text itself,
and a doubled apostrophe as one. The forms are those of the source: where
the target language has more, add them in the file. A message with a quoted part of several characters is left as it is.
Syntax: https://unicode-org.github.io/icu/userguide/format_parse/messages/
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.formats.base import Edit, UnitTranslation
from app.formats.prose import ProseFile

MAX_DEPTH: Final = 20
NUMBER: Final = "{#}"  # how "#" is shown where it differs from the argument
_HAS_FORMS = re.compile(r",\s*+(?:plural|selectordinal|select)\s*+,")
_FORMS = re.compile(r"\s*+([\w.-]++)\s*+,\s*+(plural|selectordinal|select)\s*+,\s*+(offset:\s*+\d++\s*+)?")
_FORM = re.compile(r"\s*+(=?[\w.-]++)\s*+\{")
_ARGUMENT = re.compile(r"\{\s*+[\w.-]++\s*+(?:,[^{}']*+)?\}")
_QUOTED_SIGN = re.compile(r"'[{}#]'")
_SHOWN = re.compile(rf"{_QUOTED_SIGN.pattern}|''|#")
_WRITTEN = re.compile(rf"{_QUOTED_SIGN.pattern}|{re.escape(NUMBER)}|{_ARGUMENT.pattern}|[{{}}#]|'")


class _NotAMessageError(Exception):
    """The text is no ICU message."""


@dataclass(frozen=True, slots=True)
class IcuText:
    """A text of a message at [start, end); `path` names its forms: "count: one". `number` is how "#" is shown; ""
    where it is no number.
    """

    start: int
    end: int
    path: str
    number: str
    doubles_apostrophes: bool


def icu_texts(text: str, start: int, end: int) -> list[IcuText]:
    """The texts of the message `text[start:end]`, ascending; none if it has no argument with forms or is no message.

    >>> text = "{n, plural, one {# file} other {# files}} found"
    >>> [(text[one.start : one.end], one.path) for one in icu_texts(text, 0, len(text))]
    [('# file', 'n: one'), ('# files', 'n: other'), (' found', '')]
    """
    if not _HAS_FORMS.search(text, start, end):
        return []
    try:
        found = list(_Parser(text, start, end).message(start, (), ""))
    except _NotAMessageError:
        return []
    return [one for one in found if one.start < one.end] if any(one.path for one in found) else []


class _Parser:
    """Reads a message up to `end`; linear in its length."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._end = end
        self._at = start
        self._doubles = text.find("''", start, end) >= 0

    def message(self, start: int, path: tuple[str, ...], number: str) -> Iterator[IcuText]:
        """The texts of a message; `_at` is then its end or the "}" that ends it."""
        if len(path) > MAX_DEPTH:
            raise _NotAMessageError
        text, end, self._at = self._text, self._end, start
        while self._at < end and text[self._at] != "}":
            if text.startswith("''", self._at):
                self._at += 2
            elif text[self._at] == "'" and text[self._at + 1 : self._at + 2] in ("{", "}", "#"):
                if not _QUOTED_SIGN.match(text, self._at, end):
                    raise _NotAMessageError  # a quoted part of several characters
                self._at += 3
            elif text[self._at] != "{":
                self._at += 1
            elif forms := _FORMS.match(text, self._at + 1, end):
                yield self._found(start, path, number)
                self._at = forms.end()
                if forms[2] == "select":
                    yield from self._forms(forms[1], path, number)
                else:
                    yield from self._forms(forms[1], path, NUMBER if forms[3] else f"{{{forms[1]}}}")
                start = self._at
            elif argument := _ARGUMENT.match(text, self._at, end):
                self._at = argument.end()
            else:
                raise _NotAMessageError
        if (self._at < end) != bool(path):
            raise _NotAMessageError
        yield self._found(start, path, number)

    def _found(self, start: int, path: tuple[str, ...], number: str) -> IcuText:
        is_ambiguous = bool(number) and self._text.find(number, start, self._at) >= 0
        return IcuText(start, self._at, ", ".join(path), NUMBER if is_ambiguous else number, self._doubles)

    def _forms(self, argument: str, path: tuple[str, ...], number: str) -> Iterator[IcuText]:
        """The texts of the forms of an argument; `_at` is then behind it."""
        is_empty = True
        while form := _FORM.match(self._text, self._at, self._end):
            yield from self.message(form.end(), (*path, f"{argument}: {form[1]}"), number)
            self._at += 1
            is_empty = False
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        if is_empty or self._at >= self._end or self._text[self._at] != "}":
            raise _NotAMessageError
        self._at += 1


@dataclass(frozen=True)
class IcuFile(ProseFile):
    """A file in which some places are texts of ICU messages."""

    icu: Sequence[IcuText] = field(default=(), repr=False)

    def source(self, start: int, end: int) -> str:
        """The text from start to end as one line, with an argument for the number."""
        text = super().source(start, end)
        inside = self._at(start)
        return text if inside is None else _shown(text, inside)

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        new = [
            one if (inside := self._at(one.start)) is None else replace(one, text=_written(one.text, inside))
            for one in translations
        ]
        return super()._edits(new, language)

    def _at(self, start: int) -> IcuText | None:
        """The text of a message that contains this place."""
        number = bisect_right(self.icu, start, key=lambda one: one.start) - 1
        return self.icu[number] if number >= 0 and start < self.icu[number].end else None


def _shown(text: str, inside: IcuText) -> str:
    def sign(match: re.Match[str]) -> str:
        if match.group() == "''":
            return "'"
        return inside.number if match.group() == "#" and inside.number else match.group()

    return _SHOWN.sub(sign, text)


def _written(text: str, inside: IcuText) -> str:
    """A translation as it stands in the message; braces that are no argument are quoted."""

    def sign(match: re.Match[str]) -> str:
        found = match.group()
        if found == inside.number:
            return "#"
        if found == "'":
            is_quote = text[match.end() : match.end() + 1] in ("{", "}", "#", "")
            return "''" if is_quote or inside.doubles_apostrophes else "'"
        if found in "{}" or (found == "#" and inside.number):
            return f"'{found}'"
        return found

    return _WRITTEN.sub(sign, text)
