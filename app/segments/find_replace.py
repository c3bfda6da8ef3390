"""Find and replace in the translations of a document. Pure functions, independent of storage and the page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from app.errors import CommandError, check_fields
from app.segments.state import Json, SegmentState
from app.text.folding import FoldedText, folded, lower
from app.text.nontranslatables import NUMBERED_TAG
from engine import is_word_char, stands_alone

MAX_SHOWN = 200
MAX_CHARACTERS = 1000  # of a text to find, whose pattern `re` keeps in memory
_CONTEXT = 60  # characters of context around an occurrence


@dataclass(frozen=True, slots=True)
class Query:
    """Search text, replacement and options; `in_confirmed` includes confirmed segments.

    `in_proposals` includes texts of the model that nobody has edited or confirmed.
    """

    text: str
    replacement: str = ""
    matches_case: bool = False
    whole_words: bool = False
    in_confirmed: bool = False
    in_proposals: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        for text in (self.text, self.replacement):
            check_searched(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The non-overlapping occurrences in a text; a tag is found as a whole, not in part.

        >>> Query("der", whole_words=True).spans("Der Bruder, der")
        [(0, 3), (12, 15)]
        >>> Query("1").spans("{1}Seite 1{/1}")
        [(9, 10)]
        """
        if not self.text:
            return []
        found = self._occurrences(text)
        tags = NUMBERED_TAG.finditer(text) if found else ()
        cut = {place for tag in tags for place in range(tag.start() + 1, tag.end())}
        return [span for span in found if span[0] not in cut and span[1] not in cut]

    def _occurrences(self, text: str) -> list[tuple[int, int]]:
        """Where the text to find occurs, in parts of tags, too."""
        if self._is_about_characters:
            found = re.finditer(re.escape(self.text), text, 0 if self.matches_case else re.IGNORECASE)
            spans = (match.span() for match in found)
            return [span for span in spans if not self.whole_words or stands_alone(text, *span)]
        searched, needle = FoldedText(text), folded(self.text)
        letters, needle = (searched.exact, needle) if self.matches_case else (searched.lower, lower(needle))
        spans = (match.span() for match in re.finditer(re.escape(needle), letters))
        return [searched.span(*span) for span in spans if not self.whole_words or stands_alone(searched.exact, *span)]

    @property
    def _is_about_characters(self) -> bool:
        """True if the search must not be folded: for signs alone, and to replace a text by another way to write it."""
        needle = folded(self.text)
        return not any(map(is_word_char, needle)) or needle == folded(self.replacement)

    def replaced(self, text: str) -> str:
        """The text with every occurrence replaced."""
        parts, position = [], 0
        for start, end in self.spans(text):
            parts += [text[position:start], self.replacement]
            position = end
        return "".join([*parts, text[position:]])

    def runs(self, text: str) -> list[list[str]]:
        """The text as runs [kind, text], long unchanged ones shortened: "s" same, "d" deleted, "i" inserted."""
        runs: list[list[str]] = []
        position = 0
        for start, end in self.spans(text):
            runs += [["s", text[position:start]], ["d", text[start:end]], ["i", self.replacement]]
            position = end
        runs.append(["s", text[position:]])
        last = len(runs) - 1
        return [
            [kind, _shortened(part, keeps_start=at > 0, keeps_end=at < last) if kind == "s" else part]
            for at, (kind, part) in enumerate(runs)
            if part
        ]


def check_searched(text: str) -> None:
    """Raises CommandError if a person looks for a text that is too long, or for its replacement."""
    if len(text) > MAX_CHARACTERS:
        raise CommandError("A text to find, or its replacement, has at most {limit} characters.", limit=MAX_CHARACTERS)


def found_in(
    segments: Iterable[SegmentState], query: Query, held: Collection[int] = (), max_shown: int = MAX_SHOWN
) -> Json:
    """Number of occurrences and segments, and a preview of the first `max_shown` segments after the replacement.

    `segments` are those of a document, in its order; each row has the segment's number there, from 1. Segments that
    contain the text, but stay as they are, are counted apart: locked ones, and those that other people hold (`held`).
    """
    rows: list[Json] = []
    num_places = num_segments = num_locked = num_held = 0
    for number, segment in enumerate(segments, 1):
        if (text := text_for(segment, query)) is None:
            continue
        places = len(query.spans(text))
        if segment.lock or segment.index in held:
            num_locked += bool(places and segment.lock)
            num_held += bool(places and not segment.lock)
            continue
        num_places += places
        num_segments += places > 0
        if places and len(rows) < max_shown:
            runs = query.runs(text)
            rows.append({"index": segment.index, "number": number, "state": segment.state, "runs": runs})
    left = {"num_locked": num_locked, "num_held": num_held}
    return {"num_places": num_places, "num_segments": num_segments, **left, "rows": rows}


def text_for(segment: SegmentState, query: Query) -> str | None:
    """The segment's text, typed or machine-translated; None if the query excludes the segment."""
    if segment.state == "confirmed" and not query.in_confirmed:
        return None
    return segment.text if query.in_proposals else segment.target


def _shortened(text: str, *, keeps_start: bool, keeps_end: bool) -> str:
    head, tail = _CONTEXT * keeps_start, _CONTEXT * keeps_end
    if len(text) <= head + tail + 1 or not head + tail:
        return text
    return text[:head] + "…" + text[len(text) - tail :]
