"""The direction in which a language is written."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from langcodes import Language

# Scripts that are written from right to left (Unicode's bidirectional class of their letters is R or AL).
_RIGHT_TO_LEFT: Final = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr", "Yezi"})


@lru_cache(maxsize=1024)
def is_right_to_left(language: str) -> bool:
    """True for languages that are written from right to left: "ar", "he", "pes_Arab", "uz-Arab"; False for "uz"."""
    try:
        return Language.get(language.replace("_", "-")).maximize().script in _RIGHT_TO_LEFT
    except ValueError:
        return False
