"""The text of imported models: SentencePiece, with the same interface as `TextCodec`.

SentencePiece rewrites its input (compatibility forms, runs of spaces), so not all text is spelt exactly: `spells` tests
this, and `respell` returns the result. Spaces are part of pieces: `▁Haus` allows a space before it, `haus` glues to its
left, and `▁` alone is a space that glues on both sides. In a vocabulary with byte fallback, `encode` spells characters
without a piece in bytes; all byte pieces of a character cover that character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ModelError
from engine.text.byte_pieces import byte_piece, byte_surface
from engine.text.codec import EncodedPieces, Span
from engine.text.imported_codec import ImportedPieces
from engine.text.normalisation import ASCII_MARKS, PlainForm
from engine.text.vocabulary import UNK

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

SPACE = "▁"


@dataclass(frozen=True)
class SentencePieceCodec(ImportedPieces):
    """The SentencePiece model of one language, and the pieces of the model by id; source and target share the ids.

    `pieces[:4]` are padding, start, end and unknown. `hidden` are further pieces that do not occur in texts (language
    codes). `reads_ascii_marks`: quotes and dashes without pieces are read as `ASCII_MARKS`: for sources, since a
    target has to keep them.
    """

    processor: SentencePieceProcessor
    pieces: tuple[str, ...]
    hidden: frozenset[str] = frozenset()
    reads_ascii_marks: bool = False

    # -- what the search indexes by id --------------------------------------------------------------------------------

    @cached_property
    def glues_left(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space before it."""
        return tuple(
            number != UNK and (self._is_special(number) or piece == SPACE or not piece.startswith(SPACE))
            for number, piece in enumerate(self.pieces)
        )

    @cached_property
    def glues_right(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space after it."""
        return tuple(
            number != UNK and (self._is_special(number) or piece == SPACE) for number, piece in enumerate(self.pieces)
        )

    # -- text to pieces -----------------------------------------------------------------------------------------------

    def _encode_exactly(self, text: str) -> EncodedPieces:
        """The pieces with the characters of each, its leading space not included."""
        given = _writable(text)
        mapping = self.processor.encode(given, return_type="offset_mapping")
        ids: list[int] = []
        spans: list[Span] = []
        unknown: list[Span] = []
        for piece, (start, end) in zip(mapping["pieces"], mapping["offsets"], strict=True):
            piece_id = self._ids.get(piece, UNK)
            if self._is_special(piece_id):  # no text contains these
                piece_id = UNK
            is_byte = piece_id in self._byte_ids
            while start < end and given[start].isspace() and not is_byte:
                start += 1
            own = [piece_id] if piece_id != UNK else self._in_bytes(piece)
            ids += own
            spans += [(start, end)] * len(own)
            if UNK in own:
                if unknown and unknown[-1][1] == start:
                    unknown[-1] = (unknown[-1][0], end)
                else:
                    unknown.append((start, end))
        for place in reversed(range(len(ids) - 1)):  # SentencePiece gives a character to the last of its bytes
            if spans[place][0] == spans[place][1] and {*ids[place : place + 2]} <= self._byte_ids:
                spans[place] = spans[place + 1]
        return EncodedPieces(tuple(ids), tuple(spans), tuple(unknown))

    def _spells_exactly(self, text: str) -> bool:
        ids = self._encode_exactly(text).ids
        return UNK not in ids and self.decode(ids).text == text

    # -- files --------------------------------------------------------------------------------------------------------

    @classmethod
    def load(
        cls, path: Path, pieces: Sequence[str], hidden: frozenset[str] = frozenset(), reads_ascii_marks: bool = False
    ) -> SentencePieceCodec:
        """Read a SentencePiece model; raises ModelError naming the file that is missing or broken."""
        from sentencepiece import SentencePieceProcessor

        try:
            processor = SentencePieceProcessor(model_proto=path.read_bytes())
        except (OSError, RuntimeError, ValueError) as error:
            raise ModelError(f"{path} is not an intact SentencePiece model ({error}); copy the model again") from error
        return cls(processor, tuple(pieces), hidden, reads_ascii_marks)

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> PlainForm:
        return PlainForm(self._spells_exactly, ASCII_MARKS if self.reads_ascii_marks else {})

    @cached_property
    def _byte_pieces(self) -> dict[str, int]:
        """The values of the byte pieces; empty without byte fallback, where `<0x41>` is text like any other."""
        names = {byte_piece(value): value for value in range(256)}
        return {
            name: value for name, value in names.items() if self.processor.is_byte(self.processor.piece_to_id(name))
        }

    @cached_property
    def _byte_ids(self) -> frozenset[int]:
        return frozenset(self._ids[name] for name in self._byte_pieces if name in self._ids)

    def _in_bytes(self, piece: str) -> list[int]:
        """A piece that text must not become, spelt in bytes; UNK if the model has not all of them."""
        names = [byte_piece(value) for value in piece.replace(SPACE, " ").encode()]
        spelt = [self._ids.get(name, UNK) for name in names]
        return spelt if spelt and self._byte_ids.issuperset(spelt) else [UNK]

    def _surface_of(self, piece: str) -> str:
        if piece in self._byte_pieces:
            return byte_surface(self._byte_pieces[piece])
        return " " if piece == SPACE else piece.removeprefix(SPACE).replace(SPACE, " ")


def read_pieces(path: Path) -> tuple[str, ...]:
    """The pieces of a model, one a line in the order of their ids; raises ModelError naming the file and the cure."""
    try:
        # not as lines of text, which a carriage return would end
        return tuple(path.read_bytes().decode("utf-8").removesuffix("\n").split("\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); convert the model again") from error


def _writable(text: str) -> str:
    """`text` with halves of surrogate pairs replaced, which no UTF-8 can hold."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
