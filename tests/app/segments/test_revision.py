"""Differences between a text and its revision."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.segments.revision import changed_words, revision_runs, with_changes

CHANGES = [
    ("Das Haus.", "Das Haus.", [], "nothing changes"),
    ("", "Das Haus.", [("", "Das Haus.")], "all of it is new"),
    ("Der alte Server startet.", "Der Server startet.", [(" alte", "")], "a word goes, with one space"),
    ("Der Server startet.", "Der alte Server startet.", [("", " alte")], "a word comes, with one space"),
    ("Der alte Mann.", "Die alte Frau.", [("Der", "Die"), ("Mann", "Frau")], "two changes around a word that stays"),
    ("Der alte Mann.", "Die junge Frau.", [("Der alte Mann", "Die junge Frau")], "neighbours change together"),
    ("Ja, gern", "Ja; gern", [(",", ";")], "a mark alone"),
    ("Das Harbor-2G läuft.", "Das Harbor-3G läuft.", [("Harbor-2G", "Harbor-3G")], "a compound changes as a whole"),
    ("Um 3,5 mm.", "Um 3,6 mm.", [("3,5", "3,6")], "a number changes as a whole"),
    ("打开文件。", "打开档案。", [("文件", "档案")], "words without spaces between them"),
    ("Ja,  gern so", "Ja, gern anders", [("so", "anders")], "spaces stay as they were typed"),
]


@pytest.mark.parametrize(("text", "revised", "changes", "why"), CHANGES, ids=[why for *_, why in CHANGES])
def test_changes_are_whole_words_and_marks(text: str, revised: str, changes: list[tuple[str, str]], why: str):
    assert [(run["was"], run["t"]) for run in revision_runs(text, revised) if "was" in run] == changes, why


SENTENCES = st.lists(st.sampled_from(["der", "die", " ", " ", ",", ".", "𝒳", "a\u0301"]), max_size=12).map("".join)


@given(text=SENTENCES, revised=SENTENCES)
@example(text=" der", revised="der ")
def test_joined_runs_are_the_text_and_its_revision(text: str, revised: str):
    runs = revision_runs(text, revised)
    assert "".join("".join(run["t"] for run in runs).split()) == "".join(revised.split())
    assert "".join(run.get("was", run["t"]) for run in runs) == text
    assert all(run["t"].strip() != run["was"].strip() for run in runs if "was" in run)


@pytest.mark.parametrize(
    ("previous", "text", "changed"),
    [
        ("Das Haus ist alt.", "Das Haus ist alt!", {}),  # words without their marks
        ("Das Haus.", "Das alte Haus.", {1: ""}),
        ("", "Das Haus.", {0: "", 1: ""}),
        ("Das sehr alte Haus.", "Das neue große Haus.", {1: "sehr alte", 2: "sehr alte"}),
        ("Das alte Haus ist da.", "Das Haus ist da.", {}),
        ("Das Haus ist es.", "Das Haus ist.", {}),
        ("Das " + "sehr " * 20, "Das Haus", {1: "sehr " * 15 + "sehr…"}),
    ],
)
def test_changed_words_have_the_words_before(previous: str, text: str, changed: dict[int, str]):
    assert changed_words(previous, text) == changed


def test_changed_words_are_marked_in_the_tokens():
    tokens = [{"t": "a", "w": 0}, {"t": " "}, {"t": "b", "w": 1}, {"t": "."}]
    assert with_changes(tokens, "d x b.", "a b.") == [{"t": "a", "w": 0, "new": True, "was": "d x"}, *tokens[1:]]
    assert with_changes(tokens, "a x b.", "a b.") == tokens, "words that are left out mark no other"
