"""Columns of glossary tables: the names that other tools give them, the choice of a person, and MultiTerm's files."""

from __future__ import annotations

import io
import time

import pytest
from openpyxl import Workbook

from app.errors import GlossaryError
from app.glossary.reading.column_uses import Layout, layout_from, layout_of
from app.glossary.reading.glossary_file import read_glossary, read_table
from tests.app.glossary.kept_terms import kept_terms

# The header of each tool's export with one row, and (source, target, variants, status, note) of its terms for en-de.
EXPORTS = {
    "memoQ": (
        "Entry_ID,Entry_Subject,Entry_Domain,Entry_Created,Entry_Note,English_United_States,Term_Info,Term_Example,"
        "German,German_Def,Term_Info,German,Term_Info\n"
        "1,Networks,,2024,,router,Case,an example,Router,ein Gerät,x,Wegewahl,y\n",
        [("router", "Router", ("Wegewahl",), "preferred", "[Networks] ein Gerät")],
    ),
    "Crowdin": (
        "Concept Definition,Concept Subject,Term [en],Description [en],Status [en],Type [en],Term [fr],Status [fr],"
        "Term [de],Description [de],Status [de]\n"
        "a device,Networks,router,x,preferred,noun,routeur,obsolete,Router,y,not recommended\n",
        [("router", "Router", (), "forbidden", "[Networks] a device · x · y")],
    ),
    "Smartling": (
        "ID,Definition,Part of Speech,Term (en-US),Notes (en-US),Case Sensitive (en-US),Do Not Translate,Term (de-DE),"
        "Variations (de-DE),Notes (de-DE)\n"
        "7,a brand,noun,Harbor,,yes,TRUE,,,\n8,a device,noun,router,,no,FALSE,Router,Netzrouter|WLAN-Router,der\n",
        [
            ("Harbor", "Harbor", (), "do_not_translate", "a brand"),
            ("router", "Router", ("Netzrouter", "WLAN-Router"), "preferred", "a device · der"),
        ],
    ),
    "Lokalise": (
        "term;description;casesensitive;translatable;forbidden;tags;de;de_description;fr;fr_description\n"
        "Harbor;a brand;yes;no;no;;;;;\nrouter;a device;no;yes;no;IT;Router;ein Gerät;routeur;appareil\n"
        "guy;;no;yes;yes;;Kerl;;;\n",
        [
            ("Harbor", "Harbor", (), "do_not_translate", "a brand"),
            ("router", "Router", (), "preferred", "a device · ein Gerät"),
            ("guy", "Kerl", (), "forbidden", ""),
        ],
    ),
    "Phrase": (
        "concept id\tdomain\tsubdomain\tconcept note\ten\ten status\ten forbidden\ten note\tde\tde status\tde forbidden"
        "\tde note\n1\tIT\tNetworks\tx\tguy\tApproved\tFALSE\t\tKerl\tNew\tWAHR\tunhöflich\n",
        [("guy", "Kerl", (), "forbidden", "[IT, Networks] x · unhöflich")],
    ),
    "MateCat": (
        "Forbidden,Domain,Subdomain,Definition,en-US,Notes,Example of use,it-IT,Notes,Example of use,de-DE,Notes,"
        "Example of use\nTRUE,IT,,a person,guy,n1,e1,tizio,n2,e2,Kerl,n3,e3\n",
        [("guy", "Kerl", (), "forbidden", "[IT] a person · n1 · n3")],
    ),
    "Transifex": (
        "term,pos,comment,translation_de,comment_de\nrouter,noun,a device,Router,ein Gerät\n",
        [("router", "Router", (), "preferred", "a device · ein Gerät")],
    ),
    "MultiTerm": (
        "English;English::Status;German;German::Status;German;Definition\n"
        "router;preferred;Router;preferred;Wegewahl;a device\n",
        [("router", "Router", ("Wegewahl",), "preferred", "a device")],
    ),
    "DeepL": ("router,Router,en,de\n", [("router", "Router", (), "preferred", "")]),
}
MULTITERM = """<?xml version="1.0" encoding="UTF-16"?>
<mtf>
 <conceptGrp><concept>1</concept>
  <descripGrp><descrip type="Subject">Networks</descrip></descripGrp>
  <languageGrp><language lang="EN-US" type="English"/>
   <termGrp><term>router</term></termGrp></languageGrp>
  <languageGrp><language lang="DE" type="German"/>
   <descripGrp><descrip type="Definition">ein <xref>Gerät</xref></descrip></descripGrp>
   <termGrp><term>Netzrouter</term></termGrp>
   <termGrp><term>Router</term><descripGrp><descrip type="Status">preferred</descrip></descripGrp></termGrp>
   <termGrp><term>Wegewahl</term><descripGrp><descrip type="Status">Verboten</descrip></descripGrp></termGrp>
  </languageGrp></conceptGrp>
 <conceptGrp><concept>2</concept>
  <languageGrp><language lang="" type="English"/><termGrp><term>file</term></termGrp></languageGrp>
  <languageGrp><language lang="FR" type="French"/><termGrp><term>fichier</term></termGrp></languageGrp></conceptGrp>
</mtf>"""


