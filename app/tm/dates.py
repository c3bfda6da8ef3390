"""Month names and times of day in English and German: finding them, and writing them in the other language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from app.text.quantities.quantity_reading import TWELVE_HOURS

_MONTHS: Final[Mapping[str, tuple[str, ...]]] = {
    language: tuple(names.split())
    for language, names in {
        "en": "January February March April May June July August September October November December",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    }.items()
}
_SPACE = "[ \u00a0\u202f]"
_DAY_TIME = re.compile(r"(?P<hour>\d{1,2})(?:(?P<mark>[:.])(?P<minutes>[0-5]\d))?")
_UHR = re.compile(rf"{_SPACE}Uhr\b")


def _beside_a_number(names: str) -> str:
    """A pattern for these words next to a number: "May 3", "3 May", "3. Mai", but not "You may"."""
    return rf"(?:(?<=\d{_SPACE})|(?<=\d\.{_SPACE}))(?:{names})\b|\b(?:{names})(?={_SPACE}\d)"


# For each language, a pattern with the groups "month" and "clock": a time on the clock of 12 hours.
DATE_PARTS: Final = {
    "en": rf"(?P<clock>{TWELVE_HOURS.pattern})|(?P<month>{_beside_a_number('|'.join(_MONTHS['en']))})",
    "de": rf"(?P<month>{_beside_a_number('|'.join(_MONTHS['de']))})",
}
_FIRST = "".join(sorted({name[0] for names in _MONTHS.values() for name in names}))
_EITHER = "|".join([TWELVE_HOURS.pattern, *(_beside_a_number("|".join(names)) for names in _MONTHS.values())])
ANY_DATE_PART: Final = re.compile(rf"(?=[\d{_FIRST}])(?:{_EITHER})", re.IGNORECASE)  # the first letter saves most tries


def translated_month(name: str, languages: tuple[str, str]) -> str:
    """The month in the second language.

    >>> translated_month("March", ("en", "de"))
    'März'
    """
    source, target = languages
    return _MONTHS[target][_MONTHS[source].index(name)]


def is_day_time(behind: str) -> bool:
    """True if a number before this German text is a time of day."""
    return _UHR.match(behind) is not None


def clock_way(old: str, token: str) -> Callable[[str], str | None] | None:
    """The format in which `token` writes the time `old` of the other language; None if it is another time.

    One of the two is on the clock of 12 hours. The way returns None for a text that is not a time of day.

    >>> clock_way("3:00 p.m.", "15:00")("4:30 p.m."), clock_way("15 Uhr".split()[0], "3 pm")("9")
    ('16:30', '9 am')
    """
    time = _time_of(old)
    if time is None or _time_of(token) != time:
        return None
    return lambda text: _written_like(token, text)


def _time_of(text: str) -> tuple[int, int] | None:
    """Hour from 0 to 23 and minute of a time on either clock."""
    if (match := TWELVE_HOURS.fullmatch(text)) is not None:
        return int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0), int(match["minutes"] or 0)
    match = _DAY_TIME.fullmatch(text)
    return (int(match["hour"]), int(match["minutes"] or 0)) if match and int(match["hour"]) < 24 else None


def _written_like(token: str, text: str) -> str | None:
    """The time of day `text` on the clock and in the format of `token`."""
    time = _time_of(text)
    if time is None:
        return None
    hour, minute = time
    if (like := TWELVE_HOURS.fullmatch(token)) is not None:
        half = "a" if hour < 12 else "p"
        hour = hour % 12 or 12
        behind = token[like.start("half") :]
        start = like.end("minutes") if like["minutes"] else like.end("hour")
        behind = token[start : like.start("half")] + (half.upper() if behind[0].isupper() else half) + behind[1:]
        mark = token[like.end("hour")] if like["minutes"] else ":"
    else:
        like = _DAY_TIME.fullmatch(token)
        assert like is not None
        behind, mark = "", like["mark"] or ":"
    shown = f"{hour:02}" if like["hour"][0] == "0" and len(like["hour"]) == 2 else str(hour)
    return shown + (f"{mark}{minute:02}" if minute or like["minutes"] else "") + behind
