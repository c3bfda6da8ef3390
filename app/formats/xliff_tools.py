"""Attributes of translation tools in XLIFF 1.2 for the state of a segment: done, draft or locked.

Supports Trados (.sdlxliff), memoQ (.mqxliff) and Phrase (.mxliff).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.formats.xml_text import Node, with_attribute


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool's attribute for the state of a segment; the first value of `done` is written for confirmed segments.

    `origins` are the attributes about where a text came from, with their values for a text that a person has changed;
    None removes the attribute.
    """

    attribute: str
    done: tuple[str, ...]
    draft: str
    lock: tuple[str, str]
    origins: tuple[tuple[str, str | None], ...] = ()


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
)
_OF_UNITS: Sequence[_Tool] = (
    _Tool("mq:status", ("ManuallyConfirmed", "Proofread", "Reviewer1Confirmed"), "Edited", ("mq:locked", "locked")),
    _Tool("m:confirmed", ("1",), "0", ("m:locked", "true"), (("m:trans-origin", None),)),
)


@dataclass(frozen=True, slots=True)
class ToolState:
    """The state of a segment and the element with the state attribute."""

    carrier: Node
    _tool: _Tool

    @property
    def attribute(self) -> str:
        """The name of the state attribute."""
        return self._tool.attribute

    @property
    def is_done(self) -> bool:
        """Whether the translation is marked as done."""
        return self.carrier.attributes.get(self._tool.attribute) in self._tool.done

    @property
    def is_locked(self) -> bool:
        """Whether the segment is locked."""
        name, value = self._tool.lock
        return self.carrier.attributes.get(name) == value

    def after(self, *, is_confirmed: bool) -> str:
        """The attribute value for a new translation; a confirmed one keeps a value that means done."""
        if not is_confirmed:
            return self._tool.draft
        return self.carrier.attributes[self._tool.attribute] if self.is_done else self._tool.done[0]

    def with_origin(self, tag: str) -> str:
        """The carrier's start tag without the claim that a changed text came from a memory or a machine."""
        for name, value in self._tool.origins:
            tag = with_attribute(tag, name, value) if name in self.carrier.attributes else tag
        return tag


def tool_state(unit: Node, number: str | None) -> ToolState | None:
    """The tool state of a trans-unit or of its segment `number`; None without a tool's attributes."""
    for group in unit.nodes("seg-defs"):
        for carrier in group.nodes("seg"):
            if carrier.attributes.get("id") == number:
                return ToolState(carrier, _TRADOS)
    tool = next((tool for tool in _OF_UNITS if {tool.attribute, tool.lock[0]} & unit.attributes.keys()), None)
    return ToolState(unit, tool) if tool else None
