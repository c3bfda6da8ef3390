"""Access keys are found in labels of Qt, GTK and LibreOffice, but not in words with the same signs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks import findings_in
from app.text.access_keys import access_key
from app.text.nontranslatables import nontranslatables, without_markup


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Save &as…", 5),
        ("E&xit", 1),
        ("K&ürzen", 1),
        ("_File", 0),
        ("Select _All", 7),
        ("Cu_t", 2),
        ("P_references", 1),
        ("Save ~As...", 5),
        ("<b>&Save</b>", 3),
        ("&Find %s &amp; more", 0),
        ("AT&T", None),
        ("Q&A", None),
        ("Find & replace", None),
        ("A && B", None),
        ("&php.ini;", None),
        ("&One and &two", None),  # ambiguous
        ("Invalid user_id", None),
        ("Use file_name here", None),
        ("the _id field", None),
        ("$_SESSION", None),
        ("Open ~/notes", None),
        ("About ~5 minutes", None),
        ("Open https://harbor.example/?a=1&b=2", None),
        ("Pass it as &value. Then go on.", None),  # a sentence
        ("Label " * 20 + "&x", None),
    ],
)
def test_access_keys_are_distinguished_from_other_signs(text: str, key: int | None):
    assert [a.start for a in nontranslatables(text) if a.is_access_key] == ([] if key is None else [key])


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Save &as…", "Speichern &unter…", ()),
        ("Save &as…", "Speichern unter…", ("&",)),
        ("Save &as…", "Speichern & unter…", ("&",)),  # not before a letter
        ("Save &as…", "&Speichern &unter…", ("&",)),
        ("_File", "文件(_F)", ()),  # as in Chinese labels
        ("AT&T", "AT und T", ()),
        ("file_name", "Dateiname", ()),
    ],
)
def test_missing_or_repeated_access_key_is_a_warning(source: str, target: str, found: tuple[str, ...]):
    findings = [f for f in findings_in(source, target, "en-de") if f.kind == "key"]
    assert [f.texts for f in findings] == ([found] if found else [])
    assert not any(f.is_error for f in findings)


@given(st.text(st.sampled_from("Ab &_~.<>{1}/;"), max_size=20))
def test_access_key_is_one_sign_and_words_exclude_it(text: str):
    key = access_key(text)
    assert key is None or (text[key] in "&_~" and text[key + 1].isalnum())
    found = nontranslatables(text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert len(without_markup(text)) == len(text) - sum(len(a.text) for a in found if a.is_markup)
