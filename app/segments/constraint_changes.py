"""Changes of a segment's constraints: cleans the input, resolves pin-ban conflicts and derives the log events.

Pure functions, independent of storage, threads and the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from app.errors import CommandError
from app.i18n import Message
from app.log.records import EventType
from app.segments.resolved_constraints import contains_banned, term_key
from app.segments.state import SegmentState
from engine import Avoid

BanCase = Literal["exact", "permissive"]
ConstraintOrigin = Literal["person", "alternative", "rest", "free", "undo", "redo"]
MAX_PINS = 50
MAX_BANS = 50
MAX_LOCKED = 50
MAX_PHRASE_CHARACTERS = 300
MAX_TARGET_CHARACTERS = 100_000
MAX_COMMENT_CHARACTERS = 2000
_LINE_BREAKS = re.compile(r"\r\n|[\r\n\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def one_line(text: str) -> str:
    """Makes a text safe to store and write: line breaks become spaces, control characters are removed.

    A lone surrogate becomes U+FFFD, so that no text is lost silently; the page shows a notice.
    """
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", _LINE_BREAKS.sub(" ", text)))


def clean_target(text: str) -> str:
    """A translation cleaned by `one_line`. Raises CommandError if it is too long."""
    if len(text) > MAX_TARGET_CHARACTERS:
        raise CommandError(
            Message(
                "The text is too long ({count:,} characters, limit {limit:,}).",
                count=len(text),
                limit=MAX_TARGET_CHARACTERS,
            )
        )
    return one_line(text)


def clean_comment(text: str) -> str:
    """A comment without control characters, its lines as they are; raises CommandError if it is too long."""
    if len(text) > MAX_COMMENT_CHARACTERS:
        raise CommandError(
            Message(
                "The comment has {count:,} characters; it may have up to {limit:,}.",
                count=len(text),
                limit=MAX_COMMENT_CHARACTERS,
            )
        )
    return "\n".join(one_line(line).rstrip() for line in text.splitlines()).strip()


def clean_pins(pins: Sequence[str]) -> tuple[str, ...]:
    """Cleaned pins without empty ones. Raises CommandError for too many pins or a pin that is too long."""
    if len(pins) > MAX_PINS:
        raise CommandError(
            Message(
                "Too many pinned phrases ({count}, limit {limit}): release some first.",
                count=len(pins),
                limit=MAX_PINS,
            )
        )
    return tuple(pin for pin in (_clean(pin, Message("a pin")) for pin in pins) if pin)


def clean_bans(bans: Sequence[Avoid]) -> tuple[Avoid, ...]:
    """Cleaned bans, one for each text (the last wins). Raises CommandError for too many or a ban that is too long."""
    if len(bans) > MAX_BANS:
        raise CommandError(
            Message(
                "Too many banned words ({count}, limit {limit}): allow some of them first.",
                count=len(bans),
                limit=MAX_BANS,
            )
        )
    cleaned = (replace(ban, text=text) for ban in bans if (text := _clean(ban.text, Message("a ban"))))
    return tuple({ban.text: ban for ban in cleaned}.values())


def clean_locked(texts: Sequence[str]) -> tuple[str, ...]:
    """Cleaned locked texts in order. Raises CommandError for too many."""
    if len(texts) > MAX_LOCKED:
        raise CommandError(
            Message(
                "Too many kept passages ({count}, limit {limit}).",
                count=len(texts),
                limit=MAX_LOCKED,
            )
        )
    return tuple(text for text in (one_line(text).strip() for text in texts) if text)


def _clean(text: str, what: str) -> str:
    text = one_line(text).strip()
    if len(text) > MAX_PHRASE_CHARACTERS:
        raise CommandError(
            Message(
                "“{text}…” is too long for {what} ({count} characters, limit {limit}).",
                text=text[:40],
                count=len(text),
                what=what,
                limit=MAX_PHRASE_CHARACTERS,
            )
        )
    return text


def without_clashes(
    before: SegmentState, pins: Sequence[str], bans: Sequence[Avoid]
) -> tuple[tuple[str, ...], tuple[Avoid, ...]]:
    """Drops one of each pin and ban that contradict each other: the newer one stays, the pin if both are new.

    >>> before = SegmentState(0, "Open it.", 2, pins=("alle Knoten",))
    >>> without_clashes(before, ["alle Knoten"], [Avoid("Knoten")])
    ((), (Avoid(text='Knoten', case='exact'),))
    """
    new_pins = {pin for pin in pins if pin not in before.pins}
    newer_bans = [ban for ban in bans if ban not in before.bans]
    kept_bans = tuple(ban for ban in bans if not any(contains_banned(pin, ban) for pin in new_pins))
    winning = [ban for ban in newer_bans if ban in kept_bans]
    return tuple(pin for pin in pins if not any(contains_banned(pin, ban) for ban in winning)), kept_bans


def with_constraints(
    segment: SegmentState,
    pins: Sequence[str],
    terms_off: Sequence[str],
    bans: Sequence[Avoid],
    beginning: str,
    locked: Sequence[str],
    previous: str,
) -> SegmentState:
    """The segment with these constraints, in the next version; the same object if nothing changes.

    `previous` is the text to keep as far as possible.

    Raises CommandError for too many constraints or one that is too long.
    """
    kept_pins, kept_bans = without_clashes(segment, clean_pins(pins), clean_bans(bans))
    known = {term_key(hit.term) for hit in segment.hits}
    off = frozenset(key for key in terms_off if key in known)
    after = replace(segment, pins=kept_pins, terms_off=off, bans=kept_bans)
    after = replace(after, beginning=clean_target(beginning), locked=clean_locked(locked), changed_from="")
    has_any = bool(kept_pins or kept_bans or after.beginning or after.locked)
    freed_from = (segment.previous or segment.freed_from) if has_any and not previous else ""
    after = replace(after, previous=clean_target(previous), freed_from=freed_from)
    return segment if after == segment else replace(after, version=segment.version + 1)


def constraint_events(before: SegmentState, after: SegmentState, origin: str) -> list[tuple[EventType, dict[str, Any]]]:
    """Log events for the change from one set of constraints to the next: one for each pin, ban and term."""
    events: list[tuple[EventType, dict[str, Any]]] = []
    left = list(before.pins)
    for pin in after.pins:
        if pin in left:
            left.remove(pin)
        else:
            events.append(("pin", {"text": pin, "origin": origin}))
    events += [("unpin", {"text": pin, "origin": origin}) for pin in left]
    for ban in (*after.bans, *before.bans):
        if (ban in after.bans) != (ban in before.bans):
            event: EventType = "avoid" if ban in after.bans else "unavoid"
            events.append((event, {"text": ban.text, "case": ban.case, "origin": origin}))
    if after.beginning != before.beginning:
        events.append(("beginning", {"text": after.beginning, "origin": origin}))
    if after.locked != before.locked:
        events.append(("locked", {"texts": list(after.locked), "origin": origin}))
    if after.previous != before.previous:
        events.append(("follow", {"text": after.previous, "origin": origin}))
    for key in sorted(before.terms_off ^ after.terms_off):
        source, target, *_ = key.split("\t")
        is_off = key in after.terms_off
        reason = "switched_off" if is_off else "switched_on"
        payload = {"source": source, "target": target, "is_off": is_off, "reason": reason, "origin": origin}
        events.append(("term_overridden", payload))
    return events
