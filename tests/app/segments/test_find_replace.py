"""Find and replace, compared with a slow reference search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CommandError
from app.segments.find_replace import MAX_SHOWN, Query, found_in
from app.segments.state import SegmentState

PLACES = [
    ("aa", {}, "aaaa", "xx", "no overlap"),
    ("der", {}, "Der Bruder", "x Brux", "any case, inside words"),
    ("der", {"matches_case": True}, "Der Bruder", "Der Brux", "this case"),
    ("der", {"whole_words": True}, "Der Bruder, der", "x Bruder, x", "whole words"),
    ("1", {"whole_words": True}, "1.000 und 1", "1.000 und x", "a number is one word"),
    ("a.c", {}, "abc a.c", "abc x", "no pattern"),
    ("%", {"whole_words": True}, "5 %", "5 x", "an edge that is not a letter"),
    ("", {}, "abc", "abc", "an empty text is never found"),
    ("İ", {}, "İstanbul", "xstanbul", "a letter whose lower case is two"),
    ("e-mail", {}, "Eine E‑Mail, E\u00ad-Mail", "Eine x, x", "hyphens are the same, hidden characters do not count"),
    ("it's so", {"matches_case": True}, "it’s\u00a0so", "x", "apostrophes and spaces are the same"),
    ("cafe\u0301", {"whole_words": True}, "Café, Cafés", "x, Cafés", "composed letters"),
    ("  ", {}, "a  b c", "axb c", "spaces alone are found as typed"),
    ("’", {}, "it’s it's", "itxs it's", "signs alone are found as typed"),
    ("1", {}, "{1}Seite 1{/1}", "{1}Seite x{/1}", "a tag is not found in part"),
    ("{1}Seite", {}, "{1}Seite{/1}", "x{/1}", "a tag is found as a whole"),
    ("\u00ad", {}, "co\u00adop", "coxop", "a hidden character is found as typed"),
]


@pytest.mark.parametrize(("find", "flags", "text", "expected", "why"), PLACES, ids=[why for *_, why in PLACES])
def test_every_occurrence_is_replaced_and_nothing_else(
    find: str, flags: dict[str, bool], text: str, expected: str, why: str
):
    assert Query(find, "x", **flags).replaced(text) == expected, why


@pytest.mark.parametrize(("find", "replacement"), [("x" * 1001, ""), ("x", "y" * 1001)])
def test_text_that_is_too_long_is_not_searched(find: str, replacement: str):
    with pytest.raises(CommandError, match="at most 1000 characters"):
        Query(find, replacement)


@pytest.mark.parametrize(
    ("find", "replacement", "text", "expected"),
    [
        ("it's", "it’s", "it's it’s", "it’s it’s"),
        ("a  b", "a b", "a b a  b", "a b a b"),
        ("E‑Mail", "E-Mail", "E‑Mail E-Mail", "E-Mail E-Mail"),
        ("10 km", "10\u00a0km", "10 km", "10\u00a0km"),
    ],
)
def test_text_is_found_as_typed_if_it_is_replaced_by_another_way_to_write_it(
    find: str, replacement: str, text: str, expected: str
):
    query = Query(find, replacement)
    assert query.replaced(text) == expected
    assert query.spans(text) == [(text.index(find), text.index(find) + len(find))]


def by_hand(text: str, find: str, replacement: str) -> str:
    """Slow reference for exact case: scans the text from its start."""
    if not find:
        return text
    if text.startswith(find):
        return replacement + by_hand(text[len(find) :], find, replacement)
    return text[:1] + by_hand(text[1:], find, replacement) if text else ""


@given(st.text("ab \\1", max_size=30), st.text("ab\\", max_size=3), st.text("ab\\1", max_size=3))
def test_replacing_is_literal(text: str, find: str, replacement: str):
    query = Query(find, replacement, matches_case=True)
    expected = by_hand(text, find, replacement)
    assert query.replaced(text) == expected
    runs = query.runs(text)
    assert "".join(part for kind, part in runs if kind != "i") == text
    assert "".join(part for kind, part in runs if kind != "d") == expected


def test_preview_shortens_text_far_from_the_occurrences():
    runs = Query("x").runs("a" * 500 + "x" + "b" * 500 + "x" + "c" * 500)
    kept = [part for kind, part in runs if kind == "s"]
    assert kept == ["…" + "a" * 60, "b" * 60 + "…" + "b" * 60, "c" * 60 + "…"]


def test_confirmed_segments_are_searched_on_demand_and_the_list_is_limited():
    segments = [
        SegmentState(n, "Source.", 1, state="confirmed" if n % 2 else "edited", target="x x")
        for n in range(2 * MAX_SHOWN)
    ]
    found = found_in(segments, Query("x"))
    assert (found["num_places"], found["num_segments"], len(found["rows"])) == (2 * MAX_SHOWN, MAX_SHOWN, MAX_SHOWN)
    found = found_in(segments, Query("x", in_confirmed=True))
    assert (found["num_segments"], len(found["rows"])) == (2 * MAX_SHOWN, MAX_SHOWN)
