"""Ordinal numbers whose number is a placeholder: "the {place}st file" is "die {place}. Datei" in German.

The mark of a language is that of the numbers in digits in Unicode's CLDR (`digits-ordinal`). A language whose mark
depends on the gender of the noun, or on the last digits in a way that its plural forms do not show, has none here: the
plain number is readable there.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_DOTTED: Final = "bs cs da de dsb et eu fi fo hr hsb hu is lb lv nb nn no pl sh sk sl sr tr"


class OrdinalMark(NamedTuple):
    """What stands before and behind the number."""

    before: str = ""
    behind: str = ""


_MARKS: Final = {
    **dict.fromkeys(_DOTTED.split(), OrdinalMark(behind=".")),
    **dict.fromkeys(("ja", "yue", "zh"), OrdinalMark("第")),
    "id": OrdinalMark("ke-"),
    "ko": OrdinalMark("제"),
    "ms": OrdinalMark("ke-"),
    "nl": OrdinalMark(behind="e"),
    "vi": OrdinalMark("thứ "),
}
# The mark for the numbers of the form "one", and for the others.
_MARKS_BY_FORM: Final = {
    "fr": (OrdinalMark(behind="er"), OrdinalMark(behind="e")),
    "sv": (OrdinalMark(behind=":a"), OrdinalMark(behind=":e")),
}
_SUFFIXES_OF_ONE: Final = {"fr": ("st",), "sv": ("st", "nd")}  # French 1er, Swedish 1:a and 2:a


def ordinal_mark(suffix: str, language: str) -> OrdinalMark:
    """The mark of a language for an English suffix: "st", "nd", "rd" or "th".

    >>> ordinal_mark("st", "de"), ordinal_mark("st", "fr").behind, ordinal_mark("nd", "fr").behind
    (OrdinalMark(before='', behind='.'), 'er', 'e')
    >>> ordinal_mark("th", "es")
    OrdinalMark(before='', behind='')
    """
    base = language.lower().replace("_", "-").partition("-")[0]
    if base == "en":
        return OrdinalMark(behind=suffix)
    if base in _MARKS_BY_FORM:
        one, other = _MARKS_BY_FORM[base]
        return one if suffix in _SUFFIXES_OF_ONE[base] else other
    return _MARKS.get(base, OrdinalMark())
