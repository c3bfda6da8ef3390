"""The search against its slow twin, against enumeration, and against plain beam search."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from engine.search.phrases import AvoidedText, Prefix, SentenceConstraints, TrackedPhrase
from engine.search.sentence import Sentence, SentenceResult
from engine.search.stopping import Scoring
from engine.search_options import SearchOptions
from tests.budget import rounds
from tests.interruptions import InterruptedBy
from tests.reference.matching import count_met, meets_all
from tests.reference.search import slow_search
from tests.reference.toy import BEGIN, END, PUNCTUATED, WORDS, ToyModel, ToyTexts, random_phrases, toy_stream


def search(
    model: ToyModel,
    phrases: Sequence[Sequence[TrackedPhrase]],
    texts: ToyTexts,
    max_lengths: Sequence[int],
    options: SearchOptions | Sequence[SearchOptions],
    numbers: Sequence[int] | None = None,
    **settings,
) -> list[SentenceResult]:
    constraints = [SentenceConstraints(tuple(of_sentence)) for of_sentence in phrases]
    return search_all(model, constraints, texts, max_lengths, options, numbers, **settings)


def search_all(
    model: ToyModel,
    constraints: Sequence[SentenceConstraints],
    texts: ToyTexts,
    max_lengths: Sequence[int],
    options: SearchOptions | Sequence[SearchOptions],
    numbers: Sequence[int] | None = None,
    **settings,
) -> list[SentenceResult]:
    options = options if isinstance(options, Sequence) else [options] * len(constraints)
    sentences = [
        Sentence(item, max_length, own, Scoring(own.score), number, **settings)
        for item, max_length, own, number in zip(
            constraints, max_lengths, options, numbers or range(len(constraints)), strict=True
        )
    ]
    ended = toy_stream(model, texts, batch_size=len(sentences)).run(sentences)
    assert all(item.error is None for item in ended)
    return [item.result for item in ended if item.result is not None]


def lists(results: Sequence[SentenceResult]) -> list[list[tuple[int, ...]]]:
    return [[found.tokens for found in result.hypotheses] for result in results]


def random_case(rng: random.Random, texts: ToyTexts, max_phrases: int = 3):
    phrases = random_phrases(texts, rng, max_phrases)
    num_tokens = sum(phrase.num_constraint_tokens for phrase in phrases)
    return phrases, num_tokens + rng.randint(2, 6)


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
@pytest.mark.parametrize("stopping", ["beam_finished", "optimal"])
def test_every_step_agrees_with_the_slow_twin(texts, stopping):
    rng = random.Random(6)
    for case in range(rounds(15, 60)):
        phrases, max_length = random_case(rng, texts)
        options = SearchOptions(
            beam=rng.randint(1, 6),
            nbest=rng.randint(1, 4),
            pruning_threshold=rng.choice([None, 3.0, 20.0]),
            pruning=rng.choice(["full_list", "first_finished"]),
            crowding=rng.choice(["topmost", "spread"]),
            stopping=stopping,
            bank_threshold=rng.choice([None, None, 0.5, 2.0]),
            max_children=rng.choice([None, None, 1, 2]),
        )
        model = ToyModel(texts.size, seed=case)
        (result,) = search(model, [phrases], texts, [max_length], options)
        slow, _ = slow_search(model, 0, phrases, texts, max_length, options)
        found = [item for item in result.hypotheses if item.is_satisfying]
        assert [item.tokens for item in found] == [hyp.tokens for hyp in slow], (case, phrases, max_length, options)
        assert [item.log_prob for item in found] == pytest.approx([hyp.log_prob for hyp in slow])


def test_without_phrases_it_is_plain_beam_search():
    for case in range(rounds(15, 60)):
        model, beam = ToyModel(WORDS.size, seed=case), 1 + case % 5
        options = SearchOptions(beam=beam, nbest=beam, pruning_threshold=None, stopping="beam_finished")
        (result,) = search(model, [[]], WORDS, [8], options)
        rows, finished = [((), 0.0)], {}
        num_finished = 0
        for step in range(1, 9):
            longer = []
            for tokens, log_prob in rows:
                values = model.log_probs(0, (BEGIN, *tokens)).tolist()
                tokens_allowed = [END] if step == 8 else range(1, WORDS.size)
                longer += [((*tokens, token), log_prob + values[token]) for token in tokens_allowed]
            longer = sorted(longer, key=lambda item: -item[1])[:beam]
            for tokens, log_prob in longer:
                if tokens[-1] == END:
                    num_finished += 1
                    text, score = WORDS.text(tokens), log_prob / len(tokens)
                    if text not in finished or finished[text][0] < score:
                        finished[text] = (score, tokens)
            rows = [item for item in longer if item[0][-1] != END]
            if num_finished >= beam and len(finished) >= beam:
                break
        best = sorted(finished.values(), key=lambda item: -item[0])[:beam]
        assert [found.tokens for found in result.hypotheses] == [tokens for _, tokens in best]


@pytest.mark.parametrize("finished", ["leave", "keep"])
def test_sentence_alone_equals_sentence_in_batch(finished):
    rng = random.Random(8)
    for case in range(rounds(15, 60)):
        model = ToyModel(PUNCTUATED.size, seed=case)
        cases = [random_case(rng, PUNCTUATED, max_phrases=rng.randint(0, 3)) for _ in range(rng.randint(2, 5))]
        phrases, lengths = [c[0] for c in cases], [c[1] for c in cases]
        options = SearchOptions(beam=rng.randint(1, 6), nbest=3, finished=finished)
        together = lists(search(model, phrases, PUNCTUATED, lengths, options))
        for number in range(len(cases)):
            alone = search(model, [phrases[number]], PUNCTUATED, [lengths[number]], options, numbers=[number])
            assert lists(alone)[0] == together[number], (case, number)


def test_pruning_inside_banks_keeps_every_phrase_within_reach():
    """The tightest pruning leaves one row a bank and what takes a phrase forward, so everything is still met."""
    rng = random.Random(13)
    for case in range(rounds(10, 40)):
        phrases, max_length = random_case(rng, WORDS)
        options = SearchOptions(beam=8, nbest=2, pruning_threshold=None, bank_threshold=0.0, max_children=1)
        (result,) = search(ToyModel(WORDS.size, seed=case), [phrases], WORDS, [max_length], options)
        assert result.outcome == "complete", (case, phrases, max_length)
        assert all(meets_all(WORDS.text(found.tokens), phrases) for found in result.hypotheses)


def test_sentences_of_different_options_share_a_batch_as_if_alone():
    rng = random.Random(14)
    for case in range(rounds(8, 30)):
        model = ToyModel(PUNCTUATED.size, seed=case)
        cases = [random_case(rng, PUNCTUATED, max_phrases=2) for _ in range(4)]
        options = [
            SearchOptions(
                beam=rng.randint(1, 8),
                nbest=rng.randint(1, 3),
                pruning_threshold=rng.choice([None, 3.0]),
                bank_threshold=rng.choice([None, 1.0]),
                max_children=rng.choice([None, 2]),
                finished=rng.choice(["leave", "keep"]),
                stopping=rng.choice(["optimal", "beam_finished", "first_finished", "shrinking"]),
            )
            for _ in cases
        ]
        together = search(model, [c[0] for c in cases], PUNCTUATED, [c[1] for c in cases], options)
        for number, (phrases, max_length) in enumerate(cases):
            (alone,) = search(model, [phrases], PUNCTUATED, [max_length], options[number], numbers=[number])
            assert alone == together[number], (case, number)


@pytest.mark.parametrize("beam", [1, 2, 5, 10])
def test_every_item_of_the_list_meets_every_phrase(beam):
    rng = random.Random(9)
    for case in range(rounds(20, 80)):
        phrases, max_length = random_case(rng, WORDS)
        options = SearchOptions(beam=beam, nbest=beam)
        (result,) = search(ToyModel(WORDS.size, seed=case), [phrases], WORDS, [max_length], options)
        assert result.outcome == "complete", (case, phrases, max_length)
        written = [WORDS.text(found.tokens) for found in result.hypotheses]
        assert all(meets_all(text, phrases) for text in written)
        assert len(set(written)) == len(written), "no two items have the same text"
        assert all(found.tokens[-1] == END and len(found.tokens) <= max_length for found in result.hypotheses)


@pytest.mark.parametrize("beam", [1, 3, 10])
def test_ordered_texts_and_endings_are_found_with_any_beam(beam):
    rng = random.Random(10)
    for case in range(rounds(15, 60)):
        ordered = [replace(phrase, count=1) for phrase in random_phrases(PUNCTUATED, rng, 3, max_pieces=2)]
        ordered = [replace(phrase, turn=turn) for turn, phrase in enumerate(ordered)]
        if ordered and case % 2:
            ordered[-1] = replace(ordered[-1], ends_text=True)
        phrases = [*random_phrases(PUNCTUATED, rng, 1), *ordered]
        max_length = sum(phrase.num_constraint_tokens for phrase in phrases) + rng.choice([1, 1, 2, 3, 8])
        model = ToyModel(PUNCTUATED.size, seed=case)
        (result,) = search(model, [phrases], PUNCTUATED, [max_length], SearchOptions(beam=beam, nbest=beam))
        assert result.outcome == "complete", (case, phrases, max_length)
        assert all(meets_all(PUNCTUATED.text(found.tokens), phrases) for found in result.hypotheses)


def test_row_ends_if_its_best_continuation_would_break_a_phrase_at_the_limit():
    """ "a b1 a b1 1" may end; the model would rather join "," to it, which leaves no time to write the "1" again."""
    phrases = [PUNCTUATED.phrase("a b@@ 1", count=2), replace(PUNCTUATED.phrase("1", "1@@ 1"), turn=0)]
    options = SearchOptions(beam=1, nbest=1)
    for seed in (21, 22, 26, 31, 32):
        model = ToyModel(PUNCTUATED.size, seed)
        (result,) = search(model, [phrases], PUNCTUATED, [9], options)
        assert result.outcome == "complete", seed
        slow, _ = slow_search(model, 0, phrases, PUNCTUATED, 9, options)
        assert lists([result]) == [[hyp.tokens for hyp in slow]]


def test_row_ends_before_an_avoided_text_that_it_has_no_time_to_extend():
    """After "b", the end of "a" in "a@@" would need another piece to be no avoided "a", and there is no time."""
    texts = ToyTexts(("a", "b", "a@@"))

    class LovesOpenWords(ToyModel):
        def log_probs(self, sentence, history):
            return torch.tensor([0.0, 1.0, 1.0, 2.0, 3.0]).log_softmax(0)  # "a@@" before "b" before the end and "a"

    constraints = SentenceConstraints((texts.phrase("b"),), (AvoidedText("a"),))
    model = LovesOpenWords(texts.size, seed=0)
    (result,) = search_all(model, [constraints], texts, [3], SearchOptions(beam=1, nbest=1))
    assert result.outcome == "complete"
    assert "b" in texts.text(result.hypotheses[0].tokens).split()


def test_phrase_is_placed_even_when_the_limit_leaves_no_step_to_spare():
    phrases = [WORDS.phrase("a b"), WORDS.phrase("b@@ a")]
    (result,) = search(ToyModel(WORDS.size, seed=1), [phrases], WORDS, [5], SearchOptions(beam=2))
    assert result.outcome == "complete"
    assert {WORDS.text(found.tokens) for found in result.hypotheses} <= {"a b ba", "ba a b"}


@pytest.mark.parametrize(
    ("prefix", "pieces", "why"),
    [
        ("ab", "a@@", "the prefix closes its open word itself"),
        ("ab ", "a@@ b", "the space at its end comes with the phrase"),
        ("ab ", "a@@", "also behind an open last word"),
    ],
)
def test_phrase_is_placed_after_a_prefix_even_when_the_limit_leaves_no_step_to_spare(prefix, pieces, why):
    constraints = SentenceConstraints((WORDS.phrase("b"),), prefix=Prefix(prefix, WORDS.ids(pieces)))
    (result,) = search_all(ToyModel(WORDS.size, seed=1), [constraints], WORDS, [4], SearchOptions(beam=2))
    assert [WORDS.text(found.tokens) for found in result.hypotheses] == ["ab b"], why
    assert result.outcome == "complete"


def test_a_hundred_phrases_are_met_in_one_sentence():
    texts = ToyTexts(tuple(f"w{number}" for number in range(100)))
    phrases = [texts.phrase(piece) for piece in texts.pieces]
    (result,) = search(ToyModel(texts.size, seed=1), [phrases], texts, [103], SearchOptions(beam=2, nbest=2))
    assert result.outcome == "complete"
    assert all(set(texts.text(found.tokens).split()) == set(texts.pieces) for found in result.hypotheses)


def test_phrase_that_the_model_never_writes_is_forced_once():
    """Scores stay the model's own; the phrase stands once, as the search never repeats what is met."""
    model = ToyModel(WORDS.size, seed=3, sharpness=6.0)
    (free,) = search(model, [[]], WORDS, [12], SearchOptions(beam=4))
    phrase = WORDS.phrase("b a@@ b")
    (forced,) = search(model, [[phrase]], WORDS, [15], SearchOptions(beam=4))
    assert forced.outcome == "complete"
    for found in forced.hypotheses:
        assert count_met(WORDS.text(found.tokens), phrase) >= 1
        history = (BEGIN, *found.tokens)
        scores = [float(model.log_probs(0, history[: i + 1])[token]) for i, token in enumerate(found.tokens)]
        assert list(found.token_log_probs) == pytest.approx(scores)
        assert found.log_prob == pytest.approx(sum(scores))
    assert free.hypotheses[0].score >= forced.hypotheses[0].score - 1e-9


