"""One pass of a transformers model: log-probabilities of the next tokens, and a stop between two layers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from engine.interruption import Interruptible

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Forward(Interruptible):
    """Runs a model; within `asking`, it looks for an interruption before each layer."""

    def __init__(self, model: PreTrainedModel, ends: Sequence[int]) -> None:
        """`ends` are the tokens that end a text: their probabilities are added up for the first of them."""
        self.model = model
        self._ends = list(ends)
        self.parameters = frozenset(inspect.signature(model.forward).parameters)
        for layer in _layers(model):
            layer.register_forward_pre_hook(self._check)

    @property
    def device(self) -> torch.device:
        device: torch.device = self.model.device
        return device

    def logits(self, kept: int | Tensor, **inputs: Any) -> Tensor:
        """The logits (B, T, V) of the `kept` tokens: the last ones, or those with these numbers."""
        if "logits_to_keep" in self.parameters:
            inputs["logits_to_keep"] = kept
        logits: Tensor = self.model(use_cache=True, **inputs).logits
        if isinstance(kept, int):
            return logits[:, -kept:]
        return logits if logits.shape[1] == len(kept) else logits[:, kept]

    def log_probs(self, logits_RV: Tensor) -> Tensor:
        """As the function `log_probs`, with the ends of this model."""
        return log_probs(logits_RV, self._ends)

    def _check(self, *_: object) -> None:
        self._interruption.check()


def log_probs(logits_RV: Tensor, ends: Sequence[int]) -> Tensor:
    """Log-probabilities (R, V) in 32 bits, in which all ends of a text are one, the first."""
    log_probs_RV = torch.log_softmax(logits_RV.float(), dim=-1)
    if len(ends) > 1:
        total_R = log_probs_RV[:, list(ends)].logsumexp(-1)
        log_probs_RV[:, list(ends)] = -torch.inf
        log_probs_RV[:, ends[0]] = total_R
    return log_probs_RV


def _layers(model: PreTrainedModel) -> Iterable[nn.Module]:
    """The layers of the model, of its encoder too; empty if they are not found."""
    config = model.config.get_text_config()
    sizes = {getattr(config, name, None) for name in ("num_hidden_layers", "encoder_layers", "decoder_layers")}
    sizes |= {getattr(config, "num_decoder_layers", None)}
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and len(module) in sizes:
            yield from module
