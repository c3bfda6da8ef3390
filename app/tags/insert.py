"""Inserts tags into a text and replaces spans of it, with a mapping from old to new character offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.tags.placement import CLOSING_MARKS, PlacedTag, Span, Tag, separates_words


@dataclass(frozen=True, slots=True)
class TaggedText:
    """The new text, and for each offset i of the old one: a span starting (ending) at i now starts at `starts[i]`
    (ends at `ends[i]`)."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        """The new span of a span of the old text."""
        return (self.starts[start], self.ends[end]) if start < end else (self.starts[start], self.starts[start])


def insert_tags(text: str, tags: Sequence[PlacedTag], replaced: Sequence[tuple[int, int, str]]) -> TaggedText:
    """Inserts the tags and replaces the spans (start, end, new text), both in ascending order.

    No tag may be inside a replaced span. A space between two words goes to the side of the tags where the source has
    it.
    """
    gaps = [(gap, list(group)) for gap, group in groupby(tags, lambda tag: _gap(text, tag[0], replaced))]
    inserter = _Inserter(text)
    steps: list[tuple[Span, str | list[PlacedTag]]] = [*gaps, *(((start, end), new) for start, end, new in replaced)]
    for (start, end), what in sorted(steps, key=lambda step: (step[0], isinstance(step[1], str))):
        inserter.copy(start)
        if isinstance(what, str):
            inserter.replace(end, what)
        else:
            inserter.put([tag for _, tag in what], sum(place == start for place, _ in what), end)
    inserter.copy(len(text))
    return inserter.done()


def _gap(text: str, place: int, replaced: Sequence[tuple[int, int, str]]) -> Span:
    """The single space next to an offset, or an empty span at the offset."""
    for start in (place, place - 1):
        around = text[max(0, start - 1) : start], text[start : start + 1], text[start + 1 : start + 2]
        is_single = around[1] == " " and " " not in (around[0], around[2])
        if start >= 0 and is_single and not any(first <= start < last for first, last, _ in replaced):
            return start, start + 1
    return place, place


class _Inserter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.parts: list[str] = []
        self.length = 0
        self.starts = [0] * (len(text) + 1)
        self.ends = [0] * (len(text) + 1)

    def copy(self, end: int) -> None:
        """Copies the text up to `end`."""
        for place in range(self.position, end):
            self.starts[place] = self.length
            self._add(self.text[place])
            self.ends[place + 1] = self.length
        self.position = max(self.position, end)

    def replace(self, end: int, new: str) -> None:
        """Replaces the text up to `end`; spans that start or end inside it now start or end at its edges."""
        for place in range(self.position, end):
            self.starts[place] = self.length
        self._add(new)
        for place in range(self.position, end):
            self.ends[place + 1] = self.length
        self.position = end

    def put(self, tags: Sequence[Tag], num_before: int, end: int) -> None:
        """Inserts tags here, or around the space up to `end`; `num_before` of them belong to the word before it."""
        start = self.position
        slot = self._slot_of_space(tags, num_before, end) if end > start else None
        last = "".join(self.parts[-1:])[-1:]
        for number, tag in enumerate(tags):
            if slot == number or (tag.needs_space_before and last.strip()):
                self._add(" ")
            self._add(tag.text)
            last = tag.text[-1]
            following = self.text[end : end + 1]
            ends = following.isspace() or (tag.kind == "lone" and following in CLOSING_MARKS)
            if tag.needs_space_after and slot != number + 1 and not ends and (following or tags[number + 1 :]):
                self._add(" ")
                last = " "
        if slot == len(tags):
            self._add(" ")
        if end > start:
            self.starts[start], self.ends[end] = self.length, self.length
        self.position = end

    def done(self) -> TaggedText:
        self.starts[-1] = self.length
        return TaggedText("".join(self.parts), self.starts, self.ends)

    def _slot_of_space(self, tags: Sequence[Tag], num_before: int, end: int) -> int | None:
        """The index of the tag before which the space goes; None if one of the tags replaces the space."""
        votes = [0] * (len(tags) + 1)
        for number, tag in enumerate(tags):
            votes[number] += tag.has_space_before
            votes[number + 1] += tag.has_space_after
        before, after = self.text[self.position - 1 : self.position], self.text[end : end + 1]
        if not any(votes) and any(tag.separates_words for tag in tags) and separates_words(before, after):
            return None
        return max(range(len(votes)), key=lambda slot: (votes[slot], -abs(slot - num_before)))

    def _add(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)
