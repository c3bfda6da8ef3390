"""The dialect of DeepL's API, version 2, with glossaries of versions 2 and 3.

The parameter `pinpoint` of a translation is a `ConstraintSchema` for all texts, or a list with one for each text; in a
form, it is JSON. The reply then has an `AnswerSchema` for each text. Context, model types and `preserve_formatting` are
ignored; style rules, custom instructions and translation memories are refused.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from app.errors import ApiError
from app.models.document_direction import language_and_script
from app.models.style import Style, formalities_of
from app.serving.admission import Caller
from app.serving.api_glossaries import ApiGlossary, Entries, Pair, findings_in
from app.serving.api_limits import MAX_GLOSSARIES_AT_ONCE, MAX_TAG_NAMES, MAX_TEXTS
from app.serving.api_schemas import AnswerSchema, ConstraintSchema, parsed
from app.serving.constrained_texts import Answer, ConstrainedText, Splitting, check_lengths
from app.serving.dialects import DEEPL_KEY, HTTP_STATUS, admitted, context_of, fields_of, header_key, text_field
from app.serving.markup import MarkedText, xml_problem
from app.serving.markup_tokens import Markup, Outline
from app.serving.translations import LANGUAGE_CODE
from app.text.client_json import read_json
from app.text.language_names import english_name
from engine import Formality

T = TypeVar("T")

PREFIXES: Final = ("/v2/", "/v3/")
_STATUS: Final = {"no_key": 403, "wrong_key": 403, "used_up": 456, "unmet": 400, "too_late": 503}
# DeepL distinguishes variants of these target languages; the language of a model covers all of them.
_VARIANTS: Final[Mapping[str, Mapping[str, str]]] = {
    "EN": {"EN-GB": "English (British)", "EN-US": "English (American)"},
    "PT": {"PT-BR": "Portuguese (Brazilian)", "PT-PT": "Portuguese (European)"},
    "ZH": {"ZH-HANS": "Chinese (simplified)"},
}
FORMALITIES: Final[Mapping[str, Formality | None]] = {
    "default": None,
    "more": "formal",
    "prefer_more": "formal",
    "less": "informal",
    "prefer_less": "informal",
}
# By part of the API: what its languages support, and whether both languages of a pair need it: source, target.
_RESOURCES: Final[Mapping[str, Mapping[str, tuple[bool, bool]]]] = {
    "translate_text": {
        "formality": (False, True),
        "tag_handling": (True, True),
        "glossary": (True, True),
        "auto_detection": (True, False),
    },
    "translate_document": {"formality": (False, True), "glossary": (True, True), "auto_detection": (True, False)},
    "glossary": {},
}
_NOT_OFFERED: Final = ("style_rules", "voice", "write")
_REFUSED: Final[Mapping[str, str]] = {  # parameters whose effect a user would miss
    "style_id": "style rules",
    "custom_instructions": "custom instructions",
    "translation_memory_id": "translation memories",
}
# All other parameters of a translation that DeepL documents; some of them change nothing here.
_KNOWN: Final = (
    *("text", "source_lang", "target_lang", "context", "show_billed_characters"),
    *("split_sentences", "preserve_formatting", "formality", "model_type", "glossary_id"),
    *("glossary_ids", "tag_handling", "tag_handling_version", "outline_detection", "splitting_tags"),
    *("non_splitting_tags", "ignore_tags", "enable_beta_languages", "translation_memory_threshold", "pinpoint"),
    "auth_key",
)
_MARKUP: Final[Mapping[str, Markup | Literal[""]]] = {"xml": "xml", "html": "html", "": ""}
_SPLITTING: Final[Mapping[str, Splitting]] = {"0": "none", "1": "sentences", "nonewlines": "punctuation"}
_DICTIONARY_FIELD: Final = re.compile(r"dictionaries\[([0-9]+)\]\.(\w+)")
_SIGNS: Final = {"tsv": "\t", "csv": ","}

router = APIRouter(tags=["DeepL"], dependencies=[DEEPL_KEY])


async def entered(request: Request) -> AsyncIterator[Caller]:
    """The caller of a request, while it is answered. Raises ApiError."""
    key = header_key(request, "DeepL-Auth-Key")
    async with admitted(request, key, "the header `Authorization: DeepL-Auth-Key KEY`") as caller:
        yield caller


Entered = Annotated[Caller, Depends(entered)]


async def _fields_after_key(request: Request, caller: Entered) -> Mapping[str, Any]:
    return await fields_of(request)


Fields = Annotated[Mapping[str, Any], Depends(_fields_after_key)]


@router.post("/v2/translate")
async def translate(request: Request, caller: Entered, fields: Fields) -> Response:
    """Translates texts, with tag handling, glossary and formality, and with the constraints in `pinpoint`."""
    context = context_of(request)
    check_offered(fields)
    if unknown := next((name for name in fields if name not in _KNOWN and name not in _REFUSED), None):
        raise ApiError("unsupported", f"{unknown[:40]!r} is not a parameter of a translation that this server knows.")
    choice(fields, "tag_handling_version", {"v1": 1, "v2": 2, "": 0})
    texts = _texts(fields.get("text"))
    check_lengths(texts)
    constraints = await asyncio.to_thread(_constraints, fields.get("pinpoint"), len(texts))
    source = text_field(fields, "source_lang", "") or None
    target = text_field(fields, "target_lang")
    kind = choice(fields, "tag_handling", _MARKUP)
    default = "nonewlines" if kind else "1"
    splitting = choice(fields, "split_sentences", _SPLITTING, default)
    formality = text_field(fields, "formality", "default") or "default"
    style = Style(choice(fields, "formality", FORMALITIES, "default"))
    setup = await context.translations.setup(
        source, target, "\n".join(texts), style, is_style_required="prefer" not in formality, splitting=splitting
    )
    setup = await context.with_glossaries(setup, caller, glossary_ids(fields))
    marked = await asyncio.to_thread(_marked, texts, kind, fields, splitting, constraints)
    items = await asyncio.to_thread(_items, marked, constraints)
    answers = await context.translate(request, caller, texts, items, setup)
    has_constraints = fields.get("pinpoint") is not None
    return await asyncio.to_thread(_translations, texts, marked, answers, setup.source, has_constraints)


def _items(marked: Sequence[MarkedText], constraints: Sequence[ConstraintSchema]) -> list[ConstrainedText]:
    """The paragraphs of the texts, each with the constraints of its text."""
    return [
        paragraph.constrained(item.constrain(paragraph.text))
        for text, item in zip(marked, constraints, strict=True)
        for paragraph in text.paragraphs
    ]


def _translations(
    texts: Sequence[str], marked: Sequence[MarkedText], answers: Sequence[Answer], source: str, has_constraints: bool
) -> Response:
    """The reply with the answers, put into the markup of the texts again."""
    left = iter(answers)
    translations = []
    for number, (text, source_text) in enumerate(zip(marked, texts, strict=True)):
        own = [next(left) for _ in text.paragraphs]
        translation: dict[str, Any] = {
            "detected_source_language": _code(source),
            "text": text.markup([answer.best(number) for answer in own]),
            "billed_characters": len(source_text),
        }
        if has_constraints and len(own) == 1:
            translation["pinpoint"] = AnswerSchema.of(text.paragraphs[0].answer(own[0])).model_dump()
        translations.append(translation)
    return JSONResponse({"translations": translations})


@router.get("/v2/usage")
def usage(request: Request, caller: Entered) -> Response:
    """The characters that the key has used today, and its limit."""
    used = context_of(request).admission.file.characters_today(caller.key)
    return JSONResponse({"character_count": used, "character_limit": caller.key.characters_a_day})


@router.get("/v2/languages")
async def languages(request: Request, fields: Fields) -> Response:
    """The source or target languages of the models that are ready."""
    side = choice(fields, "type", {"source": 0, "target": 1}, "source")
    found: dict[str, dict[str, Any]] = {}
    for model in context_of(request).translations.models():
        for direction in model.directions:
            code = _code(direction.split("-", 1)[side])
            for shown, name in (_named(code) if side else {code: english_name(code.lower())}).items():
                entry = found.setdefault(shown, {"language": shown, "name": name})
                if side:
                    is_known = bool(formalities_of(model, direction)) or entry.get("supports_formality", False)
                    entry["supports_formality"] = is_known
    return JSONResponse(list(found.values()))


@router.get("/v3/languages")
async def languages_of_resource(request: Request, fields: Fields) -> Response:
    """The languages of a part of the API, each with what it supports as source or target."""
    resource = choice(fields, "resource", {name: name for name in (*_RESOURCES, *_NOT_OFFERED)})
    models = context_of(request).translations.models() if resource in _RESOURCES else []
    found: dict[str, dict[str, Any]] = {}
    for model in models:
        for direction in model.directions:
            codes = [_code(each) for each in direction.split("-", 1)]
            targets = _named(codes[1]) if resource != "glossary" else [codes[1]]
            for side, code in ((0, codes[0]), *((1, each) for each in targets)):
                entry = found.setdefault(code, _language(code))
                entry["usable_as_target" if side else "usable_as_source"] = True
                for name, needs in _RESOURCES[resource].items():
                    if needs[side] and (name != "formality" or formalities_of(model, direction)):
                        entry["features"][name] = {"status": "stable"}
    return JSONResponse(list(found.values()))


@router.get("/v3/languages/resources")
async def language_resources(caller: Entered) -> Response:
    """The parts of the API that have languages, with the features of each."""
    sides = ("needs_source_support", "needs_target_support")
    shown = [
        {
            "name": resource,
            "features": [
                {"name": name, **{side: True for side, is_needed in zip(sides, needs, strict=True) if is_needed}}
                for name, needs in features.items()
            ],
        }
        for resource, features in _RESOURCES.items()
    ]
    return JSONResponse(shown)


@router.get("/v2/glossary-language-pairs")
async def glossary_language_pairs(request: Request, caller: Entered) -> Response:
    """The language pairs for which glossaries can be used."""
    pairs = [_pair_of(direction) for direction in context_of(request).translations.directions()]
    return JSONResponse({"supported_languages": [_languages(pair) for pair in pairs]})


# The functions below are not asynchronous: FastAPI calls them in threads, as they read and write files.


@router.post("/v2/glossaries")
def create_glossary(request: Request, caller: Entered, fields: Fields) -> Response:
    """Stores a glossary of one language pair."""
    name = text_field(fields, "name")
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


@router.get("/v2/glossaries/{number}/entries")
def glossary_entries(request: Request, number: str, caller: Entered) -> Response:
    """The entries of a glossary, as lines with a tabulator."""
    (pair,) = _single(request, caller, number).num_entries
    lines = _lines(context_of(request).glossaries.entries(caller.name, number, pair))
    return PlainTextResponse(lines, media_type="text/tab-separated-values")


@router.delete("/v2/glossaries/{number}")
@router.delete("/v3/glossaries/{number}")
def delete_glossary(request: Request, number: str, caller: Entered) -> Response:
    """Deletes a glossary."""
    context_of(request).glossaries.delete(caller.name, number)
    return Response(status_code=204)


@router.post("/v3/glossaries")
def create_multilingual_glossary(request: Request, caller: Entered, fields: Fields) -> Response:
    """Stores a glossary of several language pairs."""
    name = text_field(fields, "name")
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


@router.patch("/v3/glossaries/{number}")
def change_glossary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Renames a glossary, and adds entries to its dictionaries."""
    name = text_field(fields, "name") if "name" in fields else None
    added = _dictionaries(fields) if _listed_dictionaries(fields) is not None else {}
    changed = context_of(request).glossaries.change(caller.name, number, name, added)
    return JSONResponse({**_multilingual(changed), **_with_findings(added)})


