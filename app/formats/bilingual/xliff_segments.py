"""The segments of an XLIFF file: the elements of their sources and targets, and the states that the file gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.formats.base import ReviewState
from app.formats.bilingual.xliff_gettext import is_gettext, is_header, plural_numbers
from app.formats.bilingual.xliff_protected import TRANSLATED, TranslateState
from app.formats.bilingual.xliff_tools import ToolState, tool_state, with_phrase_tags
from app.formats.inline import Piece, Shown, pieces_of, show
from app.formats.xml_text import Node

T = TypeVar("T")
# Elements whose content is part of the sentence; all other elements in a source are placeholders.
_PAIRED = ("g", "mrk", "pc")
_DONE = {"final", "signed-off", "translated", "reviewed"}
_APPROVED = {"final", "signed-off", "reviewed"}
# Neither version has a value for a translation that a reviewer returned; both allow values of a program's own.
RETURNED_1: Final = "x-returned"  # `state-qualifier`, beside the state "needs-translation"
RETURNED_2: Final = "pinpoint:returned"  # `subState` of "initial"
# Values of `state-qualifier` that state where a text came from, or why a reviewer rejected it.
_OF_FORMER_TEXT = re.compile(
    rf"{RETURNED_1}|rejected-\w+|(?:exact|fuzzy|id)-match|leveraged-(?:glossary|inherited|mt|repository|tm)"
    r"|(?:mt|tm)-suggestion"
)


@dataclass(frozen=True, slots=True)
class EntryPart:
    """One segment: the elements of its source and of its target, if any."""

    source: Node
    target: Node | None
    shown: Shown
    tool_state: ToolState | None = None  # if the file has state attributes of a translation tool
    translate_state: TranslateState = TRANSLATED
    state_after: TranslateState = TRANSLATED
    is_protected: bool = False  # True if nothing of the text is to be translated

    def inside(self, node: Node, text: str) -> Shown:
        """The content of an element with a translation of the source."""
        pieces, _ = self.translate_state.applied(_pieces(node, text, self.tool_state))
        shown = show(pieces, self.shown, hides=bool(self.shown.lead.strip()))
        self.shown.tags.update(shown.tags)
        return shown


@dataclass(frozen=True, slots=True)
class Entry:
    """All segments with a common target element. `owner` has the attributes for state (2.x) and approval (1.2).

    `is_message`: the file was made from messages of gettext or Qt, whose approval means only that they are finished.
    `plural` are the number of the plural form, from 1, and of all forms of the message, if it has plural forms.
    """

    owner: Node
    source: Node
    segmented: Node | None
    target: Node | None
    parts: tuple[EntryPart, ...]
    is_message: bool = False
    plural: tuple[int, int] | None = None
    is_translated: bool = True  # False for translate="no"

    @property
    def unit(self) -> Node:
        """The unit that contains the notes."""
        unit = self.owner if self.owner.local == "trans-unit" else self.owner.parent
        assert unit is not None
        return unit

    def is_done(self, part: EntryPart) -> bool:
        """True if the file marks the translation as done."""
        if part.tool_state is not None:
            return part.tool_state.is_done
        return self._state in _DONE or self.owner.attributes.get("approved") == "yes"

    def review(self, part: EntryPart) -> ReviewState:
        """The decision of a reviewer that the file states."""
        if part.tool_state is not None:
            return part.tool_state.review
        qualifier = self.target.attributes.get("state-qualifier", "") if self.target else ""
        if (
            qualifier == RETURNED_1
            or qualifier.startswith("rejected-")
            or self.owner.attributes.get("subState") == RETURNED_2
        ):
            return "returned"
        if self._state in _APPROVED:
            return "approved"
        is_reviewed = self.owner.attributes.get("approved") == "yes" and self._state is None and not self.is_message
        return "approved" if is_reviewed else ""

    def is_locked(self, part: EntryPart) -> bool:
        """True if the file forbids to change the translation."""
        return not self.is_translated or (part.tool_state is not None and part.tool_state.is_locked)

    @property
    def _state(self) -> str | None:
        carrier = self.owner if self.owner.local == "segment" else self.target
        return carrier.attributes.get("state") if carrier else None


def entries_1(root: Node, text: str) -> Iterator[Entry]:
    """The segments of a file of version 1.x."""
    is_message, plurals = is_gettext(root), plural_numbers(root)
    for unit in root.walk():
        source = unit.first("source") if unit.local == "trans-unit" else None
        if source is None or is_header(unit):
            continue
        is_translated = unit.inherited("translate") != "no"
        more = is_message, plurals.get(unit.start), is_translated
        segmented, target = unit.first("seg-source"), unit.first("target")
        marks = _marks(segmented) if segmented else {}
        if marks:
            targets = _marks(target) if target else {}
            parts = [_part(mark, targets.get(key), text, tool_state(unit, key[0])) for key, mark in marks.items()]
            yield Entry(unit, source, segmented, target, tuple(parts), *more)
        else:
            part = _part(source, target, text, tool_state(unit, None))
            yield Entry(unit, source, None, target, (part,), *more)


def entries_2(root: Node, text: str) -> Iterator[Entry]:
    """The segments of a file of version 2.x."""
    translate_state, unit_of_marks = TRANSLATED, -1
    for segment in root.walk():
        source = segment.first("source") if segment.local in ("segment", "ignorable") else None
        if source is None or segment.parent is None:
            continue
        if unit_of_marks != segment.parent.start:
            translate_state = TranslateState(segment.inherited("translate") != "no")
            unit_of_marks = segment.parent.start
        part = _part(source, segment.first("target"), text, translate_state=translate_state)
        translate_state = part.state_after
        if segment.local != "segment":
            continue
        is_translated = not part.is_protected or segment.inherited("translate") != "no"
        if not is_translated:
            part = _part(source, part.target, text)
        yield Entry(segment, source, None, part.target, (part,), is_translated=is_translated)


def _marks(node: Node) -> dict[tuple[str, int], Node]:
    """The segments (`mrk` elements) of a seg-source or target of XLIFF 1.2.

    The key is the mid, and a number among the elements with the same mid. A mark inside another segment is not a
    segment.
    """
    marks: dict[tuple[str, int], Node] = {}
    counts: Counter[str] = Counter()
    end = 0
    for mark in node.walk():
        if mark.local == "mrk" and mark.attributes.get("mtype") == "seg" and mark.start >= end:
            mid = mark.attributes.get("mid", "")
            marks[mid, counts[mid]] = mark
            counts[mid] += 1
            end = mark.end
    return marks


def _part(
    source: Node,
    target: Node | None,
    text: str,
    state: ToolState | None = None,
    translate_state: TranslateState = TRANSLATED,
) -> EntryPart:
    whole = _pieces(source, text, state)
    pieces, after = translate_state.applied(whole)
    is_protected = _has_text(whole) and not _has_text(pieces)
    shown = show(pieces)
    if target is not None and shown.lead.strip():
        inside = show(translate_state.applied(_pieces(target, text, state))[0], shown)
        if any(start in shown.lead for number, (start, _) in inside.tags.items() if number not in shown.tags):
            # An element around the source is inside the target, so it must be shown.
            shown = show(pieces, hides=False)
    return EntryPart(source, target, shown, state, translate_state, after, is_protected)


def _has_text(pieces: Iterable[Piece]) -> bool:
    return any(piece.kind == "text" and piece.raw.strip() for piece in pieces)


def _pieces(node: Node, text: str, state: ToolState | None) -> list[Piece]:
    """The content of a source or target; line breaks are kept if the file requires this."""
    pieces = pieces_of(node, text, _PAIRED, keeps_lines=node.inherited("xml:space") == "preserve")
    return with_phrase_tags(pieces) if state and state.writes_tags_as_text else pieces


def is_of_former_text(qualifier: str) -> bool:
    """True for a state qualifier that is wrong once a person has changed or confirmed the text.

    >>> is_of_former_text("mt-suggestion"), is_of_former_text("x-project-7")
    (True, False)
    """
    return _OF_FORMER_TEXT.fullmatch(qualifier) is not None


def by_carrier(entry: Entry, new: Sequence[T]) -> list[tuple[ToolState, list[tuple[EntryPart, T]]]]:
    """The segments with what is new of each, for each element that has their state in attributes of a tool."""
    found: dict[int, tuple[ToolState, list[tuple[EntryPart, T]]]] = {}
    for part, value in zip(entry.parts, new, strict=True):
        if part.tool_state is not None:
            _, members = found.setdefault(part.tool_state.carrier.start, (part.tool_state, []))
            members.append((part, value))
    return list(found.values())


def joint_review(reviews: Iterable[ReviewState]) -> ReviewState:
    """The decision about several segments: one that is returned, or all approved."""
    found = set(reviews)
    return "returned" if "returned" in found else "approved" if found == {"approved"} else ""
