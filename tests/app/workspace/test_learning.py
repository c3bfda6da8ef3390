"""The model learns from confirmed segments: exactly from those that are confirmed now, and nothing waits for it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch

from app.access.actor import OWNER
from app.errors import LogError
from app.i18n import Message
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.models.style import Style
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER
from app.projects import ProjectDraft
from app.segments.find_replace import Query
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.workspace import learning
from app.workspace.commands import Workspace
from app.workspace.learning import shares_words
from engine import Datastore, StoredPair, Translator, Worker
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle

TEXT = b"""Open the settings dialog.
The printer is not connected.
Open the settings dialog of the printer.
Two dogs are running.
"""
GOALS = (
    "Rufen Sie das Einstellungsfenster auf.",
    "Der Drucker ist nicht angeschlossen.",
    "Rufen Sie das Einstellungsfenster des Druckers auf.",
    "Zwei Hunde laufen.",
)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(Translator.load(MODEL_FOLDER)) as worker:
        yield worker


def model_of(worker: Worker) -> ModelHandle:
    model = ModelHandle(MODEL_FOLDER)
    model.adopt(worker)
    return model


class Run:
    """The app from its start to its end, with the bundled model."""

    def __init__(self, log: Path, worker: Worker) -> None:
        self.store = LogStore.open(log)
        self.sessions = Sessions(self.store, model_of(worker), SAMPLES_FOLDER)

    def open(self, name: str = "manual.txt", text: bytes = TEXT) -> Workspace:
        return self.sessions.open_document(OWNER, text, name)

    def end(self) -> None:
        self.sessions.models.first.engine = None  # the worker stays for the other tests
        self.sessions.close()
        self.store.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


@pytest.fixture
def run(log: Path, worker: Worker) -> Iterator[Run]:
    run = Run(log, worker)
    yield run
    run.end()


def eventually(is_so: Callable[[], Any]) -> None:
    ends_at = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < ends_at, "it never came"
        time.sleep(0.01)


def learned(workspace: Workspace) -> list[int]:
    """The segments of this document that the model has learned, once there is nothing more to learn."""

    def has_learned() -> bool:
        with workspace.lock:
            return not workspace.learning.is_learning

    eventually(has_learned)
    with workspace.lock:
        datastore = workspace.learning.datastore
        return [] if datastore is None else [index for _, index in datastore.origins]  # type: ignore[misc]


def states(workspace: Workspace) -> list[tuple[Any, torch.Tensor]]:
    assert workspace.learning.datastore is not None
    return [(pair.origin, pair.states_TE) for pair in workspace.learning.datastore.pairs]


def answer_learning(decoder: HandDecoder, workspace: Workspace, asked: tuple[int, int] | None = None) -> None:
    """The model's answer to the newest question for a pair to learn."""
    [*_, future] = [future for key, future in decoder.questions if key.endswith("/learn")]
    pair = StoredPair(asked or workspace.learning._asked, torch.eye(1, 4), torch.tensor([1]), torch.zeros(1))
    future.set_result((pair, Datastore("hand")))
    settle(workspace)


def learn_by_hand(store: LogStore, text: str) -> None:
    """Two segments are confirmed and learned, the first one is forgotten again."""
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), text)
    for index in (1, 0):
        workspace.confirm(OWNER, index, f"Satz {index}.")
        answer_learning(decoder, workspace)
    workspace.reopen(OWNER, 1)


