"""What translation tools say of a segment in XLIFF 1.2 by attributes of their own: whether it is done, or locked.

Known are Trados (.sdlxliff), memoQ (.mqxliff) and Phrase (.mxliff), by the names that these write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.formats.xml_text import Node


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool's attribute for the state of a segment: its values for what is done, the first for what is confirmed."""

    attribute: str
    done: tuple[str, ...]
    draft: str
    lock: tuple[str, str]


_TRADOS = _Tool("conf", ("Translated", "ApprovedTranslation", "ApprovedSignOff"), "Draft", ("locked", "true"))
_OF_UNITS: Sequence[_Tool] = (
    _Tool("mq:status", ("ManuallyConfirmed", "Proofread", "Reviewer1Confirmed"), "Edited", ("mq:locked", "locked")),
    _Tool("m:confirmed", ("1",), "0", ("m:locked", "true")),
)


@dataclass(frozen=True, slots=True)
class ToolState:
    """The element that carries a segment's state, and the state."""

    carrier: Node
    _tool: _Tool

    @property
    def attribute(self) -> str:
        """The attribute's name."""
        return self._tool.attribute

    @property
    def is_done(self) -> bool:
        """Whether the tool takes the translation for done."""
        return self.carrier.attributes.get(self._tool.attribute) in self._tool.done

    @property
    def is_locked(self) -> bool:
        """Whether the tool lets nobody change it."""
        name, value = self._tool.lock
        return self.carrier.attributes.get(name) == value

    def after(self, *, is_confirmed: bool) -> str:
        """The attribute's value for a new translation; one that is done stays done as it was."""
        if not is_confirmed:
            return self._tool.draft
        return self.carrier.attributes[self._tool.attribute] if self.is_done else self._tool.done[0]


def tool_state(unit: Node, number: str | None) -> ToolState | None:
    """The state of a trans-unit, or of the segment of that number in it; None where no tool says anything."""
    for group in unit.nodes("seg-defs"):
        for carrier in group.nodes("seg"):
            if carrier.attributes.get("id") == number:
                return ToolState(carrier, _TRADOS)
    tool = next((tool for tool in _OF_UNITS if {tool.attribute, tool.lock[0]} & unit.attributes.keys()), None)
    return ToolState(unit, tool) if tool else None
