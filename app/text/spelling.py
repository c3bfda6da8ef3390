"""British spelling of English words that were written in American spelling."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from app.paths import BRITISH_SPELLINGS
from app.text.nontranslatables import nontranslatables

# Regions whose English has British spelling.
_BRITISH_REGIONS: Final = frozenset({"gb", "uk", "ie", "au", "nz", "za", "in"})
_WORD = re.compile(r"[A-Za-z]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:…]\s+)[\"'“‘(\[]*$")
_NAMES: Final = frozenset({"gray", "prolog", "mold", "ax"})  # often names if capitalised


def is_british(language: str) -> bool:
    """True for a language code such as "en-GB" or "EN_AU"."""
    name, _, region = language.lower().replace("_", "-").partition("-")
    return name == "en" and region in _BRITISH_REGIONS


def british_edits(text: str, kept: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int, str]]:
    """The words of `text` to replace: start, end, British spelling. In order.

    Words in the spans `kept`, in addresses, code and placeholders stay. So do capitalised words inside a sentence,
    which may be names ("Pearl Harbor"), but not those of a heading.

    >>> british_edits("The color is gray.")
    [(4, 9, 'colour'), (13, 17, 'grey')]
    """
    protected = sorted([*kept, *((each.start, each.end) for each in nontranslatables(text))])
    starts = [start for start, _ in protected]
    long_words = [word for word in _WORD.findall(text) if len(word) > 3]
    is_heading = all(word[0].isupper() for word in long_words)
    edits = []
    for word in _WORD.finditer(text):
        british = _spellings().get(word.group().lower())
        if british is None or _is_name(word, text, is_heading=is_heading):
            continue
        nearest = bisect_right(starts, word.start()) - 1
        following = starts[nearest + 1] if nearest + 1 < len(starts) else len(text)
        if (nearest >= 0 and protected[nearest][1] > word.start()) or following < word.end():
            continue
        edits.append((*word.span(), _cased(british, word.group())))
    return edits


def _is_name(word: re.Match[str], text: str, *, is_heading: bool) -> bool:
    """True if the capital letter of a word may be that of a name."""
    if not word.group()[0].isupper() or word.group().isupper():
        return False
    if word.group().lower() in _NAMES:
        return True
    return not is_heading and _SENTENCE_START.search(text[max(0, word.start() - 8) : word.start()]) is None


def _cased(british: str, word: str) -> str:
    if len(word) > 1 and word.isupper():
        return british.upper()
    return british.capitalize() if word[0].isupper() else british


@lru_cache(maxsize=1)
def _spellings() -> Mapping[str, str]:
    return dict(_pairs())


def _pairs() -> Iterator[tuple[str, str]]:
    for line in BRITISH_SPELLINGS.read_text(encoding="utf-8").splitlines():
        american, _, british = line.partition("\t")
        yield american, british
