"""What a reviewer did in Word comes back: the differences, the conflicts, and one step that takes them over."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest

from app.access.actor import OWNER
from app.errors import CommandError, LogError
from app.formats.word_table import read_tables
from app.log.store import LogStore
from app.reports.review_table import RowChoice, session_review
from app.segments.segment_constraints import Constraints
from app.workspace.commands import Workspace
from app.workspace.review_import import ReviewFile, compare_review
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model
from tests.app.review_tables import reviewed

TEXT = "Save {1}it{/1}.\nOpen the file.\nClose it.\nPress the key.\n"
TARGETS = ("{1}Es{/1} sichern.", "Öffnen Sie die Datei.", "Schließen Sie sie.")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Three edited segments, the second of them confirmed, and one without a text."""
    store = LogStore.open(tmp_path / "log.sqlite")
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    for index, text in enumerate(TARGETS):
        workspace.edit(OWNER, index, text, "typed")
    workspace.confirm(OWNER, 1, TARGETS[1])
    workspace.comment(OWNER, 1, "Alt")
    yield workspace
    workspace.close()
    store.close()


def table(workspace: Workspace) -> bytes:
    return session_review(OWNER, workspace.store, workspace.session_id).data


def compared(workspace: Workspace, data: bytes) -> ReviewFile:
    return compare_review(OWNER, workspace.core, read_tables(data, "a.docx"), "a.docx")


def take(workspace: Workspace, found: ReviewFile) -> int:
    step = workspace.batches.take_review(OWNER, [one.reviewed for one in found.differences])["step"]
    assert isinstance(step, int)
    return step


def state(workspace: Workspace) -> list[tuple[str | None, str, str]]:
    return [(one.target, one.state, one.comment) for one in workspace.segments]


def test_untouched_table_has_no_differences(workspace: Workspace) -> None:
    assert compared(workspace, table(workspace)) == ReviewFile((), ())
    assert compared(workspace, reviewed(table(workspace))) == ReviewFile((), ()), "python-docx saved it again"


def test_changes_are_taken_over_and_undone_in_one_step(workspace: Workspace) -> None:
    before = state(workspace)
    data = reviewed(
        table(workspace),
        {4: "Drücken Sie die Taste."},
        {3: ("Ben", "Wen?"), 2: ("Ben", "Gut")},
        tracked={2: ("Datei", "Akte")},
        notes={1: "Bitte prüfen"},
    )
    found = compared(workspace, data)
    assert [(one.number, one.reviewed.text, [*one.reviewed.comments], one.problem) for one in found.differences] == [
        (1, None, ["Bitte prüfen"], ""),
        (2, "Öffnen Sie die Akte.", ["Ben: Gut"], ""),
        (3, None, ["Ben: Wen?"], ""),
        (4, "Drücken Sie die Taste.", [], ""),
    ]
    assert found.notes == ("Tracked changes in Word count as accepted.",)
    assert found.differences[1].view()["runs"][1] == {"t": "Akte", "was": "Datei"}

    step = take(workspace, found)
    after = state(workspace)
    assert after == [
        (TARGETS[0], "edited", "Bitte prüfen"),
        ("Öffnen Sie die Akte.", "edited", "Alt\nBen: Gut"),
        (TARGETS[2], "edited", "Ben: Wen?"),
        ("Drücken Sie die Taste.", "edited", ""),
    ]
    assert compared(workspace, data) == ReviewFile((), ()), "imported twice, nothing is new"
    events = [event for event in workspace.store.events(workspace.session_id) if event.payload.get("step") == step]
    assert [(event.type, event.payload["origin"]) for event in events] == [
        ("comment", "review"), ("comment", "review"), ("insert", "review"), ("comment", "review"), ("insert", "review"),
    ]  # fmt: skip
    stored = workspace.store.load_session(OWNER, workspace.session_id).segments
    assert [one.target for one in stored] == [target for target, _, _ in after]

    assert workspace.batches.step(OWNER, step, is_undo=True) == {"num_segments": 4, "num_left": 0}
    assert [one[0::2] for one in state(workspace)] == [one[0::2] for one in before]
    assert workspace.segments[1].state == "confirmed"
    workspace.batches.step(OWNER, step, is_undo=False)
    assert state(workspace) == after
    assert workspace.store.verify_chain(workspace.session_id).is_intact


def test_undo_leaves_a_segment_whose_comment_was_changed_since(workspace: Workspace) -> None:
    step = take(workspace, compared(workspace, reviewed(table(workspace), comments={1: ("Ben", "a"), 3: ("Ben", "b")})))
    workspace.comment(OWNER, 0, "Ben: a\nErledigt")
    assert workspace.batches.step(OWNER, step, is_undo=True) == {"num_segments": 1, "num_left": 1}
    assert [one.comment for one in workspace.segments] == ["Ben: a\nErledigt", "Alt", "", ""]


