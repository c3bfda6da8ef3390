"""Reads a bilingual dictionary in the format of Ding, whose entries become short training pairs.

An entry is a line: `German :: English`. Both sides have the same number of parts, separated by `|`; the parts at the
same place translate each other: a word, its other forms, idioms, sentences. A part has synonyms, separated by `;`.
Braces contain grammar, brackets a field or region, parentheses an explanation, angle brackets another spelling:

    Ventil {n} [techn.] | Ventile {pl} :: valve | valves

A small model learns from them the words that are rare in its corpus. Entries with a word that is rare in general are
left out, because the model sees each entry only a few times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

from engine.errors import TrainingError
from engine.train.corpus import HeldOut, SentencePair

DICTIONARY: Final = "dictionary"  # domain and source of the pairs
LANGUAGES: Final = ("de", "en")  # of the columns
MAX_SYNONYMS: Final = 2  # of a side, each paired with the first of the other side
# Smallest frequency of each word on the Zipf scale: the decimal logarithm of its occurrences in a billion words.
# German has more forms and compounds, so its single words are rarer.
MIN_FREQUENCIES: Final = {"de": 2.0, "en": 3.0}
MAX_WORDS_OF_A_HEADING: Final = 2  # of the English side, for pairs with a capital letter

_ARTICLES: Final = {"m": "der", "f": "die", "n": "das", "pl": "die"}
_NOTE: Final = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|<[^<>]*>")
_OPEN_NOTE: Final = re.compile(r"[][{}()<>]")
_GENDER: Final = re.compile(r"\{(m|f|n|pl)\}")
# Fields of names that few texts need, and marks of words that a translation should not choose.
_UNWANTED_FIELD: Final = re.compile(r"\[(ornith|zool|bot|chem|biochem|min|pharm|geogr|mus)\.\]")
_UNWANTED_SYNONYM: Final = re.compile(
    r"\[(Ös\.|Schw\.|Bayr\.|Süddt\.|Norddt\.|Sc\.|Ir\.|Austr\.|veraltet|veraltend|obs\.|archaic|dated|rare|selten|"
    r"slang|vulg\.|pej\.|humor\.|children's speech|Jugendsprache)\]"
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_PLACEHOLDER: Final = re.compile(r"[/~…|]|\.\.|\b(etw|jdm?n?s?|jmd|sb|sth|sb's|sth's|oneself|o\.s)\b")


@dataclass(frozen=True, slots=True)
class Synonym:
    """A word or phrase without its notes; `gender` is m, f, n, pl or empty."""

    text: str
    gender: str = ""


def read_dictionary(path: Path, languages: tuple[str, str], held_out: HeldOut) -> Iterator[SentencePair]:
    """The pairs of a dictionary, in the order of `languages`, without those that a held-out set contains.

    Nouns with a known gender are also paired with their articles: `the valve` and `das Ventil`. Single words and short
    phrases are also paired as headings: `Valve` and `Ventil`.
    """
    if sorted(languages) != sorted(LANGUAGES):
        raise TrainingError(f"{path}: a dictionary has German and English, the corpus {' and '.join(languages)}")
    frequency = word_frequency()
    for pair in _with_headings(dictionary_pairs(path)):
        is_common = all(
            frequency(word, language) >= MIN_FREQUENCIES[language]
            for text, language in zip(pair, LANGUAGES, strict=True)
            for word in _WORD.findall(text)
        )
        if is_common and not any(map(held_out.contains, pair)):
            first, second = pair if languages[0] == LANGUAGES[0] else pair[::-1]
            yield SentencePair(first, second, DICTIONARY, DICTIONARY)


def word_frequency() -> Callable[[str, str], float]:
    """A function that returns the frequency of a word in a language, on the Zipf scale."""
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        raise TrainingError.missing("wordfreq", "reading a dictionary") from None
    return cache(zipf_frequency)


def dictionary_licence(path: Path) -> tuple[str, str]:
    """Origin and licence as the comments at the beginning of the file state them."""
    found: dict[str, str] = {}
    for line in _lines(path):
        if not line.startswith("#"):
            break
        name, _, value = line.lstrip("# ").partition(" :: ")
        found[name.strip()] = value.strip()
    if "License" not in found:
        raise TrainingError(f"{path} has no line `# License :: NAME` at its beginning; add it")
    return f"{found.get('URL', path.name)} ({found.get('Version', 'no version')})", found["License"]


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} cannot be read as UTF-8 ({error})") from error


def dictionary_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """German and English, each pair once."""
    seen: set[tuple[str, str]] = set()
    for german, english, is_wanted in _parts(path):
        for one in _pairs_of_part(german, english) if is_wanted else ():
            if one not in seen:
                seen.add(one)
                yield one


def synonym_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """German and English, each synonym of a part with each of the other side, without those of unwanted fields.

    They are less exact than `dictionary_pairs`, as not all synonyms translate each other.
    """
    of_fields = {
        synonym.text
        for german, english, is_wanted in _parts(path)
        if not is_wanted
        for synonym in (*synonyms(german), *synonyms(english))
    }
    for german, english, is_wanted in _parts(path):
        if is_wanted:
            ours, theirs = (
                [synonym.text for synonym in synonyms(part) if synonym.text not in of_fields]
                for part in (german, english)
            )
            yield from product(ours, theirs)


def _parts(path: Path) -> Iterator[tuple[str, str, bool]]:
    """German and English, as the file has them, and False for entries of fields that few texts need."""
    for number, line in enumerate(_lines(path), 1):
        if line.startswith("#") or not line.strip():
            continue
        german, separator, english = line.partition(" :: ")
        german_parts, english_parts = german.split(" | "), english.split(" | ")
        if not separator or len(german_parts) != len(english_parts):
            raise TrainingError(f"{path} line {number}: expected `German :: English` with equally many parts")
        is_wanted = not _UNWANTED_FIELD.search(line)
        for pair in zip(german_parts, english_parts, strict=True):
            yield *pair, is_wanted


def _with_headings(pairs: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The pairs, and those of few words once more with a capital letter.

    >>> list(_with_headings(iter([("warten", "to wait"), ("Wartung", "maintenance")])))
    [('warten', 'to wait'), ('Wartung', 'maintenance'), ('Wartung', 'Maintenance')]
    """
    for german, english in pairs:
        yield german, english
        is_short = len(english.split()) <= MAX_WORDS_OF_A_HEADING
        if is_short and english[0].islower() and not english.startswith(("to ", "the ")):
            yield german[0].upper() + german[1:], english[0].upper() + english[1:]


