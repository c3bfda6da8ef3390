"""The stopping rules and scores against their slow twin, and the certificate's theorem (Huang et al. 2017)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import InvalidRequest
from engine.search.beam import BeamSearch
from engine.search.finished import SearchHypothesis
from engine.search.follow import FollowedText
from engine.search.phrases import SentenceConstraints
from engine.search.sentence import Sentence, SentenceResult
from engine.search.stopping import Scoring
from engine.search_options import Score, SearchOptions, Stopping
from tests.budget import rounds
from tests.reference.search import slow_search
from tests.reference.toy import END, PUNCTUATED, WORDS, ToyModel, ToyTexts, random_phrases, toy_stream
from tests.search.test_enumeration import random_constraints

SCORES, RULES = get_args(Score), get_args(Stopping)


def search(
    model: ToyModel,
    constraints: Sequence[SentenceConstraints],
    texts: ToyTexts,
    max_lengths: Sequence[int],
    options: SearchOptions,
    target_length: float = 0.0,
    of_class: type[BeamSearch] = BeamSearch,
    followed: Sequence[FollowedText | None] = (),
    told: dict[int, list[SearchHypothesis]] | None = None,
    steps: list[int] | None = None,
) -> list[SentenceResult]:
    """`told` gets the best hypotheses that are proved, by sentence, and `steps` the steps before each."""
    scoring = Scoring(options.score, options.length_reward or 0.0, target_length)
    sentences = [
        Sentence(item, max_length, options, scoring, number, followed=text)
        for number, (item, max_length, text) in enumerate(
            zip(constraints, max_lengths, followed or [None] * len(constraints), strict=True)
        )
    ]
    stream = toy_stream(model, texts, batch_size=len(sentences), search=of_class)
    if told is not None:

        def telling(number: int, found: SearchHypothesis) -> None:
            told.setdefault(number, []).append(found)
            if steps is not None:
                steps.append(stream.counts.num_steps)

        sentences = [replace(one, on_best=partial(telling, number)) for number, one in enumerate(sentences)]
    ended = stream.run(sentences)
    assert all(item.error is None for item in ended)
    return [item.result for item in ended if item.result is not None]


def outcomes(results: Sequence[SentenceResult]) -> list[object]:
    return [(result.outcome, [(found.tokens, found.score) for found in result.hypotheses]) for result in results]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("stopping", RULES)
def test_every_rule_and_score_agrees_with_the_slow_twin(stopping, score):
    rng = random.Random(f"{stopping} {score}")
    for case in range(8):
        texts = rng.choice([WORDS, PUNCTUATED])
        phrases = random_phrases(texts, rng, max_phrases=2)
        max_length = sum(phrase.num_constraint_tokens for phrase in phrases) + rng.randint(2, 6)
        options = SearchOptions(
            beam=rng.randint(1, 5),
            nbest=rng.randint(1, 4),
            pruning_threshold=rng.choice([None, 3.0, 20.0]),
            stopping=stopping,
            score=score,
            length_reward=rng.choice([0.5, 2.0]),
        )
        model, target_length = ToyModel(texts.size, seed=case), rng.uniform(1, max_length)
        constraints = SentenceConstraints(tuple(phrases))
        (result,) = search(model, [constraints], texts, [max_length], options, target_length)
        slow, num_steps = slow_search(model, 0, phrases, texts, max_length, options, target_length)
        found = [item.tokens for item in result.hypotheses if item.is_satisfying]
        assert found == [hyp.tokens for hyp in slow], (case, phrases, max_length, options)
        assert result.num_steps == num_steps, (case, phrases, max_length, options)


@st.composite
def searches(draw):
    """A batch of random sentences with phrases, avoided texts and prefixes, and options without a stopping rule."""
    rng = random.Random(draw(st.integers(0, 10**6), label="seed"))
    texts = draw(st.sampled_from([WORDS, PUNCTUATED]), label="texts")
    constraints = [random_constraints(texts, rng) for _ in range(2)] + [SentenceConstraints(())]
    lengths = [
        2
        + sum(phrase.num_constraint_tokens for phrase in item.phrases)
        + (len(item.prefix.pieces) if item.prefix else 0)
        + rng.randint(1, 14)
        for item in constraints
    ]
    options = SearchOptions(
        beam=draw(st.integers(1, 6), label="beam"),
        nbest=draw(st.sampled_from([1, 1, 2, 3, 4, 5]), label="nbest"),
        score=draw(st.sampled_from(SCORES), label="score"),
        length_reward=draw(st.floats(0, 4), label="reward"),
        pruning_threshold=draw(st.sampled_from([None, None, 4.0]), label="pruning"),
    )
    model = ToyModel(texts.size, seed=rng.randrange(10**6), sharpness=draw(st.sampled_from([1.5, 4.0])))
    return model, constraints, texts, lengths, options, draw(st.floats(0, 12), label="target length")


@settings(max_examples=rounds(8, 30), deadline=None)
@given(searches())
def test_optimal_stopping_equals_running_to_the_end(case):
    """Theorems 1 and 3: the whole n-best list, with constraints and without; never in more steps."""
    *what, options, target_length = case
    early = search(*what, replace(options, stopping="optimal"), target_length)
    late = search(*what, replace(options, stopping="all_finished"), target_length)
    assert outcomes(early) == outcomes(late)
    assert all(one.num_steps <= other.num_steps for one, other in zip(early, late, strict=True))


@settings(max_examples=rounds(12, 60), deadline=None)
@given(searches(), st.sampled_from(RULES))
def test_a_proved_best_hypothesis_is_the_first_of_the_list(case, stopping):
    *what, options, target_length = case
    told: dict[int, list[SearchHypothesis]] = {}
    results = search(*what, replace(options, stopping=stopping), target_length, told=told)
    assert all(own == list(results[number].hypotheses[:1]) for number, own in told.items())


def test_the_best_hypothesis_is_proved_before_the_list_is_complete():
    """The model writes "a" and ends; other texts are far less likely, but a list of five needs them."""
    model = ToyModel(WORDS.size, seed=3, sharpness=4.0)
    told: dict[int, list[SearchHypothesis]] = {}
    steps: list[int] = []
    options = SearchOptions(beam=5, nbest=5, score="log_prob", pruning_threshold=None)
    [result] = search(model, [SentenceConstraints(())], WORDS, [12], options, told=told, steps=steps)
    assert told[0] == [result.hypotheses[0]]
    assert len(result.hypotheses) == 5
    assert steps[0] < result.num_steps


@settings(max_examples=12, deadline=None)
@given(searches())
def test_optimal_stopping_scores_no_lower_than_opennmt(case):
    """Theorem 2, and its answer is at least as likely."""
    *what, options, _ = case
    options = replace(options, score="log_prob", nbest=1)
    for optimal, opennmt in zip(
        search(*what, replace(options, stopping="optimal")),
        search(*what, replace(options, stopping="opennmt")),
        strict=True,
    ):
        assert optimal.num_steps <= opennmt.num_steps
        if optimal.outcome == "complete":
            assert optimal.hypotheses[0].log_prob >= opennmt.hypotheses[0].log_prob


@pytest.mark.parametrize(
    ("score", "share"), [("normalised", 0.96), ("log_prob", 0.5), ("bounded_length_reward", 0.6)], ids=SCORES
)
def test_optimal_stopping_saves_steps(score, share):
    """Otherwise the theorem would hold of a rule that never stops."""
    num_steps = {"optimal": 0, "all_finished": 0}
    for seed in range(4):
        for stopping in num_steps:
            options = SearchOptions(
                beam=4, nbest=2, pruning_threshold=None, stopping=stopping, score=score, length_reward=0.5
            )
            model = ToyModel(WORDS.size, seed)
            (result,) = search(model, [SentenceConstraints(())], WORDS, [30], options, target_length=4)
            num_steps[stopping] += result.num_steps
    assert num_steps["optimal"] < share * num_steps["all_finished"]


class SureOnceBegun(ToyModel):
    """Ends at once with one probability, or else goes on with "a", and from then on leaves nothing to chance.

    The end comes behind `length` tokens, itself counted.
    """

    def __init__(self, end: float, length: int) -> None:
        super().__init__(WORDS.size, seed=0)
        self._end, self._length = end, length

    def log_probs(self, sentence, history):
        probabilities = torch.zeros(self.vocabulary_size, dtype=torch.float64)
        (going_on,) = WORDS.ids("a")
        if len(history) == 1:
            probabilities[END], probabilities[going_on] = self._end, 1 - self._end
        else:
            probabilities[END if len(history) == self._length else going_on] = 1.0
        return probabilities.log()


@given(end=st.floats(0.01, 0.99), max_length=st.integers(2, 12), score=st.sampled_from(SCORES))
def test_optimal_stopping_waits_only_if_some_model_could_still_improve(end, max_length, score):
    """For this model the bound is what comes of the row: with a lower one, another answer than the best would do."""
    options = SearchOptions(beam=2, nbest=1, pruning_threshold=None, score=score, length_reward=0.3)
    scoring = Scoring(score, 0.3, target_length=5)
    model = SureOnceBegun(end, max_length)
    early, late = scoring.score(math.log(end), 1), scoring.score(math.log(1 - end), max_length)
    assume(abs(early - late) > 1e-6)
    (result,) = search(model, [SentenceConstraints(())], WORDS, [max_length], options, target_length=5)
    assert result.num_steps == (1 if early > late else max_length)
    assert result.hypotheses[0].score == pytest.approx(max(early, late), abs=1e-6)


class Scripted(ToyModel):
    """Gives the likely continuations of a history; all others share what is left."""

    def __init__(self, probabilities: dict[tuple[int, ...], dict[int, float]]) -> None:
        super().__init__(WORDS.size, seed=0)
        self._probabilities = probabilities

    def log_probs(self, sentence, history):
        likely = self._probabilities.get(tuple(history[1:]), {})
        rest = (1 - sum(likely.values())) / (self.vocabulary_size - len(likely))
        return torch.tensor([likely.get(token, rest) for token in range(self.vocabulary_size)]).log()


A, B = WORDS.ids("a b")
# "" ends with 0.3 while "a" is ahead with 0.6; then "a" ends with 0.6 * 0.4 = 0.24.
EARLY_IS_BEST = Scripted({(): {END: 0.3, A: 0.6}, (A,): {END: 0.4, B: 0.3}, (A, B): {END: 0.9}})


@pytest.mark.parametrize(
    ("stopping", "answers", "num_steps", "why"),
    [
        ("optimal", [()], 2, "0.3 is above whatever goes on after two steps"),
        ("opennmt", [(A,)], 2, "the top of the beam is finished at 0.24; what finished before is forgotten"),
        ("first_finished", [()], 1, "the first"),
        ("shrinking", [()], 2, "two places, both gone"),
        ("beam_finished", [()], 2, "two finished"),
        ("all_finished", [()], 6, "the limit"),
    ],
)
def test_each_rule_stops_where_it_should(stopping, answers, num_steps, why):
    options = SearchOptions(beam=2, nbest=1, pruning_threshold=None, stopping=stopping, score="log_prob")
    (result,) = search(EARLY_IS_BEST, [SentenceConstraints(())], WORDS, [6], options)
    assert [found.tokens[:-1] for found in result.hypotheses] == answers, why
    assert result.num_steps == num_steps, why


@pytest.mark.parametrize(
    ("score", "best", "why"),
    [
        ("log_prob", (), "0.3 against 0.24 and 0.162"),
        ("normalised", (A, B), "ln 0.162 / 3 = -0.61 against ln 0.24 / 2 = -0.71 and ln 0.3 = -1.20"),
        ("bounded_length_reward", (A,), "ln 0.24 + 2 * 1 = 0.57 against ln 0.162 + 2 = 0.18 and ln 0.3 + 1 = -0.20"),
    ],
)
def test_score_chooses_the_best(score, best, why):
    options = SearchOptions(beam=3, nbest=1, pruning_threshold=None, stopping="optimal", score=score, length_reward=1.0)
    (result,) = search(EARLY_IS_BEST, [SentenceConstraints(())], WORDS, [6], options, target_length=2)
    assert result.hypotheses[0].tokens[:-1] == best, why


def test_options_override_the_length_reward_of_the_model():
    options = SearchOptions(score="bounded_length_reward")
    assert Scoring.of(options, 10, ratio=1.2, reward=0.5) == Scoring("bounded_length_reward", 0.5, 12.0)
    own = replace(options, length_reward=1.0, length_ratio=2.0)
    assert Scoring.of(own, 10, ratio=1.2, reward=0.5) == Scoring("bounded_length_reward", 1.0, 20.0)
    assert Scoring.of(replace(own, score="log_prob"), 10, None, None) == Scoring("log_prob")


@pytest.mark.parametrize("missing", ["length_reward", "length_ratio"])
def test_model_without_length_rewards_is_refused_for_that_score(missing):
    values = {"ratio": 1.0, "reward": 1.0, missing.removeprefix("length_"): None}
    with pytest.raises(InvalidRequest, match=f"no {missing} .* engine.train lengths"):
        Scoring.of(SearchOptions(score="bounded_length_reward"), 10, **values)


@pytest.mark.parametrize(
    "given",
    [{"score": "best"}, {"length_reward": -0.1}, {"length_ratio": float("nan")}, {"length_reward": float("inf")}],
)
def test_invalid_options_are_refused(given):
    with pytest.raises(InvalidRequest, match=next(iter(given))):
        SearchOptions(**given)
