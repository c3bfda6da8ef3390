"""From the text a segment had to the one a person wants now: the state that follows, and what the log is told.

Plain rules; knows nothing of storage, threads or the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.log.changes import ReportedChange, change_events, reported_changes, smallest_change, whole_change
from app.log.records import EventType
from app.segments.constraint_changes import MAX_TARGET_CHARACTERS, one_line
from app.segments.state import Json, SegmentState

EditOrigin = Literal[
    "typed", "hypothesis", "proposal", "rest", "completion", "case", "source", "memory", "undo", "redo", "restored"
]
# How a person's text may change while they write, as the page tells it: "other" is what no key and no paste brought,
# such as dictation or a browser's extension.
ReportedOrigin = Literal["typed", "paste", "spelling", "other"]
LogEvents = list[tuple[EventType, Json]]
_MACHINE_ORIGINS: Final = frozenset({"hypothesis", "rest"})
_WHOLE_ORIGINS: Final = frozenset({"hypothesis", "rest", "source", "memory"})
_STEP_EVENTS: Final[dict[str, EventType]] = {"undo": "undo", "redo": "redo"}


@dataclass(frozen=True, slots=True)
class ReportedEdit:
    """What the page says of an edit: which text it was made to, and what happened to it, one change after the other."""

    before: str
    changes: Sequence[ReportedChange]


def edited(segment: SegmentState, text: str | None, origin: EditOrigin) -> SegmentState:
    """The segment with this text, which came about by `origin`; with None it goes back to the machine's."""
    version = segment.version + 1
    if text is None:
        state: Literal["new", "pretranslated"] = "new" if segment.machine_text is None else "pretranslated"
        return replace(segment, target=None, origin=None, state=state, version=version)
    by: Literal["hypothesis", "typed"] = "hypothesis" if origin in _MACHINE_ORIGINS else "typed"
    return replace(segment, target=text, origin=by, state="edited", version=version)


def edit_events(
    segment: SegmentState, text: str | None, origin: EditOrigin, rank: int | None, told: ReportedEdit | None
) -> LogEvents:
    """What the log is told of `edited`; `rank` is that of the hypothesis taken, from 0.

    What the page tells counts where it leads from the text before to this one. Where it does not, the smallest change
    does, of origin "unknown".
    """
    if text is None or origin in _STEP_EVENTS:
        return [(_STEP_EVENTS.get(origin, "edit"), {"text": text, "origin": origin})]
    before = segment.text or ""
    if origin in _WHOLE_ORIGINS:
        name = "n-best" if origin == "hypothesis" else origin
        events = change_events([whole_change(before, text, name)], _base(segment, before))
        if origin in _MACHINE_ORIGINS:
            events.insert(0, ("hypothesis_taken", {"origin": name} | ({} if rank is None else {"rank": rank})))
        return events
    if told is None:
        return change_events([smallest_change(before, text, origin)], _base(segment, before))
    if segment.target is None and len(told.before) <= MAX_TARGET_CHARACTERS:
        before = one_line(told.before)  # the machine may have said something else since
    cleaned = [(offset, num_removed, one_line(new), by) for offset, num_removed, new, by in told.changes]
    changes = reported_changes(before, text, cleaned)
    if changes is None:
        before = segment.text or ""
        changes = [smallest_change(before, text, "unknown")]
    return change_events(changes, _base(segment, before))


def batch_events(
    segment: SegmentState, after: SegmentState, said: Json, told: Sequence[ReportedChange] = ()
) -> LogEvents:
    """What the log is told of one segment's share of a step in many; `said` is what each event says of the step.

    `told` are its changes where they are known; without them all of its text makes way for the other.
    """
    text, origin = after.target, said["origin"]
    if text is None or origin in _STEP_EVENTS:
        return [(_STEP_EVENTS.get(origin, "edit"), {"text": text, **said})]
    before = segment.text or ""
    changes = reported_changes(before, text, told) or [whole_change(before, text, origin)]
    return [(name, {**said, **payload}) for name, payload in change_events(changes, _base(segment, before))]


def confirmed(segment: SegmentState, text: str) -> SegmentState:
    """The segment with which the person is done, in these words."""
    by = segment.origin if text == segment.target else "hypothesis" if text == segment.machine_text else "typed"
    return replace(segment, target=text, origin=by, state="confirmed", version=segment.version + 1)


def translator_work(segment: SegmentState) -> tuple[object, ...]:
    """What a person made of a segment, to compare: its source, text, comment and constraints, whether it is done."""
    text = None if segment.is_from_memory else segment.target
    wishes = (segment.pins, segment.terms_off, segment.bans, segment.beginning, segment.locked)
    return segment.source, text, segment.state == "confirmed", segment.comment, *wishes


def reopened(segment: SegmentState) -> SegmentState:
    """The segment with its confirmation taken back; the text stays."""
    return replace(segment, state="edited", version=segment.version + 1)


def _base(segment: SegmentState, before: str) -> str | None:
    """What the log has to be told beside a change: the text that it was made to, where that was not the person's."""
    return before if segment.target is None else None
