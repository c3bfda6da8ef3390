"""Replaces the name of a person in the log by a pseudonym, and computes the hashes of the events again.

A chain of hashes shows every change. Each changed session therefore gets an event with the last hash before the change:
with an older export, anyone can check that only the name was replaced.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from app.access.actor import Actor
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.event_chain import EventChain
from app.log.records import event_hash, to_json

_PURPOSE = Message("write the people")
_EVENTS_PER_PAGE: Final = 500
_HASHED_COLUMNS: Final = ("seq", "wall_ms", "monotonic_ms", "type", "segment_index", "segment_version")
_NAMING_FIELDS = ("person", "member")  # of payloads; the name of a project in events about it may be a person's, too


@dataclass(frozen=True, slots=True)
class ForgottenPerson:
    """The pseudonym of a person, and the numbers of changed events and sessions."""

    pseudonym: str
    num_events: int
    num_sessions: int


def forget_person(actor: Actor, log: LogConnection, name: str) -> ForgottenPerson:
    """Removes a person's role and memberships, and replaces their name in events and names of projects.

    It happens in one transaction, as a name that is forgotten in half of the documents is in none.
    """
    pseudonym = f"person-{secrets.token_hex(4)}"
    with log.transaction(_PURPOSE):
        log.db.execute("DELETE FROM member WHERE person = ?", (name,))
        log.db.execute("DELETE FROM person WHERE name = ? AND name != ''", (name,))
        log.db.execute("UPDATE session SET assignee = '' WHERE assignee = ?", (name,))
        log.db.execute("DELETE FROM assigned_segment WHERE person = ?", (name,))
        log.db.execute("DELETE FROM notice WHERE person = ?", (name,))
        log.db.execute("UPDATE notice SET sender = ? WHERE sender = ?", (pseudonym, name))
        log.db.execute("UPDATE project SET name = ? WHERE name = ?", (pseudonym, name))
        query = "SELECT session_id, min(seq) AS first FROM event WHERE instr(payload, ?) > 0 GROUP BY session_id"
        found = log.rows(Message("read the events"), query, (to_json(name),))
        changed = [_replace_in_session(actor, log, row["session_id"], row["first"], name, pseudonym) for row in found]
    return ForgottenPerson(pseudonym, sum(changed), sum(number > 0 for number in changed))


def _replace_in_session(
    actor: Actor, log: LogConnection, session_id: int, first: int, name: str, pseudonym: str
) -> int:
    """Replaces the name in the events from number `first` on; returns in how many."""
    chain, num_changed = EventChain(log), 0
    last_hash: str = chain.session_row(session_id)["last_hash"]
    previous: str | None = None
    for row in _events_from(log, session_id, first):
        payload = _with_pseudonym(row["type"], row["payload"], name, pseudonym)
        num_changed += payload != row["payload"]
        previous = row["previous_hash"] if previous is None else previous
        own = event_hash(previous, *(row[name] for name in _HASHED_COLUMNS), payload)
        if own != row["hash"]:
            log.db.execute(
                "UPDATE event SET payload = ?, previous_hash = ?, hash = ? WHERE session_id = ? AND seq = ?",
                (payload, previous, own, session_id, row["seq"]),
            )
        previous = own
    if num_changed:
        log.db.execute("UPDATE session SET last_hash = ? WHERE id = ?", (previous, session_id))
        details = {"pseudonym": pseudonym, "num_events": num_changed, "last_hash": last_hash}
        chain.append(actor, session_id, "forget", details)
    return num_changed


def _events_from(log: LogConnection, session_id: int, first: int) -> Iterator[dict[str, Any]]:
    """The rows of a session's events, read in pages: a proposal with its hypotheses takes kilobytes."""
    query = "SELECT * FROM event WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ?"
    while page := log.rows(_PURPOSE, query, (session_id, first, _EVENTS_PER_PAGE)):
        yield from page
        first = page[-1]["seq"] + 1


def _with_pseudonym(event_type: str, payload_json: str, name: str, pseudonym: str) -> str:
    if to_json(name) not in payload_json:
        return payload_json
    payload: dict[str, Any] = json.loads(payload_json)
    fields = (*_NAMING_FIELDS, "name") if event_type == "project" else _NAMING_FIELDS
    named = [field for field in fields if payload.get(field) == name]
    return to_json({**payload, **dict.fromkeys(named, pseudonym)}) if named else payload_json
