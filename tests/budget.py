"""How many rounds a random check runs: few in `make test`, many in `make test-all`."""

from __future__ import annotations

_is_full = False


def set_full() -> None:
    """Makes every later `rounds` return its full count. `tests/conftest.py` calls this for `--full`."""
    global _is_full
    _is_full = True


def is_full() -> bool:
    """True under `pytest --full`."""
    return _is_full


def rounds(short: int, full: int) -> int:
    """`full` under `pytest --full`, `short` otherwise.

    >>> rounds(short=20, full=500)
    20
    """
    return full if _is_full else short
