"""The files that are saved from an open document: its translation, and exports of its session in the log."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final, get_args

from app.access.actor import Actor
from app.errors import CommandError, LogError
from app.formats.documents import Export
from app.log.store import LogStore
from app.reports.exports import CAN_BE_EMPTY, EXPORTS
from app.reports.review_table import REVIEW_TABLES, RowChoice, comments_of
from app.reports.translated_document import draft_name, proposals_of, translated_document
from app.segments.state import Json
from app.tm.library import MemoryEnding, MemoryLibrary
from app.workspace.commands import Workspace

# The document with confirmed and edited segments only; and with proposals for all other segments.
DOCUMENT, DOCUMENT_WITH_PROPOSALS = "document", "document-with-proposals"
# With comments on segments, also in a format whose readers see them (`Format.comments_on_request`).
DOCUMENT_WITH_COMMENTS = "document-with-comments"
DOCUMENTS: Final = (DOCUMENT, DOCUMENT_WITH_PROPOSALS, DOCUMENT_WITH_COMMENTS)
# The translation memory of all documents in the log.
ALL_MEMORY: Final[Mapping[str, MemoryEnding]] = {f"all-memory.{ending}": ending for ending in get_args(MemoryEnding)}


class WorkspaceExports:
    """The exports of all open documents. Safe from several threads."""

    def __init__(self, store: LogStore, library: MemoryLibrary) -> None:
        self._store = store
        self._library = library
        # The last file of a document, and what it shows: token of the document, kind, and version.
        self._last: tuple[tuple[str, str, int], Export] | None = None

    def make(
        self,
        actor: Actor,
        workspace: Workspace,
        kind: str,
        language: str = "en",
        rows: RowChoice = RowChoice(),  # noqa: B008 (frozen)
    ) -> Export:
        """A file to save. The log has the export before, if it can be written: a full disk must not keep work here.

        Review tables explain themselves in the `language` of the page, and have only these `rows`.
        """
        kinds = (*DOCUMENTS, *EXPORTS, *ALL_MEMORY)
        if kind not in kinds:
            raise CommandError(
                "{kind!r} is not a kind of export; choose one of {kinds}.", kind=kind, kinds=", ".join(kinds)
            )
        file = None
        if kind in ALL_MEMORY:
            file = self._library.export(actor, workspace.direction, ALL_MEMORY[kind])
        elif kind not in EXPORTS:
            file = self._translated(workspace, kind)
        with suppress(LogError):
            self._store.append(actor, workspace.session_id, "export", {"kind": kind})
        if kind in REVIEW_TABLES:
            return REVIEW_TABLES[kind](actor, self._store, workspace.session_id, language, choice=rows)
        return file or EXPORTS[kind](
            actor, self._store, workspace.session_id
        )  # an exported log contains its own export

    def note(self, actor: Actor, workspace: Workspace, kind: str = DOCUMENT) -> Json:
        """A warning to show before a file is saved, such as unconfirmed segments, and whether it would be empty."""
        if kind in DOCUMENTS:
            return {"note": self._translated(workspace, kind).note, "is_empty": False}
        if kind in ALL_MEMORY:
            note: str | None = self._library.note_if_empty(actor, workspace.direction)
        else:
            note = EXPORTS[kind](actor, self._store, workspace.session_id).note if kind in CAN_BE_EMPTY else None
        return {"note": note, "is_empty": note is not None}

    def _translated(self, workspace: Workspace, kind: str) -> Export:
        """The document as it is in memory; written once for its note and for the file itself."""
        with workspace.lock:
            state = (workspace.token, kind, workspace.core.version)
            document, segments = workspace.document, [*workspace.segments]
        last = self._last
        if last is not None and last[0] == state:
            return last[1]
        language = workspace.direction.partition("-")[2]
        proposals = proposals_of(segments) if kind == DOCUMENT_WITH_PROPOSALS else None
        comments_by = None
        if kind == DOCUMENT_WITH_COMMENTS:
            comments_by = comments_of(segments, self._store, workspace.session_id)
        made = translated_document(document, segments, language, proposals=proposals, comments_by=comments_by)
        made = made if proposals is None else replace(made, name=draft_name(made.name))
        self._last = (state, made)
        return made
