"""What a prefix leaves no choice about, read in one pass, changes nothing of what the search finds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search.beam import BeamSearch
from engine.search.phrases import Prefix, SentenceConstraints
from engine.search.rows import forced_prefix
from engine.search.sentence import Sentence
from engine.search.stopping import Scoring
from engine.search.tracker import ConstraintTracker
from engine.search_options import SearchOptions
from tests.reference.stepwise import StepwiseSearch
from tests.reference.toy import BEGIN, PUNCTUATED, WORDS, LogitsDecoder, ToyDecoder, ToyModel, toy_stream
from tests.search.test_enumeration import random_constraints


def prefixed(rng: random.Random, number: int) -> Sentence:
    """With phrases, texts in order, avoided texts and a prefix of some pieces; the length may be too tight for all."""
    constraints = random_constraints(PUNCTUATED, rng, num_ordered=rng.choice([0, 0, 2]))
    written = [rng.randrange(2, PUNCTUATED.size) for _ in range(rng.randint(0, 7))]
    if written:
        text = PUNCTUATED.text(written) + rng.choice(["", " "]) * (not PUNCTUATED.glues_right[written[-1]])
        constraints = replace(constraints, prefix=Prefix(text, tuple(written[: rng.choice([-1, None])])))
    num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
    options = SearchOptions(
        beam=rng.randint(1, 6),
        nbest=rng.randint(1, 3),
        max_children=rng.choice([None, 2]),
        bank_threshold=rng.choice([None, 2.0]),
        finished=rng.choice(["leave", "leave", "keep"]),
        stopping=rng.choice(["optimal", "beam_finished", "first_finished"]),
    )
    return Sentence(constraints, max(1, len(written) + num_tokens + rng.randint(-3, 6)), options, Scoring(), number)


@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    schedule=st.sampled_from(["stream", "batch", "fifo"]),
    decoder=st.sampled_from([ToyDecoder, LogitsDecoder]),
)
def test_reading_prefixes_in_one_pass_equals_reading_them_step_by_step(seed, schedule, decoder) -> None:
    """Bit for bit, best efforts and numbers of steps too: the toy model rounds nothing."""
    rng = random.Random(seed)
    sentences = [prefixed(rng, number) for number in range(5)]
    model, settings_ = ToyModel(PUNCTUATED.size, seed), {"batch_size": 3, "schedule": schedule, "refill_share": 0.7}
    at_once, step_by_step = (
        toy_stream(model, PUNCTUATED, decoder, search=search, **settings_).run(sentences)
        for search in (BeamSearch, StepwiseSearch)
    )
    for one, other in zip(at_once, step_by_step, strict=True):
        assert one.error is other.error is None
        assert one.result.outcome == other.result.outcome
        assert one.result.num_steps == other.result.num_steps
        assert [found.tokens for found in one.result.hypotheses] == [found.tokens for found in other.result.hypotheses]
        for mine, its in zip(one.result.hypotheses, other.result.hypotheses, strict=True):
            np.testing.assert_allclose(mine.token_log_probs, its.token_log_probs, atol=1e-5)
            assert abs(mine.log_prob - its.log_prob) < 1e-5
            assert mine.num_missing == its.num_missing


def test_forced_prefix_ends_at_the_first_choice_and_at_the_length_limit() -> None:
    pieces = WORDS.ids("a b a a@@ b")
    for phrases, text, given_pieces, max_length, read, why in (
        ((), "a b a ab", pieces, 9, "a b a a@@ b", "all complete words; the end is the search's"),
        ((), "a b a", pieces[:2], 9, "a b", "the open last word may be written in other pieces"),
        ((), "a b a ab", pieces, 6, "a b a a@@ b", "one more for the end"),
        ((), "a b a ab", pieces, 5, "", "no time for the end from the start"),
        ((WORDS.phrase("b"),), "a b a ab", pieces, 7, "a b a a@@ b", "the phrase counts once it stands, here as well"),
        ((WORDS.phrase("b"),), "a b a ab", pieces, 6, "", "and until then beside the prefix"),
        ((WORDS.phrase("b b"),), "a b a ab", pieces, 7, "", "the phrase will not stand in time"),
    ):
        constraints = SentenceConstraints(phrases, prefix=Prefix(text, given_pieces))
        tracker = ConstraintTracker([constraints], WORDS)
        assert forced_prefix(tracker, 0, max_length, (BEGIN,)).pieces == WORDS.ids(read), why


def test_nan_scores_inside_a_prefix_fail_only_their_sentence() -> None:
    class Broken(ToyDecoder):
        def read(self, pieces_B):
            log_probs_B = super().read(pieces_B)
            return [[float("nan")] * len(own) if number == 0 else own for number, own in enumerate(log_probs_B)]

    constraints = SentenceConstraints(prefix=Prefix("a b ", WORDS.ids("a b")))
    sentences = [Sentence(constraints, 8, SearchOptions(beam=2), Scoring(), number) for number in range(2)]
    ended = toy_stream(ToyModel(WORDS.size, 1), WORDS, Broken).run(sentences)
    assert [item.result.outcome for item in ended] == ["failed", "complete"]