def _pairs_of_part(german: str, english: str) -> Iterator[tuple[str, str]]:
    """The pairs of two parts that translate each other.

    >>> list(_pairs_of_part("Ventil {n} [techn.]", "valve"))
    [('Ventil', 'valve'), ('das Ventil', 'the valve')]
    """
    ours, theirs = synonyms(german)[:MAX_SYNONYMS], synonyms(english)[:MAX_SYNONYMS]
    if not ours or not theirs:
        return
    first, other = ours[0], theirs[0]
    yield first.text, other.text
    if first.gender and first.text[0].isupper() and not other.text.startswith(("the ", "a ", "an ", "to ")):
        yield f"{_ARTICLES[first.gender]} {first.text}", f"the {other.text}"
    yield from ((synonym.text, other.text) for synonym in ours[1:])
    yield from ((first.text, synonym.text) for synonym in theirs[1:])


def synonyms(part: str) -> list[Synonym]:
    """The synonyms of a part that training can use.

    >>> synonyms("Steuerhinterziehung {f}; (unerlaubte) Steuerumgehung {f} [fin.]")
    [Synonym(text='Steuerhinterziehung', gender='f'), Synonym(text='Steuerumgehung', gender='f')]
    """
    without_notes = _NOTE.sub(lambda match: match[0].replace(";", ","), part)
    found = []
    for synonym in without_notes.split(";"):
        text = " ".join(_NOTE.sub(" ", synonym).replace("’", "'").split())
        genders = set(_GENDER.findall(synonym))
        is_usable = bool(text) and not _UNWANTED_SYNONYM.search(synonym) and not _PLACEHOLDER.search(text)
        if is_usable and not _OPEN_NOTE.search(text):
            found.append(Synonym(text, genders.pop() if len(genders) == 1 else ""))
    return found
