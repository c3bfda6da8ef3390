"""What the hypotheses of a batch have met, still lack and may not write, in tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.search.automaton import PhraseAutomaton, State
from engine.search.guard import Guard, GuardState
from engine.search.phrases import PieceTexts, SentenceConstraints

_FREE, _DEAD = 0, 1  # the nodes of sentences without constraints, and of texts that break theirs


class ConstraintTracker:
    """The constraints of a batch of sentences as tables: nodes, and the node that follows a node and a piece.

    A node is what a text has come to (automaton and guard) together with what its last piece met. Tables grow as nodes
    are reached; only what was never asked before is computed in Python.
    """

    def __init__(self, constraints: Sequence[SentenceConstraints], texts: PieceTexts) -> None:
        """Track `constraints[b]` in the hypotheses of sentence b."""
        self._automata = [PhraseAutomaton(of_sentence.phrases, texts) for of_sentence in constraints]
        self._guards = [
            Guard(of_sentence, texts) if of_sentence.avoided or of_sentence.prefix else None
            for of_sentence in constraints
        ]
        self._numbers: dict[tuple[int, State, GuardState | None, tuple[int, ...]], int] = {}
        self._nodes: list[tuple[int, State, GuardState | None]] = [(-1, State(), None)] * 2
        self._forced_known = [True, True]
        self._allowed: dict[int, Tensor | None] = {_FREE: None, _DEAD: None}
        num_phrases = max((len(of_sentence.phrases) for of_sentence in constraints), default=0)
        width = max((len(p.spellings) for of_sentence in constraints for p in of_sentence.phrases), default=0)
        self.is_needed = any(not of_sentence.is_empty for of_sentence in constraints)
        self.has_guards = any(guard is not None for guard in self._guards)
        capacity = 64 if self.is_needed else 2
        self._following = torch.full((capacity, len(texts.surfaces)), -1, dtype=torch.int32)
        self._following[_FREE], self._following[_DEAD] = _FREE, _DEAD
        self._counts = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._pending = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._to_go = torch.zeros(capacity, num_phrases, dtype=torch.long)
        self._is_open = torch.zeros(capacity, dtype=torch.bool)
        self._ends_here = torch.zeros(capacity, dtype=torch.bool)
        self._forced = torch.full((capacity, num_phrases, width), -1, dtype=torch.long)
        self._guard_may_end = torch.ones(capacity, dtype=torch.bool)
        self._prefix_left = torch.zeros(capacity, dtype=torch.long)

        self.required_BP = torch.zeros(len(constraints), num_phrases, dtype=torch.long)
        self.num_pieces_BP = torch.zeros(len(constraints), num_phrases, dtype=torch.long)
        for b, of_sentence in enumerate(constraints):
            for p, phrase in enumerate(of_sentence.phrases):
                self.required_BP[b, p] = phrase.count
                self.num_pieces_BP[b, p] = phrase.num_pieces
        self.num_tokens_B = (self.required_BP * self.num_pieces_BP).sum(1)  # the paper's C
        self.start_B = torch.tensor(
            [_FREE if of_sentence.is_empty else self._start(b) for b, of_sentence in enumerate(constraints)],
            dtype=torch.long,
        )

    def follow(self, nodes_N: Tensor, pieces_N: Tensor) -> Tensor:
        """The node after each node and piece."""
        following_N = self._following[nodes_N, pieces_N].long()
        unknown_N = following_N < 0
        if unknown_N.any():
            for node, piece in set(zip(nodes_N[unknown_N].tolist(), pieces_N[unknown_N].tolist(), strict=True)):
                number = self._advance(node, piece)
                self._following[node, piece] = number  # after _advance, which may have grown the table
            following_N = self._following[nodes_N, pieces_N].long()
        return following_N

    def is_dead(self, nodes_N: Tensor) -> Tensor:
        """(N,): whether the text breaks an avoidance or leaves the prefix."""
        return nodes_N == _DEAD

    def counts(self, nodes_N: Tensor) -> Tensor:
        """(N, P): occurrences that the last piece completed."""
        return self._counts[nodes_N]

    def unmet(self, sentences_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N, P): occurrences that the text so far does not hold for certain."""
        return (self.required_BP[sentences_N] - met_NP).clamp(min=0)

    def may_end(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): whether everything is met, and nothing broken, if the sentence ends here."""
        is_met_N = (self.unmet(sentences_N, met_NP) <= self._pending[nodes_N]).all(1)
        return is_met_N & self._guard_may_end[nodes_N]

    def missing(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): least number of constraint tokens still to come; the bank is C less this."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        whole_NP = (unmet_NP - 1).clamp(min=0) * self.num_pieces_BP[sentences_N]
        return (whole_NP + torch.where(unmet_NP > 0, self._to_go[nodes_N], 0)).sum(1)

    def needed(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): least number of pieces that must still come before the end, for phrases and prefix."""
        missing_N = self.missing(sentences_N, nodes_N, met_NP)
        return missing_N + self.must_close(sentences_N, nodes_N, met_NP) + self._prefix_left[nodes_N]

    def must_close(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): whether an open word stands in the way of the next phrase and costs a piece of its own."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        to_go_NP = self._to_go[nodes_N]
        under_way_NP = (unmet_NP > 0) & (to_go_NP > 0) & (to_go_NP < self.num_pieces_BP[sentences_N])
        lacking_NP = (unmet_NP > 0) & ((to_go_NP > 0) | (unmet_NP > 1))
        return self._is_open[nodes_N] & lacking_NP.any(1) & ~under_way_NP.any(1)

    def forced(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor, end: int) -> Tensor:
        """(N, P * F + 1): the pieces that take an unmet phrase forward, -1 where there is none.

        For a phrase that counts at the end of the text alone and stands there, that is the end.
        """
        for node in set(nodes_N.tolist()):
            if not self._forced_known[node]:
                self._learn_forced(node)
        unmet_NP = self.unmet(sentences_N, met_NP)
        lacking_NP = (unmet_NP > 0) & ((self._to_go[nodes_N] > 0) | (unmet_NP > 1))
        forced_NF = torch.where(lacking_NP[:, :, None], self._forced[nodes_N], -1).flatten(1)
        is_end_N = self._ends_here[nodes_N] & self.may_end(sentences_N, nodes_N, met_NP)
        return torch.cat([forced_NF, torch.where(is_end_N, end, -1)[:, None]], 1)

    def in_prefix(self, nodes_N: Tensor) -> Tensor:
        """(N,): whether the prefix is not whole yet."""
        return self._prefix_left[nodes_N] > 0

    def prefix_pieces(self, node: int) -> Tensor:
        """The pieces with which a text that is `in_prefix` may go on."""
        if node not in self._allowed:
            sentence, _, guard_state = self._nodes[node]
            guard = self._guards[sentence]
            assert guard is not None
            assert guard_state is not None
            allowed = guard.allowed(guard_state)
            self._allowed[node] = None if allowed is None else torch.tensor(allowed, dtype=torch.long)
        allowed_pieces = self._allowed[node]
        assert allowed_pieces is not None, "the prefix is whole"
        return allowed_pieces

    def _start(self, sentence: int) -> int:
        automaton, guard = self._automata[sentence], self._guards[sentence]
        return self._number(sentence, automaton.start, guard.start if guard else None, (0,) * len(automaton.phrases))

    def _advance(self, node: int, piece: int) -> int:
        sentence, state, guard_state = self._nodes[node]
        guard = self._guards[sentence]
        if guard is not None:
            assert guard_state is not None
            guard_state = guard.advance(guard_state, piece)
            if guard_state is None:
                return _DEAD
        state, counts = self._automata[sentence].advance(state, piece)
        return self._number(sentence, state, guard_state, counts)

    def _number(self, sentence: int, state: State, guard_state: GuardState | None, counts: tuple[int, ...]) -> int:
        key = (sentence, state, guard_state, counts)
        number = self._numbers.get(key)
        if number is not None:
            return number
        number = self._numbers[key] = len(self._nodes)
        if number == len(self._following):
            self._grow()
        automaton = self._automata[sentence]
        num_phrases = len(automaton.phrases)
        self._nodes.append((sentence, state, guard_state))
        self._forced_known.append(False)
        self._counts[number, :num_phrases] = torch.tensor(counts)
        self._pending[number, :num_phrases] = torch.tensor(automaton.pending_counts(state))
        self._to_go[number, :num_phrases] = torch.tensor(automaton.to_go(state))
        self._is_open[number] = state.context.is_open
        self._ends_here[number] = automaton.ends_here(state)
        guard = self._guards[sentence]
        if guard is not None and guard_state is not None:
            self._guard_may_end[number] = guard.may_end(guard_state)
            self._prefix_left[number] = guard.pieces_left(guard_state)
        return number

    def _learn_forced(self, node: int) -> None:
        sentence, state, _ = self._nodes[node]
        for p, pieces in enumerate(self._automata[sentence].next_pieces(state)):
            self._forced[node, p, : len(pieces)] = torch.tensor(pieces, dtype=torch.long)
        self._forced_known[node] = True

    def _grow(self) -> None:
        fills = {"_following": -1, "_forced": -1, "_guard_may_end": 1}
        for name in (
            "_following",
            "_counts",
            "_pending",
            "_to_go",
            "_is_open",
            "_ends_here",
            "_forced",
            "_guard_may_end",
            "_prefix_left",
        ):
            table = getattr(self, name)
            setattr(self, name, torch.cat([table, torch.full_like(table, fills.get(name, 0))]))
