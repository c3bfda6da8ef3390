"""The states to which undo returns after a reload are those that the page had before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.access.actor import OWNER, Actor
from app.log.store import LogStore
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.segments.text_changes import ReportedEdit
from app.workspace.commands import Workspace
from engine import Avoid
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.budget import rounds

TEXT = "Open the settings. The router saves the file.\n"
TEXTS = ["Die Datei.", "Die Akte.", "Eine Datei"]
PINS = [[], ["Datei"], ["Datei", "Datei"], ["Router", "Datei"]]
BANS = [[], [Avoid("Akte")], [Avoid("Akte", "permissive"), Avoid("Ordner")]]
State = tuple[str | None, list[str], list[tuple[str, str]], str]  # text, pins, bans, follow


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    workspace.open(OWNER, 0)
    decoder.answer(0, "Öffnen Sie die Einstellungen.")
    settle(workspace)
    yield workspace
    workspace.close()


def earlier_texts(workspace: Workspace, index: int = 0, actor: Actor = OWNER) -> list[str | None]:
    return [state["text"] for state in workspace.earlier(actor, index)["states"]]


def earlier(workspace: Workspace) -> list[State]:
    return [
        (s["text"], *comparable(Constraints.from_json(s["constraints"]))) for s in workspace.earlier(OWNER, 0)["states"]
    ]


def present(workspace: Workspace) -> State:
    segment = workspace.segments[0]
    return segment.target, *comparable(segment.constraints)


def comparable(constraints: Constraints) -> tuple[list[str], list[tuple[str, str]], str]:
    return sorted(constraints.pins), sorted((ban.text, ban.case) for ban in constraints.bans), constraints.follow


class Page:
    """What the page keeps in its own history, as the reference."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.past: list[State] = []
        self.future: list[State] = []

    def change(self, **new: Any) -> None:
        before = present(self.workspace)
        self._send(before, new, "person")
        if present(self.workspace) != before:
            self.past.append(before)
            self.future = []

    def step(self, *, is_undo: bool) -> None:
        source, other = (self.past, self.future) if is_undo else (self.future, self.past)
        if not source:
            return
        other.append(present(self.workspace))
        text, pins, bans, follow = source.pop()
        new = {"text": text, "pins": pins, "bans": [Avoid(*ban) for ban in bans], "follow": follow}
        self._send(present(self.workspace), new, "undo" if is_undo else "redo")

    def _send(self, before: State, new: dict[str, Any], origin: Any) -> None:
        if "text" in new and new["text"] != before[0]:
            self.workspace.edit(OWNER, 0, new["text"], "typed" if origin == "person" else origin)
        if new.keys() & {"pins", "bans", "follow"}:
            now = self.workspace.segments[0].constraints
            pins, bans = new.get("pins", now.pins), new.get("bans", now.bans)
            constraints = Constraints(tuple(pins), bans=tuple(bans), follow=new.get("follow", before[3]))
            self.workspace.constrain(OWNER, 0, constraints, origin=origin)


CHANGES = st.one_of(
    st.builds(lambda text: {"text": text}, st.sampled_from([*TEXTS, None])),
    st.builds(
        lambda pins, bans, follow: {"pins": pins, "bans": bans, "follow": follow},
        st.sampled_from(PINS),
        st.sampled_from(BANS),
        st.sampled_from(["", "Die Datei."]),
    ),
    st.sampled_from(["undo", "redo", "confirm", "reopen"]),
)


@given(changes=st.lists(CHANGES, max_size=12))
@settings(
    max_examples=rounds(short=25, full=500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_states_from_the_log_are_those_of_the_page(workspace: Workspace, changes: list[Any]):
    workspace.constrain(OWNER, 0, NO_CONSTRAINTS)
    workspace.edit(OWNER, 0, None, "proposal")
    page = Page(workspace)
    page.past = earlier(workspace)  # of the examples before
    for change in changes:
        if isinstance(change, dict):
            page.change(**change)
        elif change == "confirm" and workspace.segments[0].target is not None:
            workspace.confirm(OWNER, 0, str(workspace.segments[0].target))
        elif change == "reopen":
            workspace.reopen(OWNER, 0)
        elif change in ("undo", "redo"):
            page.step(is_undo=change == "undo")
    assert earlier(workspace) == page.past[-100:]


def test_changes_of_one_command_are_one_step(workspace: Workspace):
    workspace.edit(OWNER, 0, "Öffnen Sie alles.", "typed")
    changes = [(0, 6, "Zeigen", "typed"), (11, 5, "das", "paste")]
    workspace.edit(OWNER, 0, "Zeigen Sie das.", "typed", reported=ReportedEdit("Öffnen Sie alles.", changes))
    assert earlier_texts(workspace) == [None, "Öffnen Sie alles."]
    workspace.edit(
        OWNER, 0, "Zeigen Sie dies.", "typed", reported=ReportedEdit("Zeigen Sie das.", [(11, 3, "dies", "typed")])
    )
    assert earlier_texts(workspace) == [None, "Öffnen Sie alles.", "Zeigen Sie das."]


def test_confirmed_proposal_returns_to_the_proposal(workspace: Workspace):
    workspace.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    workspace.edit(OWNER, 0, "Öffnen.", "typed")
    states = workspace.earlier(OWNER, 0)["states"]
    assert [(state["text"], state["is_confirmed"]) for state in states] == [
        (None, False),
        ("Öffnen Sie die Einstellungen.", True),
    ]


def test_changes_of_other_segments_and_before_a_merge_are_not_undone(workspace: Workspace):
    workspace.edit(OWNER, 1, "Der Router.", "typed")
    workspace.edit(OWNER, 0, "Eins.", "typed")
    workspace.constrain(OWNER, 0, Constraints(pins=("Eins",)))
    assert earlier_texts(workspace) == [None, "Eins."]
    workspace.structure.merge(OWNER, 0)
    assert earlier_texts(workspace) == []
    workspace.edit(OWNER, 0, "Eins und zwei.", "typed")
    assert earlier_texts(workspace) == ["Eins. Der Router."]
    assert workspace.earlier(OWNER, 0)["states"][0]["constraints"]["pins"] == ["Eins"]


def test_changes_before_those_of_another_person_are_not_undone(workspace: Workspace):
    workspace.edit(OWNER, 0, "Eins.", "typed")
    ana = Actor.person("Ana")
    workspace.edit(ana, 0, "Zwei.", "typed")
    assert earlier_texts(workspace, actor=ana) == ["Eins."]
    assert earlier_texts(workspace) == []
    workspace.edit(OWNER, 0, "Drei.", "typed")
    assert earlier_texts(workspace) == ["Zwei."]


def test_no_earlier_states_if_the_log_does_not_lead_to_the_present_text(workspace: Workspace):
    workspace.edit(OWNER, 0, "Eins.", "typed")
    workspace.edit(OWNER, 0, "Zwei.", "typed")
    with workspace.store.connection.transaction("damage the log"):
        workspace.store.connection.db.execute("DELETE FROM event WHERE type = 'insert'")
    assert earlier_texts(workspace) == []
