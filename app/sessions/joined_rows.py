"""The segments of several documents in one list: rows of documents that the page does not show as its own.

Closed documents are not opened for this. Their rows are made from the log, without what only an open document knows:
findings of the checks, new matches of the memory, and the names of tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.access.actor import Actor
from app.errors import CommandError
from app.log.records import SavedSegment
from app.log.store import LogStore
from app.precedence import giving_way
from app.segments.state import Json
from app.segments.stored_state import restore_segment
from app.segments.view import row_view
from app.sessions.open_workspaces import OpenWorkspaces
from app.workspace.parts import Parts
from app.workspace.snapshot import rows_view

ROWS_AT_ONCE: Final = 1000  # some 400 kB, which take 40 ms for a closed document
_TAG = re.compile(r"\{/?(\d+)\}")


class JoinedRows:
    """The rows of documents, open or closed, for a page that shows another one."""

    def __init__(self, store: LogStore, workspaces: OpenWorkspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    def portion(self, actor: Actor, session_id: int, first: int) -> Json:
        """At most ROWS_AT_ONCE rows from position `first` on, in the order of the document.

        `stamp` is the number of events of the document before they were read; see `changed`.
        """
        stamp = self._num_events(actor, session_id)
        if (opened := self._workspaces.of_session(session_id)) is not None:
            with opened.lock:
                indices = opened.core.order[first : first + ROWS_AT_ONCE]
                rows = rows_view(actor, opened.core, indices)
        else:
            segments = self._store.segments_in_order(session_id, first=first, limit=ROWS_AT_ONCE)
            rows = self._closed(actor, session_id, segments)
        return {"stamp": stamp, "rows": rows, "is_last": len(rows) < ROWS_AT_ONCE}

    def changed(self, actor: Actor, session_id: int, since: int) -> Json:
        """The rows that may have changed since that stamp.

        Without `is_last`, all rows have to be read again: there are too many, or segments were split or merged.
        """
        stamp = self._num_events(actor, session_id)
        changed = self._store.changed_segments(session_id, since)
        if changed is None or len(changed) > ROWS_AT_ONCE:
            return {"stamp": stamp, "rows": [], "is_last": False}
        if (opened := self._workspaces.of_session(session_id)) is not None:
            with opened.lock:
                rows = rows_view(actor, opened.core, sorted(changed.intersection(opened.core.order)))
        else:
            rows = self._closed(actor, session_id, self._store.segments_in_order(session_id, indices=changed))
        return {"stamp": stamp, "rows": rows, "is_last": True}

    def _num_events(self, actor: Actor, session_id: int) -> int:
        """Raises CommandError unless the actor sees the document."""
        if (found := self._store.num_events(actor, session_id)) is None:
            raise CommandError("This document was deleted in the meantime: open the list of documents again.")
        return found

    def _closed(self, actor: Actor, session_id: int, segments: Sequence[SavedSegment]) -> list[Json]:
        parts = Parts(self._store, session_id)
        assignees, held = parts.current(), parts.held_by_others(actor)
        return [
            {
                **row_view(restore_segment(segment)),
                "tags": {number: {"name": "", "content": ""} for number in _TAG.findall(segment.source)},
                "assignee": assignees.get(segment.index, ""),
                "is_held": segment.index in held,
            }
            for segment in giving_way(segments)
        ]
