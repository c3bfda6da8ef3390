"""Which phrases of one sentence a text has met, and how far it is with the others.

The automaton reads the text that the pieces write, character by character. It sees every occurrence whatever the
segmentation: a broken phrase goes on from the longest suffix that can still become one, and a match whose right edge
is undecided waits. Its states are small tuples; nothing here knows tensors or hypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.search.matching import AT_START, ENDED, NONE, UNTRACKED, Context, Match, Matches, Pattern, decide, read
from engine.search.phrases import PieceTexts, Spelling, TrackedPhrase

_FAR = 1 << 30


class State(NamedTuple):
    """All that the text so far can still matter for.

    `partial` holds (pattern, characters matched), `pending` (pattern, characters since its end) for matches whose
    right edge is undecided, `progress` (spelling, pieces matched). `turn` counts the phrases with a turn that stand.
    """

    context: Context = Context()
    partial: Matches = NONE
    pending: Matches = NONE
    progress: frozenset[tuple[int, int]] = frozenset()
    turn: int = 0


class PhraseAutomaton:
    """The occurrences of one sentence's phrases in the text of its hypotheses."""

    def __init__(self, phrases: Sequence[TrackedPhrase], texts: PieceTexts) -> None:
        self.phrases = tuple(phrases)
        self._texts = texts
        self._patterns: list[Pattern] = []
        self._spellings: list[Spelling] = []
        self._pattern_of_spelling: list[int] = []
        for number, phrase in enumerate(self.phrases):
            first_pattern = len(self._patterns)
            self._patterns += [
                Pattern.of(number, form, phrase.boundary, is_initial=index in phrase.initial)
                for index, form in enumerate(phrase.forms)
            ]
            self._spellings += phrase.spellings
            self._pattern_of_spelling += [first_pattern + spelling.form for spelling in phrase.spellings]
        self._turns = [self.phrases[pattern.owner].turn for pattern in self._patterns]
        self._fresh_by_turn: dict[int, tuple[int, ...]] = {}
        self._starters = {pattern.text[0] for pattern in self._patterns}
        tracks_sentences = any(phrase.initial for phrase in self.phrases)
        self.start = State(Context(sentence=AT_START if tracks_sentences else UNTRACKED))

    def advance(self, state: State, piece: int) -> tuple[State, tuple[int, ...]]:
        """The state after `piece`, and how often each phrase turned out to be met on the way."""
        counts = [0] * len(self.phrases)
        if not self._texts.surfaces[piece]:
            return state, tuple(counts)
        context, partial, pending, _, turn = state
        for character in context.emission(self._texts, piece):
            if pending:
                partial, pending, turn = self._decide(character, partial, pending, turn, counts)
            if partial or character in self._starters:
                partial, ended = read(self._patterns, self._fresh(turn), partial, context, character)
                pending = pending | ended
            context = context.after(character)
        progress = self._advance_spellings(state, piece, partial, pending)
        return State(context.closed_by(self._texts, piece), partial, pending, progress, turn), tuple(counts)

    def pending_counts(self, state: State) -> tuple[int, ...]:
        """How often each phrase would be met if the sentence ended here."""
        counts = [0] * len(self.phrases)
        self._confirm(sorted(state.pending, key=lambda match: -match[1]), counts)
        return tuple(counts)

    def ends_here(self, state: State) -> bool:
        """Whether a phrase stands that counts at the end of the text alone."""
        return any(self.phrases[self._patterns[number].owner].ends_text for number, _ in state.pending)

    def to_go(self, state: State) -> tuple[int, ...]:
        """For each phrase, the least number of its pieces that the occurrence in progress still lacks."""
        missing = [phrase.num_pieces for phrase in self.phrases]
        for spelling, depth in state.progress:
            phrase = self._pattern(spelling).owner
            missing[phrase] = min(missing[phrase], len(self._spellings[spelling].pieces) - depth)
        for phrase in self._standing(state):
            missing[phrase] = 0
        return tuple(missing)

    def next_pieces(self, state: State) -> tuple[tuple[int, ...], ...]:
        """For each phrase, the pieces that take it forward: on from where it stands, or from a nearer beginning.

        At most one for each spelling: where one is under way in two places, the one that is further goes on. What
        overlaps an occurrence that stands at the end of the text leads nowhere, so there the next one begins.
        """
        standing = self._standing(state)
        deepest: dict[int, int] = {}
        for number, depth in state.progress:
            if self._pattern(number).owner not in standing and depth < len(self._spellings[number].pieces):
                deepest[number] = max(depth, deepest.get(number, 0))
        following: list[set[int]] = [set() for _ in self.phrases]
        to_go = [len(self._texts.surfaces)] * len(self.phrases)
        for number, depth in deepest.items():
            pieces, phrase = self._spellings[number].pieces, self._pattern(number).owner
            following[phrase].add(pieces[depth])
            to_go[phrase] = min(to_go[phrase], len(pieces) - depth)
        for number, spelling in enumerate(self._spellings):
            pattern = self._pattern(number)
            if self._turns[self._pattern_of_spelling[number]] not in (None, state.turn):
                continue
            if len(spelling.pieces) <= to_go[pattern.owner] and self._may_begin(state, spelling.pieces[0], pattern):
                following[pattern.owner].add(spelling.pieces[0])
        return tuple(tuple(sorted(pieces)) for pieces in following)

    def _standing(self, state: State) -> set[int]:
        """The phrases that stand at the end of the text; in an open word they do not, as the next piece breaks them."""
        pending = (self._patterns[number] for number, _ in state.pending)
        return {pattern.owner for pattern in pending if not (state.context.is_open and pattern.guards_right)}

    def _pattern(self, spelling: int) -> Pattern:
        return self._patterns[self._pattern_of_spelling[spelling]]

    def _fresh(self, turn: int) -> tuple[int, ...]:
        """The patterns that may begin: all but those of phrases whose turn has passed or not come."""
        if turn not in self._fresh_by_turn:
            self._fresh_by_turn[turn] = tuple(n for n, own in enumerate(self._turns) if own is None or own == turn)
        return self._fresh_by_turn[turn]

    def _decide(
        self, character: str, partial: Matches, pending: Matches, turn: int, counts: list[int]
    ) -> tuple[Matches, Matches, int]:
        """Let `character` confirm, break or keep waiting the pending matches; counts what it confirms.

        The search for a phrase starts anew after each occurrence: what began inside it is no occurrence of its own.
        """
        lasting = frozenset(m for m in pending if not self.phrases[self._patterns[m[0]].owner].ends_text)
        confirmed, waiting = decide(self._patterns, lasting, character)
        if not confirmed:
            return partial, waiting, turn
        since_end = self._confirm(confirmed, counts)
        turn += sum(self.phrases[phrase].turn is not None for phrase in since_end)

        def is_free(number: int, reach: int) -> bool:
            """Whether a match that began `reach` characters ago is still wanted."""
            own = self._turns[number]
            return (own is None or own >= turn) and reach <= since_end.get(self._patterns[number].owner, _FAR)

        partial = frozenset((number, matched) for number, matched in partial if is_free(number, matched))
        waiting = frozenset(
            (number, since)
            for number, since in waiting
            if is_free(number, since - 1 + len(self._patterns[number].text))
        )
        return partial, waiting, turn

    def _confirm(self, matches: Sequence[Match], counts: list[int]) -> dict[int, int]:
        """Count the matches, earliest end first, that do not overlap; gives characters since the last end by phrase."""
        since_end: dict[int, int] = {}
        for number, since in matches:
            pattern = self._patterns[number]
            if since + len(pattern.text) <= since_end.get(pattern.owner, _FAR):
                counts[pattern.owner] += 1
                since_end[pattern.owner] = since
        return since_end

    def _advance_spellings(
        self, state: State, piece: int, partial: Matches, pending: Matches
    ) -> frozenset[tuple[int, int]]:
        """Spellings under way after `piece`: those whose characters are still a match in the text."""
        tried = [*state.progress, *((number, 0) for number in range(len(self._spellings)))]
        going = set()
        for number, depth in tried:
            spelling = self._spellings[number]
            if depth == len(spelling.pieces) or spelling.pieces[depth] != piece:
                continue
            pattern = self._pattern_of_spelling[number]
            is_last = depth + 1 == len(spelling.pieces)
            if (pattern, 0) in pending if is_last else (pattern, spelling.lengths[depth + 1]) in partial:
                going.add((number, depth + 1))
        return frozenset(going)

    def _may_begin(self, state: State, piece: int, pattern: Pattern) -> bool:
        """Whether the pattern's first piece can begin it here: no word is open before it."""
        if pattern.is_initial and state.context.sentence not in (AT_START, ENDED):
            return False
        has_space = state.context.emission(self._texts, piece) != self._texts.surfaces[piece]
        if pattern.is_initial and state.context.sentence == ENDED and not has_space:
            return False
        return has_space or not pattern.guards_left or not state.context.goes_on(pattern.text[0])
