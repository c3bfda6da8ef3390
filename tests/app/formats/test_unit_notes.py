"""Notes of segments: labels are translatable, what is stored stays, and texts of documents are never changed."""

from __future__ import annotations

import pytest

from app.formats.read_file import read_document
from app.formats.unit_notes import key_note, name_note, numbers_note, plural_note, shown_note
from app.i18n import translated


@pytest.mark.parametrize(
    ("note", "stored", "german"),
    [
        (key_note("menu.file"), "Key: menu.file", "Schlüssel: menu.file"),
        (key_note("a {b} · c"), "Key: a {b} · c", "Schlüssel: a {b} · c"),
        (f"{key_note('a')} · Key: of a comment", "Key: a · Key: of a comment", "Schlüssel: a · Key: of a comment"),
        (name_note("id1"), "Name: id1", "Name: id1"),
        (f"{plural_note(2, 3)} · c", "Plural form 2 of 3 · c", "Pluralform 2 von 3 · c"),
        (
            numbers_note(plural_note(3), "2, 3"),
            "Plural form 3 · numbers such as 2, 3",
            "Pluralform 3 · Zahlen wie 2, 3",
        ),
        ("a {comment} · another", "a {comment} · another", "a {comment} · another"),
        ("", "", ""),
    ],
)
def test_labels_are_translated_when_they_are_shown(note: str, stored: str, german: str) -> None:
    assert (type(note), note) == (str, stored)
    assert shown_note(note) == stored
    assert translated(shown_note(note), "de") == german


def test_formats_store_labels_in_english_and_the_preview_can_translate_them() -> None:
    document = read_document(b'{"menu": {"file": "File"}}', "a.json")
    assert document.segments[0].note == "Key: menu.file"
    assert translated(shown_note(document.segments[0].note), "de") == "Schlüssel: menu.file"
