"""The constraints of a request in a text as it is written, whose spans are those of this text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.decoding.constraints import PreparedRequest, apart
from engine.text import NormalText, occurrences
from engine.translation import Hypothesis, Placement

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RequiredTexts:
    """The phrases, locked texts and avoided texts of one request."""

    prepared: PreparedRequest

    def plain(self, text: str) -> NormalText:
        """The text as the model writes it, in which constraints are found."""
        assert self.prepared.reading is not None
        return self.prepared.reading.plain(text)

    def place(self, text: str) -> tuple[tuple[Placement, ...], tuple[int, ...]]:
        """The placements of the phrases, and the phrases that are missing or too frequent."""
        plain = self.plain(text)
        placements, unmet = self.prepared.place(plain.text)
        return tuple(_as_written(each, plain, text) for each in placements), unmet

    def with_given_characters(self, hypothesis: Hypothesis) -> Hypothesis:
        """A translation in which the phrases have the spaces and hyphens that were given, each in place of one."""
        assert self.prepared.reading is not None
        placements = self.prepared.place(self.plain(hypothesis.text).text)[0]
        bare = replace(hypothesis, placements=placements, locked=(), alignment=(), weak_alignment=(), listed=())
        text = self.prepared.reading.written(bare).text
        return replace(hypothesis, text=text) if len(text) == len(hypothesis.text) else hypothesis

    def place_ordered(self, text: str) -> tuple[Span, ...]:
        """The spans of the locked texts and the suffix, up to the first that is missing."""
        plain = self.plain(text)
        return tuple(plain.given_span(*span) for span in self.prepared.place_ordered(plain.text))

    def is_met(self, text: str) -> bool:
        """True if the text has all phrases that are not only expected, locked texts and the suffix."""
        is_met = all(self.prepared.phrases[number].is_expected for number in self.place(text)[1])
        return is_met and len(self.place_ordered(text)) == self.num_ordered

    def count(self, group: int, text: str) -> int:
        """The number of occurrences of phrases that are equal, which have this number."""
        phrase = self.prepared.constraints.phrases[group]
        return len(apart(self.prepared.spans_of(phrase, self.plain(text).text)))

    def has_too_many(self, text: str) -> bool:
        """True if the text has a phrase more often than its `max_count`."""
        phrases = self.prepared.phrases
        if all(phrase.max_count is None for phrase in phrases):
            return False
        return any(phrases[number].max_count is not None for number in self.place(text)[1])

    def avoided_at(self, text: str, places: Sequence[int]) -> list[Span]:
        """The spans of avoided texts that have one of these places inside."""
        plain = self.plain(text)
        found: list[Span] = []
        for avoided in self.prepared.constraints.avoided:
            inside = (plain.text.lower(), avoided.text.lower()) if avoided.ignores_case else (plain.text, avoided.text)
            spans = (plain.given_span(*span) for span in occurrences(*inside))
            found += ((start, end) for start, end in spans if any(start < place < end for place in places))
        return found

    @property
    def num_ordered(self) -> int:
        return self.prepared.num_ordered


def _as_written(placement: Placement, plain: NormalText, text: str) -> Placement:
    start, end = plain.given_span(placement.start, placement.end)
    return replace(placement, form=text[start:end], start=start, end=end)
