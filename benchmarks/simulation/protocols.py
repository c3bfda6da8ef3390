"""Ways of working: how a person who knows the goal text gets from the engine's translation to it, and the effort.

Each protocol yields states: the text so far and the effort so far. What is missing in the end is post-edited by hand,
so every protocol ends in the goal text. A naive person always goes on to the last state; one with hindsight (the
oracle) stops in the state from which post-editing takes the least time in all, which may be the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import Effort
from benchmarks.simulation.requesters import Correction, Requester, Situation
from benchmarks.simulation.words import (
    Edit,
    alignment,
    edits,
    missing_words,
    num_changed,
    put_in,
    words_of,
)
from engine import Hypothesis, Request

NOTHING = Effort()
POINTING = Effort(decisions=1, hand_moves=2)  # to decide, go to the mouse and return; the click comes on top
NUM_ALTERNATIVES = 5
MAX_OFFERS = 8  # in a segment; unasked replacements may go on for ever


@dataclass(frozen=True, slots=True)
class Segment:
    """A source sentence, and the text that the person is to reach."""

    source: str
    goal: str
    direction: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A text in front of the person and the effort until then.

    `by_hand` is the text before the gesture with the same words put in by hand, for gestures that give words.
    """

    text: str
    effort: Effort = NOTHING
    by_hand: str | None = None


class WayOfWorking(Protocol):
    """Yields the states after the engine's translation, without the post-editing at the end."""

    name: str

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]: ...


def free_hypotheses(segment: Segment, engine: Engine) -> tuple[Hypothesis, ...]:
    return engine.translate(Request(segment.source, segment.direction), "free").hypotheses


def free_texts(segment: Segment, engine: Engine) -> tuple[str, ...]:
    """The n-best list without constraints; an empty text where there is none."""
    return engine.translate(Request(segment.source, segment.direction), "free").texts or ("",)


def post_editing(text: str, goal: str) -> Effort:
    """The effort of turning a text into the goal by hand; none where it is the goal."""
    return sum((by_hand(edit) for edit in edits(text, goal)), Effort())


def by_hand(edit: Edit) -> Effort:
    """One edit: select what goes or place the caret, then type, or press the key that deletes."""
    is_insertion = edit.start == edit.end
    return POINTING + Effort(clicks=int(is_insertion), selections=int(not is_insertion), keys=len(edit.text) or 1)


def effort_of(way: WayOfWorking, segment: Segment, engine: Engine, is_oracle: bool) -> Effort:
    """The effort of a way of working until the text is the goal, for a naive person or one with hindsight."""
    first = State(free_texts(segment, engine)[0])
    states = [first, *way.states(segment, engine, is_oracle)]
    ended = [state.effort + post_editing(state.text, segment.goal) for state in states]
    return min(ended, key=lambda effort: effort.seconds) if is_oracle else ended[-1]


@dataclass(frozen=True, slots=True)
class PostEditing:
    """Everything by hand."""

    name: str = "post-editing"

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        return iter(())


@dataclass(frozen=True, slots=True)
class NBest:
    """Reads what differs in each entry of the n-best list and takes the one that needs the least post-editing."""

    name: str = "choose from the n-best list"

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        first, *others = free_texts(segment, engine)
        if first == segment.goal or not others:
            return
        best = min((first, *others), key=lambda text: post_editing(text, segment.goal).seconds)
        read = sum(num_changed(first, text) for text in others)
        click = Effort(clicks=1, hand_moves=2) if best != first else Effort()
        yield State(best, Effort(decisions=1, words_read=read) + click)


@dataclass(frozen=True, slots=True)
class Prefix:
    """Writes from left to right with the engine's completion: accepts right words, types others until they are right.

    By key: each word is a decision and a key. By click: the person clicks at the first wrong word, types, and reads
    what has changed behind it.
    """

    name: str
    is_by_click: bool

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        goal = segment.goal.split()
        text, effort = free_texts(segment, engine)[0], Effort()
        if text == segment.goal:
            return
        j = 0
        while j < len(goal):
            words = text.split()
            if j < len(words) and words[j] == goal[j]:
                effort += Effort() if self.is_by_click else Effort(decisions=1, keys=1)
                j += 1
                continue
            effort += POINTING + Effort(clicks=1) if self.is_by_click else Effort(decisions=1)
            before = " ".join(goal[:j]) + " " if j else ""
            shown = text
            for typed in range(1, len(goal[j]) + 1):
                given = before + goal[j][:typed]
                request = Request(segment.source, segment.direction, prefix=given)
                answer = engine.translate(request, "prefix")
                effort += Effort(keys=1, waiting_s=answer.waiting_s)
                if answer.texts and answer.texts[0].startswith(given):
                    text = answer.texts[0]
                    words = text.split()
                    if words[: j + 1] == goal[: j + 1]:
                        break
            else:  # typed in full; a space closes the word
                text = before + goal[j]
                effort += Effort(keys=1)
                if j + 1 < len(goal):
                    request = Request(segment.source, segment.direction, prefix=text + " ")
                    answer = engine.translate(request, "prefix")
                    effort += Effort(waiting_s=answer.waiting_s)
                    text = answer.texts[0] if answer.texts else text
            if self.is_by_click:
                effort += Effort(words_read=max(0, num_changed(shown, text) - 1))
            else:
                effort += Effort(keys=1)
            j += 1
        if self.is_by_click and text != segment.goal:  # the rest behind the goal's end goes
            effort += POINTING + Effort(selections=1, keys=1)
        yield State(segment.goal, effort)


