"""What a simulated translator asks for, and when. The simulation and the load test follow the same script."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["translation", "pin", "completion", "price", "alternatives", "document"]
TIMED: Final[tuple[Kind, ...]] = ("translation", "pin", "completion")  # their times have the limit
LIMIT_MS: Final = 300.0  # for 95 of 100 of them


@dataclass(frozen=True, slots=True)
class Habits:
    """How one person works. All figures are assumptions about a fast translator; change them with the flags.

    `segment_s`: 60 segments of 15 words are 900 words an hour. `not_ready`: segments that are opened before they are
    translated ahead. `document_segments_per_hour`: a document of 500 segments is opened, and translated ahead, each
    hour. `commands_per_minute`: commands of a page to the app's process, most of them edits.
    """

    segment_s: float = 60.0
    pins: float = 2.0
    completions: float = 1.0
    alternatives: float = 0.5
    not_ready: float = 0.1
    document_segments_per_hour: float = 500.0
    commands_per_minute: float = 43.0


@dataclass(frozen=True, slots=True)
class Pause:
    """The person reads, thinks or types."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for the model; `segment` chooses the sentence, `number` says which pin of the segment it is.

    The person waits for the answer, unless it is a price, which the page asks for, or part of a document.
    """

    kind: Kind
    segment: int
    number: int = 0

    @property
    def is_awaited(self) -> bool:
        return self.kind not in ("price", "document")


def person(habits: Habits, chance: random.Random) -> Iterator[Pause | Ask]:
    """What one person does, without end. The page asks for the price of the constraints after each pin."""
    yield Pause(chance.uniform(0, habits.segment_s))
    while True:
        segment = chance.getrandbits(30)
        kinds: list[Kind] = ["pin"] * _count(habits.pins, chance)
        kinds += ["completion"] * _count(habits.completions, chance)
        kinds += ["alternatives"] * _count(habits.alternatives, chance)
        chance.shuffle(kinds)
        if chance.random() < habits.not_ready:
            yield Ask("translation", segment)
        num_pins = 0
        for kind in kinds:
            yield Pause(chance.expovariate((len(kinds) + 1) / habits.segment_s))
            yield Ask(kind, segment, num_pins)
            if kind == "pin":
                yield Ask("price", segment, num_pins)
                num_pins += 1
        yield Pause(chance.expovariate((len(kinds) + 1) / habits.segment_s))


def documents(habits: Habits, num_people: int, chance: random.Random) -> Iterator[Pause | Ask]:
    """The segments that are translated ahead for all people, at random times."""
    while True:
        yield Pause(chance.expovariate(num_people * habits.document_segments_per_hour / 3600))
        yield Ask("document", chance.getrandbits(30))


def _count(mean: float, chance: random.Random) -> int:
    return int(mean) + (chance.random() < mean - int(mean))
