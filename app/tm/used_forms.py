"""Inflected forms of glossary targets, from entries of the translation memory with the term in their sources.

Uses only letters and the form lists, so that it loads no dictionary and its results never change.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from app.glossary import Term, term_matcher
from app.glossary.lemmas import MAX_FORMS
from app.text.folding import FoldedText, spelt, tokens
from app.tm.entries import EVERYTHING, MemoryScope
from app.tm.index import MemoryIndex
from engine import FormList, form_list

MAX_ENTRIES = 20  # examined for one term, most recently added first
MIN_SHARED = 4  # letters at the start that a form shares with its word
MAX_LOST = 2  # letters removed from the end of the word
MAX_ADDED = 3  # letters added in their place


def with_used_forms(
    term: Term, index: MemoryIndex, source_language: str, target_language: str, scope: MemoryScope = EVERYTHING
) -> Term:
    """The term with further forms of its targets found in the memory, if its status is "preferred".

    Forbidden terms get none: similar letters are not enough to keep a word out of translations.
    """
    if term.is_for_document or term.status != "preferred":
        return term
    forms = form_list(target_language)
    matcher = term_matcher([term], source_language)
    known = (*term.targets, *term.inflections)
    found: dict[str, None] = {}
    for entry in index.with_words(term.source, MAX_ENTRIES, scope):
        if matcher.occurs_in(entry.source):
            found.update(dict.fromkeys(used_forms(entry.target, known, len(term.targets), forms)))
    new = [form for form in found if form not in known]
    return replace(term, inflections=(*term.inflections, *new)[:MAX_FORMS]) if new else term


def used_forms(text: str, known: Sequence[str], num_targets: int, forms: FormList | None) -> list[str]:
    """Words of the text that are forms of the first `num_targets` of `known`; none if the text contains a known one.

    >>> used_forms("Les panneaux latéraux", ["panneau latéral"], 1, None)
    ['panneaux latéraux']
    """
    words = _words(text)
    there = {*words, *(word[:1].lower() + word[1:] for word in words)}
    patterns = [_pattern(target) for target in known]
    for pattern in patterns:
        if there.issuperset(pattern) and any(
            all(map(_is_same, pattern, window)) for window in _windows(words, len(pattern))
        ):
            return []
    return [
        "".join(_written_like(*pair) for pair in zip(pattern, window, strict=True))
        for pattern in patterns[:num_targets]
        for window in _windows(words, len(pattern))
        if all(_is_same(*pair) or is_form(*pair, forms) for pair in zip(pattern, window, strict=True))
    ]


def is_form(word: str, other: str, forms: FormList | None = None) -> bool:
    """True if `other` is the word with a short ending added or replaced, unless a form list contradicts.

    Ignores accents, because they move ("sesión", "sesiones"), and the sentence-initial capital of a lower-case word.
    """
    other = _written_like(word, other)
    if not (word.isalpha() and other.isalpha()) or word[0] != other[0]:
        return False
    one, two = _bare(word), _bare(other)
    num_shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    num_lost, num_added = len(one) - num_shared, len(two) - num_shared
    if num_shared < MIN_SHARED or num_lost > MAX_LOST or num_added > MAX_ADDED or one == two:
        return False
    if forms is None:
        return True
    listed = _listed(word, forms)
    return other in listed if listed else not _listed(other, forms)  # a listed word is a form of another word


def _listed(word: str, forms: FormList) -> tuple[str, ...]:
    """The forms of the word and of its dictionary form; empty if the list has neither."""
    lemma = forms.dictionary_form(word)
    return (*forms.forms(word), *(forms.forms(lemma) if lemma is not None else ()))


def _words(text: str) -> list[str]:
    folded = FoldedText.of_words(text).exact
    return [spelt(folded[start:end]) for start, end in tokens(folded)]


@lru_cache(maxsize=1024)
def _pattern(target: str) -> tuple[str, ...]:
    return tuple(_words(target))


def _windows(words: Sequence[str], length: int) -> Iterator[Sequence[str]]:
    return (words[start : start + length] for start in range(len(words) - length + 1) if length)


def _is_same(word: str, other: str) -> bool:
    return _written_like(word, other) == word


def _written_like(word: str, other: str) -> str:
    """`other` without its sentence-initial capital, if the word is in lower case."""
    return other[:1].lower() + other[1:] if word[:1].islower() else other


def _bare(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
