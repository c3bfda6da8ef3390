"""Opens workspaces: of a new session, or of one that the log has.

Each becomes the one that a new tab shows, unless a program asked for it.
"""

from __future__ import annotations

import platform
import sqlite3
import threading
from contextlib import suppress
from dataclasses import asdict, replace
from importlib import metadata

from app import VERSION
from app.access.actor import Actor
from app.errors import LogError
from app.formats.documents import Document
from app.i18n import Message
from app.log.project_tables import Project
from app.log.records import NewEvent, SessionRecord
from app.log.store import LogStore
from app.models.document_models import DocumentModels
from app.models.style import Style
from app.projects import Projects, style_of
from app.segments.state import Json
from app.segments.stored_state import restore_segment
from app.sessions.logged_documents import LoggedDocuments
from app.sessions.open_workspaces import OpenWorkspaces
from app.tm.library import MemoryLibrary
from app.workspace.commands import Workspace
from engine import SearchOptions

MAX_EVENTS_CHECKED_FIRST = 5_000  # takes 40 ms; 200,000 events take 1.5 seconds


class WorkspaceOpener:
    """Opens sessions of the log: with their models, projects and the translation memory."""

    def __init__(
        self,
        store: LogStore,
        models: DocumentModels,
        library: MemoryLibrary,
        projects: Projects,
        workspaces: OpenWorkspaces,
        documents: LoggedDocuments,
        options: SearchOptions,
    ) -> None:
        """`workspaces` stores opened workspaces; `options` are the search options."""
        self._store = store
        self._models = models
        self._library = library
        self._projects = projects
        self._workspaces = workspaces
        self._documents = documents
        self._options = options

    def start_unshown(
        self, actor: Actor, document: Document, direction: str, project: Project, style: Style
    ) -> Workspace:
        """A new session for a program. It is translated in the background, and the page does not show it."""
        return self._put(
            actor, self._new_session(actor, document, direction, project, style, None), document, shows=False
        )

    def start(
        self,
        actor: Actor,
        document: Document,
        direction: str,
        model: Json | None = None,
        project: Project | None = None,
    ) -> Workspace:
        """Shows a new session on a document, or an earlier one in which nothing was done.

        `model` is the log's description of the model, if a person chose it; by default, in the current project.
        """
        project = project or self._projects.for_new(actor, direction)
        style = style_of(project).known_to(self._models.first, direction)
        if model is None:
            open_ids = [one.session_id for one in self._workspaces.all()]
            record = self._documents.untouched_twin(actor, document, direction, project.id, style, open_ids)
            if record is not None:
                with self._workspaces.opening(record.id):
                    if self._workspaces.of_session(record.id) is None:  # nobody else has begun with it meanwhile
                        return self._resume(actor, record, document)
        return self._put(actor, self._new_session(actor, document, direction, project, style, model), document)

    def _new_session(
        self, actor: Actor, document: Document, direction: str, project: Project, style: Style, model: Json | None
    ) -> SessionRecord:
        events = [] if model is None else [NewEvent("model", model)]
        if style != Style():
            events.append(NewEvent("style", {**asdict(style), "is_default": True}))
        return self._store.start_session(
            actor,
            document,
            direction,
            versions=versions(),
            options=asdict(self._options),
            events=events,
            project_id=project.id or None,
        )

    def take_up(self, actor: Actor, session_id: int, *, shows: bool = True) -> Workspace:
        """The workspace of a session in its last state; it may be open already. Shows it with `shows`."""
        with self._workspaces.opening(session_id):
            self._store.project_of(actor, session_id)  # raises LogError for one that the person does not see
            opened = self._workspaces.of_session(session_id)
            if opened is None:
                return self._resume(actor, self._store.load_session(actor, session_id), shows=shows)
            return self._workspaces.show(actor, opened) if shows else opened

    def _resume(
        self, actor: Actor, record: SessionRecord, document: Document | None = None, *, shows: bool = True
    ) -> Workspace:
        document = document or record.document
        is_short = record.num_events <= MAX_EVENTS_CHECKED_FIRST
        if is_short and (note := self._damage(record.id)):
            document = replace(document, notes=(*document.notes, note))
        self._store.resume_session(actor, record.id, versions())
        workspace = self._put(actor, record, document, shows=shows)
        if not is_short:
            threading.Thread(target=self._check_later, args=(workspace,), name="verify", daemon=True).start()
        return workspace

    def _damage(self, session_id: int) -> Message | None:
        """The warning for a person if the log of a session was changed."""
        chain = self._store.verify_chain(session_id)
        if chain.is_intact:
            return None
        return Message(
            "The log of this document was changed or damaged by another program ({problem}): compare the texts with "
            "the last export or backup.",
            problem=chain.problem,
        )

    def _check_later(self, workspace: Workspace) -> None:
        """Checks a long log while the person works already."""
        with suppress(LogError, sqlite3.Error):  # closed or deleted meanwhile
            if note := self._damage(workspace.session_id):
                workspace.report(note)

    def _put(self, actor: Actor, record: SessionRecord, document: Document, *, shows: bool = True) -> Workspace:
        model, problem = self._models.remembered(self._store, record)
        workspace = Workspace(
            self._store,
            record.id,
            record.token,
            document,
            [restore_segment(saved) for saved in record.segments],
            model,
            direction=record.direction,
            options=self._options,
            glossaries=record.glossaries,
            document_terms=record.document_terms,
            library=self._library,
            project=self._projects.get(actor, record.project_id),
        )
        workspace.glossaries.on_shared_change = lambda actor, shared: self._projects.share(
            actor, workspace.project.id, shared, besides=workspace
        )
        self._workspaces.add(workspace)
        if problem:
            workspace.report(problem)
        return self._workspaces.show(actor, workspace) if shows else workspace


def versions() -> dict[str, str]:
    """The versions that a session was made with, for the log."""
    libraries = {name: metadata.version(name) for name in ("gradio", "torch")}
    return {"pinpoint": VERSION, **libraries, "python": platform.python_version()}
