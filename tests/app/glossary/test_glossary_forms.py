"""Forms that targets may take: from the form lists, for the words that allow it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.form_list import FormList, list_text
from app.glossary.lemmas import MAX_FORMS, lemmatiser, with_forms

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


def test_words_take_the_forms_of_the_list_and_the_target_is_none_of_them(formed: dict[str, Term]):
    assert {"Konten", "Kontos"} <= set(formed["account"].inflections)
    assert {"Netzkabeln", "Netzkabels"} <= set(formed["power cable"].inflections)
    assert "gespeichert" in formed["save"].inflections
    assert {"angemeldet", "eingeloggt"} <= set(formed["log in"].inflections), "variants too"
    for term in formed.values():
        assert not set(term.targets) & set(term.inflections)
        assert len(term.inflections) <= MAX_FORMS


def test_a_plural_takes_no_other_forms_and_an_exact_term_none(formed: dict[str, Term]):
    assert formed["options"].inflections == ()
    assert (formed["Mail Center"].inflections, formed["Mail Center"].joins_compounds) == ((), False)


def test_an_adjective_is_bent_with_its_noun(formed: dict[str, Term]):
    assert {"grafischen Oberfläche", "grafischen Oberflächen"} <= set(formed["user interface"].inflections)


def test_nouns_of_some_length_may_begin_a_compound(formed: dict[str, Term]):
    assert {source for source, term in formed.items() if term.joins_compounds} == {
        "account", "power cable", "options", "user interface",
    }  # fmt: skip


def test_a_language_without_a_dictionary_adds_nothing():
    (term,) = with_forms((Term("account", "Konto"),), "xx")
    assert (term.inflections, term.joins_compounds) == ((), False)
    assert lemmatiser("xx")("Houses") == "houses"


WORDS = st.text(st.sampled_from("abÄß"), min_size=1, max_size=6)


@given(st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=4)), st.lists(WORDS))
def test_a_list_gives_back_what_was_written_into_it(forms: dict[str, list[str]], others: list[str]):
    read = FormList(list_text(forms))
    for word in (*forms, *others):
        assert set(read.forms(word)) == set(forms.get(word, ()))
