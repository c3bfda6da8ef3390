"""Occurrences of required phrases in a text that is not decoded."""

from __future__ import annotations

import pytest

from engine import Phrase, Request
from engine.interruption import NEVER
from engine.sentences.required_texts import RequiredTexts
from engine.text import TextCodec
from tests.sentences.test_divided import make_translator

COMPOUNDS = [
    ("Netzkabel", "Der Netzkabelstecker", 1, "the other part is a word"),
    ("Netzkabel", "Die Netzkabelle", 0, "the rest is not a word"),
    ("Netzkabel", "Das Ersatznetzkabel", 1, "the end of a compound"),
    ("Netzkabel", "Der Netzkabelsteckerhalter", 1, "three parts"),
    ("Netzkabel", "Der Netzkabel-Stecker", 1, "a hyphen between the parts"),
    ("Netzkabel", "Das USB-Netzkabel", 1, "a hyphen before it"),
    ("Sicherheit", "Die Sicherheitsdatei", 1, "joined by -s-"),
    ("Datei", "Der Dateiname und die Textdatei", 2, "two compounds"),
    ("Straße", "Die Straßenkarte", 1, "joined by -n-"),
    ("Tag", "Das Tagesziel", 1, "joined by -es-"),
    ("Tag", "Der Tagxyz", 0, "letters that are not a word"),
]


@pytest.mark.parametrize(("phrase", "text", "count", "why"), COMPOUNDS)
def test_phrase_counts_in_a_compound_whose_other_parts_are_words(
    codec: TextCodec, phrase: str, text: str, count: int, why: str
) -> None:
    translator = make_translator(codec)
    request = Request("The file is open.", phrases=(Phrase(phrase, boundary="compound"),))
    required = RequiredTexts(translator.constraints_of(request, NEVER))
    assert required.count(0, text) == count, why
