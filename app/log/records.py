"""The records of the log as frozen dataclasses, payloads as JSON, and the hash chain of events.

The hash of each event covers the hash before it, so that cutting, reordering or editing a log later is detected.
Independent of SQLite.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from app.errors import Checked, CommandError
from app.formats.documents import Document
from app.glossary import Glossary, Term
from app.i18n import Message
from app.text.text_limits import TextLimits

EventType = Literal[
    # the session
    "open", "resume", "close", "focus", "blur", "idle", "export", "error", "consent", "project", "forget",
    # text
    "key", "insert", "delete", "paste", "caret", "edit", "undo", "redo", "hypothesis_taken", "confirm", "reopen",
    "comment",
    # review: a confirmed text was approved or returned, or that was taken back; a remark of translator or reviewer
    "review", "remark",
    # a segment was locked: nobody changes it until it is unlocked
    "lock", "unlock",
    # segments: split in two, or merged with the next one; with the new positions of the parts
    "split", "merge",
    # constraints: "avoid" bans a word, "unavoid" allows it again; "beginning" is the required start of the translation
    # after choosing an alternative or translating the rest again, "" to remove it; "locked" are texts that must occur
    # in this order while the rest is translated again;
    # "follow" is the text that the next translation keeps as far as it can, "" for a free translation
    "pin", "unpin", "avoid", "unavoid", "beginning", "locked", "follow", "glossary", "term_shown", "term_used",
    "term_overridden", "term_added", "term_removed",
    # the model
    "model", "style", "pretranslate", "decode_request", "decode_result", "alternatives", "places", "completion",
    "revision", "prices", "check_raised", "check_resolved", "checks_chosen", "memory_shown",
]  # fmt: skip
# The classes counted by a "key" event: keys that type a character, that delete one, arrow keys and the like, and
# combinations with Ctrl, Alt or Command. Single keys and caret positions ("caret") are logged only after "consent".
KEY_CLASSES = ("character", "delete", "navigation", "command")
# The hash before the first event of a session.
FIRST_HASH = "0" * 64
_SURROGATE = re.compile(r"[\ud800-\udfff]")
SegmentStateName = Literal["new", "pretranslated", "edited", "confirmed"]


@dataclass(frozen=True, slots=True)
class SegmentUpdate:
    """The new state of a segment, stored in the same transaction as its event. `target` None: no text yet.

    `read_version` is the version of the state that was changed; if the log has another one by then, nothing is written.
    """

    state: SegmentStateName
    target: str | None
    version: int
    constraints: Mapping[str, Any] = field(default_factory=dict)
    read_version: int = 0


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be written: `Event` without its number, times and hashes."""

    type: EventType
    payload: Mapping[str, Any]
    segment: int | None = None
    segment_version: int | None = None


@dataclass(frozen=True, slots=True)
class SavedSegment(Checked):
    """The stored state of a segment."""

    index: int
    source: str
    target: str | None
    state: SegmentStateName
    version: int
    constraints: dict[str, Any]
    note: str = ""
    limits: TextLimits | None = None
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionSummary(Checked):
    """One line of the list of sessions. Times are milliseconds since 1970.

    `is_untouched`: the session has no glossary of its own and no segment was changed; the file may have had
    translations. `path` is that in the archive or selection in which the document was opened, if it was. `assignee` is
    the person to whom the document is assigned, or ""; `part_assignees` are those who have parts of it. The numbers of
    confirmed, approved and returned segments are those without the locked ones.
    """

    id: int
    token: str
    document_name: str
    direction: str
    pseudonym: str
    num_segments: int
    num_confirmed: int
    num_approved: int
    num_returned: int
    num_locked: int
    created_ms: int
    last_ms: int
    is_untouched: bool
    project_id: int
    path: str = ""
    assignee: str = ""
    part_assignees: tuple[str, ...] = ()
    deadline_ms: int | None = None
    project_deadline_ms: int | None = None

    @property
    def due_ms(self) -> int | None:
        """The deadline of the document, otherwise that of its project."""
        return self.project_deadline_ms if self.deadline_ms is None else self.deadline_ms

    @property
    def num_to_do(self) -> int:
        """Segments that are neither confirmed nor locked."""
        return self.num_segments - self.num_locked - self.num_confirmed

    @property
    def shown_name(self) -> str:
        """The name of the document, with the folders of the archive or selection that it came from."""
        return self.path or self.document_name


