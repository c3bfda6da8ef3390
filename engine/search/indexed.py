"""The texts of a vocabulary's pieces with lookup tables, computed once for all sentences."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.search.layouts import layouts_of
from engine.search.matching import Context
from engine.search.phrases import PieceTexts
from engine.text import byte_surface, has_bytes, is_unspaced, join_bytes


class IndexedTexts:
    """`PieceTexts` with indices from characters to pieces, each computed on first use.

    A prefix that ends in an open word is looked up at every one of its characters. Scanning the 256,000 pieces of a
    multilingual model instead took a second each time.
    """

    def __init__(self, texts: PieceTexts) -> None:
        self.surfaces = tuple(texts.surfaces)
        self.glues_left = tuple(texts.glues_left)
        self.glues_right = tuple(texts.glues_right)

    @classmethod
    def of(cls, texts: PieceTexts) -> IndexedTexts:
        """These texts as `IndexedTexts`; returned unchanged if they are already."""
        return texts if isinstance(texts, cls) else cls(texts)

    def writing(self, context: Context, text: str) -> list[int]:
        """The pieces that, in this context, begin with the first character of `text`, which is not empty; ascending.

        If that is a space, the character after it must match too, if there is one. Pieces that begin with the first
        byte of a character are among them, or with its next byte if some of its bytes are written.
        """
        first, second = text[0], text[1:2]
        beginning = self._beginning(first, len(context.unfinished))
        pieces = [piece for piece in beginning if not context.has_space_before(self, piece)]
        if first == " " and not (context.is_first or context.is_open or context.unfinished):
            pieces += self._apart if not second else [p for p in self._beginning(second) if not self.glues_left[p]]
        return sorted(pieces)

    def may_attach(self, character: str) -> bool:
        """True if a piece that glues to its left begins with this character, or with the first byte of it."""
        return character in self.attached or byte_surface(character.encode()[0]) in self.attached

    def holds(self, text: str) -> bool:
        """True if `text` is a substring of some piece."""
        return text in self._all

    @cached_property
    def layouts(self) -> npt.NDArray[np.int32]:
        """(V,): the layouts of the pieces."""
        return layouts_of(self)

    @cached_property
    def _all(self) -> str:
        return "\n".join(map(join_bytes, self.surfaces))

    @cached_property
    def attached(self) -> set[str]:
        """The first characters of the pieces that glue to their left."""
        found = {surface[0] for surface, glues in zip(self.surfaces, self.glues_left, strict=True) if glues and surface}
        return found | {"a", ".", "\u0301"} if any(map(has_bytes, found)) else found  # bytes spell anything

    @cached_property
    def _apart(self) -> list[int]:
        return [
            piece
            for piece, (surface, glues) in enumerate(zip(self.surfaces, self.glues_left, strict=True))
            if surface and not glues
        ]

    @cached_property
    def goes_on(self) -> npt.NDArray[np.bool_]:
        """(V,): the pieces after which a word continues; in a script without spaces each piece ends a word."""
        pairs = zip(self.surfaces, self.glues_right, strict=True)
        return np.array([glues and not is_unspaced(surface[-1:] or " ") for surface, glues in pairs])

    @cached_property
    def begins_word(self) -> npt.NDArray[np.bool_]:
        """(V,): the pieces that begin a word: non-empty, and not glued to a word of a script with spaces."""
        pairs = zip(self.surfaces, self.glues_left, strict=True)
        return np.array([bool(surface) and (not glues or is_unspaced(surface[0])) for surface, glues in pairs])

    @cached_property
    def writes(self) -> npt.NDArray[np.bool_]:
        """(V,): the non-empty pieces."""
        return np.array([bool(surface) for surface in self.surfaces])

    def _beginning(self, character: str, num_written: int = 0) -> list[int]:
        """The pieces that begin with the character, of which so many bytes are written."""
        whole = self._by_first.get(character, ()) if not num_written else ()
        return [*whole, *self._by_first.get(byte_surface(character.encode()[num_written]), ())]

    @cached_property
    def _by_first(self) -> dict[str, list[int]]:
        by_first: dict[str, list[int]] = {}
        for piece, surface in enumerate(self.surfaces):
            if surface:
                by_first.setdefault(surface[0], []).append(piece)
        return by_first
