"""The quantities of a source that its translation must have, with the forms that it may write them in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.text.nontranslatables import nontranslatables
from app.text.quantities.quantity import Quantity
from app.text.quantities.quantity_forms import bare_forms_of, forms_of, other_forms_of
from app.text.quantities.quantity_reading import TWELVE_HOURS, quantities
from app.text.quantities.units import is_customary, symbol_behind, unit_behind
from engine import occurrences

_MAX_REQUIRED: Final = 16  # of a segment; a table with more numbers is only checked
_LARGEST_SPELT: Final = 12  # numbers up to this one are often written as words, or not at all: "one of them"
_MAX_FORMS: Final = 24
_DIGIT: Final = re.compile("[0-9]")
_NUMBERED: Final = (
    "account", "article", "batch", "customer", "invoice", "item", "lot", "model", "order", "part", "phone", "serial",
)  # fmt: skip
_BEHIND_NUMBERED: Final = "|".join(f"(?<={word} )" for word in _NUMBERED)
_NUMBER_WORD: Final = re.compile(
    rf"(?:(?<![.!?] )\bNos?|(?i:(?:{_BEHIND_NUMBERED})nos?))\.(?=:|[ \u00a0]?(?:\d|[A-Z]{{1,4}}-?\d))"
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
    found = [
        _as_name(quantity)
        for quantity in quantities(source, source_language)
        if _is_required(quantity, source, source_language, target_language)
        and not any(start < quantity.end and quantity.start < end for start, end in kept)
    ]
    if len(found) > _MAX_REQUIRED:
        return ()
    required = []
    languages = source_language, target_language
    for quantity in found:
        has_own_half = quantity.kind == "time" and TWELVE_HOURS.search(quantity.text) is not None
        bare = () if has_own_half else bare_forms_of(quantity, *languages)  # "9 a.m. to 5 p.m." also has "9 Uhr"
        forms = _shortest((*_on_the_clock(quantity, forms_of(quantity, *languages)), *bare))
        others = other_forms_of(quantity, *languages)
        replaces = tuple(form for form in others if not any(occurrences(form, own) for own in forms))
        required.append(RequiredQuantity(quantity.start, quantity.end, forms, replaces))
        required += _symbol_behind(source, quantity.end, languages)
    ranges = (one for one in _small_ranges(source, target_language) if not _is_in_words(one, source, source_language))
    return (*required, *ranges, *_words_for_number(source, languages))


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


def _is_in_words(part: RequiredQuantity, source: str, language: str) -> bool:
    """True if a number in the part belongs to a time or date."""
    return any(
        one.kind != "number" and one.start < part.end and part.start < one.end for one in quantities(source, language)
    )


def _words_for_number(source: str, languages: tuple[str, str]) -> Iterator[RequiredQuantity]:
    """The word before the number of a part or series: "No. 5" is not "Nein. 5"."""
    forms = _NUMBER_WORDS.get(languages[1].partition("-")[0])
    found = [*_NUMBER_WORD.finditer(source)] if forms and languages[0].partition("-")[0] == "en" else []
    if forms and len(found) == 1:  # several could change places
        yield RequiredQuantity(*found[0].span(), forms, (found[0].group(), "Nein.", "Nein", "no.", "nein."))


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
