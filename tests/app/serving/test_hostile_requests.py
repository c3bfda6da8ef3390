"""Each field of each address of the HTTP API with wrong values of every kind: an error of the dialect, never 500.

Ana sends them; nothing of Ben's texts may be in an answer.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import uvicorn

from app.models.loading import ModelHandle
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.serving.own_api import PREFIX
from app.text.client_json import MAX_MARKS
from app.ui.server import bind, server_config
from tests import budget
from tests.app.serving.conftest import BASE, Program

SECRET = "Zarquon"  # in the texts of Ben
VALUES: list[Any] = [
    *(None, True, -1, 1.5, 1e308, 2**70),
    *("", "\0", "\u202e", "x" * 20_001, "../../../../etc/passwd", "\r\nSet-Cookie: a=b", "%00{0}%s"),
    *([], {}, [[]], [None], {"": ""}, {"a": {"a": {"a": []}}}, ["x"] * 201, [{"text": ["x"]}], ["\0"]),
]
NUMBERS = ["-1", "9" * 40, "x", "%00", "%2e%2e%2f", "'"]  # instead of a number in an address
# Encodings of a form that Python knows, and which fail in ways of their own or yield half characters.
CHARSETS = ["idna", "punycode", "undefined", "unicode_escape", "utf-7", "zlib_codec", "utf-16", "\0"]


@dataclass(frozen=True)
class Address:
    """An address of a dialect, with fields that are right."""

    method: str
    path: str
    fields: dict[str, Any] = field(default_factory=dict)
    file: bool = False  # whether the fields are a form with a file

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


PAIR = {"source": "en", "target": "de"}
LANGUAGES = {"source_lang": "en", "target_lang": "de"}
STYLE = {"formality": None, "domain": None}
WHOLE_TEXT = {"text": "x", "phrases": ["y"], "avoid": ["z"], "prefix": "", "locked": [], "nbest": 1}
ENTRIES = {"entries": "a\tb", "entries_format": "tsv", **LANGUAGES}
HANDLING = {"tag_handling": "html", "ignore_tags": ["b"], "splitting_tags": ["p"], "split_sentences": "1"}
DEEPL_STYLE = {"formality": "default", "glossary_id": None}
OPUS_CAT = {"srcLangCode": "en", "trgLangCode": "de", "input": "x", "inputIsSingleSentence": "true", "tokenCode": ""}
LIBRE = {**PAIR, "q": "x", "format": "text", "alternatives": 0, "api_key": ""}
APERTIUM = {"q": "x", "langpair": "en|de", "format": "txt", "key": ""}
MTUOC = {**PAIR, "src": "x", "id": 1, "key": ""}
OWN = [
    Address("POST", f"{PREFIX}/translate", {**PAIR, **STYLE, "texts": ["x"], "glossary": None, "splitting": "none"}),
    Address("POST", f"{PREFIX}/prices", {**PAIR, **STYLE, **WHOLE_TEXT}),
    Address("POST", f"{PREFIX}/alternatives", {**PAIR, "text": "x", "translation": "y", "offset": 0, "count": 1}),
    Address("POST", f"{PREFIX}/places", {**PAIR, **WHOLE_TEXT, "translation": "x", "phrase": 0, "count": 1}),
    *(
        Address("GET", f"{PREFIX}/{name}")
        for name in ("models", "usage", "metrics", "documents", "sessions", "assignments", "projects", "jobs")
    ),
    Address("POST", f"{PREFIX}/jobs", {**PAIR, **STYLE, "texts": ["x"], "glossary": None, "splitting": "none"}),
    *(Address(way, f"{PREFIX}/jobs/{{number}}") for way in ("GET", "DELETE")),
    Address("GET", f"{PREFIX}/jobs/{{number}}/result"),
    Address("POST", f"{PREFIX}/documents", {**PAIR, **STYLE, "project": "0"}, file=True),
    Address("GET", f"{PREFIX}/documents/{{number}}"),
    Address("DELETE", f"{PREFIX}/documents/{{number}}"),
    Address("GET", f"{PREFIX}/documents/{{number}}/file", {"proposals": "true"}),
    Address("GET", f"{PREFIX}/assignments/{{number}}"),
    Address("PUT", f"{PREFIX}/assignments/{{number}}", {"person": "Ben", "first": 1, "last": 1}),
    Address("DELETE", f"{PREFIX}/assignments/{{number}}", {"first": "1", "last": "1"}),
    Address("GET", f"{PREFIX}/projects/{{number}}/totals"),
    *(
        Address(way, f"{PREFIX}/{what}/{{number}}/deadline", {"deadline": "2026-12-04T17:00Z"} if way == "PUT" else {})
        for what in ("projects", "sessions")
        for way in ("PUT", "DELETE")
    ),
    Address("GET", f"{PREFIX}/sessions/{{number}}/events", {"after": "0"}),
    Address("GET", f"{PREFIX}/sessions/{{number}}/{{kind}}"),
]
DEEPL = [
    Address("POST", "/v2/translate", {"text": ["x"], **LANGUAGES, **HANDLING, **DEEPL_STYLE, "pinpoint": {}}),
    Address("GET", "/v2/usage"),
    Address("GET", "/v2/languages", {"type": "source"}),
    Address("GET", "/v3/languages", {"resource": "translate_text"}),
    Address("GET", "/v3/languages/resources"),
    Address("GET", "/v2/glossary-language-pairs"),
    Address("POST", "/v2/document", {**LANGUAGES, **DEEPL_STYLE, "output_format": "", "filename": ""}, file=True),
    Address("POST", "/v2/document/{number}", {"document_key": "x"}),
    Address("GET", "/v2/document/{number}/result", {"document_key": "x"}),
    Address("POST", "/v2/document/{number}/result", {"document_key": "x"}),
    Address("POST", "/v2/glossaries", {"name": "n", **ENTRIES}),
    Address("POST", "/v3/glossaries", {"name": "n", "dictionaries": [ENTRIES]}),
    Address("PATCH", "/v3/glossaries/{number}", {"name": "n", "dictionaries": [ENTRIES]}),
    Address("GET", "/v3/glossaries/{number}/entries", LANGUAGES),
    Address("PUT", "/v3/glossaries/{number}/dictionaries", ENTRIES),
    Address("DELETE", "/v3/glossaries/{number}/dictionaries", LANGUAGES),
    Address("GET", "/v2/glossaries/{number}/entries"),
    Address("GET", "/v3/translation_memories", {"page": "0", "page_size": "1"}),
    Address("GET", "/v3/translation_memories/{number}"),
    Address("GET", "/v3/translation_memories/{number}/segments", {"page_cursor": "0", "filter_text": "x"}),
    *(Address("GET", f"/{version}/glossaries") for version in ("v2", "v3")),
    *(Address(way, f"/{version}/glossaries/{{number}}") for way in ("GET", "DELETE") for version in ("v2", "v3")),
]
OTHERS = [
    Address("POST", "/translate", LIBRE),
    Address("POST", "/translate", APERTIUM),
    Address("GET", "/translate", APERTIUM),
    Address("POST", "/translate", MTUOC),
    Address("GET", "/languages"),
    Address("POST", "/detect", {"q": "x", "api_key": ""}),
    *(Address(method, path) for method in ("GET", "POST") for path in ("/listPairs", "/listLanguageNames")),
    *(Address(method, "/list", {"q": "pairs"}) for method in ("GET", "POST")),
    *(Address("GET", f"/MTRestService/{name}", OPUS_CAT) for name in ("Translate", "TranslateJson", "TranslateStream")),
    *(Address("POST", f"/MTRestService/{name}", OPUS_CAT) for name in ("TranslatePost", "PreOrderBatch")),
    *(Address("GET", f"/MTRestService/{name}", OPUS_CAT) for name in ("GetLanguagePairModelTags", "CheckModelStatus")),
    Address("GET", "/MTRestService/ListSupportedLanguagePairs", {"tokenCode": ""}),
    Address("GET", "/MTRestService/Login", {"userName": "x", "password": ""}),
]
MEMORY = "/tmserver/{source}/{target}"
TMSERVER = [
    Address("GET", "/tmserver/languages/"),
    Address("GET", f"{MEMORY}/unit/", {"source": "x", "min_similarity": "1", "max_candidates": "1"}),
    Address("GET", f"{MEMORY}/unit/{{text}}", {"min_similarity": "1", "max_candidates": "1"}),
    *(Address(way, f"{MEMORY}/unit/{{text}}", {"source": "x", "target": "y"}) for way in ("PUT", "POST")),
    Address("POST", f"{MEMORY}/store/{{name}}", {"source": "x", "target": "y"}),
]
ADDRESSES = [*OWN, *DEEPL, *OTHERS, *TMSERVER]
KEY_FIELDS = ("api_key", "key", "tokenCode", "password")


def is_error(reply: httpx.Response, address: Address) -> bool:
    """True if a reply is an error in the form of the address's dialect."""
    if address.path.startswith(("/MTRestService/", "/tmserver/")):
        return reply.headers["content-type"] == "text/plain; charset=utf-8" and 0 < len(reply.text) < 2000
    found = reply.json()
    if address in OWN:
        return found.keys() == {"error"} and found["error"].keys() == {"kind", "message"}
    if address in DEEPL:
        return found.keys() == {"message"}
    return found.keys() == {"error"} or found.keys() == {"status", "code", "message", "explanation"}


