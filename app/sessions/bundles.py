"""Documents that are opened together, from an archive or a selection of files, and exported together as an archive.

The files are opened one by one, so that a person can stop in between. None of them is shown: each becomes a session in
the log, which is opened later like any other. The log keeps the bytes of the archive, so that an export has its other
files unchanged.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from app.access.actor import Actor
from app.errors import AppError, CommandError, DocumentError, LogError
from app.formats.archive import (
    Archive,
    ArchiveMember,
    PackedFiles,
    limit_problem,
    name_problem,
    safe_path,
)
from app.formats.documents import Export
from app.formats.packages import package_of
from app.log.bundle_tables import Bundle, BundlePlace, bundle_kind, bundle_of, documents_of_bundle, load_bundle
from app.log.records import SessionSummary
from app.log.store import LogStore
from app.people_store import PeopleStore
from app.projects import Projects, name_of
from app.reading import FileReader
from app.reports.packed_documents import DocumentState, packed_documents
from app.segments.state import Json
from app.sessions.open_workspaces import OpenWorkspaces
from app.sessions.workspace_opener import WorkspaceOpener
from app.text.encoding import safe_name

MAX_STAGED: Final = 4  # archives and selections that a person opens at the same time
MAX_STAGED_BYTES: Final = 400 * 2**20  # of all people
IDLE_SECONDS: Final = 15 * 60.0  # then they are forgotten
MAX_PACKED: Final = 2  # archives of a person that wait for their download
MAX_PACKED_BYTES: Final = 400 * 2**20  # of all people


@dataclass(slots=True)
class _Staged:
    """An archive or a selection that is being opened. The files of an archive are unpacked one by one."""

    bundle: Bundle
    members: Mapping[int, ArchiveMember] = field(default_factory=dict)
    packed: PackedFiles | None = None
    num_files: int = 0
    num_bytes: int = 0


class Bundles:
    """Opens several files, and packs translated documents. Safe from several threads."""

    def __init__(
        self,
        store: LogStore,
        files: FileReader,
        projects: Projects,
        opener: WorkspaceOpener,
        workspaces: OpenWorkspaces,
    ) -> None:
        self._store = store
        self._files = files
        self._projects = projects
        self._opener = opener
        self._workspaces = workspaces
        self._staged = PeopleStore[_Staged](MAX_STAGED, MAX_STAGED_BYTES)
        self._packed = PeopleStore[Export](MAX_PACKED, MAX_PACKED_BYTES)
        self._numbers = itertools.count(1)

    # ---- opening ----

    def begin_archive(self, actor: Actor, data: bytes, name: str) -> Json:
        """Reads an archive; returns its number here and its files, of which those without a problem can be opened."""
        members = self._files.archive(data, name)
        bundle = Bundle(0, safe_name(name, "archive.zip"), data)
        # The documents of packages have the same names in all of them, such as document.mqxliff.
        folder = f"{bundle.name}/" if package_of(name) else ""
        found = [replace(member, path=folder + member.path) for member in members]
        by_entry = {member.index: member for member in found}
        number = self._stage(actor, _Staged(bundle, by_entry, PackedFiles(data)))
        rows = [
            {"entry": one.index, "path": one.path, "problem": one.problem, "is_memory": one.is_memory} for one in found
        ]
        return {"bundle": number, "name": bundle.name, "files": rows}

    def begin_selection(self, actor: Actor, name: str) -> int:
        """Starts a selection of files, such as a folder of that name; returns its number here."""
        return self._stage(actor, _Staged(Bundle(0, safe_name(name, "") if name else "")))

    def open_entry(self, actor: Actor, number: int, entry: int) -> Json:
        """Opens a file of an archive as a document: see `open_file`."""
        staged = self._get(actor, number)
        member = staged.members.get(entry)
        if member is None:
            raise CommandError("This file is not in the archive: open the archive again.")
        if member.problem is not None:
            return _unopened(member.path, member.problem)
        assert staged.packed is not None
        try:
            data = staged.packed.read(member)
        except DocumentError as problem:
            return _unopened(member.path, problem.args[0])
        return self._open(actor, staged, data, member.path, entry)

    def open_file(self, actor: Actor, number: int, path: str, data: bytes) -> Json:
        """Opens a file of a selection as a document of the current project of its languages.

        Returns its session, or the problem because of which it is not opened.
        """
        staged, problem = self._get(actor, number), name_problem(path)
        path = safe_path(path)
        staged.num_files += 1
        staged.num_bytes += len(data)
        problem = problem or limit_problem(staged.num_files, staged.num_bytes)
        return _unopened(path, problem) if problem else self._open(actor, staged, data, path, None)

    def memory_file(self, actor: Actor, number: int, entry: int) -> tuple[bytes, str]:
        """The content and the name of a translation memory in an archive that is being opened. Raises AppError."""
        staged = self._get(actor, number)
        bundle = staged.bundle
        if not bundle.data and bundle.id:
            bundle = load_bundle(self._store.connection, bundle.id) or bundle
        archive = Archive(bundle.data, bundle.name)
        member = next((one for one in archive.members if one.index == entry and one.is_memory), None)
        if member is None:
            raise CommandError("This file is not in the archive: open the archive again.")
        return archive.read(member), member.name

    def end(self, actor: Actor, number: int) -> None:
        """Forgets the files that were not opened."""
        self._staged.remove(actor.name, number)

    def forget_idle(self, idle_seconds: float = IDLE_SECONDS) -> None:
        """Drops archives and selections whose page is gone: nothing of them was opened or downloaded in that time."""
        for kept in (self._staged, self._packed):
            kept.remove_idle(idle_seconds)

    def _stage(self, actor: Actor, staged: _Staged) -> int:
        number = next(self._numbers)
        self._staged.put(actor.name, number, staged, 0 if staged.packed is None else staged.packed.num_bytes)
        return number

    def _get(self, actor: Actor, number: int) -> _Staged:
        if (staged := self._staged.get(actor.name, number)) is None:
            raise CommandError("These files are no longer in memory: open them again.")
        return staged

    def _open(self, actor: Actor, staged: _Staged, data: bytes, path: str, entry: int | None) -> Json:
        try:
            document, decision = self._opener.read(actor, data, path.rpartition("/")[2], self._opener.decide)
        except AppError as problem:
            return _unopened(path, problem.args[0])
        record = self._opener.record(actor, document, decision.direction, place=BundlePlace(staged.bundle, path, entry))
        if not staged.bundle.id:
            staged.bundle = Bundle(bundle_of(self._store.connection, record.id) or 0, staged.bundle.name)
        return {
            "path": path,
            "session": record.id,
            "token": record.token,
            "problem": None,
            "notes": [*document.notes],
            "num_segments": len(document.order),
        }

    # ---- exporting ----

    def choices(self, actor: Actor, session_id: int) -> Json:
        """The documents that can be exported together with that of a session: its bundle's, and its project's."""
        summaries = {summary.id: summary for summary in self._store.sessions(actor)}
        if session_id not in summaries:
            raise CommandError("This document was deleted in the meantime: open the list of documents again.")
        groups = []
        bundle_id = bundle_of(self._store.connection, session_id)
        if bundle_id is not None:
            name, is_archive = bundle_kind(self._store.connection, bundle_id)
            places = documents_of_bundle(self._store.connection, bundle_id)
            rows = [_row(summaries[place.session_id]) for place in places if place.session_id in summaries]
            groups.append({"name": name, "kind": "archive" if is_archive else "selection", "documents": rows})
        project = self._projects.get(actor, summaries[session_id].project_id)
        own = [_row(one) for one in sorted(summaries.values(), key=lambda one: one.id) if one.project_id == project.id]
        groups.append({"name": name_of(project), "kind": "project", "documents": own})
        return {"groups": groups}

    def pack(self, actor: Actor, session_ids: Sequence[int], *, with_proposals: bool = False) -> Json:
        """Makes an archive of the translated documents of these sessions, to be downloaded by `packed`.

        `with_proposals` also takes the proposals of documents that were shown, as drafts. See
        `packed_documents`. Returns its key and name, and a note for each document that is not finished.
        """
        made = packed_documents(actor, self._store, session_ids, with_proposals=with_proposals, opened=self._opened)
        for number in made.session_ids:
            with suppress(LogError):  # a full disk must not keep work here
                self._store.append(actor, number, "export", {"kind": "zip", "name": made.export.name})
        key = secrets.token_urlsafe(12)
        self._packed.put(actor.name, key, made.export, len(made.export.data))
        rows = [{"path": path, "note": note} for path, note in made.notes]
        return {"key": key, "name": made.export.name, "documents": rows, "num_unchanged": made.num_unchanged}

    def _opened(self, session_id: int) -> DocumentState | None:
        workspace = self._workspaces.of_session(session_id)
        if workspace is None:
            return None
        with workspace.lock:
            return workspace.document, [*workspace.segments]

    def packed(self, actor: Actor, key: str) -> Export:
        """An archive that `pack` made."""
        if (made := self._packed.get(actor.name, key)) is None:
            raise CommandError("This archive is no longer in memory: export it again.")
        return made


def _row(summary: SessionSummary) -> Json:
    return {
        "session": summary.id,
        "path": summary.shown_name,
        "num_confirmed": summary.num_confirmed,
        "num_segments": summary.num_segments,
        "num_locked": summary.num_locked,
    }


def _unopened(path: str, problem: str) -> Json:
    return {"path": path, "session": None, "token": "", "problem": problem, "notes": [], "num_segments": 0}