@pytest.mark.parametrize(
    ("change", "problem", "can_be_taken"),
    [
        ("edit", "The segment has changed since the export", True),
        ("confirm", "The segment was confirmed since the export", True),
        ("lock", "Locked text is missing: Es", True),
        ("lock the segment", "This segment is locked", False),
        ("tags", "Placeholders missing: {1} {/1}: correct the tags", True),
        ("empty", "The cell of the translation is empty", False),
        ("copy", "This row is there several times", False),
        ("long comment", "The comment has", False),
    ],
)
def test_conflicts_are_shown_with_their_cure(
    workspace: Workspace, change: str, problem: str, can_be_taken: bool
) -> None:
    data = table(workspace)
    new = {"tags": "Es sichern.", "empty": "", "lock": "{1}Das{/1} sichern."}.get(change, "{1}Es{/1} speichern.")
    if change == "edit":
        workspace.edit(OWNER, 0, "{1}Es{/1} retten.", "typed")
    elif change == "confirm":
        workspace.confirm(OWNER, 0, TARGETS[0])
    elif change == "lock the segment":
        workspace.locks.set(OWNER, [0], is_locked=True)
    elif change == "lock":
        workspace.constrain(OWNER, 0, Constraints(locked=("Es",)))
    comments = {1: ("Ben", "x" * 2000)} if change == "long comment" else {}
    found = compared(workspace, reviewed(data, {1: new}, comments, copied=(1,) if change == "copy" else ()))
    one = found.differences[0]
    assert one.problem.startswith(problem) and one.can_be_taken == can_be_taken
    assert one.reviewed.before == workspace.segments[0].target
    if can_be_taken:
        take(workspace, found)
        assert (workspace.segments[0].target, workspace.segments[0].state) == (new, "edited")


def test_table_of_some_segments_changes_only_these(workspace: Workspace) -> None:
    choice = RowChoice.of("2,4")
    data = session_review(OWNER, workspace.store, workspace.session_id, choice=choice).data
    before = state(workspace)
    found = compared(workspace, reviewed(data, {1: "Datei öffnen.", 2: "Drücken Sie die Taste."}))
    assert [(one.number, one.reviewed.text) for one in found.differences] == [
        (2, "Datei öffnen."), (4, "Drücken Sie die Taste."),
    ]  # fmt: skip
    assert found.notes == (), "segments that were not exported are not missing"
    take(workspace, found)
    after = state(workspace)
    assert [after[0], after[2]] == [before[0], before[2]]
    assert [after[1][0], after[3][0]] == ["Datei öffnen.", "Drücken Sie die Taste."]
    found = compared(workspace, reviewed(data, deleted=(1,)))
    assert found.notes == ("Rows were deleted: 1. Their segments stay as they are.",)


def test_row_with_a_pasted_table_is_named_and_not_taken_over(workspace: Workspace) -> None:
    found = compared(workspace, reviewed(table(workspace), {3: "Zu."}, pasted={1: 2}))
    assert [(one.number, one.can_be_taken, one.problem[:21]) for one in found.differences] == [
        (1, False, "A table was inserted "),
        (3, True, ""),
    ], "nor is the row that was pasted, which has changed nothing"
    found = compared(workspace, reviewed(table(workspace), {2: "Auf damit."}, pasted={1: 2}))
    assert [(one.number, one.can_be_taken) for one in found.differences] == [(2, False), (1, False), (2, False)]
    assert all("several times" in one.problem for one in found.differences if one.number == 2)


def test_table_inside_another_table_is_read(workspace: Workspace) -> None:
    found = compared(workspace, reviewed(table(workspace), {3: "Machen Sie sie zu."}, is_wrapped=True))
    assert [(one.number, one.reviewed.text, one.problem) for one in found.differences] == [
        (3, "Machen Sie sie zu.", "")
    ]
    assert found.notes == ()


def test_segment_that_was_split_or_merged_since_is_compared_by_its_source(workspace: Workspace) -> None:
    data = reviewed(table(workspace), {2: "Öffne die Datei.", 3: "Schließe sie."})
    workspace.structure.split(OWNER, 1, 5)
    found = compared(workspace, data)
    assert [one.number for one in found.differences] == [2, 4]
    assert found.differences[0].problem.startswith("The source is another one now")


def test_deleted_rows_are_named_and_their_segments_stay(workspace: Workspace) -> None:
    found = compared(workspace, reviewed(table(workspace), deleted=(2, 4)))
    assert found == ReviewFile((), ("Rows were deleted; these segments stay as they are: 2, 4.",))


def test_rows_whose_number_was_changed_are_named_and_not_called_deleted(workspace: Workspace) -> None:
    document = docx.Document(io.BytesIO(table(workspace)))
    rows = list(document.tables[0].rows)
    for row, number in ((rows[2], ""), (rows[3], "3")):
        row.cells[0].text, row.cells[2].text = number, "Neu."
    file = io.BytesIO()
    document.save(file)
    changed = "The first column of these segments was changed, so they were not compared. Correct them by hand: 2, 3."
    assert compared(workspace, file.getvalue()) == ReviewFile((), (changed,))
    deleted = "Rows were deleted; these segments stay as they are: 4."
    assert compared(workspace, reviewed(file.getvalue(), deleted=(4,))).notes == (changed, deleted)


def test_table_of_another_document_or_without_its_id_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    other = make_workspace(workspace.store, ready_model(HandDecoder()), "Another text.\n")
    with pytest.raises(CommandError, match="another document: open that document first"):
        compared(workspace, table(other))
    other.close()
    import docx

    plain = docx.Document()
    plain.add_table(2, 5)
    plain.save(str(tmp_path / "a.docx"))
    with pytest.raises(CommandError, match="is not a review table"):
        compared(workspace, (tmp_path / "a.docx").read_bytes())


def test_all_chosen_changes_are_taken_over_or_none(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared(workspace, reviewed(table(workspace), {1: "{1}Es{/1} speichern.", 3: "Schließe sie."}))
    before = state(workspace)
    with monkeypatch.context() as patched:
        patched.setattr(workspace.store, "append_all", _fail)
        with pytest.raises(LogError):
            take(workspace, found)
    assert state(workspace) == before
    workspace.edit(OWNER, 2, "Zumachen.", "typed")
    with pytest.raises(CommandError, match="segment 3 has changed in the meantime"):
        take(workspace, found)
    assert workspace.segments[0].target == TARGETS[0]


def _fail(*_: object) -> None:
    raise LogError("full")
