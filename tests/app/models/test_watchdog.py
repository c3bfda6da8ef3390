"""A model whose thread hangs is reported and replaced; segments can be asked for again."""

from __future__ import annotations

import threading

from app.access.actor import OWNER
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.models.watchdog import Watchdog
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from engine import Request, SearchOptions, Worker
from tests.app.hand_decoder import HandDecoder, ready_model, settle
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)


class Hanging:
    """A translator whose decoding hangs until it is released."""

    is_on_accelerator = False

    def __init__(self) -> None:
        self.is_hanging, self.released = threading.Event(), threading.Event()

    def decoding_loop(self, *_: object, **__: object) -> Hanging:
        return self

    def __len__(self) -> int:
        return 0

    def add(self, job: object) -> None:
        self.is_hanging.set()
        self.released.wait(60)

    def step(self) -> list[object]:
        return []

    interrupt = step


def test_a_thread_that_hangs_is_reported_then_replaced_by_another_one():
    reports: list[tuple[str, bool]] = []
    translator = Hanging()
    worker = Worker(translator)  # type: ignore[arg-type]
    model = ready_model(HandDecoder())
    model.engine = worker
    watchdog = Watchdog(
        lambda: [model], lambda _, text, is_new: reports.append((text, is_new)), reported_after=2, restarted_after=4
    )
    future = worker.submit(Request("a"), SearchOptions())
    silence = (
        "The model has not answered for 2 seconds. After 4 seconds it is restarted and the translation is requested "
        "again. Texts are saved as before."
    )
    for time in (1, 2):  # the request is repeated once
        assert translator.is_hanging.wait(60)
        translator.is_hanging.clear()
        for _ in range(3):
            watchdog.tick()
        assert watchdog.is_any_stuck and model.is_silent
        assert reports == [(silence, True), (silence, False)] * (time - 1) + [(silence, True)]
        assert not future.done()
        for _ in range(2):
            watchdog.tick()
        if time == 1:
            assert translator.is_hanging.wait(60)
            watchdog.tick()
    error = future.exception(60)
    assert error is not None and "stopped responding twice, for 4 seconds" in str(error)
    watchdog.tick()
    assert reports == [(silence, True), (silence, False)] * 2
    assert not watchdog.is_any_stuck and not model.is_silent
    translator.released.set()
    worker.close()


def test_unreachable_model_is_reported_immediately_and_keeps_its_requests():
    reports: list[tuple[str, bool]] = []
    decoder = HandDecoder()
    model = ready_model(decoder)
    watchdog = Watchdog(lambda: [model], lambda _, text, is_new: reports.append((text, is_new)), restarted_after=4)
    future = decoder.submit(Request("a"), SearchOptions(), key="a", owner="a")
    decoder.heartbeat = 1
    decoder.outage = "there is no Ray cluster at 'auto'"
    for _ in range(6):
        watchdog.tick()
    assert watchdog.is_any_stuck and model.is_silent
    ((text, is_new),) = reports
    assert is_new and text.startswith("The translation servers cannot be reached.")
    assert "Ray" not in text, "the reason is for the server's log"
    decoder.outage = None
    watchdog.tick()
    assert reports[1:] == [(text, False)]
    assert not watchdog.is_any_stuck and not model.is_silent
    assert not future.done()


def test_a_segment_whose_model_hung_is_translated_when_it_is_opened_again(store: LogStore):
    decoder = HandDecoder()
    sessions = Sessions(store, ready_model(decoder), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, b"One. Two.", "a.txt")
    workspace.open(OWNER, 0)
    decoder.restart("the model did not answer")
    settle(workspace)
    assert workspace.segments[0].has_crashed
    num_requests = len(decoder.of(0))
    workspace.open(OWNER, 0)
    assert len(decoder.of(0)) == num_requests + 1
    sessions.close()


def test_a_problem_of_the_model_is_taken_back_and_others_stay(api: Api):  # noqa: F811
    workspace, _ = api.sessions.welcome(OWNER, None)
    model = api.sessions.model
    assert isinstance(model, ModelHandle) and isinstance(model.engine, HandDecoder)
    model.engine.heartbeat = 1
    for _ in range(31):
        api.sessions.watchdog.tick()
    assert "has not answered for 30 seconds" in workspace.core.problem
    workspace.report("The disk is full.")
    version = workspace.core.version
    model.engine.heartbeat = None
    api.sessions.watchdog.tick()
    assert workspace.core.problem == "The disk is full."
    assert workspace.core.version > version, "the status bar must change"
