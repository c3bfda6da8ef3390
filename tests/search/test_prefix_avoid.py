"""Avoided texts and prefixes against looking at the whole text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search.phrases import AvoidedText, Prefix, SentenceConstraints
from engine.search.prefix_avoid import PrefixAvoidAutomaton, PrefixAvoidState
from tests.budget import rounds
from tests.reference.matching import violates
from tests.reference.toy import PUNCTUATED, WORDS, ToyTexts, random_phrases

TEXTS = ToyTexts(
    (
        "cat",
        "Cat",
        "con@@",
        "cat@@",
        "ca@@",
        "t",
        "alog",
        "New",
        "York",
        "York@@",
        "er",
        "City",
        "1",
        "￭,￭",
        "￭,",
        "￭-￭",
    )
)


def allows(constraints: SentenceConstraints, texts: ToyTexts, pieces) -> bool:
    """True if the guard lets the sentence be written and end."""
    guard = PrefixAvoidAutomaton(constraints, texts)
    state = guard.start
    for piece in pieces:
        state = guard.advance(state, piece)
        if state is None:
            return False
    return guard.may_end(state)


@pytest.mark.parametrize(
    ("avoided", "pinned", "written", "allowed", "why"),
    [
        ("cat", "", "cat", False, "the text itself"),
        ("cat", "", "ca@@ t", False, "in another segmentation"),
        ("cat", "", "cat ￭, New", False, "before punctuation"),
        ("cat", "", "cat@@ alog", True, "the beginning of another word"),
        ("cat", "", "con@@ cat", True, "the end of another word"),
        ("cat", "", "Cat", True, "in another case"),
        ("1", "", "1 ￭,￭ 1", True, "part of a number"),
        ("1", "", "1 ￭, New", False, "a comma that joins nothing"),
        ("York", "New York", "New York", True, "inside a pinned text"),
        ("York", "New York", "New York York", False, "there only"),
        ("York", "York City", "York City", True, "at the beginning of a pinned text"),
        ("York", "York City", "York New", False, "of one that is then broken off"),
        ("York", "New York City", "New York ￭, City", False, "of one that is broken off by a comma"),
        ("York", "New York", "New York@@ er", True, "neither the one nor the other"),
        ("New York", "York", "New York", False, "a pinned text inside the avoided one excuses nothing"),
    ],
)
def test_avoided_text_is_found_in_the_text(avoided, pinned, written, allowed, why):
    phrases = (TEXTS.phrase(pinned),) if pinned else ()
    constraints = SentenceConstraints(phrases, (AvoidedText(avoided),))
    assert allows(constraints, TEXTS, TEXTS.ids(written)) is allowed, why
    assert violates(TEXTS.text(TEXTS.ids(written)), constraints.avoided, phrases) is not allowed, why


def test_permissive_case_finds_every_case():
    constraints = SentenceConstraints(avoided=(AvoidedText("cAT", ignores_case=True),))
    assert not allows(constraints, TEXTS, TEXTS.ids("New Cat"))
    assert not allows(constraints, TEXTS, TEXTS.ids("cat"))
    assert allows(constraints, TEXTS, TEXTS.ids("Cat New")[1:])


@pytest.mark.parametrize("texts", [WORDS, PUNCTUATED], ids=["words", "numbers"])
def test_automaton_agrees_with_reading_the_whole_text(texts):
    rng = random.Random(1)
    for _ in range(rounds(600, 3000)):
        phrases = tuple(random_phrases(texts, rng, max_phrases=2))
        forms = {form for phrase in phrases for form in phrase.forms}
        inner = [form[i:j] for form in forms for i in range(len(form)) for j in range(i + 1, len(form) + 1)]
        options = {text.strip() for text in [*inner, "a", "b", "a b", "1", "ab", ","]} - forms - {""}
        avoided = tuple(AvoidedText(text) for text in rng.sample(sorted(options), min(len(options), rng.randint(1, 3))))
        pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(0, 8))]
        prefix = None
        if pieces and rng.random() < 0.3:
            length = rng.randint(1, len(pieces))
            prefix = Prefix(texts.text(pieces[:length]), tuple(pieces[: length - 1]))
        constraints = SentenceConstraints(phrases, avoided, prefix)
        text = texts.text(pieces)
        expected = not violates(text, avoided, phrases, prefix.text if prefix else "")
        assert allows(constraints, texts, pieces) is expected, (text, constraints)


def test_text_dies_as_soon_as_no_continuation_can_save_it():
    guard = PrefixAvoidAutomaton(SentenceConstraints(avoided=(AvoidedText("cat"),)), TEXTS)
    state = guard.advance(guard.start, *TEXTS.ids("ca@@"))
    assert state is not None
    assert guard.advance(state, *TEXTS.ids("t")) is None, "the word is closed"
    assert guard.advance(guard.start, *TEXTS.ids("cat@@")) is not None, "the word may go on"


APART = [piece for piece in TEXTS.pieces if not piece.startswith("￭")]


@pytest.mark.parametrize(
    ("text", "pieces", "allowed", "why"),
    [
        ("New Yo", "New", ["York", "York@@"], "the last word may go on"),
        ("New York", "New", ["York", "York@@"], "also where it could end"),
        ("New York ", "New York", APART, "a space closes it: only pieces that stand apart"),
        ("New ca", "New", ["cat", "cat@@", "ca@@"], "pieces that begin with what is left"),
        ("New cat", "New", ["cat", "cat@@", "ca@@"], "or that what is left begins with, where they go on"),
    ],
)
def test_prefix_allows_only_texts_that_begin_with_it(text, pieces, allowed, why):
    guard = PrefixAvoidAutomaton(SentenceConstraints(prefix=Prefix(text, TEXTS.ids(pieces))), TEXTS)
    state = guard.start
    for piece in TEXTS.ids(pieces):
        assert guard.allowed(state) == [piece], "complete words are written in their own pieces"
        assert not guard.may_end(state)
        following = guard.advance(state, piece)
        assert following is not None
        state = following
    assert [TEXTS.pieces[piece - 2] for piece in guard.allowed(state) or []] == allowed, why
    assert not guard.may_end(state)


SPACED = ToyTexts((*TEXTS.pieces, " ", "￭ ￭", "New York@@", "￭New", "Y", "Y@@"))


@settings(max_examples=rounds(15, 60))
@given(text=st.sampled_from(["New York", "New York City ", "New  Yo", "1,1 cat", " New Yo"]), data=st.data())
def test_pieces_that_continue_a_prefix_equal_a_scan_of_all_pieces(text: str, data: st.DataObject) -> None:
    guard, state = PrefixAvoidAutomaton(SentenceConstraints(prefix=Prefix(text)), SPACED), PrefixAvoidState()
    glued = {s[0] for s, is_glued in zip(SPACED.surfaces, SPACED.glues_left, strict=True) if s and is_glued}
    while rest := text[state.written :]:
        admitted = []
        for piece, surface in enumerate(SPACED.surfaces):
            written = state.context.emission(SPACED, piece)
            goes_on = SPACED.glues_right[piece] or rest[len(written) : len(written) + 1] in {" ", *glued}
            if surface and (written.startswith(rest) or (rest.startswith(written) and goes_on)):
                admitted.append(piece)
        assert guard.allowed(state) == admitted
        if not admitted:
            return
        following = guard.advance(state, data.draw(st.sampled_from(admitted)))
        assert following is not None
        state = following
    assert guard.allowed(state) is None
