"""The search's task for one sentence, and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.interruption import NEVER, Cause, Interruption
from engine.search.arrays import Bools
from engine.search.byte_masks import ByteMasks
from engine.search.endings import SentenceEndings
from engine.search.finished import FinishedPool, SearchHypothesis
from engine.search.follow import FollowedText
from engine.search.indexed import IndexedTexts
from engine.search.phrases import PieceTexts, SentenceConstraints
from engine.search.stopping import Scoring
from engine.search_options import SearchOptions
from engine.text import Codec, has_bytes

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Outcome = Literal["complete", "unmet", "failed"] | Cause


@dataclass(frozen=True, slots=True)
class TokenRoles:
    """The special pieces; translations never contain the pieces `never`."""

    begin: int
    end: int
    never: tuple[int, ...]


@dataclass(frozen=True)
class SearchVocabulary:
    """A model's pieces, as far as the search needs them.

    `closing_V` marks those that may end a word: they do not glue to their right and have no bytes. `writes_surfaces`:
    `text_of` only joins the surfaces of `texts`, so that a search need not call it to compare texts.
    """

    texts: PieceTexts
    roles: TokenRoles
    closing_V: Bools
    text_of: Callable[[Sequence[int]], str]
    writes_surfaces: bool = False
    byte_masks: ByteMasks = field(init=False, repr=False, compare=False)
    _free_masks: dict[torch.device, Tensor] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, codec: Codec, writes_surfaces: bool = False) -> SearchVocabulary:
        """The pieces of a codec."""
        return cls(
            texts=IndexedTexts(codec),
            roles=TokenRoles(codec.begin, codec.end, never=tuple(p for p in codec.specials if p != codec.end)),
            closing_V=~np.array(codec.glues_right) & ~np.array([*map(has_bytes, codec.surfaces)]),
            text_of=lambda tokens: codec.decode(tokens).text,
            writes_surfaces=writes_surfaces,
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "byte_masks", ByteMasks(self.texts))

    @cached_property
    def endings(self) -> SentenceEndings:
        """The mask of pieces that end sentences; computed on first use."""
        return SentenceEndings(self.texts)

    @property
    def size(self) -> int:
        return len(self.closing_V)

    def free_masks(self, device: torch.device) -> Tensor:
        """(4, V), computed once: -inf for pieces that no row may write, in rows 1 and 3 also for the end; 0 elsewhere.

        Rows 0 and 1 are for free rows, without bytes that begin no character; 2 and 3 for rows that are bound.
        """
        import torch  # the compiled search does without

        if device not in self._free_masks:
            masks_4V = torch.zeros(4, self.size)
            masks_4V[:, list(self.roles.never)] = -torch.inf
            masks_4V[1::2, self.roles.end] = -torch.inf
            masks_4V[:2, list(self.byte_masks.not_first)] = -torch.inf
            self._free_masks[device] = masks_4V.to(device)
        return self._free_masks[device]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One sentence to search; compared by identity.

    `source` is passed on to the function that opens the decoder. `max_length` includes the end token. `followed` is a
    previous text to stay near to. Sentences after the first `max_sentences` are late (`SearchOptions.late_penalty`),
    repeats after the first `max_repeats` are penalised (`SearchOptions.repetition_penalty`).
    `interruption` is asked before each step and within it. `on_best` is called once, with the best finished hypothesis
    as soon as no live one can get its score: often long before the n-best list is complete. It must not raise.
    """

    constraints: SentenceConstraints
    max_length: int
    options: SearchOptions
    scoring: Scoring = field(default_factory=Scoring)
    source: Any = None
    followed: FollowedText | None = None
    max_sentences: int = 1
    max_repeats: int = 0
    interruption: Interruption = NEVER
    on_best: Callable[[SearchHypothesis], object] | None = None


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """The hypotheses of one sentence, best first: either all of them meet every constraint, or none does."""

    outcome: Outcome
    hypotheses: tuple[SearchHypothesis, ...]
    num_steps: int


@dataclass(frozen=True, slots=True)
class EndedSentence:
    """A sentence that left the search, with its result or with the error that crashed it."""

    sentence: Sentence
    result: SentenceResult | None = None
    error: Exception | None = None


@dataclass(slots=True)
class LiveSentence:
    """A sentence in a running search."""

    sentence: Sentence
    pool: FinishedPool
    num_steps: int = 0
    has_told_best: bool = False
