"""Collects training pairs from the German translations of free software.

A folder contains SOURCES.tsv (see corpus.py) and a folder for each of its sources, with files at any depth:

    *.mo, *.po                         gettext catalogs from English to German
    en.json, de.json                   objects with the same keys
    Translation-en, Translation-de     the package descriptions of a Debian archive

Texts are cut into sentences where both sides have equally many. Short texts, code, and texts with variables or
unusual markup are left out.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from engine.errors import TrainingError
from engine.train.corpus import read_domains

MIN_WORDS: Final = 4  # of the English side; shorter texts of programs depend on their place
LENGTH_RATIOS: Final = (0.5, 2.2)  # characters of the German side per character of the English side
MIN_LETTERS: Final = 0.6  # share of letters and spaces in a text

Texts = Iterator[tuple[str, str]]

_TAG: Final = re.compile(r"</?([A-Za-z][\w:.-]*)[^<>]*>")
_PLAIN_TAG: Final = re.compile(
    "a|ahelp|b|code|em|emph|i|input|item|link|literal|menuitem|span|strong|tt|u|variable|widget", re.IGNORECASE
)
_VARIABLE: Final = re.compile(r"[{}|\\^@~#]|\$\w|\$\[|\$\(|%\(|%[A-Z]{3}|\]\(|\b[BIFCEL]<|&\w+;|<|>")
_DIRECTIVE: Final = re.compile(r"%(?:\d\$)?[-+0]?\d*(?:\.\d+)?[a-zA-Z\d]")
_CONTEXT: Final = re.compile(r"^[\w ,.-]+\^")
_SENTENCE_END: Final = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"”“«)]))\s+(?=[\"„»(]?[A-ZÄÖÜ])")
_ABBREVIATION: Final = re.compile(r"\b(?:\w|usw|bzw|etc|ca|Nr|No|vs|Dr|Mr|Mrs|St)\.$")
_ENGLISH: Final = re.compile(r"\b(?:the|of|and|is|to|with|for|this|that|are|be|you|your|from|not|which)\b")
_GERMAN: Final = re.compile(r"\b(?:und|der|das|nicht|ist|mit|für|ein|eine|den|dem|zu|von|sich|wird|werden|Sie)\b")


def collect(folder: Path) -> Counter[str]:
    """Write the pairs of all sources into `train.01.tsv.gz` in the folder; returns the number of pairs by source."""
    counts: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    with gzip.open(folder / "train.01.tsv.gz", "wt", encoding="utf-8", newline="\n", compresslevel=6) as file:
        for source_id, domain in read_domains(folder).items():
            for english, german in _texts_of(folder / source_id):
                for pair in sentence_pairs(english, german):
                    if pair not in seen:
                        seen.add(pair)
                        counts[source_id] += 1
                        file.write("\t".join((*pair, source_id, domain)) + "\n")
    return counts


def sentence_pairs(english: str, german: str) -> list[tuple[str, str]]:
    """The sentences of a text and its translation that training can use.

    >>> sentence_pairs("<b>Open the valve now.</b> It is closed.", "<b>Öffnen Sie jetzt das Ventil.</b> Es ist zu.")
    [('Open the valve now.', 'Öffnen Sie jetzt das Ventil.')]
    """
    cleaned = _without_markup(_CONTEXT.sub("", english), _CONTEXT.sub("", german))
    if cleaned is None:
        return []
    sides = [[" ".join(part.split()) for part in re.split(r"\n\s*\n", side) if part.strip()] for side in cleaned]
    found = []
    for texts in zip(*sides, strict=True) if len(sides[0]) == len(sides[1]) else ():
        first, second = map(_sentences, texts)
        pairs = list(zip(first, second, strict=True)) if len(first) == len(second) else [texts]
        if not all(map(_have_similar_length, pairs)):
            pairs = [texts]
        found += [pair for pair in pairs if _is_useful(*pair)]
    return found


def _sentences(text: str) -> list[str]:
    sentences = [""]
    for part in _SENTENCE_END.split(text):
        if sentences[-1] and not _ABBREVIATION.search(sentences[-1]):
            sentences.append(part)
        else:
            sentences[-1] = f"{sentences[-1]} {part}".strip()
    return sentences


def _without_markup(english: str, german: str) -> tuple[str, str] | None:
    """Both texts without tags, entities and keyboard marks; None where the tags differ or may enclose other texts."""
    names = [Counter(_TAG.findall(text)) for text in (english, german)]
    if names[0] != names[1] or not all(map(_PLAIN_TAG.fullmatch, names[0])):
        return None
    texts = [html.unescape(_TAG.sub("", text)).replace("\xa0", " ") for text in (english, german)]
    for mark in "_&~":  # before the letter of a keyboard shortcut
        if all(len(re.findall(rf"{mark}(?=\w)", text)) == 1 for text in texts):
            texts = [re.sub(rf"{mark}(?=\w)", "", text) for text in texts]
    return texts[0], texts[1]


def _have_similar_length(pair: Sequence[str]) -> bool:
    lowest, highest = LENGTH_RATIOS
    english, german = map(len, pair)
    return lowest * english - 5 <= german <= highest * english + 5


def _is_useful(english: str, german: str) -> bool:
    if english == german or len(english.split()) < MIN_WORDS or not _have_similar_length((english, german)):
        return False
    if any(_VARIABLE.search(text) or _share_of_letters(text) < MIN_LETTERS for text in (english, german)):
        return False
    if Counter(_DIRECTIVE.findall(english)) != Counter(_DIRECTIVE.findall(german)):
        return False
    return not _is_mostly(german, _ENGLISH) and not _is_mostly(english, _GERMAN)


def _share_of_letters(text: str) -> float:
    return sum(char.isalpha() or char == " " for char in text) / len(text)


def _is_mostly(text: str, common_word: re.Pattern[str]) -> bool:
    """Whether two words or more, and an eighth of all words, are common words of a language."""
    return len(common_word.findall(text)) >= max(2, len(text.split()) / 8)


def _texts_of(folder: Path) -> Texts:
    if not folder.is_dir():
        raise TrainingError(f"{folder} is missing; SOURCES.tsv names it, so make the folder or remove its line")
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".mo", ".po"):
            yield from _catalog(path)
        elif path.name == "de.json" and path.with_name("en.json").is_file():
            yield from _json_texts(path.with_name("en.json"), path)
        elif path.name == "Translation-de":
            yield from _descriptions(path.with_name("Translation-en"), path)


def _catalog(path: Path) -> Texts:
    """The translated messages of a gettext catalog; of a plural the first form."""
    try:
        from translate.storage.mo import mofile
        from translate.storage.pypo import pofile
    except ImportError:
        raise TrainingError.missing("translate-toolkit", "reading gettext catalogs") from None
    try:
        kind: Any = mofile if path.suffix == ".mo" else pofile
        store = kind.parsefile(str(path))
    except Exception as error:  # the library raises many types for a damaged file
        print(f"{path} is left out; it is not a gettext catalog ({error})", file=sys.stderr)
        return
    for unit in store.units:
        if unit.source and unit.target and not unit.isheader() and not unit.isfuzzy() and not unit.isobsolete():
            yield str(unit.source), str(unit.target)


def _json_texts(english: Path, german: Path) -> Texts:
    ours, theirs = (dict(_leaves(_json(path), ())) for path in (english, german))
    yield from ((ours[key], text) for key, text in theirs.items() if key in ours)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} is not a JSON file in UTF-8 ({error}); remove it") from error


def _leaves(value: object, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*key, name))


def _descriptions(english: Path, german: Path) -> Texts:
    """Summaries and paragraphs of the packages whose descriptions have equally many in both languages."""
    originals = dict(_paragraphs_by_package(english, "en"))
    for checksum, paragraphs in _paragraphs_by_package(german, "de"):
        original = originals.get(checksum, [])
        if len(original) == len(paragraphs):
            yield from zip(original, paragraphs, strict=True)


def _paragraphs_by_package(path: Path, language: str) -> Iterator[tuple[str, list[str]]]:
    try:
        stanzas = path.read_text(encoding="utf-8").split("\n\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} cannot be read as UTF-8 ({error})") from error
    for stanza in stanzas:
        head, _, description = stanza.partition(f"\nDescription-{language}: ")
        checksum = re.search(r"^Description-md5: (\w+)", head, re.MULTILINE)
        if checksum and description:
            # A paragraph ends with " ."; an item of a list begins with "-", "*" or "+".
            summary, _, rest = description.partition("\n")
            parts = re.split(r"^ \.$|^ +[-*+•] +", rest, flags=re.MULTILINE)
            yield checksum[1], [summary, *(text for part in parts if (text := " ".join(part.split())))]
