"""Similarity of two texts: the match rate, the texts worth comparing, and the different words."""

from __future__ import annotations

import re

import regex  # type: ignore[import-untyped]
from rapidfuzz.distance import Levenshtein

from app.text.differences import steps_between
from app.text.folding import folded, lower

# A run of letters, one letter of a script without spaces, or a number. In `regex`, \w has the vowel signs of Hindi,
# Tamil and others; in `re`, they end a word.
_WORD = regex.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+|\d+")
_ASCII_WORD = re.compile(r"[^\W\d_]+|\d+", re.ASCII)  # finds the same in such a text, in half the time
_PART = regex.compile(r"\w+|\s+|[^\w\s]")
_STEM_LETTERS = 5
INLINE_TAG = re.compile(r"\{/?\d+\}|</?[A-Za-z][^<>]{0,500}>")  # a numbered one, or an element as text
_TAG_SIGN = "\ufffc"


def fold(text: str) -> str:
    """The plain text in lower case, for comparison.

    >>> fold("  Open\\u00a0 the FILE ")
    'open the file'
    """
    return lower(plain_text(text))


def stems_of(folded: str) -> frozenset[str]:
    """The first letters of each word of a folded text, with all numbers as "0"; the text itself if it has no words."""
    words = (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)
    stems = {"0" if word[0].isdecimal() else word[:_STEM_LETTERS] for word in words}
    return frozenset(stems or {folded})


def rate_of_folded(text: str, folded: str, other: str, other_folded: str, min_rate: int) -> int:
    """The similarity of a plain and folded text to another: 100 if equal, otherwise at most 99, by edit distance.

    Case is ignored. A rate below `min_rate` may be returned as 0.
    """
    if text == plain_text(other):
        return 100
    similarity = Levenshtein.normalized_similarity(folded, other_folded, score_cutoff=min_rate / 100)
    return min(int(100 * similarity), 99)


def runs_between(memory: str, text: str) -> list[list[str]]:
    """A word diff as runs: ["s" (in both) | "d" (only in the memory) | "i" (only in the text), words].

    >>> runs_between("Open a file", "Open the file")
    [['s', 'Open '], ['d', 'a'], ['i', 'the'], ['s', ' file']]
    """
    ours, theirs = _PART.findall(memory), _PART.findall(text)
    runs: list[list[str]] = []
    for operation, first, last, to, stop in steps_between(ours, theirs):
        if operation == "equal":
            runs.append(["s", "".join(theirs[to:stop])])
            continue
        runs += [["d", "".join(ours[first:last])]] * (first < last)
        runs += [["i", "".join(theirs[to:stop])]] * (to < stop)
    return runs


def plain_text(text: str) -> str:
    """The folded text with one sign for any inline tag: other tools number and write them differently."""
    normal = folded(text).strip()
    return INLINE_TAG.sub(_TAG_SIGN, normal) if "{" in normal or "<" in normal else normal
