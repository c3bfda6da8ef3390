"""Resolving pins, glossary hits and bans into phrases for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term, TermHit, term_matcher
from app.segments.resolved_constraints import (
    Conflict,
    RequiredText,
    distinct_terms,
    request_of,
    resolve_constraints,
    term_key,
)
from app.segments.segment_constraints import Constraints, PinSource
from engine import Avoid, Follow

TEXTS = st.sampled_from(["auf", "Netz", "Router", "drahtlos", "das Netz"])


def hits(*pairs: tuple[str, str]) -> tuple[TermHit, ...]:
    return tuple(TermHit(Term(source, target), at, at + 1) for at, (source, target) in enumerate(pairs))


def required_texts(
    pins: Iterable[str], found: Iterable[TermHit] = (), off: Iterable[str] = ()
) -> tuple[RequiredText, ...]:
    return resolve_constraints(Constraints(tuple(pins), frozenset(off)), tuple(found)).required


def test_text_pinned_twice_is_required_twice():
    (constraint,) = required_texts(["auf", "auf"], ())
    assert (constraint.text, constraint.count, constraint.is_pinned) == ("auf", 2, True)
    assert constraint.phrase().count == 2


def test_pin_and_term_with_the_same_text_are_one_phrase():
    (constraint,) = required_texts(["Router"], hits(("router", "Router"), ("gateway", "Router")))
    assert constraint.is_pinned
    assert constraint.term_keys == ("router\tRouter", "gateway\tRouter")


def test_term_is_required_as_often_as_its_source_occurs():
    found = term_matcher((Term("router", "Router"),)).find("A router beside a router")
    assert len(found) == 2
    assert [constraint.count for constraint in required_texts([], found)] == [2]
    assert [constraint.count for constraint in required_texts(["Router"], found)] == [2], "the pin is one of them"


def test_disabled_term_is_not_required_but_a_pin_of_its_text_is():
    found = hits(("router", "Router"))
    off = [term_key(found[0].term)]
    assert required_texts([], found, off) == ()
    (constraint,) = required_texts(["Router"], found, off)
    assert constraint.term_keys == ()


def test_pin_keeps_its_case_and_a_term_may_be_capitalised():
    pin, term = required_texts(["auf"], hits(("save", "speichern")))
    assert (pin.phrase().case, term.phrase().case) == ("exact", "auto")


def test_source_span_of_a_term_is_set_if_it_occurs_once():
    def spans(pins, *pairs, off=()):
        return {c.text: c.phrase().source_span for c in required_texts(pins, hits(*pairs), off)}

    assert spans(["auf"], ("router", "Router")) == {"auf": None, "Router": (0, 1)}
    assert spans(["Router"], ("router", "Router")) == {"Router": (0, 1)}
    assert spans(["Router", "Router"], ("router", "Router")) == {"Router": None}
    assert spans([], ("router", "Router"), ("gateway", "Router")) == {"Router": None}
    assert spans([], ("router", "Router"), ("gateway", "Router"), off=["router\tRouter"]) == {"Router": (1, 2)}


def test_source_words_that_the_person_named_are_the_place_of_a_pin_in_a_text_followed_closely():
    named = Constraints(("Netz",), follow="Das ist neu.", pin_sources=(PinSource("Netz", 4, 11),))
    [phrase] = request_of("The network is new.", named, (), "en-de").phrases
    assert (phrase.text, phrase.source_span) == ("Netz", (4, 11))
    term = TermHit(Term("new", "Netz"), 15, 18)
    [phrase] = request_of("The network is new.", named, (term,), "en-de").phrases
    assert phrase.source_span == (4, 11), "the person's words come before those of a term"
    twice = replace(named, pins=("Netz", "Netz"))
    [phrase] = request_of("The network is new.", twice, (), "en-de").phrases
    assert phrase.source_span is None, "one place is not enough for two"
    strengths = [
        follow.strength
        for constraints in (named, replace(named, pin_sources=()))
        if (follow := request_of("The network is new.", constraints, (), "en-de").follow)
    ]
    assert strengths == [Follow("").strength, 1.0]


@given(st.lists(TEXTS), st.lists(st.tuples(TEXTS, TEXTS)), st.sets(TEXTS))
def test_each_text_is_one_constraint_and_none_is_lost(pins, pairs, off_sources):
    found = hits(*pairs)
    off = {term_key(hit.term) for hit in found if hit.term.source in off_sources}
    constraints = required_texts(pins, found, off)
    texts = [constraint.text for constraint in constraints]
    assert len(texts) == len(set(texts))
    assert set(texts) == set(pins) | {target for source, target in pairs if source not in off_sources}
    asked_by = Counter(target for source, target in pairs if source not in off_sources)
    assert {c.text: c.count for c in constraints} == Counter(pins) | asked_by
    required_keys = {key for constraint in constraints for key in constraint.term_keys}
    assert required_keys == {term_key(term) for term in distinct_terms(found)} - off


def test_forms_and_boundary_apply_to_a_term_but_not_to_a_pin_of_its_text():
    term = Term("account", "Konto", variants=("Account",), inflections=("Konten",), joins_compounds=True)
    found = (TermHit(term, 0, 7, "account"),)
    phrase = required_texts([], found)[0].phrase()
    assert (phrase.all_forms, phrase.boundary, phrase.case) == (("Konto", "Account", "Konten"), "compound", "auto")
    phrase = required_texts(["Konto"], found)[0].phrase()
    assert (phrase.all_forms, phrase.boundary, phrase.case) == (("Konto",), "word", "exact")


CASES = [
    (Term("save", "speichern"), "auto", "a sentence may begin with it"),
    (Term("iphone", "iPhone"), "exact", "a name keeps its small letter"),
    (Term("save", "speichern", case="exact"), "exact", "the term is case-sensitive"),
    (Term("wlan", "WLAN"), "auto", "begins with a capital in any case"),
]


@pytest.mark.parametrize(("term", "case", "why"), CASES, ids=[why for *_, why in CASES])
def test_term_is_capitalised_at_the_start_unless_its_case_is_fixed(term: Term, case: str, why: str):
    assert required_texts([], (TermHit(term, 0, 4),))[0].phrase().case == case, why


def test_do_not_translate_term_keeps_the_source_spelling():
    term = Term("iphone", "", status="do_not_translate", case="any", inflections=("x",))
    (phrase,) = (c.phrase() for c in required_texts([], (TermHit(term, 0, 6, "iPhone"),)))
    assert (phrase.text, phrase.forms, phrase.case, phrase.boundary) == ("iPhone", (), "exact", "word")


NETZ = Term("network", "Netz", status="forbidden", variants=("Netze",))
NETZWERK = Term("network", "Netzwerk", inflections=("Netzwerke",))


def test_forbidden_targets_are_avoided_besides_the_bans():
    resolved = resolve_constraints(Constraints(bans=(Avoid("Netze"),)), (TermHit(NETZ, 0, 7), TermHit(NETZWERK, 0, 7)))
    assert [c.text for c in resolved.required] == ["Netzwerk"]
    assert resolved.banned == (Avoid("Netze"), Avoid("Netz"))
    assert resolved.conflicts == ()


def test_pin_overrides_a_forbidden_term_with_a_conflict():
    resolved = resolve_constraints(Constraints(("Netz",)), (TermHit(NETZ, 0, 7),))
    assert resolved.banned == (Avoid("Netze"),)
    assert resolved.conflicts == (Conflict("pin_forbidden", "Netz", "Netz", "network", "network\tNetz\tforbidden"),)
    within = resolve_constraints(Constraints(("das Netz",)), (TermHit(NETZ, 0, 7),))
    assert within.banned == (Avoid("Netz"), Avoid("Netze")), "still avoided elsewhere"
    assert [conflict.kind for conflict in within.conflicts] == ["pin_forbidden"]


def test_ban_overrides_a_term_unless_a_variant_is_left():
    banned = resolve_constraints(Constraints(bans=(Avoid("netzwerk", "permissive"),)), (TermHit(NETZWERK, 0, 7),))
    assert banned.required == (), "what is only another form of the banned word will not do"
    assert banned.conflicts == (Conflict("ban_term", "netzwerk", "Netzwerk", "network", "network\tNetzwerk"),)
    varied = Term("network", "Netzwerk", variants=("Verbund",))
    left = resolve_constraints(Constraints(bans=(Avoid("Netzwerk"),)), (TermHit(varied, 0, 7),))
    assert [c.text for c in left.required] == ["Netzwerk"] and left.conflicts == ()


HIGH, LOW = 1, 2
AKTE = Term("file", "Akte", glossary="low")
FORBIDDEN = [
    # forbidden target and its priority, pins, required term and its priority, required, avoided, conflicts
    ("Akte", HIGH, (), AKTE, LOW, [], ["Akte"], ["forbidden_term"]),
    ("Akte", LOW, (), AKTE, HIGH, ["Akte"], [], ["term_forbidden"]),
    ("Akte", HIGH, (), AKTE, HIGH, ["Akte"], [], ["term_forbidden"]),
    ("Akte", HIGH, ("Akte",), AKTE, LOW, ["Akte"], [], ["pin_forbidden"]),
    ("Akte", HIGH, (), Term("file", "neue Akte"), LOW, [], ["Akte"], ["forbidden_term"]),
    ("Ordner", HIGH, (), AKTE, LOW, ["Akte"], ["Ordner"], []),
    ("Akte", HIGH, (), Term("file", "Akte", variants=("Datei",)), LOW, ["Akte"], ["Akte"], ["forbidden_term"]),
    ("file", HIGH, (), Term("file", "file", status="do_not_translate"), LOW, [], ["file"], ["forbidden_term"]),
    ("Akte", HIGH, (), Term("file", "Akte", is_for_document=True), 0, ["Akte"], [], ["term_forbidden"]),
]


@pytest.mark.parametrize(("text", "rank", "pins", "term", "term_rank", "required", "avoided", "reported"), FORBIDDEN)
def test_forbidden_term_of_a_higher_glossary_overrides_a_lower_requirement(
    text, rank, pins, term, term_rank, required, avoided, reported
):
    ban = Term("file", text, status="forbidden", glossary="other")
    found = (TermHit(ban, 0, 4, "file", priority=rank), TermHit(term, 0, 4, "file", priority=term_rank))
    resolved = resolve_constraints(Constraints(pins), found)
    assert [constraint.text for constraint in resolved.required] == required
    assert [item.text for item in resolved.banned] == avoided
    assert [conflict.kind for conflict in resolved.conflicts] == reported
    if reported == ["forbidden_term"]:
        assert (resolved.conflicts[0].term_key, resolved.conflicts[0].by) == (term_key(term), term_key(ban))
        settled = resolve_constraints(Constraints(pins, frozenset({term_key(ban)})), found)
        assert [c.text for c in settled.required] == [term.target] and settled.conflicts == ()


def test_rival_term_for_the_same_words_is_reported():
    rival = Term("network", "Verbund", 9)
    resolved = resolve_constraints(Constraints(), (TermHit(NETZWERK, 0, 7, "Network", (rival,)),))
    assert resolved.conflicts == (Conflict("rival", "Netzwerk", "Verbund", "Network", "network\tVerbund"),)


PRESENT = st.lists(st.sampled_from([NETZ, NETZWERK, Term("a", "Netz"), Term("b", "Netze", 1)]))


@given(
    st.lists(st.sampled_from(["Netz", "Netzwerk", "rot"])),
    PRESENT,
    st.sets(st.sampled_from(["Netz", "Netzwerk"])),
    st.lists(st.integers(0, 2), min_size=20, max_size=20),
)
def test_texts_are_never_both_required_and_avoided_and_dropped_ones_are_reported(pins, present, banned, ranks):
    banned -= set(pins)  # a pin and a ban never contradict each other
    found = tuple(TermHit(term, at, at + 1, priority=ranks[at % 20]) for at, term in enumerate(present))
    resolved = resolve_constraints(Constraints(tuple(pins), bans=tuple(map(Avoid, sorted(banned)))), found)
    avoided = {item.text for item in resolved.banned}
    for constraint in resolved.required:
        assert not {constraint.text, *constraint.forms} <= avoided
    reported = {conflict.term_key for conflict in resolved.conflicts}
    required_keys = {key for constraint in resolved.required for key in constraint.term_keys}
    for term in present:
        if term.status == "forbidden":
            assert set(term.targets) <= avoided or term_key(term) in reported
        else:
            assert term_key(term) in required_keys | reported
    assert set(pins) <= {constraint.text for constraint in resolved.required}
    assert banned <= avoided


def test_kept_texts_come_after_pins_and_terms():
    kept = (("%s", 2), ("https://a.example", 1))
    pin, term, own = resolve_constraints(Constraints(("%s",)), hits(("router", "Router")), kept).required
    assert (pin.text, pin.count, pin.is_pinned, pin.is_kept) == ("%s", 2, True, True), "one phrase, as often as needed"
    assert (term.text, term.is_kept) == ("Router", False)
    assert (own.text, own.phrase().boundary, own.is_explicit) == ("https://a.example", "anywhere", False)


def test_ban_overrides_a_kept_text():
    resolved = resolve_constraints(Constraints(bans=(Avoid("%s"),)), kept=(("%s", 1), ("%d", 1)))
    assert [constraint.text for constraint in resolved.required] == ["%d"]
    assert resolved.conflicts == (Conflict("ban_kept", "%s", "%s", "%s", ""),)


def test_forms_of_a_term_apply_also_to_exact_matches():
    """A German term has inflected forms, and a term of another language does not."""
    bare, bent = Term("file", "Datei"), Term("file", "Datei", inflections=("Dateien",), joins_compounds=True)
    (first,), (second,) = (required_texts([], (TermHit(term, 0, 4),)) for term in (bare, bent))
    assert (first.forms, second.forms) == ((), ("Dateien",))
