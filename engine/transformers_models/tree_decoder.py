"""The rows of the search as one sequence: decoder-only models whose attention takes a mask and positions.

All tokens of all rows and sentences are written behind each other, each at a place of its own; a mask says which places
a token sees. Rows that go on from the same row share its keys and values, and sentences share those of their prompts:
nothing is copied when the beam changes. In addition to the shapes of the engine: N tokens of one pass, C places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
_MOST_AT_ONCE = 512  # tokens of prompts in one pass, about


@dataclass(frozen=True, slots=True)
class _First:
    """The log-probabilities after a prompt; the pieces `never` do not begin the answer."""

    log_probs_V: Tensor
    never: tuple[int, ...]

    def written(self) -> Tensor:
        """The log-probabilities (V,) of the first piece of an answer."""
        log_probs_V = self.log_probs_V.clone()
        log_probs_V[list(self.never)] = -torch.inf
        return log_probs_V


@dataclass(frozen=True, slots=True)
class _Run:
    """A prompt that is read in the next pass, except for its beginning at `known` places; the rest goes to `start`."""

    ids: tuple[int, ...]
    known: list[int]
    start: int

    @property
    def rest(self) -> tuple[int, ...]:
        return self.ids[len(self.known) :]

    @property
    def num_rest(self) -> int:
        return len(self.ids) - len(self.known)

    @property
    def places(self) -> list[int]:
        return [*self.known, *range(self.start, self.start + self.num_rest)]


class TreeDecoder:
    """A `StepDecoder` (engine/search/steps.py) for sentences that begin with these prompts."""

    def __init__(
        self,
        forward: Forward,
        prompts: Sequence[Prompt],
        interruptions: Sequence[Interruption],
        prompt_cache: PromptCache,
    ) -> None:
        """Reads the prompts, but for what the cache has of them; the first step is ready then. Raises Interrupted."""
        self._forward = forward
        self._window, self._has_kinds = _sliding_window(forward.model.config)
        self._cache = DynamicCache()  # without the configuration: sliding layers must not forget places
        self._positions_C = torch.zeros(0, dtype=torch.long, device=forward.device)
        self._interruptions_R = list(interruptions)
        self._firsts_R: list[_First | None] = []  # until the first step
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
            own: list[float] = []
            if pieces:
                first = self._firsts_R[row]
                assert first is not None
                own.append(float(first.log_probs_V[pieces[0]]))
                self._firsts_R[row] = None
            if inputs := pieces[:-1]:
                log_probs_TV, seen_1C = self._read_run(seen_1C, inputs)
                own += log_probs_TV[range(len(inputs)), list(pieces[1:])].tolist()
            found.append(own)
            seen_RC.append(seen_1C)
        self._seen_RC = torch.cat([self._widened(seen_1C) for seen_1C in seen_RC])
        return found

    @torch.inference_mode()
    def step(self, tokens_R: Tensor | Ints) -> Tensor:
        firsts_R, self._firsts_R = self._firsts_R, [None] * len(self._firsts_R)
        rows = [row for row, first in enumerate(firsts_R) if first is None]
        log_probs: dict[int, Tensor] = {row: first.written() for row, first in enumerate(firsts_R) if first is not None}
        if rows:
            own_NN = torch.eye(len(rows), dtype=torch.bool, device=self._forward.device)
            tokens_N = torch.as_tensor(tokens_R).to(self._forward.device)[rows]
            log_probs_NV = self._pass(tokens_N, self._seen_RC[rows], own_NN, len(rows))
            self._seen_RC = self._widened(self._seen_RC)
            self._seen_RC[rows, -len(rows) :] = own_NN
            if not log_probs:
                return log_probs_NV
            log_probs.update(zip(rows, log_probs_NV, strict=True))
        return torch.stack([log_probs[row] for row in range(len(firsts_R))])

    @torch.inference_mode()
    def select(self, parents_R: Tensor | Ints) -> None:
        parents = parents_R.tolist()
        self._seen_RC = self._seen_RC[parents]
        self._firsts_R = [self._firsts_R[parent] for parent in parents]
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
        self._firsts_R += other._firsts_R
        self._interruptions_R += other._interruptions_R

    # -- inside -------------------------------------------------------------------------------------------------------

    def _read_prompts(self, prompts: Sequence[Prompt], prompt_cache: PromptCache) -> None:
        """Read the prompts in few passes, each from where it differs from those before it and those in the cache."""
        read = self._cached_beginnings(prompts, prompt_cache)
        log_probs: dict[tuple[int, ...], Tensor] = {}
        runs: list[_Run] = []
        for ids in dict.fromkeys(prompt.ids for prompt in prompts):
            known = max((own[: num_common(other, ids)] for other, own in read), key=len, default=[])
            run = _Run(ids, known[: len(ids) - 1], len(self._positions_C) + sum(one.num_rest for one in runs))
            runs.append(run)
            read.append((ids, run.places))
            if sum(one.num_rest for one in runs) >= _MOST_AT_ONCE:
                log_probs |= self._read_runs(runs, prompt_cache)
                runs = []
        log_probs |= self._read_runs(runs, prompt_cache)
        places = dict(read)
        self._seen_RC = self._seeing([places[prompt.ids] for prompt in prompts])
        self._firsts_R = [_First(log_probs[prompt.ids], prompt.never_first) for prompt in prompts]

    def _cached_beginnings(
        self, prompts: Sequence[Prompt], prompt_cache: PromptCache
    ) -> list[tuple[tuple[int, ...], list[int]]]:
        """Copies what the cache has of the prompts; these beginnings and their places."""
        found: list[tuple[tuple[int, ...], list[int]]] = []
        for prompt in prompts:
            num_known, keys = prompt_cache.longest(prompt.ids)
            if num_known <= max((num_common(known, prompt.ids) for known, _ in found), default=0):
                continue
            start = len(self._positions_C)
            for number, pair in enumerate(keys):
                self._cache.update(*pair, number)
            positions = torch.arange(num_known, device=self._forward.device)
            self._positions_C = torch.cat([self._positions_C, positions])
            found.append((prompt.ids[:num_known], list(range(start, start + num_known))))
        return found

    def _read_runs(self, runs: Sequence[_Run], prompt_cache: PromptCache) -> dict[tuple[int, ...], Tensor]:
        """Reads the rest of some prompts in one pass; the log-probabilities (V,) after each prompt."""
        if not runs:
            return {}
        num_places, num = len(self._positions_C), sum(run.num_rest for run in runs)
        seen_NC = torch.zeros(num, num_places + num, dtype=torch.bool, device=self._forward.device)
        ends: list[int] = []
        for run in runs:
            start = run.start - num_places
            rows = slice(start, start + run.num_rest)
            seen_NC[rows, run.known] = True
            seen_NC[rows, run.start : run.start + run.num_rest] = True
            seen_NC[rows, run.start : run.start + run.num_rest].tril_()
            ends.append(start + run.num_rest - 1)
        inputs_N = torch.tensor([token for run in runs for token in run.rest], device=self._forward.device)
        kept = torch.tensor(ends, device=self._forward.device)
        log_probs = self._pass(inputs_N, seen_NC[:, :num_places], seen_NC[:, num_places:], kept)
        layers = self._cache.layers
        for run in runs:
            keys = [(layer.keys[:, :, run.places], layer.values[:, :, run.places]) for layer in layers]
            prompt_cache.keep(run.ids, keys)
        return {run.ids: own for run, own in zip(runs, log_probs, strict=True)}

    def _seeing(self, places: Sequence[Sequence[int]]) -> Tensor:
        """(R, C): rows that see these places."""
        seen_RC = torch.zeros(len(places), len(self._positions_C), dtype=torch.bool, device=self._forward.device)
        for row, own in enumerate(places):
            seen_RC[row, list(own)] = True
        return seen_RC

    def _widened(self, seen_RC: Tensor) -> Tensor:
        return torch.nn.functional.pad(seen_RC, (0, len(self._positions_C) - seen_RC.shape[1]))

    def _read_run(self, seen_1C: Tensor, tokens: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Read tokens of one row in one pass; the log-probabilities after each, and what the next token sees."""
        num = len(tokens)
        own_NN = torch.ones(num, num, dtype=torch.bool, device=self._forward.device).tril()
        inputs_N = torch.tensor(tokens, device=self._forward.device)
        log_probs = self._pass(inputs_N, seen_1C.expand(num, -1), own_NN, num)
        return log_probs, torch.cat([seen_1C, own_NN[-1:]], 1)

    def _pass(self, tokens_N: Tensor, seen_NC: Tensor, own_NN: Tensor, kept: int | Tensor) -> Tensor:
        """Write tokens at the next places and let each see its places; the log-probabilities after the `kept` ones."""
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
                kept,
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
