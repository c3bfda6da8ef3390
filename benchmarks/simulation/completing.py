"""Typing with a completion in grey, from left to right, and how often the words that it foresees are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.segments.completion import completion_of, offered_words
from app.text.words import split_spans
from app.workspace.model_questions import COMPLETION_STRENGTH
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import KEY_S, Effort
from benchmarks.simulation.protocols import (
    Segment,
    State,
    WayOfWorking,
    free_hypotheses,
)
from benchmarks.simulation.words import alignment, edits, words_of
from engine import Follow, Hypothesis, Request

_WORD_STARTS = re.compile(r"\s\w{0,2}$")  # the text ends at the beginning of a word, or has its first letters


@dataclass(frozen=True, slots=True)
class Completing:
    """Turns the whole text grey (two keys), takes words of it by key, and types where it is wrong.

    While the typed letters are those offered, the rest of the offer stays. The engine is asked again where the typed
    letters differ from its translation; letters that agree hardly ever change it. The first word of an offer is read
    when it is new, the rest before it is taken. Taking is one key a word, or one for the whole offer, and a decision;
    with `is_known_free`, only where something taken was not read before. The person takes what is right if that needs
    less time than typing it. Nobody waits for an answer that is not used. A text with fewer wrong places than
    `least_edits` is post-edited.
    """

    name: str
    is_known_free: bool = False
    least_edits: int = 1

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        hypotheses, goal = free_hypotheses(segment, engine), segment.goal
        if not hypotheses or len(edits(hypotheses[0].text, goal)) < self.least_edits:
            return
        found: Hypothesis | None = hypotheses[0]
        free = offer = hypotheses[0].text
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
            if taken and taking.seconds < KEY_S * len(taken):
                effort += taking
                read.append(whole)
            else:
                taken = goal[len(text)]
                effort += Effort(keys=1)
            text += taken
            if offer.startswith(taken) and taken != offer:
                offer, waiting = offer[len(taken) :], 0.0
            elif text != goal:
                waiting = 0.0
                if not goes_on(found, text):
                    found, waiting = continued(segment, engine, text, free)
                offer = completion_of(text, found, free) if found else ""
        yield State(goal, effort)


def goes_on(found: Hypothesis | None, text: str) -> bool:
    """Whether the hypothesis has more letters behind this text."""
    return found is not None and found.text.startswith(text) and found.text != text


def continued(segment: Segment, engine: Engine, text: str, near: str) -> tuple[Hypothesis | None, float]:
    """The translation that begins with `text`, asked for as in the app, and the seconds that a person waits for it."""
    follow = Follow(near, COMPLETION_STRENGTH)
    answer = engine.translate(Request(segment.source, segment.direction, prefix=text, follow=follow), "completion")
    return (answer.hypotheses[0] if answer.hypotheses else None), answer.waiting_s


@dataclass(frozen=True, slots=True)
class Prediction:
    """The model's probability of a word if the text before it is right, and whether the goal has the word there."""

    kind: str  # "begun": its first letters are typed; "next": the text ends before it; "later": others are before it
    probability: float
    is_right: bool


def predictions(segment: Segment, engine: Engine) -> list[Prediction]:
    """What the model foresees at the beginning of the goal's words, and behind the first two letters of each."""
    hypotheses, goal = free_hypotheses(segment, engine), segment.goal
    found = hypotheses[0] if hypotheses else None
    predicted = []
    for end in range(1, len(goal)):
        if not goes_on(found, goal[:end]):
            found, _ = continued(segment, engine, goal[:end], hypotheses[0].text if hypotheses else "")
        if found is None or not found.text.startswith(goal[:end]) or not _WORD_STARTS.search(goal[:end]):
            continue
        kind = "next" if goal[end - 1].isspace() else "begun"
        for word in offered_words(end, found, ""):
            is_right = goal.startswith(found.text[: word.end]) and not goal[word.end : word.end + 1].isalnum()
            predicted.append(Prediction(kind, word.probability, is_right))
            if not is_right or kind == "begun":
                break
            kind = "later"
    return predicted


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
        Completing("grey completion, two or more wrong places", least_edits=2),
    ]
