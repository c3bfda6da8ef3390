"""What the hypotheses of a batch have met, still lack and may not write, in tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.search.automaton import PhraseAutomaton, State
from engine.search.guard import Guard, GuardState
from engine.search.phrases import PieceTexts, SentenceConstraints

_FREE, _DEAD = 0, 1  # the nodes of sentences without constraints, and of texts that break theirs
_FILLS = {  # the tables by node, and what stands there for a node of which nothing is known
    "_following": -1,
    "_counts": 0,
    "_pending": 0,
    "_to_go": 0,
    "_is_open": False,
    "_ends_here": False,
    "_forced": -1,
    "_stands_if_ended": True,
    "_prefix_left": 0,
    "_shared_missing": 0,
    "_shared_under_way": False,
}

_FIRST_CAPACITY = 62

_Node = tuple[int, State, GuardState | None, tuple[int, ...]]  # the sentence, and what its last piece met


class ConstraintTracker:
    """The constraints of a batch of sentences as tables: nodes, and the node that follows a node and a piece.

    A node is what a text has come to (automaton and guard) together with what its last piece met. Tables grow as nodes
    are reached; only what was never asked before is computed in Python. Sentences may come and go: the number of one
    that was removed, and the places of its nodes, are given to the next.
    """

    def __init__(self, constraints: Sequence[SentenceConstraints], texts: PieceTexts) -> None:
        """Track `constraints[b]` in the hypotheses of sentence b."""
        self._texts = texts
        self._constraints: dict[int, SentenceConstraints] = {}
        self._automata: dict[int, PhraseAutomaton] = {}
        self._guards: dict[int, Guard | None] = {}
        self._free_sentences: list[int] = []
        self.required_BP = torch.zeros(0, 0, dtype=torch.long)  # occurrences; phrases that share a form have tables
        self.num_pieces_BP = torch.zeros(0, 0, dtype=torch.long)
        self._is_sharing_BP = torch.zeros(0, 0, dtype=torch.bool)
        self._ends_text_BP = torch.zeros(0, 0, dtype=torch.bool)
        self.num_tokens_B = torch.zeros(0, dtype=torch.long)  # the paper's C
        self.start_B = torch.zeros(0, dtype=torch.long)
        self._forget_nodes()
        self.add(constraints)

    @property
    def num_phrases(self) -> int:
        """P, the most phrases that a sentence had since there were none."""
        return self.required_BP.shape[1]

    def add(self, constraints: Sequence[SentenceConstraints]) -> list[int]:
        """Track these sentences too; their numbers."""
        numbers = []
        for of_sentence in constraints:
            if not self._free_sentences:
                self._free_sentences = [len(self.start_B)]
                self._widen(1, 0, 0)
            numbers.append(number := self._free_sentences.pop())
            self._constraints[number] = of_sentence
            self._automata[number] = PhraseAutomaton(of_sentence.phrases, self._texts)
            is_guarded = bool(of_sentence.avoided or of_sentence.prefix)
            self._guards[number] = Guard(of_sentence, self._texts) if is_guarded else None
            num_spellings = max((len(phrase.spellings) for phrase in of_sentence.phrases), default=0)
            self._widen(0, len(of_sentence.phrases) - self.num_phrases, num_spellings - self._forced.shape[2])
            sharing = self._automata[number].sharing
            for p, phrase in enumerate(of_sentence.phrases):
                self._ends_text_BP[number, p] = phrase.ends_text
                self.required_BP[number, p] = 0 if p in sharing else phrase.count
                self.num_pieces_BP[number, p] = phrase.num_pieces
                self._is_sharing_BP[number, p] = p in sharing
            self.num_tokens_B[number] = sum(phrase.num_constraint_tokens for phrase in of_sentence.phrases)
            self.start_B[number] = _FREE if of_sentence.is_empty else self._start(number)
        self._update_needs()
        return numbers

    def remove(self, sentences: Sequence[int]) -> None:
        """Forget these sentences and all that was computed for them."""
        for number in sentences:
            del self._constraints[number], self._automata[number], self._guards[number]
            self._free_sentences.append(number)
            nodes = self._nodes_of.pop(number, [])
            for node in nodes:
                del self._numbers[self._nodes[node]]
                self._allowed.pop(node, None)
                self._forced_known[node] = False
            for name, fill in _FILLS.items():
                getattr(self, name)[nodes] = fill
            self._free_nodes += nodes
        self.required_BP[sentences] = 0
        self.num_pieces_BP[sentences] = 0
        self._is_sharing_BP[sentences] = False
        self._ends_text_BP[sentences] = False
        self.num_tokens_B[sentences] = 0
        self._update_needs()
        if not self.is_needed:
            self._forget_nodes()

    def _update_needs(self) -> None:
        self.is_needed = any(not of_sentence.is_empty for of_sentence in self._constraints.values())
        self.has_guards = any(guard is not None for guard in self._guards.values())

    def _forget_nodes(self) -> None:
        """Start tables for no phrases, with the two nodes that belong to no sentence."""
        nobody: _Node = (-1, State(), None, ())
        self._nodes: list[_Node] = [nobody, nobody]
        self._numbers: dict[_Node, int] = {}
        self._nodes_of: dict[int, list[int]] = {}
        self._free_nodes: list[int] = []
        self._forced_known = [True, True]
        self._allowed: dict[int, Tensor | None] = {_FREE: None, _DEAD: None}
        self._following = torch.tensor([[_FREE], [_DEAD]], dtype=torch.int32).repeat(1, len(self._texts.surfaces))
        self._counts = torch.zeros(2, 0, dtype=torch.long)
        self._pending = torch.zeros(2, 0, dtype=torch.long)
        self._to_go = torch.zeros(2, 0, dtype=torch.long)
        self._is_open = torch.zeros(2, dtype=torch.bool)
        self._ends_here = torch.zeros(2, dtype=torch.bool)
        self._forced = torch.zeros(2, 0, 0, dtype=torch.long)
        self._stands_if_ended = torch.ones(2, dtype=torch.bool)
        self._prefix_left = torch.zeros(2, dtype=torch.long)
        self._shared_missing = torch.zeros(2, dtype=torch.long)
        self._shared_under_way = torch.zeros(2, dtype=torch.bool)
        self.required_BP = self.required_BP[:, :0]
        self.num_pieces_BP = self.num_pieces_BP[:, :0]
        self._is_sharing_BP = self._is_sharing_BP[:, :0]
        self._ends_text_BP = self._ends_text_BP[:, :0]

    def _widen(self, num_sentences: int, num_phrases: int, num_spellings: int) -> None:
        """Make room for so many more; negative numbers ask for nothing."""
        num_phrases, num_spellings = max(0, num_phrases), max(0, num_spellings)
        if num_sentences:
            self.num_tokens_B = F.pad(self.num_tokens_B, (0, num_sentences))
            self.start_B = F.pad(self.start_B, (0, num_sentences))
        if num_sentences or num_phrases:
            self.required_BP = F.pad(self.required_BP, (0, num_phrases, 0, num_sentences))
            self.num_pieces_BP = F.pad(self.num_pieces_BP, (0, num_phrases, 0, num_sentences))
            self._is_sharing_BP = F.pad(self._is_sharing_BP, (0, num_phrases, 0, num_sentences))
            self._ends_text_BP = F.pad(self._ends_text_BP, (0, num_phrases, 0, num_sentences))
        if num_phrases:
            self._counts, self._pending, self._to_go = (
                F.pad(table, (0, num_phrases)) for table in (self._counts, self._pending, self._to_go)
            )
        if num_phrases or num_spellings:
            self._forced = F.pad(self._forced, (0, num_spellings, 0, num_phrases), value=_FILLS["_forced"])

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
        return is_met_N & self._stands_if_ended[nodes_N]

    def missing(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): least number of constraint tokens still to come; the bank is C less this."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        whole_NP = (unmet_NP - 1).clamp(min=0) * self.num_pieces_BP[sentences_N]
        own_N = (whole_NP + torch.where(unmet_NP > 0, self._to_go_now(sentences_N, nodes_N, unmet_NP), 0)).sum(1)
        return own_N + self._shared_missing[nodes_N]

    def _to_go_now(self, sentences_N: Tensor, nodes_N: Tensor, unmet_NP: Tensor) -> Tensor:
        """(N, P): pieces that the occurrence in progress lacks; what must end the text, all while others lack some."""
        to_go_NP = self._to_go[nodes_N]
        ends_text_NP = self._ends_text_BP[sentences_N]
        if not ends_text_NP.any():
            return to_go_NP
        is_lacking_NP = (unmet_NP > 0) & ((to_go_NP > 0) | (unmet_NP > 1)) & ~ends_text_NP
        others_lack_N = is_lacking_NP.any(1) | (self._shared_missing[nodes_N] > 0)
        return torch.where(ends_text_NP & others_lack_N[:, None], self.num_pieces_BP[sentences_N], to_go_NP)

    def needed(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): least number of pieces that must still come before the end, for phrases and prefix."""
        missing_N = self.missing(sentences_N, nodes_N, met_NP)
        return missing_N + self.must_close(sentences_N, nodes_N, met_NP) + self._prefix_left[nodes_N]

    def must_close(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor) -> Tensor:
        """(N,): whether an open word stands in the way of the next phrase and costs a piece of its own."""
        unmet_NP = self.unmet(sentences_N, met_NP)
        to_go_NP = self._to_go_now(sentences_N, nodes_N, unmet_NP)
        under_way_NP = (unmet_NP > 0) & (to_go_NP > 0) & (to_go_NP < self.num_pieces_BP[sentences_N])
        lacking_NP = (unmet_NP > 0) & ((to_go_NP > 0) | (unmet_NP > 1))
        is_lacking_N = lacking_NP.any(1) | (self._shared_missing[nodes_N] > 0)
        return self._is_open[nodes_N] & is_lacking_N & ~under_way_NP.any(1) & ~self._shared_under_way[nodes_N]

    def forced(self, sentences_N: Tensor, nodes_N: Tensor, met_NP: Tensor, end: int) -> Tensor:
        """(N, P * F + 1): the pieces that take an unmet phrase forward, -1 where there is none.

        For a phrase that counts at the end of the text alone and stands there, that is the end.
        """
        for node in set(nodes_N.tolist()):
            if not self._forced_known[node]:
                self._learn_forced(node)
        unmet_NP = self.unmet(sentences_N, met_NP)
        to_go_NP = self._to_go_now(sentences_N, nodes_N, unmet_NP)
        lacking_NP = (unmet_NP > 0) & ((to_go_NP > 0) | (unmet_NP > 1))
        lacking_NP = lacking_NP | self._is_sharing_BP[sentences_N]  # their tables hold what is lacking alone
        forced_NF = torch.where(lacking_NP[:, :, None], self._forced[nodes_N], -1).flatten(1)
        is_end_N = self._ends_here[nodes_N] & self.may_end(sentences_N, nodes_N, met_NP)
        return torch.cat([forced_NF, torch.where(is_end_N, end, -1)[:, None]], 1)

    def in_prefix(self, nodes_N: Tensor) -> Tensor:
        """(N,): whether the prefix is not whole yet."""
        return self._prefix_left[nodes_N] > 0

    def prefix_pieces(self, node: int) -> Tensor:
        """The pieces with which a text that is `in_prefix` may go on."""
        if node not in self._allowed:
            sentence, _, guard_state, _ = self._nodes[node]
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
        counts = (0,) * len(automaton.phrases)
        return self._number((sentence, automaton.start, guard.start if guard else None, counts))

    def _advance(self, node: int, piece: int) -> int:
        sentence, state, guard_state, _ = self._nodes[node]
        guard = self._guards[sentence]
        if guard is not None:
            assert guard_state is not None
            guard_state = guard.advance(guard_state, piece)
            if guard_state is None:
                return _DEAD
        state, counts = self._automata[sentence].advance(state, piece)
        return self._number((sentence, state, guard_state, counts))

    def _number(self, node: _Node) -> int:
        known = self._numbers.get(node)
        if known is not None:
            return known
        number = self._numbers[node] = self._place(node)
        sentence, state, guard_state, counts = node
        self._nodes_of.setdefault(sentence, []).append(number)
        automaton = self._automata[sentence]
        num_phrases = len(automaton.phrases)
        self._counts[number, :num_phrases] = torch.tensor(counts)
        self._pending[number, :num_phrases] = torch.tensor(automaton.pending_counts(state))
        self._to_go[number, :num_phrases] = torch.tensor(automaton.to_go(state))
        self._is_open[number] = state.context.is_open
        self._ends_here[number] = automaton.ends_here(state)
        self._stands_if_ended[number] = automaton.shared_met(state)
        self._shared_missing[number], self._shared_under_way[number] = automaton.shared_missing(state)
        guard = self._guards[sentence]
        if guard is not None and guard_state is not None:
            self._stands_if_ended[number] &= guard.may_end(guard_state)
            self._prefix_left[number] = guard.pieces_left(guard_state)
        return number

    def _place(self, node: _Node) -> int:
        """A free place in the tables, which grow where there is none."""
        if self._free_nodes:
            number = self._free_nodes.pop()
            self._nodes[number] = node
            return number
        self._nodes.append(node)
        self._forced_known.append(False)
        if len(self._nodes) > len(self._following):
            num_more = max(_FIRST_CAPACITY, len(self._following))
            for name, fill in _FILLS.items():
                table = getattr(self, name)
                setattr(self, name, torch.cat([table, table.new_full((num_more, *table.shape[1:]), fill)]))
        return len(self._nodes) - 1

    def _learn_forced(self, node: int) -> None:
        sentence, state, _, _ = self._nodes[node]
        for p, pieces in enumerate(self._automata[sentence].next_pieces(state)):
            self._forced[node, p, : len(pieces)] = torch.tensor(pieces, dtype=torch.long)
        self._forced_known[node] = True
