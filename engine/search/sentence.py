"""What the search is asked for one sentence, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import Tensor

from engine.request import SearchOptions
from engine.search.finished import FinishedPool, Found
from engine.search.phrases import PieceTexts, SentenceConstraints
from engine.search.stopping import Scoring

Interruption = Literal["deadline", "cancelled"]
Outcome = Literal["complete", "unmet", "failed"] | Interruption


@dataclass(frozen=True, slots=True)
class TokenRoles:
    """The pieces that mean something to the search; `never` are those that no translation contains."""

    begin: int
    end: int
    never: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the search knows of a model's pieces. `closing_V` marks those that do not glue to their right."""

    texts: PieceTexts
    roles: TokenRoles
    closing_V: Tensor
    text_of: Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One sentence to search, each its own object. `source` is for whoever opens the decoder; `max_length` counts the
    end. `interruption` is asked before each step."""

    constraints: SentenceConstraints
    max_length: int
    options: SearchOptions
    scoring: Scoring = field(default_factory=Scoring)
    source: Any = None
    interruption: Callable[[], Interruption | None] = lambda: None


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """What the search found for one sentence, best first: all satisfying, or else the best efforts."""

    outcome: Outcome
    found: tuple[Found, ...]
    num_steps: int


@dataclass(frozen=True, slots=True)
class Ended:
    """A sentence that left the search: with its result or, where its decoding crashed, the cause."""

    sentence: Sentence
    result: SentenceResult | None = None
    error: Exception | None = None


@dataclass(slots=True)
class LiveSentence:
    """A sentence under way."""

    sentence: Sentence
    pool: FinishedPool
    num_steps: int = 0
