"""Traces for OpenTelemetry: spans of requests, of waiting for the model, of decoding and of writes to the log.

Spans contain numbers and names of our own, never texts, addresses or names of people. The library is an extra: this
module is imported only if traces are wanted.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Final, cast

from app import VERSION
from app.errors import AppError
from app.server_log import QUIET, area
from engine import Engine, Request, SearchOptions

try:
    from opentelemetry.context import Context, get_current
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind, Status, StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise AppError(
        "Traces need the extra `tracing` ({reason}): pip install 'pinpoint[tracing]'", reason=error
    ) from error

Asgi = Callable[[Any, Any, Any], Awaitable[None]]

_PROTOCOL: Final = "http/protobuf"
_PROTOCOL_VARIABLES: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_HEADERS: Final = ("traceparent", "tracestate")
_FLUSH_SECONDS: Final = 1.0  # for the last spans, at the end of the app


class Tracing:
    """Makes the spans of one run. Thread-safe."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("pinpoint", VERSION)
        self._propagator = TraceContextTextMapPropagator()

    @classmethod
    def to_collector(cls, environment: Mapping[str, str] = os.environ) -> Tracing:
        """Sends the spans by OTLP to the collector that the variables of OpenTelemetry name. Raises AppError."""
        for name in _PROTOCOL_VARIABLES:
            if (given := environment.get(name)) not in (None, "", _PROTOCOL):
                raise AppError(
                    "{name} is {given!r}: Pinpoint sends traces by {known} only",
                    name=name,
                    given=given,
                    known=_PROTOCOL,
                )
        # It would write a warning for each attempt; one error for each batch is enough.
        logging.getLogger("opentelemetry.exporter").setLevel(logging.ERROR)
        own = Resource({"service.name": "pinpoint", "service.version": VERSION})
        provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        return cls(provider)

    def close(self) -> None:
        """Sends the last spans, for a second at most; the library itself would retry for longer."""
        flushing = threading.Thread(target=self._provider.force_flush, name="last spans", daemon=True)
        flushing.start()
        flushing.join(_FLUSH_SECONDS)

    def requests(self, application: Asgi) -> Asgi:
        """The same application, with a span for each request; the parent is the `traceparent` of the caller."""

        async def traced(scope: Any, receive: Any, send: Any) -> None:
            place = area(scope["path"]) if scope["type"] == "http" else ""
            if not place or place in QUIET:
                await application(scope, receive, send)
                return
            sent = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            parent = self._propagator.extract({name: sent[name] for name in _HEADERS if name in sent}, Context())
            attributes = {"http.request.method": scope["method"], "http.route": place, "url.scheme": scope["scheme"]}
            with self._tracer.start_as_current_span(
                f"{scope['method']} {place}",
                parent,
                SpanKind.SERVER,
                attributes,
                record_exception=False,  # its message may quote a text
                set_status_on_exception=False,
            ) as span:

                async def send_noted(message: Any) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                        if message["status"] >= 500:
                            span.set_status(Status(StatusCode.ERROR))
                    await send(message)

                try:
                    await application(scope, receive, send_noted)
                except BaseException as error:
                    self._note_error(span, error)
                    raise

        return traced

    def engine(self, engine: Engine) -> Engine:
        """The same engine, with spans for each request and question."""
        return cast(Engine, _TracedEngine(engine, self))

    @contextmanager
    def writing(self, purpose: str) -> Iterator[None]:
        """The span of a transaction in the log or in the file of the keys, with the time that it waits for others."""
        attributes = {"pinpoint.purpose": getattr(purpose, "template", "")}  # without values
        with self._tracer.start_as_current_span(
            "write", attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except BaseException as error:
                self._note_error(span, error)
                raise

    def note_answer(
        self, future: Future[Any], parent: Context, submitted_ns: int, attributes: Mapping[str, Any]
    ) -> None:
        """Makes the spans of an answered request: waiting, and decoding.

        Of copies in other processes, only the sum of both times is known.
        """
        started_ns = getattr(future, "started_ns", 0)
        if started_ns:
            self._tracer.start_span("wait", parent, start_time=submitted_ns).end(started_ns)
        span = self._tracer.start_span("decode", parent, attributes=attributes, start_time=started_ns or submitted_ns)
        if future.cancelled():
            span.set_attribute("pinpoint.status", "cancelled")
        elif (error := future.exception()) is not None:
            self._note_error(span, error)
        else:
            answer = future.result()
            span.set_attribute("pinpoint.status", getattr(answer, "status", "answered"))
            if hypotheses := getattr(answer, "hypotheses", ()):
                span.set_attribute("pinpoint.num_tokens", len(hypotheses[0].tokens))
        if num_steps := getattr(future, "num_steps", 0):
            span.set_attribute("pinpoint.num_steps", num_steps)
        span.end()

    @staticmethod
    def _note_error(span: Any, error: BaseException) -> None:
        span.set_attribute("error.type", type(error).__name__)
        span.set_status(Status(StatusCode.ERROR))


class _TracedEngine:
    """An engine whose requests and questions have spans when they are answered; see `Engine`."""

    def __init__(self, engine: Engine, tracing: Tracing) -> None:
        self._engine = engine
        self._tracing = tracing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def submit(self, request: Request, options: SearchOptions | None = None, **fields: Any) -> Future[Any]:
        used = options or SearchOptions()
        num_constraints = (
            sum(phrase.count for phrase in request.phrases)
            + len(request.avoid)
            + len(request.locked)
            + bool(request.prefix)
            + bool(request.suffix)
        )
        attributes = {"pinpoint.beam": used.beam, "pinpoint.num_constraints": num_constraints}
        return self._traced(lambda: self._engine.submit(request, options, **fields), fields, attributes)

    def ask(self, question: Any, **fields: Any) -> Future[Any]:
        attributes = {"pinpoint.question": type(question).__name__}
        return self._traced(lambda: self._engine.ask(question, **fields), fields, attributes)

    def _traced(
        self, begin: Callable[[], Future[Any]], fields: Mapping[str, Any], attributes: Mapping[str, Any]
    ) -> Future[Any]:
        noted = {
            **attributes,
            "pinpoint.model": self._engine.facts.name,
            "pinpoint.priority": fields.get("priority", "interactive"),
        }
        parent, submitted_ns = get_current(), time.time_ns()
        future = begin()
        future.add_done_callback(lambda done: self._tracing.note_answer(done, parent, submitted_ns, noted))
        return future
