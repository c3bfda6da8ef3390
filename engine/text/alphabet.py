"""The pieces that every vocabulary has, whatever it was learnt from, so that German and English can always be spelt."""

from __future__ import annotations

import string
from collections.abc import Iterable

from engine.text.boundaries import NUMBER_JOINERS, is_word_char
from engine.text.tokens import CONTINUATION, ELLIPSIS, JOINER, escape, is_escaped
from engine.text.vocabulary import mark_spellings

_LATIN_1 = "".join(chr(code) for code in range(0xA1, 0x100) if code != 0xAD)
_TYPOGRAPHY = "„“”‚‘’‹›–—‒…†‡•‰′″€™←↑→↓↔⇒−≠≤≥≈∞√✓ẞŒœŠšŽžŁł"
_SPACES = "\t\n\v\f\r \u00a0\u00ad\u2002\u2003\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u202f\u2060\ufeff" + JOINER

ALWAYS_SPELT = string.ascii_letters + string.digits + string.punctuation + _LATIN_1 + _TYPOGRAPHY + _SPACES


def character_pieces(chars: Iterable[str]) -> list[str]:
    """The pieces that spell these characters wherever they stand, each once, in the order of `chars`.

    >>> character_pieces("a!") == ["a@@", "a", "!", "￭!", "!￭", "￭!￭"]
    True
    """
    pieces: list[str] = []
    for char in chars:
        if is_escaped(char):
            pieces.append(escape(char))
        elif is_word_char(char):
            pieces += [char + CONTINUATION, char]
        else:
            pieces += mark_spellings(char)
    return list(dict.fromkeys(pieces))


def basic_pieces(other_chars: Iterable[str]) -> list[str]:
    """All of ALWAYS_SPELT, the marks inside numbers and words, and `other_chars`."""
    inside_words = [mark + CONTINUATION for mark in NUMBER_JOINERS]
    pieces = [*character_pieces(ALWAYS_SPELT), *mark_spellings(ELLIPSIS), *inside_words, *character_pieces(other_chars)]
    return list(dict.fromkeys(pieces))