@router.get("/v3/glossaries/{number}/entries")
def dictionary_entries(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """The entries of one language pair of a glossary."""
    pair = _pair(fields)
    lines = _lines(context_of(request).glossaries.entries(caller.name, number, pair))
    return JSONResponse({"dictionaries": [{**_languages(pair), "entries": lines, "entries_format": "tsv"}]})


@router.put("/v3/glossaries/{number}/dictionaries")
def replace_dictionary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Replaces the entries of one language pair of a glossary."""
    pair, entries = _dictionary(fields)
    context_of(request).glossaries.put(caller.name, number, pair, entries)
    return JSONResponse({**_languages(pair), "entry_count": len(entries), **_with_findings({pair: entries})})


@router.delete("/v3/glossaries/{number}/dictionaries")
def delete_dictionary(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """Deletes the entries of one language pair of a glossary."""
    context_of(request).glossaries.delete_pair(caller.name, number, _pair(fields))
    return Response(status_code=204)


def check_offered(fields: Mapping[str, Any]) -> None:
    """Raises ApiError for a parameter of a translation that this server cannot follow."""
    for name, what in _REFUSED.items():
        if fields.get(name):
            raise ApiError("unsupported", f"{name}: this server does not offer {what}, leave it out.")


def glossary_ids(fields: Mapping[str, Any]) -> list[str]:
    """The glossaries that a translation uses: one in `glossary_id`, or several in `glossary_ids`. Raises ApiError."""
    several = _names(fields, "glossary_ids", MAX_GLOSSARIES_AT_ONCE)
    one = text_field(fields, "glossary_id", "")
    if one and several:
        raise ApiError("invalid", "glossary_id and glossary_ids cannot be used together.")
    return [one] if one else several


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error as DeepL does."""
    return JSONResponse({"message": str(error)}, _STATUS.get(error.kind, HTTP_STATUS[error.kind]))


def _texts(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise ApiError("invalid", "text is not a list of texts.")
    if len(texts) > MAX_TEXTS:
        raise ApiError("too_large", f"A request has at most {MAX_TEXTS} texts, not {len(texts)}.")
    return texts


def _constraints(value: Any, num_texts: int) -> list[ConstraintSchema]:
    value = _from_form(value) if value else value
    values = value if isinstance(value, list) else [{} if value in (None, "") else value] * num_texts
    if len(values) != num_texts:
        raise ApiError("invalid", f"pinpoint has {len(values)} items for {num_texts} texts.")
    return [parsed(ConstraintSchema, _from_form(each), "pinpoint") for each in values]


def _from_form(value: Any) -> Any:
    """A value of `pinpoint`, which in a form is JSON as text. Raises ApiError."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value.encode())
    except ValueError as error:
        raise ApiError("invalid", f"pinpoint cannot be read as JSON: {error}.") from error


def _marked(
    texts: Sequence[str],
    kind: Markup | Literal[""],
    fields: Mapping[str, Any],
    splitting: Splitting,
    constraints: Sequence[ConstraintSchema],
) -> list[MarkedText]:
    """The texts with their markup. Without tag handling, a text is one plain paragraph."""
    if not kind:
        return [MarkedText.plain(text) for text in texts]
    if kind == "xml":
        for number, text in enumerate(texts, 1):
            if problem := xml_problem(text):
                message = f"Tag handling parsing failed, please check input: text {number}, {problem}."
                raise ApiError("invalid", message)
    ignored, splitting_tags, non_splitting = (
        frozenset(_names(fields, f"{name}_tags", MAX_TAG_NAMES)) for name in ("ignore", "splitting", "non_splitting")
    )
    is_detected = choice(fields, "outline_detection", {"0": False, "1": True, "false": False, "true": True}, "1")
    keeps_lines = splitting == "sentences"
    outline = Outline(kind, ignored, splitting_tags, non_splitting, is_detected=is_detected, keeps_lines=keeps_lines)
    return [
        MarkedText.of(text, outline, is_whole=each.constrain("x").is_whole)
        for text, each in zip(texts, constraints, strict=True)
    ]


def _names(fields: Mapping[str, Any], name: str, most: int) -> list[str]:
    """A field that is a list of names, or names separated by commas. Raises ApiError."""
    value = fields.get(name) or []
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ApiError("invalid", f"{name} is not a list of names.")
    if len(names) > most:
        raise ApiError("too_large", f"{name} has {len(names):,} names; at most {most} are allowed.")
    return [each.strip() for each in names if each.strip()]


def choice(fields: Mapping[str, Any], name: str, choices: Mapping[str, T], default: str = "") -> T:
    """The choice that a field names. Raises ApiError."""
    value = fields.get(name)
    text = default if value is None else str(int(value)) if isinstance(value, bool) else str(value)
    if text not in choices:
        raise ApiError("invalid", f"{name} is {text[:40]!r}; it must be one of {', '.join(filter(None, choices))}.")
    return choices[text]


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
    kind = text_field(fields, "entries_format", "tsv")
    if kind not in _SIGNS:
        raise ApiError("invalid", "entries_format is neither tsv nor csv.")
    text = text_field(fields, "entries")
    if kind == "csv":
        try:
            rows = list(csv.reader(io.StringIO(text)))
        except csv.Error as error:
            raise ApiError("invalid", f"entries cannot be read as CSV: {error}.") from error
    else:
        rows = [line.split("\t") for line in text.splitlines()]
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
    return _glossary_language(fields, "source_lang"), _glossary_language(fields, "target_lang")


def _glossary_language(fields: Mapping[str, Any], name: str) -> str:
    code = text_field(fields, name)
    if not LANGUAGE_CODE.fullmatch(code):
        raise ApiError("unsupported", f"{name} is {code[:40]!r}, which is not a language code, such as en or pt-BR.")
    return language_and_script(code.lower())


def _languages(pair: Pair) -> dict[str, str]:
    return {"source_lang": pair[0], "target_lang": pair[1]}


def _pair_of(direction: str) -> Pair:
    source, target = direction.split("-", 1)
    return language_and_script(source), language_and_script(target)


def _named(target: str) -> Mapping[str, str]:
    """The codes of a target language with their names: of its variants, if it has some."""
    return _VARIANTS.get(target, {target: english_name(target.lower())})


def _language(code: str) -> dict[str, Any]:
    """A language of version 3, which supports nothing yet: "EN-GB" -> "en-GB"."""
    language, *variants = code.split("-")
    shown = "-".join([language.lower(), *(each.title() if len(each) == 4 else each for each in variants)])
    name = _VARIANTS.get(language, {}).get(code, english_name(code.lower()))
    about = {"lang": shown, "name": name, "status": "stable"}
    return {**about, "usable_as_source": False, "usable_as_target": False, "features": {}}


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


def _code(language: str) -> str:
    return language_and_script(language).upper().replace("_", "-")
