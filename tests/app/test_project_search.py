"""Finding and replacing a text in the other documents of a project, open or closed."""

from __future__ import annotations

import pytest

from app.access.actor import OWNER, Actor
from app.errors import AppError
from app.formats.read_file import read_document
from app.models.style import Style
from app.segments.find_replace import Query
from app.workspace.commands import Workspace
from tests.app.test_parts import Team, team

ANA, BEN, CEM = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Cem")
NETWORK = b"The network is on. The network is off. Wait.\n"
QUERY = Query("Netz", "Netzwerk", whole_words=True)

__all__ = ["team"]


def add(team: Team, name: str) -> Workspace:
    """A document of the project, with one segment typed, one confirmed and one that has only a proposal."""
    document, shown = read_document(NETWORK, name), team.document
    added = team.sessions.opener.start_unshown(OWNER, document, shown.direction, shown.project, Style())
    added.edit(OWNER, 0, "Das Netz ist an, das Netz.", "typed")
    added.confirm(OWNER, 1, "Das Netz ist aus.")
    return added


def found(team: Team, query: Query = QUERY) -> list[tuple[str, int, list[int]]]:
    """Each document with the number of places, and the numbers of the segments that are listed."""
    reply = team.sessions.project_search.find(OWNER, team.document, query)
    return [(one["name"], one["num_places"], [row["number"] for row in one["rows"]]) for one in reply["documents"]]


def test_places_are_found_in_open_and_closed_documents_in_the_order_of_opening(team: Team):
    first, second = add(team, "a.txt"), add(team, "b.txt")
    everywhere = Query("Netz", "Netzwerk", whole_words=True, in_confirmed=True)
    for _ in range(2):
        assert found(team) == [("a.txt", 2, [1]), ("b.txt", 2, [1])]
        assert found(team, everywhere) == [("a.txt", 3, [1, 2]), ("b.txt", 3, [1, 2])]
        for workspace in (first, second):
            team.sessions.workspaces.forget(workspace)
    assert team.sessions.workspaces.of_session(first.session_id) is None, "to search in it, it was not opened"
    assert found(team, Query("Wlan")) == []
    assert found(team, Query("")) == []


def test_locked_segments_are_counted_apart_in_an_open_and_in_a_closed_document(team: Team):
    added = add(team, "a.txt")
    added.locks.set(OWNER, [0], is_locked=True)
    for _ in range(2):
        (only,) = team.sessions.project_search.find(OWNER, team.document, QUERY)["documents"]
        assert (only["num_places"], only["rows"], only["num_locked"], only["num_held"]) == (0, [], 1, 0)
        team.sessions.workspaces.forget(added)


def test_segments_of_others_are_counted_apart_for_those_who_may_not_change_them(team: Team):
    added = add(team, "a.txt")
    team.sessions.members.assign_segments(ANA, added, [0], "Ben", added.core.version)

    def counts(actor: Actor) -> tuple[int, int]:
        (only,) = team.sessions.project_search.find(actor, team.document, QUERY)["documents"]
        return only["num_places"], only["num_held"]

    for _ in range(2):
        assert (counts(CEM), counts(BEN), counts(ANA)) == ((0, 1), (2, 0), (2, 0))
        team.sessions.workspaces.forget(added)
    assert team.sessions.project_search.replace(CEM, added.session_id, QUERY, None)["num_places"] == 0
    found_here = added.batches.find(CEM, QUERY)
    assert (found_here["num_places"], found_here["num_held"]) == (0, 1)


def test_numbers_are_those_of_the_document_after_segments_were_merged(team: Team):
    added = add(team, "a.txt")
    added.edit(OWNER, 2, "Warten auf das Netz", "typed")
    added.structure.merge(OWNER, 0)
    numbers = found(team)[0][2]
    team.sessions.workspaces.forget(added)
    assert found(team)[0][2] == numbers == [1, 2]


def test_replacement_in_a_closed_document_is_logged_there_undone_there_and_shows_nothing_else(team: Team):
    added = add(team, "a.txt")
    team.sessions.workspaces.forget(added)
    shown = team.sessions.workspaces.current_token(OWNER)
    search, number = team.sessions.project_search, added.session_id
    step = search.replace(BEN, number, QUERY, None)
    assert (step["num_places"], step["segments"]) == (2, [0])
    opened = team.sessions.workspaces.of_session(number)
    assert opened is not None
    assert opened.segments[0].target == "Das Netzwerk ist an, das Netzwerk."
    assert opened.segments[1].target == "Das Netz ist aus.", "a confirmed text is not among them"
    assert team.sessions.workspaces.current_token(OWNER) == shown
    logged = [event for event in team.store.events(number) if "step" in event.payload]
    assert {(event.payload["origin"], event.segment, event.payload["person"]) for event in logged} == {
        ("replace", 0, "Ben")
    }
    assert search.step(OWNER, number, step["step"], is_undo=True)["num_segments"] == 1
    assert opened.segments[0].target == "Das Netz ist an, das Netz."
    assert search.step(OWNER, number, step["step"], is_undo=False)["num_segments"] == 1
    assert opened.segments[0].target == "Das Netzwerk ist an, das Netzwerk."


def test_documents_of_other_projects_are_neither_found_nor_changed(team: Team):
    added = add(team, "a.txt")
    team.store.people.leave("Ben", [team.document.project.id])
    own = team.sessions.open_document(BEN, NETWORK, "mine.txt")
    own.edit(BEN, 0, "Das Netz.", "typed")
    search = team.sessions.project_search
    assert search.find(BEN, own, QUERY) == {"documents": [], "num_left_out": 0}
    assert [name for name, *_ in found(team)] == ["a.txt"]
    with pytest.raises(AppError):
        search.replace(BEN, added.session_id, QUERY, None)
    with pytest.raises(AppError):
        search.replace(OWNER, 10**6, QUERY, None)
    assert added.segments[0].target == "Das Netz ist an, das Netz."


def test_no_more_rows_are_listed_than_fit_and_documents_beyond_the_limit_are_counted(
    team: Team, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.sessions.project_search.MAX_SHOWN", 1)
    for name in ("a.txt", "b.txt", "c.txt"):
        add(team, name)
    assert found(team) == [("a.txt", 2, [1]), ("b.txt", 2, []), ("c.txt", 2, [])]
    monkeypatch.setattr("app.sessions.project_search.MAX_DOCUMENTS", 2)
    reply = team.sessions.project_search.find(OWNER, team.document, QUERY)
    assert ([one["name"] for one in reply["documents"]], reply["num_left_out"]) == (["b.txt", "c.txt"], 1)
