"""The members of projects, as those who manage them choose them on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.access.actor import Actor
from app.errors import CommandError
from app.log.people import add_member, remove_member
from app.log.records import NewEvent
from app.log.store import LogStore
from app.projects import Projects
from app.segments.state import Json
from app.sessions.assignments import assign_document, assign_open_part, check_assignable
from app.workspace.commands import Workspace


class Members:
    """Shows and changes who is a member. A change is logged in the document that is open, in the same transaction."""

    def __init__(self, store: LogStore, projects: Projects, workspaces: Callable[[], Sequence[Workspace]]) -> None:
        """`workspaces` returns the documents that are open."""
        self._workspaces = workspaces
        self._store = store
        self._projects = projects

    def view(self, actor: Actor, project_id: int) -> Json:
        """The members of a project and the other people, by name, each with their role ("" without one)."""
        self._projects.managed(actor, project_id)
        roles = {person.name: person.role for person in self._store.people.all()}
        members = self._store.people.members(project_id)
        others = [name for name, role in roles.items() if name not in members and role != "administrator"]
        return {
            "members": [{"name": name, "role": roles.get(name, "")} for name in members],
            "others": [{"name": name, "role": roles[name]} for name in others],
        }

    def assign(self, actor: Actor, session_id: int, name: str) -> None:
        """Assigns a document to a member of its project; "" to nobody."""
        project_id = self._store.project_of(actor, session_id)
        check_assignable(actor, self._store, project_id, name)
        assign_document(actor, self._store, session_id, project_id, name)

    def assign_segments(
        self, actor: Actor, workspace: Workspace, indices: Sequence[int], name: str, version: int
    ) -> Json:
        """Assigns segments of a document to a member of its project, also those of other people; "" to nobody.

        Returns how many were assigned to somebody else before. Raises CommandError, and assigns none, if one was
        assigned after this version of the page.
        """
        core = workspace.core
        check_assignable(actor, self._store, workspace.project.id, name)
        with core.lock:
            indices = sorted({core.segment(index).index for index in indices})
            core.parts.check_is_known(indices, version)
            return {"num_segments": len(indices), "num_taken": assign_open_part(actor, workspace, indices, name)}

    def add(self, actor: Actor, workspace: Workspace, project_id: int, name: str) -> None:
        """Makes a person with a role a member of a project."""
        self._projects.managed(actor, project_id)
        self._store.people.get(name)
        event = NewEvent("project", {"change": "join", "project": project_id, "member": name})
        self._store.append_all(actor, workspace.session_id, [event], change=lambda db: add_member(db, project_id, name))
        self._store.people.changed()

    def remove(self, actor: Actor, workspace: Workspace, project_id: int, name: str) -> None:
        """Ends a membership immediately. People cannot end their own membership."""
        self._projects.managed(actor, project_id)
        if name == actor.name:
            raise CommandError("You cannot end your own membership: ask an administrator.")
        event = NewEvent("project", {"change": "leave", "project": project_id, "member": name})
        self._store.append_all(
            actor, workspace.session_id, [event], change=lambda db: remove_member(db, project_id, name)
        )
        self._store.people.changed()
        for opened in self._workspaces():
            if opened.project.id == project_id:
                opened.core.touch()  # pages that wait for news ask again, and are refused
