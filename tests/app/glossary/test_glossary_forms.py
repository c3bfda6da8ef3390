"""Inflected forms of glossary targets from the form lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.lemmas import MAX_FORMS, lemmatiser, with_forms
from engine.text import FormList, list_text

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


@given(st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=4)), st.lists(WORDS))
def test_form_list_survives_a_round_trip(forms: dict[str, list[str]], others: list[str]):
    read = FormList(list_text(forms))
    for word in (*forms, *others):
        assert set(read.forms(word)) == set(forms.get(word, ()))