@dataclass(frozen=True, slots=True)
class Pin:
    """Types the longest missing words, one after the other, into a box; the engine places them and translates again."""

    name: str
    requester: Requester
    num_pins: int = 1
    is_phrase: bool = False

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        state = State(free_texts(segment, engine)[0])
        corrections: tuple[Correction, ...] = ()
        for _ in range(self.num_pins):
            pinned = {correction.phrase for correction in corrections}
            find = missing_phrase if self.is_phrase else missing_word
            phrase = find(state.text, segment.goal, pinned)
            if phrase is None:
                return
            corrections += (Correction(phrase),)
            situation = Situation(segment.source, segment.direction, state.text, state.text, corrections, segment.goal)
            by_hand = put_in(state.text, segment.goal, run_of(phrase, state.text, segment.goal)).text
            gesture = Effort(clicks=1, keys=len(phrase) + 1)
            state = replace(proposed(state, situation, self.requester, engine, gesture), by_hand=by_hand)
            yield state


def proposed(state: State, situation: Situation, requester: Requester, engine: Engine, gesture: Effort) -> State:
    """The state after a gesture with the mouse whose answer replaces the text; what has changed is read again."""
    text, waiting = requester.propose(situation, engine)
    text = state.text if text is None else text
    typed = sum(len(words_of(correction.phrase)) for correction in situation.corrections[-1:])
    read = max(0, num_changed(state.text, text) - typed)
    return State(text, state.effort + POINTING + gesture + Effort(words_read=read, waiting_s=waiting))


def missing_word(text: str, goal: str, pinned: Collection[str] = ()) -> str | None:
    """The longest word of the goal, not yet pinned, that the text lacks at its place."""
    words = [words_of(goal)[j].text for j in missing_words(text, goal)]
    return max((word for word in words if word not in pinned), key=len, default=None)


def missing_phrase(text: str, goal: str, pinned: Collection[str] = ()) -> str | None:
    """The longest run of missing words that is not yet pinned."""
    runs = (slice_of(goal, run) for run in missing_runs(text, goal))
    return max((phrase for phrase in runs if phrase not in pinned), key=len, default=None)


def missing_runs(text: str, goal: str) -> list[list[int]]:
    """The numbers of the goal's missing words, in runs of neighbours."""
    runs: list[list[int]] = []
    for j in missing_words(text, goal):
        if runs and runs[-1][-1] == j - 1:
            runs[-1].append(j)
        else:
            runs.append([j])
    return runs


def run_of(phrase: str, text: str, goal: str) -> list[int]:
    """The numbers of the first of the goal's missing words, in a row, that are this phrase."""
    missing = missing_words(text, goal)
    words = words_of(goal)
    for k, first in enumerate(missing):
        run = [j for j in missing[k:] if words[j].end <= words[first].start + len(phrase)]
        if run and slice_of(goal, run) == phrase:
            return run
    raise ValueError(f"{phrase!r} is not missing in {text!r}")


def slice_of(goal: str, run: Sequence[int]) -> str:
    words = words_of(goal)
    return goal[words[run[0]].start : words[run[-1]].end]


@dataclass(frozen=True, slots=True)
class ReplaceSelection:
    """Selects wrong words, types the longest missing phrase over them and asks for the sentence around."""

    name: str
    requester: Requester

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        state = State(free_texts(segment, engine)[0])
        goal = segment.goal
        run = max(missing_runs(state.text, goal), key=lambda run: len(slice_of(goal, run)), default=None)
        if run is None:
            return
        placed = put_in(state.text, goal, run)
        replaced = tuple(word for j in run for word in placed.replaced[j])
        phrase, (start, _), (_, end) = slice_of(goal, run), placed.spans[run[0]], placed.spans[run[-1]]
        correction = Correction(phrase, start, end, replaced)
        situation = Situation(segment.source, segment.direction, state.text, placed.text, (correction,), goal)
        gesture = Effort(clicks=int(not replaced), selections=int(bool(replaced)), keys=len(phrase) + 1)
        yield replace(proposed(state, situation, self.requester, engine, gesture), by_hand=placed.text)


