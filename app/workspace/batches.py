"""Changes of many segments in one step, which can be undone and redone as one: replacing, repetitions.

Each changed segment has its own events in the log, all of a step in one transaction. Undo skips a segment that was
changed after the step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.log.changes import ReportedChange
from app.segments.clean_texts import clean_comment, clean_target
from app.segments.find_replace import Query, found_in, text_for
from app.segments.state import Json, Origin, SegmentState, State
from app.segments.text_changes import LogEvents, batch_events, confirmed
from app.workspace.core import UnitOfWork, WorkspaceCore

BatchOrigin = Literal["replace", "propagated", "memory", "review", "source", "typed", "undo", "redo"]
# A segment before and after, and the changes of its text where they are known.
_Share = tuple[SegmentState, SegmentState, Sequence[ReportedChange]]


@dataclass(frozen=True, slots=True)
class _Change:
    """One segment in a step: its state before and after."""

    before: SegmentState
    after: SegmentState

    def is_due(self, now: SegmentState, *, is_undo: bool) -> bool:
        """True if the segment has the state after the step, such as when later steps were undone, and is not locked."""
        left = self.after if is_undo else self.before
        if now.lock or (self.has_comment and now.comment != left.comment):
            return False
        return (now.target, now.state == "confirmed") == (left.target, left.state == "confirmed")

    @property
    def has_comment(self) -> bool:
        """True if the step changes the comment."""
        return self.before.comment != self.after.comment


@dataclass(frozen=True, slots=True)
class ReviewedSegment:
    """What a reviewer outside of Pinpoint changed in a segment: the text before and after it, and new comments.

    `text` is None if only comments are new.
    """

    index: int
    before: str
    text: str | None
    comments: Sequence[str] = ()


class Batches:
    """The steps of one document."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self._steps: list[list[_Change]] = []
        self._by_source: dict[str, list[int]] = {}
        self._forms: Mapping[int, str] | None = None  # of the segments, once needed
        self._by_source_at = -2  # the order stamp that it was built at

    def find(self, actor: Actor, query: Query) -> Json:
        """The occurrences of the text that `replace` would change, with a preview; see `found_in`."""
        with self._core.lock:
            self._core.look_at_parts()
            return found_in(self._core.in_order(), query, self._core.parts.held_by_others(actor))

    def replace(self, actor: Actor, query: Query, indices: Sequence[int] | None = None) -> Json:
        """Replaces in these segments, or in all that the query looks into; a confirmed one stays confirmed."""
        core = self._core
        with core.command(actor) as work:
            chosen = None if indices is None else {core.segment(index).index for index in indices}
            segments = [one for one in core.in_order_to_change(actor) if chosen is None or one.index in chosen]
            changes = []
            for segment in segments:
                text = text_for(segment, query)
                if text is None or not (spans := query.spans(text)):
                    continue
                new = clean_target(query.replaced(text))
                state: State = "confirmed" if segment.state == "confirmed" and new.strip() else "edited"
                after = replace(segment, target=new, state=state, origin=segment.origin or "typed")
                # From the last place to the first, so that the offsets of the others stay right.
                reported = [(start, end - start, query.replacement, "replace") for start, end in reversed(spans)]
                changes.append((segment, after, reported))
            step = self._make(work, changes, "replace")
        return {**step, "num_places": sum(len(reported) for _, _, reported in changes)}

    def confirm_matches(self, actor: Actor) -> Json:
        """Confirms all segments with a filled-in exact match, except segments with findings."""
        core = self._core
        with core.command(actor) as work:
            number, step = len(self._steps), []
            for segment in core.in_order_to_change(actor):
                if not segment.is_exact_match or segment.attention:
                    continue
                after = confirmed(segment, segment.target or "")
                payload: Json = {
                    "text": segment.target,
                    "machine_text": segment.machine_text,
                    "is_unchanged": segment.target == segment.machine_text,
                    "attention": "",
                    "findings": [],
                    "step": number,
                }
                work.change(after, [("confirm", payload)])
                step.append(_Change(segment, after))
            return self._kept(work, number, step)

    def fill_matches(self, actor: Actor, min_rate: int) -> Json:
        """Fills segments without text or constraints of a person with their best match of at least that rate."""
        core = self._core
        with core.command(actor) as work:
            changes: list[_Share] = []
            for segment in core.in_order_to_change(actor):
                text = clean_target(segment.match_text)
                if segment.can_be_filled and segment.match_rate >= min_rate and text.strip():
                    state: State = "pretranslated"
                    rate = segment.match_rate
                    after = replace(segment, target=text, state=state, origin="memory", filled_rate=rate)
                    changes.append((segment, after, ()))
            return self._make(work, changes, "memory")

    def put(self, actor: Actor, indices: Sequence[int], *, is_source: bool) -> Json:
        """Puts the source into these segments, or empties them; those that the actor may not change stay."""
        core = self._core
        with core.command(actor) as work:
            chosen = {core.segment(index).index for index in indices}
            changes: list[_Share] = []
            for segment in core.in_order_to_change(actor):
                text = clean_target(segment.source) if is_source else ""
                if segment.index in chosen and text != (segment.text or ""):
                    changes.append((segment, replace(segment, target=text, state="edited", origin="typed"), ()))
            return self._make(work, changes, "source" if is_source else "typed")

    def propagate(self, work: UnitOfWork, source: SegmentState) -> Json | None:
        """Fills segments with the same source whose text was not typed by a person; None if there are none."""
        origin: Origin = "propagated"
        held = self._core.parts.held_by_others(work.actor)
        others = (self._core.segments[index] for index in self._repetitions(source) if index not in held)
        changes = [
            (other, replace(other, target=source.target, state="edited", origin=origin), ())
            for other in others
            if other.is_open and other.origin != "typed" and other.target != source.target
        ]
        return self._make(work, changes, "propagated") if changes else None

    def take_review(self, actor: Actor, reviewed: Sequence[ReviewedSegment], first: LogEvents | None = None) -> Json:
        """Takes over the texts and comments of a reviewer; the segments have to be confirmed again.

        The events `first` about the document come before. Raises CommandError, and changes nothing, if one of the
        segments has another text by now.
        """
        core = self._core
        with core.command(actor) as work:
            for event_type, payload in first or ():
                work.log(event_type, payload)
            changes: list[_Share] = []
            for one in {each.index: each for each in reviewed}.values():
                segment = core.segment(one.index)
                if (segment.target or "") != one.before:
                    raise CommandError(
                        "The text of segment {index} has changed in the meantime: import the file again.",
                        index=core.number(one.index),
                    )
                after = replace(segment, comment=with_comments(segment.comment, one.comments))
                if one.text is not None and (text := clean_target(one.text)) != segment.target:
                    after = replace(after, target=text, state="edited", origin="typed")
                if after != segment:
                    changes.append((segment, after, ()))
            return self._make(work, changes, "review")

    def step(self, actor: Actor, number: int, *, is_undo: bool) -> Json:
        """Undoes a step, or redoes it. Returns how many segments were changed, and how many were left."""
        core = self._core
        with core.command(actor) as work:
            if not 0 <= number < len(self._steps):
                raise CommandError(
                    "This step can no longer be undone, because the document was closed in the meantime."
                )
            due = [
                change
                for change in self._steps[number]
                if change.is_due(core.segments[change.before.index], is_undo=is_undo)
            ]
            targets = [change.before if is_undo else change.after for change in due]
            self._change(
                work,
                [
                    (current, replace(current, target=to.target, state=to.state, origin=to.origin, comment=comment), ())
                    for change, to in zip(due, targets, strict=True)
                    for current in [core.segments[change.before.index]]
                    for comment in [to.comment if change.has_comment else current.comment]
                ],
                "undo" if is_undo else "redo",
                number,
            )
            return {"num_segments": len(due), "num_left": len(self._steps[number]) - len(due)}

    def _make(self, work: UnitOfWork, changes: Sequence[_Share], origin: BatchOrigin) -> Json:
        number = len(self._steps)
        afters = self._change(work, changes, origin, number)
        step = [_Change(before, after) for (before, _, _), after in zip(changes, afters, strict=True)]
        return self._kept(work, number, step)

    def _kept(self, work: UnitOfWork, number: int, step: list[_Change]) -> Json:
        """Keeps a step for undo, unless it changes nothing; the reply to its command."""
        if step:
            work.then(lambda: self._steps.append(step))
        return {"step": number, "segments": [change.after.index for change in step]}

    @staticmethod
    def _change(work: UnitOfWork, changes: Iterable[_Share], origin: BatchOrigin, number: int) -> list[SegmentState]:
        afters = []
        for before, changed, reported in changes:
            after = replace(changed, version=before.version + 1)
            payload: Json = {"origin": origin, "state": after.state, "step": number}
            if origin == "memory":
                payload["rate"] = after.filled_rate
            events: LogEvents = []
            if before.comment != after.comment:
                events.append(("comment", {"text": after.comment, "origin": origin, "step": number}))
            if not events or (before.target, before.state) != (after.target, after.state):
                events += batch_events(before, after, payload, reported)
            work.change(after, events)
            afters.append(after)
        return afters

    def _repetitions(self, segment: SegmentState) -> list[int]:
        """The other segments with the same source, unless they are another form of a message, such as a plural."""
        if self._by_source_at != self._core.order_stamp:
            self._by_source = defaultdict(list)
            for other in self._core.in_order():
                self._by_source[other.source].append(other.index)
            self._by_source_at = self._core.order_stamp
            self._forms = None
        others = [index for index in self._by_source.get(segment.source, ()) if index != segment.index]
        if others and self._forms is None:
            self._forms = self._core.document.forms()
        forms = self._forms or {}
        return [index for index in others if forms.get(index) == forms.get(segment.index)]


def with_comments(comment: str, new: Iterable[str]) -> str:
    """A segment's comment with further ones, each once. Raises CommandError if it is too long."""
    lines = comment.split("\n") if comment else []
    for text in new:
        if not set(text.split("\n")) <= set(lines):
            lines.append(text)
    return clean_comment("\n".join(lines)) if len(lines) else ""
