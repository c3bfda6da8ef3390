"""Tables for review: Word documents, read back here with python-docx."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn

from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.log.store import LogStore
from app.reports.review_table import RowChoice, session_review
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.app.workspace.test_review import begin, confirm

TEXT = "Save the {1}file{/1} & <go>.\nOpen the file.\nSave.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    store, decoder = LogStore.open(tmp_path / "log.sqlite"), HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    decoder.answer_all()
    settle(workspace)
    yield workspace
    workspace.close()
    store.close()


def read(workspace: Workspace, language: str = "en", **options: str):  # type: ignore[no-untyped-def]
    made = session_review(OWNER, workspace.store, workspace.session_id, language, **options)  # type: ignore[arg-type]
    return docx.Document(io.BytesIO(made.data))


def test_each_segment_is_a_row_with_the_text_of_the_person(workspace: Workspace) -> None:
    workspace.edit(OWNER, 0, "Die {1}Datei{/1}\u00a0sichern &  <los>.", "typed")
    workspace.confirm(OWNER, 1, "Öffnen Sie die Datei.")
    table = read(workspace).tables[0]
    assert [[cell.text for cell in row.cells][1:4] for row in table.rows] == [
        ["Source", "Translation", "Status"],
        ["Save the {1}file{/1} & <go>.", "Die {1}Datei{/1}\u00a0sichern &  <los>.", "Edited"],
        ["Open the file.", "Öffnen Sie die Datei.", "Confirmed"],
        ["Save.", "", "Not translated"],
    ], "a proposal of the model was reviewed by nobody"
    numbers = [row.cells[0].text.split()[0] for row in table.rows]
    assert numbers == ["No.", "1", "2", "3"] and table.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    marked = [run.text for run in table.rows[1].cells[2].paragraphs[0].runs if run.style and run.style.name == "Tag"]
    assert marked == ["{1}", "{/1}"]


@pytest.mark.parametrize(
    ("segments", "states", "numbers"),
    [
        ("2", "", ["2"]),
        ("1,3-9999999", "", ["1", "3"]),
        ("", "edited, new", ["1", "3"]),
        ("2-3", "new", ["3"]),
        ("", "", ["1", "2", "3"]),
        ("7", "", []),
    ],
)
def test_table_has_only_chosen_segments(workspace: Workspace, segments: str, states: str, numbers: list[str]) -> None:
    workspace.edit(OWNER, 0, "Die {1}Datei{/1} sichern & <los>.", "typed")
    workspace.confirm(OWNER, 1, "Öffnen Sie die Datei.")
    choice = RowChoice.of(segments, states)
    made = session_review(OWNER, workspace.store, workspace.session_id, choice=choice)
    rows = docx.Document(io.BytesIO(made.data)).tables[0].rows[1:]
    assert [row.cells[0].text.split()[0] for row in rows] == numbers
    assert (made.note is None) == bool(numbers)
    assert made.name == f"manual.de.{'review-selected' if choice else 'review'}.docx"


@pytest.mark.parametrize("segments", ["0", "2-1", "-3", "1;2", "eins", "1-2-3", "٣", "12345678"])
def test_wrong_numbers_of_segments_are_named(segments: str) -> None:
    with pytest.raises(CommandError, match="is no number of a segment"):
        RowChoice.of(segments)
    with pytest.raises(CommandError, match="choose of: new, pretranslated"):
        RowChoice.of("", segments)


def test_comments_are_comments_of_word_with_author_and_time(workspace: Workspace) -> None:
    workspace.comment(Actor("person", "Ana & Söhne"), 1, "Bitte prüfen\n2. Zeile")
    document = read(workspace)
    (comment,) = document.comments
    (event,) = [event for event in workspace.store.events(workspace.session_id) if event.type == "comment"]
    assert (comment.author, comment.text, comment.initials) == ("Ana & Söhne", "Bitte prüfen\n2. Zeile", "A&S")
    assert comment.timestamp is not None and abs(comment.timestamp.timestamp() - event.wall_ms / 1000) < 1
    cell = document.tables[0].rows[2].cells[2]._tc
    assert [mark.get(qn("w:id")) for mark in cell.iter(qn("w:commentRangeStart"))] == [str(comment.comment_id)]
    assert document.tables[0].rows[2].cells[4].text == "Bitte prüfen\n2. Zeile"


def test_instruction_is_in_the_language_of_the_page_and_changes_are_tracked(workspace: Workspace) -> None:
    document = read(workspace, "de")
    title, about, instruction, mark = [paragraph.text for paragraph in document.paragraphs[:4]]
    assert title == "manual.txt" and about.startswith("EN → DE · 20") and instruction.startswith("Korrigieren Sie")
    assert mark.startswith("PP-REVIEW-1-") and mark.endswith("-3")
    assert document.settings.element.find(qn("w:trackRevisions")) is not None


def test_text_from_right_to_left_has_its_direction_and_readable_tags(tmp_path: Path) -> None:
    store = LogStore.open(tmp_path / "log.sqlite")
    workspace = make_workspace(store, ready_model(HandDecoder(), direction="en-ar"), TEXT, direction="en-ar")
    workspace.edit(OWNER, 0, "احفظ {1}الملف{/1}", "typed")
    source, target = (read(workspace).tables[0].rows[1].cells[n].paragraphs[0] for n in (1, 2))
    assert target._p.pPr.find(qn("w:bidi")) is not None and source._p.pPr is None
    assert target.text == "احفظ \u200e{1}\u200eالملف\u200e{/1}\u200e"
    words = [run for run in target.runs if "{" not in run.text]
    assert all(run._r.rPr.find(qn("w:rtl")) is not None for run in words) and words
    workspace.close()
    store.close()


def test_open_segments_are_those_to_confirm_or_in_a_project_with_review_to_approve(workspace: Workspace) -> None:
    def numbers(one: Workspace) -> list[str]:
        return [row.cells[0].text.split()[0] for row in read(one, rows="open").tables[0].rows][1:]

    workspace.confirm(OWNER, 1, "Öffnen Sie die Datei.")
    assert numbers(workspace) == ["1", "3"]
    for index, text in ((0, "Eins."), (1, "Zwei."), (2, "Drei.")):
        workspace.confirm(OWNER, index, text)
    made = session_review(OWNER, workspace.store, workspace.session_id, rows="open")
    assert made.note == "No segment is open, so the table is empty." and made.name == "manual.de.review-open.docx"

    reviewing = begin(workspace.store)
    confirm(reviewing)
    before = numbers(reviewing)
    reviewing.review.decide(OWNER, 0, "approved", "Eins zwei.")
    assert "1" in before and numbers(reviewing) == before[1:]
    reviewing.close()
