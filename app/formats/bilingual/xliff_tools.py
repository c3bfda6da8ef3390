"""Attributes of translation tools in XLIFF 1.2 for the state of a segment: done, draft or locked.

Supports Trados (.sdlxliff), memoQ (.mqxliff) and Phrase (.mxliff).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from app.formats.base import ReviewState
from app.formats.inline import Kind, Piece
from app.formats.xml_text import Node, escape, with_attribute


@dataclass(frozen=True, slots=True)
class _Tool:
    """The attribute in which a tool stores the state of a segment, and its values.

    The values `done` mean a finished translation. Of these, a reviewer gives those in `approved`; `returned` mean that
    a reviewer refused the text. The first value of `done` and of `approved` is the one that is written. `origins` are
    attributes about the origin of a text, with their values for a text that a person has changed or confirmed; None
    removes the attribute.
    """

    attribute: str
    done: tuple[str, ...]
    draft: str
    lock: tuple[str, str]
    origins: tuple[tuple[str, str | None], ...] = ()
    approved: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    unlocked: str | None = None  # the value of the lock of a segment without one; None: it lacks the attribute


_TRADOS = _Tool(
    "conf",
    ("Translated", "ApprovedTranslation", "ApprovedSignOff"),
    "Draft",
    ("locked", "true"),
    (
        ("origin", "interactive"),
        ("percent", None),
        ("origin-system", None),
        ("text-match", None),
        ("struct-match", None),
    ),
    approved=("ApprovedTranslation", "ApprovedSignOff"),
    returned=("RejectedTranslation", "RejectedSignOff"),
)
_OF_UNITS: Sequence[_Tool] = (
    _Tool(
        "mq:status",
        ("ManuallyConfirmed", "Proofread", "Reviewer1Confirmed"),
        "Edited",
        ("mq:locked", "locked"),
        (("mq:percent", None), ("mq:translatorcommitmatchrate", None)),
        approved=("Reviewer1Confirmed", "Proofread"),
        returned=("Rejected",),
    ),
    _Tool(
        "m:confirmed",
        ("1",),
        "0",
        ("m:locked", "true"),
        (("m:trans-origin", None), ("m:score", "0"), ("m:gross-score", "0")),
        unlocked="false",
    ),
)

# Types of metadata of XLIFF 2, written in many ways: "match-percent", "matchPercent".
_ABOUT_MATCH = {
    *("percent", "matchpercent", "matchpercentage", "matchquality", "matchrate", "matchscore", "matchtype", "score"),
    *("origin", "originsystem", "similarity", "textmatch", "translationorigin"),
}
_NOT_LETTER = re.compile(r"[^A-Za-z]+")
# Phrase writes tags as text: {b>bold<b}, {1>link<1}, {2}.
_PHRASE_TAG = re.compile(r"\{(?P<open>\w{1,20})>|<(?P<close>\w{1,20})\}|(?P<lone>\{\d{1,6}\})")


@dataclass(frozen=True, slots=True)
class ToolState:
    """The state of a segment and the element with the state attribute."""

    carrier: Node
    _tool: _Tool

    @property
    def writes_tags_as_text(self) -> bool:
        """True if tags are in the text, see `with_phrase_tags`."""
        return self._tool.attribute.startswith("m:")

    @property
    def attribute(self) -> str:
        """The name of the state attribute."""
        return self._tool.attribute

    @property
    def is_done(self) -> bool:
        """True if the translation is marked as done."""
        return self.carrier.attributes.get(self._tool.attribute) in self._tool.done

    @property
    def review(self) -> ReviewState:
        """The reviewer's decision."""
        value = self.carrier.attributes.get(self._tool.attribute)
        return "approved" if value in self._tool.approved else "returned" if value in self._tool.returned else ""

    @property
    def is_locked(self) -> bool:
        """True if the segment is locked."""
        name, value = self._tool.lock
        return self.carrier.attributes.get(name) == value

    def with_lock(self, tag: str, *, is_locked: bool) -> str:
        """The carrier's start tag for a segment that is locked or not."""
        name, value = self._tool.lock
        return with_attribute(tag, name, value if is_locked else self._tool.unlocked)

    def after(self, *, is_confirmed: bool, review: ReviewState) -> str:
        """The attribute value for a new translation; an equivalent value is kept.

        If the tool has no value for the decision of a reviewer, the value for a confirmed text or for a draft is used.
        """
        tool, now = self._tool, self.carrier.attributes.get(self._tool.attribute, "")
        values: tuple[str, ...] = (tool.draft,)
        if review == "approved" and tool.approved:
            values = tool.approved
        elif review == "returned" and tool.returned:
            values = tool.returned
        elif is_confirmed:
            values = tuple(value for value in tool.done if value not in tool.approved)
        return now if now in values else values[0]

    def with_origin(self, tag: str) -> str:
        """The carrier's start tag without the claim that the text came from a memory or a machine."""
        for name, value in self._tool.origins:
            tag = with_attribute(tag, name, value) if name in self.carrier.attributes else tag
        return tag


def metadata_of_text(unit: Node) -> list[Node]:
    """The metadata of a unit of XLIFF 2 about the match that its only translation came from."""
    if unit.local != "unit" or len(unit.nodes("segment")) != 1:
        return []
    return list(chain.from_iterable(map(_about_match, unit.nodes("metadata"))))


def _about_match(node: Node) -> list[Node]:
    """The metadata about a match in an element; the element itself if nothing else is in it."""
    if node.local == "meta":
        return [node] if _NOT_LETTER.sub("", node.attributes.get("type", "")).lower() in _ABOUT_MATCH else []
    inner = [(child, _about_match(child)) for child in node.nodes()]
    if inner and all(found == [child] for child, found in inner):
        return [node]
    return list(chain.from_iterable(found for _, found in inner))


def with_phrase_tags(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the tags in their text as pieces; a tag without its other half stays text."""
    found: list[Piece] = []
    for piece in pieces:
        found += [piece] if piece.kind != "text" else _phrase_pieces(piece.raw)
    return found


def _phrase_pieces(text: str) -> Iterator[Piece]:
    tags = [*_PHRASE_TAG.finditer(text)]
    opened: list[int] = []
    paired: set[int] = set()
    for number, tag in enumerate(tags):
        if tag["open"]:
            opened.append(number)
        elif tag["close"]:
            match = next((at for at in reversed(opened) if tags[at]["open"] == tag["close"]), None)
            if match is not None:  # those opened inside of it and not closed are text
                del opened[opened.index(match) :]
                paired |= {match, number}
    position = 0
    for number, tag in enumerate(tags):
        kind: Kind = "lone" if tag["lone"] else "open" if tag["open"] else "close"
        if kind == "lone" or number in paired:
            if tag.start() > position:
                yield Piece("text", text[position : tag.start()])
            yield Piece(kind, escape(tag.group()))
            position = tag.end()
    if position < len(text):
        yield Piece("text", text[position:])


def tool_state(unit: Node, number: str | None) -> ToolState | None:
    """The tool state of a trans-unit or of its segment `number`; None without a tool's attributes."""
    for group in unit.nodes("seg-defs"):
        for carrier in group.nodes("seg"):
            if carrier.attributes.get("id") == number:
                return ToolState(carrier, _TRADOS)
    tool = next((tool for tool in _OF_UNITS if {tool.attribute, tool.lock[0]} & unit.attributes.keys()), None)
    return ToolState(unit, tool) if tool else None
