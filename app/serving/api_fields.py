"""Fields that dialects read one by one: an `ApiField` reads a value, and describes it for OpenAPI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from app.errors import ApiError
from app.serving.api_limits import MAX_TEXTS

T = TypeVar("T")
JSON: Final = "application/json"
_STRING: Final = {"type": "string"}


@dataclass(frozen=True, slots=True)
class ApiField(Generic[T]):
    """A field of a request. `read` takes the name and the value, which is None if it is missing, or raises ApiError."""

    name: str
    schema: Mapping[str, Any]
    read: Callable[[str, Any], T]
    is_required: bool = False

    def of(self, fields: Mapping[str, Any]) -> T:
        """The value in the fields of a request. Raises ApiError."""
        return self.read(self.name, fields.get(self.name))


def text_field(name: str, about: str = "", *, default: str | None = None, example: str | None = None) -> ApiField[str]:
    """A field that is a text; it is required if it has no default."""

    def read(name: str, value: Any) -> str:
        value = default if value is None else value
        if not isinstance(value, str):
            raise ApiError("invalid", f"{name} is missing." if value is None else f"{name} is not a text.")
        return value

    return ApiField(name, _described(_STRING, about, example), read, default is None)


def optional_field(name: str, about: str = "") -> ApiField[str]:
    """A field that is a text; "" without it."""
    return text_field(name, about, default="")


def choice_field(name: str, choices: Mapping[str, T], default: str = "", about: str = "") -> ApiField[T]:
    """A field that names one of the choices. Numbers and booleans count as their texts, true as 1."""
    shown = list(filter(None, choices))

    def read(name: str, value: Any) -> T:
        found = default if value is None else str(int(value)) if isinstance(value, bool) else str(value)
        if found not in choices:
            raise ApiError("invalid", f"{name} is {found[:40]!r}; it must be one of {', '.join(shown)}.")
        return choices[found]

    is_required = default not in choices
    schema = _described({**_STRING, "enum": shown}, about, shown[0] if is_required else None)
    return ApiField(name, schema, read, is_required)


def boolean_field(name: str, default: bool, about: str = "") -> ApiField[bool]:
    """A field that is true or false, in a form as text."""

    def read(name: str, value: Any) -> bool:
        shown = str(default if value is None else value).lower()
        if shown not in ("true", "1", "false", "0"):
            raise ApiError("invalid", f"{name} is {shown[:40]!r}; it must be true or false.")
        return shown in ("true", "1")

    return ApiField(name, _described({"type": "boolean", "default": default}, about), read)


def names_field(name: str, most: int, about: str = "") -> ApiField[list[str]]:
    """A field that is a list of names, or names separated by commas."""

    def read(name: str, value: Any) -> list[str]:
        value = value or []
        found = value.split(",") if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise ApiError("invalid", f"{name} is not a list of names.")
        if len(found) > most:
            raise ApiError("too_large", f"{name} has {len(found):,} names; at most {most} are allowed.")
        return [each.strip() for each in found if each.strip()]

    return ApiField(name, _described({"type": "array", "items": _STRING, "maxItems": most}, about), read)


def texts_field(name: str, about: str, example: list[str]) -> ApiField[list[str]]:
    """A required field that is a text or a list of texts."""

    def read(name: str, value: Any) -> list[str]:
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
            problem = "is missing" if value is None else "is not a text or a list of texts"
            raise ApiError("invalid", f"{name} {problem}.")
        if len(found) > MAX_TEXTS:
            raise ApiError("too_large", f"{name}: a request has at most {MAX_TEXTS} texts, not {len(found)}.")
        return found

    several = {"type": "array", "items": _STRING, "minItems": 1, "maxItems": MAX_TEXTS}
    return ApiField(name, _described({"anyOf": [several, _STRING]}, about, example), read, is_required=True)


def number_field(name: str, most: int, about: str = "") -> ApiField[int]:
    """A field that is a number from 0 to `most`, below 10,000; 0 without it."""

    def read(name: str, value: Any) -> int:
        found = "0" if value in (None, "") else str(value)
        if not re.fullmatch("[0-9]{1,4}", found) or int(found) > most:
            raise ApiError("invalid", f"{name} is not a number below {most + 1}.")
        return int(found)

    return ApiField(name, _described({"type": "integer", "minimum": 0, "maximum": most}, about), read)


def raw_field(name: str, schema: Mapping[str, Any], *, is_required: bool = False) -> ApiField[Any]:
    """A field whose value its caller reads."""
    return ApiField(name, schema, lambda _, value: value, is_required)


def ignored_field(name: str) -> ApiField[Any]:
    """A field that clients may send, and that changes nothing."""
    return raw_field(name, {"description": "Accepted for compatibility; it has no effect."})


def object_of(*fields: ApiField[Any]) -> dict[str, Any]:
    """The JSON schema of an object with these fields."""
    required = [each.name for each in fields if each.is_required]
    properties = {each.name: dict(each.schema) for each in fields}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def body(*fields: ApiField[Any]) -> dict[str, Any]:
    """The description of an operation that reads these fields from its body.

    Only JSON is described: a client that openapi-python-client generates for two types of a body cannot be imported.
    """
    return body_of(object_of(*fields))


def body_of(schema: Mapping[str, Any], media_type: str = JSON) -> dict[str, Any]:
    """The description of an operation whose body has this schema."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


def query(*fields: ApiField[Any]) -> dict[str, Any]:
    """The description of an operation that reads these fields from its address."""
    return {
        "parameters": [
            {"name": each.name, "in": "query", "required": each.is_required, "schema": each.schema} for each in fields
        ]
    }


def _described(schema: Mapping[str, Any], about: str, example: Any = None) -> dict[str, Any]:
    shown = {"description": about} if about else {}
    return {**schema, **shown, **({} if example is None else {"examples": [example]})}
