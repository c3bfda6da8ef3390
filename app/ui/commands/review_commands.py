"""Commands about review tables: Word documents in which a reviewer outside of Pinpoint has worked."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from app.access.actor import Actor
from app.segments import Json
from app.sessions import Sessions
from app.ui import results as r
from app.ui.commands.command import Command
from app.ui.schemas import FileBytes, Integer, Line, List, PageModel
from app.workspace.batches import ReviewedSegment
from app.workspace.commands import Workspace
from app.workspace.review_import import compare_review


class CompareReview(Command):
    """Shows what the reviewer has changed in a review table, without changing anything."""

    name: Literal["compare_review"]
    result: ClassVar[Any] = r.ReviewDifferences
    file: Line
    data: FileBytes

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        tables = sessions.files.word_tables(self.data, self.file)
        found = compare_review(actor, workspace.core, tables, self.file)
        return {"rows": [difference.view() for difference in found.differences], "notes": [*found.notes]}


class ChosenChange(PageModel):
    """A change of a reviewer: the text before and after it, null if it stays, and new comments."""

    segment: Integer
    before: str
    text: str | None
    comments: List[str]


class TakeReview(Command):
    """Takes over the chosen changes of a reviewer, all or none of them."""

    name: Literal["take_review"]
    result: ClassVar[Any] = r.BatchStep
    changes: List[ChosenChange]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        reviewed = [ReviewedSegment(one.segment, one.before, one.text, one.comments) for one in self.changes]
        return workspace.batches.take_review(actor, reviewed)
