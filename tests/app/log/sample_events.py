"""Sessions for tests of reports, made from lists of events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.formats.documents import Segment
from app.log.records import FIRST_HASH, Event, event_hash, to_json

EventRow = tuple[int, str, int | None, Mapping[str, Any]]


def segments_of(*sources: str) -> list[Segment]:
    return [Segment(index, source, 0, len(source)) for index, source in enumerate(sources)]


def events_of(rows: Iterable[EventRow]) -> list[Event]:
    """(milliseconds, type, segment, payload) as a chain of events."""
    events: list[Event] = []
    previous = FIRST_HASH
    for seq, (at_ms, event_type, segment, payload) in enumerate(rows, 1):
        fields = (seq, 1_000_000 + at_ms, at_ms, event_type, segment, None, to_json(payload))
        own = event_hash(previous, *fields)
        events.append(Event(1, *fields, previous, own))  # type: ignore[arg-type]
        previous = own
    return events


def request(number: int, *constraints: tuple[str, str]) -> dict[str, Any]:
    """A decode request for these (kind, text), where the kind is "pin" or "term"."""
    return {
        "number": number,
        "constraints": [
            {"text": text, "count": 1, "is_pinned": kind == "pin", "term_keys": ["x\t" + text] * (kind == "term")}
            for kind, text in constraints
        ],
        "phrases": [{"text": text, "forms": []} for _, text in constraints],
    }


def result(number: int, *texts: str, phrases: Sequence[str] = ()) -> dict[str, Any]:
    """An answer with these texts, best first; phrases stand where they are found."""
    hypotheses = []
    for text in texts:
        placements = [
            {"phrase": i, "start": text.index(phrase), "end": text.index(phrase) + len(phrase)}
            for i, phrase in enumerate(phrases)
            if phrase in text
        ]
        hypotheses.append({"text": text, "score": -0.5, "placements": placements})
    return json.loads(to_json({"number": number, "status": "complete", "hypotheses": hypotheses}))  # type: ignore[no-any-return]
