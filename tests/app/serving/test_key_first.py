"""The HTTP API does nothing with the body of a request before it knows the key."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from app.serving.api_limits import MAX_UNKNOWN_BYTES
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from tests.app.serving.conftest import BASE, Program
from tests.app.serving.test_hostile_requests import ADDRESSES, OTHERS, Address

READS_NO_BODY = {"/languages", "/listLanguageNames"}
LARGE = b'{"q": [' + b"[]," * MAX_UNKNOWN_BYTES  # not JSON: its end is missing
KEYED = [each for each in ADDRESSES if each not in OTHERS]
WITH_FIELDS = [each for each in OTHERS if each.path not in READS_NO_BODY]


def status_of(gateway: ApiGateway, address: Address, headers: list[tuple[bytes, bytes]]) -> int:
    """The status of the reply to a request whose body never comes."""
    path = address.path.replace("{number}", "1").replace("{kind}", "log")
    found: list[int] = []

    async def receive() -> Any:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    scope = {
        "type": "http",
        "method": address.method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", BASE.removeprefix("http://").encode()), (b"content-length", b"1000"), *headers],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 7860),
        "scheme": "http",
        "http_version": "1.1",
    }
    asyncio.run(gateway(scope, receive, send))
    return found[0]


@pytest.mark.parametrize("sent", [b"", b"Bearer pinpoint-wrong", b"DeepL-Auth-Key x"], ids=["none", "wrong", "other"])
def test_key_in_a_header_is_checked_before_the_body_is_read(sent: bytes, gateway: ApiGateway):
    headers = [(b"content-type", b"application/json"), *([(b"authorization", sent)] if sent else [])]
    for address in KEYED:
        assert status_of(gateway, address, headers) in (401, 403), address


def test_large_body_is_not_parsed_without_a_valid_key_in_the_request(gateway: ApiGateway, keys: ApiFile):
    key, text = keys.create("Ana")
    program = Program(gateway)

    def status(address: Address, body: bytes, query: str = "") -> int:
        headers = {"content-type": "application/json"}
        return program.request(address.method, address.path + query, content=body, headers=headers).status_code

    for address in WITH_FIELDS:
        assert status(address, LARGE) in (401, 403), address
        if address.path != "/MTRestService/PreOrderBatch":  # which reads its query only
            assert status(address, LARGE + text.encode()) == 400, f"{address}: it is parsed with a key"
    assert status(WITH_FIELDS[0], LARGE, f"?x={text}") == 400
    other = text[:-1] + ("A" if text[-1] != "A" else "B")
    for sent in (other, text[:-1], f"x{text}", f"{text}x"):
        assert status(WITH_FIELDS[0], LARGE + f" {sent}".encode()) == 403, sent
    keys.revoke(key.id)
    assert status(WITH_FIELDS[0], LARGE + text.encode()) == 403


def test_large_body_from_a_known_address_needs_no_key(gateway: ApiGateway, keys: ApiFile):
    keys.create("Ben", address="192.168.1.20")
    body = json.dumps({"src": "Open the file.", "text": "x" * MAX_UNKNOWN_BYTES})
    headers = {"content-type": "application/json"}
    known, other = (Program(gateway, f"192.168.1.{number}") for number in (20, 21))
    assert known.post("/translate", content=body, headers=headers).status_code == 200
    assert other.post("/translate", content=body, headers=headers).status_code == 403
    foreign = {**headers, "sec-fetch-site": "cross-site"}
    assert known.post("/translate", content=body, headers=foreign).status_code == 403


def test_small_body_without_a_key_is_answered_in_its_dialect(gateway: ApiGateway):
    reply = Program(gateway).post("/translate", data={"q": "x" * 1000, "langpair": "en|de"})
    assert reply.status_code == 401 and "no key" in reply.json()["explanation"]
