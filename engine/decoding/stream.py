"""Requests that are decoded together: each comes at any time, and leaves with its translation once that has ended.

Between the requests' texts and the search's sentences; which of them share a step is for `engine.search.batching`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from threading import Event

import torch

from engine.decoding.constraints import PreparedRequest
from engine.decoding.relaxation import smallest_relaxation
from engine.errors import InvalidRequest
from engine.request import Reason, Request, SearchOptions, Translation
from engine.search.batching import Counts, SearchStream, is_out_of_memory
from engine.search.sentence import EndedSentence, Interruption, Sentence, SentenceResult

Interrupt = Callable[[], Interruption | None]

INTERRUPTED: dict[Interruption, Reason] = {
    "deadline": Reason("deadline", "the time was up before the search had ended; these are the best so far"),
    "cancelled": Reason("cancelled", "the request was cancelled; a newer one may have taken its place"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the request that was added with `tag`: its translation or, where decoding crashed, the cause."""

    tag: Hashable
    translation: Translation | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    tag: Hashable
    request: Request
    prepared: PreparedRequest
    started: float


class RequestStream:
    """Requests under way. Add some at any time, then `step` until the stream is empty."""

    def __init__(
        self,
        search: SearchStream,
        constraints_of: Callable[[Request], PreparedRequest],
        sentence_of: Callable[[PreparedRequest, SearchOptions, Interrupt], Sentence],
        tell: Callable[[Request, PreparedRequest, SentenceResult], Translation],
    ) -> None:
        """`constraints_of` puts a request in the model's terms, `sentence_of` says what the search is to do, `tell`
        puts its result in text; the first two raise InvalidRequest for what the model cannot do."""
        self._search = search
        self._constraints_of = constraints_of
        self._sentence_of = sentence_of
        self._tell = tell
        self._asked: dict[Sentence, _Asked] = {}
        self._answers: list[Answer] = []  # of requests that needed no search

    def __len__(self) -> int:
        """Requests without an answer."""
        return len(self._asked) + len(self._answers)

    @property
    def room(self) -> int:
        """How many more requests would begin with the next step."""
        return self._search.room

    @property
    def counts(self) -> Counts:
        """What the search has cost so far."""
        return self._search.counts

    def add(
        self,
        request: Request,
        options: SearchOptions,
        *,
        tag: Hashable = None,
        interruption: Interrupt = lambda: None,
        constraints: PreparedRequest | None = None,
        started: float | None = None,
    ) -> None:
        """Let the request begin as soon as there is room. Raises InvalidRequest for what cannot be asked.

        `interruption` is asked before each step. `constraints` are the request's own, for those who have them at hand;
        `started`, a time of `perf_counter`, is what `elapsed_ms` counts from.
        """
        started = time.perf_counter() if started is None else started
        prepared = constraints or self._constraints_of(request)
        if prepared.obstacles:
            relaxation = smallest_relaxation(request, self._constraints_of)
            blocked = Translation(request, "infeasible", (), prepared.obstacles, prepared.unknown_source)
            self._answers.append(Answer(tag, replace(blocked, relaxation=relaxation)))
            return
        sentence = self._sentence_of(prepared, options, interruption)
        self._asked[sentence] = _Asked(tag, request, prepared, started)
        self._search.add(sentence)

    @torch.inference_mode()
    def step(self) -> list[Answer]:
        """Take what is under way one token further; the answers that are ready."""
        answers, self._answers = self._answers, []
        return answers + self._answers_to(self._search.step())

    @torch.inference_mode()
    def interrupt(self) -> list[Answer]:
        """Only the answers of those that are to be interrupted; the others stand still."""
        return self._answers_to(self._search.interrupt())

    def _answers_to(self, all_ended: Iterable[EndedSentence]) -> list[Answer]:
        answers = []
        for ended in all_ended:
            asked = self._asked.pop(ended.sentence)
            if ended.result is None:
                answers.append(Answer(asked.tag, error=ended.error))
                continue
            try:
                told = self._tell(asked.request, asked.prepared, ended.result)
            except Exception as error:  # of any kind: it must fail no other request
                answers.append(Answer(asked.tag, error=error))
                continue
            elapsed_ms = (time.perf_counter() - asked.started) * 1000
            answers.append(Answer(asked.tag, replace(told, elapsed_ms=elapsed_ms)))
        return answers

    def in_order(
        self,
        requests: Iterable[Request | tuple[Request, SearchOptions]],
        options: SearchOptions,
        window_size: int,
        interruption: Interrupt,
    ) -> Iterator[Translation]:
        """Translations in the order of the requests, whatever becomes of any of them; some may bring their own options.

        Reads `window_size` requests ahead to decode those of like length together; at most twice as many are held. The
        stream must be empty and is the caller's alone until all is done.
        """
        requests = iter(requests)
        sorted_window: deque[tuple[int, Request, SearchOptions, PreparedRequest]] = deque()
        done: dict[int, Translation] = {}
        num_read, num_given, is_all_read = 0, 0, False
        while True:
            why = interruption()
            if not sorted_window and not is_all_read and num_read - num_given <= window_size:
                window = list(islice(requests, window_size))
                is_all_read = len(window) < window_size
                ready = []
                for number, item in enumerate(window, start=num_read):
                    request, own_options = item if isinstance(item, tuple) else (item, options)
                    if why:
                        done[number] = Translation(request, why, reasons=(INTERRUPTED[why],))
                        continue
                    try:
                        ready.append((number, request, own_options, self._constraints_of(request)))
                    except Exception as error:
                        done[number] = failed(request, error)
                sorted_window.extend(sorted(ready, key=lambda item: len(item[3].source_ids)))
                num_read += len(window)
            while sorted_window and (why or self.room):
                number, request, own_options, prepared = sorted_window.popleft()
                if why:
                    done[number] = Translation(request, why, reasons=(INTERRUPTED[why],))
                    continue
                try:
                    tag = (number, request)
                    self.add(request, own_options, tag=tag, interruption=interruption, constraints=prepared)
                except Exception as error:
                    done[number] = failed(request, error)
            for answer in self.step():
                number, request = answer.tag  # type: ignore[misc]
                assert answer.translation or answer.error
                done[number] = answer.translation or failed(request, answer.error)
            while num_given in done:
                yield done.pop(num_given)
                num_given += 1
            if is_all_read and num_given == num_read:
                return


def interruption_of(started: float, cancel: Event | None, deadline_ms: float | None) -> Interrupt:
    """Whether `cancel` is set, or `deadline_ms` over that counts from `started`, a time of `perf_counter`."""

    def interruption() -> Interruption | None:
        if cancel is not None and cancel.is_set():
            return "cancelled"
        if deadline_ms is not None and (time.perf_counter() - started) * 1000 >= deadline_ms:
            return "deadline"
        return None

    return interruption


def failed(request: Request, error: Exception | None) -> Translation:
    """The answer to a request that is invalid or whose decoding crashed."""
    if isinstance(error, InvalidRequest):
        return Translation(request, "failed", reasons=(Reason("invalid", str(error)),))
    return Translation(request, "failed", reasons=(Reason("crashed", crash_message(error)),))


def crash_message(error: Exception | None) -> str:
    """What a person is told of a crash."""
    message = f"{type(error).__name__}: {error}"
    if error is not None and is_out_of_memory(error):
        return f"there is no memory for this sentence even alone; ask for a narrower beam ({message})"
    return message
