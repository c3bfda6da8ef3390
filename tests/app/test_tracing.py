"""Traces for OpenTelemetry: spans of requests, the model and the log, in the trace of the caller, without texts."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.errors import AppError, LogError
from app.paths import MODEL_FOLDER
from app.serving.keys import ApiFile
from engine import Request, SearchOptions, Translator, Worker
from engine.text import TextCodec
from tests.e2e.conftest import App, save_random_model

for library in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
    pytest.importorskip(library, reason="it needs requirements-tracing.txt")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: E402
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402
from opentelemetry.trace import StatusCode  # noqa: E402

from app.tracing import Tracing  # noqa: E402

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
SECRET = "Geheimnis"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracing(spans: InMemorySpanExporter) -> Tracing:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return Tracing(provider)


def by_name(spans: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in spans.get_finished_spans()}


def answer(tracing: Tracing, application: Any, path: str = "/api/v1/translate", **headers: str) -> int:
    transport = httpx.ASGITransport(tracing.requests(application), raise_app_exceptions=False)

    async def request() -> int:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.post(f"{path}?q={SECRET}", headers=headers)).status_code

    return asyncio.run(request())


async def fine(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 201, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def broken(scope: Any, receive: Any, send: Any) -> None:
    raise ValueError(SECRET)


def test_request_has_a_span_whose_parent_is_that_of_the_caller(tracing: Tracing, spans: InMemorySpanExporter) -> None:
    answer(tracing, fine, **CALLER, tracestate="vendor=1")
    (span,) = spans.get_finished_spans()
    assert span.name == "POST /api/v1/"
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert dict(span.attributes) == {
        "http.request.method": "POST",
        "http.route": "/api/v1/",
        "url.scheme": "http",
        "http.response.status_code": 201,
    }


@pytest.mark.parametrize("given", ["", "00-0-0-01", f"00-{TRACE}-{PARENT}", f"ff-{TRACE}-{PARENT}-01", "0" * 9999])
def test_parent_that_cannot_be_read_is_left_out(tracing: Tracing, spans: InMemorySpanExporter, given: str) -> None:
    answer(tracing, fine, traceparent=given)
    (span,) = spans.get_finished_spans()
    assert span.parent is None


def test_error_has_its_class_but_no_text(tracing: Tracing, spans: InMemorySpanExporter) -> None:
    answer(tracing, broken, path=f"/download/{SECRET}")
    (span,) = spans.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR and span.attributes["error.type"] == "ValueError"
    assert span.name == "POST /download/" and SECRET not in span.to_json()


def test_health_checks_have_no_span(tracing: Tracing, spans: InMemorySpanExporter) -> None:
    for path in ("/healthz", "/metrics", "/static/app.js"):
        answer(tracing, fine, path)
    assert spans.get_finished_spans() == ()


def test_decoding_has_spans_of_waiting_and_of_the_search(tracing: Tracing, spans: InMemorySpanExporter) -> None:
    worker = tracing.engine(Worker(Translator.load(MODEL_FOLDER)))
    request = Request(f"Open the {SECRET}.", phrases=["Öffnen"], avoid=["Datei"])
    with tracing._tracer.start_as_current_span("command"):
        answered = worker.submit(request, SearchOptions(beam=3), priority="document", owner="Ana").result()
    worker.close()
    assert worker.facts.name == "en-de"
    found = by_name(spans)
    command, waiting, decoding = found["command"], found["wait"], found["decode"]
    assert waiting.parent.span_id == decoding.parent.span_id == command.context.span_id
    assert waiting.end_time == decoding.start_time < decoding.end_time
    attributes = dict(decoding.attributes)
    assert attributes.pop("pinpoint.num_steps") >= 1
    assert attributes == {
        "pinpoint.model": "en-de",
        "pinpoint.beam": 3,
        "pinpoint.num_constraints": 2,
        "pinpoint.priority": "document",
        "pinpoint.status": answered.status,
        "pinpoint.num_tokens": len(answered.hypotheses[0].tokens),
    }
    assert not {SECRET, "Ana"} & set(json.dumps([json.loads(span.to_json()) for span in found.values()]).split('"'))


def test_cancelled_request_that_never_ran_has_no_steps(tracing: Tracing, spans: InMemorySpanExporter) -> None:
    worker = tracing.engine(Worker(Translator.load(MODEL_FOLDER)))
    futures = [worker.submit(Request("Open the large file."), key=str(number)) for number in range(60)]
    worker.cancel("59")
    for future in futures:
        future.result()
    worker.close()
    last = next(s for s in spans.get_finished_spans() if s.attributes.get("pinpoint.status") == "cancelled")
    assert "pinpoint.num_steps" not in last.attributes


def test_transaction_has_a_span_with_its_purpose_only(
    tracing: Tracing, spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    with closing(ApiFile.beside(tmp_path / "log.sqlite")) as keys:
        keys.connection.watch = tracing.writing
        keys.create(SECRET)
        with pytest.raises(LogError), keys.connection.transaction("write"):
            keys.connection.db.execute(f"INSERT INTO {SECRET} VALUES (1)")
    created, failed = spans.get_finished_spans()
    assert dict(created.attributes) == {"pinpoint.purpose": "write the key"}
    assert failed.status.status_code is StatusCode.ERROR and failed.attributes["error.type"] == "LogError"
    assert SECRET not in created.to_json() + failed.to_json()


def test_protocol_that_is_not_offered_is_refused() -> None:
    with pytest.raises(AppError, match="http/protobuf only"):
        Tracing.to_collector({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})


def test_collector_that_cannot_be_reached_delays_the_end_by_a_second_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        tracing = Tracing.to_collector()
        answer(tracing, fine)
        began = time.monotonic()
        tracing.close()
        assert time.monotonic() - began < 5  # the library waits for ten


class Collector(ThreadingHTTPServer):
    """A collector that keeps the spans that it gets by OTLP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), CollectorHandler)
        self.requests: list[ExportTraceServiceRequest] = []
        self.bytes = b""

    def spans(self) -> dict[str, Any]:
        """The spans of the trace of the caller, by name."""
        all_spans = [
            span
            for request in list(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return {span.name: span for span in all_spans if span.trace_id.hex() == TRACE}


class CollectorHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector) and self.path == "/v1/traces"
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bytes += body
        self.server.requests.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_app_sends_traces_to_a_collector_until_it_ends(
    collector: Collector, tmp_path: Path, codec: TextCodec, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.sqlite"
    with closing(ApiFile.beside(log)) as keys:
        key = keys.create(SECRET)[1]
    model = save_random_model(tmp_path / "random-en-de", codec)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")  # the last spans are sent at the end
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    app = App(model, log, "--no-auth", "--api")
    reply = httpx.post(
        f"{app.url}/api/v1/translate",
        json={"target": "de", "source": "en", "texts": [f"A {SECRET}."]},
        headers={"Authorization": f"Bearer {key}", **CALLER},
        trust_env=False,
    )
    assert reply.status_code == 200, reply.text
    app.process.terminate()
    assert app.process.wait(60) == 0
    found = collector.spans()
    assert found.keys() == {"POST /api/v1/", "wait", "decode", "write"}
    assert found["POST /api/v1/"].parent_span_id.hex() == PARENT
    assert found["decode"].parent_span_id == found["wait"].parent_span_id == found["POST /api/v1/"].span_id
    resource = {a.key: a.value.string_value for a in collector.requests[0].resource_spans[0].resource.attributes}
    assert resource["service.name"] == "pinpoint"
    assert SECRET.encode() not in collector.bytes
