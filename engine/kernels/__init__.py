"""What decoding computes on a GPU with kernels of its own, and the same in plain PyTorch.

Triton is imported on the first call that needs it, so that a machine without it decodes all the same.
"""

from engine.kernels.output_layer import Logits, TopTokens, top_tokens

__all__ = ["Logits", "TopTokens", "top_tokens"]
