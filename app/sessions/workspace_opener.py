"""Opens documents for the page, for archives and for programs: from a file, or from a session of the log.

A file is opened in three steps: `read` it in the direction that its content decides, `record` a session on it, and
`start` a workspace for the session. A step that fails leaves nothing behind; `finishing` covers what a caller adds.

The collector of reference cycles is paused: it stopped all threads four times for 20,000 segments, 0.4 s each.
"""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from importlib import metadata

from app import VERSION
from app.access.actor import Actor
from app.collector import collector_paused
from app.errors import LogError
from app.formats import Reading
from app.formats.documents import Document
from app.formats.read_file import FileOverview
from app.i18n import Message
from app.log.bundle_tables import BundlePlace
from app.log.project_tables import Project
from app.log.records import NewEvent, SessionRecord
from app.log.store import LogStore
from app.models.document_direction import Decision, decide
from app.models.document_models import DocumentModels
from app.models.style import Style
from app.precedence import giving_way, leave_precedence
from app.projects import Projects, style_of
from app.reading import FileReader
from app.reading.file_reader import ChooseRules
from app.repeating import do_once
from app.segments.state import Json
from app.segments.stored_state import restore_segment
from app.sessions.logged_documents import LoggedDocuments
from app.sessions.open_workspaces import OpenWorkspaces
from app.sessions.segmentation import Segmentation
from app.tm.library import MemoryLibrary
from app.workspace.commands import Workspace
from engine import SearchOptions

MAX_EVENTS_CHECKED_FIRST = 5_000  # takes 40 ms; 200,000 events take 1.5 seconds


class WorkspaceOpener:
    """Opens documents with their models, projects and the translation memory."""

    def __init__(
        self,
        store: LogStore,
        models: DocumentModels,
        library: MemoryLibrary,
        projects: Projects,
        segmentation: Segmentation,
        workspaces: OpenWorkspaces,
        documents: LoggedDocuments,
        files: FileReader,
        options: SearchOptions,
    ) -> None:
        """`workspaces` stores opened workspaces; `options` are the search options."""
        self._store = store
        self._models = models
        self._library = library
        self._projects = projects
        self._segmentation = segmentation
        self._workspaces = workspaces
        self._documents = documents
        self._files = files
        self._options = options

    @collector_paused()
    def read(
        self,
        actor: Actor,
        data: bytes,
        name: str,
        choose: Callable[[FileOverview], Decision],
        *,
        files: FileReader | None = None,
        reading: Reading | None = None,
        rules_for: ChooseRules | None = None,
    ) -> tuple[Document, Decision]:
        """The document in the direction that `choose` decides, with the note about it, and the decision.

        `files` reads the file instead of the app's reader. `rules_for` returns the rules for a direction, by default
        those of its current project. Raises AppError if the file cannot be read, and what `choose` raises.
        """
        decisions: list[Decision] = []

        def direction_of(file: FileOverview) -> str:
            decisions.append(choose(file))
            return decisions[-1].direction

        rules_for = rules_for or partial(self._segmentation.for_new, actor)
        document = (files or self._files).document(data, name, direction_of, reading, rules_for)
        note = decisions[-1].note
        return replace(document, notes=(*document.notes, note)) if note else document, decisions[-1]

    def decide(self, file: FileOverview, languages: tuple[str, str] | None = None) -> Decision:
        """The direction of a person's new document: that of the app's start, otherwise the document's own.

        `languages` are those of the document; None leaves it to the file.
        """
        model = self._models.first
        if model.fixed_direction is None and model.directions:
            return decide(file, model.directions, languages or file.languages)
        return Decision(model.direction, "first")

    def record(
        self,
        actor: Actor,
        document: Document,
        direction: str,
        project: Project | None = None,
        style: Style | None = None,
        model: Json | None = None,
        place: BundlePlace | None = None,
    ) -> SessionRecord:
        """A new session on a document, by default in the current project and in the style of the project.

        `model` is the log's description of the model, if a person chose it. Raises LogError.
        """
        project = project or self._projects.for_new(actor, direction)
        style = self._style_of(project, direction) if style is None else style
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
            place=place,
        )

    @collector_paused()
    def start_unshown(
        self, actor: Actor, document: Document, direction: str, project: Project, style: Style
    ) -> Workspace:
        """A new session for a program. It is translated in the background, and the page does not show it."""
        return self._begin(actor, self.record(actor, document, direction, project, style), document, shows=False)

    @collector_paused()
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
        if model is None:
            style = self._style_of(project, direction)
            open_ids = [one.session_id for one in self._workspaces.all()]
            record = self._documents.untouched_twin(actor, document, direction, project.id, style, open_ids)
            if record is not None:
                with self._workspaces.opening(record.id):
                    if self._workspaces.of_session(record.id) is None:  # nobody else has begun with it meanwhile
                        return self._resume(actor, record, document)
        return self._begin(actor, self.record(actor, document, direction, project, model=model), document)

    def _begin(self, actor: Actor, record: SessionRecord, document: Document, *, shows: bool = True) -> Workspace:
        """The workspace of a new session, which is removed without a trace if it cannot be opened."""
        try:
            workspace = self._made(actor, record, document)
        except BaseException:
            self._discard(record.id)
            raise
        return self._put(actor, workspace, shows=shows)

    def _discard(self, session_id: int) -> None:
        with suppress(LogError):
            self._store.discard_session(session_id)

    @contextmanager
    def finishing(self, workspace: Workspace) -> Iterator[None]:
        """The rest of a command that began this session; if it raises, the session is removed without a trace."""
        try:
            yield
        except BaseException:
            self._workspaces.forget(workspace)
            self._discard(workspace.session_id)
            raise

    def _style_of(self, project: Project, direction: str) -> Style:
        return style_of(project).known_to(self._models.first, direction)

    @collector_paused()
    def take_up(self, actor: Actor, session_id: int, *, shows: bool = True) -> Workspace:
        """The workspace of a session in its last state; it may be open already. Shows it with `shows`."""
        leave_precedence()  # or the thread that opens the document would pause for this one, which waits for it
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
        workspace = self._made(actor, record, document)
        try:
            self._store.resume_session(actor, record.id, versions())
        except BaseException:
            workspace.close()
            raise
        self._put(actor, workspace, shows=shows)
        if not is_short:
            do_once(lambda: self._check_later(workspace), "verify")
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

    def _made(self, actor: Actor, record: SessionRecord, document: Document) -> Workspace:
        model, problem = self._models.remembered(self._store, record)
        workspace = Workspace(
            self._store,
            record.id,
            record.token,
            document,
            [restore_segment(saved) for saved in giving_way(record.segments)],
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
        if problem:
            workspace.report(problem)
        return workspace

    def _put(self, actor: Actor, workspace: Workspace, *, shows: bool) -> Workspace:
        self._workspaces.add(workspace)
        return self._workspaces.show(actor, workspace) if shows else workspace


def versions() -> dict[str, str]:
    """The versions that a session was made with, for the log."""
    libraries = {name: metadata.version(name) for name in ("gradio", "torch")}
    return {"pinpoint": VERSION, **libraries, "python": platform.python_version()}
