"""How a language writes the quantities of another one: the forms that a translation may have, the usual one first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.text.quantities.conventions import MINUS, NO_BREAK, SPACES, Conventions, conventions_of
from app.text.quantities.number_words import words_for
from app.text.quantities.quantity import Atom, Quantity

_MONTH: Final = re.compile(r"M+|L+")
_MAX_SPELT: Final = 12
_OTHER_MINUS: Final = ("−", "–", "\u2011", "minus ")
_BEFORE_DATE: Final = re.compile(
    r"\b(?:[Aa]b|[Aa]m|bis|den|dem|seit|und|[Vv]om|zum)\s\Z"
)  # of a date without a year, "am 5.4."
_THOUSAND: Final = 3  # as a power of ten
_ORDINAL_MARKS: Final = {
    "fr": ("e", "ème"), "nl": ("e", "de", "ste"), "it": ("º", "ª", "°"), "es": (".º", ".ª", "º", "ª"),
    "pt": ("º", "ª", ".º", ".ª"),
}  # fmt: skip


@lru_cache(maxsize=4096)
def forms_of(quantity: Quantity, source: str, target: str) -> tuple[str, ...]:
    """The texts in the language `target` for a quantity of a text in the language `source`.

    >>> from app.text.quantities.quantity_reading import quantities
    >>> forms_of(quantities("at 3 p.m.", "en")[0], "en", "de")
    ('15 Uhr', '15:00', '15.00')
    """
    here, there = conventions_of(source), conventions_of(target)
    if quantity.is_glued:
        return (quantity.text,)
    atom = quantity.readings[0][0]
    kind, value = atom
    if kind == "time" and isinstance(value, int):
        forms = _times(value, quantity, there)
    elif kind == "day":
        forms = _dates(quantity, there)
    elif quantity.magnitude is not None:
        forms = _amounts(quantity, here, there)
    elif kind == "number" or len(quantity.readings) > 1:
        forms = _numbers(quantity, here, there)
    else:
        forms = _copied(quantity.text)
    return tuple(dict.fromkeys(forms))


@lru_cache(maxsize=4096)
def bare_forms_of(quantity: Quantity, source: str, target: str) -> tuple[str, ...]:
    """Further forms of a part of a range, without what its neighbour says.

    >>> from app.text.quantities.quantity_reading import quantities
    >>> bare_forms_of(quantities("August 4 to 22", "en")[0], "en", "de")
    ('4.', '04.')
    """
    return tuple(dict.fromkeys(_bare(quantity, conventions_of(source), conventions_of(target))))


@lru_cache(maxsize=4096)
def other_forms_of(quantity: Quantity, source: str, target: str) -> tuple[str, ...]:
    """Texts that a translation may have for the quantity, but should not: in the format of the source language, and
    dates and times in another format than the source has.

    >>> from app.text.quantities.quantity_reading import quantities
    >>> other_forms_of(quantities("It fell by 3.5 points.", "en")[0], "en", "de")
    ('3.5',)
    """
    here, there = conventions_of(source), conventions_of(target)
    found = [quantity.text]
    (kind, value), *year = quantity.readings[0]
    if quantity.magnitude is not None:
        words = [one.word for one in there.magnitudes if one.exponent == quantity.magnitude.exponent]
        found += [f"{quantity.digits}{gap}{word}" for word in words for gap in (" ", "-", "")]
    elif kind == "day" and isinstance(value, tuple):
        month, day = value
        mixed = replace(here, months=(*(a + b for a, b in zip(here.months, there.months, strict=True)),))
        years = [int(number) for _, number in year if isinstance(number, Decimal)]
        found += [*_named(month, day, *years, there=mixed)]
        if any(map(str.isalpha, quantity.text)):
            found += [*_in_digits(month, day, *years, there=there)]
    elif kind == "time" and isinstance(value, int):
        hour, minute = divmod(value, 60)
        hours = [str(number) for number in dict.fromkeys((hour, hour % 12 or 12))]
        found += [f"{each}{there.decimal}{minute:02}" for each in hours if minute]
        found += [f"{each} {word}" for each in hours[1:] if not minute for word in there.hour_words]
        found += [*_times(value, quantity, here)]
    elif kind == "number":
        found.append(quantity.digits)
    forms = frozenset(forms_of(quantity, source, target))
    return tuple(form for form in dict.fromkeys(found) if form not in forms)


def date_in_full(quantity: Quantity, before: str, language: str) -> str | None:
    """A date with the whole name of its month, if it has another form and follows the text `before`; None otherwise.

    >>> from app.text.quantities.quantity_reading import quantities
    >>> date_in_full(quantities("am 5.12.2026", "de")[0], "am ", "de")
    '5. Dezember 2026'
    """
    (kind, value), *year = quantity.readings[0]
    if quantity.kind != "date" or kind != "day" or not isinstance(value, tuple) or quantity.text[:4].isdigit():
        return None
    conventions = conventions_of(language)
    is_in_words = any(map(str.isalpha, quantity.text))
    if (is_in_words and conventions.months[value[0] - 1][0] in quantity.text) or (
        not is_in_words and not year and _BEFORE_DATE.search(before) is None
    ):
        return None
    years = [int(number) for _, number in year if isinstance(number, Decimal)]
    return next(_named(*value, *years, there=conventions), None)


def _bare(quantity: Quantity, here: Conventions, there: Conventions) -> Iterator[str]:
    """A part of a range without the word or year that both have: "325 to 340 million", "4. bis 22. August"."""
    (kind, value), *year = quantity.readings[0]
    if not quantity.shares:
        return
    if quantity.shares == "digits":
        yield from (str(full) for ((_, full), *_) in quantity.readings[1:])
        yield quantity.digits[-2:]
    elif quantity.magnitude is not None:
        yield from _written(quantity.digits, here, there)
    elif kind == "time" and isinstance(value, int):
        yield from dict.fromkeys(
            f"{hour}{mark}" for hour in (value // 60, value // 60 % 12 or 12) for mark in _minutes(value % 60)
        )
    elif kind == "day" and isinstance(value, tuple):
        month, day = value
        if year and quantity.begins_range:
            yield from _named(month, day, there=there)
            yield from _in_digits(month, day, there=there)
        is_in_words = any(map(str.isalpha, quantity.text))
        if is_in_words and quantity.shares == "word" and quantity.begins_range == (there.date_without_year[0] == "d"):
            mark = "." if there.date_without_year.startswith("d.") else ""
            yield from dict.fromkeys((f"{day}{mark}", f"{day:02}{mark}"))


def _minutes(minutes: int) -> tuple[str, ...]:
    return (f":{minutes:02}", f".{minutes:02}") if minutes else ("",)


def localized(token: str, source: str, target: str, like: str = "") -> str | None:
    """The number with the decimal sign and the groups of another language; None if it is not one number.

    Groups are separated as in `like`, a number of the target language, if that has groups.

    >>> localized("1,234.5", "en", "de"), localized("1,234.5", "en", "fr", like="10\u00a0000")
    ('1.234,5', '1\xa0234,5')
    """
    here, there = conventions_of(source), conventions_of(target)
    if here.value(token) is None:
        return None
    whole, fraction = _digits(token, here)
    sign = next((character for character in like if character in "'’\u00a0\u2009\u202f"), None)
    has_groups = not token.partition(here.decimal)[0].isdigit()
    return there.localized(whole, fraction, sign if has_groups else "")


def _copied(text: str) -> Iterator[str]:
    """The text itself; a score also with another sign: "2:1", "2-1"."""
    yield text
    if text.count(":") == 1:
        yield from (text.replace(":", sign) for sign in "-–")
    elif re.fullmatch(r"\d+[-–]\d+", text):
        yield text.replace("-", ":").replace("–", ":")


def _digits(token: str, conventions: Conventions) -> tuple[str, str]:
    """The digits before and behind the decimal sign, as they are written: zeros stay."""
    whole, _, fraction = token.partition(conventions.decimal)
    return "".join(filter(str.isdigit, whole)), fraction


def _written(token: str, here: Conventions, there: Conventions) -> Iterator[str]:
    """A number in the format of the language `there`: with its groups, without, and with spaces."""
    if token.startswith(MINUS):
        forms = list(_written(token[1:], here, there))
        yield from (f"{sign}{form}" for sign in (MINUS, *_OTHER_MINUS) for form in forms)
        return
    whole, fraction = _digits(token, here)
    if not whole:  # ".5"
        yield from (there.localized("0", fraction), there.localized("", fraction))
        return
    plain, grouped = there.localized(whole, fraction, ""), there.localized(whole, fraction)
    has_groups = not token.partition(here.decimal)[0].isdigit()
    if len(whole) < 4:
        yield plain
        return
    yield from (grouped, plain) if has_groups else (plain, grouped)
    if there.group in SPACES:
        yield there.localized(whole, fraction, NO_BREAK)
    if there.group != ",":
        yield there.localized(whole, fraction, " ")


def _numbers(quantity: Quantity, here: Conventions, there: Conventions) -> Iterator[str]:
    kind, value = quantity.readings[0][0]
    if kind == "text" or len(quantity.readings[0]) > 1:
        yield quantity.digits  # perhaps a version, or two numbers
    for reading in quantity.readings:
        for atom in reading if len(reading) == 1 else ():
            yield from _other_reading(atom, quantity, here, there)
    if quantity.suffix and not quantity.is_ordinal:
        yield quantity.digits + quantity.suffix
    if quantity.is_ordinal and isinstance(value, Decimal) and there.language.partition("-")[0] == "en":
        for form in list(_written(quantity.digits, here, there)):
            yield form + ordinal_suffix(int(value))
    if quantity.is_ordinal and isinstance(value, Decimal) and value == int(value):
        for mark in _ordinal_marks(int(value), there.language.partition("-")[0]):
            yield quantity.digits + mark


def _other_reading(atom: Atom, quantity: Quantity, here: Conventions, there: Conventions) -> Iterator[str]:
    kind, value = atom
    if kind == "time" and isinstance(value, int):
        yield from _times(value, quantity, there)
    elif kind == "number" and here.value(quantity.digits.replace(" ", NO_BREAK)) is not None:
        yield from _written(quantity.digits.replace(" ", NO_BREAK), here, there)


def _ordinal_marks(number: int, language: str) -> tuple[str, ...]:
    """The endings of an ordinal number in languages with one for each gender, the usual one first."""
    if language == "fr" and number == 1:
        return ("er", "re", "ère")
    return _ORDINAL_MARKS.get(language, ())


def ordinal_suffix(number: int) -> str:
    """The English ending of an ordinal number.

    >>> [ordinal_suffix(number) for number in (1, 12, 22, 113)]
    ['st', 'th', 'nd', 'th']
    """
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _amounts(quantity: Quantity, here: Conventions, there: Conventions) -> Iterator[str]:
    """ "18.7 million" with the word of the other language, or with all digits."""
    assert quantity.magnitude is not None
    total = quantity.number
    assert total is not None
    numbers = list(_written(quantity.digits, here, there))
    value = here.value(quantity.digits)
    digits = len(numbers)
    if value is not None and value == int(value) and value <= _MAX_SPELT:
        numbers += words_for(int(value), there.language)
    words = [one for one in there.magnitudes if one.exponent == quantity.magnitude.exponent]
    if value == 1:  # "1 Milliarde", "1 Milliarden"
        words.sort(key=lambda one: not one.is_singular)
    for magnitude in words:
        if not magnitude.is_uncertain or magnitude.word == "m":
            yield from (f"{number}{magnitude.joint}{magnitude.word}" for number in numbers)
        if magnitude is words[0] and magnitude.joint:
            yield from (f"{number}-{magnitude.word}" for number in numbers[:digits])
    if quantity.magnitude.exponent == _THOUSAND and total == int(total):
        yield from _written(str(int(total)), here, there)
    others = {magnitude.exponent for magnitude in there.magnitudes}
    if quantity.magnitude.exponent not in others:  # such as 万 of Japanese
        for magnitude in there.magnitudes:
            scaled = total.scaleb(-magnitude.exponent)
            if 1 <= scaled < 10_000:
                whole, _, fraction = f"{scaled.normalize():f}".partition(".")
                yield f"{there.localized(whole, fraction, '')}{magnitude.joint}{magnitude.word}"


def _times(minutes: int, quantity: Quantity, there: Conventions) -> Iterator[str]:
    """A time on the clock of the language first, then on the other clock."""
    hour, minute = divmod(minutes, 60)
    twelve, half = hour % 12 or 12, "a" if hour % 24 < 12 else "p"
    # "8:00 Uhr" alone would become "8:00 p.m." in English, "14:30" would not.
    is_certain = quantity.text != quantity.digits and there.clock == 12 and hour <= 12
    is_copied = ":" in quantity.digits and not is_certain
    full = [f"{shown}{mark}{minute:02}" for shown in dict.fromkeys((str(hour), f"{hour:02}")) for mark in (":", ".")]
    if there.clock_mark == ".":
        full.sort(key=lambda form: ":" in form)
    words = [f"{hour} {word}" for word in there.hour_words]
    if hour <= _MAX_SPELT and minute == 0:
        words += [f"{spelt} {word}" for spelt in words_for(hour, there.language) for word in there.hour_words[:1]]
    halves = [f"{half}.m.", f"{half}m", f"{half.upper()}M"]
    shown = [f"{twelve}"] * (minute == 0) + [f"{twelve}:{minute:02}", f"{twelve}.{minute:02}"]
    short = [f"{time}{gap}{half}" for time in shown for half in halves for gap in (" ", "")]
    french = [f"{hour}{gap}h{gap}{minute:02}" for gap in (" ", "") if minute and there.language.startswith("fr")]
    if there.clock == 12 and not is_copied:
        yield short[0]
    if not is_copied:
        yield from french
    if minute == 0 or not french:
        yield from words if minute == 0 else (f"{form} {word}" for word in there.hour_words[:1] for form in full[:2])
    yield from full
    yield from french
    if there.clock == 12:
        yield from short
    if minute == 0:
        yield from there.noon if hour == 12 else there.midnight if hour in (0, 24) else ()


def forms_of_range(
    first: Quantity, last: Quantity, target: str, to: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts for two times with a dash between them, and others that mix two clocks; `to` is the word for a dash."""
    there = conventions_of(target)
    pair = [divmod(_minutes_of(one), 60) for one in (first, last)]
    joints = ("–", "-", *([f" {to} "] if to else []), " – ")
    full = [f"{hour}:{minute:02}" for hour, minute in pair]
    short = [f"{hour}" if minute == 0 else clock for (hour, minute), clock in zip(pair, full, strict=True)]
    wide = [f"{hour:02}:{minute:02}" for hour, minute in pair]
    mixed: list[str] = []
    found: list[str] = []
    if there.clock == 12:
        twelve = [f"{hour % 12 or 12}" + (f":{minute:02}" if minute else "") for hour, minute in pair]
        for am, pm in ((" a.m.", " p.m."), (" am", " pm"), (" AM", " PM"), ("am", "pm")):
            halves = [am if hour % 24 < 12 else pm for hour, _ in pair]
            found += [f"{twelve[0]}{halves[0]}{joint}{twelve[1]}{halves[1]}" for joint in joints]
            if halves[0] == halves[1]:
                found += [f"{twelve[0]}{joint}{twelve[1]}{halves[1]}" for joint in joints[:3]]
            mixed += [f"{short[0]}{joint}{short[1]}{half}" for joint in joints[:3] for half in (am, pm)]
    for word in there.hour_words[:1]:
        found += [f"{short[0]}{joint}{short[1]} {word}" for joint in joints]
        found += [f"{short[0]} {word}{joint}{short[1]} {word}" for joint in (*joints[2:], "–")]
    if last.text.isdigit():
        found += [f"{short[0]}{joint}{short[1]}" for joint in joints]
    # "8:30–12:00 Uhr" would become "8:30–12:00 a.m.", "14:30–16:00 Uhr" would not.
    if there.clock == 24 or pair[0][0] > _MAX_SPELT or last.text == last.digits:
        clocks = (full, wide, [time.replace(":", ".") for time in full]) if there.clock == 24 else (full, wide)
        found += [f"{one}{joint}{other}" for one, other in clocks for joint in joints]
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(mixed))


