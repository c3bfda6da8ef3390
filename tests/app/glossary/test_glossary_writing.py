"""Exported glossaries: reading them again gives the same terms, and they contain no formulas."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.tbx import tbxfile

from app.errors import CommandError
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.reading.glossary_file import read_glossary
from app.glossary.reading.row_checks import clean
from app.glossary.writing import KINDS, write_glossary
from app.text.encoding import FORMULA_STARTS
from tests.app.glossary.kept_terms import kept_terms

# Letters, and what CSV and XML must escape.
texts = st.text("aZß &<>\"',;\t|漢=+-@", min_size=1, max_size=8).map(clean).filter(lambda t: t and "|" not in t)
terms = st.lists(
    st.builds(
        Term,
        source=texts,
        target=texts,
        variants=st.lists(texts, max_size=2, unique=True).map(tuple),
        status=st.sampled_from(["preferred", "exact"]),
        case=st.sampled_from(["any", "permissive", "exact"]),
        matching=st.sampled_from(["exact", "lemma", "prefix"]),
        note=texts | st.just(""),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda term: term.source.lower(),
)


def is_formula(text: str) -> bool:
    return text.lstrip().startswith(FORMULA_STARTS)


@given(terms, st.sampled_from(["csv", "tsv"]))
def test_table_read_again_has_the_same_terms_and_contains_no_formula(written: list[Term], ending: str):
    written = [replace(t, variants=tuple(v for v in t.variants if v != t.target)) for t in written]
    file = write_glossary(Glossary.of(1, "my.terms.tbx", written), ending, "en-de")
    assert file.name == f"my.terms.{ending}"
    cells = [
        cell
        for row in csv.reader(io.StringIO(file.data.decode("utf-8-sig")), delimiter=",;\t"[0 if ending == "csv" else 2])
        for cell in row
    ]
    assert not any(is_formula(cell) for cell in cells)
    again = kept_terms(read_glossary(file.data, file.name, "en-de"))
    assert [replace(t, row=0, glossary="") for t in again] == written


@pytest.mark.parametrize("text", ["=A1", "+49", "-x", "@a", "'=A1", "''-x", "＝A1", "'s", "''", "'-", "rock'n'roll"])
@pytest.mark.parametrize("kind", KINDS)
def test_terms_like_formulas_are_the_same_after_export_and_import(kind: str, text: str):
    file = write_glossary(Glossary.of(1, "g", [Term(text, f"{text}b")]), kind, "en-de")
    (again,) = kept_terms(read_glossary(file.data, file.name, "en-de"))
    assert (again.source, again.target) == (text, f"{text}b")


@given(terms)
def test_tbx_is_read_by_translate_toolkit_and_by_pinpoint(written: list[Term]):
    file = write_glossary(Glossary.of(1, "<&>", written), "tbx", "en-de")
    assert [(unit.source, unit.target) for unit in tbxfile.parsestring(file.data).units] == [
        (term.source, term.target) for term in written
    ]
    again = kept_terms(read_glossary(file.data, file.name, "en-de"))
    assert [(t.source, t.targets, t.note) for t in again] == [
        (t.source, tuple(dict.fromkeys(t.targets)), t.note) for t in written
    ]


def test_forbidden_terms_stay_forbidden_in_tbx():
    file = write_glossary(Glossary.of(1, "g", [Term("file", "Akte", status="forbidden")]), "tbx", "en-de")
    (again,) = kept_terms(read_glossary(file.data, "g.tbx", "en-de"))
    assert (again.target, again.status) == ("Akte", "forbidden")


def test_unknown_export_format_is_refused():
    with pytest.raises(CommandError, match="csv, tsv, tbx"):
        write_glossary(Glossary.of(1, "g", []), "exe", "en-de")
