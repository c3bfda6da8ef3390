"""Text normalization for term search: Unicode composition, spaces, apostrophes and inline tags are unified.

Every character of the normalized text keeps its position in the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from engine import is_unspaced, is_word_char

_CLUSTER = re.compile(r"\s+|\S[\u0300-\u036f]*")
_PLAIN_SPACES = re.compile(r"\s\s|[^\S ]")
_PLAIN_WORDS = re.compile(r"[!-~]+(?: [!-~]+)*")  # ASCII, single spaces
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_TAG = re.compile(r"\{/?(\d+)\}|</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?>")


class FoldedText:
    """A text in NFC, with single spaces, straight apostrophes and without tags around words.

    `lower` is `exact` in lower case, with the same length. `exact[i]` comes from `text[starts[i]:ends[i]]`. Only paired
    tags are removed ("{1}…{/1}", "<b>…</b>"): a placeholder such as "{2}" represents something between its neighbors.
    """

    def __init__(self, text: str) -> None:
        tags = _paired_tags(text)
        if not tags and not _PLAIN_SPACES.search(text) and unicodedata.is_normalized("NFC", text):
            self.exact = text.translate(_APOSTROPHES)
            self.starts: Sequence[int] = range(len(text))
            self.ends: Sequence[int] = range(1, len(text) + 1)
        else:
            exact: list[str] = []
            starts: list[int] = []
            ends: list[int] = []
            for start, end in _between(tags, len(text)):
                for match in _CLUSTER.finditer(text, start, end):
                    if match.group().isspace():
                        if exact and exact[-1] == " ":  # a tag was between two spaces
                            continue
                        folded = " "
                    else:
                        folded = unicodedata.normalize("NFC", match.group()).translate(_APOSTROPHES)
                    exact += folded
                    starts += [match.start()] * len(folded)
                    ends += [match.end()] * len(folded)
            self.exact = "".join(exact)
            self.starts, self.ends = starts, ends
        self.lower = lower(self.exact)


def fold_spelling(source: str) -> str:
    """The source of a term, normalized as `FoldedText.exact`."""
    if _PLAIN_WORDS.fullmatch(source) and "</" not in source and "{/" not in source:
        return source  # the fast path for most terms
    return FoldedText(source).exact


def fold_term(source: str) -> str:
    """The search key of a term: `fold_spelling` in lower case."""
    return lower(fold_spelling(source))


def tokens(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each token: a word, or one character that is not part of a word or of a script with spaces."""
    start = 0
    while start < len(text):
        end = token_end(text, start)
        yield start, end
        start = end


def token_end(text: str, start: int) -> int:
    """The end of the token that starts at `start`."""
    plain = _PLAIN_WORD.match(text, start)
    if plain and (plain.end() == len(text) or text[plain.end()].isascii()):
        return plain.end()
    end = start + 1
    if is_word_char(text[start]) and not is_unspaced(text[start]):
        while end < len(text) and is_word_char(text[end]) and not is_unspaced(text[end]):
            end += 1
    return end


def lower(text: str) -> str:
    """The text in lower case, with the same length: "İ", whose lower case is two characters, is kept."""
    lowered = text.lower()
    if len(lowered) == len(text) and "ς" not in lowered:
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _paired_tags(text: str) -> list[tuple[int, int]]:
    if "{/" not in text and "</" not in text:
        return []
    found = list(_TAG.finditer(text))
    closed = {match[1] or match[2] for match in found if "/" in match.group()[:2]}
    return [match.span() for match in found if (match[1] or match[2]) in closed and not match.group().endswith("/>")]


def _between(spans: list[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """The parts of a text of this length outside the given spans."""
    before = 0
    for start, end in spans:
        yield before, start
        before = end
    yield before, length
