"""What a text must not contain, and what it must begin with.

An avoided text is found as phrases are, by its characters at word boundaries. Inside a pinned text or the prefix it
is allowed, but there only: where a pinned text that would excuse it is begun and then broken off, the text is dead. A
text is dead as soon as no continuation can save it, so that doomed hypotheses take no place in the beam.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.search.indexed import IndexedTexts
from engine.search.matching import NONE, Attached, Context, Match, Matches, Pattern, decide, read
from engine.search.phrases import PieceTexts, SentenceConstraints


class _Cover(NamedTuple):
    """The pinned texts under way or waiting that excuse one avoided text; it is owed until one of them stands."""

    partial: Matches
    pending: Matches


class GuardState(NamedTuple):
    """What of the text so far bears on avoided texts and the prefix. `written` counts characters, up to a bound."""

    context: Context = Context()
    partial: Matches = NONE
    pending: Matches = NONE
    debts: frozenset[_Cover] = frozenset()
    written: int = 0


class Guard:
    """The avoided texts and the prefix of one sentence."""

    def __init__(self, constraints: SentenceConstraints, texts: PieceTexts) -> None:
        self._texts = IndexedTexts.of(texts)
        prefix_pieces = constraints.prefix.pieces if constraints.prefix else ()
        self._prefix = constraints.prefix.text if constraints.prefix else ""
        if prefix_pieces and texts.surfaces[prefix_pieces[0]] == " " and self._prefix[:1] != " ":
            self._prefix = " " + self._prefix  # which such a codec does not write at the beginning
        self._patterns = [
            Pattern.of(-1, avoided.text, "word", ignores_case=avoided.ignores_case) for avoided in constraints.avoided
        ]
        self._num_avoided = len(self._patterns)
        self._patterns += [
            Pattern.of(0, form, phrase.boundary_of(number))
            for phrase in constraints.phrases
            for number, form in enumerate(phrase.forms)
            if any(_contains(form, avoided.text, avoided.ignores_case) for avoided in constraints.avoided)
        ]
        self._starters = {c for pattern in self._patterns for c in (pattern.text[0], pattern.text[0].upper())}
        self._fixed, self._open_from = _places(prefix_pieces, texts)
        self._attached = Attached.of(self._texts.attached)
        self.start = GuardState()

    def advance(self, state: GuardState, piece: int) -> GuardState | None:
        """The state after `piece`; None where the text can no longer be saved."""
        if not self._texts.surfaces[piece]:
            return state
        context, partial, pending, debts, written = state
        emission = context.emission(self._texts, piece)
        if not self._fits_prefix(written, emission):
            return None
        for character in emission:
            if pending or debts:
                settled = self._settle(character, partial, pending, debts, written)
                if settled is None:
                    return None
                pending, debts = settled
            ended = NONE
            if partial or character in self._starters or character.lower() in self._starters:
                partial, ended = read(self._patterns, range(len(self._patterns)), partial, context, character)
                pending = pending | ended
            if debts:
                advanced = self._advance_debts(debts, partial, ended)
                if advanced is None:
                    return None
                debts = advanced
            context = context.after(character)
            written = min(written + 1, len(self._prefix) + 2) if self._prefix else 0
        after = GuardState(context.closed_by(self._texts, piece), partial, pending, debts, written)
        return None if self._is_doomed(after) else after

    def may_end(self, state: GuardState) -> bool:
        """Whether the sentence may end here: the prefix is whole and nothing avoided stands, excused ones aside."""
        if self._prefix_left(state):
            return False
        if any(not cover.pending for cover in state.debts):
            return False
        return all(
            self._is_in_prefix(state.written, since) or self._cover(number, since, NONE, state.pending).pending
            for number, since in self._avoided(state.pending)
        )

    def is_done(self, state: GuardState) -> bool:
        """Whether nothing that comes can break anything: the prefix is whole, and no text is avoided."""
        return not self._num_avoided and not self._prefix_left(state)

    def pieces_left(self, state: GuardState) -> int:
        """The least number of pieces that the prefix still takes; a space at its end comes with what follows it."""
        open_word = self._prefix[max(state.written, self._open_from) :].strip(" ")
        return sum(place >= state.written for place in self._fixed) + bool(open_word)

    def in_prefix(self, state: GuardState) -> bool:
        """Whether the prefix is not whole yet."""
        return bool(self._prefix_left(state))

    def allowed(self, state: GuardState) -> list[int] | None:
        """The pieces with which the prefix goes on; None once it is whole."""
        rest = self._prefix_left(state)
        if not rest:
            return None
        if state.written in self._fixed:
            return [self._fixed[state.written]]
        return [
            piece
            for piece in self._texts.writing(state.context, rest)
            if self._continues(state.context.emission(self._texts, piece), rest, piece)
        ]

    # ---- the prefix ----

    def _prefix_left(self, state: GuardState) -> str:
        return self._prefix[state.written :]

    def _fits_prefix(self, written: int, emission: str) -> bool:
        rest = self._prefix[written:]
        return rest.startswith(emission) or emission.startswith(rest)

    def _continues(self, emission: str, rest: str, piece: int) -> bool:
        """Whether a piece of the open last word leads on: to the end of the prefix, or gluing to what comes next."""
        if emission.startswith(rest):
            return True
        return rest.startswith(emission) and (self._texts.glues_right[piece] or rest[len(emission)] == " ")

    def _is_in_prefix(self, written: int, since: int) -> bool:
        """Whether a match that ended `since` characters ago ended within the prefix."""
        return bool(self._prefix) and written - since <= len(self._prefix)

    # ---- avoided texts ----

    def _avoided(self, matches: Iterable[Match]) -> list[Match]:
        return [match for match in matches if match[0] < self._num_avoided]

    def _settle(
        self, character: str, partial: Matches, pending: Matches, debts: frozenset[_Cover], written: int
    ) -> tuple[Matches, frozenset[_Cover]] | None:
        """What waits and what is owed once `character` has decided the waiting matches; None where one is not excused.

        `partial` has not read the character yet.
        """
        confirmed, waiting = decide(self._patterns, pending, character)
        standing = {match for match in confirmed if match[0] >= self._num_avoided}
        still = frozenset(match for match in pending if match in standing or (match[0], match[1] + 1) in waiting)
        owed = set()
        for cover in debts:
            if not cover.pending & standing:  # else it is paid
                owed.add(_Cover(cover.partial, frozenset(m for m in cover.pending if m in still)))
        for number, since in self._avoided(confirmed):
            if self._is_in_prefix(written, since):
                continue
            cover = self._cover(number, since, partial, still)
            if not cover.pending & standing:
                owed.add(cover)
        moved = frozenset(
            _Cover(cover.partial, frozenset((number, since + 1) for number, since in cover.pending)) for cover in owed
        )
        if any(not cover.partial and not cover.pending for cover in moved):
            return None
        return waiting, moved

    def _cover(self, number: int, since: int, partial: Matches, pending: Matches) -> _Cover:
        """The pinned texts that hold all of an avoided match: those under way and those that wait."""
        reach = since + len(self._patterns[number].text)
        return _Cover(
            frozenset(m for m in partial if m[0] >= self._num_avoided and m[1] >= reach),
            frozenset(
                m
                for m in pending
                if m[0] >= self._num_avoided and m[1] <= since and m[1] + len(self._patterns[m[0]].text) >= reach
            ),
        )

    def _advance_debts(self, debts: frozenset[_Cover], partial: Matches, ended: Matches) -> frozenset[_Cover] | None:
        """The debts after a character: of each cover, the texts that it took further or ended; None if one has none."""
        advanced = set()
        for cover in debts:
            going = frozenset((n, matched + 1) for n, matched in cover.partial) & partial
            done = frozenset((n, 0) for n, matched in cover.partial if matched + 1 == len(self._patterns[n].text))
            advanced.add(_Cover(going, cover.pending | (done & ended)))
        if any(not cover.partial and not cover.pending for cover in advanced):
            return None
        return frozenset(advanced)

    def _is_doomed(self, state: GuardState) -> bool:
        """Whether an avoided text stands at the end, is not excused, and whatever can follow confirms it."""
        for number, since in self._avoided(state.pending):
            pattern = self._patterns[number]
            if self._is_in_prefix(state.written, since):
                continue
            cover = self._cover(number, since, state.partial, state.pending)
            if cover.partial or cover.pending:
                continue
            if not self._attached.may_break(pattern, since, state.context):
                return True
        return False


def _contains(form: str, text: str, ignores_case: bool) -> bool:
    return text.lower() in form.lower() if ignores_case else text in form


def _places(pieces: Iterable[int], texts: PieceTexts) -> tuple[dict[int, int], int]:
    """The piece that follows after so many characters of the prefix, and how many characters they all are."""
    places, written, context = {}, 0, Context()
    for piece in pieces:
        emission = context.emission(texts, piece)
        places[written] = piece
        written += len(emission)
        for character in emission:
            context = context.after(character)
        context = context.closed_by(texts, piece)
    return places, written
