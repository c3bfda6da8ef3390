"""iOS plural forms: plistlib and the translate toolkit read the new texts."""

from __future__ import annotations

import io
import plistlib

import pytest
from translate.storage.stringsdict import StringsDictFile

from app.errors import DocumentError
from app.formats.read_file import read_document

FILE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>%d files in %d folders</key>
    <dict>
        <key>NSStringLocalizedFormatKey</key>
        <string>%1$#@files@ in %2$#@folders@</string>
        <key>files</key>
        <dict>
            <key>NSStringFormatSpecTypeKey</key>
            <string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key>
            <string>d</string>
            <key>one</key>
            <string>%d file &amp; more</string>
            <key>other</key>
            <string>%d files</string>
        </dict>
        <key>folders</key>
        <dict>
            <key>NSStringFormatSpecTypeKey</key>
            <string>NSStringPluralRuleType</string>
            <key>one</key>
            <string>one folder</string>
            <key>other</key>
            <string>12</string>
        </dict>
    </dict>
</dict>
</plist>
"""


def test_forms_are_segments_and_keys_and_types_are_not() -> None:
    document = read_document(FILE.encode(), "Localizable.stringsdict")
    assert [(s.source, s.note.rpartition("folders.")[2]) for s in document.segments] == [
        ("%1$#@files@ in %2$#@folders@", "NSStringLocalizedFormatKey"),
        ("%d file & more", "files.one"),
        ("%d files", "files.other"),
        ("one folder", "one"),
    ]


def test_texts_for_widths_are_segments() -> None:
    widths = "<key>20</key><string>Open</string><key>50</key><string>Open the file</string>"
    rules = f"<dict><key>NSStringVariableWidthRuleType</key><dict>{widths}</dict></dict>"
    file = f"<plist><dict><key>open</key>{rules}</dict></plist>"
    document = read_document(file.encode(), "a.stringsdict", target="pl")
    assert [segment.source for segment in document.segments] == ["Open", "Open the file"]
    written = document.export({0: "Öffnen", 1: "Die Datei öffnen"})
    rule = plistlib.loads(written)["open"]["NSStringVariableWidthRuleType"]
    assert rule == {"20": "Öffnen", "50": "Die Datei öffnen"}


def test_other_programs_read_the_new_forms() -> None:
    document = read_document(FILE.encode(), "a.stringsdict")
    assert document.export({}) == FILE.encode()
    written = document.export({1: "%d Datei <neu>", 2: "%d Dateien"})
    expected = FILE.replace("%d file &amp; more", "%d Datei &lt;neu&gt;").replace("%d files<", "%d Dateien<")
    assert written.decode() == expected
    forms = plistlib.loads(written)["%d files in %d folders"]["files"]
    assert (forms["one"], forms["other"]) == ("%d Datei <neu>", "%d Dateien")
    units = StringsDictFile.parsefile(io.BytesIO(written)).units
    assert any("%d Dateien" in unit.target.strings for unit in units if hasattr(unit.target, "strings"))


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"<a/>", "needs <plist>"), (b"<plist><dict>", "not well-formed"), (b"bplist00", "not well-formed")],
)
def test_other_files_are_refused_with_the_cure(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.stringsdict")
