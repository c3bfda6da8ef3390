"""Segments cut in two and joined again: what becomes of their texts and constraints, and how a step is taken back.

Segments are known by numbers that never change (`SegmentState.index`); their order is that of their places in the
document. Used under the workspace's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from app.errors import CommandError
from app.formats.documents import Segment
from app.formats.split_merge import merge_segments, split_segment
from app.i18n import Message
from app.segments.constraint_changes import clean_pins, clean_target
from app.segments.state import Json, SegmentState, segment_update
from app.segments.text_changes import translator_work
from app.text.words import count_words

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

Kind = Literal["split", "merge"]


@dataclass(frozen=True, slots=True)
class _Part:
    """One segment's share of a step: its state and place before and after."""

    before: tuple[SegmentState, Segment]
    after: tuple[SegmentState, Segment]


class Structure:
    """The order of a workspace's segments and the steps that changed it.

    `order` has their indices; `stamp` is the workspace's version when it was changed last, -1 where it is as the
    document came.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._steps: list[tuple[Kind, list[_Part]]] = []
        self._arrange()
        is_as_it_came = self.order == list(range(len(workspace.segments)))
        self.stamp = -1 if is_as_it_came else workspace.version

    def number(self, index: int) -> int:
        """The segment's number for a person: its place in the document, from 1."""
        return self.positions.get(index, index) + 1

    def in_order(self) -> list[SegmentState]:
        """The segments as the document has them."""
        return [self.workspace.segments[index] for index in self.order]

    def split(self, index: int, offset: int) -> Json:
        """Cuts a segment before character `offset` of its source; text, pins and comment stay with the first part."""
        workspace = self.workspace
        with workspace.lock:
            segment = workspace.segment(index)
            place = workspace.document.segments[index]
            first, second = split_segment(workspace.document, index, offset)
            second = replace(second, index=len(workspace.segments))
            rest = SegmentState(second.index, second.source, 0, bans=segment.bans, note=segment.note)
            parts = [
                _Part((segment, place), (self._made(segment, first.source, segment.target), first)),
                _Part((_gone(rest), _gone_place(second)), (self._made(rest, second.source, None), second)),
            ]
            return self._make("split", parts)

    def merge(self, index: int) -> Json:
        """Joins a segment with the one behind it: their texts, pins, bans and comments; it is to be confirmed anew."""
        workspace = self.workspace
        with workspace.lock:
            segment = workspace.segment(index)
            position = self.positions[index] + 1
            if position == len(self.order):
                raise CommandError(Message("This is the last segment: there is none behind it to merge it with."))
            following = workspace.segment(self.order[position])
            places = workspace.document.segments
            merged, rest = merge_segments(workspace.document, index, following.index)
            target = None
            if segment.target is not None or following.target is not None:
                gap = merged.source[len(segment.source) : len(merged.source) - len(following.source)]
                texts = filter(None, (segment.text, following.text))
                target = clean_target((gap if gap.isspace() or not gap else " ").join(texts))
            pins = clean_pins([*segment.pins, *following.pins])
            bans = tuple(dict.fromkeys([*segment.bans, *following.bans]))
            comment = "\n".join(filter(None, (segment.comment, following.comment)))
            off = segment.terms_off | following.terms_off
            wanted = replace(segment, pins=pins, bans=bans, terms_off=off, comment=comment)
            parts = [
                _Part((segment, places[index]), (self._made(wanted, merged.source, target), merged)),
                _Part((following, places[following.index]), (_gone(following), rest)),
            ]
            return self._make("merge", parts)

    def step(self, number: int, *, is_undo: bool) -> Json:
        """Takes a step back or makes it again; raises CommandError where one of its segments was changed since."""
        workspace = self.workspace
        with workspace.lock:
            if not 0 <= number < len(self._steps):
                raise CommandError(Message("This step cannot be undone any more: Pinpoint was started anew since."))
            kind, parts = self._steps[number]
            left = [(part.after if is_undo else part.before)[0] for part in parts]
            if any(translator_work(workspace.segments[state.index]) != translator_work(state) for state in left):
                raise CommandError(Message("These segments were changed since: split or merge them instead."))
            back: Kind = "merge" if kind == "split" else "split"
            self._apply(back if is_undo else kind, parts, "undo" if is_undo else "redo", is_undo=is_undo)
            return {"open": parts[0].after[0].index}

    def _make(self, kind: Kind, parts: list[_Part]) -> Json:
        self._apply(kind, parts, "person")
        self._steps.append((kind, parts))
        return {"step": len(self._steps) - 1, "open": parts[0].after[0].index}

    def _apply(self, kind: Kind, parts: Sequence[_Part], origin: str, *, is_undo: bool = False) -> None:
        """Stores and adopts one side of each part; all or, where the log fails, none."""
        workspace = self.workspace
        wanted = [part.before if is_undo else part.after for part in parts]
        afters: list[tuple[SegmentState, Segment]] = []
        for state, place in wanted:
            known = state.index < len(workspace.segments)
            now = workspace.segments[state.index] if known else state
            # What was asked before is void, and its answer would be a late one.
            number = now.requested + 1
            afters.append((replace(state, version=now.version + 1, requested=number, answered=number), place))
        told = [
            {
                "segment": s.index,
                "source": s.source,
                "start": p.start,
                "end": p.end,
                "target": s.target,
                "state": s.state,
            }
            for s, p in afters
        ]
        updates = [(place, segment_update(state)) for state, place in afters]
        workspace.store.append_division(workspace.session_id, kind, {"origin": origin, "parts": told}, updates)
        places = list(workspace.document.segments)
        for state, place in afters:
            if state.index == len(places):
                places.append(place)
                workspace.segments.append(_gone(state))
            places[place.index] = place
        workspace.document = replace(workspace.document, segments=tuple(places))
        for state, _ in afters:
            workspace.adopt(state)
        self._arrange()
        self.stamp = workspace.version
        workspace.rearranged([state.index for state, _ in afters])

    def _made(self, segment: SegmentState, source: str, target: str | None) -> SegmentState:
        """A segment of another source, of which the machine has said nothing yet."""
        return replace(
            _gone(segment),
            source=source,
            num_words=count_words(source),
            hits=self.workspace.terms.hits(source),
            state="new" if target is None else "edited",
            target=target,
            origin=None if target is None else "typed",
            pins=segment.pins,
            bans=segment.bans,
            terms_off=segment.terms_off,
            comment=segment.comment,
        )

    def _arrange(self) -> None:
        self.order = self.workspace.document.order
        self.positions = {index: position for position, index in enumerate(self.order)}


def _gone(segment: SegmentState) -> SegmentState:
    """What stays of a segment that is part of another now."""
    return SegmentState(segment.index, "", 0, note=segment.note, version=segment.version, requested=segment.requested)


def _gone_place(place: Segment) -> Segment:
    return replace(place, source="", end=place.start)
