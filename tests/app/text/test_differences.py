"""The steps between two sequences of words, and that texts of the largest size are compared in a bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import pytest

from app.reports.word_origins import _kept
from app.segments.clean_texts import MAX_TARGET_CHARACTERS
from app.segments.proposal_view import _runs
from app.segments.revision import changed_words, revision_runs
from app.text import differences
from app.text.differences import steps_between
from app.tm.similarity import runs_between
from engine import Hypothesis


@pytest.mark.parametrize("limit", [0, differences.MAX_COMPARED])
def test_steps_lead_from_one_sequence_to_the_other(limit: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(differences, "MAX_COMPARED", limit)
    random = Random(1)
    for _ in range(200):
        before, after = (random.choices("abcd", k=random.randrange(12)) for _ in range(2))
        built: list[str] = []
        place = 0
        for operation, first, last, to, stop in steps_between(before, after):
            assert (first, to) == (place, len(built))
            assert (before[first:last] == after[to:stop]) == (operation == "equal")
            built += after[to:stop]
            place = last
        assert (place, built) == (len(before), after)


def hypothesis(text: str) -> Hypothesis:
    return Hypothesis(text, 0.0, 0.0, (), (), ())


COMPARE: dict[str, Callable[[str, str], object]] = {
    "revision": revision_runs,
    "changed words": changed_words,
    "memory": runs_between,
    "translations": lambda one, two: _runs(hypothesis(one), hypothesis(two), ()),
    "origins": lambda one, two: _kept(
        tuple((word, "typed") for word in one.split()), tuple((word, "mt") for word in two.split())
    ),
}
HALF = MAX_TARGET_CHARACTERS // 2
RANDOM = Random(2)
LONGEST = {
    "one word again and again": ("a " * HALF, "b " + "a " * (HALF - 2) + "c"),
    "two words": tuple(" ".join(RANDOM.choices("ab", k=HALF)) for _ in range(2)),
    "other words": (" ".join(RANDOM.choices("abcdefgh", k=HALF)), " ".join(RANDOM.choices("ijklmnop", k=HALF))),
}


@pytest.mark.parametrize("texts", LONGEST)
@pytest.mark.parametrize("name", COMPARE)
def test_texts_of_the_largest_size_are_compared_in_seconds(name: str, texts: str):
    one, two = LONGEST[texts]
    assert max(len(one), len(two)) > MAX_TARGET_CHARACTERS - 10
    begun = time.process_time()
    COMPARE[name](one, two)
    assert time.process_time() - begun < 10  # difflib takes hours
