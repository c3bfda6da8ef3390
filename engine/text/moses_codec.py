"""The text of imported FSMT models (wmt19): Moses tokens, then byte pairs whose last symbol ends in `</w>`.

The tokens are those of sacremoses, with its normalised punctuation, entities (`&quot;`) and hyphens (`@-@`). Spaces
around marks follow its detokeniser, piece by piece. Only quotation marks depend on the text before them: like Moses,
`decode` joins every second one to the word behind it. Text in which such a quotation mark touches a word is not spelt
exactly: `spells` returns False.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest
from engine.text.bpe import BytePairs
from engine.text.codec import DecodedPieces, EncodedPieces, Span
from engine.text.imported_codec import ImportedPieces
from engine.text.tokens import CONTINUATION
from engine.text.vocabulary import UNK

if TYPE_CHECKING:
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

WORD_END = "</w>"
_HYPHEN = "@-@"
_ENTITIES = {
    "&#124;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",  # last, as an ampersand may stand before any of the others
}
_CLOSES = re.compile(r"[,.?!:;\\%}\])]+")
_OPENS = re.compile(r"[$¢£¤¥€₹₽(\[{¿¡]+")
_CONTRACTION = re.compile(r"'[^\W\d_]")  # English
_QUOTES = ('"', "'")


@dataclass(frozen=True)
class MosesCodec(ImportedPieces):
    """One language's tokens, and the pieces of its side by id. `hidden` are further ones that no text contains."""

    language: str
    merges: BytePairs
    pieces: tuple[str, ...]
    hidden: frozenset[str] = frozenset()

    # -- what the search indexes by id --------------------------------------------------------------------------------

    @cached_property
    def glues_left(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space before it."""
        return tuple(self._glues_of(number)[0] for number in range(len(self.pieces)))

    @cached_property
    def glues_right(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space after it."""
        return tuple(self._glues_of(number)[1] for number in range(len(self.pieces)))

    # -- text to pieces -----------------------------------------------------------------------------------------------

    def _encode_exactly(self, text: str) -> EncodedPieces:
        """The pieces with their characters, as far as they are known after Moses' rewriting."""
        ids: list[int] = []
        spans: list[Span] = []
        unknown: list[Span] = []
        for token, (start, end) in _placed(text, _tokens(self.language, text)):
            for symbol in self._split(token):
                piece_id = self._ids.get(symbol, UNK)
                if self._is_special(piece_id):  # no text is one of those
                    piece_id = UNK
                is_last = symbol.endswith(WORD_END)
                stop = end if is_last else min(end, start + len(_written(symbol)))
                ids.append(piece_id)
                spans.append((start, stop))
                if piece_id == UNK:
                    unknown.append((start, stop))
                start = stop
        return EncodedPieces(tuple(ids), tuple(spans), tuple(unknown))

    # -- pieces to text -----------------------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int]) -> DecodedPieces:
        """The text that pieces write; special pieces write nothing. Raises InvalidRequest for an invalid id."""
        layout = _Layout()
        quotes, before = dict.fromkeys(_QUOTES, 0), ""
        for word in self._words(ids):
            surfaces = [self.surfaces[piece_id] for piece_id in word]
            left, right = self.glues_left[word[0]], self.glues_right[word[-1]]
            if not self._is_special(word[0]):
                symbol = "".join(self.pieces[piece_id] for piece_id in word)
                written, (left, right) = _written(symbol), self._glues(symbol)
                if written != "".join(surfaces):  # an entity in several pieces
                    surfaces = [*[""] * (len(word) - 1), written]
                if written in quotes:
                    is_genitive = self.language == "en" and written == "'" and before.endswith("s")
                    left = quotes[written] % 2 == 1 or is_genitive
                    right = not left
                    quotes[written] += right or quotes[written] % 2
                before = written
            layout.add(surfaces, left, right)
        return layout.decoding

    def _spells_exactly(self, text: str) -> bool:
        """True if the pieces of `text` spell exactly it, at any position."""
        ids = self._encode_exactly(text).ids
        return UNK not in ids and self.decode(ids).text == text == self._written_by_pieces(ids)

    def respell(self, text: str) -> str:
        """The text that the pieces of `text` spell, with ⁇ for unknown characters."""
        return self._written_by_pieces(self.encode(text).ids)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _split(self, token: str) -> Iterator[str]:
        """The symbols of a token, as the vocabulary has them."""
        *inner, last = self.merges.split(token)
        yield from (piece.removesuffix(CONTINUATION) for piece in inner)
        yield last + WORD_END

    def _words(self, ids: Sequence[int]) -> Iterator[list[int]]:
        """The pieces of each token; a special piece is one of its own."""
        word: list[int] = []
        for piece_id in ids:
            if not 0 <= piece_id < len(self.pieces):
                raise InvalidRequest(f"piece id {piece_id} is out of range; this model has {len(self.pieces)} pieces")
            if word and self._is_special(piece_id):
                yield word
                word = []
            word.append(piece_id)
            if self._is_special(piece_id) or self.pieces[piece_id].endswith(WORD_END):
                yield word
                word = []
        if word:
            yield word

    def _written_by_pieces(self, ids: Sequence[int]) -> str:
        """The text as the search sees it: each piece by itself, independent of the pieces before it."""
        layout = _Layout()
        for piece_id in ids:
            layout.add([self.surfaces[piece_id]], self.glues_left[piece_id], self.glues_right[piece_id])
        return layout.decoding.text

    def _surface_of(self, piece: str) -> str:
        return _written(piece)

    def _glues_of(self, piece_id: int) -> tuple[bool, bool]:
        if piece_id == UNK:
            return False, False
        return (True, True) if self._is_special(piece_id) else self._glues(self.pieces[piece_id])

    def _glues(self, piece: str) -> tuple[bool, bool]:
        """True for each side (left, right) on which Moses' rules do not allow a space beside this token."""
        surface = _written(piece)
        is_contraction = self.language == "en" and _CONTRACTION.match(surface) is not None
        if not piece.endswith(WORD_END):
            return is_contraction, True
        if piece == _HYPHEN + WORD_END:
            return True, True
        # a single English apostrophe is probably a genitive
        closes = is_contraction or (self.language, surface) == ("en", "'") or _CLOSES.fullmatch(surface) is not None
        return closes, _OPENS.fullmatch(surface) is not None


class _Layout:
    """Builds a text token by token, with the characters of each piece."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self._end = 0
        self._is_open = True  # no space may come next

    def add(self, surfaces: Sequence[str], glues_left: bool, glues_right: bool) -> None:
        """One token, by its pieces."""
        if not self._is_open and not glues_left:
            self._parts.append(" ")
            self._end += 1
        for surface in surfaces:
            self._parts.append(surface)
            self._spans.append((self._end, self._end + len(surface)))
            self._end += len(surface)
        self._is_open = glues_right

    @property
    def decoding(self) -> DecodedPieces:
        return DecodedPieces("".join(self._parts), tuple(self._spans))


def _written(symbol: str) -> str:
    """The text of a symbol: `&quot;</w>` is a quote, `@-@</w>` a hyphen."""
    text = symbol.removesuffix(WORD_END)
    if text == _HYPHEN:
        return "-"
    for entity, char in _ENTITIES.items():
        text = text.replace(entity, char)
    return text


def _tokens(language: str, text: str) -> list[str]:
    normal = _normaliser(language).normalize(text)
    tokens: list[str] = _tokeniser(language).tokenize(
        normal, aggressive_dash_splits=True, return_str=False, escape=True
    )
    return [token for token in tokens if token]


def _placed(text: str, tokens: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """The tokens with their characters in the text.

    If Moses rewrote a token, it gets as many characters as it has, from the position behind the token before it.
    """
    end = 0
    for token in tokens:
        written = _written(token)
        start = text.find(written, end)
        if not 0 <= start <= end + 3:  # further on stands another one
            start = min(end + len(text[end:]) - len(text[end:].lstrip()), len(text))
        end = min(start + len(written), len(text))
        yield token, (start, end)


@cache
def _normaliser(language: str) -> MosesPunctNormalizer:
    from sacremoses import MosesPunctNormalizer

    return MosesPunctNormalizer(lang=language, pre_replace_unicode_punct=True, post_remove_control_chars=True)


@cache
def _tokeniser(language: str) -> MosesTokenizer:
    from sacremoses import MosesTokenizer

    return MosesTokenizer(lang=language)
