"""Tiny vocabularies and random models on which every search result can be checked by hand or by enumeration."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.kernels import Logits
from engine.search.batching import SearchStream
from engine.search.phrases import Spelling, TrackedPhrase
from engine.search.sentence import SearchVocabulary, TokenRoles

BEGIN, END = 0, 1


@dataclass(frozen=True)
class ToyTexts:
    """A vocabulary: 0 begins, 1 ends, the rest is `pieces`: "a" a word, "a@@" goes on, "￭," hangs on the left."""

    pieces: tuple[str, ...]

    @cached_property
    def surfaces(self) -> list[str]:
        return ["", "", *(piece.removesuffix("@@").strip("￭") for piece in self.pieces)]

    @cached_property
    def glues_left(self) -> list[bool]:
        return [True, True, *(piece.startswith("￭") for piece in self.pieces)]

    @cached_property
    def glues_right(self) -> list[bool]:
        return [True, True, *(piece.endswith(("@@", "￭")) for piece in self.pieces)]

    @property
    def size(self) -> int:
        return len(self.pieces) + 2

    def ids(self, pieces: str) -> tuple[int, ...]:
        """The ids of pieces written with spaces between them."""
        return tuple(self.pieces.index(piece) + 2 for piece in pieces.split())

    def text(self, ids: Sequence[int]) -> str:
        """What the pieces write, put together piece by piece."""
        written, open_ = "", True
        for id_ in ids:
            if not self.surfaces[id_]:
                continue
            written += ("" if open_ or self.glues_left[id_] else " ") + self.surfaces[id_]
            open_ = self.glues_right[id_]
        return written

    def phrase(
        self,
        *spellings: str,
        count: int = 1,
        boundary: str = "word",
        max_count: int | None = None,
        heads: Sequence[str] = (),
    ) -> TrackedPhrase:
        """A phrase whose forms are given by their canonical pieces; `heads` are texts that may end a longer word."""
        ids = [self.ids(spelling) for spelling in spellings]
        return TrackedPhrase(
            forms=(*(self.text(pieces) for pieces in ids), *heads),
            heads=frozenset(range(len(ids), len(ids) + len(heads))),
            spellings=tuple(Spelling.of(form, pieces, self) for form, pieces in enumerate(ids)),
            boundary=boundary,  # type: ignore[arg-type]
            count=count,
            max_count=max_count,
        )


class ToyModel:
    """Random log-probabilities of the next token given the sentence and the last three tokens."""

    def __init__(self, vocabulary_size: int, seed: int, sharpness: float = 2.0) -> None:
        self.vocabulary_size = vocabulary_size
        self._seed = seed
        self._sharpness = sharpness
        self._known: dict[tuple[int, tuple[int, ...]], Tensor] = {}

    def log_probs(self, sentence: int, history: Sequence[int]) -> Tensor:
        """(V,) for what follows `history`, which begins with the begin token."""
        key = (sentence, tuple(history[-3:]))
        if key not in self._known:
            generator = torch.Generator().manual_seed(hash((self._seed, *key[:1], *key[1])) % 2**31)
            logits = torch.randn(self.vocabulary_size, generator=generator) * self._sharpness
            self._known[key] = logits.log_softmax(0)
        return self._known[key]


class RoundedModel(ToyModel):
    """Gives many continuations the same score; the steps add up exactly."""

    def log_probs(self, sentence: int, history: Sequence[int]) -> Tensor:
        return (super().log_probs(sentence, history) * 2).round() / 2


class ToyDecoder:
    """A ToyModel behind the interface that the search decodes with."""

    def __init__(self, model: ToyModel, sentence_numbers: Sequence[int]) -> None:
        """Sentence b of the batch is the model's sentence `sentence_numbers[b]`."""
        self._model = model
        self._rows: list[tuple[int, list[int]]] = [(number, []) for number in sentence_numbers]

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[list[float]]:
        self._rows = [(number, [BEGIN, *pieces][:-1]) for (number, _), pieces in zip(self._rows, pieces_B, strict=True)]
        return [
            [
                float(self._model.log_probs(number, [BEGIN, *pieces[:place]])[piece])
                for place, piece in enumerate(pieces)
            ]
            for (number, _), pieces in zip(self._rows, pieces_B, strict=True)
        ]

    def step(self, tokens_R: Tensor) -> Tensor:
        for (_, history), token in zip(self._rows, tokens_R.tolist(), strict=True):
            history.append(token)
        return torch.stack([self._model.log_probs(number, history) for number, history in self._rows])

    def select(self, parents_R: Tensor) -> None:
        rows = (self._rows[parent] for parent in parents_R.tolist())
        self._rows = [(number, list(history)) for number, history in rows]

    def join(self, other: ToyDecoder) -> None:
        self._rows += other._rows


