"""What leaves the app: the translated document and the session's story, whole and harmless."""

import base64
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents import Document, read_document
from app.exports import CSV_COLUMNS, defused, session_csv, session_jsonl, translated_document, verify_jsonl
from app.glossary import Glossary, Term
from app.log_records import SavedSegment
from app.log_store import LogStore, SegmentUpdate

DOCUMENT = read_document("One\r\n=1+1\r\n\r\nÜber “uns”\u2028!\r\n".encode("cp1252", "ignore"), "my.manual.txt")
RESULT = {"status": "complete", "hypotheses": [{"text": "Eins", "score": -0.1}, {"text": "Ein", "score": -0.2}]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LogStore]:
    opened = LogStore.open(tmp_path / "log.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def session_id(store: LogStore) -> int:
    """A session with a bit of everything; segment 2 is never touched."""
    session = store.start_session(DOCUMENT, "en-de", pseudonym="p1", token="secret-token")
    number = session.id
    store.set_glossary(number, Glossary((Term("one", "eins", 1),), "g.tsv"))
    store.append(number, "focus", {}, segment=0)
    store.append(number, "decode_request", {"number": 1}, segment=0)
    store.append(number, "decode_result", RESULT, segment=0)
    store.append(number, "pin", {"text": "Eine"}, segment=0)
    store.append(number, "decode_request", {"number": 2}, segment=0)
    store.append(number, "decode_result", {"hypotheses": [{"text": "Eine", "score": float("nan")}]}, segment=0)
    store.append(number, "hypothesis_taken", {}, segment=0, update=SegmentUpdate("edited", "Eine", 1))
    store.append(number, "edit", {"text": "Eine 1"}, segment=0, update=SegmentUpdate("edited", "Eine 1", 2))
    store.append(number, "confirm", {}, segment=0, update=SegmentUpdate("confirmed", "Eine 1", 3))
    store.append(number, "focus", {}, segment=1)
    update = SegmentUpdate("edited", "@SUM(A1)\ud83d", 1)
    store.append(number, "edit", {"text": "@SUM(A1)\ud83d"}, segment=1, update=update)
    return number


def lines_of(store: LogStore, session_id: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in session_jsonl(store, session_id).data.decode().split("\n")[:-1]]


def rows_of(store: LogStore, session_id: int) -> list[dict[str, str]]:
    text = session_csv(store, session_id).data.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


# ---- JSON lines ----


def test_json_lines_hold_the_document_and_every_event(store: LogStore, session_id: int) -> None:
    first, *events = lines_of(store, session_id)
    document = first["document"]
    again = bytes.fromhex(document["mark"]) + document["text"].encode(document["encoding"])
    assert again == DOCUMENT.data
    assert [segment["source"] for segment in first["segments"]] == [s.source for s in DOCUMENT.segments]
    stored = list(store.events(session_id))
    assert [event["payload"] for event in events] == [event.payload for event in stored]
    assert [event["hash"] for event in events] == [event.hash for event in stored]
    assert [event["type"] for event in events] == [event.type for event in stored]
    assert events[1]["payload"]["terms"] == [["one", "eins", 1]]


def test_the_key_of_a_session_is_not_exported(store: LogStore, session_id: int) -> None:
    for export in (session_jsonl(store, session_id), session_csv(store, session_id)):
        assert b"secret-token" not in export.data


def test_an_exported_log_verifies_by_itself(store: LogStore, session_id: int) -> None:
    data = session_jsonl(store, session_id).data
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
def test_a_changed_export_does_not_verify(
    store: LogStore, session_id: int, before: bytes, after: bytes, first_bad: int
) -> None:
    header, events = session_jsonl(store, session_id).data.split(b"\n", 1)
    assert before in events
    report = verify_jsonl(header + b"\n" + events.replace(before, after))
    assert (report.is_intact, report.first_bad_seq) == (False, first_bad)


def test_an_export_that_lost_an_event_does_not_verify(store: LogStore, session_id: int) -> None:
    lines = session_jsonl(store, session_id).data.split(b"\n")
    assert not verify_jsonl(b"\n".join(lines[:4] + lines[5:])).is_intact
    assert not verify_jsonl(b"\n".join([*lines[:-2], b""])).is_intact  # the tail


# ---- CSV ----


def test_the_table_has_a_row_for_each_segment(store: LogStore, session_id: int) -> None:
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


def test_no_cell_of_the_table_is_a_formula(store: LogStore, session_id: int) -> None:
    second = rows_of(store, session_id)[1]
    assert second["source"] == "'=1+1"
    assert second["final_text"] == "'@SUM(A1)\ufffd"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", " =", "\u00a0=", "\n@"])
def test_what_a_spreadsheet_may_run_is_defused(start: str) -> None:
    assert defused(f"{start}cmd") == f"'{start}cmd"


@given(st.text(max_size=20))
def test_a_defused_cell_is_the_text_with_at_most_an_apostrophe_before_it(text: str) -> None:
    assert defused(text) in (text, f"'{text}")
    assert not defused(text).lstrip().startswith(("=", "+", "-", "@"))


def test_time_open_counts_from_focus_to_leaving_within_one_run(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = store.start_session(DOCUMENT, "en-de").id
    seconds = 0.0
    monkeypatch.setattr("app.log_store.time.monotonic", lambda: seconds)
    happenings = [
        (10, "focus", 0),
        (14, "edit", 0),
        (15, "focus", 1),  # 5 s on the first
        (17, "blur", None),  # 2 s on the second; away until
        (60, "focus", 0),
        (61, "edit", 0),  # and 1 s more on the first, when the app dies
        (3, "resume", None),  # another run, another clock
        (9, "edit", 0),  # not focused in this run: nothing to measure from
        (20, "focus", 1),
        (20.5, "close", None),
    ]
    for at, event_type, segment in happenings:
        seconds = at
        store.append(number, event_type, {}, segment=segment)  # type: ignore[arg-type]
    assert [row["seconds_open"] for row in rows_of(store, number)] == ["6.0", "2.5", "0.0"]


# ---- the document ----


def test_the_document_gets_the_texts_there_are_and_says_what_is_open(store: LogStore, session_id: int) -> None:
    session = store.load_session(session_id)
    export = translated_document(session.document, session.segments, "de")
    assert export.name == "my.manual.de.txt"
    assert export.data.decode("utf-8").split("\r\n")[:2] == ["Eine 1", "@SUM(A1)\ufffd"]  # no formula rule in a text
    assert export.note is not None
    assert "2 of 3 segments are not confirmed" in export.note
    assert "1 stand in the source language" in export.note


def test_proposals_fill_what_nobody_has_touched(store: LogStore, session_id: int) -> None:
    session = store.load_session(session_id)
    export = translated_document(session.document, session.segments, proposals={1: "never", 2: "Über uns"})
    assert export.data.decode("utf-8").rstrip().split("\r\n") == ["Eine 1", "@SUM(A1)\ufffd", "", "Über uns"]


def test_only_confirmed_texts_where_asked(store: LogStore, session_id: int) -> None:
    session = store.load_session(session_id)
    export = translated_document(session.document, session.segments, proposals={2: "x"}, only_confirmed=True)
    assert export.data.decode("cp1252") == DOCUMENT.text.replace("One", "Eine 1")


def test_the_note_names_segments_whose_placeholders_differ() -> None:
    document = read_document(b"Copy %s\nTo {0}\n", "a.txt")
    targets = enumerate(["%s kopieren", "Nach 0"])
    saved = [SavedSegment(i, document.segments[i].source, t, "confirmed", 1, {}) for i, t in targets]
    assert translated_document(document, saved).note == "Placeholders differ from the source in segment 2."


def test_what_a_paired_file_lacks_is_no_source_text() -> None:
    document = read_document(b'msgid "One"\nmsgstr ""\n', "a.po")
    untouched = SavedSegment(0, "One", None, "new", 0, {})
    export = translated_document(document, [untouched])
    assert export.data == document.data
    assert export.note == "1 of 1 segments are not confirmed. 1 have no translation."


def test_a_binary_document_is_in_the_log_whole(store: LogStore) -> None:
    data = b"PK\x03\x04\x00\xff"
    document = Document("a.docx", "docx", data, "", b"", ())
    first = lines_of(store, store.start_session(document, "en-de").id)[0]
    assert base64.b64decode(first["document"]["base64"]) == data


def test_an_emptied_segment_keeps_its_source() -> None:
    document = read_document(b"One\nTwo\n", "a.txt")
    emptied = SavedSegment(index=0, source="One", target=" ", state="edited", version=1, constraints={})
    assert translated_document(document, [emptied]).data == b"One\nTwo\n"
