"""Phrases that share a form, against trying every way to share out what stands in the text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.phrases import SentenceConstraints, Spelling, TrackedPhrase
from engine.search.sharing import SharedForms, groups_that_share
from engine.search_options import SearchOptions
from tests.budget import rounds
from tests.reference.matching import forced_pieces, least_unserved, meets_all, must_close, sharing_groups, total_missing
from tests.reference.search import enumerate_all
from tests.reference.toy import PUNCTUATED, WORDS, ToyModel, ToyTexts
from tests.search.test_beam import search
from tests.search.walking import walk

BANKS = ToyTexts(("Bank", "Banken", "Ufer", "Ufer@@", "New", "York", "City", "und", "Und", "￭."))


@pytest.mark.parametrize(
    ("phrases", "written", "met", "why"),
    [
        (["Bank|Banken", "Bank|Ufer"], "Bank", False, "one occurrence is one phrase's"),
        (["Bank|Banken", "Bank|Ufer"], "Bank Bank", True, "two are enough"),
        (["Bank|Banken", "Bank|Ufer"], "Bank Ufer", True, "the first is left to the one that nothing else meets"),
        (["Bank|Banken", "Bank|Ufer"], "Ufer Bank", True, "in whatever order"),
        (["Bank|Banken", "Bank|Ufer"], "Banken Ufer", True, "each by its own"),
        (["Bank|Banken", "Bank|Ufer"], "Ufer Ufer", False, "both of one"),
        (["Bank|Banken", "Bank|Ufer", "Ufer"], "Bank Ufer Ufer", True, "a chain of three"),
        (["Bank|Banken", "Bank|Ufer", "Ufer"], "Ufer Banken", False, "of three, two"),
        (["Bank*2|Banken", "Bank|Ufer"], "Bank Ufer Bank", True, "one of them twice"),
        (["Bank*2|Banken", "Bank|Ufer"], "Ufer Ufer Bank", False, "not the other"),
        (["York|New York", "York"], "New York", False, "one stands inside the other's form"),
        (["York|New York", "York"], "York New York", True, "the first by itself"),
        (["York City|New York", "New York|Ufer"], "New York City", False, "occurrences that overlap are not separate"),
        (["York City|New York", "New York|Ufer"], "New York City Ufer", True, "the overlapping one is left alone"),
        (["York City|New York", "New York|Ufer"], "New York City ￭. New York", True, "whichever is taken first"),
    ],
)
def test_phrases_that_share_a_form_need_separate_occurrences(phrases, written, met, why):
    tracked = []
    for phrase in phrases:
        count = 2 if "*2" in phrase else 1
        tracked.append(BANKS.phrase(*phrase.replace("*2", "").split("|"), count=count))
    pieces = BANKS.ids(written)
    assert walk(BANKS, tracked, pieces).may_end is met, why
    assert meets_all(BANKS.text(pieces), tracked) is met, why


def test_same_text_with_other_boundaries_is_a_shared_form():
    whole, begun = BANKS.phrase("Ufer"), BANKS.phrase("Ufer", boundary="start")
    for written, met in [("Ufer", False), ("Ufer@@ Bank", False), ("Ufer@@ Bank Ufer", True), ("Ufer Ufer", True)]:
        assert walk(BANKS, [whole, begun], BANKS.ids(written)).may_end is met, written


def test_capitalised_form_can_be_shared_too():
    either, capital = BANKS.phrase("und", "Und"), BANKS.phrase("Und")
    either = replace(either, initial=frozenset({1}))
    for written, met in [("Und", False), ("Und und", True), ("Bank Und Und", False), ("Und ￭. Und", True)]:
        assert walk(BANKS, [either, capital], BANKS.ids(written)).may_end is met, written


def random_sharers(texts: ToyTexts, rng: random.Random, max_pieces: int = 3) -> list[TrackedPhrase]:
    """Two or three phrases of a few forms, so that most share some."""
    starts = [piece for piece in texts.pieces if not piece.startswith("￭")]
    ends = [piece for piece in texts.pieces if not piece.endswith(("@@", "￭"))]
    pool: dict[str, str] = {}
    for _ in range(rng.randint(2, 4)):
        size = rng.randint(1, max_pieces)
        middle = [rng.choice(texts.pieces) for _ in range(size - 2)]
        whole = [piece for piece in starts if piece in ends]
        pieces = [rng.choice(whole)] if size == 1 else [rng.choice(starts), *middle, rng.choice(ends)]
        pool.setdefault(texts.text(texts.ids(" ".join(pieces))), " ".join(pieces))
    forms = list(pool.values())
    phrases = [
        texts.phrase(
            *rng.sample(forms, min(len(forms), rng.choice([1, 2, 2]))),
            count=rng.choice([1, 1, 1, 2]),
            boundary=rng.choice(["word", "word", "word", "start", "anywhere"]),
            heads=rng.sample(forms, rng.choice([0, 0, 0, 1])),
        )
        for _ in range(rng.choice([2, 2, 3]))
    ]
    while sum(phrase.count for phrase in phrases) > 4:  # trying every way takes its time
        phrases.pop()
    return phrases


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
def test_tracker_agrees_with_trying_every_assignment(texts):
    rng = random.Random(21)
    num_shared = num_met = 0
    for _ in range(150):
        phrases = random_sharers(texts, rng)
        pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(0, 8))]
        walked = walk(texts, phrases, pieces)
        case = (texts.text(pieces), phrases)
        assert walked.may_end is meets_all(texts.text(pieces), phrases), case
        assert walked.missing == total_missing(texts, pieces, phrases), case
        assert walked.closes is must_close(texts, pieces, phrases), case
        assert walked.forced == forced_pieces(texts, pieces, phrases), case
        num_shared += len(sharing_groups(phrases)) < len(phrases)
        num_met += walked.may_end
    assert num_shared > 60
    assert num_met > 2


@pytest.mark.parametrize("beam", [1, 3])
def test_every_phrase_is_met_even_without_a_step_to_spare(beam):
    rng = random.Random(22)
    for case in range(rounds(8, 30)):
        texts = (WORDS, PUNCTUATED)[case % 2]
        phrases = random_sharers(texts, rng)
        max_length = sum(phrase.num_constraint_tokens for phrase in phrases) + 1 + case % 3
        model = ToyModel(texts.size, seed=case)
        (result,) = search(model, [phrases], texts, [max_length], SearchOptions(beam=beam, nbest=beam))
        assert result.outcome == "complete", (case, phrases)
        assert all(meets_all(texts.text(found.tokens), phrases) for found in result.hypotheses)


def test_wide_beam_equals_enumeration():
    rng = random.Random(23)
    texts, num_found = ToyTexts(("a", "b", "a@@")), 0
    for case in range(rounds(6, 12)):
        phrases = random_sharers(texts, rng, max_pieces=2)
        max_length = sum(phrase.num_constraint_tokens for phrase in phrases) + 2
        if max_length > 6:
            continue
        model = ToyModel(texts.size, seed=case)
        options = SearchOptions(beam=3**max_length, nbest=4, pruning_threshold=None, stopping="optimal")
        (result,) = search(model, [phrases], texts, [max_length], options)
        best = enumerate_all(model, 0, SentenceConstraints(tuple(phrases)), texts, max_length)[:4]
        assert [item.score for item in result.hypotheses] == pytest.approx([hyp.score for hyp in best]), (case, phrases)
        num_found += bool(best)
    assert num_found > 2


def plain_phrase(count: int, num_pieces: int, forms: Sequence[str]) -> TrackedPhrase:
    spelling = Spelling(0, tuple(range(num_pieces)), tuple(range(num_pieces + 1)))
    return TrackedPhrase(tuple(forms), (spelling,), count=count)


@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(1, 4)), min_size=2, max_size=3),
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 3), st.integers(0, 2)), max_size=6),
)
def test_occurrences_are_assigned_so_that_the_fewest_pieces_are_missing(asked, occurrences):
    phrases = [plain_phrase(count, num_pieces, ["a"]) for count, num_pieces in asked]
    spans = [((start, start + length), number % len(phrases)) for start, length, number in occurrences]
    placed = SharedForms(phrases, range(len(phrases))).placed(spans)
    taken = sorted(span for of_phrase in placed.values() for span in of_phrase)
    assert all(left[1] <= right[0] for left, right in pairwise(taken))
    assert all((span, member) in spans for member, of_phrase in placed.items() for span in of_phrase)
    missing = sum((p.count - len(placed[number])) * p.num_pieces for number, p in enumerate(phrases))
    assert all(len(placed[number]) <= phrase.count for number, phrase in enumerate(phrases))
    fitting = [{span for span, member in spans if member == number} for number in range(len(phrases))]
    assert missing == least_unserved(phrases, fitting)


def test_phrases_with_a_turn_share_nothing():
    phrases = [replace(BANKS.phrase("Bank"), turn=0), BANKS.phrase("Bank"), BANKS.phrase("Ufer")]
    assert groups_that_share(phrases) == []
    assert [group.members for group in groups_that_share([*phrases, BANKS.phrase("Ufer", "Bank")])] == [(1, 2, 3)]