def _minutes_of(time: Quantity) -> int:
    value = time.readings[0][0][1]
    assert isinstance(value, int)
    return value


def _dates(quantity: Quantity, there: Conventions) -> Iterator[str]:
    """A date with the name of the month or in digits, as the source; in each order that its digits may have."""
    is_in_digits = not any(map(str.isalpha, quantity.text))
    for reading in quantity.readings:
        (kind, day), *year = reading
        if kind == "day" and isinstance(day, tuple):
            years = [int(number) for _, number in year if isinstance(number, Decimal)]
            named, digits = list(_named(*day, *years, there=there)), list(_in_digits(*day, *years, there=there))
            yield from (*digits, *named) if is_in_digits else named
        elif kind == "text" and not year and isinstance(day, str) and there.day_mark == "/" and "/" in day:
            yield day


def _named(month: int, day: int, *year: int, there: Conventions) -> Iterator[str]:
    pattern = there.date_with_year if year else there.date_without_year
    patterns = [pattern]
    if there.language.partition("-")[0] == "en":
        patterns = ["MMMM d", "d MMMM", "MMMM dth", "dth MMMM", "dth of MMMM"]
        if year:
            patterns = [f"{each}{mark} y" for each in patterns for mark in ((",", "") if each[0] == "M" else ("",))]
        patterns.sort(key=lambda each: each[0] != pattern[0])
    first_of_month = f"{day}er" if there.language.partition("-")[0] == "fr" and day == 1 else str(day)
    for name in _names(there.months[month - 1]):
        for each in patterns:
            numbers = (
                each.replace("dth", f"{day}{ordinal_suffix(day)}")
                if "dth" in each
                else each.replace("d", first_of_month, 1)
            )
            yield _MONTH.sub(name, numbers.replace("y", str(*year)) if year else numbers, count=1)


def _names(names: Iterable[str]) -> Iterator[str]:
    """The names of a month; a short form also with a dot."""
    for place, name in enumerate(names):
        yield name
        if place and not name.endswith("."):
            yield f"{name}."


def _in_digits(month: int, day: int, *year: int, there: Conventions) -> Iterator[str]:
    ways = [(mark, mark == "." or there.day_order == "dm") for mark in (there.day_mark, ".")]
    if there.language == "en":
        ways.append(("/", True))  # as the British write
    for mark, in_order in dict.fromkeys(ways):
        for first, second in ((day, month), (f"{day:02}", f"{month:02}")):
            numbers = f"{first}{mark}{second}" if in_order else f"{second}{mark}{first}"
            if year:
                yield f"{numbers}{mark}{year[0]}"
                yield f"{numbers}{mark}{year[0] % 100:02}"
            else:
                yield f"{numbers}." if mark == "." else numbers
    if year:
        yield f"{year[0]}-{month:02}-{day:02}"