def test_nan_scores_fail_only_their_sentence():
    class Broken(ToyModel):
        def log_probs(self, sentence, history):
            values = super().log_probs(sentence, history)
            return torch.full_like(values, torch.nan) if sentence == 1 and len(history) > 2 else values

    model, whole = Broken(WORDS.size, seed=2), ToyModel(WORDS.size, seed=2)
    phrases = [[WORDS.phrase("a b")]] * 3
    results = search(model, phrases, WORDS, [9] * 3, SearchOptions(beam=3))
    assert [result.outcome for result in results] == ["complete", "failed", "complete"]
    unbroken = search(whole, phrases, WORDS, [9] * 3, SearchOptions(beam=3))
    assert lists(results)[0] == lists(unbroken)[0]
    assert lists(results)[2] == lists(unbroken)[2]


@pytest.mark.parametrize("num_steps", [2, 3])
@pytest.mark.parametrize("reason", ["deadline", "cancelled"])
def test_interruption_acts_within_a_step_and_a_deadline_keeps_the_best_so_far(reason, num_steps):
    model, longest = ToyModel(WORDS.size, 5), [0]

    class Noting(ToyModel):
        def log_probs(self, sentence, history):
            longest.append(len(history))
            return model.log_probs(sentence, history)

    def interruption():
        return reason if max(longest) > num_steps else None

    options = SearchOptions(beam=3, stopping="optimal")
    phrases = [[WORDS.phrase("a b b")], []]
    results = search(Noting(WORDS.size, 5), phrases, WORDS, [20, 20], options, interruption=InterruptedBy(interruption))
    assert [(result.outcome, result.num_steps) for result in results] == [(reason, num_steps)] * 2
    assert [bool(result.hypotheses) for result in results] == [reason == "deadline"] * 2
    efforts = results[0].hypotheses
    assert [effort.num_missing for effort in efforts] == sorted(effort.num_missing for effort in efforts)


