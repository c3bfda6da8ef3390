"""Reranking by the reverse direction: how likely the source is, given each translation (Yee et al. 2019).

A translation that leaves words out, or puts a required word in a wrong place, makes its source less likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from engine.decoding.constraints import PreparedRequest
from engine.model import LoadedModel
from engine.model.directions import languages_of
from engine.model.encoded import source_mask
from engine.text import EOS, PAD


class ReverseScorer:
    """Scores the source of a translation with the same model in the reverse direction."""

    def __init__(self, model: LoadedModel) -> None:
        self._model = model

    def direction_of(self, prepared: PreparedRequest) -> str | None:
        """The reverse of a request's direction; None if this model does not translate it."""
        source, target = languages_of(prepared.direction)
        reverse = f"{target}-{source}"
        return reverse if reverse in self._model.config.directions else None

    @torch.inference_mode()
    def scores(
        self,
        prepared: PreparedRequest,
        domain: str | None,
        translations: Sequence[str],
        is_per_piece: bool,
        go_on: Callable[[], None],
    ) -> list[float] | None:
        """The log-probability of the source given each translation, in total or per piece of the source, in one batch.

        None if the model lacks the reverse direction, or a text is too long for it. `go_on` is called before each layer
        of the encoder; it may raise.
        """
        model, transformer = self._model, self._model.transformer
        reverse = self.direction_of(prepared)
        if reverse is None:
            return None
        reader = model.source_codec or model.codec
        marks = model.marks(reverse, domain, None)
        inputs = [model.source_ids(reader.encode(text).ids, reverse, marks) for text in translations]
        target = [*model.codec.encode(prepared.source).ids, EOS]
        longest, device = max(map(len, inputs)), transformer.device
        if max(longest, len(target)) > model.config.max_pieces:
            return None
        inputs_BS = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in inputs], device=device)
        mask = source_mask(torch.tensor([*map(len, inputs)], device=device), longest)
        target_BT = torch.tensor([target] * len(inputs), device=device)
        starts_BN = model.starts([reverse] * len(inputs), device)
        states_BTE = transformer.states(transformer.memory(inputs_BS, mask, go_on), mask, target_BT, starts_BN)
        found = []
        for states_TE in states_BTE:  # one by one: log-probabilities of a large vocabulary take much memory
            log_probs_TV = torch.log_softmax(transformer.project(states_TE).float(), dim=1)
            log_prob = float(log_probs_TV.gather(1, target_BT[:1].T).double().sum())
            found.append(log_prob / len(target) if is_per_piece else log_prob)
        return found
