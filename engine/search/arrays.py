"""The types of the search's arrays.

Only the log-probabilities of models in PyTorch are torch tensors, on the model's device. The other arrays are small and
always on the CPU, where a NumPy operation takes a fifth of the time of a torch operation.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
