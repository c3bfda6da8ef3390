"""Folding keeps the place of every character; tests/shared has the table of what is folded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary.index.matcher import term_matcher
from app.glossary.lemmas import target_in
from app.glossary.model import Term
from app.segments.find_replace import Query
from app.text.folding import FoldedText, fold_term, folded, lower
from app.tm.entries import MemoryEntry
from app.tm.index import MemoryIndex
from tests.app.work import growth

# Letters and marks that compose, hidden characters, spaces, hyphens, quotes, ligatures, full width, tags.
CHARACTERS = st.sampled_from(
    "aZé\u0301\u0327\u00ad\u200b\u2060\ufeff\u200c\u200dبﬁﬃＵ３ \u00a0\n\u2009-‐‑'’“\"ﷺİς{}/1<b>\u1112\u1161\u11ab"
)
TEXTS = st.text(CHARACTERS | st.characters(), max_size=30)


@given(TEXTS)
def test_each_folded_character_comes_from_its_span_of_the_given_text(text: str) -> None:
    found = FoldedText(text)
    assert len(found.exact) == len(found.lower) == len(found.starts) == len(found.ends)
    for number, character in enumerate(found.exact):
        start, end = found.span(number, number + 1)
        assert 0 <= start < end <= len(text)
        assert character in folded(text[start:end]) or character == " "
    assert list(found.starts) == sorted(found.starts), "in the order of the text"


@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = folded(text)
    assert folded(once) == once == FoldedText(text).exact
    assert unicodedata.is_normalized("NFC", once)


@given(TEXTS, TEXTS, st.sampled_from(["\u00ad", "\u200b", "\u2060", "\ufeff"]))
def test_hidden_character_between_two_texts_changes_nothing(one: str, two: str, hidden: str) -> None:
    assert folded(one + hidden + two) == folded(one + two)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Our co\u00adoperation is", "co\u00adoperation"),
        ("an \u2060e\u2011mail\u2060, now", "e\u2011mail"),  # hidden characters beside the words stay outside
        ("Cafe\u0301 noir", "Cafe\u0301"),
        ("the ﬁle", "ﬁle"),
    ],
)
def test_span_of_a_match_is_the_text_as_given(text: str, found: str) -> None:
    words = FoldedText(text)
    for needle in ("cooperation", "e-mail", "café", "file"):
        at = words.lower.find(needle)
        if at >= 0:
            start, end = words.span(at, at + len(needle))
            assert text[start:end] == found


def test_paired_tags_are_left_out_of_terms_only() -> None:
    assert fold_term("{1}Power{/1} Cable") == "power cable"
    assert folded("{1}Power{/1} Cable") == "{1}Power{/1} Cable"


@pytest.mark.parametrize("other", ["MASSSTAB", "Massstab", "MAẞSTAB", "maßstab"])
def test_sharp_s_equals_two_letters_without_case(other: str) -> None:
    assert lower(folded(other)) == lower(folded("Maßstab"))
    assert [FoldedText("im Maßstab").span(3, 11)] == [(3, 10)]


@pytest.mark.parametrize(("one", "other"), [("Maße", "Masse"), ("Maßen", "Massen"), ("Buße", "Busse")])
def test_words_that_differ_only_in_sharp_s_are_different(one: str, other: str) -> None:
    assert lower(folded(one)) != lower(folded(other))
    assert lower(folded(f"{one}mer")) == lower(folded(f"{other}mer"))


def test_terms_matches_and_searches_know_the_spelling_of_capitals_and_of_switzerland() -> None:
    matcher = term_matcher([Term("Straße", "road"), Term("Maße", "dimensions")], "de")
    found = [(hit.term.target, hit.text) for hit in matcher.find("DIE STRASSE, die Strasse, die Masse")]
    assert found == [("road", "STRASSE"), ("road", "Strasse")]
    assert target_in("DIE STRASSENBAHN", ["Straßenbahn"], "de") == "STRASSENBAHN"
    assert target_in("die Straßenlampe", ["Straße"], "de", joins_compounds=True) == "Straßenlampe"
    assert target_in("im Längenmaßstab", ["Maßstab"], "de", joins_compounds=True) == "Längenmaßstab"
    index = MemoryIndex()
    index.add(1, MemoryEntry("Der Maßstab ist falsch.", "The scale is wrong."))
    assert [match.rate for match in index.matches("DER MASSSTAB IST FALSCH.")] == [99]
    assert Query("strasse").spans("Die Straße") == [(4, 10)]


def test_lower_case_keeps_the_length() -> None:
    assert lower("İSTANBUL ΟΔΟΣ") == "istanbul οδοσ"
    assert lower("οδός") == lower("ΟΔΌΣ")


@pytest.mark.parametrize("unit", ["e\u00ad\u0301", "\u0301\u0323", "ﬃ \u00a0", "{1}a{/1}", "<b ", "\u200c"])
def test_long_texts_are_folded_in_linear_time(unit: str) -> None:
    assert growth(lambda size: FoldedText.of_words(unit * size), 1500) < 3
