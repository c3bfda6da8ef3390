"""From the text a segment had to the one a person wants now: the state that follows, and what the log is told.

Plain rules; knows nothing of storage, threads or the page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from app.log.records import EventType
from app.segments.state import Json, SegmentState

EditOrigin = Literal[
    "typed", "hypothesis", "alternative", "rest", "completion", "case", "source", "memory", "undo", "redo", "restored"
]
_MACHINE_ORIGINS = frozenset({"hypothesis", "rest"})
_EDIT_EVENTS: dict[EditOrigin, EventType] = {
    "hypothesis": "hypothesis_taken",
    "rest": "hypothesis_taken",
    "undo": "undo",
    "redo": "redo",
}


def edited(segment: SegmentState, text: str | None, origin: EditOrigin) -> SegmentState:
    """The segment with this text, which came about by `origin`; with None it goes back to the machine's."""
    version = segment.version + 1
    if text is None:
        state: Literal["new", "pretranslated"] = "new" if segment.machine_text is None else "pretranslated"
        return replace(segment, target=None, origin=None, state=state, version=version)
    by: Literal["hypothesis", "typed"] = "hypothesis" if origin in _MACHINE_ORIGINS else "typed"
    return replace(segment, target=text, origin=by, state="edited", version=version)


def edit_event(segment: SegmentState, text: str | None, origin: EditOrigin, rank: int | None) -> tuple[EventType, Json]:
    """What the log is told of `edited`; `rank` is that of the hypothesis taken, from 0."""
    payload: Json = {"text": text, "before": segment.text, "origin": origin}
    if rank is not None:
        payload["rank"] = rank
    return _EDIT_EVENTS.get(origin, "edit"), payload


def confirmed(segment: SegmentState, text: str) -> SegmentState:
    """The segment with which the person is done, in these words."""
    by = segment.origin if text == segment.target else "hypothesis" if text == segment.machine_text else "typed"
    return replace(segment, target=text, origin=by, state="confirmed", version=segment.version + 1)


def reopened(segment: SegmentState) -> SegmentState:
    """The segment with its confirmation taken back; the text stays."""
    return replace(segment, state="edited", version=segment.version + 1)
