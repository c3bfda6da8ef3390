"""No-break spaces and hyphens of a source in its translation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tags.protect import Protection
from app.tags.source_characters import with_source_characters
from engine import Hypothesis, Phrase, Placement, Request, Translation

NBSP, HYPHEN = "\u00a0", "\u2011"


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("It weighs 5~kg.", "Es wiegt 5 kg.", "Es wiegt 5~kg."),
        ("5~pages, 6 pages", "5 Seiten, 6 Seiten", "5~Seiten, 6 Seiten"),
        ("see page~7.", "siehe Seite 7.", "siehe Seite~7."),
        ("§~5 and § 6", "§ 5 und § 6", "§~5 und § 6"),
        ("1,250~kg", "1.250 kg", "1.250~kg"),
        ("z.~B. so", "z. B. so", "z.~B. so"),
        ("The~file", "Die Datei", "Die Datei"),
        ("Send an e_mail", "Senden Sie eine E-Mail", "Senden Sie eine E_Mail"),
        ("an e_mail address", "eine E-Mail-Adresse", "eine E_Mail-Adresse"),
        ("well_known E_Mail", "bekannte E-Mail", "bekannte E_Mail"),
        ("5~kg and 5~kg", "5 kg", "5~kg"),
        ("•\tOpen it", "• Öffnen", "•\tÖffnen"),
        ("1)\tOpen a\tdoor", "1) Eine Tür öffnen", "1)\tEine Tür öffnen"),
        ("5 kg", "5 kg", "5 kg"),
        ("~", "", ""),
    ],
)
def test_characters_of_the_source_return_where_the_translation_has_the_same(source, text, expected):
    source, expected = (each.replace("~", NBSP).replace("_", HYPHEN) for each in (source, expected))
    assert with_source_characters(source, text) == expected


@given(st.text("ab5 ~_-.,", max_size=20), st.text("ab5 -.,", max_size=20))
def test_only_spaces_and_hyphens_change(source, text):
    found = with_source_characters(source.replace("~", NBSP).replace("_", HYPHEN), text)
    assert found.replace(NBSP, " ").replace(HYPHEN, "-") == text


def test_beginnings_and_required_texts_stay_as_the_person_wrote_them():
    source = f"It weighs 5{NBSP}kg or 6{NBSP}kg or 7{NBSP}kg."
    request = Request(source, phrases=[Phrase("6 kg")], prefix="Es wiegt 5 kg")
    text = "Es wiegt 5 kg oder 6 kg oder 7 kg."
    best = Hypothesis(text, 0.0, 0.0, (2,), (0.0,), ((34, 34),), (Placement(0, "6 kg", 19, 23),))
    protection = Protection.of(request)
    answer = protection.restore(Translation(protection.request, "complete", (best,)))
    assert answer.hypotheses[0].text == f"Es wiegt 5 kg oder 6 kg oder 7{NBSP}kg."
    assert answer.hypotheses[0].placements[0].form == "6 kg"


def test_they_return_beside_tags():
    protection = Protection.of(Request(f"<b>It</b> weighs 5{NBSP}kg."))
    best = Hypothesis("Es wiegt 5 kg.", 0.0, 0.0, (2,), (0.0,), ((14, 14),), alignment=((0, 2, 0, 2),))
    answer = protection.restore(Translation(protection.request, "complete", (best,)))
    assert answer.hypotheses[0].text == f"<b>Es</b> wiegt 5{NBSP}kg."
