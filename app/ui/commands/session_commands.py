"""Commands that show another session: they return its workspace."""

from __future__ import annotations

from typing import Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.formats import Reading
from app.formats.soft_breaks import LineBreaksChoice, line_breaks_of
from app.sessions import Sessions
from app.text.encoding import codec_of
from app.ui.commands.command import SessionCommand
from app.ui.schemas import Count, FileBytes, Integer, Line, List, Name
from app.workspace.commands import Workspace


class OpenDocument(SessionCommand):
    """Opens an uploaded document."""

    name: Literal["open_document"]
    file: Line
    data: FileBytes

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.open_document(actor, self.data, self.file)


class OpenSample(SessionCommand):
    """Opens the sample document."""

    name: Literal["open_sample"]

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.open_sample(actor)


class ResumeSession(SessionCommand):
    """Continues an earlier session."""

    name: Literal["resume_session"]
    session: Integer

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.resume(actor, self.session)


class RestartDocument(SessionCommand):
    """Starts the document again in another language pair, also with another model."""

    name: Literal["restart_document"]
    direction: Name
    model: Name | None = None

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.restart(actor, workspace, self.direction, self.model)


class RereadDocument(SessionCommand):
    """Starts the document again with another encoding, columns (from 0), texts, segments, line breaks, or rules.

    `is_kept`: new documents of this format in the project are read by these rules, too; false takes kept ones away.
    """

    name: Literal["reread_document"]
    encoding: Name | None = None
    source_column: Count | None = None
    target_column: Count | None = None
    extras: List[Name] | None = None
    segments: Literal["sentence", "paragraph"] | None = None
    line_breaks: LineBreaksChoice | None = None
    rules: List[Name] | None = None
    is_kept: bool | None = None

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        if self.encoding is not None and codec_of(self.encoding) != self.encoding:
            raise CommandError("{encoding!r} is not a known encoding", encoding=self.encoding)
        source, target = self.source_column, self.target_column
        columns = None if source is None or target is None else (source, target)
        extras = None if self.extras is None else tuple(self.extras)
        segments = None if self.segments == "sentence" else self.segments
        reading = Reading(
            self.encoding, columns, extras, segments, self.rules or None, line_breaks_of(self.line_breaks)
        )
        if self.is_kept is not None:
            sessions.projects.managed(actor, workspace.project.id)  # before anything is done

        def finish(begun: Workspace) -> None:
            if self.is_kept is not None:
                sessions.projects.keep_part_rules(actor, begun, (self.rules or ()) if self.is_kept else ())

        return sessions.restart(actor, workspace, workspace.direction, reading=reading, finish=finish)


class DeleteSession(SessionCommand):
    """Deletes the session with its document and its log."""

    name: Literal["delete_session"]

    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.delete_session(actor, workspace)
