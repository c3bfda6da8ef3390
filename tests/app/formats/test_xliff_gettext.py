"""XLIFF of gettext and Qt messages: Qt's lconvert and the translate toolkit read it back as a person left it."""

from __future__ import annotations

import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from translate.convert import po2xliff, xliff2po

from app.access.actor import OWNER
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.translated_document import translated_document
from app.segments.stored_state import restore_segment
from tests.app.workspace.test_review import workspace_of

PO = b"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: de\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. On a button
msgid "Open"
msgstr ""

#, fuzzy
msgid "Close"
msgstr "Schliessen"

msgid "Done"
msgstr "Fertig"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

msgid "%d door"
msgid_plural "%d doors"
msgstr[0] "%d Tor"
msgstr[1] "%d Tore"
"""
TS = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context><name>MainWindow</name>
<message><source>Open</source><comment>menu</comment><extracomment>short</extracomment>
<translation type="unfinished"></translation></message>
<message><source>Close</source><translation>Schliessen</translation></message>
<message><source>Done</source><translation type="unfinished">Fertig</translation></message>
<message numerus="yes"><source>%n file(s)</source><translation type="unfinished">
<numerusform></numerusform><numerusform></numerusform></translation></message>
</context></TS>
"""
LCONVERT = shutil.which("lconvert") or shutil.which("/usr/lib/qt6/bin/lconvert")
# As lconvert 6.4 writes them.
OF_QT = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"
 xmlns:trolltech="urn:trolltech:names:ts:document:1.0">
<file original="" datatype="plaintext" source-language="en" target-language="de-DE"><body>
<group restype="x-trolltech-linguist-context" resname="MainWindow">
<trans-unit id="_msg1"><source xml:space="preserve">Open</source><target xml:space="preserve"></target>
<context-group><context context-type="x-gettext-msgctxt">menu</context></context-group>
<note annotates="source" from="developer">short</note></trans-unit>
<trans-unit id="_msg2" approved="yes"><source>Close</source><target>Schliessen</target></trans-unit>
<trans-unit id="_msg3"><source>Done</source><target state="needs-review-translation">Fertig</target></trans-unit>
<group restype="x-gettext-plurals">
<trans-unit id="_msg4[0]"><source>%n file(s)</source><target></target></trans-unit>
<trans-unit id="_msg4[1]"><source>%n file(s)</source><target></target></trans-unit></group>
</group></body></file></xliff>
"""


def of_toolkit() -> Document:
    """The document that the translate toolkit makes of the PO file."""
    written = BytesIO()
    po2xliff.convertpo(BytesIO(PO), written, None)
    return read_document(written.getvalue(), "a.xlf")


def as_po(data: bytes) -> str:
    """The PO file that the translate toolkit makes of an XLIFF file, without its header."""
    written = BytesIO()
    xliff2po.convertxliff(BytesIO(data), written, None)
    return written.getvalue().decode().partition("\n\n")[2]


def finished_in_qt(data: bytes, folder: Path) -> dict[str, bool]:
    """Whether each message is finished in the .ts file that Qt's lconvert makes of an XLIFF file."""
    assert LCONVERT is not None
    (folder / "a.xlf").write_bytes(data)
    subprocess.run([LCONVERT, "-i", folder / "a.xlf", "-o", folder / "b.ts"], check=True, capture_output=True)
    messages = ElementTree.parse(folder / "b.ts").iter("message")
    return {m.findtext("source", ""): m.find("translation").get("type") != "unfinished" for m in messages}


def test_header_is_not_a_segment_and_plural_forms_are_numbered():
    assert [(s.source, s.target, s.state, s.note, s.review) for s in of_toolkit().segments] == [
        ("Open", None, "new", "On a button", ""),
        ("Close", "Schliessen", "edited", "", ""),
        ("Done", "Fertig", "confirmed", "", ""),
        ("%d file", None, "new", "Plural form 1 of 2", ""),
        ("%d files", None, "new", "Plural form 2 of 2", ""),
        ("%d door", "%d Tor", "confirmed", "Plural form 1 of 2", ""),
        ("%d doors", "%d Tore", "confirmed", "Plural form 2 of 2", ""),
    ]


def test_context_and_class_of_a_message_are_notes():
    assert [
        (s.source, s.target, s.state, s.note, s.review) for s in read_document(OF_QT.encode(), "a.xlf").segments
    ] == [
        ("Open", None, "new", "Context: menu · Class: MainWindow · short", ""),
        ("Close", "Schliessen", "confirmed", "Class: MainWindow", ""),
        ("Done", "Fertig", "edited", "Class: MainWindow", ""),
        ("%n file(s)", None, "new", "Plural form 1 of 2 · Class: MainWindow", ""),
        ("%n file(s)", None, "new", "Plural form 2 of 2 · Class: MainWindow", ""),
    ]


