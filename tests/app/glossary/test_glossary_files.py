"""Glossary files in many layouts, and the report about each row that is left out."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GlossaryError
from app.glossary import Term
from app.glossary.reading import glossary_file
from app.glossary.reading.glossary_file import GlossaryImport, read_glossary
from tests.app.glossary.kept_terms import kept_terms


def read(text: str, direction: str | None = None) -> GlossaryImport:
    return read_glossary(text.encode(), "g.csv", direction)


def pairs(imported: GlossaryImport) -> list[tuple[str, str]]:
    return [(term.source, term.target) for term in kept_terms(imported)]


@pytest.mark.parametrize(
    ("text", "direction", "expected"),
    [
        ("router\tRouter\nnote\tNotiz\n", None, [("router", "Router"), ("note", "Notiz")]),
        ("router,Router\r\nnote,Notiz", None, [("router", "Router"), ("note", "Notiz")]),
        ("router;Router\rnote;Notiz", None, [("router", "Router"), ("note", "Notiz")]),
        ("yes, please\tja, bitte\n", None, [("yes, please", "ja, bitte")]),  # a tab before a comma
        ("yes, please;ja, bitte\n", None, [("yes, please", "ja, bitte")]),  # a semicolon before a comma
        ('"Save, please",Speichern', None, [("Save, please", "Speichern")]),
        ('"say ""yes""",ja', None, [('say "yes"', "ja")]),
        ('"router"\t"Router"', None, [("router", "Router")]),  # as spreadsheets write tabs
        ('"Save" button\tSchaltfläche "Sichern"', None, [('"Save" button', 'Schaltfläche "Sichern"')]),
        ("source\ttarget\nrouter\tRouter", None, [("router", "Router")]),
        ("Target,Source\nRouter,router", None, [("router", "Router")]),  # the header names the columns
        ("id,source,target,comment\n7,router,Router,x", None, [("router", "Router")]),
        ("en;de\nrouter;Router", "en-de", [("router", "Router")]),
        ("de\ten-GB\nRouter\trouter", "en-de", [("router", "Router")]),  # by the direction, not by the order
        ("German,English\nRouter,router", None, [("Router", "router")]),  # without a direction, by the order
        ("it\tes\nyes\tja", "en-de", [("it", "es"), ("yes", "ja")]),  # words, although languages are called so
        ("\n\n router \t Router \n;;\n", None, [("router", "Router")]),
        ("\ufeffrouter\tRouter", None, [("router", "Router")]),
        ("cafe\u0301\tKaffeehaus", None, [("café", "Kaffeehaus")]),  # composed, as texts are
        ("ten percent\t10\u00a0%", None, [("ten percent", "10\u00a0%")]),  # a no-break space is meant
    ],
)
def test_columns_delimiters_quotes_and_headers_are_understood(
    text: str, direction: str | None, expected: list[tuple[str, str]]
) -> None:
    imported = read(text, direction)
    assert pairs(imported) == expected
    assert imported.errors == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_glossary_encodings_are_detected_as_for_documents(encoding: str) -> None:
    imported = read_glossary("note\tNötchen\n".encode(encoding), "g.tsv")
    assert pairs(imported) == [("note", "Nötchen")]


def test_one_column_is_refused_with_row_and_expected_form() -> None:
    with pytest.raises(GlossaryError, match=r"^g\.csv, row 1: expected source<TAB>target, found 1 column"):
        read("router\nnote\n")


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        ("alone", "columns", "expected source<TAB>target, found 1 column"),
        ("\tnur Ziel", "empty", "the source is empty"),
        ("only source\t ", "empty", "the target is empty"),
        ("a" * 201 + "\tb", "too_long", "the source has 201 characters; a term has at most 200"),
        ("bell\tGlo\x07cke", "characters", "the target contains the character U+0007"),
        (
            "Router\tWegewähler",
            "conflict",
            "“Router” has the target “Router” in row 1 and “Wegewähler” here; row 1",
        ),
    ],
)
def test_wrong_row_is_left_out_with_a_reason_and_others_are_kept(row: str, kind: str, message: str) -> None:
    imported = read(f"router\tRouter\n\n{row}\nnote\tNotiz\n")
    assert pairs(imported) == [("router", "Router"), ("note", "Notiz")]
    (error,) = imported.errors
    assert (error.row, error.kind) == (3, kind)
    assert error.message.startswith(message)


def test_unclosed_quotation_mark_does_not_affect_later_rows() -> None:
    imported = read('router,Router\n"note,Notiz\nfolder,Ordner\n')
    assert pairs(imported) == [("router", "Router"), ("folder", "Ordner")]
    assert [(error.row, error.kind) for error in imported.errors] == [(2, "quotes")]


def test_repeated_rows_are_left_out_with_a_note() -> None:
    imported = read("router\tRouter\nrouter\tRouter\nRouter\tRouter\n")
    assert pairs(imported) == [("router", "Router")]
    assert imported.errors == ()
    assert "rows 2, 3" in imported.notes[0]
    assert "3 = 1" in imported.notes[1]


