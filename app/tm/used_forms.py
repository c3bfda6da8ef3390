"""The forms of terms' targets that people used: words of a memory's translations where its sources hold the term.

Goes by letters and by the form lists alone, so that it loads no dictionary and says the same at any time.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from app.glossary import Term, term_matcher
from app.glossary.form_list import FormList, form_list
from app.glossary.index.folding import FoldedText, tokens
from app.glossary.lemmas import MAX_FORMS
from app.tm.index import MemoryIndex

MAX_ENTRIES = 20  # looked at for one term; the last to come first
MIN_SHARED = 4  # letters that a form begins with like its word
MAX_LOST = 2  # letters at the end of the word that a form lacks
MAX_ADDED = 3  # letters that a form has in their place


def with_used_forms(term: Term, index: MemoryIndex, source_language: str, target_language: str) -> Term:
    """The term with further forms of its targets, those that stand in the memory, where it is a preferred one.

    A forbidden term takes none: letters alone shall keep no word out of the translations.
    """
    if term.is_for_document or term.status != "preferred":
        return term
    forms = form_list(target_language)
    wanted = term_matcher([term], source_language)
    known = (*term.targets, *term.inflections)
    found: dict[str, None] = {}
    for entry in index.holding(term.source, MAX_ENTRIES):
        if wanted.occurs_in(entry.source):
            found.update(dict.fromkeys(used_forms(entry.target, known, len(term.targets), forms)))
    new = [form for form in found if form not in known]
    return replace(term, inflections=(*term.inflections, *new)[:MAX_FORMS]) if new else term


def used_forms(text: str, known: Sequence[str], num_targets: int, forms: FormList | None) -> list[str]:
    """What stands in the text as a form of one of the first of the `known`; none where one of these itself does.

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
    """Whether `other` is the word with a short ending added or exchanged, and no list that knows either denies it.

    Accents do not count, as they move ("sesión", "sesiones"), nor does the capital of a word that begins small.
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
    return other in listed if listed else not _listed(other, forms)  # what the list knows is a form of another word


def _listed(word: str, forms: FormList) -> tuple[str, ...]:
    """The forms of the word, or of the word of which it is a form; empty where the list knows neither."""
    lemma = forms.dictionary_form(word)
    return (*forms.forms(word), *(forms.forms(lemma) if lemma is not None else ()))


def _words(text: str) -> list[str]:
    folded = FoldedText(text).exact
    return [folded[start:end] for start, end in tokens(folded)]


@lru_cache(maxsize=1024)
def _pattern(target: str) -> tuple[str, ...]:
    return tuple(_words(target))


def _windows(words: Sequence[str], length: int) -> Iterator[Sequence[str]]:
    return (words[start : start + length] for start in range(len(words) - length + 1) if length)


def _is_same(word: str, other: str) -> bool:
    return _written_like(word, other) == word


def _written_like(word: str, other: str) -> str:
    """`other` without the capital that begins a sentence, where the word begins small."""
    return other[:1].lower() + other[1:] if word[:1].islower() else other


def _bare(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
