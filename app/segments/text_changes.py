"""Changes of a segment's text: the next state and the log events.

Pure functions, independent of storage, threads and the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.log.changes import ReportedChange, change_events, reported_changes, smallest_change, whole_change
from app.log.records import EventType
from app.segments.clean_texts import MAX_TARGET_CHARACTERS, one_line
from app.segments.state import Json, SegmentState

EditOrigin = Literal[
    "typed",
    "hypothesis",
    "proposal",
    "rest",
    "revision",
    "alternative",
    "completion",
    "case",
    "source",
    "memory",
    "undo",
    "redo",
    "restored",
]
# How the page reports that a text changed while typing. "other" is neither key nor paste, such as dictation or a
# browser extension.
ReportedOrigin = Literal["typed", "paste", "spelling", "other"]
LogEvents = list[tuple[EventType, Json]]
_MACHINE_ORIGINS: Final = frozenset({"hypothesis", "rest"})
_WHOLE_ORIGINS: Final = frozenset({"hypothesis", "rest", "source", "memory"})
_STEP_EVENTS: Final[dict[str, EventType]] = {"undo": "undo", "redo": "redo"}


@dataclass(frozen=True, slots=True)
class ReportedEdit:
    """An edit as reported by the page: the text before, and the changes made to it in order."""

    before: str
    changes: Sequence[ReportedChange]


def edited(segment: SegmentState, text: str | None, origin: EditOrigin) -> SegmentState:
    """The segment with this text from `origin`; None restores the machine translation."""
    version = segment.version + 1
    if text is None:
        state: Literal["new", "pretranslated"] = "new" if segment.machine_text is None else "pretranslated"
        return replace(segment, target=None, origin=None, state=state, version=version)
    by: Literal["hypothesis", "typed"] = "hypothesis" if origin in _MACHINE_ORIGINS else "typed"
    return replace(segment, target=text, origin=by, state="edited", version=version)


def edit_events(
    segment: SegmentState,
    text: str | None,
    origin: EditOrigin,
    rank: int | None,
    reported: ReportedEdit | None,
    match_rate: int | None = None,
) -> LogEvents:
    """The log events for `edited`.

    `rank` is the rank of the chosen hypothesis or alternative, from 0, `match_rate` that of the inserted match in
    percent.

    Uses the changes that the page reported if they turn the previous text into the new one. Otherwise logs the smallest
    change, with origin "unknown".
    """
    if text is None or origin in _STEP_EVENTS:
        return [(_STEP_EVENTS.get(origin, "edit"), {"text": text, "origin": origin})]
    before = segment.text or ""
    if origin in _WHOLE_ORIGINS:
        name = "n-best" if origin == "hypothesis" else origin
        events = change_events([whole_change(before, text, name)], _base(segment, before))
        if origin in _MACHINE_ORIGINS:
            events.insert(0, ("hypothesis_taken", {"origin": name} | ({} if rank is None else {"rank": rank})))
        if origin == "memory" and match_rate is not None:
            events = [(kind, {**payload, "rate": match_rate}) for kind, payload in events]
        return events
    if reported is None:
        events = change_events([smallest_change(before, text, origin)], _base(segment, before))
        return events if rank is None else [(kind, {**payload, "rank": rank}) for kind, payload in events]
    if segment.target is None and len(reported.before) <= MAX_TARGET_CHARACTERS:
        before = one_line(reported.before)  # the machine translation may have changed since
    cleaned = [(offset, num_removed, one_line(new), by) for offset, num_removed, new, by in reported.changes]
    changes = reported_changes(before, text, cleaned)
    if changes is None:
        before = segment.text or ""
        changes = [smallest_change(before, text, "unknown")]
    return change_events(changes, _base(segment, before))


def batch_events(
    segment: SegmentState, after: SegmentState, common: Json, changes: Sequence[ReportedChange] = ()
) -> LogEvents:
    """The log events of one segment in a step that changes many; `common` is part of each event of the step.

    `changes` are the changes of the text if they are known; otherwise the event replaces the whole text.
    """
    text, origin = after.target, common["origin"]
    if text is None or origin in _STEP_EVENTS:
        return [(_STEP_EVENTS.get(origin, "edit"), {"text": text, **common})]
    before = segment.text or ""
    logged = reported_changes(before, text, changes) or [whole_change(before, text, origin)]
    return [(name, {**common, **payload}) for name, payload in change_events(logged, _base(segment, before))]


def confirmed(segment: SegmentState, text: str) -> SegmentState:
    """The segment confirmed with this text."""
    by = segment.origin if text == segment.target else "hypothesis" if text == segment.machine_text else "typed"
    return replace(segment, target=text, origin=by, state="confirmed", version=segment.version + 1)


def translator_work(segment: SegmentState) -> tuple[object, ...]:
    """The translator's work on a segment as a comparable value: source, text, comment, constraints, confirmed."""
    text = None if segment.is_from_memory else segment.target
    return segment.source, text, segment.state == "confirmed", segment.comment, segment.constraints


def reopened(segment: SegmentState) -> SegmentState:
    """The segment without its confirmation; the text stays."""
    return replace(segment, state="edited", version=segment.version + 1)


def _base(segment: SegmentState, before: str) -> str | None:
    """The text before a change if it was not the translator's own, which the log must store; otherwise None."""
    return before if segment.target is None else None
