"""Messages of pages and programs: however many values are wrong, only a few errors are computed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ValidationError

from app.serving.api_schemas import StrictSchema
from app.serving.gateway import build_api
from app.ui.api import Api
from app.ui.schemas import PageModel

assert Api and build_api, "they import all messages"


def all_models(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from all_models(model)


MODELS = sorted(
    {*all_models(PageModel), *all_models(StrictSchema)}, key=lambda model: (model.__module__, model.__name__)
)


def num_errors(model: type[BaseModel], message: object) -> int:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(message)
    return caught.value.error_count()


@pytest.mark.parametrize("model", [model for model in MODELS if model.model_fields], ids=lambda model: model.__name__)
def test_message_with_many_wrong_values_has_few_errors(model: type[BaseModel]):
    wrong = ["\ud800", [], {}, 1.5, None, "", "x" * 20_000]
    for values in ([value] * 300 for value in wrong):
        for many in (values, {f"field {number}": value for number, value in enumerate(values)}):
            fields = {field.alias or name: many for name, field in model.model_fields.items()}
            assert num_errors(model, fields) < 100
            assert num_errors(model, many) < 10


def test_messages_of_pages_and_programs_are_found():
    names = {model.__name__ for model in MODELS}
    assert {"Hello", "EditText", "CountKeys", "TranslateRequest", "PhraseSchema"} <= names and len(names) > 80, names
