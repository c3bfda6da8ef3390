"""The roles of people and the members of projects, and the rights that follow from them.

What a person does not see is invisible through every way of asking: the log lists and loads only the sessions and
projects that the actor sees.

Until the first person gets a role, there are no restrictions; from then on there are, whoever loses a role. The owner
has no name and is never restricted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.access.actor import Actor, check_actor
from app.access.rights import UNRESTRICTED, Access, Role


@dataclass(frozen=True, slots=True)
class Memberships:
    """The role of each person, and for each project its members, each with whether the project is their own."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    members: Mapping[int, Mapping[str, bool]] = field(default_factory=dict)

    def access(self, actor: Actor) -> Access:
        """The access rights of an actor."""
        check_actor(actor)
        return self._access_of(actor.name) if actor.kind == "person" else UNRESTRICTED

    def _access_of(self, name: str) -> Access:
        role = self.roles.get(name, "translator")
        if not self.roles or role == "administrator":
            return UNRESTRICTED
        found = {number: people[name] for number, people in self.members.items() if name in people}
        return Access(role, frozenset(found), frozenset(number for number, is_own in found.items() if is_own))

    def reviewers(self, project_id: int) -> list[str]:
        """The names of the project's members who may review it, in any order."""
        return [name for name in self.members.get(project_id, ()) if self._access_of(name).reviews(project_id)]

    def seen_by_all_members(self, project_id: int) -> frozenset[int] | None:
        """The projects whose texts may be shown in a project: those that all its members see. None: all projects."""
        if not self.roles:
            return None
        audience = {name for name in self.members.get(project_id, ()) if self.roles.get(name) != "administrator"}
        if not audience:
            return None
        return frozenset(number for number, people in self.members.items() if audience <= people.keys())
