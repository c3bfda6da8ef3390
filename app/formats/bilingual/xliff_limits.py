"""The limits that an XLIFF file states for the length of a translation.

XLIFF 1.2 has `maxwidth` with `size-unit="char"` on a trans-unit or on a group, for each trans-unit in it; memoQ has
`mq:maxlengthchars`. XLIFF 2 has the size and length restriction module, here with the profile `xliff:codepoints` on a
unit. Other limits, such as pixels, bytes, or one limit for several segments, are counted but not checked.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Literal

from app.formats.xml_text import Node
from app.text.text_limits import TextLimits

_MEMOQ = "mq:maxlengthchars"
_STATING = frozenset({"maxwidth", "maxlengthchars", "sizeRestriction", "storageRestriction"})
_CODE_POINTS = "xliff:codepoints"
_NORMALIZATIONS: dict[str, Literal["NFC", "NFD"]] = {"nfc": "NFC", "nfd": "NFD"}


def stated_limit(owner: Node) -> tuple[Node, TextLimits] | None:
    """The limit for the only segment of a trans-unit (1.2) or a segment (2.x), and the element that states it."""
    if owner.local == "trans-unit":
        if number := _number(owner.attributes.get(_MEMOQ, "")):
            return owner, TextLimits(number)
        node: Node | None = owner
        while node is not None and "maxwidth" not in node.attributes:
            node = node.parent
        number = _number(node.attributes["maxwidth"]) if node and node.attributes.get("size-unit") == "char" else 0
        return (node, TextLimits(number)) if node and number else None
    unit = owner.parent
    restriction = _attribute(unit, "sizeRestriction") if unit and len(unit.nodes("segment")) == 1 else None
    number = _number(restriction.rpartition(",")[2]) if restriction else 0
    file = unit
    while file is not None and file.local != "file":
        file = file.parent
    profiles = file.first("profiles") if file else None
    if not number or unit is None or profiles is None or profiles.attributes.get("generalProfile") != _CODE_POINTS:
        return None
    form = profiles.first("normalization")
    return unit, TextLimits(number, _NORMALIZATIONS.get(form.attributes.get("general", "") if form else "", ""))


def num_unchecked(root: Node, text: str, checked: Set[int]) -> int:
    """The number of elements of a text with a limit, without those whose places are in `checked`."""
    if not any(name in text for name in _STATING):
        return 0
    return sum(
        any(name.rpartition(":")[2] in _STATING and value != "*" for name, value in node.attributes.items())
        for node in root.walk()
        if node.start not in checked
    )


def _attribute(node: Node | None, local: str) -> str | None:
    """An attribute in a namespace, with any prefix."""
    found = node.attributes.items() if node else ()
    return next((value for name, value in found if name.rpartition(":")[2] == local), None)


def _number(text: str) -> int:
    """A positive number; 0 for another text."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
