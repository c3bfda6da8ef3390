"""The rows of other documents for the joined list: of open and closed documents, in portions, and as they change."""

from __future__ import annotations

from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.formats.read_file import read_document
from app.models.style import Style
from app.projects import ProjectDraft
from app.segments.segment_constraints import Constraints
from app.sessions import joined_rows
from app.workspace.commands import Workspace
from tests.app.test_parts import Team, team

ANA, BEN, CEM = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Cem")
DOORS = b"One door.\nTwo doors.\nThree doors.\nFour doors.\nFive doors.\n"
# Only an open document knows these, or they are of this run.
OF_OPEN = ("stamp", "attention", "is_queued", "match_rate", "can_be_filled", "score")

__all__ = ["team"]


def add(team: Team, data: bytes = DOORS, name: str = "more.txt") -> Workspace:
    """A document of the project, with one segment typed, one confirmed, one locked, and one pin."""
    document, shown = read_document(data, name), team.document
    added = team.sessions.opener.start_unshown(OWNER, document, shown.direction, shown.project, Style())
    added.edit(OWNER, 0, "Eine Tür", "typed")
    added.confirm(OWNER, 1, "Zwei Türen.")
    added.locks.set(OWNER, [2], is_locked=True)
    added.constrain(OWNER, 3, Constraints(pins=("Türen",)))
    return added


def rows(team: Team, added: Workspace, actor: Actor = OWNER, first: int = 0) -> list[dict[str, Any]]:
    return list(team.sessions.joined_rows.portion(actor, added.session_id, first)["rows"])


def kept(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in OF_OPEN}


def test_rows_of_a_closed_document_equal_those_of_the_open_one_and_do_not_open_it(team: Team):
    added = add(team)
    team.sessions.members.assign_segments(ANA, added, [4], "Ben", added.core.version)
    for actor in (OWNER, BEN, CEM):
        whole = added.snapshot(actor)["rows"]
        assert rows(team, added, actor) == whole
    opened = rows(team, added, CEM)
    team.sessions.workspaces.forget(added)
    closed = rows(team, added, CEM)
    assert [row["state"] for row in closed[:2]] == ["edited", "confirmed"]
    assert [(row["assignee"], row["is_held"]) for row in closed[3:]] == [("", False), ("Ben", True)]
    assert [row["num_pins"] for row in closed] == [0, 0, 0, 1, 0]
    for before, now in zip(opened, closed, strict=True):
        if before["state"] in ("edited", "confirmed"):
            assert kept(now) == kept(before)
        assert (now["source"], now["is_locked"]) == (before["source"], before["is_locked"])
    assert team.sessions.workspaces.of_session(added.session_id) is None


def test_a_long_document_comes_in_portions_in_its_order(team: Team, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(joined_rows, "ROWS_AT_ONCE", 2)
    added = add(team)
    added.structure.split(OWNER, 4, 5)  # its second part has the index 5, behind the first
    added.structure.split(OWNER, 0, 4)
    for _ in range(2):
        indices: list[int] = []
        for first in range(0, 8, 2):
            reply = team.sessions.joined_rows.portion(OWNER, added.session_id, first)
            indices += [row["index"] for row in reply["rows"]]
            assert reply["is_last"] == (len(reply["rows"]) < 2)
        assert indices == [0, 6, 1, 2, 3, 4, 5]
        team.sessions.workspaces.forget(added)


def test_only_the_rows_that_changed_are_sent_again(team: Team, monkeypatch: pytest.MonkeyPatch):
    added = add(team)

    def changed(since: int) -> dict[str, Any]:
        return dict(team.sessions.joined_rows.changed(OWNER, added.session_id, since))

    stamp = team.sessions.joined_rows.portion(OWNER, added.session_id, 0)["stamp"]
    assert changed(stamp) == {"stamp": stamp, "rows": [], "is_last": True}
    added.confirm(OWNER, 0, "Eine Tür.")
    reply = changed(stamp)
    assert [(row["index"], row["state"], row["target"]) for row in reply["rows"]] == [(0, "confirmed", "Eine Tür.")]
    team.sessions.workspaces.forget(added)
    again = changed(stamp)
    assert [kept(row) for row in again["rows"]] == [kept(row) for row in reply["rows"]]
    assert changed(again["stamp"])["rows"] == []

    opened = team.sessions.find(OWNER, added.token)
    opened.structure.split(OWNER, 3, 5)
    assert changed(again["stamp"])["is_last"] is False, "the order may differ: all rows have to be read again"
    monkeypatch.setattr(joined_rows, "ROWS_AT_ONCE", 0)
    opened.edit(OWNER, 0, "Eine Tür!", "typed")
    assert changed(team.sessions.joined_rows.portion(OWNER, added.session_id, 0)["stamp"] - 1)["is_last"] is False


def test_tags_of_a_closed_document_are_chips_with_their_numbers(team: Team):
    added = add(team, b"<p>The <b>door</b> is open.</p><p>One.</p><p>Two.</p><p>Three.</p>", "page.html")
    assert rows(team, added)[0]["tags"]["1"]["name"] == "B"
    team.sessions.workspaces.forget(added)
    assert rows(team, added)[0]["tags"] == {"1": {"name": "", "content": ""}}


def test_a_person_gets_neither_documents_nor_rows_of_a_project_that_they_do_not_see(team: Team):
    added = add(team)
    team.store.people.put("Eve", "translator")
    eve = Actor.person("Eve")
    for is_open in (True, False):
        if not is_open:
            team.sessions.workspaces.forget(added)
        with pytest.raises(CommandError):
            team.sessions.joined_rows.portion(eve, added.session_id, 0)
        with pytest.raises(CommandError):
            team.sessions.joined_rows.changed(eve, added.session_id, 0)
    with pytest.raises(CommandError):
        team.sessions.joined_rows.portion(OWNER, 12345, 0)


def test_documents_are_those_of_the_project_in_the_order_of_opening(team: Team):
    added = add(team)
    team.sessions.projects.create(ANA, team.document, ProjectDraft("Others", ""), "en-de")
    team.sessions.open_document(ANA, b"Elsewhere.\n", "elsewhere.txt")
    for workspace in (team.document, added):
        documents = team.sessions.logged_documents.rows_of_project(BEN, workspace.session_id)
        assert [(one["name"], one["num_confirmed"]) for one in documents] == [("doors.txt", 0), ("more.txt", 1)]
