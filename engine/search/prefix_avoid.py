"""Automaton for the prefix and the avoided texts of one sentence.

An avoided text is matched like a phrase: by its characters, at word boundaries. It is allowed inside a required text
or the prefix, and nowhere else. If the required text around it breaks off unfinished, the hypothesis is dead. A
hypothesis is dead as soon as no continuation can save it, so that it takes no place in the beam.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.search.indexed import IndexedTexts
from engine.search.matching import NONE, Attached, Context, Match, Matches, Pattern, decide, read
from engine.search.phrases import PieceTexts, SentenceConstraints


class _Exemption(NamedTuple):
    """The required texts that may still enclose one avoided match. It stays open until one of them is confirmed."""

    partial: Matches
    pending: Matches


class PrefixAvoidState(NamedTuple):
    """Matcher state: all that can affect avoided texts and the prefix. `written` counts characters, with a limit."""

    context: Context = Context()
    partial: Matches = NONE
    pending: Matches = NONE
    exemptions: frozenset[_Exemption] = frozenset()
    written: int = 0


class PrefixAvoidAutomaton:
    """Reads the pieces of a hypothesis and rejects pieces that violate the prefix or write an avoided text."""

    def __init__(self, constraints: SentenceConstraints, texts: PieceTexts) -> None:
        self._texts = IndexedTexts.of(texts)
        prefix_pieces = constraints.prefix.pieces if constraints.prefix else ()
        self.prefix = constraints.prefix.text if constraints.prefix else ""
        if prefix_pieces and texts.surfaces[prefix_pieces[0]] == " " and self.prefix[:1] != " ":
            self.prefix = " " + self.prefix  # which such a codec does not write at the beginning
        self.ignores_case = constraints.prefix is not None and constraints.prefix.ignores_case
        self._patterns = [
            Pattern.of(-1, avoided.text, "word", ignores_case=avoided.ignores_case) for avoided in constraints.avoided
        ]
        self.num_avoided = len(self._patterns)
        exact = _by_beginning(avoided.text for avoided in constraints.avoided if not avoided.ignores_case)
        folded = _by_beginning(avoided.text.lower() for avoided in constraints.avoided if avoided.ignores_case)
        self._patterns += [
            Pattern.of(0, form, phrase.boundary_of(number))
            for phrase in constraints.phrases
            for number, form in enumerate(phrase.forms)
            if _contains_any(form, exact) or _contains_any(form.lower(), folded)
        ]
        self._starters = {c for pattern in self._patterns for c in (pattern.text[0], pattern.text[0].upper())}
        self.fixed, self.open_from = _places(prefix_pieces, texts)
        self._attached = Attached.of(self._texts.attached)
        self.start = PrefixAvoidState()

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The texts to find."""
        return self._patterns

    def advance(self, state: PrefixAvoidState, piece: int) -> PrefixAvoidState | None:
        """The state after `piece`; None if no continuation can repair the text."""
        if not self._texts.surfaces[piece]:
            return state
        context, partial, pending, exemptions, written = state
        emission = context.emission(self._texts, piece)
        if not self._fits_prefix(written, emission, context.closed_by(self._texts, piece).unfinished):
            return None
        for character in emission:
            if pending or exemptions:
                settled = self._settle(character, partial, pending, exemptions, written)
                if settled is None:
                    return None
                pending, exemptions = settled
            ended = NONE
            if partial or character in self._starters or character.lower() in self._starters:
                partial, ended = read(self._patterns, range(len(self._patterns)), partial, context, character)
                pending = pending | ended
            if exemptions:
                advanced = self._advance_exemptions(exemptions, partial, ended)
                if advanced is None:
                    return None
                exemptions = advanced
            context = context.after(character)
            written = min(written + 1, len(self.prefix) + 2) if self.prefix else 0
        after = PrefixAvoidState(context.closed_by(self._texts, piece), partial, pending, exemptions, written)
        return None if self._is_doomed(after) else after

    def may_end(self, state: PrefixAvoidState) -> bool:
        """True if the sentence may end here: the prefix is complete and every avoided match is exempt."""
        if self._prefix_left(state) or state.context.unfinished:
            return False
        if any(not exemption.pending for exemption in state.exemptions):
            return False
        return all(
            self._is_in_prefix(state.written, since) or self._exemption_of(number, since, NONE, state.pending).pending
            for number, since in self._avoided(state.pending)
        )

    def is_done(self, state: PrefixAvoidState) -> bool:
        """True if later pieces cannot violate anything: the prefix is complete, and there are no avoided texts."""
        return not self.num_avoided and not self._prefix_left(state)

    def pieces_left(self, state: PrefixAvoidState) -> int:
        """The fewest pieces that complete the prefix. A space at its end is written with the next word."""
        open_word = self.prefix[max(state.written, self.open_from) :].strip(" ")
        return sum(place >= _place(state) for place in self.fixed) + bool(open_word)

    def in_prefix(self, state: PrefixAvoidState) -> bool:
        """True if the prefix is still incomplete."""
        return bool(self._prefix_left(state))

    def allowed(self, state: PrefixAvoidState) -> list[int] | None:
        """The pieces that continue the prefix; None once it is complete."""
        rest = self._prefix_left(state)
        if not rest:
            return None
        if _place(state) in self.fixed:
            return [self.fixed[_place(state)]]
        beginnings = self.beginnings(state.written)
        pieces = sorted({piece for text in beginnings for piece in self._texts.writing(state.context, text)})
        return [piece for piece in pieces if self._continues(state.context, rest, piece)]

    # ---- the prefix ----

    def beginnings(self, written: int) -> set[str]:
        """The first two characters after so many of the prefix, in every case that they may have."""
        rest = self.prefix[written : written + 2]
        return {rest, rest.upper(), rest.lower()} if self.ignores_case else {rest}

    def folded(self, text: str) -> str:
        """The text in small letters if the prefix ignores case; of the same length."""
        return "".join(char.lower()[:1] for char in text) if self.ignores_case else text

    def _prefix_left(self, state: PrefixAvoidState) -> str:
        return self.prefix[state.written :]

    def _fits_prefix(self, written: int, emission: str, unfinished: bytes) -> bool:
        """True if the characters of a piece, and the bytes that begin another, agree with the prefix."""
        rest = self.prefix[written:]
        emission, rest = self.folded(emission), self.folded(rest)
        if len(emission) >= len(rest):
            return emission.startswith(rest)
        return rest.startswith(emission) and rest[len(emission)].encode().startswith(unfinished)

    def _continues(self, context: Context, rest: str, piece: int) -> bool:
        """True if a piece continues the open last word: it reaches the end of the prefix, or another can follow it."""
        emission, rest = self.folded(context.emission(self._texts, piece)), self.folded(rest)
        if emission.startswith(rest):
            return True
        if not rest.startswith(emission):
            return False
        following = rest[len(emission)]
        if unfinished := context.closed_by(self._texts, piece).unfinished:
            return following.encode().startswith(unfinished)
        return self._texts.glues_right[piece] or following == " " or self._texts.may_attach(following)

    def _is_in_prefix(self, written: int, since: int) -> bool:
        """True if a match that ended `since` characters ago ended within the prefix."""
        return bool(self.prefix) and written - since <= len(self.prefix)

    # ---- avoided texts ----

    def _avoided(self, matches: Iterable[Match]) -> list[Match]:
        return [match for match in matches if match[0] < self.num_avoided]

    def _settle(
        self, character: str, partial: Matches, pending: Matches, exemptions: frozenset[_Exemption], written: int
    ) -> tuple[Matches, frozenset[_Exemption]] | None:
        """Pending matches and open exemptions after `character`; None if an avoided match is confirmed and not exempt.

        `partial` are the partial matches before the character.
        """
        confirmed, waiting = decide(self._patterns, pending, character)
        confirmed_phrases = {match for match in confirmed if match[0] >= self.num_avoided}
        still_pending = frozenset(
            match for match in pending if match in confirmed_phrases or (match[0], match[1] + 1) in waiting
        )
        open_exemptions = set()
        for exemption in exemptions:
            if not exemption.pending & confirmed_phrases:  # else one is confirmed: the match is exempt for good
                open_exemptions.add(
                    _Exemption(exemption.partial, frozenset(m for m in exemption.pending if m in still_pending))
                )
        for number, since in self._avoided(confirmed):
            if self._is_in_prefix(written, since):
                continue
            exemption = self._exemption_of(number, since, partial, still_pending)
            if not exemption.pending & confirmed_phrases:
                open_exemptions.add(exemption)
        moved = frozenset(
            _Exemption(exemption.partial, frozenset((number, since + 1) for number, since in exemption.pending))
            for exemption in open_exemptions
        )
        if any(not exemption.partial and not exemption.pending for exemption in moved):
            return None
        return waiting, moved

    def _exemption_of(self, number: int, since: int, partial: Matches, pending: Matches) -> _Exemption:
        """The partial and pending required texts that enclose a whole avoided match."""
        reach = since + len(self._patterns[number].text)
        return _Exemption(
            frozenset(m for m in partial if m[0] >= self.num_avoided and m[1] >= reach),
            frozenset(
                m
                for m in pending
                if m[0] >= self.num_avoided and m[1] <= since and m[1] + len(self._patterns[m[0]].text) >= reach
            ),
        )

    def _advance_exemptions(
        self, exemptions: frozenset[_Exemption], partial: Matches, ended: Matches
    ) -> frozenset[_Exemption] | None:
        """The exemptions after a character: required texts that it continued or ended; None if one has none left."""
        advanced = set()
        for exemption in exemptions:
            going = frozenset((n, matched + 1) for n, matched in exemption.partial) & partial
            done = frozenset((n, 0) for n, matched in exemption.partial if matched + 1 == len(self._patterns[n].text))
            advanced.add(_Exemption(going, exemption.pending | (done & ended)))
        if any(not exemption.partial and not exemption.pending for exemption in advanced):
            return None
        return frozenset(advanced)

    def _is_doomed(self, state: PrefixAvoidState) -> bool:
        """True if the text ends with an avoided match that is not exempt and that no continuation can break."""
        for number, since in self._avoided(state.pending):
            pattern = self._patterns[number]
            if self._is_in_prefix(state.written, since):
                continue
            exemption = self._exemption_of(number, since, state.partial, state.pending)
            if exemption.partial or exemption.pending:
                continue
            if not self._attached.may_break(pattern, since, state.context):
                return True
        return False


def _by_beginning(texts: Iterable[str]) -> dict[str, list[str]]:
    """The texts by their first two characters: 500 of them are looked for in 1,000 forms."""
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(text[:2], []).append(text)
    return found


def _contains_any(form: str, by_beginning: Mapping[str, Sequence[str]]) -> bool:
    return bool(by_beginning) and any(
        form.startswith(text, place)
        for place in range(len(form))
        for size in (1, 2)
        for text in by_beginning.get(form[place : place + size], ())
    )


def _place(state: PrefixAvoidState) -> tuple[int, int]:
    """The number of prefix characters that are written, and of the bytes of the next one."""
    return state.written, len(state.context.unfinished)


def _places(pieces: Iterable[int], texts: PieceTexts) -> tuple[dict[tuple[int, int], int], int]:
    """Maps the places of `_place` to the next piece of the prefix; also the number of characters of all pieces."""
    places, written, context = {}, 0, Context()
    for piece in pieces:
        emission = context.emission(texts, piece)
        places[written, len(context.unfinished)] = piece
        written += len(emission)
        for character in emission:
            context = context.after(character)
        context = context.closed_by(texts, piece)
    return places, written
