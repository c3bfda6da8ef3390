"""Which phrases the hypotheses of a batch have met, and how far they are with the others, in tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.search.automaton import PhraseAutomaton, State
from engine.search.phrases import PieceTexts, TrackedPhrase


class PhraseTracker:
    """The phrases of a batch of sentences as tables: nodes, and the node that follows a node and a piece.

    A node is an automaton state together with what its last piece met; node 0 belongs to sentences without phrases.
    Tables grow as nodes are reached; only what was never asked before is computed in Python.
    """

    def __init__(self, phrases: Sequence[Sequence[TrackedPhrase]], texts: PieceTexts) -> None:
        """Track `phrases[b]` in the hypotheses of sentence b."""
        self._automata = [PhraseAutomaton(of_sentence, texts) for of_sentence in phrases]
        self._texts = texts
        self._numbers: dict[tuple[int, State, tuple[int, ...]], int] = {}
        self._nodes: list[tuple[int, State]] = [(-1, State())]
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

    def _number(self, sentence: int, state: State, counts: tuple[int, ...]) -> int:
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
        self._is_open[number] = state.context.is_open
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
