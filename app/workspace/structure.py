"""Splitting and merging segments, with their texts and constraints, and undoing such steps.

Segments are known by indices that never change (`SegmentState.index`); their order is that of their places in the
document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.formats.documents import Segment
from app.formats.split_merge import merge_segments, split_segment
from app.log.project_tables import assign_segments
from app.segments.clean_texts import clean_target
from app.segments.segment_constraints import Constraints
from app.segments.state import Json, SegmentState
from app.segments.text_changes import translator_work
from app.text.words import count_words
from app.workspace.core import UnitOfWork, WorkspaceCore
from app.workspace.decoding import DecodeQueue
from app.workspace.style_choice import StyleChoice
from app.workspace.terms import DocumentTerms

Kind = Literal["split", "merge"]


@dataclass(frozen=True, slots=True)
class _Part:
    """One segment's share of a step: its state and place before and after."""

    before: tuple[SegmentState, Segment]
    after: tuple[SegmentState, Segment]


class Structure:
    """The splits and merges of one document."""

    def __init__(self, core: WorkspaceCore, terms: DocumentTerms, style: StyleChoice, decoding: DecodeQueue) -> None:
        self._core = core
        self._terms = terms
        self._style = style
        self._decoding = decoding
        self._steps: list[tuple[Kind, list[_Part]]] = []

    def split(self, actor: Actor, index: int, offset: int) -> Json:
        """Splits a segment before character `offset` of its source; text, pins and comment stay with the first part."""
        core = self._core
        with core.command(actor) as work:
            segment = core.segment(index)
            place = core.document.segments[index]
            first, second = split_segment(core.document, index, offset)
            second = replace(second, index=len(core.segments))
            rest = SegmentState(
                second.index,
                second.source,
                0,
                constraints=Constraints(bans=segment.constraints.bans),
                note=segment.note,
            )
            if name := core.parts.current().get(index):
                work.write(lambda db: assign_segments(actor, db, core.session_id, [second.index], name))
                work.then(lambda: core.parts.assigned([second.index], name, core.version))
            parts = [
                _Part((segment, place), (self._made(segment, first.source, segment.target), first)),
                _Part((_gone(rest), _gone_place(second)), (self._made(rest, second.source, None), second)),
            ]
            return self._make(work, "split", parts)

    def merge(self, actor: Actor, index: int) -> Json:
        """Merges a segment with the next one: their texts, pins, bans and comments; it must be confirmed again."""
        core = self._core
        with core.command(actor) as work:
            segment = core.segment(index)
            position = core.positions[index] + 1
            if position == len(core.order):
                raise CommandError("This is the last segment. It can only be merged with a segment after it.")
            following = core.segment(core.order[position])
            places = core.document.segments
            merged, rest = merge_segments(core.document, index, following.index)
            target = None
            if segment.target is not None or following.target is not None:
                gap = merged.source[len(segment.source) : len(merged.source) - len(following.source)]
                texts = filter(None, (segment.text, following.text))
                target = clean_target((gap if gap.isspace() or not gap else " ").join(texts))
            comment = "\n".join(filter(None, (segment.comment, following.comment)))
            constraints = segment.constraints.joined(following.constraints)
            combined = replace(segment, constraints=constraints, comment=comment)
            parts = [
                _Part((segment, places[index]), (self._made(combined, merged.source, target), merged)),
                _Part((following, places[following.index]), (_gone(following), rest)),
            ]
            return self._make(work, "merge", parts)

    def step(self, actor: Actor, number: int, *, is_undo: bool) -> Json:
        """Undoes or redoes a step; raises CommandError if one of its segments has changed since then."""
        core = self._core
        with core.command(actor) as work:
            if not 0 <= number < len(self._steps):
                raise CommandError(
                    "This step can no longer be undone, because the document was closed in the meantime."
                )
            kind, parts = self._steps[number]
            left = [(part.after if is_undo else part.before)[0] for part in parts]
            if any(translator_work(core.segments[state.index]) != translator_work(state) for state in left):
                raise CommandError("These segments have changed in the meantime: split or merge them by hand.")
            back: Kind = "merge" if kind == "split" else "split"
            self._change(work, back if is_undo else kind, parts, "undo" if is_undo else "redo", is_undo=is_undo)
            return {"open": parts[0].after[0].index}

    def _make(self, work: UnitOfWork, kind: Kind, parts: list[_Part]) -> Json:
        self._change(work, kind, parts, "person")
        work.then(lambda: self._steps.append((kind, parts)))
        return {"step": len(self._steps), "open": parts[0].after[0].index}

    def _change(
        self, work: UnitOfWork, kind: Kind, parts: Sequence[_Part], origin: str, *, is_undo: bool = False
    ) -> None:
        """Changes the segments to one side of each part."""
        core = self._core
        afters: list[tuple[SegmentState, Segment]] = []
        for state, place in (part.before if is_undo else part.after for part in parts):
            now = core.segments[state.index] if state.index < len(core.segments) else state
            number = now.requested + 1  # earlier requests are void: their answers count as late
            afters.append((replace(state, version=now.version + 1, requested=number, answered=number), place))
        payload = [
            {
                "segment": state.index,
                "source": state.source,
                "start": place.start,
                "end": place.end,
                "target": state.target,
                "state": state.state,
            }
            for state, place in afters
        ]
        work.log(kind, {"origin": origin, "parts": payload}, afters[0][0])
        places = list(core.document.segments)
        for state, place in afters:
            if state.index == len(places):
                places.append(place)
            places[place.index] = place
            work.change(state, [])
        work.rearrange(replace(core.document, segments=tuple(places)), [place for _, place in afters])
        work.then(lambda: self._decoding.sources_changed(work.actor, [state.index for state, _ in afters]))

    def _made(self, segment: SegmentState, source: str, target: str | None) -> SegmentState:
        """The segment with another source and no machine translation yet."""
        return replace(
            _gone(segment),
            source=source,
            num_words=count_words(source),
            hits=self._terms.hits(source),
            numbers=self._style.numbers_in(source),
            state="new" if target is None else "edited",
            target=target,
            origin=None if target is None else "typed",
            constraints=segment.constraints.without_fixed_texts,
            comment=segment.comment,
        )


def _gone(segment: SegmentState) -> SegmentState:
    """The empty state of a segment that was merged into another."""
    return SegmentState(
        segment.index,
        "",
        0,
        note=segment.note,
        limits=segment.limits,
        placeholders=segment.placeholders,
        version=segment.version,
        requested=segment.requested,
    )


def _gone_place(place: Segment) -> Segment:
    return replace(place, source="", end=place.start)
