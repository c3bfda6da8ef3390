"""Writing from left to right with the completion in grey: right words are taken, the others typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.segments.completion import CERTAINTY, completion_of
from app.text.words import split_spans
from app.workspace.model_questions import COMPLETION_STRENGTH
from engine import Follow, Request
from tests.benchmarks.simulation.decoding import Engine
from tests.benchmarks.simulation.effort import KEY_S, Effort
from tests.benchmarks.simulation.protocols import Segment, State, WayOfWorking, free_hypotheses
from tests.benchmarks.simulation.words import alignment, edits, words_of


@dataclass(frozen=True, slots=True)
class Completing:
    """Turns the whole text grey (two keys), takes words of it by key, and types where it is wrong.

    While the typed letters are those offered, the rest of the offer stays; else the engine is asked again. The first
    word of an offer is read when it is new, the rest before it is taken. Taking is one key a word, or one for the
    whole offer, and a decision; with `is_known_free`, only where something taken was not read before. The person
    takes what is right if that needs less time than typing it, or always with `is_eager`. Nobody waits for an
    answer that is not used. With `is_first_shown`, the first word of an offer is shown however unlikely it is. A text
    with fewer wrong places than `least_edits` is post-edited.
    """

    name: str
    certainty: float = CERTAINTY
    strength: float = COMPLETION_STRENGTH
    is_known_free: bool = False
    is_eager: bool = False
    is_first_shown: bool = False
    least_edits: int = 1

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        found, goal = free_hypotheses(segment, engine), segment.goal
        if not found or len(edits(found[0].text, goal)) < self.least_edits:
            return
        free = offer = found[0].text
        text, effort, waiting = "", Effort(decisions=1, keys=2), 0.0
        read = [free]
        glanced: set[str] = set()
        while text != goal:
            whole = text + offer
            unread = unread_words(read, whole, len(text))
            first_end = len(text) + next((end for _, end in split_spans(offer)), 0)
            is_known = not unread
            if unread and unread[0] < first_end:
                effort += Effort(words_read=int(whole[:first_end] not in glanced))
                glanced.add(whole[:first_end])
                unread = unread[1:]
            taken, keys = right_words_of(offer, goal[len(text) :])
            decisions = int(not (is_known and self.is_known_free))
            taking = Effort(decisions=decisions, keys=keys, words_read=len(unread), waiting_s=waiting)
            if taken and (self.is_eager or taking.seconds < KEY_S * len(taken)):
                effort += taking
                read.append(whole)
            else:
                taken = goal[len(text)]
                effort += Effort(keys=1)
            text += taken
            if offer.startswith(taken) and taken != offer:
                offer, waiting = offer[len(taken) :], 0.0
            elif text != goal:
                offer, waiting = self._offer(segment, engine, text, free)
        yield State(goal, effort)

    def _offer(self, segment: Segment, engine: Engine, text: str, free: str) -> tuple[str, float]:
        follow = Follow(free, self.strength) if self.strength else None
        answer = engine.translate(Request(segment.source, segment.direction, prefix=text, follow=follow), "completion")
        return (
            completion_of(text, answer.hypotheses[0], self.certainty, self.is_first_shown) if answer.hypotheses else ""
        ), answer.waiting_s


def right_words_of(offer: str, goal: str) -> tuple[str, int]:
    """The words at the beginning of an offer that the goal begins with, and the keys that take them.

    >>> right_words_of("alte Hof ist", "alte Hof war leer.")
    ('alte Hof', 2)
    >>> right_words_of("alte Hof", "alte Hof.")
    ('alte Hof', 1)
    """
    taken = count = 0
    for _, end in split_spans(offer):
        if not goal.startswith(offer[:end]) or goal[end : end + 1].isalnum():
            break
        taken, count = end, count + 1
    return offer[:taken], 1 if taken == len(offer) else count


def unread_words(read: Sequence[str], whole: str, start: int) -> list[int]:
    """Where the words of `whole` behind `start` begin that the first or the last two texts do not have there."""
    words = words_of(whole)
    known: set[int] = set()
    for text in dict.fromkeys([read[0], *read[-2:]]):
        own = words_of(text)
        known |= {
            j for i, j in alignment(text, whole) if i is not None and j is not None and own[i].text == words[j].text
        }
    return [
        word.start for j, word in enumerate(words) if word.end > start and j not in known and not word.is_punctuation
    ]


def ways_of_completing() -> list[WayOfWorking]:
    return [
        Completing("grey completion"),
        Completing("grey completion, known words without a decision", is_known_free=True),
        Completing("grey completion, first word always shown", is_first_shown=True),
        Completing(
            "grey completion, first word always shown, known words without a decision",
            is_known_free=True,
            is_first_shown=True,
        ),
        Completing("grey completion, two or more wrong places", least_edits=2),
        Completing("grey completion, always taken", is_eager=True),
        Completing("grey completion, without the proposal's text", strength=0.0, is_known_free=True),
        Completing("grey completion, whole sentences", certainty=0.0, is_known_free=True),
    ]
