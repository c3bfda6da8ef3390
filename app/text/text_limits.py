"""Limits of length that a file states for the translation of a text."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

from app.text.nontranslatables import NUMBERED_TAG
from app.text.subtitle_layout import CueSpace, exceeded


@dataclass(frozen=True, slots=True)
class TextLimits:
    """The longest translation that a file allows for a text, in Unicode code points; 0: any length.

    `normalization` is the Unicode form in which the code points are counted; "": as they are. `tags` are the numbers of
    inline tags with the code points that each stands for: 0 for an element, 1 for a line break. `cues` are the
    subtitles in which the text is laid out.
    """

    max_characters: int = 0
    normalization: Literal["", "NFC", "NFD"] = ""
    tags: tuple[tuple[str, int], ...] = ()
    cues: tuple[CueSpace, ...] = ()

    def num_characters(self, text: str) -> int:
        """The length of a translation in the units of the limit.

        >>> TextLimits(40, tags=(("1", 0),)).num_characters("Press {1}OK{/1}, {2}")
        13
        """
        lengths = dict(self.tags)
        counted = NUMBERED_TAG.sub(lambda tag: "x" * lengths[tag[1]] if tag[1] in lengths else tag.group(), text)
        return len(unicodedata.normalize(self.normalization, counted) if self.normalization else counted)

    def exceeded(self, text: str) -> dict[str, tuple[str, ...]]:
        """By kind, what a translation has too much of: "characters", or "speed", "line" and "lines" of subtitles."""
        found: dict[str, tuple[str, ...]] = {} if self.allows(text) else {"characters": (str(self.max_characters),)}
        if not self.cues:
            return found
        lengths = dict(self.tags)
        plain = NUMBERED_TAG.sub(lambda tag: "\n" * lengths[tag[1]] if tag[1] in lengths else tag.group(), text)
        return found | exceeded(plain, self.cues)

    def allows(self, text: str) -> bool:
        """True if a translation is not too long."""
        return not self.max_characters or self.num_characters(text) <= self.max_characters

    def view(self) -> dict[str, Any]:
        """The limit as a JSON object for the page and the log."""
        tags = [list(tag) for tag in self.tags]
        cues = [[cue.duration_ms, cue.share, cue.num_lines, cue.is_alone] for cue in self.cues]
        return {
            "max_characters": self.max_characters,
            "normalization": self.normalization,
            "tags": tags,
            "cues": cues,
        }


def packed(limits: TextLimits | None) -> str:
    """The limit as JSON text; "" without one."""
    return json.dumps(limits.view(), separators=(",", ":")) if limits else ""


def unpacked(text: str) -> TextLimits | None:
    """The limit that `packed` wrote. Raises ValueError, KeyError or TypeError for other texts."""
    return of_view(json.loads(text)) if text else None


def of_view(view: Any) -> TextLimits | None:
    """The limit of a JSON object; None of null. Raises ValueError, KeyError or TypeError if it is not one."""
    if view is None:
        return None
    number, form = view["max_characters"], view["normalization"]
    tags = tuple((name, length) for name, length in view["tags"])
    is_valid = type(number) is int and number >= 0 and form in ("", "NFC", "NFD")
    if not is_valid or any(type(name) is not str or type(length) is not int for name, length in tags):
        raise ValueError(f"{view!r} is not a limit of a text")
    cues = tuple(CueSpace(*cue) for cue in view.get("cues", ()))
    if any(
        type(value) is not int or value < 0 for cue in cues for value in (cue.duration_ms, cue.share, cue.num_lines)
    ):
        raise ValueError(f"{view!r} is not a limit of a text")
    return TextLimits(number, form, tags, cues)