@contextmanager
def struck(number: int, strike: Callable[[], None]) -> Iterator[None]:
    """Strikes before the n-th step of learning."""
    steps = count(1)

    def striking(step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if next(steps) == number:
                strike()
            return step(*arguments)

        return call

    names = ("_learn_next", "_take")
    with patch.multiple(learning.Learning, **{name: striking(getattr(learning.Learning, name)) for name in names}):
        yield


def test_confirmed_segments_are_learned_and_reopened_ones_forgotten(run: Run) -> None:
    workspace = run.open()
    assert learned(workspace) == []
    for index in (2, 0):
        workspace.confirm(OWNER, index, GOALS[index])
    assert learned(workspace) == [2, 0], "in the order in which they were confirmed"
    assert workspace.snapshot(OWNER)["model"]["num_learned"] == 2
    both = states(workspace)
    workspace.reopen(OWNER, 0)
    assert learned(workspace) == [2]
    workspace.confirm(OWNER, 0, GOALS[0])
    assert learned(workspace) == [2, 0]
    again = states(workspace)
    assert [origin for origin, _ in again] == [origin for origin, _ in both]
    assert all(torch.equal(one, other) for (_, one), (_, other) in zip(again, both, strict=True))
    workspace.edit(OWNER, 0, "Anders.", "typed")
    assert learned(workspace) == [2]


def test_a_model_that_cannot_learn_is_not_asked_to(store: LogStore, caplog: pytest.LogCaptureFixture) -> None:
    decoder = HandDecoder()
    decoder.facts = replace(decoder.facts, learns=False)
    workspace = make_workspace(store, ready_model(decoder), "One.\nTwo.\n")
    for index in (0, 1):
        workspace.confirm(OWNER, index, f"Satz {index}.")
    settle(workspace)
    workspace.learning.start()
    assert not [key for key, _ in decoder.questions if key.endswith("/learn")]
    assert [each.getMessage() for each in caplog.records if "learn" in each.getMessage()] == [
        "hand does not learn from confirmed segments"
    ]


def test_proposal_uses_learned_words_and_names_their_segment(run: Run) -> None:
    workspace = run.open()
    workspace.open(OWNER, 2)
    eventually(lambda: workspace.segments[2].machine_text)
    before = workspace.segments[2].machine_text
    assert before is not None
    assert "Einstellungsfenster" not in before
    workspace.confirm(OWNER, 0, GOALS[0])
    assert learned(workspace) == [0]
    workspace.constrain(OWNER, 2, Constraints(prefix="Rufen Sie"))
    eventually(lambda: not workspace.segments[2].is_pending)
    assert "Einstellungsfenster" in (workspace.segments[2].machine_text or "")
    details = workspace.snapshot(OWNER, -1, 2, -1)["segment"]
    [view] = details["learned_from"]
    words = dict(view.pop("words"))
    assert view == {"segment": 1, "index": 0, "source": "Open the settings dialog.", "target": GOALS[0]}
    texts = {token["w"]: token["t"] for token in details["proposal"]["tokens"] if "w" in token}
    [share] = [share for word, share in words.items() if texts[word] == "Einstellungsfenster"]
    assert share > 0.2
    assert "Rufen" not in {texts[word] for word in words}, "the person typed it"


def test_translations_on_their_way_are_requested_again_if_a_learned_segment_may_help_them(store: LogStore) -> None:
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), TEXT.decode())
    workspace.open(OWNER, 0)
    decoder.answer(0, "de: 0")
    settle(workspace)
    assert [len(decoder.of(index)) for index in (1, 2, 3)] == [1, 1, 1], "all are on their way"
    workspace.confirm(OWNER, 0, GOALS[0])
    answer_learning(decoder, workspace)
    numbers = [len(decoder.of(index)) for index in (1, 2, 3)]
    assert numbers == [1, 2, 1], "only the third segment shares words with the first"
    decoder.answer(2, "with what was learned")
    decoder.answer(2, "without", at=0)
    settle(workspace)
    assert workspace.segments[2].machine_text == "with what was learned"


def test_learned_segments_are_the_same_when_computed_again_from_the_log(run: Run, log: Path, worker: Worker) -> None:
    workspace = run.open()
    for index in (3, 1, 0):
        workspace.confirm(OWNER, index, GOALS[index])
    workspace.reopen(OWNER, 3)
    assert learned(workspace) == [1, 0]
    before, session = states(workspace), workspace.session_id
    run.end()
    later = Run(log, worker)
    try:
        resumed = later.sessions.resume(OWNER, session)
        assert learned(resumed) == [1, 0]
        for (one, state), (other, same) in zip(before, states(resumed), strict=True):
            assert one == other
            assert torch.equal(state, same)
    finally:
        later.end()
        run.store = LogStore.open(log)


