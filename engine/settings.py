"""One description of each setting, from which its flag, its line of `--help`, its check and its table row are made.

A setting is a field of a frozen options class:

    beam: int = setting(10, "hypotheses kept", minimum=1, maximum=1000)
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

_KEY = "setting"
_NUMBERS: tuple[type, ...] = (int, float)
_TYPE_NAMES = {int: "a whole number", float: "a number", str: "a string", bool: "True or False", NoneType: "None"}


@dataclass(frozen=True, slots=True)
class Setting:
    """The accepted values and the meaning of a field of an options class.

    `unset` says what None, or an empty value, means. `flag` is the name of the flag where it differs from the field's.
    """

    name: str
    kind: type  # int, float, bool, str, Path, tuple or dict
    default: Any
    help: str
    is_optional: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_above_minimum: bool = False
    unset: str = ""
    flag: str = ""
    metavar: str | None = None
    is_repeated: bool = False

    @property
    def option_string(self) -> str:
        """`--places-per-bank`."""
        return "--" + (self.flag or self.name).replace("_", "-")

    @property
    def values(self) -> str:
        """The accepted values, for a person: `1 to 1000`, `one of full_list, first_finished`."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind not in _NUMBERS:
            return ""
        if self.minimum is None:
            accepted = "any number"
        elif self.maximum is not None:
            accepted = f"between {_shown(self.minimum)} and {_shown(self.maximum)}"
        else:
            accepted = f"{'more than' if self.is_above_minimum else 'at least'} {_shown(self.minimum)}"
        return f"{accepted}, or none" if self.is_optional else accepted

    @property
    def shown_default(self) -> str:
        if self.unset and self.default in (None, "", 0, MISSING):
            return self.unset
        if isinstance(self.default, tuple):
            return ",".join(self.default)
        if self.kind is bool:
            return "true" if self.default else "false"
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    @property
    def full_help(self) -> str:
        """The line of `--help`: meaning, values that are not listed as choices, default."""
        has_default = self.default is not MISSING and self.kind is not bool and not self.is_repeated
        bounds = self.values if self.maximum is not None and not self.choices else ""
        notes = "; ".join(filter(None, (bounds, f"default: {self.shown_default}" if has_default else "")))
        return (f"{self.help} ({notes})" if notes else self.help).replace("%", "%%")

    def add_flag(self, parser: argparse._ActionsContainer, **changes: Any) -> None:
        """Add the setting's flag to a command line; `changes` replace arguments of the flag."""
        arguments: dict[str, Any] = {"dest": self.flag or self.name, "help": self.full_help}
        if self.kind is bool:
            arguments |= {"action": "store_true"}
        elif self.is_repeated:
            arguments |= {"action": "append", "default": [], "metavar": self.metavar}
        elif self.choices:
            arguments |= {"choices": self.choices, "default": self.default}
        else:
            metavar = self.metavar or {int: "N", float: "X", Path: "PATH"}.get(self.kind)
            is_required = self.default is MISSING
            default = None if is_required else self.default
            arguments |= {"type": self._parse, "default": default, "required": is_required, "metavar": metavar}
        parser.add_argument(self.option_string, **arguments | changes)

    def _parse(self, text: str) -> Any:
        if self.is_optional and text == "none":
            return None
        if self.kind is tuple:
            return tuple(text.split(","))
        make: Callable[[str], Any] = self.kind
        try:
            return make(text)
        except ValueError:
            number = "a whole number" if self.kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r} is not {number}") from None

    def problem_of(self, value: Any) -> str | None:
        """Why the setting does not accept this value, as the end of a sentence; None if it does."""
        if value is None and self.is_optional:
            return None
        if not is_of_type(value, self.kind):
            return f"it must be {self.values or _TYPE_NAMES.get(self.kind, self.kind.__name__)}"
        if self.choices:
            return None if value in self.choices else f"it must be {self.values}"
        if self.kind in _NUMBERS and self.minimum is not None:
            is_enough = value > self.minimum if self.is_above_minimum else value >= self.minimum
            if not is_enough or not value <= (float("inf") if self.maximum is None else self.maximum):
                return f"it must be {self.values}"
        return None


def setting(default: Any, help: str, **description: Any) -> Any:
    """A field of a frozen options class; `description` has entries of `Setting`. `default` may be MISSING."""
    metadata = {_KEY: {"help": help, **description}}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


@cache
def settings_of(options: type) -> tuple[Setting, ...]:
    """The described fields of an options class, in order."""
    return tuple(_settings_of(options))


