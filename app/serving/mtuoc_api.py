"""The dialect of MTUOC's server. Its clients send no key; their address identifies them.

The languages are those of `srcLang` and `tgtLang` (or `source` and `target`), else the languages of new documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from app.errors import ApiError
from app.serving.api_fields import optional_field, raw_field, text_field
from app.serving.constrained_texts import ConstrainedText, check_lengths
from app.serving.dialects import HTTP_STATUS, admitted, context_of, header_key

_TEXT: Final = text_field("src", "The text to translate.", example="Open the file.")
_SOURCE: Final = (optional_field("srcLang", "The code of the source language."), optional_field("source", "The same."))
_TARGET: Final = (optional_field("tgtLang", "The code of the target language."), optional_field("target", "The same."))
_ID: Final = raw_field("id", {"type": ["string", "number", "null"], "description": "Repeated in the answer."})
_KEY: Final = optional_field("key", "The key.")
FIELDS: Final = (_TEXT, *_SOURCE, *_TARGET, _ID, _KEY)


async def translate(request: Request, fields: Mapping[str, Any]) -> Response:
    """Translates the field `src`. The lists of tokens in the reply are empty."""
    context = context_of(request)
    key = _KEY.of(fields) or header_key(request, "Bearer")
    async with admitted(request, key or None, "the field key", takes_address=True) as caller:
        text, number = _TEXT.of(fields), _ID.of(fields)
        if not isinstance(number, str | int | float | None):
            raise ApiError("invalid", "id is neither a text nor a number.")
        check_lengths([text])
        source, target = context.translations.first_direction.split("-", 1)
        setup = await context.translations.setup(
            next(filter(None, (each.of(fields) for each in _SOURCE)), source),
            next(filter(None, (each.of(fields) for each in _TARGET)), target),
            text,
        )
        (answer,) = await context.translate(request, caller, [text], [ConstrainedText(text)], setup)
        translation = answer.best(0)
    lists = dict.fromkeys(("src_tokens", "tgt_tokens", "src_subwords", "tgt_subwords", "alignment"), "")
    return JSONResponse(
        {
            "id": number,
            "src": text,
            "system_name": setup.model.name,
            "tgt": translation,
            **lists,
            "alternate_translations": [],
        }
    )


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error."""
    return JSONResponse({"error": str(error)}, HTTP_STATUS[error.kind])
