"""The list of pieces, each with its surface and the sides on which it attaches without a space.

The spelling of a piece contains everything: `￭` on the side where it glues, `@@` if the word continues, and `<U+...>`
for a character that is written as its code point. Special pieces are not text. So the file is a plain list, one piece
per line.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import ModelError
from engine.text.boundaries import NUMBER_JOINERS, is_word_char
from engine.text.tokens import CONTINUATION, ELLIPSIS, JOINER, escape, is_escaped

PAD, BOS, EOS, UNK = 0, 1, 2, 3  # the first ids of every vocabulary
DIRECTION_PIECES = ("<en-de>", "<de-en>")
DOMAIN_PIECES = (
    "<docs>",
    "<everyday>",
    "<religious>",
    "<software>",
    "<other>",
    "<news>",
    "<captions>",
    "<games>",
)
FORMALITY_PIECES = ("<formal>", "<informal>")
SPARE_PIECES = tuple(f"<ph{i}>" for i in range(16))  # for marks yet to come, so that the ids behind them stay
SYNTHETIC_PIECE = SPARE_PIECES[0]  # marks a source that a model wrote; no request asks for it
SPECIAL_PIECES = (
    *("<pad>", "<s>", "</s>", "<unk>"),
    *DIRECTION_PIECES,
    *DOMAIN_PIECES,
    *FORMALITY_PIECES,
    *SPARE_PIECES,
)
UNKNOWN_SURFACE = "\u2047"  # ⁇

# Every vocabulary spells these, so that German and English can always be spelt.
_LATIN_1 = "".join(chr(code) for code in range(0xA1, 0x100) if code != 0xAD)
_TYPOGRAPHY = "„“”‚‘’‹›–—‒…†‡•‰′″€™←↑→↓↔⇒−≠≤≥≈∞√✓ẞŒœŠšŽžŁł"
_SPACES = "\t\n\v\f\r \u00a0\u00ad\u2002\u2003\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u202f\u2060\ufeff" + JOINER

ALWAYS_SPELT = string.ascii_letters + string.digits + string.punctuation + _LATIN_1 + _TYPOGRAPHY + _SPACES

_ESCAPED_PIECE = re.compile(r"<U\+([0-9A-F]{4,6})>")


@dataclass(frozen=True)
class Vocabulary:
    """Pieces by id. `surfaces`, `glues_left` and `glues_right` are indexed by id; all have the length V.

    Special pieces have an empty surface and glue on both sides; `<unk>` is written as ⁇, a word of its own.
    """

    pieces: tuple[str, ...]
    surfaces: tuple[str, ...] = field(init=False, repr=False, compare=False)
    glues_left: tuple[bool, ...] = field(init=False, repr=False, compare=False)
    glues_right: tuple[bool, ...] = field(init=False, repr=False, compare=False)
    _ids: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {piece: i for i, piece in enumerate(self.pieces)}
        assert len(ids) == len(self.pieces), "a piece occurs twice"
        assert self.pieces[: len(SPECIAL_PIECES)] == SPECIAL_PIECES, "the special pieces come first"
        read = [_read_piece(piece) for piece in self.pieces]
        object.__setattr__(self, "_ids", ids)
        object.__setattr__(self, "surfaces", tuple(surface for surface, _, _ in read))
        object.__setattr__(self, "glues_left", tuple(left for _, left, _ in read))
        object.__setattr__(self, "glues_right", tuple(right for _, _, right in read))

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} pieces)"

    def __len__(self) -> int:
        return len(self.pieces)

    def __contains__(self, piece: str) -> bool:
        return piece in self._ids

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        return self._ids[piece]

    def get(self, piece: str) -> int:
        """The id of a piece, or UNK."""
        return self._ids.get(piece, UNK)

    def ids_of(self, pieces: Iterable[str]) -> list[int]:
        """The ids of pieces, UNK for pieces that are not in the vocabulary."""
        return [self._ids.get(piece, UNK) for piece in pieces]

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        """The spelling of pieces, for people to read."""
        return [self.pieces[i] for i in ids]

    @property
    def placeholders(self) -> list[str]:
        """The placeholders that are pieces (`%s`), in the order of their ids; few vocabularies have any."""
        found = dict.fromkeys(
            surface
            for piece, surface in zip(self.pieces, self.surfaces, strict=True)
            if _is_placeholder(surface) and not piece.endswith(CONTINUATION) and piece not in SPECIAL_PIECES
        )
        return [surface for surface in found if all(piece in self for piece in mark_spellings(surface))]

    def goes_on(self, piece_id: int) -> bool:
        """True if the word continues after this piece."""
        return self.pieces[piece_id].endswith(CONTINUATION)

    def save(self, path: Path) -> None:
        """Write one piece a line; the line number less one is the id."""
        path.write_text("\n".join(self.pieces) + "\n", encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read a vocabulary; raises ModelError naming file and line."""
        try:
            lines = path.read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: cannot be read ({error}); use the file that belongs to the model") from error
        pieces = [line.removesuffix("\r") for line in lines]
        if pieces[-1] == "":
            pieces.pop()
        first_line: dict[str, int] = {}
        for number, piece in enumerate(pieces, start=1):
            if piece in first_line:
                raise ModelError(f"{path} line {number}: piece {piece!r} is already on line {first_line[piece]}")
            try:
                _read_piece(piece)
            except ValueError as error:
                raise ModelError(f"{path} line {number}: {piece!r} is not a piece ({error})") from error
            first_line[piece] = number
        for number, special in enumerate(SPECIAL_PIECES, start=1):
            found = pieces[number - 1] if number <= len(pieces) else "the end of the file"
            if found != special:
                raise ModelError(f"{path} line {number}: expected the special piece {special}, found {found!r}")
        return cls(tuple(pieces))


def mark_spellings(mark: str) -> list[str]:
    """The pieces of a mark or a placeholder, one for every choice of sides on which it glues."""
    return [mark, JOINER + mark, mark + JOINER, JOINER + mark + JOINER]


def character_pieces(chars: Iterable[str]) -> list[str]:
    """The pieces that spell these characters at any position, each once, in the order of `chars`.

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


def is_free(text: str) -> bool:
    """True if a piece may have this spelling: it must not be a special piece or a code point."""
    return text not in SPECIAL_PIECES and _ESCAPED_PIECE.fullmatch(text) is None


def _is_placeholder(surface: str) -> bool:
    """True if a piece is neither a single mark nor a part of a word, as all other pieces are."""
    is_word = all(is_word_char(char) or char in NUMBER_JOINERS for char in surface)
    return len(surface) > 1 and surface != ELLIPSIS and not is_word


def _read_piece(piece: str) -> tuple[str, bool, bool]:
    """(surface, glues left, glues right) of a piece as it is spelt."""
    if escaped := _ESCAPED_PIECE.fullmatch(piece):
        return chr(int(escaped[1], 16)), True, True
    if piece == "<unk>":
        return UNKNOWN_SURFACE, False, False
    if piece in SPECIAL_PIECES:
        return "", True, True
    surface = piece.removeprefix(JOINER)
    glues_left = surface != piece
    right_mark = CONTINUATION if surface.endswith(CONTINUATION) else JOINER
    glues_right = surface.endswith(right_mark)
    surface = surface.removesuffix(right_mark)
    if not surface or any(is_escaped(char) for char in surface):
        raise ValueError("it writes nothing, or a character that is to be written by its code point")
    return surface, glues_left, glues_right
