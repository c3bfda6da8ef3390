"""Prices of the constraints of the open segment: requested while no urgent request is decoded."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from app.access.actor import SYSTEM
from app.models.loading import DEADLINE_MS
from app.segments.prices import Prices
from app.segments.state import SegmentState
from app.tags.protect import Protection
from app.workspace.core import AnswerThread, WorkspaceCore
from app.workspace.learning import Learning
from app.workspace.style_choice import StyleChoice
from engine import EngineError, PriceQuestion, Pricing, SearchOptions


class PriceRequests:
    """The price request of one document; at most one at a time. Used under the workspace's lock."""

    def __init__(
        self,
        core: WorkspaceCore,
        style: StyleChoice,
        learning: Learning,
        answers: AnswerThread,
        options: SearchOptions,
    ) -> None:
        self._core = core
        self._style = style
        self._learning = learning
        self._answers = answers
        self._options = options
        self._running: tuple[int, int] | None = None  # the segment's index and the number of its decode request

    def request(self, segment: SegmentState) -> None:
        """Asks the model for the prices of this segment's constraints, unless they are known or being computed."""
        engine = self._core.model.engine
        what = (segment.index, segment.requested)
        if self._running != what:
            self.cancel()
        if engine is None or not segment.can_be_priced or segment.has_prices or self._running == what:
            return
        request = replace(self._style.request(segment), follow=None)  # prices are the model's own
        protection = Protection.of(request, segment.placeholders)

        price = PriceQuestion(protection.request, self._options, self._learning.datastore)
        key = self._key(segment.index)
        try:
            future = engine.ask(price, key=key, owner=self._core.token, deadline_ms=DEADLINE_MS)
        except EngineError:  # the engine is closing: prices are no longer needed
            return
        self._running = what
        future.add_done_callback(
            lambda done: self._answers.hand_over(
                segment, done, lambda asked, answer: self._take(asked, protection, answer)
            )
        )

    def cancel(self) -> None:
        """Cancels the running request, if there is one."""
        engine = self._core.model.engine
        if engine is not None and self._running is not None:
            (index, _), self._running = self._running, None
            engine.cancel(self._key(index))

    def _take(self, asked: SegmentState, protection: Protection, done: Future[Pricing | None]) -> None:
        core = self._core
        with core.lock:
            if self._running == (asked.index, asked.requested):
                self._running = None
            segment = core.segments[asked.index]
            if segment.requested != asked.requested or done.cancelled():
                return
            error = done.exception()
            pricing = None if error is not None else done.result()
            if error is None and pricing is None:  # a newer request replaced this one
                return
            if pricing is None or pricing.constrained.status != "complete":
                core.adopt(replace(segment, unpriced=asked.requested))
                if error is not None:
                    raise error
                return
            pricing = protection.restore_pricing(pricing)
            prices = Prices(asked.requested, asked.resolved, pricing)
            with core.command(SYSTEM) as work:  # the model answers
                work.log("prices", prices.payload(), segment)
            core.adopt(replace(segment, prices=prices))

    def _key(self, index: int) -> str:
        return f"{self._core.token}/{index}/price"
