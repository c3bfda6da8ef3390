"""Names of series and categories of a chart, stored in the chart and in a workbook (.xlsx) inside the file.

Each name is offered once. A translation replaces the name in the chart and in the workbook, because PowerPoint and Word
read the workbook when a person edits the data. The headings of a table in the workbook must equal its cells, otherwise
Excel reports that the file is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from app.errors import DocumentError
from app.formats.base import Edit, one_line, splice
from app.formats.inline import Shown
from app.formats.office.office_blocks import around
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.xml_text import Node, encode_xml, escape, tree, with_attribute
from app.i18n import Message

_EXCEL = OfficeKind("Excel", ".xlsx", ".xls", Message("an Excel workbook"))
_STORED = ("strCache", "strLit", "multiLvlStrCache")
_REFERENCES = ("strRef", "multiLvlStrRef")
_LETTER = re.compile(r"[^\W\d_]")
_FORMULA = re.compile(r"<(?:\w+:)?f\b[^>]*>[^<]*\[")  # that names a table
_CELLS = re.compile(r"xl/(?:sharedStrings|worksheets/[^/]+)\.xml", re.IGNORECASE)
_TABLES = re.compile(r"xl/tables/[^/]+\.xml", re.IGNORECASE)


class ChartLabel:
    """The name of a series or category, with the interface of `app.formats.office.docx_text.Paragraph`."""

    def __init__(self, node: Node) -> None:
        self.start, self.end = node.inner_start, node.inner_end
        self.text = node.content()
        self.unsplit: list[tuple[int, int]] = [(0, len(self.text))]
        self.breaks: list[tuple[int, int]] = []
        inner = self.text.strip()
        first = self.text.index(inner)
        self.stretches = [(first, first + len(inner))]

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end as one line."""
        return Shown(one_line(self.text[start:end]))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these spans (ascending) replaced."""
        return escape(splice(self.text, translations))


def is_label(node: Node) -> bool:
    """True if an element is the stored name of a series or category, with a letter."""
    if node.local != "v" or node.parent is None:
        return False
    is_stored = node.parent.local == "tx" or around(node, _STORED) is not None
    return is_stored and bool(_LETTER.search(node.content()))


def labels(root: Node, *, with_cells: bool) -> dict[str, list[Node]]:
    """The elements with each name of a chart, by name, in order; `with_cells`: also those that are in cells."""
    found: dict[str, list[Node]] = {}
    for node in root.walk():
        if is_label(node) and (with_cells or around(node, _REFERENCES) is None):
            found.setdefault(node.content(), []).append(node)
    return found


def workbook_with(package: OfficePackage, chart: str, names: Mapping[str, str]) -> dict[str, bytes]:
    """The workbook of a chart with new names, by name of the part; empty if it has none that can be changed."""
    parts = [each.part for each in package.relations(chart).values() if each.kind == "package"]
    found: dict[str, bytes] = {}
    for part in parts:
        if part.lower().endswith(".xlsx") and package.has(part):
            try:
                book = OfficePackage(package.read(part), part, _EXCEL)
                new = _renamed(book, names)
            except DocumentError:  # the chart shows its own copy of the names
                continue
            if new:
                found[part] = book.rewritten(new)
    return found


def _renamed(workbook: OfficePackage, names: Mapping[str, str]) -> dict[str, bytes]:
    """The parts with new texts in cells; none if a formula names a table, or two headings would be the same."""
    new: dict[str, bytes] = {}
    renamed: dict[str, str] = {}
    for part in sorted(workbook.names, key=lambda name: bool(_TABLES.fullmatch(name))):  # headings follow their cells
        is_table = bool(_TABLES.fullmatch(part))
        if not is_table and not _CELLS.fullmatch(part):
            continue
        decoded = workbook.xml(part)
        root, xml = tree(decoded.text), decoded.text
        if is_table:
            xml = splice(xml, list(_headings(root, xml, renamed)))
        else:
            texts = _texts(root, names)
            renamed |= {text: names[text] for _, _, text in texts}
            xml = splice(xml, [(start, end, escape(names[text])) for start, end, text in texts])
        if _FORMULA.search(xml) or (is_table and not _are_different(tree(xml))):
            return {}
        if xml != decoded.text:
            new[part] = encode_xml(xml, decoded)
    return new


def _texts(root: Node, names: Mapping[str, str]) -> list[Edit]:
    """The cells that contain one of these names without formats: start, end, and the name."""
    cells = [node.nodes() for node in root.walk() if node.local in ("si", "is")]
    texts = [inner[0] for inner in cells if len(inner) == 1 and inner[0].local == "t"]
    return [(text.inner_start, text.inner_end, text.content()) for text in texts if text.content() in names]


def _headings(root: Node, xml: str, names: Mapping[str, str]) -> Iterator[Edit]:
    for node in root.walk():
        if node.local == "tableColumn" and (name := node.attributes.get("name", "")) in names:
            yield node.start, node.inner_start, with_attribute(xml[node.start : node.inner_start], "name", names[name])


def _are_different(table: Node) -> bool:
    """True if no two columns of a table have the same heading, which Excel does not allow."""
    headings = [node.attributes.get("name", "").casefold() for node in table.walk() if node.local == "tableColumn"]
    return len(headings) == len({*headings})
