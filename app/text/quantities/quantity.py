"""A number, date or time in a text, with the ways to understand it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from app.text.quantities.conventions import Magnitude

# An atom is a value: a number, the minutes of a day, a day of the year, or digits that are copied.
Atom = tuple[Literal["number", "time", "day", "text"], Decimal | int | tuple[int, int] | str]
Reading = tuple[Atom, ...]
Kind = Literal["number", "time", "date", "name"]
Shared = Literal["", "word", "year", "digits"]
_CLOCK: Final = re.compile(r"([01]?\d|2[0-4])(?:\.([0-5]\d))?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, date or time at `text[start:end]` of a text.

    `readings` are the ways to understand it, the likeliest first. `digits` is the token without words beside it, and
    `suffix` the letters that touch it: "th" in "125th". `magnitude` is the word for a power of ten behind it. A
    `name` is copied: a version, a telephone number. `is_glued` is true behind a letter: 350 in "A350".
    `is_ordinal` is true for "125th", and for "125." in a language that writes ordinals with a dot.
    `shares` is set for a part of a range: with its neighbour it may share a "word" (a month, a word for hours or for a
    power of ten), the "year", or the first "digits": "1998-99". `begins_range` is true if it is the first of the two.
    A number below zero has an ordinary "-" in `digits`, whichever sign or word its text has.
    """

    start: int
    end: int
    text: str
    kind: Kind
    readings: tuple[Reading, ...]
    digits: str
    suffix: str = ""
    magnitude: Magnitude | None = None
    is_glued: bool = False
    is_ordinal: bool = False
    shares: Shared = ""
    begins_range: bool = False

    @property
    def number(self) -> Decimal | None:
        """The number that it is by its first reading."""
        [(kind, value), *others] = self.readings[0]
        return value if kind == "number" and isinstance(value, Decimal) and not others else None


def date_reading(day: int, month: int, *year: int) -> Reading:
    return (("day", (month, day)), *(("number", Decimal(number)) for number in year))


def clock_of(token: str) -> int | None:
    """The minutes of a time such as "10.15" or "9"; None if it is not one."""
    match = _CLOCK.fullmatch(token)
    return int(match[1]) * 60 + int(match[2] or 0) if match else None
