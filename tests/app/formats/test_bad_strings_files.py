"""Damaged and wrong files of each format of software strings and subtitles: a message with place and cure."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest

from app.errors import DocumentError
from app.formats.read_file import read_document

FILES = {
    "strings": b'"a" = "One";\n"b" = "Two";\n',
    "json": b'{"a": "One",\n"b": "Two"}',
    "arb": b'{"a": "One",\n"b": "Two"}',
    "xcstrings": b'{"sourceLanguage": "en",\n"strings": {"One": {}, "Two": {}}}',
    "yml": b'en:\n  a: "One"\n  b: "Two"\n',
    "properties": b"a=One\nb=Two\n",
    "resx": b'<root>\n<data name="a"><value>One</value></data><data name="b"><value>Two</value></data></root>',
    "xml": b'<resources>\n<string name="a">One</string><string name="b">Two</string></resources>',
    "stringsdict": b'<plist version="1.0">\n<dict><key>a</key><dict><key>v</key><dict>'
    b"<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>"
    b"<key>one</key><string>One</string><key>other</key><string>Two</string></dict></dict></dict></plist>",
    "xlf": b'<xliff version="1.2">\n<file><body><trans-unit id="1"><source>One</source></trans-unit>'
    b'<trans-unit id="2"><source>Two</source></trans-unit></body></file></xliff>',
    "vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n\n00:03.000 --> 00:04.000\nTwo.\n",
    "ass": b"[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    b"Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,One.\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,Two.\n",
}
NOT_TOLD_FROM_WHOLE = {"yml", "properties", "vtt", "ass"}  # each line of these may be the last


def sources(ending: str, data: bytes) -> list[str]:
    return [segment.source.rstrip(".") for segment in read_document(data, f"f.{ending}").segments]


@pytest.mark.parametrize("ending", FILES)
def test_encodings_and_mixed_line_ends_are_read(ending: str) -> None:
    data = FILES[ending]
    assert sources(ending, data) == ["One", "Two"]
    assert sources(ending, data.replace(b"\n", b"\r\n", 1)) == ["One", "Two"]
    assert sources(ending, b"\xef\xbb\xbf" + data) == ["One", "Two"]
    assert sources(ending, data.decode().encode("utf-16")) == ["One", "Two"]


@pytest.mark.parametrize("ending", [ending for ending in FILES if ending not in NOT_TOLD_FROM_WHOLE])
def test_cut_file_is_refused_with_the_line(ending: str) -> None:
    with pytest.raises(DocumentError, match=rf"f\.{ending}, line \d.*: "):
        read_document(FILES[ending][:-3] if ending != "strings" else FILES[ending][:-4], f"f.{ending}")


@pytest.mark.parametrize("ending", FILES)
def test_office_file_with_a_wrong_ending_is_recognized(ending: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    with pytest.raises(DocumentError, match="is a ZIP archive or an office file"):
        read_document(packed.getvalue(), f"f.{ending}")
    with pytest.raises(DocumentError, match="is a PDF"):
        read_document(b"%PDF-1.7\n", f"f.{ending}")


@pytest.mark.parametrize("ending", ["strings", "json", "arb", "yml", "properties", "resx", "xml"])
def test_repeated_key_is_named(ending: str) -> None:
    data = FILES[ending].replace(b'"b"', b'"a"').replace(b"b=", b"a=").replace(b"  b:", b"  a:")
    document = read_document(data, f"f.{ending}")
    assert len(document.segments) == 2
    assert [note for note in document.notes if note.startswith("Keys that occur more than once: ")]
    assert not read_document(FILES[ending], f"f.{ending}").notes


def test_repeated_keys_of_a_plural_dictionary_are_named_with_the_keys_around_them() -> None:
    def notes(*keys: str) -> Sequence[str]:
        forms = "".join(f"<key>{key}</key><string>Text {number}</string>" for number, key in enumerate(keys))
        inner = f"<key>a</key><dict><key>b</key><dict>{forms}</dict></dict>"
        return read_document(f"<plist><dict>{inner}</dict></plist>".encode(), "f.stringsdict").notes

    assert not notes("one", "other")
    [note] = notes("one", "other", "one")
    assert note.startswith("Keys that occur more than once: a.b.one. ")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([["1", "2"], ["1", "2"]], ""),  # ids count within a file
        ([["1", "2", "1"], ["3", "3"]], "1, 3"),
        ([["", ""]], ""),
    ],
)
@pytest.mark.parametrize("version", ["1.2", "2.0"])
def test_repeated_ids_of_xliff_units_are_named(version: str, files: Sequence[Sequence[str]], expected: str) -> None:
    unit, inside = ("trans-unit", "{}") if version == "1.2" else ("unit", "<segment>{}</segment>")
    body, source = ("body" if version == "1.2" else "group"), inside.format("<source>Text</source>")
    content = "".join(
        f"<file><{body}>" + "".join(f'<{unit} id="{key}">{source}</{unit}>' for key in keys) + f"</{body}></file>"
        for keys in files
    )
    document = read_document(f'<xliff version="{version}">{content}</xliff>'.encode(), "f.xlf")
    assert len(document.segments) == sum(map(len, files))
    named = [note for note in document.notes if note.startswith("Ids of several units")]
    assert named == [] if not expected else f": {expected}. Each unit is offered" in named[0]


def test_repeated_key_of_a_string_catalog_is_named_because_only_the_last_is_offered() -> None:
    data = b'{"sourceLanguage": "en", "strings": {"One": {}, "Two": {}, "One": {}}}'
    document = read_document(data, "f.xcstrings")
    assert "Keys that occur more than once: One. Only the last text" in document.notes[0]
    assert not read_document(FILES["xcstrings"], "f.xcstrings").notes


def test_android_strings_for_different_products_are_not_repeated_keys() -> None:
    data = b'<resources><string name="a" product="tablet">One</string><string name="a">Two</string></resources>'
    assert not read_document(data, "strings.xml").notes
