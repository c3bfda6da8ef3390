"""Lists of choices and formulas of an OpenDocument spreadsheet that contain texts of cells, as those of Excel.

    table:condition="of:cell-content-is-in-list(&quot;green&quot;;&quot;red&quot;)"
    table:formula="of:=COUNTIF([.A1:.A9];&quot;green&quot;)"

An item of a list gets the translations of the cells with its text. Formulas stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass

from app.formats.base import Edit, splice
from app.formats.office.office_blocks import around
from app.formats.office.xlsx_formulas import FormulaTexts, text_of_cell
from app.formats.xml_text import Node, tree, with_attribute
from app.i18n import Message

_CONDITION = "table:condition"
_FORMULAS = ("table:formula", "calcext:value", "table:expression", _CONDITION)
_LIST = re.compile(r"""(?<=cell-content-is-in-list\()(?:[^()"]|"(?:[^"]|"")*")*""")
_ITEM = re.compile(r'"((?:[^"]|"")*)"')
_ADDRESS = re.compile(r"""\$?(?:'(?P<quoted>(?:[^']|'')*)'|(?P<plain>[^.\s]+))\.\$?(?P<column>[A-Z]+)\$?(?P<row>\d+)""")


@dataclass(frozen=True, slots=True)
class OdsList:
    """A list of choices: its items, and the place of the first cell with it."""

    items: list[str]
    place: Message


def choice_lists(root: Node) -> list[OdsList]:
    """The lists of a spreadsheet; empty for other documents."""
    return [
        OdsList(_items(found[0]), _place(node.attributes.get("table:base-cell-address", "")))
        for node in _validations(root)
        if (found := _LIST.search(node.attributes.get(_CONDITION, "")))
    ]


def with_new_items(xml: str, texts: Mapping[str, Collection[str]]) -> str:
    """The content of a spreadsheet with new texts of items in its lists."""

    def new(match: re.Match[str]) -> str:
        (item,) = _items(match[0])
        quoted = (text.replace('"', '""') for text in texts.get(item, (item,)))
        return ";".join(f'"{text}"' for text in quoted)

    edits: list[Edit] = []
    for node in _validations(tree(xml)):
        condition = node.attributes.get(_CONDITION, "")
        if (found := _LIST.search(condition)) and not texts.keys().isdisjoint(_items(found[0])):
            condition = condition[: found.start()] + _ITEM.sub(new, found[0]) + condition[found.end() :]
            tag = xml[node.start : node.inner_start]
            edits.append((node.start, node.inner_start, with_attribute(tag, _CONDITION, condition)))
    return splice(xml, edits)


def texts_in_formulas(root: Node, cells: Container[str]) -> list[FormulaTexts]:
    """The formulas of a spreadsheet, also of conditional formats, validations and names, that contain a text of a cell.

    `cells` are the texts of cells, case-folded.
    """
    sheets = _spreadsheet(root)
    found = [
        (text, node)
        for node in (sheets.walk() if sheets else ())
        for name in _FORMULAS
        if '"' in (formula := node.attributes.get(name, "")) and (text := text_of_cell(_LIST.sub("", formula), cells))
    ]
    return [FormulaTexts(len(found), found[0][0], _place_of(found[0][1]))] if found else []


def _spreadsheet(root: Node) -> Node | None:
    body = root.first("body")
    return body.first("spreadsheet") if body else None


def _validations(root: Node) -> list[Node]:
    sheets = _spreadsheet(root)
    validations = sheets.first("content-validations") if sheets else None
    return validations.nodes("content-validation") if validations else []


def _items(listed: str) -> list[str]:
    return [match[1].replace('""', '"') for match in _ITEM.finditer(listed)]


def _place_of(node: Node) -> Message:
    """The place of an element with a formula."""
    row, table = around(node, ("table-row",)), around(node, ("table",))
    if row and table:
        sheet = table.attributes.get("table:name", "")
        return Message("sheet {sheet}, cell {cell}", sheet=sheet, cell=_cell(node, row, table))
    if node.local == "named-expression":
        return Message("the name {name}", name=node.attributes.get("table:name", ""))
    ranges = around(node, ("conditional-format",)) or node
    address = ranges.attributes.get("calcext:target-range-address", "")
    return _place(address or ranges.attributes.get("table:base-cell-address", ""))


def _place(address: str) -> Message:
    """The first cell of an address such as "'My sheet'.B2:'My sheet'.B9"."""
    found = _ADDRESS.match(address)
    sheet = (found["plain"] or found["quoted"].replace("''", "'")) if found else "?"
    return Message("sheet {sheet}, cell {cell}", sheet=sheet, cell=f"{found['column']}{found['row']}" if found else "?")


def _cell(cell: Node, row: Node, table: Node) -> str:
    """The name of a cell, "B2"; rows and columns before it may be there several times."""
    from openpyxl.utils.cell import get_column_letter  # takes as long as all other imports here

    column = 1 + sum(_times(each, "columns") for each in row.nodes() if each.start < cell.start)
    rows = (each for each in table.walk() if each.local == "table-row" and each.start < row.start)
    number = 1 + sum(_times(each, "rows") for each in rows)
    return f"{get_column_letter(column)}{number}" if column <= 18_278 else "?"


def _times(node: Node, direction: str) -> int:
    number = node.attributes.get(f"table:number-{direction}-repeated", "1")
    return int(number) if number.isdecimal() and len(number) < 8 else 1
