"""The rows of the search as one sequence: decoder-only models whose attention takes a mask and positions.

All tokens of all rows and sentences are written behind each other, each at a place of its own; a mask says which places
a token sees. Rows that go on from the same row share its keys and values, and sentences share those of their prompts:
nothing is copied when the beam changes. In addition to the shapes of the engine: N tokens of one pass, C places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import Tensor
from transformers import DynamicCache

from engine.interruption import Interruption
from engine.search.arrays import Ints
from engine.transformers_models.forward import Forward
from engine.transformers_models.prompt import Prompt
from engine.transformers_models.prompt_cache import PromptCache, num_common

_LEAST_UNSEEN = 64  # places that no row sees any more, before their memory is given back


class TreeDecoder:
    """A `StepDecoder` (engine/search/steps.py) for sentences that begin with these prompts."""

    def __init__(
        self,
        forward: Forward,
        prompts: Sequence[Prompt],
        interruptions: Sequence[Interruption],
        prompt_cache: PromptCache,
    ) -> None:
        """Reads the prompts, but for their last tokens and for what the cache has of them. Raises Interrupted."""
        self._forward = forward
        self._window, self._has_kinds = _sliding_window(forward.model.config)
        self._cache = DynamicCache()  # without the configuration: sliding layers must not forget places
        self._positions_C = torch.zeros(0, dtype=torch.long, device=forward.device)
        self._interruptions_R = list(interruptions)
        self._prompts_R: list[Prompt | None] = [*prompts]  # until the first step
        self._seen_RC = torch.zeros(len(prompts), 0, dtype=torch.bool, device=forward.device)
        with torch.inference_mode():
            self._read_prompts(prompts, prompt_cache)

    @property
    def num_bytes(self) -> int:
        """The memory of all keys and values."""
        pairs = ((layer.keys, layer.values) for layer in self._cache.layers)
        return sum(tensor.numel() * tensor.element_size() for pair in pairs for tensor in pair)

    @torch.inference_mode()
    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[list[float]]:
        found: list[list[float]] = []
        seen_RC: list[Tensor] = []
        for row, pieces in enumerate(pieces_B):
            seen_1C = self._widened(self._seen_RC[row : row + 1])
            prompt = self._prompts_R[row]
            if pieces:
                assert prompt is not None
                inputs = [prompt.ids[-1], *pieces[:-1]]
                log_probs_TV, seen_1C = self._read_run(seen_1C, inputs, len(inputs))
                own_T = log_probs_TV[range(len(pieces)), list(pieces)]
                found.append(own_T.tolist())
                self._prompts_R[row] = None
            else:
                found.append([])
            seen_RC.append(seen_1C)
        self._seen_RC = torch.cat([self._widened(seen_1C) for seen_1C in seen_RC])
        return found

    @torch.inference_mode()
    def step(self, tokens_R: Tensor | Ints) -> Tensor:
        prompts = self._prompts_R
        tokens_R = torch.as_tensor(tokens_R).to(self._forward.device)
        if any(prompts):
            firsts = [-1 if prompt is None else prompt.ids[-1] for prompt in prompts]
            firsts_R = torch.tensor(firsts, device=self._forward.device)
            tokens_R = torch.where(firsts_R < 0, tokens_R, firsts_R)
        own_RR = torch.eye(len(tokens_R), dtype=torch.bool, device=self._forward.device)
        log_probs_RV = self._pass(tokens_R, self._seen_RC, own_RR, len(tokens_R))
        self._seen_RC = torch.cat([self._seen_RC, own_RR], 1)
        for row, prompt in enumerate(prompts):
            if prompt is not None and prompt.never_first:
                log_probs_RV[row, list(prompt.never_first)] = -torch.inf
        self._prompts_R = [None] * len(prompts)
        return log_probs_RV

    @torch.inference_mode()
    def select(self, parents_R: Tensor | Ints) -> None:
        parents = parents_R.tolist()
        self._seen_RC = self._seen_RC[parents]
        self._prompts_R = [self._prompts_R[parent] for parent in parents]
        self._interruptions_R = [self._interruptions_R[parent] for parent in parents]
        is_seen_C = self._seen_RC.any(0)
        num_seen = int(is_seen_C.sum())
        if len(is_seen_C) - num_seen > max(_LEAST_UNSEEN, num_seen // 4):
            kept = is_seen_C.nonzero()[:, 0]
            for layer in self._cache.layers:
                layer.keys, layer.values = layer.keys[:, :, kept], layer.values[:, :, kept]
            self._seen_RC, self._positions_C = self._seen_RC[:, kept], self._positions_C[kept]

    @torch.inference_mode()
    def join(self, other: Self) -> None:
        num_own, num_other = len(self._positions_C), len(other._positions_C)
        for layer, others in zip(self._cache.layers, other._cache.layers, strict=True):
            layer.keys = torch.cat([layer.keys, others.keys], 2)
            layer.values = torch.cat([layer.values, others.values], 2)
        self._positions_C = torch.cat([self._positions_C, other._positions_C])
        own_RC = torch.nn.functional.pad(self._seen_RC, (0, num_other))
        self._seen_RC = torch.cat([own_RC, torch.nn.functional.pad(other._seen_RC, (num_own, 0))])
        self._prompts_R += other._prompts_R
        self._interruptions_R += other._interruptions_R

    # -- inside -------------------------------------------------------------------------------------------------------

    def _read_prompts(self, prompts: Sequence[Prompt], prompt_cache: PromptCache) -> None:
        """Read the prompts one by one, each from where it differs from those before it and those in the cache."""
        read: list[tuple[tuple[int, ...], list[int]]] = []  # tokens and their places
        for prompt in prompts:
            ids = prompt.ids[:-1]
            places = max((own[: num_common(known, ids)] for known, own in read), key=len, default=[])
            num_known, keys = prompt_cache.longest(ids)
            if num_known > len(places):
                places = list(range(len(self._positions_C), len(self._positions_C) + num_known))
                for number, pair in enumerate(keys):
                    self._cache.update(*pair, number)
                positions = torch.arange(num_known, device=self._forward.device)
                self._positions_C = torch.cat([self._positions_C, positions])
            if rest := ids[len(places) :]:
                first = len(self._positions_C)
                self._read_run(self._seeing([places]), rest, 1)
                places = [*places, *range(first, first + len(rest))]
                layers = self._cache.layers
                prompt_cache.keep(ids, [(layer.keys[:, :, places], layer.values[:, :, places]) for layer in layers])
            read.append((ids, places))
        self._seen_RC = self._seeing([places for _, places in read])

    def _seeing(self, places: Sequence[Sequence[int]]) -> Tensor:
        """(R, C): rows that see these places."""
        seen_RC = torch.zeros(len(places), len(self._positions_C), dtype=torch.bool, device=self._forward.device)
        for row, own in enumerate(places):
            seen_RC[row, list(own)] = True
        return seen_RC

    def _widened(self, seen_RC: Tensor) -> Tensor:
        return torch.nn.functional.pad(seen_RC, (0, len(self._positions_C) - seen_RC.shape[1]))

    def _read_run(self, seen_1C: Tensor, tokens: Sequence[int], num_kept: int) -> tuple[Tensor, Tensor]:
        """Read tokens of one row in one pass; log-probabilities after the last ones, and what the next token sees."""
        num = len(tokens)
        own_NN = torch.ones(num, num, dtype=torch.bool, device=self._forward.device).tril()
        inputs_N = torch.tensor(tokens, device=self._forward.device)
        log_probs = self._pass(inputs_N, seen_1C.expand(num, -1), own_NN, num_kept)
        return log_probs, torch.cat([seen_1C, own_NN[-1:]], 1)

    def _pass(self, tokens_N: Tensor, seen_NC: Tensor, own_NN: Tensor, num_kept: int) -> Tensor:
        """Write tokens at the next places and let each see its places; the log-probabilities of the last ones."""
        seen_NC = torch.cat([seen_NC, own_NN], 1)
        positions_N = seen_NC.sum(1) - 1
        positions_C = torch.cat([self._positions_C, positions_N])
        mask: Any = self._mask(seen_NC)
        if self._window is not None:
            is_near_NC = positions_C[None] > positions_N[:, None] - self._window
            near = self._mask(seen_NC & is_near_NC)
            mask = {"full_attention": mask, "sliding_attention": near} if self._has_kinds else near
        with self._forward.asking(self._interruptions_R):
            logits_1NV = self._forward.logits(
                num_kept,
                input_ids=tokens_N[None],
                attention_mask=mask,
                position_ids=positions_N[None],
                past_key_values=self._cache,
            )
        self._positions_C = positions_C
        return self._forward.log_probs(logits_1NV[0])

    def _mask(self, seen_NC: Tensor) -> Tensor:
        dtype = self._forward.model.dtype
        mask = torch.zeros(seen_NC.shape, dtype=dtype, device=seen_NC.device)
        return mask.masked_fill_(~seen_NC, torch.finfo(dtype).min)[None, None]


def _sliding_window(config: Any) -> tuple[int | None, bool]:
    """The number of tokens that sliding layers see, None if there are none; whether other layers see all tokens."""
    config = config.get_text_config()
    window = getattr(config, "sliding_window", None)
    kinds = getattr(config, "layer_types", None)
    if not window or not getattr(config, "use_sliding_window", True):
        return None, False
    if kinds is not None and "sliding_attention" not in kinds:
        return None, False
    return window, kinds is not None