def corrected(segment: Segment, text: str, edit: Edit, earlier: tuple[Correction, ...]) -> Situation:
    """The situation after the first of `edits(text, segment.goal)`; earlier corrections move with the text."""
    growth = len(edit.text) - (edit.end - edit.start)
    moved = []
    for one in earlier:
        if one.start is None or one.end is None or one.end <= edit.start:
            moved.append(one)
        elif one.start >= edit.end:
            moved.append(replace(one, start=one.start + growth, end=one.end + growth))
    start = edit.phrase_start
    correction = Correction(edit.phrase, start, start + len(edit.phrase), edit.replaced)
    corrections = (*moved, correction)
    return Situation(segment.source, segment.direction, text, edit.applied_to(text), corrections, segment.goal)


@dataclass(frozen=True, slots=True)
class Typing:
    """Post-edits from left to right; after each edit the engine proposes what would change elsewhere.

    `offer` says how: "replaced" puts the proposal in the place of the text, unasked; "whole" shows it and one key takes
    all of it; "parts" lets the person take single changes as well, each with a key. What an offer changes is read; it
    is taken where it leaves less to edit. The person with hindsight reads only offers worth taking.
    """

    name: str
    requester: Requester
    offer: str = "whole"

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        state = State(free_texts(segment, engine)[0])
        corrections: tuple[Correction, ...] = ()
        for _ in range(MAX_OFFERS):
            planned = edits(state.text, segment.goal)
            if not planned:
                return
            situation = corrected(segment, state.text, planned[0], corrections)
            corrections = situation.corrections
            state = State(situation.text, state.effort + by_hand(planned[0]))
            if state.text != segment.goal:
                state, corrections = self._offered(state, situation, engine, is_oracle)
            yield replace(state, by_hand=situation.text)

    def _offered(
        self, state: State, situation: Situation, engine: Engine, is_oracle: bool
    ) -> tuple[State, tuple[Correction, ...]]:
        proposal, waiting = self.requester.propose(situation, engine)
        waited = Effort(waiting_s=waiting) if self.offer == "replaced" else Effort()  # who goes on typing does not wait
        if proposal is None or proposal == state.text:
            return State(state.text, state.effort + waited), situation.corrections
        kept = relocated(situation, proposal)
        if kept is None and self.offer != "replaced":  # typed text is never touched
            return state, situation.corrections
        reading = Effort(decisions=1, words_read=num_changed(state.text, proposal))
        if self.offer == "replaced":
            return State(proposal, state.effort + waited + reading), kept or ()
        text, keys = self._taken(state.text, proposal, situation.goal)
        taken = State(text, state.effort + reading + Effort(keys=keys))
        if not keys:
            return (state if is_oracle else taken), situation.corrections
        here = state.effort + post_editing(state.text, situation.goal)
        there = taken.effort + post_editing(text, situation.goal)
        if is_oracle and there.seconds >= here.seconds:
            return state, situation.corrections
        return taken, relocated(situation, text) or ()

    def _taken(self, text: str, proposal: str, goal: str) -> tuple[str, int]:
        """The text after the person has taken what leaves less to edit, and the keys that this needs."""
        left = post_editing(text, goal).seconds
        if self.offer == "whole":
            return (proposal, 1) if post_editing(proposal, goal).seconds < left else (text, 0)
        changes = edits(text, proposal)
        keys, shift, result = 0, 0, text
        for change in changes:
            # `change` counts in the text with all changes to its left made; `shift` corrects for those not taken.
            moved = replace(change, start=change.start + shift, end=change.end + shift)
            candidate = moved.applied_to(result)
            seconds = post_editing(candidate, goal).seconds
            if seconds < left:
                result, left, keys = candidate, seconds, keys + 1
            else:
                shift -= len(change.text) - (change.end - change.start)
        return result, (1 if result == proposal else keys)


