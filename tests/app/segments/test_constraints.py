"""The constraints of a person as one value: cleaning, contradictions of pins and bans, JSON and log events."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CommandError
from app.segments.segment_constraints import CONSTRAINT_EVENTS, NO_CONSTRAINTS, Constraints, PinSource, contains_banned
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
    before = Constraints(tuple(pins), bans=tuple(map(Avoid, bans)))
    after = Constraints(tuple(new_pins), bans=tuple(map(Avoid, new_bans))).without_contradictions(before)
    assert after == Constraints(tuple(left_pins), bans=tuple(map(Avoid, left_bans))), why


WORDS = st.sampled_from(["Haus", "haus", "das Haus", "rot", "Haustür"])
BANS = st.builds(Avoid, WORDS, st.sampled_from(["exact", "permissive"]))


TEXTS = st.sampled_from(["", "Das ", "Das Haus."])
CONSTRAINTS = st.builds(
    Constraints,
    st.lists(WORDS).map(tuple),
    st.sets(st.sampled_from(["house\tHaus", "door\tTür"])).map(frozenset),
    st.lists(BANS, unique=True).map(tuple),
    TEXTS,
    st.lists(WORDS).map(tuple),
    TEXTS,
    st.lists(st.builds(PinSource, WORDS, st.integers(0, 1), st.integers(2, 3))).map(tuple),
)


@given(CONSTRAINTS, CONSTRAINTS)
def test_pins_never_contain_a_banned_word_after_a_change(first: Constraints, second: Constraints):
    before = first.cleaned().without_contradictions(NO_CONSTRAINTS)
    after = second.cleaned().without_contradictions(before)
    assert not any(contains_banned(pin, ban) for pin in after.pins for ban in after.bans)
    assert set(after.pins) <= set(second.pins) and set(after.bans) <= set(second.bans)


def test_texts_are_cleaned_and_bans_are_distinct():
    bans = (Avoid("rot"), Avoid("blau"), Avoid(" rot", "permissive"))
    assert Constraints((" ein\nWort\x00 ", "  "), bans=bans, prefix="a\n", locked=(" b ", "")).cleaned() == Constraints(
        ("ein Wort",), bans=(Avoid("rot", "permissive"), Avoid("blau")), prefix="a ", locked=("b",)
    )


def test_source_words_belong_to_pins_and_the_newest_of_each_stay():
    sources = (PinSource("Haus", 0, 2), PinSource("rot", 0, 2), PinSource(" Haus", 4, 6))
    cleaned = Constraints(("Haus",), pin_sources=sources).cleaned()
    assert cleaned.pin_sources == (PinSource("Haus", 4, 6),)
    assert (cleaned.source_of("Haus"), cleaned.source_of("rot")) == ((4, 6), None)
    banned = replace(cleaned, bans=(Avoid("Haus"),)).without_contradictions(cleaned)
    assert (banned.pins, banned.pin_sources) == ((), ())


@given(CONSTRAINTS)
def test_json_leads_back_to_the_same_constraints(constraints: Constraints):
    assert Constraints.from_json(constraints.to_json()) == constraints
    assert Constraints.from_json({**constraints.to_json(), "comment": "of the segment"}) == constraints


def test_json_without_parts_is_empty_constraints():
    assert Constraints.from_json({}) == NO_CONSTRAINTS


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ({"pins": "abc"}, "pins"),
        ({"pins": [1]}, "pins"),
        ({"terms_off": None}, "terms_off"),
        ({"terms_off": [["a"]]}, "terms_off"),
        ({"bans": ["rot"]}, "bans"),
        ({"bans": [{"text": "rot"}]}, "bans"),
        ({"bans": [{"text": "rot", "case": "loud"}]}, "bans"),
        ({"bans": 5}, "bans"),
        ({"prefix": None}, "prefix"),
        ({"locked": {}}, "locked"),
        ({"follow": 1}, "follow"),
        ({"pin_sources": [{"text": "rot", "start": None, "end": 3}]}, "pin_sources"),
    ],
)
def test_json_with_a_part_of_a_wrong_type_is_refused_with_the_name_of_the_part(value: dict[str, object], part: str):
    with pytest.raises(CommandError, match=part):
        Constraints.from_json(value)


@given(CONSTRAINTS, CONSTRAINTS)
def test_events_lead_from_one_set_of_constraints_to_the_next_and_back(before: Constraints, after: Constraints):
    before, after = before.cleaned(), after.cleaned()
    events = [(kind, payload) for kind, payload in before.events_to(after, "person") if kind in CONSTRAINT_EVENTS]
    reached = before
    for kind, payload in events:
        reached = reached.after_event(kind, payload)
    assert replace(reached, terms_off=after.terms_off).has_same_parts(after)
    for kind, payload in reversed(events):
        reached = reached.before_event(kind, payload)
    assert sorted(reached.pins) == sorted(before.pins) and set(reached.bans) == set(before.bans)
    assert set(reached.pin_sources) == set(before.pin_sources)


def test_event_that_does_not_fit_the_constraints_is_an_error():
    with pytest.raises(ValueError, match="not in"):
        NO_CONSTRAINTS.after_event("unpin", {"text": "Haus"})


STANDS = [
    ("Das Haus.", Avoid("Haus"), True, "a word of its own"),
    ("Das Haus.", Avoid("haus"), False, "exact case"),
    ("Das Haus.", Avoid("haus", "permissive"), True, "any case"),
    ("Haustür", Avoid("haus", "permissive"), False, "part of a longer word"),
]


@pytest.mark.parametrize(("text", "ban", "expected", "why"), STANDS)
def test_ban_applies_to_whole_words(text: str, ban: Avoid, expected: bool, why: str):
    assert contains_banned(text, ban) is expected, why
