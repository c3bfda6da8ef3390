"""The constraint states of a batch of hypotheses, as arrays: met and missing constraints, and banned pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.interruption import NEVER, Interruption
from engine.search.arrays import Bools, Ints
from engine.search.automaton import PhraseAutomaton, PhraseState
from engine.search.max_count import CountsLeft, MaxCounts
from engine.search.node_tables import GrowingTable, NodeTables, SentenceTables
from engine.search.phrases import PieceTexts, SentenceConstraints
from engine.search.prefix_avoid import PrefixAvoidAutomaton, PrefixAvoidState

FREE, _DEAD = 0, 1  # the nodes of texts without constraints, and of texts that have broken one
_FOLLOWED_AT_ONCE = 2**14  # texts
_COUNTS_AT_ONCE = 2**19  # of phrases, of all texts together
_FIRST_CAPACITY = 64

# The sentence, the phrase state, the prefix and avoid state (None once nothing can break either), and how many more
# occurrences each phrase with a `max_count` may have.
_Node = tuple[int, PhraseState, PrefixAvoidState | None, CountsLeft]


@dataclass(frozen=True, slots=True)
class RemainingCost:
    """The remaining cost of N texts until they meet their constraints.

    `lacking_NP` marks phrases with pieces still to come, without those that share a form. `missing_N` is the least
    number of constraint tokens still to come; the bank is C minus this number. `closes_N`: an open word must be closed
    before the next phrase, which costs a piece. `needed_N` is the least number of pieces before the end, for phrases
    and prefix together. `may_end_N`: if the sentence ends here, all constraints are met and none is broken.
    """

    lacking_NP: Bools
    missing_N: Ints
    closes_N: Bools
    needed_N: Ints
    may_end_N: Bools

    @classmethod
    def joined(cls, parts: Sequence[RemainingCost]) -> RemainingCost:
        """The costs of all texts of the parts, concatenated."""
        return cls(
            np.concatenate([part.lacking_NP for part in parts]),
            np.concatenate([part.missing_N for part in parts]),
            np.concatenate([part.closes_N for part in parts]),
            np.concatenate([part.needed_N for part in parts]),
            np.concatenate([part.may_end_N for part in parts]),
        )

    def take(self, index: Ints) -> RemainingCost:
        """The remaining cost of the texts that an index selects."""
        return RemainingCost(
            self.lacking_NP[index],
            self.missing_N[index],
            self.closes_N[index],
            self.needed_N[index],
            self.may_end_N[index],
        )


class ConstraintTracker:
    """The constraints of a batch of sentences: tables of nodes, and a dictionary of transitions by node and piece.

    A node is the state of a text in the automata of its sentence. Tables and dictionary grow as nodes are reached, and
    each step is computed once. Sentences may come and go: the number of a removed sentence and the places of its nodes
    are given to the next. Long computations ask an `interruption` between parts of some milliseconds; the results so
    far remain valid.
    """

    def __init__(self, constraints: Sequence[SentenceConstraints], texts: PieceTexts) -> None:
        """Sentence b has the constraints `constraints[b]`."""
        self._texts = texts
        self._constraints: dict[int, SentenceConstraints] = {}
        self._automata: dict[int, PhraseAutomaton] = {}
        self._prefix_avoid: dict[int, PrefixAvoidAutomaton | None] = {}
        self._max_counts: dict[int, MaxCounts] = {}
        self._free_sentences: list[int] = []
        self.phrases_of = SentenceTables()
        self.num_tokens_B = np.zeros(0, dtype=np.int64)  # the paper's C
        self.start_B = np.zeros(0, dtype=np.int64)
        self._forget_nodes()
        self.add(constraints)

    @property
    def num_phrases(self) -> int:
        """P: the most phrases of any sentence since the tables were last empty."""
        return self.phrases_of.num_phrases

    def add(self, constraints: Sequence[SentenceConstraints]) -> list[int]:
        """Track these sentences too; returns their numbers."""
        numbers = []
        for of_sentence in constraints:
            if not self._free_sentences:
                self._free_sentences = [len(self.start_B)]
                self._widen(1, 0, 0)
            numbers.append(number := self._free_sentences.pop())
            self._constraints[number] = of_sentence
            self._automata[number] = PhraseAutomaton(of_sentence.phrases, self._texts)
            needs_prefix_avoid = bool(of_sentence.avoided or of_sentence.prefix)
            self._prefix_avoid[number] = PrefixAvoidAutomaton(of_sentence, self._texts) if needs_prefix_avoid else None
            self._max_counts[number] = MaxCounts(self._automata[number], self._texts)
            num_spellings = max((len(phrase.spellings) for phrase in of_sentence.phrases), default=0)
            self._widen(0, len(of_sentence.phrases) - self.num_phrases, num_spellings - self.tables.num_spellings)
            sharing, own = self._automata[number].sharing, self.phrases_of
            for p, phrase in enumerate(of_sentence.phrases):
                own.ends_text.values[number, p] = phrase.ends_text
                own.required.values[number, p] = 0 if p in sharing else phrase.count
                own.num_pieces.values[number, p] = phrase.num_pieces
                own.is_sharing.values[number, p] = p in sharing
            self.num_tokens_B[number] = sum(phrase.num_constraint_tokens for phrase in of_sentence.phrases)
            self.start_B[number] = FREE if of_sentence.is_empty else self._start(number)
        self._update_needs()
        return numbers

    def remove(self, sentences: Sequence[int]) -> None:
        """Forget these sentences and everything computed for them."""
        for number in sentences:
            del self._constraints[number], self._automata[number], self._prefix_avoid[number], self._max_counts[number]
            self._free_sentences.append(number)
        self.phrases_of.clear(list(sentences))
        self.num_tokens_B[sentences] = 0
        self._update_needs()
        if not self.is_needed:
            self._forget_nodes()
            return
        nodes = [node for number in sentences for node in self._nodes_of.pop(number, [])]
        for node in nodes:
            del self._numbers[self._nodes[node]]
            for key in self._keys_of.pop(node, ()):
                del self._steps[key]
            self._allowed.pop(node, None)
            self._forced_known[node] = False
        self.tables.clear(nodes)
        self._free_nodes += nodes

    def _update_needs(self) -> None:
        self.is_needed = any(not of_sentence.is_empty for of_sentence in self._constraints.values())
        self.has_avoided = any(map(self._is_bounded, self._constraints))
        self._has_ends = bool(self.phrases_of.ends_text.values.any())

    def _forget_nodes(self) -> None:
        """Reset the tables to no phrases and the two nodes that belong to no sentence."""
        nobody: _Node = (-1, PhraseState(), None, ())
        self._nodes: list[_Node] = [nobody, nobody]
        self._numbers: dict[_Node, int] = {}
        self._nodes_of: dict[int, list[int]] = {}
        self._free_nodes: list[int] = []
        self._forced_known = [True, True]
        self._allowed: dict[int, list[int] | None] = {FREE: None, _DEAD: None}
        # node * V + piece -> (next node, row of the completions); and the keys of each node
        self._steps: dict[int, tuple[int, int]] = {}
        self._keys_of: dict[int, list[int]] = {}
        self._completions = GrowingTable(np.int64(0), 1, 0)  # rows of occurrences, by phrase, that a piece completes
        self._completion_ids: dict[tuple[int, ...], int] = {}
        self.tables = NodeTables(_FIRST_CAPACITY)
        self.phrases_of.forget_phrases()

    def _widen(self, num_sentences: int, num_phrases: int, num_spellings: int) -> None:
        """Grow the tables by so many sentences, phrases and spellings; negative numbers mean none."""
        num_phrases, num_spellings = max(0, num_phrases), max(0, num_spellings)
        if num_sentences:
            self.num_tokens_B = np.pad(self.num_tokens_B, (0, num_sentences))
            self.start_B = np.pad(self.start_B, (0, num_sentences))
        if num_sentences or num_phrases:
            self.phrases_of.grow(num_sentences, num_phrases)
        if num_phrases:
            self._completions.grow(0, num_phrases)
        if num_phrases or num_spellings:
            self.tables.grow(num_phrases, num_spellings)

    def follow(self, nodes_N: Ints, pieces_N: Ints, interruption: Interruption = NEVER) -> tuple[Ints, Ints]:
        """The next node for each node and piece, and (N, P) the occurrences that the piece confirms."""
        following_N, completed_N = nodes_N.copy(), np.zeros_like(nodes_N)
        tracked_M = (nodes_N > _DEAD).nonzero()[0]  # free texts stay free, dead ones stay dead
        if len(tracked_M):
            keys_M = nodes_N[tracked_M] * len(self._texts.surfaces) + pieces_N[tracked_M]
            for first in range(0, len(keys_M), _FOLLOWED_AT_ONCE):
                if first:
                    interruption.check()
                some = tracked_M[first : first + _FOLLOWED_AT_ONCE]
                keys = keys_M[first : first + _FOLLOWED_AT_ONCE].tolist()
                steps = list(map(self._steps.get, keys))
                known = [step or self._learn(key, interruption) for key, step in zip(keys, steps, strict=True)]
                following_N[some], completed_N[some] = np.array(known).T
            interruption.check()
        return following_N, self._completions.values[completed_N]

    def are_free(self, nodes_N: Ints) -> bool:
        """True if all of these texts have met all constraints."""
        return not self.is_needed or bool((nodes_N == FREE).all())

    def may_die(self, nodes_N: Ints) -> Bools:
        """(N,): whether the next piece may write an avoided text, leave the prefix, or exceed a `max_count`."""
        return self.tables.may_die.values[nodes_N]

    def is_dead(self, nodes_N: Ints) -> Bools:
        """(N,): whether the text contains an avoided text, leaves the prefix, or exceeds a `max_count`."""
        return np.equal(nodes_N, _DEAD)

    def remaining_cost(
        self, sentences_N: Ints, nodes_N: Ints, met_NP: Ints, interruption: Interruption = NEVER
    ) -> RemainingCost:
        """The remaining cost of texts at these nodes that have met so many occurrences."""
        size = max(1, _COUNTS_AT_ONCE // max(1, self.num_phrases))
        if len(nodes_N) <= size:
            return self._remaining_cost(sentences_N, nodes_N, met_NP)
        parts = []
        for first in range(0, len(nodes_N), size):
            interruption.check()
            some = slice(first, first + size)
            parts.append(self._remaining_cost(sentences_N[some], nodes_N[some], met_NP[some]))
        return RemainingCost.joined(parts)

    def _remaining_cost(self, sentences_N: Ints, nodes_N: Ints, met_NP: Ints) -> RemainingCost:
        phrases_of, tables = self.phrases_of, self.tables
        unmet_NP = phrases_of.required.values.take(sentences_N, 0) - met_NP  # not met for certain
        is_unmet_NP = unmet_NP > 0
        num_pieces_NP = phrases_of.num_pieces.values.take(sentences_N, 0)
        to_go_NP = tables.to_go.values.take(nodes_N, 0)
        shared_missing_N = tables.shared_missing.values[nodes_N]
        lacking_NP = is_unmet_NP & ((to_go_NP > 0) | (unmet_NP > 1))
        if self._has_ends:  # a phrase at the end of the text cannot begin before all others are met
            ends_text_NP = phrases_of.ends_text.values[sentences_N]
            others_lack_N = (lacking_NP & ~ends_text_NP).any(1) | (shared_missing_N > 0)
            to_go_NP = np.where(ends_text_NP & others_lack_N[:, None], num_pieces_NP, to_go_NP)
            lacking_NP = is_unmet_NP & ((to_go_NP > 0) | (unmet_NP > 1))
        missing_NP = np.where(is_unmet_NP, (unmet_NP - 1) * num_pieces_NP + to_go_NP, 0)
        missing_N = missing_NP.sum(1) + shared_missing_N
        under_way_NP = is_unmet_NP & (to_go_NP > 0) & (to_go_NP < num_pieces_NP)
        under_way_N = under_way_NP.any(1) | tables.shared_under_way.values[nodes_N]
        is_open_N = tables.is_open.values[nodes_N] & ~self.in_prefix(nodes_N)  # a prefix closes its words itself
        closes_N = is_open_N & (lacking_NP.any(1) | (shared_missing_N > 0)) & ~under_way_N
        return RemainingCost(
            lacking_NP,
            missing_N,
            closes_N,
            needed_N=missing_N + closes_N + tables.prefix_left.values[nodes_N],
            may_end_N=(unmet_NP <= tables.pending.values.take(nodes_N, 0)).all(1)
            & tables.is_met_if_ended.values[nodes_N],
        )

    def forced(
        self,
        sentences_N: Ints,
        nodes_N: Ints,
        remaining: RemainingCost,
        end: int,
        interruption: Interruption = NEVER,
    ) -> Ints:
        """(N, P * F + 1): the pieces that advance an unmet phrase, padded with -1.

        For a phrase that must end the text and that the text ends with, this is the end token.
        """
        for node in set(nodes_N.tolist()):
            if not self._forced_known[node]:
                interruption.check()  # the next takes ten milliseconds where phrases share forms
                self._learn_forced(node)
        # tables of phrases that share a form contain only pieces of those that are missing
        lacking_NP = remaining.lacking_NP | self.phrases_of.is_sharing.values[sentences_N]
        forced_NF = np.where(lacking_NP[:, :, None], self.tables.forced.values[nodes_N], -1).reshape(len(nodes_N), -1)
        is_end_N = self.tables.ends_here.values[nodes_N] & remaining.may_end_N
        return np.concatenate([forced_NF, np.where(is_end_N, end, -1)[:, None]], 1)

    def in_prefix(self, nodes_N: Ints) -> Bools:
        """(N,): whether the prefix is incomplete."""
        return self.tables.in_prefix.values[nodes_N]

    def prefix_pieces(self, node: int) -> list[int]:
        """The pieces that may follow a text that is `in_prefix`."""
        if node not in self._allowed:
            sentence, _, prefix_avoid_state, _ = self._nodes[node]
            prefix_avoid = self._prefix_avoid[sentence]
            assert prefix_avoid is not None
            assert prefix_avoid_state is not None
            self._allowed[node] = prefix_avoid.allowed(prefix_avoid_state)
        allowed_pieces = self._allowed[node]
        assert allowed_pieces is not None, "the prefix is complete"
        return allowed_pieces

    def _start(self, sentence: int) -> int:
        automaton, prefix_avoid = self._automata[sentence], self._prefix_avoid[sentence]
        return self._number(
            (sentence, automaton.start, prefix_avoid.start if prefix_avoid else None, self._max_counts[sentence].start)
        )

    def _is_bounded(self, sentence: int) -> bool:
        """True if texts of the sentence can become invalid: it has a prefix, an avoided text or a `max_count`."""
        return self._prefix_avoid[sentence] is not None or bool(self._max_counts[sentence].start)

    def _learn(self, key: int, interruption: Interruption) -> tuple[int, int]:
        """The step of a key that had none; earlier items of the same batch may have computed it."""
        if key not in self._steps:
            interruption.check()  # a step takes up to 8 ms where phrases share forms
            node, piece = divmod(key, len(self._texts.surfaces))
            self._steps[key] = self._advance(node, piece)
            self._keys_of.setdefault(node, []).append(key)
        return self._steps[key]

    def _advance(self, node: int, piece: int) -> tuple[int, int]:
        """The next node for a node and a piece, and the row of the completions."""
        sentence, state, prefix_avoid_state, counts_left = self._nodes[node]
        prefix_avoid = self._prefix_avoid[sentence]
        if prefix_avoid is not None and prefix_avoid_state is not None:
            prefix_avoid_state = prefix_avoid.advance(prefix_avoid_state, piece)
            if prefix_avoid_state is None:
                return _DEAD, 0
            if prefix_avoid.is_done(prefix_avoid_state):
                if not self._constraints[sentence].phrases:
                    return FREE, 0
                prefix_avoid_state = None
        state, counts = self._automata[sentence].advance(state, piece)
        counts_left_after = self._max_counts[sentence].advance(counts_left, state, counts)
        if counts_left_after is None:
            return _DEAD, 0
        number = self._number((sentence, state, prefix_avoid_state, counts_left_after))
        return number, self._completion(counts) if any(counts) else 0

    def _completion(self, counts: tuple[int, ...]) -> int:
        """The row number for these counts. There are few rows, because a piece rarely completes two phrases."""
        if counts not in self._completion_ids:
            self._completion_ids[counts] = len(self._completions.values)
            self._completions.grow(1)
            self._completions.values[-1, : len(counts)] = counts
        return self._completion_ids[counts]

    def _number(self, node: _Node) -> int:
        known = self._numbers.get(node)
        if known is not None:
            return known
        number = self._numbers[node] = self._place(node)
        sentence, state, prefix_avoid_state, counts_left = node
        self._nodes_of.setdefault(sentence, []).append(number)
        automaton = self._automata[sentence]
        num_phrases, tables = len(automaton.phrases), self.tables
        tables.pending.values[number, :num_phrases] = pending_counts = automaton.pending_counts(state)
        tables.to_go.values[number, :num_phrases] = automaton.to_go(state)
        tables.is_open.values[number] = state.context.is_open or bool(state.context.unfinished)
        tables.ends_here.values[number] = automaton.ends_here(state)
        is_met_if_ended = automaton.shared_met(state) and not state.context.unfinished
        is_met_if_ended &= self._max_counts[sentence].may_end(counts_left, pending_counts)
        may_die = self._max_counts[sentence].may_die(counts_left, state, pending_counts)
        tables.shared_missing.values[number], tables.shared_under_way.values[number] = automaton.shared_missing(state)
        prefix_avoid = self._prefix_avoid[sentence]
        if prefix_avoid is not None and prefix_avoid_state is not None:
            may_die = True
            is_met_if_ended &= prefix_avoid.may_end(prefix_avoid_state)
            tables.in_prefix.values[number] = prefix_avoid.in_prefix(prefix_avoid_state)
            tables.prefix_left.values[number] = prefix_avoid.pieces_left(prefix_avoid_state)
        tables.is_met_if_ended.values[number], tables.may_die.values[number] = is_met_if_ended, may_die
        return number

    def _place(self, node: _Node) -> int:
        """A free place in the tables; doubles them if there is none."""
        if self._free_nodes:
            number = self._free_nodes.pop()
            self._nodes[number] = node
            return number
        self._nodes.append(node)
        self._forced_known.append(False)
        if len(self._nodes) > self.tables.capacity:
            self.tables.double()
        return len(self._nodes) - 1

    def _learn_forced(self, node: int) -> None:
        sentence, state, _, _ = self._nodes[node]
        for p, pieces in enumerate(self._automata[sentence].next_pieces(state)):
            if pieces:
                self.tables.forced.values[node, p, : len(pieces)] = pieces
        self._forced_known[node] = True
