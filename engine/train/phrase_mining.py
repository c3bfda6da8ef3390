"""Finds set phrases for a model in a dictionary: expressions that the corpus translates one way, and the model wrongly.

An entry is a German word and the English expression of several words that translates it ("Arbeitsmarkt", "labour
market"). The corpus decides if it is unambiguous, in both directions. The model's translations of sentences of the
corpus decide if it is needed. Few words beside an entry can be wrong: the German side is one word, without an article
or adjective, and English words do not change by gender and case.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from engine.errors import TrainingError
from engine.model.set_phrases import SET_PHRASES
from engine.text import FormList
from engine.train.corpus import read_pairs
from engine.train.dictionary import synonym_pairs

COLUMNS: Final = ("en", "de")  # of a corpus
DIRECTIONS: Final = ("en-de", "de-en")
ENGLISH_WORDS: Final = range(2, 5)
MIN_GERMAN_LETTERS: Final = 8  # shorter words often have several senses
MIN_PAIRS: Final = 4  # of the corpus with an expression
MIN_AGREEING: Final = 0.75  # of these pairs have one of the dictionary's translations,
MIN_USUAL: Final = 0.7  # of these pairs the most frequent one,
MIN_BACK: Final = 0.5  # and of the pairs with this translation so many have the expression
MIN_ACCEPTED: Final = 0.08  # of the agreeing pairs have another translation that is accepted, too
NUM_EXAMPLES: Final = 3
MAX_EXAMPLE_WORDS: Final = 40

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENGLISH: Final = re.compile(r"(?!to |the |an? )[A-Za-z]+(?:[ -][A-Za-z]+)*")
_GERMAN: Final = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+")
Translate = Callable[[Sequence[str], str], Iterable[str]]  # sentences of a direction


@dataclass(slots=True)
class TermCounts:
    """The pairs of the corpus with an expression, those with each of its translations, and sentences of the latter."""

    pairs: int = 0
    translated: int = 0
    by_translation: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def terms_of(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    """By direction and expression in small letters, the translations among pairs of German and English."""
    found: dict[str, dict[str, list[str]]] = {direction: defaultdict(list) for direction in DIRECTIONS}
    for german, english in dict.fromkeys(pairs):
        is_compound = len(german) >= MIN_GERMAN_LETTERS and _GERMAN.fullmatch(german)
        if is_compound and len(english.split()) in ENGLISH_WORDS and _ENGLISH.fullmatch(english):
            found["en-de"][english.lower()].append(german)
            found["de-en"][german.lower()].append(english)
    return found


def count_terms(
    terms: Mapping[str, Mapping[str, list[str]]], pairs: Iterable[tuple[str, str]]
) -> dict[str, dict[str, TermCounts]]:
    """How pairs of English and German translate the terms, by direction and expression."""
    beginnings = {direction: {term.split()[0] for term in own} for direction, own in terms.items()}
    counts: dict[str, dict[str, TermCounts]] = {direction: defaultdict(TermCounts) for direction in terms}
    for pair in pairs:
        written = dict(zip(COLUMNS, pair, strict=True))
        words = {language: [word.lower() for word in _WORD.findall(text)] for language, text in written.items()}
        for direction, own in terms.items():
            source, target = direction.split("-")
            other = ""
            for term in _terms_in(words[source], own, beginnings[direction]):
                other = other or f" {' '.join(words[target])} "
                count = counts[direction][term]
                count.pairs += 1
                present = [one for one in own[term] if _has(other, one)]
                count.translated += bool(present)
                count.by_translation.update([max(present, key=len)] if present else [])
                if present and len(count.examples) < NUM_EXAMPLES and len(words[source]) <= MAX_EXAMPLE_WORDS:
                    count.examples.append(written[source])
    return counts


def _terms_in(words: Sequence[str], terms: Mapping[str, list[str]], beginnings: set[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word in beginnings:
            for size in reversed(range(1, ENGLISH_WORDS.stop)):
                term = " ".join(words[place : place + size])
                if term in terms:
                    yield term
                    break


def _has(text: str, translation: str) -> bool:
    """True if a text in small letters, with single spaces, has a translation, also with another ending."""
    stem = translation.lower()
    return f" {stem[:-2] if ' ' not in stem else stem}" in text


def unambiguous(counts: Mapping[str, Mapping[str, TermCounts]]) -> dict[str, dict[str, str]]:
    """By direction, the expressions that the corpus translates one way, with the usual translation."""
    found: dict[str, dict[str, str]] = {direction: {} for direction in counts}
    for direction, own in counts.items():
        back = counts["-".join(reversed(direction.split("-")))]
        for term, count in own.items():
            if count.pairs < MIN_PAIRS or count.translated < MIN_AGREEING * count.pairs:
                continue
            [(usual, number)] = count.by_translation.most_common(1)
            other = back.get(usual.lower(), TermCounts())
            num_back = sum(n for one, n in other.by_translation.items() if one.lower() == term)
            if number >= MIN_USUAL * count.translated and num_back >= MIN_BACK * max(1, other.pairs):
                found[direction][term] = usual
    return found


def mistranslated(
    direction: str,
    candidates: Iterable[str],
    terms: Mapping[str, list[str]],
    counts: Mapping[str, TermCounts],
    translate: Translate,
) -> list[str]:
    """The candidates for which no translation of an example has any of the dictionary's translations."""
    left = [term for term in candidates if counts[term].examples]
    for number in range(NUM_EXAMPLES):
        asked = [term for term in left if number < len(counts[term].examples)]
        texts = translate([counts[term].examples[number] for term in asked], direction)
        known = {
            term
            for term, text in zip(asked, texts, strict=True)
            if any(_has(f" {' '.join(_WORD.findall(text.lower()))} ", one) for one in terms[term])
        }
        left = [term for term in left if term not in known]
    return left


def mine_phrases(
    model: Path, corpora: Sequence[Path], dictionary: Path, forms: FormList, translate: Translate
) -> dict[str, int]:
    """Append the phrases to the model's set phrases; returns the number of new ones by direction."""
    terms = terms_of(synonym_pairs(dictionary))
    pairs = ((pair.first, pair.second) for corpus in corpora for pair in read_pairs(corpus))
    counts = count_terms(terms, pairs)
    path = model / SET_PHRASES
    try:
        old = path.read_text(encoding="utf-8") if path.exists() else ""
    except OSError as error:
        raise TrainingError(f"{path} cannot be read ({error})") from error
    taken = {(line.split("\t")[0], line.split("\t")[2].strip("^$")) for line in old.splitlines()}
    lines, numbers = [], {}
    for direction, usual in unambiguous(counts).items():
        candidates = [term for term in usual if (direction, term) not in taken]
        own = mistranslated(direction, candidates, terms[direction], counts[direction], translate)
        numbers[direction] = len(own)
        for term in sorted(own):
            count = counts[direction][term]
            accepted = [one for one, n in count.by_translation.most_common() if n >= MIN_ACCEPTED * count.translated]
            if direction == "en-de":
                accepted = [form for one in accepted for form in (one, *forms.forms(one))]
            lines.append(f"{direction}\t-\t{term}\t{'|'.join(dict.fromkeys(accepted))}\n")
    path.write_text(old + "".join(lines), encoding="utf-8")
    return numbers
