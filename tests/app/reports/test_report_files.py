"""Exported sessions: complete, without formulas, and importable again."""

import base64
import csv
import io
import json
import sqlite3
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage.tbx import tbxfile
from translate.storage.tmx import tmxfile

from app.access.actor import OWNER
from app.errors import LogError
from app.formats import stored_format
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.reading.glossary_file import read_glossary
from app.log.store import LogStore, SegmentUpdate
from app.reports.interchange import session_tbx, session_tmx, session_xliff
from app.reports.jsonl import import_jsonl, session_jsonl, verify_jsonl
from app.reports.replay import replay_steps
from app.reports.spreadsheets import CSV_COLUMNS, session_csv, session_workbook
from app.segments.segment_constraints import Constraints
from app.segments.stored_state import restore_segment
from app.text.encoding import escape_formula
from app.text.workbook import MAX_CELL_CHARACTERS
from engine import Avoid
from tests.app.formats.test_xliff_schemas import schema
from tests.app.reports.sample_session import DOCUMENT, log_sample_session


@pytest.fixture
def session_id(store: LogStore) -> int:
    return log_sample_session(store)


def lines_of(store: LogStore, session_id: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in session_jsonl(OWNER, store, session_id).data.decode().split("\n")[:-1]]


def rows_of(store: LogStore, session_id: int) -> list[dict[str, str]]:
    text = session_csv(OWNER, store, session_id).data.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


# ---- JSON lines ----


def test_json_lines_contain_the_document_and_every_event(store: LogStore, session_id: int) -> None:
    first, *events = lines_of(store, session_id)
    document = first["document"]
    again = bytes.fromhex(document["mark"]) + document["text"].encode(document["encoding"])
    assert again == DOCUMENT.data
    assert [segment["source"] for segment in first["segments"]] == [s.source for s in DOCUMENT.segments]
    stored = list(store.events(session_id))
    assert [event["payload"] for event in events] == [event.payload for event in stored]
    assert [event["hash"] for event in events] == [event.hash for event in stored]
    assert [event["type"] for event in events] == [event.type for event in stored]
    assert events[1]["payload"]["added"][0]["terms"] == [[0, "one", "eins", 1]]


def test_session_token_is_not_exported(store: LogStore, session_id: int) -> None:
    for export in (session_jsonl(OWNER, store, session_id), session_csv(OWNER, store, session_id)):
        assert b"secret-token" not in export.data


def test_exported_log_verifies_without_the_database(store: LogStore, session_id: int) -> None:
    data = session_jsonl(OWNER, store, session_id).data
    report = verify_jsonl(data)
    assert (report.is_intact, report.num_events) == (True, 13)


@pytest.mark.parametrize(
    ("before", "after", "first_bad"),
    [
        (b'"Eine 1"', b'"Keine 1"', 10),
        (b'"seq":3,', b'"seq":4,', 3),
        (b'"type":"pin"', b'"type":"unpin"', 6),
        (b'"record":"event","seq":5', b"not json", 5),
    ],
)
def test_changed_export_does_not_verify(
    store: LogStore, session_id: int, before: bytes, after: bytes, first_bad: int
) -> None:
    header, events = session_jsonl(OWNER, store, session_id).data.split(b"\n", 1)
    assert before in events
    report = verify_jsonl(header + b"\n" + events.replace(before, after))
    assert (report.is_intact, report.first_bad_seq) == (False, first_bad)


def test_export_without_an_event_does_not_verify(store: LogStore, session_id: int) -> None:
    lines = session_jsonl(OWNER, store, session_id).data.split(b"\n")
    assert not verify_jsonl(b"\n".join(lines[:4] + lines[5:])).is_intact
    assert not verify_jsonl(b"\n".join([*lines[:-2], b""])).is_intact  # the tail


# ---- CSV ----


def test_csv_has_a_row_for_each_segment(store: LogStore, session_id: int) -> None:
    first, second, third = rows_of(store, session_id)
    assert tuple(first) == CSV_COLUMNS
    assert (first["segment"], first["state"], first["source"]) == ("1", "confirmed", "One")
    assert first["machine_translation"] == "Eins"  # what was shown first, before the pin
    assert first["final_text"] == "Eine 1"
    assert [first[name] for name in ("edits", "pins", "bans", "decodes", "hypotheses_taken", "reopened")] == list(
        "110210"
    )
    assert first["first_opened"].endswith("+00:00")
    assert (third["state"], third["final_text"], third["first_opened"], third["edits"]) == ("new", "", "", "0")
    assert third["source"] == DOCUMENT.segments[2].source
    assert second["state"] == "edited"


