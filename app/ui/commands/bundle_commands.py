"""Commands about several documents: opened together from an archive or a selection, and exported together."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from app.access.actor import Actor
from app.segments import Json
from app.sessions import Sessions
from app.ui import project_results as r
from app.ui.commands.command import Command
from app.ui.results import ImportedMemory
from app.ui.schemas import FileBytes, Integer, Line, List
from app.workspace.commands import Workspace


class BeginFiles(Command):
    """Starts to open a selection of files; `folder` is the name of the folder that was chosen, or empty."""

    name: Literal["begin_files"]
    result: ClassVar[Any] = r.BegunFiles
    folder: Line

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return {"bundle": sessions.bundles.begin_selection(actor, self.folder)}

    def take_back(self, actor: Actor, sessions: Sessions, result: Json | None) -> None:
        if result is not None:
            sessions.bundles.end(actor, result["bundle"])


class OpenFile(Command):
    """Opens a file of a selection as a document, without showing it."""

    name: Literal["open_file"]
    result: ClassVar[Any] = r.OpenedFile
    bundle: Integer
    path: Line
    data: FileBytes

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.bundles.open_file(actor, self.bundle, self.path, self.data)


class OpenEntry(Command):
    """Opens a file of an archive as a document, without showing it."""

    name: Literal["open_entry"]
    result: ClassVar[Any] = r.OpenedFile
    bundle: Integer
    entry: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.bundles.open_entry(actor, self.bundle, self.entry)


class ImportEntry(Command):
    """Imports a translation memory of an archive that is being opened."""

    name: Literal["import_entry"]
    result: ClassVar[Any] = ImportedMemory
    bundle: Integer
    entry: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.memory.import_memory(actor, *sessions.bundles.memory_file(actor, self.bundle, self.entry))


class EndFiles(Command):
    """Forgets the files of an archive or a selection that were not opened."""

    name: Literal["end_files"]
    bundle: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.bundles.end(actor, self.bundle)


class ListPackable(Command):
    """The documents that can be exported together with this one."""

    name: Literal["packable"]
    result: ClassVar[Any] = r.PackableDocuments

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.bundles.choices(actor, workspace.session_id)


class AnalyseDocuments(Command):
    """Counts the words of documents by how much is known of them already; the files are downloaded by its key."""

    name: Literal["analyse"]
    result: ClassVar[Any] = r.AnalysisReply
    documents: List[Integer]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.analyses.make(actor, self.documents)


class PackDocuments(Command):
    """Makes an archive of translated documents, to be downloaded; with proposals as drafts, if wanted."""

    name: Literal["pack"]
    result: ClassVar[Any] = r.PackedDocuments
    documents: List[Integer]
    with_proposals: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.bundles.pack(actor, self.documents, with_proposals=self.with_proposals)
