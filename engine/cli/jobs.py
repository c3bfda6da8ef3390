"""Converts JSON objects to requests and checks every key and type; messages name the field, its value and the cure.

The keys are the field names of `engine.request` and `engine.search_options`, except `text` for the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from engine.cli.lines import LineProblem, described
from engine.request import Avoid, Follow, Formality, Phrase, Request
from engine.search_options import SearchOptions

MAX_ALTERNATIVES = 100
MAX_PRICED = 100  # each is decoded once more, all together in one batch

Json = dict[str, Any]
T = TypeVar("T")

_OPTION_TYPES = get_type_hints(SearchOptions)
_STYLE_KEYS = ("direction", "domain", "formality")
_SOURCE_KEYS = ("text", *_STYLE_KEYS, "split_sentences")
_REQUEST_KEYS = (*_SOURCE_KEYS, "phrases", "avoid", "prefix", "locked", "suffix", "follow", "hints", "options")
_PHRASE_KEYS = tuple(field.name for field in fields(Phrase))
_AVOID_KEYS = tuple(field.name for field in fields(Avoid))
_FOLLOW_KEYS = tuple(field.name for field in fields(Follow))


@dataclass(frozen=True, slots=True)
class Defaults:
    """Default settings for lines without their own."""

    options: SearchOptions
    direction: str | None = None
    domain: str | None = None
    formality: Formality | None = None
    split_sentences: bool = True

    def request(self, text: str) -> Request:
        """A request without constraints."""
        return Request(
            text, self.direction, domain=self.domain, formality=self.formality, split_sentences=self.split_sentences
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One line of `translate` or `price`."""

    request: Request
    options: SearchOptions


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """One line of `score`: exactly one of `target` and `tokens` is given."""

    request: Request
    target: str | None
    tokens: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class AlternativesJob:
    """One line of `alternatives`: the word at `offset` of the given target, or of the best translation without one."""

    request: Request
    options: SearchOptions
    target: str | None
    tokens: tuple[int, ...] | None
    offset: int
    count: int


def job(line: Json, defaults: Defaults) -> Job:
    """The job of a line of `translate`; raises LineProblem or InvalidRequest."""
    _check_keys(line, "", _REQUEST_KEYS, required=("text",))
    return Job(_request(line, defaults), _options(line, defaults.options))


def plain_job(text: str, defaults: Defaults) -> Job:
    """A line of plain text, to translate without constraints."""
    return Job(defaults.request(text), defaults.options)


def price_job(line: Json, defaults: Defaults) -> Job:
    """The job of a line of `price`; raises LineProblem or InvalidRequest."""
    found = job(line, defaults)
    num_priced = len(found.request.phrases) + len(found.request.avoid)
    if num_priced > MAX_PRICED:
        raise LineProblem("invalid", f"phrases and avoid have {num_priced} items; price takes at most {MAX_PRICED}")
    return found


def score_job(line: Json, defaults: Defaults) -> ScoreJob:
    """The job of a line of `score`; raises LineProblem or InvalidRequest."""
    _check_keys(line, "", (*_SOURCE_KEYS, "target", "tokens"), required=("text",))
    target, tokens = _target(line)
    if (target is None) == (tokens is None):
        raise LineProblem("invalid", "give either target, a text, or tokens, a list of piece ids")
    return ScoreJob(_styled(line, defaults), target, tokens)


def alternatives_job(line: Json, defaults: Defaults) -> AlternativesJob:
    """The job of a line of `alternatives`; raises LineProblem or InvalidRequest."""
    own = ("target", "tokens", "offset", "count")
    _check_keys(line, "", (*_REQUEST_KEYS, *own), required=("text", "offset"))
    target, tokens = _target(line)
    if target is not None and tokens is not None:
        raise LineProblem("invalid", "target and tokens are both given; give only one of them")
    count = _integer(line.get("count", 5), "count")
    if not 1 <= count <= MAX_ALTERNATIVES:
        raise LineProblem("invalid", f"count is {count}; it must be between 1 and {MAX_ALTERNATIVES}")
    offset = _integer(line["offset"], "offset")
    return AlternativesJob(_request(line, defaults), _options(line, defaults.options), target, tokens, offset, count)


def _request(line: Json, defaults: Defaults) -> Request:
    return replace(
        _styled(line, defaults),
        phrases=tuple(_list(line.get("phrases", []), "phrases", _phrase)),
        avoid=tuple(_list(line.get("avoid", []), "avoid", _avoid)),
        prefix=_string(line.get("prefix", ""), "prefix"),
        locked=tuple(_list(line.get("locked", []), "locked", _string)),
        suffix=_string(line.get("suffix", ""), "suffix"),
        follow=None if line.get("follow") is None else _follow(line["follow"], "follow"),
        hints=_boolean(line.get("hints", True), "hints"),
    )


