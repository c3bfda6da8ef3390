"""Dictionary forms of words (simplemma), the inflected forms of a target (form lists), and its use in a text.

The search and the checks accept the same: the target as given, its forms, and compounds of words of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product

from app.glossary.model import Term
from app.text.folding import FoldedText, folded, lower, spelt, token_end, tokens
from engine import compound_head, form_list, is_compound, is_word_char, occurrences

MAX_FORMS = 24
MIN_COMPOUND_HEAD = 4  # letters; shorter words are part of too many others ("Rat" in "Ratte")
_CACHED_WORDS = 100_000
_MAX_LETTERS = 60  # of a word that is looked up in the dictionary


@lru_cache(maxsize=4)
def lemmatiser(language: str) -> Callable[[str], str]:
    """A function from a word to its dictionary form in lower case; without a dictionary, only lower case.

    The dictionary is loaded at the first word and kept in memory (English: 0.4 s and 20 MB, German: 3 s and 90 MB).
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
    """The terms with the inflected forms of their targets, if their status allows forms.

    The last word of a target gets the forms that the list has for it. A lower-case word before it gets the forms of its
    dictionary form ("grafische Oberfläche": grafischen Oberfläche). Without a form list, no forms are added.
    """
    has_list = form_list(language) is not None
    return tuple(
        replace(
            term,
            language=language,
            inflections=_inflections(term, language) if has_list else (),
            joins_compounds=term.status == "preferred" and language == "de" and _is_noun(term.target),
        )
        if term.status in ("preferred", "forbidden")
        else term
        for term in terms
    )


def target_in(text: str, forms: Sequence[str], language: str = "", *, joins_compounds: bool = False) -> str | None:
    """The words of `text` that use a target, of which `forms` are the texts; None if it is not used.

    These are one of the forms in any capitals, a compound with one, or another form that the list or, without a list,
    the dictionary of the language has for each word of the first. Without a language, only the forms count.

    >>> target_in("Die Netzkabelstecker", ["Netzkabel"], "de", joins_compounds=True)
    'Netzkabelstecker'
    """
    found = FoldedText(text)
    keys = [key for key in dict.fromkeys(lower(folded(form).strip()) for form in forms) if key]
    span = next((place for key in keys for place in occurrences(found.lower, key)), None)
    if span is None and joins_compounds:
        span = next((word for key in keys for word in _compounds_with(found, key, language)), None)
    if span is None and language and keys:
        span = _other_form(found, folded(forms[0]).strip(), language)
    if span is None:
        return None
    start, end = found.span(*span)
    return text[start:end]


def _compounds_with(text: FoldedText, key: str, language: str) -> Iterable[tuple[int, int]]:
    """The words of the text that are compounds with these lower-case letters at their start or end."""
    for first, last in occurrences(text.lower, key, "start"):
        end = token_end(text.exact, last - 1)
        if is_compound(spelt(text.exact[first:end]), 0, len(spelt(text.exact[first:last])), language):
            yield first, end
    for first, last in occurrences(text.lower, key, "end"):
        start = first
        while start and is_word_char(text.exact[start - 1]):
            start -= 1
        word, other = spelt(text.exact[start:last]), spelt(text.exact[start:first])
        if is_compound(word, len(other), len(word), language):
            yield start, last


def _other_form(text: FoldedText, target: str, language: str) -> tuple[int, int] | None:
    """The first words of the text that are forms of the words of the target, in its order."""
    wanted = target.split(" ")
    starts = tuple(lower(word)[:2] for word in wanted)
    words = [span for span in tokens(text.exact) if is_word_char(text.exact[span[0]])]
    for number in range(len(words) - len(wanted) + 1):
        window = words[number : number + len(wanted)]
        if text.lower[slice(*window[0])][:2] != starts[0] and form_list(language) is None:
            continue  # the dictionary is loaded only for words that look alike
        if all(_is_form(spelt(word), spelt(text.exact[slice(*span)]), n + 1 == len(wanted), language)
               for n, (word, span) in enumerate(zip(wanted, window, strict=True))):  # fmt: skip
            return window[0][0], window[-1][1]
    return None


def _is_form(word: str, other: str, is_last: bool, language: str) -> bool:
    """True if `other` is the word of a target or a form of it, in any capitals."""
    if len(other) > _MAX_LETTERS:
        return False
    if form_list(language) is not None:
        return lower(folded(other)) in _lower_forms(word, is_last, language)
    lemma = lemmatiser(language)
    return lower(folded(other)) == lower(folded(word)) or lemma(other) == lemma(word)


@lru_cache(maxsize=10_000)
def _lower_forms(word: str, is_last: bool, language: str) -> frozenset[str]:
    return frozenset(lower(folded(form)) for form in _forms_of(word, is_last, language))


def _inflections(term: Term, language: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for target in term.targets:
        words = target.split(" ")
        choices = [_forms_of(word, n + 1 == len(words), language) for n, word in enumerate(words)]
        for combination in islice(product(*choices), MAX_FORMS):
            found[" ".join(combination)] = None
    for target in term.targets:
        found.pop(target, None)
    return tuple(found)[:MAX_FORMS]


def _forms_of(word: str, is_last: bool, language: str) -> tuple[str, ...]:
    """A word of a target and its other forms in the list; a compound that is not listed has those of its last part."""
    forms = form_list(language)
    assert forms is not None
    if not is_last:  # perhaps an adjective before the noun
        lemma = forms.dictionary_form(word) if word[:1].islower() else None
        return (word,) if lemma is None else (word, *(form for form in forms.forms(lemma) if form != word))
    own = forms.forms(word)
    if not own and _is_noun(word) and not forms.knows(word) and (head := compound_head(word, language)):
        beginning = word[: len(word) - len(head)]
        own = tuple(beginning + lower(form) for form in forms.forms(head))
    return word, *own


def _is_noun(target: str) -> bool:
    """True if a German target ends in a noun that may be the first or last part of a compound."""
    head = target.split(" ")[-1]
    return len(head) >= MIN_COMPOUND_HEAD and head[0].isupper() and head.isalpha()
