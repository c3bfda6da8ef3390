"""What dynamic beam allocation is measured against: grid beam search, and greedy search, against obvious twins."""

from __future__ import annotations

import random

import pytest

from engine.search.phrases import SentenceConstraints
from engine.search.sentence import Sentence
from engine.search_options import SearchOptions
from tests.reference.grid import GridBeamSearch
from tests.reference.matching import meets_all
from tests.reference.search import enumerate_all, slow_search
from tests.reference.toy import BEGIN, END, PUNCTUATED, WORDS, ToyModel, random_phrases, toy_stream


def grid_search(model, texts, sentences):
    ended = toy_stream(model, texts, batch_size=len(sentences), search=GridBeamSearch).run(sentences)
    return [item.result for item in ended]


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
def test_grid_beam_search_agrees_with_its_slow_twin(texts):
    rng = random.Random(31)
    for case in range(20):
        phrases = random_phrases(texts, rng, max_phrases=2)
        max_length = sum(phrase.num_constraint_tokens for phrase in phrases) + rng.randint(2, 6)
        options = SearchOptions(
            beam=rng.randint(1, 4),
            nbest=rng.randint(1, 4),
            pruning_threshold=rng.choice([None, 3.0]),
            stopping=rng.choice(["optimal", "shrinking", "beam_finished"]),
        )
        model = ToyModel(texts.size, seed=case)
        constraints = SentenceConstraints(tuple(phrases))
        (result,) = grid_search(model, texts, [Sentence(constraints, max_length, options, source=0)])
        slow, num_steps = slow_search(model, 0, phrases, texts, max_length, options, is_grid=True)
        found = [item.tokens for item in result.hypotheses if item.is_satisfying]
        assert found == [hyp.tokens for hyp in slow], (case, phrases, max_length, options)
        assert result.num_steps == num_steps, (case, phrases, max_length, options)


def test_wide_grid_equals_enumeration():
    rng, num_found = random.Random(32), 0
    for case in range(25):
        constraints = SentenceConstraints(tuple(random_phrases(WORDS, rng, max_phrases=2, max_pieces=2)))
        model, options = ToyModel(WORDS.size, seed=case), SearchOptions(beam=500, nbest=3, pruning_threshold=None)
        (result,) = grid_search(model, WORDS, [Sentence(constraints, 5, options, source=0)])
        best = enumerate_all(model, 0, constraints, WORDS, 5)[:3]
        found = [item for item in result.hypotheses if item.is_satisfying]
        assert [item.score for item in found] == pytest.approx([hyp.score for hyp in best]), (case, constraints)
        num_found += bool(best)
    assert num_found > 10


def test_grid_gives_every_bank_the_whole_beam():
    """Rows grow with C, and a sentence without phrases is plain beam search."""
    options = SearchOptions(beam=4, nbest=2, pruning_threshold=None, stopping="all_finished")
    model = ToyModel(WORDS.size, seed=5)
    num_rows = {}
    for num_tokens in (0, 1, 3, 6):
        phrases = [WORDS.phrase("a b a", count=2) if num_tokens == 6 else WORDS.phrase(" ".join("aba"[:num_tokens]))]
        constraints = SentenceConstraints(tuple(phrases) if num_tokens else ())
        stream = toy_stream(model, WORDS, search=GridBeamSearch)
        (ended,) = stream.run([Sentence(constraints, 20, options, source=0)])
        num_rows[num_tokens] = stream.counts.expansions_per_step
        assert all(meets_all(WORDS.text(item.tokens), constraints.phrases) for item in ended.result.hypotheses)
        if not num_tokens:
            (plain,) = toy_stream(model, WORDS).run([Sentence(constraints, 20, options, source=0)])
            assert ended.result == plain.result
    assert num_rows[0] <= 4 < num_rows[1] < num_rows[3] < num_rows[6]
    assert num_rows[6] > 4 * num_rows[0]


def test_beam_of_one_is_greedy():
    for case in range(40):
        model, options = ToyModel(WORDS.size, seed=case), SearchOptions(beam=1, nbest=1, stopping="first_finished")
        (ended,) = toy_stream(model, WORDS).run([Sentence(SentenceConstraints(()), 8, options, source=0)])
        tokens: list[int] = []
        while END not in tokens:
            values = model.log_probs(0, (BEGIN, *tokens)).tolist()
            values[BEGIN] = float("-inf")
            tokens.append(max(range(WORDS.size), key=values.__getitem__) if len(tokens) < 7 else END)
        assert [item.tokens for item in ended.result.hypotheses] == [tuple(tokens)], case
