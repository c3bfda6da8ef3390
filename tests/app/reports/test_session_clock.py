"""The running figures in the footer of the page always equal those of the report."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.formats.read_file import read_document
from app.log import event_chain
from app.log.store import LogStore
from app.reports.statistics import session_statistics
from app.reports.working_time import SessionClock
from app.segments.state import SegmentState
from app.text.words import count_words
from app.workspace.commands import Workspace
from engine import SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model

TEXT = "Open the settings.\nThe router saves the file.\n打开文件。\nRestart it.\n"


class Clock:
    """Stands in for the log's clock: `ms` is now."""

    ms = 1_000_000

    def monotonic(self) -> float:
        return self.ms / 1000

    def time(self) -> float:
        return self.ms / 1000


def test_running_figures_equal_the_report_and_only_new_events_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    clock, rng, read = Clock(), random.Random(4), []
    monkeypatch.setattr(event_chain, "time", clock)
    store = LogStore.open(tmp_path / "log.sqlite")
    document = read_document(TEXT.encode(), "manual.txt")
    record = store.start_session(OWNER, document, "en-de")
    segments = [SegmentState(s.index, s.source, count_words(s.source)) for s in document.segments]
    workspace = Workspace(
        store, record.id, record.token, document, segments, ready_model(HandDecoder()),
        direction="en-de", options=SearchOptions(),
    )  # fmt: skip
    all_events = store.events
    monkeypatch.setattr(
        store, "events", lambda session, *, after=0: [read.append(e.seq) or e for e in all_events(session, after=after)]
    )
    acts = [
        lambda i: workspace.open(OWNER, i),
        lambda i: workspace.edit(OWNER, i, f"Text {rng.random()}", "typed"),
        lambda i: workspace.confirm(OWNER, i, f"Text {rng.random()}"),
        lambda i: workspace.reopen(OWNER, i),
        lambda i: workspace.leave(OWNER, i),
        lambda i: workspace.activity.idle(OWNER, i, 60_000),
        lambda i: workspace.structure.split(OWNER, i, 5) if len(workspace.segments) < 6 else None,
        lambda i: workspace.structure.merge(OWNER, i) if i + 1 < len(workspace.segments) else None,
    ]
    weights, speeds = [6, 6, 4, 1, 1, 1, 1, 1], set()
    for _ in range(120):
        clock.ms += rng.choice([700, 9_000, 30_000, 61_000])
        index = rng.choice([s.index for s in workspace.segments if s.source])
        with contextlib.suppress(CommandError):  # not every segment can be cut or joined
            rng.choices(acts, weights)[0](index)
        work = workspace.snapshot(OWNER)["work"]
        figures = session_statistics(workspace.document.segments, all_events(record.id))
        assert (work["net_ms"], work["idle_limit_ms"]) == (figures.net_ms, figures.idle_limit_ms)
        assert work["per_hour"] == figures.words_per_hour
        speeds.add(work["per_hour"])
    assert len(speeds) > 10
    assert read == list(range(1, len(read) + 1))  # each event once
    anew = SessionClock(store, record.id).view(workspace.segments, workspace.core.tally.words()["confirmed"])
    assert anew == workspace.snapshot(OWNER)["work"]
    workspace.close()
    store.close()
