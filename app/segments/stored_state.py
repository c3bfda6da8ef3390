"""Converts the state of a segment to what the log stores, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, get_args

from app.log.records import SavedSegment, SegmentUpdate
from app.segments import Json
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.segments.state import Review, SegmentLock, SegmentState, StoredAnswer, Verdict
from app.text.words import count_words

_RENAMED: Final = {"beginning": "prefix", "previous": "follow", "freed_from": "followed_before"}


def segment_update(segment: SegmentState, read_version: int) -> SegmentUpdate:
    """The segment's state as the log stores it, in place of the state with `read_version`."""
    constraints = {
        **segment.constraints.to_json(),
        "followed_before": segment.followed_before,
        "origin": segment.origin,
        "filled_rate": segment.filled_rate,
        "comment": segment.comment,
        "verdict": asdict(segment.verdict) if segment.verdict else None,
        "num_remarks": segment.num_remarks,
        "lock": asdict(segment.lock) if segment.lock else None,
        "recalled": _stored_answer_payload(segment.stored_answer) if segment.stored_answer else None,
    }
    return SegmentUpdate(segment.state, segment.target, segment.version, constraints, read_version)


def with_present_names(constraints: Mapping[str, Any]) -> dict[str, Any]:
    """The stored state of a segment with the present names of its parts, as in files of earlier versions."""
    return {_RENAMED.get(name, name): value for name, value in constraints.items()}


def review_of(saved: SavedSegment) -> Review:
    """The reviewer's decision about the text of a stored segment."""
    return restore_segment(saved).review if saved.constraints.get("verdict") else ""


def restore_segment(saved: SavedSegment) -> SegmentState:
    """A segment restored from the log. Of the engine's answer, only the best text was stored."""
    kept = saved.constraints
    is_written = saved.target is not None
    stored_answer = _stored_answer(kept["recalled"]) if kept.get("recalled") else None
    return SegmentState(
        saved.index,
        saved.source,
        num_words=count_words(saved.source),
        state=saved.state if is_written else "pretranslated" if stored_answer else "new",
        target=saved.target,
        origin=kept.get("origin") if is_written else None,
        filled_rate=kept.get("filled_rate", 100),  # before it was kept, only exact matches were filled in
        constraints=Constraints.from_json(kept) if kept else NO_CONSTRAINTS,
        followed_before=kept.get("followed_before", ""),
        stored_answer=stored_answer,
        comment=kept.get("comment", ""),
        verdict=_stored_verdict(kept.get("verdict")),
        num_remarks=kept.get("num_remarks", 0),
        lock=SegmentLock(kept["lock"]["is_of_file"]) if kept.get("lock") else None,
        note=saved.note,
        limits=saved.limits,
        placeholders=saved.placeholders,
        version=saved.version,
    )


def _stored_verdict(payload: Json | None) -> Verdict | None:
    if not payload or payload["decision"] not in get_args(Review):
        return None
    return Verdict(payload["decision"], str(payload["text"]))


def _stored_answer_payload(answer: StoredAnswer) -> Json:
    return {
        "text": answer.text,
        "score": answer.score,
        "asked": answer.constraints_key,
        "made_with": answer.made_with,
        "uncertain_tags": list(answer.uncertain_tags),
    }


def _stored_answer(payload: Json) -> StoredAnswer:
    uncertain_tags = tuple(payload.get("uncertain_tags", ()))  # earlier versions did not keep them
    return StoredAnswer(payload["text"], payload["score"], payload["asked"], payload["made_with"], uncertain_tags)
