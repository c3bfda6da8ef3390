"""The blocks of Office files: the cell of a table that an element is in, and the blocks of paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.formats.blocks import PARAGRAPH, Block
from app.formats.office.office_package import OfficePackage
from app.formats.xml_text import Node, tree

_CELLS: Final = ("tc", "table-cell", "covered-table-cell")
_ROWS: Final = ("tr", "table-row")
_TABLES: Final = ("tbl", "table")
MAX_HEADING: Final = 6


class Tables:
    """The cells of one part of a file."""

    def __init__(self) -> None:
        self._columns: dict[int, dict[int, int]] = {}  # by the offset of the row and of the cell

    def cell(self, node: Node) -> Block | None:
        """The innermost cell around an element; None outside of tables."""
        cell = around(node, _CELLS)
        row = around(cell, _ROWS) if cell else None
        table = around(row, _TABLES) if row else None
        if cell is None or row is None or table is None:
            return None
        if row.start not in self._columns:
            self._columns[row.start] = {each.start: number for number, each in enumerate(row.nodes(*_CELLS))}
        return Block("cell", row=(table.start, row.start), column=self._columns[row.start].get(cell.start, 0))


def around(node: Node, names: Iterable[str]) -> Node | None:
    """The nearest element around another with one of these local names."""
    found = node.parent
    while found is not None and found.local not in names:
        found = found.parent
    return found


def word_block(node: Node, tables: Tables, headings: Mapping[str, int]) -> Block:
    """The block of a paragraph of Word; `headings` are the levels of its styles."""
    if cell := tables.cell(node):
        return cell
    properties = node.first("pPr")
    if properties is None:
        return PARAGRAPH
    style = _value(properties.first("pStyle"))
    level = _value(properties.first("outlineLvl"))
    if style in headings or level.isdecimal():
        return Block("heading", level=headings.get(style) or min(int(level) + 1, MAX_HEADING))
    numbering = properties.first("numPr")
    if numbering is not None:
        level = _value(numbering.first("ilvl"))
        return Block("item", level=min(int(level), 8) + 1 if level.isdecimal() else 1)
    return PARAGRAPH


def name_of_styles(package: OfficePackage) -> str | None:
    """The name of the part of a Word document that has its styles; None if it has none."""
    return next((name for name in package.content_types() if name.endswith("/styles.xml")), None)


def word_headings(package: OfficePackage) -> dict[str, int]:
    """The levels of the styles of headings, by the id of the style."""
    name = name_of_styles(package)
    levels = {}
    for style in tree(package.xml(name).text).nodes("style") if name and package.has(name) else ():
        properties = style.first("pPr")
        outline = _value(properties.first("outlineLvl")) if properties else ""
        is_title = _value(style.first("name")).lower() == "title"
        if is_title or (outline.isdecimal() and int(outline) < MAX_HEADING):
            style_id = next((value for key, value in style.attributes.items() if key.endswith("styleId")), "")
            levels[style_id] = 1 if is_title else int(outline) + 1
    return levels


def slide_block(node: Node, tables: Tables) -> Block:
    """The block of a paragraph of PowerPoint: a title is a heading, a text of the usual box an item of a list."""
    if cell := tables.cell(node):
        return cell
    shape = around(node, ("sp",))
    placeholder = next((each for each in shape.walk() if each.local == "ph"), None) if shape else None
    if placeholder is None:
        return PARAGRAPH
    kind = placeholder.attributes.get("type", "body")
    if kind in ("title", "ctrTitle"):
        return Block("heading", level=2)
    properties = node.first("pPr")
    level = properties.attributes.get("lvl", "0") if properties else "0"
    return Block("item", level=int(level) + 1) if kind in ("body", "obj") and level.isdecimal() else PARAGRAPH


def open_document_block(node: Node, tables: Tables) -> Block:
    """The block of a paragraph of OpenDocument."""
    if cell := tables.cell(node):
        return cell
    if node.local == "h":
        level = node.attributes.get("text:outline-level", "1")
        return Block("heading", level=min(int(level), MAX_HEADING) if level.isdecimal() else 1)
    depth, item = 0, around(node, ("list-item",))
    while item is not None:
        depth, item = depth + 1, around(item, ("list-item",))
    return Block("item", level=depth) if depth else PARAGRAPH


def placed(blocks: Iterable[Block], starts: Iterable[int], end: int) -> Iterator[Block]:
    """The blocks of a part, each from its start to the start of the next one; the last ends at `end`."""
    first: tuple[Block, int] | None = None
    for block, start in zip(blocks, starts, strict=True):
        if first:
            yield first[0].at(first[1], start)
        first = block, start
    if first:
        yield first[0].at(first[1], end)


def _value(node: Node | None) -> str:
    """The attribute `val` of an element, with any prefix; "" without one."""
    return (
        next((value for key, value in node.attributes.items() if key.rpartition(":")[2] == "val"), "") if node else ""
    )