class Attack:
    """Sends requests of Ana, and checks each reply."""

    def __init__(self, gateway: ApiGateway, key: str, ben: str) -> None:
        self.gateway = gateway
        self.key = key
        self.ben = ben
        self.failures: list[str] = []

    def send(self, address: Address, attempts: Iterator[tuple[str, dict[str, Any]]]) -> None:
        """One request after the other; each attempt is a path and the arguments of httpx."""

        async def send_all() -> None:
            transport = httpx.ASGITransport(self.gateway, raise_app_exceptions=False, client=("127.0.0.1", 50_000))
            async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=300) as client:
                for path, content in attempts:
                    content["headers"] = {**self.headers(address), **content.get("headers", {})}
                    reply = await client.request(address.method, path, **content)
                    self._check(reply, address, repr((path, content.get("json", content)))[:300])

        asyncio.run(send_all())
        assert not self.failures, "\n".join(self.failures)

    def headers(self, address: Address) -> dict[str, str]:
        if address in OTHERS:
            return {}
        return {"authorization": f"{'DeepL-Auth-Key' if address in DEEPL else 'Bearer'} {self.key}"}

    def _check(self, reply: httpx.Response, address: Address, sent: str) -> None:
        if SECRET in reply.text:
            self.failures.append(f"{sent}: shows a text of Ben")
        if reply.status_code >= 500 and reply.status_code != 503:
            self.failures.append(f"{sent}: {reply.status_code} {reply.text[:200]}")
        elif reply.status_code >= 400 and not is_error(reply, address):
            self.failures.append(f"{sent}: {reply.text[:200]} is no error of the dialect")


