"""Changes of a segment's text as log events: which text was inserted or removed, where, and by which origin.

An "insert", "delete" or "paste" event is one change: `offset` counts Unicode code points, `text` is the inserted text
(for "delete": the removed text), `removed` is the text that it replaced, and `origin` is where the change came from. If
the segment had no text of the user before, `before` is the whole text that the change was made to, unless all of it was
removed. Logs of earlier versions have the whole new text in an "edit" event instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.log.records import EventType

# Events that change the text of a segment. "text" without "offset" is the whole new text; None: back to the proposal.
TEXT_EVENTS: Final = frozenset({"edit", "insert", "delete", "paste", "undo", "redo", "hypothesis_taken", "confirm"})
# A change as the page reports it: offset, number of removed code points, inserted text, origin.
ReportedChange = tuple[int, int, str, str]
# A longer list for one edit does not come from our page.
MAX_REPORTED: Final = 500


@dataclass(frozen=True, slots=True)
class Change:
    """At `offset`, `text` replaces `removed`; either may be empty. Offsets count Unicode code points.

    >>> Change(4, "rote", "neue", "typed").applied("das rote Haus")
    'das neue Haus'
    """

    offset: int
    removed: str
    text: str
    origin: str

    def applied(self, text: str) -> str:
        """The text after this change. Raises ValueError if the text does not contain `removed` at `offset`."""
        end = self.offset + len(self.removed)
        if self.offset < 0 or self.offset > len(text) or text[self.offset : end] != self.removed:
            raise ValueError(f"a change removes {self.removed!r} at {self.offset}, but the text is different there")
        return text[: self.offset] + self.text + text[end:]


def is_filled_in(event_type: str, payload: Mapping[str, Any]) -> bool:
    """True if the app itself filled an untouched segment with an exact match of the memory."""
    return event_type == "insert" and payload.get("state") == "pretranslated"


def whole_change(before: str, after: str, origin: str) -> Change:
    """The change that replaces the whole text."""
    return Change(0, before, after, origin)


def smallest_change(before: str, after: str, origin: str) -> Change:
    """The single change with the fewest characters, the last of several such.

    >>> smallest_change("das Haus", "das rote Haus", "typed")
    Change(offset=4, removed='', text='rote ', origin='typed')
    """
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    end = next((n for n in range(shorter - start) if before[-1 - n] != after[-1 - n]), shorter - start)
    return Change(start, before[start : len(before) - end], after[start : len(after) - end], origin)


def reported_changes(before: str, after: str, reported: Sequence[ReportedChange]) -> list[Change] | None:
    """The changes reported by the page if they turn `before` into `after`, otherwise None."""
    changes, text = [], before
    if not reported or len(reported) > MAX_REPORTED:
        return None
    for offset, num_removed, new, origin in reported:
        end = offset + num_removed
        if not 0 <= offset <= end <= len(text):
            return None
        changes.append(Change(offset, text[offset:end], new, origin))
        text = text[:offset] + new + text[end:]
    return changes if text == after else None


def change_events(changes: Iterable[Change], base: str | None = None) -> list[tuple[EventType, dict[str, Any]]]:
    """The events for these changes; `base` is the text before the first, if no earlier event has it."""
    events: list[tuple[EventType, dict[str, Any]]] = []
    for change in changes:
        payload: dict[str, Any] = {"offset": change.offset, "text": change.text, "origin": change.origin}
        event_type: EventType = "paste" if change.origin == "paste" else "insert"
        if change.removed and not change.text:
            event_type, payload["text"] = "delete", change.removed
        elif change.removed:
            payload["removed"] = change.removed
        if base is not None and base != change.removed and not events:
            payload["before"] = base
        events.append((event_type, payload))
    return events


def change_of(event_type: str, payload: Mapping[str, Any]) -> Change | None:
    """The change in an event; None if the event has a whole text or no text."""
    if "offset" not in payload:
        return None
    text, origin = payload["text"], payload["origin"]
    if event_type == "delete":
        return Change(payload["offset"], text, "", origin)
    return Change(payload["offset"], payload.get("removed", ""), text, origin)


def text_after(text: str | None, event_type: str, payload: Mapping[str, Any]) -> str | None:
    """The user's text of a segment after one of its events; None if the segment shows the proposal.

    Raises ValueError if the change in the event does not fit this text.
    """
    if event_type not in TEXT_EVENTS or "text" not in payload:
        return text
    change = change_of(event_type, payload)
    if change is None:
        whole: str | None = payload["text"]
        return whole
    return change.applied(text_before(text, change, payload))


def text_before(text: str | None, change: Change, payload: Mapping[str, Any]) -> str:
    """The text that a change was made to: the user's text, or if there is none, the one in the event."""
    before: str = payload.get("before", change.removed if text is None else text)
    return before
