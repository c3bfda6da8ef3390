"""Reranking by the reverse direction: how likely the source is, given each translation (Yee et al. 2019).

A translation that leaves words out makes its source less likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.decoding.constraints import PreparedRequest
from engine.interruption import Interruption
from engine.model.checkpoint import LoadedModel
from engine.model.directions import languages_of
from engine.text import EOS

# From the inputs of the encoder, a target, and the direction to the log-probability of the target given each input.
LogProbsOfTarget = Callable[[Sequence[Sequence[int]], Sequence[int], str, Interruption], list[float]]


def reverse_direction(model: LoadedModel, direction: str) -> str | None:
    """The reverse of a direction; None if this model does not translate it."""
    source, target = languages_of(direction)
    reverse = f"{target}-{source}"
    return reverse if reverse in model.config.directions else None


def reverse_scores(
    model: LoadedModel,
    prepared: PreparedRequest,
    domain: str | None,
    translations: Sequence[str],
    is_per_piece: bool,
    log_probs_of_target: LogProbsOfTarget,
    interruption: Interruption,
) -> list[float] | None:
    """The log-probability of the source given each translation, in total or per piece of the source.

    The model must have the reverse direction; `log_probs_of_target` computes with it. None if a text is too long for
    the model.
    """
    reverse = reverse_direction(model, prepared.direction)
    assert reverse is not None
    reader = model.source_codec or model.codec
    marks = model.config.marks(reverse, domain, None)
    inputs = [model.source_ids(reader.encode(text).ids, reverse, marks) for text in translations]
    target = [*model.codec.encode(prepared.source).ids, EOS]
    if max(*map(len, inputs), len(target)) > model.config.max_pieces:
        return None
    found = log_probs_of_target(inputs, target, reverse, interruption)
    return [log_prob / len(target) for log_prob in found] if is_per_piece else found