@pytest.fixture
def attack(gateway: ApiGateway, keys: ApiFile) -> Attack:
    """Ana, who has no limits, with an id of Ben's."""
    most = {"requests_a_minute": 10**6, "characters_a_day": 10**9}
    ben = Program(gateway, authorization=f"DeepL-Auth-Key {keys.create('Ben', **most)[1]}")
    fields = {"name": SECRET, "entries": f"file\t{SECRET}", **LANGUAGES}
    number = ben.post("/v2/glossaries", json=fields).json()["glossary_id"]
    return Attack(gateway, keys.create("Ana", **most, may_export=True)[1], number)


def sent(address: Address, fields: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Fields in the address, as JSON, or as a form with a file."""
    path = path or address.path.replace("{number}", "1").replace("{kind}", "log")
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
    if address.file:
        yield path, {"data": texts, "files": {"file": ("x.txt", b"Open the file.")}}
        return
    if address.method in ("GET", "DELETE"):
        yield path, {"params": texts}
        return
    yield path, {"json": fields}


def attempts(address: Address, attack: Attack) -> Iterator[tuple[str, dict[str, Any]]]:
    """One wrong field, no field, one more field, and other numbers in the address."""
    good = {name: attack.key if name in KEY_FIELDS else value for name, value in address.fields.items()}
    for number, name in enumerate(good):
        # In `make test`, each field gets a third of the values, and the next field the next third.
        values = VALUES if budget.is_full() else VALUES[number % 3 :: 3]
        for value in [*values, attack.ben]:
            yield from sent(address, {**good, name: value})
        yield from sent(address, {key: value for key, value in good.items() if key != name})
    yield from sent(address, {**good, "\0<b>": ["x"]})
    if "{" in address.path:
        for number in [*NUMBERS, attack.ben]:
            for kind in ("log", "{0}"):
                path = address.path.replace("{number}", number).replace("{kind}", quote(kind))
                yield from sent(address, good, path)
    if address.method in ("POST", "PUT", "PATCH"):
        path = address.path.replace("{number}", attack.ben)
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 50_000, b"9" * 5_000):
            for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data"):
                yield path, {"content": body, "headers": {"content-type": kind}}
        for charset in CHARSETS:
            kind = f"multipart/form-data; boundary=b; charset={charset}"
            fields = "".join(
                f'--b\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\\ud800+2AA-\r\n'
                for name, value in {**good, "text": "x", "q": "x"}.items()
            )
            yield path, {"content": f"{fields}--b--\r\n".encode(), "headers": {"content-type": kind}}


@pytest.mark.parametrize("address", ADDRESSES, ids=str)
def test_wrong_values_get_an_error_of_the_dialect_and_no_text_of_others(address: Address, attack: Attack):
    attack.send(address, attempts(address, attack))


def test_every_address_is_attacked(gateway: ApiGateway):
    described = {
        (method.upper(), path) for path, methods in gateway.api.openapi()["paths"].items() for method in methods
    }
    assert described == {(each.method, each.path) for each in ADDRESSES}


def test_long_request_enters_the_queue_in_parts_and_does_not_stop_others(
    client: Program, model: ModelHandle, monkeypatch: pytest.MonkeyPatch
):
    threads: set[threading.Thread] = set()
    waiting: list[int] = []
    begun: list[Future[Any]] = []
    assert model.engine is not None
    submit = model.engine.submit

    def counted(*arguments: Any, **options: Any) -> Future[Any]:
        threads.add(threading.current_thread())
        begun.append(submit(*arguments, **options))
        waiting.append(sum(not future.done() for future in begun))
        return begun[-1]

    monkeypatch.setattr(model.engine, "submit", counted)
    monkeypatch.setattr("app.serving.translations.SENTENCES_AT_ONCE", 4)
    num_lines = 9
    reply = client.post(f"{PREFIX}/translate", json={**PAIR, "texts": ["Go.\n" * num_lines]})
    assert reply.json()["texts"][0]["translations"][0]["text"].count("\n") == num_lines
    assert len(begun) == num_lines and max(waiting) <= 4
    assert threading.current_thread() not in threads  # which answers the other requests


READS_NO_JSON = ("/MTRestService/PreOrderBatch", "/listLanguageNames")
READS_JSON = [
    each
    for each in ADDRESSES
    if each.method not in ("GET", "DELETE") and not each.file and each.path not in READS_NO_JSON
]


@pytest.mark.parametrize("address", READS_JSON, ids=str)
def test_body_with_very_many_values_is_refused(address: Address, attack: Attack, gateway: ApiGateway):
    body = b'{"q": [' + b"[]," * MAX_MARKS + f'"{attack.key}"]}}'.encode()
    headers = {"content-type": "application/json", **attack.headers(address)}
    reply = Program(gateway).request(
        address.method, address.path.replace("{number}", "1"), content=body, headers=headers
    )
    assert reply.status_code == 400 and "cannot be read as" in reply.text and is_error(reply, address)


def test_sentences_of_a_request_are_limited(client: Program, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.serving.translations.MAX_SENTENCES", 3)
    assert client.post(f"{PREFIX}/translate", json={**PAIR, "texts": ["a\nb", "c"]}).status_code == 200
    refused = client.post(f"{PREFIX}/translate", json={**PAIR, "texts": ["a\nb", "c\nd"]})
    assert refused.status_code == 413 and "more than 3 sentences" in refused.json()["error"]["message"]


@contextmanager
def served(gateway: ApiGateway, *trusted: str) -> Iterator[str]:
    """An address of the API, in a server with the app's settings that trusts these proxies."""
    listener = bind("127.0.0.1", 0)
    server = uvicorn.Server(server_config(gateway, trusted))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/MTRestService/ListSupportedLanguagePairs"
    finally:
        server.should_exit = True
        thread.join()


def test_program_cannot_pretend_to_have_another_address(gateway: ApiGateway, keys: ApiFile):
    keys.create("Ben", address="192.168.1.20")
    for trusted in ((), ("10.0.0.0/8", "::1")):
        with served(gateway, *trusted) as address:
            for forged in ("192.168.1.20", "nowhere", "::1, 192.168.1.20"):
                assert httpx.get(address, headers={"x-forwarded-for": forged}).status_code == 401, forged


def test_trusted_proxy_names_the_address_of_the_client(gateway: ApiGateway, keys: ApiFile):
    keys.create("Ben", address="192.168.1.20")
    with served(gateway, "127.0.0.0/8") as address:
        for named, status in (
            ("192.168.1.20", 200),
            ("9.9.9.9, 192.168.1.20", 200),
            ("192.168.1.20, 9.9.9.9", 401),  # the client itself sent the first one
            ("9.9.9.9", 401),
            ("nowhere", 401),
            ("", 401),
        ):
            assert httpx.get(address, headers={"x-forwarded-for": named}).status_code == status, named
