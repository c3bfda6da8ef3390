"""Review of one document: a reviewer approves or returns confirmed segments, and talks with the translator about them.

Everything is in the log alone: the decisions as events, each with its text and person, and the remarks, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.i18n import Message
from app.log.notices import note_returned
from app.log.project_tables import Project
from app.segments.clean_texts import clean_comment, clean_target
from app.segments.state import Json, SegmentState, Verdict
from app.segments.text_changes import LogEvents
from app.workspace.activity import Activity
from app.workspace.checking import Checking
from app.workspace.core import UnitOfWork, WorkspaceCore
from app.workspace.writers import Writers

Decision = Literal["approved", "returned", ""]


class ReviewDesk:
    """The decisions and remarks about the segments of one document."""

    def __init__(
        self,
        core: WorkspaceCore,
        writers: Writers,
        checking: Checking,
        activity: Activity,
        project: Callable[[], Project],
    ) -> None:
        """`project` returns the document's project as it is now."""
        self._core = core
        self._writers = writers
        self._checking = checking
        self._activity = activity
        self._project = project

    def decide(
        self,
        actor: Actor,
        index: int,
        decision: Decision,
        text: str,
        comment: str = "",
        *,
        is_new: bool = True,
        client: str = "",
    ) -> None:
        """Approves or returns the text of a segment; with "", takes the decision back.

        Approving confirms a text that is not confirmed yet. Only a confirmed segment can be returned, with a comment
        unless it is a redo (`is_new` False). Raises CommandError, also if the person may not review or if the segment
        has another text by now.
        """
        core = self._core
        with core.command(actor) as work:
            self._check_review()
            core.store.people.access(actor).check_reviews(self._project().id)
            segment, text = core.segment(index), clean_target(text)
            if not decision:
                self._note(work, segment, decision)
                self._take_back(work, segment)
                return
            if segment.target not in (None, text):
                raise CommandError(
                    "The text of segment {index} has changed in the meantime: read it first.", index=core.number(index)
                )
            if segment.review == decision:
                return
            self._note(work, segment, decision)
            if decision == "approved":
                if segment.state != "confirmed":
                    segment = self._confirm(work, segment, text, client)
                self._change(work, segment, decision)
                return
            if segment.state != "confirmed":
                raise CommandError(
                    "Segment {index} is not confirmed, so it cannot be returned.", index=core.number(index)
                )
            comment = clean_comment(comment)
            if is_new and not comment:
                raise CommandError(
                    "Segment {index}: write a comment that explains why it is returned.", index=core.number(index)
                )
            after = self._change(work, segment, decision)
            if comment:
                self._add_remark(work, after, comment)

    def remark(self, actor: Actor, index: int, text: str) -> None:
        """Adds a remark to the conversation about a segment. Raises CommandError if it is empty."""
        with self._core.command(actor) as work:
            self._check_review()
            segment, text = self._core.segment(index), clean_comment(text)
            if not text:
                raise CommandError("The comment is empty: type one.")
            self._add_remark(work, segment, text)

    def remarks(self, index: int) -> list[Json]:
        """The conversation about a segment, the first remark first, each with the text that it returned, or ""."""
        if not self._core.segments[index].num_remarks:
            return []
        query = """
            SELECT remark.wall_ms, coalesce(json_extract(remark.payload, '$.person'), '') AS person,
                json_extract(remark.payload, '$.text') AS text,
                coalesce(json_extract(decision.payload, '$.text'), '') AS returned
            FROM event AS remark
                LEFT JOIN event AS decision ON decision.session_id = remark.session_id
                    AND decision.seq = remark.seq - 1 AND decision.segment_index = remark.segment_index
                    AND decision.type = 'review' AND json_extract(decision.payload, '$.decision') = 'returned'
            WHERE remark.session_id = ? AND remark.segment_index = ? AND remark.type = 'remark' ORDER BY remark.seq
        """
        log = self._core.store.connection
        return log.rows(Message("read the events"), query, (self._core.session_id, index))

    def _check_review(self) -> None:
        if not self._project().has_review:
            raise CommandError("Review is off in this project: a manager can switch it on in “Projects”.")

    def _confirm(self, work: UnitOfWork, segment: SegmentState, text: str, client: str) -> SegmentState:
        if not text.strip():
            raise CommandError(
                "Segment {index} has no translation to confirm: type one first.", index=self._core.number(segment.index)
            )
        self._writers.check_confirmation(work.actor, segment, client, text)
        work.then(lambda: self._writers.wrote(work.actor, segment.index, client))
        after = self._checking.confirm(work, segment, text, is_by_review=True)
        self._activity.use_terms(work, after)
        return after

    def _take_back(self, work: UnitOfWork, segment: SegmentState) -> None:
        if not segment.review:
            return
        payload: Json = {"decision": "", "text": segment.target}
        if segment.review == "returned":
            payload["state"] = "confirmed"
        after = replace(segment, verdict=None, state="confirmed", version=segment.version + 1)
        work.change(after, [("review", payload)])

    def _note(self, work: UnitOfWork, segment: SegmentState, decision: Decision) -> None:
        """Adds the notice to the translator of a segment that is returned, or takes it back."""
        change = (decision == "returned") - (segment.review == "returned")
        if change and (translator := self._translator(segment.index)):
            core = self._core
            work.write(lambda db: note_returned(work.actor, db, core.session_id, translator, change))
            work.then(core.store.news.changed)

    def _translator(self, index: int) -> str:
        """The person to whom a segment is assigned, otherwise the person who confirmed it last; "" without one."""
        if person := self._core.parts.current().get(index):
            return person
        query = """
            SELECT coalesce(json_extract(payload, '$.person'), '') AS person FROM event
            WHERE session_id = ? AND segment_index = ? AND (type = 'confirm' OR type IN (
                'insert', 'delete', 'paste', 'edit', 'undo', 'redo') AND json_extract(payload, '$.state') = 'confirmed')
            ORDER BY seq DESC LIMIT 1
        """
        log = self._core.store.connection
        rows = log.rows(Message("read the events"), query, (self._core.session_id, index))
        return str(rows[0]["person"]) if rows else ""

    @staticmethod
    def _change(work: UnitOfWork, segment: SegmentState, decision: Literal["approved", "returned"]) -> SegmentState:
        text = segment.target or ""
        after = replace(segment, verdict=Verdict(decision, text), version=segment.version + 1)
        payload: Json = {"decision": decision, "text": text}
        if decision == "returned":
            after, payload["state"] = replace(after, state="edited"), "edited"
        events: LogEvents = [("review", payload)]
        work.change(after, events)
        return after

    @staticmethod
    def _add_remark(work: UnitOfWork, segment: SegmentState, text: str) -> None:
        after = replace(segment, num_remarks=segment.num_remarks + 1, version=segment.version + 1)
        work.change(after, [("remark", {"text": text})])
