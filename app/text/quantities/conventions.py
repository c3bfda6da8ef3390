"""How a language writes numbers, dates and times, by the data of the Unicode CLDR (Babel)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from babel import Locale

SPACES: Final = " \u00a0\u2009\u202f"
NO_BREAK: Final = "\u00a0"
MINUS: Final = "-"
# Signs that group digits in any language, because they never separate decimals.
GROUPING_ONLY: Final = "'’\u00a0\u2009\u202f"
_FALLBACK: Final = "root"
_MIN_EXPONENT, _MAX_EXPONENT = 3, 14  # powers of ten that have a name, such as thousand and million
# Words for powers of ten that newspapers use and CLDR lacks, by language.
_MORE_MAGNITUDES: Final[Mapping[str, Mapping[str, int]]] = {
    "en": {"k": 3, "m": 6, "mn": 6, "mln": 6, "bn": 9, "bln": 9, "tn": 12, "trn": 12},
    "de": {"Mill.": 6, "Md.": 9, "Mia.": 9},
}
_UNCERTAIN_MAGNITUDES: Final = frozenset({"m", "M", "B", "T", "b", "t", "k", "K"})  # also units: "10 m"
_PLACEHOLDER: Final = re.compile(r"0+")
_HOUR_WORDS: Final[Mapping[str, tuple[str, ...]]] = {  # behind an hour: "14 Uhr", "14 h 30"
    "de": ("Uhr",),
    "fr": ("h", "heures", "heure"),
    "pt": ("h", "horas"),
    "es": ("h", "horas"),
    "nl": ("uur",),
    "it": (),
    "sv": (),
}
_NOUN_LAST: Final = frozenset({"da", "de", "en", "nb", "nl", "sv"})  # "Schweizer Franken", but "franc suisse"
DayOrder = Literal["dm", "md"]


@dataclass(frozen=True, slots=True)
class Magnitude:
    """A word for a power of ten behind a number: "million" is 10 to the power of 6. `joint` is written before it.

    `is_singular` if the language has another form for more than one: "Milliarde".
    """

    word: str
    exponent: int
    joint: str = " "
    is_singular: bool = False

    @property
    def is_uncertain(self) -> bool:
        """True if the word is also a unit: "10 m"."""
        return self.word in _UNCERTAIN_MAGNITUDES


@dataclass(frozen=True)
class Conventions:
    """How one language writes numbers, dates and times.

    `clocks` are the hours of its clock: 12 or 24. `day_order` is the order of day and month in a date of digits.
    `months` has the names of each month, the usual one first; `magnitudes` come with the words for a plural first.
    """

    language: str
    decimal: str
    group: str
    clock: Literal[12, 24]
    clock_mark: str
    day_order: DayOrder
    day_mark: str
    months: tuple[tuple[str, ...], ...]
    magnitudes: tuple[Magnitude, ...]
    date_with_year: str
    date_without_year: str
    late_periods: tuple[str, ...]
    noon: tuple[str, ...]
    midnight: tuple[str, ...]
    hour_words: tuple[str, ...]
    puts_currency_first: bool

    def value(self, token: str) -> Decimal | None:
        """The value of digits and separators, perhaps behind a minus sign; None if they are not one number here.

        >>> conventions_of("de").value("1.000"), conventions_of("en").value("1.000"), conventions_of("de").value("3.5")
        (Decimal('1000'), Decimal('1.000'), None)
        """
        minus = MINUS if token.startswith(MINUS) else ""
        whole, mark, fraction = token.removeprefix(minus).partition(self.decimal)
        if mark and not fraction.isdigit():
            return None
        if mark and not whole:
            return Decimal(f"{minus}0.{fraction}")  # ".5"
        for sign in GROUPING_ONLY:
            whole = whole.replace(sign, self.group)
        first, *groups = whole.split(self.group)
        if not first.isdigit() or not all(map(str.isdigit, groups)):
            return None
        if groups and (len(first) > 3 or len(groups[-1]) != 3 or any(len(group) not in (2, 3) for group in groups)):
            return None
        return Decimal(minus + "".join([first, *groups]) + (f".{fraction}" if mark else ""))

    def localized(self, whole: str, fraction: str, group: str | None = None) -> str:
        """Digits before and behind the decimal sign as this language writes them; "" for `group`: without groups."""
        sign = self.group if group is None else group
        places = range(len(whole) % 3 or 3, len(whole), 3)
        groups = [whole[start:end] for start, end in zip((0, *places), (*places, len(whole)), strict=True)]
        return sign.join(groups) + (self.decimal + fraction if fraction else "")


@lru_cache(maxsize=64)
def conventions_of(language: str) -> Conventions:
    """The conventions of a language code such as "de", "pt-BR" or "zh-Hant"; CLDR's root for an unknown one."""
    locale = locale_of(language)
    symbols = locale.number_symbols.get("latn", locale.number_symbols)
    time, day = str(locale.time_formats["short"].pattern), str(locale.date_formats["short"].pattern)
    currency = str(locale.currency_formats["standard"].pattern)
    clock_mark = re.search(r"[hHkK]+(\W)m", time)
    day_mark = re.search(r"[dMy](\W+?)\s?[dMy]", day)
    return Conventions(
        language=language,
        decimal=symbols["decimal"],
        group=symbols["group"],
        clock=12 if "h" in time else 24,
        clock_mark=clock_mark[1] if clock_mark else ":",
        day_order="md" if day.find("M") < day.find("d") else "dm",
        day_mark=day_mark[1] if day_mark else ".",
        months=_months(locale),
        magnitudes=tuple(_magnitudes(locale)),
        date_with_year=_date_pattern(str(locale.date_formats["long"].pattern)),
        date_without_year=_date_pattern(str(locale.datetime_skeletons.get("MMMMd", "MMMM d"))),
        late_periods=tuple(_periods(locale, ("afternoon", "evening"))),
        noon=tuple(dict.fromkeys(_periods(locale, ("noon",)))),
        midnight=tuple(dict.fromkeys(_periods(locale, ("midnight",)))),
        hour_words=_HOUR_WORDS.get(locale.language, ()),
        puts_currency_first=currency.find("¤") < currency.find("0"),
    )


