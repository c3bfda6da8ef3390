"""Differences between a text and its revision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.segments.revision import changed_words, revision_runs

CHANGES = [
    ("Das Haus.", "Das Haus.", [], "nothing changes"),
    ("", "Das Haus.", [("", "Das Haus.")], "all of it is new"),
    ("Der alte Server startet.", "Der Server startet.", [(" alte", "")], "a word goes, with one space"),
    ("Der Server startet.", "Der alte Server startet.", [("", " alte")], "a word comes, with one space"),
    ("Der alte Mann.", "Die alte Frau.", [("Der", "Die"), ("Mann", "Frau")], "two changes around a word that stays"),
    ("Der alte Mann.", "Die junge Frau.", [("Der alte Mann", "Die junge Frau")], "neighbours change together"),
    ("Ja, gern", "Ja; gern", [(",", ";")], "a mark alone"),
    ("Ja,  gern so", "Ja, gern anders", [("so", "anders")], "spaces stay as they were typed"),
]


@pytest.mark.parametrize(("text", "revised", "changes", "why"), CHANGES, ids=[why for *_, why in CHANGES])
def test_changes_are_whole_words_and_marks(text: str, revised: str, changes: list[tuple[str, str]], why: str):
    assert [(run["was"], run["t"]) for run in revision_runs(text, revised) if "was" in run] == changes, why


SENTENCES = st.lists(st.sampled_from(["der", "die", " ", " ", ",", ".", "𝒳", "a\u0301"]), max_size=12).map("".join)


@given(text=SENTENCES, revised=SENTENCES)
def test_joined_runs_are_the_text_and_its_revision(text: str, revised: str):
    runs = revision_runs(text, revised)
    assert "".join("".join(run["t"] for run in runs).split()) == "".join(revised.split())
    assert "".join(run.get("was", run["t"]) for run in runs) == text
    assert all(run["t"].strip() != run["was"].strip() for run in runs if "was" in run)


def test_only_words_that_differ_are_marked_as_changed():
    assert changed_words("Das Haus ist alt.", "Das Haus ist alt!") == frozenset(), "words without their marks"
    assert changed_words("Das Haus.", "Das alte Haus.") == {1}
    assert changed_words("", "Das Haus.") == {0, 1}
