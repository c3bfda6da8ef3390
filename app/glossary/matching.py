"""Where terms stand in a text, found in one pass by its words, whatever their number.

Knows how a term is told apart from other letters: at word boundaries, longest first, with capitals that matter in
"IT" and do not in "Router", in any form of its words where it says so. Knows nothing of files or constraints.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.formats.placeholders import atoms
from app.glossary.folding import FoldedText, fold_spelling, fold_term, token_end, tokens
from app.glossary.lemmas import lemmatiser
from app.glossary.terms import STATUS_RANK, Term, TermHit, TermMatches
from engine import is_word_char, stands_alone

_Priority = tuple[int, int, bool, int, int, bool, int]
_Candidate = tuple[int, int, Iterable[int]]


@dataclass(frozen=True)
class Glossary:
    """Terms with an index by first word, made once. A search takes time by the text, not by the number of terms.

    `language` is that of the sources: terms that are matched by lemma need it. `parts` are the places in `terms` at
    which one glossary ends and another begins, those of higher priority first. Of two terms for the same words the one
    of the document counts, then that of the earlier part, then by status, then the one whose capitals matter, then the
    earlier one.
    """

    terms: tuple[Term, ...] = ()
    name: str = ""
    language: str = ""
    parts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def checksum(self) -> str:
        """SHA-256 of the terms in order, for the log."""
        return checksum_of(self.terms)

    def find(self, text: str) -> tuple[TermHit, ...]:
        """The terms in `text`, in its order; those that are required do not overlap, as the longest wins."""
        return self.search(text).hits

    def search(self, text: str) -> TermMatches:
        """The terms in `text`, and apart from them those that another term covers or cuts."""
        taken_by: list[TermHit | None] = [None] * len(text)
        hits: list[TermHit] = []
        suppressed: list[TermHit] = []
        rivals: dict[tuple[int, int], list[Term]] = {}
        kept = [(atom.start, atom.end) for atom in atoms(text)]
        matches = (match for match in self._matches(text) if not _is_part(match[1], kept))
        for _, hit in sorted(matches, key=lambda match: match[0]):
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

    def _matches(self, text: str) -> Iterator[tuple[_Priority, TermHit]]:
        """Every place where a term stands, overlaps included, with what decides between them."""
        folded = FoldedText(text)
        words, lemma_index = self._indices
        for start, end, numbers in words.candidates(folded.lower):
            for number in numbers:
                if hit := self._hit(folded, start, end, self.terms[number]):
                    yield self._priority(hit, number), hit
        if lemma_index:
            lemmas = _LemmaText(folded, self.language)
            for start, end, numbers in lemma_index.candidates(lemmas.text):
                if end in lemmas.places:
                    for number in numbers:
                        if hit := self._hit(folded, lemmas.places[start], lemmas.places[end], self.terms[number]):
                            yield self._priority(hit, number), hit

    @staticmethod
    def _hit(folded: FoldedText, start: int, end: int, term: Term) -> TermHit | None:
        """The term at these characters of the folded text, unless boundaries or capitals speak against it."""
        may_go_on = term.matching == "prefix"
        if not stands_alone(folded.exact, start, end, "start" if may_go_on else "word"):
            return None
        if term.is_case_exact and not _same_capitals(fold_spelling(term.source), folded.exact[start:end]):
            return None
        if may_go_on and is_word_char(folded.exact[end - 1]):
            end = token_end(folded.exact, end - 1)
        return TermHit(term, folded.starts[start], folded.ends[end - 1], folded.exact[start:end])

    @cached_property
    def _indices(self) -> tuple[_Index, _Index]:
        """The terms matched by their words, and those matched by lemma; made at the first search."""
        words, lemmas = _Index(), _Index()
        for number, term in enumerate(self.terms):
            if term.matching == "lemma":
                lemmas.add(_LemmaText(FoldedText(term.source), self.language).text, number)
            else:
                words.add(fold_term(term.source), number, may_go_on=term.matching == "prefix")
        return words, lemmas

    def _priority(self, hit: TermHit, number: int) -> _Priority:
        """Longest first, then leftmost, then as the class says; forbidden terms last, as they take no room."""
        term = hit.term
        length = 0 if term.status == "forbidden" else hit.start - hit.end
        rank = STATUS_RANK[term.status]
        part = bisect_right(self.parts, number)
        return length, hit.start, not term.is_for_document, part, rank, not term.is_case_exact, number


def checksum_of(terms: Iterable[Term]) -> str:
    """SHA-256 of the terms in order, for the log."""
    rows = json.dumps([(term.source, term.target, term.fields()) for term in terms])
    return hashlib.sha256(rows.encode("ascii")).hexdigest()


class _Index:
    """Numbers of terms by their key text, with the lengths of the keys that begin with each word."""

    def __init__(self) -> None:
        self._by_key: dict[str, list[int]] = {}
        self._lengths: dict[str, list[int]] = {}  # first token of a key -> lengths of the keys that begin so
        self._open_lengths: set[int] = set()  # of keys of one word that may go on

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def add(self, key: str, number: int, *, may_go_on: bool = False) -> None:
        """Remembers a term; a blank key is never found."""
        if not key:
            return
        numbers = self._by_key.setdefault(key, [])
        if not numbers:
            lengths = self._lengths.setdefault(key[: token_end(key, 0)], [])
            if len(key) not in lengths:
                lengths.append(len(key))
        if may_go_on and token_end(key, 0) == len(key):
            self._open_lengths.add(len(key))
        numbers.append(number)

    def candidates(self, text: str) -> Iterator[_Candidate]:
        """(start, end, numbers) wherever a key stands at the start of a token."""
        for start, end in tokens(text):
            lengths: Iterable[int] = self._lengths.get(text[start:end], ())
            if self._open_lengths:
                lengths = {*lengths, *(length for length in self._open_lengths if length < end - start)}
            for length in lengths:
                if (numbers := self._by_key.get(text[start : start + length])) and start + length <= len(text):
                    yield start, start + length, numbers


class _LemmaText:
    """A folded text with each word in its dictionary form. `places`: from its token edges to those of the text."""

    def __init__(self, folded: FoldedText, language: str) -> None:
        lemma = lemmatiser(language)
        parts: list[str] = []
        self.places: dict[int, int] = {}
        length = 0
        for start, end in tokens(folded.exact):
            self.places[length] = start
            word = folded.exact[start:end]
            part = lemma(word) if is_word_char(word[0]) else word
            parts.append(part)
            length += len(part)
        self.places[length] = len(folded.exact)
        self.text = "".join(parts)


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
