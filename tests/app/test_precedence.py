"""Long work pauses while a short command runs, and never for the command that it is part of."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from contextvars import copy_context

import pytest

from app import precedence
from app.precedence import LongWork, giving_way, leave_precedence, short_command


@pytest.fixture(autouse=True)
def _pauses_after_each_item_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "WORK_SECONDS", -1.0)
    monkeypatch.setattr(precedence, "MAX_PAUSE_SECONDS", 60.0)


def work(done: list[int], pauses: threading.Event) -> threading.Thread:
    """A thread with three items of work; `pauses` is set once it has the first."""

    def run() -> None:
        for item in giving_way(range(3)):
            done.append(item)
            pauses.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_long_work_goes_on_when_the_last_short_command_ends() -> None:
    done: list[int] = []
    pauses = threading.Event()
    with short_command():
        thread = work(done, pauses)
        assert pauses.wait(60)
        thread.join(0.05)
        assert done == [0]
    thread.join(60)
    assert done == [0, 1, 2]


def test_command_that_proves_long_waits_neither_for_itself_nor_for_another_long_one() -> None:
    with short_command():
        assert [*giving_way(range(3))] == [0, 1, 2]
        done: list[int] = []
        work(done, threading.Event()).join(60)
        assert done == [0, 1, 2]


def test_command_that_waits_for_long_work_does_not_delay_it() -> None:
    with short_command():
        leave_precedence()
        assert [*giving_way(range(3))] == [0, 1, 2]


def test_stream_of_commands_makes_long_work_longer_but_not_endless() -> None:
    work = LongWork(max_pause_seconds=0.05)
    began = time.perf_counter()
    with short_command():
        thread = threading.Thread(target=lambda: [work.give_way() for _ in range(100)])
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
    paused_s = time.perf_counter() - began
    assert paused_s >= 0.05, "it did not pause"


def test_collector_pauses_from_when_a_command_proves_long_until_its_reply_is_ready() -> None:
    with short_command():
        assert gc.isenabled()
        assert [*giving_way(range(3))] == [0, 1, 2]
        assert not gc.isenabled()
    assert gc.isenabled()


def test_work_that_outlives_its_command_changes_nothing() -> None:
    with short_command():
        context = copy_context()
    context.run(leave_precedence)
    assert gc.isenabled()
    assert precedence._none_runs.is_set()


def test_refused_command_no_longer_has_precedence() -> None:
    with pytest.raises(ValueError, match="refused"), short_command():
        raise ValueError("refused")
    done: list[int] = []
    work(done, threading.Event()).join(60)
    assert done == [0, 1, 2]


def test_command_carried_out_by_another_thread_in_the_context_of_its_request_can_leave_precedence() -> None:
    with short_command():
        asyncio.run(asyncio.to_thread(leave_precedence))
        assert precedence._none_runs.is_set()
    assert precedence._none_runs.is_set()
