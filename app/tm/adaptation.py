"""Fuzzy matches whose source differs only in numbers, dates, placeholders or tags: their targets get those of the new
source.

Nothing is adapted where it is not clear which number of the target to change, or how to write it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from app.formats.software.po_header import plural_index
from app.text.nontranslatables import nontranslatables, tag_spans, without_markup
from app.text.quantities.conventions import value_of
from app.text.quantities.quantity_forms import localized
from app.text.quantities.quantity_reading import is_in_name
from app.tm.dates import ANY_DATE_PART, DATE_PARTS, clock_way, is_day_time, translated_month

_NUMBER = re.compile(r"\d+(?:[.,:/'’\u00a0\u2009\u202f-]\d+)*")
_SEPARATORS = re.compile(r"\D")
_CONTEXT = 40  # characters before and behind a token
_MAX_TOKENS = 50  # in texts with more, it is seldom clear which is which
_SIGNS = {"number": "\ufffa", "kept": "\ufffb", "month": "\ufff9", "clock": "\ufffc"}
_NUMBERS = re.compile(rf"(?P<number>{_NUMBER.pattern})")
_NUMBERS_AND_DATES = {language: re.compile(rf"{parts}|{_NUMBERS.pattern}") for language, parts in DATE_PARTS.items()}
_A_OR_AN = re.compile(r"\ban? \Z", re.IGNORECASE)
_COUNTED = re.compile(r"[ \u00a0\u202f-]?[^\W\d_]")  # behind a number: a word, which may have to agree with it
_MARKUP_START = re.compile(r"[{<]")
_Write = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class _Token:
    """A number, a part of a date, or a text that is kept from the source, at `text[start:end]` of a whole text."""

    start: int
    end: int
    kind: str  # "number", "month", "clock" (a time on the clock of 12 hours) or "kept"
    text: str
    before: str  # a part of the text before it, and behind it
    behind: str

    @property
    def letters(self) -> tuple[str, str]:
        """The letters that touch it: ("", "st") in "the 21st"."""
        before, behind = re.search(r"[^\W\d_]*\Z", self.before), re.match(r"[^\W\d_]*", self.behind)
        return (before.group() if before else "", behind.group() if behind else "")


def skeleton(folded: str) -> str:
    """A folded text with a sign for each number and part of a date; texts with the same may differ only in these."""
    if not has_numbers(folded):
        return folded
    return _NUMBER.sub(_SIGNS["number"], ANY_DATE_PART.sub(_SIGNS["month"], folded))


def has_numbers(text: str) -> bool:
    """True if the text contains a digit."""
    return _NUMBER.search(text) is not None


def adapted_target(source: str, memory_source: str, target: str, languages: tuple[str, str]) -> str | None:
    """The target of a memory entry for another source; None unless only numbers, dates, placeholders or tags differ.

    `languages` are those of source and target. Names of months and times on the clock of 12 hours are adapted between
    English and German.

    >>> adapted_target("Wait 2.5 s for %s.", "Wait 10 s for {0}.", "Warten Sie 10 s auf {0}.", ("en", "de"))
    'Warten Sie 2,5 s auf %s.'
    >>> adapted_target("At 4 p.m. on May 1", "At 3:30 p.m. on March 9", "Am 9. März um 15:30 Uhr", ("en", "de"))
    'Am 1. Mai um 16:00 Uhr'
    """
    adapted = _adapted(source, memory_source, target, languages, has_dates=False)
    if adapted is None and set(languages) == set(DATE_PARTS):
        adapted = _adapted(source, memory_source, target, languages, has_dates=True)
    return adapted


def _adapted(
    source: str, memory_source: str, target: str, languages: tuple[str, str], *, has_dates: bool
) -> str | None:
    """Like `adapted_target`; with `has_dates`, names of months and times of the 12-hour clock are tokens, too."""
    if (retagged := _with_tags(source, memory_source, target)) is None:
        return None
    memory_source, target = retagged
    patterns = [_NUMBERS_AND_DATES[language] if has_dates else _NUMBERS for language in languages]
    new, old = list(_tokens(source, patterns[0])), list(_tokens(memory_source, patterns[0]))
    if len(new) > _MAX_TOKENS or _template(source, new) != _template(memory_source, old):
        return None
    replaced: dict[tuple[str, str], _Token] = {}
    for mine, theirs in zip(new, old, strict=True):
        if replaced.setdefault((theirs.kind, theirs.text), mine).text != mine.text:
            return None  # "5 of 5" to "5 of 6": which of the two in the target?
    found = list(_tokens(target, patterns[1]))
    counts = Counter((token.kind, token.text) for token in old)
    olds = {(token.kind, token.text): token for token in old}
    changes: dict[int, tuple[_Token, str]] = {}  # by position in the target
    for key, mine in replaced.items():
        theirs = olds[key]
        places = _places(theirs, found, languages)
        if mine.text == theirs.text:
            continue
        if len(places) != counts[key]:
            return None
        for token, writes in places:
            text = _written(mine, theirs, token, writes, languages)
            if text is None or token.start in changes:
                return None
            changes[token.start] = token, text
    for token, text in sorted(changes.values(), key=lambda change: -change[0].start):
        target = target[: token.start] + text + target[token.end :]
    return target


def _with_tags(source: str, memory_source: str, target: str) -> tuple[str, str] | None:
    """The texts of an entry with the tags of a source; None if the places of the tags are not clear."""
    ours, theirs = _tags(source), _tags(memory_source)
    if ours == theirs:
        return memory_source, target
    if not ours and Counter(theirs) == Counter(_tags(target)):
        return _without_tags(memory_source), _without_tags(target)
    spans = tag_spans(source)
    is_around = len(ours) == 2 and spans[0][0] == 0 and spans[1][1] == len(source)
    if is_around and not theirs and not _tags(target):
        start, end = ours
        return f"{start}{memory_source}{end}", f"{start}{target}{end}"
    return None


def _tags(text: str) -> list[str]:
    return [text[start:end] for start, end in tag_spans(text)] if _MARKUP_START.search(text) else []


def _without_tags(text: str) -> str:
    return " ".join(without_markup(text).split())


def _tokens(text: str, pattern: re.Pattern[str]) -> Iterator[_Token]:
    position = 0
    for element in [*nontranslatables(text), None]:
        start, end = (element.start, element.end) if element else (len(text), len(text))
        for match in pattern.finditer(text, position, start):
            yield _token(text, *match.span(), next(kind for kind in _SIGNS if match.groupdict().get(kind)))
        if element is not None:
            yield _token(text, start, end, "kept")
        position = end


def _token(text: str, start: int, end: int, kind: str) -> _Token:
    return _Token(start, end, kind, text[start:end], text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT])


def _template(text: str, tokens: Sequence[_Token]) -> str:
    parts, position = [], 0
    for token in tokens:
        parts += [text[position : token.start], _SIGNS[token.kind]]
        position = token.end
    return " ".join("".join([*parts, text[position:]]).split())


def _places(old: _Token, found: Sequence[_Token], languages: tuple[str, str]) -> list[tuple[_Token, list[_Write]]]:
    """The tokens of the target that stand for one of the source, each with the ways of writing that explain it."""
    places = []
    for token in found:
        ways: list[_Write] = []
        if token.kind == old.kind == "number":
            ways = _ways(old, token, languages)
        elif {token.kind, old.kind} == {"number", "clock"}:
            number = token if token.kind == "number" else old
            if is_day_time(number.behind) and (way := clock_way(old.text, token.text)):
                ways = [way]
        elif token.kind == old.kind == "month":
            if translated_month(old.text, languages) == token.text:
                ways = [lambda text: translated_month(text, languages)]
        elif (token.kind, token.text) == (old.kind, old.text):
            ways = [_same]
        if ways:
            places.append((token, ways))
    return places


def _ways(old: _Token, token: _Token, languages: tuple[str, str]) -> list[_Write]:
    """The possible conversions of a number of the source to the target: unchanged, another format, swapped parts."""

    def in_language(text: str) -> str | None:
        return localized(text, *languages, like=token.text)

    ways: list[_Write] = []
    if token.text == old.text:
        ways.append(_same)
    if in_language(old.text) == token.text:
        ways.append(in_language)
    if not ways and (order := _order(old.text, token.text)) is not None:
        ways.append(lambda text: _reordered(text, old.text, token.text, order))
    return ways


def _same(text: str) -> str:
    return text


def _order(old: str, new: str) -> list[int] | None:
    """The order of the parts of a date or time in the other: [1, 0, 2] for "12/31/2024" and "31.12.2024"."""
    ours, theirs = _SEPARATORS.split(old), _SEPARATORS.split(new)
    numbers = [int(part) for part in ours]
    is_date = len(ours) == 3 or ":" in old
    if not is_date or len(set(numbers)) != len(numbers) or sorted(numbers) != sorted(map(int, theirs)):
        return None
    return [numbers.index(int(part)) for part in theirs]


def _reordered(text: str, old: str, target: str, order: Sequence[int]) -> str | None:
    """A date or time in the order and with the separators and zeros of one in the target; None if that is not clear."""
    if _SEPARATORS.findall(text) != _SEPARATORS.findall(old):
        return None
    parts, olds, theirs = _SEPARATORS.split(text), _SEPARATORS.split(old), _SEPARATORS.split(target)
    written = []
    for place, part in zip(order, theirs, strict=True):
        if part == olds[place]:
            written.append(parts[place])
        elif part.lstrip("0") == olds[place].lstrip("0"):
            written.append(parts[place].lstrip("0").rjust(2 if len(part) > len(olds[place]) else 1, "0"))
        else:
            return None
    separators = [*_SEPARATORS.findall(target), ""]
    return "".join(text for pair in zip(written, separators, strict=True) for text in pair)


def _written(new: _Token, old: _Token, token: _Token, ways: Sequence[_Write], languages: tuple[str, str]) -> str | None:
    """The new number or kept text in the format of the target; None if it is not clear."""
    if new.kind == "kept":
        return new.text
    texts = {way(new.text) for way in ways}
    if len(ways) > 1 and len(texts) > 1:  # "5" to "2.5": a decimal, or a part of a name such as a version
        texts = {None if is_in_name(new.before) else localized(new.text, *languages)}
    if ways == [_same] and _SEPARATORS.findall(new.text) != _SEPARATORS.findall(old.text):
        return None  # a version to a number
    text = texts.pop() if len(texts) == 1 else None
    if text is None or (any(token.letters) and token.letters != old.letters):
        return None  # "1." to "1st"
    if token.before.endswith(("'", "’")) or (languages[1] == "en" and _A_OR_AN.search(token.before)):
        return None  # "an 8" but "a 9"
    is_number = old.kind == token.kind == "number"
    return text if not is_number or _agrees(old, new, token, languages) else None


def _agrees(old: _Token, new: _Token, token: _Token, languages: tuple[str, str]) -> bool:
    """True if the words of the target remain correct: "1 file" and "5 files" differ, "page 1" and "page 5" do not."""
    is_counted = _COUNTED.match(token.behind) and not ANY_DATE_PART.match(
        f"{token.text}{token.behind}", len(token.text) + 1
    )
    if not is_counted or any(token.letters) or is_in_name(token.before):
        return True
    before, after = value_of(old.text, languages[0]), value_of(new.text, languages[0])
    if before is None or after is None:
        return before is after  # two dates or times
    return _form(before, languages[1]) == _form(after, languages[1])


def _form(value: Decimal, language: str) -> object:
    """The plural form that a number needs in a language. Where the rule is not known, each number has its own."""
    form = plural_index(language)
    if form is None:
        return value
    if value == int(value):
        return form(int(value))
    is_simple = form(2) == form(5) == form(1000) and (value > 2 or form(1) == form(2))
    return form(2) if is_simple else "fraction"
