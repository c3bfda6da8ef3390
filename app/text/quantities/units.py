"""Units of measure: which are often converted in a translation, and whether two amounts are the same length or mass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.text.quantities.conventions import SPACES, locale_of

# The size of each unit in metres, square metres, litres, kilograms or metres per second, by CLDR's name.
_SIZES: Final[Mapping[str, str]] = {
    "length-kilometer": "1000", "length-meter": "1", "length-centimeter": "0.01", "length-millimeter": "0.001",
    "length-mile": "1609.344", "length-yard": "0.9144", "length-foot": "0.3048", "length-inch": "0.0254",
    "length-nautical-mile": "1852",
    "mass-tonne": "1000", "mass-kilogram": "1", "mass-gram": "0.001", "mass-pound": "0.45359237",
    "mass-ounce": "0.028349523", "mass-stone": "6.35029318", "mass-ton": "907.18474",
    "volume-liter": "1", "volume-milliliter": "0.001", "volume-gallon": "3.785411784", "volume-pint": "0.473176473",
    "volume-cubic-meter": "1000", "volume-cubic-foot": "28.316846592",
    "area-square-kilometer": "1000000", "area-square-meter": "1", "area-hectare": "10000", "area-acre": "4046.8564224",
    "area-square-mile": "2589988.110336", "area-square-foot": "0.09290304",
    "speed-kilometer-per-hour": "0.277777778", "speed-mile-per-hour": "0.44704", "speed-knot": "0.514444444",
}  # fmt: skip
_CUSTOMARY: Final = frozenset(
    [
        "mile", "yard", "foot", "inch", "pound", "ounce", "stone", "ton", "gallon", "pint", "cubic-foot", "acre",
        "square-mile", "square-foot", "mile-per-hour", "fahrenheit",
    ]
)  # fmt: skip
# Words that CLDR lacks, by language.
_MORE: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "en": {
        "length-meter": ("metre", "metres"),
        "length-kilometer": ("kilometre", "kilometres"),
        "length-centimeter": ("centimetre", "centimetres"),
        "mass-pound": ("lbs",),
        "mass-kilogram": ("kilo", "kilos"),
        "speed-kilometer-per-hour": ("kph",),
    },
    "de": {
        "length-meter": ("Metern",),
        "length-kilometer": ("Kilometern",),
        "length-centimeter": ("Zentimetern",),
        "mass-kilogram": ("Kilo",),
        "volume-liter": ("Litern",),
        "volume-cubic-meter": ("Kubikmetern",),
        "area-square-meter": ("Quadratmetern",),
        "area-square-kilometer": ("Quadratkilometern",),
        "speed-kilometer-per-hour": ("kmh", "Stundenkilometer", "Stundenkilometern"),
    },
}
_NOT_UNITS: Final = frozenset({"in", "t", "st"})  # also other words: "10 in all"
_TOLERANCE: Final = 0.1
_DEGREES: Final = ("temperature-fahrenheit", "temperature-celsius")
_LONGEST: Final = 30
# Units whose symbols are written alike in most languages, by CLDR's name.
_WITH_SYMBOLS: Final = tuple(
    f"{kind}-{unit}"
    for kind, units in {
        "length": "kilometer meter decimeter centimeter millimeter micrometer nanometer",
        "mass": "kilogram gram milligram",
        "volume": "liter milliliter cubic-meter",
        "area": "square-kilometer square-meter square-centimeter",
        "speed": "kilometer-per-hour",
        "temperature": "celsius",
        "digital": "kilobyte megabyte gigabyte terabyte megabit gigabit",
        "electric": "milliampere",
        "energy": "kilojoule kilowatt-hour",
        "frequency": "hertz kilohertz megahertz gigahertz",
        "power": "milliwatt kilowatt megawatt",
        "pressure": "hectopascal kilopascal megapascal",
    }.items()
    for unit in units.split()
)
# Symbols that CLDR lacks, with words for them by language; they are written alike in all.
_MORE_SYMBOLS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "rpm": {"de": ("U/min", "1/min", "Umdrehungen", "Touren"), "en": ("revolution", "revolutions")},
    "dpi": {},
    "fps": {"de": ("Bilder", "Bildern")},
    "ppm": {},
    "psi": {},
    "kΩ": {"de": ("Kiloohm",), "en": ("kiloohm", "kiloohms", "kilohm", "kilohms")},
    "MΩ": {"de": ("Megaohm",), "en": ("megaohm", "megaohms", "megohm", "megohms")},
}
_SYMBOL: Final = re.compile(
    r"(?P<gap>[ \u00a0\u202f]?(?:(?:per|pro|par|por|je) )?)(?P<symbol>[^\W\d_°]{1,3}(?:/h)?[²³]?|°C)(?!\w)"
)
# Signs, and units with a capital letter, "2.4 GHz"; a single letter only at the end: "2.1 A new hope" is a heading.
_SYMBOL_BEHIND: Final = re.compile(
    rf"[{SPACES}]?[%‰€£¥]"
    r"|[ \u00a0]+(?:(?:[kKMGTPmµ]?(?:Hz|Wh|Ah|VA|Pa|VDC|VAC)|[KMGTP]i?(?:B|[Bb]it|bps|b)|[kMGmµ][VWAΩ])(?!\w)"
    r"|[VWAJNKCFB](?:[.,;)]|$))"
)


def unit_behind(text: str, language: str) -> str:
    """The unit at the beginning of a text behind a number, by CLDR's name; "" without one.

    >>> unit_behind(" miles away", "en"), unit_behind("-Kilometer-Lauf", "de"), unit_behind(" or 7", "en")
    ('length-mile', 'length-kilometer', '')
    """
    pattern, names = _units_of(language)
    match = pattern.match(text[:_LONGEST])
    return names[match["unit"].lower()] if match else ""


def symbol_behind(text: str, source: str, target: str) -> tuple[int, int, tuple[str, ...]] | None:
    """The start and end of a unit's symbol behind a number, if both languages write it alike, and its other words.

    >>> symbol_behind(" mm thick", "en", "de")
    (1, 3, ('Millimeter', 'Millimetern'))
    """
    match = _SYMBOL.match(text[:_LONGEST])
    if match is None or (len(match["symbol"]) == 1 and not match["gap"]):  # "4.5m" may be millions
        return None
    words = _kept_symbols(source, target).get(match["symbol"])
    return None if words is None else (*match.span("symbol"), words)


def is_measured(text: str, language: str) -> bool:
    """True if a text behind a number begins with a unit, a sign of percent or a currency.

    >>> is_measured(" GB of memory", "en"), is_measured(" A new hope", "en")
    (True, False)
    """
    return bool(unit_behind(text, language)) or _SYMBOL_BEHIND.match(text) is not None


def is_customary(unit: str) -> bool:
    """True for a unit of the United States or Britain, which translators often convert."""
    return unit.partition("-")[2] in _CUSTOMARY


def is_same_measure(value: Decimal, unit: str, other: Decimal, other_unit: str) -> bool:
    """True if two amounts in different units are about the same length, mass or temperature.

    >>> is_same_measure(Decimal(385), "length-mile", Decimal(620), "length-kilometer")
    True
    """
    kind = unit.partition("-")[0]
    if unit == other_unit or kind != other_unit.partition("-")[0]:
        return False
    first, second = (_size(float(number), name) for number, name in ((value, unit), (other, other_unit)))
    return abs(first - second) <= _TOLERANCE * max(abs(first), abs(second)) + (1.5 if kind == "temperature" else 0)


def _size(value: float, unit: str) -> float:
    if unit in _DEGREES:
        return (value - 32) / 1.8 if unit == _DEGREES[0] else value
    return value * float(_SIZES[unit])


@lru_cache(maxsize=64)
def _units_of(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for a unit behind a number, and the units by their words in lower case."""
    names = {word.lower(): unit for unit in (*_SIZES, *_DEGREES) for word in _words(unit, language)}
    more = _MORE.get(language.partition("-")[0], {})
    names |= {word.lower(): unit for unit, words in more.items() for word in words}
    for word in _NOT_UNITS:
        names.pop(word, None)
    words = "|".join(re.escape(word) for word in sorted(names, key=len, reverse=True))
    return re.compile(rf"[{SPACES}-]?(?P<unit>{words})(?!\w)", re.IGNORECASE), names


@lru_cache(maxsize=64)
def _kept_symbols(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """The symbols that both languages write alike, with the other words of the target language for their units."""
    kept: dict[str, tuple[str, ...]] = {}
    for unit in _WITH_SYMBOLS:
        here, there = (set(_words(unit, language)) for language in (source, target))
        more = _MORE.get(target.partition("-")[0], {}).get(unit, ())
        for symbol in here & there:
            if _SYMBOL.fullmatch(symbol) and symbol.lower() not in _NOT_UNITS:
                others = {word for word in (*there, *more) if len(word) > len(symbol)}
                others |= {f"{word}n" for word in others if word.endswith("meter") and target.startswith("de")}
                kept[symbol] = tuple(sorted(others))
    return kept | {symbol: words.get(target.partition("-")[0], ()) for symbol, words in _MORE_SYMBOLS.items()}


def _words(unit: str, language: str) -> Iterator[str]:
    from babel.units import format_unit

    locale = locale_of(language)
    for length in ("long", "short"):
        for number in (1, 2, 5):
            written = format_unit(number, unit, length, locale=locale)
            yield written.replace(str(number), "", 1).strip()
