"""Documents sent by programs: each is a session of the log, like a document of the page, and belongs to a person.

A document is pre-translated at once, and people can post-edit it on the page. Which document belongs to whom is in the
file of the keys.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from app.access.actor import Actor
from app.errors import ApiError, Checked, CommandError
from app.formats import Reading
from app.formats.documents import Document, Export
from app.formats.read_file import FileOverview
from app.glossary import Term
from app.i18n import Message
from app.log.project_tables import Project
from app.models.document_direction import Decision, check_facing, decide, facing
from app.models.style import Style
from app.projects import check_fit
from app.reading import ProjectRules
from app.serving.admission import Caller
from app.serving.api_limits import MAX_DOCUMENTS, MAX_UPLOADS, MAX_UPLOADS_EACH
from app.serving.keys import ApiFile, hash_of, utc_now
from app.serving.translations import fitting_directions, other_text, unsupported
from app.sessions import Sessions
from app.tm.entries import MemoryScope
from app.workspace.commands import Workspace
from app.workspace.workspace_exports import DOCUMENT, DOCUMENT_WITH_PROPOSALS

DocumentState = Literal["translating", "translated", "stopped", "failed"]
# A token names the session; the number of a deleted session could be given to another one.
_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS document (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, token TEXT NOT NULL, secret_hash TEXT NOT NULL, name TEXT NOT NULL,
        direction TEXT NOT NULL, num_characters INTEGER NOT NULL, created TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS own_project (
        owner TEXT NOT NULL, direction TEXT NOT NULL, project INTEGER NOT NULL, PRIMARY KEY (owner, direction))""",
)


