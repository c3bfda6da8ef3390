"""Sessions: opens documents, continues earlier sessions, and finds them by their tokens.

One person works here, in one or more browser tabs; a new tab shows what was opened last.
"""

from __future__ import annotations

import platform
import secrets
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

from app import VERSION
from app.errors import AppError, CommandError, DocumentError, GlossaryError, LogError
from app.formats import Reading
from app.formats.documents import Document, FileOverview
from app.glossary.model import terms_in_direction
from app.glossary.reading.column_uses import Layout, layout_from
from app.glossary.reading.row_checks import located
from app.i18n import Message
from app.log.project_tables import Project
from app.log.records import NewEvent, SessionRecord, SessionSummary
from app.log.store import LogStore
from app.models.document_direction import (
    check_direction,
    check_facing,
    decide,
    facing,
    has_same_languages,
    stated_direction,
)
from app.models.document_models import DocumentModels, chosen_model
from app.models.loading import SEARCH, ModelHandle
from app.models.published_models import PublishedModels
from app.models.style import Style, chosen_style
from app.models.watchdog import Watchdog
from app.paths import MODEL_FOLDER
from app.projects import Projects, style_of
from app.reading import FileReader
from app.segments.state import Json, restore_segment
from app.tm.library import MemoryLibrary
from app.workspace import example
from app.workspace.commands import Workspace
from app.workspace.glossary_imports import COLUMNS_SETTING, reported
from app.workspace.workspace_exports import WorkspaceExports
from engine import SearchOptions

SAMPLE_DOCUMENT = "getting-started.txt"
SAMPLE_LANGUAGES = ("en", "")
SAMPLE_GLOSSARY = example.GLOSSARY
MAX_REPORTED_ERRORS = 200
MAX_OFFERS = 8
MAX_EVENTS_CHECKED_FIRST = 5_000  # takes 40 ms; 200,000 events take 1.5 seconds
IDLE_SECONDS = 30 * 60.0
MAX_OPEN = 30  # beyond these, a document is closed AWAY_SECONDS after its last request; an open page asks every 20
AWAY_SECONDS = 120.0
_LOOK_SECONDS = 60.0


class UnknownSession(CommandError):
    """A token that no session has; the page starts afresh."""

    kind = "unknown_session"


