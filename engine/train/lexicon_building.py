"""Makes the lexicon of a model: words of a dictionary that training data and word frequencies let pass.

An entry has a mark if the corpus sometimes copies the word ("Server"), or if texts of the target language often have it
("News"), because then copying it may be right. If the corpus copies only names that are written like the word, or often
has the word and never copies it, the mark holds only where the word has a capital letter.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Final

from engine.errors import TrainingError
from engine.model.checkpoint import CARD, CONFIG
from engine.model.config import ModelConfig
from engine.model.directions import languages_of
from engine.model.lexicon import LEXICON, MAY_STAY, NAME_MAY_STAY, save_lexicons
from engine.text import FormList
from engine.train.corpus import read_pairs
from engine.train.dictionary import LANGUAGES, dictionary_licence, dictionary_pairs, synonym_pairs, word_frequency

COLUMNS: Final = ("en", "de")  # of a corpus
MAX_TRANSLATIONS: Final = 6  # of a word, most frequent first
MAX_FORMS: Final = 40  # of all translations of a word together, most frequent first
MAX_FREQUENCY: Final = 6.0  # Zipf, of a word of the source; the model knows more frequent ones
MIN_COUNT: Final = 2  # of a word in the corpus that a language has
MIN_COPIES: Final = 2  # pairs that have the word on both sides
MAX_COPIED: Final = 0.05  # share of the pairs with the word in which the other side has it too
MIN_PAIRS: Final = 10  # with the word: if none of them copies it, it is translated
MAX_FREQUENCY_OF_LOANS: Final = 3.5  # Zipf, of a word of the source in the target language
# Smallest frequency on the Zipf scale (wordfreq) of a translation and of an inflected form of it.
MIN_FREQUENCIES: Final = {"de": 1.5, "en": 2.5}
# A capitalised German word that English texts have so often is most often a name there (Schneider, Fischer).
MAX_FREQUENCY_OF_NAMES: Final = 2.5

_SECTION: Final = re.compile(r"\n## Lexicon\n.*?(?=\n## )", re.DOTALL)
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class CorpusWords:
    """How often the corpus has each word, and how often a pair has it on both sides.

    Both are counted for all words, and for those that are not names: in German all, otherwise those in small letters.
    """

    def __init__(self, languages: tuple[str, str]) -> None:
        self._all = {language: _Counts() for language in languages}
        self._no_names = {language: _Counts() for language in languages}

    def add(self, sides: Iterable[str]) -> None:
        """Count the words of a pair, each once a side."""
        written = [{*_WORD.findall(side)} for side in sides]
        lower = [{*map(str.lower, words)} for words in written]
        for language, words, own, other in zip(self._all, written, lower, reversed(lower), strict=True):
            self._all[language].add(own, other)
            self._no_names[language].add(own if language == "de" else words & own, other)

    def is_copied(self, word: str, language: str) -> bool:
        """True if translations of texts with this word of a language, not as a name, often contain it unchanged."""
        counts = self._no_names[language]
        return counts.copied[word] >= MIN_COPIES and counts.copied[word] > MAX_COPIED * counts.pairs[word]

    def is_copied_as_name(self, word: str, language: str) -> bool:
        """True if translations of texts with this word often contain it unchanged, as a name or not."""
        counts = self._all[language]
        return counts.copied[word] > MAX_COPIED * max(counts.pairs[word], 1)

    def is_translated(self, word: str, language: str) -> bool:
        """True if the corpus often has this word of a language, not as a name, and its translations never do."""
        counts = self._no_names[language]
        return counts.pairs[word] >= MIN_PAIRS and not counts.copied[word]

    def known(self, language: str) -> set[str]:
        """The words of a language that the corpus has more than once, in small letters."""
        return {word for word, count in self._all[language].pairs.items() if count >= MIN_COUNT}


@dataclass(frozen=True, slots=True)
class _Counts:
    """By word, the pairs that have it on one side, and those that also have it on the other."""

    pairs: Counter[str] = field(default_factory=Counter)
    copied: Counter[str] = field(default_factory=Counter)

    def add(self, words: Set[str], others: Set[str]) -> None:
        self.pairs.update(words)
        self.copied.update(words & others)


def build_lexicon(
    model: Path, corpora: Sequence[Path], dictionary: Path, forms_by_language: Mapping[str, FormList]
) -> dict[str, int]:
    """Write the lexicon into a model folder; returns the number of entries by direction."""
    config = ModelConfig.load(model / CONFIG)
    directions = [d for d in config.directions if sorted(languages_of(d)) == sorted(LANGUAGES)]
    if not directions:
        raise TrainingError(f"{model} translates neither from German to English nor back; a dictionary needs that")
    origin, licence = dictionary_licence(dictionary)
    words = CorpusWords(COLUMNS)
    for corpus in corpora:
        for pair in read_pairs(corpus):
            words.add((pair.first, pair.second))
    frequency = word_frequency()
    entries = {
        direction: _entries(direction, dictionary, words, frequency, forms_by_language) for direction in directions
    }
    targets = {languages_of(direction)[1] for direction in directions}
    save_lexicons(model / LEXICON, entries, {language: words.known(language) for language in sorted(targets)})
    counts = {direction: len(own) for direction, own in entries.items()}
    numbers = ", ".join(f"{number:,} words ({direction})" for direction, number in counts.items())
    _note_in_card(model / CARD, f"{numbers} of the dictionary {origin}, licence as stated: {licence}.")
    return counts


def _note_in_card(path: Path, text: str) -> None:
    """Write the section on the lexicon before the last section of the card, instead of an earlier one."""
    try:
        card = _SECTION.sub("", path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TrainingError(f"{path} cannot be read ({error}); write the model folder with `average` first") from error
    before, heading, rest = card.rpartition("\n## ")
    section = f"\n## Lexicon\n\n{fill(text, 120)} `python -m engine.train lexicon` selected them.\n"
    path.write_text(before + section + heading + rest, encoding="utf-8")


def read_forms(path: Path) -> FormList:
    """The word forms in an xz-compressed list; raises TrainingError for another file."""
    try:
        return FormList(lzma.decompress(path.read_bytes()))
    except (OSError, lzma.LZMAError) as error:
        raise TrainingError(f"{path} is not an xz-compressed list of word forms ({error})") from error


def _entries(
    direction: str,
    dictionary: Path,
    words: CorpusWords,
    frequency: Callable[[str, str], float],
    forms_by_language: Mapping[str, FormList],
) -> dict[str, list[str]]:
    """The translations of each word of the source, in all their forms, most frequent first."""
    source, target = languages_of(direction)
    found = _translations(direction, dictionary_pairs(dictionary), frequency)
    found = _translations(direction, synonym_pairs(dictionary), frequency) | found
    forms = forms_by_language.get(target)
    entries = {}
    for word, translations in found.items():
        best = sorted(translations, key=lambda one: (-translations[one], one))[:MAX_TRANSLATIONS]
        own = {form for one in best for form in (one, *(forms.forms(one) if forms else ()))}
        own = {form for form in own if frequency(form, target) >= MIN_FREQUENCIES[target]}
        if word not in map(str.lower, own):
            ranked = sorted(own, key=lambda form: (-frequency(form, target), form))[:MAX_FORMS]
            is_frequent = "-" not in word and frequency(word, target) >= MAX_FREQUENCY_OF_LOANS
            entries[word] = [*_mark(word, source, words, is_frequent), *ranked]
    return entries


def _translations(
    direction: str, pairs: Iterable[tuple[str, str]], frequency: Callable[[str, str], float]
) -> dict[str, dict[str, float]]:
    """The translations of each word of the source, with their frequencies; single words only."""
    source, target = languages_of(direction)
    found: dict[str, dict[str, float]] = {}
    for pair in pairs:
        texts = dict(zip(LANGUAGES, pair, strict=True))
        word, translation = (texts[language].removeprefix("to ") for language in (source, target))
        if not (_WORD.fullmatch(word) and _WORD.fullmatch(translation)) or _is_name(word, direction, frequency):
            continue
        is_rare = frequency(translation, target) < MIN_FREQUENCIES[target]
        if not is_rare and frequency(word, source) <= MAX_FREQUENCY:
            found.setdefault(word.lower(), {})[translation] = frequency(translation, target)
    return found


def _mark(word: str, source: str, words: CorpusWords, is_frequent: bool) -> list[str]:
    """The mark of a word that may be copied; `is_frequent`: texts of the target language often have it."""
    if words.is_copied(word, source) or (is_frequent and not words.is_translated(word, source)):
        return [MAY_STAY]
    return [NAME_MAY_STAY] if words.is_copied_as_name(word, source) or is_frequent else []


def _is_name(word: str, direction: str, frequency: Callable[[str, str], float]) -> bool:
    return direction == "de-en" and word[0].isupper() and frequency(word, "en") >= MAX_FREQUENCY_OF_NAMES
