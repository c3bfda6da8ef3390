"""Phrases with a `max_count`: how many more occurrences a hypothesis may write.

A hypothesis is dead as soon as one phrase occurs too often for certain. `engine.search.automaton` counts occurrences.
"""

from __future__ import annotations

from operator import sub

from engine.search.automaton import PhraseAutomaton, PhraseState
from engine.search.indexed import IndexedTexts
from engine.search.matching import Attached
from engine.search.phrases import PieceTexts

CountsLeft = tuple[int, ...]  # how many more occurrences each phrase with a `max_count` may have


class MaxCounts:
    """Counts down the phrases of one sentence that have a `max_count`."""

    def __init__(self, automaton: PhraseAutomaton, texts: PieceTexts) -> None:
        limits = {p: phrase.max_count for p, phrase in enumerate(automaton.phrases) if phrase.max_count is not None}
        self._automaton = automaton
        self._limited = tuple(limits)
        indexed = IndexedTexts.of(texts)
        self._attached = Attached.of(indexed.attached if limits else ())
        self.fits_in_a_piece = any(indexed.holds(form) for p in limits for form in automaton.phrases[p].forms)
        self.start: CountsLeft = tuple(limits.values())

    def advance(self, left: CountsLeft, state: PhraseState, counts: CountsLeft) -> CountsLeft | None:
        """The counts left after the text reached `state` and completed `counts` of each phrase; None if it is dead."""
        if not left:
            return left
        if any(counts):
            left = self._less(left, counts)
        sure = self._less(left, self._automaton.sure_counts(state, self._attached)) if state.pending else left
        return None if min(sure) < 0 else left

    def may_end(self, left: CountsLeft, pending_counts: CountsLeft) -> bool:
        """True if the sentence may end here, which completes `pending_counts` of each phrase."""
        return not left or min(self._less(left, pending_counts)) >= 0

    def may_die(self, left: CountsLeft, state: PhraseState, pending_counts: CountsLeft) -> bool:
        """True if the next piece may write one occurrence too many: a match is partial or pending, or fits in a piece.

        A piece that contains a phrase twice is not foreseen; a text that dies of it is dropped in the same step.
        """
        if not left or min(self._less(left, pending_counts)) > 0:
            return False
        return self.fits_in_a_piece or bool(state.partial or state.pending or state.context.unfinished)

    def _less(self, left: CountsLeft, counts: CountsLeft) -> CountsLeft:
        return tuple(map(sub, left, (counts[p] for p in self._limited)))
