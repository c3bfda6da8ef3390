"""What is kept of a person: single keys only by consent, pauses, and the terms that they saw and used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.glossary import Term
from app.log.store import LogStore
from app.segments.segment_constraints import Constraints
from app.workspace.commands import Workspace
from engine import Avoid
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model

COUNTS = {"character": 2, "delete": 0}
PRESSES = [[0, "H"], [120, "Dead"]]
CARETS = [[5, 0, 0], [130, 1, 3]]


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), "Open the file.\nClose it.\n")
    yield workspace
    workspace.close()


def logged(workspace: Workspace, *types: str) -> list[tuple[str, dict[str, Any]]]:
    events = workspace.store.events(workspace.session_id)
    return [(event.type, event.payload) for event in events if event.type in types]


def test_single_keys_are_logged_only_while_there_is_consent(workspace: Workspace):
    presence = workspace.activity
    assert not presence.has_consent and workspace.snapshot(OWNER)["keeps_keys"] is False
    presence.keys(OWNER, 0, COUNTS, PRESSES, CARETS)
    presence.consent(OWNER, True)
    presence.consent(OWNER, True)
    assert workspace.snapshot(OWNER)["keeps_keys"] is True
    presence.keys(OWNER, 0, COUNTS, PRESSES, CARETS)
    presence.consent(OWNER, False)
    presence.keys(OWNER, 0, COUNTS, PRESSES, CARETS)
    assert logged(workspace, "key", "caret", "consent") == [
        ("key", {"counts": {"character": 2}}),
        ("consent", {"is_given": True}),
        ("key", {"counts": {"character": 2}, "presses": PRESSES}),
        ("caret", {"positions": CARETS}),
        ("consent", {"is_given": False}),
        ("key", {"counts": {"character": 2}}),
    ]


def test_consent_applies_to_its_session_only(workspace: Workspace, store: LogStore):
    workspace.activity.consent(OWNER, True)
    again = type(workspace.activity)(workspace)
    assert again.has_consent
    other = make_workspace(store, ready_model(HandDecoder()), "Another text.\n")
    assert not other.activity.has_consent
    other.close()


@pytest.mark.parametrize(
    ("presses", "carets"),
    [
        ("H", None),
        ([["H", 0]], None),
        ([[0]], None),
        ([[True, "H"]], None),
        ([[0, "H" * 21]], None),
        ([[0, "H"]] * 5001, None),
        (None, [[0, 1]]),
        (None, [[0, 1, "2"]]),
    ],
)
def test_invalid_key_lists_are_refused(workspace: Workspace, presses: Any, carets: Any):
    workspace.activity.consent(OWNER, True)
    with pytest.raises(CommandError, match="invalid key records"):
        workspace.activity.keys(OWNER, 0, COUNTS, presses, carets)
    assert logged(workspace, "key", "caret") == []


def test_pause_is_logged_with_its_length(workspace: Workspace):
    workspace.activity.idle(OWNER, 1, 60_000)
    assert logged(workspace, "idle") == [("idle", {"idle_ms": 60_000})]
    with pytest.raises(CommandError, match="invalid idle time"):
        workspace.activity.idle(OWNER, 1, -1)


def test_terms_are_logged_when_shown_and_when_a_confirmed_text_uses_them(workspace: Workspace):
    workspace.glossaries.put(OWNER, "g.tsv", (Term("file", "Datei", variants=("Akte",)), Term("open", "öffnen")), {})
    workspace.open(OWNER, 0)
    workspace.open(OWNER, 1)
    workspace.open(OWNER, 0)
    ((_, shown),) = logged(workspace, "term_shown")
    assert [(term["source"], term["target"]) for term in shown["terms"]] == [("open", "öffnen"), ("file", "Datei")]
    workspace.confirm(OWNER, 0, "Die Akte schließen.")
    ((_, used),) = logged(workspace, "term_used")
    assert [term["form"] for term in used["terms"]] == ["Akte"]
    assert used["terms"][0]["term"].startswith("file\tDatei")


def test_unused_term_of_a_confirmed_text_is_logged_with_the_reason(workspace: Workspace):
    terms = (Term("open", "öffnen"), Term("file", "Datei"), Term("the", "das"))
    workspace.glossaries.put(OWNER, "g.tsv", terms, {})
    workspace.constrain(OWNER, 0, Constraints(terms_off=frozenset({"the\tdas"}), bans=(Avoid("öffnen"),)))
    workspace.confirm(OWNER, 0, "Die Akte aufmachen.")
    reasons = {"file": ("not_in_text", None), "open": ("ban_term", "öffnen"), "the": ("switched_off", None)}
    overridden = [payload for _, payload in logged(workspace, "term_overridden")]
    assert {p["source"]: (p["reason"], p.get("by")) for p in overridden} == reasons
    assert logged(workspace, "term_used") == []
