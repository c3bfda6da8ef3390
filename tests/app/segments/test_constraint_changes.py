"""Changes of constraints: cleaning, and resolving contradictions between pins and bans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.segments.constraint_changes import clean_bans, clean_pins, without_clashes
from app.segments.resolved_constraints import contains_banned
from app.segments.state import SegmentState
from engine import Avoid

CLASHES = [
    # pins and bans before, new pins and bans, result, reason
    (["Haus"], [], ["Haus"], ["Haus"], [], ["Haus"], "the ban is newer"),
    ([], ["Haus"], ["Haus"], ["Haus"], ["Haus"], [], "the pin is newer"),
    (["das Haus"], [], ["das Haus"], ["Haus"], [], ["Haus"], "a phrase with a banned word is dropped"),
    ([], ["das Haus"], ["Haus"], ["das Haus"], ["Haus"], ["das Haus"], "the word alone is not the banned phrase"),
    ([], ["Haus"], ["Haustür", "haus"], ["Haus"], ["Haustür", "haus"], ["Haus"], "other words, other case"),
    ([], [], ["Haus"], ["Haus"], ["Haus"], [], "both new: the pin"),
    (["Haus", "Haus"], [], ["Haus", "Haus"], ["Haus"], [], ["Haus"], "every copy of the pin"),
]


@pytest.mark.parametrize(("pins", "bans", "new_pins", "new_bans", "left_pins", "left_bans", "why"), CLASHES)
def test_newer_of_a_contradicting_pin_and_ban_stays(pins, bans, new_pins, new_bans, left_pins, left_bans, why: str):
    before = SegmentState(0, "x", 1, pins=tuple(pins), bans=tuple(Avoid(text) for text in bans))
    kept = without_clashes(before, new_pins, [Avoid(text) for text in new_bans])
    assert kept == (tuple(left_pins), tuple(Avoid(text) for text in left_bans)), why


WORDS = st.sampled_from(["Haus", "haus", "das Haus", "rot", "Haustür"])
BANS = st.builds(Avoid, WORDS, st.sampled_from(["exact", "permissive"]))


@given(st.lists(WORDS), st.lists(BANS, unique=True), st.lists(WORDS), st.lists(BANS, unique=True))
def test_pins_never_contain_a_banned_word_after_a_change(pins, bans, new_pins, new_bans):
    start = SegmentState(0, "x", 1)
    had_pins, had_bans = without_clashes(start, pins, clean_bans(bans))
    before = SegmentState(0, "x", 1, pins=had_pins, bans=had_bans)
    kept_pins, kept_bans = without_clashes(before, new_pins, clean_bans(new_bans))
    assert not any(contains_banned(pin, ban) for pin in kept_pins for ban in kept_bans)
    assert set(kept_pins) <= set(new_pins) and set(kept_bans) <= set(new_bans)


def test_texts_are_cleaned_and_bans_are_distinct():
    assert clean_pins([" ein\nWort\x00 ", "  "]) == ("ein Wort",)
    assert clean_bans([Avoid("rot"), Avoid("blau"), Avoid(" rot", "permissive")]) == (
        Avoid("rot", "permissive"),
        Avoid("blau"),
    )


STANDS = [
    ("Das Haus.", Avoid("Haus"), True, "a word of its own"),
    ("Das Haus.", Avoid("haus"), False, "exact case"),
    ("Das Haus.", Avoid("haus", "permissive"), True, "any case"),
    ("Haustür", Avoid("haus", "permissive"), False, "part of a longer word"),
]


@pytest.mark.parametrize(("text", "ban", "expected", "why"), STANDS)
def test_ban_applies_to_whole_words(text: str, ban: Avoid, expected: bool, why: str):
    assert contains_banned(text, ban) is expected, why
