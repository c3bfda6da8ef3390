"""Commands about the glossaries of the document and its own terms."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from app.access.actor import Actor
from app.glossary.model import Case, Matching, Status
from app.glossary.reading.row_checks import RowDecision
from app.segments import Json
from app.sessions import Sessions
from app.ui import glossary_results as r
from app.ui.commands.command import Command, SegmentCommand
from app.ui.schemas import Integer, Line, List, Table
from app.workspace.commands import Workspace
from app.workspace.glossaries import Scope
from app.workspace.term_grid import edit_term


class ImportGlossary(Command):
    """Uses a glossary that was uploaded: number `import`, with these fixes, and targets for empty ones.

    `decisions` are those on messy rows, `others` the decision on the messy rows without one.
    """

    name: Literal["import_glossary"]
    result: ClassVar[Any] = r.UsedImport
    import_: Integer = Field(alias="import")
    fixes: List[Line]
    fills: Table[str]
    decisions: Table[RowDecision]
    others: RowDecision

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossary_imports.use(actor, self.import_, self.fixes, self.fills, self.decisions, self.others)


class ImportSampleGlossary(Command):
    """Uses the glossary that comes with the sample document."""

    name: Literal["import_sample_glossary"]
    result: ClassVar[Any] = r.ImportedGlossary

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.import_sample_glossary(actor, workspace)


class ShareGlossary(Command):
    """Makes a glossary of the document a term base of its project."""

    name: Literal["glossary_share"]
    result: ClassVar[Any] = r.GlossaryChange
    glossary: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.share(actor, self.glossary)


class MergeGlossary(Command):
    """Adds the terms of a glossary to another one and removes it."""

    name: Literal["glossary_merge"]
    result: ClassVar[Any] = r.GlossaryChange
    glossary: Integer
    into: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.merge(actor, self.glossary, self.into)


class RemoveGlossary(Command):
    """Removes a glossary from the document, and a term base from its project."""

    name: Literal["glossary_remove"]
    result: ClassVar[Any] = r.GlossaryChange
    glossary: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.remove(actor, self.glossary)


class SwitchGlossary(Command):
    """Switches a glossary on or off."""

    name: Literal["glossary_switch"]
    result: ClassVar[Any] = r.GlossaryChange
    glossary: Integer
    is_on: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.switch(actor, self.glossary, self.is_on)


class OrderGlossaries(Command):
    """The glossaries by priority, the highest first."""

    name: Literal["glossary_order"]
    result: ClassVar[Any] = r.GlossaryChange
    order: List[Integer] | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.arrange(actor, self.order or ())


class UndoGlossaryChange(Command):
    """Undoes the last change of the glossaries."""

    name: Literal["glossary_undo"]
    result: ClassVar[Any] = r.GlossaryChange

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.undo(actor)


class EditTerm(Command):
    """Changes a term of a glossary; `number` null adds one."""

    name: Literal["term_edit"]
    result: ClassVar[Any] = r.EditedTerm
    glossary: Integer
    number: Integer | None = None
    source: Line
    target: Line
    variants: List[Line]
    status: Status
    case: Case
    matching: Matching
    note: Line

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return edit_term(
            actor,
            workspace.glossaries,
            self.glossary,
            self.number,
            source=self.source,
            target=self.target,
            variants=self.variants,
            status=self.status,
            case=self.case,
            matching=self.matching,
            note=self.note,
        )


class RemoveGlossaryTerm(Command):
    """Removes a term from a glossary."""

    name: Literal["term_remove"]
    result: ClassVar[Any] = r.GlossaryChange
    glossary: Integer
    number: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.edit(actor, self.glossary, {self.number: None})


class AddTerm(SegmentCommand):
    """Makes a pin a term of the document, of a glossary, or of a term base of the project."""

    name: Literal["add_term"]
    result: ClassVar[Any] = r.AddedTerm
    source: Line
    target: Line
    scope: Scope

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.add_term(actor, self.segment, self.source, self.target, self.scope)


class RemoveTerm(Command):
    """Removes a term of the document."""

    name: Literal["remove_term"]
    result: ClassVar[Any] = r.Retranslated
    source: Line
    target: Line

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.glossaries.remove_term(actor, self.source, self.target)
