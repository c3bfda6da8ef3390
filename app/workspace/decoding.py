"""The decode requests of one document: the open segment first, the others ahead of the translator.

Of two requests for the same segment, only the newer counts. Runs under the workspace's lock.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, replace

from app.access.actor import SYSTEM, Actor
from app.errors import LogError
from app.log.records import NewEvent, to_json
from app.models.loading import ModelHandle
from app.segments.findings import uncertain_tags
from app.segments.proposal_view import DecodingResult
from app.segments.state import Json, SegmentState, State, StoredAnswer
from app.segments.stored_state import segment_update
from app.tags.protect import Protection
from app.workspace.core import AnswerThread, WorkspaceCore
from app.workspace.decode_order import DecodeOrder
from app.workspace.decoding_events import request_payload, result_payload
from app.workspace.learning import Learning, shares_words
from app.workspace.memory import MemoryLookup
from app.workspace.model_questions import Questions
from app.workspace.pace import Pace
from app.workspace.pricing import PriceRequests
from app.workspace.style_choice import StyleChoice
from app.workspace.terms import DocumentTerms
from app.workspace.turns import LOOKUPS, Turns
from engine import EngineError, Priority, Reason, Request, SearchOptions, Translation

# Segments in the model's hands at a time: enough for a batch, few enough that those near the open one come first.
WINDOW = 8
# Segments behind the open one that are translated again when a segment was learned that may help them.
NUM_LEARNED_AHEAD = 12


class DecodeQueue:
    """The decode requests of one document. `is_pretranslating` says whether the whole document is translated ahead."""

    def __init__(
        self,
        core: WorkspaceCore,
        terms: DocumentTerms,
        style: StyleChoice,
        memory: MemoryLookup,
        questions: Questions,
        learning: Learning,
        answers: AnswerThread,
        options: SearchOptions,
    ) -> None:
        self._core = core
        self._terms = terms
        self._style = style
        self._memory = memory
        self._questions = questions
        self._options = options
        self._learning = learning
        self._answers = answers
        self._prices = PriceRequests(core, style, learning, answers, options)
        last = core.store.last_event(core.session_id, "pretranslate")
        self.is_pretranslating = last is None or bool(last.payload["is_wanted"])
        self.is_suspended = False  # another document is on the screen
        self.last: Translation | None = None  # of an interactive request
        self._known_prompts: set[str] = set()  # hashes of those whose text this run has logged
        self._order = DecodeOrder(core)
        self._texts_before: dict[int, str] = {}  # their proposals until then
        self._in_flight: dict[int, Priority] = {}
        self._waiting: dict[int, Priority] = {}  # requested before the model was there
        self._made_with = ""  # known once the model is ready
        self._pace = Pace()
        self._filling = Turns(LOOKUPS)

    def progress(self) -> Json:
        """Progress and speed of pre-translation, and the remaining time if it is known."""
        tally = self._core.tally
        rate = self._pace.words_per_second() if self.is_pretranslating else None
        words_left = tally.words()["all"] - tally.words_translated
        return {
            "done": tally.num_translated,
            "total": len(self._core.order) - tally.num_locked,
            "is_running": self.is_pretranslating,
            "words_per_second": rate and round(rate, 1),
            "seconds_left": round(words_left / rate) if rate else None,
        }

    def hurry(self, actor: Actor, segment: SegmentState) -> None:
        """Decodes the segment that the translator looks at before the rest of the document."""
        if segment.lock:
            return
        index = segment.index
        is_under_way = self._in_flight.get(index) == "document"
        if is_under_way or not segment.is_pending:
            segment = self._refreshed(segment)
        if is_under_way or segment.needs_decoding or segment.has_crashed:
            self.ask(actor, segment, "interactive")
        elif index in self._waiting:
            self._waiting[index] = "interactive"
        self._prices.request(self._core.segments[index])

    def ask(self, actor: Actor, segment: SegmentState, priority: Priority) -> None:
        """Requests a translation under the segment's current constraints; any older request is revoked."""
        model = self._core.model
        if model.state == "failed":
            return
        if priority == "interactive" and model.engine is not None:
            self._questions.cancel()  # they are about a proposal that goes
            self._prices.cancel()
        asked = self._core.adopt(replace(segment, requested=segment.requested + 1))
        if model.engine is None:
            self._waiting[segment.index] = priority
        else:
            self._submit(actor, asked, priority)

    def start_from(self, index: int) -> None:
        """Pre-translates untranslated segments, first this one and those after it."""
        ahead = self._order.ahead_from(index)
        for one in ahead:
            if not self._core.segments[one].is_pending:
                self._refreshed(self._core.segments[one])
        self._order.begin_at(index, ahead)
        self._pump()

    def sources_changed(self, actor: Actor, indices: Sequence[int]) -> None:
        """These segments were split or merged: their old requests are void, and the open segment is decoded again."""
        self._withdraw(indices)
        if self._core.open_index is not None:
            if not self._core.segments[self._core.open_index].source:
                self._core.open_index = indices[0]
            self.hurry(actor, self._core.segments[self._core.open_index])
            self.start_from(self._core.open_index)

    def locks_changed(self, actor: Actor, indices: Sequence[int]) -> None:
        """These segments were locked, and their old requests are void; or unlocked, and may need a translation."""
        core = self._core
        self._withdraw(indices)
        for index in indices:
            self._forget_other_model(core.segments[index])
        if core.open_index is not None and not self.is_suspended:
            self.hurry(actor, core.segments[core.open_index])
        self.start_from(core.open_index or 0)

    def _withdraw(self, indices: Sequence[int]) -> None:
        """Drops the requests for these segments, whose numbers the caller has made void."""
        for index in indices:
            if self._core.model.engine is not None:
                self._core.model.engine.cancel(self._key(index))
            self._waiting.pop(index, None)
            self._in_flight.pop(index, None)
            self._texts_before.pop(index, None)

    def translate_by_terms(self, actor: Actor, changed: list[int], besides: int | None = None) -> int:
        """Translates these segments again because their terms have changed; returns their number, without `besides`.

        Confirmed segments stay. Where a proposal comes out different, the segment is flagged.
        """
        core = self._core
        core.touch()
        if core.open_index in changed:
            self.hurry(actor, core.segments[core.open_index])
        again = [i for i in changed if i not in (core.open_index, besides) and core.segments[i].is_open]
        for index in again:
            segment = core.segments[index]
            if segment.target is None:
                self._texts_before[index] = segment.replaced_proposal or segment.machine_text or ""
        self._order.put_again(again)
        self._pump()
        return len(again)

    def translate_quietly(self, actor: Actor) -> None:
        """Translates segments to which other terms apply again, from the open segment on, without flagging them."""
        self._core.touch()
        if self._core.open_index is not None:
            self.hurry(actor, self._core.segments[self._core.open_index])
        self.start_from(self._core.open_index or 0)

    def translate_after_learning(self, source: str) -> None:
        """Translates again the untouched segments behind the open one to which a newly learned segment may apply.

        Their sources share words in a row with it. The open segment's proposal stays: a person reads it.
        """
        core = self._core
        behind = core.positions.get(core.open_index or 0, 0) + 1
        again: list[int] = []
        for index in core.order[behind : behind + NUM_LEARNED_AHEAD]:
            segment = core.segments[index]
            if segment.target is not None or not shares_words(source, segment.source):
                continue
            if self._in_flight.get(index) == "document":  # its answer would not draw from the learned segment
                self.ask(SYSTEM, segment, "document")  # as in `_pump`
            elif segment.decoded is not None and not segment.is_pending and not segment.lock:
                core.adopt(replace(segment, decoded=None))
                again.append(index)
        self._order.put_again(again)
        self._pump()

    def pretranslate(self, actor: Actor, is_on: bool) -> None:
        """Starts or stops pre-translation; the open segment is decoded in any case."""
        if is_on == self.is_pretranslating:
            return
        progress = self.progress()
        payload = {"is_wanted": is_on, "done": progress["done"], "total": progress["total"]}
        with self._core.command(actor) as work:
            work.log("pretranslate", payload)
        self.is_pretranslating = is_on
        if is_on:
            self._pace.begin()
            self.fill_from_memory()
            self.start_from(self._core.open_index or 0)
        else:
            self._cancel("document")
        self._core.touch()

    def suspend(self) -> None:
        """Stops pre-translation while another document is on the screen."""
        self.is_suspended = True
        self._prices.cancel()
        self._cancel("document")

    def on_model(self, actor: Actor) -> None:
        """Starts with the loaded model, or gives up if loading failed."""
        self._pace.begin()
        if self._core.model.state == "ready":
            self._forget_other_models()
            self._style.report_model()
            self._learning.start()
        waiting, self._waiting = self._waiting, {}
        for index, priority in waiting.items():
            segment = self._core.segments[index]
            if self._core.model.state == "ready":
                self._submit(actor, segment, priority)
            else:
                self._core.adopt(replace(segment, answered=segment.requested))
        self.fill_from_memory()
        self.start_from(self._core.open_index or 0)

    def fill_from_memory(self) -> None:
        """Fills segments from the translation memory, in another thread: reading a large memory takes seconds."""
        with contextlib.suppress(RuntimeError):  # closed in the meantime
            self._filling.submit(self._fill)

    def _fill(self) -> None:
        try:
            self._memory.library.index(self._core.direction)  # also for the segments that will be opened
            if self.is_pretranslating and not self.is_suspended:
                self._memory.fill(SYSTEM)  # part of pre-translation
        except LogError as error:
            self._core.report(error.args[0])

    def _refreshed(self, segment: SegmentState) -> SegmentState:
        """The segment with the forms of its terms that the memory has by now."""
        hits = self._terms.with_used_forms(segment.hits)
        return segment if hits == segment.hits else self._core.adopt(replace(segment, hits=hits))

    def start_over(self, actor: Actor, model: ModelHandle | None = None) -> None:
        """Requests everything again, from another model, which is ready, or in another style. Texts stay until then."""
        self._questions.cancel()
        self._prices.cancel()
        self._cancel("document", "interactive")
        self._core.model = model or self._core.model
        self._in_flight.clear()
        self._waiting.clear()
        for segment in list(self._core.segments):
            if segment.lock:
                continue
            number = segment.requested + segment.is_pending  # a running request is void
            fresh = replace(segment, decoded=None, stored_answer=None, prices=None, requested=number, answered=number)
            self._core.adopt(fresh)
        self.on_model(actor)
        if self._core.open_index is not None and not self.is_suspended:
            self.hurry(actor, self._core.segments[self._core.open_index])

    def _forget_other_models(self) -> None:
        """Drops stored answers of another model, precision, style or search options: this one's would be different."""
        asked = self._style.asked
        style = {"formality": asked.formality, "domain": asked.domain}  # numbers are constraints of each segment
        model = self._core.model
        facts = [model.checksum, asdict(self._options), *([style] if any(style.values()) else [])]
        if model.precision != "float32":
            facts.append(model.precision)
        self._made_with = hashlib.sha256(to_json(facts).encode()).hexdigest()[:16]
        for segment in list(self._core.segments):
            self._forget_other_model(segment)

    def _forget_other_model(self, segment: SegmentState) -> None:
        """Drops the stored answer of a segment if it is of another model; a locked segment keeps it."""
        answer = segment.stored_answer
        if answer and answer.made_with != self._made_with and self._made_with and not segment.lock:
            state: State = "new" if segment.target is None else segment.state
            self._core.adopt(replace(segment, stored_answer=None, state=state))

    def close(self) -> None:
        """Cancels everything that is under way."""
        self.is_pretranslating = False
        self._prices.cancel()
        self._cancel("document", "interactive")
        self._answers.close()
        self._filling.close(drops_waiting=True)

    def _cancel(self, *priorities: Priority) -> None:
        engine = self._core.model.engine
        if engine is not None:
            for index in [i for i, priority in self._in_flight.items() if priority in priorities]:
                engine.cancel(self._key(index))

    def _protection(self, segment: SegmentState) -> Protection:
        return Protection.of(self._style.request(segment), segment.placeholders)

    def _key(self, index: int) -> str:
        return f"{self._core.token}/{index}"

    def _pump(self) -> None:
        while not self.is_suspended and len(self._in_flight) < WINDOW and self._core.model.engine is not None:
            segment = self._order.next(only_again=not self.is_pretranslating)
            if segment is None:
                return
            self.ask(SYSTEM, segment, "document")  # ahead of the translator: nobody asked for this segment

    def _submit(self, actor: Actor, segment: SegmentState, priority: Priority) -> None:
        engine = self._core.model.engine
        assert engine is not None
        index = segment.index
        self._in_flight[index] = priority
        future: Future[Translation]
        try:
            protection = self._protection(segment)
            request = protection.request
            payload = request_payload(segment, priority, protection, self._options, self._core.model)
            payload["learned"] = self._learning.num_learned
            with self._core.command(actor) as work:
                work.log("decode_request", payload, segment)
            if (copy := protection.copy) is not None:
                future = Future()
                future.set_result(copy)
            else:
                future = engine.submit(
                    request,
                    self._options,
                    key=self._key(index),
                    owner=self._core.token,
                    priority=priority,
                    datastore=self._learning.datastore,
                    on_best=self._on_best(segment) if priority == "interactive" else None,
                )
        except (EngineError, LogError) as error:
            future = Future()
            future.set_result(_failed(segment.source, error))
        future.add_done_callback(lambda done: self._answers.hand_over(segment, done, self._receive))

    def _on_best(self, asked: SegmentState) -> Callable[[Translation], object]:
        """Shows the first hypothesis of an answer whose others are still searched."""
        return lambda best: self._answers.hand_over(asked, best, self._show_best)

    def _show_best(self, asked: SegmentState, best: Translation) -> None:
        core = self._core
        with core.lock:
            segment = core.segments[asked.index]
            if asked.requested != segment.requested or not segment.is_pending:
                return  # of an older request, or the whole answer is here
            decoded = DecodingResult(self._protection(asked).restore(best), asked.resolved)
            core.adopt(replace(segment, shown=decoded, proved=asked.requested))

    def _receive(self, asked: SegmentState, done: Future[Translation]) -> None:
        """Stores the answer to a request for the segment, given its state at the time of the request."""
        core, index, number = self._core, asked.index, asked.requested
        with core.lock:
            segment = core.segments[index]
            if number != segment.requested:
                return  # a late answer: a newer request is on its way
            priority = self._in_flight.pop(index, None)
            if done.cancelled():
                translation = Translation(Request(segment.source), "cancelled")
            else:
                error = done.exception()
                answer = _failed(segment.source, error) if error is not None else done.result()
                protection = self._protection(asked)
                translation = answer if protection.copy is not None else protection.restore(answer)
            if translation.status == "cancelled":
                core.adopt(replace(segment, answered=number))
                if not self.is_suspended:  # it was suspended, and goes on already
                    self._order.put_last(index)
            else:
                decoded = DecodingResult(translation, asked.resolved)
                if priority == "interactive":  # the others share their steps and wait for it
                    self.last = translation
                self._take(segment, decoded)
                self._ask_again_if_outdated(index)
            self._pump()

    def _ask_again_if_outdated(self, index: int) -> None:
        """Requests a segment again whose terms changed while it was being decoded."""
        segment = self._core.segments[index]
        if not segment.needs_decoding or not segment.is_open:
            return
        if index == self._core.open_index:
            self.hurry(SYSTEM, segment)  # an answer that is out of date asks for it
        else:
            self._order.put_again([index])

    def _take(self, segment: SegmentState, decoded: DecodingResult) -> None:
        translation = decoded.translation
        has_text = decoded.best is not None
        if not segment.is_translated:
            self._pace.add(segment.num_words)
        after = replace(
            segment,
            decoded=decoded,
            shown=decoded if has_text else segment.shown,
            stored_answer=self._stored_answer(segment, decoded),
            answered=segment.requested,
            state="pretranslated" if has_text and segment.state == "new" else segment.state,
        )
        is_outdated = after.needs_decoding  # the text before stays for the next answer
        before = "" if is_outdated else self._texts_before.pop(segment.index, "")
        if before:
            after = replace(after, replaced_proposal=before if after.machine_text != before else "")
        try:
            payload = result_payload(segment.requested, translation, self._known_prompts)
            stores = after.state != segment.state or after.stored_answer != segment.stored_answer
            updates = [(after.index, segment_update(after, segment.version))] if stores else []
            event = NewEvent("decode_result", payload, after.index, after.version)
            self._core.store.append_all(SYSTEM, self._core.session_id, [event], updates)  # the model answers
        except LogError as error:  # the answer is of use all the same, and can be computed again
            self._core.report(error.args[0])
        adopted = self._core.adopt(after)
        if adopted.index == self._core.open_index and not self.is_suspended:
            self._prices.request(adopted)

    def _stored_answer(self, segment: SegmentState, decoded: DecodingResult) -> StoredAnswer | None:
        """The part of an answer that is stored for the next start; None if a constraint was not met."""
        if decoded.best is None or decoded.translation.status != "complete":
            return None
        uncertain = tuple(uncertain_tags(replace(segment, shown=decoded), decoded.best.text))
        return StoredAnswer(decoded.best.text, decoded.best.score, decoded.asked.key, self._made_with, uncertain)


def _failed(source: str, error: BaseException) -> Translation:
    message = f"{type(error).__name__}: {error}"
    if isinstance(error, EngineError):
        message = error.args[0] if error.args else ""  # a Message stays translatable
    return Translation(Request(source), "failed", reasons=(Reason("crashed", message),))
