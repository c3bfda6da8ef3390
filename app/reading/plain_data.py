"""Frozen dataclasses, tuples and messages as plain JSON data and back, without pickle.

A dataclass becomes the list of its fields. Reading checks every value against the annotations, because the data comes
from a process that read an untrusted file.

>>> to_plain(("a", Message("{n} rows", n=2)))
['a', {'template': '{n} rows', 'values': {'n': 2}}]
>>> reader_of(tuple[str, int])(["a", 1])
('a', 1)
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from app.i18n import Message
from app.precedence import giving_way

Read = Callable[[Any], Any]


def to_plain(value: Any) -> Any:
    """The value as JSON data. Values of a message that are not texts or numbers become texts."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Message:
        values = {name: to_plain(part) for name, part in value.values.items()}
        return {"template": value.template, "values": values}
    if kind in (tuple, list):
        return [to_plain(part) for part in value]
    if is_dataclass(kind):
        return [part if type(part) in _PLAIN else to_plain(part) for part in _fields_of(kind)(value)]
    return str(value)


_PLAIN = frozenset({str, int, float, bool, type(None)})


@cache
def _fields_of(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    names = [field.name for field in fields(kind)]
    assert len(names) > 1
    return attrgetter(*names)


@cache
def reader_of(kind: Any) -> Read:
    """The function that turns plain data into a value of an annotated type; it raises ValueError for other data."""
    if kind is str:
        return read_text
    if kind in (int, bool, float):
        return lambda data: _expect(kind, data)
    if kind is types.NoneType:
        return lambda data: _expect(types.NoneType, data)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda data: data if data in parts else _refuse(kind, data)
    if origin in (Union, types.UnionType):
        (part,) = (part for part in parts if part is not types.NoneType)
        read = reader_of(part)
        return lambda data: None if data is None else read(data)
    if origin in (tuple, list) and (origin is list or parts[-1] is Ellipsis):
        read = reader_of(parts[0])
        return lambda data: origin(map(read, giving_way(_expect(list, data))))
    if origin is tuple:
        reads = [reader_of(part) for part in parts]
        return lambda data: tuple([read(part) for read, part in zip(reads, _expect(list, data), strict=True)])
    assert is_dataclass(kind), kind
    return _DataclassReader(kind)


class _DataclassReader:
    """Reads the fields of a dataclass, which may be of that class themselves."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._reads: list[tuple[Any, Read]] | None = None

    def __call__(self, data: Any) -> Any:
        if self._reads is None:
            hints = get_type_hints(self._kind)
            self._reads = [(hints[field.name], reader_of(hints[field.name])) for field in fields(self._kind)]
        parts = zip(_expect(list, data), self._reads, strict=True)
        # Most fields are plain: they are checked without a call, as there may be millions of them.
        return self._kind(*[part if type(part) is kind else read(part) for part, (kind, read) in parts])


def read_text(data: Any) -> str:
    """A text or a message."""
    if type(data) is str:
        return data
    try:
        values = {
            name: read_text(value) if type(value) in (str, dict) else value for name, value in data["values"].items()
        }
        return Message.of_parts(data["template"], values)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"expected a text, found {type(data).__name__}") from error


def _expect(kind: Any, data: Any) -> Any:
    return data if type(data) is kind else _refuse(kind, data)


def _refuse(kind: Any, data: Any) -> Any:
    raise ValueError(f"expected {kind}, found {type(data).__name__}")
