"""Work that is repeated in the background."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from app.repeating import do_once, repeat


def test_work_goes_on_after_an_exception_and_ends_when_it_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    is_closed, has_failed, goes_on = threading.Event(), threading.Event(), threading.Event()

    def job() -> None:
        if has_failed.is_set():
            goes_on.set()
            return
        has_failed.set()
        raise OSError("disk I/O error")

    with caplog.at_level(logging.ERROR, "pinpoint"):
        thread = repeat(job, 0.001, is_closed, "a job")
        assert goes_on.wait(60)
    is_closed.set()
    thread.join(60)
    assert not thread.is_alive()
    [record] = caplog.records
    assert "'a job' failed once and goes on" in record.getMessage()
    assert "disk I/O error" in caplog.text


def test_a_job_that_is_done_once_and_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    has_run = threading.Event()

    def fail() -> None:
        has_run.set()
        raise ValueError("broken")

    do_once(fail, "a job")
    assert has_run.wait(60)
    end = time.monotonic() + 60
    while "the thread 'a job' failed" not in caplog.text and time.monotonic() < end:
        time.sleep(0.01)
    assert "the thread 'a job' failed" in caplog.text
