"""Schemas of the page's messages: strict types, known fields only, clear errors in the page's language.

Every program that can reach the server can send messages, so all fields are checked before any work. `app.ui.commands`
and `app.ui.questions` describe the messages; `app.ui.replies` describes the answers.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from itertools import takewhile
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from app.errors import CommandError
from app.segments.segment_constraints import BanCase, Constraints
from app.text.client_json import check_num_fields

MAX_SAFE_INTEGER = 2**53 - 1  # the largest one that JavaScript can count to
MAX_SHOWN_CHARACTERS = 80  # of a field's name in an error
MAX_LINE_CHARACTERS = 100_000  # far more than any field allows, whose own error is clearer


def _decoded(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("a file is sent as base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("not base64") from error


def _not_endless(text: str) -> str:
    if len(text) > MAX_LINE_CHARACTERS:
        raise ValueError("too long")
    return text


Integer = Annotated[int, Field(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]
Count = Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]
# Tokens, file kinds and other names; also keeps half a surrogate pair out, which no log can store.
Name = Annotated[str, Field(max_length=500)]
Line = Annotated[str, AfterValidator(_not_endless)]  # names of files and folders, titles, terms, words to search for
FileBytes = Annotated[bytes, PlainValidator(_decoded), WithJsonSchema({"type": "string", "contentEncoding": "base64"})]
# JSON has lists only; a tuple keeps them from being changed. Only the first wrong value is reported: reports of 100,000
# take 3 s, in which the interpreter does nothing else.
_T = TypeVar("_T")
List = Annotated[tuple[_T, ...], Field(strict=False, fail_fast=True)]
Table = Annotated[dict[str, _T], Field(fail_fast=True)]


class PageModel(BaseModel):
    """A message of the page or a part of one: types are not converted, and unknown fields are errors."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    _few_fields = model_validator(mode="before")(check_num_fields)


class Ban(PageModel):
    """A text that the translation must not contain."""

    text: str
    case: BanCase


class SourceOfPin(PageModel):
    """The source words that a pin translates, in characters of the source."""

    text: str
    start: int
    end: int


class SegmentConstraints(PageModel):
    """What a person requires of a segment's translation; see `app.segments.segment_constraints`."""

    pins: List[str]
    terms_off: List[str]
    bans: List[Ban]
    prefix: str
    locked: List[str]
    follow: str
    pin_sources: List[SourceOfPin]

    def value(self) -> Constraints:
        """The constraints as the app uses them."""
        return Constraints.from_json(self.model_dump(mode="json"))


class PageMessage(PageModel):
    """A message contains the `token` of its session, and the `language` for error messages.

    `result` is the type of the result in the reply (see `app.ui.results`); None: the reply has no result.
    """

    result: ClassVar[Any] = None
    token: Name
    language: Name = "en"


M = TypeVar("M", bound=BaseModel)


def read(model: type[M], message: object) -> M:
    """The message, checked. Raises CommandError naming the first field that is missing, unknown or of a wrong type."""
    try:
        return model.model_validate(message)
    except ValidationError as error:
        raise _command_error(error) from None


def by_literal(field: str, models: Iterable[type[M]]) -> dict[str, type[M]]:
    """The models by the only text that `field` of each may contain."""
    return {get_args(model.model_fields[field].annotation)[0]: model for model in models}


def _command_error(error: ValidationError) -> CommandError:
    first: Any = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = takewhile(lambda part: isinstance(part, str) and part.isidentifier(), first["loc"])
    name = ".".join(path)[:MAX_SHOWN_CHARACTERS]
    if not name:
        return CommandError("The page sent a message that is not an object; reload the page.")
    if first["type"] == "extra_forbidden":
        return CommandError("The page sent an unknown field {name!r}; reload the page.", name=name)
    return CommandError("The page sent an invalid value for {name!r}; reload the page.", name=name)
