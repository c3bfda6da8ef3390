"""Finding and replacing a text in the other documents of a project. Most of them are closed: their texts are read from
the log, and only a document in which something is replaced is opened, without being shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.access.actor import Actor
from app.errors import CommandError
from app.log.store import LogStore
from app.precedence import giving_way
from app.segments.find_replace import MAX_SHOWN, Query, found_in
from app.segments.state import Json, SegmentLock, SegmentState
from app.sessions.open_workspaces import OpenWorkspaces
from app.workspace.commands import Workspace
from app.workspace.parts import Parts

MAX_DOCUMENTS: Final = 200  # the ones that were used last


class ProjectSearch:
    """Finds and replaces texts that people wrote or confirmed; proposals that nobody has seen are left out."""

    def __init__(
        self, store: LogStore, workspaces: OpenWorkspaces, open_unshown: Callable[[Actor, int], Workspace]
    ) -> None:
        self._store = store
        self._workspaces = workspaces
        self._open_unshown = open_unshown

    def find(self, actor: Actor, workspace: Workspace, query: Query) -> Json:
        """The other documents of the project in which the text occurs, in the order in which they were opened; also
        those in which only segments have it that stay as they are.

        `num_left_out` counts the documents in which was not searched, as there are more than MAX_DOCUMENTS.
        """
        of_project = self._store.sessions_of_project(actor, workspace.project.id, workspace.direction)
        others = [one for one in of_project if one.id != workspace.session_id]
        searched = sorted(others, key=lambda one: one.last_ms)[-MAX_DOCUMENTS:]
        query = replace(query, in_proposals=False)
        documents: list[Json] = []
        room = MAX_SHOWN
        for summary in giving_way(sorted(searched, key=lambda one: one.id) if query.text else ()):
            held = Parts(self._store, summary.id).held_by_others(actor) if summary.part_assignees else ()
            found = found_in(self._segments(summary.id), query, held, room)
            room -= len(found["rows"])
            if found["num_places"] or found["num_locked"] or found["num_held"]:
                documents.append({"session": summary.id, "name": summary.shown_name, **found})
        return {"documents": documents, "num_left_out": len(others) - len(searched)}

    def replace(self, actor: Actor, session_id: int, query: Query, indices: Sequence[int] | None) -> Json:
        """Replaces in these segments of another document, or in all that the query looks into; see `Batches.replace`.

        Segments that others hold are left.
        """
        opened = self._opened(actor, session_id)
        return opened.batches.replace(actor, replace(query, in_proposals=False), indices)

    def step(self, actor: Actor, session_id: int, number: int, *, is_undo: bool) -> Json:
        """Undoes or redoes a replacement in another document; see `Batches.step`."""
        return self._opened(actor, session_id).batches.step(actor, number, is_undo=is_undo)

    def _segments(self, session_id: int) -> list[SegmentState]:
        """The segments of a document, open or not, in their order."""
        opened = self._workspaces.of_session(session_id)
        if opened is None:
            return [
                SegmentState(index, "", 0, state=state, target=target, lock=SegmentLock() if is_locked else None)
                for index, state, target, is_locked in self._store.texts_of(session_id)
            ]
        with opened.lock:
            return opened.core.in_order()

    def _opened(self, actor: Actor, session_id: int) -> Workspace:
        if not self._store.sessions_of(actor, [session_id]):
            raise CommandError("This document was deleted in the meantime: open the list of documents again.")
        was_open = self._workspaces.of_session(session_id) is not None
        workspace = self._open_unshown(actor, session_id)
        if not was_open:
            workspace.suspend()  # nobody looks at it
        return workspace