@pytest.mark.parametrize("tool", EXPORTS)
def test_exports_of_other_tools_are_read_by_the_names_of_their_columns(tool: str):
    text, expected = EXPORTS[tool]
    terms = read_glossary(text.encode(), "g.csv", "en-de").terms
    assert [(term.source, term.target, term.variants, term.status, term.note) for term in terms] == expected


def test_columns_of_other_languages_are_named():
    read = read_glossary(b"de,en,French,Term [es]\nHaus,house,maison,casa\n", "g.csv", "en-de")
    assert [(term.source, term.target) for term in kept_terms(read)] == [("house", "Haus")]
    assert read.notes == ("Columns of other languages are not used: French, Term [es].",)


def test_person_can_choose_the_columns():
    text = "wort;x;term;nie\nHaus|Gebäude;1;house;\nBude;2;house;ja\nTür;3;door;vielleicht\n".encode()
    read = read_glossary(text, "g.csv", "en-de", layout_from("header:target, ignore, source, forbidden"))
    assert [(term.source, term.target, term.status) for term in kept_terms(read)] == [
        ("house", "Haus|Gebäude", "preferred"),
        ("house", "Bude", "forbidden"),
    ]
    assert "the column “forbidden” contains “vielleicht”" in read.errors[0].message
    read = read_glossary(b"Haus;house;home\n", "g.csv", "en-de", layout_from("target,source,source-variant"))
    assert [(term.source, term.target) for term in kept_terms(read)] == [("house", "Haus"), ("home", "Haus")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target,note", "no column has the use “source”"),
        ("source", "no column has the use “target”"),
        ("source,target,source", "two columns have the use “source”"),
        ("source" + 200 * ",ignore" + ",target", "no column has the use “target”"),  # beyond the columns that are read
        ("source,target,colour", "“colour” is not a use of a column: choose one of ignore, source,"),
    ],
)
def test_unusable_choice_of_columns_is_refused(text: str, message: str):
    with pytest.raises(GlossaryError, match=message):
        layout_from(text)


@pytest.mark.parametrize(
    ("text", "is_clear"),
    [
        ("router\tRouter\n", True),
        ("source,target,note\nrouter,Router,x\n", True),
        ("en,de,id\nrouter,Router,\n", True),  # nothing is lost
        ("en,de,id\nrouter,Router,7\n", False),
        ("router,Router,a device\n", False),  # a note or something else
        ("en,fr\nhouse,maison\n", False),
        ("Begriff EN,Kategorie,Begriff DE\nrouter,noun,Router\n", False),
    ],
)
def test_columns_are_asked_for_if_the_names_are_not_clear(text: str, is_clear: bool):
    table = read_table(text.encode(), "g.csv", "en-de")
    assert table is not None and table.is_clear == is_clear


def test_chosen_columns_survive_a_round_trip_and_a_single_column_is_refused():
    assert layout_from(str(Layout(("target", "ignore", "source"), 1))) == Layout(("target", "ignore", "source"), 1)
    assert read_table(b"router\nfile\n", "g.csv", "en-de") is None


