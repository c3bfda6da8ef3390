"""Projects: shared settings of the documents of one client and language pair, and the documents of each project.

A project has a name, a client, a language pair, the form of address and domain of new documents, term bases, and the
memory of its documents.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlite_utils import Database

from app.access.actor import Actor
from app.errors import Checked, CommandError, LogError
from app.formats.srx import RuleFile
from app.glossary.glossary import Glossary, shared_payload
from app.i18n import Message
from app.log.glossary_tables import follow_project
from app.log.people import add_member
from app.log.project_tables import (
    CHOSEN_BY_NOBODY,
    Project,
    ProjectSummary,
    delete_project,
    insert_project,
    keep_project_setting,
    move_session,
    project_setting,
    project_settings,
    update_project,
)
from app.log.records import NewEvent
from app.log.store import LogStore
from app.models.document_direction import has_same_languages
from app.models.style import FORMALITIES, Style
from app.reading import PartRules
from app.segments.clean_texts import one_line
from app.segments.state import Json
from app.workspace.commands import Workspace
from app.workspace.core import UnitOfWork

MAX_NAME_CHARACTERS = 100
MIN_MATCH_LIMITS = (50, 100)  # percent; entries that share less than half of the words are never looked at
MAX_PENALTY = 30  # percent
_RULES = "segmentation"  # setting of a project: name, checksum and number of its segmentation rules, as JSON
_PART_RULES = "part rules"  # setting of a project: rules for the parts of files by key of format, as JSON
_RULE_DATA = "segmentation file"  # setting of a project: the bytes of their file in base64


@dataclass(frozen=True, slots=True)
class ProjectDraft(Checked):
    """The unchecked input for a project."""

    name: str
    client: str = ""
    formality: str = ""
    domain: str = ""
    shares_memory: bool = True
    learns: bool = True
    has_review: bool = False


class Projects:
    """The projects of a log. A change is logged in the document that is open, in the same transaction."""

    def __init__(self, store: LogStore, workspaces: Callable[[], Sequence[Workspace]]) -> None:
        """`workspaces` returns the documents that are open."""
        self.store = store
        self._workspaces = workspaces

    def overview(self, actor: Actor) -> Json:
        """All projects, the one chosen last first; each with true if it is current for new documents of its languages.

        `has_members`: people see only the projects that they are members of. `can_create`, and `is_managed` of each
        project, are what the actor may do.
        """
        people = self.store.people
        access = people.access(actor)
        rows: list[Json] = []
        taken: set[str] = set()
        rules = project_settings(self.store.connection, _RULES)
        for summary in self.store.projects(actor):
            project = summary.project
            is_current = project.direction not in taken and not project.is_of_program
            is_managed, members = access.manages(project.id), people.members(project.id)
            managed = {"is_managed": is_managed, "num_members": len(members), "members": members if is_managed else []}
            known = rules.get(project.id)
            segmentation = None if known is None else json.loads(known)
            rows.append({**_row(summary), "segmentation": segmentation, "is_current": is_current, **managed})
            if is_current:
                taken.add(project.direction)
        return {"projects": rows, "can_create": access.may_create, "has_members": people.has_roles}

    def for_new(self, actor: Actor, direction: str) -> Project:
        """The project of a new document in this language pair; the number 0 creates a new project."""
        return self.store.project_for_new(actor, direction) or Project(0, "", "", direction, "formal", "", True)

    def get(self, actor: Actor, project_id: int) -> Project:
        """One project. Raises CommandError if there is none of that number."""
        project = self.store.project(actor, project_id)
        if project is None:
            raise CommandError("This project was deleted in the meantime: open the list of projects again.")
        return project

    def managed(self, actor: Actor, project_id: int) -> Project:
        """A project that the actor manages. Raises CommandError."""
        project = self.get(actor, project_id)
        self.store.people.access(actor).check_manages(project_id)
        return project

    def create(self, actor: Actor, workspace: Workspace, draft: ProjectDraft, direction: str) -> None:
        """Makes a project, into which new documents of its language pair go from now on."""
        self.store.people.access(actor).check_creates()
        now_ms = self._now_ms(actor)
        project = self._checked(actor, replace(_EMPTY, direction=direction, created_ms=now_ms, chosen_ms=now_ms), draft)
        self._log(actor, workspace, "create", project, lambda db: self._insert(actor, db, project))

    def add_unchosen(self, actor: Actor, name: str, direction: str) -> Project:
        """A new project for the documents of a program, its member. New documents of the page do not go into it.

        It uses the memory of its own documents only, and its style is the choice of the model.
        """
        with self.store.connection.transaction(Message("create the project"), leaves="preparation"):
            now_ms = time.time_ns() // 1_000_000
            project = Project(0, name, "", direction, "", "", False, created_ms=now_ms, chosen_ms=CHOSEN_BY_NOBODY)
            made = replace(project, id=self._insert(actor, self.store.connection.db, project, is_own=True))
        self.store.people.changed()
        return made

    def edit(self, actor: Actor, workspace: Workspace, project_id: int, draft: ProjectDraft) -> None:
        """Changes the texts and the style of a project; its documents keep the style that they have."""
        project = self._checked(actor, self.managed(actor, project_id), draft)
        self._log(actor, workspace, "edit", project, lambda db: update_project(db, project))
        self._show(project)

    def choose(self, actor: Actor, workspace: Workspace, project_id: int) -> None:
        """Puts new documents of its language pair into this project."""
        project = replace(self.get(actor, project_id), chosen_ms=self._now_ms(actor))
        self._log(actor, workspace, "choose", project, lambda db: update_project(db, project))

    def follow(self, actor: Actor, workspace: Workspace) -> None:
        """Makes the project of an opened document the current one, unless it is a program's project."""
        if workspace.project.is_of_program:
            return
        if self.for_new(actor, workspace.project.direction).id != workspace.project.id:
            self.choose(actor, workspace, workspace.project.id)

    def choose_style(self, actor: Actor, workspace: Workspace, style: Style, *, is_kept: bool) -> None:
        """Translates a document in this style; with `is_kept`, new documents of its project begin with it, too."""
        before = workspace.project
        project = replace(before, formality=style.formality or "", domain=style.domain or "")
        if not is_kept or project == before:
            workspace.choose_style(actor, style)
            return
        self.store.people.access(actor).check_manages(project.id)

        def keep(work: UnitOfWork) -> None:
            work.log("project", _payload("edit", project))
            work.write(lambda db: update_project(db, project))

        workspace.choose_style(actor, style, keep)
        self._show(project)

    def choose_matches(
        self, actor: Actor, workspace: Workspace, min_match: int, other_penalty: int, import_penalty: int
    ) -> None:
        """Sets the lowest match rate that documents of a project show, and the penalties of matches from elsewhere."""
        least, most = MIN_MATCH_LIMITS
        if not least <= min_match <= most or not all(
            0 <= one <= MAX_PENALTY for one in (other_penalty, import_penalty)
        ):
            raise CommandError(
                "The lowest match rate must be from {least} to {most} %, and a penalty from 0 to {penalty} %: "
                "choose other numbers.",
                least=least,
                most=most,
                penalty=MAX_PENALTY,
            )
        project = replace(
            workspace.project, min_match=min_match, other_penalty=other_penalty, import_penalty=import_penalty
        )
        if project != workspace.project:
            self.store.people.access(actor).check_manages(project.id)
            self._log(actor, workspace, "edit", project, lambda db: update_project(db, project))
            self._show(project)

    def rule_file(self, project_id: int) -> RuleFile | None:
        """The segmentation rules of a project; None if it has none."""
        known = project_setting(self.store.connection, project_id, _RULES)
        data = project_setting(self.store.connection, project_id, _RULE_DATA)
        return None if known is None or data is None else RuleFile(json.loads(known)["name"], base64.b64decode(data))

    def choose_rules(
        self, actor: Actor, workspace: Workspace, project_id: int, rules: RuleFile | None, num_rules: int
    ) -> None:
        """Gives a project segmentation rules, of which there are `num_rules`; None takes them away."""
        project = self.managed(actor, project_id)
        known = None if rules is None else {**rules.named(), "num_rules": num_rules}

        def write(db: Database) -> None:
            keep_project_setting(db, project_id, _RULES, None if known is None else json.dumps(known))
            data = None if rules is None else base64.b64encode(rules.data).decode("ascii")
            keep_project_setting(db, project_id, _RULE_DATA, data)

        self._log(actor, workspace, "segmentation", project, write, details={"rules": known})

    def part_rules(self, project_id: int) -> PartRules:
        """The rules of a project for the parts of files."""
        known = project_setting(self.store.connection, project_id, _PART_RULES)
        return tuple((key, tuple(lines)) for key, lines in json.loads(known or "{}").items())

    def keeps_part_rules(self, workspace: Workspace, lines: Sequence[str]) -> bool:
        """True if new files of the document's format are read by these rules in its project."""
        known = dict(self.part_rules(workspace.project.id)).get(workspace.document.format.key)
        return bool(lines) and known == tuple(lines)

    def keep_part_rules(self, actor: Actor, workspace: Workspace, lines: Sequence[str]) -> None:
        """Reads new files of the document's format by these rules in its project; without lines, as before."""
        project, key = self.managed(actor, workspace.project.id), workspace.document.format.key
        before = dict(self.part_rules(project.id))
        after = {known: rules for known, rules in {**before, key: tuple(lines)}.items() if rules}
        if after == before:
            return

        def write(db: Database) -> None:
            keep_project_setting(db, project.id, _PART_RULES, json.dumps(after) if after else None)

        self._log(actor, workspace, "part rules", project, write, details={"format": key, "rules": [*lines]})

    def delete(self, actor: Actor, workspace: Workspace, project_id: int, into_id: int | None) -> None:
        """Deletes a project. Its documents, term bases and imported memories go into another one of its languages.

        Without `into_id` it must be empty.
        """
        project = self.managed(actor, project_id)
        summary = next(one for one in self.store.projects(actor) if one.project.id == project_id)
        into = None if into_id is None else self.managed(actor, into_id)
        if into is None and (summary.num_documents or summary.num_term_bases):
            raise CommandError(
                "{name} is not empty: choose a project for its documents and glossaries first.", name=name_of(project)
            )
        if into is not None:
            if into.id == project.id:
                raise CommandError("A project cannot be moved into itself: choose another one.")
            check_fit(into, project.direction)
        moved = [one for one in self._workspaces() if one.project.id == project_id]
        self._log(actor, workspace, "delete", project, lambda db: delete_project(db, project_id, into_id), into=into)
        if into is not None:
            for one in moved:
                one.core.carry_out(partial(one.use_project, into))
            workspace.core.carry_out(lambda: self.share(actor, into.id, self.store.glossaries.term_bases(into.id)))

    def move(self, actor: Actor, session_id: int, project_id: int) -> None:
        """Puts a document into another project of its languages: it has the term bases and the memory there at once."""
        project = self.managed(actor, project_id)
        record = next((one for one in self.store.sessions(actor) if one.id == session_id), None)
        if record is None:
            raise CommandError("This document was deleted in the meantime: open the list of documents again.")
        check_fit(project, record.direction)
        if record.project_id == project_id:
            return
        self.store.people.access(actor).check_manages(record.project_id)
        moving = NewEvent("project", {"change": "move", **_named(project), "from": record.project_id})
        opened = next((one for one in self._workspaces() if one.session_id == session_id), None)
        if opened is None:
            self.store.append_all(
                actor, session_id, [moving], change=lambda db: move_session(db, session_id, project_id)
            )
            self.store.list_changes.whole()
            return

        def move(after: tuple[Glossary, ...]) -> None:
            def change(db: object) -> None:
                move_session(db, session_id, project_id)  # type: ignore[arg-type]
                follow_project(db, session_id, after)  # type: ignore[arg-type]

            events = [moving, NewEvent("glossary", shared_payload(after))]
            self.store.append_all(actor, session_id, events, change=change)
            opened.core.carry_out(lambda: opened.use_project(project))

        opened.glossaries.follow(actor, self.store.glossaries.term_bases(project_id), move=move)
        self.store.list_changes.whole()

    def share(
        self, actor: Actor, project_id: int, shared: tuple[Glossary, ...], besides: Workspace | None = None
    ) -> None:
        """Updates the term bases of a project's open documents; other documents read them when they are opened."""
        for workspace in self._workspaces():
            if workspace is not besides and workspace.project.id == project_id:
                try:
                    workspace.glossaries.follow(actor, shared)
                except LogError as error:
                    workspace.report(error.args[0])

    def _insert(self, actor: Actor, db: Database, project: Project, *, is_own: bool = False) -> int:
        """Adds a project, of which the actor, if they are a person, is the first member."""
        project_id = insert_project(db, project)
        if person := actor.name:
            add_member(db, project_id, person, is_own=is_own)
        return project_id

    def _checked(self, actor: Actor, project: Project, draft: ProjectDraft) -> Project:
        """The project with the draft's texts. Raises CommandError if they cannot be used."""
        name, client = _clean(draft.name), _clean(draft.client)
        if not name:
            raise CommandError("The project has no name: type one.")
        if draft.formality and draft.formality not in FORMALITIES:
            raise CommandError("{name!r} is not a form of address.", name=draft.formality)
        for other in self.store.projects(actor):
            is_same = (other.project.name, other.project.client) == (name, client)
            if (
                is_same
                and other.project.id != project.id
                and has_same_languages(other.project.direction, project.direction)
            ):
                raise CommandError("These languages already have a project “{name}”: choose another name.", name=name)
        return replace(
            project,
            name=name,
            client=client,
            formality=draft.formality,
            domain=_clean(draft.domain),
            shares_memory=draft.shares_memory,
            learns=draft.learns,
            has_review=draft.has_review,
        )

    def _log(
        self,
        actor: Actor,
        workspace: Workspace,
        change: str,
        project: Project,
        write: Callable[..., object],
        into: Project | None = None,
        details: Json | None = None,
    ) -> None:
        payload = {**_payload(change, project), **(details or {})}
        if into is not None:
            payload["into"] = _named(into)
        if project.id != workspace.project.id and self.store.people.has_roles:
            # The log of this document is read by members of its project, who need not know the other one.
            payload = {"change": change, "project": project.id, "direction": project.direction}
        self.store.append_all(actor, workspace.session_id, [NewEvent("project", payload)], change=write)
        self.store.people.changed()

    def _now_ms(self, actor: Actor) -> int:
        """The time, later than that of any choice so far."""
        newest = max((one.project.chosen_ms for one in self.store.projects(actor)), default=0)
        return max(time.time_ns() // 1_000_000, newest + 1)

    def _show(self, project: Project) -> None:
        """Shows a changed project in its open documents."""
        for workspace in self._workspaces():
            if workspace.project.id == project.id:
                workspace.core.carry_out(partial(workspace.use_project, project))


_EMPTY = Project(0, "", "", "", "", "", True)


def check_fit(project: Project, direction: str) -> None:
    """Raises CommandError unless the project is for the languages of a document."""
    if not has_same_languages(project.direction, direction):
        raise CommandError(
            "“{name}” is for {offered}, not for {direction}: choose a project of these languages.",
            name=name_of(project),
            offered=project.direction,
            direction=direction,
        )


def style_of(project: Project) -> Style:
    """The style of new documents."""
    named = {str(formality): formality for formality in FORMALITIES}
    return Style(named.get(project.formality), project.domain or None)


def name_of(project: Project) -> str:
    """The project's name; "My project" if it has no name."""
    return project.name or Message("My project")


def _named(project: Project) -> Json:
    return {"project": project.id, "name": project.name, "direction": project.direction}


def _payload(change: str, project: Project) -> Json:
    names = ("client", "formality", "domain", "min_match", "other_penalty", "import_penalty", "learns", "has_review")
    return {"change": change, **_named(project), **{name: getattr(project, name) for name in names}}


def _row(summary: ProjectSummary) -> Json:
    project = summary.project
    return {
        "id": project.id,
        "name": project.name,
        "client": project.client,
        "direction": project.direction,
        "formality": project.formality,
        "domain": project.domain,
        "shares_memory": project.shares_memory,
        "learns": project.learns,
        "has_review": project.has_review,
        "deadline_ms": project.deadline_ms,
        "num_documents": summary.num_documents,
        "num_term_bases": summary.num_term_bases,
        "num_terms": summary.num_terms,
    }


def _clean(text: str) -> str:
    """The text on one line. Raises CommandError if it is too long."""
    text = " ".join(one_line(text).split())
    if len(text) > MAX_NAME_CHARACTERS:
        raise CommandError(
            "“{text}…” has {count} characters; a name may have up to {limit}.",
            text=text[:40],
            count=len(text),
            limit=MAX_NAME_CHARACTERS,
        )
    return text
