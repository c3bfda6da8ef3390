"""Words in their dictionary form (simplemma), and the forms that a target may take in a sentence (the form lists)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product

from app.glossary.form_list import FormList, form_list
from app.glossary.model import Term

MAX_FORMS = 24
MIN_COMPOUND_HEAD = 4  # letters; shorter ones are part of too many other words ("Rat" in "Ratte")
_CACHED_WORDS = 100_000


@lru_cache(maxsize=4)
def lemmatiser(language: str) -> Callable[[str], str]:
    """A function from a word to its dictionary form in lower case; of a language without a dictionary, to itself.

    The dictionary is loaded with the first word and stays in memory (English: 0.4 s and 20 MB, German: 3 s and 90 MB).
    """
    from simplemma import Lemmatizer
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if language not in SUPPORTED_LANGUAGES:
        return str.lower
    lemmatizer = Lemmatizer()

    @lru_cache(maxsize=_CACHED_WORDS)
    def lemma(word: str) -> str:
        return lemmatizer.lemmatize(word, lang=language).lower()

    return lemma


def with_forms(terms: Iterable[Term], language: str) -> tuple[Term, ...]:
    """The terms with the forms of their targets in that language, where their status allows forms.

    The last word of a target takes the forms that the list has for it; a word before it that begins small those of its
    dictionary form ("grafische Oberfläche": grafischen Oberfläche). Without a list nothing is added.
    """
    forms = form_list(language)
    return tuple(
        replace(
            term,
            inflections=_inflections(term, forms) if forms else (),
            joins_compounds=term.status == "preferred" and language == "de" and _is_noun(term.target),
        )
        if term.status in ("preferred", "forbidden")
        else term
        for term in terms
    )


def _inflections(term: Term, forms: FormList) -> tuple[str, ...]:
    def bend(word: str) -> tuple[str, ...]:
        """The forms that a word before the last takes as an adjective, itself first."""
        lemma = forms.dictionary_form(word) if word[:1].islower() else None
        return (word,) if lemma is None else (word, *(form for form in forms.forms(lemma) if form != word))

    found: dict[str, None] = {}
    for target in term.targets:
        words = target.split(" ")
        choices = (*map(bend, words[:-1]), (words[-1], *forms.forms(words[-1])))
        for combination in islice(product(*choices), MAX_FORMS):
            found[" ".join(combination)] = None
    for target in term.targets:
        found.pop(target, None)
    return tuple(found)[:MAX_FORMS]


def _is_noun(target: str) -> bool:
    """Whether a German target ends in a noun that may begin or end a compound."""
    head = target.split(" ")[-1]
    return len(head) >= MIN_COMPOUND_HEAD and head[0].isupper() and head.isalpha()
