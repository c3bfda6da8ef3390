"""Automaton for the phrases of one sentence: which phrases a text has met, and its progress with the others.

The automaton reads the text that the pieces write, character by character, and finds every occurrence in any
segmentation. A broken match continues from its longest suffix that can still become a match; a match whose right edge
is undecided stays pending. States are small tuples, without tensors or hypotheses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add, lt
from typing import NamedTuple

from engine.search.matching import (
    AT_START,
    DIGIT,
    ENDED,
    NONE,
    UNTRACKED,
    Attached,
    Context,
    Match,
    Matches,
    Pattern,
    decide,
    read,
)
from engine.search.phrases import PieceTexts, Spelling, TrackedPhrase
from engine.search.shared_matches import Progress, Shared, SharedMatches
from engine.text import REPLACEMENT, begins_with_byte, read_surface

_FAR = 1 << 30


class PhraseState(NamedTuple):
    """Matcher state: everything in the text so far that can affect later matches.

    `partial` contains (pattern, characters matched), `pending` (pattern, characters since its end) for matches whose
    right edge is undecided, `progress` (spelling, pieces matched). `turn` counts the phrases with a turn that are met.
    A pending one lets the next begin after it; if the pending one breaks, so do the matches of the next.
    `shared` is the state of each group of phrases that share a form, with ends counted back from the end of the text.
    """

    context: Context = Context()
    partial: Matches = NONE
    pending: Matches = NONE
    progress: Progress = frozenset()
    turn: int = 0
    shared: Shared = ()


class PhraseAutomaton:
    """Counts the occurrences of one sentence's phrases in the text of its hypotheses."""

    def __init__(self, phrases: Sequence[TrackedPhrase], texts: PieceTexts) -> None:
        self.phrases = tuple(phrases)
        self._texts = texts
        self._patterns: list[Pattern] = []
        self._spellings: list[Spelling] = []
        self._pattern_of_spelling: list[int] = []
        for number, phrase in enumerate(self.phrases):
            first_pattern = len(self._patterns)
            self._patterns += [
                Pattern.of(number, form, phrase.boundary_of(index), is_initial=index in phrase.initial)
                for index, form in enumerate(phrase.forms)
            ]
            self._spellings += phrase.spellings
            self._pattern_of_spelling += [first_pattern + spelling.form for spelling in phrase.spellings]
        self._spellings_by_first_piece: dict[int, list[int]] = {}  # spellings by first piece
        for spelling, own in enumerate(self._spellings):
            self._spellings_by_first_piece.setdefault(own.pieces[0], []).append(spelling)
        self._first_characters = {pattern.text[0] for pattern in self._patterns}
        self._num_pieces = [phrase.num_pieces for phrase in self.phrases]
        self._turns = [self.phrases[pattern.owner].turn for pattern in self._patterns]
        self._has_turns = any(own is not None for own in self._turns)
        self._fresh_patterns: dict[tuple[str, bool, int, bool], tuple[int, ...]] = {}
        self._sharing = SharedMatches(self.phrases, self._patterns, self._spellings, self._pattern_of_spelling)
        self._behind_space: dict[PhraseState, tuple[PhraseState, tuple[int, ...]]] = {}
        self._behind_word: dict[tuple[PhraseState, int], tuple[PhraseState, tuple[int, ...]]] = {}
        tracks_sentences = any(phrase.initial for phrase in self.phrases)
        context = Context(sentence=AT_START if tracks_sentences else UNTRACKED)
        self.start = PhraseState(context, shared=self._sharing.start)

    @property
    def sharing(self) -> frozenset[int]:
        """The phrases that share a form with another; `shared_missing` counts them, not the counts by phrase."""
        return frozenset(self.group_of)

    @property
    def group_of(self) -> Mapping[int, int]:
        """The group of each phrase that shares a form with another."""
        return self._sharing.group_of

    def advance(self, state: PhraseState, piece: int) -> tuple[PhraseState, tuple[int, ...]]:
        """The state after `piece`, and how many occurrences of each phrase the piece confirmed."""
        surface = self._texts.surfaces[piece]
        if not surface:
            return state, (0,) * len(self.phrases)
        has_space = state.context.has_space_before(self._texts, piece)
        if state.context.unfinished and (has_space or not begins_with_byte(surface)):  # it stays unfinished
            broken, counts = self._read(state, REPLACEMENT * len(state.context.unfinished))
            after, more = self.advance(broken._replace(context=broken.context._replace(unfinished=b"")), piece)
            return after, tuple(map(add, counts, more))
        if not has_space:
            return self._advance(state, piece)
        # After a space most texts have the same state, so the steps of words from there are cached.
        behind, counts = self._after_space(state)
        if (behind, piece) not in self._behind_word:
            self._behind_word[behind, piece] = self._advance(behind, piece)
        after, more = self._behind_word[behind, piece]
        return after, tuple(map(add, counts, more)) if any(counts) else more

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The texts to find."""
        return self._patterns

    @property
    def spellings(self) -> Sequence[tuple[int, Spelling]]:
        """All spellings, each with the number of its pattern."""
        return [*zip(self._pattern_of_spelling, self._spellings, strict=True)]

    def _after_space(self, state: PhraseState) -> tuple[PhraseState, tuple[int, ...]]:
        """The state after a space, and the occurrences that it confirms."""
        if state not in self._behind_space:
            self._behind_space[state] = self._read_space(state)
        return self._behind_space[state]

    def _advance(self, state: PhraseState, piece: int) -> tuple[PhraseState, tuple[int, ...]]:
        """The state after the piece's own characters, and the occurrences that they confirm."""
        characters, _ = read_surface(state.context.unfinished, self._texts.surfaces[piece])
        after, counts = self._read(state, characters)
        progress = self._advance_spellings(state, piece, after.partial, after.pending)
        return after._replace(context=after.context.closed_by(self._texts, piece), progress=progress), counts

    def _read_space(self, state: PhraseState) -> tuple[PhraseState, tuple[int, ...]]:
        """The state after a space, with the partial spellings that continue with it or have not written a character."""
        after, counts = self._read(state, " ")
        lasting = set()
        for number, depth in state.progress:
            length = self._spellings[number].lengths[depth]
            if not length or (self._pattern_of_spelling[number], length + 1) in after.partial:
                lasting.add((number, depth))
        return after._replace(progress=frozenset(lasting)), counts

    def _read(self, state: PhraseState, characters: str) -> tuple[PhraseState, tuple[int, ...]]:
        """The state after these characters, without `progress`, and the occurrences that they confirm."""
        counts = [0] * len(self.phrases)
        context, partial, pending, _, turn, shared = state
        num_read = 0
        for place, character in enumerate(characters):
            if not (partial or pending or shared or character in self._first_characters):
                continue
            context, num_read = context.after_all(characters[num_read:place]), place
            if pending:
                partial, pending, turn, shared = self._decide(character, partial, pending, turn, shared, counts)
            fresh = self._fresh(context, character, turn, pending)
            if partial or fresh:
                partial, ended = read(self._patterns, fresh, partial, context, character)
                pending = pending | ended
            if shared:
                shared = self._sharing.move_on(shared, partial, pending)
        context = context.after_all(characters[num_read:])
        return PhraseState(context, partial, pending, NONE, turn, shared), tuple(counts)

    def pending_counts(self, state: PhraseState) -> tuple[int, ...]:
        """For each phrase, the number of occurrences that would count if the sentence ended here."""
        counts = [0] * len(self.phrases)
        if state.pending:
            self._confirm(sorted(state.pending, key=lambda match: -match[1]), state.turn, counts)
        return tuple(counts)

    def sure_counts(self, state: PhraseState, attached: Attached) -> tuple[int, ...]:
        """For each phrase, the number of pending occurrences that the next piece cannot break."""
        counts = [0] * len(self.phrases)
        sure = [m for m in state.pending if not attached.may_break(self._patterns[m[0]], m[1], state.context)]
        if sure:
            self._confirm(sorted(sure, key=lambda match: -match[1]), state.turn, counts)
        return tuple(counts)

    def shared_met(self, state: PhraseState) -> bool:
        """True if phrases that share a form would all be met if the sentence ended here."""
        return not any(self._sharing.missing(self._sharing.take(state.shared, state.pending)))

    def shared_missing(self, state: PhraseState) -> tuple[int, bool]:
        """The least number of missing pieces of phrases that share a form, and whether one of them is partial."""
        met_at_end = self._shared_at_end(state)
        left = self._sharing.missing(met_at_end)
        begun = self._sharing.missing_with_progress(met_at_end, state.partial, state.progress)
        return sum(map(min, left, begun)), any(map(lt, begun, left))

    def ends_here(self, state: PhraseState) -> bool:
        """True if the text ends with a phrase that must end the text."""
        return any(self.phrases[self._patterns[number].owner].ends_text for number, _ in state.pending)

    def to_go(self, state: PhraseState) -> tuple[int, ...]:
        """For each phrase, the least number of missing pieces of its partial occurrence."""
        missing = self._num_pieces.copy()
        for spelling, depth in state.progress:
            phrase = self._pattern(spelling).owner
            missing[phrase] = min(missing[phrase], len(self._spellings[spelling].pieces) - depth)
        for phrase in self._met_at_end(state):
            missing[phrase] = 0
        return tuple(missing)

    def next_pieces(self, state: PhraseState) -> tuple[tuple[int, ...], ...]:
        """For each phrase, the pieces that advance it: the next of a partial spelling, or the first of a shorter rest.

        At most one piece for each spelling: of two partial matches of it, the longer one continues. A match that
        overlaps an occurrence at the end of the text cannot count, so there the next occurrence begins.
        """
        met_at_end = self._met_at_end(state) - self.sharing
        met_turns, turn = {self.phrases[owner].turn for owner in met_at_end}, state.turn
        while turn in met_turns:  # the next word confirms them
            turn += 1
        shared, sharing = self._shared_at_end(state), self._sharing
        lacking = sharing.missing(shared)
        deepest: dict[int, int] = {}
        for number, depth in state.progress:
            owner, is_last = self._pattern(number).owner, depth == len(self._spellings[number].pieces)
            is_useful = owner not in met_at_end and not is_last
            if is_useful and owner in sharing.group_of:
                missing = sharing.missing_with(shared, state.partial, number, depth)
                is_useful = missing < lacking[sharing.group_of[owner]]
            if is_useful:
                deepest[number] = max(depth, deepest.get(number, 0))
        following: list[set[int]] = [set() for _ in self.phrases]
        to_go = [len(self._texts.surfaces)] * len(self.phrases)
        for number, depth in deepest.items():
            pieces, phrase = self._spellings[number].pieces, self._pattern(number).owner
            following[phrase].add(pieces[depth])
            to_go[phrase] = min(to_go[phrase], len(pieces) - depth)
        for number, spelling in enumerate(self._spellings):
            pattern = self._pattern(number)
            if self._turns[self._pattern_of_spelling[number]] not in (None, turn):
                continue
            group = sharing.group_of.get(pattern.owner)
            if group is not None and sharing.missing_with_another(shared, pattern.owner) >= lacking[group]:
                continue
            begins = spelling.pieces[0]
            if len(spelling.pieces) > to_go[pattern.owner] or not self._may_begin(state, begins, pattern):
                continue
            if turn == state.turn or not self._breaks_number(state, begins, pattern):
                following[pattern.owner].add(spelling.pieces[0])
        return tuple(tuple(sorted(pieces)) for pieces in following)

    def _met_at_end(self, state: PhraseState) -> set[int]:
        """The phrases that the text ends with."""
        return {self._patterns[number].owner for number, _ in self._matches_at_end(state)}

    def _matches_at_end(self, state: PhraseState) -> Matches:
        """The matches at the end of the text, without those in an open word, which the next piece breaks."""
        is_open = state.context.is_open or bool(state.context.unfinished)
        return frozenset(m for m in state.pending if not (is_open and self._patterns[m[0]].bounded_right))

    def _shared_at_end(self, state: PhraseState) -> Shared:
        """The state of phrases that share a form, with the matches at the end of the text."""
        return self._sharing.take(state.shared, self._matches_at_end(state))

    def _pattern(self, spelling: int) -> Pattern:
        return self._patterns[self._pattern_of_spelling[spelling]]

    def _fresh(self, context: Context, character: str, turn: int, pending: Matches) -> tuple[int, ...]:
        """The patterns that may begin with `character` here; of phrases with a turn, only the current one.

        After a pending number and a comma, the next in turn may begin with that comma, unless its own next digit would
        join both into one number.
        """
        waits = self._has_turns and any(self._turns[number] == turn for number, _ in pending)
        is_inside = context.goes_on(character)  # of a word
        key = character, is_inside, turn, waits
        if key not in self._fresh_patterns:
            self._fresh_patterns[key] = tuple(
                number
                for number, (own, pattern) in enumerate(zip(self._turns, self._patterns, strict=True))
                if pattern.text[0] == character and pattern.may_begin(is_inside)
                if own in (None, turn) or (waits and own == turn + 1 and not pattern.joins_numbers)
            )
        return self._fresh_patterns[key]

    def _decide(
        self,
        character: str,
        partial: Matches,
        pending: Matches,
        turn: int,
        shared: Shared,
        counts: list[int],
    ) -> tuple[Matches, Matches, int, Shared]:
        """Confirms, breaks or keeps the pending matches after `character`; counts the confirmed ones.

        The search for a phrase restarts after each occurrence: a match that began inside one does not count.
        """
        lasting = frozenset(m for m in pending if not self.phrases[self._patterns[m[0]].owner].ends_text)
        confirmed, waiting = decide(self._patterns, lasting, character)
        if not confirmed and not self._has_turns:
            return partial, waiting, turn, shared
        shared = self._sharing.take(shared, confirmed)
        turn, since_turn, since_end = self._confirm(confirmed, turn, counts)
        waits = any(self._turns[number] == turn for number, _ in waiting)

        def is_free(number: int, reach: int) -> bool:
            """True if a match that began `reach` characters ago can still count."""
            own = self._turns[number]
            if own is None:
                return reach <= since_end.get(self._patterns[number].owner, _FAR)
            return turn <= own <= turn + waits and reach <= since_turn

        partial = frozenset((number, matched) for number, matched in partial if is_free(number, matched))
        waiting = frozenset(
            (number, since)
            for number, since in waiting
            if is_free(number, since - 1 + len(self._patterns[number].text))
        )
        return partial, waiting, turn, shared

    def _confirm(self, matches: Sequence[Match], turn: int, counts: list[int]) -> tuple[int, int, dict[int, int]]:
        """Count the matches, earliest end first, that do not overlap and whose turn it is.

        Returns the next turn, the characters since the last turn ended and, by phrase, since its last occurrence.
        """
        since_end: dict[int, int] = {}
        since_turn = _FAR
        for number, since in matches:
            pattern, own = self._patterns[number], self._turns[number]
            if pattern.owner in self._sharing.group_of or own not in (None, turn):
                continue
            free = since_end.get(pattern.owner, _FAR) if own is None else since_turn
            if since + len(pattern.text) <= free:
                counts[pattern.owner] += 1
                since_end[pattern.owner] = since
                if own is not None:
                    turn, since_turn = turn + 1, since
        return turn, since_turn, since_end

    def _advance_spellings(
        self, state: PhraseState, piece: int, partial: Matches, pending: Matches
    ) -> frozenset[tuple[int, int]]:
        """Partial spellings after `piece`: those whose characters still match the text."""
        starting = self._spellings_by_first_piece.get(piece, ())
        if not (starting or state.progress):
            return NONE
        tried = [*state.progress, *((number, 0) for number in starting)]
        going = set()
        for number, depth in tried:
            spelling = self._spellings[number]
            if depth == len(spelling.pieces) or spelling.pieces[depth] != piece:
                continue
            pattern = self._pattern_of_spelling[number]
            is_last, length = depth + 1 == len(spelling.pieces), spelling.lengths[depth + 1]
            if (pattern, 0) in pending if is_last else not length or (pattern, length) in partial:
                going.add((number, depth + 1))
        return frozenset(going)

    def _may_begin(self, state: PhraseState, piece: int, pattern: Pattern) -> bool:
        """True if the pattern's first piece can begin it here, with no open word or character before it."""
        if state.context.unfinished:
            return False
        if pattern.is_initial and state.context.sentence not in (AT_START, ENDED):
            return False
        has_space = state.context.emission(self._texts, piece).startswith(" ")
        if pattern.is_initial and state.context.sentence == ENDED and not has_space:
            return False
        return has_space or not pattern.bounded_left or not state.context.goes_on(pattern.text[0])

    def _breaks_number(self, state: PhraseState, piece: int, pattern: Pattern) -> bool:
        """True if the pattern, begun with `piece`, would join the digit before it into one number."""
        has_space = state.context.emission(self._texts, piece).startswith(" ")
        return pattern.joins_numbers and state.context.last == DIGIT and not has_space
