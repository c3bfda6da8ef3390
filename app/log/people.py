"""The tables of people with roles and of members of projects; see `app.access` for the rights that follow from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from app.access.actor import Actor, checked_name
from app.access.memberships import Memberships
from app.access.rights import Access, Role
from app.errors import Checked, CommandError
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.project_tables import Project, insert_project

_LOOK_SECONDS: Final = 0.5  # until a change by the command line counts


@dataclass(frozen=True, slots=True)
class Person(Checked):
    """A person with a role, and the numbers of the projects that they are a member of."""

    name: str
    role: Role
    projects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Member(Checked):
    """A member of a project; `is_own`: the project was made for their documents."""

    project_id: int
    person: str
    is_own: bool


class People:
    """The people of a log. Thread-safe. Both tables are small and kept in memory."""

    def __init__(self, log: LogConnection, on_change: Callable[[], object] = lambda: None) -> None:
        """`on_change` is called after changes by this process."""
        self._log = log
        self._on_change = on_change
        self._tables = Memberships()
        self._version = -1  # of the file, as another program may write it
        self._looked: float | None = None  # when; None: the tables must be read

    def access(self, actor: Actor) -> Access:
        """The access rights of an actor."""
        return self._current().access(actor)

    def seen_by_all_members(self, project_id: int) -> frozenset[int] | None:
        """See `Memberships.seen_by_all_members`."""
        return self._current().seen_by_all_members(project_id)

    def has_role(self, name: str) -> bool:
        """True if a person with this name has a role."""
        return bool(name) and name in self._current().roles

    @property
    def has_roles(self) -> bool:
        """True if any person ever had a role: people then see only the projects that they are members of."""
        return bool(self._current().roles)

    def all(self) -> list[Person]:
        """All people with a role, by name."""
        tables = self._current()
        return [
            Person(name, role, tuple(sorted(number for number, people in tables.members.items() if name in people)))
            for name, role in sorted(tables.roles.items(), key=lambda one: one[0].casefold())
            if name
        ]

    def members(self, project_id: int) -> list[str]:
        """The names of a project's members, sorted."""
        return sorted(self._current().members.get(project_id, ()), key=str.casefold)

    def reviewers(self, project_id: int) -> list[str]:
        """The names of the project's members who may review it, sorted."""
        return sorted(self._current().reviewers(project_id), key=str.casefold)

    def put(self, name: str, role: Role, project_ids: Iterable[int] = ()) -> Person:
        """Gives a person a role, also instead of an earlier one, and makes them a member of projects.

        Raises CommandError for an impossible name and for an unknown project.
        """
        name = checked_name(name)
        with self._changing():
            # The owner's row stays, so that restrictions do not end with the last person.
            for row in (("", "administrator"), (name, role)):
                self._log.db.execute("INSERT OR REPLACE INTO person VALUES (?, ?)", row)
            self._join(name, project_ids)
            query = "SELECT project_id FROM member WHERE person = ? ORDER BY project_id"
            found = self._log.db.execute(query, (name,)).fetchall()
        return Person(name, role, tuple(number for (number,) in found))

    def get(self, name: str) -> Person:
        """A person by name. Raises CommandError if no person with this name has a role."""
        for person in self.all():
            if person.name == name:
                return person
        raise CommandError("“{name}” is not a person on this server: see `pinpoint people list`.", name=name)

    def remove(self, name: str) -> None:
        """Takes a person's role and memberships away. Raises CommandError if no person with this name has a role."""
        self.get(name)
        with self._changing():
            self._log.db.execute("DELETE FROM member WHERE person = ?", (name,))
            self._log.db.execute("DELETE FROM person WHERE name = ?", (name,))
            self._log.db.execute("DELETE FROM notice WHERE person = ?", (name,))

    def join(self, name: str, project_ids: Iterable[int]) -> None:
        """Makes a person a member of projects. Raises CommandError for an unknown person or project."""
        self.get(name)
        with self._changing():
            self._join(name, project_ids)

    def _join(self, name: str, project_ids: Iterable[int]) -> None:
        for number in project_ids:
            if not self._log.db.execute("SELECT 1 FROM project WHERE id = ?", (number,)).fetchone():
                raise CommandError("Project {number} does not exist: see `pinpoint people projects`.", number=number)
            add_member(self._log.db, number, name)

    def leave(self, name: str, project_ids: Iterable[int]) -> None:
        """Ends a person's membership in projects. Raises CommandError if they are not a member of one."""
        with self._changing():
            for number in project_ids:
                if not remove_member(self._log.db, number, name):
                    raise CommandError("“{name}” is not a member of project {number}.", name=name, number=number)

    def changed(self) -> None:
        """Reads the tables again at the next question, after others have written them in a transaction."""
        self._looked = None
        self._on_change()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._log.transaction(Message("write the people")):
            yield
        self.changed()

    def _current(self) -> Memberships:
        now = time.monotonic()
        if self._looked is None or now - self._looked > _LOOK_SECONDS:
            with self._log.lock:
                version = self._log.data_version()
                if self._looked is None or version != self._version:
                    self._tables = self._read()
                self._version, self._looked = version, now
        return self._tables

    def _read(self) -> Memberships:
        purpose = Message("read the people")
        people = self._log.rows(purpose, "SELECT name, role FROM person")
        rows = self._log.rows(purpose, "SELECT project_id, person, is_own FROM member")
        members: dict[int, dict[str, bool]] = {}
        with self._log.checked(purpose):
            roles = {person.name: person.role for person in (Person(**row, projects=()) for row in people)}
            for member in (_Member(**{**row, "is_own": bool(row["is_own"])}) for row in rows):
                members.setdefault(member.project_id, {})[member.person] = member.is_own
        return Memberships(roles, members)


def add_member(db: Database, project_id: int, person: str, *, is_own: bool = False) -> None:
    """Makes a person a member of a project, inside a transaction; `People.changed` has to follow."""
    db.execute("INSERT OR IGNORE INTO member VALUES (?, ?, ?)", (project_id, person, is_own))


def insert_own_project(db: Database, person: str, direction: str, now_ms: int) -> int:
    """Adds a project for a person, as its only member, and makes it the current project.

    Call inside a transaction; `People.changed` has to follow.
    """
    project_id = insert_project(db, Project(0, person, "", direction, "formal", "", True, now_ms, now_ms))
    add_member(db, project_id, person, is_own=True)
    return project_id


def remove_member(db: Database, project_id: int, person: str) -> bool:
    """Ends a membership, inside a transaction, if there is one; `People.changed` has to follow.

    Documents of the project, and parts of them, that were assigned to the person are assigned to nobody. The person's
    notices about them end.
    """
    of_project = "SELECT id FROM session WHERE project_id = ?"
    for table in ("assigned_segment", "notice"):
        db.execute(f"DELETE FROM {table} WHERE session_id IN ({of_project}) AND person = ?", (project_id, person))  # noqa: S608
    db.execute("UPDATE session SET assignee = '' WHERE project_id = ? AND assignee = ?", (project_id, person))
    statement = "DELETE FROM member WHERE project_id = ? AND person = ?"
    return bool(db.execute(statement, (project_id, person)).rowcount)
