"""ICU messages in files of software: the texts of their plural and select forms, each a segment of its own.

    {count, plural, one {# file} other {# files}}
    {count, choice, 0#no files|1#one file|1<{count} files}

Only the texts of such a message are offered; names, selectors and layout stay unchanged. "#" stands for the number in a
plural form. It is shown as the argument ("{count}"), unless the text already contains this argument. A doubled
apostrophe is shown as one. Plural forms that only the target language has are added (`app.formats.added_forms`) if the
form "other" has one text; a note names the plurals whose "other" contains further forms. A quoted part of several
characters ("'{name}'") is shown as it is written; the message is not split into forms if such a part has unpaired
braces, or characters that a file format may escape. "#" is an ordinary character in a select form, also inside of a
plural form. Syntax:
https://unicode-org.github.io/icu/userguide/format_parse/messages/
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.formats.added_forms import OTHER, AddedForm, FixedPlural, Place, added_forms, space_before
from app.formats.base import Edit, Unit, UnitTranslation
from app.formats.prose import ProseFile

MAX_DEPTH: Final = 20
# Different quoted parts of several characters in one text; each is looked for everywhere in it.
MAX_QUOTED: Final = 20
NUMBER: Final = "{#}"  # shown for "#" if the text already contains the argument
_HAS_FORMS = re.compile(r",\s*+(?:plural|selectordinal|select|choice)\s*+,")
_FORMS = re.compile(r"\s*+([\w.-]++)\s*+,\s*+(plural|selectordinal|select)\s*+,\s*+(offset:\s*+\d++\s*+)?")
_CHOICE = re.compile(r"\s*+([\w.-]++)\s*+,\s*+choice\s*+,\s*+")
_LIMIT = re.compile(r"\s*+(-?(?:\d++(?:\.\d++)?|∞)\s*+[#<≤])")
_FORM = re.compile(r"\s*+(=?[\w.-]++)\s*+\{")
_ARGUMENT = re.compile(r"\{\s*+[\w.-]++\s*+(?:,[^{}']*+)?\}")
_QUOTED_SIGN = re.compile(r"'[{}#]'")
_QUOTED_PART = re.compile(r"'(?:[^']|'')++'")
_PLAIN_PART = re.compile(r"[^\\&<>\"\t\r\n{}]*+(?:\{[^\\&<>\"\t\r\n{}]*+\}[^\\&<>\"\t\r\n{}]*+)*+")
_SHOWN = re.compile(rf"{_QUOTED_SIGN.pattern}|''|#")
_WRITTEN = re.compile(rf"{_QUOTED_SIGN.pattern}|{re.escape(NUMBER)}|{_ARGUMENT.pattern}|[{{}}#|]|'")


class _NotAMessageError(Exception):
    """The text is not an ICU message."""


@dataclass(frozen=True, slots=True)
class IcuText:
    """A text of a message at [start, end). `path` names its forms: "count: one".

    `number` is the text that is shown instead of "#"; "" if "#" is an ordinary character there. `quoted` are the quoted
    parts of several characters. `is_choice` if "|" ends the text.
    """

    start: int
    end: int
    path: str
    number: str
    doubles_apostrophes: bool
    quoted: tuple[str, ...] = ()
    is_choice: bool = False

    def with_quoted(self, pattern: re.Pattern[str]) -> re.Pattern[str]:
        """The pattern, which also finds the quoted parts."""
        return re.compile("|".join([*map(re.escape, self.quoted), pattern.pattern])) if self.quoted else pattern


@dataclass(frozen=True, slots=True)
class IcuPlural:
    """A plural or ordinal argument whose form "other" has one text. `item` is the span of this form with its braces.

    `given` are the categories of its forms; `path` names the forms around it and the argument, "who: she, count: ".
    """

    other: IcuText
    item: Place
    given: frozenset[str]
    path: str
    is_ordinal: bool

    def added(
        self, text: str, unit: Unit, note: Callable[[str], str], blanked: str | None = None
    ) -> Iterator[AddedForm]:
        """The plural forms that a language may need beside the forms of this argument.

        `unit` is the segment of `other`; `note` returns the note for a path. `blanked` is the text in which spaces
        replace the characters that belong to the layout of the file format.
        """
        start = self.item[0]
        space = space_before(text if blanked is None else blanked, start)
        return added_forms(
            text,
            unit,
            self.item,
            start,
            given=self.given,
            joint=text[start - len(space) : start],
            note=lambda category: note(self.path + category),
            is_ordinal=self.is_ordinal,
            path=self.path,
        )


@dataclass(frozen=True, slots=True)
class IcuMessage:
    """The texts of a message, ascending, its plurals, and the plurals whose form "other" contains further forms.

    The names of the latter are the forms around them and the argument, "who: she, count".
    """

    texts: Sequence[IcuText] = ()
    plurals: Sequence[IcuPlural] = ()
    fixed_plurals: Sequence[FixedPlural] = ()

    def fixed_plurals_of(self, key: str) -> list[FixedPlural]:
        """The plurals without added forms, with the key of the message in their names."""
        return [replace(one, name=f"{key} ({one.name})".lstrip()) for one in self.fixed_plurals]


def icu_message(text: str, start: int, end: int) -> IcuMessage:
    """The message `text[start:end]`; without texts if it has no argument with forms or is not a message.

    >>> text = "{n, plural, one {# file} other {# files}} found"
    >>> [(text[one.start : one.end], one.path) for one in icu_message(text, 0, len(text)).texts]
    [('# file', 'n: one'), ('# files', 'n: other'), (' found', '')]
    """
    if not _HAS_FORMS.search(text, start, end):
        return IcuMessage()
    parser = _Parser(text, start, end)
    try:
        found = list(parser.message(start, (), ""))
    except _NotAMessageError:
        return IcuMessage()
    texts = [one for one in found if one.start < one.end] if any(one.path for one in found) else []
    return IcuMessage(texts, parser.plurals, parser.fixed_plurals)


class _Parser:
    """Reads a message up to `end`; linear in its length."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._end = end
        self._at = start
        self._doubles = text.find("''", start, end) >= 0
        self._quoted: list[str] = []  # parts of the current text
        self.plurals: list[IcuPlural] = []
        self.fixed_plurals: list[FixedPlural] = []

    def message(self, start: int, path: tuple[str, ...], number: str, stops: str = "}") -> Iterator[IcuText]:
        """The texts of a message; `_at` is then its end, or the one of the `stops` that ends it."""
        if len(path) > MAX_DEPTH:
            raise _NotAMessageError
        text, end, self._at = self._text, self._end, start
        self._quoted = []
        while self._at < end and text[self._at] not in stops:
            if text.startswith("''", self._at):
                self._at += 2
            elif text[self._at] == "'" and text[self._at + 1 : self._at + 2] in ("{", "}", "#"):
                self._skip_quoted()
            elif text[self._at] != "{":
                self._at += 1
            elif forms := _FORMS.match(text, self._at + 1, end):
                yield self._found(start, path, number, stops)
                self._at = forms.end()
                if forms[2] != "select":
                    number_inside = NUMBER if forms[3] else f"{{{forms[1]}}}"
                    yield from self._forms(forms[1], path, number_inside, forms[2])
                else:
                    yield from self._forms(forms[1], path, "", "")
                start, self._quoted = self._at, []
            elif choice := _CHOICE.match(text, self._at + 1, end):
                yield self._found(start, path, number, stops)
                self._at = choice.end()
                yield from self._choices(choice[1], path)
                start, self._quoted = self._at, []
            elif argument := _ARGUMENT.match(text, self._at, end):
                self._at = argument.end()
            else:
                raise _NotAMessageError
        if (self._at < end) != bool(path):
            raise _NotAMessageError
        yield self._found(start, path, number, stops)

    def _found(self, start: int, path: tuple[str, ...], number: str, stops: str) -> IcuText:
        is_ambiguous = bool(number) and self._text.find(number, start, self._at) >= 0
        shown = NUMBER if is_ambiguous else number
        quoted = tuple(sorted(self._quoted, key=len, reverse=True))
        return IcuText(start, self._at, ", ".join(path), shown, self._doubles, quoted, "|" in stops)

    def _skip_quoted(self) -> None:
        if _QUOTED_SIGN.match(self._text, self._at, self._end):
            self._at += 3
            return
        part = _QUOTED_PART.match(self._text, self._at, self._end)
        if not part or not _PLAIN_PART.fullmatch(part.group()):
            raise _NotAMessageError
        if part.group() not in self._quoted:
            self._quoted.append(part.group())
        if len(self._quoted) > MAX_QUOTED:
            raise _NotAMessageError
        self._at = part.end()

    def _choices(self, argument: str, path: tuple[str, ...]) -> Iterator[IcuText]:
        """The texts of an argument with limits of numbers, as in Java; `_at` is then behind it."""
        while limit := _LIMIT.match(self._text, self._at, self._end):
            yield from self.message(limit.end(), (*path, f"{argument}: {limit[1]}"), "", "}|")
            self._at += 1
            if self._text[self._at - 1] == "}":
                return
        raise _NotAMessageError

    def _forms(self, argument: str, path: tuple[str, ...], number: str, kind: str) -> Iterator[IcuText]:
        """The texts of the forms of an argument; `_at` is then behind it. `kind` is the kind of plural."""
        given: set[str] = set()
        other: tuple[IcuText, Place] | None = None
        is_fixed = False
        while form := _FORM.match(self._text, self._at, self._end):
            given.add(form[1])
            texts = list(self.message(form.end(), (*path, f"{argument}: {form[1]}"), number))
            self._at += 1
            if form[1] == OTHER and kind:
                is_fixed = len(texts) > 1
                other = None if is_fixed else (texts[0], (form.start(1), self._at))
            yield from texts
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        if not given or self._at >= self._end or self._text[self._at] != "}":
            raise _NotAMessageError
        self._at += 1
        is_ordinal = kind == "selectordinal"
        if other:
            names = ", ".join([*path, f"{argument}: "])
            self.plurals.append(IcuPlural(*other, frozenset(given), names, is_ordinal))
        elif is_fixed:
            self.fixed_plurals.append(FixedPlural(", ".join([*path, argument]), frozenset(given), is_ordinal))


