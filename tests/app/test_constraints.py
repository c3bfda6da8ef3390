"""From pins and glossary hits to the phrases that the engine gets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.constraints import constraints_for, distinct_terms, term_key
from app.glossary import Glossary, Term, TermHit

TEXTS = st.sampled_from(["auf", "Netz", "Router", "drahtlos", "das Netz"])


def hits(*pairs: tuple[str, str]) -> tuple[TermHit, ...]:
    return tuple(TermHit(Term(source, target), at, at + 1) for at, (source, target) in enumerate(pairs))


def test_text_pinned_twice_must_stand_twice():
    (constraint,) = constraints_for(["auf", "auf"], ())
    assert (constraint.text, constraint.count, constraint.is_pinned) == ("auf", 2, True)
    assert constraint.phrase().count == 2


def test_pin_and_term_of_one_text_make_one_phrase():
    (constraint,) = constraints_for(["Router"], hits(("router", "Router"), ("gateway", "Router")))
    assert constraint.is_pinned
    assert constraint.term_keys == ("router\tRouter", "gateway\tRouter")


def test_term_is_asked_for_once_however_often_its_source_stands():
    found = Glossary((Term("router", "Router"),)).find("A router beside a router")
    assert len(found) == 2
    assert [constraint.count for constraint in constraints_for([], found)] == [1]


def test_term_switched_off_is_not_asked_for_but_a_pin_of_its_text_is():
    found = hits(("router", "Router"))
    off = [term_key(found[0].term)]
    assert constraints_for([], found, off) == ()
    (constraint,) = constraints_for(["Router"], found, off)
    assert constraint.term_keys == ()


def test_pin_stands_as_it_is_and_a_term_may_be_capitalised():
    pin, term = constraints_for(["auf"], hits(("save", "speichern")))
    assert (pin.phrase().case, term.phrase().case) == ("exact", "auto")


def test_source_of_a_term_is_told_where_it_is_one_place_only():
    def spans(pins, *pairs, off=()):
        return {c.text: c.phrase().source_span for c in constraints_for(pins, hits(*pairs), off)}

    assert spans(["auf"], ("router", "Router")) == {"auf": None, "Router": (0, 1)}
    assert spans(["Router"], ("router", "Router")) == {"Router": (0, 1)}
    assert spans(["Router", "Router"], ("router", "Router")) == {"Router": None}
    assert spans([], ("router", "Router"), ("gateway", "Router")) == {"Router": None}
    assert spans([], ("router", "Router"), ("gateway", "Router"), off=["router\tRouter"]) == {"Router": (1, 2)}


@given(st.lists(TEXTS), st.lists(st.tuples(TEXTS, TEXTS)), st.sets(TEXTS))
def test_each_text_is_asked_for_once_and_nothing_is_forgotten(pins, pairs, off_sources):
    found = hits(*pairs)
    off = {term_key(hit.term) for hit in found if hit.term.source in off_sources}
    constraints = constraints_for(pins, found, off)
    texts = [constraint.text for constraint in constraints]
    assert len(texts) == len(set(texts))
    assert set(texts) == set(pins) | {target for source, target in pairs if source not in off_sources}
    assert sum(c.count for c in constraints if c.is_pinned) == len(pins)
    asked = {key for constraint in constraints for key in constraint.term_keys}
    assert asked == {term_key(term) for term in distinct_terms(found)} - off
