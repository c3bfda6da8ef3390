"""TMX documents, checked with translate-toolkit and an XML parser; only targets change."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage import tmx

from app.access.actor import OWNER
from app.errors import DocumentError
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.tm.memory_file import read_memory
from tests.app.workspace.test_review import workspace_of

FILE = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd"><!-- kept -->
<tmx version="1.4"><header creationtool='x' creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en"
 srclang="en-US" datatype="xml"/>
<body>
<tu tuid="1"><prop type="x">kept</prop><tuv xml:lang="de"><seg>Die  Datei</seg></tuv><tuv xml:lang="en-US"><seg>The file</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Press <bpt i="1">&lt;b></bpt>OK<ept i="1">&lt;/b></ept> &amp; wait</seg></tuv>
 <tuv xml:lang="de"><seg/></tuv></tu>
<tu><tuv xml:lang="EN"><seg>Open <hi>it</hi></seg></tuv><tuv xml:lang="fr"><seg>Ouvrir</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>ohne Quelle</seg></tuv></tu>
</body></tmx>
"""  # noqa: E501


def test_units_are_read_with_numbered_placeholders_and_targets():
    document = read_document(FILE, "a.tmx")
    assert [(s.source, s.target, s.state) for s in document.segments] == [
        ("The file", "Die  Datei", "confirmed"),
        ("Press {1}OK{/1} & wait", None, "new"),
        ("Open {1}it{/1}", None, "new"),
    ]
    assert document.export({0: "Die  Datei"}) == FILE


def test_only_targets_are_written_and_other_programs_can_read_them():
    written = read_document(FILE, "a.tmx").export({1: "{1}OK{/1} <drücken>", 2: "{1}Es{/1} öffnen {7}"})
    expected = FILE.replace(
        b"<seg/>",
        '<seg><bpt i="1">&lt;b></bpt>OK<ept i="1">&lt;/b></ept> &lt;drücken&gt;</seg>'.encode(),
    ).replace(
        b"<hi>it</hi></seg></tuv>",
        '<hi>it</hi></seg></tuv><tuv xml:lang="de"><seg><hi>Es</hi> öffnen {7}</seg></tuv>'.encode(),
    )
    assert written == expected
    etree.fromstring(written)
    theirs = tmx.tmxfile(io.BytesIO(written), "en", "de")
    assert len(theirs.units) == 4
    assert read_document(written, "a.tmx").segments[2].target == "{1}Es{/1} öffnen {7}"


def test_file_with_one_language_gets_the_target_language_of_the_document():
    data = b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>A</seg></tuv></tu></body></tmx>'
    document = read_document(data, "a.tmx")
    assert b'<tuv xml:lang="de"><seg>B</seg></tuv>' in document.export_file({0: "B"}, "de").data


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"<x/>", "not a TMX"), (b"<tmx/>", "contains no text"), (b'<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "entities")],
)
def test_other_files_are_rejected_as_tmx(data: bytes, message: str):
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.tmx")


@given(st.lists(st.text(max_size=20), min_size=3, max_size=3))
def test_any_translation_keeps_the_file_well_formed_and_is_read_back(texts: list[str]):
    written = read_document(FILE, "a.tmx").export(dict(enumerate(texts)))
    etree.fromstring(written)
    assert [s.source for s in read_document(written, "a.tmx").segments] == [
        s.source for s in read_document(FILE, "a.tmx").segments
    ]


OF_OMEGAT = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.1"><header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" datatype="plaintext"
 creationtoolversion="5.7" segtype="sentence" srclang="EN-US"/>
<body>
<!-- Default translations -->
<tu><tuv lang="EN-US"><seg>Open</seg></tuv><tuv lang="DE"><seg>Öffnen</seg></tuv></tu>
<!-- Alternative translations -->
<tu><prop type="file">a.txt</prop><prop type="prev">The door</prop><prop type="next">Close</prop>
<tuv lang="EN-US"><seg>Open</seg></tuv><tuv lang="DE"><seg>Offen</seg></tuv></tu>
<tu><prop type="file">b.properties</prop><prop type="id">state</prop>
<tuv lang="EN-US"><seg>Open</seg></tuv><tuv lang="DE"><seg>Geöffnet</seg></tuv></tu>
</body></tmx>
"""


def test_alternative_translation_of_omegat_names_its_place_and_is_not_a_repetition(store: LogStore):
    document = read_document(OF_OMEGAT.encode(), "project_save.tmx")
    assert [(segment.target, segment.note) for segment in document.segments] == [
        ("Öffnen", ""),
        ("Offen", "Only for this place: file: a.txt, prev: The door, next: Close"),
        ("Geöffnet", "Only for this place: file: b.properties, id: state"),
    ]
    blank = re.sub(r'(lang="DE"><seg>)[^<]+', r"\1", OF_OMEGAT)
    workspace = workspace_of(store, store.start_session(OWNER, read_document(blank.encode(), "p.tmx"), "en-de").token)
    assert workspace.confirm(OWNER, 0, "Öffnen!") is None  # no repetitions
    assert [segment.target for segment in workspace.segments] == ["Öffnen!", None, None]


def test_memory_leaves_out_translations_for_only_one_place():
    memory = read_memory(OF_OMEGAT.encode(), "project_save.tmx", "en", "de")
    assert memory.pairs == [("Open", "Öffnen")]
    assert memory.notes == ["Translations for only one place, which are left out (2): Open, Open."]
