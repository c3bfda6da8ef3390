"""Segmentation rules: exceptions and breaks, in order, which decide where the segments of a text end.

At each position between two characters, the first rule decides whose pattern before the break matches text that ends
there, and whose pattern after the break matches text that begins there. Without such a rule, no segment ends there.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

import regex  # type: ignore[import-untyped]

from app.errors import DocumentError
from app.text.icu_patterns import FLAGS

MAX_SECONDS: Final = 20.0  # for all texts of a document
_SECONDS_FOR_ONE_RULE: Final = 1.0


@dataclass(frozen=True, slots=True)
class SegmentationRule:
    """Patterns for `regex`; `line` is the line of the rule in its file."""

    is_break: bool
    before: str
    after: str
    line: int

    @property
    def pattern(self) -> str:
        """A pattern without width that matches where the rule applies."""
        before = f"(?<={self.before})" if self.before else ""
        after = f"(?={self.after})" if self.after else ""
        return f"(?:{before}{after})"


@dataclass(frozen=True, slots=True)
class SegmentationRules:
    """The rules of a file. `maps` are patterns of language codes with the name of their rules, in their order.

    `is_cascading`: the rules of all patterns that match a language count, one after the other, not only the first.
    """

    name: str
    rules: Mapping[str, tuple[SegmentationRule, ...]] = field(repr=False)
    maps: tuple[tuple[str, str], ...]
    is_cascading: bool

    @property
    def num_rules(self) -> int:
        """The number of all rules of the file."""
        return sum(map(len, self.rules.values()))

    def rules_for(self, language: str) -> tuple[SegmentationRule, ...]:
        """The rules for a language code such as "en", first rule first; none if the file has none for it."""
        found = [name for pattern, name in self.maps if regex.fullmatch(pattern, language, FLAGS | regex.IGNORECASE)]
        return tuple(rule for name in (found if self.is_cascading else found[:1]) for rule in self.rules[name])


class RuleSegmenter:
    """Finds the segments of the texts of one document."""

    def __init__(self, name: str, rules: tuple[SegmentationRule, ...], max_seconds: float = MAX_SECONDS) -> None:
        """`name` is that of the file, for messages."""
        self._name = name
        self._runs = _runs(rules)
        self._seconds_left = max_seconds

    def spans(self, text: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
        """The spans of the segments, without white space at their ends. Raises DocumentError if it takes too long.

        No segment ends inside the spans of `whole` (ascending), such as links and code; where only white space or tags
        follow in one, it ends behind it.
        """
        starts = [start for start, _ in whole]
        spans: list[tuple[int, int]] = []
        begin = 0
        for position in [*self.breaks(text), len(text)]:
            nearest = bisect_right(starts, position - 1) - 1
            if nearest >= 0 and position < whole[nearest][1]:
                if text[position : whole[nearest][1]].strip():
                    continue
                position = whole[nearest][1]
            segment = text[begin:position]
            if segment.strip():
                start = begin + len(segment) - len(segment.lstrip())
                spans.append((start, begin + len(segment.rstrip())))
            begin = max(begin, position)
        return spans

    def breaks(self, text: str) -> list[int]:
        """The positions inside the text where segments end. Raises DocumentError if it takes too long."""
        started = time.monotonic()
        run = None
        try:
            candidates: set[int] = set()
            for run in self._runs:
                if run.is_break:
                    found = run.pattern.finditer(text, timeout=self._timeout(started))
                    candidates.update(match.start() for match in found)
            breaks = []
            for position in sorted(candidates - {0, len(text)}):
                for run in self._runs:
                    if run.pattern.match(text, position, timeout=self._timeout(started)):
                        if run.is_break:
                            breaks.append(position)
                        break
        except TimeoutError as problem:
            assert run is not None
            raise self._too_slow(run, text) from problem
        self._seconds_left -= time.monotonic() - started
        return breaks

    def _timeout(self, started: float) -> float:
        left = self._seconds_left - (time.monotonic() - started)
        if left <= 0:
            raise TimeoutError
        return left

    def _too_slow(self, run: _Run, text: str) -> DocumentError:
        return DocumentError(
            "{name}, line {line}: the segmentation rules take more than {seconds:.0f} seconds for this document: "
            "simplify the pattern of this rule, for example by avoiding a repetition within a repetition",
            name=self._name,
            line=_slowest(run.rules, text).line,
            seconds=MAX_SECONDS,
        )


@dataclass(frozen=True, slots=True)
class _Run:
    """Rules one after the other that all break, or all do not; their order does not count."""

    is_break: bool
    rules: tuple[SegmentationRule, ...]
    pattern: Any


@lru_cache(maxsize=4)
def _runs(rules: tuple[SegmentationRule, ...]) -> tuple[_Run, ...]:
    groups = ((is_break, tuple(run)) for is_break, run in groupby(rules, lambda rule: rule.is_break))
    return tuple(
        _Run(is_break, run, regex.compile("|".join(rule.pattern for rule in run), FLAGS)) for is_break, run in groups
    )


def _slowest(rules: Iterable[SegmentationRule], text: str) -> SegmentationRule:
    """The rule that takes longest for the text."""

    def seconds(rule: SegmentationRule) -> float:
        started = time.process_time()
        try:
            for _ in regex.compile(rule.pattern, FLAGS).finditer(text, timeout=_SECONDS_FOR_ONE_RULE):
                pass
        except TimeoutError:
            return _SECONDS_FOR_ONE_RULE
        return time.process_time() - started

    slowest, most = None, -1.0
    for rule in rules:
        needed = seconds(rule)
        if needed > most:
            slowest, most = rule, needed
        if needed >= _SECONDS_FOR_ONE_RULE:
            break
    assert slowest is not None
    return slowest
