"""The roles of people, and the access rights from role and project membership: the checks of every role are here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from app.errors import Checked, CommandError
from app.i18n import Message

Role = Literal["translator", "reviewer", "manager", "administrator"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Access(Checked):
    """The access rights of a person. `projects` are those they see; None: all.

    A person manages the projects `own`, which the server made for their documents, whatever their role.
    """

    role: Role
    projects: frozenset[int] | None
    own: frozenset[int] = frozenset()

    def sees(self, project_id: int) -> bool:
        """True if the person sees a project with all that belongs to it."""
        return self.projects is None or project_id in self.projects

    def manages(self, project_id: int) -> bool:
        """True if the person may change and delete a project, its members and its documents."""
        return self.projects is None or project_id in (self.projects if self.role == "manager" else self.own)

    def check_manages(self, *project_ids: int) -> None:
        """Raises CommandError unless the person manages these projects."""
        if not all(map(self.manages, project_ids)):
            raise CommandError("Only managers of this project can do that: ask one of them.")

    def reviews(self, project_id: int) -> bool:
        """True if the person may approve and return segments of a project."""
        return self.manages(project_id) or (self.role == "reviewer" and self.sees(project_id))

    def check_reviews(self, project_id: int) -> None:
        """Raises CommandError unless the person may approve and return segments of this project."""
        if not self.reviews(project_id):
            raise CommandError("Only reviewers and managers of this project can do that: ask one of them.")

    @property
    def may_create(self) -> bool:
        """True if the person may create projects."""
        return self.projects is None or self.role == "manager"

    def check_creates(self) -> None:
        """Raises CommandError unless the person may create projects."""
        if not self.may_create:
            raise CommandError("Only project managers can create projects: ask one of them.")

    @property
    def may_add_models(self) -> bool:
        """True if the person may download models to the server, and upload them."""
        return self.may_create

    def check_adds_models(self) -> None:
        """Raises CommandError unless the person may download models to the server, and upload them."""
        if not self.may_add_models:
            problem = Message(
                "Only project managers and administrators can add models to this server: ask one of them."
            )
            raise CommandError(problem)

    @property
    def may_administer(self) -> bool:
        """True if the person may change what belongs to the whole server."""
        return self.projects is None

    def check_administers(self) -> None:
        """Raises CommandError unless the person may change what belongs to the whole server."""
        if not self.may_administer:
            raise CommandError("Only administrators of this server can do that: ask one of them.")


UNRESTRICTED: Final = Access("administrator", None)
