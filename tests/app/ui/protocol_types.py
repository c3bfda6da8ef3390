"""python -m tests.app.ui.protocol_types: writes the TypeScript types of the protocol, used to check the page's scripts.

The models of commands, questions and replies are the source, by way of pydantic's JSON schema.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from app.ui.commands import COMMANDS
from app.ui.commands.command import CommandMessage, SessionCommand
from app.ui.glossary_api import QUESTIONS
from app.ui.glossary_results import ColumnsQuestion, ImportReport
from app.ui.page_state import SnapshotReply
from app.ui.project_results import BegunArchive
from app.ui.questions import (
    AskAlternatives,
    AskCompletion,
    AskPlaces,
    AskPreview,
    AskRecord,
    AskRevision,
    Changes,
    Hello,
)
from app.ui.replies import ErrorReply
from app.ui.results import SessionReplay, SessionReport, ShownSession
from app.ui.server import STATIC_FOLDER

FILE = STATIC_FOLDER / "core" / "protocol.d.ts"
_HEAD = "// The messages of page and server. Written by `python -m tests.app.ui.protocol_types`; do not edit.\n"
_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_SHARED = "CommandFields"


def results() -> dict[str, dict[str, Any]]:
    """The type of each result, by interface and by the name that the page uses. None: the reply has no result."""
    return {
        "CommandResults": {name: model.result for name, model in COMMANDS.items()},
        "GlossaryResults": {name: model.result for name, model in QUESTIONS.items()},
        "RecordResults": {"report": SessionReport, "replay": SessionReplay},
        "FunctionResults": {
            "hello": ShownSession,
            "alternatives": AskAlternatives.result,
            "places": AskPlaces.result,
            "completion": AskCompletion.result,
            "preview": AskPreview.result,
            "upload": ImportReport | ColumnsQuestion,
            "archive": BegunArchive,
        },
    }


def protocol_types() -> str:
    """The text of protocol.d.ts."""
    kinds: dict[str, list[Any]] = {
        "Command": [*COMMANDS.values()],
        "GlossaryMessage": [*QUESTIONS.values()],
        "Question": [Hello, Changes, AskAlternatives, AskPlaces, AskCompletion, AskRevision, AskRecord, AskPreview],
        "Reply": [SnapshotReply, ErrorReply],
    }
    commands = {model.__name__ for model in COMMANDS.values()}
    definitions: dict[str, Any] = {}
    parts = []
    for name, models in kinds.items():
        for model in models:
            schema = TypeAdapter(model).json_schema(ref_template="{model}")
            definitions |= schema.pop("$defs", {})
            definitions[model.__name__] = schema
        union = "".join(f"\n  | {model.__name__}" for model in models)
        parts.append(f"export type {name} ={union};\n")
    switches = (f"'{name}'" for name, model in COMMANDS.items() if issubclass(model, SessionCommand))
    parts.append(f"export type SessionCommandName = {' | '.join(switches)};\n")
    for name, types in results().items():
        rows = []
        for key, of in types.items():
            schema = TypeAdapter(of).json_schema(ref_template="{model}", mode="serialization")
            definitions |= schema.pop("$defs", {})
            if "properties" in schema:  # not a reference yet
                definitions[of.__name__] = schema
                schema = {"$ref": of.__name__}
            rows.append(f"  {key}: {_type(schema).replace('null', 'undefined')};\n")
        parts.append(f"export interface {name} {{\n{''.join(rows)}}}\n")
    shared = TypeAdapter(CommandMessage).json_schema()
    interfaces = [
        _declaration(name, schema, shared if name in commands else None) for name, schema in sorted(definitions.items())
    ]
    return "\n".join([_HEAD, *parts, _declaration(_SHARED, shared), *interfaces])


def _declaration(name: str, schema: dict[str, Any], base: dict[str, Any] | None = None) -> str:
    """An interface, without the fields that it has in common with `base`."""
    comment = _comment(schema.get("description", ""))
    if "properties" not in schema:
        return f"{comment}export type {name} = {_type(schema)};\n"
    rows, inherited = _rows(schema), _rows(base) if base else []
    extends = f" extends {_SHARED}" if base else ""
    return f"{comment}export interface {name}{extends} {{\n{''.join(row for row in rows if row not in inherited)}}}\n"


def _rows(schema: dict[str, Any]) -> list[str]:
    required = schema.get("required", ())
    return [
        f"  {field}{'' if field in required else '?'}: {_type(of)};\n" for field, of in schema["properties"].items()
    ]


def _type(schema: dict[str, Any]) -> str:
    """The TypeScript type of a JSON schema, of the kinds that the models use. Raises ValueError for any other."""
    if "$ref" in schema:
        return str(schema["$ref"])
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(map(_literal, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if kind == "array":
        item = _type(schema["items"])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return f"Record<string, {'unknown' if values is True else _type(values)}>"
    if kind in _SCALARS:
        return _SCALARS[kind]
    raise ValueError(f"no TypeScript type for {schema!r}: add a rule")


def _literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


def _comment(text: str) -> str:
    first, *others = text.strip().splitlines() or [""]
    if not first:
        return ""
    return "\n *".join([f"/** {first}", *(f" {line}".rstrip() for line in others)]) + " */\n"


if __name__ == "__main__":
    FILE.write_text(protocol_types(), encoding="utf-8")
