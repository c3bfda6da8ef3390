"""Changes of a segment's text as the log tells them: what came or went at which place, and by which way.

An "insert", "delete" or "paste" event is one change: `offset` counts Unicode code points, `text` is what came (of
"delete": what went), `removed` what made way for it, `origin` how. Where the text was not the person's so far,
`before` is all of what the change was made to, unless all of it was removed. Logs of earlier versions have the whole
new text in an "edit" instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.log.records import EventType

# What a segment's text may change by. "text" without an "offset" is the whole new text, None the machine's.
TEXT_EVENTS: Final = frozenset({"edit", "insert", "delete", "paste", "undo", "redo", "hypothesis_taken", "confirm"})
# What the page tells of a change: offset, number of code points that went, what came, origin.
ReportedChange = tuple[int, int, str, str]
# A page that tells more of one edit is not ours.
MAX_REPORTED: Final = 500


@dataclass(frozen=True, slots=True)
class Change:
    """At `offset`, `removed` makes way for `text`; either may be empty. Offsets are Unicode code points.

    >>> Change(4, "rote", "neue", "typed").applied("das rote Haus")
    'das neue Haus'
    """

    offset: int
    removed: str
    text: str
    origin: str

    def applied(self, text: str) -> str:
        """The text after this change. Raises ValueError where it cannot have been made to this text."""
        end = self.offset + len(self.removed)
        if self.offset < 0 or self.offset > len(text) or text[self.offset : end] != self.removed:
            raise ValueError(f"a change takes {self.removed!r} away at {self.offset}, where it does not stand")
        return text[: self.offset] + self.text + text[end:]


def is_filled_in(event_type: str, payload: Mapping[str, Any]) -> bool:
    """Whether the app put a text in by itself, where nobody had done anything: an exact match of the memory."""
    return event_type == "insert" and payload.get("state") == "pretranslated"


def whole_change(before: str, after: str, origin: str) -> Change:
    """All of a text makes way for another."""
    return Change(0, before, after, origin)


def smallest_change(before: str, after: str, origin: str) -> Change:
    """The one change with the fewest characters, the last of several such.

    >>> smallest_change("das Haus", "das rote Haus", "typed")
    Change(offset=4, removed='', text='rote ', origin='typed')
    """
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    end = next((n for n in range(shorter - start) if before[-1 - n] != after[-1 - n]), shorter - start)
    return Change(start, before[start : len(before) - end], after[start : len(after) - end], origin)


def reported_changes(before: str, after: str, told: Sequence[ReportedChange]) -> list[Change] | None:
    """What a page tells, one change after the other, where that makes `after` of `before`; else None."""
    changes, text = [], before
    if not told or len(told) > MAX_REPORTED:
        return None
    for offset, num_removed, new, origin in told:
        end = offset + num_removed
        if not 0 <= offset <= end <= len(text):
            return None
        changes.append(Change(offset, text[offset:end], new, origin))
        text = text[:offset] + new + text[end:]
    return changes if text == after else None


def change_events(changes: Iterable[Change], base: str | None = None) -> list[tuple[EventType, dict[str, Any]]]:
    """The events that tell these changes; `base` is what the first was made to, where no event before tells it."""
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
    """The change that an event tells; None where it tells a whole text, or none."""
    if "offset" not in payload:
        return None
    text, origin = payload["text"], payload["origin"]
    if event_type == "delete":
        return Change(payload["offset"], text, "", origin)
    return Change(payload["offset"], payload.get("removed", ""), text, origin)


def text_after(text: str | None, event_type: str, payload: Mapping[str, Any]) -> str | None:
    """A segment's own text after one of its events; None: it is the machine's.

    Raises ValueError where the event tells of a change that cannot have been made to this text.
    """
    if event_type not in TEXT_EVENTS or "text" not in payload:
        return text
    change = change_of(event_type, payload)
    if change is None:
        whole: str | None = payload["text"]
        return whole
    return change.applied(text_before(text, change, payload))


def text_before(text: str | None, change: Change, payload: Mapping[str, Any]) -> str:
    """What a change was made to: the segment's own text so far, or where there is none, what the change tells."""
    before: str = payload.get("before", change.removed if text is None else text)
    return before
