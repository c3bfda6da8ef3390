"""Base classes of the codecs of other projects' pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from engine.text.codec import DecodedPieces, EncodedPieces, decoded, spellings_of
from engine.text.normalisation import NormalText, PlainForm
from engine.text.vocabulary import BOS, EOS, UNK, UNKNOWN_SURFACE

NUM_SPECIAL = 4  # padding, start, end, unknown: the first ids of every vocabulary


class PlainCodec(ABC):
    """A codec whose `encode` reads the plain form of a text, which its pieces spell exactly or not."""

    @property
    @abstractmethod
    def surfaces(self) -> tuple[str, ...]: ...
    @property
    @abstractmethod
    def glues_left(self) -> tuple[bool, ...]: ...
    @property
    @abstractmethod
    def glues_right(self) -> tuple[bool, ...]: ...
    @property
    @abstractmethod
    def specials(self) -> tuple[int, ...]: ...
    @property
    @abstractmethod
    def begin(self) -> int: ...
    @property
    @abstractmethod
    def end(self) -> int: ...

    @abstractmethod
    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""

    def encode(self, text: str) -> EncodedPieces:
        """The canonical pieces of the plain form of a text, with their characters in the text itself."""
        normal = self.normal(text)
        return self._encode_exactly(normal.text).of_given(normal)

    def spellings(self, form: str) -> list[tuple[int, ...]]:
        """The canonical pieces of a required form, of each place where a text may have it."""
        return spellings_of(form, self)

    def decode(self, ids: Sequence[int]) -> DecodedPieces:
        """The text that pieces write; special pieces write nothing. Raises InvalidRequest for an invalid id."""
        return decoded(ids, self)

    def spells(self, text: str) -> bool:
        """True if the pieces of `text` write exactly `normalise(text)`."""
        return self._spells_exactly(self.normalise(text))

    def respell(self, text: str) -> str:
        """The text that the pieces of `text` spell, with ⁇ for unknown characters."""
        return self.decode(self.encode(text).ids).text

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

    @cached_property
    def _plain(self) -> PlainForm:
        return PlainForm(self._spells_exactly)


class ImportedPieces(PlainCodec):
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

    @property
    def begin(self) -> int:
        return BOS

    @property
    def end(self) -> int:
        return EOS

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        return self._ids[piece]

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
