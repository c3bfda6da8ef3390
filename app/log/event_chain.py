"""Appends events to sessions: numbered, and each with the hash of the one before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from app.access.actor import Actor, check_actor
from app.errors import LogError
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.records import EventType, event_hash, to_json


class EventChain:
    """The chains of events in a log, one for each session. Call it inside a transaction of the connection.

    The payload of an event that a person caused names them.
    """

    def __init__(self, log: LogConnection) -> None:
        self._log = log

    def append(
        self,
        actor: Actor,
        session_id: int,
        event_type: EventType,
        payload: Mapping[str, Any] | str,
        segment: int | None = None,
        segment_version: int | None = None,
    ) -> int:
        """Writes an event and returns its number; a payload that is a string is JSON already."""
        check_actor(actor)
        session = self.session_row(session_id)
        seq: int = session["num_events"] + 1
        previous: str = session["last_hash"]
        now_ms, monotonic_ms = wall_ms(), int(time.monotonic() * 1000)
        payload_json = _with_person(actor, payload if isinstance(payload, str) else to_json(payload))
        own = event_hash(previous, seq, now_ms, monotonic_ms, event_type, segment, segment_version, payload_json)
        self._log.db.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (session_id, seq, now_ms, monotonic_ms, event_type, segment, segment_version, payload_json, previous, own),
        )
        self._log.db.execute(
            "UPDATE session SET num_events = ?, last_hash = ?, last_ms = ? WHERE id = ?",
            (seq, own, now_ms, session_id),
        )
        return seq

    def session_row(self, session_id: int) -> dict[str, Any]:
        """The session's row of the table. Raises LogError if there is no such session."""
        found = self._log.rows(Message("find the session"), "SELECT * FROM session WHERE id = ?", (session_id,))
        if not found:
            raise LogError(
                "{path} does not contain session {number}; it may have been deleted: open the document again",
                path=self._log.path,
                number=session_id,
            )
        return found[0]


def _with_person(actor: Actor, payload_json: str) -> str:
    if not (person := actor.name):
        return payload_json
    own = to_json({"person": person})
    return own if payload_json == "{}" else f"{own[:-1]},{payload_json[1:]}"


def wall_ms() -> int:
    """The time of day in milliseconds since 1970."""
    return int(time.time() * 1000)
