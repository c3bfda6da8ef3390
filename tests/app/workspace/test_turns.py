"""Documents share their threads: work of one is done in order, and many documents need no more threads than a few."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from app.access.actor import OWNER
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.workspace.turns import Turns
from tests.app.hand_decoder import HandDecoder, ready_model, settle


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def test_tasks_of_one_document_run_in_order_and_documents_take_turns(pool: ThreadPoolExecutor):
    done: list[tuple[str, int]] = []
    may_begin = threading.Event()
    documents = {name: Turns(pool) for name in "abc"}
    futures = [turns.submit(may_begin.wait, 60) for turns in documents.values()]
    futures += [turns.submit(done.append, (name, n)) for name, turns in documents.items() for n in range(3)]
    may_begin.set()
    for future in futures:
        future.result(60)
    assert done == [(name, n) for n in range(3) for name in "abc"]


def test_an_error_ends_one_task_only(pool: ThreadPoolExecutor):
    turns = Turns(pool)
    wrong, right = turns.submit(int, "x"), turns.submit(int, "1")
    assert isinstance(wrong.exception(60), ValueError)
    assert right.result(60) == 1


@pytest.mark.parametrize("drops_waiting", [False, True])
def test_after_closing_waiting_tasks_are_run_or_dropped(pool: ThreadPoolExecutor, drops_waiting: bool):
    turns, has_begun, may_end = Turns(pool), threading.Event(), threading.Event()
    running = turns.submit(lambda: has_begun.set() or may_end.wait(60))
    waiting = turns.submit(int, "1")
    assert has_begun.wait(60)
    turns.close(drops_waiting=drops_waiting)
    may_end.set()
    assert running.result(60) is True
    if drops_waiting:
        with pytest.raises(CancelledError):
            waiting.result(60)
    else:
        assert waiting.result(60) == 1
    with pytest.raises(RuntimeError, match="closed"):
        turns.submit(int)


def test_open_documents_share_a_few_threads(store: LogStore):
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    before = threading.active_count()
    for number in range(20):
        settle(sessions.open_document(OWNER, b"One. Two.", f"{number}.txt"))
    assert len(sessions.workspaces.all()) == 20
    assert threading.active_count() - before <= 12
    sessions.close()
