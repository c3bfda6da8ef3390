"""Terms counted by hand, by brute force, and the overlap of windows in examples worked on paper."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.evaluation import TermList, TermOccurrence, num_terms_met, window_overlap
from engine.text import occurrences


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Open the file system.", [("Dateisystem", (9, 20))]),  # the longest
        ("Files: a file, a File", [("Datei", (9, 13)), ("Datei", (17, 21))]),  # each; not inside a word
        ("FILE", []),  # another spelling
        ("the system file system", [("Dateisystem", (11, 22))]),
        ("the file", [("Datei", (4, 8))]),
    ],
)
def test_terms_are_found_from_left_to_right(source: str, expected: list[tuple[str, tuple[int, int]]]) -> None:
    glossary = TermList({"file": ["Datei", "Dateien"], "file system": ["Dateisystem"]})
    assert [(term.forms[0], term.span) for term in glossary.terms_in(source)] == expected


def test_blank_terms_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="none may be blank"):
        TermList({"file": ["Datei", " "]})


@pytest.mark.parametrize(
    ("output", "forms", "expected"),
    [
        ("Datei", [["Datei"], ["Datei"]], 1),  # two occurrences need two
        ("Datei, Datei", [["Datei"], ["Datei"]], 2),
        ("Dateien", [["Datei"]], 0),  # not as a part
        ("x y", [["x"], ["x", "y"]], 2),
        ("x y", [["x", "y"], ["x"]], 2),  # the first gives way
        ("New York City", [["New York"], ["York City"]], 2),  # different terms may overlap
        ("u\u0308ber", [["über"]], 1),  # in NFC
        ("", [["x"]], 0),
    ],
)
def test_each_term_needs_a_separate_occurrence(output: str, forms: list[list[str]], expected: int) -> None:
    assert num_terms_met(output, [TermOccurrence(tuple(own), (0, 1)) for own in forms]) == expected


@given(
    st.lists(st.sampled_from("abc"), max_size=4).map(" ".join),
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True), max_size=4),
)
def test_the_most_terms_are_met_that_any_assignment_meets(output: str, forms: list[list[str]]) -> None:
    places = [place for form in "abc" for place in occurrences(output, form)]
    places += [(-1, -1)] * len(forms)  # nowhere
    texts = {place: output[place[0] : place[1]] for place in places if place[0] >= 0}
    best = max(
        sum(texts.get(place, "") in own for place, own in zip(order, forms, strict=True))
        for order in permutations(places, len(forms))
    )
    assert num_terms_met(output, [TermOccurrence(tuple(own), (0, 1)) for own in forms]) == best


@pytest.mark.parametrize(
    ("output", "window", "expected", "why"),
    [
        ("Die neue Datei ist leer.", 2, 2 / 4, "of Die, neue | wurde, heute it has Die, neue"),
        ("Heute wurde die neue Datei geöffnet.", 2, 1 / 4, "neue; capitals count"),
        ("Die neue Datei wurde heute geöffnet.", 2, 1.0, "the reference itself"),
        ("Die neue Datei wurde heute geöffnet.", 3, 1.0, "two words before, three behind"),
        ("Datei", 2, 0.0, "nothing around it"),
        ("Die neue Akte wurde heute geöffnet.", 2, 0.0, "no term"),
        ("wurde, heute: Datei", 2, 2 / 4, "either side; marks do not count"),
    ],
)
def test_window_overlap_by_hand(output: str, window: int, expected: float, why: str) -> None:
    reference = "Die neue Datei wurde heute geöffnet."
    assert window_overlap(output, reference, ["Datei"], window) == pytest.approx(expected), why


def test_several_occurrences_are_paired_best_first() -> None:
    reference = "a b Rad c d, e f Rad g h"
    # in the output, the first stands as the second does in the reference, but for one word; the second has "a" alone
    output = "e f Rad g x. y a Rad z z"
    # pairs: (second, first): e f g of e f g h = 3/4; then (first, second): a of a b c d = 1/4
    assert window_overlap(output, reference, ["Rad"], 2) == pytest.approx((3 / 4 + 1 / 4) / 2)


def test_an_occurrence_more_in_the_reference_is_left_out() -> None:
    # a property of the measure, as published: presence is what the exact count tells
    assert window_overlap("a Rad b", "a Rad b. c Rad d", ["Rad"], 1) == pytest.approx(1.0)


def test_every_occurrence_of_a_word_counts() -> None:
    assert window_overlap("x Rad y", "x Rad x", ["Rad"], 1) == pytest.approx(1 / 2)


def test_overlap_is_undefined_without_a_term_in_the_reference() -> None:
    assert window_overlap("eine Datei", "eine Akte", ["Datei"], 2) is None
