"""Dry run of a glossary on a document, without decoding: where terms occur and where their targets are missing.

Reads segments and terms only; independent of the model, the log and the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.glossary import Term, TermHit
from app.glossary.model import TermMatches
from app.segments.findings import unmet_texts
from app.segments.resolved_constraints import term_key
from app.segments.segment_constraints import contains_banned
from app.segments.state import SegmentState
from engine import Avoid

Search = Callable[[str], TermMatches]
# How many terms the page lists at once, and how many segments for each.
MAX_LISTED: Final = 1000
MAX_PLACES: Final = 50


@dataclass(slots=True)
class TermUse:
    """One term and the indices of the segments with the term in the source; `num_hits` counts all occurrences.

    `unused_in` are confirmed segments without the target and its forms, or with the target of a forbidden term.
    """

    term: Term
    num_hits: int = 0
    segments: list[int] = field(default_factory=list)
    unused_in: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Suppressed:
    """A term that is overridden by the term `by`: a longer one, or one of higher priority for the same words."""

    term: Term
    by: Term
    is_same_place: bool
    num_hits: int = 0
    segments: list[int] = field(default_factory=list)


@dataclass(slots=True)
class DryRun:
    """Result of a dry run: `uses` of the terms found and `suppressed` terms, most frequent first."""

    num_segments: int
    num_terms: int
    segments_hit: list[int]
    uses: list[TermUse]
    suppressed: list[Suppressed]

    @property
    def num_without_hits(self) -> int:
        """Number of terms that do not occur in the document."""
        return self.num_terms - len(self.uses)

    def summary(self) -> dict[str, Any]:
        """The counts as JSON."""
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

    def view(self) -> dict[str, Any]:
        """The counts, the terms found and the terms overridden, for the page."""
        return {
            **self.summary(),
            "uses": [
                {**_term_view(use.term), "num_hits": use.num_hits, "segments": use.segments[:MAX_PLACES],
                 "unused_in": use.unused_in[:MAX_PLACES]}
                for use in self.uses[:MAX_LISTED]
            ],
            "suppressed": [
                {**_term_view(lost.term), "by": _term_view(lost.by), "is_same_place": lost.is_same_place,
                 "num_hits": lost.num_hits, "segments": lost.segments[:MAX_PLACES]}
                for lost in self.suppressed[:MAX_LISTED]
            ],
        }  # fmt: skip


def dry_run(segments: Iterable[SegmentState], search: Search, num_terms: int) -> DryRun:
    """Searches the source of each segment with `search`, a glossary search over `num_terms` terms."""
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


def _term_view(term: Term) -> dict[str, str]:
    return {"source": term.source, "target": term.target, "glossary": term.glossary, "status": term.status}


def _note(places: list[int], index: int) -> None:
    if places[-1:] != [index]:
        places.append(index)


def _winner(lost: TermHit, hits: Iterable[TermHit]) -> TermHit:
    """The hit that overrides this one: the first that overlaps it."""
    overlapping = [hit for hit in hits if hit.start < lost.end and lost.start < hit.end]
    return min(overlapping, key=lambda hit: (hit.term.status == "forbidden", hit.start - hit.end))


def _unused(segment: SegmentState) -> set[str]:
    """Keys of the active terms that the segment's text does not follow."""
    text = segment.text or ""
    missing = set(unmet_texts(segment, text))
    keys = {key for one in segment.resolved.required if one.text in missing for key in one.term_keys}
    for hit in segment.hits:
        term = hit.term
        is_on = term_key(term) not in segment.constraints.terms_off
        if (
            term.status == "forbidden"
            and is_on
            and any(contains_banned(text, Avoid(target)) for target in term.targets)
        ):
            keys.add(term_key(term))
    return keys
