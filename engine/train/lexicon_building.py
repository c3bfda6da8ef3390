"""Makes the lexicon of a model: words of a dictionary that training data and word frequencies let pass.

An entry has a mark if the corpus sometimes copies the word ("Server", names), or if texts of the target language often
have it ("News"), because then copying it may be right.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from engine.errors import TrainingError
from engine.model.checkpoint import CARD, CONFIG
from engine.model.config import ModelConfig
from engine.model.directions import languages_of
from engine.model.lexicon import LEXICON, MAY_STAY, save_lexicons
from engine.text import FormList
from engine.train.corpus import read_pairs
from engine.train.dictionary import LANGUAGES, dictionary_licence, dictionary_pairs, word_frequency

COLUMNS: Final = ("en", "de")  # of a corpus
MAX_TRANSLATIONS: Final = 6  # of a word, most frequent first
MAX_FORMS: Final = 40  # of all translations of a word together, most frequent first
MAX_FREQUENCY: Final = 6.0  # Zipf, of a word of the source; the model knows more frequent ones
MIN_COUNT: Final = 2  # of a word in the corpus that a language has
MAX_COPIED: Final = 0.05  # share of the pairs with the word in which the other side has it too
MAX_FREQUENCY_OF_LOANS: Final = 3.5  # Zipf, of a word of the source in the target language
# Smallest frequency on the Zipf scale (wordfreq) of a translation and of an inflected form of it.
MIN_FREQUENCIES: Final = {"de": 1.5, "en": 2.5}
# A capitalised German word that English texts have so often is most often a name there (Schneider, Fischer).
MAX_FREQUENCY_OF_NAMES: Final = 2.5

_SECTION: Final = re.compile(r"\n## Lexicon\n.*?(?=\n## )", re.DOTALL)
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class CorpusWords:
    """How often the corpus has each word, and how often a pair has it on both sides."""

    def __init__(self, languages: tuple[str, str]) -> None:
        self._counts: dict[str, Counter[str]] = {language: Counter() for language in languages}
        self._copied: Counter[str] = Counter()

    def add(self, sides: Iterable[str]) -> None:
        """Count the words of a pair, each once a side."""
        words = [{*map(str.lower, _WORD.findall(side))} for side in sides]
        for counts, own in zip(self._counts.values(), words, strict=True):
            counts.update(own)
        self._copied.update(set.intersection(*words))

    def is_copied(self, word: str, language: str) -> bool:
        """True if translations of texts with this word of a language often contain the word itself."""
        return self._copied[word] > MAX_COPIED * max(self._counts[language][word], 1)

    def known(self, language: str) -> set[str]:
        """The words of a language that the corpus has more than once, in small letters."""
        return {word for word, count in self._counts[language].items() if count >= MIN_COUNT}


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
    found: dict[str, dict[str, float]] = {}
    for pair in dictionary_pairs(dictionary):
        texts = dict(zip(LANGUAGES, pair, strict=True))
        word, translation = (texts[language].removeprefix("to ") for language in (source, target))
        if not (_WORD.fullmatch(word) and _WORD.fullmatch(translation)) or _is_name(word, direction, frequency):
            continue
        is_rare = frequency(translation, target) < MIN_FREQUENCIES[target]
        if not is_rare and frequency(word, source) <= MAX_FREQUENCY:
            found.setdefault(word.lower(), {})[translation] = frequency(translation, target)
    forms = forms_by_language.get(target)
    entries = {}
    for word, translations in found.items():
        best = sorted(translations, key=lambda one: (-translations[one], one))[:MAX_TRANSLATIONS]
        own = {form for one in best for form in (one, *(forms.forms(one) if forms else ()))}
        own = {form for form in own if frequency(form, target) >= MIN_FREQUENCIES[target]}
        is_loan = words.is_copied(word, source) or frequency(word, target) >= MAX_FREQUENCY_OF_LOANS
        if word not in map(str.lower, own):
            ranked = sorted(own, key=lambda form: (-frequency(form, target), form))[:MAX_FORMS]
            entries[word] = [MAY_STAY, *ranked] if is_loan else ranked
    return entries


def _is_name(word: str, direction: str, frequency: Callable[[str, str], float]) -> bool:
    return direction == "de-en" and word[0].isupper() and frequency(word, "en") >= MAX_FREQUENCY_OF_NAMES
