"""Glossaries written in the columns of other tools: reading them again gives the same terms, or the loss is named."""

from __future__ import annotations

import csv
import io

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.model import has_inner_capitals
from app.glossary.reading.glossary_file import read_glossary, read_table
from app.glossary.reading.row_checks import clean
from app.glossary.tool_tables import TABLES
from app.glossary.writing import KINDS, kind_label, losses, write_glossary
from tests.app.glossary.kept_terms import kept_terms

TERMS = (
    Term(
        "router", "Router", variants=("Netzrouter", "WLAN-Router"), note="[Networks] a device; “quoted”, with, commas"
    ),
    Term("router", "Wegewahl", status="forbidden", note="not this"),
    Term("guy", "Kerl", variants=("Typ",), status="forbidden"),
    Term("Harbor", "Harbor", status="do_not_translate", case="exact"),
    Term("file", "Datei", case="any", matching="lemma"),
    Term("under", "unter", matching="prefix"),
    Term("save", "Speichern", status="exact"),
)
# What each kind of file cannot keep of these terms, as its note says it.
LOST = {
    "csv": "", "tsv": "",
    "tbx": "the status “exact” (1), “do not translate” (1), capitals (1), matching (2)",
    "multiterm-xml": "the status “exact” (1), “do not translate” (1), capitals (1), matching (2)",
    "memoq": "the status “exact” (1), “do not translate” (1), matching (1)",
    "multiterm": "the status “exact” (1), “do not translate” (1), capitals (1), matching (2)",
    "crowdin": "other targets (1), the status “exact” (1), “do not translate” (1), capitals (1), "
    "matching (2)",
    "smartling": "the status “exact” (1), matching (2)",
    "lokalise": "other targets (1), the status “exact” (1), matching (2)",
    "phrase": "other targets (1), the status “exact” (1), “do not translate” (1), capitals (1), "
    "matching (2)",
    "matecat": "other targets (1), the status “exact” (1), “do not translate” (1), capitals (1), "
    "matching (2)",
    "deepl": "other targets (1), the status “exact” (1), “do not translate” (1), capitals (1), "
    "matching (2), notes (1)",
}  # fmt: skip


def glossary(*terms: Term) -> Glossary:
    return Glossary.of(1, "terms.tbx", terms)


def pairs(terms: tuple[Term, ...]) -> set[tuple[str, str, bool]]:
    """(source, target, whether it is banned) of every target."""
    return {(term.source, target, term.status == "forbidden") for term in terms for target in term.targets}


@pytest.mark.parametrize("kind", KINDS)
def test_written_terms_can_be_read_again_and_lost_data_is_listed(kind: str):
    file = write_glossary(glossary(*TERMS), kind, "en-de")
    read = read_glossary(file.data, file.name, "en-de")
    assert not read.errors
    note = str(file.note or "")
    assert (f"This file format cannot store (number of terms): {LOST[kind]}." in note) if LOST[kind] else not note
    expected = pairs(TERMS)
    if "Forbidden terms are left out" in note:
        expected = {pair for pair in expected if not pair[2]}
    if "other targets" in note:
        expected -= {("router", "Netzrouter", False), ("router", "WLAN-Router", False)}
    assert pairs(kept_terms(read)) == expected
    for written in TERMS:
        found = [term for term in kept_terms(read) if (term.source, term.target) == (written.source, written.target)]
        if not found:
            assert written.status == "forbidden" and "left out" in note
            continue
        assert found[0].note == written.note or "notes" in note
        assert found[0].status == written.status or f"{written.status.replace('_', ' ')}”" in note
        assert found[0].matching == written.matching or "matching" in note
        assert found[0].is_case_exact == written.is_case_exact or "capitals" in note


@pytest.mark.parametrize("kind", TABLES)
def test_columns_of_a_written_table_need_no_question(kind: str):
    file = write_glossary(glossary(Term("router", "Router")), kind, "en-de")
    table = read_table(file.data, file.name, "en-de")
    assert table is not None
    assert {"source", "target"} <= set(table.uses)


