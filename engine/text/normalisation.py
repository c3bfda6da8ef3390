"""Canonical composition (NFC) with the original offset of each character.

Text is compared and translated in NFC; offsets shown to a user refer to the original text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class NormalText:
    """`text` in NFC; `offsets[i]` is the offset of its character i in the given text (None: unchanged)."""

    text: str
    offsets: tuple[int, ...] | None = None

    def given_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the given text that became `text[start:end]`."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]


def normalise(text: str) -> str:
    """`text` in NFC, as the codec returns it if it can spell everything."""
    return unicodedata.normalize("NFC", text)


def normalise_with_offsets(text: str) -> NormalText:
    """`text` in NFC with the way back, e.g. "Käse" written as K a ¨ s e gives offsets 0 1 3 4 5."""
    if unicodedata.is_normalized("NFC", text):
        return NormalText(text)
    parts: list[str] = []
    offsets: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and not _begins_anew(text[end]):
            continue
        part = normalise(text[start:end])
        parts.append(part)
        offsets.extend(min(start + i, end) for i in range(len(part)))
        start = end
    return NormalText("".join(parts), (*offsets, len(text)))


def _begins_anew(char: str) -> bool:
    """True if nothing before `char` can merge or change places with it under NFC."""
    if char < "\u0300":
        return True
    first = unicodedata.normalize("NFD", char)[0]
    return unicodedata.combining(first) == 0 and first not in _second_halves()


@cache
def _second_halves() -> frozenset[str]:
    """Starters that may compose with the character before them: some vowel signs, Hangul vowels and finals."""
    hangul = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    decompositions = (unicodedata.decomposition(chr(code)).split() for code in range(0x300, 0x20000))
    return frozenset(hangul | {chr(int(d[1], 16)) for d in decompositions if len(d) == 2 and d[0][0] != "<"})
