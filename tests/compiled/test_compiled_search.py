"""The compiled search gives exactly the results of the Python search: pieces, scores, outcomes, steps, and rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from threading import Event, current_thread
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiled.c_interface import Core
from engine.interruption import Interruption
from engine.search import compiled
from engine.search.compiled import CompiledSearch, CompiledSearchError
from engine.search.phrases import AvoidedText, Prefix, SentenceConstraints, TrackedPhrase
from engine.search.sentence import Sentence
from engine.search.stopping import Scoring
from engine.search_options import MAX_BEAM, Crowding, Finished, Pruning, Score, SearchOptions, Stopping
from tests.budget import rounds
from tests.compiled.both_searches import compiled_search, python_search
from tests.reference.search import enumerate_all
from tests.reference.toy import PUNCTUATED, WORDS, RoundedModel, ToyModel, ToyTexts, toy_vocabulary
from tests.search.test_byte_pieces import CUT, CUT_FORMS, FORMS, ByteTexts
from tests.search.test_byte_pieces import TEXTS as BYTES
from tests.search.test_enumeration import LETTERS, LONGEST, NUMBERS, random_constraints
from tests.search.test_follow import random_text

# 70 pieces: more than two blocks of logits, with sentences, abbreviations, and words of common beginnings
MANY = ToyTexts(
    (
        *("a", "b", "a@@", "b@@", "￭,", "￭.", "￭!", '￭"', '"￭', "1", "1@@", "￭,￭", "A", "A@@", "￭1", "a.b"),
        *(first + second for first in "abcdef" for second in "aeiou"),
        *(first + second + "@@" for first in "abcd" for second in "aeiou"),
        *("Ab", "aB", "Ba", "ba.", "￭-￭"),
    )
)
TINY = (WORDS, PUNCTUATED, LETTERS, NUMBERS, MANY)


@cache
def search_for(core: Core, texts: ToyTexts, writes_surfaces: bool = False) -> CompiledSearch:
    vocabulary = replace(toy_vocabulary(texts), writes_surfaces=writes_surfaces)
    return CompiledSearch(core.functions, vocabulary)


def random_options(rng: random.Random) -> SearchOptions:
    return SearchOptions(
        beam=rng.choice([1, 2, 3, 5, 8, 20]),
        nbest=rng.choice([1, 2, 4, 8]),
        score=rng.choice(get_args(Score)),
        stopping=rng.choice([*get_args(Stopping), "optimal", "optimal"]),
        finished=rng.choice(["leave", "leave", *get_args(Finished)]),
        pruning_threshold=rng.choice([None, 0.5, 3.0, 20.0]),
        pruning=rng.choice(get_args(Pruning)),
        bank_threshold=rng.choice([None, None, 0.5, 2.0]),
        max_children=rng.choice([None, None, 1, 2, 3]),
        crowding=rng.choice(get_args(Crowding)),
        late_penalty=rng.choice([0.0, 0.0, 1.5]),
        repetition_penalty=rng.choice([0.0, 0.0, 0.7]),
        length_reward=0.5,
    )


def varied(phrase: TrackedPhrase, rng: random.Random) -> TrackedPhrase:
    """The phrase with another boundary, or with a limit to its occurrences."""
    if phrase.turn is None and rng.random() < 0.3:
        return replace(phrase, max_count=phrase.count + rng.choice([0, 1]))
    if rng.random() < 0.3:
        return replace(phrase, boundary=rng.choice(["start", "anywhere"]))
    return phrase


def with_shared_form(constraints: SentenceConstraints, rng: random.Random) -> SentenceConstraints:
    """The constraints with one phrase more that shares a form with another, if there is one that may."""
    free = [phrase for phrase in constraints.phrases if phrase.turn is None and phrase.max_count is None]
    if not free or rng.random() < 0.7:
        return constraints
    return replace(constraints, phrases=(*constraints.phrases, replace(rng.choice(free), count=1)))


def with_initial_forms(phrase: TrackedPhrase, rng: random.Random) -> TrackedPhrase:
    """The phrase, or one of which the last form counts only where a sentence begins."""
    if len(phrase.forms) < 2 or phrase.heads or rng.random() < 0.5:
        return phrase
    return replace(phrase, initial=frozenset([len(phrase.forms) - 1]))


def random_bytes_sentence(texts: ByteTexts, forms: Sequence[str], rng: random.Random) -> Sentence:
    """A sentence with phrases, avoided texts and a prefix that pieces with bytes write."""
    phrases = []
    for form in rng.choices(forms, k=rng.choice([0, 1, 1, 2])):  # of two of the same form, each has its own occurrence
        boundary = rng.choice(["word", "word", "start", "anywhere"])
        phrases.append(TrackedPhrase((form,), (texts.spelling(form),), boundary, rng.choice([1, 1, 2])))
    if len(phrases) == 1 and rng.random() < 0.4:
        phrases = [replace(phrases[0], max_count=phrases[0].count)]
    avoided = [AvoidedText(form, rng.random() < 0.3) for form in rng.sample(forms, rng.choice([0, 0, 1, 2]))]
    prefix = None
    if rng.random() < 0.4:
        spelling = texts.spelling(rng.choice(forms))
        text, num_fixed = texts.text(spelling.pieces), rng.randrange(len(spelling.pieces) + 1)
        prefix = Prefix(text, spelling.pieces[:num_fixed], ignores_case=not num_fixed and rng.random() < 0.5)
    return random_sentence(texts, rng, SentenceConstraints(tuple(phrases), tuple(avoided), prefix))


def random_sentence(
    texts: ToyTexts | ByteTexts, rng: random.Random, constraints: SentenceConstraints | None = None
) -> Sentence:
    """A sentence with options and, unless they are given, constraints of every kind, each with its own probability."""
    is_given, constraints = constraints is not None, constraints or SentenceConstraints()
    if rng.random() < 0.8 and not is_given:
        constraints = random_constraints(texts, rng, num_ordered=rng.choice([0, 0, 1, 2]))
        phrases = (varied(with_initial_forms(phrase, rng), rng) for phrase in constraints.phrases)
        constraints = with_shared_form(replace(constraints, phrases=tuple(phrases)), rng)
    if rng.random() < 0.2:
        avoided = tuple(replace(item, ignores_case=True) for item in constraints.avoided)
        prefix = constraints.prefix and replace(constraints.prefix, ignores_case=True)
        constraints = replace(constraints, avoided=avoided, prefix=prefix)
    num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
    num_prefix = len(constraints.prefix.pieces) + 1 if constraints.prefix else 0
    options = random_options(rng)
    return Sentence(
        constraints,
        num_prefix + num_tokens + rng.choice([1, 2, 3, 5, 9, 14]),
        options,
        Scoring(options.score, 0.5, rng.choice([2.0, 6.5])),
        source=rng.randrange(3),
        followed=random_text(texts, rng) if rng.random() < 0.4 else None,
        max_sentences=rng.choice([1, 2]),
        max_repeats=rng.choice([0, 1]),
    )


@pytest.mark.parametrize("writes_surfaces", [True, False])
@pytest.mark.parametrize("texts", TINY)
def test_results_are_those_of_the_python_search(core, texts, writes_surfaces):
    rng, search = random.Random(f"{writes_surfaces}"), search_for(core, texts, writes_surfaces)
    for case in range(rounds(15, 1500)):
        of_model = rng.choice([ToyModel, ToyModel, RoundedModel])
        model, sentence = of_model(texts.size, case), random_sentence(texts, rng)
        found = compiled_search(model, sentence, search)
        assert found == python_search(model, texts, sentence), (case, sentence)


@pytest.mark.parametrize(("texts", "forms"), [(BYTES, FORMS), (CUT, CUT_FORMS)])
def test_results_are_those_of_the_python_search_for_pieces_with_bytes(core, texts, forms):
    rng, search = random.Random(5), search_for(core, texts)
    for case in range(rounds(40, 3000)):
        model = ToyModel(len(texts.surfaces), case, rng.choice([0.5, 2.0]))
        sentence = random_bytes_sentence(texts, forms, rng)
        assert compiled_search(model, sentence, search) == python_search(model, texts, sentence), (case, sentence)


@settings(max_examples=rounds(30, 1000))
@given(seed=st.integers(0, 10**9), texts=st.sampled_from(range(len(TINY))))
def test_results_are_those_of_the_python_search_for_other_seeds(core, seed, texts):
    rng, texts = random.Random(seed), TINY[texts]
    model, sentence = ToyModel(texts.size, seed, rng.choice([0.5, 2.0, 6.0])), random_sentence(texts, rng)
    found = compiled_search(model, sentence, search_for(core, texts))
    assert found == python_search(model, texts, sentence), sentence


def test_random_sentences_have_every_kind_of_constraint_and_of_outcome(core):
    """So the tests above compare what they should."""
    rng = random.Random(7)
    sentences = [random_sentence(MANY, rng) for _ in range(300)]
    phrases = [phrase for sentence in sentences for phrase in sentence.constraints.phrases]
    assert {phrase.boundary for phrase in phrases} == {"word", "start", "anywhere"}
    for is_one in (
        lambda phrase: phrase.turn is not None,
        lambda phrase: phrase.ends_text,
        lambda phrase: phrase.max_count is not None,
        lambda phrase: phrase.count > 1,
        lambda phrase: phrase.heads,
        lambda phrase: phrase.initial,
        lambda phrase: len(phrase.forms) > 1,
    ):
        assert sum(map(bool, map(is_one, phrases))) > 3
    constraints = [sentence.constraints for sentence in sentences]
    assert sum(len({form for one in c.phrases for form in one.forms}) < len(c.phrases) for c in constraints) > 3
    for ignores_case in (False, True):
        assert sum(text.ignores_case == ignores_case for own in constraints for text in own.avoided) > 3
        assert sum(own.prefix.ignores_case == ignores_case for own in constraints if own.prefix) > 3
    results = [compiled_search(ToyModel(MANY.size, 1), s, search_for(core, MANY)).result for s in sentences]
    assert {result.outcome for result in results} == {"complete", "unmet"}


@pytest.mark.parametrize("length", [5, 16])
def test_bytes_of_characters_are_written_as_by_the_python_search(core, length):
    search = search_for(core, BYTES)
    for seed in range(rounds(15, 400)):
        model, form = ToyModel(len(BYTES.surfaces), seed), FORMS[seed % len(FORMS)]
        phrases = (TrackedPhrase((form,), (BYTES.spelling(form),)),) * (seed % 2)
        avoided = (AvoidedText("aé"),) * (seed % 3 == 0)
        options = SearchOptions(beam=4, nbest=4, stopping="all_finished")
        sentence = Sentence(SentenceConstraints(phrases, avoided), length, options, source=0)
        assert compiled_search(model, sentence, search) == python_search(model, BYTES, sentence), seed


def test_wide_beam_finds_the_best_of_all_sequences(core):
    rng, sizes = random.Random(3), []
    for case in range(rounds(30, 400)):
        constraints = random_constraints(LETTERS, rng)
        num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
        num_prefix = len(constraints.prefix.pieces) + 1 if constraints.prefix else 0
        max_length = max(5, num_prefix + num_tokens + 1)
        num_pieces = len(LETTERS.pieces)
        beam = (num_pieces + 1) * num_pieces ** (max_length - 2)  # every candidate of the last step but one
        if max_length > LONGEST or beam > MAX_BEAM:
            continue
        model = ToyModel(LETTERS.size, seed=case)
        options = SearchOptions(beam=beam, nbest=4, pruning_threshold=None)
        sentence = Sentence(constraints, max_length, options, source=0)
        result = compiled_search(model, sentence, search_for(core, LETTERS)).result
        best = enumerate_all(model, 0, constraints, LETTERS, max_length)
        found = [item for item in result.hypotheses if item.is_satisfying]
        assert [item.score for item in found] == pytest.approx([hyp.score for hyp in best[:4]]), (case, constraints)
        assert [item.tokens for item in found[:1]] == [hyp.tokens for hyp in best[:1]], (case, constraints)
        sizes.append(len(best))
    assert sum(map(bool, sizes)) > rounds(30, 400) / 4


def test_second_search_with_the_same_constraints_gives_the_same(core):
    rng, search = random.Random(4), CompiledSearch(core.functions, toy_vocabulary(MANY))
    for case in range(30):
        model, sentence = ToyModel(MANY.size, case), random_sentence(MANY, rng)
        first = compiled_search(model, sentence, search)
        assert compiled_search(model, sentence, search) == first
        others = replace(sentence, source=sentence.source + 1, followed=None)
        assert compiled_search(model, others, search) == python_search(model, MANY, others)


def test_scores_that_are_not_numbers_fail_the_sentence(core):
    class Broken(ToyModel):
        def log_probs(self, sentence, history):
            values = super().log_probs(sentence, history)
            return torch.full_like(values, torch.nan) if len(history) > 3 else values

    for case in range(10):
        model = Broken(WORDS.size, case)
        sentence = Sentence(SentenceConstraints((WORDS.phrase("a b"),)), 9, SearchOptions(beam=3), source=0)
        found = compiled_search(model, sentence, search_for(core, WORDS))
        assert found.result.outcome == "failed"
        assert found == python_search(model, WORDS, sentence)


class _After(Interruption):
    """Interrupts with a cause once the model has computed prefixes of more than `num_pieces` pieces."""

    is_possible = True

    def __init__(self, cause, num_pieces):
        super().__init__()
        self._cause, self._num_pieces, self.longest = cause, num_pieces, 0

    def cause(self):
        return self._cause if self.longest > self._num_pieces else None


@pytest.mark.parametrize("cause", ["deadline", "cancelled"])
@pytest.mark.parametrize("num_pieces", [-1, 0, 2, 3])
def test_interruption_ends_the_search_as_in_python(core, cause, num_pieces):
    class Watched(ToyModel):
        def log_probs(self, sentence, history):
            interruption.longest = max(interruption.longest, len(history) - 1)
            return super().log_probs(sentence, history)

    for phrases in ((), (WORDS.phrase("a b b"),)):
        results = []
        for run in (
            lambda sentence: compiled_search(Watched(WORDS.size, 5), sentence, search_for(core, WORDS)),
            lambda sentence: python_search(Watched(WORDS.size, 5), WORDS, sentence),
        ):
            interruption = _After(cause, num_pieces)
            options = SearchOptions(beam=3)
            sentence = Sentence(SentenceConstraints(phrases), 20, options, source=0, interruption=interruption)
            results.append(run(sentence).result)
        assert results[0] == results[1]
        assert results[0].outcome == cause


def test_step_of_many_rows_is_interrupted_between_them(core):
    class Noting(ToyModel):
        def log_probs(self, sentence, history):
            interruption.longest = len(history) - 1
            computed.append(len(history) - 1)
            return super().log_probs(sentence, history)

    interruption, model, computed = _After("cancelled", 2), Noting(MANY.size, 5), []
    options = SearchOptions(beam=500, pruning_threshold=None)
    sentence = Sentence(SentenceConstraints(), 20, options, source=0, interruption=interruption)
    found = compiled_search(model, sentence, search_for(core, MANY))
    assert found.result.num_steps == 3
    assert [computed.count(2) > 400, computed.count(3)] == [True, 32]


def test_cancel_before_the_first_step_needs_no_step(core):
    cancel = Event()
    cancel.set()
    options = SearchOptions(beam=3)
    sentence = Sentence(SentenceConstraints(), 20, options, source=0, interruption=Interruption(cancel))
    found = compiled_search(ToyModel(WORDS.size, 5), sentence, search_for(core, WORDS))
    assert (found.result.outcome, found.num_model_steps) == ("cancelled", 0)


def test_numbers_that_describe_no_constraints_are_refused(core, monkeypatch):
    """However they are changed or cut, they are refused, or the search ends as usual."""
    rng, num_refused, of_constraints = random.Random(8), 0, compiled._in_numbers

    def changed(*arguments):
        numbers = of_constraints(*arguments)
        numbers[rng.randrange(len(numbers))] = rng.choice([-(2**31), -2, -1, 0, 1, 3, 70, 2**20, 2**31 - 1])
        return numbers[: rng.choice([len(numbers), len(numbers), rng.randrange(len(numbers))])]

    monkeypatch.setattr(compiled, "_in_numbers", changed)
    for case in range(rounds(60, 3000)):
        sentence = random_sentence(MANY, rng)
        try:
            compiled_search(ToyModel(MANY.size, case), sentence, CompiledSearch(core.functions, toy_vocabulary(MANY)))
        except CompiledSearchError:
            num_refused += 1
    assert num_refused > 20


def test_constraints_with_many_states_are_forgotten_after_the_search(core, monkeypatch):
    monkeypatch.setattr(compiled, "_MAX_LEARNED", 20)
    search = CompiledSearch(core.functions, toy_vocabulary(MANY))
    options = SearchOptions(beam=5)
    for text, is_kept in (("ba", False), (None, True)):
        phrases = (MANY.phrase(text),) if text else ()
        compiled_search(ToyModel(MANY.size, 1), Sentence(SentenceConstraints(phrases), 9, options, source=0), search)
        assert bool(search._kept) == is_kept


@pytest.mark.parametrize("is_large", [False, True])
def test_large_constraints_are_freed_in_another_thread(core, monkeypatch, is_large):
    """A model is free again for others at once, not only after the memory of millions of states is."""
    search, freed_by, freed = CompiledSearch(core.functions, toy_vocabulary(MANY)), [], Event()
    free = core.functions.pinpoint_search_constraints_free

    def noted(handle):
        freed_by.append(current_thread())
        free(handle)
        freed.set()

    sentence = Sentence(SentenceConstraints((MANY.phrase("ba"),)), 9, SearchOptions(beam=5), source=0)
    compiled_search(ToyModel(MANY.size, 1), sentence, search)
    monkeypatch.setattr(compiled, "_MAX_FREED_AT_ONCE", 20 if is_large else 2**13)
    monkeypatch.setattr(core.functions, "pinpoint_search_constraints_free", noted)
    search._forget(sentence.constraints)
    assert freed.wait(10)
    assert (freed_by == [current_thread()]) != is_large


class _BrokenText(Exception):
    pass


def test_exception_in_a_callback_is_raised_by_the_search(core):
    def broken(tokens):
        raise _BrokenText

    search = CompiledSearch(core.functions, replace(toy_vocabulary(WORDS), text_of=broken))
    sentence = Sentence(SentenceConstraints(), 9, SearchOptions(beam=3), source=0)
    with pytest.raises(_BrokenText):
        compiled_search(ToyModel(WORDS.size, 5), sentence, search)


def test_searches_in_several_threads_give_the_same(core):
    rng = random.Random(6)
    sentences = [random_sentence(MANY, rng) for _ in range(40)]
    alone = [compiled_search(ToyModel(MANY.size, 1), s, search_for(core, MANY)) for s in sentences]

    def searched(numbers: range) -> list[object]:
        search = CompiledSearch(core.functions, toy_vocabulary(MANY))
        return [compiled_search(ToyModel(MANY.size, 1), sentences[n], search) for n in numbers]

    with ThreadPoolExecutor(4) as pool:
        together = [found for part in pool.map(searched, [range(n, 40, 4) for n in range(4)]) for found in part]
    assert together == [alone[n] for first in range(4) for n in range(first, 40, 4)]