@dataclass(frozen=True)
class IcuFile(ProseFile):
    """A file in which some places are texts of ICU messages."""

    icu: Sequence[IcuText] = field(default=(), repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    fixed_plurals: Sequence[FixedPlural] = ()

    def source(self, start: int, end: int) -> str:
        """The text from start to end as one line, with an argument for the number."""
        if form := self.added.get((start, end)):
            return self.source(*form.like)
        text = super().source(start, end)
        inside = self._at(start)
        return text if inside is None else shown_text(text, inside)

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        new: list[UnitTranslation] = []
        forms: list[Edit] = []
        for one in translations:
            form = self.added.get((one.start, one.end))
            place = form.like if form else (one.start, one.end)
            inside = self._at(place[0])
            text = one.text if inside is None else written(one.text, inside)
            if form is None:
                new.append(replace(one, text=text))
            else:
                forms.append(form.edit(self.mark_up(self._line(*place), text)))
        return [*super()._edits(new, language), *forms]

    def _at(self, start: int) -> IcuText | None:
        """The text of a message that contains this place."""
        number = bisect_right(self.icu, start, key=lambda one: one.start) - 1
        return self.icu[number] if number >= 0 and start < self.icu[number].end else None


def shown_text(text: str, inside: IcuText) -> str:
    """A text of a message for display, with an argument for the number."""

    def sign(match: re.Match[str]) -> str:
        if match.group() == "''":
            return "'"
        return inside.number if match.group() == "#" and inside.number else match.group()

    return inside.with_quoted(_SHOWN).sub(sign, text)


def written(text: str, inside: IcuText) -> str:
    """A translation in the syntax of the message; braces outside of arguments are quoted."""

    def sign(match: re.Match[str]) -> str:
        found = match.group()
        if found == inside.number:
            return "#"
        if found == "'":
            is_quote = text[match.end() : match.end() + 1] in ("{", "}", "#", "")
            return "''" if is_quote or inside.doubles_apostrophes else "'"
        if found in "{}" or (found == "|" and inside.is_choice) or (found == "#" and inside.number):
            return f"'{found}'"
        return found

    return inside.with_quoted(_WRITTEN).sub(sign, text)
