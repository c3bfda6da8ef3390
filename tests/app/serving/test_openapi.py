"""The OpenAPI description: keys, bodies, errors and examples, a generated client, and random requests by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from app.log.store import LogStore
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.serving.own_api import PREFIX
from tests.app.serving.conftest import Program, listening

DESCRIPTION = f"{PREFIX}/openapi.json"
# In environments of their own, as they need other versions of packages that the app uses.
GENERATOR = "openapi-python-client==0.29.1"
RANDOM_REQUESTS = "schemathesis==4.32.5"
PUBLIC = {"/languages", "/listPairs", "/list", "/listLanguageNames"}  # lists of languages, as the clients expect them
WITHOUT_BODY = {"/listPairs", "/listLanguageNames", "/MTRestService/TranslatePost", "/MTRestService/PreOrderBatch"}


@pytest.fixture
def described(gateway: ApiGateway) -> dict[str, Any]:
    return gateway.api.openapi()


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_operation_describes_its_key_its_body_and_its_errors(described: dict[str, Any]):
    for path, method, operation in operations(described):
        shown = f"{method} {path}"
        assert bool(operation.get("security")) == (path not in PUBLIC), shown
        takes_body = method in ("post", "put", "patch") and path not in WITHOUT_BODY
        assert ("requestBody" in operation) == takes_body, shown
        assert {"400", "413", "429", "500", "503"} <= operation["responses"].keys(), shown
        for status, reply in operation["responses"].items():
            assert status < "400" or all(each["schema"] for each in reply["content"].values()), shown
    names = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(set(names)) == len(names) > 50
    assert "HTTPValidationError" not in described["components"]["schemas"]


def test_every_other_address_needs_a_key(gateway: ApiGateway):
    anybody = Program(gateway)
    described = {path: methods.keys() for path, methods in gateway.api.openapi()["paths"].items()}
    for path, methods in (described | {DESCRIPTION: ["get"]}).items():
        asked = path.replace("{number}", "1").replace("{kind}", "document")
        for method in methods:
            status = anybody.request(method.upper(), asked).status_code
            assert status == 200 if path in PUBLIC else status in (401, 403), (method, path, status)
    assert len(described) > 30 and described.keys() >= PUBLIC


def example_of(described: dict[str, Any], schema: dict[str, Any]) -> Any:
    """An object with the examples of its fields."""
    if "$ref" in schema:
        return example_of(described, described["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    examples = {name: each["examples"][0] for name, each in schema["properties"].items() if "examples" in each}
    assert examples.keys() >= set(schema.get("required", ())), schema
    return examples


def test_the_examples_of_all_bodies_and_addresses_are_answered(
    gateway: ApiGateway, described: dict[str, Any], key: str
):
    keys = {"api_key": key, "key": key, "tokenCode": key, "password": key}
    num_sent = 0
    for path, method, operation in operations(described):
        if "{" in path or ("DeepLKey" in str(operation.get("security")) and path.startswith("/v2/document")):
            continue  # these need something that exists, or a file
        scheme = "DeepL-Auth-Key" if path.startswith(("/v2/", "/v3/")) else "Bearer"
        program = Program(gateway, authorization=f"{scheme} {key}")
        parameters = {
            each["name"]: each["schema"]["examples"][0] for each in operation.get("parameters", ()) if each["required"]
        }
        content = operation.get("requestBody", {}).get("content", {})
        (schema,) = [content["application/json"]["schema"]] if "application/json" in content else [None]
        if not path.startswith(("/v2/", "/v3/")):
            parameters |= keys
        for each in [None] if schema is None else schema.get("anyOf", [schema]):
            if path == "/translate" and method == "get":
                parameters |= {"q": "Open the file.", "langpair": "en|de"}
            asked = {} if each is None else {"json": example_of(described, each)}
            reply = program.request(method.upper(), path, params=parameters, **asked)
            if path in (f"{PREFIX}/sessions", f"{PREFIX}/assignments", f"{PREFIX}/projects"):
                assert reply.status_code == 403, path  # only with a key that may export
            elif f"{PREFIX}/documents" == path and method == "post":
                assert "multipart/form-data" in reply.text
            else:
                assert reply.is_success, (method, path, reply.text)
            num_sent += 1
    assert num_sent > 30


def tool(*command: str, packages: str, cwd: Path, timeout_s: float = 600) -> str:
    """The output of a program of published packages, in an environment of its own."""
    run = [find_uv_bin(), "run", "--no-project", "--python", sys.executable, "--with", packages, *command]
    done = subprocess.run(run, cwd=cwd, capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{done.stderr[-4000:]}"
    return done.stdout + done.stderr


@pytest.mark.full
def test_a_generated_client_translates_texts_and_documents(gateway: ApiGateway, key: str, tmp_path: Path):
    (tmp_path / "settings.yaml").write_text("post_hooks: []\n")
    with listening(gateway) as address:
        (tmp_path / "api.json").write_text(Program(gateway, authorization=f"Bearer {key}").get(DESCRIPTION).text)
        generate = ("generate", "--path", "api.json", "--output-path", "client", "--meta", "none")
        output = tool("openapi-python-client", *generate, "--config", "settings.yaml", packages=GENERATOR, cwd=tmp_path)
        assert "WARNING" not in output, output
        (tmp_path / "use.py").write_text((Path(__file__).parent / "generated_client.py").read_text(encoding="utf-8"))
        tool("python", "use.py", address, key, packages=GENERATOR, cwd=tmp_path)


CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"),
    *("response_headers_conformance", "unsupported_method"),
)


@pytest.mark.full
@pytest.mark.parametrize(("prefix", "scheme"), [(PREFIX, "Bearer"), ("/v[23]", "DeepL-Auth-Key"), ("/[^av]", "Bearer")])
def test_random_requests_get_only_described_answers(
    gateway: ApiGateway, keys: ApiFile, store: LogStore, tmp_path: Path, prefix: str, scheme: str
):
    key = keys.create("Ana", may_export=True, requests_a_minute=1_000_000)[1]
    (tmp_path / "api.json").write_text(Program(gateway, authorization=f"Bearer {key}").get(DESCRIPTION).text)
    with listening(gateway) as address:
        command = ("schemathesis", "run", "api.json", "--url", address, "--header", f"Authorization: {scheme} {key}")
        options = ("--include-path-regex", f"^{prefix}", "--exclude-path-regex", "/events$", "--seed", "1")
        tool(
            *command, *options, "--checks", ",".join(CHECKS), "--max-examples", "10", "--phases", "examples,fuzzing",
            packages=RANDOM_REQUESTS, cwd=tmp_path,
        )  # fmt: skip
