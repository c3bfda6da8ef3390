"""Commands about projects, and about documents that are not open."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from app.access.actor import Actor
from app.models.document_direction import check_direction
from app.projects import ProjectDraft
from app.segments import Json
from app.sessions import Sessions
from app.ui import project_results as r
from app.ui.commands.command import Command
from app.ui.schemas import Count, FileBytes, Integer, Line, List, Name
from app.workspace.commands import Workspace
from engine import Formality


class ListProjects(Command):
    """All projects."""

    name: Literal["projects"]
    result: ClassVar[Any] = r.ProjectList

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.projects.overview(actor)


class ProjectChange(Command):
    """A change of projects; the result is their list."""

    result: ClassVar[Any] = r.ProjectList

    def result_after(self, actor: Actor, sessions: Sessions) -> Json:
        return sessions.projects.overview(actor)


class MembersChange(Command):
    """A change of a project's members; the result is the list of them."""

    result: ClassVar[Any] = r.ProjectMembers
    project: Integer

    def result_after(self, actor: Actor, sessions: Sessions) -> Json:
        return sessions.members.view(actor, self.project)


class DocumentsChange(Command):
    """A change of documents; the result is their list."""

    result: ClassVar[Any] = r.DocumentList

    def result_after(self, actor: Actor, sessions: Sessions) -> Json:
        return sessions.documents(actor)


class ProjectFields(ProjectChange):
    """The input for a project; null leaves the form of address or the domain to the model."""

    title: Line
    client_name: Line
    formality: Formality | None
    domain: Name | None
    shares_memory: bool
    learns: bool
    has_review: bool

    def draft(self) -> ProjectDraft:
        """The fields as they were entered."""
        return ProjectDraft(
            self.title,
            self.client_name,
            self.formality or "",
            self.domain or "",
            self.shares_memory,
            self.learns,
            self.has_review,
        )


class CreateProject(ProjectFields):
    """Makes a project for a language pair; new documents in it go into this project."""

    name: Literal["create_project"]
    direction: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        known = [project["direction"] for project in sessions.projects.overview(actor)["projects"]]
        offered = [workspace.direction, *known, *sessions.models.directions(workspace.model_use, None)]
        check_direction(workspace.model.name, offered, self.direction)
        sessions.projects.create(actor, workspace, self.draft(), self.direction)


class EditProject(ProjectFields):
    """Changes a project."""

    name: Literal["edit_project"]
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.projects.edit(actor, workspace, self.project, self.draft())


class ChooseSegmentation(ProjectChange):
    """Gives a project the segmentation rules of a file (SRX)."""

    name: Literal["choose_segmentation"]
    project: Integer
    file: Line
    data: FileBytes

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.segmentation.choose(actor, workspace, self.project, self.data, self.file)


class RemoveSegmentation(ProjectChange):
    """Takes the segmentation rules of a project away."""

    name: Literal["remove_segmentation"]
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.segmentation.remove(actor, workspace, self.project)


class ChooseProject(ProjectChange):
    """New documents go into this project."""

    name: Literal["choose_project"]
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.projects.choose(actor, workspace, self.project)


class DeleteProject(ProjectChange):
    """Deletes a project; its documents and term bases go into the project `into`."""

    name: Literal["delete_project"]
    project: Integer
    into: Integer | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.delete_project(actor, workspace, self.project, self.into)


class ListMembers(Command):
    """The members of a project that the person manages."""

    name: Literal["members"]
    result: ClassVar[Any] = r.ProjectMembers
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.members.view(actor, self.project)


class AddMember(MembersChange):
    """Makes a person a member of a project."""

    name: Literal["add_member"]
    person: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.members.add(actor, workspace, self.project, self.person)


class RemoveMember(MembersChange):
    """Ends the membership of a person in a project."""

    name: Literal["remove_member"]
    person: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.members.remove(actor, workspace, self.project, self.person)


class ListDocuments(Command):
    """All documents, most recently used first."""

    name: Literal["documents"]
    result: ClassVar[Any] = r.DocumentList

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.documents(actor)


