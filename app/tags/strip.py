"""Removes tags from a text and replaces addresses by short names, with a mapping back to the original offsets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]


class Cut(NamedTuple):
    """A span of a text and its replacement: "" for a tag, or a space if the tag separates two words."""

    start: int
    end: int
    text: str = ""
    is_tag: bool = False


@dataclass(frozen=True, slots=True)
class BareText:
    """A text without tags. Character i stands for `original[starts[i]:ends[i]]`.

    `tag_places` are the offsets in the new text where the tags were.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tag_places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, cuts: Iterable[Cut] = ()) -> BareText:
        """Makes the cuts, which must not overlap. Collapses spaces with only tags between them; drops a leading one."""
        maker = _Maker(text)
        for cut in sorted(cuts):
            maker.copy(cut.start)
            maker.make(cut)
        maker.copy(len(text))
        return cls("".join(maker.characters), tuple(maker.starts), tuple(maker.ends), tuple(maker.tag_places))

    def stripped(self) -> BareText:
        """The text without the space that a final tag has left."""
        length = len(self.text.rstrip())
        places = tuple(min(place, length) for place in self.tag_places)
        return BareText(self.text[:length], self.starts[:length], self.ends[:length], places)

    def original_span(self, start: int, end: int) -> Span:
        """The original span of a span of this text."""
        return self.starts[start], self.ends[end - 1]

    def span_of(self, start: int, end: int) -> Span | None:
        """The span of this text that corresponds to a span of the original; None if nothing is left of it."""
        own = enumerate(zip(self.starts, self.ends, strict=True))
        inside = [place for place, (first, last) in own if first < end and start < last]
        return (inside[0], inside[-1] + 1) if inside else None


class _Maker:
    """Builds the text up to `position` of the original."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.is_behind_tag = False
        self.characters: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.tag_places: list[int] = []

    def copy(self, end: int) -> None:
        for place in range(self.position, end):
            if not (self.text[place] == " " and self.is_behind_tag and self._is_spaced):
                self._add(self.text[place], place, place + 1)
            self.is_behind_tag = False
        self.position = end

    def make(self, cut: Cut) -> None:
        if cut.is_tag:
            self.tag_places.append(len(self.characters))
        if not (cut.is_tag and self._is_spaced and not cut.text.strip(" ")):
            self._add(cut.text, cut.start, cut.end)
        self.is_behind_tag = cut.is_tag
        self.position = cut.end

    @property
    def _is_spaced(self) -> bool:
        return not self.characters or self.characters[-1].isspace()

    def _add(self, characters: str, start: int, end: int) -> None:
        self.characters += characters
        self.starts += [start] * len(characters)
        self.ends += [end] * len(characters)
