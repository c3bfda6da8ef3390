"""Decoding with the compiled core. Rows are nodes of trees of prefixes (engine/compiled), one tree for each source.

Following the search's choice of parents copies nothing, and a prefix that an earlier search of the source expanded
costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import numpy as np
import numpy.typing as npt

from engine.compiled.c_interface import CoreCancelled, Floats, PrefixTree
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interruption
from engine.model.config import ModelConfig, too_long
from engine.text import BOS

_ROWS_AT_ONCE = 64  # between two looks at the interruption
_BEFORE_START = -1  # the row of a sentence before the first step, whose input is `<s>`


Ints = npt.NDArray[np.int64]


class CompiledDecoder:
    """A decoder of texts, given the tree of each one's source; it follows `select` as a `Decoder` does."""

    def __init__(self, config: ModelConfig, trees: Sequence[PrefixTree], interruption: Interruption = NEVER) -> None:
        """`interruption` may end a step of many rows between its parts."""
        self._config = config
        self._trees = list(trees)
        self._interruption = interruption
        self._places_R = np.arange(len(trees))  # the sentence of each row, ascending
        self._nodes_R = np.full(len(trees), _BEFORE_START, dtype=np.int32)

    def step(self, tokens_R: Ints) -> Floats:
        """Log-probabilities (R, V) of the next token of each row; see `Decoder.step`."""
        tokens = tokens_R.astype(np.int32)
        log_probs_RV = np.empty((len(tokens), self._config.vocabulary_size), dtype=np.float32)
        for tree, rows in self._parts():
            self._interruption.check()
            is_start = self._nodes_R[rows] == _BEFORE_START
            assert bool((tokens[rows][is_start] == BOS).all()), "the first step of a row reads <s>"
            # the start of a translation has read <s>, or what stands in its place
            nodes = np.zeros(len(is_start), dtype=np.int32)
            nodes[~is_start] = tree.children(self._nodes_R[rows][~is_start], tokens[rows][~is_start])
            try:
                with self._watched(tree):
                    tree.log_probs(nodes, log_probs_RV[rows])
            except InvalidRequest:
                raise InvalidRequest(too_long(self._config.max_pieces)) from None
            self._nodes_R[rows] = nodes
        return log_probs_RV

    def _parts(self) -> Iterator[tuple[PrefixTree, slice]]:
        """The rows of each tree, a few at once."""
        first = 0
        for tree, rows in groupby(self._places_R.tolist(), self._trees.__getitem__):
            behind = first + len(list(rows))
            for start in range(first, behind, _ROWS_AT_ONCE):
                yield tree, slice(start, min(start + _ROWS_AT_ONCE, behind))
            first = behind

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Let each sentence's row begin with these pieces; see `Decoder.read`."""
        assert len(pieces_B) == len(self._nodes_R) == len(self._trees), "rows that have made steps cannot start again"
        log_probs = []
        for row, (tree, pieces) in enumerate(zip(self._trees, pieces_B, strict=True)):
            self._interruption.check()
            if len(pieces) > self._config.max_pieces:
                raise InvalidRequest(too_long(self._config.max_pieces))
            before = [0, *tree.walk(0, pieces[:-1])][: len(pieces)]
            with self._watched(tree):
                log_probs.append(tuple(tree.piece_log_probs(before, pieces)))
            self._nodes_R[row] = before[-1] if before else _BEFORE_START
        return log_probs

    @contextmanager
    def _watched(self, tree: PrefixTree) -> Iterator[None]:
        """Lets the interruption end calls of the tree."""
        if not self._interruption.is_possible:
            yield
            return
        tree.watch(self._interruption.must_end)
        try:
            yield
        except CoreCancelled:
            self._interruption.check()
            raise
        finally:
            tree.watch(None)

    def select(self, parents_R2: Ints) -> None:
        """Let new row i go on from old row `parents_R2[i]`; see `Decoder.select`."""
        self._places_R, self._nodes_R = self._places_R[parents_R2], self._nodes_R[parents_R2]