texts = st.text("aZß <&>\"',;\t漢", min_size=1, max_size=8).map(clean).filter(lambda t: any(map(str.isalpha, t)))
any_terms = st.lists(
    st.builds(
        Term, texts, texts,
        variants=st.lists(texts, max_size=3, unique=True).map(tuple),
        status=st.sampled_from(["preferred", "forbidden"]),
        case=st.sampled_from(["any", "permissive", "exact"]), note=texts | st.just(""),
    ).filter(lambda term: term.target not in term.variants),
    min_size=1, max_size=4, unique_by=lambda term: term.source.casefold(),
)  # fmt: skip


@given(any_terms, st.sampled_from(KINDS))
def test_any_term_comes_back_unless_the_note_names_the_loss(written: list[Term], kind: str):
    lost = str(losses(written, kind) or "")
    file = write_glossary(glossary(*written), kind, "en-de")
    kept = [term for term in written if term.status != "forbidden" or "left out" not in lost]
    if not kept:
        return
    read = kept_terms(read_glossary(file.data, file.name, "en-de"))
    if "other targets" not in lost:
        assert pairs(read) == pairs(tuple(kept))
    for term in kept:
        again = next(one for one in read if (one.source, one.target) == (term.source, term.target))
        assert again.status == term.status
        assert again.note == term.note or "notes" in lost
        assert again.is_case_exact == term.is_case_exact or "capitals" in lost


def test_memoq_settings_of_a_term_are_read():
    rows = (
        "English,Term_Info,German,Term_Info,German,Term_Info\n"
        "review,CaseInsense;HalfPrefix,Prüfung,CaseSense;NoPrefix,Revision,CaseInsense;NoPrefix;NonTerm\n"
        "memoQ,CaseSense;NoPrefix,memoQ,,,\nrout|er,CasePermissive;Custom,Router,,,\nrun* fast,;Custom,renne,,,\n"
    )
    read = read_glossary(rows.encode(), "g.csv", "en-de")
    assert [(t.source, t.target, t.status, t.case, t.matching) for t in read.terms] == [
        ("review", "Prüfung", "preferred", "any", "lemma"),
        ("review", "Revision", "forbidden", "any", "lemma"),
        ("memoQ", "memoQ", "preferred", "exact", "exact"),
        ("rout", "Router", "preferred", "permissive", "prefix"),
        ("run fast", "renne", "preferred", "permissive", "lemma"),
    ]


def test_tables_have_the_separators_and_words_of_their_tools():
    lokalise = write_glossary(glossary(*TERMS), "lokalise", "en-de").data.decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(lokalise), delimiter=";")
    assert header[:6] == ["term", "description", "casesensitive", "translatable", "forbidden", "tags"]
    assert {cell for row in rows for cell in row[2:5]} == {"yes", "no"}
    smartling = write_glossary(glossary(*TERMS), "smartling", "pt-zh").data.decode("utf-8-sig")
    assert "Term (pt-BR)" in smartling and "Variations (zh-CN)" in smartling
    multiterm = ElementTree.fromstring(write_glossary(glossary(*TERMS), "multiterm-xml", "en-de").data)
    assert [element.get("lang") for element in multiterm.iter("language")][:2] == ["EN", "DE"]
    assert kind_label("phrase") == "Phrase (XLSX)"


def test_formulas_get_an_apostrophe_in_text_tables_with_a_note():
    terms = (Term("sum", "=1+1"),)
    file = write_glossary(glossary(*terms), "memoq", "en-de")
    assert "'=1+1" in file.data.decode() and "begin with an apostrophe (1)" in str(file.note)
    assert write_glossary(glossary(*terms), "matecat", "en-de").note is None
    assert not has_inner_capitals("sum")
