"""The rows of the search as a batch for each sentence: encoder-decoder models, and models without a free mask.

The rows of a sentence have the same number of tokens, so no row is padded, and a model may take positions from the
length of its cache. Sentences are computed one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import torch
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from engine.interruption import Interruption
from engine.search.arrays import Ints
from engine.transformers_models.forward import Forward
from engine.transformers_models.prompt import Prompt


class _SentenceRows:
    """The rows of one sentence."""

    def __init__(self, forward: Forward, prompt: Prompt, interruption: Interruption) -> None:
        self._forward = forward
        self.interruption = interruption
        self._prompt: Prompt | None = prompt  # until the first step
        self.num_rows = 1
        self._encoded_RSE: Tensor | None = None
        config = forward.model.config
        if config.is_encoder_decoder:
            encoder = forward.model.get_encoder()
            ids_1S = torch.tensor([prompt.ids], device=forward.device)
            self._encoded_RSE = encoder(input_ids=ids_1S).last_hidden_state
            self._cache: Any = EncoderDecoderCache(DynamicCache(config=config), DynamicCache())
            self._read = prompt.starts
        else:
            self._cache = DynamicCache(config=config)
            self._read = prompt.ids
        if len(self._read) > 1:
            self._pass(torch.tensor([self._read[:-1]], device=forward.device), 1)

    def read(self, pieces: Sequence[int]) -> list[float]:
        if not pieces:
            return []
        inputs = torch.tensor([[self._read[-1], *pieces[:-1]]], device=self._forward.device)
        log_probs_TV = self._pass(inputs, len(pieces))[0]
        self._prompt = None
        own: list[float] = log_probs_TV[range(len(pieces)), list(pieces)].tolist()
        return own

    def step(self, tokens_R: Tensor) -> Tensor:
        prompt, self._prompt = self._prompt, None
        if prompt is not None:
            tokens_R = torch.full_like(tokens_R, self._read[-1])
        log_probs_RV = self._pass(tokens_R[:, None], 1)[:, 0]
        if prompt is not None:
            log_probs_RV[:, list(prompt.never_first)] = -torch.inf
        return log_probs_RV

    def select(self, parents_R: Tensor) -> None:
        self._cache.reorder_cache(parents_R)
        if self._encoded_RSE is not None:
            self._encoded_RSE = self._encoded_RSE[parents_R]
        self.num_rows = len(parents_R)

    def _pass(self, inputs_RT: Tensor, num_kept: int) -> Tensor:
        """The log-probabilities (R, `num_kept`, V) after the last tokens."""
        inputs: dict[str, Any] = {"past_key_values": self._cache}
        if self._encoded_RSE is None:
            inputs["input_ids"] = inputs_RT
        else:
            inputs["decoder_input_ids"] = inputs_RT
            inputs["encoder_outputs"] = BaseModelOutput(last_hidden_state=self._encoded_RSE)
        logits_RTV = self._forward.logits(num_kept, **inputs)
        return self._forward.log_probs(logits_RTV.flatten(0, 1)).view(logits_RTV.shape)


class RowsDecoder:
    """A `StepDecoder` (engine/search/steps.py) for sentences that begin with these prompts."""

    @torch.inference_mode()
    def __init__(self, forward: Forward, prompts: Sequence[Prompt], interruptions: Sequence[Interruption]) -> None:
        """Reads the prompts, but for their last tokens. Raises Interrupted."""
        self._forward = forward
        with forward.asking(interruptions):
            self._sentences = [
                _SentenceRows(forward, prompt, interruption)
                for prompt, interruption in zip(prompts, interruptions, strict=True)
            ]

    @torch.inference_mode()
    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[list[float]]:
        with self._asking():
            return [sentence.read(pieces) for sentence, pieces in zip(self._sentences, pieces_B, strict=True)]

    @torch.inference_mode()
    def step(self, tokens_R: Tensor | Ints) -> Tensor:
        parts = (
            torch.as_tensor(tokens_R)
            .to(self._forward.device)
            .split([sentence.num_rows for sentence in self._sentences])
        )
        with self._asking():
            return torch.cat([sentence.step(part) for sentence, part in zip(self._sentences, parts, strict=True)])

    @torch.inference_mode()
    def select(self, parents_R: Tensor | Ints) -> None:
        parents_R, first, going = torch.as_tensor(parents_R).to(self._forward.device), 0, []
        for sentence in self._sentences:
            last = first + sentence.num_rows
            own_R = parents_R[(first <= parents_R) & (parents_R < last)] - first
            if len(own_R):
                sentence.select(own_R)
                going.append(sentence)
            first = last
        self._sentences = going

    def join(self, other: Self) -> None:
        self._sentences += other._sentences

    def _asking(self) -> AbstractContextManager[None]:
        return self._forward.asking(sentence.interruption for sentence in self._sentences)
