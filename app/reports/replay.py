"""The replay of a session: each step of the user with the text of the segment after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.formats.documents import Segment
from app.log.changes import text_after
from app.log.records import Event
from app.reports.word_origins import origin_name

# Payload keys shown as the detail of an event; the first one present is used.
_DETAILS: Final = ("kind", "message", "decision")
_ABOUT_TEXTS: Final = frozenset({"pin", "unpin", "avoid", "unavoid", "beginning", "comment", "remark"})
# Events that the user does not see; a proposal is a step only if the segment shows it.
UNSEEN: Final = frozenset(
    {
        "decode_request",
        "prices",
        "pretranslate",
        "term_shown",
        "term_used",
        "caret",
        "checks_chosen",
        "memory_shown",
        "revision",
    }
)


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One event as the user sees it.

    `at_ms` counts from the start of the session, without the time in which the app was closed. `text` is the text of
    the segment from then on, None if unchanged. `detail` describes the event; for a text change it is one of `ORIGINS`.
    """

    seq: int
    at_ms: int
    type: str
    segment: int | None
    text: str | None
    detail: str


def replay_steps(segments: Sequence[Segment], events: Iterable[Event]) -> Iterator[ReplayStep]:
    """The steps of a session in order; after the last one every segment has its text in the log.

    A segment without a text of the user shows the newest proposal.
    """
    own: dict[int, str | None] = {segment.index: segment.target for segment in segments}
    proposals: dict[int, str] = {}
    shown = {index: text or "" for index, text in own.items()}
    before_ms = at_ms = 0
    for event in events:
        if event.type not in ("open", "resume"):
            at_ms += max(0, event.monotonic_ms - before_ms)
        before_ms = event.monotonic_ms
        index = event.segment
        if event.type in UNSEEN or (index is not None and index not in own):
            continue
        payload = event.payload
        if event.type in ("split", "merge"):
            for part in payload["parts"]:
                if part["segment"] in own:
                    own[part["segment"]] = part["target"]
                    proposals.pop(part["segment"], None)
                    text = part["target"] or ""
                    is_same, shown[part["segment"]] = text == shown[part["segment"]], text
                    yield ReplayStep(event.seq, at_ms, event.type, part["segment"], None if is_same else text, "")
            continue
        changed: str | None = None
        if index is not None:
            if event.type == "decode_result" and payload.get("hypotheses"):
                proposals[index] = payload["hypotheses"][0].get("text", "")
            now = own[index] = text_after(own[index], event.type, payload)
            text = proposals.get(index, "") if now is None else now
            if text != shown[index]:
                shown[index] = changed = text
        if event.type == "decode_result" and changed is None:
            continue
        yield ReplayStep(event.seq, at_ms, event.type, index, changed, _detail(event.type, payload))


def _detail(event_type: str, payload: dict[str, Any]) -> str:
    if "offset" in payload and "origin" in payload:
        return origin_name(payload["origin"])
    if event_type in _ABOUT_TEXTS:
        return str(payload.get("text", ""))
    if event_type in ("model", "project"):
        return str(payload.get("name", ""))
    if event_type == "style":
        return " · ".join(str(payload[key]) for key in ("formality", "domain") if payload.get(key))
    return next((str(payload[key]) for key in _DETAILS if payload.get(key)), "")
