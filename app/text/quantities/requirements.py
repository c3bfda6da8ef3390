"""The quantities of a source that its translation must have, with the forms that it may write them in.

Also what belongs to them, such as units, currencies and opening days, and names that models break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from app.text.function_words import is_function_word
from app.text.nontranslatables import nontranslatables, tag_spans
from app.text.quantities.conventions import day_names, names_of_currency
from app.text.quantities.quantity import Quantity
from app.text.quantities.quantity_forms import (
    bare_forms_of,
    forms_of,
    forms_of_range,
    ordinal_suffix,
    other_forms_of,
)
from app.text.quantities.quantity_reading import TWELVE_HOURS, quantities
from app.text.quantities.units import is_customary, symbol_behind, unit_behind
from engine import occurrences

_MAX_REQUIRED: Final = 16  # of a segment; a table with more numbers is only checked
_LARGEST_SPELT: Final = 12  # numbers up to this one are often written as words, or not at all: "one of them"
_MAX_FORMS: Final = 24
# The code of a currency beside a number, "EUR 5"; these codes are also words in capitals: "TOP 10".
_CODE_BEFORE: Final = re.compile(r"(?<![\w-])([A-Z]{3})[ \u00a0\u202f]?\Z")
_CODE_BEHIND: Final = re.compile(r"[ \u00a0\u202f]([A-Z]{3})(?![\w-])")
_CODES_AND_WORDS: Final = frozenset(
    ["ALL", "BAM", "COP", "CUP", "GEL", "LAK", "MAD", "MOP", "PEN", "SOS", "TOP", "TRY"]
)
_FULL_STOP: Final = re.compile(r"\.(?!\w|\.)")
_DASH: Final = re.compile("[ \u00a0]?[-–—][ \u00a0]?")
_WIDTHS: Final = ("abbreviated", "wide")  # of the names of days, in CLDR
_LONGEST_SHORT_DAY: Final = 4
_IRISH_NAME: Final = re.compile(r"(?<![\w'’])(O)['’]([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?!\w)")
_DIGIT: Final = re.compile("[0-9]")
_HOURS_BEHIND: Final = re.compile(  # an hour, a range of hours, or a date
    r"[,:]?[ \u00a0](?:[A-Z][a-zä]{2,8}\.? )?\d{1,2}(?:[:.]\d\d)?"
    r"(?:\.|[ \u00a0]?(?:[-–,]|(?:bis|to|am|pm|a\.m|p\.m|AM|PM|Uhr|h)(?!\w)))"
)
# Behind another word, and before one: "im 3. Stock", but not "3. Gehen" at the beginning.
_GERMAN_ORDINAL: Final = re.compile(r"(?<=[^\W\d_] )(?P<number>\d{1,3})\.(?=[ \u00a0](?P<next>[^\W\d_]{2,}))")
_ORDINAL_WORDS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"
)  # fmt: skip
_NUMBERED: Final = (
    "account", "article", "batch", "customer", "invoice", "item", "lot", "model", "order", "part", "phone", "serial",
)  # fmt: skip
_BEHIND_NUMBERED: Final = "|".join(f"(?<={word} )" for word in _NUMBERED)
_NUMBER_WORD: Final = re.compile(
    rf"(?:(?<![.!?] )\bNos?|(?i:(?:{_BEHIND_NUMBERED})nos?))\.(?=:|[ \u00a0]?(?:\d|[A-Z]{{1,4}}-?\d|%[sd\d]))"
)
_SMALL_RANGE: Final = re.compile(r"(?<![\w.,/:+–-])(1[0-2]|[1-9])[-–](1[0-2]|[1-9])(?![\w/:–-]|[.,]\d)")
_TO: Final = {"de": "bis", "en": "to", "fr": "à", "es": "a", "it": "a", "pt": "a", "nl": "tot", "pl": "do"}
_NUMBER_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "de": ("Nr.", "Nummer", "Nummern"), "fr": ("n°", "nº", "numéro"), "es": ("n.º", "núm.", "número"),
    "it": ("n.", "numero"), "pt": ("n.º", "número"), "nl": ("nr.", "nummer"), "pl": ("nr", "numer"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RequiredQuantity:
    """A quantity at `source[start:end]`; the translation must have one of the forms, of which the first is usual.

    `replaces` are forms of the source language and others that the usual form takes the place of.
    """

    start: int
    end: int
    forms: tuple[str, ...]
    replaces: tuple[str, ...]


@lru_cache(maxsize=2048)
def required_quantities(source: str, source_language: str, target_language: str) -> tuple[RequiredQuantity, ...]:
    """The quantities that a translation of the source must have; none if there are too many.

    Not required are numbers that translations often write as words or leave out (up to twelve, without the symbol of a
    unit, which is required, too), numbers inside of words
    ("MP3", "80s"), amounts in units that are often converted ("5 ft 10 in"), and numbers inside of placeholders.

    >>> [one.forms for one in required_quantities("It costs $1,250.00.", "en", "de")]
    [('1.250,00', '1250,00', '1 250,00')]
    """
    kept = [
        (element.start, element.end)
        for element in nontranslatables(source)
        if element.kind != "sign" or _DIGIT.search(element.text)
    ]
    tags = set(tag_spans(source))
    found = [
        _as_name(quantity)
        for quantity in quantities_beside_tags(source, source_language)
        if _is_required(quantity, source, source_language, target_language)
        and not any(
            start < quantity.end and quantity.start < end and not (quantity.start < start and (start, end) in tags)
            for start, end in kept
        )
    ]
    if len(found) > _MAX_REQUIRED:
        return ()
    languages = source_language, target_language
    hours = list(_ranges_of_hours(found, source, languages))
    found = [one for one in found if not _overlaps(one, hours)]
    ordinals = list(_german_ordinals(source, languages))
    found = [one for one in found if not _overlaps(one, ordinals)]
    required = [*hours, *ordinals]
    for quantity in found:
        has_own_half = quantity.kind == "time" and TWELVE_HOURS.search(quantity.text) is not None
        bare = () if has_own_half else bare_forms_of(quantity, *languages)  # "9 a.m. to 5 p.m." also has "9 Uhr"
        forms = _shortest((*_on_the_clock(quantity, forms_of(quantity, *languages)), *bare))
        others = other_forms_of(quantity, *languages)
        replaces = tuple(form for form in others if not any(occurrences(form, own) for own in forms))
        required.append(RequiredQuantity(quantity.start, quantity.end, forms, replaces))
        required += _symbol_behind(source, quantity.end, languages)
        required += _currency_beside(source, quantity, languages[1])
    ranges = (
        one
        for one in _small_ranges(source, target_language)
        if not _is_in_words(one, source, source_language) and not _overlaps(one, hours)
    )
    days = (*_ranges_of_days(source, languages), *_single_days(source, languages))
    times = (_before_full_stop(one, source) for one in required)
    return (*times, *ranges, *days, *_words_for_number(source, languages), *_irish_names(source, languages))


def quantities_beside_tags(text: str, language: str) -> Sequence[Quantity]:
    """The quantities of a text; a date with tags between its parts is one: "am <b>5.</b>12.2026"."""
    bare, offsets = _without_tags(text)
    found = quantities(text, language)
    if not offsets:
        return found
    dates = []
    for one in quantities(bare, language):
        start, end = offsets[one.start], offsets[one.end - 1] + 1
        if one.kind == "date" and end - start > one.end - one.start:
            dates.append(replace(one, start=start, end=end))
    return sorted(
        (*dates, *(one for one in found if not any(one.start < date.end and date.start < one.end for date in dates))),
        key=lambda one: one.start,
    )


def with_whole_dates(text: str, language: str) -> str:
    """The text without the tags inside of its dates.

    >>> with_whole_dates("am <b>5.</b>12.2026", "de")
    'am <b>5.12.2026'
    """
    for one in reversed(quantities_beside_tags(text, language)):
        if len(one.text) < one.end - one.start:
            text = text[: one.start] + one.text + text[one.end :]
    return text


def _without_tags(text: str) -> tuple[str, Sequence[int]]:
    """The text without its tags, and the offset of each character; no offsets if there are no tags."""
    spans = tag_spans(text)
    bare, offsets, position = "", [0] * 0, 0
    for start, end in (*spans, (len(text), len(text))) if spans else ():
        bare += text[position:start]
        offsets += range(position, start)
        position = end
    return bare, offsets


def _overlaps(part: Quantity | RequiredQuantity, others: Iterable[RequiredQuantity]) -> bool:
    return any(part.start < other.end and other.start < part.end for other in others)


def _before_full_stop(required: RequiredQuantity, source: str) -> RequiredQuantity:
    """Without the forms that end with a dot, if others are left and a full stop follows: "Come at 2 p.m.."."""
    is_last = _FULL_STOP.match(source, required.end) is not None
    forms = tuple(form for form in required.forms if not form.endswith(".")) if is_last else ()
    return replace(required, forms=forms) if forms else required


def _as_name(quantity: Quantity) -> Quantity:
    """The number of a section, part or version as it stands, although a translator may read it as a decimal number."""
    is_name = quantity.readings[0][0][0] == "text"
    return replace(quantity, readings=quantity.readings[:1]) if is_name else quantity


def _small_ranges(source: str, language: str) -> Iterator[RequiredQuantity]:
    """Ranges such as "5–7", of whose numbers neither is required alone."""
    word = _TO.get(language.partition("-")[0])
    for match in [*_SMALL_RANGE.finditer(source)][:_MAX_REQUIRED]:
        if int(match[1]) < int(match[2]):
            in_words = (f"{match[1]} {word} {match[2]}",) if word else ()
            yield RequiredQuantity(*match.span(), (f"{match[1]}–{match[2]}", f"{match[1]}-{match[2]}", *in_words), ())


def _ranges_of_hours(found: Sequence[Quantity], source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """Two times with a dash between them, as one text: "9–17 Uhr" is not "9–17 p.m."."""
    to = _TO.get(languages[1].partition("-")[0])
    for first, last in pairwise(found):
        if first.readings[0][0][0] == last.readings[0][0][0] == "time" and _DASH.fullmatch(
            source, first.end, last.start
        ):
            forms, others = forms_of_range(first, last, languages[1], to)
            replaces = (source[first.start : last.end], *others)
            yield RequiredQuantity(first.start, last.end, forms, tuple(one for one in replaces if one not in forms))


def _german_ordinals(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """Ordinal numbers before a noun, which models copy into English: "im 3. Stock" is not "in the 3. floor"."""
    if [language.partition("-")[0] for language in languages] != ["de", "en"]:
        return
    bare, offsets = _without_tags(source)
    text = bare if offsets else source
    dates = [one for one in quantities(text, "de") if one.kind != "number"]
    for match in [*_GERMAN_ORDINAL.finditer(text)][:_MAX_REQUIRED]:
        number = int(match["number"])
        word = _ORDINAL_WORDS[number - 1 : number] if number else ()
        is_date = any(one.start < match.end() and match.start() < one.end for one in dates)
        if not is_date and not is_function_word(match["next"].lower(), "de"):
            forms = (f"{number}{ordinal_suffix(number)}", *word)
            first, last = match.span("number")
            start, end = (offsets[first], offsets[last - 1] + 1) if offsets else (first, last)
            yield RequiredQuantity(start, end, forms, (f"{number}.", f"{number}"))


@lru_cache(maxsize=2048)
def single_days(source: str, language: str) -> tuple[tuple[int, int, int], ...]:
    """The start, end and number of each short day of the week in opening hours: "Sat 9–12, Sun closed", "Tue & Thu:".

    One beside an hour or date makes the others days, too: "Sun" and German "So" are also other words.

    >>> single_days("Sat 9-12, Sun closed", "en"), single_days("Sun and sea", "en")
    (((0, 3, 5), (10, 13, 6)), ())
    """
    if not any(map(str.isdigit, source)):
        return ()
    pattern, numbers = _days_of_week(language)
    ranges = [match.span() for match in pattern.finditer(source)]
    short = sorted({name for name in numbers if len(name) <= _LONGEST_SHORT_DAY}, key=len, reverse=True)
    found = [
        match
        for match in re.finditer(rf"(?<![\w.'’-])(?:{'|'.join(map(re.escape, short))})(?![\w'’-])\.?", source)
        if short and not any(start < match.end() and match.start() < end for start, end in ranges)
    ]
    if not ranges and not any(_HOURS_BEHIND.match(source, match.end()) for match in found):
        return ()
    return tuple((*match.span(), numbers[match.group().rstrip(".")]) for match in found[:_MAX_REQUIRED])


def _single_days(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    for start, end, number in single_days(source, languages[0]):
        short, wide = (day_names(languages[1], width)[number] for width in _WIDTHS)
        yield RequiredQuantity(start, end, tuple(dict.fromkeys((short.rstrip("."), short, wide))), ())


def _ranges_of_days(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """Ranges of days of the week, which models copy: "Mon-Fri"."""
    pattern, numbers = _days_of_week(languages[0])
    to = _TO.get(languages[1].partition("-")[0])
    for match in [*pattern.finditer(source)][:_MAX_REQUIRED]:
        first, last = numbers[match["first"]], numbers[match["last"]]
        ways = [(day_names(languages[1], width)[first], day_names(languages[1], width)[last]) for width in _WIDTHS]
        if len(match["first"]) > _LONGEST_SHORT_DAY:
            ways.reverse()
        short = [(one.rstrip("."), other.rstrip(".")) for one, other in ways]
        joints = ("–", "-", " – ", *([f" {to} "] if to else []))
        forms = (f"{one}{joint}{other}" for one, other in (*short, *ways) for joint in joints)
        yield RequiredQuantity(*match.span(), tuple(dict.fromkeys(forms)), (match.group(),))


@lru_cache(maxsize=64)
def _days_of_week(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """A pattern for a range of two days, and the numbers of the days by their names."""
    numbers = {name.rstrip("."): number for width in _WIDTHS for number, name in enumerate(day_names(language, width))}
    names = "|".join(re.escape(name) for name in sorted(numbers, key=len, reverse=True))
    return re.compile(
        rf"(?<![\w.-])(?P<first>{names})\.?[ \u00a0]?[-–][ \u00a0]?(?P<last>{names})(?![\w-])\.?"
    ), numbers


def _is_in_words(part: RequiredQuantity, source: str, language: str) -> bool:
    """True if a number in the part belongs to a time or date."""
    return any(one.kind != "number" and _overlaps(one, [part]) for one in quantities(source, language))


def _words_for_number(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """The word before the number of a part or series: "No. 5" is not "Nein. 5"."""
    forms = _NUMBER_WORDS.get(languages[1].partition("-")[0])
    found = [*_NUMBER_WORD.finditer(source)] if forms and languages[0].partition("-")[0] == "en" else []
    if forms and len(found) == 1:  # several could change places
        yield RequiredQuantity(*found[0].span(), forms, (found[0].group(), "Nein.", "Nein", "no.", "nein."))


def _irish_names(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """Names such as "O'Neill", of which models make two words."""
    if all(language.partition("-")[0] in (*_TO, "en") for language in languages):
        for match in [*_IRISH_NAME.finditer(source)][:_MAX_REQUIRED]:
            forms = dict.fromkeys(match[1] + mark + match[2] for mark in (match.group()[1], "'", "’"))
            yield RequiredQuantity(*match.span(), tuple(forms), (f"{match[1]} {match[2]}",))


def _symbol_behind(source: str, end: int, languages: tuple[str, str]) -> list[RequiredQuantity]:
    """The symbol of a unit behind a number. Models leave it out or write it with a capital letter: "0,5 Mm"."""
    found = symbol_behind(source[end:], *languages)
    if found is None:
        return []
    first, last, words = found
    symbol = source[end + first : end + last]
    others = tuple(dict.fromkeys((symbol.capitalize(), symbol.upper(), symbol.lower())))
    return [
        RequiredQuantity(end + first, end + last, (symbol, *words), tuple(form for form in others if form != symbol))
    ]


def _currency_beside(source: str, quantity: Quantity, language: str) -> list[RequiredQuantity]:
    """The code of the currency of an amount, which models leave out: "EUR 4,812.50"."""
    found = _CODE_BEFORE.search(source, max(0, quantity.start - 5), quantity.start)
    found = found or _CODE_BEHIND.match(source, quantity.end)
    if quantity.kind != "number" or found is None or found[1] in _CODES_AND_WORDS:
        return []
    names = names_of_currency(found[1], language)
    return [RequiredQuantity(*found.span(1), names, ())] if names else []


def numbers_beside(numbers: Sequence[RequiredQuantity], own: Iterable[str]) -> Sequence[RequiredQuantity]:
    """The numbers that are still to be written beside a person's own texts; none if these have other numbers.

    >>> numbers = required_quantities("From 15 to 30 files", "en", "de")
    >>> [one.forms for one in numbers_beside(numbers, ["Von 15"])], numbers_beside(numbers, ["Von 16"])
    ([('30',)], ())
    """
    text = "\n".join(own)
    if not any(map(str.isdigit, text)):
        return numbers
    left = []
    for number in numbers:
        spans = [span for form in number.forms for span in occurrences(text, form)][:1]
        for start, end in spans:
            text = f"{text[:start]}\n{text[end:]}"
        if not spans:
            left.append(number)
    return () if any(map(str.isdigit, text)) else tuple(left)


def _is_required(quantity: Quantity, source: str, language: str, target_language: str) -> bool:
    if (
        quantity.is_glued
        or (quantity.suffix and not quantity.is_ordinal)
        or any(len(one) > 2 for one in quantity.readings)
    ):
        return False
    if quantity.kind == "date":
        return any(map(str.isalpha, quantity.text)) or len(quantity.readings[0]) > 1  # not "9/11"
    if quantity.kind in ("time", "name"):
        return True
    if is_customary(unit_behind(source[quantity.end :], language)) and quantity.digits.isdigit():
        return False  # a decimal number, too, may be converted, but models only copy it with the wrong sign
    number = quantity.number
    is_whole = quantity.digits.isdigit() and quantity.magnitude is None
    is_small = is_whole and isinstance(number, Decimal) and number <= _LARGEST_SPELT
    return not is_small or symbol_behind(source[quantity.end :], language, target_language) is not None


def _on_the_clock(quantity: Quantity, forms: tuple[str, ...]) -> tuple[str, ...]:
    """The forms of a time with "a.m." or "p.m.", if the usual one has it: models add that to a bare "14.30", too."""
    if quantity.kind != "time" or TWELVE_HOURS.fullmatch(forms[0]) is None:
        return forms
    return tuple(form for form in forms if form.isalpha() or TWELVE_HOURS.fullmatch(form))


def _shortest(forms: tuple[str, ...]) -> tuple[str, ...]:
    """The usual form, and the others without those that contain another: "15:00 Uhr" has "15:00"."""
    first, *others = forms
    kept = (form for form in others if not any(other != form and occurrences(form, other) for other in others))
    return tuple(dict.fromkeys((first, *kept)))[:_MAX_FORMS]
