"""A thousand documents opened and left: nothing grows, and opening the last one is no more work than the first ones."""

from __future__ import annotations

import base64
import gc
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.work import lines_run

NUM_OPEN = 5  # at most, here
MAX_SHARED_THREADS = 12  # of all open documents; they are started as they are needed
STEPS = 20  # instructions of SQLite between two counts


@dataclass(frozen=True)
class Cost:
    """What opening one document took, and what the app has afterwards."""

    num_lines: int
    num_instructions: int
    num_workspaces: int
    num_objects: int
    num_threads: int
    num_descriptors: int


def num_workspaces_in(objects: list[Any]) -> int:
    return sum(type(one) is Workspace for one in objects)


class Visitor:
    """One person who opens one document after the other, as the page does, and works on every second one."""

    def __init__(self, log: Path) -> None:
        self.store = LogStore.open(log)
        self._decoder = HandDecoder()
        self._sessions = Sessions(self.store, ready_model(self._decoder), SAMPLES_FOLDER)
        self._api = Api(self._sessions)
        self._token = self._api.hello(OWNER, {"token": None})["token"]
        self._num_counts = 0

    def _count(self) -> int:
        self._num_counts += 1
        return 0

    def _command(self, name: str, **fields: Any) -> dict[str, Any]:
        message = {"token": self._token, "name": name, "since": 0, "open": None, "detail_since": 0, **fields}
        reply = self._api.command(OWNER, message)
        assert reply["ok"], reply
        return reply

    def _open(self, number: int) -> None:
        text = "".join(f"Sentence {line} of document {number}.\n" for line in range(20))
        data = base64.b64encode(text.encode()).decode()
        self._token = self._command("open_document", file=f"{number}.txt", data=data)["token"]

    def visit(self, number: int) -> None:
        """Opens a document, and confirms a segment in every second one."""
        self._open(number)
        self._work(number)

    def _work(self, number: int) -> None:
        if number % 2:
            self._command("confirm", segment=0, text="Satz.")
        self._decoder.requests.clear()
        self._decoder.questions.clear()

    def measured_visit(self, number: int) -> Cost:
        """The same, and what it cost."""
        self._num_counts = 0
        self.store.connection.db.conn.set_progress_handler(self._count, STEPS)
        num_lines = lines_run(lambda: self._open(number))
        self.store.connection.db.conn.set_progress_handler(None, 0)
        num_instructions = self._num_counts * STEPS
        self._work(number)
        clear_bounded_caches()
        gc.collect()
        objects = gc.get_objects()
        return Cost(
            num_lines,
            num_instructions,
            num_workspaces_in(objects),
            len(objects),
            threading.active_count(),
            len(os.listdir("/proc/self/fd")),
        )

    def end(self) -> None:
        self._sessions.close()
        self.store.close()


def clear_bounded_caches() -> None:
    """Empty the `lru_cache`s of the app: each has a limit, which these few short documents do not reach."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("app.")]
    for cached in (value for module in modules for value in vars(module).values() if hasattr(value, "cache_info")):
        if cached.cache_info().maxsize is not None:
            cached.cache_clear()


@pytest.mark.parametrize("number", [100, pytest.param(1000, marks=pytest.mark.full)])
def test_documents_that_were_opened_and_left_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int):
    monkeypatch.setattr("app.sessions.open_workspaces.MAX_OPEN", NUM_OPEN)
    monkeypatch.setattr("app.sessions.open_workspaces.AWAY_SECONDS", 0.0)
    monkeypatch.setattr("app.workspace.learning.MAX_OTHERS", 10)  # reached before the first costs are taken
    num_threads = threading.active_count()
    gc.collect()
    gc.freeze()  # millions of objects of other tests would hide a growth of a few, and are slow to count
    visitor = Visitor(tmp_path / "log.sqlite")
    measured = [*range(50, 54), *range(number - 3, number + 1)]
    costs: list[Cost] = []
    try:
        for count in range(1, number + 1):
            if count in measured:
                costs.append(visitor.measured_visit(count))
            else:
                visitor.visit(count)
    finally:
        visitor.end()
    for field, growth in (
        ("num_lines", 1.05),
        ("num_instructions", 1.2),  # trees of indexes get deeper
        ("num_objects", 1.02),
        ("num_workspaces", 1.0),
        ("num_descriptors", 1.0),
    ):
        early, late = max(getattr(cost, field) for cost in costs[:4]), min(getattr(cost, field) for cost in costs[4:])
        assert late <= growth * early, (field, early, late)
    assert costs[-1].num_workspaces <= NUM_OPEN + 2
    assert costs[-1].num_threads <= num_threads + MAX_SHARED_THREADS


@pytest.mark.parametrize("command", ["documents", "projects", "members"])
def test_lists_of_documents_and_people_need_no_query_for_each(tmp_path: Path, command: str):
    """A list of 1,000 documents takes 12 ms of processor time, one of 200 members 1 ms."""
    visitor = Visitor(tmp_path / "log.sqlite")
    fields = {"project": 1} if command == "members" else {}
    document = read_document(b"One.", "a.txt")
    num_queries: list[int] = []
    num_known = 0
    for number in (10, 100):
        for known in range(num_known, number):
            visitor.store.start_session(OWNER, document, "en-de")
            visitor.store.people.put(f"Person {known}", "translator")
            visitor.store.people.join(f"Person {known}", [1])
        num_known = number
        queries: list[str] = []
        visitor.store.connection.db.conn.set_trace_callback(queries.append)
        reply = visitor._command(command, **fields)
        visitor.store.connection.db.conn.set_trace_callback(None)
        num_queries.append(len(queries))
        assert len(str(reply)) > 100 * number or command == "projects"
    assert 0 < num_queries[1] <= num_queries[0] + 4, "four tables look for changes by other programs at times"
    visitor.end()
