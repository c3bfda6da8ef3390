"""The command `people`: gives people roles and passwords, and makes them members of projects."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack, closing
from dataclasses import asdict
from getpass import getpass

from app.access.actor import OWNER, checked_name
from app.access.rights import Role
from app.cli.log_commands import log_to_write, write_export
from app.errors import CommandError
from app.i18n import counted
from app.log.forgetting import forget_person
from app.log.store import LogStore
from app.reports.jsonl import person_events_jsonl
from app.serving.browsers import Browsers
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords


def people(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    with log_to_write(flags.log) as store:
        if flags.action == "add":
            add_person(store, flags.name, flags.role, flags.project or ())
        elif flags.action == "remove":
            _remove(store, flags.name)
        elif flags.action == "forget":
            _forget(store, flags.name)
        elif flags.action == "events":
            write_export(person_events_jsonl(OWNER, store, flags.name), flags.output)
        elif flags.action == "password":
            _set_password(store, flags.name, removes=flags.delete)
        elif flags.action == "sign-out":
            _sign_out(store, flags.name)
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
    person = store.people.put(name, role, projects)
    seen = "all projects" if role == "administrator" else _numbers(person.projects) or "no projects yet"
    print(f"{person.name}: {role}, {seen}", file=sys.stderr)


def _keys(store: LogStore) -> closing[ApiFile]:
    return closing(ApiFile.beside(store.path))


def _remove(store: LogStore, name: str) -> None:
    store.people.get(name)
    num_revoked = 0
    with ExitStack() as stack:
        if ApiFile.path_beside(store.path).exists():
            file = stack.enter_context(_keys(store))
            stack.enter_context(file.restoring(name))
            num_revoked = file.revoke_all(name)
            Passwords(file).remove(name)
        store.people.remove(name)
    print(
        f"{name} has no role, no projects and no password any more. Revoked: {counted(num_revoked, 'key')}.",
        file=sys.stderr,
    )


def _set_password(store: LogStore, name: str, *, removes: bool) -> None:
    """Gives a person a password, which is asked for, or takes it away; either signs them out everywhere."""
    name = store.people.get(name.strip()).name
    is_first = not ApiFile.path_beside(store.path).exists()
    with _keys(store) as file:
        passwords = Passwords(file)
        if removes:
            if not passwords.remove(name):
                raise CommandError("{name} does not have a password.", name=name)
            print(f"{name} has no password any more, and is signed out everywhere.", file=sys.stderr)
            return
        passwords.put(name, _asked_password())
    print(f"{name} opens the address of Pinpoint and signs in with name and password.", file=sys.stderr)
    if is_first:
        print("This is the first password: start Pinpoint again if it is running.", file=sys.stderr)


def _asked_password() -> str:
    """The password that is typed twice without being shown, or one line of standard input. Raises CommandError."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("New password: ")
    if getpass("New password again: ") != password:
        raise CommandError("The new passwords differ: type the same one twice.")
    return password


def _sign_out(store: LogStore, name: str) -> None:
    num_browsers = 0
    if ApiFile.path_beside(store.path).exists():
        with _keys(store) as file:
            num_browsers = Browsers(file).sign_out_everywhere(name)
    print(f"{name} is signed out in {counted(num_browsers, 'browser')}.", file=sys.stderr)


def _forget(store: LogStore, name: str) -> None:
    name, num_keys = checked_name(name), 0
    with ExitStack() as stack:
        if ApiFile.path_beside(store.path).exists():
            file = stack.enter_context(_keys(store))
            stack.enter_context(file.restoring(name))
            num_keys = file.forget(name)
        done = forget_person(OWNER, store.connection, name)
    print(
        f"Deleted: {counted(num_keys, 'key')}. {done.pseudonym} replaces the name in "
        f"{counted(done.num_events, 'event')} of {counted(done.num_sessions, 'document')}.",
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
    for summary in sorted(store.projects(OWNER), key=lambda one: one.project.id):
        project = summary.project
        client = f" ({project.client})" if project.client else ""
        members = ", ".join(store.people.members(project.id))
        name = f"{project.name or 'My project'}{client}"
        print(f"{project.id:>6}  {project.direction:<11}  {name}: {members or 'nobody'}")


def _numbers(projects: tuple[int, ...]) -> str:
    return f"projects {', '.join(map(str, projects))}" if projects else ""
