"""The dialect of DeepL's API, version 2: translations and languages.

The parameter `pinpoint` of a translation is a `ConstraintSchema` for all texts, or a list with one for each text; in a
form, it is JSON. The reply then has an `AnswerSchema` for each text. Context, model types and `preserve_formatting` are
ignored; style rules, custom instructions and translation memories are refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from app.errors import ApiError
from app.models.document_direction import language_and_script
from app.models.style import Style, formalities_of
from app.serving.admission import Caller
from app.serving.api_fields import (
    ApiField,
    body,
    boolean_field,
    choice_field,
    ignored_field,
    names_field,
    optional_field,
    query,
    raw_field,
    text_field,
    texts_field,
)
from app.serving.api_limits import MAX_GLOSSARIES_AT_ONCE, MAX_TAG_NAMES
from app.serving.api_schemas import CONSTRAINTS, AnswerSchema, ConstraintSchema, parsed
from app.serving.constrained_texts import Answer, ConstrainedText, Splitting, check_lengths
from app.serving.dialects import DEEPL_KEY, HTTP_STATUS, admitted, context_of, fields_of, header_key
from app.serving.markup import MarkedText, xml_problem
from app.serving.markup_tokens import Markup, Outline
from app.text.client_json import read_json
from app.text.language_names import english_name
from engine import Formality

PREFIXES: Final = ("/v2/", "/v3/")
_STATUS: Final = {"no_key": 403, "wrong_key": 403, "used_up": 456, "unmet": 400, "too_late": 503}
# DeepL distinguishes variants of these target languages; the language of a model covers all of them.
_VARIANTS: Final[Mapping[str, Mapping[str, str]]] = {
    "EN": {"EN-GB": "English (British)", "EN-US": "English (American)"},
    "PT": {"PT-BR": "Portuguese (Brazilian)", "PT-PT": "Portuguese (European)"},
    "ZH": {"ZH-HANS": "Chinese (simplified)"},
}
# With whether it is an error if the model does not support it.
FORMALITIES: Final[Mapping[str, tuple[Formality | None, bool]]] = {
    "default": (None, True),
    "more": ("formal", True),
    "prefer_more": ("formal", False),
    "less": ("informal", True),
    "prefer_less": ("informal", False),
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
_MARKUP: Final[Mapping[str, Markup | Literal[""]]] = {"xml": "xml", "html": "html", "": ""}
_SPLITTING: Final[Mapping[str, Splitting | None]] = {
    "0": "none",
    "1": "sentences",
    "nonewlines": "punctuation",
    "": None,
}

SOURCE_LANG: Final = optional_field(
    "source_lang", "The code of the source language; without it, detected from the text."
)
TARGET_LANG: Final = text_field("target_lang", "The code of the target language.", example="DE")
FORMALITY: Final = choice_field(
    "formality", FORMALITIES, "default", "The form of address; `prefer_` if the model has it."
)
_GLOSSARY_ID: Final = optional_field("glossary_id", "The id of a glossary.")
_GLOSSARY_IDS: Final = names_field(
    "glossary_ids", MAX_GLOSSARIES_AT_ONCE, "Several glossaries; the first has priority."
)
_TEXT: Final = texts_field("text", "The texts to translate.", ["Open the file."])
_TAG_HANDLING: Final = choice_field("tag_handling", _MARKUP, "", "Whether the texts contain markup.")
_VERSION: Final = choice_field("tag_handling_version", {"v1": 1, "v2": 2, "": 0}, "", "Both are read in one way.")
_SPLIT: Final = choice_field("split_sentences", _SPLITTING, "", "By default, `nonewlines` with markup, else `1`.")
_OUTLINE: Final = boolean_field("outline_detection", True, "Find paragraphs of XML.")
_IGNORE, _SPLITTING_TAGS, _NON_SPLITTING = (
    names_field(f"{name}_tags", MAX_TAG_NAMES, about)
    for name, about in (
        ("ignore", "Elements that are not translated."),
        ("splitting", "Elements that separate texts."),
        ("non_splitting", "Elements that do not."),
    )
)
_PINPOINT: Final = raw_field("pinpoint", CONSTRAINTS, is_required=False)
_IGNORED: Final = [
    ignored_field(name)
    for name in (
        *("context", "show_billed_characters", "preserve_formatting", "model_type", "enable_beta_languages"),
        *("translation_memory_threshold", "auth_key"),
    )
]
LANGUAGES: Final[tuple[ApiField[Any], ...]] = (SOURCE_LANG, TARGET_LANG, FORMALITY, _GLOSSARY_ID, _GLOSSARY_IDS)
_TRANSLATION: Final[tuple[ApiField[Any], ...]] = (
    *(_TEXT, *LANGUAGES, _TAG_HANDLING, _VERSION, _SPLIT, _OUTLINE, _IGNORE, _SPLITTING_TAGS, _NON_SPLITTING),
    *(_PINPOINT, *_IGNORED),
)
_SIDE: Final = choice_field("type", {"source": 0, "target": 1}, "source", "Which languages are listed.")
_RESOURCE: Final = choice_field(
    "resource", {name: name for name in (*_RESOURCES, *_NOT_OFFERED)}, "", "A part of the API."
)


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


@router.post("/v2/translate", openapi_extra=body(*_TRANSLATION))
async def translate(request: Request, caller: Entered, fields: Fields) -> Response:
    """Translates texts, with tag handling, glossary and formality, and with the constraints in `pinpoint`."""
    context = context_of(request)
    check_known(fields, _TRANSLATION)
    _VERSION.of(fields)
    texts = _TEXT.of(fields)
    check_lengths(texts)
    constraints = await asyncio.to_thread(_constraints, _PINPOINT.of(fields), len(texts))
    source, target = SOURCE_LANG.of(fields) or None, TARGET_LANG.of(fields)
    kind = _TAG_HANDLING.of(fields)
    splitting = _SPLIT.of(fields) or ("punctuation" if kind else "sentences")
    formality, is_required = FORMALITY.of(fields)
    setup = await context.translations.setup(
        source, target, "\n".join(texts), Style(formality), is_style_required=is_required, splitting=splitting
    )
    setup = await context.with_glossaries(setup, caller, glossary_ids(fields))
    marked = await asyncio.to_thread(_marked, texts, kind, fields, splitting, constraints)
    items = await asyncio.to_thread(_items, marked, constraints)
    answers = await context.translate(request, caller, texts, items, setup)
    has_constraints = _PINPOINT.of(fields) is not None
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


@router.get("/v2/languages", openapi_extra=query(_SIDE))
async def languages(request: Request, fields: Fields) -> Response:
    """The source or target languages of the models that are ready."""
    side = _SIDE.of(fields)
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


@router.get("/v3/languages", openapi_extra=query(_RESOURCE))
async def languages_of_resource(request: Request, fields: Fields) -> Response:
    """The languages of a part of the API, each with what it supports as source or target."""
    resource = _RESOURCE.of(fields)
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


def check_known(fields: Mapping[str, Any], known: Sequence[ApiField[Any]]) -> None:
    """Raises ApiError for a parameter of a translation that this server cannot follow, or does not know."""
    names = {each.name for each in known}
    for name, value in fields.items():
        if name in _REFUSED:
            if value:
                raise ApiError("unsupported", f"{name}: this server does not offer {_REFUSED[name]}, leave it out.")
        elif name not in names:
            raise ApiError("unsupported", f"{name[:40]!r} is not a parameter of a translation that this server knows.")


def glossary_ids(fields: Mapping[str, Any]) -> list[str]:
    """The glossaries that a translation uses: one in `glossary_id`, or several in `glossary_ids`. Raises ApiError."""
    several, one = _GLOSSARY_IDS.of(fields), _GLOSSARY_ID.of(fields)
    if one and several:
        raise ApiError("invalid", "glossary_id and glossary_ids cannot be used together.")
    return [one] if one else several


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error as DeepL does."""
    return JSONResponse({"message": str(error)}, _STATUS.get(error.kind, HTTP_STATUS[error.kind]))


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
    ignored, separating, joined = (frozenset(field.of(fields)) for field in (_IGNORE, _SPLITTING_TAGS, _NON_SPLITTING))
    is_detected, keeps_lines = _OUTLINE.of(fields), splitting == "sentences"
    outline = Outline(kind, ignored, separating, joined, is_detected=is_detected, keeps_lines=keeps_lines)
    return [
        MarkedText.of(text, outline, is_whole=each.constrain("x").is_whole)
        for text, each in zip(texts, constraints, strict=True)
    ]


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


def _code(language: str) -> str:
    return language_and_script(language).upper().replace("_", "-")
