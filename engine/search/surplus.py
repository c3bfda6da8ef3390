"""Phrases that may stand only so often: how many occurrences a text still has room for.

A text is dead as soon as one phrase stands more often than that, whatever may follow; `engine.search.automaton` counts.
"""

from __future__ import annotations

from operator import sub

from engine.search.automaton import PhraseAutomaton, State
from engine.search.indexed import IndexedTexts
from engine.search.matching import Attached
from engine.search.phrases import PieceTexts

Room = tuple[int, ...]  # occurrences that may still come, of each phrase with a `max_count`


class SurplusGuard:
    """The phrases of one sentence that have a `max_count`, if there are any."""

    def __init__(self, automaton: PhraseAutomaton, texts: PieceTexts) -> None:
        limits = {p: phrase.max_count for p, phrase in enumerate(automaton.phrases) if phrase.max_count is not None}
        self._automaton = automaton
        self._limited = tuple(limits)
        indexed = IndexedTexts.of(texts)
        self._attached = Attached.of(indexed.attached if limits else ())
        self._fits_in_a_piece = any(indexed.holds(form) for p in limits for form in automaton.phrases[p].forms)
        self.start: Room = tuple(limits.values())

    def advance(self, room: Room, state: State, counts: Room) -> Room | None:
        """The room left once the text has come to `state` and completed `counts` of each phrase; None if it is dead."""
        if not room:
            return room
        if any(counts):
            room = self._less(room, counts)
        sure = self._less(room, self._automaton.sure_counts(state, self._attached)) if state.pending else room
        return None if min(sure) < 0 else room

    def may_end(self, room: Room, pending_counts: Room) -> bool:
        """Whether the sentence may end here, which completes `pending_counts` of each phrase."""
        return not room or min(self._less(room, pending_counts)) >= 0

    def may_die(self, room: Room, state: State, pending_counts: Room) -> bool:
        """Whether the next piece may be one too many: a phrase is under way or waits for it, or fits in a piece.

        A piece that holds a phrase twice is not foreseen; a text that it makes dead is left out all the same.
        """
        if not room or min(self._less(room, pending_counts)) > 0:
            return False
        return self._fits_in_a_piece or bool(state.partial or state.pending)

    def _less(self, room: Room, counts: Room) -> Room:
        return tuple(map(sub, room, (counts[p] for p in self._limited)))
