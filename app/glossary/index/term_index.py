"""An index of numbered terms that yields candidate matches in a text and is cheap to change.

The index of the initial terms is built at the first search. Later changes get a small index of their own, and the terms
that they replace are skipped in the large one, so that an edit among 100,000 terms costs as much as the edit. Word
boundaries, capitals and priorities are up to the matcher.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import merge

from app.glossary.lemmas import lemmatiser
from app.glossary.model import Term
from app.text.folding import FoldedText, fold_term, folded, lower, spelt, token_end, tokens
from engine import is_word_char

# The new term by number; None removes the term.
TermChanges = Mapping[int, Term | None]
# (number, start, end) in the folded text
Candidate = tuple[int, int, int]

# With more changes than this beside an index, the index is rebuilt at the next search.
MAX_CHANGED = 2000

_COMPOUND = re.compile(r"[^\W_]++(?:-[^\W_]++)++")


class SearchedText:
    """A text prepared for search in any number of indexes. `language` is its language."""

    def __init__(self, text: str, language: str) -> None:
        self.folded = FoldedText.of_words(text)
        self.language = language
        self.tokens = tuple(tokens(self.folded.lower))

    @cached_property
    def compounds(self) -> tuple[tuple[int, int], ...]:
        """Start and end of each hyphenated compound."""
        return tuple(match.span() for match in _COMPOUND.finditer(self.folded.lower))

    @cached_property
    def lemmas(self) -> LemmaText:
        """The text with its words in dictionary form; computed only if a term is matched by lemma."""
        return LemmaText(self.folded, self.language)


class TermIndex(Mapping[int, Term]):
    """An immutable mapping of terms by number, in the order of their numbers, with a search index."""

    def __init__(self, terms: Mapping[int, Term] | None = None) -> None:
        terms = terms or {}
        self._base = _Indexed({number: terms[number] for number in sorted(terms)})
        self._changes: TermChanges = {}

    def changed(self, changes: TermChanges) -> TermIndex:
        """A copy with terms replaced, added or (None) removed, by number. Shares the large index."""
        base = self._base.terms
        merged = {
            number: term
            for number, term in {**self._changes, **changes}.items()
            if base.get(number) is not term  # an unknown number, or a change that was undone
        }
        if len(merged) > MAX_CHANGED:
            kept = ((number, term) for number, term in {**base, **merged}.items() if term is not None)
            return TermIndex(dict(kept))
        after = TermIndex.__new__(TermIndex)
        after._base, after._changes = self._base, merged
        return after

    def changes_since(self, earlier: TermIndex) -> dict[int, Term | None]:
        """The changes that turn `earlier` into this index."""
        numbers: Iterable[int] = self._changes.keys() | earlier._changes.keys()
        if self._base is not earlier._base:
            numbers = self.keys() | earlier.keys()
        pairs = ((number, earlier.get(number), self.get(number)) for number in sorted(numbers))
        return {number: after for number, before, after in pairs if before is not after and before != after}

    def candidates(self, text: SearchedText) -> Iterator[Candidate]:
        """All places where the words of a term occur at the start of a token, once for each term."""
        for candidate in self._base.candidates(text):
            if candidate[0] not in self._changes:
                yield candidate
        yield from self._changed.candidates(text)

    def numbers_of(self, source: str, language: str) -> list[int]:
        """The numbers of the terms with this source, ignoring capitals and spelling variants."""
        key = fold_term(source)
        text = SearchedText(source, language)
        found = {number for number, start, end in self.candidates(text) if (start, end) == (0, len(key))}
        return sorted(number for number in found if fold_term(self[number].source) == key)

    @cached_property
    def _changed(self) -> _Indexed:
        return _Indexed({number: term for number, term in self._changes.items() if term is not None})

    def __getitem__(self, number: int) -> Term:
        term = self._changes[number] if number in self._changes else self._base.terms[number]
        if term is None:
            raise KeyError(number)
        return term

    def __iter__(self) -> Iterator[int]:
        base = self._base.terms
        if not self._changes:
            return iter(base)
        kept = (number for number in base if number not in self._changes or self._changes[number] is not None)
        return merge(kept, sorted(number for number in self._changed.terms if number not in base))

    def __len__(self) -> int:
        base = self._base.terms
        return len(base) - sum(number in base for number in self._changes) + len(self._changed.terms)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TermIndex):
            return not self.changes_since(other)
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # like a dict


class _Indexed:
    """Fixed terms with an index for each language, built at the first search."""

    def __init__(self, terms: dict[int, Term]) -> None:
        self.terms = terms
        self._indices: dict[str, tuple[_Index, _Index]] = {}

    def candidates(self, text: SearchedText) -> Iterator[Candidate]:
        words, lemmas = self._indices_for(text.language)
        for start, end, numbers in words.candidates(text.folded.lower, text.tokens) if words else ():
            for number in numbers:
                yield number, start, end
        for start, end, numbers in words.forms_of_compounds(text) if words.has_compounds else ():
            for number in numbers:
                yield number, start, end
        if lemmas:
            places = text.lemmas.places
            for start, end, numbers in lemmas.candidates(text.lemmas.text, text.lemmas.tokens):
                if end in places:
                    for number in numbers:
                        yield number, places[start], places[end]

    def _indices_for(self, language: str) -> tuple[_Index, _Index]:
        """The terms matched by their words, and those matched by lemma."""
        if language not in self._indices:
            words, lemmas = _Index(), _Index()
            for number, term in self.terms.items():
                if term.matching == "lemma":
                    lemmas.add(LemmaText(FoldedText.of_words(term.source), language).text, number)
                else:
                    words.add(fold_term(term.source), number, may_go_on=term.matching == "prefix")
            self._indices[language] = words, lemmas
        return self._indices[language]


class _Index:
    """Numbers of terms by key text, with the lengths of the keys that start with each word."""

    def __init__(self) -> None:
        self._by_key: dict[str, list[int]] = {}
        self._lengths: dict[str, list[int]] = {}  # first token of a key -> lengths of the keys that start with it
        self._open_lengths: set[int] = set()  # of one-word keys that match longer words (prefix matching)
        # Keys that are hyphenated compounds, by their text up to the last hyphen.
        self._compounds: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def add(self, key: str, number: int, *, may_go_on: bool = False) -> None:
        """Adds a term; an empty key is never found."""
        if not key:
            return
        numbers = self._by_key.setdefault(key, [])
        if not numbers:
            lengths = self._lengths.setdefault(key[: token_end(key, 0)], [])
            if len(key) not in lengths:
                lengths.append(len(key))
        if may_go_on and token_end(key, 0) == len(key):
            self._open_lengths.add(len(key))
        elif not numbers and _COMPOUND.fullmatch(key):
            self._compounds.setdefault(key[: key.rfind("-")], []).append(key)
        numbers.append(number)

    @property
    def has_compounds(self) -> bool:
        """True if there are keys that are hyphenated compounds."""
        return bool(self._compounds)

    def forms_of_compounds(self, text: SearchedText) -> Iterator[tuple[int, int, list[int]]]:
        """(start, end, numbers) of the compounds of the text that are other forms of a key: "add-ons" of "add-on"."""
        for start, end in text.compounds:
            compound = text.folded.lower[start:end]
            for key in self._compounds.get(compound[: compound.rfind("-")], ()):
                if key != compound and _is_form(key, compound, text.language):
                    yield start, end, self._by_key[key]

    def candidates(self, text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, list[int]]]:
        """(start, end, numbers) wherever a key occurs at the start of a token; `spans` are the tokens of the text."""
        for start, end in spans:
            lengths: Iterable[int] = self._lengths.get(text[start:end], ())
            if self._open_lengths:
                lengths = {*lengths, *(length for length in self._open_lengths if length < end - start)}
            for length in lengths:
                if (numbers := self._by_key.get(text[start : start + length])) and start + length <= len(text):
                    yield start, start + length, numbers


def _is_form(compound: str, other: str, language: str) -> bool:
    """True if two compounds that differ in their last parts are forms of one word."""
    lemma = lemmatiser(language)
    return lemma(other) == lemma(compound)


class LemmaText:
    """A folded text with each word in its dictionary form.

    `places` maps its token boundaries to those of the folded text; `tokens` are its own tokens.
    """

    def __init__(self, text: FoldedText, language: str) -> None:
        lemma = lemmatiser(language)
        parts: list[str] = []
        self.places: dict[int, int] = {}
        length = 0
        for start, end in tokens(text.exact):
            self.places[length] = start
            word = spelt(text.exact[start:end])
            part = lower(folded(lemma(word))) if is_word_char(word[0]) else word
            parts.append(part)
            length += len(part)
        self.places[length] = len(text.exact)
        self.text = "".join(parts)

    @cached_property
    def tokens(self) -> tuple[tuple[int, int], ...]:
        """Start and end of each token of the text in dictionary form."""
        return tuple(tokens(self.text))
