"""The output layer in Triton kernels of our own for GPUs, and the same computation in plain PyTorch.

Triton is imported on the first call that needs it, so that everything runs on a machine without it.
"""

from engine.kernels.dispatch import top_tokens
from engine.kernels.output_layer import Logits, TopTokens

__all__ = ["Logits", "TopTokens", "top_tokens"]
