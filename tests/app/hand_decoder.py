"""A decoder whose answers a test gives by hand, in any order; the real one has an order of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.paths import SAMPLES_FOLDER
from app.segments.state import SegmentState
from app.sessions import Sessions
from app.ui.api import Api
from app.workspace.commands import Workspace
from engine import (
    EngineError,
    EngineFacts,
    EngineStatistics,
    Hypothesis,
    Placement,
    Priority,
    Reason,
    Request,
    SearchOptions,
    Translation,
)


class HandDecoder:
    """Keeps what is submitted, by key, the newest last.

    As in the worker, a newer completion or revision cancels the older one; older translations of a segment stay, so
    that a test can answer them late.
    """

    def __init__(self) -> None:
        self.facts = EngineFacts("hand", ("en-de",), {}, (), "")
        self.requests: list[tuple[str, Request, Priority, Future[Translation]]] = []
        self.questions: list[tuple[str, Future[Any]]] = []
        self.cancelled: list[str] = []
        self.tell_best: dict[str, Callable[[Translation], object] | None] = {}  # of the newest request, by key
        self.is_closed = False

    def submit(
        self,
        request: Request,
        options: SearchOptions,
        *,
        key: str,
        owner: str,
        priority: Priority = "interactive",
        datastore: Any = None,
        on_best: Callable[[Translation], object] | None = None,
    ) -> Future[Translation]:
        future: Future[Translation] = Future()
        if key.endswith(("/completion", "/revision")):
            self._overtake(key)
        self.requests.append((key, request, priority, future))
        self.tell_best[key] = on_best
        return future

    def ask(
        self,
        question: Any,
        *,
        key: str,
        owner: str,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[Any]:
        future: Future[Any] = Future()
        self.questions.append((key, future))
        return future

    def cancel(self, key: str) -> None:
        self.cancelled.append(key)
        self._overtake(key)
        for other, future in self.questions:
            if other == key and not future.done():
                future.set_result(None)

    def _overtake(self, key: str) -> None:
        """Ends the unanswered requests with this key as cancelled."""
        for other, request, _, future in self.requests:
            if other == key and not future.done():
                future.set_result(Translation(request, "cancelled"))

    def statistics(self) -> EngineStatistics:
        waiting = sum(not future.done() for *_, future in self.requests)
        return EngineStatistics(waiting, 0, len(self.requests) - waiting, 0, 0, None, None, 0.0)

    heartbeat: int | None = None
    outage: str | None = None

    def restart(self, reason: str) -> None:
        for *_, future in self.requests:
            if not future.done():
                future.set_exception(EngineError(reason))

    def close(self) -> None:
        self.is_closed = True

    def forget(self) -> None:
        """Drops all requests and questions, so that the next document begins with none."""
        self.requests.clear()
        self.questions.clear()
        self.cancelled.clear()

    def of(self, index: int | str) -> list[tuple[Request, Priority, Future[Translation]]]:
        """What was asked for one segment, or as a "completion", the newest last."""
        return [
            (request, priority, future) for key, request, priority, future in self.requests if key.endswith(f"/{index}")
        ]

    def answer(self, index: int, *texts: str, at: int = -1) -> None:
        """Answers a segment's request (the newest) with these texts, best first; phrases are found in them."""
        request, _, future = self.of(index)[at]
        future.set_result(translation(request, *texts))

    def prove_best(self, index: int, text: str) -> None:
        """Proves the best text of a segment's newest request, whose list is still searched."""
        key, request, *_ = [one for one in self.requests if one[0].endswith(f"/{index}")][-1]
        tell = self.tell_best[key]
        assert tell is not None
        tell(translation(request, text))

    def answer_all(self) -> None:
        """Answers everything that waits with "de: source" and the phrases behind it."""
        while waiting := [entry for entry in self.requests if not entry[3].done()]:
            for _, request, _, future in waiting:
                phrases = " ".join(phrase.text for phrase in request.phrases)
                future.set_result(translation(request, f"de: {request.source} {phrases}".strip()))


def translation(request: Request, *texts: str) -> Translation:
    """An answer with these texts; a phrase that does not stand in a text is unmet there."""
    hypotheses = []
    for rank, text in enumerate(texts):
        placements, unmet = [], []
        for number, phrase in enumerate(request.phrases):
            start = text.find(phrase.text)
            if start < 0:
                unmet.append(number)
            else:
                placements.append(Placement(number, phrase.text, start, start + len(phrase.text)))
        score = -0.5 - 0.25 * rank
        hypotheses.append(
            Hypothesis(
                text, score, 4 * score, (1,), (4 * score,), ((0, len(text)),), tuple(placements), (), tuple(unmet)
            )
        )
    missing = hypotheses[0].unmet if hypotheses else ()
    reasons = tuple(Reason("not_placed", "no place was found", number) for number in missing)
    return Translation(request, "unmet" if missing else "complete", tuple(hypotheses), reasons, elapsed_ms=12.5)


def ready_model(
    decoder: HandDecoder,
    formalities: Mapping[str, Sequence[str]] | None = None,
    domains: Sequence[str] = (),
    direction: str = "en-de",
) -> ModelHandle:
    """A model holder whose model is there, and can be asked for these."""
    model = ModelHandle(Path("models/hand"))
    decoder.facts = replace(decoder.facts, directions=(direction,), formalities=formalities or {}, domains=domains)
    model.adopt(decoder)
    return model


@contextmanager
def api_with_document(folder: Path, decoder: HandDecoder, text: str, *proposals: str) -> Iterator[Api]:
    """The page's functions with a document of this text open, its first segment answered so; the log is in `folder`."""
    store = LogStore.open(folder / "log.sqlite")
    sessions = Sessions(store, ready_model(decoder), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, text.encode(), "manual.txt")
    if proposals:
        decoder.answer(0, *proposals)
        settle(workspace)
    yield Api(sessions)
    sessions.close()
    store.close()


def settle(workspace: Workspace) -> None:
    """Waits until every answer given so far has been taken, and what the memory knows is filled in and looked up."""
    rates = workspace.memory.rates
    for turns in (workspace.decoding._filling, workspace.decoding._answers._turns, rates._turns):
        turns.submit(lambda: None).result(60)
    while rates._turns.submit(lambda: len(rates._turns._waiting)).result(60):  # it goes on in portions
        pass


def make_workspace(
    store: LogStore, model: ModelHandle, text: str, name: str = "manual.txt", direction: str = "en-de"
) -> Workspace:
    """A new session, by default English-German, over a text file, with nothing asked yet."""
    document = read_document(text.encode(), name)
    record = store.start_session(OWNER, document, direction)
    segments = [SegmentState(s.index, s.source, len(s.source.split())) for s in document.segments]
    return Workspace(
        store, record.id, record.token, document, segments, model, direction=direction, options=SearchOptions()
    )
