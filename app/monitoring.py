"""Counts of requests and of work, for Prometheus: numbers only, without texts, names of people, or documents.

The requests are counted here; the library that writes the text takes 80 ms to import, so it waits for the first reader.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import psutil

from app import VERSION
from app.sessions import Sessions

if TYPE_CHECKING:
    from prometheus_client import Metric

Asgi = Callable[[Any, Any, Any], Awaitable[None]]

AREA: Final = "pinpoint.area"  # of a request, in its ASGI scope; without it, the page's
_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)  # seconds
_MODEL_GAUGES: Final = {
    "queue_length": "Requests that wait for the model.",
    "num_running": "Requests that the model works on.",
}
_MODEL_COUNTERS: Final = {
    "num_answered": ("answers", "Requests that the model has answered."),
    "num_failed": ("failures", "Requests that ended with an error of the model."),
    "num_steps": ("decoding_steps", "Decoding steps, each with all sentences of a batch."),
}


class Metrics:
    """The counts of one run. Requests are counted on the server's thread; `text` may be called from any."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._process = psutil.Process()
        self._num_requests: Counter[tuple[str, str]] = Counter()  # by area and status
        self._num_open = 0
        self._num_by_bucket: dict[str, list[int]] = {}  # by area, not cumulative; the last one has no limit
        self._seconds: dict[str, float] = {}  # by area

    def counting(self, application: Asgi) -> Asgi:
        """The same application, with its requests counted."""

        async def counted(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await application(scope, receive, send)
                return
            status = "500"  # where an exception ends the request

            async def send_noted(message: Any) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = str(message["status"])
                await send(message)

            started = time.perf_counter()
            self._num_open += 1
            try:
                await application(scope, receive, send_noted)
            finally:
                self._num_open -= 1
                self._add(scope.get(AREA, "page"), status, time.perf_counter() - started)

        return counted

    def text(self) -> bytes:
        """All counts in the text format of Prometheus, version 0.0.4."""
        from prometheus_client import CollectorRegistry, generate_latest

        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """The counts as the library wants them."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        def gauge(name: str, description: str, value: float) -> Metric:
            return GaugeMetricFamily(f"pinpoint_{name}", description, value=value)

        version = GaugeMetricFamily("pinpoint_version", "The version of Pinpoint, as a label.", labels=["version"])
        version.add_metric([VERSION], 1)
        yield version
        requests = CounterMetricFamily("pinpoint_http_requests", "Requests answered.", labels=["area", "status"])
        for (area, status), number in sorted(self._num_requests.items()):
            requests.add_metric([area, status], number)
        yield requests
        seconds = HistogramMetricFamily("pinpoint_http_request_seconds", "Seconds of requests.", labels=["area"])
        for area, numbers in sorted(self._num_by_bucket.items()):
            limits = [*map(str, _BUCKETS), "+Inf"]
            totals = [sum(numbers[: place + 1]) for place in range(len(numbers))]
            seconds.add_metric([area], list(zip(limits, totals, strict=True)), self._seconds[area])
        yield seconds
        yield gauge("http_requests_open", "Requests that are being answered.", self._num_open)
        yield from self._of_models()
        yield gauge("open_documents", "Documents that are open.", len(self._sessions.workspaces.all()))
        yield gauge("documents", "Documents in the log.", self._sessions.store.num_sessions())
        with self._process.oneshot():
            yield gauge("memory_bytes", "Resident memory of the server.", self._process.memory_info().rss)
            yield gauge("threads", "Threads of the server.", self._process.num_threads())
            times = self._process.cpu_times()
        yield CounterMetricFamily("pinpoint_cpu_seconds", "Processor time of the server.", times.user + times.system)

    def _of_models(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        models = self._sessions.models.status()
        ready = GaugeMetricFamily("pinpoint_model_ready", "1 if the model can translate.", labels=["model"])
        for status in models:
            ready.add_metric([status["model"]], status["state"] == "ready")
        yield ready
        for field, description in _MODEL_GAUGES.items():
            family = GaugeMetricFamily(f"pinpoint_model_{field.removeprefix('num_')}", description, labels=["model"])
            for status in models:
                if field in status:
                    family.add_metric([status["model"]], status[field])
            yield family
        for field, (name, description) in _MODEL_COUNTERS.items():
            counter = CounterMetricFamily(f"pinpoint_model_{name}", description, labels=["model"])
            for status in models:
                if field in status:
                    counter.add_metric([status["model"]], status[field])
            yield counter

    def _add(self, area: str, status: str, seconds: float) -> None:
        self._num_requests[area, status] += 1
        self._num_by_bucket.setdefault(area, [0] * (len(_BUCKETS) + 1))[bisect_left(_BUCKETS, seconds)] += 1
        self._seconds[area] = self._seconds.get(area, 0.0) + seconds
