"""Segmentation rules applied position by position, as section 2 of SRX 2.0 describes it: slow, and with Python's `re`.

Patterns must have no assertions at their ends and mean the same in Python as in ICU.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Rule = tuple[bool, str, str]  # whether it breaks, the pattern before the break, the pattern after it


def breaks(text: str, rules: Sequence[Rule]) -> list[int]:
    """The positions inside `text` where a segment ends."""
    return [position for position in range(1, len(text)) if _is_break(text, position, rules)]


def _is_break(text: str, position: int, rules: Sequence[Rule]) -> bool:
    for is_break, before, after in rules:
        ends_here = any(re.fullmatch(before, text[start:position]) for start in range(position + 1))
        begins_here = any(re.fullmatch(after, text[position:end]) for end in range(position, len(text) + 1))
        if ends_here and begins_here:
            return is_break
    return False


def rules_for(
    language: str, maps: Sequence[tuple[str, str]], lists: dict[str, list[Rule]], cascades: bool
) -> list[Rule]:
    """The rules for a language: of all maps that match it, or of the first one."""
    found: list[Rule] = []
    for pattern, name in maps:
        if re.fullmatch(pattern, language):
            found += lists[name]
            if not cascades:
                break
    return found