def test_translate_toolkit_takes_confirmed_texts_for_finished_and_drafts_for_fuzzy():
    translations = {
        0: "Öffnen",
        1: "Schließen",
        2: "Erledigt",
        3: "%d Datei",
        4: "%d Dateien",
        5: "%d Tür",
        6: "%d Türen",
    }
    assert "fuzzy" not in as_po(of_toolkit().export(translations))
    drafts = as_po(of_toolkit().export_file(translations, drafts={1, 2, 4, 6}).data)
    fuzzy = re.findall(r'#, fuzzy\nmsgid "(.*)"', drafts)
    assert fuzzy == ["Close", "Done", "%d file", "%d door"]
    assert 'msgstr[1] "%d Türen"' in drafts


def test_only_changed_messages_get_another_approval():
    written = of_toolkit().export({0: "Öffnen"})
    assert re.findall(r'approved="\w+"', written.decode()) == [
        *re.findall(r'approved="\w+"', of_toolkit().export({}).decode())[:1],
        'approved="yes"',
        *re.findall(r'approved="\w+"', of_toolkit().export({}).decode())[1:],
    ]


@pytest.mark.skipif(LCONVERT is None, reason="Qt's lconvert is not installed (Debian package qt6-l10n-tools)")
def test_qt_takes_confirmed_texts_for_finished_and_drafts_for_unfinished(tmp_path: Path):
    assert LCONVERT is not None
    (tmp_path / "a.ts").write_text(TS)
    subprocess.run([LCONVERT, "-i", tmp_path / "a.ts", "-o", tmp_path / "c.xlf"], check=True, capture_output=True)
    document = read_document((tmp_path / "c.xlf").read_bytes(), "c.xlf")
    assert [segment.note for segment in document.segments] == [
        segment.note for segment in read_document(OF_QT.encode(), "a.xlf").segments
    ]
    translations = {0: "Öffnen", 1: "Zu", 2: "Fertig", 3: "%n Datei", 4: "%n Dateien"}
    assert all(finished_in_qt(document.export(translations), tmp_path).values())
    drafts = document.export_file(translations, drafts={1, 4}).data
    assert finished_in_qt(drafts, tmp_path) == {"Open": True, "Close": False, "Done": True, "%n file(s)": False}


@pytest.mark.parametrize(
    ("before", "is_draft", "after"),
    [
        ("", False, ' approved="yes"'),
        ("", True, ""),
        (' approved="yes"', False, ' approved="yes"'),
        (' approved="yes"', True, ' approved="no"'),
        (' approved="no"', False, ' approved="yes"'),
        (' approved="no"', True, ' approved="no"'),
    ],
)
def test_message_of_qt_is_approved_when_it_is_confirmed(before: str, is_draft: bool, after: str):
    data = OF_QT.replace('id="_msg2" approved="yes"', f'id="_msg2"{before}')
    written = read_document(data.encode(), "a.xlf").export_file({1: "Zu"}, drafts={1} if is_draft else ()).data
    assert f'<trans-unit id="_msg2"{after}>' in written.decode()


def test_file_that_does_not_use_approval_gets_none():
    plain = re.sub(r' (?:approved|xmlns:trolltech|restype)="[^"]*"', "", OF_QT)
    plain = plain.replace("context-type", "x-type")
    written = read_document(plain.encode(), "a.xlf").export({1: "Zu"})
    assert b"approved" not in written
    used = plain.replace('id="_msg3"', 'id="_msg3" approved="no"')
    assert b'id="_msg2" approved="yes"' in read_document(used.encode(), "a.xlf").export({1: "Zu"})


def test_message_of_qt_that_is_confirmed_in_the_editor_is_exported_as_approved(store: LogStore):
    workspace = workspace_of(store, store.start_session(OWNER, read_document(OF_QT.encode(), "a.xlf"), "en-de").token)
    workspace.confirm(OWNER, 1, "Zu")
    workspace.confirm(OWNER, 2, "Fertig")
    workspace.edit(OWNER, 0, "Öff", "typed")
    record = store.load_session(OWNER, workspace.token)
    written = translated_document(record.document, map(restore_segment, record.segments)).data.decode()
    assert 'id="_msg2" approved="yes"' in written and 'id="_msg3" approved="yes"' in written
    assert '<trans-unit id="_msg1"><source xml:space="preserve">Open</source><target xml:space="preserve" ' in written
    again = read_document(written.encode(), "a.xlf")
    assert [segment.state for segment in again.segments] == ["edited", "confirmed", "confirmed", "new", "new"]
