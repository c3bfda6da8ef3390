"""Logs of Translog-II and tables of the TPR-DB: read as their readers do, and played on the initial text."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
import zipfile
from typing import Any

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.keystroke_files import session_tprdb, session_translog

DOCUMENT = read_document("One “cat”.\nTwo.\n".encode(), "a.txt")
EVENTS: list[tuple[Any, int | None, dict[str, Any]]] = [
    ("decode_result", 0, {"hypotheses": [{"text": "Eine Katze."}]}),
    ("focus", 0, {}),
    ("decode_result", 1, {"hypotheses": [{"text": "Zwie."}]}),  # by the model, while the person reads
    ("insert", 0, {"offset": 4, "text": " rote", "origin": "typed", "before": "Eine Katze."}),
    ("delete", 0, {"offset": 0, "text": "E", "origin": "typed"}),
    ("paste", 0, {"offset": 0, "text": "\x01D\t", "origin": "paste"}),
    ("focus", 1, {}),
    ("insert", 1, {"offset": 2, "text": "ei\n", "removed": "ie", "origin": "typed", "before": "Zwie."}),
    ("undo", 0, {"text": None, "origin": "undo"}),
]
FINAL = "Eine Katze.\nZwei\n.\n"


def session_of(store: LogStore, events: list[tuple[Any, int | None, dict[str, Any]]] = EVENTS) -> int:
    number = store.start_session(OWNER, DOCUMENT, "en-de", pseudonym="p1", token="t").id
    for event_type, segment, payload in events:
        store.append(OWNER, number, event_type, payload, segment=segment)
    with store._db.conn:
        store._db.execute("UPDATE event SET monotonic_ms = 2000 * seq")
    return number


def played(log: ET.Element) -> str:
    """The text after all keys, as the readers of Translog-II play them."""
    text = log.findtext("Project/Interface/Standard/Settings/TargetTextUTF8") or ""
    for key in log.findall("Events/Key"):
        cursor, removed = int(key.attrib["Cursor"]), key.get("Text", "")
        inserted = key.attrib["Value"] if key.attrib["Type"] == "insert" else ""
        assert text[cursor : cursor + len(removed)] == removed
        text = text[:cursor] + inserted + text[cursor + len(removed) :]
    return text


def test_keys_turn_the_initial_text_into_the_final_one(store: LogStore) -> None:
    exported = session_translog(OWNER, store, session_of(store))
    assert exported.name == "a.translog.xml"
    log = ET.fromstring(exported.data)
    assert log.findtext("Project/Interface/Standard/Settings/TargetTextUTF8") == "Eine Katze.\n\n"
    assert played(log) == log.findtext("FinalTextUTF8") == FINAL
    for name, text in (("SourceTextChar", "One “cat”.\nTwo.\n"), ("FinalTextChar", FINAL)):
        characters = log.findall(f"{name}/CharPos")
        assert [int(one.attrib["Cursor"]) for one in characters] == list(range(len(text)))
        assert "".join(one.attrib["Value"] for one in characters) == text


def test_log_has_the_elements_that_readers_of_translog_use(store: LogStore) -> None:
    data = session_translog(OWNER, store, session_of(store)).data
    log = ET.fromstring(data)
    assert log.tag == "LogFile"
    assert log.findtext("Subject") == "p1"
    assert log.find("Project/Languages").attrib == {"source": "en", "target": "de", "task": "post-editing"}  # type: ignore[union-attr]
    ends = [(one.get("Time"), one.get("Value")) for one in log.findall("Events/System")]
    assert ends == [("0", "START"), ("18000", "STOP")]
    times = [int(key.attrib["Time"]) for key in log.findall("Events/Key")]
    assert times == sorted(times) and len(times) == 6
    lines = data.decode().splitlines()  # the readers of the TPR-DB take one element from a line
    assert sum("<Key " in line for line in lines) == 6
    assert not any(line.count("<") > 2 for line in lines)
    assert 'Value="\ufffdD&#x9;"' in data.decode()


def test_tables_have_the_columns_of_the_tprdb(store: LogStore) -> None:
    number = session_of(store)
    with zipfile.ZipFile(io.BytesIO(session_tprdb(OWNER, store, number).data)) as archive:
        assert archive.namelist() == [
            "Pinpoint/Translog-II/P01_P1.xml", "Pinpoint/Tables/P01_P1.kd", "Pinpoint/Tables/P01_P1.pu",
        ]  # fmt: skip
        assert archive.read("Pinpoint/Translog-II/P01_P1.xml") == session_translog(OWNER, store, number).data
        keys, units = (
            list(csv.DictReader(io.StringIO(archive.read(name).decode()), delimiter="\t", quoting=csv.QUOTE_NONE))
            for name in archive.namelist()[1:]
        )
    assert list(keys[0]) == ["KEYid", "Time", "Type", "Cursor", "Char", "STid", "TTid"]
    assert len({key["Time"] for key in keys}) == len(keys)
    assert [(key["Type"], key["Char"]) for key in keys[5:10]] == [("ins", c) for c in "_rote"]
    assert [u["Edit"] for u in units] == ["Zwie.", "_rote", "[E]", "\ufffdD_", "[ie]ei_", "[\ufffdD_ine_rot]Ein"]
    assert sum(int(unit["Ins"]) + int(unit["Del"]) for unit in units) == len(keys)


def test_session_in_which_nothing_was_opened_has_no_keys(store: LogStore) -> None:
    number = session_of(store, EVENTS[:1])
    log = ET.fromstring(session_translog(OWNER, store, number).data)
    with zipfile.ZipFile(io.BytesIO(session_tprdb(OWNER, store, number).data)) as archive:
        assert [archive.read(name).count(b"\n") for name in archive.namelist()[1:]] == [1, 1]
    assert log.findall("Events/Key") == []
    assert played(log) == log.findtext("FinalTextUTF8") == "Eine Katze.\n\n"
