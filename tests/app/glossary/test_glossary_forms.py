"""Inflected forms of glossary targets from the form lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.lemmas import MAX_FORMS, lemmatiser, target_in, with_forms
from engine import compound_head, is_compound
from engine.text import FormList
from tests.app.work import growth

TERMS = (
    Term("account", "Konto"),
    Term("power cable", "Netzkabel"),
    Term("options", "Optionen"),
    Term("user interface", "grafische Oberfläche"),
    Term("save", "speichern"),
    Term("hub", "Hub"),
    Term("Mail Center", "Konto", status="exact"),
    Term("log in", "anmelden", variants=("einloggen",)),
)


@pytest.fixture(scope="module")
def formed() -> dict[str, Term]:
    """The terms above with their forms, by source."""
    return {term.source: term for term in with_forms(TERMS, "de")}


def test_inflections_come_from_the_list_without_the_target_itself(formed: dict[str, Term]):
    assert {"Konten", "Kontos"} <= set(formed["account"].inflections)
    assert {"Netzkabeln", "Netzkabels"} <= set(formed["power cable"].inflections)
    assert "gespeichert" in formed["save"].inflections
    assert {"angemeldet", "eingeloggt"} <= set(formed["log in"].inflections), "variants too"
    for term in formed.values():
        assert not set(term.targets) & set(term.inflections)
        assert len(term.inflections) <= MAX_FORMS


def test_plural_and_exact_terms_get_no_inflections(formed: dict[str, Term]):
    assert formed["options"].inflections == ()
    assert (formed["Mail Center"].inflections, formed["Mail Center"].joins_compounds) == ((), False)


def test_adjective_is_inflected_with_its_noun(formed: dict[str, Term]):
    assert {"grafischen Oberfläche", "grafischen Oberflächen"} <= set(formed["user interface"].inflections)


def test_long_enough_nouns_join_compounds(formed: dict[str, Term]):
    assert {source for source, term in formed.items() if term.joins_compounds} == {
        "account", "power cable", "options", "user interface",
    }  # fmt: skip


def test_language_without_a_form_list_adds_no_forms():
    (term,) = with_forms((Term("account", "Konto"),), "xx")
    assert (term.inflections, term.joins_compounds) == ((), False)
    assert lemmatiser("xx")("Houses") == "houses"


WORDS = st.text(st.sampled_from("abÄß"), min_size=1, max_size=6)


def list_text(forms: dict[str, list[str]]) -> bytes:
    """The uncompressed text of a form list, given the forms by dictionary form."""
    lines = (
        lemma.encode() + b"\t" + " ".join(sorted({_shortened(lemma, form) for form in its_forms})).encode()
        for lemma, its_forms in forms.items()
    )
    return b"\n".join(sorted(lines))


def _shortened(lemma: str, form: str) -> str:
    num_shared = next((n for n, (a, b) in enumerate(zip(lemma, form, strict=False)) if a != b), len(lemma))
    num_shared = min(num_shared, len(form))
    return f"{len(lemma) - num_shared}{form[num_shared:]}" if num_shared >= 2 else f"={form}"


@given(st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=4)), st.lists(WORDS))
def test_form_list_survives_a_round_trip(forms: dict[str, list[str]], others: list[str]):
    read = FormList(list_text(forms))
    for word in (*forms, *others):
        assert set(read.forms(word)) == set(forms.get(word, ()))


@pytest.mark.parametrize(
    ("word", "part", "expected", "why"),
    [
        ("Netzkabelstecker", "Netzkabel", True, "Stecker is a word"),
        ("Netzkabelsteckern", "Netzkabel", True, "in another form"),
        ("Netzkabelle", "Netzkabel", False, "le is none"),
        ("Netzkabels", "Netzkabel", False, "an ending is no word"),
        ("Netzkabelladegerät", "Netzkabel", True, "two words, the first a verb"),
        ("Netzkabelgehäuse", "Netzkabel", True, "Gehäuse is a word"),
        ("Netzkabelhäuser", "Netzkabel", True, "with an umlaut in the plural"),
        ("Bilddatei", "datei", True, "Bild is a word"),
        ("Konfigurationsdatei", "datei", True, "s joins two words"),
        ("Sprachpaket", "paket", True, "Sprache without its e"),
        ("Außentemperatur", "temperatur", True, "a first part without forms"),
        ("Xyzqdatei", "datei", False, "letters"),
        ("Routerei", "Router", False, "a suffix is no word"),
        ("Postung", "Post", False, "a suffix is no word"),
        ("Ratte", "Rat", False, "another word"),
        ("Bilddateiname", "datei", False, "the search allows it at the start and at the end only"),
        ("Datei", "Datei", False, "the word itself"),
    ],
)
def test_other_parts_of_a_german_compound_are_words(word: str, part: str, expected: bool, why: str):
    start = word.index(part)
    assert is_compound(word, start, start + len(part), "de") is expected, why


def test_compound_that_is_not_listed_has_the_forms_of_its_last_part():
    assert compound_head("Bremsscheibenhalterung", "de") == "Halterung"
    (term,) = with_forms((Term("brake disc bracket", "Bremsscheibenhalterung"),), "de")
    assert term.inflections == ("Bremsscheibenhalterungen",)


@pytest.mark.parametrize(
    ("text", "target", "language", "found"),
    [
        ("Mit den Routern", "Router", "de", "Routern"),
        ("Das WLAN-Kennwort", "Kennwort", "de", "Kennwort"),
        ("DIE ROUTER", "Router", "de", "ROUTER"),
        ("Er hat sie gespeichert.", "speichern", "de", "gespeichert"),
        ("der grafischen Oberfläche", "grafische Oberfläche", "de", "grafischen Oberfläche"),
        ("Die Rou\u00adter", "Router", "de", "Rou\u00adter"),
        ("eine E‑Mail", "E-Mail", "de", "E‑Mail"),
        ("Die Hauptstrassen", "Hauptstrasse", "de", "Hauptstrassen"),  # Swiss spelling
        ("zwei Füsse", "Fuss", "de", "Füsse"),
        ("Die Routers", "Kabel", "de", None),
        ("Die Netzkabelle", "Netzkabel", "de", None),
        ("les serveurs principaux", "serveur principal", "fr", "serveurs principaux"),
        ("le serveurable", "serveur", "fr", None),
        ("serveurs", "serveur", "", None),  # without a language, only as given
    ],
)
def test_target_is_used_in_forms_that_the_language_knows(text: str, target: str, language: str, found: str | None):
    assert target_in(text, [target], language) == found


def test_target_is_used_in_a_compound_where_it_may_join():
    assert target_in("Der Funkrouter", ["Router"], "de") is None
    assert target_in("Der Funkrouter", ["Router"], "de", joins_compounds=True) == "Funkrouter"
    assert target_in("Die Netzkabelle", ["Netzkabel"], "de", joins_compounds=True) is None


@pytest.mark.parametrize("unit", ["Datei", "datei", "xdatei ", "Dateix ", "Bilddatei", "Datei-"])
def test_long_texts_are_read_for_a_target_in_linear_time(unit: str):
    def read(size: int) -> None:
        target_in("x" + unit * size, ["Datei", "Dateien"], "de", joins_compounds=True)

    assert growth(read, 2000) < 3
