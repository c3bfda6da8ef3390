"""The translation memory in the log file: the confirmed segments of all sessions, and imported memories.

Confirmed segments are not copied: a segment that is reopened or deleted also leaves the memory.
"""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from app.i18n import Message
from app.log.connection import LogConnection
from app.tm.entries import MemoryEntry

Pair = tuple[str, str]
_ENTRIES_PER_PAGE = 5000


def segment_key(session_id: int, index: int) -> Hashable:
    """The index key of a confirmed segment."""
    return "segment", session_id, index


def import_key(number: int) -> Hashable:
    """The index key of an entry that was not confirmed here."""
    return "import", number


def directions_of(log: LogConnection) -> list[str]:
    """The language pairs that have entries, sorted."""
    query = (
        "SELECT source_language || '-' || target_language AS direction FROM memory_entry GROUP BY 1 UNION "
        "SELECT direction FROM session WHERE EXISTS "
        "(SELECT 1 FROM segment WHERE session_id = session.id AND state = 'confirmed') ORDER BY 1"
    )
    return [row["direction"] for row in log.rows(Message("load the memory"), query)]


def load_entries(
    log: LogConnection, source_language: str, target_language: str
) -> Iterator[tuple[Hashable, MemoryEntry]]:
    """The entries for this language pair with their keys; entries of the opposite direction are swapped.

    Reads in pages, so that others can write meanwhile.
    """
    query = (
        "SELECT id, source_language, source, target, name, changed_ms, project_id FROM memory_entry "
        "WHERE (source_language, target_language) IN (VALUES (?1, ?2), (?2, ?1)) AND id > ?3 ORDER BY id LIMIT ?4"
    )
    last = 0
    while page := log.rows(
        Message("load the memory"), query, (source_language, target_language, last, _ENTRIES_PER_PAGE)
    ):
        for row in page:
            pair = (row["source"], row["target"])
            source, target = pair if row["source_language"] == source_language else pair[::-1]
            yield import_key(row["id"]), _entry(source, target, row, row["changed_ms"], is_imported=True)
        last = page[-1]["id"]
    directions = f"{source_language}-{target_language}", f"{target_language}-{source_language}"
    confirmed = log.rows(
        Message("load the memory"),
        "SELECT session_id, segment_index, source, target, direction, document.name, last_ms, project_id FROM segment "
        "JOIN session ON session.id = session_id JOIN document ON document.id = document_id "
        "WHERE state = 'confirmed' AND target IS NOT NULL AND direction IN (?, ?) ORDER BY session_id, segment_index",
        directions,
    )
    for row in confirmed:
        pair = (row["source"], row["target"])
        source, target = pair if row["direction"] == directions[0] else pair[::-1]
        yield segment_key(row["session_id"], row["segment_index"]), _entry(source, target, row, row["last_ms"])


def _entry(
    source: str, target: str, row: Mapping[str, Any], changed_ms: int, *, is_imported: bool = False
) -> MemoryEntry:
    return MemoryEntry(source, target, row["name"], changed_ms, row["project_id"] or 0, is_imported)


def state_of(log: LogConnection) -> tuple[float, ...]:
    """Numbers that change whenever the result of `load_entries` changes for any language pair."""
    query = """
        SELECT count(*) AS num_confirmed, total((session_id * 7919 + segment_index + 1) * (version + 1)) AS confirmed,
            (SELECT count(*) FROM memory_entry) AS num_imported, (SELECT total(id) FROM memory_entry) AS imported
        FROM segment WHERE state = 'confirmed' AND target IS NOT NULL
    """
    return tuple(log.rows(Message("load the memory"), query)[0].values())


def import_entries(
    log: LogConnection,
    name: str,
    source_language: str,
    target_language: str,
    pairs: Iterable[Pair],
    project: int = 0,
) -> int:
    """Stores pairs under the name of a memory, replacing an earlier import; returns their number.

    They belong to the project of that number, or with 0 to all.
    """
    now_ms = time.time_ns() // 1_000_000
    rows = [(name, source_language, target_language, *pair, now_ms, project or None) for pair in dict.fromkeys(pairs)]
    with log.transaction(Message("store the memory")):
        log.db.execute(
            "DELETE FROM memory_entry WHERE name = ? AND source_language = ? AND target_language = ? "
            "AND coalesce(project_id, 0) IN (0, ?)",
            (name, source_language, target_language, project),
        )
        log.db.conn.executemany(
            "INSERT INTO memory_entry (name, source_language, target_language, source, target, changed_ms, project_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    return len(rows)


def put_entries(
    log: LogConnection, name: str, source_language: str, target_language: str, pairs: Mapping[str, str], project: int
) -> tuple[list[int], dict[int, MemoryEntry]]:
    """Adds the translations of texts to the memory of this name in a project, in place of earlier ones of these texts.

    Returns the numbers of the entries that are replaced, and the new ones by number.
    """
    now_ms = time.time_ns() // 1_000_000
    place = (name, source_language, target_language)
    columns = "(name, source_language, target_language, source, target, changed_ms, project_id)"
    added = {}
    with log.transaction(Message("store the memory")):
        earlier = log.db.execute(
            "DELETE FROM memory_entry WHERE (name, source_language, target_language) = (?, ?, ?) AND project_id = ? "
            "AND source IN (SELECT value FROM json_each(?)) RETURNING id",
            (*place, project, json.dumps(list(pairs))),
        ).fetchall()
        for source, target in pairs.items():
            row = (*place, source, target, now_ms, project)
            number = log.db.execute(f"INSERT INTO memory_entry {columns} VALUES (?, ?, ?, ?, ?, ?, ?)", row).lastrowid  # noqa: S608 (ours)
            added[int(number or 0)] = MemoryEntry(source, target, name, now_ms, project, is_imported=True)
    return [row[0] for row in earlier], added
