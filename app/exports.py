"""Files to take away: the translated document, and a session's log as JSON lines (all of it) or CSV (a row a segment).

Reads the log; writes nothing to it. Knows nothing of the page.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from app.documents import Document, Export
from app.formats import format_by_key
from app.formats.placeholders import placeholder_problem
from app.log_records import FIRST_HASH, ChainReport, Event, SavedSegment, SessionRecord, event_hash, to_json
from app.log_store import LogStore
from app.text_files import listing

LOG_FORMAT = "pinpoint-log-1"
CSV_COLUMNS = (
    "segment",
    "state",
    "source",
    "machine_translation",
    "final_text",
    "first_opened",
    "last_changed",
    "seconds_open",
    "edits",
    "pins",
    "bans",
    "decodes",
    "hypotheses_taken",
    "reopened",
)
_EDITS = {"edit", "insert", "delete", "paste", "undo", "redo"}
_CHANGES = _EDITS | {"hypothesis_taken", "confirm", "reopen", "pin", "unpin", "avoid", "unavoid", "beginning", "locked"}
_LEAVES = {"blur", "idle", "close"}
_STARTS = {"open", "resume"}
# What a spreadsheet may take for a formula, the full-width twins included.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


@dataclass
class _SegmentFigures:
    """What the events say of one segment. `open_ms` is the time between its focus and leaving it."""

    machine_text: str | None = None
    first_opened_ms: int | None = None
    last_changed_ms: int | None = None
    open_ms: int = 0
    num_edits: int = 0
    num_pins: int = 0
    num_bans: int = 0
    num_decodes: int = 0
    num_taken: int = 0
    num_reopened: int = 0


def translated_document(
    document: Document,
    segments: Iterable[SavedSegment],
    language: str | None = None,
    *,
    proposals: Mapping[int, str] | None = None,
    only_confirmed: bool = False,
) -> Export:
    """The document with the translator's texts; the note says what is not confirmed, not translated, or lacks tags.

    Where there is no text yet, the machine's of `proposals` stands, else what the file has there. `only_confirmed`
    leaves out everything else.
    """
    texts: dict[int, str] = {}
    drafts: set[int] = set()
    num_confirmed = 0
    for segment in segments:
        if segment.state == "confirmed":
            num_confirmed += 1
        elif only_confirmed:
            continue
        else:
            drafts.add(segment.index)
        text = segment.target if segment.target is not None else (proposals or {}).get(segment.index)
        if text is not None and text.strip():
            texts[segment.index] = text
    exported = document.export_file(texts, language, drafts=drafts)
    is_paired = format_by_key(document.format).is_paired
    num_segments = len(document.segments)
    notes = [exported.note] if exported.note else []
    if num_confirmed < num_segments:
        notes.append(f"{num_segments - num_confirmed} of {num_segments} segments are not confirmed.")
    if len(texts) < num_segments:
        lack = "have no translation" if is_paired else "stand in the source language"
        notes.append(f"{num_segments - len(texts)} {lack}.")
    sources = {segment.index: segment.source for segment in document.segments}
    differing = [str(index + 1) for index, text in texts.items() if placeholder_problem(sources[index], text)]
    if differing:
        notes.append(f"Placeholders differ from the source in segment {listing(differing)}.")
    return Export(exported.name, exported.data, " ".join(notes) or None)


def session_jsonl(store: LogStore, session_id: int) -> Export:
    """The whole session, lossless: one line for the session and its document, then one for each event.

    `verify_jsonl` checks such a file without the log. The session's token is a key, not data: it is left out.
    """
    session = store.load_session(session_id)
    lines = [to_json(_session_line(session))]
    # Events written since are left out, so that the first line's segments and count are those of the rest.
    lines += [to_json(_event_line(e)) for e in store.events(session_id) if e.seq <= session.num_events]
    return Export(_name(session, "log.jsonl"), "".join(f"{line}\n" for line in lines).encode("utf-8"))


def verify_jsonl(data: bytes) -> ChainReport:
    """Whether an exported log has every event that its first line counts, as it was written."""
    first, *lines = data.decode("utf-8").rstrip("\n").split("\n")
    previous, count = FIRST_HASH, 0
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            own = event_hash(
                previous,
                event["seq"],
                event["wall_ms"],
                event["monotonic_ms"],
                event["type"],
                event["segment"],
                event["segment_version"],
                to_json(event["payload"]),
            )
            is_right = event["seq"] == number and event["previous_hash"] == previous and event["hash"] == own
        except (ValueError, KeyError, TypeError):
            is_right = False
        if not is_right:
            return ChainReport(False, count, number, f"event {number} is not as it was written")
        previous, count = own, number
    if json.loads(first)["num_events"] != count:
        return ChainReport(False, count, count + 1, f"the events from {count + 1} on are missing")
    return ChainReport(True, count)


def session_csv(store: LogStore, session_id: int) -> Export:
    """One row for each segment, for spreadsheets: texts, state, times and counts.

    UTF-8 with a mark, so that spreadsheets see the encoding. A cell that one could take for a formula gets an
    apostrophe in front; the JSON lines have the text as it is.
    """
    session = store.load_session(session_id)
    figures = _figures(store.events(session_id))
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for segment in session.segments:
        of_segment = figures.get(segment.index, _SegmentFigures())
        writer.writerow(_row(segment, of_segment))
    return Export(_name(session, "log.csv"), table.getvalue().encode("utf-8-sig", "replace"))


def defused(cell: str) -> str:
    """The cell as text that no spreadsheet runs: "=1+1" -> "'=1+1"."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) or cell.lstrip().startswith(_FORMULA_STARTS) else cell


