"""Makes the lists of word forms from simplemma's dictionaries: `python data/forms/build.py de` in the top folder."""

from __future__ import annotations

import lzma
import sys
from collections.abc import Mapping
from pathlib import Path

from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

sys.path.insert(0, str(Path(__file__).parents[2]))
from app.paths import FORMS_FOLDER
from engine.text import list_text


def forms_by_lemma(dictionary: Mapping[str, str]) -> dict[str, list[str]]:
    """The other forms of each dictionary form: words of letters alone, capitals as in it."""
    forms: dict[str, list[str]] = {}
    for form, lemma in dictionary.items():
        is_word = form.isalpha() and lemma.isalpha() and form[0].isupper() == lemma[0].isupper()
        if is_word and form != lemma:
            forms.setdefault(lemma, []).append(form)
    return forms


if __name__ == "__main__":
    for language in sys.argv[1:]:
        path = FORMS_FOLDER / f"{language}.txt.xz"
        text = list_text(forms_by_lemma(DefaultDictionaryFactory(0).get_dictionary(language)))
        path.write_bytes(lzma.compress(text, preset=9))
        print(f"{path}: {path.stat().st_size:,} bytes")
