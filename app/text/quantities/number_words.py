"""Small numbers in words, for the languages that the bundled model translates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

_UNITS: Final = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig",
}
_TENS: Final = {
    "en": "thirty forty fifty sixty seventy eighty ninety hundred",
    "de": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
}
_ONE: Final = ("ein", "eine", "einen", "einem", "einer", "eines", "einmal", "einfache", "einfacher", "einfachen")
_MORE: Final[Mapping[str, Mapping[str, int]]] = {
    "en": {
        "a": 1,
        "an": 1,
        "once": 1,
        "single": 1,
        "twice": 2,
        "both": 2,
        "pair": 2,
        "dozen": 12,
        "midnight": 0,
        "noon": 12,
        "midday": 12,
        "thousand": 1000,
        "half": 2,
        "twofold": 2,
        "double": 2,
        "first": 1,
        "second": 2,
        "third": 3,
        "fifth": 5,
        "eighth": 8,
        "ninth": 9,
        "twelfth": 12,
    },
    "de": {
        **dict.fromkeys(_ONE, 1),
        "erst": 1,
        "dritt": 3,
        "siebt": 7,
        "acht": 8,
        "beid": 2,
        "paar": 2,
        "dutzend": 12,
        "mitternacht": 0,
        "doppelt": 2,
        "mittag": 12,
        "tausend": 1000,
        "halb": 2,
        "zweifach": 2,
    },
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_MAX_WORD: Final = 40


def words_for(number: int, language: str) -> list[str]:
    """The words for a number from zero to twelve; for one, those in front of a noun. None in most languages.

    >>> words_for(2, "de"), words_for(1, "en"), words_for(2, "fi")
    (['zwei'], ['one', 'a'], [])
    """
    words = _UNITS.get(language.partition("-")[0], "").split()
    if number == 1 and words:
        return ["one", "a"] if words[1] == "one" else [*_ONE[:6]]
    return [words[number]] if 0 <= number < len(words) else []


def values_in(text: str, language: str) -> Counter[int]:
    """How often the text has a number in words, also in "zehnprozentig" or "Thirty": by value.

    >>> values_in("die zehnprozentige Steuer, zum dritten Mal", "de")[10]
    1
    """
    known = _known(language.partition("-")[0])
    found: Counter[int] = Counter()
    for match in _WORD.finditer(text.lower()):
        word = match.group()[:_MAX_WORD]
        if word in known:
            found[known[word]] += 1
        elif len(word) > 3:
            length = next((length for length in range(len(word) - 1, 2, -1) if word[:length] in known), 0)
            if length:
                found[known[word[:length]]] += 1
    return found


def _known(language: str) -> dict[str, int]:
    words = {word: number for number, word in enumerate(_UNITS.get(language, "").split())}
    words |= {word: 10 * number for number, word in enumerate(_TENS.get(language, "").split(), 3)}
    return {**words, **_MORE.get(language, {})}
