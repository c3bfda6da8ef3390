"""Commands about one segment: its text, constraints and state, and the keys pressed in it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.access.actor import Actor
from app.segments import Json
from app.segments.segment_constraints import ConstraintOrigin
from app.segments.text_changes import EditOrigin, ReportedEdit, ReportedOrigin
from app.sessions import Sessions
from app.ui import results as r
from app.ui.commands.command import SegmentCommand, StepOrigin
from app.ui.schemas import Count, Integer, List, Name, PageModel, SegmentConstraints, Table
from app.workspace.activity import MAX_KEY_CHARACTERS, MAX_PRESSES
from app.workspace.commands import Workspace


class OpenSegment(SegmentCommand):
    """The person goes to this segment."""

    name: Literal["open"]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.open(actor, self.segment)


class LeaveSegment(SegmentCommand):
    """The person looks elsewhere: another window, another tab."""

    name: Literal["leave"]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.leave(actor, self.segment)


class EditReport(PageModel):
    """The changes of the text since `before`, in order: [offset, characters removed, new text, origin]."""

    before: str
    changes: List[Annotated[tuple[Integer, Integer, str, ReportedOrigin], Field(strict=False)]]


class EditText(SegmentCommand):
    """The person's text for a segment; null: the machine's again.

    `rank` is that of an adopted hypothesis or alternative, from 0, `match_rate` that of an inserted match of the
    memory, in percent.
    """

    name: Literal["edit"]
    text: str | None
    origin: EditOrigin
    rank: Integer | None = None
    match_rate: Annotated[Integer, Field(ge=0, le=100)] | None = None
    reported: EditReport | None = None
    client: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        reported = self.reported
        workspace.edit(
            actor,
            self.segment,
            self.text,
            self.origin,
            rank=self.rank,
            match_rate=self.match_rate,
            reported=None if reported is None else ReportedEdit(reported.before, reported.changes),
            client=self.client,
        )


class SetConstraints(SegmentCommand):
    """Sets all constraints of a segment. `rank` is that of an adopted alternative, from 0."""

    name: Literal["constrain"]
    constraints: SegmentConstraints
    origin: ConstraintOrigin
    rank: Integer | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.constrain(actor, self.segment, self.constraints.value(), origin=self.origin, rank=self.rank)


class ConfirmSegment(SegmentCommand):
    """Confirms the segment. `origin` is set if an undo or a redo confirms it, not the person."""

    name: Literal["confirm"]
    result: ClassVar[Any] = r.BatchStep | None
    text: str
    origin: StepOrigin | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json | None:
        return workspace.confirm(actor, self.segment, self.text, is_new=self.origin is None, client=self.client)


class ReopenSegment(SegmentCommand):
    """Takes a confirmation back."""

    name: Literal["reopen"]
    origin: StepOrigin | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.reopen(actor, self.segment)


class SetComment(SegmentCommand):
    """The person's comment on a segment; an empty one is removed."""

    name: Literal["comment"]
    text: str

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.comment(actor, self.segment, self.text)


class ReviewSegment(SegmentCommand):
    """Approves or returns a text, or takes the decision back. A returned text needs a comment, unless it is a redo.

    `text` is the text that the person saw.
    """

    name: Literal["review"]
    decision: Literal["approved", "returned", ""]
    text: str
    comment: str = ""
    origin: StepOrigin | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.review.decide(
            actor, self.segment, self.decision, self.text, self.comment, is_new=self.origin is None, client=self.client
        )


class AddRemark(SegmentCommand):
    """Adds a remark to the conversation of translator and reviewer about a segment."""

    name: Literal["remark"]
    text: str

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.review.remark(actor, self.segment, self.text)


class CheckText(SegmentCommand):
    """Checks a text of a segment before it is confirmed."""

    name: Literal["check"]
    result: ClassVar[Any] = r.Findings
    text: str

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.checking.show(actor, self.segment, self.text)


class SplitSegment(SegmentCommand):
    """Splits a segment before a character of its source, counted in code points."""

    name: Literal["split"]
    result: ClassVar[Any] = r.DivisionStep
    offset: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.structure.split(actor, self.segment, self.offset)


class MergeSegments(SegmentCommand):
    """Merges a segment with the next one."""

    name: Literal["merge"]
    result: ClassVar[Any] = r.DivisionStep

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.structure.merge(actor, self.segment)


class FindMatches(SegmentCommand):
    """Looks up a segment in the translation memory."""

    name: Literal["matches"]
    result: ClassVar[Any] = r.Matches

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.memory.matches(actor, self.segment)


class FindEarlierStates(SegmentCommand):
    """Finds the earlier texts and constraints of a segment: undo returns to them after a reload of the page."""

    name: Literal["earlier"]
    result: ClassVar[Any] = r.EarlierStates

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.earlier(actor, self.segment)


class CountKeys(SegmentCommand):
    """Keys pressed since the last message, by class; with consent also each key and each position of the caret.

    `presses` are [milliseconds, key], `carets` [milliseconds, start, end of the selection].
    """

    name: Literal["keys"]
    counts: Table[Integer]
    presses: (
        Annotated[
            List[Annotated[tuple[Integer, Annotated[str, Field(max_length=MAX_KEY_CHARACTERS)]], Field(strict=False)]],
            Field(max_length=MAX_PRESSES),
        ]
        | None
    ) = None
    carets: (
        Annotated[List[Annotated[tuple[Integer, Integer, Integer], Field(strict=False)]], Field(max_length=MAX_PRESSES)]
        | None
    ) = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        presses, carets = ([list(row) for row in rows or ()] for rows in (self.presses, self.carets))
        workspace.activity.keys(actor, self.segment, self.counts, presses, carets)


class ReportIdle(SegmentCommand):
    """Reports that the person has not done anything for this many milliseconds."""

    name: Literal["idle"]
    idle_ms: Count

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.activity.idle(actor, self.segment, self.idle_ms)
