"""Compares the numbers of a source and its translation, reading each in its language's format: 1,000.5 and 1.000,5.

A token that is not one number in its language (version 1.2.3, time 10.30, date 31.12.2024) is compared by its parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

# Languages that write 3.5; the others write 3,5 and group by points or spaces.
_POINT_LANGUAGES = frozenset(
    ["en", "zh", "ja", "ko", "th", "he", "hi", "bn", "ta", "te", "ur", "ms", "mt", "cy", "ga", "sw", "fil"]
)
_TOKEN = re.compile(r"\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d])")
_ALWAYS_GROUPS = re.compile(r"['’\u00a0\u2009\u202f]")
_MAX_BEFORE = 40  # characters of context before a number
TWELVE_HOURS = re.compile(
    r"(?<![\d.,:])(?P<hour>0?[1-9]|1[0-2])(?:[:.](?P<minutes>[0-5]\d))?"
    r"[ \u00a0\u202f]?(?P<half>[aApP])(?:\.[ \u00a0]?[mM]\.|[mM]\b)"
)
_PARTS = re.compile(r"\d+")
# A number after such a word is part of a name: Version 2.0, Python 3.11, Table 4.2.
_NAME_BEFORE = re.compile(r"(?:\b(?:[vV]|[vV]ersion|[rR]elease)\.?|(?:\w\s+|[(\[])[^\W\d_a-zß-ÿ]\w*)[ \u00a0]?$")
_WORDS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
_MORE_WORDS = {"en": {"a": 1, "an": 1, "once": 1, "twice": 2, "both": 2, "first": 1, "second": 2, "third": 3}}
_ONE = ("ein", "eine", "einen", "einem", "einer", "eines", "einmal", "erste", "erster", "ersten")
_MORE_WORDS["de"] = dict.fromkeys(_ONE, 1)
_MORE_WORDS["de"] |= {"zweimal": 2, "beide": 2, "beiden": 2, "zweite": 2, "zweiten": 2, "dritte": 3, "dritten": 3}
_WORD = re.compile(r"[^\W\d_]+")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ \u00a0]?$")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number token and the word before it. `value` is None if the token is not one number in its language."""

    text: str
    value: Decimal | None
    before: str
    is_named: bool

    @property
    def parts(self) -> list[str]:
        """Normalised values for comparison: the number's value, or the values of its parts."""
        if self.value is not None:
            return [_normalised(self.value)]
        return [_normalised(Decimal(part)) for part in _PARTS.findall(self.text)]


def differences(source: str, target: str, source_language: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """Numbers that are "missing" or "extra" in the target, occur too rarely ("count") or have the wrong "form".

    The wrong form is the source language's. Numbers up to twelve may be written as words in English and German.

    >>> differences("1,000 files, 3.5 GB", "1.000 Dateien, 3.5 GB", "en", "de")["form"]
    ('3.5',)
    """
    best: dict[str, tuple[str, ...]] | None = None
    for source_text, target_text in product(_clock_readings(source), _clock_readings(target)):
        for source_spaced, target_spaced in product((False, True), repeat=2):  # "1 000" may be one number or two
            expected = _numbers(source_text, source_language, is_spaced=source_spaced)
            found = _numbers(target_text, target_language, is_spaced=target_spaced)
            source_words = _word_values(source_text, source_language)
            result = _compare(expected, found, source_words, _word_values(target_text, target_language))
            if best is None or _num_problems(result) < _num_problems(best):
                best = result
    assert best is not None
    return best


def is_in_name(before: str) -> bool:
    """True if a number behind this text is probably a part of a name.

    >>> is_in_name("Install Python "), is_in_name("Wait ")
    (True, False)
    """
    return _NAME_BEFORE.search(before[-_MAX_BEFORE:]) is not None


def value_of(token: str, language: str) -> Decimal | None:
    """The value of a token of digits and separators in a language; None if it is not one number.

    >>> value_of("1.000", "de"), value_of("1.000", "en"), value_of("10:30", "de")
    (Decimal('1000'), Decimal('1.000'), None)
    """
    return _value(token, language) if _TOKEN.fullmatch(token) else None


def localized(token: str, source_language: str, target_language: str, like: str = "") -> str | None:
    """The number with the decimal sign and the groups of another language; None if it is not one number.

    Groups are separated as in `like`, a number of the target language, if that has groups.

    >>> localized("1,234.5", "en", "de"), localized("1,234.5", "en", "fr", like="10\u00a0000")
    ('1.234,5', '1\xa0234,5')
    """
    if value_of(token, source_language) is None:
        return None
    decimal, group = _marks(source_language)
    new_decimal, new_group = _marks(target_language)
    whole, mark, fraction = token.partition(decimal)
    if (other := _ALWAYS_GROUPS.search(like)) is not None:
        new_group = other.group()
    new_whole = _ALWAYS_GROUPS.sub(group, whole).replace(group, new_group)
    return f"{new_whole}{new_decimal}{fraction}" if mark else new_whole


def _clock_readings(text: str) -> list[str]:
    """The text, and the text with times of the 12-hour clock as the 24-hour clock has them, also without ":00".

    >>> _clock_readings("from 3:00 p.m.")
    ['from 3:00 p.m.', 'from 15:00', 'from 15']
    """

    def hour(match: re.Match[str]) -> int:
        return int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)

    def full(match: re.Match[str]) -> str:
        return f"{hour(match)}:{match['minutes'] or '00'}"

    def short(match: re.Match[str]) -> str:
        return str(hour(match)) if match["minutes"] in (None, "00") else full(match)

    return list(dict.fromkeys([text, TWELVE_HOURS.sub(full, text), TWELVE_HOURS.sub(short, text)]))


