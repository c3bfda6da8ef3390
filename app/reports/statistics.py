"""The statistics of a session, per segment and in total, computed from its events alone.

A pure function of the events, so the figures are never stored.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, Literal

from app.formats.documents import Segment
from app.glossary.lemmas import target_in
from app.log.changes import TEXT_EVENTS, is_filled_in
from app.log.records import KEY_CLASSES, Event, SegmentStateName
from app.reports.edit_effort import EditEffort, edit_effort
from app.reports.word_origins import WordOrigins, Words
from app.reports.working_time import IDLE_LIMIT_MS, SegmentTime, words_per_hour, working_time
from app.text.words import count_words

Start = Literal["model", "memory", "file"]
_NO_EDITS: Final = frozenset({"confirm", "hypothesis_taken"})
_FROM_MACHINE: Final = frozenset({"n-best", "hypothesis"})
_CHANGES: Final = TEXT_EVENTS | {"reopen", "pin", "unpin", "avoid", "unavoid", "beginning", "locked"}


@dataclass(frozen=True, slots=True)
class ConstraintPrice:
    """The price of a pin ("pin"), glossary term ("term") or banned word ("ban") in score per token; None if unknown."""

    kind: str
    text: str
    price: float | None


@dataclass(frozen=True, slots=True)
class SegmentStatistics:
    """The statistics of one segment.

    `first_proposal` is the first machine translation that the user saw. `effort` compares it with the final text of a
    confirmed segment; `is_unchanged` means that both are equal. Both are computed only if the text started from the
    machine translation (`started_from`), not from the memory or the file, because no proposal was post-edited there.
    `num_edits` counts events stored together once. `origins` counts the words of the final text by origin. Times are
    in milliseconds; None: never.
    """

    index: int
    source: str
    num_source_words: int
    state: SegmentStateName
    first_proposal: str | None
    final_text: str | None
    started_from: Start
    first_opened_ms: int | None
    last_changed_ms: int | None
    gross_ms: int
    net_ms: int
    num_edits: int
    num_pins: int
    num_bans: int
    num_decodes: int
    num_taken: int
    num_reopened: int
    keys: dict[str, int]
    effort: EditEffort | None
    is_unchanged: bool
    origins: dict[str, int]
    num_terms: int
    num_terms_met: int
    prices: tuple[ConstraintPrice, ...]

    @property
    def is_confirmed(self) -> bool:
        """True if the segment is confirmed."""
        return self.state == "confirmed"


@dataclass(frozen=True, slots=True)
class SessionStatistics:
    """Totals over the segments; effort, origins, terms and words per hour only over confirmed ones.

    `hter` is edits divided by words over all compared confirmed segments (`num_compared`). `median_ms` is the median
    net time of the confirmed segments that were opened. None if there are no such segments.
    """

    segments: tuple[SegmentStatistics, ...]
    idle_limit_ms: int
    num_confirmed: int
    num_words: int
    num_words_confirmed: int
    gross_ms: int
    net_ms: int
    median_ms: float | None
    words_per_hour: float | None
    hter: float | None
    chrf: float | None
    num_compared: int
    num_unchanged: int
    keys: dict[str, int]
    origins: dict[str, int]
    num_pins: int
    num_bans: int
    num_terms: int
    num_terms_met: int


@dataclass
class _Tracked:
    """The state of one segment while its events are read."""

    segment: Segment
    words: WordOrigins
    state: SegmentStateName
    started_from: Start
    memory_texts: set[str] = field(default_factory=set)
    newest_proposal: str | None = None
    first_proposal: str | None = None
    first_opened_ms: int | None = None
    last_changed_ms: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    num_edits: int = 0
    stored_version: int | None = None
    keys: dict[str, int] = field(default_factory=dict)
    request: dict[str, Any] = field(default_factory=dict)
    prices: tuple[ConstraintPrice, ...] = ()

    def add(self, event: Event) -> None:
        payload, is_text = event.payload, event.type in TEXT_EVENTS
        self.words.add(event.type, payload)
        self.counts[event.type] = self.counts.get(event.type, 0) + 1
        if is_text:  # events stored together are one edit
            is_more = event.segment_version is not None and event.segment_version == self.stored_version
            is_none = event.type in _NO_EDITS or is_filled_in(event.type, payload)
            self.num_edits += not (is_more or is_none)
            self.stored_version = event.segment_version
            self._follow_start(payload)
        if event.type in _CHANGES:
            self.last_changed_ms = event.wall_ms
        if event.type == "focus" and self.first_opened_ms is None:
            self.first_opened_ms = event.wall_ms
        if event.type == "key":
            for name, num in payload.get("counts", {}).items():
                if name in KEY_CLASSES:
                    self.keys[name] = self.keys.get(name, 0) + num
        elif event.type == "decode_request":
            self.request = payload
        elif event.type == "decode_result" and payload.get("hypotheses"):
            self.newest_proposal = payload["hypotheses"][0].get("text")
        elif event.type == "prices":
            self.prices = self._prices(payload)
        if self.first_proposal is None and (self.first_opened_ms is not None or is_text):
            self.first_proposal = self.newest_proposal
        self._follow_state(event, payload)

    def divide(self, part: dict[str, Any], words: Words) -> None:
        """The segment becomes this part of a split or merge, made of `words`; it has no proposal yet."""
        self.words.divide(part["target"], words)
        self.state = part["state"]
        self.newest_proposal = self.first_proposal = None
        if part["target"] is None:
            self.started_from = "model"

    def _follow_start(self, payload: dict[str, Any]) -> None:
        """Updates `started_from` if the whole text was replaced."""
        text, origin = self.words.text, payload.get("origin")
        if origin == "memory" and text is not None and payload.get("text") == text:
            self.memory_texts.add(text)
        if text in self.memory_texts:
            self.started_from = "memory"
        elif text is None or (origin in _FROM_MACHINE and payload.get("text") == text):
            self.started_from = "model"

    def _follow_state(self, event: Event, payload: dict[str, Any]) -> None:
        if event.type == "confirm":
            self.state = "confirmed"
        elif event.type == "reopen":
            self.state = "edited"
        elif event.type == "review":
            self.state = payload["state"] if payload.get("state") in ("confirmed", "edited") else self.state
        elif event.type in TEXT_EVENTS and "text" in payload:
            if payload["text"] is None:
                self.state = "pretranslated" if self.newest_proposal is not None else "new"
            else:  # only changes of many segments at once state the new segment state
                stated = payload.get("state")
                self.state = stated if stated in ("confirmed", "pretranslated") else "edited"
        elif event.type == "decode_result" and self.state == "new" and payload.get("hypotheses"):
            self.state = "pretranslated"

    def _prices(self, payload: dict[str, Any]) -> tuple[ConstraintPrice, ...]:
        asked = {item["text"]: item for item in self.request.get("constraints", ())}
        is_pinned = {text: item.get("is_pinned") for text, item in asked.items()}
        kept = {text for text, item in asked.items() if item.get("is_kept") and not item.get("term_keys")}
        constraints = [
            ConstraintPrice("pin" if is_pinned.get(item["text"]) else "term", item["text"], _number(item["price"]))
            for item in payload.get("constraints", ())
            if is_pinned.get(item["text"]) or item["text"] not in kept
        ]
        bans = [ConstraintPrice("ban", item["text"], _number(item["price"])) for item in payload.get("avoid", ())]
        return (*constraints, *bans)

    def terms(self) -> list[bool]:
        """For each glossary term in the newest request, whether the text contains it."""
        text = self.words.text
        if text is None:
            return []
        asked = zip(self.request.get("constraints", ()), self.request.get("phrases", ()), strict=False)
        return [
            target_in(
                text,
                (phrase["text"], *phrase.get("forms", ())),
                constraint.get("language", ""),
                joins_compounds=phrase.get("boundary") == "compound",
            )
            is not None
            for constraint, phrase in asked
            if constraint.get("term_keys")
        ]

    def statistics(self, time: SegmentTime) -> SegmentStatistics:
        text, proposal = self.words.text, self.first_proposal or self.newest_proposal
        is_confirmed = self.state == "confirmed"
        is_compared = is_confirmed and text is not None and proposal is not None and self.started_from == "model"
        terms = self.terms()
        return SegmentStatistics(
            index=self.segment.index,
            source=self.segment.source,
            num_source_words=count_words(self.segment.source),
            state=self.state,
            first_proposal=proposal,
            final_text=text,
            started_from=self.started_from,
            first_opened_ms=self.first_opened_ms,
            last_changed_ms=self.last_changed_ms,
            gross_ms=time.gross_ms,
            net_ms=time.net_ms,
            num_edits=self.num_edits,
            num_pins=self.counts.get("pin", 0),
            num_bans=self.counts.get("avoid", 0),
            num_decodes=self.counts.get("decode_request", 0),
            num_taken=self.counts.get("hypothesis_taken", 0),
            num_reopened=self.counts.get("reopen", 0),
            keys=self.keys,
            effort=edit_effort(proposal, text) if is_compared and proposal is not None and text is not None else None,
            is_unchanged=is_compared and text == proposal,
            origins=dict(Counter(origin for _, origin in self.words.words)) if text is not None else {},
            num_terms=len(terms),
            num_terms_met=sum(terms),
            prices=self.prices,
        )


def session_statistics(
    segments: Sequence[Segment], events: Iterable[Event], idle_limit_ms: int = IDLE_LIMIT_MS
) -> SessionStatistics:
    """The statistics of a session with these segments of the document after these events.

    Segments are in document order; those merged into another are left out.
    """
    events = tuple(events)
    tracked = [
        _Tracked(segment, WordOrigins(segment.target), "new", "model")
        if segment.target is None
        else _Tracked(segment, WordOrigins(segment.target), segment.state, "file")
        for segment in segments
    ]
    for event in events:
        if event.segment is not None and 0 <= event.segment < len(tracked):
            tracked[event.segment].add(event)
        if event.type in ("split", "merge"):
            parts = event.payload["parts"]
            words = tuple(word for part in parts for word in tracked[part["segment"]].words.words)
            for part in parts:
                tracked[part["segment"]].divide(part, words)
    tracked = sorted((item for item in tracked if item.segment.source), key=lambda item: item.segment.start)
    time = working_time(events, idle_limit_ms)
    return _totals([item.statistics(time.segments.get(item.segment.index, SegmentTime())) for item in tracked],
                   time.gross_ms, time.net_ms, idle_limit_ms)  # fmt: skip


def _totals(segments: Sequence[SegmentStatistics], gross_ms: int, net_ms: int, idle_limit_ms: int) -> SessionStatistics:
    confirmed = [segment for segment in segments if segment.is_confirmed]
    efforts = [segment.effort for segment in confirmed if segment.effort is not None]
    num_words_confirmed = sum(segment.num_source_words for segment in confirmed)
    confirmed_ms = sum(segment.net_ms for segment in confirmed)
    num_words = sum(effort.num_words for effort in efforts)
    times = [segment.net_ms for segment in confirmed if segment.first_opened_ms is not None]
    return SessionStatistics(
        segments=tuple(segments),
        idle_limit_ms=idle_limit_ms,
        num_confirmed=len(confirmed),
        num_words=sum(segment.num_source_words for segment in segments),
        num_words_confirmed=num_words_confirmed,
        gross_ms=gross_ms,
        net_ms=net_ms,
        median_ms=median(times) if times else None,
        words_per_hour=words_per_hour(num_words_confirmed, confirmed_ms),
        hter=sum(effort.num_edits for effort in efforts) / max(1, num_words) if efforts else None,
        chrf=sum(effort.chrf for effort in efforts) / len(efforts) if efforts else None,
        num_compared=len(efforts),
        num_unchanged=sum(segment.is_unchanged for segment in confirmed),
        keys=_summed(segment.keys for segment in segments),
        origins=_summed(segment.origins for segment in confirmed),
        num_pins=sum(segment.num_pins for segment in segments),
        num_bans=sum(segment.num_bans for segment in segments),
        num_terms=sum(segment.num_terms for segment in confirmed),
        num_terms_met=sum(segment.num_terms_met for segment in confirmed),
    )


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        for name, count in each.items():
            total[name] += count
    return dict(total)


def _number(value: Any) -> float | None:
    """A price in the log; "nan" and "inf" are texts there and give None."""
    return value if isinstance(value, (int, float)) else None


def plain(value: SegmentStatistics | SessionStatistics) -> dict[str, Any]:
    """The statistics as plain values, for JSON."""
    return dataclasses.asdict(value)
