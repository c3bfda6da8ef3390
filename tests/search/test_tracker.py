"""The tracker against looking at the whole text, and the traps that trackers fall into."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search.automaton import PhraseAutomaton
from engine.search.matching import AT_START, sentence_after
from engine.search.phrases import Prefix, SentenceConstraints, TrackedPhrase
from engine.search.tracker import ConstraintTracker
from engine.text.boundaries import is_sentence_start
from tests.budget import rounds
from tests.reference.matching import count_met, meets_all, missing_pieces
from tests.reference.toy import PUNCTUATED, WORDS, ToyTexts, random_phrases, with_heads
from tests.search.walking import walk, walk_on

TRAPS = [
    # phrases (as pieces), what is written, met?, why
    (["A B"], "A A B", True, "the first A breaks the phrase and begins it anew"),
    (["A B A C"], "A B A B A C", True, "a failure link two pieces long"),
    (["A B", "C"], "A C A B", True, "C breaks A B and is itself met"),
    (["A B", "B C"], "A B C", True, "different phrases may overlap"),
    (["A B C", "B"], "A B C", True, "different phrases may nest"),
    (["cat"], "con@@ cat", False, "the end of another word"),
    (["cat"], "cat@@ alog", False, "the beginning of another word"),
    (["cat"], "cat", True, "the end of the sentence decides"),
    (["cat"], "cat ￭,", True, "punctuation is a boundary"),
    (["cat"], "ca@@ t", True, "met by other pieces than its own"),
    (["Mail"], "E￭ Mail", False, "no boundary without a hyphen"),
    (["Mail"], "E ￭-￭ Mail", True, "a hyphen is a boundary"),
    (["1"], "1 ￭,￭ 1", False, "a comma between digits joins a number"),
    (["1"], "1 ￭, A", True, "a comma before a space does not"),
    (["1"], "1 ￭,", True, "nor one at the end of the sentence"),
    (["1 ￭, A"], "1 ￭, A", True, "punctuation inside the phrase"),
    (["A ￭-￭ B"], "A ￭-￭ B", True, "a hyphenated compound"),
    (["A B"], "A@@ B", False, "glued pieces write another text"),
]
TRAP_TEXTS = ToyTexts(
    ("A", "B", "C", "A@@", "cat", "con@@", "cat@@", "ca@@", "t", "alog", "Mail", "E", "E￭", "￭-￭", "1", "￭,", "￭,￭")
)


@pytest.mark.parametrize(("phrases", "written", "met", "why"), TRAPS, ids=[trap[3] for trap in TRAPS])
def test_text_decides_whether_a_phrase_is_met(phrases, written, met, why):
    assert (
        walk(TRAP_TEXTS, [TRAP_TEXTS.phrase(phrase) for phrase in phrases], TRAP_TEXTS.ids(written)).may_end is met
    ), why


@pytest.mark.parametrize(
    ("phrase", "count", "written", "met"),
    [
        ("A A", 2, "A A A", False),
        ("A A", 2, "A A A A", True),
        ("A A", 2, "A A B A A", True),
        ("A", 3, "A A A", True),
        ("A", 3, "A B A", False),
    ],
)
def test_phrase_required_twice_needs_occurrences_that_do_not_overlap(phrase, count, written, met):
    assert walk(TRAP_TEXTS, [TRAP_TEXTS.phrase(phrase, count=count)], TRAP_TEXTS.ids(written)).may_end is met


@pytest.mark.parametrize(
    ("boundary", "written", "met"),
    [
        ("word", "cat@@ alog", False),
        ("start", "cat@@ alog", True),
        ("start", "con@@ cat", False),
        ("anywhere", "con@@ cat", True),
        ("anywhere", "con@@ cat@@ alog", True),
    ],
)
def test_boundary_controls_the_neighbours_of_a_phrase(boundary, written, met):
    assert walk(TRAP_TEXTS, [TRAP_TEXTS.phrase("cat", boundary=boundary)], TRAP_TEXTS.ids(written)).may_end is met


@pytest.mark.parametrize(
    ("written", "met"),
    [("con@@ cat", True), ("cat", True), ("con@@ cat@@ alog", False), ("con@@ cat cat", True), ("con@@ cat ￭,", True)],
)
def test_a_head_counts_only_at_the_end_of_a_longer_word(written, met):
    phrase = TRAP_TEXTS.phrase("cat", heads=["cat"])
    assert walk(TRAP_TEXTS, [phrase], TRAP_TEXTS.ids(written)).may_end is met
    asked_twice = walk(TRAP_TEXTS, [replace(phrase, count=2)], TRAP_TEXTS.ids(written))
    assert asked_twice.may_end is (written == "con@@ cat cat")


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED, ToyTexts(("a", "b", "c"))], ids=["words", "numbers", "abc"])
def test_tracker_agrees_with_reading_the_whole_text(texts):
    rng = random.Random(1)
    for _ in range(rounds(300, 1500)):
        phrases = random_phrases(texts, rng, max_phrases=3)
        boundary = rng.choice(["word", "word", "start", "anywhere"])
        phrases = [with_heads(replace(phrase, boundary=boundary), rng) for phrase in phrases]
        pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(0, 9))]
        walked = walk(texts, phrases, pieces)
        text = texts.text(pieces)
        assert walked.may_end is meets_all(text, phrases), (text, phrases)
        for number, phrase in enumerate(phrases):
            assert walked.met[number] <= count_met(text, phrase), (text, phrase)
        assert walked.missing == sum(missing_pieces(texts, pieces, phrase) for phrase in phrases), (
            pieces,
            text,
            phrases,
        )


def test_a_forced_piece_reduces_the_remaining_cost_by_one():
    rng = random.Random(2)
    for _ in range(rounds(200, 800)):
        phrases = [with_heads(phrase, rng) for phrase in random_phrases(PUNCTUATED, rng, max_phrases=3)]
        if not phrases:
            continue
        pieces = [rng.randrange(2, PUNCTUATED.size) for _ in range(rng.randint(0, 6))]
        walked = walk(PUNCTUATED, phrases, pieces)
        nearer = {piece for piece in walked.forced if gain(phrases, pieces, piece)}
        if all(len(phrase.spellings) == 1 for phrase in phrases):
            assert nearer == walked.forced, (pieces, phrases)
        if walked.missing and not walked.closes:
            assert nearer, (pieces, phrases)


def gain(phrases, pieces, piece) -> bool:
    """True if `piece` after `pieces` lessens what one of the phrases lacks."""
    return any(
        missing_pieces(PUNCTUATED, [*pieces, piece], phrase) < missing_pieces(PUNCTUATED, pieces, phrase)
        for phrase in phrases
    )


def test_met_constraints_stay_met():
    rng = random.Random(3)
    for _ in range(rounds(75, 300)):
        phrases = random_phrases(WORDS, rng, max_phrases=2)
        pieces = [rng.randrange(2, WORDS.size) for _ in range(10)]
        met = [walk(WORDS, phrases, pieces[:n]).met for n in range(11)]
        for earlier, later in pairwise(met):
            assert all(a <= b for a, b in zip(earlier, later, strict=True))


@given(st.text(alphabet='a. !„“)"(:', max_size=12))
def test_sentence_starts_while_reading_equal_those_in_the_whole_text(text):
    place = AT_START
    for position, character in enumerate(text):
        assert (place == AT_START) is is_sentence_start(text, position)
        place = sentence_after(place, character)


def test_capitalised_form_is_forced_and_met_at_the_start_of_a_sentence_only():
    texts = ToyTexts(("a", "A", "b", "￭.", "￭,"))
    plain = texts.phrase("a b", "A b")
    phrase = TrackedPhrase(plain.forms, plain.spellings, initial=frozenset({1}))
    for written, met in [("A b", True), ("b ￭. A b", True), ("b A b", False), ("b ￭, A b", False), ("b a b", True)]:
        assert walk(texts, [phrase], texts.ids(written)).may_end is met, written
    for written, forced in [("", "a A"), ("b ￭.", "a A"), ("b", "a"), ("b ￭,", "a")]:
        assert walk(texts, [phrase], texts.ids(written)).forced == set(texts.ids(forced)), written


@pytest.mark.parametrize(
    ("written", "met", "why"),
    [
        ("A B", True, "in order, with nothing between"),
        ("A C B", True, "with a gap"),
        ("B A", False, "in the wrong order"),
        ("B A C B", True, "B again behind A"),
        ("A", False, "one is missing"),
        ("A@@ B", False, "glued to another word"),
    ],
)
def test_phrases_with_a_turn_are_met_in_order(written, met, why):
    phrases = [replace(TRAP_TEXTS.phrase("A"), turn=0), replace(TRAP_TEXTS.phrase("B"), turn=1)]
    assert walk(TRAP_TEXTS, phrases, TRAP_TEXTS.ids(written)).may_end is met, why


@pytest.mark.parametrize(
    ("ordered", "written", "met", "why"),
    [
        (["1", "￭,￭ A"], "1 ￭,￭ A", True, "the comma belongs to the second text, the letter ends the number"),
        (["1", "￭,￭ 1"], "1 ￭,￭ 1", False, "together they make another number"),
        (["1", "￭,￭ 1"], "1 ￭, 1 ￭,￭ A", False, "a space parts the second text"),
        (["1", "￭,"], "1 ￭,", True, "the end of the sentence decides"),
        (["1", "￭,", "A"], "1 ￭,￭ A", True, "three in a row without a gap"),
        (["1", "￭,", "1"], "1 ￭,￭ 1", False, "the third makes another number of the first"),
        (["1", "￭,", "1"], "1 ￭, 1", True, "unless a space stands before it"),
        (["1", "￭,", "1"], "1 ￭,￭ 1 A 1 ￭, 1", True, "or it comes again further on"),
        (["1 ￭,￭ 1", "￭, A"], "1 ￭,￭ 1 ￭, A", True, "a number with a comma before another comma"),
        (["1", "￭,￭ A"], "A ￭,￭ A 1", False, "in the wrong order"),
    ],
)
def test_text_that_joins_the_number_before_it_takes_its_turn(ordered, written, met, why):
    phrases = [replace(TRAP_TEXTS.phrase(pieces), turn=turn) for turn, pieces in enumerate(ordered)]
    assert meets_all(TRAP_TEXTS.text(TRAP_TEXTS.ids(written)), phrases) is met, why
    assert walk(TRAP_TEXTS, phrases, TRAP_TEXTS.ids(written)).may_end is met, why


def test_text_that_must_end_the_sentence_counts_only_there():
    phrase = replace(TRAP_TEXTS.phrase("A B"), turn=0, ends_text=True)
    for written, met in [("C A B", True), ("A B C", False), ("A B A B", True), ("B", False), ("A B ￭,", False)]:
        assert walk(TRAP_TEXTS, [phrase], TRAP_TEXTS.ids(written)).may_end is met, written


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
def test_turns_and_endings_agree_with_reading_the_whole_text(texts):
    rng = random.Random(12)
    num_met = 0
    for case in range(rounds(800, 4000)):
        free = random_phrases(texts, rng, max_phrases=1)
        ordered = random_phrases(texts, rng, 3, max_pieces=2, may_hang=case % 2 == 0)
        ordered = [replace(phrase, count=1, turn=turn) for turn, phrase in enumerate(ordered)]
        if ordered and rng.random() < 0.4:
            ordered[-1] = replace(ordered[-1], ends_text=True)
        phrases = [*free, *ordered]
        pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(0, 9))]
        may_end = walk(texts, phrases, pieces).may_end
        assert may_end is meets_all(texts.text(pieces), phrases), (texts.text(pieces), phrases)
        num_met += may_end
    assert num_met > 100


@settings(max_examples=rounds(20, 200))
@given(seed=st.integers(0, 10**6))
def test_sentences_that_come_and_go_are_tracked_as_if_alone(seed: int) -> None:
    """Numbers and nodes of those that left are used again, for others with more or fewer phrases."""
    rng = random.Random(seed)
    shared = ConstraintTracker([], PUNCTUATED)
    live: dict[int, tuple[list[TrackedPhrase], list[int]]] = {}
    for _ in range(12):
        if live and rng.random() < 0.4:
            gone = rng.sample(sorted(live), rng.randint(1, len(live)))
            shared.remove(gone)
            for number in gone:
                del live[number]
        arrived = [random_phrases(PUNCTUATED, rng, 3) for _ in range(rng.randint(0, 2))]
        numbers = shared.add([SentenceConstraints(tuple(phrases)) for phrases in arrived])
        assert not set(numbers) & set(live)
        live.update((number, (phrases, [])) for number, phrases in zip(numbers, arrived, strict=True))
        for number, (phrases, pieces) in live.items():
            pieces.append(rng.randrange(2, PUNCTUATED.size))
            alone, among = walk(PUNCTUATED, phrases, pieces), walk_on(shared, number, pieces)
            assert replace(among, met=among.met[: len(phrases)]) == alone
            assert shared.num_tokens_B[number] == sum(phrase.num_constraint_tokens for phrase in phrases)
    assert len(shared._nodes) < 400, "places of nodes are used again"


@settings(max_examples=rounds(10, 40))
@given(seed=st.integers(0, 10**6), may_pin=st.booleans())
def test_text_after_a_prefix_is_tracked_as_without_prefix(seed: int, may_pin: bool) -> None:
    """What is prefixed is forgotten there; without phrases nothing is followed any more, and no places are taken."""
    rng = random.Random(seed)
    phrases = tuple(random_phrases(PUNCTUATED, rng, 2)) if may_pin else ()
    pieces = [rng.randrange(2, PUNCTUATED.size) for _ in range(rng.randint(1, 8))]
    prefix = Prefix(PUNCTUATED.text(pieces[: (place := rng.randint(1, len(pieces)))]), tuple(pieces[:place]))
    prefixed = ConstraintTracker([SentenceConstraints(phrases, prefix=prefix)], PUNCTUATED)
    free = ConstraintTracker([SentenceConstraints(phrases)], PUNCTUATED)
    nodes = [prefixed.start_B, free.start_B]
    met = [np.zeros((1, tracker.num_phrases), dtype=np.int64) for tracker in (prefixed, free)]
    sentence = np.array([0])
    for number, piece in enumerate(pieces, start=1):
        for which, tracker in enumerate((prefixed, free)):
            nodes[which], completed = tracker.follow(nodes[which], np.array([piece]))
            met[which] = met[which] + completed
        assert prefixed.may_die(nodes[0]).tolist() == [number < place]
        assert prefixed.are_free(nodes[0]) is (number >= place and not phrases)
        if number >= place:
            one, other = (
                prefixed.remaining_cost(sentence, nodes[0], met[0]),
                free.remaining_cost(sentence, nodes[1], met[1]),
            )
            np.testing.assert_equal(asdict(one), asdict(other))
            np.testing.assert_equal(*met)
    if not phrases:
        assert len(prefixed._nodes) <= 2 + place


def test_number_of_nodes_grows_with_the_phrases_not_with_their_orders():
    texts, rng = ToyTexts(tuple(f"w{number}" for number in range(30))), random.Random(5)
    phrases = [texts.phrase(piece) for piece in texts.pieces]
    tracker = ConstraintTracker([SentenceConstraints(tuple(phrases))], texts)
    for _ in range(rounds(10, 40)):
        pieces = rng.sample(range(2, texts.size), 30)
        walked = walk_on(tracker, 0, pieces)
        assert walked.may_end
        assert sum(walked.met) == 29, "the last one waits for what follows"
    assert len(tracker._nodes) <= len(phrases) + 3, "the start, and the two that are no sentence's"


@given(st.integers(0, 2**32))
def test_cached_steps_after_a_space_equal_fresh_ones(seed: int) -> None:
    rng = random.Random(seed)
    phrases = random_phrases(PUNCTUATED, rng, max_phrases=3, may_hang=True)
    automaton = PhraseAutomaton(phrases, PUNCTUATED)
    for _ in range(3):
        state = automaton.start
        for _ in range(8):
            piece = rng.randrange(PUNCTUATED.size)
            anew = PhraseAutomaton(phrases, PUNCTUATED).advance(state, piece)
            assert automaton.advance(state, piece) == anew
            state, _ = anew
