"""Base class of the codecs of imported models: pieces by id, the first of them special."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from engine.text.codec import EncodedPieces
from engine.text.normalisation import NormalText, PlainForm
from engine.text.vocabulary import UNK, UNKNOWN_SURFACE

NUM_SPECIAL = 4  # padding, start, end, unknown: the first ids of every vocabulary


class ImportedPieces(ABC):
    """The pieces of one side by id; `hidden` are further ones that no text contains (language codes)."""

    pieces: tuple[str, ...]
    hidden: frozenset[str]

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        """The text of each piece, by id."""
        return tuple(self._surface(number) for number in range(len(self.pieces)))

    @property
    def specials(self) -> tuple[int, ...]:
        """The ids of control pieces, which do not occur in texts, and the id of unknown characters."""
        return tuple(number for number in range(len(self.pieces)) if self._is_special(number))

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        return self._ids[piece]

    def encode(self, text: str) -> EncodedPieces:
        """The canonical pieces of the plain form of a text, with their characters in the text itself."""
        normal = self.normal(text)
        return self._encode_exactly(normal.text).of_given(normal)

    def spells(self, text: str) -> bool:
        """True if the pieces of `text` write exactly `normalise(text)`."""
        return self._spells_exactly(self.normalise(text))

    def normal(self, text: str) -> NormalText:
        """The plain form of a text: what the model reads, and how constraints are compared."""
        return self._plain.of(text)

    def normalise(self, text: str) -> str:
        """`normal(text).text`."""
        return self.normal(text).text

    @abstractmethod
    def _encode_exactly(self, text: str) -> EncodedPieces:
        """The canonical pieces of a text in its plain form."""

    @abstractmethod
    def _spells_exactly(self, text: str) -> bool:
        """True if the pieces of `text`, in NFC, write exactly it."""

    @abstractmethod
    def _surface_of(self, piece: str) -> str:
        """The text of a piece that is not special."""

    @cached_property
    def _plain(self) -> PlainForm:
        return PlainForm(self._spells_exactly)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces)}

    def _is_special(self, piece_id: int) -> bool:
        return piece_id < NUM_SPECIAL or self.pieces[piece_id] in self.hidden

    def _surface(self, piece_id: int) -> str:
        if piece_id == UNK:
            return UNKNOWN_SURFACE
        return "" if self._is_special(piece_id) else self._surface_of(self.pieces[piece_id])
