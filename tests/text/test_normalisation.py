"""NFC and the plain form of texts: the text, and the place of every character in the text that was given."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import PlainForm, normalise
from engine.text.normalisation import ASCII_MARKS, normalise_with_offsets

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


LATIN_1 = PlainForm(lambda char: char <= "\u00ff")
UNTIDY = st.text(
    "ab1 \t\n\u00a0\u2009\u3000\u00ad\u200b\u200d\u2060\ufeff\u2010\u2011ﬁＡ½⅓²⁶㎏…\u0301\u2126\u0915\u00a8\x07",
    max_size=16,
)


@pytest.mark.parametrize(
    ("given_text", "plain", "why"),
    [
        ("A man.", "A man.", "a plain text stays"),
        ("  a \t b\r\n\u00a0c\u2009d ", "a b c d", "each run of white space is one space, and none is at the ends"),
        ("a\u200b b\u2060c\ufeff", "a bc", "invisible characters vanish, also beside white space"),
        ("Mit\u00adglied", "Mitglied", "so does a soft hyphen"),
        ("E\u2011Mail, a\u2010b", "E-Mail, a-b", "typographic hyphens"),
        ("ﬁrst oﬃce", "first office", "ligatures"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ１", "Full width1", "full-width letters and spaces"),
        ("5½ ㎏, ⅓", "5½ kg, 1/3", "what the vocabulary has stays"),
        ("5⅓", "5 1/3", "a number and a fraction are not one number"),
        ("10⁶", "10⁶", "an exponent is no factor"),
        ("\u2126", "Ω", "the ohm sign is a letter"),
        ("ｶﾞ", "ガ", "half-width letters compose"),
        ("a\u200db", "ab", "no letter is joined in Latin script"),
        ("", "", "nothing"),
        ("\u200b \u00ad", "", "nothing that can be seen"),
    ],
)
def test_plain_form(given_text, plain, why):
    assert LATIN_1.of(given_text).text == plain, why


def test_typographic_marks_are_read_as_those_of_ascii_where_the_pieces_have_only_these():
    ascii_only, all_but_quotes = (
        PlainForm(str.isascii, ASCII_MARKS),
        PlainForm(lambda char: char not in "“”„", ASCII_MARKS),
    )
    normal = ascii_only.of("„Ja“ – it’s «good»")
    assert normal.text == '"Ja" - it\'s "good"'
    assert normal.offsets is not None and normal.given_span(1, 3) == (1, 3)
    assert all_but_quotes.of("“Yes” – it’s").text == '"Yes" – it’s'
    assert PlainForm(str.isalpha, ASCII_MARKS).of("“Yes”").text == "“Yes”"  # there are no others


def test_join_controls_stay_in_scripts_whose_letters_they_change():
    spelt = PlainForm(lambda char: True)
    assert spelt.of("\u0645\u06cc\u200c\u062e").text == "\u0645\u06cc\u200c\u062e"
    assert LATIN_1.of("\u0645\u06cc\u200c\u062e").text == "\u0645\u06cc\u062e"  # unless the vocabulary lacks them


@given(ANY_TEXT | COMPOSING | UNTIDY)
def test_plain_form_has_single_spaces_inside_and_is_its_own_plain_form(text):
    plain = LATIN_1.of(text).text
    assert LATIN_1.of(plain).text == plain == " ".join(plain.split())


@given(ANY_TEXT | UNTIDY)
def test_each_character_of_the_plain_form_has_its_place(text):
    normal = LATIN_1.of(text)
    offsets = normal.offsets or range(len(text) + 1)
    assert len(offsets) == len(normal.text) + 1
    assert list(offsets) == sorted(offsets)
    assert LATIN_1.of(text[: offsets[0]]).text == LATIN_1.of(text[offsets[-1] :]).text == ""
    for place, char in enumerate(normal.text):
        if char.isascii() and char.isalnum() and char in text[slice(*normal.given_span(place, place + 1))]:
            assert normal.span_of(*normal.given_span(place, place + 1)) == (place, place + 1)


@given(UNTIDY, st.data())
def test_a_span_of_the_given_text_leads_to_the_characters_that_it_became(text, data):
    normal = LATIN_1.of(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = normal.span_of(start, end)
    assert 0 <= first <= last <= len(normal.text)
    if normal.text and start < end:
        assert first < last


def test_two_steps_have_the_places_of_both():
    first = LATIN_1.of("\u00adﬁ  x")
    second = LATIN_1.of(first.text)
    assert first.then(second) == first
