"""Keeps pieces with bytes to whole characters: which of them may follow the bytes that a hypothesis ends with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.search.arrays import Ints
from engine.search.phrases import PieceTexts
from engine.text import begins_with_byte, breaks_character, bytes_of, has_bytes, split_bytes

_MAX_BEGINNING = 3  # bytes of an unfinished character


class ByteMasks:
    """The pieces of a vocabulary that have bytes, grouped by the bytes that may precede them."""

    def __init__(self, texts: PieceTexts) -> None:
        self._surfaces = {piece: surface for piece, surface in enumerate(texts.surfaces) if has_bytes(surface)}
        self._glues_left = texts.glues_left
        self._may_cut_V = np.zeros(len(texts.surfaces), dtype=np.bool_)
        self._may_cut_V[[p for p, surface in self._surfaces.items() if bytes_of(surface)[-1] > 0x7F]] = True
        self._following: dict[bytes, tuple[int, ...]] = {}

    @cached_property
    def not_first(self) -> tuple[int, ...]:
        """The pieces with bytes that are part of no character, at the beginning of a character."""
        return tuple(piece for piece, surface in self._surfaces.items() if breaks_character(b"", surface))

    def allowed(self, tokens_RT: Ints) -> dict[int, tuple[int, ...]]:
        """The only pieces that may follow each row that ends with an unfinished character."""
        if not self._surfaces:
            return {}
        found = {}
        for row in self._may_cut_V[tokens_RT[:, -1]].nonzero()[0].tolist():
            unfinished = split_bytes(self._last_bytes(tokens_RT[row, -_MAX_BEGINNING:].tolist()))[1]
            if unfinished:
                found[row] = self._next(unfinished)
        return found

    def mask(self, log_probs_RV: npt.NDArray[np.float32], tokens_RT: Ints) -> None:
        """Set pieces that break a character, or continue none, to -inf in place."""
        allowed = self.allowed(tokens_RT)
        for row, log_probs_V in enumerate(log_probs_RV):
            if row in allowed:
                kept = list(allowed[row])
                values = log_probs_V[kept]
                log_probs_V[:] = -np.inf
                log_probs_V[kept] = values
            else:
                log_probs_V[list(self.not_first)] = -np.inf

    def _last_bytes(self, pieces: Sequence[int]) -> bytes:
        """The end of the text that pieces write, as far as it may have bytes of an unfinished character."""
        surfaces = ""
        for piece in reversed(pieces):
            surface = self._surfaces.get(piece, "")
            surfaces = surface + surfaces
            if not surface or not self._glues_left[piece]:
                break
        return bytes_of(surfaces)

    def _next(self, unfinished: bytes) -> tuple[int, ...]:
        if unfinished not in self._following:
            self._following[unfinished] = tuple(
                piece
                for piece, surface in self._surfaces.items()
                if self._glues_left[piece] and begins_with_byte(surface) and not breaks_character(unfinished, surface)
            )
        return self._following[unfinished]
