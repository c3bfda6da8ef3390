"""A session for tools of translation process research: Translog-II XML, and tables of the CRITT TPR-DB.

Elements, attributes and columns are those that the readers of the TPR-DB (Perl) and TranslogToolset (Java) use. The
target text is the texts of all segments as the page shows them, each followed by a line break; offsets count Unicode
code points. Before the person opens the first segment, proposals of the model are part of the initial text.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from app import VERSION
from app.access.actor import Actor
from app.collector import collector_paused
from app.formats.documents import Export
from app.log.changes import change_of, smallest_change
from app.log.records import Event, SessionRecord
from app.log.store import LogStore
from app.reports.interchange import xml_text
from app.reports.jsonl import export_name
from app.reports.replay import replay_steps

_PAUSE_MS: Final = 1000  # a longer one ends a production unit; the default of the TPR-DB
_STUDY: Final = "Pinpoint"
_BLANK: Final = re.compile("[ \t\n\r\f#]")
_LINE_BREAKS: Final = (("&#10;", "&#xA;"), ("&#13;", "&#xD;"), ("&#09;", "&#x9;"))  # as Translog-II writes them


@dataclass(frozen=True, slots=True)
class Keystroke:
    """At `cursor` in the target text, `inserted` replaces `removed`; `origin` is "typed", "paste" and so on."""

    at_ms: int
    cursor: int
    removed: str
    inserted: str
    origin: str


@dataclass(frozen=True, slots=True)
class WritingProcess:
    """All changes of a target text: applied to `initial` in order, `keystrokes` give `final`."""

    source: str
    initial: str
    final: str
    keystrokes: tuple[Keystroke, ...]
    duration_ms: int


def writing_process(session: SessionRecord, events: Sequence[Event]) -> WritingProcess:
    """The changes of the target text from when the first segment was opened."""
    document = session.document
    places = {segment.index: place for place, segment in enumerate(sorted(document.segments, key=lambda s: s.start))}
    shown = {segment.index: segment.target or "" for segment in document.segments}
    lengths = _PrefixSums([len(shown[index]) + 1 for index in places])
    first_opened = next((event.seq for event in events if event.type == "focus"), None)
    by_seq = {event.seq: event for event in events}
    initial: str | None = None
    keystrokes: list[Keystroke] = []
    at_ms = 0
    for step in replay_steps(document.segments, events):
        at_ms = step.at_ms
        if initial is None and step.seq == first_opened:
            initial = _joined(shown[index] for index in places)
        if step.segment is None or step.text is None:
            continue
        before, shown[step.segment] = shown[step.segment], step.text
        if initial is not None:
            event = by_seq[step.seq]
            payload = event.payload
            change = change_of(event.type, payload) if step.segment == event.segment else None
            if change is None or not _turns(change.offset, change.removed, change.text, before, step.text):
                change = smallest_change(before, step.text, str(payload.get("origin", step.type)))
            cursor = lengths.before(places[step.segment]) + change.offset
            keystrokes.append(Keystroke(at_ms, cursor, change.removed, change.text, change.origin))
        lengths.add(places[step.segment], len(step.text) - len(before))
    final = _joined(shown[index] for index in places)
    source = _joined(segment.source for segment in sorted(document.segments, key=lambda s: s.start))
    return WritingProcess(source, final if initial is None else initial, final, tuple(keystrokes), at_ms)


@collector_paused()
def session_translog(actor: Actor, store: LogStore, session_id: int) -> Export:
    """The session as a log file of Translog-II. Typing without interruption is one key, as in the log."""
    session, events = store.load_session(actor, session_id), tuple(store.events(session_id))
    return Export(export_name(session, "translog.xml"), _translog(session, writing_process(session, events)))


@collector_paused()
def session_tprdb(actor: Actor, store: LogStore, session_id: int) -> Export:
    """A ZIP file with a study for the TPR-DB: the log of Translog-II, and the tables KD and PU.

    The other tables need an alignment of words, which the TPR-DB makes from the log: until then, STid and TTid are -1.
    """
    session, events = store.load_session(actor, session_id), tuple(store.events(session_id))
    process = writing_process(session, events)
    name = f"P{session.id:02}_P1"  # participant, task (post-editing) and text, as the TPR-DB names recordings
    rows = _key_rows(process.keystrokes)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{_STUDY}/Translog-II/{name}.xml", _translog(session, process))
        archive.writestr(f"{_STUDY}/Tables/{name}.kd", _table(KD_COLUMNS, ((*row, -1, -1) for row in rows)))
        archive.writestr(f"{_STUDY}/Tables/{name}.pu", _table(PU_COLUMNS, _production_units(rows)))
    return Export(export_name(session, "tprdb.zip"), data.getvalue())


# ---- Translog-II ----


def _translog(session: SessionRecord, process: WritingProcess) -> bytes:
    source_language, _, target_language = session.direction.partition("-")
    root = ET.Element("LogFile")
    _text(root, "VersionString", f"Pinpoint {VERSION}")
    _text(root, "Subject", session.pseudonym or f"P{session.id:02}")
    _text(root, "startTime", datetime.fromtimestamp(session.created_ms / 1000, UTC).isoformat())
    _text(root, "endTime", datetime.fromtimestamp(session.last_ms / 1000, UTC).isoformat())
    project = ET.SubElement(root, "Project")
    _text(project, "FileName", session.document.name)
    _text(project, "Description", f"Session {session.id} of Pinpoint {VERSION}, one segment in each line")
    languages = {"source": source_language, "target": target_language, "task": "post-editing"}
    ET.SubElement(project, "Languages", languages)
    settings = ET.SubElement(ET.SubElement(ET.SubElement(project, "Interface"), "Standard"), "Settings")
    _text(settings, "SourceTextUTF8", process.source)
    _text(settings, "TargetTextUTF8", process.initial)
    events = ET.SubElement(root, "Events")
    ET.SubElement(events, "System", {"Time": "0", "Value": "START"})
    for key in process.keystrokes:
        fields = {"Time": str(key.at_ms), "Cursor": str(key.cursor)}
        if key.removed:
            fields |= {"Text": xml_text(key.removed)}
        kind = "insert" if key.inserted else "delete"
        # Origin is ours: readers of Translog-II ignore it.
        fields |= {"Type": kind, "Value": xml_text(key.inserted) or "[Delete]", "Origin": xml_text(key.origin)}
        ET.SubElement(events, "Key", fields)
    ET.SubElement(events, "System", {"Time": str(process.duration_ms), "Value": "STOP"})
    _text(root, "FinalTextUTF8", process.final)
    for name, text in (("SourceTextChar", process.source), ("FinalTextChar", process.final)):
        characters = ET.SubElement(root, name)
        for cursor, character in enumerate(text):
            ET.SubElement(characters, "CharPos", {"Cursor": str(cursor), "Value": xml_text(character)})
    ET.indent(root)  # the readers of the TPR-DB read line by line
    written = ET.tostring(root, encoding="unicode")
    for one, other in _LINE_BREAKS:
        written = written.replace(one, other)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{written}\n'.encode()


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = xml_text(text)


# ---- tables of the TPR-DB ----

KD_COLUMNS: Final = ("KEYid", "Time", "Type", "Cursor", "Char", "STid", "TTid")
PU_COLUMNS: Final = (
    "PUid", "Time", "Dur", "Pause", "ParalS", "ParalT", "Ins", "Del", "STid", "TTid", "Edit",
)  # fmt: skip
_KeyRow = tuple[int, int, str, int, str]


def _key_rows(keystrokes: Iterable[Keystroke]) -> list[_KeyRow]:
    """A row for each character: number, time, "ins" or "del", cursor, character. Each has a time of its own."""
    rows: list[_KeyRow] = []
    free_ms = 0
    for key in keystrokes:
        changed = [*(("del", key.cursor, c) for c in key.removed)]
        changed += [("ins", key.cursor + place, c) for place, c in enumerate(key.inserted)]
        for kind, cursor, character in changed:
            at_ms = max(key.at_ms, free_ms)
            free_ms = at_ms + 1
            rows.append((len(rows), at_ms, kind, cursor, _BLANK.sub("_", xml_text(character))))
    return rows


def _production_units(rows: Sequence[_KeyRow]) -> Iterable[tuple[object, ...]]:
    """Typing without a pause of more than a second. Removed characters are in brackets."""
    starts = [n for n, row in enumerate(rows) if n == 0 or row[1] - rows[n - 1][1] > _PAUSE_MS]
    for number, (start, end) in enumerate(pairwise([*starts, len(rows)])):
        unit = rows[start:end]
        pause_ms = rows[end][1] - unit[-1][1] if end < len(rows) else 0
        num_inserted = sum(row[2] == "ins" for row in unit)
        edit = "".join(row[4] if row[2] == "ins" else f"[{row[4]}]" for row in unit).replace("][", "")
        duration_ms = unit[-1][1] - unit[0][1]
        yield (number, unit[0][1], duration_ms, pause_ms, 0, 0, num_inserted, len(unit) - num_inserted, -1, -1, edit)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (columns, *rows))


# ---- texts ----


class _PrefixSums:
    """Sums of the first numbers of a list that changes, in logarithmic time (Fenwick 1994)."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._sums = [0] * (len(numbers) + 1)
        for place, number in enumerate(numbers):
            self.add(place, number)

    def add(self, place: int, number: int) -> None:
        place += 1
        while place < len(self._sums):
            self._sums[place] += number
            place += place & -place

    def before(self, place: int) -> int:
        total = 0
        while place:
            total += self._sums[place]
            place -= place & -place
        return total


def _joined(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _turns(offset: int, removed: str, inserted: str, before: str, after: str) -> bool:
    end = offset + len(removed)
    return before[offset:end] == removed and before[:offset] + inserted + before[end:] == after
