"""The search against all there is: a beam wide enough finds the best satisfying sequences of random models, always.

Run once with 1,500 each: 2,588 of the 3,000 were short enough to look at all, 2,560 of these have a satisfying
sequence, and the search found the best of each. The first 120 had found that a prefix was counted too long near the
length limit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.search.phrases import AvoidedText, Prefix, SentenceConstraints
from engine.search.tracker import ConstraintTracker
from engine.search_options import MAX_BEAM, SearchOptions
from tests.budget import rounds
from tests.reference.search import Limit, enumerate_all
from tests.reference.toy import ToyModel, ToyTexts, random_phrases, with_heads
from tests.search.test_beam import search_all
from tests.search.walking import walk_on

NUM_CASES = rounds(40, 500)
LONGEST = 6
LETTERS = ToyTexts(("a", "b", "a@@"))
NUMBERS = ToyTexts(("a", "1", "￭,", "￭,￭"))


def random_constraints(texts: ToyTexts, rng: random.Random, num_ordered: int = 0) -> SentenceConstraints:
    """Phrases, texts in order of which the last may have to end the sentence, avoided texts, now and then a prefix."""
    phrases = random_phrases(texts, rng, max_phrases=1 if num_ordered else 2, max_pieces=2)
    phrases = [with_heads(phrase, rng) for phrase in phrases]
    ordered = random_phrases(texts, rng, num_ordered, max_pieces=2, may_hang=True)
    phrases += [replace(phrase, count=1, turn=turn) for turn, phrase in enumerate(ordered)]
    if ordered and rng.random() < 0.4:
        phrases[-1] = replace(phrases[-1], ends_text=True)
    forms = {form for phrase in phrases for form in phrase.forms}
    avoided = [text for text in ("a", "b", "a b", "ab", "b a", "1", "1,1", "a 1", "1, a") if text not in forms]
    chosen = rng.sample(avoided, rng.choice([0, 1, 1, 2]))
    written = [rng.randrange(2, texts.size) for _ in range(rng.choice([0, 0, 1, 2]))]
    prefix = None
    if written:
        text = texts.text(written) + rng.choice(["", " "]) * (not texts.glues_right[written[-1]])
        prefix = Prefix(text, tuple(written[:-1]))
    return SentenceConstraints(tuple(phrases), tuple(AvoidedText(item) for item in chosen), prefix)


def assert_equal_to_enumeration(
    texts: ToyTexts, constraints: SentenceConstraints, case: int, limit: Limit | None = None
) -> int | None:
    """How many texts satisfy a random model's sentence; None where it would be too long to look at all."""
    num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
    num_prefix = len(constraints.prefix.pieces) + 1 if constraints.prefix else 0
    max_length = max(5, num_prefix + num_tokens + 1)  # with less, a request is infeasible
    num_pieces = len(texts.pieces)
    beam = (num_pieces + 1) * num_pieces ** (max_length - 2)  # every candidate of the last step but one
    if max_length > LONGEST or beam > MAX_BEAM:
        return None
    model = ToyModel(texts.size, seed=case)
    options = SearchOptions(beam=beam, nbest=4, pruning_threshold=None, stopping="optimal")
    (result,) = search_all(model, [constraints], texts, [max_length], options)
    satisfying = enumerate_all(model, 0, constraints, texts, max_length, limit)
    found = [item for item in result.hypotheses if item.is_satisfying]
    assert [item.score for item in found] == pytest.approx([hyp.score for hyp in satisfying[:4]]), (case, constraints)
    assert [item.tokens for item in found[:1]] == [hyp.tokens for hyp in satisfying[:1]], (case, constraints)
    return len(satisfying)


def test_wide_beam_finds_the_best_with_phrases_forms_counts_avoids_and_prefixes():
    rng = random.Random(7)
    sizes = []
    for case in range(NUM_CASES):
        texts = NUMBERS if case % 4 == 0 else LETTERS
        sizes.append(assert_equal_to_enumeration(texts, random_constraints(texts, rng), case))
    assert sum(bool(size) for size in sizes) > NUM_CASES / 3


def test_wide_beam_finds_the_best_with_locked_texts_and_a_suffix():
    """Near the length limit the tracker says what is still in time; what satisfies is decided on the text."""
    rng = random.Random(8)
    sizes = []
    for case in range(NUM_CASES):
        texts = NUMBERS if case % 2 == 0 else LETTERS
        constraints = random_constraints(texts, rng, num_ordered=2)
        limit = TrackedLimit(constraints, texts)
        sizes.append(assert_equal_to_enumeration(texts, constraints, case, limit))
    assert sum(bool(size) for size in sizes) > NUM_CASES / 4


class TrackedLimit:
    """What the tracker says must still come."""

    def __init__(self, constraints: SentenceConstraints, texts: ToyTexts) -> None:
        self._tracker = ConstraintTracker([SentenceConstraints(constraints.phrases)], texts)

    def needed(self, tokens: Sequence[int]) -> int:
        walked = walk_on(self._tracker, 0, tokens)
        return walked.missing + walked.closes

    def must_close(self, tokens: Sequence[int]) -> bool:
        return walk_on(self._tracker, 0, tokens).closes

    def forced(self, tokens: Sequence[int]) -> set[int]:
        return walk_on(self._tracker, 0, tokens).forced