@dataclass(frozen=True, slots=True)
class Upload(Checked):
    """A document as a program sends it."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class DocumentOrder(Checked):
    """Languages, project, style and terms of a document. Without a source, the file or its text decides.

    `project` is the number of a project; None is the project of the person for these languages. `secret` is a second
    secret for the document, besides the key, in dialects that have one. `reading` is how the file is read; None leaves
    it to the file and the project.
    """

    source: str | None
    target: str
    project: int | None = None
    style: Style = Style()  # noqa: RUF009 (frozen)
    is_style_required: bool = True
    secret: str = ""
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class ApiDocument:
    """A document of a person. `num_characters` were charged for it; `created` is ISO 8601 in UTC."""

    id: str
    token: str
    secret_hash: str
    name: str
    direction: str
    num_characters: int
    created: str


@dataclass(frozen=True, slots=True)
class DocumentProgress:
    """The numbers of translated, confirmed and failed segments of a document."""

    state: DocumentState
    project: int
    num_segments: int
    num_translated: int
    num_failed: int
    num_confirmed: int
    num_locked: int
    seconds_left: int | None


class ApiDocuments:
    """The documents of all people. Thread-safe. A person cannot see that another person's document exists."""

    def __init__(self, file: ApiFile, sessions: Sessions) -> None:
        self._connection = file.connection
        self._sessions = sessions
        self._receiving: Counter[str] = Counter()  # by person
        self._lock = threading.Lock()
        with self._connection.transaction(Message("write the document")):
            for table in _TABLES:
                self._connection.db.execute(table)

    @contextmanager
    def receiving(self, owner: str) -> Iterator[None]:
        """The time in which a document is received and read. Raises ApiError if too many documents are."""
        with self._lock:
            if self._receiving[owner] >= MAX_UPLOADS_EACH or self._receiving.total() >= MAX_UPLOADS:
                most = f"{MAX_UPLOADS_EACH} documents of a person, and {MAX_UPLOADS} in all"
                raise ApiError("too_fast", f"The server receives {most}, at a time: wait.", retry_after=5)
            self._receiving[owner] += 1
        try:
            yield
        finally:
            with self._lock:
                self._receiving[owner] -= 1

    def create(
        self,
        caller: Caller,
        upload: Upload,
        order: DocumentOrder,
        charge: Callable[[Caller, int], None],
        terms: Mapping[str, Sequence[Term]] | None = None,
    ) -> ApiDocument:
        """Reads a document and begins to translate it. Raises ApiError and DocumentError.

        `charge` counts the characters to translate; `terms` are required terms by the name of their glossary.
        """
        if len(self.all_of(caller.actor, caller.name)) >= MAX_DOCUMENTS:
            raise ApiError("used_up", f"There can be {MAX_DOCUMENTS} documents: delete one.")
        document, decision = self._read(caller, upload, order)
        direction = decision.direction
        style = order.style if order.is_style_required else order.style.known_to(self._sessions.model, direction)
        try:
            style.check(self._sessions.model, direction)
        except CommandError as error:
            raise ApiError("unsupported", str(error)) from error
        project = self.project_for(caller, direction, order.project)
        num_characters = sum(len(s.source) for s in document.segments if s.target is None and not s.is_locked)
        charge(caller, num_characters)
        workspace = self._sessions.opener.start_unshown(caller.actor, document, direction, project, style)
        number, secret = secrets.token_hex(16).upper(), hash_of(order.secret)
        made = ApiDocument(number, workspace.token, secret, document.name, direction, num_characters, utc_now())
        with self._sessions.opener.finishing(workspace):
            for name, entries in (terms or {}).items():
                workspace.glossaries.put(caller.actor, name, entries)
            with self._connection.transaction(Message("write the document")):
                self._connection.insert("document", owner=caller.name, **asdict(made))
        return made

    def all_of(self, actor: Actor, owner: str) -> list[ApiDocument]:
        """The documents of a person, oldest first, without those that were deleted on the page."""
        query = "SELECT * FROM document WHERE owner = ? ORDER BY created, id"
        found = list(map(_document, self._rows(query, owner)))
        known = {summary.token for summary in self._sessions.store.sessions(actor)}
        for document in found:
            if document.token not in known and not self._sessions.store.has_session(document.token):
                self._forget(document)  # else its name would outlive it
        return [document for document in found if document.token in known]

    def find(self, owner: str, number: str, secret: str | None = None) -> ApiDocument:
        """A document of a person. Raises ApiError if the person has none with this id, or for a wrong `secret`."""
        rows = self._rows("SELECT * FROM document WHERE owner = ? AND id = ?", owner, number)
        found = _document(rows[0]) if rows else None
        if found is None or (secret is not None and not hmac.compare_digest(found.secret_hash, hash_of(secret))):
            raise _missing()
        return found

    def progress(self, actor: Actor, document: ApiDocument) -> DocumentProgress:
        """The progress of the translation. Raises ApiError if the document was deleted on the page."""
        workspace = self._workspace(actor, document)
        workspace.go_on()
        with workspace.lock:
            ahead = workspace.decoding.progress()
            segments = workspace.core.in_order()
        # A segment that is translated again, such as with other terms, has its old text until then.
        num_left = sum(
            segment.is_pending or (segment.target is None and segment.needs_translation) for segment in segments
        )
        state: DocumentState = "translated"
        if num_left and workspace.model.state == "failed":
            state = "failed"
        elif num_left:
            state = "translating" if ahead["is_running"] else "stopped"
        return DocumentProgress(
            state,
            workspace.project.id,
            len(segments),
            len(segments) - num_left,
            sum(segment.is_translated and segment.text is None for segment in segments),
            sum(segment.state == "confirmed" and not segment.lock for segment in segments),
            sum(segment.lock is not None for segment in segments),
            ahead["seconds_left"] if state == "translating" else None,
        )

    def file(self, actor: Actor, document: ApiDocument, *, with_proposals: bool) -> Export:
        """The translated document, with proposals for segments that nobody has edited or confirmed. Raises ApiError."""
        kind = DOCUMENT_WITH_PROPOSALS if with_proposals else DOCUMENT
        return self._sessions.exports.make(actor, self._workspace(actor, document), kind)

    def delete(self, actor: Actor, document: ApiDocument) -> None:
        """Deletes a document with its session. Raises ApiError while the page shows it."""
        try:
            self._sessions.delete_unshown(actor, self._workspace(actor, document).session_id)
        except CommandError as error:
            raise ApiError("in_use", "The page shows this document: open another one there first.") from error
        self._forget(document)

    def _read(self, caller: Caller, upload: Upload, order: DocumentOrder) -> tuple[Document, Decision]:
        model = self._sessions.model
        if model.state != "ready":
            raise ApiError("not_ready", "The model is still being loaded, or could not be loaded.", retry_after=5)
        possible = fitting_directions(model, order.source, order.target)
        if not possible:
            raise unsupported(order.source, order.target, model.directions)

        def choose(file: FileOverview) -> Decision:
            decision = decide(file, possible, (order.source or file.languages[0], order.target))
            if decision.is_other_text and not order.source:
                raise other_text(*decision.languages, model.directions)
            check_facing(facing(file, decision.direction), decision.direction)
            return decision

        def rules_for(direction: str) -> ProjectRules:
            number = order.project
            if number is None and (project := self._own_project(caller, direction)) is not None:
                number = project.id
            return ProjectRules() if number is None else self._sessions.segmentation.of_project(number)

        opener = self._sessions.opener
        return opener.read(caller.actor, upload.data, upload.name, choose, reading=order.reading, rules_for=rules_for)

    def _own_project(self, caller: Caller, direction: str) -> Project | None:
        """The project of a program's own documents; None before its first one, and if it was deleted on the page."""
        query = "SELECT project FROM own_project WHERE owner = ? AND direction = ?"
        for row in self._rows(query, caller.name, direction):
            with suppress(CommandError):
                return self._sessions.projects.get(caller.actor, row["project"])
        return None

    def memory_scope(self, caller: Caller, min_rate: int) -> MemoryScope:
        """The entries of the memory that a key may read: with the right to export, those that its person sees.

        Others may read what their own documents use.
        """
        access = self._sessions.store.people.access(caller.actor)
        if caller.key.may_export:
            return MemoryScope(min_rate=min_rate, projects=access.projects)
        rows = self._rows("SELECT project FROM own_project WHERE owner = ?", caller.name)
        return MemoryScope(
            min_rate=min_rate, projects=frozenset(row["project"] for row in rows if access.sees(row["project"]))
        )

    def project_for(self, caller: Caller, direction: str, number: int | None) -> Project:
        """The project of this number, or without one the person's own for programs, made at its first use.

        Raises ApiError and CommandError.
        """
        projects = self._sessions.projects
        if number is not None:
            if not caller.key.may_export:  # exact matches of a project's memory are texts of others
                message = "This key may not use projects of the page: `pinpoint keys create NAME --may-export`."
                raise ApiError("forbidden", message)
            project = projects.get(caller.actor, number)
            check_fit(project, direction)
            return project
        if (own := self._own_project(caller, direction)) is not None:
            return own
        project = projects.add_unchosen(caller.actor, f"{caller.name} (API)", direction)
        with self._connection.transaction(Message("write the document"), leaves="preparation"):
            statement = "INSERT OR REPLACE INTO own_project VALUES (?, ?, ?)"
            self._connection.db.execute(statement, (caller.name, direction, project.id))
        return project

    def _workspace(self, actor: Actor, document: ApiDocument) -> Workspace:
        try:
            return self._sessions.find(actor, document.token, shows=False)
        except CommandError:  # deleted on the page, or the person is no longer a member of its project
            if not self._sessions.store.has_session(document.token):
                self._forget(document)
            raise _missing() from None

    def _forget(self, document: ApiDocument) -> None:
        with self._connection.transaction(Message("delete the document")):
            self._connection.db.execute("DELETE FROM document WHERE id = ?", (document.id,))

    def _rows(self, query: str, *parameters: str) -> list[dict[str, Any]]:
        return self._connection.rows(Message("read the documents"), query, parameters)


def _missing() -> ApiError:
    return ApiError("not_found", "There is no document with this id.")


def _document(row: Mapping[str, Any]) -> ApiDocument:
    return ApiDocument(**{name: value for name, value in row.items() if name != "owner"})
