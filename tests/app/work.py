"""How much work a call is, counted: for tests of what must not grow with the square of its input."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python the call runs, each turn of a loop counted; the same on every machine."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    re.purge()  # patterns that an earlier call has compiled would make this one's work less
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(call: Callable[[int], object], size: int) -> float:
    """How many times the work is done for twice the size: about 2 where it is in proportion, 4 where it is squared."""
    call(1)  # what is made once, such as tables, counts for neither
    return lines_run(lambda: call(2 * size)) / lines_run(lambda: call(size))
