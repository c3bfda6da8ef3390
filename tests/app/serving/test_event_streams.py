"""The log of a session as a stream: over real connections, as hang-ups and the end of the server need them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.jsonl import session_jsonl
from app.serving.api_limits import MAX_STREAMS
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from tests.app.serving.conftest import listening


@pytest.fixture
def boss(gateway: ApiGateway, keys: ApiFile) -> Iterator[httpx.Client]:
    """A client whose key, number 1, may export."""
    headers = {"authorization": f"Bearer {keys.create('Boss', may_export=True)[1]}"}
    with listening(gateway) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture
def path(store: LogStore) -> str:
    """The address of the stream of session 1, which has two events."""
    record = store.start_session(OWNER, read_document(b"Open the file.", "manual.txt"), "en-de")
    store.append(OWNER, record.id, "focus", {}, segment=0)
    return f"/api/v1/sessions/{record.id}/events"


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def wait_for_no_stream(gateway: ApiGateway) -> None:
    deadline = time.monotonic() + 60
    while gateway.api.state.context.admission._num_streams[1]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_stream_sends_the_whole_chain_and_then_new_events(boss: httpx.Client, path: str, store: LogStore):
    with boss.stream("GET", path) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        received = events(reply.iter_lines())
        seen = [next(received), next(received)]
        store.append(OWNER, 1, "blur", {"a": "line\nend"}, segment=0)
        seen.append(next(received))
    exported = session_jsonl(OWNER, store, 1).data.decode().splitlines()[1:]
    assert seen == list(map(json.loads, exported))
    assert [each["previous_hash"] for each in seen[1:]] == [each["hash"] for each in seen[:2]]
    with boss.stream("GET", path, params={"after": 2}) as reply:
        assert next(events(reply.iter_lines()))["seq"] == 3
    with boss.stream("GET", path, headers={"last-event-id": "1"}) as reply:
        lines = reply.iter_lines()
        assert next(lines) == "id: 2"


def test_streams_of_a_key_are_limited_and_a_hangup_frees_one(boss: httpx.Client, path: str, gateway: ApiGateway):
    opened = [boss.stream("GET", path) for _ in range(MAX_STREAMS)]
    for stream in opened:
        stream.__enter__()
    refused = boss.get(path)
    assert (refused.status_code, refused.json()["error"]["kind"]) == (429, "too_fast")
    for stream in opened:
        stream.__exit__(None, None, None)
    wait_for_no_stream(gateway)


def test_stream_ends_with_its_session(boss: httpx.Client, path: str, store: LogStore):
    with boss.stream("GET", path) as reply:
        received = events(reply.iter_lines())
        next(received), next(received)
        store.delete_session(1)
        assert list(received) == []


def test_stream_ends_with_the_membership_of_the_person(boss: httpx.Client, path: str, store: LogStore):
    store.people.put("Boss", "translator")
    assert boss.get(path).status_code == 404
    project = store.project_of(OWNER, 1)
    store.people.join("Boss", [project])
    with boss.stream("GET", path) as reply:
        received = events(reply.iter_lines())
        next(received), next(received)
        store.people.leave("Boss", [project])
        store.append(OWNER, 1, "comment", {"text": "not for Boss"}, segment=0)
        assert list(received) == []


def test_stream_ends_with_its_key_and_sends_no_later_event(
    boss: httpx.Client, path: str, keys: ApiFile, store: LogStore
):
    with boss.stream("GET", path) as reply:
        received = events(reply.iter_lines())
        next(received), next(received)
        keys.revoke(1)
        store.append(OWNER, 1, "comment", {"text": "not for Boss"}, segment=0)
        assert list(received) == []


def test_stream_of_a_busy_document_ends_with_its_key(
    boss: httpx.Client, path: str, keys: ApiFile, store: LogStore, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.serving.session_api.POLL_SECONDS", 0.001)
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.002):
            store.append(OWNER, 1, "focus", {}, segment=0)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        with boss.stream("GET", path) as reply:
            received = events(reply.iter_lines())
            next(received), next(received)
            keys.revoke(1)
            revoked_at = time.monotonic()
            for _ in received:
                assert time.monotonic() - revoked_at < 60
    finally:
        is_over.set()
        worker.join()


def test_stream_ends_with_the_server(boss: httpx.Client, path: str, gateway: ApiGateway):
    with boss.stream("GET", path) as reply:
        received = events(reply.iter_lines())
        next(received), next(received)
        gateway.stop()
        assert list(received) == []


def test_streams_need_a_key_that_may_export_and_a_session(boss: httpx.Client, path: str, key: str):
    assert boss.get(path, headers={"authorization": f"Bearer {key}"}).status_code == 403
    assert boss.get(path, headers={"authorization": ""}).status_code == 401
    assert boss.get(path.replace("1/events", "9/events")).status_code == 404
    assert boss.get(path, params={"after": -1}).status_code == 400
