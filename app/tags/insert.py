"""A text with tags put into it and stretches of it replaced, and where each of its characters stands then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.tags.placement import PlacedTag, Span, Tag, separates_words


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text made of another. What began at character i begins at `starts[i]`, what ended there ends at `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the text before stands."""
        return (self.starts[start], self.ends[end]) if start < end else (self.starts[start], self.starts[start])


def insert_tags(text: str, tags: Sequence[PlacedTag], replaced: Sequence[tuple[int, int, str]]) -> TaggedText:
    """The text with tags in it and the stretches (start, end, new text) replaced, both ascending.

    No tag may stand inside such a stretch. Between two words the space goes to the side of the tags on which the
    source has it.
    """
    gaps = [(gap, list(group)) for gap, group in groupby(tags, lambda tag: _gap(text, tag[0], replaced))]
    weaver = _Weaver(text)
    steps: list[tuple[Span, str | list[PlacedTag]]] = [*gaps, *(((start, end), new) for start, end, new in replaced)]
    for (start, end), what in sorted(steps, key=lambda step: (step[0], isinstance(step[1], str))):
        weaver.copy(start)
        if isinstance(what, str):
            weaver.replace(end, what)
        else:
            weaver.put([tag for _, tag in what], sum(place == start for place, _ in what), end)
    weaver.copy(len(text))
    return weaver.done()


def _gap(text: str, place: int, replaced: Sequence[tuple[int, int, str]]) -> Span:
    """The single space beside a place, or the place itself."""
    for start in (place, place - 1):
        around = text[max(0, start - 1) : start], text[start : start + 1], text[start + 1 : start + 2]
        is_single = around[1] == " " and " " not in (around[0], around[2])
        if start >= 0 and is_single and not any(first <= start < last for first, last, _ in replaced):
            return start, start + 1
    return place, place


class _Weaver:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.parts: list[str] = []
        self.length = 0
        self.starts = [0] * (len(text) + 1)
        self.ends = [0] * (len(text) + 1)

    def copy(self, end: int) -> None:
        """The text as it is up to `end`."""
        for place in range(self.position, end):
            self.starts[place] = self.length
            self._add(self.text[place])
            self.ends[place + 1] = self.length
        self.position = max(self.position, end)

    def replace(self, end: int, new: str) -> None:
        """Another text in place of that up to `end`; all that begins or ends in it begins or ends with it."""
        for place in range(self.position, end):
            self.starts[place] = self.length
        self._add(new)
        for place in range(self.position, end):
            self.ends[place + 1] = self.length
        self.position = end

    def put(self, tags: Sequence[Tag], num_before: int, end: int) -> None:
        """Tags at a place, or at the space up to `end`; `num_before` of them belong to the word before it."""
        start = self.position
        slot = self._slot_of_space(tags, num_before, end) if end > start else None
        last = "".join(self.parts[-1:])[-1:]
        for number, tag in enumerate(tags):
            needs_space = tag.is_between_spaces and last not in ("", " ")
            if slot == number or needs_space:
                self._add(" ")
            self._add(tag.text)
            last = tag.text[-1]
            following = self.text[end : end + 1]
            if (
                tag.is_between_spaces
                and slot != number + 1
                and not following.isspace()
                and (following or tags[number + 1 :])
            ):
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
        """Before which of the tags the space goes; None where one of them stands for it."""
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
