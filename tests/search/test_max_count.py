"""Phrases that may stand only so often, against counting in the whole text."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from engine.search.phrases import SentenceConstraints, TrackedPhrase
from engine.search.tracker import ConstraintTracker
from tests.reference.matching import count_met, meets_all
from tests.reference.toy import PUNCTUATED, WORDS, ToyTexts, random_phrases
from tests.search.test_enumeration import LETTERS, NUMBERS, assert_equal_to_enumeration, random_constraints
from tests.search.walking import walk_on

TEXTS = ToyTexts(("A", "B", "A@@", "%￭", "s", "1", "￭,", "￭,￭"))


def dies(texts: ToyTexts, phrases: list[TrackedPhrase], pieces) -> int | None:
    """How many of the pieces can be written before the text is dead; None if all."""
    tracker = ConstraintTracker([SentenceConstraints(tuple(phrases))], texts)
    nodes = tracker.start_B[[0]]
    for place, piece in enumerate(pieces if tracker.is_needed else ()):
        nodes, _ = tracker.follow(nodes, np.array([piece]))
        if tracker.is_dead(nodes)[0]:
            return place
    return None


def may_end(texts: ToyTexts, phrases: list[TrackedPhrase], pieces) -> bool:
    tracker = ConstraintTracker([SentenceConstraints(tuple(phrases))], texts)
    return dies(texts, phrases, pieces) is None and walk_on(tracker, 0, pieces).may_end


@pytest.mark.parametrize(
    ("phrase", "boundary", "written", "place", "ends", "why"),
    [
        ("A", "word", "A", None, True, "once, as it must"),
        ("A", "word", "A B A", 2, False, "twice: dead with its last piece, which ends the word"),
        ("A", "word", "A A@@", None, False, "the word may still go on, but the text may not end with it"),
        ("A", "word", "A A@@ B", None, True, "which it does"),
        ("A", "word", "A A@@ ￭,", 2, False, "or does not"),
        ("%￭ s", "anywhere", "%￭ s B %￭", None, True, "its beginning alone"),
        ("%￭ s", "anywhere", "%￭ s B %￭ s", 4, False, "whose last piece is one too many"),
        ("1", "word", "1 1", None, False, "a number that may go on, but not end"),
        ("1", "word", "1 1 ￭,￭ 1", None, True, "and is another then"),
        ("1", "word", "1 1 ￭, A", 2, False, "a comma that cannot join, as no digit hangs on it"),
        ("A A", "word", "A A A", None, True, "occurrences that overlap are one"),
        ("A A", "word", "A A A A", 3, False, "apart they are two"),
    ],
)
def test_text_dies_when_a_phrase_occurs_too_often(phrase, boundary, written, place, ends, why):
    phrases = [TEXTS.phrase(phrase, boundary=boundary, max_count=1)]
    assert dies(TEXTS, phrases, TEXTS.ids(written)) == place, why
    assert may_end(TEXTS, phrases, TEXTS.ids(written)) is ends, why


def limited(phrases: list[TrackedPhrase], rng: random.Random) -> list[TrackedPhrase]:
    """Some of the phrases with a `max_count`."""
    return [
        replace(phrase, max_count=phrase.count + rng.choice([0, 0, 1]), boundary=rng.choice(["word", "anywhere"]))
        if rng.random() < 0.7 and phrase.turn is None
        else phrase
        for phrase in phrases
    ]


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
def test_counts_left_agree_with_counting_in_the_whole_text(texts):
    rng = random.Random(1)
    num_dead = 0
    for _ in range(250):
        phrases = limited(random_phrases(texts, rng, max_phrases=2, max_pieces=2), rng)
        pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(0, 8))]
        assert may_end(texts, phrases, pieces) is meets_all(texts.text(pieces), phrases), (pieces, phrases)
        place = dies(texts, phrases, pieces)
        if place is not None:
            num_dead += 1
            dead = pieces[: place + 1]
            for going_on in [[], *([piece] for piece in range(2, texts.size)), [3, 3], [4, 2]]:
                text = texts.text([*dead, *going_on])
                assert any(p.max_count is not None and count_met(text, p) > p.max_count for p in phrases), text
    assert num_dead > 8


@pytest.mark.parametrize("boundary", ["word", "start", "anywhere"])
def test_only_texts_that_may_die_do_die(boundary):
    """Where the search need not look, as no piece can kill, none does: what is spelt in two may be one piece too."""
    texts, rng = ToyTexts(("a", "b", "ab", "a@@", "b@@")), random.Random(3)
    every_piece = np.arange(2, texts.size)
    num_deaths = 0
    for _ in range(40):
        phrase = texts.phrase("a@@ b", boundary=boundary, max_count=1, heads=rng.choice([[], ["ab"]]))
        tracker = ConstraintTracker([SentenceConstraints((phrase,))], texts)
        nodes = tracker.start_B[[0]]
        for _ in range(8):
            following, _ = tracker.follow(nodes.repeat(len(every_piece)), every_piece)
            is_dead = tracker.is_dead(following)
            num_deaths += is_dead.sum()
            assert tracker.may_die(nodes)[0] or not is_dead.any()
            nodes = following[[rng.choice(np.flatnonzero(~is_dead))]]
    assert num_deaths > 40


def test_wide_beam_finds_the_best_within_every_max_count():
    rng = random.Random(9)
    sizes = []
    for case in range(25):
        texts = NUMBERS if case % 3 == 0 else LETTERS
        constraints = random_constraints(texts, rng)
        constraints = replace(constraints, phrases=tuple(limited(list(constraints.phrases), rng)))
        sizes.append(assert_equal_to_enumeration(texts, constraints, case))
    assert sum(bool(size) for size in sizes) > 8
