"""Text to tokens and back, exactly: Moses tokens with a joiner mark at every boundary without a space.

A text is cut into *chunks* at single spaces. Unusual white space, control and format characters are tokens of their
own, written `<U+00A0>`, and separate chunks, too. sacremoses tokenizes each chunk alone, so the tokens of a word never
depend on the words around it. Some decisions that Moses makes by context are fixed here:

* a word token is a run of letters, marks and numbers, with dots and (between digits) commas inside: `e.g`, `1.000`
* any other character is a token of its own, except for `...`; so `E-Mail` is `E ￭-￭ Mail`, `usw.` is `usw ￭.`
* joiners are on the mark, never on the word; between two marks, on the left of the right one: `)￭`, `￭.`, `￭'￭`
* a placeholder that the vocabulary contains (`%s`) is cut out first and is one token; beside words and other
  placeholders it has the joiner, as a mark does, and beside marks it has none, as a word: `(￭ %s ￭)`, `%s￭ B`

So a word has the same tokens everywhere, alone or next to punctuation. Independent of the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engine.text.boundaries import is_digit, is_word_char

if TYPE_CHECKING:
    from sacremoses import MosesTokenizer

JOINER = "\uffed"  # ￭
CONTINUATION = "@@"
ELLIPSIS = "..."

# White space, controls, format characters (soft hyphen, directions, joiners, byte order mark) and the joiner mark.
_ESCAPED = r"\s\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb" + JOINER
_ESCAPED_CHAR = re.compile(f"[{_ESCAPED}]")
_CHUNK_OR_ESCAPED = re.compile(f"[^{_ESCAPED}]+|[{_ESCAPED}]")
_NOT_PLAIN = re.compile(rf"^ | $|  |(?! )[{_ESCAPED}]")


class Token(NamedTuple):
    """A stretch of text and the sides on which no space follows. Words glue on neither side: marks do it for them."""

    text: str
    glues_left: bool = False
    glues_right: bool = False
    is_word: bool = False


_WORD, _PLACEHOLDER, _MARK = range(3)  # of two neighbours without a space, the higher carries the joiner


def is_escaped(char: str) -> bool:
    """True if `char` is written by its code point, as `<U+00A0>`."""
    return _ESCAPED_CHAR.match(char) is not None


def escape(char: str) -> str:
    """`<U+00A0>` for a no-break space. Cannot be mistaken for text, in which `<` is always a token of its own."""
    return f"<U+{ord(char):04X}>"


def cut(text: str) -> Iterator[tuple[int, str]]:
    """The (start, chunk) of a text in NFC, in order; an escaped character is a chunk of its own.

    A single space between two chunks is left out: a boundary without a joiner means a space.
    """
    if not _NOT_PLAIN.search(text):
        start = 0
        for chunk in text.split(" ") if text else ():
            yield start, chunk
            start += len(chunk) + 1
        return
    for match in _CHUNK_OR_ESCAPED.finditer(text):
        start, end = match.span()
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        is_plain_space = match[0] == " " and len(around) == 2 and not _ESCAPED_CHAR.search(around)
        if not is_plain_space:
            yield start, match[0]


@lru_cache(maxsize=1 << 17)
def chunk_tokens(chunk: str, placeholders: re.Pattern[str] | None = None) -> tuple[Token, ...]:
    """The tokens of one chunk, as `cut` returns it: their texts join to exactly `chunk`.

    Each text that `placeholders` finds is one token.
    """
    if chunk.isalnum():
        return (Token(chunk, is_word=True),)
    if is_escaped(chunk[0]):
        return (Token(chunk, glues_left=True, glues_right=True),)
    found: list[tuple[str, int]] = []
    start = 0
    for match in placeholders.finditer(chunk) if placeholders else ():
        found += [*_words_and_marks(chunk[start : match.start()]), (match.group(), _PLACEHOLDER)]
        start = match.end()
    found += _words_and_marks(chunk[start:])
    tokens = []
    for i, (text, kind) in enumerate(found):
        glues_left = i > 0 and kind != _WORD and kind >= found[i - 1][1]
        glues_right = i + 1 < len(found) and kind > found[i + 1][1]
        tokens.append(Token(text, glues_left, glues_right, is_word=kind == _WORD))
    return tuple(tokens)


def _words_and_marks(stretch: str) -> list[tuple[str, int]]:
    """The words and marks of text without placeholders, and the kind of each."""
    if not stretch:
        return []
    texts = _rejoin_words([text for moses in _moses_tokens(stretch) for text in _refine(moses)])
    return [(text, _WORD if is_word_char(text[0]) else _MARK) for text in texts]


@cache
def _moses() -> MosesTokenizer:
    from sacremoses import MosesTokenizer  # here, because a machine that trains on ids does not need it

    return MosesTokenizer(lang="de")  # in its German, apostrophes are marks between words, for English alike


def _moses_tokens(chunk: str) -> list[str]:
    """The tokens of Moses if they join to the chunk; otherwise the whole chunk (Moses turns `DOTMULTI` into a dot)."""
    tokens: list[str] = _moses().tokenize(chunk, escape=False)
    return tokens if "".join(tokens) == chunk else [chunk]


def _refine(moses: str) -> Iterator[str]:
    """Cut a Moses token into words and marks, so that no word keeps a mark on its edge."""
    start = 0
    while start < len(moses):
        end = start + 1
        if is_word_char(moses[start]):
            while end < len(moses) and (is_word_char(moses[end]) or _is_inside_word(moses, end)):
                end += 1
        elif moses.startswith(ELLIPSIS, start):
            end = start + len(ELLIPSIS)
        yield moses[start:end]
        start = end


def _is_inside_word(text: str, i: int) -> bool:
    """True if text[i], after a word character, is a dot or a comma inside a word or number."""
    if i + 1 == len(text):
        return False
    if text[i] == ".":
        return is_word_char(text[i + 1])
    return text[i] == "," and is_digit(text[i - 1]) and is_digit(text[i + 1])


def _rejoin_words(texts: list[str]) -> list[str]:
    """Rejoin words that Moses cut between two word characters (`m²`, a letter and its accent, Chinese)."""
    joined: list[str] = []
    for text in texts:
        if joined and is_word_char(joined[-1][-1]) and is_word_char(text[0]):
            joined[-1] += text
        else:
            joined.append(text)
    return joined
