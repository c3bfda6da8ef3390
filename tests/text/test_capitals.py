"""Capitals: where a text has them, the usual form of its words, and capitals of several languages."""

from __future__ import annotations

import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Translator
from engine.errors import ModelError
from engine.text import capitals
from engine.text.capitals import (
    UsualCase,
    capitals_in,
    is_in_capitals,
    kept_spans,
    lower,
    upper,
    with_small_function_words,
)
from engine.text.case_model import KnownWords

SHOUTED = st.lists(
    st.sampled_from(["THE", "FILE", "NASA", "and", "iPhone", "A", "{name}", "5", "STRASSE", "GROẞ", "E-MAIL", ".", "!"])
).map(" ".join)


@pytest.fixture(scope="module")
def cases() -> dict[str, UsualCase]:
    codec = Translator.load("data/models/en-de")._codec
    return {language: UsualCase.of_language(codec, language) for language in ("en", "de")}


@pytest.mark.parametrize(
    ("text", "found", "why"),
    [
        ("OPEN THE FILE", ["OPEN THE FILE"], "a whole text"),
        ("USER MANUAL", ["USER MANUAL"], "a heading"),
        ("CLICK {name} AT 5 PM", ["CLICK {name} AT 5 PM"], "placeholders and numbers have no case"),
        ("OPEN iTunes NOW", ["OPEN iTunes NOW"], "a name that has both cases inside"),
        ('THE FILE "readme.txt" IS OPEN.', ['THE FILE "readme.txt" IS OPEN.'], "a name of a file"),
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
        ("de", "WIR ESSEN HEUTE NICHT, DAS ESSEN IST KALT.", "Wir essen heute nicht, das Essen ist kalt."),
        ("de", "SIE KÖNNEN DIE DATEI ÖFFNEN.", "Sie können die Datei öffnen."),
        (
            "de",
            "DIE 30-JÄHRIGE FRAU WURDE ZWISCHEN ZWEI AUTOS VERLETZT.",
            "Die 30-jährige Frau wurde zwischen zwei Autos verletzt.",
        ),
        ("de", "DIE HUNDE FRESSEN AUF DEN STRASSENKARTEN", "Die Hunde fressen auf den Straßenkarten"),
        ("en", "A 22-YEAR-OLD MAN CAME IN 19TH PLACE.", "A 22-year-old man came in 19th place."),
        (
            "en",
            "THE U.S. AND THE U.K. SIGNED IT AT 5 P.M. IN NEW YORK. HE LEFT.",
            "The U.S. and the U.K. signed it at 5 p.m. in New York. He left.",
        ),
        ("en", "THE ACTOR GWYNETH ZORBLATT SMILED.", "The actor Gwyneth Zorblatt smiled."),
        (
            "en",
            'STOP! "NOW" IS THE TIME. IT TAKES APPROX. FIVE DAYS.',
            'Stop! "Now" is the time. It takes approx. five days.',
        ),
        ("en", "SET MAX_VALUE TO FIVE.", "Set MAX_VALUE to five."),
        ("en", "IPHONE USERS CAN OPEN THE PDF.", "iPhone users can open the PDF."),
    ],
)
def test_usual_case_of_a_text_in_capitals(cases, language, capitals, usual):
    assert cases[language].sentence(capitals, [(0, len(capitals))]).text == usual


def test_words_around_capitals_are_read_as_they_are(cases):
    text = "Please ask Angela MERKEL TO OPEN THE DOOR again."
    start, end = text.index("MERKEL"), text.index(" again")
    assert cases["en"].sentence(text, [(start, end)]).text == "Please ask Angela Merkel to open the door again."


def test_a_language_without_a_model_has_the_words_as_the_translation_model_knows_them_best(cases):
    case = UsualCase(cases["en"].codec, "nl")
    assert case.model is None
    assert case.sentence("OPEN THE PDF FILE", [(0, 17)]).text == "Open the PDF file"


def test_damaged_case_models_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(capitals, "CASING_FOLDER", tmp_path)
    for content in (b"no archive", lzma.compress(b""), lzma.compress(bytes([19, 5]) + bytes(100))):
        (tmp_path / "xx.weights.xz").write_bytes(content)
        with pytest.raises(ModelError, match=r"xx\.weights\.xz is damaged .*; install Pinpoint again"):
            capitals.case_model.__wrapped__("xx")


def test_known_words_are_found_and_most_others_are_not():
    known = KnownWords.of([f"WORD{number}" for number in range(1000)])
    assert all(f"WORD{number}" in known for number in range(1000))
    assert sum(f"OTHER{number}" in known for number in range(1000)) < 60


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


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("The Art Of War", "The Art of War"),
        ("Terms Of Use", "Terms of Use"),
        ("Chapter 5: The Old Man And The Sea", "Chapter 5: The Old Man and the Sea"),
        ("Your Order Has Been Shipped!", "Your Order has been Shipped!"),
        ("Go To", "Go To"),  # perhaps a name
        ("He read The Art Of War", "He read The Art Of War"),  # a name in a sentence
        ("IT And OR Gates", "IT and OR Gates"),  # words in capitals stay
        ("In May Of That Year", "In May of that Year"),
    ],
)
def test_function_words_of_an_english_title_are_read_small(title, read):
    assert with_small_function_words(title, "en") == read
    assert with_small_function_words(title, "de") == title
