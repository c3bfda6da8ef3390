"""Finds the numbers, dates and times in a text, with each way to understand them.

"10.15" may be a number, a time or the number of a section. A quantity therefore has several readings; two quantities
are the same if they share one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.text.quantities.conventions import (
    MINUS,
    NO_BREAK,
    SPACES,
    Conventions,
    Magnitude,
    conventions_of,
    is_currency,
)  # fmt: skip
from app.text.quantities.quantity import Kind, Quantity, Reading, clock_of, date_reading
from app.text.quantities.ranges import with_ranges
from app.text.quantities.units import is_measured, unit_behind

_GAP: Final = f"[{SPACES}]"
TWELVE_HOURS: Final = re.compile(
    r"(?<![\d.,:])(?P<hour>0?[1-9]|1[0-2])(?:[:.](?P<minutes>[0-5]\d))?"
    r"[ \u00a0\u202f]?(?P<half>[aApP])(?:\.[ \u00a0\u202f]?[mM]\.|[mM]\b)"
)
_NUMBER: Final = r"\d+(?:[.,'’]\d+|[\u00a0\u2009\u202f]\d{3}(?!\d))*"
# "下午3点30分", "15時30分", "오후 3시"; "3時間" are hours that something takes, and "3点" alone are points.
_EAST_ASIAN_HOUR: Final = re.compile(
    rf"(?<![\d.,:])(?P<part>上午|下午|早上|晚上|中午|凌晨|午前|午後|오전|오후)?{_GAP}?(?P<hours>\d{{1,2}})"
    rf"(?:[点點時时시]{_GAP}?(?:(?P<minutes>[0-5]?\d)[分분](?![钟鐘間间])|[半반])"
    r"|[時时시](?![间間隔计計候代刻간])|[点點](?=[钟鐘整])|(?(part)[点點]|(?!)))"
)
_AFTERNOON: Final = frozenset({"下午", "晚上", "中午", "午後", "오후"})
# What makes the number behind it less than zero; no range, as in "5 -10".
_BELOW_ZERO: Final = re.compile(
    r"(?:(?:^|(?<=[\s(\[{\"'„“«=:±<>~/–—]))(?<!\d\s)[-−–\u2011]|(?<!\d\s)\bminus\s|(?<!\b[ad]u\s)\bmoins\s)\Z",
    re.IGNORECASE,
)
_CURRENCY_SIGN: Final = re.compile(rf"[A-Z]{{0,3}}[$¢£¤¥\u20a0-\u20cf]{_GAP}?\Z")  # "€" and "US$", as in "−€2.6"
_TOKEN: Final = re.compile(
    rf"""
    (?P<iso>(?<![\d.,/-])\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d-]))
    | (?P<phone>(?<![\w+])\+\d[\d{SPACES}()/-]{{6,20}}\d(?!\d))
    | (?P<date>(?<![\d.,/])\d{{1,2}}(?P<mark>[./-]){_GAP}?\d{{1,2}}(?P=mark){_GAP}?(?:\d{{4}}|\d{{2}})(?![\d]|[.,/]\d))
    | (?P<day>(?<![\d.,/])\d{{1,2}}(?:\.\d{{1,2}}\.(?!\d)|/\d{{1,2}}(?![\d/])))
    | (?P<half>{TWELVE_HOURS.pattern.replace("?P<half>", "").replace("?P<hour>", "").replace("?P<minutes>", "")})
    | (?P<clock>(?<![\d.,:])\d{{1,3}}:\d{{1,2}}(?::\d{{2}})?(?:[.,]\d+)?(?![\d:]))
    | (?P<spaced>(?<![\d.,])\d{{1,3}}(?:[ ]\d{{3}})+(?:[.,]\d+)?(?![\d]|[.,]\d))
    | (?P<east>\d{{1,2}}(?=[点點時时시])
        |(?:上午|下午|早上|晚上|中午|凌晨|午前|午後|오전|오후){_GAP}?(?=\d{{1,2}}[点點時时시]))
    | (?P<cjk>(?:\d{{4}}[年년]{_GAP}?)?\d{{1,2}}[月월]{_GAP}?\d{{1,2}}[日일])
    | (?P<number>{_NUMBER})
    """,
    re.VERBOSE,
)
# "5,- Euro", "CHF 5'000.–": the dash is in place of the cents.
WHOLE_AMOUNT: Final = re.compile(r"(?<=\d)[.,](?:--?|[–—])(?![\w–—-])")
_ONE_NUMBER: Final = re.compile(_NUMBER)
_MAX_TOKEN = 40  # digits and signs of a number; a longer one is only copied
_AROUND: Final = 40  # characters of context
# The letters of scripts without spaces between words, and of Hangul: "第3章", "사과3개".
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_JOINED: Final = rf"[^\W_{_UNSPACED}]"
_LETTER_BEFORE: Final = re.compile(rf"[^\W\d_{_UNSPACED}]\Z")
_JOINED_BEFORE: Final = re.compile(rf"{_JOINED}*\Z")
_JOINED_BEHIND: Final = re.compile(rf"{_JOINED}*")
_SUFFIX: Final = re.compile(rf"[^\W\d_{_UNSPACED}]{{1,8}}")
_VERBS: Final = frozenset({"may", "march"})  # English words that are months only with a capital letter
_PARTS: Final = re.compile(r"\d+")
# A number after such a word is part of a name: Version 2.0, Python 3.11, Table 4.2.
_PRODUCTS: Final = (
    "Android|Bluetooth|Chrome|Debian|Django|Fedora|Firefox|Java|Kotlin|Linux|Node|Perl|Python|Rails|Ruby|Rust|Safari"
    "|Swift|Thunderbolt|Ubuntu|Unicode|Vulkan|Windows"
)
_NAME_BEFORE: Final = re.compile(
    r"(?:\b(?i:v|version|release|section|chapter|table|figure|fig|appendix|annex|part|step|clause|rule|room|suite|raum|zimmer)s?\.?"
    rf"|\b(?:{_PRODUCTS})|(?:[\w,;]\s+|[(\[])[^\W\d_a-zß-ÿ]\w*)[ \u00a0]?$"
)
# A word with a capital behind its first letter: USB, PCIe, macOS, Wi-Fi.
_CAPITALS_BEFORE: Final = re.compile(r"(?<![\w-])(?!pH )([\w-]+[A-Z][\w-]*)[ \u00a0]$")
_PART_NUMBER_BEFORE: Final = re.compile(
    r"(?:\b(?:part|model|article|order|serial|item|catalog(?:ue)?|drawing) (?:no\.?|number|nr\.?)|P/N):?\s?$",
    re.IGNORECASE,
)
_STANDARD: Final = re.compile(r"802\.\d{1,2}[a-z]{0,2}(?!\w)")  # IEEE 802.11ac
_LABEL: Final = re.compile(r"\d{1,3}\.\d{1,2}")  # that may be the number of a section or version
_HEADING_BEHIND: Final = re.compile(r"[.)]?[ \t\u00a0]+[^\W\d_a-zß-ÿ]")
_CLOCK_BEFORE: Final = re.compile(
    r"\b(?:at|from|until|till|to|by|since|after|before|around|about|um|von|bis|ab|gegen|seit|nach|vor)\s$",
    re.IGNORECASE,
)
_DECADE_SUFFIXES: Final = frozenset({"s", "er", "ern"})
_ORDINAL_SUFFIX: Final = frozenset({"st", "nd", "rd", "th", "te", "ten", "º", "ª"})
_ORDINAL_SUFFIX_OF: Final = {  # that another language has for other words: German "80er"
    "fr": frozenset({"er", "ers", "re", "ère", "e", "es", "ème", "èmes", "eme", "nd", "nde", "de"}),
    "nl": frozenset({"e", "de", "ste"}),
    "ca": frozenset({"r", "n", "t", "è", "a"}),
}


def is_in_name(before: str) -> bool:
    """True if a number behind this text is probably a part of a name.

    >>> is_in_name("Install Python "), is_in_name("Wait ")
    (True, False)
    """
    return _NAME_BEFORE.search(before[-_AROUND:]) is not None


@lru_cache(maxsize=2048)
def quantities(text: str, language: str) -> tuple[Quantity, ...]:
    """The quantities of a text in their order.

    >>> [(found.text, found.readings[0]) for found in quantities("um 14.30 Uhr: 1,5 Mio. Euro", "de")]
    [('14.30 Uhr', (('time', 870),)), ('1,5 Mio.', (('number', Decimal('1.5E+6')),))]
    """
    return with_ranges(_Reader(text, conventions_of(language)).read(), text, language)


class _Reader:
    def __init__(self, text: str, conventions: Conventions) -> None:
        self.text = _with_plain_digits(text, conventions)
        self.shown = text
        self.conventions = conventions
        self.words = _words_of(conventions.language)

    def read(self) -> list[Quantity]:
        found: list[Quantity] = []
        position = 0
        while (match := _TOKEN.search(self.text, position)) is not None:
            quantity = self._read(match)
            if not found or quantity.start >= found[-1].end:
                found.append(quantity)
            position = max(match.start() + 1, quantity.end)
        return found

    def _read(self, match: re.Match[str]) -> Quantity:
        start, end = match.span()
        kind = "date" if match.lastgroup == "mark" else match.lastgroup
        if end - start > _MAX_TOKEN:
            return self._made(start, end, "name", [(("text", match.group()),)])
        if kind == "iso":
            year, month, day = map(int, match.group().split("-"))
            return self._made(start, end, "date", [date_reading(day, month, year), (("text", match.group()),)])
        if kind == "east":
            if hour := _EAST_ASIAN_HOUR.match(self.text, start):
                return self._east_asian_hour(hour)
            number = _ONE_NUMBER.search(self.text, start)
            assert number is not None
            return self._number(*number.span())
        if kind == "cjk":
            *years, month, day = map(int, _PARTS.findall(match.group()))
            return self._made(start, end, "date", [date_reading(day, month, *years)])
        if kind == "phone":
            return self._made(start, end, "name", [(("text", "".join(filter(str.isdigit, match.group()))),)])
        if kind in ("date", "day"):
            return self._date(start, end)
        if kind == "half":
            return self._made(start, end, "time", [(("time", _twelve(match.group())),)])
        if kind == "clock":
            return self._clock(start, end)
        return self._spaced(start, end) if kind == "spaced" else self._number(start, end)

    def _made(self, start: int, end: int, kind: Kind, readings: list[Reading], **more: object) -> Quantity:
        more.setdefault("digits", self.text[start:end])
        return Quantity(start, end, self.shown[start:end], kind, tuple(dict.fromkeys(readings)), **more)  # type: ignore[arg-type]

    def _date(self, start: int, end: int) -> Quantity:
        """A date of digits; the usual order of the language first, the other one if it is possible."""
        token = self.text[start:end]
        first, second, *year = (int(part) for part in _PARTS.findall(token))
        years = [number + (2000 if number < 70 else 1900) if number < 100 else number for number in year]
        orders = [(first, second), (second, first)]
        if self.conventions.day_order == "md" and "." not in token:
            orders.reverse()
        readings = [date_reading(day, month, *years) for day, month in orders if 1 <= day <= 31 and 1 <= month <= 12]
        if not readings or (not year and "." in token and self.conventions.decimal == "."):
            number = _ONE_NUMBER.match(self.text, start)
            assert number is not None
            return self._number(*number.span())
        return self._made(start, end, "date", [*readings, (("text", token),)])

    def _clock(self, start: int, end: int) -> Quantity:
        token = self.text[start:end]
        hour, minutes = token.split(":")[:2]
        is_time = token.count(":") == 1 and len(minutes) == 2 and int(hour) <= 24 and int(minutes) < 60
        copied: Reading = (("text", token),)
        if not is_time:
            return self._made(start, end, "name", [copied])
        time, last = int(hour) * 60 + int(minutes), self._behind_hour(end)
        if last > end and time < 12 * 60 and (late := self.words.late.match(self.text, last)) is not None:
            time, last = time + 12 * 60, late.end()
        return self._made(start, last, "time", [(("time", time),), copied], digits=token)

    def _spaced(self, start: int, end: int) -> Quantity:
        """A number with spaces between its groups; in languages with another sign, "1 000" may also be two numbers."""
        _, token = self._signed(start, end)
        values = [self.conventions.value(part) for part in token.split(" ")]
        value = self.conventions.value(token.replace(" ", NO_BREAK))
        if value is None or None in values:
            number = _ONE_NUMBER.match(self.text, start)
            assert number is not None
            return self._number(*number.span())
        whole: Reading = (("number", value),)
        parts: Reading = tuple(("number", part) for part in values if part is not None)
        first, *groups = token.split(" ")
        is_whole = self.conventions.group in SPACES or groups[-1] == "000" or (len(groups) > 1 and len(first) < 3)
        return self._number(start, end, [whole, parts] if is_whole else [parts, whole])

    def _number(self, start: int, end: int, readings: list[Reading] | None = None) -> Quantity:
        text = self.text
        first, token = self._signed(start, end)
        before, behind = text[max(0, first - _AROUND) : first], text[end : end + _AROUND]
        value = self.conventions.value(token) if len(token) <= _MAX_TOKEN else None
        if _LETTER_BEFORE.search(before) and readings is None:
            return self._glued(start, end, value)
        if readings is None and _is_standard(text, start, before):
            return self._standard(start)
        if readings is None and first == start and (date := self._named_date(start, end, value, before)) is not None:
            return date
        if readings is None and first == start and (time := self._hour(start, end, before)) is not None:
            return time
        if (magnitude := self.words.magnitude.match(behind)) is not None and (
            readings is not None or value is not None
        ):
            return self._amount(first, end, magnitude, value, before, readings, token)
        suffix_match = _SUFFIX.match(behind)
        suffix = suffix_match.group() if suffix_match else ""
        if readings is None:
            readings = self._number_readings(token, value, before, behind)
        if suffix in _DECADE_SUFFIXES and value is not None and value == int(value) and 1000 <= value:
            readings = [*readings, (("number", value % 100),)]
        is_dotted = behind[:1] == "." and token.isdigit() and len(token) < 4 and self.conventions.decimal != "."
        kind: Kind = "name" if readings[0][0][0] == "text" else "time" if readings[0][0][0] == "time" else "number"
        return self._made(
            first,
            end,
            kind,
            readings,
            digits=token,
            suffix=suffix,
            is_ordinal=suffix in _ORDINAL_SUFFIX or suffix in self.words.ordinal_suffixes or is_dotted,
        )

    def _number_readings(self, token: str, value: Decimal | None, before: str, behind: str) -> list[Reading]:
        """A number, the number of a section or version, or a time with a dot."""
        copied: Reading = (("text", token),)
        clock = clock_of(token)
        is_clock = clock is not None and (
            _CLOCK_BEFORE.search(before) is not None or (self.conventions.clock_mark == "." and "." in token)
        )
        if value is None:
            return [(("time", clock),), copied] if clock is not None and is_clock else [copied]
        number: Reading = (("number", value),)
        is_heading = not before and (
            not behind
            or (_HEADING_BEHIND.match(behind) is not None and not is_measured(behind, self.conventions.language))
        )
        if _PART_NUMBER_BEFORE.search(before):
            return [copied, number]
        if self.conventions.decimal == "." and _LABEL.fullmatch(token):
            is_named = not is_measured(behind, self.conventions.language) and (
                is_in_name(before) or self._is_behind_capitals(before)
            )
            if is_named or (is_heading and token[0] != "0"):
                return [copied, number]
        return [number, (("time", clock),)] if clock is not None and is_clock and "." in token else [number]

    def _signed(self, start: int, end: int) -> tuple[int, str]:
        """The start of a number with what belongs to it before its digits, and its token: "-3", ".5"."""
        text, point = self.text, self.conventions.decimal
        first = start
        is_begun = text[start - 1 : start] == point and not text[max(0, start - 2) : start - 1].strip(
            "-−–+±~<>=([/$€£¥  "
        )
        behind = text[end : end + _AROUND]
        if (
            is_begun
            and start
            and text[start:end].isdigit()
            and (not behind[:1].isalnum() or unit_behind(behind, self.conventions.language))
        ):
            first -= 1
        token = text[first:end]
        if sign := _BELOW_ZERO.search(text, max(0, first - 6), first):
            return sign.start(), MINUS + token
        currency = _CURRENCY_SIGN.search(text, max(0, first - 5), first)
        if currency and _BELOW_ZERO.search(text, max(0, currency.start() - 6), currency.start()):
            return first, MINUS + token
        return first, token

    def _is_behind_capitals(self, before: str) -> bool:
        """True behind a word such as "USB" or "macOS", which is no currency, in a text that is not all in capitals."""
        match = _CAPITALS_BEFORE.search(before)
        return match is not None and not is_currency(match[1]) and not self.text.isupper()

    def _standard(self, start: int) -> Quantity:
        match = _STANDARD.match(self.text, start)
        assert match is not None
        return self._made(start, match.end(), "name", [(("text", match.group()),)])

    def _east_asian_hour(self, match: re.Match[str]) -> Quantity:
        hour, is_half = int(match["hours"]), match.group()[-1] in "半반"
        hour += 12 if match["part"] in _AFTERNOON and hour < 12 else 0
        time = hour * 60 + (30 if is_half else int(match["minutes"] or 0))
        return self._made(*match.span(), "time", [(("time", time),)])

    def _glued(self, start: int, end: int, value: Decimal | None) -> Quantity:
        """A word with letters before its digits, such as "A350" or "MP3"."""
        before, behind = self.text[max(0, start - _AROUND) : start], self.text[end : end + _AROUND]
        joined, joining = _JOINED_BEFORE.search(before), _JOINED_BEHIND.match(behind)
        assert joined is not None
        assert joining is not None
        first, last = start - len(joined[0]), end + len(joining[0])
        readings: list[Reading] = [(("text", self.text[first:last]),)]
        if value is not None:
            readings.append((("number", value),))
        return self._made(first, last, "name", readings, digits=self.text[start:end], is_glued=True)

    def _amount(
        self,
        start: int,
        end: int,
        match: re.Match[str],
        value: Decimal | None,
        before: str,
        readings: list[Reading] | None,
        token: str,
    ) -> Quantity:
        """A number with a word for a power of ten: "4.5 million", "$4.5m"."""
        magnitude = self.words.by_word[match["word"]]
        if value is None:
            assert readings is not None
            atom = next(reading for reading in readings if len(reading) == 1)[0][1]
            assert isinstance(atom, Decimal)
            value = atom
        scaled: Reading = (("number", value.scaleb(magnitude.exponent)),)
        is_currency = unicodedata.category(before.rstrip()[-1:] or " ") == "Sc"
        plain: Reading = (("number", value),)
        found = [scaled]
        if magnitude.is_uncertain:
            found = [scaled, plain] if is_currency else [plain, scaled]
        certain = magnitude if found[0] == scaled else None
        return self._made(
            start,
            end + match.end() if certain else end,
            "number",
            found,
            digits=token,
            suffix="" if certain else match["word"] if match.start("word") == 0 else "",
            magnitude=certain,
        )

    def _named_date(self, start: int, end: int, value: Decimal | None, before: str) -> Quantity | None:
        """A day with the name of its month: "31. Dezember 2026", "December 31, 2026"."""
        if value is None or not self.text[start:end].isdigit() or end - start > 2 or not 1 <= value <= 31:
            return None
        words, day = self.words, int(value)
        if (match := words.month_behind.match(self.text, end)) is not None:
            first, last = start, match.end()
        elif (match := words.month_before.search(before)) is not None:
            first = start - len(before) + match.start()
            last = end
            if (suffix := words.day_suffix.match(self.text, end)) is not None:
                last = suffix.end()
        else:
            return None
        name = match["month"].lower()
        month = words.months.get(name) or words.months[name.removesuffix("s")]
        years: list[int] = []
        if (year := words.year_behind.match(self.text, last)) is not None:
            years, last = [int(year["year"])], year.end()
        if not years and match["month"] in _VERBS:
            return None  # "people under 18 may enter"
        return self._made(first, last, "date", [date_reading(day, month, *years)], digits=self.text[start:end])

    def _hour(self, start: int, end: int, before: str) -> Quantity | None:
        """A time with the word for hours: "14 Uhr", "14.30 Uhr", "14 h 30"."""
        match = self.words.hour.match(self.text, start) if self.words.hour is not None else None
        if match is None:
            return None
        minutes = match["minutes"] or match["behind"] or "0"
        if int(match["hours"]) > 24 or int(minutes) > 59:
            return None
        time = int(match["hours"]) * 60 + int(minutes)
        last = match.end()
        if time < 12 * 60 and (late := self.words.late.match(self.text, last)) is not None:
            time, last = time + 12 * 60, late.end()
        return self._made(start, last, "time", [(("time", time),)], digits=self.text[start:end])

    def _behind_hour(self, end: int) -> int:
        match = self.words.hour_word.match(self.text, end) if self.words.hour_word is not None else None
        return match.end() if match else end


@dataclass(frozen=True)
class _Words:
    """Patterns with the words of one language."""

    magnitude: re.Pattern[str]
    by_word: dict[str, Magnitude]
    months: dict[str, int]
    month_behind: re.Pattern[str]
    month_before: re.Pattern[str]
    day_suffix: re.Pattern[str]
    year_behind: re.Pattern[str]
    hour: re.Pattern[str] | None
    hour_word: re.Pattern[str] | None
    late: re.Pattern[str]
    ordinal_suffixes: frozenset[str]


@lru_cache(maxsize=64)
def _words_of(language: str) -> _Words:
    conventions = conventions_of(language)
    by_word = {magnitude.word: magnitude for magnitude in conventions.magnitudes}
    if language.startswith("en"):
        by_word |= {word.capitalize(): magnitude for word, magnitude in by_word.items() if len(word) > 4}
    ends = "|".join(_spelt(word) for word in sorted(by_word, key=len, reverse=True)) or "(?!)"
    months = {name.lower(): number for number, names in enumerate(conventions.months, 1) for name in names}
    names = "|".join(
        re.escape(name) + (r"s?\b" if name[-1].isalpha() else "") for name in sorted(months, key=len, reverse=True)
    )
    names = names or "(?!)"
    hours = "|".join(map(re.escape, conventions.hour_words))
    return _Words(
        magnitude=re.compile(rf"(?:{_GAP}|-)?(?P<word>{ends})"),
        by_word=by_word,
        months=months,
        month_behind=re.compile(
            rf"(?:\.|st|nd|rd|th|er|º|°)?{_GAP}?(?:of |de |di )?(?P<month>{names})\.?", re.IGNORECASE
        ),
        month_before=re.compile(rf"\b(?P<month>{names})\.?{_GAP}(?:the )?\Z", re.IGNORECASE),
        day_suffix=re.compile(r"(?:st|nd|rd|th)\b"),
        year_behind=re.compile(rf",?{_GAP}(?:de )?(?P<year>[12]\d{{3}})(?![\d,.]\d|\d)"),
        hour=re.compile(
            rf"(?P<hours>\d{{1,2}})(?:[:.](?P<minutes>[0-5]\d))?{_GAP}?(?:{hours})"
            rf"(?:{_GAP}?(?P<behind>[0-5]\d)\b|(?!\w))"
        )
        if hours
        else None,
        hour_word=re.compile(rf"{_GAP}?(?:{hours})(?!\w)") if hours else None,
        late=re.compile(rf"{_GAP}(?:{'|'.join(map(re.escape, conventions.late_periods)) or '(?!)'})(?!\w)"),
        ordinal_suffixes=_ORDINAL_SUFFIX_OF.get(language.partition("-")[0], frozenset()),
    )


def _spelt(word: str) -> str:
    """A pattern for a word with any spaces, which must not go on as a longer word."""
    pattern = re.escape(word).replace("\u00a0", _GAP).replace(r"\ ", _GAP)
    return pattern if word[-1] > "\u2fff" else rf"{pattern}(?!\w)"


def _is_standard(text: str, start: int, before: str) -> bool:
    """True if the number is that of a standard: "802.11ac", not "$802.11"."""
    return unicodedata.category(before.rstrip()[-1:] or " ") != "Sc" and _STANDARD.match(text, start) is not None


def _twelve(token: str) -> int:
    match = TWELVE_HOURS.fullmatch(token)
    assert match is not None
    return (int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)) * 60 + int(match["minutes"] or 0)


def _with_plain_digits(text: str, conventions: Conventions) -> str:
    """Converts the digits of any script to 0-9, one character for each: "٣" becomes "3"."""
    if text.isascii():
        return text
    signs = {"٫": conventions.decimal, "٬": conventions.group}
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else signs.get(c, c) for c in text)