def _settings_of(options: type) -> Iterator[Setting]:
    types = get_type_hints(options)
    for entry in fields(options):
        if (description := entry.metadata.get(_KEY)) is None:
            continue
        kind, is_optional, choices = types[entry.name], False, ()
        if NoneType in get_args(kind):
            is_optional = True
            (kind,) = (part for part in get_args(kind) if part is not NoneType)
        if get_origin(kind) is Literal:
            kind, choices = str, get_args(kind)
        yield Setting(
            entry.name, get_origin(kind) or kind, entry.default, is_optional=is_optional, choices=choices, **description
        )


def add_flags(parser: argparse._ActionsContainer, options: type, leave_out: Collection[str] = ()) -> None:
    """Add a flag for each setting of an options class."""
    for entry in settings_of(options):
        if entry.name not in leave_out:
            entry.add_flag(parser)


def given_settings(options: type, flags: argparse.Namespace) -> dict[str, Any]:
    """The settings of an options class that a command line has flags for, by field name."""
    found = {}
    for entry in settings_of(options):
        if hasattr(flags, entry.flag or entry.name):
            value = getattr(flags, entry.flag or entry.name)
            found[entry.name] = tuple(value) if entry.is_repeated else value
    return found


def check_settings(options: Any, error: type[Exception]) -> None:
    """Raise `error` for the first setting whose value is not accepted; the message names setting, value and cure."""
    for entry in settings_of(cast(Hashable, type(options))):
        value = getattr(options, entry.name)
        if problem := entry.problem_of(value):
            raise error(f"{entry.name} is {value!r}; {problem}")


def check_types(value: Any, error: type[Exception], **types: Any) -> None:
    """Raise `error` for the first field of a dataclass whose value is not of the annotated type.

    `types` are those of the fields to check, where the annotations are only there for type checkers. A whole number is
    also accepted as a float; True and False are not numbers; NaN and infinities are not accepted as floats.
    """
    for name, annotated, exact, is_accepted in (
        _field_checks(**types) if types else _checks_of(cast(Hashable, type(value)))
    ):
        found = getattr(value, name)
        if type(found) not in exact and not is_accepted(found):
            raise error(f"{name} is {found!r}; it must be {_type_name(annotated)}")


def is_of_type(value: object, annotated: Any) -> bool:
    """True if a value is of a type: a class, a `Literal`, a union or a tuple of these."""
    exact, is_accepted = _type_check(annotated)
    return type(value) in exact or is_accepted(value)


@cache
def _type_check(annotated: Any) -> tuple[frozenset[type], Callable[[object], bool]]:
    """The classes whose own instances are all of a type, and the check of any other value."""
    origin, parts = get_origin(annotated), get_args(annotated)
    if origin is Literal:
        names = frozenset(parts)
        return frozenset(), lambda value: isinstance(value, str) and value in names
    if origin in (Union, UnionType):
        checks = [_type_check(part) for part in parts]
        exact = frozenset[type]().union(*(classes for classes, _ in checks))
        return exact, lambda value: any(is_accepted(value) for _, is_accepted in checks)
    if origin is tuple:
        return frozenset(), lambda value: isinstance(value, tuple) and _is_tuple_of(value, parts)
    if annotated is float:
        return frozenset({int}), lambda value: isinstance(value, float) and isfinite(value)
    if annotated is int:
        return frozenset({int}), lambda value: isinstance(value, int) and not isinstance(value, bool)
    kind = origin or annotated
    return frozenset({kind}), lambda value: isinstance(value, kind)


def _is_tuple_of(value: tuple[object, ...], parts: tuple[Any, ...]) -> bool:
    each = parts[:1] * len(value) if parts[1:] == (...,) else parts
    return len(each) == len(value) and all(map(is_of_type, value, each))


_FieldCheck = tuple[str, Any, frozenset[type], Callable[[object], bool]]


def _field_checks(**types: Any) -> list[_FieldCheck]:
    """Name, type and the two parts of the check of each field."""
    return [(name, annotated, *_type_check(annotated)) for name, annotated in types.items()]


@cache
def _checks_of(options: Any) -> list[_FieldCheck]:
    return _field_checks(**get_type_hints(options))


def _type_name(annotated: Any) -> str:
    """A type for a person: `a whole number or None`, `one of exact, auto`."""
    if get_origin(annotated) is Literal:
        return f"one of {', '.join(get_args(annotated))}"
    if get_origin(annotated) in (Union, UnionType):
        return " or ".join(map(_type_name, get_args(annotated)))
    if get_origin(annotated) is tuple:
        kinds = [_type_name(part) for part in get_args(annotated) if part is not ...]
        return f"a tuple of {', '.join(kinds)}"
    name: str = _TYPE_NAMES.get(annotated) or annotated.__name__
    return name


def _shown(number: float) -> str:
    """A bound without an exponent: 1000000, 0.5."""
    return str(int(number)) if number == int(number) else f"{number:g}"
