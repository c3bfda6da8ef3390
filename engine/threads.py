"""The processor threads of models: one number for all models of this process, whatever decodes them.

And a thread that frees large results, so that the model does not wait for it.
"""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import Any

_asked: int | None = None


def set_num_threads(number: int) -> None:
    """Lets models use this number of threads from now on; without a call, they use all processors."""
    global _asked
    _asked = number
    limit_pytorch()


def num_threads() -> int:
    """The number of threads that models use."""
    if _asked is not None:
        return _asked
    torch = _pytorch()
    return os.cpu_count() or 1 if torch is None else int(torch.get_num_threads())


def limit_pytorch() -> None:
    """Tells PyTorch the number, if it is imported: whoever imports it later for a model calls this."""
    torch = _pytorch()
    if torch is not None and _asked is not None:
        torch.set_num_threads(_asked)


def free_beside(objects: list[Any]) -> None:
    """Frees large objects in a thread of its own, one at a time, if the list has their only references.

    Freeing a thousand translations of a long text takes 30 ms, in which no other thread runs Python.
    """

    def free() -> None:
        while objects:
            objects.pop()

    try:
        Thread(target=free, name="freeing", daemon=True).start()
    except RuntimeError:  # there are too many threads, or Python shuts down
        free()


def _pytorch() -> Any:
    return sys.modules.get("torch")
