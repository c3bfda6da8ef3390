"""Which phrases a hypothesis has met, and how far it is with the others.

`PhraseAutomaton` reads the text that the pieces write, character by character, for one sentence. It sees every
occurrence whatever the segmentation: a broken phrase goes on from the longest suffix that can still become one, and a
match whose right edge is open waits until the next characters decide. `PhraseTracker` numbers the automaton's states
as they are reached, for a whole batch, and answers in tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.search.phrases import PieceTexts, Spelling, TrackedPhrase
from engine.text.boundaries import NUMBER_JOINERS, is_digit, is_mark, is_word_char

_OTHER, _WORD, _DIGIT, _NUMBER_JOINER = range(4)


class _Pattern(NamedTuple):
    """One form as the automaton reads it."""

    phrase: int
    text: str
    guards_left: bool  # a word character before it would make it part of a longer word
    guards_right: bool
    ends_in_digit: bool


class _State(NamedTuple):
    """All that the text so far can still matter for.

    `partial` holds (pattern, characters matched), `pending` (pattern, characters since its end) for matches whose
    right edge is undecided, `progress` (spelling, pieces matched).
    """

    before_last: int = _OTHER
    last: int = _OTHER
    is_first: bool = True
    is_open: bool = False
    partial: frozenset[tuple[int, int]] = frozenset()
    pending: frozenset[tuple[int, int]] = frozenset()
    progress: frozenset[tuple[int, int]] = frozenset()


class PhraseAutomaton:
    """The occurrences of one sentence's phrases in the text of its hypotheses."""

    def __init__(self, phrases: Sequence[TrackedPhrase], texts: PieceTexts) -> None:
        self.phrases = tuple(phrases)
        self._texts = texts
        self._patterns: list[_Pattern] = []
        self._spellings: list[Spelling] = []
        self._pattern_of_spelling: list[int] = []
        for number, phrase in enumerate(self.phrases):
            first_pattern = len(self._patterns)
            for form in phrase.forms:
                guards_left = phrase.boundary != "anywhere" and is_word_char(form[0])
                guards_right = phrase.boundary == "word" and is_word_char(form[-1])
                ends_in_digit = guards_right and is_digit(form[-1])
                self._patterns.append(_Pattern(number, form, guards_left, guards_right, ends_in_digit))
            self._spellings += phrase.spellings
            self._pattern_of_spelling += [first_pattern + spelling.form for spelling in phrase.spellings]
        self._starters = {pattern.text[0] for pattern in self._patterns}
        self._kinds: dict[str, int] = {}
        self.start = _State()

    def advance(self, state: _State, piece: int) -> tuple[_State, tuple[int, ...]]:
        """The state after `piece`, and how often each phrase turned out to be met on the way."""
        counts = [0] * len(self.phrases)
        surface = self._texts.surfaces[piece]
        if not surface:
            return state, tuple(counts)
        glued = state.is_first or state.is_open or self._texts.glues_left[piece]
        before_last, last = state.before_last, state.last
        partial, pending = state.partial, state.pending
        for character in surface if glued else " " + surface:
            if pending:
                partial, pending = self._decide(character, partial, pending, counts)
            if partial or character in self._starters:
                in_word = last in (_WORD, _DIGIT)
                joined = in_word or (last == _NUMBER_JOINER and before_last == _DIGIT and is_digit(character))
                partial, ended = self._read(character, partial, joined)
                pending = pending | ended
            before_last, last = last, self._kind(character)
        progress = self._advance_spellings(state, piece, partial, pending)
        is_open = self._texts.glues_right[piece]
        return _State(before_last, last, False, is_open, partial, pending, progress), tuple(counts)

    def pending_counts(self, state: _State) -> tuple[int, ...]:
        """How often each phrase would be met if the sentence ended here."""
        counts = [0] * len(self.phrases)
        self._confirm(sorted(state.pending, key=lambda match: -match[1]), counts)
        return tuple(counts)

    def to_go(self, state: _State) -> tuple[int, ...]:
        """For each phrase, the least number of its pieces that the occurrence in progress still lacks."""
        missing = [phrase.num_pieces for phrase in self.phrases]
        for spelling, depth in state.progress:
            phrase = self._pattern(spelling).phrase
            missing[phrase] = min(missing[phrase], len(self._spellings[spelling].pieces) - depth)
        for phrase in self._standing(state):
            missing[phrase] = 0
        return tuple(missing)

    def next_pieces(self, state: _State) -> tuple[tuple[int, ...], ...]:
        """For each phrase, the pieces that take it forward: on from where it stands, or from a nearer beginning.

        At most one for each spelling: where one is under way in two places, the one that is further goes on. What
        overlaps an occurrence that stands at the end of the text leads nowhere, so there the next one begins.
        """
        standing = self._standing(state)
        deepest: dict[int, int] = {}
        for number, depth in state.progress:
            if self._pattern(number).phrase not in standing and depth < len(self._spellings[number].pieces):
                deepest[number] = max(depth, deepest.get(number, 0))
        following: list[set[int]] = [set() for _ in self.phrases]
        to_go = [len(self._texts.surfaces)] * len(self.phrases)
        for number, depth in deepest.items():
            pieces, phrase = self._spellings[number].pieces, self._pattern(number).phrase
            following[phrase].add(pieces[depth])
            to_go[phrase] = min(to_go[phrase], len(pieces) - depth)
        for number, spelling in enumerate(self._spellings):
            pattern = self._pattern(number)
            if len(spelling.pieces) <= to_go[pattern.phrase] and self._may_begin(state, spelling.pieces[0], pattern):
                following[pattern.phrase].add(spelling.pieces[0])
        return tuple(tuple(sorted(pieces)) for pieces in following)

    def _standing(self, state: _State) -> set[int]:
        """The phrases that stand at the end of the text; in an open word they do not, as the next piece breaks them."""
        pending = (self._patterns[number] for number, _ in state.pending)
        return {pattern.phrase for pattern in pending if not (state.is_open and pattern.guards_right)}

    def _pattern(self, spelling: int) -> _Pattern:
        return self._patterns[self._pattern_of_spelling[spelling]]

    def _kind(self, character: str) -> int:
        kind = self._kinds.get(character)
        if kind is None:
            kind = _OTHER
            if is_digit(character):
                kind = _DIGIT
            elif is_word_char(character):
                kind = _WORD
            elif character in NUMBER_JOINERS:
                kind = _NUMBER_JOINER
            self._kinds[character] = kind
        return kind

    def _read(
        self, character: str, partial: frozenset[tuple[int, int]], joined: bool
    ) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """Partial matches after `character`, and the matches that it ends. `joined`: it goes on a word or number."""
        going, ended = set(), set()
        tried = [*partial, *((number, 0) for number in range(len(self._patterns)))]
        for number, matched in tried:
            pattern = self._patterns[number]
            if pattern.text[matched] != character or (matched == 0 and pattern.guards_left and joined):
                continue
            if matched + 1 == len(pattern.text):
                ended.add((number, 0))
            else:
                going.add((number, matched + 1))
        return frozenset(going), frozenset(ended)

    def _decide(
        self,
        character: str,
        partial: frozenset[tuple[int, int]],
        pending: frozenset[tuple[int, int]],
        counts: list[int],
    ) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """Let `character` confirm, break or keep waiting the pending matches; counts what it confirms."""
        kind = self._kind(character)
        waiting, confirmed = set(), []
        for number, since in sorted(pending, key=lambda match: -match[1]):
            pattern = self._patterns[number]
            if since == 0:
                broken = is_mark(character) or (pattern.guards_right and kind in (_WORD, _DIGIT))
                undecided = pattern.ends_in_digit and kind == _NUMBER_JOINER
            else:
                broken, undecided = kind == _DIGIT, False
            if undecided:
                waiting.add((number, since + 1))
            elif not broken:
                confirmed.append((number, since))
        if not confirmed:
            return partial, frozenset(waiting)
        ends = self._confirm(confirmed, counts)
        # The automaton starts anew after an occurrence: what began inside it is no occurrence of its own.
        partial = frozenset(match for match in partial if match[1] <= ends.get(self._patterns[match[0]].phrase, 10**9))
        waiting = {
            (number, since)
            for number, since in waiting
            if since - 1 + len(self._patterns[number].text) <= ends.get(self._patterns[number].phrase, 10**9)
        }
        return partial, frozenset(waiting)

    def _confirm(self, matches: Sequence[tuple[int, int]], counts: list[int]) -> dict[int, int]:
        """Count the matches, earliest end first, that do not overlap; gives characters since the last end by phrase."""
        since_end: dict[int, int] = {}
        for number, since in matches:
            pattern = self._patterns[number]
            if since + len(pattern.text) <= since_end.get(pattern.phrase, 10**9):
                counts[pattern.phrase] += 1
                since_end[pattern.phrase] = since
        return since_end

    def _advance_spellings(
        self,
        state: _State,
        piece: int,
        partial: frozenset[tuple[int, int]],
        pending: frozenset[tuple[int, int]],
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

    def _may_begin(self, state: _State, piece: int, pattern: _Pattern) -> bool:
        glued = state.is_first or state.is_open or self._texts.glues_left[piece]
        if not glued or not pattern.guards_left:
            return True
        joined = state.last == _NUMBER_JOINER and state.before_last == _DIGIT and is_digit(pattern.text[0])
        return not joined and state.last not in (_WORD, _DIGIT)


class PhraseTracker:
    """The phrases of a batch of sentences as tables: nodes, and the node that follows a node and a piece.

    A node is an automaton state together with what its last piece met; node 0 belongs to sentences without phrases.
    Tables grow as nodes are reached; only what was never asked before is computed in Python.
    """

    def __init__(self, phrases: Sequence[Sequence[TrackedPhrase]], texts: PieceTexts) -> None:
        """Track `phrases[b]` in the hypotheses of sentence b."""
        self._automata = [PhraseAutomaton(of_sentence, texts) for of_sentence in phrases]
        self._texts = texts
        self._numbers: dict[tuple[int, _State, tuple[int, ...]], int] = {}
        self._nodes: list[tuple[int, _State]] = [(-1, _State())]
        self._forced_known: list[bool] = [True]
        num_phrases = max((len(of_sentence) for of_sentence in phrases), default=0)
        width = max((len(p.spellings) for of_sentence in phrases for p in of_sentence), default=0)
        capacity = 64 if num_phrases else 1
        self._following = torch.full((capacity, len(texts.surfaces)), -1, dtype=torch.int32)
        self._following[0] = 0
        self._counts = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._pending = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._to_go = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._is_open = torch.zeros(capacity, dtype=torch.bool)
        self._forced = torch.full((capacity, num_phrases, width), -1, dtype=torch.long)

        self.required_BP = torch.zeros(len(phrases), num_phrases, dtype=torch.long)
        self.num_pieces_BP = torch.zeros(len(phrases), num_phrases, dtype=torch.long)
        for b, of_sentence in enumerate(phrases):
            for p, phrase in enumerate(of_sentence):
                self.required_BP[b, p] = phrase.count
                self.num_pieces_BP[b, p] = phrase.num_pieces
        self.num_tokens_B = (self.required_BP * self.num_pieces_BP).sum(1)  # the paper's C
        self.start_B = torch.tensor(
            [self._number(b, a.start, (0,) * len(a.phrases)) if a.phrases else 0 for b, a in enumerate(self._automata)],
            dtype=torch.long,
        )

    def follow(self, nodes_N: Tensor, pieces_N: Tensor) -> Tensor:
        """The node after each node and piece."""
        following_N = self._following[nodes_N, pieces_N].long()
        unknown_N = following_N < 0
        if unknown_N.any():
            for node, piece in set(zip(nodes_N[unknown_N].tolist(), pieces_N[unknown_N].tolist(), strict=True)):
                sentence, state = self._nodes[node]
                number = self._number(sentence, *self._automata[sentence].advance(state, piece))
                self._following[node, piece] = number
            following_N = self._following[nodes_N, pieces_N].long()
        return following_N

    def counts(self, nodes_N: Tensor) -> Tensor:
        """(N, P): occurrences that the last piece completed."""
        return self._counts[nodes_N]

    def unmet(self, sentences_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N, P): occurrences that the text so far does not hold for certain."""
        return (self.required_BP[sentences_N] - met_NP).clamp(min=0)

    def may_end(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): whether everything is met if the sentence ends here."""
        return (self.unmet(sentences_N, met_NP) <= self._pending[nodes_N]).all(1)

    def missing(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): least number of constraint tokens still to come; the bank is C less this."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        whole_NP = (unmet_NP - 1).clamp(min=0) * self.num_pieces_BP[sentences_N]
        return (whole_NP + torch.where(unmet_NP > 0, self._to_go[nodes_N], 0)).sum(1)

    def must_close(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): whether an open word stands in the way of the next phrase and costs a piece of its own."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        to_go_NP = self._to_go[nodes_N]
        under_way_NP = (unmet_NP > 0) & (to_go_NP > 0) & (to_go_NP < self.num_pieces_BP[sentences_N])
        lacking_NP = (unmet_NP > 0) & ((to_go_NP > 0) | (unmet_NP > 1))
        return self._is_open[nodes_N] & lacking_NP.any(1) & ~under_way_NP.any(1)

    def forced(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N, P * F): the pieces that take an unmet phrase forward, -1 where there is none."""
        for node in set(nodes_N.tolist()):
            if not self._forced_known[node]:
                self._learn_forced(node)
        unmet_NP = self.unmet(sentences_N, met_NP)
        lacking_NP = (unmet_NP > 0) & ((self._to_go[nodes_N] > 0) | (unmet_NP > 1))
        return torch.where(lacking_NP[:, :, None], self._forced[nodes_N], -1).flatten(1)

    def _number(self, sentence: int, state: _State, counts: tuple[int, ...]) -> int:
        key = (sentence, state, counts)
        number = self._numbers.get(key)
        if number is not None:
            return number
        number = self._numbers[key] = len(self._nodes)
        if number == len(self._following):
            self._grow()
        automaton = self._automata[sentence]
        num_phrases = len(automaton.phrases)
        self._nodes.append((sentence, state))
        self._forced_known.append(False)
        self._counts[number, :num_phrases] = torch.tensor(counts)
        self._pending[number, :num_phrases] = torch.tensor(automaton.pending_counts(state))
        self._to_go[number, :num_phrases] = torch.tensor(automaton.to_go(state))
        self._is_open[number] = state.is_open
        return number

    def _learn_forced(self, node: int) -> None:
        sentence, state = self._nodes[node]
        for p, pieces in enumerate(self._automata[sentence].next_pieces(state)):
            self._forced[node, p, : len(pieces)] = torch.tensor(pieces, dtype=torch.long)
        self._forced_known[node] = True

    def _grow(self) -> None:
        for name in ("_following", "_counts", "_pending", "_to_go", "_is_open", "_forced"):
            table = getattr(self, name)
            fill = -1 if name in ("_following", "_forced") else 0
            setattr(self, name, torch.cat([table, torch.full_like(table, fill)]))