def _phrase(value: Any, name: str) -> Phrase:
    if isinstance(value, str):
        return Phrase(value)
    _check_keys(value, name, _PHRASE_KEYS, required=("text",))
    given: Json = {}
    for key, read in (("text", _string), ("count", _integer), ("case", _string), ("boundary", _string)):
        if key in value:
            given[key] = read(value[key], f"{name}.{key}")
    if value.get("max_count") is not None:
        given["max_count"] = _integer(value["max_count"], f"{name}.max_count")
    given["forms"] = tuple(_list(value.get("forms", []), f"{name}.forms", _string))
    if value.get("source_span") is not None:
        span = _list(value["source_span"], f"{name}.source_span", _integer)
        if len(span) != 2:
            raise LineProblem("invalid", f"{name}.source_span has {len(span)} numbers; give start and end")
        given["source_span"] = (span[0], span[1])
    if "replaces" in value:
        given["replaces"] = tuple(_list(value["replaces"], f"{name}.replaces", _string))
    if "is_expected" in value:
        given["is_expected"] = _boolean(value["is_expected"], f"{name}.is_expected")
    return Phrase(**given)


def _avoid(value: Any, name: str) -> Avoid:
    if isinstance(value, str):
        return Avoid(value)
    _check_keys(value, name, _AVOID_KEYS, required=("text",))
    given: Json = {key: _string(value[key], f"{name}.{key}") for key in value}
    return Avoid(**given)


def _follow(value: Any, name: str) -> Follow:
    if isinstance(value, str):
        return Follow(value)
    _check_keys(value, name, _FOLLOW_KEYS, required=("text",))
    text = _string(value["text"], f"{name}.text")
    given: Json = {"strength": _number(value["strength"], f"{name}.strength")} if "strength" in value else {}
    if "places_phrases" in value:
        given["places_phrases"] = _boolean(value["places_phrases"], f"{name}.places_phrases")
    return Follow(text, **given)


def _options(line: Json, defaults: SearchOptions) -> SearchOptions:
    given = line.get("options", {})
    _check_keys(given, "options", tuple(field.name for field in fields(SearchOptions)))
    checked = {key: _option(key, value) for key, value in given.items()}
    return replace(defaults, **checked)


def _option(key: str, value: Any) -> Any:
    """The value of one search option, of the type that the engine gives it."""
    name, kinds = f"options.{key}", get_args(_OPTION_TYPES[key]) or (_OPTION_TYPES[key],)
    if value is None and NoneType in kinds:
        return None
    if float in kinds:
        return _number(value, name)
    return _integer(value, name) if int in kinds else _string(value, name)


def _styled(line: Json, defaults: Defaults) -> Request:
    """A line's request without its constraints."""
    given: Json = {key: _string(line[key], key) for key in _STYLE_KEYS if line.get(key) is not None}
    if "split_sentences" in line:
        given["split_sentences"] = _boolean(line["split_sentences"], "split_sentences")
    return replace(defaults.request(_string(line["text"], "text")), **given)


def _target(line: Json) -> tuple[str | None, tuple[int, ...] | None]:
    target, tokens = line.get("target"), line.get("tokens")
    return (
        None if target is None else _string(target, "target"),
        None if tokens is None else tuple(_list(tokens, "tokens", _integer)),
    )


def _check_keys(value: Any, name: str, allowed: tuple[str, ...], required: tuple[str, ...] = ()) -> None:
    """Raise LineProblem unless `value` is an object with all required and only known keys; a line has the name ""."""
    if not isinstance(value, dict):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be an object")
    dot = f"{name}." if name else ""
    for key in value:
        if key not in allowed:
            raise LineProblem("invalid", f"unknown key {described(dot + key)}; known: {', '.join(allowed)}")
    for key in required:
        if key not in value:
            raise LineProblem("invalid", f"{dot}{key} is missing; known: {', '.join(allowed)}")


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be a string")
    return value


def _boolean(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be true or false")
    return value


def _integer(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be a whole number")
    return value


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise LineProblem("invalid", f"{name} is {described(value)}; that is too large") from None


def _list(value: Any, name: str, read: Callable[[Any, str], T]) -> list[T]:
    if not isinstance(value, list):
        raise LineProblem("invalid", f"{name} is {described(value)}; it must be a list")
    return [read(item, f"{name}[{index}]") for index, item in enumerate(value)]