@dataclass(frozen=True, slots=True)
class SessionRecord(Checked):
    """All data for resuming a session."""

    id: int
    token: str
    document: Document
    direction: str
    pseudonym: str
    versions: dict[str, Any]
    options: dict[str, Any]
    segments: tuple[SavedSegment, ...]
    glossaries: tuple[Glossary, ...]
    document_terms: tuple[Term, ...]
    created_ms: int
    last_ms: int
    num_events: int
    last_hash: str
    project_id: int = 0


@dataclass(frozen=True, slots=True)
class Event(Checked):
    """One event. `monotonic_ms` is comparable only within one run of the app, from an "open" or "resume" to the next.

    `payload_json` is the text covered by the hash.
    """

    session_id: int
    seq: int
    wall_ms: int
    monotonic_ms: int
    type: EventType
    segment: int | None
    segment_version: int | None
    payload_json: str
    previous_hash: str
    hash: str

    @property
    def payload(self) -> dict[str, Any]:
        """The payload as plain values, parsed at each call."""
        content: dict[str, Any] = json.loads(self.payload_json)
        return content

    @property
    def true_hash(self) -> str:
        """The hash of the fields; differs from `hash` if the event was changed later."""
        _, *fields, previous_hash, _ = dataclasses.astuple(self)
        return event_hash(previous_hash, *fields)


@dataclass(frozen=True, slots=True)
class ChainReport:
    """The result of checking the events of a session: intact, or the first wrong event and the problem."""

    is_intact: bool
    num_events: int
    first_bad_seq: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The record of a deleted session: its number of events and its last hash."""

    session_id: int
    deleted_ms: int
    num_events: int
    last_hash: str


def event_hash(previous_hash: str, *fields: str | int | None) -> str:
    """SHA-256, in hexadecimal, of the previous hash and the fields of the event from `seq` to `payload_json`.

    The hashed text is `json.dumps([...])` with its defaults, so that other programs can verify an exported log.
    """
    return hashlib.sha256(json.dumps([previous_hash, *fields]).encode("ascii")).hexdigest()


def chain_report(events: Iterable[Event], num_events: int, last_hash: str) -> ChainReport:
    """Checks that there are `num_events` consecutive, unchanged events, the last of which has `last_hash`.

    Later events are ignored: they were written in the meantime. `events` may raise CommandError for one with a value of
    a wrong type.
    """
    previous, count = FIRST_HASH, 0
    try:
        for event in events:
            if event.seq > num_events:
                break
            if event.seq != count + 1:
                return ChainReport(False, count, count + 1, Message("event {number} is missing", number=count + 1))
            if event.previous_hash != previous or event.hash != event.true_hash:
                return ChainReport(False, count, event.seq, Message("event {number} was changed", number=event.seq))
            previous, count = event.hash, event.seq
    except CommandError:
        return ChainReport(False, count, count + 1, Message("event {number} was changed", number=count + 1))
    if count != num_events or previous != last_hash:
        return ChainReport(False, count, count + 1, Message("events {number} and later are missing", number=count + 1))
    return ChainReport(True, count)


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which UTF-8 cannot store; payloads keep them as escapes."""
    return _SURROGATE.sub("\ufffd", text)


def to_json(value: object) -> str:
    """The value as JSON text that every parser accepts and SQLite can store.

    Dataclasses become objects; NaN and infinities become "nan", "inf", "-inf"; halves of surrogate pairs, which a
    browser may send, stay escaped.
    """
    try:
        text = _ENCODER.encode(value)
    except ValueError:  # NaN or an infinity
        text = _ENCODER.encode(_plain(value))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(_plain(value), separators=(",", ":"))
    return text


def _plain(value: object) -> object:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=str)
    raise TypeError(f"a log payload cannot hold {type(value).__name__} {value!r}")


# `_plain` gets only what JSON does not know. Converting every value first takes three times as long.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
