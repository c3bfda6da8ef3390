"""Formulas of an Excel workbook, which stay unchanged: those with the text of a cell, and new results of all.

A formula such as =COUNTIF(A:A,"green") no longer finds that text after its translation. Formulas of conditional
formats, of data validation and of names are included; those of the columns of tables are also in the cells.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

from app.formats.base import Edit, splice
from app.formats.office.office_package import OfficePackage
from app.formats.xml_text import encode_xml, tree, with_attribute
from app.i18n import Message
from app.text.encoding import DecodedText

_FORMULA = re.compile(
    rb"""<(?:[\w.-]+:)?(?P<element>f|formula[12]?)(?P<attributes>\s[^<>]*)?>
    (?P<formula>[^<]*?(?:"|&(?:quot|\#34|\#x22);)[^<]*)""",
    re.VERBOSE,
)
_ANY = re.compile(rb"<(?:[\w.-]+:)?f[\s/>]")
_BEFORE_SETTINGS: Final = ("sheets", "functionGroups", "externalReferences", "definedNames")  # of the calculation
_COPY = re.compile(rb"<(?:[\w.-]+:)?f(\s[^<>]*)/>")
_NUMBER = re.compile(rb"""\ssi\s*=\s*["'](\d+)""")
_CELL = re.compile(rb"""<(?:[\w.-]+:)?c(?:\s[^<>]*?\br\s*=\s*["']([A-Z0-9]+)[^<>]*|\s[^<>]*)?>""")
_CELLS_BEFORE = re.compile(rb"""\ssqref\s*=\s*["']([^"'\s]+)""")
_CELLS_BEHIND = re.compile(rb"sqref>\s*([^<\s]+)")
_TEXT = re.compile(r"""'(?:[^']|'')*'|"((?:[^"]|"")*)\"""")  # the name of a sheet, or a text
_BESIDE: Final = 4000  # bytes beside a formula in which its cells are searched


@dataclass(frozen=True, slots=True)
class FormulaTexts:
    """The number of formulas with the text of a cell; the first such text, and the place of its formula."""

    count: int
    text: str
    place: Message


def texts_in_formulas(
    package: OfficePackage, main: str, sheets: Iterable[tuple[str, str]], cells: Container[str]
) -> Iterator[FormulaTexts]:
    """The formulas of each sheet (title, part), and of each name, that contain one of these texts of cells.

    `cells` are case-folded, because formulas do not distinguish capitals.
    """
    for title, part in sheets:
        if found := _texts_in_sheet(package.read(part), title, cells):
            yield found
    for node in tree(package.xml(main).text).walk():
        if node.local == "definedName" and (text := text_of_cell(node.content(), cells)):
            yield FormulaTexts(1, text, Message("the name {name}", name=node.attributes.get("name", "")))


def formulas_note(found: Iterable[FormulaTexts]) -> Message | None:
    """The note about formulas with texts of cells."""
    every = [*found]
    if not every:
        return None
    return Message(
        "Formulas, also of conditional formats, that contain the text of a cell: {count:,}; the first: “{text}”, "
        "{place}. Formulas stay unchanged, so they may not find this text after its translation: correct "
        "them in the translated file.",
        count=sum(each.count for each in every),
        text=every[0].text[:40],
        place=every[0].place,
    )


def has_formulas(package: OfficePackage, sheets: Iterable[tuple[str, str]]) -> bool:
    """True if one of the sheets (title, part) has a formula in a cell."""
    return any(_ANY.search(package.read(part)) for _, part in sheets)


def with_new_results(main: DecodedText) -> bytes:
    """The main part of a workbook, so that Excel calculates all formulas when it opens the file.

    Otherwise, Excel shows their stored results, in which texts of cells are not translated.
    """
    root = tree(main.text)
    edits: list[Edit] = []
    if settings := root.first("calcPr"):
        tag = main.text[settings.start : settings.inner_start]
        edits.append((settings.start, settings.inner_start, with_attribute(tag, "fullCalcOnLoad", "1")))
    elif before := [node for node in root.nodes() if node.local in _BEFORE_SETTINGS]:
        prefix = root.name[: len(root.name) - len(root.local)]
        edits.append((before[-1].end, before[-1].end, f'<{prefix}calcPr fullCalcOnLoad="1"/>'))
    return encode_xml(splice(main.text, edits), main)


def _texts_in_sheet(sheet: bytes, title: str, cells: Container[str]) -> FormulaTexts | None:
    count = 0
    first: tuple[str, re.Match[bytes]] | None = None
    shared: set[bytes] = set()
    for match in _FORMULA.finditer(sheet):
        formula = unescape(match["formula"].decode("utf-8", "replace")).strip()
        text = text_of_cell(formula, cells)
        if not text or (_TEXT.fullmatch(formula) and _is_of_validation(sheet, match)):
            continue  # without such a text, or a list of choices, which changes with the cells
        count += 1
        first = first or (text, match)
        if number := _NUMBER.search(match["attributes"] or b""):
            shared.add(number[1])
    if first is None:
        return None
    if shared:
        numbers = (_NUMBER.search(attributes) for attributes in _COPY.findall(sheet))
        count += sum(number is not None and number[1] in shared for number in numbers)
    return FormulaTexts(count, first[0], _place(sheet, title, first[1]))


def _is_of_validation(sheet: bytes, match: re.Match[bytes]) -> bool:
    before = sheet[max(match.start() - _BESIDE, 0) : match.start()]
    return match["element"] == b"formula1" or before.rstrip().endswith(b"formula1>")


def text_of_cell(formula: str, cells: Container[str]) -> str:
    """The first text of a formula that is the text of a cell, also as a criterion such as "<>green" or "*green*"."""
    for match in _TEXT.finditer(formula):
        text = (match[1] or "").replace('""', '"')
        if text.casefold() in cells or text.lstrip("<>=").strip("*").casefold() in cells:
            return text
    return ""


def _place(sheet: bytes, title: str, match: re.Match[bytes]) -> Message:
    """The place of a formula: its cell or, for a rule behind the cells, the first cells of the rule."""
    before = sheet[max(match.start() - _BESIDE, 0) : match.start()]
    if match.start() < sheet.rfind(b"sheetData>"):
        return Message("sheet {sheet}, cell {cell}", sheet=title, cell=_shown(_CELL.findall(before)[-1:]))
    behind = sheet[match.end() : match.end() + _BESIDE]
    is_newer = match["element"] == b"f"  # its cells follow
    found = _CELLS_BEHIND.findall(behind)[:1] if is_newer else _CELLS_BEFORE.findall(before)[-1:]
    return Message("sheet {sheet}, cells {cells}", sheet=title, cells=_shown(found))


def _shown(found: list[bytes]) -> str:
    return next((each.decode("ascii", "replace") for each in found if each), "?")