def test_multiterm_xml_gives_terms_with_status_and_descriptive_fields():
    read = read_glossary(MULTITERM.encode("utf-16"), "base.xml", "en-de")
    assert [(term.source, term.target, term.variants, term.status, term.note) for term in kept_terms(read)] == [
        ("router", "Router", ("Netzrouter",), "preferred", "[Networks] ein Gerät"),
        ("router", "Wegewahl", (), "forbidden", "[Networks] ein Gerät"),
    ]
    assert [(error.row, error.kind) for error in read.errors] == [(2, "empty")]
    with pytest.raises(GlossaryError, match="has terms in en, de, fr, not in pl → de"):
        read_glossary(MULTITERM.encode("utf-16"), "base.xml", "pl-de")


def test_access_term_base_is_refused_with_the_cure():
    with pytest.raises(GlossaryError, match=r"base\.sdltb is a term base of Trados MultiTerm.*export it"):
        read_glossary(b"\0\1\0\0Standard Jet DB\0" + bytes(4000), "base.sdltb", "en-de")


def test_question_for_the_columns_shows_as_many_rows_of_a_workbook_as_of_a_text():
    book = Workbook()
    for number in range(9):
        book.active.append([f"term {number}", f"Begriff {number}", "x"])
    data = io.BytesIO()
    book.save(data)
    text = "".join(f"term {number},Begriff {number},x\n" for number in range(9)).encode()
    tables = [read_table(data.getvalue(), "g.xlsx", "en-de"), read_table(text, "g.csv", "en-de")]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("name", ["msgid " * 5_000, "(" * 20_000, " _" * 20_000])
def test_long_name_of_a_column_is_none_and_takes_no_time(name: str):
    began = time.process_time()
    assert layout_of(["source", "target", name], "en-de").uses[2] == "ignore"
    assert time.process_time() - began < 10  # seconds


@pytest.mark.parametrize("first", ["1", "1.", "001", "0"])
def test_column_with_numbers_of_rows_is_not_proposed_as_the_source(first: str):
    text = f"{first};grinder;Mahlwerk\n2;outlet;Auslauf\n".encode()
    table = read_table(text, "g.csv", "en-de")
    assert table is not None and table.uses == ("ignore", "source", "target") and not table.is_clear
    found = read_glossary(text, "g.csv", "en-de")
    assert [(term.source, term.target) for term in found.terms] == [("grinder", "Mahlwerk"), ("outlet", "Auslauf")]
    assert layout_of([first, "eins"], "de-en").uses[:2] == ("source", "target"), "a number may be a term"


TITLED = [
    ("Our terms\n\nen;de;status\nrouter;Router;\nfile;Datei;\n", "1"),
    ("Our terms;;\nMay 2026;;\nde;en;status\nRouter;router;\nDatei;file;\n", "1, 2"),
    ('"Our\nterms"\nsource\ttarget\nrouter\tRouter\nfile\tDatei\n', "1, 2"),
    ('"Our\nterms";;\nsource;target;x\nrouter;Router;\nfile;Datei;\n', "1"),
]


@pytest.mark.parametrize(("text", "rows"), TITLED, ids=range(len(TITLED)))
def test_rows_above_the_header_are_not_used(text: str, rows: str):
    found = read_glossary(text.encode(), "g.csv", "en-de")
    assert [(term.source, term.target) for term in found.terms] == [("router", "Router"), ("file", "Datei")]
    assert found.notes[0] == f"Rows above the names of the columns are not used: {rows}."
    assert not found.errors
    table = read_table(text.encode(), "g.csv", "en-de")
    assert table is not None and table.num_header_rows == 1 and len(table.rows) == 3 and table.is_clear


def test_rows_above_the_header_of_a_workbook_are_not_used_with_chosen_columns_too():
    book = Workbook()
    for row in (["Our terms"], [None, "May 2026"], [], ["de", "en"], ["Router", "router"]):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    for layout, pair in ((None, ("router", "Router")), (layout_from("header:source,target"), ("Router", "router"))):
        found = read_glossary(file.getvalue(), "g.xlsx", "en-de", layout)
        assert [(term.source, term.target) for term in found.terms] == [pair]
        assert "Rows above the names of the columns are not used: 1, 2." in found.notes


@pytest.mark.parametrize("text", ["Our terms\nrouter;Router\n", "\n".join(["a"] * 11) + "\nen;de\nrouter;Router\n"])
def test_row_with_one_cell_is_an_error_if_no_header_follows(text: str):
    found = read_glossary(text.encode(), "g.csv", "en-de")
    assert found.errors[0].row == 1
    assert [term.source for term in found.terms][-1] == "router"
