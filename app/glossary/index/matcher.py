"""The terms in a text, found in one pass over its words, however many terms there are.

A term matches at word boundaries, the longest first; with capitals for "IT" but not for "Router"; in any form of its
words if it is matched by lemma; but never inside a name, nor joined to less than a word by a hyphen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from app.glossary.index.names import Names, is_part_of_compound
from app.glossary.index.term_index import SearchedText, TermIndex
from app.glossary.model import STATUS_RANK, Term, TermHit, TermMatches
from app.text.folding import fold_spelling, spelt, token_end
from engine import is_word_char, stands_alone

_Priority = tuple[int, int, bool, int, int, bool, int]


@dataclass(frozen=True)
class TermMatcher:
    """The term indexes of one or more glossaries, searched together; the first has the highest priority.

    The time of a search depends on the length of the text, not on the number of terms. `language` is the language of
    the sources, needed to match by lemma. Of two terms for the same words, a document term wins; then the one of the
    earlier part, the one with the lower status rank, the case-sensitive one, and the one with the lower number.
    """

    parts: tuple[TermIndex, ...] = ()
    language: str = ""

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def find(self, text: str) -> tuple[TermHit, ...]:
        """The terms in `text`, in text order; required terms do not overlap, the longest wins."""
        return self.search(text).hits

    def search(self, text: str) -> TermMatches:
        """The terms in `text`, and separately those that overlap a winning term."""
        taken_by: list[TermHit | None] = [None] * len(text)
        hits: list[TermHit] = []
        suppressed: list[TermHit] = []
        rivals: dict[tuple[int, int], list[Term]] = {}
        for _, hit in sorted(self._matches(text), key=lambda match: match[0]):
            winner = next((other for other in taken_by[hit.start : hit.end] if other is not None), None)
            span = (hit.start, hit.end)
            is_same_place = winner is not None and (winner.start, winner.end) == span
            if hit.term.status == "forbidden" and (winner is None or is_same_place):
                hits.append(hit)
            elif winner is None:
                taken_by[hit.start : hit.end] = [hit] * (hit.end - hit.start)
                hits.append(hit)
            else:
                suppressed.append(hit)
                if is_same_place and hit.term.targets != winner.term.targets:
                    rivals.setdefault(span, []).append(hit.term)
        if rivals:
            hits = [
                replace(hit, rivals=tuple(rivals.get((hit.start, hit.end), ())))
                if hit.term.status != "forbidden"
                else hit
                for hit in hits
            ]
        return TermMatches(_in_text_order(hits), _in_text_order(suppressed))

    def occurs_in(self, text: str) -> bool:
        """True if the text contains any of the terms, even one that would lose to another."""
        return next(self._matches(text), None) is not None

    def _matches(self, text: str) -> Iterator[tuple[_Priority, TermHit]]:
        """All matches, including overlapping ones, each with its priority (the lowest wins)."""
        searched = SearchedText(text, self.language)
        names: Names | None = None
        for part, terms in enumerate(self.parts):
            for number, start, end in terms.candidates(searched):
                hit = _hit(searched, start, end, terms[number], part)
                if hit is None:
                    continue
                names = names or Names(text)
                if not names.contain(hit.start, hit.end):
                    yield _priority(hit, number), hit


def term_matcher(terms: Iterable[Term], language: str = "") -> TermMatcher:
    """A matcher of these terms alone; `language` is the language of their sources."""
    return TermMatcher((TermIndex(dict(enumerate(terms))),), language)


def _hit(text: SearchedText, start: int, end: int, term: Term, part: int) -> TermHit | None:
    """The term at these characters of the folded text; None if word boundaries or capitals do not match."""
    folded = text.folded
    may_go_on = term.matching == "prefix"
    if not stands_alone(folded.exact, start, end, "start" if may_go_on else "word"):
        return None
    if term.is_case_exact and not _same_capitals(fold_spelling(term.source), folded.exact[start:end]):
        return None
    if may_go_on and is_word_char(folded.exact[end - 1]):
        end = token_end(folded.exact, end - 1)
    if is_part_of_compound(folded, (start, end), term, text.language):
        return None
    return TermHit(term, *folded.span(start, end), spelt(folded.exact[start:end]), priority=part)


def _priority(hit: TermHit, number: int) -> _Priority:
    """Longest first, then leftmost, then as in `TermMatcher`; forbidden terms last, because they block no place."""
    term = hit.term
    length = 0 if term.status == "forbidden" else hit.start - hit.end
    rank = STATUS_RANK[term.status]
    return length, hit.start, not term.is_for_document, hit.priority, rank, not term.is_case_exact, number


def checksum_of(terms: Iterable[Term]) -> str:
    """SHA-256 of the terms in order, for the log."""
    rows = json.dumps([(term.source, term.target, term.fields()) for term in terms])
    return hashlib.sha256(rows.encode("ascii")).hexdigest()


def _same_capitals(source: str, found: str) -> bool:
    """True if the common prefix of two spellings has capitals at the same positions."""
    for expected, character in zip(source, found, strict=False):
        if expected != character:
            return expected.lower() != character.lower()  # another form of the word continues differently
    return True


def _in_text_order(hits: Iterable[TermHit]) -> tuple[TermHit, ...]:
    return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.term.row)))
