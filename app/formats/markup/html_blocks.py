"""The blocks of an HTML page by its tags: headings, items of lists, cells of tables. End tags may be missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from app.formats.blocks import PARAGRAPH, Block

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dl"})
_ITEMS: Final = frozenset({"li", "dt", "dd"})
_CELLS: Final = frozenset({"td", "th"})
# What a start tag closes: open elements of these names, up to the nearest of those.
_CLOSES: Final = {
    **dict.fromkeys(_ITEMS, (_ITEMS, _LISTS)),
    **dict.fromkeys(_CELLS, (_CELLS, frozenset({"tr", "table"}))),
    "tr": (frozenset({"tr"}) | _CELLS, frozenset({"table"})),
}
_KNOWN: Final = frozenset({*_HEADINGS, *_LISTS, *_ITEMS, *_CELLS, "table", "tr", "caption"})


@dataclass(slots=True)
class _Open:
    """An open element: the block of a text in it, the depth of lists, and how many cells it has."""

    name: str
    block: Block
    depth: int
    num_cells: int = 0


class OpenBlocks:
    """The elements that are open at a place of a page. Each tag takes constant time on average."""

    def __init__(self) -> None:
        self._stack = [_Open("", PARAGRAPH, 0)]
        self._names: Counter[str] = Counter()
        self._num_tables = self._num_rows = 0

    @property
    def current(self) -> Block:
        """The block of a text at this place, without its span."""
        return self._stack[-1].block

    def tag(self, name: str, *, is_end: bool) -> None:
        """Goes past a tag of an element that is not empty; `name` is in lower case."""
        if name not in _KNOWN:
            return
        if is_end:
            if self._names[name]:
                while self._pop() != name:
                    pass
            return
        closed, limits = _CLOSES.get(name, (frozenset(), frozenset()))
        while self._has_above(closed, limits):
            self._pop()
        self._push(name)

    def _has_above(self, closed: frozenset[str], limits: frozenset[str]) -> bool:
        """True if one of these elements is open inside of the nearest of the limits; looks at a few elements only."""
        for element in self._stack[:-9:-1]:
            if element.name in limits:
                return False
            if element.name in closed:
                return True
        return False

    def _pop(self) -> str:
        element = self._stack.pop()
        self._names[element.name] -= 1
        return element.name

    def _push(self, name: str) -> None:
        around = self._stack[-1]
        block, depth = around.block, around.depth
        if name in _HEADINGS and block.kind != "cell":
            block = Block("heading", level=_HEADINGS[name])
        elif name in _LISTS:
            depth += 1
        elif name in _ITEMS and block.kind != "cell":
            block = Block("item", level=max(depth, 1))
        elif name == "table":
            self._num_tables += 1
            block, depth = Block("paragraph", row=(self._num_tables, 0)), 0
        elif name == "tr":
            self._num_rows += 1
            block = replace(block, row=(block.row[0], self._num_rows))
        elif name in _CELLS and block.row[0]:
            block = Block("cell", row=block.row, column=around.num_cells)
            around.num_cells += 1
        self._stack.append(_Open(name, block, depth))
        self._names[name] += 1
