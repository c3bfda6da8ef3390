"""Abbreviations of a source in full, as a model reads them; `abbreviations.toml` has the words of each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from engine.text.normalisation import NormalText

_DATA: Final = Path(__file__).with_suffix(".toml")
_LEAST_IN_CAPITALS: Final = 4  # characters of an abbreviation that a text in capitals may have
_BESIDE_NUMBER: Final = r"(?=\s?(?:[\dIVX]|[{%]\w))"
_CLOSING: Final = "\"'”’»«)]"
_PART: Final = re.compile(r"[^\W\d_]+[^\w\s]*")  # of an abbreviation: a word and its dot
_WORD: Final = re.compile(r"\S+")
_LEAST_WORDS: Final = 4  # before an abbreviation whose dot is also the full stop


def in_full(text: str, language: str) -> NormalText:
    """The text with its abbreviations in full, and the way back.

    >>> in_full("Weight approx. 5 kg", "en").text, in_full("Vgl. Abb. 2, d. h. S. 5", "de").text
    ('Weight approximately 5 kg', 'Vergleiche Abbildung 2, d. h. Seite 5')
    """
    pattern, words = _table(language)
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for match in pattern.finditer(text) if pattern is not None else ():
        start, end = match.span()
        full = words["".join(match.group().split())]
        if text[end : end + 1].isalnum():
            full += " "
        elif not text[end:].strip(_CLOSING) and match[0][-1] == "." and len(text[:start].split()) >= _LEAST_WORDS:
            full += "."
        parts += [text[position:start], full]
        offsets += [*range(position, start), *_offsets_in(match, full)]
        position = end
    if not position:
        return NormalText(text)
    return NormalText("".join([*parts, text[position:]]), (*offsets, *range(position, len(text) + 1)))


def _offsets_in(match: re.Match[str], full: str) -> Iterator[int]:
    """Offsets of the words in full: each that of its own part ("s. Abb.": "siehe", "Abbildung"), or spread evenly."""
    parts = [part.span() for part in _PART.finditer(match.string, *match.span())]
    words = [word.span() for word in _WORD.finditer(full)]
    if len(parts) != len(words):
        parts, words = [match.span()], [(0, len(full))]
    for number, (start, end) in enumerate(parts):
        first, last = words[number]
        behind = words[number + 1][0] if number + 1 < len(words) else len(full)
        yield from (start + (place - first) * (end - start) // (last - first) for place in range(first, last))
        yield from [end] * (behind - last)


@cache
def _table(language: str) -> tuple[re.Pattern[str] | None, dict[str, str]]:
    """A pattern for the abbreviations of a language, and their words by the abbreviation without spaces."""
    entries = _entries().get(language, {})
    words: dict[str, str] = {}
    counted: dict[str, str] = {}  # behind a number
    others: dict[str, str] = {}
    for entry, full in entries.items():
        short = entry.strip("# ")
        cases = {short: full}
        if len(short) > 2:
            cases.setdefault(short[0].upper() + short[1:], full[0].upper() + full[1:])
        if len(short) >= _LEAST_IN_CAPITALS:
            cases.setdefault(short.upper(), full.upper())
        for form, written in cases.items():
            body = re.escape(form).replace("\\ ", r"\s?")
            behind = (
                r"(?=\s?(?:[\dIVX]|[{%]\w))"
                if entry[-1] == "#"
                else r"(?![^\W\d]|-)"
                if form[-1] == "."
                else r"(?![\w-])"
            )
            words.setdefault("".join(form.split()), written)
            (counted if entry[0] == "#" else others).setdefault(form, body + behind)
    if not words:
        return None, words
    either = ("|".join(found[form] for form in sorted(found, key=len, reverse=True)) for found in (counted, others))
    return re.compile(r"(?:(?<=[\d}}])|(?<=[\d}}]\s)|(?<=%[sd]\s))(?:{})|(?<![\w.-])(?:{})".format(*either)), words


@cache
def _entries() -> dict[str, dict[str, str]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
