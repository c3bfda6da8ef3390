"""Folding keeps the place of every character; tests/shared has the table of what is folded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.folding import FoldedText, fold_term, folded, lower
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


def test_lower_case_keeps_the_length() -> None:
    assert lower("İSTANBUL ΟΔΟΣ") == "istanbul οδοσ"
    assert lower("οδός") == lower("ΟΔΌΣ")


@pytest.mark.parametrize("unit", ["e\u00ad\u0301", "\u0301\u0323", "ﬃ \u00a0", "{1}a{/1}", "<b ", "\u200c"])
def test_long_texts_are_folded_in_linear_time(unit: str) -> None:
    assert growth(lambda size: FoldedText.of_words(unit * size), 4000) < 3
