"""The rows of the search as sequences of llama.cpp."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Self

import torch
from torch import Tensor

from engine.interruption import Interruption
from engine.llama_models.llama_context import LlamaContext
from engine.search.arrays import Ints
from engine.transformers_models.forward import log_probs
from engine.transformers_models.prompt import Prompt


class LlamaDecoder:
    """A `StepDecoder` (engine/search/steps.py) for sentences that begin with these prompts."""

    def __init__(
        self,
        context: LlamaContext,
        ends: Sequence[int],
        prompts: Sequence[Prompt],
        interruptions: Sequence[Interruption],
    ) -> None:
        """Reads the prompts, but for their last tokens and for what the context has of them. Raises Interrupted."""
        self._context, self._ends = context, ends
        self._sequences_R: list[int] = []
        weakref.finalize(self, context.released.extend, self._sequences_R)
        self._interruptions_R = list(interruptions)
        self._prompts_R: list[Prompt | None] = [*prompts]  # until the first step
        self._positions_R = [len(prompt.ids) - 1 for prompt in prompts]
        with context.asking(interruptions):
            for prompt in prompts:
                self._sequences_R.append(context.begin(prompt.ids[:-1]))

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[list[float]]:
        found: list[list[float]] = []
        for row, pieces in enumerate(pieces_B):
            if not pieces:
                found.append([])
                continue
            prompt = self._prompts_R[row]
            assert prompt is not None
            inputs, start = [prompt.ids[-1], *pieces[:-1]], self._positions_R[row]
            log_probs_TV = self._run(inputs, range(start, start + len(inputs)), [self._sequences_R[row]] * len(inputs))
            own_T = log_probs_TV[range(len(pieces)), list(pieces)]
            found.append(own_T.tolist())
            self._positions_R[row] += len(inputs)
            self._prompts_R[row] = None
        return found

    def step(self, tokens_R: Tensor | Ints) -> Tensor:
        prompts = self._prompts_R
        tokens = [
            int(token) if prompt is None else prompt.ids[-1] for token, prompt in zip(tokens_R, prompts, strict=True)
        ]
        log_probs_RV = self._run(tokens, self._positions_R, self._sequences_R)
        for row, prompt in enumerate(prompts):
            if prompt is not None and prompt.never_first:
                log_probs_RV[row, list(prompt.never_first)] = -torch.inf
        self._positions_R = [position + 1 for position in self._positions_R]
        self._prompts_R = [None] * len(prompts)
        return log_probs_RV

    def select(self, parents_R: Tensor | Ints) -> None:
        parents, before = [int(parent) for parent in parents_R], [*self._sequences_R]
        for row in {*range(len(before))} - {*parents}:
            self._context.drop(before[row])
        self._sequences_R.clear()
        taken: set[int] = set()
        for parent in parents:
            own = before[parent]
            self._sequences_R.append(self._context.copy(own) if parent in taken else own)
            taken.add(parent)
        self._positions_R = [self._positions_R[parent] for parent in parents]
        self._prompts_R = [self._prompts_R[parent] for parent in parents]
        self._interruptions_R = [self._interruptions_R[parent] for parent in parents]

    def join(self, other: Self) -> None:
        self._sequences_R += other._sequences_R
        other._sequences_R.clear()
        self._positions_R += other._positions_R
        self._prompts_R += other._prompts_R
        self._interruptions_R += other._interruptions_R

    def _run(self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int]) -> Tensor:
        with self._context.asking(self._interruptions_R):
            logits = self._context.run(tokens, positions, sequences)
        return log_probs(torch.from_numpy(logits), self._ends)
