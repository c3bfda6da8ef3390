"""Two browser windows on one segment: a text that the other window has not seen is not overwritten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.access.actor import OWNER, Actor
from app.log.store import LogStore
from app.segments.text_changes import ReportedEdit
from app.workspace.commands import Workspace
from app.workspace.writers import OvertakenError
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), "Open the settings.\n")
    yield workspace
    workspace.close()


def type_text(workspace: Workspace, client: str, before: str, text: str, actor: Actor = OWNER) -> None:
    workspace.edit(actor, 0, text, "typed", reported=ReportedEdit(before, ()), client=client)


def test_text_typed_over_an_older_text_is_refused(workspace: Workspace):
    type_text(workspace, "one", "", "Eins")
    with pytest.raises(OvertakenError, match="Eins"):
        type_text(workspace, "two", "", "Zwei")
    with pytest.raises(OvertakenError):
        workspace.confirm(OWNER, 0, "Zwei", client="two")
    assert (workspace.segments[0].target, workspace.segments[0].state) == ("Eins", "edited")
    events = [event.type for event in workspace.store.events(workspace.session_id)]
    assert events.count("confirm") == 0


def test_text_typed_after_the_newest_text_was_shown_is_stored(workspace: Workspace):
    type_text(workspace, "one", "", "Eins")
    type_text(workspace, "two", "Eins", "Eins zwei")
    type_text(workspace, "two", "Eins", "Eins zwei drei")  # its own text, reported from an older one
    workspace.confirm(OWNER, 0, "Eins zwei drei", client="two")
    assert workspace.segments[0].target == "Eins zwei drei"


def test_person_who_chooses_their_own_text_overwrites_the_other(workspace: Workspace):
    type_text(workspace, "one", "", "Eins")
    with pytest.raises(OvertakenError):
        type_text(workspace, "two", "", "Zwei")
    workspace.edit(OWNER, 0, "Zwei", "restored", client="two")
    workspace.confirm(OWNER, 0, "Zwei", client="two")
    assert (workspace.segments[0].target, workspace.segments[0].state) == ("Zwei", "confirmed")


def test_refusal_names_the_other_person(workspace: Workspace):
    ana, ben = Actor.person("Ana"), Actor.person("Ben")
    type_text(workspace, "one", "", "Eins", ana)
    with pytest.raises(OvertakenError, match="another window"):
        type_text(workspace, "two", "", "Zwei", ana)
    with pytest.raises(OvertakenError, match="Ana has changed the segment in the meantime: “Eins”"):
        type_text(workspace, "three", "", "Drei", ben)
