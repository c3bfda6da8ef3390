"""The server side of the Model Context Protocol over pipes, for a program that offers tools to an assistant.

The protocol is JSON-RPC 2.0 with one message a line. This is the part of it that a local server with tools needs; the
official package would bring ten more, such as cryptography and telemetry.
Specification: https://modelcontextprotocol.io/specification/2025-06-18
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from pydantic import BaseModel

from app import VERSION
from app.errors import AppError
from app.serving.api_schemas import parsed
from engine import EngineError

Json = dict[str, Any]

PROTOCOL_VERSIONS: Final = ("2025-06-18", "2025-03-26", "2024-11-05")  # the newest first
MAX_LINE_BYTES: Final = 2**20
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603
_LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: `run` gets the checked arguments and returns JSON. It may raise AppError and EngineError."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Any], Json]


class _ProtocolError(Exception):
    """A message that cannot be answered with a result; `code` is JSON-RPC's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpServer:
    """Answers the messages of one assistant, one after the other."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._methods: Mapping[str, Callable[[Json], Json]] = {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/list": self._list,
            "tools/call": self._call,
        }

    def serve(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Answers until the input ends or the output is closed."""
        while line := source.readline(MAX_LINE_BYTES + 1):
            is_too_long = len(line) > MAX_LINE_BYTES
            while is_too_long and line and not line.endswith(b"\n"):
                line = source.readline(MAX_LINE_BYTES)
            if not is_too_long and not line.strip():
                continue
            problem = f"a message has at most {MAX_LINE_BYTES:,} bytes"
            answer = _error(None, _INVALID_REQUEST, problem) if is_too_long else self.answer(line)
            if answer is not None:
                try:
                    target.write(json.dumps(answer).encode("ascii") + b"\n")
                    target.flush()
                except BrokenPipeError:
                    return

    def answer(self, line: bytes) -> Json | None:
        """The answer to one message; None for a notification."""
        number: Any = None
        try:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _ProtocolError(_PARSE_ERROR, "the message is not JSON") from error
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise _ProtocolError(_INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request")
            if "id" not in message:
                return None  # such as notifications/initialized
            if isinstance(message["id"], bool) or not isinstance(message["id"], str | int):
                raise _ProtocolError(_INVALID_REQUEST, "id is neither text nor an integer")
            number, method, params = message["id"], message.get("method"), message.get("params", {})
            if not isinstance(method, str) or method not in self._methods:
                raise _ProtocolError(_NO_METHOD, f"there is no method {str(method)[:80]!r}")
            if not isinstance(params, dict):
                raise _ProtocolError(_INVALID_PARAMS, "params is not an object")
            return {"jsonrpc": "2.0", "id": number, "result": self._methods[method](params)}
        except _ProtocolError as error:
            return _error(number, error.code, str(error))
        except Exception:  # a mistake of ours must not end the assistant's session
            _LOGGER.exception("a message could not be answered")
            return _error(number, _INTERNAL, "internal error; standard error has the details")

    @staticmethod
    def _initialize(params: Json) -> Json:
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "pinpoint", "version": VERSION},
        }

    @staticmethod
    def _ping(params: Json) -> Json:
        return {}

    def _list(self, params: Json) -> Json:
        described = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.arguments.model_json_schema()}
            for tool in self._tools.values()
        ]
        return {"tools": described}

    def _call(self, params: Json) -> Json:
        """The result of a tool, also as text. An error of the tool is a result, so that the assistant can read it."""
        name = params.get("name")
        if not isinstance(name, str) or name not in self._tools:
            raise _ProtocolError(_INVALID_PARAMS, f"there is no tool {str(name)[:80]!r}, only {', '.join(self._tools)}")
        tool = self._tools[name]
        try:
            result = tool.run(parsed(tool.arguments, params.get("arguments", {}), "arguments"))
        except (AppError, EngineError) as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
        text = json.dumps(result, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "structuredContent": result, "isError": False}


def _error(number: Any, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
