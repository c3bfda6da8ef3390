"""Who is in which segment, as the others see it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.log.store import LogStore
from app.workspace import presence
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.app.test_people import acting


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), "One.\nTwo.\nThree.\n")
    yield workspace
    workspace.close()


def seen_by(workspace: Workspace, person: str) -> dict[str, int]:
    with acting(person):
        return {one["name"]: one["segment"] for one in workspace.snapshot()["people"]}


def test_each_sees_the_others_and_a_waiting_page_hears_of_it(workspace: Workspace):
    with acting("Ana"):
        workspace.open(0)
        settle(workspace)  # what the memory knows is news, too
        version = workspace.snapshot()["version"]
        assert not workspace.has_news(version, None, -1)
    with acting("Ben"):
        workspace.open(2)
    assert workspace.has_news(version, None, -1)
    assert seen_by(workspace, "Ana") == {"Ben": 2} and seen_by(workspace, "Ben") == {"Ana": 0}
    assert seen_by(workspace, "") == {"Ana": 0, "Ben": 2}
    workspace.open(1)  # the owner
    assert seen_by(workspace, "Ana") == {"": 1, "Ben": 2}


def test_who_looks_elsewhere_is_not_shown_until_they_come_back(workspace: Workspace):
    with acting("Ben"):
        workspace.open(2)
        workspace.open(1)
        workspace.leave(2)  # another tab of Ben's
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    with acting("Ben"):
        workspace.leave(1)
    assert seen_by(workspace, "Ana") == {}
    with acting("Ben"):
        workspace.open(1)
        workspace.presence.leave()
        assert workspace.first_to_show() == 1
    assert seen_by(workspace, "Ana") == {}
    with acting("Ana"):
        assert workspace.first_to_show() == 0, "not where Ben is"


def test_page_that_asks_for_no_news_is_gone_after_a_while(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    now = 0.0
    monkeypatch.setattr(presence.time, "monotonic", lambda: now)
    with acting("Ben"):
        workspace.open(1)
    now = presence.AWAY_SECONDS - 1
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    with acting("Ben"):
        workspace.subscribe(lambda: None)()
    now += presence.AWAY_SECONDS - 1
    assert seen_by(workspace, "Ana") == {"Ben": 1}
    now += 2
    assert seen_by(workspace, "Ana") == {}


def test_single_person_causes_no_presence_updates(workspace: Workspace):
    before = workspace.core.version
    workspace.presence.enter(1)
    workspace.presence.leave()
    assert workspace.core.version == before