def is_currency(code: str) -> bool:
    """True for the code of a currency: "EUR"."""
    return code in locale_of("en").currencies


@lru_cache(maxsize=512)
def names_of_currency(code: str, language: str) -> tuple[str, ...]:
    """What a language may write for the code of a currency, the code first; none if there is no such currency.

    >>> names_of_currency("USD", "de")
    ('USD', 'US-Dollar', 'Dollar', '$')
    """
    from babel.numbers import get_currency_name, get_currency_symbol

    if not is_currency(code) or code.startswith("X"):  # metals, funds, tests
        return ()
    locale = locale_of(language)
    names = [get_currency_name(code, count, locale) for count in (1, 2, 5)]
    noun = -1 if locale.language in _NOUN_LAST else 0
    words = [re.split(r"[ -]", name)[noun] for name in names]
    symbol = get_currency_symbol(code, locale)
    signs = [symbol, *(character for character in symbol if unicodedata.category(character) == "Sc")]
    return tuple(dict.fromkeys((code, *names, *words, *signs)))


@lru_cache(maxsize=64)
def day_names(language: str, width: str) -> tuple[str, ...]:
    """The names of the days of the week from Monday, "abbreviated" or "wide".

    >>> day_names("de", "abbreviated")[:2]
    ('Mo.', 'Di.')
    """
    names = locale_of(language).days["format"][width]
    return tuple(str(names[number]) for number in range(7))


def value_of(token: str, language: str) -> Decimal | None:
    """The value of a token of digits and separators in a language; None if it is not one number.

    >>> value_of("1.000", "de"), value_of("1.000", "en"), value_of("10:30", "de")
    (Decimal('1000'), Decimal('1.000'), None)
    """
    return conventions_of(language).value(token)


def locale_of(language: str) -> Locale:
    """Babel's locale of a language code; of the language if the region is unknown, otherwise of CLDR's root."""
    from babel import Locale, UnknownLocaleError  # it takes a moment, and not all of the app needs it

    for code in (language, language.partition("-")[0]):
        try:
            return Locale.parse(code.replace("_", "-"), sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale(_FALLBACK)


def _date_pattern(pattern: str) -> str:
    """A pattern of CLDR with one letter for each number: "d. MMMM y"."""
    return re.sub(r"d+", "d", re.sub(r"y+", "y", pattern)).replace("'", "").replace("\u202f", NO_BREAK)


def _months(locale: Locale) -> tuple[tuple[str, ...], ...]:
    names = [
        locale.months[context].get(width, {})
        for width in ("wide", "abbreviated")
        for context in ("format", "stand-alone")
    ]
    more = {9: ("Sept",)} if locale.language == "en" else {}
    return tuple(
        (
            *dict.fromkeys(name for given in names if (name := str(given.get(month, "")))[:1].isalpha()),
            *more.get(month, ()),
        )
        for month in range(1, 13)
    )


def _magnitudes(locale: Locale) -> Iterator[Magnitude]:
    """The words in CLDR's patterns for short numbers: "0 million" is 10 to the power of 6, "00 million", too."""
    found: dict[str, Magnitude] = {}
    for width in ("long", "short"):
        forms = locale.compact_decimal_formats.get(width, {})
        plurals: Sequence[str] = sorted(forms, key=lambda plural: plural != "other")
        for plural in plurals:
            for power, pattern in forms[plural].items():
                text = str(getattr(pattern, "pattern", pattern)).replace("'", "")
                zeros = _PLACEHOLDER.search(text)
                exponent = len(power) - 1
                if zeros is None or not text.startswith(zeros.group()) or not zeros.end() < len(text):
                    continue
                exponent -= len(zeros.group()) - 1
                joint = text[zeros.end()] if text[zeros.end()] in SPACES else ""
                word = text[zeros.end() :].strip()
                if _MIN_EXPONENT <= exponent <= _MAX_EXPONENT and word:
                    found.setdefault(word, Magnitude(word, exponent, joint and " ", plural == "one"))
    for word, exponent in _MORE_MAGNITUDES.get(locale.language, {}).items():
        found.setdefault(word, Magnitude(word, exponent, "" if word.islower() else " "))
    yield from found.values()


def _periods(locale: Locale, starts: tuple[str, ...]) -> Iterator[str]:
    """Words for parts of the day, such as "nachmittags", "midnight"."""
    periods = locale.day_periods.get("format", {})
    for width in ("wide", "abbreviated"):
        for name, text in periods.get(width, {}).items():
            if name.startswith(starts) and len(str(text)) > 2:
                yield str(text)
