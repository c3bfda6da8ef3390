"""The checks at work on a document: what is flagged, what the log tells, what stays switched off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.access.actor import OWNER
from app.log.store import LogStore
from app.segments.segment_constraints import Constraints
from app.workspace.commands import Workspace
from engine import Avoid
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model

TEXT = "Wait 5 seconds.\nOpen %s now.\n"


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    yield workspace
    workspace.close()


def logged(workspace: Workspace) -> list[tuple[str, str, str]]:
    events = workspace.store.events(workspace.session_id)
    return [(e.type, e.payload["check"], e.payload["kind"]) for e in events if e.type.startswith("check_")]


def test_shown_finding_is_logged_once_and_resolved_when_it_is_gone(workspace: Workspace):
    shown = workspace.checking.show(OWNER, 0, "Warten Sie 6 Sekunden")["findings"]
    assert [(f["check"], f["kind"], f["texts"], f["is_error"]) for f in shown] == [
        ("numbers", "changed", ["5 ≠ 6"], True),
        ("punctuation", "end", ["."], False),
    ]
    workspace.checking.show(OWNER, 0, "Warten Sie 6 Sekunden")
    assert logged(workspace) == [("check_raised", f["check"], f["kind"]) for f in shown]
    workspace.confirm(OWNER, 0, "Warten Sie 5 Sekunden")
    assert logged(workspace)[2:] == [("check_resolved", "numbers", "changed")]


def test_segment_confirmed_over_an_error_is_flagged_and_over_advice_is_not(workspace: Workspace):
    workspace.confirm(OWNER, 0, "Warten Sie 6 Sekunden.")
    workspace.confirm(OWNER, 1, "%s jetzt öffnen")
    assert workspace.segments[0].attention == "Numbers differ from the source: 5 ≠ 6"
    assert workspace.segments[1].attention == ""
    confirms = [e.payload for e in workspace.store.events(workspace.session_id) if e.type == "confirm"]
    assert [[f["check"] for f in payload["findings"]] for payload in confirms] == [["numbers"], ["punctuation"]]
    assert workspace.core.tally.counts()["attention"] == 1


def test_check_stays_switched_off_after_a_restart_and_flags_no_segment(workspace: Workspace, store: LogStore):
    workspace.confirm(OWNER, 0, "Warten Sie 6 Sekunden.")
    workspace.checking.choose(OWNER, ["numbers"])
    assert workspace.segments[0].attention == ""
    again = Workspace(
        store,
        workspace.session_id,
        "another",
        workspace.document,
        workspace.segments,
        workspace.model,
        direction="en-de",
        options=workspace.questions.options,
    )
    assert again.core.checks_off == {"numbers"}
    assert again.snapshot(OWNER, open_index=0)["checks_off"] == ["numbers"]
    again.checking.choose(OWNER, [])
    assert again.segments[0].attention != ""
    again.close()


def test_open_segment_shows_the_findings_in_its_text(workspace: Workspace):
    workspace.constrain(OWNER, 0, Constraints(pins=("sofort",), bans=(Avoid("Sie"),)))
    workspace.edit(OWNER, 0, "Warten Sie 5 Sekunden.", "typed")
    found = workspace.snapshot(OWNER, open_index=0)["segment"]["findings"]
    assert [(f["kind"], f["texts"]) for f in found] == [("unmet", ["sofort"]), ("banned", ["Sie"])]
