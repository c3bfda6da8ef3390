"""Ways of asking the engine for a translation with the person's corrections: from a situation to a new text.

A new option of `engine.Request` joins the comparison as one more `Requester` in `REQUESTERS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.words import right_words, words_of
from engine import Follow, Phrase, Request

OUTER = "".join(map(chr, range(33, 48))) + ":;<=>?@[]{}„“”‚‘’»«…–"


@dataclass(frozen=True, slots=True)
class Correction:
    """Words that the person put into the text, and the words that they replaced.

    `start` and `end` are their place in `Situation.text`; None for a phrase without a place. `source_span` are the
    source words that they translate, if the person names them.
    """

    phrase: str
    start: int | None = None
    end: int | None = None
    replaced: tuple[str, ...] = ()
    source_span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What the engine may know when it answers a correction.

    `text` is the text in front of the person with the corrections in it, as far as they have a place; `seen` the
    translation before them. `goal` is only for requesters that measure an upper bound.
    """

    source: str
    direction: str
    seen: str
    text: str
    corrections: tuple[Correction, ...]
    goal: str = ""

    @property
    def placed(self) -> list[Correction]:
        """The corrections with a place, from left to right."""
        return sorted((c for c in self.corrections if c.start is not None), key=lambda c: c.start or 0)

    @property
    def banned(self) -> tuple[str, ...]:
        """The words that corrections replaced, unless another place of the text has them."""
        present = {word.text for word in words_of(self.text)}
        words = {word: None for correction in self.corrections for word in correction.replaced}
        return tuple(word for word in words if word not in present and any(map(str.isalnum, word)))


class Requester(Protocol):
    """Asks the engine for a new text; None where it has none that meets the request."""

    name: str
    needs_place: bool
    needs_source: bool  # only measured in single re-decodings, as naming the source words is no gesture of the app
    is_bound: bool  # only measured in single re-decodings, as it knows the goal

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        """The new text and the seconds that the person waits for it."""


@dataclass(frozen=True, slots=True)
class OneRequest(ABC):
    """Answers with the best translation of one request."""

    name: str
    needs_place: bool = True
    needs_source: bool = False
    is_bound: bool = False

    @abstractmethod
    def request(self, situation: Situation) -> Request:
        """The request that this way of asking makes."""

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        answer = engine.translate(self.request(situation), "corrected")
        return (answer.texts[0] if answer.texts else None), answer.waiting_s


@dataclass(frozen=True, slots=True)
class Phrases(OneRequest):
    """Each correction is a required phrase, wherever the search puts it: a pin as it is today."""

    name: str = "phrases"
    needs_place: bool = False

    def request(self, situation: Situation) -> Request:
        counts: dict[tuple[str, tuple[int, int] | None], int] = {}
        for correction in situation.corrections:
            if not correction.phrase.strip():
                continue
            phrase = correction.phrase.strip(OUTER) or correction.phrase, correction.source_span
            counts[phrase] = counts.get(phrase, 0) + 1
        phrases = tuple(Phrase(text, count=count, source_span=span) for (text, span), count in counts.items())
        return Request(situation.source, situation.direction, phrases)


@dataclass(frozen=True, slots=True)
class InOrder(OneRequest):
    """Corrections are locked in the order of the text, touching ones as one; replaced words are banned."""

    name: str = "order"

    def request(self, situation: Situation) -> Request:
        locked = locked_texts(situation.text, situation.placed)
        return Request(situation.source, situation.direction, locked=locked, avoid=avoided(situation, locked))


@dataclass(frozen=True, slots=True)
class LeftSide(OneRequest):
    """All up to the end of the last correction is a prefix; the rest is free."""

    name: str = "prefix"

    def request(self, situation: Situation) -> Request:
        end = max((correction.end or 0 for correction in situation.placed), default=0)
        return Request(situation.source, situation.direction, prefix=closed(situation.text[:end], situation.text[end:]))


@dataclass(frozen=True, slots=True)
class Following(OneRequest):
    """As near to the text as the model allows: each change of a piece costs `strength` nats (`engine.Follow`).

    Without places, corrections are required phrases and the text followed is the one before them; with
    `places_phrases`, the engine puts them into it first. With places, the text followed has the corrections, which are
    locked in its order, and replaced words are banned.
    """

    name: str = "follow"
    needs_place: bool = False
    strength: float = 2.0
    places_phrases: bool = False

    def request(self, situation: Situation) -> Request:
        base = InOrder() if self.needs_place else Phrases()
        return replace(base.request(situation), follow=Follow(situation.text, self.strength, self.places_phrases))


@dataclass(frozen=True, slots=True)
class Behind(OneRequest):
    """What the app asks after an edit: the text up to the last correction stays, the rest is followed."""

    name: str = "behind"
    strength: float = 1.0

    def request(self, situation: Situation) -> Request:
        return replace(LeftSide().request(situation), follow=Follow(situation.text, self.strength))


def locked_texts(text: str, corrections: Sequence[Correction]) -> tuple[str, ...]:
    """The words of the corrections in the order of the text; those that touch are one."""
    words = words_of(text)
    runs: list[list[int]] = []
    for k, word in enumerate(words):
        if any(word.end > (one.start or 0) and word.start < (one.end or 0) for one in corrections):
            if runs and runs[-1][1] == k - 1:
                runs[-1][1] = k
            else:
                runs.append([k, k])
    return tuple(text[words[first].start : words[last].end] for first, last in runs)


def avoided(situation: Situation, required: Sequence[str]) -> tuple[str, ...]:
    """The replaced words that nothing required contains."""
    needed = {word.text for text in required for word in words_of(text)}
    return tuple(word for word in situation.banned if word not in needed)


def closed(left: str, right: str) -> str:
    """The left part of a text as a prefix; a space closes its last word unless the text goes on without one."""
    return left + " " if left and (not right or right[0].isspace()) and not left[-1].isspace() else left


@dataclass(frozen=True, slots=True)
class NextPlaces:
    """A phrase goes to the right one of the first places that the engine offers: each further one is one more key.

    It knows the goal, as a person does who sees where the phrase is.
    """

    name: str
    num_places: int
    needs_place: bool = False
    needs_source: bool = False
    is_bound: bool = True

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        text, waiting = situation.seen, 0.0
        done: list[str] = []
        for correction in situation.corrections:
            phrase = correction.phrase.strip(OUTER) or correction.phrase
            request = Request(situation.source, situation.direction, phrases=(phrase, *done), follow=Follow(text))
            texts, seconds = engine.places(request, self.num_places)
            waiting += seconds
            if not texts:
                return None, waiting
            text = max(texts, key=lambda one: len(right_words(one, situation.goal)))
            done.append(phrase)
        return text, waiting


STRENGTHS = (0.5, 1.0, 2.0, 3.0, 4.0)  # of following, in nats a changed piece
REQUESTERS: dict[str, Requester] = {
    requester.name: requester
    for requester in (
        Phrases(),
        InOrder(),
        LeftSide(),
        *(Following(f"phrases, follow {nats:g}", False, strength=nats) for nats in STRENGTHS),
        *(Following(f"placed, follow {nats:g}", False, strength=nats, places_phrases=True) for nats in STRENGTHS),
        Following("placed by source, follow 3", False, True, strength=3.0, places_phrases=True),
        *(Following(f"order, follow {nats:g}", True, strength=nats) for nats in STRENGTHS),
        *(Behind(f"behind, follow {nats:g}", strength=nats) for nats in STRENGTHS),
        *(NextPlaces(f"places, {count}", count) for count in (1, 2, 3, 5)),
    )
}