def test_segment_whose_text_was_replaced_is_the_last_one_live_and_from_the_log(store: LogStore) -> None:
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), "Open the file.\nClose it.\nSave the file.\n")
    for index, text in enumerate(("Öffnen Sie die Datei.", "Schließen Sie sie.", "Speichern Sie die Datei.")):
        workspace.confirm(OWNER, index, text)
    workspace.batches.replace(OWNER, Query("Öffnen", "Laden", in_confirmed=True), [0])
    live = [pair.origin[1] for pair in workspace.learning._in_order()]
    assert live == [1, 2, 0]
    workspace.learning.start()
    assert [pair.origin[1] for pair in workspace.learning._in_order()] == live


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_learning_that_is_killed_at_any_instant_continues_from_the_log(tmp_path: Path) -> None:
    """Killed before each step of learning; then exactly what the log has as confirmed is learned, in its order."""
    text = "Open the file.\nClose it.\n"
    num_kills, found = 0, set()
    while True:
        path = tmp_path / f"{num_kills}.sqlite"
        child = os.fork()
        if child == 0:
            try:
                with struck(num_kills + 1, lambda: os.kill(os.getpid(), signal.SIGKILL)):
                    learn_by_hand(LogStore.open(path), text)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        store = LogStore.open(path)
        events = list(store.events(1))
        confirmed: dict[int, str] = {}
        for event in events:
            if event.type in ("confirm", "reopen") and event.segment is not None:
                confirmed.pop(event.segment, None)
                if event.type == "confirm":
                    confirmed[event.segment] = event.payload["text"]
        decoder = HandDecoder()
        sessions = Sessions(store, ready_model(decoder), SAMPLES_FOLDER)
        try:
            workspace = sessions.resume(OWNER, 1)
            while workspace.learning.is_learning:
                answer_learning(decoder, workspace)
            datastore = workspace.learning.datastore
            origins = () if datastore is None else datastore.origins
            assert origins == tuple((1, index) for index in confirmed), f"killed before step {num_kills + 1}"
            assert [workspace.segments[index].target for index in confirmed] == list(confirmed.values())
        finally:
            sessions.close()
            store.close()
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            break
        num_kills += 1
        found.add(tuple(confirmed))
    assert found == {(), (1,), (1, 0), (0,)}, "killed between all of them"


