"""Base class of the codecs of imported models: pieces by id, the first of them special."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from engine.text.normalisation import normalise
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

    @staticmethod
    def normalise(text: str) -> str:
        """`text` in NFC, as constraints are compared."""
        return normalise(text)

    @abstractmethod
    def _surface_of(self, piece: str) -> str:
        """The text of a piece that is not special."""

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces)}

    def _is_special(self, piece_id: int) -> bool:
        return piece_id < NUM_SPECIAL or self.pieces[piece_id] in self.hidden

    def _surface(self, piece_id: int) -> str:
        if piece_id == UNK:
            return UNKNOWN_SURFACE
        return "" if self._is_special(piece_id) else self._surface_of(self.pieces[piece_id])
