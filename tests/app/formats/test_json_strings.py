"""JSON, ARB and messages.json: the json module reads the same keys and the new texts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.read_file import read_document, read_file
from tests.budget import rounds

FILE = r"""{
  "title": "Power \u00e4 cable\n",
  "count": 3, "on": true, "empty": "", "number": "12", "huge": 1e999,
  "menu": { "open": ["Open \"x\"", "Save {{name}}\nnow"], "none": null },
  "menu": {"again": "A key can be there twice"}
}
"""


def test_string_values_with_letters_are_segments_and_their_keys_are_notes() -> None:
    document = read_document(FILE.encode(), "en.json")
    assert [(s.source, s.note) for s in document.segments] == [
        ("Power ä cable", "Key: title"),
        (r'Open "x"', "Key: menu.open.0"),
        (r"Save {{name}}\nnow", "Key: menu.open.1"),
        ("A key can be there twice", "Key: menu.again"),
    ]


def test_only_the_translated_value_changes_and_keeps_the_line_break_at_its_end() -> None:
    document = read_document(FILE.encode(), "en.json")
    exported = document.export({0: 'Netz"kabel', 2: r"{{name}}\njetzt sichern"}).decode()
    assert exported == FILE.replace(r"Power \u00e4 cable", r"Netz\"kabel").replace(
        r"Save {{name}}\nnow", r"{{name}}\njetzt sichern"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"a": "caf\u00e9 one"}', r'{"a": "\u00dcber"}'),  # the file writes all of Unicode in ASCII
        ('{"a": "café one"}', '{"a": "Über"}'),
        ('{"a": "plain one"}', '{"a": "Über"}'),
    ],
)
def test_file_with_escapes_for_other_characters_keeps_writing_them(text: str, expected: str) -> None:
    assert read_document(text.encode(), "a.json").export({0: "Über"}).decode() == expected


def test_arb_gets_the_target_language_and_its_descriptions_are_notes() -> None:
    text = (
        '{"@@locale": "en_US", "@@author": "Jane", "greet": "Hello {name}",'
        ' "@greet": {"description": "On top", "type": "text"}}'
    )
    assert read_file(text.encode(), "a.arb").languages == ("en_US", "")
    document = read_document(text.encode(), "a.arb")
    assert [(s.source, s.note) for s in document.segments] == [("Hello {name}", "Key: greet · On top")]
    written = document.export_file({0: "Hallo {name}"}, "de").data.decode()
    assert written == text.replace("en_US", "de").replace("Hello {name}", "Hallo {name}")


def test_messages_of_a_browser_extension_are_segments_and_their_descriptions_are_notes() -> None:
    text = (
        '{"name": {"message": "My router", "description": "Title"}, "b": {"message": "Two", "placeholders": {"n": {}}}}'
    )
    document = read_document(text.encode(), "messages.json")
    assert [(s.source, s.note) for s in document.segments] == [
        ("My router", "Key: name.message · Title"),
        ("Two", "Key: b.message"),
    ]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=12)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8
)


def replaced(value: Any) -> Any:
    """The value with a text for each string with a letter, between the white space at its ends."""
    if isinstance(value, dict):
        return {key: replaced(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner) for inner in value]
    if not isinstance(value, str) or not any(map(str.isalpha, value)):
        return value
    return value[: len(value) - len(value.lstrip())] + 'Ü"\\' + value[len(value.rstrip()) :]


@settings(max_examples=rounds(40, 200))
@given(st.dictionaries(TEXTS.map(lambda key: f"k{key}"), VALUES), st.sampled_from([None, 2]), st.booleans())
def test_all_texts_are_translated_and_the_rest_is_equal(
    content: dict[str, Any], indent: int | None, is_ascii: bool
) -> None:
    data = json.dumps({"first": "One", **content}, indent=indent, ensure_ascii=is_ascii).encode()
    document = read_document(data, "a.json")
    assert document.export({}) == data
    texts = {segment.index: r'Ü"\\' for segment in document.segments}
    assert json.loads(document.export(texts)) == replaced({"first": "One", **content})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": "x",\n // no\n}', r"line 2, column 2: this is not valid JSON, found '// no': correct it"),
        (b'{"a": "x"', "line 1, column 10"),
        (b'{"a": "x\ty"}', "line 1, column 9"),
        (b'"a"' + b"[" * 100_000, "not valid JSON"),
        (b"[" * 200 + b'"a"' + b"]" * 200, "nested more than 100 levels deep"),
        (b"[" * 100_000 + b'"a"' + b"]" * 100_000, "nested more than 100 levels deep"),
        (b'{"a": 12}', "contains no text"),
        (b"", "is empty"),
    ],
)
def test_bad_file_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.json")


def test_number_of_many_digits_is_accepted() -> None:
    assert read_document(b'{"n": ' + b"9" * 10_000 + b', "a": "Text"}', "a.json").segments[0].source == "Text"


def test_repeated_keys_and_invalid_numbers_of_json_are_reported_and_kept() -> None:
    text = '{"a": NaN, "menu": {"open": "Open", "open": "Open it"}, "list": [{"x": "1"}, {"x": "2"}], "b": -Infinity}'
    document = read_document(text.encode(), "en.json")
    assert document.notes == (
        "Keys that occur more than once: menu.open. Each of their texts is offered; most programs use only the last.",
        "The file contains NaN, -Infinity, which JSON does not allow and many programs refuse; it was kept.",
    )
    assert document.export({1: "Öffnen"}).decode() == text.replace("Open it", "Öffnen")


def test_file_without_repeated_keys_has_no_notes() -> None:
    assert read_document(b'{"a": {"open": "Open"}, "open": "Open"}', "en.json").notes == ()
