"""Reranking by the reverse direction: how likely the source is, given each translation (Yee et al. 2019).

A translation that leaves words out makes its source less likely.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from engine.decoding.constraints import PreparedRequest
from engine.interruption import Interruption
from engine.model import LoadedModel
from engine.model.directions import languages_of
from engine.model.encoded import source_mask
from engine.text import EOS, PAD


def reverse_direction(model: LoadedModel, direction: str) -> str | None:
    """The reverse of a direction; None if this model does not translate it."""
    source, target = languages_of(direction)
    reverse = f"{target}-{source}"
    return reverse if reverse in model.config.directions else None


@torch.inference_mode()
def reverse_scores(
    model: LoadedModel,
    prepared: PreparedRequest,
    domain: str | None,
    translations: Sequence[str],
    is_per_piece: bool,
    interruption: Interruption,
) -> list[float] | None:
    """The log-probability of the source given each translation, in total or per piece of the source, in one batch.

    The model must have the reverse direction. None if a text is too long for the model. Asks `interruption`
    before each layer of the encoder.
    """
    transformer = model.transformer
    reverse = reverse_direction(model, prepared.direction)
    assert reverse is not None
    reader = model.source_codec or model.codec
    marks = model.config.marks(reverse, domain, None)
    inputs = [model.source_ids(reader.encode(text).ids, reverse, marks) for text in translations]
    target = [*model.codec.encode(prepared.source).ids, EOS]
    longest, device = max(map(len, inputs)), transformer.device
    if max(longest, len(target)) > model.config.max_pieces:
        return None
    inputs_BS = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in inputs], device=device)
    mask = source_mask(torch.tensor([*map(len, inputs)], device=device), longest)
    target_BT = torch.tensor([target] * len(inputs), device=device)
    starts_BN = model.starts([reverse] * len(inputs), device)
    states_BTE = transformer.states(transformer.memory(inputs_BS, mask, interruption), mask, target_BT, starts_BN)
    found = []
    for states_TE in states_BTE:  # one by one: log-probabilities of a large vocabulary take much memory
        log_probs_TV = torch.log_softmax(transformer.project(states_TE).float(), dim=1)
        log_prob = float(log_probs_TV.gather(1, target_BT[:1].T).double().sum())
        found.append(log_prob / len(target) if is_per_piece else log_prob)
    return found
