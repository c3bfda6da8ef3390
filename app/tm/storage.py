"""A translation memory in the log's file: the confirmed segments of all its sessions, and what was imported.

Confirmed segments are not copied: what is reopened or deleted is gone from the memory too.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator

from app.i18n import Message
from app.log.connection import LogConnection
from app.tm.index import MemoryEntry

Pair = tuple[str, str]
_ENTRIES_PER_PAGE = 5000


def segment_key(session_id: int, index: int) -> Hashable:
    """The key of a confirmed segment's entry."""
    return "segment", session_id, index


def load_entries(
    log: LogConnection, source_language: str, target_language: str
) -> Iterator[tuple[Hashable, MemoryEntry]]:
    """What translates between these languages, with its key; what translates the other way comes turned round.

    It is read a page at a time, so that others can write meanwhile.
    """
    query = (
        "SELECT id, source_language, source, target, name, changed_ms FROM memory_entry "
        "WHERE (source_language, target_language) IN (VALUES (?1, ?2), (?2, ?1)) AND id > ?3 ORDER BY id LIMIT ?4"
    )
    last = 0
    while page := log.rows(
        Message("load the memory"), query, (source_language, target_language, last, _ENTRIES_PER_PAGE)
    ):
        for row in page:
            pair = (row["source"], row["target"])
            source, target = pair if row["source_language"] == source_language else pair[::-1]
            yield ("import", row["id"]), MemoryEntry(source, target, row["name"], row["changed_ms"])
        last = page[-1]["id"]
    directions = f"{source_language}-{target_language}", f"{target_language}-{source_language}"
    confirmed = log.rows(
        Message("load the memory"),
        "SELECT session_id, segment_index, source, target, direction, document.name, last_ms FROM segment "
        "JOIN session ON session.id = session_id JOIN document ON document.id = document_id "
        "WHERE state = 'confirmed' AND target IS NOT NULL AND direction IN (?, ?) ORDER BY session_id, segment_index",
        directions,
    )
    for row in confirmed:
        pair = (row["source"], row["target"])
        source, target = pair if row["direction"] == directions[0] else pair[::-1]
        yield (
            segment_key(row["session_id"], row["segment_index"]),
            MemoryEntry(source, target, row["name"], row["last_ms"]),
        )


def state_of(log: LogConnection) -> tuple[float, ...]:
    """Figures that change with what `load_entries` gives, of whatever languages."""
    query = """
        SELECT count(*) AS num_confirmed, total((session_id * 7919 + segment_index + 1) * (version + 1)) AS confirmed,
            (SELECT count(*) FROM memory_entry) AS num_imported, (SELECT total(id) FROM memory_entry) AS imported
        FROM segment WHERE state = 'confirmed' AND target IS NOT NULL
    """
    return tuple(log.rows(Message("load the memory"), query)[0].values())


def import_entries(
    log: LogConnection, name: str, source_language: str, target_language: str, pairs: Iterable[Pair]
) -> int:
    """Keeps pairs under the memory's name, in place of what was imported under it; returns how many there are."""
    now_ms = time.time_ns() // 1_000_000
    rows = [(name, source_language, target_language, *pair, now_ms) for pair in dict.fromkeys(pairs)]
    with log.transaction(Message("store the memory")):
        log.db.execute(
            "DELETE FROM memory_entry WHERE name = ? AND source_language = ? AND target_language = ?",
            (name, source_language, target_language),
        )
        log.db.conn.executemany(
            "INSERT INTO memory_entry (name, source_language, target_language, source, target, changed_ms) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
    return len(rows)
