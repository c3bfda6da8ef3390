"""The list of documents while a page shows it: what it counts, what changes it, and how the page learns of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from app.access.actor import OWNER, Actor
from app.formats.read_file import read_document
from app.log.migrations import migrate, migrations
from app.log.store import LogStore
from app.models.style import Style
from app.projects import ProjectDraft
from app.ui.api import Api
from tests.app.test_parts import Team, question_after, team

BEN, DAN = Actor.person("Ben"), Actor.person("Dan")

__all__ = ["team"]

NEXT_MIGRATION = "m0020_review_of_a_segment"


def row(team: Team) -> dict[str, Any]:
    """The row of the document that is open."""
    (found,) = (
        one for one in team.sessions.documents(OWNER)["documents"] if one["session"] == team.document.session_id
    )
    return found


def confirm_and_review(team: Team) -> None:
    """The first segment is approved, the second returned; the third was approved and edited later."""
    document = team.document
    document.use_project(replace(document.project, has_review=True))
    for index in range(3):
        document.confirm(BEN, index, f"Tür {index}.")
    document.review.decide(DAN, 0, "approved", "Tür 0.")
    document.review.decide(DAN, 1, "returned", "Tür 1.", "Why?")
    document.review.decide(DAN, 2, "approved", "Tür 2.")
    document.edit(BEN, 2, "Türen", "typed")


def test_list_counts_approved_and_returned_segments_as_the_document_does(team: Team):
    confirm_and_review(team)
    counts = team.document.core.tally.counts()
    assert [counts[name] for name in ("confirmed", "approved", "returned")] == [1, 1, 1]
    assert [row(team)[f"num_{name}"] for name in ("confirmed", "approved", "returned")] == [1, 1, 1]


def test_decisions_in_an_older_log_and_in_a_damaged_one_are_counted(team: Team, tmp_path: Path):
    confirm_and_review(team)
    path = tmp_path / "older.sqlite"
    older = Database(path)
    migrations.apply(older, stop_before=NEXT_MIGRATION)
    older.conn.commit()
    older.execute("ATTACH ? AS newer", (str(team.store.path),))
    for table in ("project", "document", "session", "segment"):
        columns = ", ".join(older[table].columns_dict)
        older.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
    older.execute("UPDATE main.segment SET constraints = '{' WHERE segment_index = 0")
    older.conn.commit()
    older.execute("DETACH newer")
    migrate(older)
    older.close()
    store = LogStore.open(path)
    summary = next(one for one in store.sessions(OWNER) if one.id == team.document.session_id)
    store.close()
    assert (summary.num_confirmed, summary.num_approved, summary.num_returned) == (1, 0, 1)


def test_row_changes_with_counts_and_assignments_but_not_with_typed_text(team: Team):
    document, changes = team.document, team.store.list_changes
    document.use_project(replace(document.project, has_review=True))

    def changed_by(act: Callable[[], object]) -> set[int] | None:
        stamp = changes.stamp
        act()
        found = changes.since(stamp)
        return None if found is None else set(found)

    own = {document.session_id}
    assert changed_by(lambda: document.edit(OWNER, 0, "Eine", "typed")) == set()
    assert changed_by(lambda: document.confirm(OWNER, 0, "Eine Tür.")) == own
    assert changed_by(lambda: document.review.decide(OWNER, 0, "approved", "Eine Tür.")) == own
    assert changed_by(lambda: document.edit(OWNER, 0, "Eine", "typed")) == own
    assert changed_by(lambda: team.sessions.assignments.assign(OWNER, document.session_id, "Ben")) == own
    assert changed_by(lambda: team.assign([0], "Cem")) == own
    assert changed_by(lambda: document.structure.split(OWNER, 0, 4)) == own
    opened = changed_by(lambda: team.sessions.open_document(OWNER, b"New.\n", "new.txt"))
    assert opened is not None and len(opened - own) == 1


def test_whole_list_changes_with_projects_members_deletions_and_other_programs(team: Team):
    changes = team.store.list_changes
    (own,) = (one.id for one in team.store.sessions(OWNER) if one.document_name == "own.txt")
    other = LogStore.open(team.store.path)
    acts: tuple[Callable[[], object], ...] = (
        lambda: team.store.people.leave("Ben", [team.document.project.id]),
        lambda: team.sessions.projects.create(OWNER, team.document, ProjectDraft("Gates"), "en-de"),
        lambda: team.sessions.move_document(OWNER, own, team.document.project.id),
        lambda: team.sessions.delete_unshown(OWNER, own),
        lambda: other.append(OWNER, team.document.session_id, "idle", {"idle_ms": 1}),
    )
    for act in acts:
        stamp = changes.stamp
        act()
        changes._looked = -1.0  # half a second ago
        assert changes.stamp > stamp and changes.since(stamp) is None
    other.close()


def test_stamp_of_another_run_asks_for_the_whole_list(team: Team):
    changes = team.store.list_changes
    assert changes.since(changes.stamp) == frozenset()
    for stamp in (-1, changes.stamp + 10**9):
        assert changes.since(stamp) is None


def test_page_that_shows_the_list_gets_its_changes_together_and_others_do_not_wake(
    team: Team, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.ui.api.LIST_SECONDS", 0.3)
    api = Api(team.sessions)
    own = team.sessions.open_document(BEN, b"Mine.\n", "mine.txt")
    question = question_after(own)
    stamp = own.snapshot(BEN)["news"]["list_stamp"]

    async def ask() -> tuple[dict[str, Any], bool]:
        with_list = asyncio.create_task(api.changes(BEN, {**question, "client": "a", "list_stamp": stamp}))
        without = asyncio.create_task(api.changes(BEN, {**question, "client": "b"}))
        await asyncio.sleep(0.1)
        for index in range(2):
            await asyncio.to_thread(team.document.confirm, OWNER, index, "Tür.")
        reply = await asyncio.wait_for(with_list, 60)
        await asyncio.sleep(0.1)
        still_waits = not without.done()
        await asyncio.to_thread(own.core.touch)
        await without
        return reply, still_waits

    reply, still_waits = asyncio.run(ask())
    assert still_waits
    changed = team.sessions.changed_documents(BEN, stamp)
    assert reply["news"]["list_stamp"] == changed["stamp"]
    assert [(one["name"], one["num_confirmed"]) for one in changed["documents"]] == [("doors.txt", 2)]
    team.store.people.leave("Ben", [team.document.project.id])
    assert team.sessions.changed_documents(BEN, changed["stamp"])["documents"] is None
    later = team.sessions.changed_documents(BEN, changed["stamp"])["stamp"]
    team.document.confirm(BEN, 2, "Tür.")
    assert team.sessions.changed_documents(BEN, later)["documents"] == [], "of a project that he does not see"


def test_rows_of_tabs_come_in_their_order_and_none_for_what_the_person_does_not_see(team: Team):
    documents, shown = team.sessions.logged_documents, team.document
    own = team.sessions.open_document(BEN, b"Mine.\n", "mine.txt")
    tokens = [own.token, "unknown", shown.token, own.token]
    names = [one and one["name"] for one in documents.rows_by_token(BEN, tokens)]
    assert names == ["mine.txt", None, "doors.txt", "mine.txt"]
    shown.confirm(OWNER, 0, "Tür.")
    (found,) = documents.rows_by_token(BEN, [shown.token])
    assert found is not None
    assert (found["num_confirmed"], found["session"]) == (1, shown.session_id)
    team.store.people.leave("Ben", [shown.project.id])
    assert documents.rows_by_token(BEN, [shown.token]) == [None]
    assert documents.rows_by_token(BEN, ["x"] * 1000) == [None] * 1000
    assert documents.rows_by_token(BEN, []) == []


def test_next_document_is_the_next_of_the_project_with_segments_that_wait_for_the_person(team: Team):
    documents, first = team.sessions.logged_documents, team.document
    project = first.project
    added = [
        team.sessions.opener.start_unshown(
            OWNER, read_document(b"Door.", f"{n}.txt"), first.direction, project, Style()
        )
        for n in range(3)
    ]

    def name_after(session_id: int, *, to_review: bool = False) -> str | None:
        found = documents.next_waiting(BEN, session_id, to_review=to_review)
        return found and found["name"]

    assert name_after(first.session_id) == "0.txt"
    assert name_after(added[2].session_id) == "doors.txt", "after the last comes the first"
    team.sessions.find(OWNER, added[0].token, shows=False).confirm(BEN, 0, "Tür.")
    assert name_after(first.session_id) == "1.txt", "the one before is finished"
    team.sessions.members.assign(OWNER, added[1].session_id, "Dan")
    assert name_after(first.session_id) == "2.txt", "the one before is assigned to another person"
    team.sessions.members.assign(OWNER, added[2].session_id, "Ben")
    assert name_after(first.session_id) == "2.txt"
    team.sessions.find(OWNER, added[2].token, shows=False).locks.set(OWNER, [0], is_locked=True)
    assert name_after(first.session_id) is None, "in the last one, all segments are locked"
    assert name_after(first.session_id, to_review=True) == "0.txt"
    assert name_after(added[0].session_id, to_review=True) is None, "it is the only one with a confirmed segment"
    team.store.people.leave("Ben", [project.id])
    own = team.sessions.open_document(BEN, b"Mine.\n", "mine.txt")
    assert name_after(own.session_id) is None, "documents of other projects do not count"
