"""Word spans of a text (the words that a user can click) and word counts.

Words are separated by spaces. Scripts without spaces are segmented by rule, without a dictionary: into ideographs, runs
of hiragana and of katakana, and Thai, Lao, Khmer and Burmese letters with their combining signs. Such a part is never
split; a phrase is any number of consecutive parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

from app.text.folding import folded
from app.text.nontranslatables import tag_spans
from engine import is_unspaced, is_word_char, short_code, stands_alone

Span = tuple[int, int]

# Languages whose texts are counted in characters.
COUNTED_IN_CHARACTERS: Final = frozenset({"zh", "yue", "ja", "th", "lo", "km", "my", "bo"})

# Punctuation next to a word that does not belong to it. Signs in placeholders, paths and names (%s, {0}, C++, #1) do.
_EITHER = "。，、．！？：；・･～「」『』（）《》〈〉【】〔〕［］"  # beside letters of other scripts on both sides
_OPENING = "„“”‚‘’»«›‹\"'([¿¡" + _EITHER
_CLOSING = "“”‘’«»‹›\"')].,;:!?…" + _EITHER
_CHUNK = re.compile(r"\S+")
_MAYBE_UNSPACED = re.compile("[\u0e00-\u1fff\u2e80-\U0010ffff]")  # all letters of scripts without spaces, and others
_PART = re.compile(
    "[\u3041-\u309f]+\u30fc*"  # hiragana
    "|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"  # katakana
    "|[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e2f-\u0e3a\u0e45-\u0e4e]*"  # Thai: vowels stand before, around and behind
    "|[\u0ec0-\u0ec4]?[\u0e81-\u0eae\u0edc-\u0edf][\u0eaf-\u0ebd\u0ec6-\u0ece]*"  # Lao
    "|[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3\u17dd])*"  # Khmer: letters below others
    "|[\u1000-\u102a\u103f](?:\u1039[\u1000-\u1021]|[\u102b-\u103e]|[\u1000-\u1021](?=\u1037?\u103a))*"  # Burmese
    "|.",
    re.DOTALL,
)


def word_spans(text: str) -> list[Span]:
    """The spans of the words that a user can click, without tags and surrounding punctuation.

    >>> [t[a:b] for t in ["„Ja“, %s <b>(C++)</b>.", "我是iPhone用户。"] for a, b in word_spans(t)]
    ['Ja', '%s', 'C++', '我', '是', 'iPhone', '用', '户']
    """
    spans = []
    edges = [0, *(edge for start, end in tag_spans(text) for edge in (start, end)), len(text)]
    between, beside_tags = zip(edges[::2], edges[1::2], strict=True), set(edges[1:-1])
    for chunk in (chunk for start, end in between for chunk in _CHUNK.finditer(text, start, end)):
        parts = list(_parts(text, *chunk.span()))
        for start, end in parts:
            may_be_marks = len(parts) == 1 and not (start in beside_tags or end in beside_tags)
            inner = _without_marks(text, start, end)
            if inner[0] < inner[1] or may_be_marks:
                spans.append(inner if inner[0] < inner[1] else (start, end))
    return spans


def split_words(text: str) -> list[str]:
    """The words of a text with adjacent punctuation; parts of a word in scripts without spaces.

    >>> split_words("Ja, gut. 你好。")
    ['Ja,', 'gut.', '你', '好。']
    """
    if not _MAYBE_UNSPACED.search(text):
        return _CHUNK.findall(text)
    return [text[start:end] for start, end in split_spans(text)]


def split_spans(text: str) -> list[Span]:
    """The spans of the words of `split_words`."""
    if not _MAYBE_UNSPACED.search(text):
        return [chunk.span() for chunk in _CHUNK.finditer(text)]
    spans: list[Span] = []
    for chunk in _CHUNK.finditer(text):
        place = chunk.start()
        for start, end in _parts(text, *chunk.span()):
            if any(map(is_word_char, text[place:start])) and any(map(is_word_char, text[start:end])):
                spans.append((place, start))
                place = start
        spans.append((place, chunk.end()))
    return spans


def count_words(text: str) -> int:
    """The word count of a source for billing; each letter of a script without spaces counts as one word.

    >>> [count_words(text) for text in ("Open the file.", "打开文件。", "打开 iPhone 文件")]
    [3, 4, 5]
    """
    if text.isascii():
        return len(text.split())
    num = 0
    for chunk in _CHUNK.finditer(text):
        parts = list(_parts(text, *chunk.span()))
        for start, end in parts:
            letters = sum(is_unspaced(char) and not _is_mark(char) for char in text[start:end])
            num += letters or len(parts) == 1 or any(map(is_word_char, text[start:end]))
    return num


def count_occurrences(text: str, phrase: str) -> int:
    """Number of non-overlapping occurrences of `phrase` in `text` as whole words, both folded."""
    text, phrase = folded(text), folded(phrase)
    if not phrase:
        return 0
    count = position = 0
    while (start := text.find(phrase, position)) >= 0:
        if stands_alone(text, start, start + len(phrase)):
            count += 1
            position = start + len(phrase)
        else:
            position = start + 1
    return count


def counting_unit(language: str) -> Literal["words", "characters"]:
    """The unit of `count_words` in a language, for display."""
    code = re.split("[-_]", language)[0].lower()
    code = code if len(code) == 2 else short_code(code)  # NLLB codes start with three letters of ISO 639-3
    return "characters" if code in COUNTED_IN_CHARACTERS else "words"


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """Splits a span without spaces where a script without spaces starts or ends, and by rule within such scripts."""
    if text[start:end].isascii():
        yield start, end
        return
    while start < end:
        stop = start + 1
        if is_unspaced(text[start]) and (match := _PART.match(text, start, end)):
            stop = match.end()
        else:
            while stop < end and not is_unspaced(text[stop]):
                stop += 1
        while stop < end and _is_mark(text[stop]):
            stop += 1
        yield start, stop
        start = stop


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _without_marks(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _OPENING:
        start += 1
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    return start, end