def _compare(
    expected: list[_Number], found: list[_Number], source_words: Counter[str], target_words: Counter[str]
) -> dict[str, tuple[str, ...]]:
    expected, found, wrong_form = _without_copies(expected, found)
    missing, extra = _unmatched(expected, found), _unmatched(found, expected)
    # Compare the rest by parts: day and month of a date may swap, a time may use another separator.
    sources, targets = Counter(_parts(expected)), Counter(_parts(found))
    missing = [number for number in missing if not _is_in(number, targets)]
    extra = [number for number in extra if not _is_in(number, sources)]
    missing = [number for number in missing if not _is_in(number, target_words)]
    extra = [number for number in extra if not _is_in(number, source_words)]
    in_source = Counter(key for number in expected for key in number.parts)
    in_target = Counter(key for number in found for key in number.parts)
    fewer = [key for key in in_source if in_target[key] and in_source[key] > in_target[key] + target_words[key]]
    texts = {key: number.text for number in reversed(expected) for key in number.parts}
    return {
        "missing": _distinct(number.text for number in missing),
        "extra": _distinct(number.text for number in extra),
        "count": _distinct(texts[key] for key in fewer),
        "form": _distinct(number.text for number in wrong_form),
    }


def _without_copies(
    expected: list[_Number], found: list[_Number]
) -> tuple[list[_Number], list[_Number], list[_Number]]:
    """Removes numbers copied character by character whose value differs in the target language from both lists.

    The third list contains the removed numbers that have the wrong form because they are not part of a name.
    """
    places: dict[str, deque[int]] = {}  # of the numbers that are left, by text
    for place, number in enumerate(found):
        places.setdefault(number.text, deque()).append(place)
    removed: set[int] = set()
    left: list[_Number] = []
    wrong_form: list[_Number] = []
    values = Counter(number.value for number in found if number.value is not None)
    for number in expected:
        same = places.get(number.text)  # all have the same value, which depends on text and language
        if not same or found[same[0]].value == number.value or (number.value is not None and values[number.value]):
            left.append(number)
            continue
        removed.add(same[0])
        copy = found[same.popleft()]
        is_named = number.is_named or number.before == copy.before != ""
        if number.value is not None and not is_named and len(_PARTS.findall(number.text)) > 1:
            wrong_form.append(number)
    return left, [number for place, number in enumerate(found) if place not in removed], wrong_form


def _unmatched(numbers: Iterable[_Number], others: Iterable[_Number]) -> list[_Number]:
    known = {key for other in others for key in other.parts}
    return [number for number in numbers if not known.issuperset(number.parts)]


def _parts(numbers: Iterable[_Number]) -> list[str]:
    return [
        _normalised(Decimal(part)) for number in numbers if number.value is None for part in _PARTS.findall(number.text)
    ]


def _is_in(number: _Number, known: Counter[str]) -> bool:
    return all(known[key] for key in number.parts)


def _numbers(text: str, language: str, *, is_spaced: bool) -> list[_Number]:
    text = _with_plain_digits(text)
    if is_spaced:
        text = _SPACED.sub(lambda match: match.group().replace(" ", "\u00a0"), text)
    numbers = []
    for match in _TOKEN.finditer(text):
        before = text[max(0, match.start() - _MAX_BEFORE) : match.start()]
        word = _WORD_BEFORE.search(before)
        is_named = is_in_name(before)
        numbers.append(_Number(match.group(), _value(match.group(), language), word[1] if word else "", is_named))
    return numbers


def _value(token: str, language: str) -> Decimal | None:
    """The token's value in a language: "1.000" is 1000 in German and 1 in English; None if it is not one number."""
    decimal, group = _marks(language)
    whole, mark, fraction = token.partition(decimal)
    if mark and not fraction.isdigit():
        return None
    plain = _ALWAYS_GROUPS.sub(group, whole)
    if not plain.isdigit() and not re.fullmatch(
        rf"\d{{1,3}}(?:{re.escape(group)}\d{{2,3}})*{re.escape(group)}\d{{3}}", plain
    ):
        return None
    return Decimal(plain.replace(group, "") + (f".{fraction}" if mark else ""))


def _marks(language: str) -> tuple[str, str]:
    """The decimal sign and the sign between groups."""
    return (".", ",") if language in _POINT_LANGUAGES else (",", ".")


def _with_plain_digits(text: str) -> str:
    """Converts the digits of any script to 0-9: "٣" becomes "3"."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in text)


def _word_values(text: str, language: str) -> Counter[str]:
    """Counts the number words in the text by value."""
    values = {word: number for number, word in enumerate(_WORDS.get(language, "").split())}
    values |= _MORE_WORDS.get(language, {})
    return Counter(str(values[word]) for word in _WORD.findall(text.lower()) if word in values)


def _normalised(value: Decimal) -> str:
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _num_problems(result: dict[str, tuple[str, ...]]) -> tuple[int, int]:
    return len(result["missing"]) + len(result["extra"]), len(result["count"]) + len(result["form"])
