"""Keeps a workspace's segments translated: the open one at once, the others ahead of the person, newest request wins.

Runs under the workspace's lock. Answers are taken from the model's thread to one of our own, so that writing them to
the log never holds the model up.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeVar

from app.errors import LogError
from app.log.records import to_json
from app.models.loading import ModelHandle, Priority
from app.segments.prices import Prices
from app.segments.proposal_view import DecodingResult
from app.segments.state import Json, SegmentState, State, StoredAnswer, constraints_key
from app.tags.protect import Protection
from app.workspace.pace import Pace
from app.workspace.payloads import request_payload, result_payload
from engine import EngineError, Pricing, Reason, Request, SearchOptions, Translation, Translator

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

_log = logging.getLogger("pinpoint")

# Segments in the model's hands at a time: enough for a batch, few enough that those near the open one come first.
WINDOW = 8
# Segments behind the open one that are decoded in full though their text is known from an earlier run.
AHEAD = 2
T = TypeVar("T")


class DecodeQueue:
    """The decode requests of one workspace. `is_wanted` says whether the whole document is being pre-translated."""

    def __init__(self, workspace: Workspace, options: SearchOptions) -> None:
        self.workspace = workspace
        self.options = options
        last = workspace.store.last_event(workspace.session_id, "pretranslate")
        self.is_wanted = last is None or bool(last.payload["is_wanted"])
        self.is_suspended = False  # another document is on the screen
        self.last_ms: float | None = None
        self._todo: deque[int] = deque()
        self._ahead: set[int] = set()
        self._anew: set[int] = set()  # to be translated again, also where the person has a text
        self._texts_before: dict[int, str] = {}  # their proposals until then
        self._in_flight: dict[int, Priority] = {}
        self._waiting: dict[int, Priority] = {}  # asked for before the model was there
        self._priced: tuple[int, int] | None = None  # the segment and request whose prices are being asked for
        self._made_with = ""  # once the model is there
        self._pace = Pace()
        self._answers = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._filling = ThreadPoolExecutor(1, thread_name_prefix="memory")

    def progress(self) -> Json:
        """How far pre-translation is, how fast it goes, and how long it will take where that is known."""
        tally = self.workspace.tally
        rate = self._pace.words_per_second() if self.is_wanted else None
        words_left = tally.words()["all"] - tally.words_translated
        return {
            "done": tally.num_translated,
            "total": len(self.workspace.structure.order),
            "is_running": self.is_wanted,
            "words_per_second": rate and round(rate, 1),
            "seconds_left": round(words_left / rate) if rate else None,
        }

    def hurry(self, segment: SegmentState) -> None:
        """The person looks at this segment now: it goes before the rest of the document."""
        index = segment.index
        is_under_way = self._in_flight.get(index) == "document"
        if is_under_way or not segment.is_pending:
            segment = self.workspace.terms.refreshed(segment)
        if is_under_way or segment.needs_decoding:
            self.ask(segment, "interactive")
        elif index in self._waiting:
            self._waiting[index] = "interactive"
        self._price(self.workspace.segments[index])

    def ask(self, segment: SegmentState, priority: Priority) -> None:
        """Asks for a translation under the segment's constraints as they are now; any older request is void."""
        model = self.workspace.model
        if model.state == "failed":
            return
        if priority == "interactive" and model.decoder is not None:
            self.workspace.questions.cancel()  # they are about a proposal that goes
            self._cancel_price()
        asked = self.workspace.adopt(replace(segment, requested=segment.requested + 1))
        if model.decoder is None:
            self._waiting[segment.index] = priority
        else:
            self._submit(asked, priority)

    def start_from(self, index: int) -> None:
        """Pre-translates what has not been, this segment and those behind it first."""
        structure = self.workspace.structure
        position = structure.positions.get(index, 0)
        behind = (self.workspace.segments[i] for i in structure.order[position : position + 1 + AHEAD])
        ahead = [segment.index for segment in behind if segment.target is None]
        for one in ahead:
            if not self.workspace.segments[one].is_pending:
                self.workspace.terms.refreshed(self.workspace.segments[one])
        self._ahead = set(ahead)
        waiting = sorted(self.workspace.tally.to_translate, key=structure.positions.__getitem__)
        first = bisect_left(waiting, position, key=structure.positions.__getitem__)
        self._todo = deque((*ahead, *waiting[first:], *waiting[:first]))
        self._pump()

    def forget(self, index: int) -> None:
        """The segment has another source now: what was asked about it is void."""
        if self.workspace.model.decoder is not None:
            self.workspace.model.decoder.cancel(self._key(index))
        self._waiting.pop(index, None)
        self._in_flight.pop(index, None)
        self._texts_before.pop(index, None)

    def translate_anew(self, indices: list[int]) -> None:
        """Translates these segments again, before others; where the proposal comes out another, that is flagged."""
        segments = self.workspace.segments
        for index in indices:
            if segments[index].target is None:
                self._texts_before[index] = segments[index].changed_from or segments[index].machine_text or ""
        self._anew.update(indices)
        self._todo = deque([*indices, *(index for index in self._todo if index not in self._anew)])
        self._pump()

    def pretranslate(self, is_wanted: bool) -> None:
        """Starts or stops pre-translation; the open segment is decoded in any case."""
        if is_wanted == self.is_wanted:
            return
        progress = self.progress()
        payload = {"is_wanted": is_wanted, "done": progress["done"], "total": progress["total"]}
        self.workspace.store.append(self.workspace.session_id, "pretranslate", payload)
        self.is_wanted = is_wanted
        if is_wanted:
            self._pace.begin()
            self._fill_from_memory()
            self.start_from(self.workspace.open_index or 0)
        else:
            self._cancel("document")

    def suspend(self) -> None:
        """Makes way for another document until `start_from` is called by a page that shows this one."""
        self.is_suspended = True
        self._cancel_price()
        self._cancel("document")

    def on_model(self) -> None:
        """The model has come, or will never come."""
        self._pace.begin()
        if self.workspace.model.state == "ready":
            self._forget_other_models()
            self.workspace.style.tell_of_model()
        waiting, self._waiting = self._waiting, {}
        for index, priority in waiting.items():
            segment = self.workspace.segments[index]
            if self.workspace.model.state == "ready":
                self._submit(segment, priority)
            else:
                self.workspace.adopt(replace(segment, answered=segment.requested))
        self._fill_from_memory()
        self.start_from(self.workspace.open_index or 0)

    def _fill_from_memory(self) -> None:
        """Has segments filled that the memory knows, beside all else: reading a large memory takes seconds."""
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            self._filling.submit(self._fill)

    def _fill(self) -> None:
        recall = self.workspace.memory
        try:
            recall.library.index(self.workspace.direction)  # also for the segments that will be opened
            if self.is_wanted and not self.is_suspended:
                recall.fill()
        except LogError as error:
            self.workspace.report(str(error))

    def start_over(self, model: ModelHandle | None = None) -> None:
        """Asks all anew, of another model, which is there, or in another style; what was said stays until then."""
        self.workspace.questions.cancel()
        self._cancel_price()
        self._cancel("document", "interactive")
        self.workspace.model = model or self.workspace.model
        self._in_flight.clear()
        self._waiting.clear()
        for segment in list(self.workspace.segments):
            number = segment.requested + segment.is_pending  # what is under way is void
            fresh = replace(segment, decoded=None, stored_answer=None, prices=None, requested=number, answered=number)
            self.workspace.adopt(fresh)
        self.on_model()
        if self.workspace.open_index is not None and not self.is_suspended:
            self.hurry(self.workspace.segments[self.workspace.open_index])

    def _forget_other_models(self) -> None:
        """What another model said, or this one in another style or under other options, is not what this would say."""
        style = asdict(self.workspace.style.asked)
        facts = [self.workspace.model.checksum, asdict(self.options), *([style] if any(style.values()) else [])]
        self._made_with = hashlib.sha256(to_json(facts).encode()).hexdigest()[:16]
        for segment in list(self.workspace.segments):
            if segment.stored_answer and segment.stored_answer.made_with != self._made_with:
                state: State = "new" if segment.target is None else segment.state
                self.workspace.adopt(replace(segment, stored_answer=None, state=state))

    def close(self) -> None:
        """Lets go of everything that is under way."""
        self.is_wanted = False
        self._cancel_price()
        self._cancel("document", "interactive")
        self._answers.shutdown(wait=False)
        self._filling.shutdown(wait=False, cancel_futures=True)

    def _cancel(self, *priorities: Priority) -> None:
        decoder = self.workspace.model.decoder
        if decoder is not None:
            for index in [i for i, priority in self._in_flight.items() if priority in priorities]:
                decoder.cancel(self._key(index))

    def _price(self, segment: SegmentState) -> None:
        """Asks what the constraints of the open segment cost, while nothing more urgent is wanted."""
        decoder = self.workspace.model.decoder
        what = (segment.index, segment.requested)
        if self._priced != what:
            self._cancel_price()
        if decoder is None or not segment.can_be_priced or segment.has_prices or self._priced == what:
            return
        protection = self._protection(segment)

        def price(translator: Translator, cancel: threading.Event) -> Pricing:
            return protection.restore_pricing(translator.price(protection.request, self.options, cancel=cancel))

        try:
            future = decoder.ask(price, key=self._price_key(segment.index), owner=self.workspace.token)
        except EngineError:  # the worker is closing: nobody will look at prices
            return
        self._priced = what
        future.add_done_callback(lambda done: self._hand_over(segment, done, self._take_prices))

    def _cancel_price(self) -> None:
        decoder = self.workspace.model.decoder
        if decoder is not None and self._priced is not None:
            (index, _), self._priced = self._priced, None
            decoder.cancel(self._price_key(index))

    def _take_prices(self, asked: SegmentState, done: Future[Pricing | None]) -> None:
        workspace = self.workspace
        with workspace.lock:
            if self._priced == (asked.index, asked.requested):
                self._priced = None
            segment = workspace.segments[asked.index]
            if segment.requested != asked.requested or done.cancelled():
                return
            pricing = done.result()
            if pricing is None or pricing.constrained.status != "complete":
                return
            prices = Prices(asked.requested, asked.constraints, asked.avoided, pricing)
            workspace.log("prices", prices.payload(), segment)
            workspace.adopt(replace(segment, prices=prices))

    def _protection(self, segment: SegmentState) -> Protection:
        return Protection.of(self.workspace.style.request(segment))

    def _price_key(self, index: int) -> str:
        return f"{self._key(index)}/price"

    def _key(self, index: int) -> str:
        return f"{self.workspace.token}/{index}"

    def _pump(self) -> None:
        while not self.is_suspended and self._todo and len(self._in_flight) < WINDOW:
            if self.workspace.model.decoder is None or not (self.is_wanted or self._todo[0] in self._anew):
                return
            segment = self.workspace.segments[self._todo.popleft()]
            is_anew = segment.index in self._anew
            self._anew.discard(segment.index)
            if is_anew or (segment.index in self._ahead and segment.target is None):
                is_due = segment.needs_decoding
            else:
                is_due = segment.needs_translation and segment.target is None
            if is_due:
                self.ask(segment, "document")

    def _submit(self, segment: SegmentState, priority: Priority) -> None:
        decoder = self.workspace.model.decoder
        assert decoder is not None
        index, number = segment.index, segment.requested
        self._in_flight[index] = priority
        future: Future[Translation]
        try:
            protection = self._protection(segment)
            request = protection.request
            payload = {
                "number": number,
                "priority": priority,
                "constraints": [asdict(constraint) for constraint in segment.constraints],
                **request_payload(protection.original),
                **({"asked": {"source": request.source, **request_payload(request)}} if protection.is_needed else {}),
                "options": asdict(self.options),
                "model": self.workspace.model.checksum,
                "num_threads": self.workspace.model.num_threads,
                "device": self.workspace.model.device,
            }
            self.workspace.log("decode_request", payload, segment)
            future = decoder.submit(
                request, self.options, key=self._key(index), owner=self.workspace.token, priority=priority
            )
        except (EngineError, LogError) as error:
            future = Future()
            future.set_result(_failed(segment.source, error))
        future.add_done_callback(lambda done: self._hand_over(segment, done, self._receive))

    def _hand_over(self, asked: SegmentState, done: Future[T], take: Callable[[SegmentState, Future[T]], None]) -> None:
        try:
            self._answers.submit(self._on_answer, asked, done, take)
        except RuntimeError:  # closed meanwhile: nobody waits for this answer
            return

    def _on_answer(self, asked: SegmentState, done: Future[T], take: Callable[[SegmentState, Future[T]], None]) -> None:
        try:
            take(asked, done)
        except Exception as error:  # nobody else would hear of it
            _log.exception("an answer of the model was lost")
            number = self.workspace.structure.number(asked.index)
            self.workspace.report(f"Segment {number}: {type(error).__name__}: {error}")

    def _receive(self, asked: SegmentState, done: Future[Translation]) -> None:
        """Takes the answer to what the segment, as it was then, asked for."""
        workspace, index, number = self.workspace, asked.index, asked.requested
        with workspace.lock:
            segment = workspace.segments[index]
            if number != segment.requested:
                return  # a late answer: a newer request is on its way
            self._in_flight.pop(index, None)
            if done.cancelled():
                translation = Translation(Request(segment.source), "cancelled")
            else:
                error = done.exception()
                answer = _failed(segment.source, error) if error is not None else done.result()
                translation = self._protection(asked).restore(answer)
            if translation.status == "cancelled":
                workspace.adopt(replace(segment, answered=number))
            else:
                decoded = DecodingResult(translation, asked.constraints, asked.avoided, asked.beginning, asked.locked)
                self._take(segment, decoded)
            self._pump()

    def _take(self, segment: SegmentState, decoded: DecodingResult) -> None:
        translation = decoded.translation
        self.last_ms = translation.elapsed_ms
        has_text = decoded.best is not None
        if not segment.is_translated:
            self._pace.add(segment.num_words)
        after = replace(
            segment,
            decoded=decoded,
            shown=decoded if has_text else segment.shown,
            stored_answer=self._stored_answer(decoded),
            answered=segment.requested,
            state="pretranslated" if has_text and segment.state == "new" else segment.state,
        )
        before = self._texts_before.pop(segment.index, "")
        if before:
            after = replace(after, changed_from=before if after.machine_text != before else "")
        try:
            payload = result_payload(segment.requested, translation)
            stores = after.state != segment.state or after.stored_answer != segment.stored_answer
            self.workspace.log("decode_result", payload, after, stores=stores)
        except LogError as error:
            self.workspace.report(str(error))
        adopted = self.workspace.adopt(after)
        if adopted.index == self.workspace.open_index and not self.is_suspended:
            self._price(adopted)

    def _stored_answer(self, decoded: DecodingResult) -> StoredAnswer | None:
        """What is kept of an answer over a restart; where something was not met, it is asked for again."""
        if decoded.best is None or decoded.translation.status != "complete":
            return None
        asked = constraints_key(decoded.constraints, decoded.bans, decoded.beginning, decoded.locked)
        return StoredAnswer(decoded.best.text, decoded.best.score, asked, self._made_with)


def _failed(source: str, error: BaseException) -> Translation:
    message = str(error) if isinstance(error, EngineError) else f"{type(error).__name__}: {error}"
    return Translation(Request(source), "failed", reasons=(Reason("crashed", message),))