def _row(segment: SavedSegment, figures: _SegmentFigures) -> list[object]:
    return [
        segment.index + 1,
        segment.state,
        defused(segment.source),
        defused(figures.machine_text or ""),
        defused(segment.target or ""),
        _iso(figures.first_opened_ms),
        _iso(figures.last_changed_ms),
        round(figures.open_ms / 1000, 1),
        figures.num_edits,
        figures.num_pins,
        figures.num_bans,
        figures.num_decodes,
        figures.num_taken,
        figures.num_reopened,
    ]


def _figures(events: Iterable[Event]) -> dict[int, _SegmentFigures]:
    figures: dict[int, _SegmentFigures] = {}
    focused: _SegmentFigures | None = None
    before_ms = 0
    for event in events:
        if event.type in _STARTS:
            focused = None  # another run: its clock does not go on from the last one's
        if focused is not None:
            focused.open_ms += max(0, event.monotonic_ms - before_ms)
        before_ms = event.monotonic_ms
        if event.type in _LEAVES:
            focused = None
        if event.segment is None:
            continue
        of_segment = figures.setdefault(event.segment, _SegmentFigures())
        if event.type == "focus":
            focused = of_segment
        _count(event, of_segment)
    return figures


def _count(event: Event, figures: _SegmentFigures) -> None:
    if event.type == "focus" and figures.first_opened_ms is None:
        figures.first_opened_ms = event.wall_ms
    if event.type in _CHANGES:
        figures.last_changed_ms = event.wall_ms
    figures.num_edits += event.type in _EDITS
    figures.num_pins += event.type == "pin"
    figures.num_bans += event.type == "avoid"
    figures.num_decodes += event.type == "decode_request"
    figures.num_taken += event.type == "hypothesis_taken"
    figures.num_reopened += event.type == "reopen"
    if event.type == "decode_result" and figures.machine_text is None:
        hypotheses = event.payload.get("hypotheses") or [{}]
        figures.machine_text = hypotheses[0].get("text")


def _session_line(session: SessionRecord) -> dict[str, object]:
    document = session.document
    return {
        "record": "session",
        "format": LOG_FORMAT,
        "session_id": session.id,
        "pseudonym": session.pseudonym,
        "direction": session.direction,
        "versions": session.versions,
        "options": session.options,
        "created_ms": session.created_ms,
        "num_events": session.num_events,
        "document": {
            "name": document.name,
            "format": document.format,
            "sha256": hashlib.sha256(document.data).hexdigest(),
            **_content(document),
        },
        "segments": [
            {
                "index": segment.index,
                "source": segment.source,
                "note": segment.note,
                "target": segment.target,
                "state": segment.state,
                "version": segment.version,
                "constraints": segment.constraints,
            }
            for segment in session.segments
        ],
    }


def _content(document: Document) -> dict[str, str]:
    """The bytes of the document's file: readable where they are text."""
    if not document.encoding:
        return {"base64": base64.b64encode(document.data).decode("ascii")}
    return {"encoding": document.encoding, "mark": document.mark.hex(), "text": document.text}


def _event_line(event: Event) -> dict[str, object]:
    return {
        "record": "event",
        "seq": event.seq,
        "wall_ms": event.wall_ms,
        "monotonic_ms": event.monotonic_ms,
        "type": event.type,
        "segment": event.segment,
        "segment_version": event.segment_version,
        "payload": event.payload,
        "previous_hash": event.previous_hash,
        "hash": event.hash,
    }


def _name(session: SessionRecord, ending: str) -> str:
    stem, dot, _ = session.document.name.rpartition(".")
    return f"{stem if dot and stem else session.document.name}.{ending}"


def _iso(wall_ms: int | None) -> str:
    """ISO 8601 in UTC, to the second; empty where it never happened."""
    return "" if wall_ms is None else datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="seconds")
