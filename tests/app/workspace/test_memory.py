"""The memory of a log: confirmed segments are in it as they stand now, imported files beside them, files come out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage import tmx

from app.access.actor import OWNER
from app.errors import DocumentError
from app.log.project_tables import Project, insert_project
from app.log.store import LogStore, SegmentUpdate
from app.tm import library as memory_library
from app.tm import storage
from app.tm.entries import MemoryEntry
from app.tm.library import MemoryLibrary
from app.tm.memory_file import read_memory
from app.tm.storage import import_entries, load_entries
from app.tm.tmx_memory import write_tmx
from app.ui.api import Api
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.app.ui.test_api import api, message  # noqa: F401

TEXT = "Open the file.\nOpen the files.\nSomething else.\n"
FILE = """<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en"
 srclang="en" datatype="xml"/><body>
<tu><tuv xml:lang="en-US"><seg>Press <bpt i="1">&lt;b></bpt>OK<ept i="1">&lt;/b></ept>.</seg></tuv>
 <tuv xml:lang="de-AT"><seg>Auf <bpt i="1">&lt;b></bpt>OK<ept i="1">&lt;/b></ept> drücken.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Only English.</seg></tuv><tuv xml:lang="fr"><seg>Non.</seg></tuv></tu>
<tu><tuv lang="de"><seg>Öffnen.</seg></tuv><tuv lang="en"><seg>Open.</seg></tuv></tu></body></tmx>""".encode()


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    yield workspace
    workspace.close()


def targets(workspace: Workspace, index: int) -> list[tuple[int, str]]:
    return [(match["rate"], match["target"]) for match in workspace.memory.matches(OWNER, index)["matches"]]


def test_changes_while_a_large_memory_is_read_are_not_lost(
    workspace: Workspace, store: LogStore, monkeypatch: pytest.MonkeyPatch
):
    settle(workspace)
    workspace.confirm(OWNER, 2, "Etwas anderes.")
    workspace.memory.library.forget()
    monkeypatch.setattr(storage, "_ENTRIES_PER_PAGE", 2)
    pairs = [(f"Part {number}.", f"Teil {number}.") for number in range(5)]
    import_entries(store.connection, "old.tmx", "en", "de", pairs)

    def slowly(*arguments: Any) -> Iterator[Any]:
        read = list(load_entries(*arguments))
        workspace.confirm(OWNER, 0, "Öffnen Sie die Datei.")
        workspace.reopen(OWNER, 2)
        yield from read

    monkeypatch.setattr(memory_library, "load_entries", slowly)
    entries = workspace.memory.library.index("en-de").entries()
    assert [(entry.source, entry.target) for entry in entries] == [*pairs, ("Open the file.", "Öffnen Sie die Datei.")]


def test_confirmed_segment_is_found_from_others_until_it_is_reopened(workspace: Workspace, store: LogStore):
    assert targets(workspace, 1) == []
    workspace.confirm(OWNER, 0, "Öffnen Sie die Datei.")
    assert targets(workspace, 1) == [(93, "Öffnen Sie die Datei.")]
    assert targets(workspace, 0) == []  # its own text is no match
    again = MemoryLibrary(store).index("en-de").entries()
    assert [(entry.source, entry.target) for entry in again] == [("Open the file.", "Öffnen Sie die Datei.")]
    backwards = MemoryLibrary(store).index("de-en").entries()
    assert [(entry.source, entry.target) for entry in backwards] == [("Öffnen Sie die Datei.", "Open the file.")]
    workspace.confirm(OWNER, 0, "Die Datei öffnen.")
    assert targets(workspace, 1) == [(93, "Die Datei öffnen.")]
    workspace.reopen(OWNER, 0)
    assert targets(workspace, 1) == []
    shown = [event for event in store.events(workspace.session_id) if event.type == "memory_shown"]
    assert [event.payload["matches"][0]["rate"] for event in shown] == [93, 93]


def test_match_that_differs_only_in_a_number_is_offered_with_the_new_number(store: LogStore):
    workspace = make_workspace(store, ready_model(HandDecoder()), "Wait 10 seconds.\nWait 2.5 seconds.\n")
    workspace.confirm(OWNER, 0, "Warten Sie 10 Sekunden.")
    (match,) = workspace.memory.matches(OWNER, 1)["matches"]
    assert (match["rate"], match["is_adapted"], match["target"]) == (99, True, "Warten Sie 2,5 Sekunden.")
    assert match["runs"] == [["s", "Wait "], ["d", "10"], ["i", "2.5"], ["s", " seconds."]]
    assert match["target_runs"] == [["s", "Warten Sie "], ["i", "2,5"], ["s", " Sekunden."]]
    (shown,) = [event for event in store.events(workspace.session_id) if event.type == "memory_shown"]
    assert shown.payload["matches"][0]["is_adapted"]
    workspace.close()


def test_imported_file_is_stored_and_replaced_by_a_newer_one_of_its_name(store: LogStore):
    library = MemoryLibrary(store)
    assert library.import_memory(FILE, "../../a.tmx", "en-de") == {"name": "a.tmx", "num_pairs": 2, "notes": []}
    found = MemoryLibrary(store).index("en-de").matches("Press <b>OK</b>.")
    assert [(match.rate, match.entry.target, match.entry.origin) for match in found] == [
        (100, "Auf <b>OK</b> drücken.", "a.tmx")
    ]
    library.import_memory(write_tmx([MemoryEntry("One", "Eins")], "en", "de"), "a.tmx", "en-de")
    assert [entry.source for entry in library.index("en-de").entries()] == ["One"]
    assert [entry.source for entry in library.index("de-en").entries()] == ["Eins"]
    exported = library.export(OWNER, "en-de")
    assert (exported.name, read_memory(exported.data, "x.tmx", "en", "de").pairs) == (
        "memory.en-de.tmx",
        [("One", "Eins")],
    )


def test_memory_is_exported_as_a_table_with_the_names_of_projects(store: LogStore, workspace: Workspace):
    library = workspace.memory.library
    assert library.export(OWNER, "en-de", "csv").note is not None
    workspace.confirm(OWNER, 0, "Öffnen Sie die Datei.")
    with store.connection.transaction("make a project"):
        project = insert_project(store.connection.db, Project(0, "Pumps", "", "en-de", "", "", True))
    library.import_memory(FILE, "a.tmx", "en-de", project)
    exported = library.export(OWNER, "en-de", "csv")
    header, *rows = csv.reader(io.StringIO(exported.data.decode("utf-8-sig"), newline=""))
    assert (exported.name, exported.note, header[:2]) == ("memory.en-de.csv", None, ["en", "de"])
    assert [row[:5] for row in rows] == [
        ["Press {1}OK{/1}.", "Auf {1}OK{/1} drücken.", "a.tmx", "imported", "Pumps"],
        ["Open.", "Öffnen.", "a.tmx", "imported", "Pumps"],
        ["Open the file.", "Öffnen Sie die Datei.", "manual.txt", "confirmed", ""],
    ]
    backwards = csv.reader(io.StringIO(library.export(OWNER, "de-en", "csv").data.decode("utf-8-sig"), newline=""))
    assert next(backwards)[:2] == ["de", "en"]
    sheet = openpyxl.load_workbook(io.BytesIO(library.export(OWNER, "en-de", "xlsx").data)).active
    assert [[cell.value or "" for cell in row] for row in sheet] == [header, *rows]


def test_entries_written_by_another_process_are_found_without_a_restart(store: LogStore, workspace: Workspace):
    library = MemoryLibrary(store)
    first = library.index("en-de")
    other = LogStore.open(store.path)
    other.append(OWNER, workspace.session_id, "blur", {}, segment=0)
    assert library.index("en-de") is first  # its events are none of the memory
    settle(workspace)
    workspace.confirm(OWNER, 2, "Etwas anderes.")
    workspace.memory.library.forget()
    assert library.index("en-de") is first
    MemoryLibrary(other).import_memory(FILE, "a.tmx", "en-de")
    assert len(library.index("en-de").entries()) == 3
    other.append(OWNER, workspace.session_id, "confirm", {}, segment=0, update=SegmentUpdate("confirmed", "Öffnen.", 1))
    assert [match.entry.target for match in library.index("en-de").matches("Open the file.")] == ["Öffnen."]
    other.close()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"<a/>", "is not a TMX file"),
        (b"<tmx><body>", "not well-formed"),
        (b'<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "its own entities"),
        (FILE.replace(b'"de', b'"it'), "in both"),
    ],
)
def test_file_without_these_languages_is_refused_and_nothing_is_stored(store: LogStore, data: bytes, says: str):
    library = MemoryLibrary(store)
    with pytest.raises(DocumentError, match=says):
        library.import_memory(data, "a.tmx", "en-de")
    assert library.index("en-de").entries() == []


def test_deleted_session_is_gone_from_the_memory_at_once(api: Api):  # noqa: F811
    token = api.hello(OWNER, {})["token"]
    api.command(OWNER, message(api, "confirm", segment=1, text="geheim"))
    index = api.sessions.library.index("en-de")
    assert [entry.target for entry in index.entries()] == ["geheim"]
    api.command(OWNER, {**message(api, "delete_session"), "token": token})
    assert api.sessions.library.index("en-de").entries() == []


@pytest.mark.parametrize("direction", ["en-zho_Hant", "zho_Hans-zho_Hant"])
def test_a_memory_of_one_of_several_scripts_is_read_again(direction: str):
    source, target = direction.split("-")
    data = write_tmx([MemoryEntry("A page", "頁", "a.txt")], source, target)
    assert b'xml:lang="zho-Hant"' in data
    assert read_memory(data, "m.tmx", source, target).pairs == [("A page", "頁")]
    other = data.replace(b"zho-Hant", b"zh-Hant-TW")  # as others write it
    assert read_memory(other, "m.tmx", source, target).pairs == [("A page", "頁")]
    with pytest.raises(DocumentError, match="has no units in both"):
        read_memory(data.replace(b"zho-Hant", b"zh-Latn"), "m.tmx", source, target)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1).map(str.strip)


@given(st.lists(st.tuples(TEXTS, TEXTS).filter(all), min_size=1, max_size=5, unique=True))
def test_written_memory_is_read_by_another_program_and_by_ourselves(pairs: list[tuple[str, str]]):
    data = write_tmx([MemoryEntry(*pair, origin="a & b") for pair in pairs], "en", "de")
    pairs = [(a.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"), b) for a, b in pairs]
    pairs = [(a, b.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")) for a, b in pairs]
    assert read_memory(data, "m.tmx", "en", "de").pairs == pairs
    theirs = tmx.tmxfile(io.BytesIO(data), "en", "de")
    assert [(unit.source, unit.target) for unit in theirs.units] == pairs


def test_matches_in_the_file_are_shown_beside_memory_matches(store: LogStore) -> None:
    unit = (
        '<trans-unit id="{0}"><source>{1}</source><alt-trans origin="tm"><source>Open the gate.</source>'
        "<target>Öffnen Sie das Tor.</target></alt-trans></trans-unit>"
    )
    units = unit.format(1, "Open the gate.") + unit.format(2, "Open the gates.")
    data = (
        f'<xliff version="1.2"><file source-language="en" datatype="x" original="x"><body>{units}</body></file></xliff>'
    )
    workspace = make_workspace(store, ready_model(HandDecoder()), data, "a.xlf")
    try:
        assert targets(workspace, 0) == [(100, "Öffnen Sie das Tor.")]
        assert [m["origin"] for m in workspace.memory.matches(OWNER, 0)["matches"]] == ["a.xlf (tm)"]
        workspace.confirm(OWNER, 0, "Tor öffnen.")
        rates = targets(workspace, 1)
        assert {text for _, text in rates} == {"Tor öffnen.", "Öffnen Sie das Tor."}
        assert [rate for rate, _ in rates] == [93, 93]
        workspace.open(OWNER, 1)
        settle(workspace)
        assert workspace.segments[1].match_rate == 93
    finally:
        workspace.close()
