"""Watches the models: reports a model that does not answer, and replaces its thread if it stays silent.

A model in other processes that cannot be reached is reported at once. Its requests wait.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from app.i18n import Message
from app.models.loading import ModelHandle
from app.repeating import repeat

TICK_SECONDS: Final = 1.0
# A step takes less than a second where nothing else uses the processor, and a model looks for cancelled requests in
# each.
REPORTED_AFTER_SECONDS: Final = 30
RESTARTED_AFTER_SECONDS: Final = 90
_log = logging.getLogger("pinpoint")


class Watchdog:
    """Looks at the models once per tick. Silence is counted in ticks, so the sleep of a computer does not count."""

    def __init__(
        self,
        models: Callable[[], Sequence[ModelHandle]],
        report: Callable[[ModelHandle, str, bool], None],
        *,
        reported_after: int = REPORTED_AFTER_SECONDS,
        restarted_after: int = RESTARTED_AFTER_SECONDS,
    ) -> None:
        """`report` shows a message to the users of a model (True), and takes it back when it answers again (False)."""
        self._models = models
        self._report = report
        self._reported_after = reported_after
        self._restarted_after = restarted_after
        self._silent: dict[ModelHandle, tuple[int, int]] = {}  # the heartbeat, and for how many ticks it is the same
        self._reported: dict[ModelHandle, Message] = {}
        self._is_closed = threading.Event()

    @property
    def is_any_stuck(self) -> bool:
        """True if a model was reported and does not answer yet."""
        return bool(self._reported)

    def start(self) -> None:
        """Watches in a thread of its own until `close`."""
        repeat(self.tick, TICK_SECONDS, self._is_closed, "watchdog")

    def close(self) -> None:
        """Ends the thread."""
        self._is_closed.set()

    def tick(self) -> None:
        """Looks at all models."""
        models = self._models()
        for gone in [*(self._silent.keys() - set(models))]:
            del self._silent[gone]
            self._reported.pop(gone, None)
        for model in models:
            if model.engine is not None and model.engine.outage is not None:
                self._silent[model] = (-1, 0)
                self._begin(model, _UNREACHABLE)
                continue
            beat = None if model.engine is None else model.engine.heartbeat
            earlier, num_ticks = self._silent.get(model, (None, 0))
            if beat is None or beat != earlier:
                self._silent[model] = (-1 if beat is None else beat, 0)
                self._end(model)
                continue
            self._silent[model] = (beat, num_ticks + 1)
            if num_ticks + 1 == self._reported_after:
                self._begin(model, _silence(num_ticks + 1, self._restarted_after))
            elif num_ticks + 1 >= self._restarted_after and model.engine is not None:
                _log.error(
                    "the model %s has not answered for %d seconds: a new thread starts", model.name, num_ticks + 1
                )
                model.engine.restart(_restart(num_ticks + 1))

    def _begin(self, model: ModelHandle, message: Message) -> None:
        """Reports a model, in the place of an earlier report."""
        if self._reported.get(model) != message:
            self._end(model)
            self._reported[model] = message
            model.is_silent = True
            self._report(model, message, True)

    def _end(self, model: ModelHandle) -> None:
        """Takes the report of a model back, if there is one."""
        if (message := self._reported.pop(model, None)) is not None:
            model.is_silent = False
            self._report(model, message, False)


_UNREACHABLE: Final = Message(
    "The translation servers cannot be reached. Pinpoint tries again at least once a minute and continues as soon as "
    "they answer. Texts are saved as before."
)


def _silence(seconds: int, restarted_after: int) -> Message:
    return Message(
        "The model has not answered for {seconds} seconds. After {limit} seconds it is restarted and the translation "
        "is requested again. Texts are saved as before.",
        seconds=seconds,
        limit=restarted_after,
    )


def _restart(seconds: int) -> Message:
    return Message(
        "the model stopped responding twice, for {seconds} seconds each, and was restarted. Change the constraints, or "
        "open the segment again to translate it.",
        seconds=seconds,
    )
