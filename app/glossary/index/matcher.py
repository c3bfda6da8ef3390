"""Where terms stand in a text, found in one pass by its words, whatever their number.

Knows how a term is told apart from other letters: at word boundaries, longest first, with capitals that matter in
"IT" and do not in "Router", in any form of its words where it says so, but not as part of a name in code. Knows
nothing of files or constraints.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.glossary.index.folding import FoldedText, fold_spelling, token_end
from app.glossary.index.term_index import SearchedText, TermIndex
from app.glossary.model import STATUS_RANK, Term, TermHit, TermMatches
from app.text.nontranslatables import nontranslatables
from engine import is_word_char, stands_alone

_Priority = tuple[int, int, bool, int, int, bool, int]

# Names in code and commands, which are no words of the sentence: get_class, date(1), open(), --file
_NAME = re.compile(r"(?<![\w-])--\w[\w-]*+|(?<!\w)_*+[^\W_]++(?:(?:_++[^\W_]++)++(?:\(\d?\))?|\(\d?\))")


@dataclass(frozen=True)
class TermMatcher:
    """Numbered terms of one or several glossaries searched as one, those of higher priority first.

    A search takes time by the text, not by the number of terms. `language` is that of the sources: terms that are
    matched by lemma need it. Of two terms for the same words the one of the document counts, then that of the earlier
    part, then by status, then the one whose capitals matter, then the one of the lower number.
    """

    parts: tuple[TermIndex, ...] = ()
    language: str = ""

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def find(self, text: str) -> tuple[TermHit, ...]:
        """The terms in `text`, in its order; those that are required do not overlap, as the longest wins."""
        return self.search(text).hits

    def search(self, text: str) -> TermMatches:
        """The terms in `text`, and apart from them those that another term covers or cuts."""
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

    def concerns(self, text: str) -> bool:
        """Whether any of the terms stands in the text, be it under another."""
        return next(self._matches(text), None) is not None

    def _matches(self, text: str) -> Iterator[tuple[_Priority, TermHit]]:
        """Every place where a term stands, overlaps included, with what decides between them."""
        searched = SearchedText(text, self.language)
        kept: list[tuple[int, int]] | None = None
        for part, terms in enumerate(self.parts):
            for number, start, end in terms.candidates(searched):
                hit = _hit(searched.folded, start, end, terms[number], part)
                if hit is None:
                    continue
                if kept is None:
                    kept = [(atom.start, atom.end) for atom in nontranslatables(text)]
                    kept += [match.span() for match in _NAME.finditer(text)]
                if not _is_part(hit, kept):
                    yield _priority(hit, number), hit


def term_matcher(terms: Iterable[Term], language: str = "") -> TermMatcher:
    """A matcher of these terms alone; `language` is the language of their sources."""
    return TermMatcher((TermIndex(dict(enumerate(terms))),), language)


def _hit(folded: FoldedText, start: int, end: int, term: Term, part: int) -> TermHit | None:
    """The term at these characters of the folded text, unless boundaries or capitals speak against it."""
    may_go_on = term.matching == "prefix"
    if not stands_alone(folded.exact, start, end, "start" if may_go_on else "word"):
        return None
    if term.is_case_exact and not _same_capitals(fold_spelling(term.source), folded.exact[start:end]):
        return None
    if may_go_on and is_word_char(folded.exact[end - 1]):
        end = token_end(folded.exact, end - 1)
    return TermHit(term, folded.starts[start], folded.ends[end - 1], folded.exact[start:end], priority=part)


def _priority(hit: TermHit, number: int) -> _Priority:
    """Longest first, then leftmost, then as `TermMatcher` says; forbidden terms last, as they take no room."""
    term = hit.term
    length = 0 if term.status == "forbidden" else hit.start - hit.end
    rank = STATUS_RANK[term.status]
    return length, hit.start, not term.is_for_document, hit.priority, rank, not term.is_case_exact, number


def checksum_of(terms: Iterable[Term]) -> str:
    """SHA-256 of the terms in order, for the log."""
    rows = json.dumps([(term.source, term.target, term.fields()) for term in terms])
    return hashlib.sha256(rows.encode("ascii")).hexdigest()


def _is_part(hit: TermHit, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a hit is part of something that is not translated: "download" in "https://harbor.example/download"."""
    return any(start <= hit.start and hit.end <= end and hit.end - hit.start < end - start for start, end in spans)


def _same_capitals(source: str, found: str) -> bool:
    """Whether the letters that two spellings share from the start are capitals in both or in neither."""
    for wanted, character in zip(source, found, strict=False):
        if wanted != character:
            return wanted.lower() != character.lower()  # another form of the word goes on differently
    return True


def _in_text_order(hits: Iterable[TermHit]) -> tuple[TermHit, ...]:
    return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.term.row)))