class Sessions:
    """Everything that is open. Safe from several threads."""

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
    ) -> None:
        """`files` reads what is uploaded: by default, in this process."""
        self.store = store
        self.files = files or FileReader()
        self.model = model
        self.models = DocumentModels(model, published=published)
        self.samples = samples
        self.library = MemoryLibrary(store, fills=fills_from_memory, read=self.files.memory)
        self.exports = WorkspaceExports(store, self.library)
        self.watchdog = Watchdog(self.models.handles, self._report_model)
        self.options = options or SEARCH
        self.projects = Projects(store, self._open_workspaces)
        store.discard_unfinished_term_bases()
        self._workspaces: dict[str, Workspace] = {}
        self._last_used: dict[str, float] = {}  # time of each one's last request, on the monotonic clock
        self._current: Workspace | None = None
        self._is_closed = threading.Event()
        self._has_welcomed = False
        # By token: the direction that a document needs a model for, and whether no installed model has it.
        self._model_needs: dict[str, tuple[str, bool]] = {}
        self._lock = threading.RLock()

    def start(self) -> None:
        """Watches the models, and closes what nobody asks for, in threads of their own until `close`."""
        self.watchdog.start()
        threading.Thread(target=self._look_after, name="idle documents", daemon=True).start()

    def _look_after(self) -> None:
        while not self._is_closed.wait(_LOOK_SECONDS):
            self.close_idle()

    def welcome(self, token: str | None) -> tuple[Workspace, Json]:
        """The session of that token; without a token the open session, else the sample document.

        To the first page after each start, unless it knows its session, an offer to go on with an earlier one comes
        with it; a second tab is not asked while the first one is at work.
        """
        with self._lock:
            is_first, self._has_welcomed = not self._has_welcomed, True
            if token is not None:
                try:
                    workspace = self.find(token)
                except UnknownSession:
                    pass
                else:
                    self._continue_download(workspace, is_first=is_first)
                    return workspace, {}
            workspace = self._current or self._open_first()
            self._continue_download(workspace, is_first=is_first)
            offers = self.offers(besides=workspace) if is_first else []
            offers.sort(key=lambda offer: bool(offer["name"] != workspace.document.name))  # the same document first
            if is_first and not offers and self.model.folder == MODEL_FOLDER:
                self._model_needs[workspace.token] = (workspace.direction, False)
            return workspace, {"offer": offers[0]} if offers else {}

    def _continue_download(self, workspace: Workspace, *, is_first: bool) -> None:
        """To the first page after a start: continues a download that ended with the app, its own document's if any."""
        if is_first:
            others = (summary.token for summary in self.store.sessions())
            self.models.continue_download(workspace, (workspace.token, *others))

    def model_offer(self, workspace: Workspace) -> Json | None:
        """The model to offer where this document is shown first: one for its languages. None without one."""
        with self._lock:
            direction, is_needed = self._model_needs.pop(workspace.token, ("", False))
        return self.models.catalog.suggestion(direction, is_needed=is_needed) if direction else None

    def find(self, token: str) -> Workspace:
        """The workspace of that token, taken up again from the log where it is not open. Raises UnknownSession."""
        with self._lock:
            if token in self._workspaces:
                self._last_used[token] = time.monotonic()
                return self._workspaces[token]
            for summary in self.store.sessions():
                if secrets.compare_digest(summary.token, token):
                    return self._take_up(summary.id)
        raise UnknownSession("This session is not in the log any more; a new one begins.")

    def offers(self, besides: Workspace | None = None) -> list[Json]:
        """Earlier sessions in which something was done, the last one first; at most MAX_OFFERS."""
        offers: list[Json] = []
        for summary in self.store.sessions():
            if besides is not None and summary.id == besides.session_id:
                continue
            if self._is_untouched(summary):
                continue
            offers.append(_offer(summary))
            if len(offers) == MAX_OFFERS:
                break
        return offers

    def open_document(self, data: bytes, name: str) -> Workspace:
        """A new session on an uploaded document: in the direction of the start, else as the document says itself."""
        return self._open(self.files, data, name)

    def _open(self, files: FileReader, data: bytes, name: str, languages: tuple[str, str] | None = None) -> Workspace:
        """`languages` are those of the document; None leaves it to the file."""
        direction, note, stated = self.model.direction, "", ""

        def choose(file: FileOverview) -> str:
            nonlocal direction, note, stated
            if self.model.fixed_direction is None and self.model.directions:
                known = languages or file.languages
                decision = decide(file, self.model.directions, known)
                direction, note, stated = decision.direction, decision.note, stated_direction(known)
            return direction

        document = files.document(data, name, choose)
        if note:
            document = replace(document, notes=(*document.notes, note))
        workspace = self._start(document, direction)
        if note and stated:
            self._model_needs[workspace.token] = (stated, True)
        return workspace

    def open_sample(self) -> Workspace:
        """A new session on the sample document."""
        data = _read(self.samples / SAMPLE_DOCUMENT, DocumentError)
        return self._open(FileReader(), data, SAMPLE_DOCUMENT, SAMPLE_LANGUAGES)

    def _open_first(self) -> Workspace:
        """The sample document; at the very first start with its glossary and one pin, as an example of both."""
        with self._lock:
            is_first = not self.store.sessions()
            workspace = self.open_sample()
            if is_first and workspace.direction == example.DIRECTION:
                self.import_sample_glossary(workspace)
                example.set_example_pin(workspace)
            return workspace

    def _is_untouched(self, summary: SessionSummary) -> bool:
        """Whether nobody has done anything in the session."""
        is_sample = summary.document_name == SAMPLE_DOCUMENT
        return summary.is_untouched or (is_sample and example.has_only_example(self.store.load_session(summary.id)))

    def restart(
        self, workspace: Workspace, direction: str, key: str | None = None, reading: Reading | None = None
    ) -> Workspace:
        """A new session on the same document, with the same model or that of `key`, in another of its directions.

        With `reading`, the file is read that way; else as before.

        The document is read again, since where sentences end is the language's, and a table of both languages is
        turned; the earlier session stays in the log, and its glossaries and its style come along where they say
        something in this direction. Raises CommandError where the model has no such direction, or the file's sources
        are its targets.
        """
        old = workspace.document
        if key is None:
            event = chosen_model(self.store, workspace.session_id)
            name, model = workspace.model.name, None if event is None else event.payload
        else:
            name = self.models.catalog.entry(key).name
            model = {"key": key, "name": name, "model": ""}  # its checksum is known once it is there
        check_direction(name, self.models.directions(workspace, key), direction)

        def choose(file: FileOverview) -> str:
            check_facing(facing(file, direction), direction)
            return direction

        document = self.files.document(old.data, old.name, choose, reading or old.reading)
        with self._lock:
            fits = has_same_languages(workspace.project.direction, direction)
            begun = self._start(document, direction, model, workspace.project if fits else None)
            try:
                for glossary in reversed(workspace.terms.glossaries):  # the last that comes goes first
                    if (
                        glossary.is_on
                        and not (glossary.is_shared and direction == workspace.direction)
                        and (terms := terms_in_direction(glossary.terms.values(), workspace.direction, direction))
                    ):
                        begun.glossaries.put(glossary.name, terms)
                begun.choose_style(workspace.style.chosen.known_to(begun.model, direction))
            except BaseException:
                self._forget(begun)
                self._show(workspace)
                with suppress(LogError):
                    self.store.discard_session(begun.session_id)
                raise
            return begun

    def open_files(self, document: Path | None, glossary: Path | None) -> list[str]:
        """Opens a file of this computer with its glossary, as given on the command line; reads them in this process.

        Returns the warnings about the glossary.
        """
        if document is None:
            workspace = self._open_first()
        else:
            workspace = self._open(FileReader(), _read(document, DocumentError), document.name)
        if glossary is None:
            return []
        report = self.import_glossary(workspace, _read(glossary, GlossaryError), glossary.name)
        return [*report["notes"], *report["errors"]]

    def resume(self, session_id: int) -> Workspace:
        """An earlier session as it was left. New documents of its languages go into its project from now on."""
        with self._lock:
            workspace = self._take_up(session_id)
            self.projects.follow(workspace)
            return workspace

    def _take_up(self, session_id: int) -> Workspace:
        opened = next((one for one in self._workspaces.values() if one.session_id == session_id), None)
        return self._resume(self.store.load_session(session_id)) if opened is None else self._show(opened)

    def import_glossary(self, workspace: Workspace, data: bytes, name: str) -> Json:
        """Adds the valid terms of a glossary, read in this process; returns the report on its rows."""
        imported = FileReader().glossary(data, name, workspace.direction)
        report: Json = {**reported(imported), "name": imported.name, "num_terms": len(imported.terms)}
        workspace.glossaries.put(imported.name, imported.terms, report)
        errors = [located(report["name"], e.row, e.message) for e in imported.errors[:MAX_REPORTED_ERRORS]]
        return {**report, "errors": errors}

    def stage_glossary(self, workspace: Workspace, data: bytes, name: str, columns: str = "") -> Json:
        """Reads a glossary and says what using it would do to the document; changes nothing.

        `columns` is the use of a table's columns ("header:source,target"), or "ask" for the question which it is; the
        question is the answer, too, if nothing is given and the file leaves it open.
        """
        direction, store, project = workspace.direction, self.store, workspace.project.id
        table = self.files.glossary_table(data, name, direction)
        key, kept = None if table is None else table.key, None
        if key:
            kept = store.project_setting(project, COLUMNS_SETTING + key)
        layout = layout_from(columns) if columns not in ("", "ask") else layout_from(kept) if kept else None
        if table is not None and (columns == "ask" or (layout is None and not table.is_clear)):
            found = layout or Layout(table.uses, table.num_header_rows)
            return {"table": {"rows": table.rows, "uses": found.uses, "has_header": found.num_header_rows > 0}}
        imported = self.files.glossary(data, name, direction, None if table is None else layout)
        if kept and not columns:
            note = Message("The columns are used as you chose for a table with the same names.")
            imported = replace(imported, notes=(note, *imported.notes))
        return workspace.glossary_imports.stage(imported, key, columns if layout else "")

    def import_sample_glossary(self, workspace: Workspace) -> Json:
        """The terms that come with the sample document."""
        return self.import_glossary(workspace, _read(self.samples / SAMPLE_GLOSSARY, GlossaryError), SAMPLE_GLOSSARY)

    def documents(self) -> Json:
        """All documents, most recently used first, and all projects."""
        rows = [
            {**_offer(summary), "direction": summary.direction, "project": summary.project_id}
            for summary in self.store.sessions()
        ]
        return {"documents": rows, **self.projects.overview()}

    def move_document(self, session_id: int, project_id: int) -> None:
        """Puts a document into another project; see `Projects.move`."""
        self.projects.move(session_id, project_id)
        self._forget_memory()

    def delete_project(self, workspace: Workspace, project_id: int, into_id: int | None) -> Json:
        """Deletes a project; see `Projects.delete`."""
        overview = self.projects.delete(workspace, project_id, into_id)
        self._forget_memory()
        return overview

    def delete_session(self, workspace: Workspace) -> Workspace:
        """Removes a session with its document and all its events, and shows the document used last before it.

        The sample comes last if nothing was done in it, and is opened if there is no other.

        What stays in the log is a tombstone with the number of its events and the last hash.
        """
        with self._lock:
            self._delete(workspace)
            others = self.store.sessions()
            others.sort(key=lambda other: other.document_name == SAMPLE_DOCUMENT and self._is_untouched(other))
            for summary in others:
                with suppress(AppError):  # one that cannot be opened is left as it is
                    return self._take_up(summary.id)
            return self.open_sample()

    def delete_document(self, session_id: int, besides: Workspace) -> None:
        """Removes another session than the one shown, as `delete_session` does."""
        if session_id == besides.session_id:
            raise CommandError(Message("This document is open: open another one first."))
        with self._lock:
            opened = next((one for one in self._workspaces.values() if one.session_id == session_id), None)
            if opened is None:
                self.store.delete_session(session_id)
                self._forget_memory()
            else:
                self._delete(opened)

    def _delete(self, workspace: Workspace) -> None:
        with workspace.lock:  # no event may come between
            self.store.delete_session(workspace.session_id)
            self._forget(workspace)
        self._forget_memory()

    def _forget_memory(self) -> None:
        """Reads the memory again at its next use, and forgets what was learned from segments that are gone."""
        self.library.forget()
        for workspace in self._open_workspaces():
            with workspace.lock:
                workspace.learning.refresh()

    def health(self) -> Json:
        """Whether the server works, for monitoring: "ok", "starting" while the model loads, "stuck" while one hangs."""
        is_starting = self.model.state == "loading"
        return {"status": "stuck" if self.watchdog.is_any_stuck else "starting" if is_starting else "ok"}

    def _report_model(self, model: ModelHandle, problem: str, is_new: bool) -> None:
        """Shows a problem of a model in the documents that it translates, or takes it back."""
        for workspace in self._open_workspaces():
            if workspace.model is model and (is_new or workspace.core.problem == problem):
                workspace.report(problem if is_new else "")

    def close_idle(self, idle_seconds: float = IDLE_SECONDS) -> int:
        """Closes workspaces without a request in that time, except the current one; returns how many.

        Where more than MAX_OPEN are open, so are those that were used longest ago, after AWAY_SECONDS. Their threads
        end and their memory is freed. Whoever comes back to one finds it as the log has it.
        """
        with self._lock:
            now = time.monotonic()
            by_age = sorted(self._last_used, key=self._last_used.__getitem__)  # the one used longest ago first
            beyond = by_age[: max(0, len(by_age) - MAX_OPEN)]
            idle = [
                self._workspaces[token]
                for token in by_age
                if now - self._last_used[token]
                >= (min(AWAY_SECONDS, idle_seconds) if token in beyond else idle_seconds)
            ]
            idle = [workspace for workspace in idle if workspace is not self._current]
            for workspace in idle:
                self._forget(workspace)
                with suppress(LogError):
                    self.store.append(workspace.session_id, "close", {})
            return len(idle)

    def close(self) -> None:
        """Ends every workspace; all that they hold is in the log already."""
        self._is_closed.set()
        self.watchdog.close()
        with self._lock:
            for workspace in self._workspaces.values():
                workspace.close()
                with suppress(LogError):  # a full disk must not keep the others open
                    self.store.append(workspace.session_id, "close", {})
            self._workspaces.clear()
            self._last_used.clear()
        self.models.close()

    def _open_workspaces(self) -> list[Workspace]:
        with self._lock:
            return list(self._workspaces.values())

    def _start(
        self, document: Document, direction: str, model: Json | None = None, project: Project | None = None
    ) -> Workspace:
        """`model` is the log's description of the model, if a person chose it; by default, in the current project."""
        with self._lock:
            project = project or self.projects.for_new(direction)
            style = style_of(project).known_to(self.model, direction)
            record = self._untouched_twin(document, direction, project.id, style) if model is None else None
            if record is None:
                options = asdict(self.options)
                events = [] if model is None else [NewEvent("model", model)]
                if style != Style():
                    events.append(NewEvent("style", {**asdict(style), "is_default": True}))
                record = self.store.start_session(
                    document,
                    direction,
                    versions=versions(),
                    options=options,
                    events=events,
                    project_id=project.id or None,
                )
                return self._put(record, document)
            return self._resume(record, document)

    def _resume(self, record: SessionRecord, document: Document | None = None) -> Workspace:
        document = document or record.document
        is_short = record.num_events <= MAX_EVENTS_CHECKED_FIRST
        if is_short and (note := self._damage(record.id)):
            document = replace(document, notes=(*document.notes, note))
        self.store.resume_session(record.id, versions())
        workspace = self._put(record, document)
        if not is_short:
            threading.Thread(target=self._check_later, args=(workspace,), name="verify", daemon=True).start()
        return workspace

    def _damage(self, session_id: int) -> Message | None:
        """What a person has to know where the log of a session is not as it was written."""
        chain = self.store.verify_chain(session_id)
        if chain.is_intact:
            return None
        return Message(
            "The log of this document was changed or damaged outside of Pinpoint ({problem}): compare the texts "
            "with the last export or backup.",
            problem=chain.problem,
        )

    def _check_later(self, workspace: Workspace) -> None:
        """Checks a long log while the person works already."""
        with suppress(LogError, sqlite3.Error):  # closed or deleted meanwhile
            if note := self._damage(workspace.session_id):
                workspace.report(note)

    def _put(self, record: SessionRecord, document: Document) -> Workspace:
        model, problem = self.models.remembered(self.store, record)
        workspace = Workspace(
            self.store,
            record.id,
            record.token,
            document,
            [restore_segment(saved) for saved in record.segments],
            model,
            direction=record.direction,
            options=self.options,
            glossaries=record.glossaries,
            document_terms=record.document_terms,
            library=self.library,
            project=self.projects.get(record.project_id),
        )
        workspace.glossaries.on_shared_change = lambda shared: self.projects.share(
            workspace.project.id, shared, besides=workspace
        )
        self.close_idle()
        self._workspaces[record.token] = workspace
        self._last_used[record.token] = time.monotonic()
        self.models.watch(workspace)
        if problem:
            workspace.report(problem)
        return self._show(workspace)

    def _forget(self, workspace: Workspace) -> None:
        """Closes a workspace and lets its model go, if no other document uses it."""
        workspace.close()
        self.models.forget(workspace)
        self._workspaces.pop(workspace.token, None)
        self._last_used.pop(workspace.token, None)
        if self._current is workspace:
            self._current = None

    def _show(self, workspace: Workspace) -> Workspace:
        """Makes it the one that a new tab shows."""
        if self._current is not None and self._current is not workspace:
            self._current.suspend()
        self._current = workspace
        return workspace

    def _untouched_twin(
        self, document: Document, direction: str, project_id: int, style: Style
    ) -> SessionRecord | None:
        """A session on the same bytes in which nothing was done: it is used again rather than left behind."""
        for summary in self.store.sessions():
            is_alike = summary.document_name == document.name and summary.project_id == project_id
            if is_alike and not self._is_open(summary.id) and self._is_untouched(summary):
                record = self.store.load_session(summary.id)
                has_style = chosen_style(self.store, summary.id) == style
                same = record.document
                if has_style and (record.direction, same.data, same.segments, same.format) == (
                    direction,
                    document.data,
                    document.segments,
                    document.format,
                ):
                    return record
        return None

    def _is_open(self, session_id: int) -> bool:
        return any(workspace.session_id == session_id for workspace in self._workspaces.values())


def versions() -> dict[str, str]:
    """What a session was made with, for the log."""
    libraries = {name: metadata.version(name) for name in ("gradio", "torch")}
    return {"pinpoint": VERSION, **libraries, "python": platform.python_version()}


def _offer(summary: SessionSummary) -> Json:
    return {
        "session": summary.id,
        "name": summary.document_name,
        "num_confirmed": summary.num_confirmed,
        "num_segments": summary.num_segments,
        "last_ms": summary.last_ms,
    }


def _read(path: Path, error: type[AppError]) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise error(
            Message("{path} cannot be read ({reason}): check the path", path=path, reason=problem.strerror)
        ) from problem
