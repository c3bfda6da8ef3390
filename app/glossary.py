"""Glossary terms, and where they stand in a source text.

Knows how a term is told apart from other letters: at word boundaries, longest first, with capitals that matter in
"IT" and do not in "Router". Knows nothing of files (see glossary_files.py) or of how a term becomes a constraint.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\w+|\S")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


@dataclass(frozen=True, slots=True)
class Term:
    """One glossary entry: `target` must stand in the translation where `source` stands in the source text.

    `row` is the line of the file it came from, counted from 1; 0 where there is no file.
    """

    source: str
    target: str
    row: int = 0

    @property
    def is_case_exact(self) -> bool:
        """Whether capitals must agree: those behind a word's first letter say so ("IT", "iPhone", not "New York")."""
        return any(
            character != character.lower() and is_word_character(before)
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
            first = _TOKEN.match(key)
            if first is None:
                continue
            by_source.setdefault(key, []).append(term)
            lengths.setdefault(first.group(), set()).add(len(key))
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
        for token in _TOKEN.finditer(folded.lower):
            start = token.start()
            for length in self._lengths.get(token.group(), ()):
                end = start + length
                terms = self._by_source.get(folded.lower[start:end])
                if terms is None or not stands_alone(folded.exact, start, end):
                    continue
                for term in terms:
                    if not term.is_case_exact or fold_spelling(term.source) == folded.exact[start:end]:
                        yield TermHit(term, folded.offsets[start], folded.offsets[end])


class FoldedText:
    """A text without the differences that do not tell terms apart, each character with its place in the original.

    Letters are composed (NFC), white space is one space, apostrophes are straight; `lower` is `exact` in lower case,
    of the same length. `exact[i]` stands at `text[offsets[i]:offsets[i + 1]]`.
    """

    def __init__(self, text: str) -> None:
        exact: list[str] = []
        self.offsets: list[int] = []
        for start, cluster in _clusters(text):
            folded = " " if cluster[0].isspace() else unicodedata.normalize("NFC", cluster).translate(_APOSTROPHES)
            for character in folded:
                exact.append(character)
                self.offsets.append(start)
        self.offsets.append(len(text))
        self.exact = "".join(exact)
        self.lower = _lower(self.exact)


def fold_spelling(source: str) -> str:
    """A term's source without the differences that never tell terms apart."""
    return FoldedText(source).exact


def fold_term(source: str) -> str:
    """The key of a term: `fold_spelling` in lower case."""
    return _lower(fold_spelling(source))


def is_word_character(character: str) -> bool:
    """Whether it is a letter, a mark or a digit: what makes a word longer."""
    return unicodedata.category(character)[0] in "LM" or unicodedata.category(character) == "Nd"


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is not a part of a longer word or number.

    "cat" does not stand alone in "concat", nor "1" in "1.000"; "Mail" does in "E-Mail", and "C++" before a comma.
    """
    first, last = text[start], text[end - 1]
    if end < len(text):
        after = text[end]
        if unicodedata.category(after)[0] == "M" or (is_word_character(last) and is_word_character(after)):
            return False
        if last.isdecimal() and after in ".," and text[end + 1 : end + 2].isdecimal():
            return False
    if start > 0:
        before = text[start - 1]
        if unicodedata.category(first)[0] == "M" or (is_word_character(first) and is_word_character(before)):
            return False
        if first.isdecimal() and before in ".," and start > 1 and text[start - 2].isdecimal():
            return False
    return True


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Runs of white space, and every other character with the marks behind it."""
    for match in re.finditer(r"\s+|\S[\u0300-\u036f]*", text):
        yield match.start(), match.group()


def _lower(text: str) -> str:
    """Lower case character by character, so that places stay: "İ", whose lower case is two characters, stays."""
    lowered = text.lower()
    if len(lowered) == len(text) and "ς" not in lowered:
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _priority(hit: TermHit) -> tuple[int, int, bool, int]:
    """Longest first, then leftmost, then the one whose capitals matter, then the earlier row."""
    return hit.start - hit.end, hit.start, not hit.term.is_case_exact, hit.term.row


def _in_text_order(hits: Iterable[TermHit]) -> tuple[TermHit, ...]:
    return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.term.row)))
