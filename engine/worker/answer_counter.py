"""Counts what an engine has answered and how fast, for its statistics."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from engine.any_engine import EngineStatistics
from engine.translation import Translation

_NUM_REMEMBERED = 1000  # latencies in the statistics
_RECENT_S = 60.0


class AnswerCounter:
    """Counts the answers of an engine and how long they took. Not thread-safe."""

    def __init__(self) -> None:
        self._num_answered = 0
        self._num_failed = 0
        self._latencies_ms: deque[float] = deque(maxlen=_NUM_REMEMBERED)
        self._written: deque[tuple[int, float]] = deque(maxlen=_NUM_REMEMBERED)  # tokens, and milliseconds
        self._answered_at: deque[float] = deque()
        self._started_at = time.perf_counter()

    def count(self, submitted_at: float, answer: object, *, is_interactive: bool, is_failure: bool) -> None:
        """Counts an answer that is given now; `submitted_at` is on the clock of `time.perf_counter`."""
        now = time.perf_counter()
        self._num_answered += 1
        self._num_failed += is_failure
        if is_interactive:
            self._latencies_ms.append((now - submitted_at) * 1000)
        if isinstance(answer, Translation) and answer.hypotheses:
            self._written.append((len(answer.hypotheses[0].tokens), answer.elapsed_ms))
        self._answered_at.append(now)
        self._forget_old_answers(now)

    def statistics(self, queue_length: int, num_running: int, num_steps: int) -> EngineStatistics:
        """The figures of now, with the present load."""
        now = time.perf_counter()
        self._forget_old_answers(now)
        latencies = sorted(self._latencies_ms)
        return EngineStatistics(
            queue_length=queue_length,
            num_running=num_running,
            num_answered=self._num_answered,
            num_failed=self._num_failed,
            num_steps=num_steps,
            median_latency_ms=_quantile(latencies, 0.5),
            p95_latency_ms=_quantile(latencies, 0.95),
            answers_per_second=len(self._answered_at) / max(1e-9, min(_RECENT_S, now - self._started_at)),
            tokens_per_second=self._tokens_per_second(),
        )

    def _tokens_per_second(self) -> float | None:
        num_tokens, elapsed_ms = (sum(each) for each in zip((0, 0.0), *self._written, strict=True))
        return num_tokens / elapsed_ms * 1000 if elapsed_ms else None

    def _forget_old_answers(self, now: float) -> None:
        while self._answered_at and self._answered_at[0] < now - _RECENT_S:
            self._answered_at.popleft()


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None
