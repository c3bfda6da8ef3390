"""Where a phrase may stand: tables with the reason beside each row, and the rules said a second way."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import TextCodec, is_digit, is_mark, is_sentence_start, is_word_char, occurrences, words

MATCHES = [
    # text, phrase, boundary, where it stands, why
    ("cat", "cat", "word", [0], "the whole text"),
    ("a cat, the cat.", "cat", "word", [2, 11], "spaces and punctuation bound a word"),
    ("concat catalog", "cat", "word", [], "letters on either side"),
    ("concat catalog", "cat", "start", [7], "may begin a longer word, not end one"),
    ("concat catalog", "cat", "anywhere", [3, 7], "anywhere"),
    ("Cat", "cat", "word", [], "case is exact"),
    ("C++ and C", "C++", "word", [0], "the edge + asks for nothing on its right"),
    ("C++11, C+++", "C++", "word", [0, 7], "not even for no digit, or no third +"),
    ("C++ and C", "C", "word", [0, 8], "+ is no letter"),
    ("ABC++", "C++", "word", [], "but its left edge is a letter"),
    ("uses .NET, ASP.NET", ".NET", "word", [5, 14], "the edge . asks for nothing on its left"),
    (".NETs", ".NET", "word", [], "its right edge is a letter"),
    ("1.000", "1", "word", [], "a dot between digits holds a number together"),
    ("1,5", "5", "word", [], "so does a comma, seen from the right"),
    ("1,5", "1,5", "word", [0], "the number itself"),
    ("1.", "1", "word", [0], "a dot at the end holds nothing"),
    ("1. April", "1", "word", [0], "nor one before a space"),
    ("v1.x", "1", "word", [], "a letter before it"),
    ("1.x", "1", "word", [0], "no digit after the dot"),
    ("x.1", "1", "word", [2], "no digit before it"),
    ("x1.2", "2", "word", [], "a digit before the dot, whatever else the word is"),
    ("1.000", "1", "start", [0], "may begin a longer number as well"),
    ("1.000", "000", "start", [], "but not go on with one"),
    ("10:30", "10", "word", [0], "a colon holds nothing together"),
    ("3-5", "3", "word", [0], "nor a hyphen"),
    ("E-Mail", "Mail", "word", [2], "a hyphen is a boundary"),
    ("E-Mail", "E", "word", [0], "on both sides"),
    ("E-Mails", "E-Mail", "word", [], "a longer word"),
    ("E-Mails", "E-Mail", "start", [0], "which a compound may be"),
    ("Debian-Paketliste", "Paket", "word", [], "the end of the compound counts"),
    ("Debian-Paketliste", "Paket", "start", [7], "and is waived"),
    ("Binärpaket, Paket, Paketliste", "Paket", "compound", [5, 12, 19], "a German noun at either end of a compound"),
    ("Binärpakete, paket, BinärPaket", "Paket", "compound", [], "the whole end, with a small letter, of a longer word"),
    ("Binärpaket paket", "paket", "end", [5], "the end of a longer word alone"),
    ("1.000 000", "000", "end", [2], "or of a number"),
    ("日本語版", "語版", "end", [], "where scripts without spaces have no longer word"),
    ("Straße", "Stra", "word", [], "ß is a letter"),
    ("Straße", "Straße", "word", [0], "of the word"),
    ("größer", "größer", "word", [0], "umlauts as well"),
    ("l'eau", "eau", "word", [2], "an apostrophe is a boundary"),
    ("l’eau", "l", "word", [0], "a typographic one too"),
    ("snake_case", "case", "word", [6], "the underscore is no letter"),
    ("it's", "it", "word", [0], "nor is the apostrophe"),
    ("%s files", "%s", "word", [0], "placeholders"),
    ("%stuff", "%s", "word", [], "that a letter follows are others"),
    ("{0}{1}", "{0}", "word", [0], "braces touch freely"),
    ("H₂O", "H", "word", [], "lowered digits are part of the word"),
    ("m²", "m", "word", [], "raised ones too"),
    ("日本語版", "本語", "word", [1], "scripts without spaces: each character bounds the words beside it"),
    ("日本語版", "本語", "anywhere", [1], "so that nothing is left to waive"),
    ("iPhone手机", "iPhone", "word", [0], "also those of other scripts"),
    ("iPhone手机", "Phone", "word", [], "which bound themselves as ever"),
    ("第10章", "10", "word", [1], "numbers too"),
    ("第10章", "1", "word", [], "which stay whole"),
    ("ปี ๒๕๖๗", "๒๕", "word", [], "in their own digits as well"),
    ("ภาษาไทย", "ไทย", "word", [4], "Thai"),
    ("กิน", "ก", "word", [], "whose vowel signs belong to the letter before them"),
    ("한국어", "한국", "word", [], "Korean has spaces"),
    ("e\u0301a", "e", "word", [], "a mark makes it another character"),
    ("cafe\u0301", "cafe", "anywhere", [], "which not even anywhere may cut"),
    ("cafe\u0301", "cafe", "start", [], "nor start"),
    ("❤\ufe0f", "❤", "word", [], "a variation selector is a mark"),
    ("aaa", "aa", "anywhere", [0, 1], "overlapping ones are all found"),
    ("a a a", "a a", "word", [0, 2], "by words too"),
    ("New York City", "York City", "word", [4], "several words"),
    ("New  York", "New York", "word", [], "spaces count"),
    ("", "x", "word", [], "nothing in nothing"),
]


@pytest.mark.parametrize(("text", "phrase", "boundary", "starts", "why"), MATCHES, ids=lambda value: repr(value)[:30])
def test_occurrences_of_a_phrase_equal_the_table(text, phrase, boundary, starts, why):
    assert occurrences(text, phrase, boundary) == [(start, start + len(phrase)) for start in starts], why


# A few characters of each kind, so that random texts are full of edges.
EDGY = st.text(alphabet="ab1.,-'_ \u0301ß２語\u0e34", max_size=8)


@given(EDGY, EDGY.filter(bool), st.sampled_from(["word", "start", "end", "anywhere"]))
def test_occurrences_are_all_places_that_the_rules_allow(text, phrase, boundary):
    def kind(i: int) -> str:
        return unicodedata.category(text[i])[0] if 0 <= i < len(text) else "outside"

    def is_decimal(i: int) -> bool:
        return 0 <= i < len(text) and unicodedata.category(text[i]) == "Nd"

    def is_whole(edge: int, outward: int) -> bool:
        """The character at `edge` is not held together with what lies outward."""
        if kind(edge) not in "LMN" or text[edge] in "語\u0e34":
            return True
        if kind(edge + outward) in ("L", "M", "N") and text[edge + outward] not in "語\u0e34":
            return False
        joined = is_decimal(edge) and is_decimal(edge + 2 * outward) and text[edge + outward] in (".", ",")
        return not joined

    allowed = []
    for start in range(len(text) - len(phrase) + 1):
        end = start + len(phrase)
        if text[start:end] != phrase or kind(end) == "M":
            continue
        if boundary != "anywhere" and is_whole(start, -1) is (boundary == "end"):
            continue
        if boundary in ("word", "end") and not is_whole(end - 1, +1):
            continue
        allowed.append((start, end))
    assert occurrences(text, phrase, boundary) == allowed


@given(EDGY, EDGY.filter(bool))
def test_wider_boundary_finds_all_matches_of_the_narrower_one(text, phrase):
    boundaries = ("word", "start", "compound", "end", "anywhere")
    word, start, compound, end, anywhere = (set(occurrences(text, phrase, b)) for b in boundaries)
    assert word <= start <= compound
    assert start | end <= anywhere
    assert not start & end


def test_empty_phrase_has_no_occurrence():
    assert occurrences("text", "") == []


@pytest.mark.parametrize(
    ("char", "word", "digit", "mark"),
    [
        ("a", True, False, False),
        ("ß", True, False, False),
        ("語", True, False, False),
        ("7", True, True, False),
        ("٣", True, True, False),  # Arabic-Indic three
        ("²", True, False, False),  # a number, but it joins none
        ("½", True, False, False),
        ("\u0301", True, False, True),
        ("\ufe0f", True, False, True),
        ("_", False, False, False),
        ("-", False, False, False),
        ("€", False, False, False),
        ("😀", False, False, False),
        ("\u00a0", False, False, False),
        ("\u00ad", False, False, False),  # a soft hyphen is a hyphen
        ("\ud800", False, False, False),
    ],
)
def test_character_classes(char, word, digit, mark):
    assert (is_word_char(char), is_digit(char), is_mark(char)) == (word, digit, mark)


@pytest.mark.parametrize(
    ("before", "expected", "why"),
    [
        ("", True, "the text begins"),
        ("„", True, "with a quote"),
        ("Ja. ", True, "after a full stop"),
        ("Ja! (", True, "and an opening bracket"),
        ("„Ja.“ ", True, "after a closing quote"),
        ("Wirklich?! ", True, "after two marks"),
        ("Ja.", False, "without a space it may be an abbreviation or a file name"),
        ("Ja, ", False, "a comma ends no sentence"),
        ("Ja: „", False, "nor does a colon"),
        ("3.1", False, "inside a number"),
        ("Ja. Nein ", False, "inside the next sentence"),
    ],
)
def test_sentence_start(before, expected, why):
    assert is_sentence_start(before + "Wort", len(before)) is expected, why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straßenbahnhaltestelle", ["Straßenbahnhaltestelle"]),
        ("E-Mail, bitte.", ["E", "-", "Mail", ",", "bitte", "."]),
        ("C++ (3,5 %)", ["C", "+", "+", "(", "3", ",", "5", "%", ")"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_single_marks(codec: TextCodec, text: str, expected: list[str]):
    decoded = codec.decode([*codec.encode(text).ids, 2])
    found = [text[decoded.spans[first][0] : decoded.spans[last - 1][1]] for first, last in words(text, decoded.spans)]
    assert [part for item in found for part in re.findall(r"\w+|\W", item)] == expected
    assert all(re.fullmatch(r"\w+|\W+", item) for item in found), "no word holds both letters and marks"
