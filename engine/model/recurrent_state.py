"""The state of a recurrent decoder. Its size does not depend on the number of pieces."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.model.layers import RowLayout, scan


class RecurrentState:
    """The cells of all rows, one per decoder layer, in place of a `SelfAttentionCache`.

    A row's number of steps only gives its position; its cells are all that continues it.
    """

    def __init__(
        self, num_rows: int, num_layers: int, model_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.cells_LRE = torch.zeros(num_layers, num_rows, model_size, device=device, dtype=dtype)
        self.pasts: Sequence[Tensor] = ()  # the cells of each row that `begin` received, until the next `select`
        self.num_steps = 0  # of the longest row
        self._steps_R: Tensor | None = None  # (R,), on the CPU: the steps of each row; None where all have the same

    @property
    def num_rows(self) -> int:
        return self.cells_LRE.shape[1]

    @property
    def positions(self) -> int | Tensor:
        """The positions of the newest pieces in their rows: one for all or, where they differ, (R,)."""
        return self.num_steps - 1 if self._steps_R is None else self._on_device(self._steps_R - 1)

    def begin(self, pasts: Sequence[Tensor], lengths: Sequence[int]) -> None:
        """Start row i with `lengths[i]` steps, the first of them with the cells `pasts[i]`, (T, layers, E).

        `PrefillRecurrence` makes the others. Earlier contents are dropped.
        """
        num_layers, _, model_size = self.cells_LRE.shape
        self.cells_LRE = self.cells_LRE.new_zeros(num_layers, len(lengths), model_size)
        for row, past_TLE in enumerate(pasts):
            if len(past_TLE):
                self.cells_LRE[:, row] = past_TLE[-1]
        self.pasts = pasts
        self._set_steps(torch.tensor(lengths))

    def extend(self) -> None:
        """Count the next step of all rows."""
        self.num_steps += 1
        if self._steps_R is not None:
            self._steps_R = self._steps_R + 1

    def advance(self, layer: int, forget_RE: Tensor, candidates_RE: Tensor) -> Tensor:
        """Take the next step of a layer's recurrence; returns its new cells (R, E), which must not be changed."""
        cells_RE = self.cells_LRE[layer]
        return torch.lerp(candidates_RE, cells_RE, forget_RE, out=cells_RE)

    def repeat(self, rows: Sequence[int]) -> None:
        """Make row i a copy of row `rows[i]`, of as many steps, in place."""
        self.cells_LRE = self.cells_LRE[:, list(rows)]

    def select(self, parents_R2: Tensor) -> None:
        """Make row i a copy of row `parents_R2[i]`."""
        self.cells_LRE = self.cells_LRE.index_select(1, self._on_device(parents_R2))
        self.pasts = ()
        if self._steps_R is not None:
            self._set_steps(self._steps_R[parents_R2.cpu()])

    def join(self, other: RecurrentState) -> None:
        """Put the rows of `other` behind these; each row keeps its position."""
        self._set_steps(torch.cat([self._steps, other._steps]))
        self.cells_LRE = torch.cat([self.cells_LRE, other.cells_LRE], dim=1)
        self.pasts = ()

    @property
    def _steps(self) -> Tensor:
        return torch.full((self.num_rows,), self.num_steps) if self._steps_R is None else self._steps_R

    def _set_steps(self, steps_R: Tensor) -> None:
        self.num_steps = int(steps_R.max()) if len(steps_R) else 0
        self._steps_R = None if bool((steps_R == self.num_steps).all()) else steps_R

    def _on_device(self, x: Tensor) -> Tensor:
        return x.to(self.cells_LRE.device, non_blocking=True)


class PrefillRecurrence:
    """The recurrence over several new pieces per sentence: M pieces, those of a sentence adjacent and in order.

    It replaces the state in `LayerStep.read_past`: all products are made at once, only the cells one after the other.
    """

    def __init__(self, state: RecurrentState, sentences_M: Tensor, positions_M: Tensor, layout: RowLayout) -> None:
        """Piece m is that of sentence `sentences_M[m]` at `positions_M[m]`; both on the CPU.

        `layout` arranges the pieces as (B, pieces of a sentence).
        """
        self._state, self._layout = state, layout
        self._sentences_M = sentences_M
        is_last_M = torch.ones(len(sentences_M), dtype=torch.bool)
        is_last_M[:-1] = sentences_M[1:] != sentences_M[:-1]
        self._last = state._on_device(is_last_M.nonzero()[:, 0])  # the last piece of each sentence that has new ones
        self._read = state._on_device(sentences_M[is_last_M])
        self._cells: list[Tensor] = []  # of each layer, (M, E)

    def advance(self, layer: int, forget_ME: Tensor, candidates_ME: Tensor) -> Tensor:
        """The cells after each piece, (M, E); the state's become those after the last piece of each sentence."""
        before_BE = self._state.cells_LRE[layer]
        cells_BTE = scan(before_BE, self._layout.pad(forget_ME), self._layout.pad(candidates_ME))
        cells_ME = self._layout.unpad(cells_BTE)
        self._state.cells_LRE[layer, self._read] = cells_ME[self._last]
        self._cells.append(cells_ME)
        return cells_ME

    def entries_of(self, sentence: int) -> Tensor:
        """The cells after each piece of a sentence, known ones included, (T, layers, E)."""
        is_its_own = self._state._on_device(self._sentences_M == sentence)
        new_TLE = torch.stack([cells_ME[is_its_own] for cells_ME in self._cells], dim=1)
        known_TLE = self._state.pasts[sentence]
        return torch.cat([known_TLE, new_TLE]) if len(known_TLE) else new_TLE
