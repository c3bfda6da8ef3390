"""The best match rates of the list: the same as the lookup of each open segment, whatever happens to the memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.access.actor import OWNER
from app.errors import LogError
from app.log.store import LogStore
from app.tm.index import MemoryIndex
from app.tm.library import MemoryLibrary
from app.workspace import match_rates
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle

TEXT = (
    "Open the file.\nOpen the files.\nOpen page 5.\nOpen page 1,234.\nSomething else.\n"
    "Save the big file, then save the small file.\nOpen the file.\n"
)
TMX = b"""<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Something else!</seg></tuv>
<tuv xml:lang="de"><seg>Etwas anderes!</seg></tuv></tu></body></tmx>"""


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    workspace.open(OWNER, 0)
    settle(workspace)
    yield workspace
    workspace.close()


def rates(workspace: Workspace) -> dict[int, int]:
    settle(workspace)
    return {s.index: s.match_rate for s in workspace.segments if s.match_rate and s.state != "confirmed"}


def looked_up(workspace: Workspace) -> dict[int, int]:
    """What the panel shows of each segment."""
    rates = {}
    for segment in workspace.core.in_order():
        matches = workspace.memory.matches(OWNER, segment.index)["matches"]
        if matches and segment.state != "confirmed":
            rates[segment.index] = matches[0]["rate"]
    return rates


def test_rates_follow_confirmations_reopening_and_imports(workspace: Workspace):
    assert rates(workspace) == {}
    workspace.confirm(OWNER, 0, "Datei auf.")
    assert rates(workspace) == {1: 93, 6: 100}
    workspace.confirm(OWNER, 2, "Seite 5 auf.")
    assert rates(workspace) == {1: 93, 6: 100, 3: 99}, "adapted to the number"
    row = workspace.snapshot(OWNER)["rows"]
    assert {one["index"]: one["match_rate"] for one in row if one["match_rate"]}[3] == 99
    workspace.reopen(OWNER, 0)
    assert rates(workspace) == {3: 99}
    workspace.memory.import_memory(OWNER, TMX, "a.tmx")
    assert rates(workspace) == {3: 99, 4: 93}


def test_rates_follow_other_documents_and_the_choices_of_the_project(store: LogStore, workspace: Workspace):
    library = workspace.memory.library
    other = make_workspace(store, ready_model(HandDecoder()), "Open the filer.\n")
    other.memory.library = library
    other.confirm(OWNER, 0, "Akte auf.")
    assert rates(workspace) == {}
    workspace.open(OWNER, 1)
    assert rates(workspace) == {0: 93, 1: 93, 6: 93}
    workspace.use_project(replace(workspace.project, min_match=94))
    assert rates(workspace) == {}
    workspace.use_project(replace(workspace.project, min_match=75))
    workspace.suspend()
    workspace.use_project(replace(workspace.project, min_match=94))
    assert rates(workspace) == {}
    other.close()


def test_a_split_segment_is_looked_up_again(workspace: Workspace):
    workspace.confirm(OWNER, 0, "Datei auf.")
    workspace.memory.import_memory(OWNER, TMX.replace(b"Something else!", b"Save the big file"), "a.tmx")
    assert 5 not in rates(workspace)
    workspace.structure.split(OWNER, 5, len("Save the big file, "))
    assert rates(workspace)[5] == 94
    workspace.structure.merge(OWNER, 5)
    assert 5 not in rates(workspace)


COMMANDS = st.lists(
    st.tuples(st.sampled_from(["confirm", "reopen", "edit", "split", "import"]), st.integers(0, 6)), max_size=8
)


@given(COMMANDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
def test_match_rates_equal_a_fresh_lookup_after_any_commands(store: LogStore, commands: list[tuple[str, int]]):
    store.connection.db.execute("DELETE FROM memory_entry")
    for token in [one.token for one in store.sessions(OWNER)]:
        store.delete_session(store.load_session(OWNER, token).id)
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    workspace.open(OWNER, 0)
    actions: dict[str, Any] = {
        "confirm": lambda index: workspace.confirm(OWNER, index, f"Text {index}", is_new=False),
        "reopen": lambda index: workspace.reopen(OWNER, index),
        "edit": lambda index: workspace.edit(OWNER, index, f"Neu {index}", "typed"),
        "split": lambda index: index == 5 and len(workspace.segments) == 7 and workspace.structure.split(OWNER, 5, 19),
        "import": lambda index: workspace.memory.import_memory(OWNER, TMX, f"{index}.tmx"),
    }
    for name, index in commands:
        actions[name](index)
    found = rates(workspace)
    assert found == looked_up(workspace)
    workspace.close()


def test_the_document_does_not_wait_for_lookups(store: LogStore, monkeypatch: pytest.MonkeyPatch):
    """A lookup holds neither the lock of the document nor all of the time of the processor."""
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    find = MemoryIndex.matches
    held: list[bool] = []

    def slowly(self: MemoryIndex, *arguments: Any, **options: Any) -> Any:
        time.sleep(0.01)
        taken = workspace.lock.acquire(blocking=False)  # of this thread: is it held already?
        held.append(workspace.lock._is_owned() and not taken)  # type: ignore[attr-defined]
        workspace.lock.release()
        return find(self, *arguments, **options)

    monkeypatch.setattr(MemoryIndex, "matches", slowly)
    pauses: list[float] = []
    monkeypatch.setattr(match_rates.time, "sleep", pauses.append)
    workspace.open(OWNER, 0)
    settle(workspace)
    assert len(held) == 7 and not any(held)
    assert sum(pauses) >= 0.07
    workspace.close()


def test_a_confirmation_counts_at_once_while_the_document_is_still_looked_up(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(match_rates, "PORTION_SECONDS", 0.0)  # one segment each
    find, looked_up = MemoryIndex.matches, []

    def slowly(self: MemoryIndex, source: str, **options: Any) -> Any:
        looked_up.append(source)
        if len(looked_up) == 2:
            workspace.confirm(OWNER, 2, "Seite 5 auf.")
        return find(self, source, **options)

    monkeypatch.setattr(MemoryIndex, "matches", slowly)
    workspace.use_project(replace(workspace.project, min_match=76))
    assert rates(workspace) == {3: 99}
    assert looked_up[2] == "Open page 1,234.", "similar segments come first"


def test_a_lookup_that_fails_is_reported_and_the_others_go_on(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    find = MemoryIndex.matches

    def failing(self: MemoryIndex, source: str, **options: Any) -> Any:
        if source == "Open the file.":
            raise ValueError("impossible text")
        return find(self, source, **options)

    monkeypatch.setattr(MemoryIndex, "matches", failing)
    workspace.confirm(OWNER, 0, "Datei auf.")
    settle(workspace)
    assert workspace.problem == "Segment 7: ValueError: impossible text"
    assert rates(workspace) == {1: 93}


def test_an_index_that_cannot_be_read_is_reported(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    def fail(self: MemoryLibrary, direction: str) -> MemoryIndex:
        raise LogError("the log cannot be read")

    monkeypatch.setattr(MemoryLibrary, "index", fail)
    workspace.memory.rates.wake()
    settle(workspace)
    assert workspace.problem == "the log cannot be read"
