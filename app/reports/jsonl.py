"""Lossless export and import of a session as JSON lines: one line for session and document, one for each event.

The session token is a secret: it is not exported, and an imported session gets a new one.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from app.access.actor import Actor
from app.collector import collector_paused
from app.errors import CommandError, LogError, check_fields
from app.formats import stored_format
from app.formats.documents import Document, Export, Segment
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.index.term_index import TermIndex
from app.i18n import Message
from app.log.records import (
    ChainReport,
    Event,
    EventType,
    SavedSegment,
    SegmentStateName,
    SessionRecord,
    chain_report,
    to_json,
)
from app.log.store import LogStore
from app.reports.replay import replay_steps
from app.reports.statistics import session_statistics
from app.reports.working_time import BY_ITSELF
from app.segments.stored_state import restore_segment, with_present_names
from app.text.text_limits import of_view

_DIRECTION: Final = re.compile(r"\w{2,40}-[\w-]{2,40}")
LOG_FORMAT: Final = "pinpoint-log-4"
_WHOLE_TEXTS_FORMAT: Final = "pinpoint-log-3"  # its events have the whole new text; still supported
_ONE_GLOSSARY_FORMAT: Final = "pinpoint-log-2"
_OLDER_FORMAT: Final = "pinpoint-log-1"  # without segment positions and glossary: can be verified but not imported
MAX_BYTES: Final = 2**31


@collector_paused()
def session_jsonl(actor: Actor, store: LogStore, session_id: int) -> Export:
    """The whole session; `verify_jsonl` checks such a file without the log, `import_jsonl` imports it."""
    session = store.load_session(actor, session_id)
    lines = [to_json(_session_line(session))]
    # Later events are left out, so that the events match the segments and the count in the first line.
    lines += [to_json(event_line(e)) for e in store.events(session_id) if e.seq <= session.num_events]
    return Export(export_name(session, "log.jsonl"), "".join(f"{line}\n" for line in lines).encode("utf-8"))


def person_events_jsonl(actor: Actor, store: LogStore, person: str) -> Export:
    """The events that this person caused in all documents, by document; the owner, who has no name, is "".

    Without the events of the model and of the app. One line is one event, with its session and document.
    """
    lines = []
    for summary in store.sessions(actor):
        where = {"session": summary.id, "document": summary.shown_name}
        lines += [
            to_json({**where, **event_line(event)})
            for event in store.events(summary.id)
            if event.type not in BY_ITSELF and (event.payload.get("person") or "") == person
        ]
    note = None if lines else Message("The log has no event of this person: check the name with `people list`.")
    return Export("events.jsonl", "".join(f"{line}\n" for line in lines).encode("utf-8"), note)


def verify_jsonl(data: bytes) -> ChainReport:
    """Checks that an exported log has all events stated in its first line, unchanged."""
    first, *lines = data.decode("utf-8").rstrip("\n").split("\n")
    events = []
    for number, line in enumerate(lines, 1):
        try:
            events.append(_event(json.loads(line), 0))
        except (ValueError, KeyError, TypeError, RecursionError):
            return ChainReport(False, number - 1, number, Message("event {number} was changed", number=number))
    header = json.loads(first)
    return chain_report(events, header["num_events"], header.get("last_hash") or (events[-1].hash if events else ""))


def import_jsonl(store: LogStore, data: bytes, name: str) -> int:
    """Imports an exported session into the log and returns its number: its old one if that is free.

    Raises LogError as `read_jsonl`, and if the log already contains the session; then nothing was written.
    """
    return store.adopt_session(*read_jsonl(data, name))


def read_jsonl(data: bytes, name: str) -> tuple[SessionRecord, tuple[Event, ...]]:
    """An exported session and its events. Raises LogError, naming the line, if the file is incomplete or changed."""
    if len(data) > MAX_BYTES:
        raise LogError(
            "{name} has {size:.0f} MiB; Pinpoint imports sessions of up to {limit} MiB",
            name=name,
            size=len(data) / 2**20,
            limit=MAX_BYTES // 2**20,
        )
    try:
        first, *lines = data.decode("utf-8").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise LogError(
            "{name} is not an exported session: not UTF-8 text ({reason})", name=name, reason=error.reason
        ) from error
    try:
        header = json.loads(first)
        json.dumps(header, ensure_ascii=False).encode("utf-8")  # halves of surrogate pairs cannot be stored
        record = _record(header)
    except (CommandError, ValueError, KeyError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise LogError(
            "{name}, line 1: not a session exported by Pinpoint ({reason})", name=name, reason=_reason(error)
        ) from error
    events = tuple(_events(lines, record.id, name))
    report = chain_report(events, record.num_events, record.last_hash)
    if not report.is_intact or len(events) != record.num_events:
        problem = report.problem or Message(
            "it has more events than the {count} stated in line 1", count=record.num_events
        )
        raise LogError("{name} was changed after it was exported: {problem}; not imported", name=name, problem=problem)
    _check_content(record, events, name)
    return record, events


def export_name(session: SessionRecord, ending: str) -> str:
    """The file name of an export: the name of the document with another ending."""
    stem, dot, _ = session.document.name.rpartition(".")
    return f"{stem if dot and stem else session.document.name}.{ending}"


# ---- export ----


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
        "last_ms": session.last_ms,
        "num_events": session.num_events,
        "last_hash": session.last_hash,
        "document": {
            "name": document.name,
            "format": document.format.stored,
            "sha256": hashlib.sha256(document.data).hexdigest(),
            **_content(document),
        },
        "glossaries": [
            {"id": glossary.id, "name": glossary.name, "is_on": glossary.is_on, "terms": list(glossary.terms.items())}
            for glossary in session.glossaries
        ],
        "document_terms": session.document_terms,
        "segments": [
            {
                "index": place.index,
                "source": place.source,
                "start": place.start,
                "end": place.end,
                "given_target": place.target,
                "given_state": place.state,
                "note": place.note,
                "limits": place.limits.view() if place.limits else None,
                "placeholders": list(place.placeholders),
                "target": saved.target,
                "state": saved.state,
                "version": saved.version,
                "constraints": saved.constraints,
            }
            for place, saved in zip(document.segments, session.segments, strict=True)
        ],
    }


def _content(document: Document) -> dict[str, str]:
    """The bytes of the document file, as text if possible."""
    if not document.encoding:
        return {"base64": base64.b64encode(document.data).decode("ascii")}
    return {"encoding": document.encoding, "mark": document.mark.hex(), "text": document.text}


def event_line(event: Event) -> dict[str, object]:
    """An event with its hashes, as JSON."""
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


# ---- import ----


def _record(line: Mapping[str, Any]) -> SessionRecord:
    if line["format"] == _OLDER_FORMAT:
        raise ValueError(
            Message(
                "an older version of Pinpoint exported it without all data that a log needs: export it again "
                "from its log"
            )
        )
    if line["format"] not in (LOG_FORMAT, _WHOLE_TEXTS_FORMAT, _ONE_GLOSSARY_FORMAT):
        raise ValueError(Message("unknown format {format!r}", format=line["format"]))
    rows = line["segments"]
    if [row["index"] for row in rows] != list(range(len(rows))):
        raise ValueError(Message("its segments are out of order"))
    return SessionRecord(
        id=_int(line["session_id"]),
        token="",
        document=_document(line["document"], tuple(_place(row) for row in rows)),
        direction=_direction(line["direction"]),
        pseudonym=_text(line["pseudonym"]),
        versions=dict(line["versions"]),
        options=dict(line["options"]),
        segments=tuple(_saved(row) for row in rows),
        glossaries=_glossaries(line),
        document_terms=tuple(map(_term, line["document_terms"])),
        created_ms=_int(line["created_ms"]),
        last_ms=_int(line["last_ms"]),
        num_events=_int(line["num_events"]),
        last_hash=_text(line["last_hash"]),
    )


def _glossaries(line: Mapping[str, Any]) -> tuple[Glossary, ...]:
    if line["format"] == _ONE_GLOSSARY_FORMAT:
        only = line["glossary"]
        return (Glossary.of(1, _text(only["name"]), map(_term, only["terms"])),) if only else ()
    return tuple(
        Glossary(
            _int(fields["id"]),
            _text(fields["name"]),
            TermIndex({_int(number): _term(term) for number, term in fields["terms"]}),
            bool(fields["is_on"]),
        )
        for fields in line["glossaries"]
    )


def _document(fields: Mapping[str, Any], places: tuple[Segment, ...]) -> Document:
    encoding, mark = fields.get("encoding", ""), bytes.fromhex(fields.get("mark", ""))
    try:
        data = mark + fields["text"].encode(encoding) if encoding else base64.b64decode(fields["base64"], validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError(Message("its document cannot be restored")) from error
    if hashlib.sha256(data).hexdigest() != fields["sha256"]:
        raise ValueError(Message("its document does not match its checksum"))
    return Document(_text(fields["name"]), stored_format(_text(fields["format"])), data, encoding, mark, places)


def _check_content(record: SessionRecord, events: Sequence[Event], name: str) -> None:
    """Raises LogError for data that cannot be resumed, counted or replayed: correct hashes do not prove its origin."""
    try:
        for segment in record.segments:
            restore_segment(segment)
        session_statistics(record.document.segments, events)
        for _ in replay_steps(record.document.segments, events):
            pass
    except (ArithmeticError, AttributeError, CommandError, LookupError, TypeError, ValueError) as error:
        raise LogError(
            "{name}: inconsistent session data ({reason}); not imported", name=name, reason=_reason(error)
        ) from error


def _place(row: Mapping[str, Any]) -> Segment:
    return Segment(
        row["index"],
        _text(row["source"]),
        _int(row["start"]),
        _int(row["end"]),
        _optional_text(row["given_target"]),
        _state(row["given_state"]),
        _text(row["note"]),
        of_view(row.get("limits")),
        _placeholders(row),
    )


def _saved(row: Mapping[str, Any]) -> SavedSegment:
    return SavedSegment(
        index=row["index"],
        source=row["source"],
        target=_optional_text(row["target"]),
        state=_state(row["state"]),
        version=_int(row["version"]),
        constraints=with_present_names(dict(row["constraints"])),
        note=row["note"],
        limits=of_view(row.get("limits")),
        placeholders=_placeholders(row),
    )


def _placeholders(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(_text, row.get("placeholders", ())))  # earlier versions did not write them


def _term(fields: Mapping[str, Any]) -> Term:
    if unknown := sorted(set(fields) - {field.name for field in dataclasses.fields(Term)}):
        raise ValueError(Message("unknown field {name!r} in a glossary term", name=unknown[0]))
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    term = Term(**plain)
    check_fields(term)
    return term


def _events(lines: list[str], session_id: int, name: str) -> Iterator[Event]:
    for number, line in enumerate(lines, 2):
        try:
            yield _event(json.loads(line), session_id)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LogError(
                "{name}, line {number}: not an event ({reason}); not imported",
                name=name,
                number=number,
                reason=_reason(error),
            ) from error


def _event(line: Mapping[str, Any], session_id: int) -> Event:
    if line["type"] not in get_args(EventType):
        raise ValueError(Message("unknown event type {type!r}", type=line["type"]))
    return Event(
        session_id,
        _int(line["seq"]),
        _int(line["wall_ms"]),
        _int(line["monotonic_ms"]),
        line["type"],
        None if line["segment"] is None else _int(line["segment"]),
        None if line["segment_version"] is None else _int(line["segment_version"]),
        to_json(line["payload"]),
        _text(line["previous_hash"]),
        _text(line["hash"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(Message("{value!r} is not text", value=value))
    return value


def _direction(value: Any) -> str:
    if _DIRECTION.fullmatch(_text(value)) is None:
        raise ValueError(Message("{direction!r} is not a language pair such as en-de", direction=value))
    return str(value)


def _optional_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def _int(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
        raise TypeError(Message("{value!r} is not an integer of up to 64 bits", value=value))
    return value


def _state(value: Any) -> Any:
    if value not in get_args(SegmentStateName):
        raise ValueError(Message("{value!r} is not a segment state", value=value))
    return value


def _reason(error: Exception) -> str:
    """The error message, translatable if this module raised the error."""
    if isinstance(error, KeyError):
        return Message("{name} is missing", name=error)
    message = error.args[0] if error.args else ""
    return message if isinstance(message, Message) else str(error)
