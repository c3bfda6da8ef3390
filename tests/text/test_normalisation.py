"""NFC that remembers: the text is Unicode's own, and every character knows where it came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import normalise
from engine.text.normalisation import normalise_with_offsets

ANY_TEXT = st.text(st.characters(exclude_categories=()))
# Letters, marks that reorder and compose, Hangul parts, Indic and Tibetan vowel signs, singletons, exclusions.
COMPOSING = st.text(
    "aeE\u0301\u0323\u0308ö각\u1100\u1161\u11a8\u09c7\u09be\u0f71\u0f73\u0f75\u0344\u212b\ufb1d\u0958 ", max_size=12
)


@given(ANY_TEXT | COMPOSING)
def test_text_is_nfc_for_any_parts(text):
    normal = normalise_with_offsets(text)
    assert normal.text == unicodedata.normalize("NFC", text) == normalise(text)


@given(ANY_TEXT | COMPOSING)
def test_offsets_rise_from_the_first_character_to_the_end(text):
    normal = normalise_with_offsets(text)
    if normal.offsets is None:
        assert normal.text == text
        return
    assert len(normal.offsets) == len(normal.text) + 1
    assert list(normal.offsets) == sorted(normal.offsets)
    assert normal.given_span(0, len(normal.text)) == (0, len(text))


@given(ANY_TEXT | COMPOSING)
def test_letters_that_compose_with_nothing_point_at_themselves(text):
    given = text + "x"  # x composes with no mark that is not there
    normal = normalise_with_offsets("y" + given)
    start, end = normal.given_span(len(normal.text) - 1, len(normal.text))
    assert ("y" + given)[start:end] == "x"


@pytest.mark.parametrize(
    ("text", "normal", "offsets"),
    [
        ("Ka\u0308se", "Käse", (0, 1, 3, 4, 5)),  # two characters become one
        ("q\u0308a\u0308", "q\u0308ä", (0, 1, 2, 4)),  # no q with dots exists: it stays two
        ("\u1100\u1161\u11a8!", "각!", (0, 3, 4)),  # three Hangul parts, one syllable
        ("\u0958", "\u0915\u093c", (0, 1, 1)),  # one character becomes two
        ("\u212b", "Å", (0, 1)),  # the Ångström sign is a letter
    ],
)
def test_offsets_of_known_texts(text, normal, offsets):
    found = normalise_with_offsets(text)
    assert (found.text, found.offsets) == (normal, offsets)
