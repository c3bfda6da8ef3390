"""Counts for Prometheus, read by its own parser."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app import VERSION
from app.serving.gateway import ApiGateway
from app.serving.own_api import PREFIX
from tests.app.serving.conftest import Program


def numbers(text: str) -> dict[tuple[str, ...], float]:
    """The value of each sample, by its name and the values of its labels."""
    families = text_string_to_metric_families(text)
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_requests_and_work_are_counted_without_texts_and_names(gateway: ApiGateway, client: Program, key: str):
    metrics = gateway.api.state.context.metrics
    before = numbers(metrics.text().decode())
    counted = Program(metrics.counting(gateway), **client.headers)
    fields = {"source": "en", "target": "de", "texts": ["The secret file could not be opened."]}
    assert counted.post(f"{PREFIX}/translate", json=fields).status_code == 200
    assert counted.get("/").text == "the page"
    assert counted.get(f"{PREFIX}/usage", headers={"authorization": "Bearer guess"}).status_code == 401
    reply = counted.get(f"{PREFIX}/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = numbers(reply.text)
    assert found["pinpoint_version", VERSION] == 1
    assert found["pinpoint_http_requests_total", "api", "200"] == 1
    assert found["pinpoint_http_requests_total", "api", "401"] == 1
    assert found["pinpoint_http_requests_total", "page", "200"] == 1
    assert found["pinpoint_http_requests_open",] == 1  # this one
    assert found["pinpoint_http_request_seconds_count", "api"] == 2
    assert found["pinpoint_http_request_seconds_bucket", "api", "+Inf"] == 2
    assert 0 < found["pinpoint_http_request_seconds_sum", "api"] < 60
    assert found["pinpoint_model_ready", "en-de"] == 1 and found["pinpoint_model_queue_length", "en-de"] == 0
    for name in ("answers", "decoding_steps"):
        name = f"pinpoint_model_{name}_total"
        assert found[name, "en-de"] > before[name, "en-de"]
    assert found["pinpoint_memory_bytes",] > 1e8 and found["pinpoint_open_documents",] == 0
    assert not any(secret in reply.text for secret in ("secret", "Ana", key, "Datei"))
    assert client.get(f"{PREFIX}/metrics", headers={"authorization": ""}).status_code == 401


def test_request_that_crashes_counts_as_an_error(gateway: ApiGateway):
    metrics = gateway.api.state.context.metrics

    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("broken")

    program = Program(metrics.counting(broken))
    with pytest.raises(RuntimeError):
        program.get("/")
    assert numbers(metrics.text().decode())["pinpoint_http_requests_total", "page", "500"] == 1
