"""Suggestions where a word is doubtful or the rest would change: the person looks only where an edit is due anyway."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.segments.revision import revision_runs
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import Effort
from benchmarks.simulation.protocols import (
    Segment,
    State,
    WayOfWorking,
    by_hand,
    corrected,
    free_hypotheses,
    free_texts,
    post_editing,
    relocated,
)
from benchmarks.simulation.requesters import Correction, Requester, Situation
from benchmarks.simulation.words import Edit, Word, edits, words_of
from engine import Follow, Hypothesis, Request

TAKING = Effort(decisions=1, keys=1)
NUM_OTHERS = 2  # words that the engine is asked for in the place of a doubtful one
MAX_CHIP_WORDS = 3


@dataclass(frozen=True, slots=True)
class Change:
    """`text[start:end]` would become `new`."""

    start: int
    end: int
    new: str

    def applied_to(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def is_at(self, edit: Edit) -> bool:
        return self.start <= edit.end and self.end >= edit.start


def changes_to(text: str, proposal: str) -> list[Change]:
    """The changes as the page lists them.

    >>> changes_to("Der alte Server startet.", "Die alten Server starten.")
    [Change(start=0, end=8, new='Die alten'), Change(start=16, end=23, new='starten')]
    """
    found, place = [], 0
    for run in revision_runs(text, proposal):
        end = place + len(run.get("was", run["t"]))
        if "was" in run:
            found.append(Change(place, end, run["t"]))
        place = end
    return found


@dataclass(frozen=True, slots=True)
class Glancing:
    """Post-edits from left to right; before an edit, reads the change that the engine offers at this place, if any.

    The change is taken by a key if that leaves less to do than the edit by hand. Offers elsewhere are not looked at;
    a new one comes after each edit by hand.
    """

    name: str
    requester: Requester

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        goal = segment.goal
        text, effort = free_texts(segment, engine)[0], Effort()
        proposal: str | None = None
        corrections: tuple[Correction, ...] = ()
        while planned := edits(text, goal):
            edit = planned[0]
            offered = changes_to(text, proposal) if proposal is not None else []
            change = next((change for change in offered if change.is_at(edit)), None)
            if change is not None:
                effort += Effort(words_read=max(1, len(words_of(change.new))))
                after = change.applied_to(text)
                if post_editing(after, goal).seconds + TAKING.seconds < post_editing(text, goal).seconds:
                    text, effort = after, effort + TAKING
                    continue
            situation = corrected(segment, text, edit, corrections)
            corrections, text, effort = situation.corrections, situation.text, effort + by_hand(edit)
            proposal = self._proposal(situation, engine) if text != goal else None
        yield State(text, effort)

    def _proposal(self, situation: Situation, engine: Engine) -> str | None:
        """The engine's text, unless it touches typed words; nobody waits for it."""
        proposal, _ = self.requester.propose(situation, engine)
        return proposal if proposal is not None and relocated(situation, proposal) is not None else None


@dataclass(frozen=True, slots=True)
class Chips:
    """Where the model doubts a word, a chip shows the likeliest other word; a key puts it in the place of the first.

    A word is doubtful below the probability `doubt`; the other word must have `likelihood` at least. The person reads
    all chips, or with `is_glancing` only those where an edit is due, and takes those that leave less to do.
    """

    name: str
    doubt: float = 0.4
    likelihood: float = 0.1
    is_glancing: bool = False

    def states(self, segment: Segment, engine: Engine, is_oracle: bool) -> Iterator[State]:
        found, goal = free_hypotheses(segment, engine), segment.goal
        if not found or found[0].text == goal:
            return
        text, effort = found[0].text, Effort()
        for chip in reversed(self.chips(segment, engine, found[0])):
            is_due = any(chip.is_at(edit) for edit in unshifted(edits(found[0].text, goal)))
            if is_due or not self.is_glancing:
                effort += Effort(words_read=max(1, len(words_of(chip.new))))
            after = chip.applied_to(text)
            if post_editing(after, goal).seconds + TAKING.seconds < post_editing(text, goal).seconds:
                text, effort = after, effort + TAKING
        yield State(text, effort)

    def chips(self, segment: Segment, engine: Engine, hypothesis: Hypothesis) -> list[Change]:
        """The chips from left to right; no two are at the same words."""
        request = Request(segment.source, segment.direction, follow=Follow(hypothesis.text))
        chips: list[Change] = []
        for word in words_of(hypothesis.text):
            if word.is_punctuation or probability(hypothesis, word) >= self.doubt:
                continue
            others, _ = engine.alternatives(request, hypothesis, word.start, NUM_OTHERS)
            other = max(others, key=lambda one: one.log_prob, default=None)
            if other is None or other.log_prob < math.log(self.likelihood):
                continue
            changes = changes_to(hypothesis.text, " ".join(other.hypothesis.text.split()))
            here = [one for one in changes if one.start <= word.end and one.end >= word.start]
            is_free = not chips or all(one.start >= chips[-1].end for one in here)
            if len(here) == 1 and is_free and len(words_of(here[0].new)) <= MAX_CHIP_WORDS:
                chips += here
        return chips


def unshifted(planned: Sequence[Edit]) -> list[Edit]:
    """The edits with offsets in the text before all of them."""
    found, growth = [], 0
    for edit in planned:
        found.append(replace(edit, start=edit.start - growth, end=edit.end - growth))
        growth += len(edit.text) - (edit.end - edit.start)
    return found


def probability(hypothesis: Hypothesis, word: Word) -> float:
    """The product of the probabilities of the pieces that write a word."""
    pieces = zip(hypothesis.token_spans, hypothesis.token_log_probs, strict=True)
    return math.exp(sum(log_prob for (start, end), log_prob in pieces if start < word.end and end > word.start))


def ways_of_suggesting(requesters: Sequence[Requester]) -> list[WayOfWorking]:
    placed = [requester for requester in requesters if requester.needs_place and not requester.is_bound]
    return [
        *(Glancing(f"typing, changes read where an edit is due: {requester.name}", requester) for requester in placed),
        Chips("chips at doubtful words, all read"),
        Chips("chips at doubtful words, read where an edit is due", is_glancing=True),
    ]
