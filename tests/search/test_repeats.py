"""Repeated runs of pieces: their count, and searches that rank by it, against slow twins."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from engine.decoding.constraints import PreparedRequest
from engine.request import Follow, Phrase, Request
from engine.search.phrases import SentenceConstraints
from engine.search.repeats import RUN, is_among, num_repeats, repeating
from engine.search.sentence import Sentence
from engine.search.stopping import Scoring
from engine.search_options import SearchOptions
from tests.budget import rounds
from tests.reference.changes import slow_repeats
from tests.reference.matching import meets_all
from tests.reference.toy import BEGIN, END, WORDS, LogitsDecoder, ToyDecoder, ToyModel, random_phrases, toy_stream


class Rambling(ToyModel):
    """Hardly ever ends, so that it repeats itself."""

    def log_probs(self, sentence, history):
        values = super().log_probs(sentence, history).clone()
        values[END] -= 4.0
        return values.log_softmax(0)


def find(model, sentences, decoder=ToyDecoder, **settings):
    ended = toy_stream(model, WORDS, decoder, **settings).run(sentences)
    assert all(item.error is None for item in ended)
    return [
        [(item.tokens, item.log_prob, item.score, item.ranking_score) for item in one.result.hypotheses]
        for one in ended
    ]


def test_repeats_of_growing_rows_equal_their_definition():
    rng, num_found = random.Random(1), 0
    for _ in range(rounds(40, 400)):
        rows = [[rng.choice([2, 3]) for _ in range(length)] for length in (9, 7, 1)]
        width = 1 + max(map(len, rows))
        tokens_RT = np.array([[BEGIN] * (width - len(row)) + row for row in rows])
        again_RM = repeating(tokens_RT)
        for number, row in enumerate(rows):
            assert num_repeats(row) == slow_repeats(row, RUN)
            for piece in (2, 3, END):
                more = slow_repeats([*row, piece], RUN) - slow_repeats(row, RUN)
                found = is_among(again_RM, np.array([number]), np.array([piece]))
                assert found[0] == more
                num_found += more
    assert num_found > 0


PENALTY = 2.0


def slow_rank(row, max_repeats: int) -> float:
    """The log-probability of a sequence less its repeats, without the end."""
    tokens, log_prob = row
    return log_prob - PENALTY * max(0, slow_repeats([token for token in tokens if token != END], RUN) - max_repeats)


@pytest.mark.parametrize("decoder", [ToyDecoder, LogitsDecoder])
def test_without_phrases_it_is_beam_search_by_probability_less_repeats(decoder):
    num_changed = 0
    for case in range(rounds(15, 60)):
        model, beam, most = Rambling(WORDS.size, seed=case), 2 + case % 4, case % 2
        options = SearchOptions(
            beam=beam, nbest=beam, pruning_threshold=None, stopping="all_finished", repetition_penalty=PENALTY
        )
        sentence = Sentence(SentenceConstraints(), 14, options, Scoring("log_prob"), 0, max_repeats=most)
        (found,) = find(model, [sentence], decoder)
        rows, best = [((), 0.0)], {}
        for step in range(1, 15):
            longer = []
            for tokens, log_prob in rows:
                values = model.log_probs(0, (BEGIN, *tokens)).tolist()
                allowed = [END] if step == 14 else range(1, WORDS.size)
                longer += [((*tokens, token), log_prob + values[token]) for token in allowed]
            longer.sort(key=lambda row: -slow_rank(row, most))
            for row in longer[:beam]:
                text = WORDS.text(row[0])
                if row[0][-1] == END and (text not in best or slow_rank(row, most) > slow_rank(best[text], most)):
                    best[text] = row
            rows = [row for row in longer[:beam] if row[0][-1] != END]
        expected = sorted(best.values(), key=lambda row: -slow_rank(row, most))[:beam]
        assert [item[0] for item in found] == [row[0] for row in expected]
        assert [item[3] for item in found] == pytest.approx([slow_rank(row, most) for row in expected], abs=1e-4)
        num_changed += any(item[2] != item[3] for item in found)
    assert num_changed


def random_sentences(rng: random.Random) -> list[Sentence]:
    found = []
    for number in range(6):
        phrases = random_phrases(WORDS, rng, max_phrases=2)
        options = SearchOptions(
            beam=rng.randint(1, 5),
            nbest=rng.randint(1, 3),
            max_children=rng.choice([None, 1, 2]),
            repetition_penalty=rng.choice([0.0, 1.0, 100.0]),
            pruning_threshold=None,
        )
        length = sum(phrase.num_constraint_tokens for phrase in phrases) + rng.randint(6, 14)
        constraints = SentenceConstraints(tuple(phrases))
        found.append(Sentence(constraints, length, options, Scoring(), number, max_repeats=rng.randint(0, 1)))
    return found


def test_optimal_stopping_equals_running_to_the_end_and_alone_equals_in_batch():
    rng, num_changed = random.Random(2), 0
    for case in range(rounds(8, 60)):
        sentences, model = random_sentences(rng), Rambling(WORDS.size, seed=case)
        late = [replace(item, options=replace(item.options, stopping="all_finished")) for item in sentences]
        early = find(model, sentences, batch_size=3, refill_share=0.7)
        assert early == find(model, late, batch_size=6)
        assert early == [find(model, [item])[0] for item in sentences]
        num_changed += any(item[2] != item[3] for found in early for item in found)
    assert num_changed


def test_phrases_are_met_however_large_the_penalty():
    rng = random.Random(3)
    for case in range(rounds(8, 60)):
        sentences = random_sentences(rng)
        for sentence, found in zip(sentences, find(Rambling(WORDS.size, seed=case), sentences), strict=True):
            assert all(meets_all(WORDS.text(item[0]), sentence.constraints.phrases) for item in found)


def test_repeats_that_the_request_asks_for_are_free(codec):
    phrase = "alle Knoten der Einstellungen"
    in_phrase = len(codec.encode(phrase).ids) - RUN + 1

    def most(source: str = "Save it.", **settings) -> int:
        return PreparedRequest.of(Request(source, **settings), "en-de", codec, max_pieces=200).max_repeats

    assert in_phrase > 0
    assert most() == most(phrases=[Phrase(phrase)]) == 0
    assert most(phrases=[Phrase(phrase, count=2)]) == most(locked=[phrase, phrase]) == in_phrase
    assert most(follow=Follow(f"{phrase} {phrase}")) >= in_phrase
    assert most("Save the settings for all nodes. Save the settings for all nodes.") > 0