def relocated(situation: Situation, text: str) -> tuple[Correction, ...] | None:
    """The corrections at their places in another text; None if it does not have all of their words."""
    old, new = words_of(situation.text), words_of(text)
    partners = {
        i: j
        for i, j in alignment(situation.text, text)
        if i is not None and j is not None and old[i].text == new[j].text
    }
    found = []
    for correction in situation.corrections:
        start, end = correction.start, correction.end
        if start is None or end is None or start == end:  # a deletion: only its ban goes on
            found.append(replace(correction, start=None, end=None))
            continue
        inside = [k for k, word in enumerate(old) if word.end > start and word.start < end]
        if not all(k in partners for k in inside):
            return None
        found.append(replace(correction, start=new[partners[inside[0]]].start, end=new[partners[inside[-1]]].end))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Ban:
    """Clicks the first wrong word away; the engine translates again without it."""

    name: str = "ban the first wrong word"

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        text = free_texts(segment, engine)[0]
        wrong = first_wrong(text, segment.goal)
        if wrong is None or not any(map(str.isalnum, words_of(text)[wrong].text)):
            return
        request = Request(segment.source, segment.direction, avoid=(words_of(text)[wrong].text,))  # type: ignore[arg-type]
        answer = engine.translate(request, "ban")
        banned = answer.texts[0] if answer.texts else text
        read = num_changed(text, banned)
        yield State(banned, POINTING + Effort(clicks=1, keys=1, words_read=read, waiting_s=answer.waiting_s))


def first_wrong(text: str, goal: str) -> int | None:
    """The number of the first word of the text that is not right; None if there is none."""
    words, goals = words_of(text), words_of(goal)
    for i, j in alignment(text, goal):
        if i is not None and (j is None or words[i].text != goals[j].text):
            return i
    return None


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Opens the list of other words at the first wrong word, reads it, and takes the right word if it is there."""

    name: str = "alternatives at the first wrong word"

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        hypotheses, text = free_hypotheses(segment, engine), free_texts(segment, engine)[0]
        wrong = first_wrong(text, segment.goal)
        if wrong is None or not hypotheses or hypotheses[0].text != text:
            return
        offset = words_of(text)[wrong].start
        request = Request(segment.source, segment.direction)
        found, waiting = engine.alternatives(request, hypotheses[0], offset, NUM_ALTERNATIVES)
        effort = POINTING + Effort(clicks=1, words_read=len(found), waiting_s=waiting)
        right = [word.text for word in words_of(segment.goal)][: wrong + 1]
        for alternative in found:
            if [word.text for word in words_of(alternative.hypothesis.text)][: wrong + 1] == right:
                sentence = alternative.hypothesis.text
                read = max(0, num_changed(text, sentence) - 1)
                yield State(sentence, effort + Effort(clicks=1, words_read=read))
                return
        yield State(text, effort + Effort(keys=1))  # closes the list


def word_prediction(segment: Segment, engine: Engine) -> tuple[int, int]:
    """(words predicted right, words): the goal's words that the engine gives next after all goal words before them.

    Knowles and Koehn 2016, "Neural interactive translation prediction". The completion stays while it is right.
    """
    goal = segment.goal.split()
    words = free_texts(segment, engine)[0].split()
    right = 0
    for j, word in enumerate(goal):
        if j < len(words) and words[j] == word:
            right += 1
        elif j + 1 < len(goal):
            request = Request(segment.source, segment.direction, prefix=" ".join(goal[: j + 1]) + " ")
            answer = engine.translate(request, "prefix")
            words = answer.texts[0].split() if answer.texts else goal[: j + 1]
    return right, len(goal)


def ways_of_working(requesters: list[Requester]) -> list[WayOfWorking]:
    """All ways of working; those that correct, once for each requester that can serve them."""
    ways: list[WayOfWorking] = [
        PostEditing(),
        NBest(),
        Prefix("prefix completion, word by word", is_by_click=False),
        Prefix("prefix completion, click and type", is_by_click=True),
    ]
    requesters = [requester for requester in requesters if not (requester.is_bound or requester.needs_source)]
    for requester in requesters:
        if not requester.needs_place:
            ways += [
                Pin(f"one pin, longest missing word: {requester.name}", requester),
                Pin(f"three pins, word after word: {requester.name}", requester, num_pins=3),
                Pin(f"one pin, longest missing phrase: {requester.name}", requester, is_phrase=True),
            ]
    for requester in requesters:
        if requester.needs_place:
            ways += [
                ReplaceSelection(f"replace a selection: {requester.name}", requester),
                Typing(f"typing, rest replaced: {requester.name}", requester, "replaced"),
                Typing(f"typing, rest offered: {requester.name}", requester, "whole"),
                Typing(f"typing, changes offered: {requester.name}", requester, "parts"),
            ]
    return [*ways, Ban(), Alternatives()]
