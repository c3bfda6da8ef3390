"""The command that shows who did what when."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.access.actor import Actor
from app.reports.audit import PAGE_ROWS, AuditFilter, AuditKind, audit_rows, managed_sessions
from app.segments import Json
from app.sessions import Sessions
from app.ui import project_results as r
from app.ui.commands.command import Command
from app.ui.schemas import Integer, Name
from app.workspace.commands import Workspace


class ShowActivity(Command):
    """Events of a person ("" is the owner), a document and a kind, or of all; those before the place `before`."""

    name: Literal["activity"]
    result: ClassVar[Any] = r.ActivityList
    person: Name | None = None
    session: Integer | None = None
    kind: AuditKind | None = None
    before: Annotated[tuple[Integer, Integer, Integer], Field(strict=False)] | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        store = sessions.store
        rows = audit_rows(actor, store, AuditFilter(self.person, self.session, self.kind), self.before)
        managed = managed_sessions(actor, store)
        projects = {summary.project_id for summary in managed}
        members = {name for number in projects for name in store.people.members(number)}
        return {
            "rows": [asdict(row) for row in rows],
            "is_more": len(rows) == PAGE_ROWS,
            "people": sorted(members | {row.person for row in rows}, key=str.casefold),
            "documents": [{"session": summary.id, "name": summary.shown_name} for summary in managed],
        }
