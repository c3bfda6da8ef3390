"""Glossaries in DeepL's dialect: version 2 with one language pair, version 3 with several."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from app.errors import ApiError
from app.models.document_direction import language_and_script
from app.serving.admission import Caller
from app.serving.api_fields import ApiField, body, choice_field, object_of, optional_field, query, raw_field, text_field
from app.serving.api_glossaries import ApiGlossary, Entries, Pair, findings_in
from app.serving.deepl_api import Entered, Fields
from app.serving.dialects import DEEPL_KEY, context_of
from app.serving.translations import LANGUAGE_CODE

_DICTIONARY_FIELD: Final = re.compile(r"dictionaries\[([0-9]+)\]\.(\w+)")
_NAME: Final = text_field("name", "The name of the glossary.", example="Terms")
_ENTRIES: Final = text_field("entries", "A source and a target in each line.", example="file\tAkte")
_ENTRIES_FORMAT: Final = choice_field("entries_format", {"tsv": "\t", "csv": ","}, "tsv", "What separates them.")
_FROM: Final = text_field("source_lang", "The code of the source language.", example="en")
_TO: Final = text_field("target_lang", "The code of the target language.", example="de")
_DICTIONARY: Final = (_FROM, _TO, _ENTRIES, _ENTRIES_FORMAT)
_LISTED: Final = {
    "type": "array",
    "items": object_of(*_DICTIONARY),
    "examples": [[{each.name: each.schema["examples"][0] for each in (_FROM, _TO, _ENTRIES)}]],
}


class TsvResponse(PlainTextResponse):
    """A table as lines with tabulators."""

    media_type = "text/tab-separated-values"


router = APIRouter(tags=["DeepL"], dependencies=[DEEPL_KEY])


@router.get("/v2/glossary-language-pairs")
async def glossary_language_pairs(request: Request, caller: Entered) -> Response:
    """The language pairs for which glossaries can be used."""
    pairs = [_pair_of(direction) for direction in context_of(request).translations.directions()]
    return JSONResponse({"supported_languages": [_languages(pair) for pair in pairs]})


# The functions below are not asynchronous: FastAPI calls them in threads, as they read and write files.


@router.post("/v2/glossaries", status_code=201, openapi_extra=body(_NAME, *_DICTIONARY))
def create_glossary(request: Request, caller: Entered, fields: Fields) -> Response:
    """Stores a glossary of one language pair."""
    name = _NAME.of(fields)
    pair, entries = _dictionary(fields)
    made = context_of(request).glossaries.create(caller.name, name, {pair: entries})
    return JSONResponse({**_glossary(made), **_with_findings({pair: entries})}, 201)


@router.get("/v2/glossaries")
def glossaries(request: Request, caller: Entered) -> Response:
    """The person's glossaries of one language pair."""
    found = context_of(request).glossaries.all_of(caller.name)
    return JSONResponse({"glossaries": [_glossary(each) for each in found if len(each.num_entries) == 1]})


@router.get("/v2/glossaries/{number}")
def glossary(request: Request, number: str, caller: Entered) -> Response:
    """One of the person's glossaries."""
    return JSONResponse(_glossary(_single(request, caller, number)))


@router.get("/v2/glossaries/{number}/entries", response_class=TsvResponse)
def glossary_entries(request: Request, number: str, caller: Entered) -> Response:
    """The entries of a glossary, as lines with a tabulator."""
    (pair,) = _single(request, caller, number).num_entries
    return TsvResponse(_lines(context_of(request).glossaries.entries(caller.name, number, pair)))


@router.delete("/v2/glossaries/{number}", status_code=204)
@router.delete("/v3/glossaries/{number}", status_code=204)
def delete_glossary(request: Request, number: str, caller: Entered) -> Response:
    """Deletes a glossary."""
    context_of(request).glossaries.delete(caller.name, number)
    return Response(status_code=204)


@router.post(
    "/v3/glossaries", status_code=201, openapi_extra=body(_NAME, raw_field("dictionaries", _LISTED, is_required=True))
)
def create_multilingual_glossary(request: Request, caller: Entered, fields: Fields) -> Response:
    """Stores a glossary of several language pairs."""
    name = _NAME.of(fields)
    dictionaries = _dictionaries(fields)
    made = context_of(request).glossaries.create(caller.name, name, dictionaries)
    return JSONResponse({**_multilingual(made), **_with_findings(dictionaries)}, 201)


@router.get("/v3/glossaries")
def multilingual_glossaries(request: Request, caller: Entered) -> Response:
    """All of the person's glossaries."""
    found = context_of(request).glossaries.all_of(caller.name)
    return JSONResponse({"glossaries": [_multilingual(each) for each in found]})


@router.get("/v3/glossaries/{number}")
def multilingual_glossary(request: Request, number: str, caller: Entered) -> Response:
    """One of the person's glossaries."""
    return JSONResponse(_multilingual(context_of(request).glossaries.find(caller.name, number)))


