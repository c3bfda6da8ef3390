"""A search that sees only the output layer's best and forced tokens finds what one with all log-probabilities finds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.kernels import Logits
from engine.search.batching import SearchStream
from engine.search.phrases import SentenceConstraints
from engine.search.scores import Masks, scores_of
from engine.search.sentence import EndedSentence, SearchVocabulary, Sentence, TokenRoles
from engine.search_options import SearchOptions
from tests.reference.toy import BEGIN, END, PUNCTUATED, LogitsDecoder, ToyDecoder, ToyModel, toy_stream
from tests.search.test_enumeration import random_constraints

VOCABULARY = SearchVocabulary(
    PUNCTUATED, TokenRoles(BEGIN, END, never=(BEGIN,)), ~np.array(PUNCTUATED.glues_right), PUNCTUATED.text
)


def sentences_of(rng: random.Random, count: int) -> list[Sentence]:
    """With phrases, avoided texts and prefixes, and one without; beams, lists and lengths differ, some are tight."""
    sentences = []
    for number in range(count):
        constraints = random_constraints(PUNCTUATED, rng, num_ordered=rng.choice([0, 0, 2]))
        constraints = constraints if number else SentenceConstraints()
        num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
        prefix = len(constraints.prefix.pieces) + 1 if constraints.prefix else 0
        options = SearchOptions(beam=rng.randint(1, 6), nbest=rng.randint(1, 3), max_children=rng.choice([None, 2]))
        sentences.append(Sentence(constraints, prefix + num_tokens + rng.randint(1, 8), options, source=number))
    return sentences


def assert_same(found: list[EndedSentence], expected: list[EndedSentence]) -> None:
    """The same texts, scores to rounding."""
    for one, other in zip(found, expected, strict=True):
        assert one.error is other.error is None
        assert one.result is not None
        assert other.result is not None
        assert one.result.outcome == other.result.outcome
        assert [item.tokens for item in one.result.hypotheses] == [item.tokens for item in other.result.hypotheses]
        for mine, its in zip(one.result.hypotheses, other.result.hypotheses, strict=True):
            assert mine.token_log_probs == pytest.approx(its.token_log_probs, abs=1e-5)
            assert mine.score == pytest.approx(its.score, abs=1e-5)


def streams(seed: int) -> tuple[SearchStream, SearchStream]:
    """With logits, and with log-probabilities."""
    model = ToyModel(PUNCTUATED.size, seed)
    with_logits, with_log_probs = (
        toy_stream(model, PUNCTUATED, decoder, batch_size=4) for decoder in (LogitsDecoder, ToyDecoder)
    )
    return with_logits, with_log_probs


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_search_by_the_output_layer_equals_search_by_all_log_probabilities(seed):
    with_logits, with_log_probs = streams(seed)
    sentences = sentences_of(random.Random(seed), 5)
    assert_same(with_logits.run(sentences), with_log_probs.run(sentences))


def test_row_of_nan_fails_only_its_sentence():
    class Broken(LogitsDecoder):
        def step(self, tokens_R: Tensor) -> Logits:  # type: ignore[override]
            logits = super().step(tokens_R)
            for row, (number, history) in enumerate(self._rows):
                if number == 2 and len(history) == 3:
                    logits.logits_RV[row, 3] = torch.nan
            return logits

    sentences = [
        replace(sentence, constraints=SentenceConstraints(), max_length=8)
        for sentence in sentences_of(random.Random(1), 4)
    ]
    model = ToyModel(PUNCTUATED.size, 4)
    found = toy_stream(model, PUNCTUATED, Broken).run(sentences)
    assert [ended.result and ended.result.outcome for ended in found] == ["complete", "complete", "failed", "complete"]


def test_fused_scores_equal_all_log_probabilities_of_masked_rows():
    """Free; without the end; one token alone; a closing piece alone; nothing at all; the end alone, where it may not
    come and where it may."""
    may_end_R = np.array([True, False, True, False, True, False, True])
    masks = Masks(may_end_R, {2: (4,), 3: "closing", 4: (), 5: (END,), 6: (END,)})
    forced_RF = np.array([[2, -1], [3, 4], [4, 2], [3, -1], [2, 3], [END, -1], [END, -1]])
    logits_RV = torch.randn(7, PUNCTUATED.size, generator=torch.Generator().manual_seed(1))
    fused = scores_of(Logits(logits_RV), masks, forced_RF, VOCABULARY)
    plain = scores_of(logits_RV.log_softmax(1), masks, forced_RF, VOCABULARY)
    (found, tokens), (expected, expected_tokens) = fused.best(6), plain.best(6)
    assert found == pytest.approx(expected, abs=1e-6)
    assert (tokens == expected_tokens)[expected > -np.inf].all()
    assert (expected > -np.inf).sum(1).tolist() == [6, 6, 1, sum(VOCABULARY.closing_V.tolist()), 0, 0, 1]
    rows, tokens = np.array([0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6]), np.array([2, END, 3, 4, 4, 2, 3, END, 2, END, END])
    assert fused.take(rows, tokens) == pytest.approx(plain.take(rows, tokens), abs=1e-6)


def test_score_of_a_token_that_was_not_queried_is_an_assertion_error():
    logits = Logits(torch.zeros(1, PUNCTUATED.size))
    scores = scores_of(logits, Masks(None, {}), np.zeros((1, 0), dtype=np.int64), VOCABULARY)
    scores.best(1)
    with pytest.raises(AssertionError, match="only queried tokens"):
        scores.take(np.array([0]), np.array([5]))
