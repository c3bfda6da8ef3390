"""Typing with a completion in grey: of the whole sentence from left to right, or of the word that an edit begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.segments.completion import completion_of, offered_words
from app.text.words import split_spans
from app.workspace.model_questions import COMPLETION_STRENGTH
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import KEY_S, Effort
from benchmarks.simulation.protocols import (
    Segment,
    State,
    WayOfWorking,
    by_hand,
    free_hypotheses,
    free_texts,
)
from benchmarks.simulation.words import Edit, alignment, edits, words_of
from engine import Follow, Hypothesis, Request

_REST_OF_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


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


@dataclass(frozen=True, slots=True)
class CompletingWords:
    """Post-edits; behind the first letters of a word, the rest that the model is certain of is offered.

    The engine gets the text up to the caret as prefix and the rest through `Request.follow`. A new offer is read, and
    stays while its letters are typed. The person takes it by a key, with a decision unless `is_known_free`, if that
    needs less time than typing its letters. Nothing is offered where letters follow the caret, so the whole rest of a
    word is typed over if three letters of it are new.
    """

    name: str
    is_known_free: bool = False

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        text, effort = free_texts(segment, engine)[0], Effort()
        while planned := edits(text, segment.goal):
            edit = to_the_end_of_word(planned[0], text) if len(planned[0].text) >= 3 else planned[0]
            effort += self._effort_of(edit, segment, engine, text)
            text = edit.applied_to(text)
        yield State(text, effort)

    def _effort_of(self, edit: Edit, segment: Segment, engine: Engine, text: str) -> Effort:
        saved, reading = 0, Effort()
        typed = offer = ""
        waiting, read = 0.0, set[str]()
        while typed != edit.text:
            rest = edit.text[len(typed) :]
            reading += Effort(words_read=int(bool(offer) and typed + offer not in read))
            read.add(typed + offer)
            is_right = bool(offer) and rest.startswith(offer) and not rest[len(offer) : len(offer) + 1].isalnum()
            taking = Effort(decisions=int(not self.is_known_free), keys=1, waiting_s=waiting)
            if is_right and taking.seconds < KEY_S * len(offer):
                saved += len(offer)
                reading += taking
                typed, offer = typed + offer, ""
                continue
            letter, typed = rest[0], typed + rest[0]
            if offer[1:] and offer[0] == letter:
                offer, waiting = offer[1:], 0.0
            else:
                offer, waiting = self._offer(segment, engine, text, text[: edit.start] + typed, text[edit.end :])
        gesture = by_hand(edit)
        return replace(gesture, keys=gesture.keys - saved) + reading

    def _offer(self, segment: Segment, engine: Engine, text: str, begun: str, behind: str) -> tuple[str, float]:
        """The rest of the word that `begun` ends with; none where no word is begun."""
        if not begun[-1].isalnum() or behind[:1].isalnum():
            return "", 0.0
        follow = Follow(text, COMPLETION_STRENGTH)
        answer = engine.translate(Request(segment.source, segment.direction, prefix=begun, follow=follow), "word")
        offer = completion_of(begun, answer.hypotheses[0]) if answer.hypotheses else ""
        found = _REST_OF_WORD.match(offer)
        return (found[0] if found else ""), answer.waiting_s


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
        if found is None or not found.text.startswith(goal[:end]) or not re.search(r"\s\w{0,2}$", goal[:end]):
            continue
        kind = "next" if goal[end - 1].isspace() else "begun"
        for word in offered_words(end, found, ""):
            is_right = goal.startswith(found.text[: word.end]) and not goal[word.end : word.end + 1].isalnum()
            predicted.append(Prediction(kind, word.probability, is_right))
            if not is_right or kind == "begun":
                break
            kind = "later"
    return predicted


def to_the_end_of_word(edit: Edit, text: str) -> Edit:
    """The same edit with the letters behind it in the word typed again."""
    end = edit.end
    while edit.text[-1:].isalnum() and text[end : end + 1].isalnum():
        end += 1
    return replace(edit, end=end, text=edit.text + text[edit.end : end])


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
        CompletingWords("words completed in the middle"),
        CompletingWords("words completed in the middle, without a decision", is_known_free=True),
    ]
