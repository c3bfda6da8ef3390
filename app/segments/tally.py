"""Counts over a document's segments, updated with every change instead of by a scan of all segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from app.segments.state import SegmentState


class Tally:
    """Counts by state, words, the order of changes, and the segments that still need machine translation."""

    def __init__(self, segments: Iterable[SegmentState]) -> None:
        self._by_state: Counter[str] = Counter()
        self._words: Counter[str] = Counter()  # by state
        self._by_review: Counter[str] = Counter()
        self.num_locked = 0
        self._words_locked = 0
        self.num_attention = 0
        self.num_commented = 0
        self.num_translated = 0  # by the machine or the translator, without locked ones as all that follows
        self.words_translated = 0
        self.to_translate: set[int] = set()
        self._stamps: dict[int, int] = {}  # by segment index, last changed at the end
        for segment in segments:
            self._count(segment, 1)

    def change(self, before: SegmentState, after: SegmentState) -> None:
        """Updates the counts for the change of one segment."""
        self._count(before, -1)
        self._count(after, 1)

    def _count(self, segment: SegmentState, sign: int) -> None:
        if segment.source:  # else it was merged into another
            self._count_one(segment, sign)
        if sign < 0:
            return
        self._stamps.pop(segment.index, None)
        self._stamps[segment.index] = segment.stamp
        if segment.target is None and segment.needs_translation:
            self.to_translate.add(segment.index)
        else:
            self.to_translate.discard(segment.index)

    def _count_one(self, segment: SegmentState, sign: int) -> None:
        self.num_attention += sign * bool(segment.attention)
        self.num_commented += sign * bool(segment.comment or segment.num_remarks)
        if segment.lock:
            self.num_locked += sign
            self._words_locked += sign * segment.num_words
            return
        self._by_state[segment.state] += sign
        self._words[segment.state] += sign * segment.num_words
        self._by_review[segment.review] += sign
        self.num_translated += sign * segment.is_translated
        self.words_translated += sign * segment.num_words * segment.is_translated

    def changed_since(self, version: int) -> Iterator[int]:
        """Indices of the segments changed after that workspace version, last changed first."""
        for index, stamp in reversed(self._stamps.items()):
            if stamp <= version:
                return
            yield index

    def counts(self) -> dict[str, int]:
        """Number of segments for each filter of the segment list; of states and reviews, without locked ones."""
        total, confirmed = self._by_state.total(), self._by_state["confirmed"]
        return {
            "all": total + self.num_locked,
            "open": total - confirmed,
            "edited": self._by_state["edited"],
            "confirmed": confirmed,
            "attention": self.num_attention,
            "commented": self.num_commented,
            "to_review": confirmed - self._by_review["approved"],
            "approved": self._by_review["approved"],
            "returned": self._by_review["returned"],
            "locked": self.num_locked,
        }

    def words(self) -> dict[str, int]:
        """Source words of the confirmed segments, of all segments that are not locked, and of the locked ones."""
        return {"confirmed": self._words["confirmed"], "all": self._words.total(), "locked": self._words_locked}
