"""The search's task for one sentence, and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from engine.request import SearchOptions
from engine.search.finished import FinishedPool, SearchHypothesis
from engine.search.follow import FollowedText
from engine.search.phrases import PieceTexts, SentenceConstraints
from engine.search.stopping import Scoring

Interruption = Literal["deadline", "cancelled"]
Outcome = Literal["complete", "unmet", "failed"] | Interruption


@dataclass(frozen=True, slots=True)
class TokenRoles:
    """The special pieces; `never` are those that no translation contains."""

    begin: int
    end: int
    never: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SearchVocabulary:
    """A model's pieces, as far as the search needs them. `closing_V` marks those that do not glue to their right."""

    texts: PieceTexts
    roles: TokenRoles
    closing_V: Tensor
    text_of: Callable[[Sequence[int]], str]
    _free_masks: dict[torch.device, Tensor] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def size(self) -> int:
        return len(self.closing_V)

    def free_masks(self, device: torch.device) -> Tensor:
        """(2, V), computed once: -inf for pieces that no row may write, in row 1 also for the end; 0 elsewhere."""
        if device not in self._free_masks:
            masks_2V = torch.zeros(2, self.size)
            masks_2V[:, list(self.roles.never)] = -torch.inf
            masks_2V[1, self.roles.end] = -torch.inf
            self._free_masks[device] = masks_2V.to(device)
        return self._free_masks[device]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One sentence to search; compared by identity.

    `source` is passed on to the function that opens the decoder. `max_length` includes the end token. `followed` is a
    previous text to stay near to. `interruption` is called before each step; it returns why the sentence must end now,
    or None.
    """

    constraints: SentenceConstraints
    max_length: int
    options: SearchOptions
    scoring: Scoring = field(default_factory=Scoring)
    source: Any = None
    followed: FollowedText | None = None
    interruption: Callable[[], Interruption | None] = lambda: None


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """The hypotheses of one sentence, best first: all meet every constraint, or else none does."""

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
