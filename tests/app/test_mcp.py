"""The command `mcp`: a whole dialogue over the pipes of a process, and messages that are wrong."""

from __future__ import annotations

import argparse
import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from app import VERSION
from app.__main__ import main
from app.cli.mcp_command import TranslationTools
from app.cli.mcp_server import MAX_LINE_BYTES, PROTOCOL_VERSIONS, McpServer, Tool
from app.errors import CommandError
from app.paths import MODEL_FOLDER
from engine import ModelError
from tests.forked import ForkedProcess


class Assistant:
    """Talks to the command as an assistant does."""

    def __init__(self, *flags: str) -> None:
        self.process = ForkedProcess(main, ["mcp", *flags], writes_errors=False)
        self.number = 0

    def send(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        reply = json.loads(self.process.stdout.readline())
        assert (reply["jsonrpc"], reply["id"]) == ("2.0", self.number)
        return dict(reply)

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        assert result["isError"] is False, result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return dict(result["structuredContent"])


def test_assistant_translates_looks_up_terms_and_checks(tmp_path: Path):
    glossary = tmp_path / "terms.csv"
    glossary.write_text("en,de\nfile,Akte\nwindow,Fenster\n")
    ana = Assistant("--glossary", str(glossary))
    begun = ana.ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "test"})["result"]
    assert begun["protocolVersion"] == "2025-03-26" and begun["capabilities"] == {"tools": {}}
    assert begun["serverInfo"] == {"name": "pinpoint", "version": VERSION}
    ana.send({"jsonrpc": "2.0", "method": "notifications/initialized"})  # has no answer
    tools = {tool["name"]: tool["inputSchema"] for tool in ana.ask("tools/list")["result"]["tools"]}
    assert tools.keys() == {"translate", "look_up_terms", "check"}
    assert tools["translate"]["required"] == ["text", "target"] and "phrases" in tools["translate"]["properties"]

    found = ana.call("look_up_terms", text="Open the File.")
    assert found["direction"] == "en-de"
    assert [(term["text"], term["target"]) for term in found["terms"]] == [("File", "Akte")]

    text = "Open the <b>file</b>."
    asked = {"text": text, "target": "de", "phrases": ["bitte"], "avoid": ["Öffnen"], "nbest": 2}
    answer = ana.call("translate", **asked)
    best = answer["translations"][0]["text"]
    assert answer["status"] == "complete" and 1 <= len(answer["translations"]) <= 2
    assert "bitte" in best and "Akte" in best and "Öffnen" not in best and "<b>" in best

    findings = ana.call("check", text="Open window 3.", translation="Öffnen Sie Scheibe 4.")["findings"]
    assert {"numbers", "terms"} <= {finding["check"] for finding in findings}
    assert ana.call("check", text="Open window 3.", translation="Öffnen Sie Fenster 3.")["findings"] == []

    for arguments, says in (
        ({"text": "x", "target": "pt"}, "No model translates into pt"),
        ({"text": "x", "target": "de", "colour": "red"}, "arguments.colour"),
        ({"text": "x", "target": "de", "phrases": [" "]}, "is empty"),
    ):
        wrong = ana.ask("tools/call", name="translate", arguments=arguments)["result"]
        assert wrong["isError"] is True and says in wrong["content"][0]["text"]
    for name, arguments in (("look_up_terms", {}), ("check", {"translation": "x"})):
        wrong = ana.ask("tools/call", name=name, arguments={"text": "x", "source": "de", **arguments})["result"]
        assert wrong["isError"] is True and "target is missing" in wrong["content"][0]["text"]
    ana.process.stdin.close()
    assert ana.process.wait(60) == 0
    assert ana.process.stdout.read() == b""


def test_command_ends_well_while_its_model_is_being_loaded(monkeypatch: pytest.MonkeyPatch):
    """A process that ended while a thread loaded the model was aborted once in twelve times."""
    is_loading, may_load = threading.Event(), threading.Event()

    def load(*_: object) -> None:
        is_loading.set()
        may_load.wait(60)
        raise ModelError("no model here")

    monkeypatch.setattr("app.models.loading.load_translator", load)
    tools = TranslationTools(
        argparse.Namespace(threads=1, glossary=[], glossary_proposals="leave", model=MODEL_FOLDER, device="cpu")
    )
    assert is_loading.wait(60)
    closing = threading.Thread(target=tools.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive(), "it waits for the thread"
    may_load.set()
    closing.join(60)
    assert not closing.is_alive()


class Number(BaseModel):
    value: int


def double(asked: Number) -> dict[str, Any]:
    if asked.value == 13:
        raise CommandError("no 13 here")
    if asked.value == 14:
        raise RuntimeError("secret details")
    return {"value": 2 * asked.value}


SERVER = McpServer([Tool("double", "Doubles a number.", Number, double)])


def call(value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "double", "arguments": value}}


@pytest.mark.parametrize(
    ("message", "code", "says"),
    [
        (b"{", -32700, "not JSON"),
        (b"[" * 100_000, -32700, "not JSON"),
        (b"\xff", -32700, "not JSON"),
        (b"[]", -32600, "not a JSON-RPC"),
        (b'{"id": 1, "method": "ping"}', -32600, "not a JSON-RPC"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, "id"),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, "id"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601, "resources/list"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": ["ping"]}', -32601, "no method"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602, "params"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}', -32602, "'rm', only double"),
        (b"x" * (MAX_LINE_BYTES + 9), -32600, "at most"),
        (json.dumps(call({"value": 14})).encode(), -32603, "standard error"),
    ],
)
def test_wrong_message_gets_an_error_and_the_next_one_is_answered(message: bytes, code: int, says: str):
    answers = io.BytesIO()
    SERVER.serve(io.BytesIO(message + b"\n\n" + json.dumps(call({"value": 4})).encode() + b"\n"), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first["error"]["code"] == code and says in first["error"]["message"]
    assert "secret" not in str(first)
    assert second["result"]["structuredContent"] == {"value": 8}


def test_error_of_a_tool_is_a_result_that_an_assistant_can_read():
    for value, says in (({"value": 13}, "no 13 here"), ({"value": "x"}, "arguments.value"), ([], "not a JSON object")):
        result = SERVER.answer(json.dumps(call(value)).encode())
        assert result and result["result"]["isError"] is True and says in result["result"]["content"][0]["text"]


def test_unknown_version_gets_the_newest_and_notifications_no_answer():
    asked = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}
    answer = SERVER.answer(json.dumps(asked).encode())
    assert answer and answer["id"] == "a" and answer["result"]["protocolVersion"] == PROTOCOL_VERSIONS[0]
    assert SERVER.answer(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}') is None


def test_server_ends_where_nobody_reads_the_answers():
    class Closed(io.BytesIO):
        def write(self, data: Any) -> int:
            raise BrokenPipeError

    lines = io.BytesIO(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n' * 2)
    SERVER.serve(lines, Closed())
    assert lines.read() != b""