def test_acronym_and_word_with_the_same_letters_are_two_terms() -> None:
    imported = read("IT\tInformatik\nit\tes\n")
    assert pairs(imported) == [("IT", "Informatik"), ("it", "es")]
    assert imported.errors == ()


def test_third_column_is_a_comment_and_more_columns_give_a_note() -> None:
    imported = read("router\tRouter\tGerät\nnote\tNotiz\t\tx\n")
    assert imported.terms[0].note == "Gerät"
    assert "more columns than are known: row 2" in imported.notes[0]


def test_header_may_name_every_field_of_a_term() -> None:
    header = "Source,Target,Variants,Status,Case,Matching,Note"
    (term,) = read(f"{header}\nlog in,anmelden,einloggen|sich anmelden,Exact,any,lemma,im Menü\n").terms
    assert (term.variants, term.note) == (("einloggen", "sich anmelden"), "im Menü")
    assert (term.status, term.case, term.matching) == ("exact", "any", "lemma")
    with pytest.raises(
        GlossaryError,
        match="which is unknown: leave it empty or use preferred, exact, do_not_translate, forbidden",
    ):
        read(f"{header}\nlog in,anmelden,,later,,,\n")


def test_do_not_translate_needs_no_target_and_forbidden_may_share_a_source() -> None:
    terms = read(
        "source,target,status\niPhone,,do not translate\nnetwork,Netzwerk,preferred\nnetwork,Netz,forbidden\n"
    ).terms
    assert [(term.target, term.status) for term in terms] == [
        ("iPhone", "do_not_translate"), ("Netzwerk", "preferred"), ("Netz", "forbidden"),
    ]  # fmt: skip


def test_deepl_files_name_the_languages_in_each_row() -> None:
    rows = "router,Router,en,de\nNotiz,note,de,en\nnote,nota,en,it\n"
    imported = read(rows, "en-de")
    assert pairs(imported) == [("router", "Router"), ("note", "Notiz")]
    assert [(error.row, error.kind) for error in imported.errors] == [(3, "languages")]


def test_short_sources_and_pairs_that_differ_only_by_a_capital_are_warned_about() -> None:
    imported = read("to,zu\nNode,Knoten\nnode,Knoten\nPC,PC\n")
    assert [(warning.row, warning.kind) for warning in imported.warnings] == [(1, "short"), (3, "capital")]


@pytest.mark.parametrize(
    ("limit", "value", "data", "message"),
    [
        ("MAX_ROWS", 10, b"a%d\tb\n" * 11, "more than 10 rows"),
        ("MAX_BYTES", 2**20, b"x" * (2**20 + 1), "1.0 MiB"),
    ],
)
def test_file_over_a_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, data: bytes, message: str
) -> None:
    monkeypatch.setattr(glossary_file, limit, value)
    with pytest.raises(GlossaryError, match=message):
        read_glossary(data, "g.csv")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"PK\x03\x04", "damaged archive"),
        (b"source\ttarget\n", "header"),
        (b";;;\n,,\n", "no terms"),
    ],
)
def test_file_without_usable_rows_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(GlossaryError) as caught:
        read_glossary(data, "g.csv")
    assert message in str(caught.value)


CELL = st.text(st.sampled_from("ab\"',; äß"), min_size=1, max_size=8).map(lambda s: f"x{s}x".replace("  ", " "))


@given(st.lists(CELL, min_size=1, max_size=5, unique_by=str.lower), st.sampled_from(",;"))
def test_output_of_the_csv_module_is_read(sources: list[str], delimiter: str) -> None:
    sources = [" ".join(source.split()) for source in sources]
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows((s, s.upper()) for s in sources)
    imported = read(table.getvalue())
    found = {(term.source, term.target) for term in kept_terms(imported)}
    assert found == {(source, source.upper()) for source in sources}
    assert imported.errors == ()


@given(st.binary(max_size=200))
def test_any_bytes_give_terms_or_a_glossary_error(data: bytes) -> None:
    try:
        imported = read_glossary(data, "g.csv")
    except GlossaryError:
        return
    assert all(isinstance(term, Term) and term.source and term.target for term in imported.terms)


def test_too_many_rows_are_refused_and_blank_lines_are_not_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(glossary_file, "MAX_ROWS", 3)
    rows = [f"a{n} b\tA" for n in range(4)]
    for ending in ("\n", "\r\n", "\r"):
        assert len(read(ending.join(["source\ttarget", *rows[:3], "", ""])).terms) == 3
        assert len(read((2 * ending).join(rows[:3])).terms) == 3
        with pytest.raises(GlossaryError, match="more than 3 rows"):
            read(ending.join(rows))


@given(st.text('a\t\r\n ;"', max_size=20))
def test_lines_are_numbered_as_in_an_editor(text: str):
    shown = re.split(r"\r\n|\r|\n", text)
    lines = [line for _, line in glossary_file._lines(text)]
    assert lines[: len(shown)] == shown and not any(lines[len(shown) :])