@pytest.mark.parametrize("finished", ["leave", "keep"])
def test_pruning_leaves_the_list_full_unless_it_begins_with_the_first_finished(finished):
    rng = random.Random(13)
    lengths = {"full_list": 0, "first_finished": 0, "off": 0}
    for case in range(rounds(10, 40)):
        phrases, max_length = random_case(rng, WORDS)
        model = ToyModel(WORDS.size, seed=case)
        options = SearchOptions(beam=5, nbest=4, finished=finished, pruning_threshold=2.0)
        for name in lengths:
            own = replace(options, pruning_threshold=None) if name == "off" else replace(options, pruning=name)
            (result,) = search(model, [phrases], WORDS, [max_length + 4], own)
            lengths[name] += len(result.hypotheses)
    assert lengths["first_finished"] < lengths["full_list"] == lengths["off"]


def test_kept_hypotheses_take_up_places_as_in_the_paper():
    """With finished="keep" a beam of k ends with at most k finished hypotheses alive, so fewer are found in all."""
    model = ToyModel(WORDS.size, seed=11)
    leave = SearchOptions(beam=4, nbest=50, pruning_threshold=None)
    (left,) = search(model, [[]], WORDS, [12], leave)
    (kept,) = search(model, [[]], WORDS, [12], replace(leave, finished="keep"))
    assert kept.outcome == left.outcome == "complete"
    assert kept.num_steps <= 12


def test_first_finished_stops_at_the_first():
    options = SearchOptions(beam=4, stopping="first_finished")
    (first,) = search(ToyModel(WORDS.size, seed=12), [[]], WORDS, [15], options)
    (all_,) = search(ToyModel(WORDS.size, seed=12), [[]], WORDS, [15], SearchOptions(beam=4))
    assert first.num_steps <= all_.num_steps
    assert all(len(found.tokens) == first.num_steps for found in first.hypotheses)
