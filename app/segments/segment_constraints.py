"""What a person requires of one segment's translation, as one value: checks, JSON, log events and small changes.

Pure functions, independent of storage, threads and the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from app.errors import CommandError
from app.i18n import Message
from app.log.records import EventType
from app.segments import Json
from app.segments.clean_texts import clean_target, one_line
from app.text.nontranslatables import nontranslatables
from app.text.words import count_occurrences
from engine import Avoid, InvalidRequest

BanCase = Literal["exact", "permissive"]
ConstraintOrigin = Literal["person", "alternative", "rest", "free", "undo", "redo"]
MAX_PINS = 50
MAX_BANS = 50
MAX_LOCKED = 50
MAX_PHRASE_CHARACTERS = 300
# The events about pins, bans and fixed texts. Their names in the log are older than those of the fields.
CONSTRAINT_EVENTS: Final[frozenset[EventType]] = frozenset(
    {"pin", "unpin", "avoid", "unavoid", "beginning", "locked", "follow"}
)


@dataclass(frozen=True, slots=True, order=True)
class PinSource:
    """The source words that a pin translates: characters `start` to `end` of the source. They tell its place."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a person requires of a translation.

    Args:
        pins: texts that it must contain; a text given twice must occur twice
        terms_off: keys of the glossary terms that are switched off
        bans: texts that it must not contain
        prefix: its fixed beginning
        locked: fixed texts behind the beginning, in this order
        follow: the text from which it differs as little as possible; empty for a free translation
        pin_sources: the source words of pins, where the person named them
    """

    pins: tuple[str, ...] = ()
    terms_off: frozenset[str] = frozenset()
    bans: tuple[Avoid, ...] = ()
    prefix: str = ""
    locked: tuple[str, ...] = ()
    follow: str = ""
    pin_sources: tuple[PinSource, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if no text is required, banned or fixed."""
        return not (self.pins or self.bans or self.prefix or self.locked)

    # ---- JSON, for the page and for the stored state of a segment ----

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Constraints:
        """The constraints of a JSON object; missing parts are empty, other keys are ignored.

        Raises CommandError for a part of a wrong type.
        """
        wrong = [name for name in ("pins", "terms_off", "locked") if not _are_texts(value.get(name, []))]
        wrong += [name for name in ("prefix", "follow") if not isinstance(value.get(name, ""), str)]
        bans: tuple[Avoid, ...] = ()
        try:
            bans = tuple(Avoid(ban["text"], ban["case"]) for ban in value.get("bans", ()) if ban["text"].strip())
        except (TypeError, KeyError, AttributeError, InvalidRequest):
            wrong.append("bans")
        pin_sources: tuple[PinSource, ...] = ()
        try:
            given = [(one["text"], one["start"], one["end"]) for one in value.get("pin_sources", ())]
            pin_sources = tuple(PinSource(str(text), int(start), int(end)) for text, start, end in given)
        except (TypeError, KeyError, ValueError):
            wrong.append("pin_sources")
        if wrong:
            raise CommandError("The constraints of a segment have an invalid value for {name!r}.", name=wrong[0])
        return cls(
            tuple(value.get("pins", ())),
            frozenset(value.get("terms_off", ())),
            bans,
            value.get("prefix", ""),
            tuple(value.get("locked", ())),
            value.get("follow", ""),
            pin_sources,
        )

    def to_json(self) -> Json:
        """A JSON object with all parts."""
        return {
            "pins": list(self.pins),
            "terms_off": sorted(self.terms_off),
            "bans": [asdict(ban) for ban in self.bans],
            "prefix": self.prefix,
            "locked": list(self.locked),
            "follow": self.follow,
            "pin_sources": [asdict(one) for one in self.pin_sources],
        }

    # ---- changes ----

    def cleaned(self) -> Constraints:
        """The constraints on one line each, without empty texts; of two bans of one text, the last stays.

        Raises CommandError for too many constraints or one that is too long.
        """
        if (count := len(self.pins)) > MAX_PINS:
            raise CommandError(
                "Too many pinned phrases ({count}, limit {limit}): release some first.", count=count, limit=MAX_PINS
            )
        if (count := len(self.bans)) > MAX_BANS:
            raise CommandError(
                "Too many banned words ({count}, limit {limit}): allow some of them first.", count=count, limit=MAX_BANS
            )
        if (count := len(self.locked)) > MAX_LOCKED:
            raise CommandError("Too many kept passages ({count}, limit {limit}).", count=count, limit=MAX_LOCKED)
        bans = (replace(ban, text=text) for ban in self.bans if (text := _phrase(ban.text, Message("a ban"))))
        return Constraints(
            tuple(pin for pin in (_phrase(pin, Message("a pin")) for pin in self.pins) if pin),
            self.terms_off,
            tuple({ban.text: ban for ban in bans}.values()),
            clean_target(self.prefix),
            tuple(text for text in (one_line(text).strip() for text in self.locked) if text),
            clean_target(self.follow),
            tuple(replace(one, text=one_line(one.text).strip()) for one in self.pin_sources[:MAX_PINS]),
        )._with_sources_of_pins()

    def _with_sources_of_pins(self) -> Constraints:
        """The constraints with the newest source words of each pin, and without those of other texts."""
        sources = {one.text: one for one in self.pin_sources if one.text in self.pins}
        return replace(self, pin_sources=tuple(sources.values()))

    def source_of(self, pin: str) -> tuple[int, int] | None:
        """The span of the source words that the person named for a pin; None without any."""
        return next(((one.start, one.end) for one in self.pin_sources if one.text == pin), None)

    def without_contradictions(self, before: Constraints) -> Constraints:
        """Drops one of each pin and ban that contradict each other: the newer one stays, the pin if both are new.

        >>> before = Constraints(pins=("alle Knoten",))
        >>> Constraints(("alle Knoten",), bans=(Avoid("Knoten"),)).without_contradictions(before).pins
        ()
        """
        new_pins = {pin for pin in self.pins if pin not in before.pins}
        bans = tuple(ban for ban in self.bans if not any(contains_banned(pin, ban) for pin in new_pins))
        new_bans = [ban for ban in bans if ban not in before.bans]
        pins = tuple(pin for pin in self.pins if not any(contains_banned(pin, ban) for ban in new_bans))
        return replace(self, pins=pins, bans=bans)._with_sources_of_pins()

    def without_pins(self, pins: Iterable[str]) -> Constraints:
        """The constraints with one occurrence less of each of these pins. Raises ValueError for one that is missing."""
        left = list(self.pins)
        for pin in pins:
            left.remove(pin)
        return replace(self, pins=tuple(left))

    def joined(self, other: Constraints) -> Constraints:
        """The pins, bans and terms off of both, for their sources together. Raises CommandError for too many."""
        return Constraints(
            (*self.pins, *other.pins), self.terms_off | other.terms_off, tuple(dict.fromkeys((*self.bans, *other.bans)))
        ).cleaned()

    def with_texts(self, convert: Callable[[str], str]) -> Constraints:
        """The constraints with converted texts."""
        return Constraints(
            tuple(map(convert, self.pins)),
            self.terms_off,
            tuple(replace(ban, text=convert(ban.text)) for ban in self.bans),
            convert(self.prefix),
            tuple(map(convert, self.locked)),
            convert(self.follow),
            tuple(replace(one, text=convert(one.text)) for one in self.pin_sources),
        )

    @property
    def without_fixed_texts(self) -> Constraints:
        """The pins, bans and switched-off terms alone: what stays if the source is divided."""
        return Constraints(self.pins, self.terms_off, self.bans)

    # ---- the log ----

    def events_to(self, after: Constraints, origin: str, rank: int | None = None) -> list[tuple[EventType, Json]]:
        """Log events for the change to other constraints: one for each pin, ban, fixed text and term.

        `rank` is that of the alternative whose sentence is followed from now on.
        """
        events: list[tuple[EventType, Json]] = []
        left = self._pins_with_sources()
        for pin in after._pins_with_sources():
            if pin in left:
                left.remove(pin)
            else:
                events.append(("pin", {**pin, "origin": origin}))
        events += [("unpin", {**pin, "origin": origin}) for pin in left]
        for ban in (*after.bans, *self.bans):
            if (ban in after.bans) != (ban in self.bans):
                event: EventType = "avoid" if ban in after.bans else "unavoid"
                events.append((event, {"text": ban.text, "case": ban.case, "origin": origin}))
        if after.prefix != self.prefix:
            events.append(("beginning", {"text": after.prefix, "origin": origin}))
        if after.locked != self.locked:
            events.append(("locked", {"texts": list(after.locked), "origin": origin}))
        if after.follow != self.follow:
            chosen = {} if rank is None else {"rank": rank}
            events.append(("follow", {"text": after.follow, "origin": origin, **chosen}))
        for key in sorted(self.terms_off ^ after.terms_off):
            source, target, *_ = key.split("\t")
            is_off = key in after.terms_off
            reason = "switched_off" if is_off else "switched_on"
            payload = {"source": source, "target": target, "is_off": is_off, "reason": reason, "origin": origin}
            events.append(("term_overridden", payload))
        return events

    def _pins_with_sources(self) -> list[Json]:
        """The pins as in the log: each with its text and, if the person named them, its source words."""
        sources = {one.text: {"source_span": [one.start, one.end]} for one in self.pin_sources}
        return [{"text": pin, **sources.pop(pin, {})} for pin in self.pins]

    def after_event(self, event: EventType, payload: Mapping[str, Any]) -> Constraints:
        """The constraints after one of CONSTRAINT_EVENTS. Raises ValueError if the event does not fit them."""
        if event == "locked":
            return replace(self, locked=tuple(payload["texts"]))
        text: str = payload["text"]
        if event == "beginning":
            return replace(self, prefix=text)
        if event == "follow":
            return replace(self, follow=text)
        if event in ("pin", "unpin"):
            source = [PinSource(text, *payload["source_span"])] if "source_span" in payload else []
            others = tuple(one for one in self.pin_sources if one not in source)
            if event == "pin":
                return replace(self, pins=(*self.pins, text), pin_sources=(*others, *source))
            return replace(self.without_pins([text]), pin_sources=others)
        ban = Avoid(text, payload["case"])
        other_bans = tuple(other for other in self.bans if other != ban)
        return replace(self, bans=(*other_bans, ban) if event == "avoid" else other_bans)

    def before_event(self, event: EventType, payload: Mapping[str, Any]) -> Constraints:
        """The pins and bans before one of CONSTRAINT_EVENTS; fixed texts stay, as events have only the new ones."""
        opposite: dict[EventType, EventType] = {"pin": "unpin", "unpin": "pin", "avoid": "unavoid", "unavoid": "avoid"}
        if event not in opposite or (event == "pin" and payload["text"] not in self.pins):
            return self
        return self.after_event(opposite[event], payload)

    def has_same_parts(self, other: Constraints) -> bool:
        """True if both have the same parts in any order; locked texts have a fixed order."""
        return self._in_one_order() == other._in_one_order()

    def _in_one_order(self) -> Constraints:
        bans = tuple(sorted(self.bans, key=lambda ban: (ban.text, ban.case)))
        sources = tuple(sorted(self.pin_sources))
        return replace(self, pins=tuple(sorted(self.pins)), bans=bans, pin_sources=sources)


NO_CONSTRAINTS: Final = Constraints()


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def contains_banned(text: str, ban: Avoid) -> bool:
    """True if the banned text occurs in `text` as whole words."""
    if ban.case == "permissive":
        return count_occurrences(text.lower(), ban.text.lower()) > 0
    return count_occurrences(text, ban.text) > 0


def kept_text_with(ban: Avoid, text: str, source: str) -> str | None:
    """The code, address or tag in `text` that is copied from the source and contains the banned text; else None."""
    if not contains_banned(text, ban):
        return None
    kept = (each.text for each in nontranslatables(text) if each.text in source)
    return next((each for each in kept if contains_banned(each, ban)), None)


def _phrase(text: str, what: str) -> str:
    """A pin or ban on one line. Raises CommandError if it is too long."""
    text = one_line(text).strip()
    if len(text) > MAX_PHRASE_CHARACTERS:
        raise CommandError(
            "“{text}…” is too long for {what} ({count} characters, limit {limit}).",
            text=text[:40],
            count=len(text),
            what=what,
            limit=MAX_PHRASE_CHARACTERS,
        )
    return text
