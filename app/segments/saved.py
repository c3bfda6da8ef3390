"""A segment on its way into the log and back: what is stored of its state, and the state made from it."""

from __future__ import annotations

from dataclasses import asdict

from app.log.records import SavedSegment, SegmentUpdate
from app.segments.state import Recalled, SegmentState
from app.text.words import count_words
from engine import Avoid


def update_of(segment: SegmentState) -> SegmentUpdate:
    """What the log stores of a segment."""
    constraints = {
        "pins": list(segment.pins),
        "terms_off": sorted(segment.terms_off),
        "bans": [asdict(ban) for ban in segment.bans],
        "beginning": segment.beginning,
        "locked": list(segment.locked),
        "origin": segment.origin,
        "comment": segment.comment,
        "recalled": asdict(segment.recalled) if segment.recalled else None,
    }
    return SegmentUpdate(segment.state, segment.target, segment.version, constraints)


def restored(saved: SavedSegment) -> SegmentState:
    """A segment as the log kept it; of what the machine said only the best text, as the rest can be asked for again."""
    kept = saved.constraints
    is_written = saved.target is not None
    recalled = Recalled(**kept["recalled"]) if kept.get("recalled") else None
    return SegmentState(
        saved.index,
        saved.source,
        num_words=count_words(saved.source),
        state=saved.state if is_written else "pretranslated" if recalled else "new",
        target=saved.target,
        origin=kept.get("origin") if is_written else None,
        pins=tuple(kept.get("pins", ())),
        terms_off=frozenset(kept.get("terms_off", ())),
        bans=tuple(Avoid(ban["text"], ban["case"]) for ban in kept.get("bans", ())),
        beginning=kept.get("beginning", ""),
        locked=tuple(kept.get("locked", ())),
        recalled=recalled,
        comment=kept.get("comment", ""),
        note=saved.note,
        version=saved.version,
    )
