"""The command `deadlines`: when projects and documents are due, and how much of them is to do."""

from __future__ import annotations

import argparse
import json

from app.access.actor import OWNER
from app.cli.log_commands import log_to_read, log_to_write, session_number
from app.errors import CommandError
from app.i18n import counted
from app.log.deadlines import iso_time, parse_deadline
from app.log.store import LogStore
from app.projects import Projects, name_of
from app.segments.state import Json
from app.sessions.totals import Totals


def deadlines(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    if flags.action == "list":
        with log_to_read(flags.log) as store:
            _list(store, flags.project, as_json=flags.json)
        return 0
    deadline_ms = parse_deadline(flags.time, is_local=True) if flags.action == "set" else None
    when = "no deadline of its own" if deadline_ms is None else f"due {iso_time(deadline_ms)}"
    with log_to_write(flags.log) as store:
        # Whatever is read is read before the change: once it is written, nothing may fail.
        if flags.project is not None:
            _check_project(store, flags.project)
            _totals(store).set_project_deadline(OWNER, flags.project, deadline_ms)
            print(f"project {flags.project}: {when.removesuffix(' of its own')}")
        else:
            number = session_number(store, str(flags.session))
            name = store.sessions_of(OWNER, [number])[0].shown_name
            _totals(store).set_document_deadline(OWNER, number, deadline_ms)
            print(f"{number:>6}  {name}: {when}")
    return 0


def _list(store: LogStore, project: int | None, *, as_json: bool) -> None:
    if project is not None:
        _check_project(store, project)
    for number in [one.project.id for one in store.projects(OWNER)] if project is None else [project]:
        view = _totals(store).with_times(OWNER, number)
        print(json.dumps(view, ensure_ascii=False) if as_json else _text(store, view))


def _text(store: LogStore, view: Json) -> str:
    project = store.project(OWNER, view["project"])
    assert project is not None
    lines = [_line(f"project {project.id}  {name_of(project)} ({project.direction})", view, view["deadline"], "")]
    for one in view["documents"]:
        whose = "" if one["deadline"] or not one["due"] else ", as the project"
        lines.append(_line(f"{one['session']:>9}  {one['name']}", one, one["due"], one["urgency"]) + whose)
    return "\n".join(lines)


def _line(name: str, view: Json, due: str | None, urgency: str) -> str:
    amount = view["amount"]
    to_do = f"{amount['num_segments_to_do']:,} of {counted(amount['num_segments'], 'segment')} to do"
    when = f"due {due}" if due else "no deadline"
    return f"{name}: {to_do}, {when}" + (f" ({urgency})" if urgency else "")


def _totals(store: LogStore) -> Totals:
    return Totals(store, Projects(store, lambda: ()))


def _check_project(store: LogStore, number: int) -> None:
    if all(one.project.id != number for one in store.projects(OWNER)):
        raise CommandError("there is no project {number}: `people projects` lists the projects", number=number)