class ListChangedDocuments(Command):
    """The documents whose rows in the list have changed since the list with that stamp."""

    name: Literal["changed_documents"]
    result: ClassVar[Any] = r.ChangedDocuments
    stamp: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.changed_documents(actor, self.stamp)


class ListOpenDocuments(Command):
    """The rows of the documents with these tokens, which a browser has open in tabs."""

    name: Literal["open_documents"]
    result: ClassVar[Any] = r.OpenDocuments
    tokens: List[Name]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return {"documents": sessions.logged_documents.rows_by_token(actor, self.tokens)}


class ListJoinedDocuments(Command):
    """The documents of the open document's project in its language pair, for the joined list."""

    name: Literal["joined_documents"]
    result: ClassVar[Any] = r.JoinedDocuments

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return {"documents": sessions.logged_documents.rows_of_project(actor, workspace.session_id)}


class ListJoinedRows(Command):
    """Rows of another document: a portion from position `first` on, or those that changed since the stamp `after`."""

    name: Literal["joined_rows"]
    result: ClassVar[Any] = r.JoinedPortion
    session: Integer
    first: Count = 0
    after: Integer | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        if self.after is None:
            return sessions.joined_rows.portion(actor, self.session, self.first)
        return sessions.joined_rows.changed(actor, self.session, self.after)


class FindNextDocument(Command):
    """The next document of the project in which segments wait to be confirmed; with `to_review`, to be approved."""

    name: Literal["next_document"]
    result: ClassVar[Any] = r.NextDocument
    to_review: bool = False

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        found = sessions.logged_documents.next_waiting(actor, workspace.session_id, to_review=self.to_review)
        return {"document": found}


class MoveDocument(DocumentsChange):
    """Puts a document into another project of its language pair."""

    name: Literal["move_document"]
    session: Integer
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.move_document(actor, self.session, self.project)


class AssignDocument(DocumentsChange):
    """Assigns a document to a member of its project; "" to nobody."""

    name: Literal["assign_document"]
    session: Integer
    person: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.members.assign(actor, self.session, self.person)


class AssignSegments(Command):
    """Assigns segments of the document to a member of its project; "" to nobody."""

    name: Literal["assign_segments"]
    result: ClassVar[Any] = r.AssignedSegments
    segments: List[Integer]
    person: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.members.assign_segments(actor, workspace, self.segments, self.person, self.since)


class ShowTotals(Command):
    """The totals of a project by document and person, with deadlines."""

    name: Literal["project_totals"]
    result: ClassVar[Any] = r.ProjectTotalsView
    project: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.totals.view(actor, self.project)


class SetProjectDeadline(Command):
    """Sets the deadline of a project in milliseconds since 1970; null removes it. The result has its totals."""

    name: Literal["set_project_deadline"]
    result: ClassVar[Any] = r.ProjectTotalsView
    project: Integer
    deadline_ms: Integer | None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.totals.set_project_deadline(actor, self.project, self.deadline_ms)

    def result_after(self, actor: Actor, sessions: Sessions) -> Json:
        return sessions.totals.view(actor, self.project)


class SetDocumentDeadline(Command):
    """Sets the deadline of a document in milliseconds since 1970; null leaves it to the project."""

    name: Literal["set_document_deadline"]
    result: ClassVar[Any] = r.ProjectTotalsView
    session: Integer
    deadline_ms: Integer | None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.totals.set_document_deadline(actor, self.session, self.deadline_ms)

    def result_after(self, actor: Actor, sessions: Sessions) -> Json:
        return sessions.totals.view(actor, sessions.store.project_of(actor, self.session))


class DismissNotices(Command):
    """Shows the notices to the person about these documents as marks in the list of documents only."""

    name: Literal["dismiss_notices"]
    sessions: List[Integer]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.store.news.dismiss(actor, self.sessions)


class DeleteDocument(DocumentsChange):
    """Deletes a document that this page does not show."""

    name: Literal["delete_document"]
    session: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.delete_document(actor, self.session, besides=workspace)
