"""Blocks: the visible parts of a document, such as headings, rows of tables, slides and subtitles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

MAX_SHOWN_TEXT: Final = 4000  # characters of a block that is not translated

BlockKind = Literal["paragraph", "heading", "item", "cell", "part", "subtitle", "entry", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A block, with the segments whose places begin at `start` or later and before `end`; none if these are equal.

    `level` is the level of a heading (1 to 6) or of a list item (from 1). `label` is the name of a part, the times of a
    subtitle, or the key of an entry; `text` is untranslated text. `row` numbers the table and the row of a cell.
    """

    kind: BlockKind
    start: int = 0
    end: int = 0
    level: int = 0
    label: str = ""
    text: str = ""
    row: tuple[int, int] = (0, 0)
    column: int = 0

    def at(self, start: int, end: int) -> Block:
        """The block at this place."""
        return replace(self, start=start, end=end)


PARAGRAPH: Final = Block("paragraph")


def code(text: str, place: int) -> Block:
    """A text that is not translated."""
    return Block("code", place, place, text=text.rstrip()[:MAX_SHOWN_TEXT])
