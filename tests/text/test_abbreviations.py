"""Abbreviations of a source, as a model reads them."""

import pytest

from engine.text import sentence_spans
from engine.text.abbreviations import _entries, in_full


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("approx. 5 kg (incl. VAT)", "en", "approximately 5 kg (including VAT)"),
        ("Approx. 5 kg", "en", "Approximately 5 kg"),
        ("WEIGHT APPROX. 5 KG", "en", "WEIGHT APPROXIMATELY 5 KG"),
        ("See p. 5 and Fig. IV.", "en", "See page 5 and Figure IV."),
        ("He met Dr. P. Miller at 3 p.m.", "en", "He met Dr. P. Miller at 3 p.m."),
        ("All of the prices are excl.", "en", "All of the prices are excluding."),
        ("Price incl.", "en", "Price including"),
        ("s. S. 12, S. 5 und s. o.", "de", "siehe Seite 12, Seite 5 und siehe oben."),
        ("lt. Vertrag v. 5.6., i.H.v. 5 €", "de", "laut Vertrag vom 5.6., in Höhe von 5 €"),
        ("v. Chr., u.a.", "de", "v. Chr., unter anderem"),
        ("ca.5 kg", "de", "etwa 5 kg"),
        ("approx. 5 kg", "fr", "approx. 5 kg"),
        ("p. %d of {n} pcs., approx. %d hrs. a day", "en", "page %d of {n} pieces, approximately %d hours a day"),
        ("S. {0}, ca. %s Std. am Tag", "de", "Seite {0}, etwa %s Stunden am Tag"),
    ],
)
def test_abbreviations_are_read_in_full(text: str, language: str, expected: str) -> None:
    assert in_full(text, language).text == expected


def test_words_of_an_abbreviation_lead_back_to_it() -> None:
    text = "Preis i. H. v. 5 Euro"
    read = in_full(text, "de")
    for word in ("Höhe", "von"):
        start, end = read.given_span(read.text.index(word), read.text.index(word) + len(word))
        assert 6 <= start < end <= 14
    place = read.text.index("Euro")
    assert text[slice(*read.given_span(place, place + 4))] == "Euro"
    assert text[slice(*read.given_span(0, 5))] == "Preis"


@pytest.mark.parametrize(
    ("text", "word", "part"),
    [("s. Abb. 2", "Abbildung", "Abb."), ("s. Abb. 2", "siehe", "s."), ("3 sq. ft.", "feet", "ft.")],
)
def test_each_word_leads_back_to_its_own_part(text: str, word: str, part: str) -> None:
    read = in_full(text, "en" if word == "feet" else "de")
    start = read.text.index(word)
    assert text[slice(*read.given_span(start, start + len(word)))] == part


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_listed_abbreviation_ends_a_sentence(language: str) -> None:
    beginning, noun, end = {"en": ("We have 5 ", " house", " is new."), "de": ("Wir haben 5 ", " Haus", " ist neu.")}[
        language
    ]
    for entry in _entries()[language]:
        text = beginning + entry.strip("# ") + (" 5" if entry.endswith("#") else noun) + end
        assert sentence_spans(text, language) == [(0, len(text))], entry
