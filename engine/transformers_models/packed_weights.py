"""Linear layers whose weights are in the order in which the processor multiplies them with a few rows.

PyTorch keeps the weights as they come, and its product with five rows takes 1.6 times as long as with one row. oneDNN
packs them once; then five rows take as long as one, because reading the weights takes the time.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from engine.model.memory_check import available_bytes

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_MOST_OF_FREE = 4  # a layer that shares its weights is copied if it takes at most this part of the free memory


class PackedLinear(nn.Module):
    """A linear layer that has only packed weights. `weight` tells shape and type, and has no values."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight = torch.empty_like(linear.weight, device="meta", requires_grad=False)
        self.bias = linear.bias
        self._packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = torch.ops.mkldnn._linear_pointwise(input, self._packed, self.bias, "none", [], "")
        return found


def pack_weights(model: PreTrainedModel) -> None:
    """Replace the linear layers of a model on the CPU by packed ones, where oneDNN has products of their type.

    A layer whose weights are used elsewhere, such as an output layer that shares those of the embeddings, is packed
    only if there is room for a copy.
    """
    if model.device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return
    types = [torch.float32]
    if torch.ops.mkldnn._is_mkldnn_bf16_supported():
        types.append(torch.bfloat16)
    num_uses = Counter(parameter for _, parameter in model.named_parameters(remove_duplicate=False))
    for parent in model.modules():
        for name, layer in parent.named_children():
            if type(layer) is not nn.Linear or layer.weight.dtype not in types:
                continue
            if num_uses[layer.weight] == 1 or layer.weight.nbytes <= available_bytes() // _MOST_OF_FREE:
                setattr(parent, name, PackedLinear(layer))
