"""The types of the search's arrays.

Only log-probabilities are torch tensors, on the model's device. What the search keeps of hypotheses is small and
always on the CPU, where an operation of NumPy takes a fifth of the time of one of torch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
