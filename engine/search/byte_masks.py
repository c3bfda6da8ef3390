"""Keeps byte pieces to whole characters: which of them may follow the bytes that a hypothesis ends with."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from engine.search.arrays import Ints
from engine.search.phrases import PieceTexts
from engine.text import bytes_of, is_byte_surface, split_bytes

_MAX_BEGINNING = 3  # bytes of an unfinished character


class ByteMasks:
    """The byte pieces of a vocabulary, grouped by the bytes that may precede them."""

    def __init__(self, texts: PieceTexts) -> None:
        self._ids = {
            bytes_of(surface)[0]: piece for piece, surface in enumerate(texts.surfaces) if is_byte_surface(surface)
        }
        self.values_V = np.full(len(texts.surfaces), -1)
        self.values_V[[*self._ids.values()]] = [*self._ids]
        self._following: dict[bytes, tuple[int, ...]] = {}

    @cached_property
    def not_first(self) -> tuple[int, ...]:
        """The pieces of bytes that begin no character."""
        return tuple(
            piece for value, piece in self._ids.items() if split_bytes(bytes([value]))[0][:1] == [("\ufffd", 1)]
        )

    def allowed(self, tokens_RT: Ints) -> dict[int, tuple[int, ...]]:
        """The only pieces that may follow each row that ends with an unfinished character: all its next bytes."""
        if not self._ids:
            return {}
        values_RT = self.values_V[tokens_RT[:, -_MAX_BEGINNING:]]
        found = {}
        for row in (values_RT[:, -1] > 0x7F).nonzero()[0].tolist():
            run = values_RT[row].tolist()
            run = run[len(run) - run[::-1].index(-1) :] if -1 in run else run
            if (allowed := self.after(bytes(run))) is not None:
                found[row] = allowed
        return found

    def after(self, run: bytes) -> tuple[int, ...] | None:
        """The only pieces that may follow these last bytes; None if they do not end with an unfinished character."""
        unfinished = split_bytes(run)[1]
        return self._next(unfinished) if unfinished else None

    def mask(self, log_probs_RV: Tensor, tokens_RT: Ints) -> None:
        """Set pieces that break a character, or continue none, to -inf in place."""
        allowed = self.allowed(tokens_RT)
        for row, log_probs_V in enumerate(log_probs_RV):
            if row in allowed:
                kept_V = torch.zeros_like(log_probs_V, dtype=torch.bool)
                kept_V[list(allowed[row])] = True
                log_probs_V.masked_fill_(~kept_V, -torch.inf)
            else:
                log_probs_V[list(self.not_first)] = -torch.inf

    def _next(self, unfinished: bytes) -> tuple[int, ...]:
        if unfinished not in self._following:
            self._following[unfinished] = tuple(
                piece for value, piece in self._ids.items() if not _is_broken(unfinished + bytes([value]))
            )
        return self._following[unfinished]


def _is_broken(run: bytes) -> bool:
    """True if a run does not begin with a whole or an unfinished character."""
    found, _ = split_bytes(run)
    return bool(found) and found[0][1] < len(run)
