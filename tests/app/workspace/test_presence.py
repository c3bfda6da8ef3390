"""Who is in which segment, as the others see it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.access.actor import OWNER, Actor
from app.log.store import LogStore
from app.workspace import presence
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle

ANA, BEN = Actor.person("Ana"), Actor.person("Ben")


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), "One.\nTwo.\nThree.\n")
    yield workspace
    workspace.close()


def seen_by(workspace: Workspace, person: str) -> dict[str, int]:
    return {one["name"]: one["segment"] for one in workspace.snapshot(Actor.signed_in(person))["people"]}


def test_each_sees_the_others_and_a_waiting_page_hears_of_it(workspace: Workspace):
    workspace.open(ANA, 0)
    settle(workspace)  # what the memory knows is news, too
    version = workspace.snapshot(ANA)["version"]
    assert not workspace.has_news(version, None, -1)
    workspace.open(BEN, 2)
    assert workspace.has_news(version, None, -1)
    assert seen_by(workspace, "Ana") == {"Ben": 2} and seen_by(workspace, "Ben") == {"Ana": 0}
    assert seen_by(workspace, "") == {"Ana": 0, "Ben": 2}
    workspace.open(OWNER, 1)  # the owner
    assert seen_by(workspace, "Ana") == {"": 1, "Ben": 2}


def test_who_looks_elsewhere_is_not_shown_until_they_come_back(workspace: Workspace):
    workspace.open(BEN, 2)
    workspace.open(BEN, 1)
    workspace.leave(BEN, 2)  # another tab of Ben's
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    workspace.leave(BEN, 1)
    assert seen_by(workspace, "Ana") == {}
    workspace.open(BEN, 1)
    workspace.presence.leave(BEN)
    assert workspace.first_to_show(BEN) == 1
    assert seen_by(workspace, "Ana") == {}
    assert workspace.first_to_show(ANA) == 0, "not where Ben is"


def test_page_that_asks_for_no_news_is_gone_after_a_while(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    now = 0.0
    monkeypatch.setattr(presence.time, "monotonic", lambda: now)
    workspace.open(BEN, 1)
    now = presence.AWAY_SECONDS - 1
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    workspace.subscribe(BEN, lambda: None)()
    now += presence.AWAY_SECONDS - 1
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    now += 2
    assert seen_by(workspace, "Ana") == {}


def test_single_person_causes_no_presence_updates(workspace: Workspace):
    before = workspace.core.version
    workspace.presence.enter(OWNER, 1)
    workspace.presence.leave(OWNER)
    assert workspace.core.version == before
