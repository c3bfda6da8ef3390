"""Questions to a translator other than a translation: prices, alternatives, scores, spelling, and what can be learned.

They are plain data, which can be pickled. `Engine.ask` takes them; the steps of their translations alternate with
those of other requests.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from engine.errors import InvalidRequest
from engine.request import Request
from engine.search_options import SearchOptions
from engine.settings import check_types
from engine.translation import Alternative, Hypothesis, Pricing

if TYPE_CHECKING:  # or importing a question would load PyTorch
    from engine.any_translator import AnyTranslator
    from engine.decoding.loop import DecodingJob
    from engine.decoding.question_steps import Steps
    from engine.interruption import Interruption
    from engine.model.datastore import Datastore, StoredPair

Answer_co = TypeVar("Answer_co", covariant=True)


class Question(Protocol[Answer_co]):
    """Anything that a translator answers by some steps of its own and some jobs."""

    def steps(
        self, translator: AnyTranslator, interruption: Interruption
    ) -> Generator[Sequence[DecodingJob], None, Answer_co]:
        """Yields jobs, continues once they have ended, and returns the answer.

        Between jobs, a long computation asks `interruption` whether it must end.
        """


@dataclass(frozen=True, slots=True)
class PriceQuestion:
    """Asks for the prices of the constraints of a request; see `Translator.price`."""

    request: Request
    options: SearchOptions
    datastore: Datastore | None = None

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest, request=Request, options=SearchOptions)

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[Pricing]:
        return translator.price_steps(_job(self, interruption))


@dataclass(frozen=True, slots=True)
class AlternativesQuestion:
    """Other words for the one that has piece number `piece` of a hypothesis; see `Translator.alternatives`.

    `tokens` are all pieces of the hypothesis; the request may be another one than its own.
    """

    request: Request
    tokens: tuple[int, ...]
    piece: int
    count: int
    options: SearchOptions
    datastore: Datastore | None = None

    def __post_init__(self) -> None:
        kinds = {"request": Request, "tokens": tuple[int, ...], "piece": int, "count": int, "options": SearchOptions}
        check_types(self, InvalidRequest, **kinds)

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[tuple[Alternative, ...]]:
        return translator.alternatives_steps(_job(self, interruption), self.tokens, self.piece, self.count)


@dataclass(frozen=True, slots=True)
class PlacesQuestion:
    """Asks for other places of phrase number `phrase` in the text to follow; see `Translator.places`."""

    request: Request
    phrase: int
    count: int

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[tuple[Hypothesis, ...]]:
        return translator.places_steps(self.request, self.phrase, self.count, interruption)


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """The model's score of `target` as a translation of the request's source; see `Translator.score`.

    The request's direction, domain and formality count, its constraints do not.
    """

    request: Request
    target: str

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[Hypothesis]:
        asked = self.request
        yield ()
        return translator.score(
            asked.source, self.target, direction=asked.direction, domain=asked.domain, formality=asked.formality
        )


@dataclass(frozen=True, slots=True)
class SpellingQuestion:
    """Asks how the model would spell each text; None if it can write the text exactly."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[dict[str, str | None]]:
        yield ()
        return {text: translator.misspelling(text) for text in self.texts if interruption.cause() is None}


@dataclass(frozen=True, slots=True)
class LearningQuestion:
    """Asks for the datastore entry of `target`, a person's translation; see `Translator.stored_pair`."""

    request: Request
    target: str
    origin: Hashable
    least_fit: float | None = None

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)

    def steps(
        self, translator: AnyTranslator, interruption: Interruption
    ) -> Steps[tuple[StoredPair | None, Datastore]]:
        """The pair, None if it teaches nothing or cannot be taken, and an empty datastore of the model."""
        yield ()
        stored: StoredPair | None = None
        if self.target.strip():
            with suppress(InvalidRequest):  # too long, say
                stored = translator.stored_pair(self.request, self.target, origin=self.origin, least_fit=self.least_fit)
        return stored, translator.datastore_of(())


def _job(asked: PriceQuestion | AlternativesQuestion, interruption: Interruption) -> DecodingJob:
    from engine.decoding.loop import DecodingJob  # the translator has loaded it

    return DecodingJob(asked.request, asked.options, interruption, datastore=asked.datastore)