def test_segment_that_could_not_be_logged_is_not_learned(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = run.open()
    workspace.confirm(OWNER, 0, GOALS[0])
    assert learned(workspace) == [0]

    def refuse(*_: Any, **__: Any) -> None:
        raise LogError(Message("the disk is full"))

    with monkeypatch.context() as patched:
        patched.setattr(workspace.store, "append_all", refuse)
        for change in (lambda: workspace.confirm(OWNER, 1, GOALS[1]), lambda: workspace.reopen(OWNER, 0)):
            with pytest.raises(LogError):
                change()
    assert learned(workspace) == [0]


def test_wrong_translations_and_other_languages_are_not_learned(run: Run) -> None:
    workspace = run.open()
    for index, text in enumerate((GOALS[3], "Två hundar springer i parken idag.", "Asdf qwer!", GOALS[3])):
        workspace.confirm(OWNER, index, text)
    assert learned(workspace) == [3]


def test_tags_are_not_learned(run: Run) -> None:
    workspace = run.open(text=b"Open the {1}settings{/1} dialog.\n{1}\n")
    workspace.confirm(OWNER, 0, "Rufen Sie das {1}Einstellungs{/1}fenster auf.")
    workspace.confirm(OWNER, 1, "{1}")
    assert learned(workspace) == [0]
    bare = run.open("bare.txt")
    bare.confirm(OWNER, 0, GOALS[0])
    eventually(lambda: bare.learning.num_learned == 2)
    (_, one), (_, other) = states(bare)
    assert torch.equal(one, other)


def test_project_has_a_switch_and_learns_from_all_its_documents(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run.open("first.txt")
    first.confirm(OWNER, 0, GOALS[0])
    first.confirm(OWNER, 1, GOALS[1])
    assert learned(first) == [0, 1]
    second = run.open("second.txt")
    second.confirm(OWNER, 3, GOALS[3])
    assert learned(second) == [0, 1, 3]
    first.open(OWNER, 2)  # shown again: it learns what was confirmed elsewhere
    assert learned(first) == [3, 0, 1]
    project = first.project.id
    run.sessions.projects.edit(OWNER, first, project, ProjectDraft("Quiet", learns=False))
    assert (first.learning.datastore, second.learning.datastore) == (None, None)
    first.confirm(OWNER, 2, GOALS[2])
    assert learned(first) == []
    monkeypatch.setattr(learning, "MAX_OTHERS", 1)
    run.sessions.projects.edit(OWNER, first, project, ProjectDraft("Quiet", learns=True))
    assert learned(first) == [3, 0, 1, 2]
    assert learned(second) == [2, 3]  # of other documents only the last one


def test_memory_is_bounded_and_a_deleted_document_is_forgotten(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MAX_PAIRS", 2)
    first = run.open("first.txt")
    for index in range(4):
        first.confirm(OWNER, index, GOALS[index])
        learned(first)
    assert learned(first) == [2, 3]
    assert len(first.learning._known) == 2
    first.reopen(OWNER, 3)
    assert learned(first) == [1, 2]
    second = run.open("second.txt")
    second.confirm(OWNER, 0, GOALS[0])
    assert learned(second) == [2, 0]
    run.sessions.delete_document(OWNER, first.session_id, second)
    assert learned(second) == [0]


def test_another_style_is_learned_again(run: Run) -> None:
    workspace = run.open()
    workspace.confirm(OWNER, 0, GOALS[0])
    assert learned(workspace) == [0]
    [(_, formal)] = states(workspace)
    workspace.choose_style(OWNER, Style("informal"))
    assert learned(workspace) == [0]
    [(_, informal)] = states(workspace)
    assert not torch.equal(formal, informal)


# ---- what is translated again ----


def test_only_untouched_segments_behind_the_open_one_that_share_words_are_translated_again(store: LogStore) -> None:
    decoder = HandDecoder()
    sources = ["Open the file.", "Now open the file.", "Close it.", "Then open the file.", "Open the file again.",
               "To open the file, click."]  # fmt: skip
    workspace = make_workspace(store, ready_model(decoder), "\n".join(sources))
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    workspace.edit(OWNER, 4, "Von Hand", "typed")
    workspace.confirm(OWNER, 0, "Öffnen Sie die Datei.")
    workspace.open(OWNER, 1)
    settle(workspace)
    asked = len(decoder.requests)
    shown = [segment.machine_text for segment in workspace.segments]
    answer_learning(decoder, workspace)
    again = [(key.rpartition("/")[2], priority) for key, _, priority, _ in decoder.requests[asked:]]
    assert again == [("3", "document"), ("5", "document")]
    assert [segment.machine_text for segment in workspace.segments] == shown, "the texts stay until the answers come"
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[4].target == "Von Hand"
    assert not workspace.segments[3].replaced_proposal


def test_answer_that_comes_after_its_segment_was_reopened_is_dropped(store: LogStore) -> None:
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), "Open the file.\nClose it.\n")
    workspace.confirm(OWNER, 0, "Öffnen Sie die Datei.")
    workspace.reopen(OWNER, 0)
    answer_learning(decoder, workspace, (workspace.session_id, 0))
    assert workspace.learning.datastore is None
    assert not workspace.learning.is_learning


@pytest.mark.parametrize(
    ("one", "other", "is_shared"),
    [
        ("Open the file.", "Please open the door.", True),
        ("Open the file.", "the open file", False),
        ("Save", "Save", False),
        ("", "Open the file.", False),
    ],
)
def test_two_words_in_a_row_are_shared(one: str, other: str, is_shared: bool) -> None:
    assert shares_words(one, other) == is_shared