@router.patch("/v3/glossaries/{number}", openapi_extra=body(optional_field("name"), raw_field("dictionaries", _LISTED)))
def change_glossary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Renames a glossary, and adds entries to its dictionaries."""
    name = _NAME.of(fields) if "name" in fields else None
    added = _dictionaries(fields) if _listed_dictionaries(fields) is not None else {}
    changed = context_of(request).glossaries.change(caller.name, number, name, added)
    return JSONResponse({**_multilingual(changed), **_with_findings(added)})


@router.get("/v3/glossaries/{number}/entries", openapi_extra=query(_FROM, _TO))
def dictionary_entries(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """The entries of one language pair of a glossary."""
    pair = _pair(fields)
    lines = _lines(context_of(request).glossaries.entries(caller.name, number, pair))
    return JSONResponse({"dictionaries": [{**_languages(pair), "entries": lines, "entries_format": "tsv"}]})


@router.put("/v3/glossaries/{number}/dictionaries", openapi_extra=body(*_DICTIONARY))
def replace_dictionary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Replaces the entries of one language pair of a glossary."""
    pair, entries = _dictionary(fields)
    context_of(request).glossaries.put(caller.name, number, pair, entries)
    return JSONResponse({**_languages(pair), "entry_count": len(entries), **_with_findings({pair: entries})})


@router.delete("/v3/glossaries/{number}/dictionaries", status_code=204, openapi_extra=query(_FROM, _TO))
def delete_dictionary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Deletes the entries of one language pair of a glossary."""
    context_of(request).glossaries.delete_pair(caller.name, number, _pair(fields))
    return Response(status_code=204)


def _single(request: Request, caller: Caller, number: str) -> ApiGlossary:
    found = context_of(request).glossaries.find(caller.name, number)
    if len(found.num_entries) != 1:
        raise ApiError("not_found", "The glossary has several language pairs: use version 3 of the API.")
    return found


def _listed_dictionaries(fields: Mapping[str, Any]) -> Any:
    """The field `dictionaries`, also in the parts that DeepL's libraries for .NET, Java and Node.js send in a form."""
    if "dictionaries" in fields:
        return fields["dictionaries"]
    found: dict[str, dict[str, Any]] = {}
    for name, value in fields.items():
        if part := _DICTIONARY_FIELD.fullmatch(name):
            found.setdefault(part[1], {})[part[2]] = value
    return list(found.values()) or None


def _dictionaries(fields: Mapping[str, Any]) -> dict[Pair, Entries]:
    found = _listed_dictionaries(fields)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ApiError("invalid", "dictionaries is not a list of dictionaries.")
    pairs = [_dictionary(each) for each in found]
    if len(dict(pairs)) < len(pairs):
        raise ApiError("invalid", "dictionaries has two dictionaries of one language pair.")
    return dict(pairs)


def _dictionary(fields: Mapping[str, Any]) -> tuple[Pair, Entries]:
    sign, text = _ENTRIES_FORMAT.of(fields), _ENTRIES.of(fields)
    if sign == ",":
        try:
            rows = list(csv.reader(io.StringIO(text)))
        except csv.Error as error:
            raise ApiError("invalid", f"entries cannot be read as CSV: {error}.") from error
    else:
        rows = [line.split(sign) for line in text.splitlines()]
    entries: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) < 2 or cells[0] in entries:
            problem = "has no target" if len(cells) < 2 else f"has the source {cells[0][:60]!r} of an earlier one"
            raise ApiError("invalid", f"Entry {number} {problem}.")
        entries[cells[0]] = cells[1]
    return _pair(fields), entries


def _pair(fields: Mapping[str, Any]) -> Pair:
    """The languages of a dictionary, of which a model may be loaded later. Raises ApiError."""
    return _glossary_language(fields, _FROM), _glossary_language(fields, _TO)


def _glossary_language(fields: Mapping[str, Any], field: ApiField[str]) -> str:
    code = field.of(fields)
    if not LANGUAGE_CODE.fullmatch(code):
        message = f"{field.name} is {code[:40]!r}, which is not a language code, such as en or pt-BR."
        raise ApiError("unsupported", message)
    return language_and_script(code.lower())


def _languages(pair: Pair) -> dict[str, str]:
    return {"source_lang": pair[0], "target_lang": pair[1]}


def _pair_of(direction: str) -> Pair:
    source, target = direction.split("-", 1)
    return language_and_script(source), language_and_script(target)


def _glossary(found: ApiGlossary) -> dict[str, Any]:
    ((pair, num_entries),) = found.num_entries.items()
    about = {"glossary_id": found.id, "name": found.name, "ready": True, "creation_time": found.created}
    return {**about, **_languages(pair), "entry_count": num_entries}


def _multilingual(found: ApiGlossary) -> dict[str, Any]:
    shown = [{**_languages(pair), "entry_count": count} for pair, count in found.num_entries.items()]
    return {"glossary_id": found.id, "name": found.name, "creation_time": found.created, "dictionaries": shown}


def _with_findings(dictionaries: Mapping[Pair, Entries]) -> dict[str, Any]:
    """A field that DeepL does not have: entries to look at, such as lists of alternatives. Empty if there are none."""
    found = findings_in(dictionaries)
    return {"findings": found} if found else {}


def _lines(entries: Entries) -> str:
    return "\n".join(f"{source}\t{target}" for source, target in entries.items())
