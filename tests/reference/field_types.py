"""The check of a value against an annotated type, read from the annotation at each call."""

from __future__ import annotations

from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin


def is_of_type(value: object, annotated: Any) -> bool:
    """True if a value is of a type: a class, a `Literal`, a union or a tuple of these."""
    origin, parts = get_origin(annotated), get_args(annotated)
    if origin is Literal:
        return isinstance(value, str) and any(value == part for part in parts)
    if origin in (Union, UnionType):
        return any(is_of_type(value, part) for part in parts)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        each = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(each) == len(value) and all(map(is_of_type, value, each))
    if annotated is float:
        return type(value) is int or (isinstance(value, float) and isfinite(value))
    if annotated is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or annotated)
