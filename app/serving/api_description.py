"""The OpenAPI description of the HTTP API: FastAPI's, with the errors that each dialect really answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.responses import Response
from fastapi.routing import APIRoute
from fastapi.utils import generate_unique_id

from app.errors import ApiError, ApiErrorKind
from app.serving.api_schemas import shared_schemas

ErrorReply = Callable[[ApiError], Response]
_MESSAGE: Final = "What is wrong, and how to mend it."
_ANYWHERE: Final[tuple[ApiErrorKind, ...]] = (
    *("no_key", "wrong_key", "foreign", "forbidden", "invalid", "too_large", "too_fast", "not_ready", "internal"),
)
_WITH_NUMBER: Final[tuple[ApiErrorKind, ...]] = ("not_found", "in_use")
_WITH_WORK: Final[tuple[ApiErrorKind, ...]] = (*_WITH_NUMBER, "unsupported", "unmet", "used_up", "too_late")


def operation_id(route: APIRoute) -> str:
    """The name of an operation in generated clients: that of its function, with the part of our own API before it."""
    return f"{route.tags[0]}_{route.name}" if route.path.startswith("/api/v1/") else generate_unique_id(route)


def describe(api: FastAPI, error_replies_of: Callable[[str], Sequence[ErrorReply | None]]) -> None:
    """Lets an application describe all its errors. `error_replies_of` returns how those of an address are shown."""
    described = api.openapi

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            found = described()
            schemas = found["components"]["schemas"]
            for path, operations in found["paths"].items():
                for method, operation in operations.items():
                    operation["responses"].pop("422", None)  # FastAPI's, which this API never answers
                    for reply in error_replies_of(path):
                        assert reply is not None, path
                        _add_errors(operation["responses"], schemas, reply, _kinds(method, path))
            schemas |= shared_schemas()
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
        assert api.openapi_schema is not None
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign]


def _kinds(method: str, path: str) -> tuple[ApiErrorKind, ...]:
    """The errors that an operation may answer."""
    if method == "post" or path == "/translate" or path.startswith("/MTRestService/"):
        return (*_ANYWHERE, *_WITH_WORK)
    return (*_ANYWHERE, *_WITH_NUMBER) if "{" in path else _ANYWHERE


def _add_errors(
    responses: dict[str, Any], schemas: dict[str, Any], reply: ErrorReply, kinds: tuple[ApiErrorKind, ...]
) -> None:
    """Describes these errors by their status; each is read from an answer. `schemas` gets the schema of the dialect."""
    name = "".join(part.title() for part in reply.__module__.rpartition(".")[2].split("_")) + "Error"
    for kind in kinds:
        answer = reply(ApiError(kind, _MESSAGE))
        media_type = answer.headers["content-type"].partition(";")[0]
        schema = {"type": "string"}
        if media_type == "application/json":
            schemas[name] = _schema_of(json.loads(bytes(answer.body)))
            schema = {"$ref": f"#/components/schemas/{name}"}
        shown = responses.setdefault(str(answer.status_code), {"description": "", "content": {}})
        if kind not in shown["description"].split(", "):
            shown["description"] += f"{', ' if shown['description'] else ''}{kind}"
        known = shown["content"].setdefault(media_type, {"schema": schema})
        if schema not in (known["schema"], *known["schema"].get("anyOf", ())):
            known["schema"] = {"anyOf": [*known["schema"].get("anyOf", [known["schema"]]), schema]}


def _schema_of(value: Any) -> dict[str, Any]:
    """The schema of values like this one."""
    if isinstance(value, dict):
        parts = {name: _schema_of(each) for name, each in value.items()}
        return {"type": "object", "properties": parts, "required": list(parts)}
    return {"type": "integer"} if isinstance(value, int) else {"type": "string"}
