"""What a model reads before it writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens that a model reads before the first one of its answer.

    An encoder-decoder model reads `ids` with its encoder and then `starts` with its decoder. `never_first` are pieces
    that must not begin the answer.
    """

    ids: tuple[int, ...]
    starts: tuple[int, ...] = ()
    never_first: tuple[int, ...] = ()