class LogitsDecoder(ToyDecoder):
    """Gives logits that are normalised nowhere, and a bias, as a decoder on an accelerator does."""

    def step(self, tokens_R: Tensor) -> Logits:  # type: ignore[override]
        log_probs_RV = super().step(tokens_R)
        bias_V = torch.linspace(-3, 3, log_probs_RV.shape[1])
        shifts_R = torch.arange(len(tokens_R)) % 5 * 4.0
        return Logits(log_probs_RV - bias_V + shifts_R[:, None], bias_V)


def toy_vocabulary(texts: ToyTexts) -> SearchVocabulary:
    """The vocabulary as the search sees it."""
    return SearchVocabulary(texts, TokenRoles(BEGIN, END, never=(BEGIN,)), ~np.array(texts.glues_right), texts.text)


def toy_stream(
    model: ToyModel, texts: ToyTexts, decoder: type[ToyDecoder] = ToyDecoder, **settings: Any
) -> SearchStream:
    """A stream over the model; the `source` of a sentence is its number in the model."""
    return SearchStream(
        lambda sentences: decoder(model, [sentence.source for sentence in sentences]), toy_vocabulary(texts), **settings
    )


WORDS = ToyTexts(("a", "b", "a@@", "b@@"))
PUNCTUATED = ToyTexts(("a", "b@@", "1", "1@@", "￭,", "￭,￭"))


def random_phrases(
    texts: ToyTexts, rng: random.Random, max_phrases: int, max_pieces: int = 3, *, may_hang: bool = False
) -> list[TrackedPhrase]:
    """Phrases without a form in common, of up to `max_pieces` pieces; some have two forms, some are asked for twice.

    Only those that `may_hang` begin with a piece that hangs on the left.
    """
    phrases: list[TrackedPhrase] = []
    taken: set[str] = set()
    for _ in range(rng.randint(0, max_phrases)):
        spellings = []
        for _ in range(rng.choice([1, 1, 1, 2])):
            pieces = [rng.choice(texts.pieces) for _ in range(rng.randint(1, max_pieces))]
            while texts.glues_right[texts.ids(pieces[-1])[0]]:  # a phrase ends with a whole word
                pieces[-1] = rng.choice(texts.pieces)
            while pieces[0].startswith("￭") and not may_hang:
                pieces[0] = rng.choice([p for p in texts.pieces if not p.startswith("￭")])
            if texts.glues_right[texts.ids(pieces[-1])[0]]:
                continue
            spelling = " ".join(pieces)
            if texts.text(texts.ids(spelling)) not in taken:
                taken.add(texts.text(texts.ids(spelling)))
                spellings.append(spelling)
        if spellings:
            phrases.append(texts.phrase(*spellings, count=rng.choice([1, 1, 1, 2])))
    return phrases


def with_heads(phrase: TrackedPhrase, rng: random.Random) -> TrackedPhrase:
    """The phrase or, as often, one whose forms may also end a longer word."""
    if rng.random() < 0.5:
        return phrase
    num_forms = len(phrase.forms)
    return replace(phrase, forms=phrase.forms * 2, heads=frozenset(range(num_forms, 2 * num_forms)))
