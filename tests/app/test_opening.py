"""Opening, closing and deleting documents from several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.access.actor import OWNER, Actor
from app.errors import AppError
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.sessions.workspace_opener import WorkspaceOpener
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, ready_model


class SlowOpening:
    """Makes the opening of one session wait until it is released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, session_id: int) -> None:
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        self.num_opened = 0
        real: Callable[..., Workspace] = WorkspaceOpener._made

        def made(
            opener: WorkspaceOpener, actor: Actor, record: object, *arguments: object, **named: object
        ) -> Workspace:
            if record.id == session_id:  # type: ignore[attr-defined]
                self.num_opened += 1
                self.has_begun.set()
                assert self.may_go_on.wait(60)
            return real(opener, actor, record, *arguments, **named)

        monkeypatch.setattr(WorkspaceOpener, "_made", made)


@pytest.fixture
def sessions(store: LogStore) -> Sessions:
    return Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)


def opened_and_closed(sessions: Sessions, name: str) -> Workspace:
    workspace = sessions.open_document(OWNER, f"Open {name}.\n".encode(), name)
    workspace.edit(OWNER, 0, "Öffnen.", "typed")
    sessions.workspaces.forget(workspace)
    return workspace


def test_nobody_waits_for_the_document_of_another(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    large, closed = (opened_and_closed(sessions, name) for name in ("large.txt", "closed.txt"))
    small = sessions.open_document(OWNER, b"Close it.\n", "small.txt")
    slow = SlowOpening(monkeypatch, large.session_id)
    with ThreadPoolExecutor(4) as threads:
        waiting = threads.submit(sessions.find, OWNER, large.token)
        assert slow.has_begun.wait(60)
        assert threads.submit(sessions.find, OWNER, small.token).result(60) is small
        assert threads.submit(sessions.find, OWNER, closed.token).result(60).token == closed.token
        new = threads.submit(sessions.open_document, OWNER, b"Save it.\n", "new.txt").result(60)
        assert new in sessions.workspaces.all()
        assert not waiting.done()
        slow.may_go_on.set()
        assert waiting.result(60).token == large.token
    sessions.close()


def test_a_document_that_several_ask_for_is_opened_once(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = opened_and_closed(sessions, "a.txt")
    slow = SlowOpening(monkeypatch, closed.session_id)
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(sessions.find, OWNER, closed.token) for _ in range(3)]
        assert slow.has_begun.wait(60)
        slow.may_go_on.set()
        found = [each.result(60) for each in waiting]
    assert slow.num_opened == 1
    assert found[0] is not closed and found == [found[0]] * 3
    sessions.close()


def test_a_document_that_is_being_opened_is_not_deleted_under_it(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = opened_and_closed(sessions, "a.txt")
    sessions.open_document(OWNER, b"Close it.\n", "b.txt")
    slow = SlowOpening(monkeypatch, closed.session_id)
    with ThreadPoolExecutor(2) as threads:
        opening = threads.submit(sessions.find, OWNER, closed.token, shows=False)
        assert slow.has_begun.wait(60)
        deleting = threads.submit(sessions.delete_unshown, OWNER, closed.session_id)
        slow.may_go_on.set()
        opened = opening.result(60)
        deleting.result(60)
    assert opened not in sessions.workspaces.all()
    with pytest.raises(AppError):
        sessions.find(OWNER, closed.token)
    sessions.close()


def test_two_tabs_of_a_first_start_open_one_sample(sessions: Sessions) -> None:
    with ThreadPoolExecutor(2) as threads:
        first, second = (each[0] for each in threads.map(sessions.welcome, [OWNER, OWNER], [None, None]))
    assert first is second
    assert len(sessions.documents(OWNER)["documents"]) == 1
    sessions.close()


def test_no_lock_is_left_after_opening_and_closing(sessions: Sessions) -> None:
    for name in ("a.txt", "b.txt"):
        sessions.find(OWNER, opened_and_closed(sessions, name).token)
    assert sessions.workspaces.close_idle(-1) == 1  # the other one is shown
    assert not sessions.workspaces._opening
    sessions.close()
