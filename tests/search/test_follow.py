"""Smallest change: the cost of leaving a previous text, and searches that rank by it, against slow twins."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from engine.search.follow import REQUIRED_CHANGES, FollowedText, Following
from engine.search.phrases import SentenceConstraints
from engine.search.sentence import Sentence
from engine.search.stopping import Scoring
from engine.search_options import MAX_BEAM, Score, SearchOptions, Stopping
from tests.budget import rounds
from tests.reference.changes import slow_cost, slow_penalty
from tests.reference.search import enumerate_all
from tests.reference.toy import BEGIN, END, PUNCTUATED, WORDS, LogitsDecoder, ToyDecoder, ToyModel, ToyTexts, toy_stream
from tests.search.test_enumeration import LETTERS, LONGEST, random_constraints
from tests.search.test_stopping import search

TEXTS = (WORDS, PUNCTUATED)


def random_text(texts: ToyTexts, rng: random.Random, strength: float | None = None) -> FollowedText:
    """A previous text of up to 6 pieces, of which some are required."""
    pieces = tuple(rng.randrange(2, texts.size) for _ in range(rng.randint(0, 6)))
    required = frozenset(rng.sample(range(len(pieces)), rng.randint(0, len(pieces)) // 2))
    return FollowedText(pieces, strength or rng.choice([0.3, 1.0, 4.0]), required=required)


def outcome(result):
    return [(found.tokens, found.log_prob, found.score, found.penalty) for found in result.hypotheses]


def test_cost_is_the_least_number_of_changes_however_many_texts_share_the_tables():
    rng = random.Random(1)
    for _ in range(rounds(30, 300)):
        texts = {
            number: rng.choice([None, random_text(WORDS, rng)]) if number else random_text(WORDS, rng)
            for number in range(4)
        }
        following, numbers = Following(texts, 5), np.arange(4)
        written = [[rng.randrange(2, WORDS.size) for _ in range(7)] for _ in numbers]
        costs = following.start(numbers, [()] * 4)
        for length in range(8):
            going, ended = following.penalties(numbers, costs), following.end_penalties(numbers, costs)
            for number, text in texts.items():
                tokens = written[number][:length]
                assert going[number] == pytest.approx(slow_penalty(text, tokens, END))
                assert ended[number] == pytest.approx(slow_penalty(text, [*tokens, END], END))
            if length < 7:
                costs = following.after(numbers, costs, np.array([tokens[length] for tokens in written]))


def test_cost_never_falls_as_a_text_grows():
    """So scores are bounded as without it."""
    rng = random.Random(2)
    for _ in range(rounds(30, 300)):
        text = random_text(WORDS, rng)
        written = [rng.randrange(2, WORDS.size) for _ in range(8)]
        costs = [slow_cost(text, written[:length], has_ended=False) for length in range(9)]
        assert costs == sorted(costs)
        assert slow_cost(text, written, has_ended=True) >= costs[-1]


def test_likely_pieces_are_all_that_cost_less_than_a_strange_one():
    rng = random.Random(3)
    strange = WORDS.size
    for _ in range(rounds(30, 300)):
        text = random_text(WORDS, rng)
        following, number = Following({0: text}, 1), np.array([0])
        costs = following.start(number, [[rng.randrange(2, WORDS.size) for _ in range(rng.randint(0, 5))]])
        penalty, likely = following.likely(number, costs)
        assert penalty[0] == following.penalties(number, following.after(number, costs, np.array([strange])))[0]
        for piece in range(2, WORDS.size):
            after = following.penalties(number, following.after(number, costs, np.array([piece])))[0]
            assert (after < penalty[0]) == (piece in likely[0])


@pytest.mark.parametrize("has_phrases", [True, False])
def test_wide_beam_finds_the_best_of_all_sequences(has_phrases):
    rng, sizes = random.Random(f"{has_phrases}"), []
    for case in range(rounds(20, 400)):
        constraints = replace(random_constraints(LETTERS, rng), prefix=None) if has_phrases else SentenceConstraints()
        max_length = max(5, 1 + sum(phrase.num_constraint_tokens for phrase in constraints.phrases))
        num_pieces = len(LETTERS.pieces)
        beam = (num_pieces + 1) * num_pieces ** (max_length - 2)
        if max_length > LONGEST or beam > MAX_BEAM:
            continue
        model, followed = ToyModel(LETTERS.size, seed=case), random_text(LETTERS, rng)
        options = SearchOptions(beam=beam, nbest=4, pruning_threshold=None)
        (result,) = search(model, [constraints], LETTERS, [max_length], options, followed=[followed])
        best = enumerate_all(model, 0, constraints, LETTERS, max_length, followed=followed)
        found = [item for item in result.hypotheses if item.is_satisfying]
        assert [item.ranking_score for item in found] == pytest.approx([hyp.score for hyp in best[:4]]), (
            case,
            followed,
        )
        assert [item.penalty for item in found[:1]] == pytest.approx([hyp.penalty for hyp in best[:1]])
        assert [item.score for item in found] == [item.log_prob / len(item.tokens) for item in found]
        sizes.append(len(best))
    assert sum(map(bool, sizes)) > rounds(20, 400) / 4


@pytest.mark.parametrize("decoder", [ToyDecoder, LogitsDecoder])
def test_without_phrases_it_is_beam_search_by_probability_less_changes_and_keeps_the_nearest(decoder):
    for case in range(rounds(8, 80)):
        rng = random.Random(case)
        model, beam, followed = ToyModel(WORDS.size, seed=case), 1 + case % 5, random_text(WORDS, rng)
        options = SearchOptions(beam=beam, nbest=beam, pruning_threshold=None, stopping="all_finished")
        sentence = Sentence(SentenceConstraints(), 8, options, Scoring(), 0, followed)
        (ended,) = toy_stream(model, WORDS, decoder).run([sentence])
        rows, finished = [((), 0.0)], {}
        for step in range(1, 9):
            longer = []
            for tokens, log_prob in rows:
                values = model.log_probs(0, (BEGIN, *tokens)).tolist()
                allowed = [END] if step == 8 else range(1, WORDS.size)
                longer += [((*tokens, token), log_prob + values[token]) for token in allowed]
            longer = [(log_prob - slow_penalty(followed, tokens, END), tokens, log_prob) for tokens, log_prob in longer]
            nearest = min(longer, key=lambda item: (slow_penalty(followed, item[1], END), -item[0]))
            longer = sorted(longer, key=lambda item: -item[0])
            longer = longer[:beam] + [nearest] * (nearest not in longer[:beam])
            for total, tokens, _ in longer:
                if tokens[-1] == END:
                    text, score = WORDS.text(tokens), total / len(tokens)
                    if text not in finished or finished[text][0] < score:
                        finished[text] = (score, tokens)
            rows = [(tokens, log_prob) for _, tokens, log_prob in longer if tokens[-1] != END]
            if not rows:
                break
        best = sorted(finished.values(), key=lambda item: -item[0])[:beam]
        assert [found.tokens for found in ended.result.hypotheses] == [tokens for _, tokens in best], (case, followed)


@pytest.mark.parametrize("score", get_args(Score))
def test_optimal_stopping_equals_running_to_the_end(score):
    rng, saved = random.Random(score), 0
    for case in range(rounds(8, 100)):
        texts = rng.choice(TEXTS)
        constraints = [replace(random_constraints(texts, rng), prefix=None) for _ in range(3)]
        followed = [None, random_text(texts, rng), random_text(texts, rng)]
        lengths = [sum(p.num_constraint_tokens for p in item.phrases) + rng.randint(3, 14) for item in constraints]
        options = SearchOptions(
            beam=rng.randint(1, 6), nbest=rng.randint(1, 3), score=score, length_reward=0.5, pruning_threshold=None
        )
        what = ToyModel(texts.size, seed=case), constraints, texts, lengths
        early, late = (
            search(*what, replace(options, stopping=stopping), target_length=5, followed=followed)
            for stopping in ("optimal", "all_finished")
        )
        assert list(map(outcome, early)) == list(map(outcome, late))
        saved += sum(other.num_steps - one.num_steps for one, other in zip(early, late, strict=True))
    assert saved > 0


@pytest.mark.parametrize("stopping", get_args(Stopping))
@pytest.mark.parametrize("schedule", ["stream", "batch", "fifo"])
def test_sentence_alone_equals_sentence_in_batch(schedule, stopping):
    """Whether the others follow a text or not; those that follow none are as in a batch in which none does."""
    rng = random.Random(f"{schedule} {stopping}")
    for case in range(rounds(2, 20)):
        texts, model = rng.choice(TEXTS), ToyModel(TEXTS[0].size + 2, seed=case)
        model.vocabulary_size = texts.size
        sentences = []
        for number in range(7):
            constraints = random_constraints(texts, rng)
            num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
            options = SearchOptions(
                beam=rng.randint(1, 5),
                nbest=rng.randint(1, 3),
                stopping=stopping,
                max_children=rng.choice([None, 2]),
                finished=rng.choice(["leave", "leave", "keep"]),
            )
            followed = rng.choice([None, random_text(texts, rng)])
            sentences.append(
                Sentence(constraints, num_tokens + rng.randint(4, 12), options, Scoring(), number, followed)
            )
        together = toy_stream(model, texts, batch_size=4, schedule=schedule, refill_share=0.7).run(sentences)
        for sentence, ended in zip(sentences, together, strict=True):
            (alone,) = toy_stream(model, texts).run([sentence])
            assert ended.error is alone.error is None
            assert outcome(ended.result) == outcome(alone.result), (case, sentence)
            assert ended.result.num_steps == alone.result.num_steps


@pytest.mark.parametrize("stopping", ["optimal", "opennmt", "shrinking"])
def test_a_text_is_kept_if_nothing_contradicts_and_changes_cost_more_than_any_probability(stopping):
    rng = random.Random(4)
    for case in range(rounds(10, 100)):
        texts = rng.choice(TEXTS)
        followed = random_text(texts, rng, strength=1e6)
        options = SearchOptions(beam=rng.randint(1, 5), nbest=1, stopping=stopping)
        model = ToyModel(texts.size, seed=case, sharpness=4.0)
        (result,) = search(model, [SentenceConstraints()], texts, [12], options, followed=[followed])
        assert result.hypotheses[0].tokens == (*followed.pieces, END)
        assert result.hypotheses[0].penalty == 0.0


def test_required_phrase_changes_as_little_as_it_can_if_changes_cost_more_than_any_probability():
    for case in range(rounds(10, 100)):
        rng = random.Random(case)
        pieces = tuple(rng.choice(WORDS.ids("a b")) for _ in range(5))
        phrase = WORDS.ids("a@@ b@@ a")  # "aba"
        followed, options = FollowedText(pieces, strength=1000.0), SearchOptions(beam=8, nbest=1)
        constraints = SentenceConstraints((WORDS.phrase("a@@ b@@ a"),))
        model = ToyModel(WORDS.size, seed=case)
        (result,) = search(model, [constraints], WORDS, [20], options, followed=[followed])
        placed = [(*pieces[:first], *phrase, *pieces[last:]) for last in range(6) for first in range(last + 1)]
        assert "aba" in WORDS.text(result.hypotheses[0].tokens).split()
        assert result.hypotheses[0].penalty == min(slow_penalty(followed, (*text, END), END) for text in placed)


def test_answer_is_never_worse_than_a_previous_text_that_meets_all_constraints():
    """However narrow the beam, and however far back in the text the phrases are: banks alone would drop that text."""
    rng, num_kept = random.Random(5), 0
    for case in range(rounds(20, 400)):
        words = [rng.choice(["a", "b", "a@@ b", "b@@ a a"]) for _ in range(rng.randint(1, 5))]
        pieces = WORDS.ids(" ".join(words))
        phrases = [WORDS.phrase(spelling) for spelling in {*words} if rng.random() < 0.6]
        followed = FollowedText(pieces, rng.choice([0.1, 1.0, 5.0, 100.0, 100.0]))
        options = SearchOptions(beam=rng.randint(1, 4), nbest=1, pruning_threshold=None)
        model, constraints = ToyModel(WORDS.size, seed=case), SentenceConstraints(tuple(phrases))
        (result,) = search(model, [constraints], WORDS, [30], options, followed=[followed])
        tokens, log_prob = (*pieces, END), 0.0
        for place, token in enumerate(tokens):
            log_prob += float(model.log_probs(0, (BEGIN, *tokens[:place]))[token])
        assert result.hypotheses[0].ranking_score >= log_prob / len(tokens) - 1e-6, (case, followed)
        num_kept += result.hypotheses[0].tokens == tokens
    assert rounds(20, 400) > num_kept > 5


def test_required_word_stays_in_its_place_also_if_another_place_of_the_text_has_it():
    """Alone, the other one meets the requirement, so the model may remove the word at the price of one change."""
    pieces, phrase, num_removed = WORDS.ids("a b b a b"), WORDS.phrase("a"), 0
    for case in range(rounds(20, 100)):
        model, options = ToyModel(WORDS.size, seed=case), SearchOptions(beam=8, nbest=1, score="log_prob")
        found = []
        for required in (frozenset({3}), frozenset[int]()):
            followed = FollowedText(pieces, 0.5, required=required)
            (result,) = search(model, [SentenceConstraints((phrase,))], WORDS, [8], options, followed=[followed])
            found.append(result.hypotheses[0])
        firm, loose = found
        assert firm.penalty < 0.5 * REQUIRED_CHANGES
        text = FollowedText(pieces, 1.0, required=frozenset({3}))
        num_removed += slow_penalty(text, loose.tokens, END) >= REQUIRED_CHANGES
    assert num_removed > 3


def test_edit_moves_the_required_pieces_behind_it():
    text = FollowedText((5, 6, 7, 8), 1.0, required=frozenset({0, 1, 3}))
    edited = text.edited(1, 3, (9, 9, 9))
    assert (edited.pieces, edited.required) == ((5, 9, 9, 9, 8), {0, 4})
    inserted = text.edited(1, 1, (9,))
    assert (inserted.pieces, inserted.required) == ((5, 9, 6, 7, 8), {0, 2, 4})


def test_forced_prefix_costs_nothing():
    for prefix in ("a b", "b b b", "a a a a a"):
        pieces = WORDS.ids(prefix)
        followed, number = FollowedText(WORDS.ids("a b a b"), 5.0), np.array([0])
        following = Following({0: followed}, 1)
        costs = following.start(number, [pieces])
        assert following.penalties(number, costs)[0] == 0.0
        least = slow_cost(followed, pieces, has_ended=False)
        rest = slow_cost(followed, pieces, has_ended=True) - least
        assert following.end_penalties(number, costs)[0] == 5.0 * rest
