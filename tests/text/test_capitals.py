"""Capitals: where a text has them, the usual form of its words, and capitals of several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Translator
from engine.text.capitals import (
    UsualCase,
    capitals_in,
    is_in_capitals,
    kept_spans,
    lower,
    upper,
    usual_forms,
)

SHOUTED = st.lists(
    st.sampled_from(["THE", "FILE", "NASA", "and", "iPhone", "A", "{name}", "5", "STRASSE", "GROẞ", "E-MAIL", ".", "!"])
).map(" ".join)


@pytest.fixture(scope="module")
def cases() -> dict[str, UsualCase]:
    codec = Translator.load("data/models/en-de")._codec
    return {language: UsualCase(codec, language, usual_forms(language)) for language in ("en", "de")}


@pytest.mark.parametrize(
    ("text", "found", "why"),
    [
        ("OPEN THE FILE", ["OPEN THE FILE"], "a whole text"),
        ("USER MANUAL", ["USER MANUAL"], "a heading"),
        ("CLICK {name} AT 5 PM", ["CLICK {name} AT 5 PM"], "placeholders and numbers have no case"),
        ("OPEN iTunes NOW", ["OPEN iTunes NOW"], "a name that has both cases inside"),
        ("STRAßE SPERREN", ["STRAßE SPERREN"], "texts in capitals often have a small ß"),
        ("NASA and IBM", [], "abbreviations in a sentence"),
        ("Use HTML, CSS or JSON.", [], "two next to each other"),
        ("Please DO NOT OPEN this door.", ["DO NOT OPEN"], "a run of three"),
        ("Press A B C now", [], "letters are no words"),
        ("This is very IMPORTANT", [], "a single word"),
        ("漢字", [], "no letters with case"),
        ("", [], "nothing"),
    ],
)
def test_capitals_of_a_text(text, found, why):
    assert [text[start:end] for start, end in capitals_in(text).spans] == found, why


@pytest.mark.parametrize(
    ("language", "capitals", "usual"),
    [
        ("en", "THE FILE OF LONDON IS A PDF.", "The file of London is a PDF."),
        ("en", "I AM SURE. DON'T TOUCH IT!", "I am sure. Don't touch it!"),
        ("en", "SEND AN E-MAIL TO {NAME}.", "Send an e-mail to {NAME}."),
        ("de", "DIE DATEI IST NICHT GEÖFFNET.", "Die Datei ist nicht geöffnet."),
        ("de", "SCHLIESSEN SIE DIE GROSSE STRAßE", "Schließen Sie die große Straße"),
        ("de", "DIE STRAẞE", "Die Straße"),
        ("de", "DAS NETZWERKKABEL", "Das Netzwerkkabel"),
    ],
)
def test_usual_case_of_a_text_in_capitals(cases, language, capitals, usual):
    assert cases[language].sentence(capitals, [(0, len(capitals))]).text == usual


@given(SHOUTED)
def test_each_character_in_usual_case_has_its_place_in_the_capitals(cases, text):
    for case in cases.values():
        normal = case.sentence(text, [(0, len(text))])
        offsets = normal.offsets
        assert offsets is not None and list(offsets) == sorted(offsets)
        assert offsets[-1] == len(text)
        for place, char in enumerate(normal.text):
            given_char = text[offsets[place]]
            assert given_char.upper() in char.upper() or char.upper() in "SS"


@pytest.mark.parametrize(
    ("language", "text", "capitals"),
    [
        ("de", "Straße für größere Öfen", "STRASSE FÜR GRÖSSERE ÖFEN"),
        ("tr", "ısırgan iğne", "ISIRGAN İĞNE"),
        ("en", "iPhone, naïve", "IPHONE, NAÏVE"),
        ("el", "Μάιος: το αρχείο είναι ανοιχτό ή όχι", "ΜΑΪΟΣ: ΤΟ ΑΡΧΕΙΟ ΕΙΝΑΙ ΑΝΟΙΧΤΟ Ή ΟΧΙ"),
        ("el", "νεράιδα, προϋπόθεση", "ΝΕΡΑΪΔΑ, ΠΡΟΫΠΟΘΕΣΗ"),
        ("ru", "Откройте файл", "ОТКРОЙТЕ ФАЙЛ"),
        ("nl", "ijs", "IJS"),
    ],
)
def test_capitals_follow_the_language(language, text, capitals):
    assert "".join(upper(text, language)) == capitals


@pytest.mark.parametrize(
    ("language", "text", "small"),
    [("tr", "IĞNE İLE", "ığne ile"), ("en", "IT IS", "it is"), ("el", "ΟΔΟΣ", "οδο\u03c2")],
)
def test_small_letters_follow_the_language(language, text, small):
    assert lower(text, language) == small


def test_capitals_of_a_text_can_be_given_with_a_capital_eszett():
    assert "".join(upper("Straße", "de", "ẞ")) == "STRAẞE"


def test_placeholders_and_words_that_the_source_has_so_stay():
    text = "Öffnen Sie {file} in iTunes, %d mal."
    assert [text[start:end] for start, end in kept_spans(text, "OPEN {file} IN iTunes %d TIMES")] == [
        "{file}",
        "%d",
        "iTunes",
    ]


def test_a_phrase_in_capitals_may_be_written_in_its_usual_case(cases):
    assert cases["de"].variants("DATEI ÖFFNEN")[:2] == ("DATEI ÖFFNEN", "Datei öffnen")
    assert cases["de"].variants("Datei öffnen") == ("Datei öffnen",)
    assert not is_in_capitals("Datei") and is_in_capitals("USB")
