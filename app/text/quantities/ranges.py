"""Ranges and lists: what one quantity has and its neighbour leaves out, as in "4 to 5 million" or "August 4 to 22"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from app.text.quantities.conventions import SPACES
from app.text.quantities.quantity import Quantity, Reading, clock_of, date_reading
from app.text.quantities.units import is_measured

_GAP: Final = f"[{SPACES}]"
_LONGEST: Final = 16
_LONGEST_UNIT: Final = 40
_JOINT: Final = rf"{_GAP}?(?P<sign>[-–—~～〜/])|,?{_GAP}?(?P<word>[^\W\d_]{{1,7}})(?:{_GAP}[^\W\d_]{{1,3}})?|,"
# Between two quantities: "4 to 5 million", "from $4 to $5 million", "3-5 p.m.", "4. bis 22. August", "3rd to the 5th".
_BETWEEN: Final = re.compile(rf"\.?(?:(?:st|nd|rd|th)\b)?(?:{_JOINT}){_GAP}?[^\w\s,;.:()]?")
# Words between the two ends of a range. Behind any other word, the shared part is only a further way to read a number.
_RANGE_WORDS: Final = frozenset(
    [
        "to", "till", "until", "through", "and", "or", "bis", "und", "oder", "à", "au", "et", "ou", "al", "y", "o", "e",
        "tot", "en", "of", "til", "och", "do", "až", "a", "i", "og", "ja", "и", "до",
    ]
)  # fmt: skip
_YEAR: Final = 4  # digits
_SECTION: Final = re.compile(r"\d{1,3}\.\d{1,2}")


def with_ranges(found: Sequence[Quantity], text: str, language: str) -> tuple[Quantity, ...]:
    """The quantities of a text; the parts of a range have what only one of them says as a reading, too."""
    parts = list(found)
    for place in range(1, len(parts)):
        if (sign := _joint(parts[place - 1], parts[place], text)) is not None:
            is_amount = is_measured(text[parts[place].end : parts[place].end + _LONGEST_UNIT], language)
            parts[place - 1 : place + 1] = _like_before(parts[place - 1], parts[place], sign, is_amount=is_amount)
    for place in range(len(parts) - 2, -1, -1):
        if (sign := _joint(parts[place], parts[place + 1], text)) is not None:
            parts[place : place + 2] = _like_behind(parts[place], parts[place + 1], sign)
    return tuple(parts)


def _joint(first: Quantity, last: Quantity, text: str) -> str | None:
    """What joins two quantities: a word, a dash as "-", a comma; None if they are not joined."""
    between = text[first.end : last.start] if last.start - first.end <= _LONGEST else ""
    match = _BETWEEN.fullmatch(between)
    if match is None:
        return None
    sign = "/" if match["sign"] == "/" else "-"
    return sign if match["sign"] else (match["word"] or ",").lower()


def _like_before(first: Quantity, last: Quantity, sign: str, *, is_amount: bool) -> tuple[Quantity, Quantity]:
    """Both parts of a range, the last with what only the first one says: a month, "section", the first digits."""
    if last.kind != "number" or last.magnitude is not None or (last.suffix and not last.is_ordinal):
        return first, last
    if _is_day(last) and (days := _days(first, last)) and len(first.readings[0]) == 1:
        return replace(first, shares="word", begins_range=True), _also(last, *days)
    if (
        (sign in "-,/" or sign in _RANGE_WORDS)
        and first.kind == "name"
        and not is_amount
        and _SECTION.fullmatch(first.digits)
        and _SECTION.fullmatch(last.digits)
    ):
        return first, replace(last, kind="name", readings=((("text", last.digits),), *last.readings))
    if sign in ("-", "/") and first.digits.isdigit() and last.digits.isdigit() and len(first.digits) <= _YEAR:
        missing = len(first.digits) - len(last.digits)
        if missing > 0 and last.digits > first.digits[missing:]:  # "1998-99", "112-15"
            full: Reading = (("number", Decimal(first.digits[:missing] + last.digits)),)
            return first, replace(_also(last, full), shares="digits")
        if not missing and last.digits[:-2] and last.digits[:-2] == first.digits[:-2]:
            return first, replace(last, shares="digits")
    return first, last


def _like_behind(first: Quantity, last: Quantity, sign: str) -> tuple[Quantity, Quantity]:
    """Both parts of a range, the first with what only the last one says: a month, a year, "million", "p.m."."""
    if first.kind == last.kind == "date":
        return _two_dates(first, last)
    if _is_day(first) and (not first.suffix or first.is_ordinal) and (days := _days(last, first)):
        return _also(first, *days), replace(last, shares=last.shares or "word")
    is_like = first.kind == last.kind and (first.magnitude is None) == (last.magnitude is None)
    if is_like and (first.kind == "time" or first.magnitude is not None):
        first = replace(first, shares="word", begins_range=True)
    if sign == "," or first.kind == "date" or first.magnitude is not None or first.suffix:
        return first, last
    shared = _shared(first, last)
    if shared is None or shared in first.readings[:1]:
        return first, last
    if (sign != "-" and sign not in _RANGE_WORDS) or not _is_promising(first, last):
        return _also(first, shared), last
    readings = (shared, *first.readings)
    return replace(first, readings=readings, magnitude=last.magnitude, shares="word", begins_range=True), last


def _shared(first: Quantity, last: Quantity) -> Reading | None:
    value = first.number
    if last.magnitude is not None and value is not None:
        return (("number", value.scaleb(last.magnitude.exponent)),)
    kind, time = last.readings[0][0]
    clock = clock_of(first.digits.replace(":", "."))
    if kind == "time" and isinstance(time, int) and clock is not None:
        is_afternoon = clock < 720 <= time and clock + 720 <= time and last.text[-1:].lower() in "m."
        return (("time", clock + 720 if is_afternoon else clock),)
    return None


def _is_promising(first: Quantity, last: Quantity) -> bool:
    """True if the shared part is the likeliest way to read the first: not "in 2010 and 3 million"."""
    if last.magnitude is None:
        return True
    value, total = first.number, last.number
    return value is not None and total is not None and value.scaleb(last.magnitude.exponent) < total


def _two_dates(first: Quantity, last: Quantity) -> tuple[Quantity, Quantity]:
    """Two dates, each with the year of the other if it has none itself."""
    [(_, day), *year], [(_, other), *other_year] = first.readings[0], last.readings[0]
    if not isinstance(day, tuple) or not isinstance(other, tuple) or (year and other_year and year != other_year):
        return first, last
    if not year and not other_year and day[0] != other[0]:
        return first, last
    is_same_month = day[0] == other[0]
    known = tuple(year or other_year)
    first, last = _also(first, *_with_year(first, known)), _also(last, *_with_year(last, known))
    return (
        replace(first, shares="word" if is_same_month else "year", begins_range=True),
        replace(last, shares="word" if is_same_month else ""),
    )


def _with_year(date: Quantity, year: Reading) -> list[Reading]:
    return [(*reading, *year) for reading in date.readings if len(reading) == 1 and reading[0][0] == "day"]


def _days(date: Quantity, day: Quantity) -> list[Reading]:
    """A day in the month of a date, with its year and without."""
    found: list[Reading] = []
    for (_, value), *year in date.readings:
        if isinstance(value, tuple):
            found += [date_reading(int(day.digits), value[0]), (*date_reading(int(day.digits), value[0]), *year)]
    return found


def _also(quantity: Quantity, *readings: Reading) -> Quantity:
    return replace(quantity, readings=tuple(dict.fromkeys((*quantity.readings, *readings))))


def _is_day(quantity: Quantity) -> bool:
    return quantity.kind == "number" and quantity.digits.isdigit() and 1 <= int(quantity.digits[:3]) <= 31
