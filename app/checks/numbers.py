"""Compares the numbers, dates and times of a source and its translation, each as its language writes them.

A quantity of the source is in the translation if both share a reading (`app.text.quantities.quantity_reading`). The
remaining quantities are compared by their parts, with numbers in words, and with amounts in other units: 385 miles are
620 km.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from app.text.quantities.number_words import values_in
from app.text.quantities.quantity import Atom, Quantity
from app.text.quantities.quantity_forms import forms_of
from app.text.quantities.quantity_reading import quantities
from app.text.quantities.units import is_same_measure, unit_behind
from engine import occurrences

_PARTS: Final = re.compile(r"\d+")
_MAX_LEFT: Final = 50  # quantities that are compared with each other
_AROUND: Final = 40
_BY_PARTS: Final = frozenset({"date", "name"})


def differences(source: str, target: str, source_language: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """Numbers that are "missing" or "extra" in the target, occur too rarely ("count") or have the wrong "form".

    If as many are missing as extra, each has "changed" into the other at its place. If the expected form differs from
    the source, it is shown behind an arrow. The wrong form is that of the source language. Small numbers may be
    written as words in English and German.

    >>> differences("1,000 files, 3.5 GB", "1.000 Dateien, 3.5 GB", "en", "de")["form"]
    ('3.5 → 3,5',)
    """
    return _Comparison(source, target, source_language, target_language).result()


class _Comparison:
    """The quantities of both texts that have no counterpart in the other, step by step."""

    def __init__(self, source: str, target: str, source_language: str, target_language: str) -> None:
        self.source, self.target = source, target
        self.languages = source_language, target_language
        expected, found = list(quantities(source, source_language)), list(quantities(target, target_language))
        self.missing, self.extra = _without_pairs(expected, found)
        self.in_target = Counter(key for quantity in found for key in _keys(quantity))

    def result(self) -> dict[str, tuple[str, ...]]:
        self._take_forms()
        self._take_atoms()
        self._take_hours()
        forms = self._take_copies()
        self._take_parts()
        self._take_words()
        self._take_measures()
        counts = [one for one in self.missing if any(self.in_target[key] for key in _keys(one))]
        missing = [one for one in self.missing if one not in counts]
        known = {key for one in quantities(self.source, self.languages[0]) for key in _keys(one)}
        extra = [one for one in self.extra if known.isdisjoint(_keys(one))]
        changed = list(zip(missing, extra, strict=True)) if len(missing) == len(extra) else []
        if changed:
            missing, extra = [], []
        return {
            "changed": _distinct(f"{self._with_form(ours)} ≠ {theirs.text}" for ours, theirs in changed),
            "missing": _distinct(map(self._with_form, missing)),
            "extra": _distinct(one.text for one in extra),
            "count": _distinct(one.text for one in counts),
            "form": _distinct(map(self._with_form, forms)),
        }

    def _with_form(self, quantity: Quantity) -> str:
        """The quantity and, if it differs, how the target is expected to write it."""
        form = next((one for one in forms_of(quantity, *self.languages)), quantity.text)
        return quantity.text if form == quantity.text else f"{quantity.text} → {form}"

    def _take_forms(self) -> None:
        """Takes numbers away that the target has in an accepted form, although it reads it otherwise: "14.30"."""
        for quantity in self.missing[:_MAX_LEFT]:
            spans = [
                span
                for form in forms_of(quantity, *self.languages)
                for span in occurrences(self.target, form)[:_MAX_LEFT]
            ]
            match = next((one for one in self.extra[:_MAX_LEFT] if (one.start, one.end) in spans), None)
            if match is not None:
                self._take(quantity, match)

    def _take(self, missing: Quantity, extra: Quantity) -> None:
        self.missing = [one for one in self.missing if one is not missing]
        self.extra = [one for one in self.extra if one is not extra]

    def _take_hours(self) -> None:
        """Takes hours away that only one of the texts marks as a time: "um 11, 13 und 15 Uhr"."""
        for ours, theirs in ((self.missing, self.extra), (self.extra, self.missing)):
            for quantity in ours[:_MAX_LEFT]:
                hours = _hours(quantity)
                other = next((one for one in theirs[:_MAX_LEFT] if one.kind == "number" and one.number in hours), None)
                if other is not None:
                    ours.remove(quantity)
                    theirs.remove(other)

    def _take_copies(self) -> list[Quantity]:
        """Takes numbers away that were copied letter by letter; returns those that the target language reads otherwise.

        A copy is right if it is a part of a name: "Python 3.11".
        """
        wrong: list[Quantity] = []
        copies: dict[str, list[Quantity]] = defaultdict(list)
        for quantity in reversed(self.extra):
            copies[quantity.digits].append(quantity)
        for quantity in list(self.missing):
            same = copies.get(quantity.digits)
            if not same or (_is_day(quantity) and _is_day(same[-1])) or not _PARTS.search(quantity.digits):
                continue
            copy = same.pop()
            self.missing.remove(quantity)
            self.extra.remove(copy)
            before = _word_before(self.source, quantity.start)
            is_named = before != "" and before == _word_before(self.target, copy.start)
            if not is_named and forms_of(quantity, *self.languages)[0] != quantity.digits:
                wrong.append(quantity)
        return wrong

    def _take_words(self) -> None:
        """Takes numbers away that the other text has in words."""
        for quantities_left, text, language in (
            (self.missing, self.target, self.languages[1]),
            (self.extra, self.source, self.languages[0]),
        ):
            if not quantities_left:
                continue
            words = values_in(text, language)
            is_below_zero = "minus" in text.casefold()
            for quantity in list(quantities_left):
                for value in _spoken(quantity):
                    if words[abs(value)] and (value >= 0 or is_below_zero):
                        words[abs(value)] -= 1
                        quantities_left.remove(quantity)
                        break

    def _take_atoms(self) -> None:
        """Takes away what several quantities of the other text make up, such as a day and a year."""
        for ours, theirs in ((self.missing, self.extra), (self.extra, self.missing)):
            for quantity in list(ours):
                for reading in quantity.readings:
                    parts = _holders(reading, theirs) if len(reading) > 1 else None
                    if parts is not None:
                        ours.remove(quantity)
                        for part in parts:
                            theirs.remove(part)
                        break

    def _take_parts(self) -> None:
        """Takes away dates and copied digits whose parts are all left in the other text: "2:1" and "2-1"."""
        for ours, theirs in ((self.missing, self.extra), (self.extra, self.missing)):
            for quantity in list(ours):
                if quantity.kind not in _BY_PARTS:
                    continue
                others = [one for one in theirs if not (_is_named(quantity) and _is_day(one))]
                left = Counter(part for other in others for part in _parts(other))
                if not Counter(_parts(quantity)) - left:
                    ours.remove(quantity)
                    wanted = Counter(_parts(quantity))
                    for other in others:
                        if not Counter(_parts(other)) - wanted:
                            wanted -= Counter(_parts(other))
                            theirs.remove(other)

    def _take_measures(self) -> None:
        """Takes away amounts that the other text has in another unit."""
        if not self.missing and not self.extra:
            return
        here = _measures(self.source, self.languages[0])
        there = _measures(self.target, self.languages[1])
        self.missing = [one for one in self.missing if not _is_among(one, here, there)]
        self.extra = [one for one in self.extra if not _is_among(one, there, here)]


def _measures(text: str, language: str) -> dict[int, tuple[Quantity, str]]:
    """The amounts with a unit by their place; the unit of the last of a range is that of the first, too."""
    found: dict[int, tuple[Quantity, str]] = {}
    following: Quantity | None = None
    for quantity in reversed(quantities(text, language)):
        unit = unit_behind(text[quantity.end : quantity.end + _AROUND], language)
        if not unit and following is not None and following.start - quantity.end < 8:
            unit = found.get(following.start, (following, ""))[1]
        if unit and quantity.number is not None:
            found[quantity.start] = quantity, unit
        following = quantity
    return found


def _is_among(
    quantity: Quantity, own: Mapping[int, tuple[Quantity, str]], others: Mapping[int, tuple[Quantity, str]]
) -> bool:
    """True if the other text has the same length, mass or temperature in another unit."""
    if quantity.start not in own or len(others) > _MAX_LEFT:
        return False
    amount, unit = quantity.number, own[quantity.start][1]
    return amount is not None and any(
        other.number is not None and is_same_measure(amount, unit, other.number, other_unit)
        for other, other_unit in others.values()
    )


def _hours(quantity: Quantity) -> set[Decimal]:
    """The hour of a time without minutes, on both clocks."""
    times = (value for (kind, value), *_ in quantity.readings if kind == "time" and isinstance(value, int))
    return {Decimal(hour) for time in times if time % 60 == 0 for hour in (time // 60, time // 60 % 12 or 12)}


def _without_pairs(expected: Sequence[Quantity], found: Sequence[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    """The quantities of each text without those that share a reading, the likeliest readings first."""
    missing, extra = dict.fromkeys(range(len(expected))), dict.fromkeys(range(len(found)))
    deepest = max((len(one.readings) for one in (*expected, *found)), default=0)
    for depth in range(1, deepest + 1):
        places: dict[object, list[int]] = defaultdict(list)
        for number in reversed(extra):
            for reading in found[number].readings[:depth]:
                places[reading].append(number)
        for number in list(missing):
            for reading in expected[number].readings[:depth]:
                others = places.get(reading, [])
                while others and others[-1] not in extra:
                    others.pop()
                if others:
                    del missing[number], extra[others.pop()]
                    break
    return [expected[number] for number in missing], [found[number] for number in extra]


def _holders(reading: Sequence[Atom], others: Sequence[Quantity]) -> list[Quantity] | None:
    """A quantity for each atom of a reading; None if one has no quantity."""
    left = list(others)
    holders: list[Quantity] = []
    for atom in reading:
        holder = next((one for one in left if (atom,) in one.readings), None)
        if holder is None:
            return None
        left.remove(holder)
        holders.append(holder)
    return holders


def _is_day(quantity: Quantity) -> bool:
    return any(kind == "day" for (kind, _), *_ in quantity.readings)


def _is_named(date: Quantity) -> bool:
    return _is_day(date) and any(map(str.isalpha, date.text))


def _spoken(quantity: Quantity) -> list[int]:
    """The whole numbers that words may stand for: of a time, the hour on both clocks."""
    values: list[int] = []
    for reading in quantity.readings:
        for kind, value in reading if len(reading) == 1 else ():
            if kind == "number" and isinstance(value, Decimal) and value == int(value) and value < 10_000:
                values.append(int(value))
            elif kind == "time" and isinstance(value, int) and value % 60 == 0:
                values += [value // 60, value // 60 % 12 or 12]
    if quantity.magnitude is not None and quantity.digits.isdigit() and len(quantity.digits) < 4:
        values.append(int(quantity.digits))
    return values


def _keys(quantity: Quantity) -> list[Atom]:
    """The atoms of the likeliest reading."""
    return list(quantity.readings[0])


def _parts(quantity: Quantity) -> list[str]:
    return [part.lstrip("0") or "0" for part in _PARTS.findall(quantity.digits)]


def _word_before(text: str, place: int) -> str:
    match = re.search(r"([^\W\d_]+)[ \u00a0]?\Z", text[max(0, place - 40) : place])
    return match[1] if match else ""


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
