"""What the search and the readers of given texts need of a model: log-probabilities step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.search.arrays import Ints

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from torch import Tensor

    from engine.kernels import Logits

LogProbs = npt.NDArray[np.float32]
Output: TypeAlias = "LogProbs | Tensor | Logits"


class TextDecoder(Protocol):
    """A model's interface to those who read texts: some texts of one source that begin with one row each."""

    def read(self, pieces_B: Sequence[Sequence[int]]) -> Sequence[Sequence[float]]:
        """Begin each sentence's row with these pieces (possibly none); returns their log-probabilities.

        Called before the first step or not at all. The first step then gets each sentence's last piece.
        """
        ...

    def step(self, tokens_R: Ints) -> Output:
        """Log-probabilities (R, V) of the next token of each row, which the caller may overwrite; or logits.

        Raises Interrupted once all sentences are interrupted; no step may follow. An implementation need not do that.
        Accelerators return logits: the search then runs the rest of the output layer as one fused operation.
        """
        ...

    def select(self, parents_R: Ints) -> None:
        """Let the rows of the next step continue these rows of the last step, at least one.

        A sentence of which no row is selected has left the batch.
        """
        ...


class StepDecoder(TextDecoder, Protocol):
    """The model's interface to the search: a batch of sentences that begins with one row each, in their order.

    Implementations follow `select` to know the sentence of each row. The rows of a sentence stay adjacent.
    """

    def join(self, other: Self) -> None:
        """Append the sentences and rows of `other`, which must not be used again; each row keeps its position.

        Called before a `step` of both: after their `select`, or before their first step.
        """
        ...


def log_probs_of(output: Output) -> LogProbs:
    """The log-probabilities (R, V) of a decoder's step, on the CPU."""
    if isinstance(output, np.ndarray):
        return output
    tensor = output.log_probs() if hasattr(output, "log_probs") else output
    found: LogProbs = tensor.cpu().numpy()
    return found
