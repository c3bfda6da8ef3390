"""The lists of word forms under data/forms, xz-compressed; `engine.text.word_forms` has their format."""

from __future__ import annotations

import lzma
from functools import lru_cache

from app.paths import FORMS_FOLDER
from engine import FormList


@lru_cache(maxsize=2)
def form_list(language: str) -> FormList | None:
    """The bundled form list of a language; None if there is none."""
    path = FORMS_FOLDER / f"{language}.txt.xz"
    if not language.isalpha() or not path.exists():
        return None
    return FormList(lzma.decompress(path.read_bytes()))
