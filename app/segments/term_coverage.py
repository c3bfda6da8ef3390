"""What the terms do to a document, found before anything is decoded: where they stand, and where their targets do not.

Reads segments and terms only; knows nothing of the model, the log or the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from app.glossary import Term, TermHit
from app.glossary.model import TermMatches
from app.segments.constraints import term_key
from app.segments.state import SegmentState, contains_banned, unmet_texts
from engine import Avoid

Search = Callable[[str], TermMatches]


@dataclass(slots=True)
class TermUse:
    """One term with the segments, by index, whose source holds it; `num_hits` counts every occurrence.

    `unused_in` are confirmed segments that lack the target and all its forms, or hold what a term forbids.
    """

    term: Term
    num_hits: int = 0
    segments: list[int] = field(default_factory=list)
    unused_in: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Suppressed:
    """A term that does not count where `by` stands over it: a longer one, or one of higher rank at the same words."""

    term: Term
    by: Term
    is_same_place: bool
    num_hits: int = 0
    segments: list[int] = field(default_factory=list)


@dataclass(slots=True)
class DryRun:
    """`uses` of the terms that stand in the document, the most frequent first; what was suppressed, likewise."""

    num_segments: int
    num_terms: int
    segments_hit: list[int]
    uses: list[TermUse]
    suppressed: list[Suppressed]

    @property
    def num_without_hits(self) -> int:
        """How many terms stand nowhere in the document."""
        return self.num_terms - len(self.uses)

    def summary(self) -> dict[str, Any]:
        """The counts, ready for JSON."""
        return {
            "num_segments": self.num_segments,
            "num_segments_hit": len(self.segments_hit),
            "num_terms": self.num_terms,
            "num_found": len(self.uses),
            "num_without": self.num_without_hits,
            "num_hits": sum(use.num_hits for use in self.uses),
            "num_suppressed": sum(lost.num_hits for lost in self.suppressed),
            "num_unused": sum(len(use.unused_in) for use in self.uses),
        }


def dry_run(segments: Iterable[SegmentState], search: Search, num_terms: int) -> DryRun:
    """Searches each segment's source; `search` finds its terms, of which there are `num_terms` in all."""
    run = DryRun(0, num_terms, [], [], [])
    uses: dict[str, TermUse] = {}
    lost: dict[tuple[str, str, bool], Suppressed] = {}
    for segment in segments:
        if not segment.source:
            continue  # merged into another
        run.num_segments += 1
        matches = search(segment.source)
        if matches.hits:
            run.segments_hit.append(segment.index)
        for hit in matches.hits:
            use = uses.setdefault(term_key(hit.term), TermUse(hit.term))
            use.num_hits += 1
            _note(use.segments, segment.index)
        for hit in matches.suppressed:
            by = _winner(hit, matches.hits)
            is_same_place = (by.start, by.end) == (hit.start, hit.end)
            pair = (term_key(hit.term), term_key(by.term), is_same_place)
            entry = lost.setdefault(pair, Suppressed(hit.term, by.term, is_same_place))
            entry.num_hits += 1
            _note(entry.segments, segment.index)
        if segment.state == "confirmed" and matches.hits:
            for key in _unused(replace(segment, hits=matches.hits)):
                _note(uses[key].unused_in, segment.index)
    run.uses = sorted(uses.values(), key=lambda use: -use.num_hits)
    run.suppressed = sorted(lost.values(), key=lambda entry: -entry.num_hits)
    return run


def _note(places: list[int], index: int) -> None:
    if places[-1:] != [index]:
        places.append(index)


def _winner(lost: TermHit, hits: Iterable[TermHit]) -> TermHit:
    """The hit that covers or cuts this one: the first that overlaps it."""
    overlapping = [hit for hit in hits if hit.start < lost.end and lost.start < hit.end]
    return min(overlapping, key=lambda hit: (hit.term.status == "forbidden", hit.start - hit.end))


def _unused(segment: SegmentState) -> set[str]:
    """The keys of the terms that the segment's text does not do as they say; terms that are off there are left out."""
    text = segment.text or ""
    lacking = set(unmet_texts(segment, text))
    keys = {key for wanted in segment.constraints if wanted.text in lacking for key in wanted.term_keys}
    for hit in segment.hits:
        term = hit.term
        is_on = term_key(term) not in segment.terms_off
        if (
            term.status == "forbidden"
            and is_on
            and any(contains_banned(text, Avoid(target)) for target in term.targets)
        ):
            keys.add(term_key(term))
    return keys
