"""A text without its tags and with short names in place of addresses, and what each of its characters stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]


class Cut(NamedTuple):
    """A stretch of a text and what comes in its place; a tag leaves nothing, or a space where it parts two words."""

    start: int
    end: int
    text: str = ""
    is_tag: bool = False


@dataclass(frozen=True, slots=True)
class BareText:
    """What is left of a text. Character i stands for the stretch from `starts[i]` to `ends[i]` of it.

    `tag_places` says before which characters the tags stood.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tag_places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, cuts: Iterable[Cut] = ()) -> BareText:
        """The cuts lie apart. Of two spaces with only tags between them one is left, and none before the first word."""
        maker = _Maker(text)
        for cut in sorted(cuts):
            maker.copy(cut.start)
            maker.make(cut)
        maker.copy(len(text))
        return cls("".join(maker.characters), tuple(maker.starts), tuple(maker.ends), tuple(maker.tag_places))

    def stripped(self) -> BareText:
        """Without the space that a tag at the end has left there."""
        length = len(self.text.rstrip())
        places = tuple(min(place, length) for place in self.tag_places)
        return BareText(self.text[:length], self.starts[:length], self.ends[:length], places)

    def original_span(self, start: int, end: int) -> Span:
        """What a stretch of this text stands for."""
        return self.starts[start], self.ends[end - 1]

    def span_of(self, start: int, end: int) -> Span | None:
        """The stretch of this text that stands for one of the original; None where nothing does."""
        own = enumerate(zip(self.starts, self.ends, strict=True))
        inside = [place for place, (first, last) in own if first < end and start < last]
        return (inside[0], inside[-1] + 1) if inside else None


class _Maker:
    """The text as it is being made, up to `position` of the original."""

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
        if not (cut.is_tag and self._is_spaced):
            self._add(cut.text, cut.start, cut.end)
        self.is_behind_tag = cut.is_tag
        self.position = cut.end

    @property
    def _is_spaced(self) -> bool:
        return self.characters[-1:] in ([], [" "])

    def _add(self, characters: str, start: int, end: int) -> None:
        self.characters += characters
        self.starts += [start] * len(characters)
        self.ends += [end] * len(characters)
