"""Glossary terms, and where they stand in a source text.

Knows how a term is told apart from other letters: at word boundaries, longest first, with capitals that matter in
"IT" and do not in "Router". Knows nothing of files (see glossary_files.py) or of how a term becomes a constraint.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine import is_word_char, stands_alone

_CLUSTER = re.compile(r"\s+|\S[\u0300-\u036f]*")
_PLAIN_SPACES = re.compile(r"\s\s|[^\S ]")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


@dataclass(frozen=True, slots=True)
class Term:
    """One glossary entry: `target` must stand in the translation where `source` stands in the source text.

    `row` is the line of the file it came from, counted from 1; 0 where there is no file. `is_for_document` marks what
    a person required in the whole document, besides the glossary: of two terms for the same words it goes first.
    """

    source: str
    target: str
    row: int = 0
    is_for_document: bool = False

    @property
    def is_case_exact(self) -> bool:
        """Whether capitals must agree: those behind a word's first letter say so ("IT", "iPhone", not "New York")."""
        return any(
            character != character.lower() and is_word_char(before)
            for before, character in zip(self.source, self.source[1:], strict=False)
        )


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term found in a text, at these code points of the text as given."""

    term: Term
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What was found, in the order of the text: `hits` do not overlap; `suppressed` lost to a longer one."""

    hits: tuple[TermHit, ...]
    suppressed: tuple[TermHit, ...]


@dataclass(frozen=True)
class Glossary:
    """Terms with an index by first word, made once. A search takes time by the text, not by the number of terms."""

    terms: tuple[Term, ...] = ()
    name: str = ""
    _by_source: dict[str, list[Term]] = field(init=False, repr=False, compare=False)
    # First word or mark of a term -> the lengths of the terms that begin so, the longest first.
    _lengths: dict[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_source: dict[str, list[Term]] = {}
        lengths: dict[str, set[int]] = {}
        for term in self.terms:
            key = fold_term(term.source)
            if not key:
                continue
            by_source.setdefault(key, []).append(term)
            lengths.setdefault(key[: _token_end(key, 0)], set()).add(len(key))
        object.__setattr__(self, "_by_source", by_source)
        sorted_lengths = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}
        object.__setattr__(self, "_lengths", sorted_lengths)

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def checksum(self) -> str:
        """SHA-256 of the terms in order, for the log."""
        rows = json.dumps([(term.source, term.target) for term in self.terms])
        return hashlib.sha256(rows.encode("ascii")).hexdigest()

    def find(self, text: str) -> tuple[TermHit, ...]:
        """The terms in `text`, in its order; none overlap, as the longest wins (then the first)."""
        return self.search(text).hits

    def search(self, text: str) -> TermMatches:
        """The terms in `text`, and apart from them those that a longer term covers or cuts."""
        hits: list[TermHit] = []
        suppressed: list[TermHit] = []
        is_taken = bytearray(len(text))
        for hit in sorted(self._matches(text), key=_priority):
            if any(is_taken[hit.start : hit.end]):
                suppressed.append(hit)
            else:
                is_taken[hit.start : hit.end] = b"\1" * (hit.end - hit.start)
                hits.append(hit)
        return TermMatches(_in_text_order(hits), _in_text_order(suppressed))

    def _matches(self, text: str) -> Iterator[TermHit]:
        """Every place where a term stands, overlaps included."""
        folded = FoldedText(text)
        token_start = 0
        while token_start < len(folded.lower):
            token_end = _token_end(folded.lower, token_start)
            for length in self._lengths.get(folded.lower[token_start:token_end], ()):
                if token_start + length <= len(folded.lower):
                    yield from self._matches_at(folded, token_start, token_start + length)
            token_start = token_end

    def _matches_at(self, folded: FoldedText, start: int, end: int) -> Iterator[TermHit]:
        terms = self._by_source.get(folded.lower[start:end], ())
        if not terms or not stands_alone(folded.exact, start, end):
            return
        for term in terms:
            if not term.is_case_exact or fold_spelling(term.source) == folded.exact[start:end]:
                yield TermHit(term, folded.offsets[start], folded.offsets[end])


class FoldedText:
    """A text without the differences that do not tell terms apart, each character with its place in the original.

    Letters are composed (NFC), white space is one space, apostrophes are straight; `lower` is `exact` in lower case,
    of the same length. `exact[i]` stands at `text[offsets[i]:offsets[i + 1]]`.
    """

    def __init__(self, text: str) -> None:
        if not _PLAIN_SPACES.search(text) and unicodedata.is_normalized("NFC", text):
            self.exact = text.translate(_APOSTROPHES)
            self.offsets: Sequence[int] = range(len(text) + 1)
        else:
            exact: list[str] = []
            offsets: list[int] = []
            for match in _CLUSTER.finditer(text):
                cluster = match.group()
                folded = " " if cluster[0].isspace() else unicodedata.normalize("NFC", cluster)
                exact.append(folded.translate(_APOSTROPHES))
                offsets += [match.start()] * len(folded)
            self.exact = "".join(exact)
            self.offsets = [*offsets, len(text)]
        self.lower = _lower(self.exact)


def fold_spelling(source: str) -> str:
    """A term's source without the differences that never tell terms apart."""
    return FoldedText(source).exact


def fold_term(source: str) -> str:
    """The key of a term: `fold_spelling` in lower case."""
    return _lower(fold_spelling(source))


def _token_end(text: str, start: int) -> int:
    """The end of the word that begins at `start`; any other character stands for itself."""
    end = start + 1
    if is_word_char(text[start]):
        while end < len(text) and is_word_char(text[end]):
            end += 1
    return end


def _lower(text: str) -> str:
    """Lower case character by character, so that places stay: "İ", whose lower case is two characters, stays."""
    lowered = text.lower()
    if len(lowered) == len(text) and "ς" not in lowered:
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _priority(hit: TermHit) -> tuple[int, int, bool, bool, int]:
    """Longest first, then leftmost, then that of the document, the one whose capitals matter, the earlier row."""
    return hit.start - hit.end, hit.start, not hit.term.is_for_document, not hit.term.is_case_exact, hit.term.row


def _in_text_order(hits: Iterable[TermHit]) -> tuple[TermHit, ...]:
    return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.term.row)))
