"""The command `people`: gives people roles, and makes them members of projects."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from app.log.forgetting import forget_person
from app.log.people import checked_name
from app.log.roles import Role
from app.log.store import LogStore
from app.serving.keys import ApiFile


def people(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    with _log(flags.log) as store:
        if flags.action == "add":
            add_person(store, flags.name, flags.role, flags.project or ())
        elif flags.action == "remove":
            _remove(store, flags.name)
        elif flags.action == "forget":
            _forget(store, flags.name)
        elif flags.action == "join":
            store.people.join(flags.name, flags.projects)
        elif flags.action == "leave":
            store.people.leave(flags.name, flags.projects)
        elif flags.action == "projects":
            _list_projects(store)
        else:
            _list(store, as_json=flags.json)
    return 0


def add_person(store: LogStore, name: str, role: Role, projects: tuple[int, ...] = ()) -> None:
    """Gives a person a role, makes them a member of these projects, and prints what they see."""
    if not store.people.has_roles:
        print("From now on, people see only the projects that they are members of.", file=sys.stderr)
    person = store.people.put(name, role)
    store.people.join(person.name, projects)
    person = store.people.get(person.name)
    seen = "all projects" if role == "administrator" else _numbers(person.projects) or "no projects yet"
    print(f"{person.name}: {role}, {seen}", file=sys.stderr)


@contextmanager
def _log(path: Path) -> Iterator[LogStore]:
    store = LogStore.open(path)
    try:
        yield store
    finally:
        store.close()


def _remove(store: LogStore, name: str) -> None:
    store.people.remove(name)
    num_revoked = 0
    if ApiFile.path_beside(store.path).exists():
        file = ApiFile.beside(store.path)
        try:
            num_revoked = file.revoke_all(name)
        finally:
            file.close()
    print(f"{name} has no role and no projects any more; {num_revoked} keys are void.", file=sys.stderr)


def _forget(store: LogStore, name: str) -> None:
    name, num_keys = checked_name(name), 0
    if ApiFile.path_beside(store.path).exists():
        file = ApiFile.beside(store.path)
        try:
            num_keys = file.forget(name)
        finally:
            file.close()
    done = forget_person(store.connection, name)
    print(
        f"{num_keys} keys are deleted, and {done.num_events} events of {done.num_sessions} documents name "
        f"{done.pseudonym} instead.",
        file=sys.stderr,
    )


def _list(store: LogStore, *, as_json: bool) -> None:
    for person in store.people.all():
        if as_json:
            print(json.dumps(asdict(person), ensure_ascii=False))
        else:
            seen = "all projects" if person.role == "administrator" else _numbers(person.projects)
            print(f"{person.role:<14} {person.name}{f' ({seen})' if seen else ''}")


def _list_projects(store: LogStore) -> None:
    print(f"{'number':>6}  {'languages':<11}  name (client): members")
    for summary in sorted(store.projects(), key=lambda one: one.project.id):
        project = summary.project
        client = f" ({project.client})" if project.client else ""
        members = ", ".join(store.people.members(project.id))
        name = f"{project.name or 'My project'}{client}"
        print(f"{project.id:>6}  {project.direction:<11}  {name}: {members or 'nobody'}")


def _numbers(projects: tuple[int, ...]) -> str:
    return f"projects {', '.join(map(str, projects))}" if projects else ""
