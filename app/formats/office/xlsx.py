"""Excel workbooks (.xlsx): each text of a cell once, even if many cells have it; each line of a cell is a segment.

Texts in drawings, diagrams and titles of charts follow the cells. Other names in charts are texts of cells. Formulas,
numbers, dates, and the names of sheets stay unchanged, and so do the headings of tables, because formulas may refer to
them. Excel calculates the results of formulas again. Lists of choices and filters change with the cells that have
their texts. A workbook without translations is written byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Final

from app.errors import DocumentError
from app.formats.base import Edit, UnitTranslation, WrittenFile, splice
from app.formats.blocks import PARAGRAPH, Block
from app.formats.office.docx_text import WordParagraph
from app.formats.office.drawing_text import DIAGRAM_PICTURE, drawing_paragraphs, rewritten_drawing
from app.formats.office.office_file import Changes, OfficeFile, OfficePart, check_runs, check_size, starts_of
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.office.turning import sheets_turned
from app.formats.office.xlsx_cells import text_cells
from app.formats.office.xlsx_filters import filtered_texts, with_new_filters
from app.formats.office.xlsx_formulas import formulas_note, has_formulas, texts_in_formulas, with_new_results
from app.formats.office.xlsx_lists import ChoiceList, choice_lists, unchanged_note, unknown_items, with_new_items
from app.formats.paragraph import OBJECT, Atom, Container
from app.formats.xml_text import Node, Text, encode_xml, tree, unescape
from app.i18n import Message, joined
from app.text import excel_text

MAX_TEXTS: Final = 100_000
MAX_CELLS: Final = 2_000_000
_EXCEL = OfficeKind("Excel", ".xlsx", ".xls", Message("an Excel workbook"))
_MAIN = re.compile(r"spreadsheetml\.(sheet|template)\.main\+xml$")
_PHONETIC: Final = ("rPh", "phoneticPr")  # how to pronounce the source
Font = frozenset[tuple[object, ...]]  # its properties, each with its attributes
_SPACE = re.compile(r"[\t\r]")
_HEADER = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)\b[^>]*>([^<]*)<")
_CODE = re.compile(r'&(?:"[^"]*"|K[\dA-Fa-f+-]*|\d+|.)')
_VALIDATION = re.compile(rb"""\s(?:prompt|error)(?:Title)?="[^"]""")
_TIP = re.compile(rb"""\stooltip="[^"]""")
_SHARED_TEXT = re.compile(rb"<(?:\w+:)?si[\s/>]")
_CELL_NAME = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


class CellText(WordParagraph):
    """The text of a cell: one text, or runs with formats. It may have line breaks.

    Excel writes the font of the cell only from the second run on; `font` is that font, or empty if it is not known.
    """

    def __init__(self, node: Node, xml: str, prefix: str, font: Font) -> None:
        self._font = font
        super().__init__(node, xml, prefix)

    def _visible(self, raw_format: str) -> str:
        if self._font and raw_format and _font_of(tree(raw_format)) == self._font:
            return ""
        return super()._visible(raw_format)

    def _read(self, node: Node, containers: tuple[Container, ...]) -> None:
        if node.local == "t":
            self._add_text(self._text_of(node), containers, "", "")
        elif node.local not in _PHONETIC:
            super()._read(node, containers)

    def _text_of(self, node: Node) -> str:
        text = "".join(child.value for child in node.children if isinstance(child, Text))
        text = text if node.attributes.get("xml:space") == "preserve" else text.strip(" \t\n\r")
        return _SPACE.sub(" ", excel_text.decoded(text).replace("\r\n", "\n")).replace(OBJECT, " ")

    def _content(self, text: str) -> str:
        return super()._content(excel_text.encoded(text))

    def _add_text(self, text: str, containers: tuple[Container, ...], its_format: str, raw_format: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                p = self._prefix
                raw = f'<{p}r>{raw_format}<{p}t xml:space="preserve">\n</{p}t></{p}r>'
                self._add(Atom(self._length, OBJECT, containers, raw=raw, is_break=True))
            if line:
                self._add(Atom(self._length, line, containers, its_format))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these spans (ascending) replaced; without a run if there is only one, without a format."""
        runs, p = super().xml(translations), self._prefix
        if f"<{p}rPr" not in runs:
            runs = runs.replace(f'</{p}t></{p}r><{p}r><{p}t xml:space="preserve">', "")
        only = re.fullmatch(rf"<{p}r>(<{p}t\b[^>]*>[^<]*</{p}t>)</{p}r>", runs)
        return runs if only is None else only[1]

    def translated(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The text with these spans (ascending) replaced."""
        xml = f"<si>{self.xml(translations)}</si>"
        return CellText(tree(xml), xml, self._prefix, frozenset()).text


@dataclass(frozen=True)
class XlsxFile(OfficeFile):
    """A workbook. `lists` are the lists of choices, and `filters` the texts of filters, by the name of the part.

    `calculated` is the main part if there are formulas, otherwise empty.
    """

    lists: Mapping[str, Sequence[ChoiceList]] = field(default_factory=dict, repr=False)
    filters: Mapping[str, Collection[str]] = field(default_factory=dict, repr=False)
    calculated: str = ""

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The cells of each sheet; a text that several cells share is in the first of them."""
        found: dict[str, list[Block]] = {}
        drawn: dict[str, list[Block]] = {}
        for part in self.parts:
            for place, start, paragraph in zip(part.places, part.starts, part.paragraphs, strict=True):
                assert isinstance(place, Message)
                if not isinstance(paragraph, CellText):
                    drawn.setdefault(part.label, []).append(PARAGRAPH.at(start, start + len(paragraph.text) + 1))
                    continue
                name = _CELL_NAME.fullmatch(place.values["cell"])
                column = (
                    sum((ord(letter) - 64) * 26**power for power, letter in enumerate(name[1][::-1])) if name else 0
                )
                row = int(name[2]) if name else 0
                cell = Block("cell", start, start + len(paragraph.text) + 1, row=(0, row), column=column)
                found.setdefault(place.values["sheet"], []).append(cell)
        blocks: list[Block] = []
        for number, (sheet, cells) in enumerate(found.items(), 1):
            blocks.append(Block("part", label=sheet))
            blocks += (
                replace(cell, row=(number, cell.row[1])) for cell in sorted(cells, key=lambda c: (c.row[1], c.column))
            )
            blocks += drawn.pop(sheet, [])
        for sheet, texts in drawn.items():
            blocks += [Block("part", label=sheet), *texts]
        return blocks

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these spans replaced, also in lists of choices and filters for cells with these texts."""
        changes = self.changes(translations)
        new = self.changed_parts(changes, language)
        texts = self._new_texts(changes)
        if self.calculated:
            new[self.calculated] = with_new_results(self.package.xml(self.calculated))
        unchanged: list[Message] = []
        for sheet, lists in self.lists.items():
            if any(item in texts for choices in lists for item in choices.items):
                content = new[sheet] if sheet in new else self.package.read(sheet)
                new[sheet], places = with_new_items(content, lists[0].sheet, texts)
                unchanged += places
        for name, filtered in self.filters.items():
            if not texts.keys().isdisjoint(filtered):
                new[name] = with_new_filters(new[name] if name in new else self.package.read(name), texts)
        if language:
            new = sheets_turned(self.package, new, language)
        return WrittenFile(self.file_with(new), unchanged_note(unchanged))

    def _new_texts(self, changes: Mapping[str, Changes]) -> dict[str, Collection[str]]:
        """The new texts of cells, by their text, if it is an item of a list or in a filter; only texts that change."""
        items = {item for lists in self.lists.values() for choices in lists for item in choices.items}
        items.update(*self.filters.values())
        found: dict[str, dict[str, None]] = {}
        for part in self.parts if items else ():
            for index, paragraph in enumerate(part.paragraphs):
                if paragraph.text in items and isinstance(paragraph, CellText):
                    spans = changes.get(part.name, {}).get(index)
                    new = paragraph.translated(spans) if spans else paragraph.text
                    found.setdefault(paragraph.text, {})[new] = None
        return {item: texts for item, texts in found.items() if [*texts] != [item]}

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes, and the pictures of a diagram."""
        if not isinstance(part.paragraphs[0], CellText):
            return rewritten_drawing(self.package, part, changes, language, with_cells=False)
        edits: list[Edit] = []
        for index, spans in changes.items():
            text = part.paragraphs[index]
            edits.append((text.start, text.end, text.xml(spans)))
        return {part.name: encode_xml(splice(part.decoded.text, edits), part.decoded)}


@dataclass(frozen=True, slots=True)
class _Place:
    """The description of a cell, and its font, if it is the usual one of the workbook."""

    text: str
    font: Font


@dataclass(frozen=True, slots=True)
class _Uses:
    """The places of texts: the first cell of each shared text, by number, and the cells of texts inside of sheets."""

    shared: dict[int, _Place]
    inside: dict[str, list[_Place | None]]  # by sheet part, in the order of the cells; None for a heading of a table
    headings: set[str]  # the cells with headings of tables
    shared_headings: set[int | None]


def parse(data: bytes, name: str) -> XlsxFile:
    """Parses a workbook. Raises DocumentError, with a remedy, if it cannot be opened."""
    package = OfficePackage(data, name, _EXCEL)
    main = next((part for part, kind in package.content_types().items() if _MAIN.search(kind)), None)
    if main is None:
        raise package.other_kind()
    uses = _uses(package, main, _num_shared(package, main))
    parts: list[OfficePart] = []
    for part_name, element in _parts(package, main, uses):
        decoded = package.xml(part_name)
        check_runs(decoded.text, f"{name} ({part_name})")
        root = tree(decoded.text)
        prefix = root.name[: len(root.name) - len(root.local)]
        nodes = [node for node in root.walk() if node.local == element]
        _check_texts(len(nodes), name)
        if element == "si":
            cells = {number: cell for number, cell in uses.shared.items() if number not in uses.shared_headings}
        else:
            cells = {number: cell for number, cell in enumerate(uses.inside[part_name]) if cell}
        found = [
            (text, cells[number].text)
            for number, node in enumerate(nodes)
            if number in cells and (text := CellText(node, decoded.text, prefix, cells[number].font)).stretches
        ]
        if found:
            texts, places = zip(*found, strict=True)
            starts = starts_of(texts, parts[-1].end if parts else 0)
            parts.append(OfficePart(part_name, places, decoded, texts, starts))
    for sheet, part_name, kind, copies in _drawings(package, main):
        decoded = package.xml(part_name)
        drawn = drawing_paragraphs(decoded.text, with_cells=False)
        check_size(len(drawn), name)
        if drawn:
            described = [_placed_on(sheet, kind)] * len(drawn)
            starts = starts_of(drawn, parts[-1].end if parts else 0)
            parts.append(OfficePart(part_name, described, decoded, drawn, starts, copies, sheet))
    all_lists = {part: choice_lists(package.read(part), title) for title, part in _sheets(package, main)}
    lists = {part: choices for part, choices in all_lists.items() if choices}
    offered = {text.text for part in parts for text in part.paragraphs if isinstance(text, CellText)}
    filters = filtered_texts(package, [part for _, part in _sheets(package, main)])
    calculated = main if has_formulas(package, _sheets(package, main)) else ""
    notes = [
        *_notes(package, main, len(uses.headings), unknown_items(chain.from_iterable(lists.values()), offered)),
        formulas_note(texts_in_formulas(package, main, _sheets(package, main), {*map(str.casefold, offered)})),
    ]
    return XlsxFile(package, parts, tuple(filter(None, notes)), lists=lists, filters=filters, calculated=calculated)


def _sheets(package: OfficePackage, main: str) -> list[tuple[str, str]]:
    """The title and the part of each sheet, in the order of the workbook."""
    related = package.relations(main)
    found = []
    for sheet in tree(package.xml(main).text).walk():
        ids = [value for key, value in sheet.attributes.items() if key.endswith(":id") and value in related]
        if sheet.local == "sheet" and ids and package.has(related[ids[0]].part):
            found.append((sheet.attributes.get("name", ""), related[ids[0]].part))
    return found


def _num_shared(package: OfficePackage, main: str) -> int:
    """The number of shared texts. Raises DocumentError if there are too many, before any are read."""
    shared = [each.part for each in package.relations(main).values() if each.kind == "sharedStrings"][:1]
    contents = (package.read(part).replace(b"\0", b"") for part in shared if package.has(part))  # it may be UTF-16
    number = sum(1 for content in contents for _ in _SHARED_TEXT.finditer(content))
    _check_texts(number, package.name)
    return number


def _check_texts(number: int, name: str) -> None:
    if number > MAX_TEXTS:
        raise DocumentError(
            "{name} has more than {limit:,} texts: split the workbook and open the parts one by one",
            name=name,
            limit=MAX_TEXTS,
        )


def _parts(package: OfficePackage, main: str, uses: _Uses) -> list[tuple[str, str]]:
    """The parts with texts, and the name of the element around each text."""
    related = package.relations(main).values()
    shared = [each.part for each in related if each.kind == "sharedStrings" and package.has(each.part)]
    return [*((part, "si") for part in shared[:1]), *((part, "is") for part in uses.inside)]


def _notes(package: OfficePackage, main: str, num_headings: int, items: Message | None) -> tuple[str, ...]:
    """Notes about texts of a workbook that are not offered; `items` are such items of lists."""
    sheets = [each.part for each in package.relations(main).values() if each.kind in ("worksheet", "chartsheet")]
    found = {each.kind for sheet in sheets for each in package.relations(sheet).values()}
    behind_cells = [package.read(sheet).rpartition(b"sheetData>")[2] for sheet in sheets if package.has(sheet)]
    is_there = {
        Message("comments"): "comments" in found,
        Message("pivot tables"): "pivotTable" in found,
        Message("headers and footers"): any(map(_has_header, behind_cells)),
        Message("messages of data validation"): any(map(_VALIDATION.search, behind_cells)),
        Message("tips of links"): any(map(_TIP.search, behind_cells)),
    }
    left_out = [kind for kind, is_found in is_there.items() if is_found]
    if items:
        left_out.append(items)
    if num_headings:
        left_out.append(Message("headings of tables, because formulas may refer to them ({count})", count=num_headings))
    return (Message("Not offered: {list}.", list=joined("; ", left_out)),) if left_out else ()


def _has_header(xml: bytes) -> bool:
    """True if a sheet has a header or footer with text, which may be between codes such as `&C&"Arial,Bold"&12`."""
    texts = (_CODE.sub("", unescape(text.decode("utf-8", "replace"))) for text in _HEADER.findall(xml))
    return any(any(map(str.isalpha, text)) for text in texts)


def _drawings(package: OfficePackage, main: str) -> Iterable[tuple[str, str, str, list[str]]]:
    """The parts with drawings: name of the sheet, name of the part, kind, and names of its copies; each part once."""
    seen: set[str] = set()
    for title, sheet in _sheets(package, main):
        for drawing in package.relations(sheet).values():
            others = package.relations(drawing.part).values() if drawing.kind == "drawing" else ()
            pictures = [other.part for other in others if other.kind == DIAGRAM_PICTURE and package.has(other.part)]
            drawn = [each for each in (drawing, *others) if each.kind in ("drawing", "chart", "diagramData")]
            for each in drawn:
                if each.part not in seen and package.has(each.part):
                    seen.add(each.part)
                    copies = pictures if each.kind == "diagramData" else []
                    yield title, each.part, each.kind, copies


def _placed_on(sheet: str, kind: str) -> Message:
    if kind == "chart":
        return Message("sheet {sheet}, chart", sheet=sheet)
    return Message("sheet {sheet}, drawing", sheet=sheet)


def _uses(package: OfficePackage, main: str, num_shared: int) -> _Uses:
    """The cells of all sheets, in the order of the workbook; none with the number of a missing shared text."""
    uses = _Uses({}, {}, set(), set())
    num_cells = 0
    usual_font, styles = _usual_font(package, main)
    for title, part in _sheets(package, main):
        headings = _headings(package, part)
        for place, kind, number, style in text_cells(package, part):
            num_cells += 1
            if num_cells > MAX_CELLS:
                raise DocumentError(
                    "{name} has more than {limit:,} cells with text: split the workbook and open the parts one by one",
                    name=package.name,
                    limit=MAX_CELLS,
                )
            if kind == "s" and (number is None or number >= num_shared):
                continue
            if kind == "s" and place not in headings and number in uses.shared:
                continue
            message = Message("sheet {sheet}, cell {cell}", sheet=title, cell=place or "?")
            described = _Place(message, usual_font if style in styles else frozenset())
            if kind == "inlineStr":
                uses.inside.setdefault(part, []).append(None if place in headings else described)
            elif number is not None:
                uses.shared.setdefault(number, described)
            if place in headings:
                uses.headings.add(message)
                uses.shared_headings.add(number)
    return uses


def _usual_font(package: OfficePackage, main: str) -> tuple[Font, set[str]]:
    """The first font of the workbook, and the styles of cells that have it."""
    part = next((each.part for each in package.relations(main).values() if each.kind == "styles"), "")
    if not part or not package.has(part):
        return frozenset(), set()
    root = tree(package.xml(part).text)
    fonts, formats = root.first("fonts"), root.first("cellXfs")
    font = fonts.first("font") if fonts else None
    all_styles = enumerate(formats.nodes("xf") if formats else ())
    styles = {str(number) for number, style in all_styles if style.attributes.get("fontId", "0") == "0"}
    return (_font_of(font) if font else frozenset()), styles


def _font_of(node: Node) -> Font:
    """The properties of a font, as a style or a run has them."""
    return frozenset(
        ("name" if child.local == "rFont" else child.local, *sorted(child.attributes.items())) for child in node.nodes()
    )


def _headings(package: OfficePackage, sheet: str) -> set[str]:
    """The cells with the headings of the tables of a sheet."""
    from openpyxl.utils.cell import get_column_letter, range_boundaries  # takes as long as all other imports here

    found: set[str] = set()
    for relation in package.relations(sheet).values():
        if relation.kind == "table" and package.has(relation.part):
            table = tree(package.xml(relation.part).text)
            num_rows = table.attributes.get("headerRowCount", "1")
            try:
                first_column, first_row, last_column, _ = range_boundaries(table.attributes.get("ref", ""))
            except (TypeError, ValueError):
                continue
            if num_rows == "1" and None not in (first_column, first_row, last_column):
                found |= {f"{get_column_letter(column)}{first_row}" for column in range(first_column, last_column + 1)}
    return found
