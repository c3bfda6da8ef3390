"""Conflicts shown on the page: a pin that translates the words of a term differently."""

from __future__ import annotations

import pytest

from app.glossary import Term, term_matcher
from app.segments.segment_constraints import Constraints
from app.segments.state import SegmentState
from app.segments.view import conflicts_of
from engine import Avoid

SOURCE = "Restart the router now."
ROUTER = Term("router", "Router", inflections=("Routern",))

CASES = [
    # pin, aligned source span, whether it contradicts the term, reason
    ("Wegewähler", (12, 18), True, "another word for the term's words"),
    ("Wegewähler", (0, 7), False, "a translation of other words"),
    ("Wegewähler", (0, 0), False, "the model cannot tell"),
    ("den Routern", (8, 18), False, "contains a form of the target"),
    ("starten Wegewähler", (0, 18), True, "it covers the term's words"),
]


@pytest.mark.parametrize(("pin", "span", "contradicts", "why"), CASES, ids=[why for *_, why in CASES])
def test_pin_contradicts_a_term_if_it_translates_the_same_words_differently(pin, span, contradicts: bool, why: str):
    hits = term_matcher((ROUTER,)).find(SOURCE)
    segment = SegmentState(0, SOURCE, 4, hits=hits, constraints=Constraints(pins=(pin,)))
    assert [constraint.text for constraint in segment.resolved.required] == [pin, "Router"], (
        "both, until a person chooses"
    )
    found = conflicts_of(segment, lambda text: span)
    view = {
        "kind": "pin_term",
        "kept": pin,
        "given_up": "Router",
        "source": "router",
        "term": "router\tRouter",
        "by": "",
    }
    assert found == ([view] if contradicts else []), why
    off = SegmentState(
        0, SOURCE, 4, hits=hits, constraints=Constraints(pins=(pin,), terms_off=frozenset({"router\tRouter"}))
    )
    assert conflicts_of(off, lambda text: span) == [], "the person has chosen the pin"


def test_term_overridden_by_a_ban_is_reported():
    segment = SegmentState(
        0, SOURCE, 4, hits=term_matcher((ROUTER,)).find(SOURCE), constraints=Constraints(bans=(Avoid("Router"),))
    )
    assert [view["kind"] for view in conflicts_of(segment, lambda text: (0, 0))] == ["ban_term"]
