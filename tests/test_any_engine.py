"""The interface of engines: whatever crosses it can be pickled, and its plain data comes without PyTorch."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import is_dataclass
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    Alternative,
    AlternativesQuestion,
    Avoid,
    Datastore,
    EngineFacts,
    EngineStatistics,
    Follow,
    Hypothesis,
    LearningQuestion,
    Phrase,
    PivotTranslation,
    Placement,
    PlacesQuestion,
    PriceQuestion,
    Pricing,
    Reason,
    Request,
    ScoreQuestion,
    SearchOptions,
    SpellingQuestion,
    StoredPair,
    Translation,
    translator_questions,
)

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)
TUPLES_OF_WORDS = st.lists(WORDS, max_size=3).map(tuple)
NUMBERS = st.floats(-50, 0)
OPTIONS = st.builds(SearchOptions, beam=st.integers(1, 8), nbest=st.just(1), places_per_bank=st.integers(0, 2))
REQUESTS = st.builds(
    Request,
    WORDS,
    direction=st.none() | st.just("en-de"),
    phrases=st.lists(st.builds(Phrase, WORDS, TUPLES_OF_WORDS, case=st.sampled_from(("exact", "auto"))), max_size=3),
    avoid=st.lists(st.builds(Avoid, WORDS), max_size=2),
    prefix=st.text(st.characters(codec="utf-8"), max_size=5),
    locked=TUPLES_OF_WORDS,
    follow=st.none() | st.builds(Follow, WORDS, strength=st.floats(0, 9)),
    formality=st.sampled_from((None, "formal", "informal")),
)
QUESTIONS: dict[type, st.SearchStrategy[Any]] = {
    PriceQuestion: st.builds(PriceQuestion, REQUESTS, OPTIONS),
    AlternativesQuestion: st.builds(
        AlternativesQuestion, REQUESTS, st.lists(st.integers(0, 9)).map(tuple), st.just(1), st.just(5), OPTIONS
    ),
    PlacesQuestion: st.builds(PlacesQuestion, REQUESTS, st.just(0), st.just(5)),
    ScoreQuestion: st.builds(ScoreQuestion, REQUESTS, WORDS),
    SpellingQuestion: st.builds(SpellingQuestion, TUPLES_OF_WORDS),
    LearningQuestion: st.builds(LearningQuestion, REQUESTS, WORDS, st.tuples(st.integers(), st.integers())),
}
HYPOTHESES = st.builds(
    Hypothesis,
    WORDS,
    NUMBERS,
    NUMBERS,
    st.just((1, 2)),
    st.tuples(NUMBERS, NUMBERS),
    st.just(((0, 1), (1, 1))),
    placements=st.lists(st.builds(Placement, st.just(0), WORDS, st.just(0), st.just(1)), max_size=1).map(tuple),
)
TRANSLATIONS = st.one_of(
    st.builds(
        made,
        REQUESTS,
        st.sampled_from(("complete", "unmet", "failed")),
        st.lists(HYPOTHESES, max_size=2).map(tuple),
        st.lists(st.builds(Reason, st.just("crashed"), WORDS), max_size=1).map(tuple),
    )
    for made in (Translation, PivotTranslation)
)
ANSWERS = st.one_of(
    TRANSLATIONS,
    st.builds(Pricing, NUMBERS, st.just((None,)), st.just(()), TRANSLATIONS, TRANSLATIONS),
    st.lists(st.builds(Alternative, WORDS, NUMBERS, HYPOTHESES), max_size=2).map(tuple),
    st.dictionaries(WORDS, st.none() | WORDS, max_size=2),
    st.just(EngineFacts("en-de", ("en-de",), {"en-de": ("formal",)}, ("talks",), "abc")),
    st.just(EngineStatistics(1, 2, 3, 0, 9, 12.5, None, 0.5)),
)


def test_plain_data_of_the_engine_does_not_import_pytorch():
    modules = "engine, engine.request, engine.translation, engine.translator_questions, engine.any_engine"
    code = f"import sys, {modules}; print(sorted({{'torch', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_every_question_is_pickled_in_this_file():
    named = {value for value in vars(translator_questions).values() if is_dataclass(value) and hasattr(value, "steps")}
    assert named == set(QUESTIONS)


@settings(max_examples=60, deadline=None)
@given(st.one_of(REQUESTS, OPTIONS, *QUESTIONS.values(), ANSWERS))
def test_data_at_the_interface_is_unchanged_by_pickling(sent: Any):
    received = pickle.loads(pickle.dumps(sent))
    assert type(received) is type(sent)
    assert received == sent


def test_datastore_is_the_same_after_pickling():
    states = torch.nn.functional.normalize(torch.randn(5, 8, generator=torch.Generator().manual_seed(1)), dim=1)
    pair = StoredPair((7, 3), states, torch.arange(5), torch.full((5,), -0.5))
    question = PriceQuestion(Request("a"), SearchOptions(), Datastore("abc", pairs=(pair,)))
    received = pickle.loads(pickle.dumps(question)).datastore
    assert received is not None
    assert (received.model, received.origins, received.options) == ("abc", ((7, 3),), Datastore("abc").options)
    table = torch.full((2, 6), -1.8)
    assert torch.equal(received.mix(states[:2], table.clone()), question.datastore.mix(states[:2], table.clone()))
