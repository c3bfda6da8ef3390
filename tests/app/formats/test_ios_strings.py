"""iOS .strings: Translate Toolkit reads the same keys and the new texts."""

from __future__ import annotations

import io
import plistlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.properties import stringsutf8file

from app.errors import DocumentError
from app.formats.read_file import read_document

FILE = r"""/* Title of
   the page */
"title" = "Power \"cable\"";
// below it
key.two = "Line\nbreak %@ \U00fc";

"number" = "12"; "again" = "Once; more";
"same";
"""


def test_values_with_letters_are_segments_and_keys_and_comments_are_notes() -> None:
    document = read_document(FILE.encode(), "Localizable.strings")
    assert [(s.source, s.note) for s in document.segments] == [
        ('Power "cable"', "Key: title · Title of the page"),
        (r"Line\nbreak %@ ü", "Key: key.two · below it"),
        ("Once; more", "Key: again"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_only_the_translated_values_change(encoding: str) -> None:
    document = read_document(FILE.encode(encoding), "a.strings")
    written = document.export({0: 'Strom"kabel" 😀', 1: r"Zeile\numbruch %@ \\ß"}).decode(encoding)
    assert written == FILE.replace(r"Power \"cable\"", r"Strom\"kabel\" 😀").replace(
        r"Line\nbreak %@ \U00fc", r"Zeile\numbruch %@ \\ß"
    )


# Without backslashes, which the toolkit misreads at the end of a value.
TEXTS = st.text(st.sampled_from("ab Üß€😀'\"=;/*"), min_size=1, max_size=12).filter(lambda text: text.strip() == text)


@given(TEXTS)
def test_any_text_is_read_back(text: str) -> None:
    written = read_document(b'"k" = "Text";\n', "a.strings").export({0: text})
    (unit,) = stringsutf8file(io.BytesIO(written)).units
    assert unit.source == text


@pytest.mark.parametrize(
    ("text", "line"),
    [('"a" = "b"\n"c" = "d";\n', "line 1"), ('"a" = "b";\n/* open', "line 2"), ('"a" = "b";\n\n"c" = "d', "line 3")],
)
def test_broken_file_is_refused_with_the_line(text: str, line: str) -> None:
    with pytest.raises(DocumentError, match=line):
        read_document(text.encode(), "a.strings")


def test_compiled_strings_are_refused_with_the_cure() -> None:
    data = plistlib.dumps({"title": "Settings"}, fmt=plistlib.FMT_BINARY)
    with pytest.raises(
        DocumentError, match="is a compiled file: choose the text file of the same name in the Xcode project"
    ):
        read_document(data, "Localizable.strings")
