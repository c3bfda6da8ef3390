"""Warnings about usable terms: capitals that only start a row, and targets that a model cannot spell.

The form lists and simplemma contain the words of a language. Callers pass the words that the model can write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from app.glossary.model import Term, has_inner_capitals
from app.glossary.reading.row_checks import Fix, RowReport
from app.i18n import Message
from engine import form_list


def initial_capitals(terms: Iterable[Term], language: str) -> Iterator[RowReport]:
    """Reports on the terms whose target seems to be capitalized only because it starts a row.

    The target would be required with that capital in the middle of sentences, too. Names and targets equal to the
    source are skipped: only a word that the language writes in lower case is reported.
    """
    is_written_small = _small_words(language)
    if is_written_small is None:
        return
    for term in terms:
        first = term.target.split(" ")[0]
        if term.status == "do_not_translate" or term.target == term.source or not first[:1].isupper():
            continue
        small = term.target[:1].lower() + term.target[1:]
        is_name = language != "de" and any(word[:1].isupper() for word in term.target.split(" ")[1:])
        if is_name or has_inner_capitals(first) or not first.isalpha() or not is_written_small(first.lower(), first):
            continue
        message = Message(
            "“{target}” would be required with a capital letter in the middle of a sentence, too. If it has the "
            "capital only because it starts the row, write “{small}”",
            target=term.target,
            small=small,
        )
        yield report_on(term, message, "initial", Fix(term, (replace(term, target=small),)))


def misspellings(terms: Iterable[Term], spelt: Mapping[str, str | None]) -> Iterator[RowReport]:
    """Reports the terms that a model cannot write; `spelt` maps a text to the text it would write, None if correct."""
    for term in terms:
        texts = [term.source] if term.status == "do_not_translate" else [*term.targets]
        if term.status == "forbidden" or any(spelt.get(text) is None for text in texts):
            continue
        message = Message(
            "the model cannot write “{target}”, only “{written}”, so it can never use the term: add a variant with "
            "other characters, or leave the row out",
            target=texts[0],
            written=spelt[texts[0]],
        )
        yield report_on(term, message, "unspellable", Fix(term))


def texts_to_spell(terms: Iterable[Term]) -> list[str]:
    """The texts that the model must be able to spell for these terms, each once."""
    texts: dict[str, None] = {}
    for term in terms:
        if term.status != "forbidden":
            texts.update(dict.fromkeys([term.source] if term.status == "do_not_translate" else term.targets))
    return list(texts)


def report_on(term: Term, message: str, kind: str, fix: Fix | None = None) -> RowReport:
    """A report on a usable term."""
    return RowReport(term.row, f"{term.source} → {term.target}", message, kind, fix)  # type: ignore[arg-type]


def _small_words(language: str) -> Callable[[str, str], bool] | None:
    """A function of a word in lower case and as given: whether the language writes it in lower case."""
    if (forms := form_list(language)) is not None:

        @lru_cache(maxsize=50_000)
        def by_list(small: str, given: str) -> bool:
            is_small = bool(forms.forms(small)) or forms.dictionary_form(small) is not None
            return is_small and not forms.forms(given) and forms.dictionary_form(given) is None

        return by_list
    from simplemma import is_known
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if language not in SUPPORTED_LANGUAGES:
        return None
    return lru_cache(maxsize=50_000)(lambda small, given: bool(is_known(small, lang=language)))