def test_csv_cells_are_never_formulas(store: LogStore, session_id: int) -> None:
    second = rows_of(store, session_id)[1]
    assert second["source"] == "'=1+1"
    assert second["final_text"] == "'@SUM(A1)\ufffd"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", " =", "\u00a0=", "\n@"])
def test_formulas_are_escaped(start: str) -> None:
    assert escape_formula(f"{start}cmd") == f"'{start}cmd"


@given(st.text(max_size=20))
def test_escaping_adds_at_most_an_apostrophe(text: str) -> None:
    assert escape_formula(text) in (text, f"'{text}")
    assert not escape_formula(text).lstrip().startswith(("=", "+", "-", "@"))


def test_binary_document_is_exported_completely(store: LogStore) -> None:
    data = b"PK\x03\x04\x00\xff"
    document = Document("a.docx", stored_format("docx"), data, "", b"", ())
    first = lines_of(store, store.start_session(OWNER, document, "en-de").id)[0]
    assert base64.b64decode(first["document"]["base64"]) == data


# ---- and back ----


def tables(store: LogStore) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in the log but the keys of sessions, and what SQLite counts for itself."""
    connection = sqlite3.connect(store.path)
    names = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    content = {}
    for name in names:
        if name.startswith(("sqlite_", "_sqlite")):
            continue
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})") if row[1] != "token"]
        content[name] = connection.execute(f"SELECT {', '.join(columns)} FROM {name} ORDER BY 1, 2").fetchall()
    connection.close()
    return content


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[LogStore]:
    opened = LogStore.open(tmp_path / "other" / "log.sqlite")
    yield opened
    opened.close()


def test_imported_log_is_equal_in_every_row(store: LogStore, session_id: int, empty: LogStore) -> None:
    store.glossaries.add_term(OWNER, session_id, Term("folder", "Ordner", is_for_document=True), 1)
    store.append(OWNER, session_id, "error", {"message": "nan \ud83d \u2028 \x00", "big": 2**60, "x": [1.5e-7, -0.0]})
    exported = session_jsonl(OWNER, store, session_id)
    number = import_jsonl(empty, exported.data, exported.name)
    assert tables(empty) == tables(store)
    assert empty.verify_chain(number).is_intact
    assert session_jsonl(OWNER, empty, number).data == exported.data
    again, first = empty.load_session(OWNER, number), store.load_session(OWNER, session_id)
    assert again.token not in ("", first.token)
    assert (again.document, again.glossaries, again.document_terms) == (
        first.document,
        first.glossaries,
        first.document_terms,
    )
    empty.append(OWNER, number, "resume", {})  # it can be gone on with
    assert [event.seq for event in empty.events(number)][-1] == first.num_events + 1


def test_export_with_one_glossary_of_an_older_version_is_imported(
    store: LogStore, session_id: int, empty: LogStore
) -> None:
    first, *events = session_jsonl(OWNER, store, session_id).data.decode("utf-8").splitlines(keepends=True)
    line = json.loads(first)
    terms = [term for _, term in line.pop("glossaries")[0]["terms"]]
    line |= {"format": "pinpoint-log-2", "glossary": {"name": "g.tsv", "terms": terms}}
    older = "".join([json.dumps(line), "\n", *events]).encode("utf-8")
    number = import_jsonl(empty, older, "older.jsonl")
    assert empty.load_session(OWNER, number).glossaries == store.load_session(OWNER, session_id).glossaries


def test_constraints_in_an_export_of_an_older_version_are_imported(
    store: LogStore, session_id: int, empty: LogStore
) -> None:
    constraints = Constraints(("Haus",), bans=(Avoid("rot"),), prefix="Das ", locked=("Tür",), follow="Das Haus.")
    version = store.load_session(OWNER, session_id).segments[0].version
    update = SegmentUpdate("new", None, version + 1, {**constraints.to_json(), "followed_before": "Ein Haus."}, version)
    store.append(OWNER, session_id, "beginning", {"text": "Das ", "origin": "rest"}, segment=0, update=update)
    exported = session_jsonl(OWNER, store, session_id).data
    first, events = exported.split(b"\n", 1)
    older = first
    for name, old_name in ((b"prefix", b"beginning"), (b"follow", b"previous"), (b"followed_before", b"freed_from")):
        older = older.replace(b'"%s":' % name, b'"%s":' % old_name)
    assert older.count(b'"beginning":') == 1
    number = import_jsonl(empty, older + b"\n" + events, "older.jsonl")
    assert restore_segment(empty.load_session(OWNER, number).segments[0]).constraints == constraints
    assert session_jsonl(OWNER, empty, number).data == exported, "the events are as they were"


def test_export_with_whole_texts_is_imported_and_replayed(store: LogStore, session_id: int, empty: LogStore) -> None:
    """As it was before changes were events of their own; new ones may follow in the same session."""
    exported = session_jsonl(OWNER, store, session_id).data
    assert b'"type":"edit"' in exported and b'"offset"' not in exported
    number = import_jsonl(empty, exported.replace(b"pinpoint-log-4", b"pinpoint-log-3"), "older.jsonl")
    assert tables(empty) == tables(store)
    empty.append(OWNER, number, "delete", {"offset": 4, "text": " 1", "origin": "typed"}, segment=0)
    empty.append(OWNER, number, "paste", {"offset": 4, "text": " 2", "origin": "paste"}, segment=0)
    texts = [
        m.text for m in replay_steps(DOCUMENT.segments, empty.events(number)) if m.segment == 0 and m.text is not None
    ]
    assert texts == ["Eins", "Eine", "Eine 1", "Eine", "Eine 2"]


def test_paired_document_keeps_its_translations(store: LogStore, empty: LogStore) -> None:
    document = read_document(b'#. note\nmsgid "One"\nmsgstr "Eins"\n\nmsgid "Two"\nmsgstr ""\n', "a.po")
    exported = session_jsonl(OWNER, store, store.start_session(OWNER, document, "en-de").id)
    number = import_jsonl(empty, exported.data, exported.name)
    assert empty.load_session(OWNER, number).document.segments == document.segments
    assert tables(empty) == tables(store)


def test_session_is_not_imported_twice(store: LogStore, session_id: int) -> None:
    before = tables(store)
    exported = session_jsonl(OWNER, store, session_id).data
    with pytest.raises(LogError, match=r"already in .*, as session 1"):
        import_jsonl(store, exported, "a.jsonl")
    assert tables(store) == before
    store.append(OWNER, session_id, "blur", {})
    with pytest.raises(LogError, match=r"already in .*, as session 1"):  # which has gone on since
        import_jsonl(store, exported, "a.jsonl")


def test_used_session_number_is_not_reused(store: LogStore, session_id: int, empty: LogStore) -> None:
    exported = session_jsonl(OWNER, store, session_id)
    stone = store.delete_session(session_id)
    assert import_jsonl(store, exported.data, "a.jsonl") != stone.session_id
    empty.start_session(OWNER, DOCUMENT, "en-de")
    assert import_jsonl(empty, exported.data, "a.jsonl") == 2


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (b'"Eine 1"', b'"Keine 1"', "event 10 was changed"),
        (b'"record":"event","seq":5', b"not json", "line 6: not an event"),
        (b'"type":"pin"', b'"type":"fly"', "unknown event type 'fly'"),
        (b"pinpoint-log-4", b"pinpoint-log-1", "line 1: .* export it again"),
        (b'"created_ms":', b'"x":', "'created_ms' is missing"),
        (b'"direction":"en-de"', b'"direction":"ende"', "'ende' is not a language pair such as en-de"),
        (b'"state":"new"', b'"state":"done"', "'done' is not a segment state"),
        (b'"text":"One', b'"text":"Two', "does not match its checksum"),
        (b'"index":1', b'"index":7', "segments are out of order"),
        (b'"num_events":13', b'"num_events":12', "was changed after"),
        (b'"pseudonym":"p1"', b'"pseudonym":"\\ud83d"', "line 1: .* surrogates not allowed"),
        (b'"target":"eins"', b'"target":["eins"]', r"line 1: .*target is \('eins',\); it must be"),
        (b'"status":"preferred"', b'"status":"loved"', "line 1: .*status is 'loved'; it must be"),
        (b'"format":"txt"', b'"format":"odt"', "'odt' is missing"),
        (b'"constraints":{}', b'"constraints":{"bans":[1]}', "inconsistent session data"),
    ],
)
def test_invalid_export_is_refused_with_the_line(
    store: LogStore, session_id: int, empty: LogStore, before: bytes, after: bytes, message: str
) -> None:
    data = session_jsonl(OWNER, store, session_id).data
    assert before in data
    with pytest.raises(LogError, match=message):
        import_jsonl(empty, data.replace(before, after), "a.jsonl")
    assert empty.sessions(OWNER) == []


@pytest.mark.parametrize(
    ("event_type", "payload"),
    [
        ("edit", {"text": 7}),
        ("insert", {"offset": 2, "text": "x", "removed": "not there", "origin": "typed"}),
        ("insert", {"offset": 99, "text": "x", "origin": "typed"}),
        ("delete", {"offset": "0", "text": "E", "origin": "typed"}),
        ("paste", {"offset": 0, "text": "E"}),
    ],
)
def test_impossible_payload_with_a_correct_hash_is_refused(
    store: LogStore, session_id: int, empty: LogStore, event_type: Any, payload: dict[str, Any]
) -> None:
    store.append(OWNER, session_id, event_type, payload, segment=0)
    exported = session_jsonl(OWNER, store, session_id)
    assert verify_jsonl(exported.data).is_intact
    with pytest.raises(LogError, match="inconsistent session data"):
        import_jsonl(empty, exported.data, exported.name)
    assert empty.sessions(OWNER) == []


@given(st.binary(max_size=200))
def test_random_bytes_are_not_a_session(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    class Nowhere:
        def adopt_session(self, *_: object) -> int:
            raise AssertionError("nothing was to be written")

    with pytest.raises(LogError):
        import_jsonl(Nowhere(), data, "a.jsonl")  # type: ignore[arg-type]


# ---- the workbook ----


def test_workbook_has_the_rows_of_the_csv_and_no_formula(store: LogStore, session_id: int) -> None:
    data = session_workbook(OWNER, store, session_id).data
    book = openpyxl.load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["Report", "Segments", "Constraints"]
    head, *rows = book["Segments"].iter_rows()
    assert [cell.value for cell in head] == list(CSV_COLUMNS)
    by_name = [dict(zip(CSV_COLUMNS, row, strict=True)) for row in rows]
    assert [row["source"].value for row in by_name] == [segment.source for segment in DOCUMENT.segments]
    numbers = list(csv.DictReader(io.StringIO(session_csv(OWNER, store, session_id).data.decode("utf-8-sig"))))
    for name in (name for name in CSV_COLUMNS if name.startswith(("keys_", "words_")) or name in ("edits", "pins")):
        assert [row[name].value for row in by_name] == [float(row[name]) for row in numbers], name
    assert by_name[0]["words_pasted"].value == 0, "an empty cell would be left out of an average"
    assert by_name[1]["final_text"].value == "@SUM(A1)\ufffd"  # as it is; marked so that no edit makes it a formula
    assert [row["source"].quotePrefix for row in by_name[:2]] == [False, True]
    assert "f" not in {cell.data_type for row in rows for cell in row}
    assert b"<f>" not in zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet2.xml")
    sums = {row[0].value: row[1].value for row in book["Report"].iter_rows()}
    assert (sums["segments"], sums["segments confirmed"], sums["pins"]) == (3, 1, 1)
    assert "net time, s, without pauses over 60 s" in sums


def test_workbook_names_the_last_style_and_all_models(store: LogStore, session_id: int) -> None:
    for name, key in (("small", None), ("large", "cached/large"), ("small", "first")):
        store.append(OWNER, session_id, "model", {"key": key, "name": name, "model": f"{name[0]}0ff"})
    for style in ({"formality": "formal", "domain": None}, {"formality": "informal", "domain": "docs"}):
        store.append(OWNER, session_id, "style", style)
    book = openpyxl.load_workbook(io.BytesIO(session_workbook(OWNER, store, session_id).data))
    sums = {row[0].value: row[1].value for row in book["Report"].iter_rows()}
    assert (sums["formality chosen"], sums["domain chosen"]) == ("informal", "docs")
    assert sums["models (checksum)"] == "small (s0ff); large (l0ff)"


def test_workbook_has_the_repetitions_in_the_document(store: LogStore) -> None:
    document = read_document(b"One house.\nTwo doors.\nOne house.\n", "a.txt")
    book = openpyxl.load_workbook(
        io.BytesIO(session_workbook(OWNER, store, store.start_session(OWNER, document, "en-de").id).data)
    )
    sums = {row[0].value: row[1].value for row in book["Report"].iter_rows()}
    assert sums["repetitions in the document, segments"] == 1
    assert sums["repetitions in the document, words"] == 2
    assert sums["also in other documents of the project, segments"] == 0


def test_cell_text_is_cut_to_the_limit_of_excel(store: LogStore) -> None:
    document = read_document(b"x" * 40_000 + b"\x01\n", "a.txt")
    book = openpyxl.load_workbook(
        io.BytesIO(session_workbook(OWNER, store, store.start_session(OWNER, document, "en-de").id).data)
    )
    cell = book["Segments"]["C2"].value
    assert (len(cell), cell[-1]) == (MAX_CELL_CHARACTERS, "…")


# ---- the memory ----


def test_tmx_has_the_confirmed_segments_and_is_read_by_other_tools(store: LogStore, session_id: int) -> None:
    update = SegmentUpdate("confirmed", "<b>&\x00Über</b>", 4)
    store.append(OWNER, session_id, "confirm", {}, segment=2, update=update)
    exported = session_tmx(OWNER, store, session_id)
    assert exported.name == "my.manual.tmx"
    units = tmxfile.parsestring(exported.data).units
    assert [(unit.source, unit.target) for unit in units] == [
        ("One", "Eine 1"),
        (DOCUMENT.segments[2].source, "<b>&\ufffdÜber</b>"),
    ]
    root = ET.fromstring(exported.data)
    assert root.get("version") == "1.4"
    header = root.find("header")
    assert header is not None and header.get("srclang") == "en"
    languages = [tuv.get("{http://www.w3.org/XML/1998/namespace}lang") for tuv in root.iter("tuv")]
    assert languages == ["en", "de"] * 2


def test_xliff_has_all_segments_is_valid_and_is_read_again(store: LogStore, session_id: int) -> None:
    update = SegmentUpdate("pretranslated", "<b>&\x00Über</b> {1}", 4, {"comment": "Bitte prüfen\x01"})
    store.append(OWNER, session_id, "insert", {}, segment=2, update=update)
    exported = session_xliff(OWNER, store, session_id)
    assert exported.name == "my.manual.segments.xlf"
    its_schema = schema("xliff-core-1.2-strict.xsd")
    assert its_schema.validate(etree.fromstring(exported.data)), its_schema.error_log
    read = read_document(exported.data, exported.name)
    assert [(segment.source, segment.target, segment.state) for segment in read.segments] == [
        ("One", "Eine 1", "confirmed"),
        ("=1+1", "@SUM(A1)\ufffd", "edited"),
        (DOCUMENT.segments[2].source, "<b>&\ufffdÜber</b> {1}", "edited"),
    ]
    assert "Bitte prüfen\ufffd" in read.segments[2].note
    untouched = session_xliff(OWNER, store, store.start_session(OWNER, DOCUMENT, "en-de").id)
    assert [segment.target for segment in read_document(untouched.data, untouched.name).segments] == [None] * 3


def test_dates_in_tmx_are_the_dates_of_confirmation(store: LogStore, session_id: int, monkeypatch) -> None:
    steps = [("confirm", 0, "Eins", 3), ("confirm", 2, "Drei", 0), ("edit", 2, "Drei", 9), ("export", None, "", 0)]
    for year, (event, segment, text, read_version) in enumerate(steps, 2001):
        monkeypatch.setattr(
            "app.log.event_chain.wall_ms", lambda year=year: int(datetime(year, 1, 1).timestamp() * 1000)
        )
        update = None if segment is None else SegmentUpdate("confirmed", text, 9, read_version=read_version)
        store.append(OWNER, session_id, event, {}, segment=segment, update=update)
    dates = [unit.get("changedate") for unit in ET.fromstring(session_tmx(OWNER, store, session_id).data).iter("tu")]
    assert [date[:4] for date in dates if date] == ["2001", "2002"]


def test_empty_tmx_has_a_note(store: LogStore) -> None:
    assert "empty" in (session_tmx(OWNER, store, store.start_session(OWNER, DOCUMENT, "en-de").id).note or "")


def test_tbx_has_terms_added_and_not_removed_in_the_session(store: LogStore, session_id: int) -> None:
    assert "No term" in (session_tbx(OWNER, store, session_id).note or "")
    terms = [
        Term(source, target, is_for_document=True)
        for source, target in (("salt & pepper", "Salz <& Pfeffer"), ("gone", "fort"))
    ]
    for term in terms:
        store.glossaries.add_term(OWNER, session_id, term, 0)
    store.glossaries.remove_terms(OWNER, session_id, [terms[1]])
    exported = session_tbx(OWNER, store, session_id)
    assert (exported.name, exported.note) == ("my.manual.terms.tbx", None)
    theirs = tbxfile.parsestring(exported.data)
    assert [(unit.source, unit.target) for unit in theirs.units] == [("salt & pepper", "Salz <& Pfeffer")]
    ours = read_glossary(exported.data, "x.tbx", "en-de").terms
    assert [(term.source, term.target) for term in ours] == [("salt & pepper", "Salz <& Pfeffer")]
