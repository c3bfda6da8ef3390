"""Commands that show another session: they return its workspace."""

from __future__ import annotations

from typing import Literal

from app.sessions import Sessions
from app.ui.commands.command import SessionCommand
from app.ui.schemas import FileBytes, Integer, Name
from app.workspace.commands import Workspace


class OpenDocument(SessionCommand):
    """Opens an uploaded document."""

    name: Literal["open_document"]
    file: str
    data: FileBytes

    def switch(self, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.open_document(self.data, self.file)


class OpenSample(SessionCommand):
    """Opens the sample document."""

    name: Literal["open_sample"]

    def switch(self, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.open_sample()


class ResumeSession(SessionCommand):
    """Continues an earlier session."""

    name: Literal["resume_session"]
    session: Integer

    def switch(self, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.resume(self.session)


class RestartDocument(SessionCommand):
    """Starts the document again in another language pair, also with another model."""

    name: Literal["restart_document"]
    direction: Name
    model: Name | None = None

    def switch(self, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.restart(workspace, self.direction, self.model)


class DeleteSession(SessionCommand):
    """Deletes the session with its document and its log."""

    name: Literal["delete_session"]

    def switch(self, sessions: Sessions, workspace: Workspace) -> Workspace:
        return sessions.delete_session(workspace)
