"""Sessions: opens documents, continues earlier sessions, and finds them by their tokens.

One person works here, in one or more browser tabs; a new tab shows what was opened last.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.access.actor import Actor, check_actor
from app.errors import AppError, CommandError, DocumentError, GlossaryError
from app.formats import Reading
from app.formats.read_file import FileOverview
from app.glossary.model import terms_in_direction
from app.i18n import Message
from app.log.store import LogStore
from app.models.document_direction import (
    Decision,
    check_direction,
    check_facing,
    facing,
    has_same_languages,
)
from app.models.document_models import DocumentModels, chosen_model
from app.models.loading import SEARCH, ModelHandle
from app.models.opened_models import OpenedModels
from app.models.published_models import PublishedModels
from app.models.watchdog import Watchdog
from app.paths import MODEL_FOLDER
from app.projects import Projects
from app.reading import FileReader, ProjectRules
from app.segments.state import Json
from app.sessions import example
from app.sessions.analyses import Analyses
from app.sessions.assignments import Assignments
from app.sessions.bundles import Bundles
from app.sessions.glossary_files import GlossaryFiles
from app.sessions.joined_rows import JoinedRows
from app.sessions.logged_documents import LoggedDocuments
from app.sessions.members import Members
from app.sessions.open_workspaces import OpenWorkspaces
from app.sessions.project_search import ProjectSearch
from app.sessions.segmentation import Segmentation
from app.sessions.totals import Totals
from app.sessions.workspace_opener import WorkspaceOpener
from app.text import recognition
from app.tm.library import MemoryLibrary
from app.workspace.commands import Workspace
from app.workspace.workspace_exports import WorkspaceExports
from engine import SearchOptions


class UnknownSession(CommandError):
    """An unknown session token; the page then starts again."""

    kind = "unknown_session"


class Sessions:
    """All open documents and their models. Thread-safe."""

    def __init__(
        self,
        store: LogStore,
        model: ModelHandle,
        samples: Path,
        options: SearchOptions | None = None,
        *,
        fills_from_memory: bool = True,
        published: PublishedModels | None = None,
        files: FileReader | None = None,
        opened: OpenedModels | None = None,
    ) -> None:
        """`files` reads uploaded files; by default, in this process."""
        self.store = store
        self.files = files or FileReader()
        self.model = model
        self.models = DocumentModels(model, published=published, opened=opened)
        self.samples = samples
        self.library = MemoryLibrary(store, fills=fills_from_memory, read=self.files.memory)
        self.exports = WorkspaceExports(store, self.library)
        self.watchdog = Watchdog(self.models.handles, self._report_model)
        self.workspaces = OpenWorkspaces(store, self.models)
        self.projects = Projects(store, self.workspaces.all)
        self.segmentation = Segmentation(self.projects, self.files)
        self.members = Members(store, self.projects, self.workspaces.all)
        self.totals = Totals(store, self.projects)
        self.assignments = Assignments(store, self.workspaces.of_session)
        self.logged_documents = LoggedDocuments(store)
        self.joined_rows = JoinedRows(store, self.workspaces)
        self.options = options or SEARCH
        self.opener = WorkspaceOpener(
            store,
            self.models,
            self.library,
            self.projects,
            self.segmentation,
            self.workspaces,
            self.logged_documents,
            self.files,
            self.options,
        )
        self.glossary_files = GlossaryFiles(store, self.files)
        self.analyses = Analyses(store, self.library, self.projects)
        self.bundles = Bundles(store, self.files, self.projects, self.opener, self.workspaces)
        self.project_search = ProjectSearch(
            store, self.workspaces, lambda actor, number: self.opener.take_up(actor, number, shows=False)
        )
        store.discard_unfinished()
        self._welcomed: set[str] = set()  # by person
        # By token: the direction that a document needs a model for, and whether no installed model has it.
        self._model_needs: dict[str, tuple[str, bool]] = {}
        self._lock = threading.Lock()  # of the two above
        self._opening_first = threading.Lock()

    def start(self) -> None:
        """Watches the models and closes unused workspaces, in separate threads until `close`."""
        self.watchdog.start()
        self.workspaces.start(self._forget_idle)

    def _forget_idle(self) -> None:
        self.bundles.forget_idle()
        recognition.forget_idle()

    def welcome(self, actor: Actor, token: str | None, last_shown: str | None = None) -> tuple[Workspace, Json]:
        """The session with this token; without a token, the open session, that of `last_shown`, or the sample document.

        `last_shown` is the token of the session that the person's browser showed last, before a restart of the app.

        To the first page after each start, unless it knows its session, an offer to go on with an earlier one comes
        with it; a second tab is not asked while the first one is at work. A person with a role gets the document of
        their projects that was used last: a copy of the sample there would be counted as work to do.
        """
        check_actor(actor)
        with self._lock:
            is_first = actor.name not in self._welcomed
            self._welcomed.add(actor.name)
        if token is not None:
            try:
                workspace = self.find(actor, token)
            except UnknownSession:
                pass
            else:
                self._continue_download(actor, workspace, is_first=is_first)
                return workspace, {}
        current = self._current(actor)
        if current is None and last_shown and (last := self._last(actor, last_shown)) is not None:
            self._continue_download(actor, last, is_first=is_first)
            return last, {}
        is_member = self.store.people.access(actor).projects is not None
        if current is None and is_member and (last := self._last_used(actor)) is not None:
            self._continue_download(actor, last, is_first=is_first)
            return last, {}
        workspace = current or self._open_first(actor)
        self._continue_download(actor, workspace, is_first=is_first)
        offers = self.logged_documents.offers(actor, besides=workspace.session_id) if is_first else []
        offers.sort(key=lambda offer: bool(offer["name"] != workspace.document.name))  # the same document first
        if is_first and not offers and self.model.folder == MODEL_FOLDER:
            self._model_needs[workspace.token] = (workspace.direction, False)
        return workspace, {"offer": offers[0]} if offers else {}

    def _current(self, actor: Actor) -> Workspace | None:
        """The document that a new tab of this person shows, reopened if it was closed; None without one."""
        try:
            return self.find(actor, self.workspaces.current_token(actor))
        except UnknownSession:
            return None

    def _last_used(self, actor: Actor) -> Workspace | None:
        """The document used last of those that the person sees; None without one that can be opened."""
        for summary in self.logged_documents.by_last_use(actor):
            with suppress(AppError):  # one that cannot be opened is left as it is
                return self.opener.take_up(actor, summary.id)
        return None

    def _last(self, actor: Actor, token: str) -> Workspace | None:
        """The document with this token, which a new tab shows from now on; None if the person cannot open such one."""
        try:
            return self.workspaces.show(actor, self.find(actor, token))
        except AppError:
            return None

    def _continue_download(self, actor: Actor, workspace: Workspace, *, is_first: bool) -> None:
        """To the first page after a start: continues a download that ended with the app, its own document's if any."""
        if is_first:
            others = (summary.token for summary in self.store.sessions(actor))
            self.models.continue_download(workspace.model_use, (workspace.token, *others))

    def model_offer(self, actor: Actor, workspace: Workspace) -> Json | None:
        """The model to offer when this document is shown first, for its languages; None if there is none.

        A model that must be downloaded is not offered to people who may not do that.
        """
        with self._lock:
            direction, is_needed = self._model_needs.pop(workspace.token, ("", False))
        if not direction or (found := self.models.catalog.suggestion(direction, is_needed=is_needed)) is None:
            return None
        is_here = found["pivot"] and not found["num_bytes"]
        return found if is_here or self.store.people.access(actor).may_add_models else None

    def find(self, actor: Actor, token: str, *, shows: bool = True) -> Workspace:
        """The workspace with this token, opened again from the log if it is closed. Raises UnknownSession.

        Without `shows`, a workspace that is taken up again does not become the one that a new tab shows.
        """
        if (opened := self.workspaces.asked_for(token)) is not None:
            self.check_seen(actor, opened)
            return opened
        if (session_id := self.store.session_of(actor, token)) is not None:
            return self.opener.take_up(actor, session_id, shows=shows)
        raise _unknown_session()

    def check_seen(self, actor: Actor, workspace: Workspace) -> None:
        """Raises UnknownSession, as for an unknown token, unless the person sees the workspace's project."""
        if not self.store.people.access(actor).sees(workspace.project.id):
            raise _unknown_session()

    def open_document(
        self,
        actor: Actor,
        data: bytes,
        name: str,
        *,
        files: FileReader | None = None,
        choose: Callable[[FileOverview], Decision] | None = None,
    ) -> Workspace:
        """A new session on an uploaded document, in the direction of the app's start, otherwise the document's own.

        `files` reads it instead of the app's reader. `choose` decides the direction instead.
        """
        document, decision = self.opener.read(actor, data, name, choose or self.opener.decide, files=files)
        workspace = self.opener.start(actor, document, decision.direction)
        if needed := decision.needed_direction:
            self._model_needs[workspace.token] = (needed, True)
        return workspace

    def shows_sample(self, workspace: Workspace) -> bool:
        """True if the workspace has the sample document."""
        return workspace.core.document.name == example.DOCUMENT

    def open_sample(self, actor: Actor) -> Workspace:
        """A new session on the sample document, in the best model that is installed.

        The bundled model translates until that one is loaded.
        """
        data = _read(self.samples / example.DOCUMENT, DocumentError)

        def choose(file: FileOverview) -> Decision:  # its language is known: recognising it would take half a second
            return self.opener.decide(replace(file, text=""), example.LANGUAGES)

        workspace = self.open_document(actor, data, example.DOCUMENT, files=FileReader(), choose=choose)
        if self.model.folder == MODEL_FOLDER and (key := self.models.catalog.best_installed(workspace.direction)):
            self.models.switch(actor, workspace.model_use, key)
        return workspace

    def _open_first(self, actor: Actor) -> Workspace:
        """The sample document; at the very first start with its glossary and one pin, as an example of both."""
        with self._opening_first:
            if (workspace := self._current(actor)) is not None:  # another tab has opened it meanwhile
                return workspace
            is_first = not self.store.has_sessions(actor)
            workspace = self.open_sample(actor)
            if is_first and workspace.direction == example.DIRECTION:
                self.import_sample_glossary(actor, workspace)
                example.set_example_pin(actor, workspace)
            return workspace

    def restart(
        self,
        actor: Actor,
        workspace: Workspace,
        direction: str,
        key: str | None = None,
        reading: Reading | None = None,
        finish: Callable[[Workspace], object] = lambda begun: None,
    ) -> Workspace:
        """A new session on the same document, with the same model or that of `key`, in another of its directions.

        With `reading`, the file is read that way; else as before. `finish` is the rest of the command: if it raises,
        there is no new session.

        The document is read again, since where sentences end is the language's, and a table of both languages is
        turned; the earlier session stays in the log, and its glossaries and its style come along where they say
        something in this direction. Raises CommandError if the model has no such direction, or the file's sources
        are its targets.
        """
        old = workspace.document
        if key is None:
            event = chosen_model(self.store, workspace.session_id)
            name, model = workspace.model.name, None if event is None else event.payload
        else:
            name = self.models.catalog.entry(key).name
            model = {"key": key, "name": name, "model": ""}  # its checksum is known once it is there
        check_direction(name, self.models.directions(workspace.model_use, key), direction)

        def choose(file: FileOverview) -> Decision:
            check_facing(facing(file, direction), direction)
            return Decision(direction, "first")

        fits = has_same_languages(workspace.project.direction, direction)
        project = workspace.project if fits else self.projects.for_new(actor, direction)
        rules = ProjectRules(self.segmentation.of(project.id))
        document, _ = self.opener.read(
            actor, old.data, old.name, choose, reading=reading or old.format.reading, rules_for=lambda _: rules
        )
        begun = self.opener.start(actor, document, direction, model, project if fits else None)
        try:
            with self.opener.finishing(begun):
                for glossary in reversed(workspace.terms.glossaries):  # the last that comes goes first
                    if (
                        glossary.is_on
                        and not (glossary.is_shared and direction == workspace.direction)
                        and (terms := terms_in_direction(glossary.terms.values(), workspace.direction, direction))
                    ):
                        begun.glossaries.put(actor, glossary.name, terms)
                begun.choose_style(actor, workspace.style.chosen.known_to(begun.model, direction))
                self.store.move_place(workspace.session_id, begun.session_id)
                finish(begun)
        except BaseException:
            self.workspaces.show(actor, workspace)
            raise
        return begun

    def open_files(self, actor: Actor, document: Path | None, glossary: Path | None) -> list[str]:
        """Opens a file of this computer with its glossary, as given on the command line; reads them in this process.

        Returns the warnings about the glossary.
        """
        if document is None:
            workspace = self._open_first(actor)
        else:
            workspace = self.open_document(actor, _read(document, DocumentError), document.name, files=FileReader())
        if glossary is None:
            return []
        report = self.glossary_files.add(actor, workspace, _read(glossary, GlossaryError), glossary.name)
        return [*report["notes"], *report["errors"]]

    def resume(self, actor: Actor, session_id: int) -> Workspace:
        """Opens an earlier session in its last state. Its project becomes the current one for its languages."""
        workspace = self.opener.take_up(actor, session_id)
        workspace.core.carry_out(lambda: self.projects.follow(actor, workspace))
        return workspace

    def import_sample_glossary(self, actor: Actor, workspace: Workspace) -> Json:
        """The terms that come with the sample document."""
        data = _read(self.samples / example.GLOSSARY, GlossaryError)
        return self.glossary_files.add(actor, workspace, data, example.GLOSSARY)

    def documents(self, actor: Actor) -> Json:
        """All documents, most recently used first, and all projects, with the stamp of the list."""
        stamp = self.store.list_changes.stamp
        return {"documents": self.logged_documents.rows(actor), **self.projects.overview(actor), "stamp": stamp}

    def changed_documents(self, actor: Actor, stamp: int) -> Json:
        """The documents whose rows in the list are new since that stamp; None: any may be, or may be gone."""
        now = self.store.list_changes.stamp
        changed = self.store.list_changes.since(stamp)
        return {"documents": None if changed is None else self.logged_documents.rows_of(actor, changed), "stamp": now}

    def move_document(self, actor: Actor, session_id: int, project_id: int) -> None:
        """Puts a document into another project; see `Projects.move`."""
        self.projects.move(actor, session_id, project_id)
        self._forget_memory()

    def delete_project(self, actor: Actor, workspace: Workspace, project_id: int, into_id: int | None) -> None:
        """Deletes a project; see `Projects.delete`."""
        self.projects.delete(actor, workspace, project_id, into_id)
        self._forget_memory()

    def delete_session(self, actor: Actor, workspace: Workspace) -> Workspace:
        """Removes a session with its document and all its events, and shows the document used last before it.

        Raises CommandError unless the actor manages its project.

        An untouched sample is chosen last, and opened if there is no other document.

        What stays in the log is a tombstone with the number of its events and the last hash.
        """
        self.store.people.access(actor).check_manages(workspace.project.id)
        with self.workspaces.opening(workspace.session_id):
            self._delete(workspace)
        return self._last_used(actor) or self.open_sample(actor)

    def delete_document(self, actor: Actor, session_id: int, besides: Workspace) -> None:
        """Removes a session that is not shown; see `delete_session`."""
        if session_id == besides.session_id:
            raise CommandError("This document is open: open another one first.")
        self.delete_unshown(actor, session_id)

    def delete_unshown(self, actor: Actor, session_id: int) -> None:
        """Removes a session that no new tab shows, as `delete_session` does. Raises CommandError if one would."""
        self.store.people.access(actor).check_manages(self.store.project_of(actor, session_id))
        with self.workspaces.opening(session_id):
            if self.workspaces.is_shown(session_id):
                raise CommandError("This document is open: open another one first.")
            opened = self.workspaces.of_session(session_id)
            if opened is None:
                self.store.delete_session(session_id)
                self._forget_memory()
            else:
                self._delete(opened)

    def _delete(self, workspace: Workspace) -> None:
        with workspace.lock:  # no event may come between
            self.store.delete_session(workspace.session_id)
            self.workspaces.forget(workspace)
        self._forget_memory()

    def _forget_memory(self) -> None:
        """Reads the memory again at its next use, and removes learned segments that no longer exist."""
        self.library.forget()
        for workspace in self.workspaces.all():
            with workspace.lock:
                workspace.core.carry_out(workspace.learning.refresh)

    def health(self) -> Json:
        """The server's health: "ok", "starting" while the model loads, "stuck" while a model hangs."""
        is_starting = self.model.state == "loading"
        return {"status": "stuck" if self.watchdog.is_any_stuck else "starting" if is_starting else "ok"}

    def _report_model(self, model: ModelHandle, problem: str, is_new: bool) -> None:
        """Shows a problem of a model in the documents that it translates, or takes it back."""
        for workspace in self.workspaces.all():
            if workspace.model is model:
                other = workspace.core.problem if workspace.core.problem != problem else ""
                workspace.report(problem if is_new else other)

    def close(self) -> None:
        """Ends every workspace; all that they hold is in the log already."""
        self.watchdog.close()
        self.workspaces.close()
        self.models.close()


def _unknown_session() -> UnknownSession:
    return UnknownSession("This session is not in the log any more; a new one begins.")


def _read(path: Path, error: type[AppError]) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise error(
            Message("{path} cannot be read ({reason}): check the path", path=path, reason=problem.strerror)
        ) from problem
