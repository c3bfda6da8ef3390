"""Labels pairs by the form of address of the German side, "Sie" or "du", for the formality tokens on the source.

By pronouns only, and no label rather than a wrong one: German writes `sie` (she, they) and `Sie` (you) alike where a
sentence begins, `ihr` means her, their and you, and `dir` and `du` are commands too. So the English side is considered
too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from engine.request import Formality

FORMALITIES: tuple[Formality, ...] = get_args(Formality)

_INSIDE = re.compile(r"(?:(?<=[^\W\d_] )|(?<=[,;] ))(Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b(?!-)")
_ANYWHERE = re.compile(r"(?<![\w-])(Sie|Ihnen|Ihre[mnrs]?)\b(?!-)")
_INFORMAL = re.compile(r"(?<![\w./-])([Dd](?:u|ich|ir|ein(?:e[mnrs]?)?)|[Ee](?:uch|uer|ure[mnrs]?))\b(?![-/])")
_YOU = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:she|her|hers|herself|they|them|their|theirs|themselves)\b", re.IGNORECASE)


def formality_of(german: str, english: str) -> Formality | None:
    """The form of address in a German sentence; None if it has none, has both, or is ambiguous.

    >>> formality_of("Klicken Sie auf die Datei.", "Click the file."), formality_of("Sie schläft.", "She sleeps.")
    ('formal', None)

    A word that occurs in the English side too is a name or a command: `Cirque du Soleil`, `du -h`.
    """
    has_you, has_others = bool(_YOU.search(english)), bool(_OTHERS.search(english))
    if has_others and not has_you:
        is_formal = False
    else:
        begins = has_you and not has_others
        is_formal = _has(_INSIDE, german, english) or (begins and _has(_ANYWHERE, german, english))
    is_informal = _has(_INFORMAL, german, english)
    if is_formal == is_informal:
        return None
    return "formal" if is_formal else "informal"


def labels_of(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.uint8]:
    """The label of each (german, english): 0 for none, else 1 more than the place in `FORMALITIES`."""
    found = (formality_of(german, english) for german, english in pairs)
    return np.array([0 if label is None else 1 + FORMALITIES.index(label) for label in found], dtype=np.uint8)


def _has(pronouns: re.Pattern[str], german: str, english: str) -> bool:
    return any(re.search(rf"\b{word}\b", english) is None for word in pronouns.findall(german))
