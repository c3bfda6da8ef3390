"""OpenDocument files of LibreOffice: texts (.odt), spreadsheets (.ods) and presentations (.odp).

Paragraphs and headings of the body, of headers, footers and notes, texts of cells, and alternative texts are offered.
Comments, embedded objects such as charts, text that tracked changes have deleted, and the results of formulas are not.

A file without translations is written byte for byte; otherwise only changed paragraphs, lists of choices for cells with
their texts, and the language change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from langcodes import Language

from app.errors import DocumentError
from app.formats.base import Edit, UnitTranslation, WrittenFile, splice
from app.formats.blocks import Block
from app.formats.office.ods_rules import OdsList, choice_lists, texts_in_formulas, with_new_items
from app.formats.office.office_blocks import Tables, around, open_document_block, placed
from app.formats.office.office_file import (
    Changes,
    OfficeFile,
    OfficePart,
    changed_at_once,
    check_runs,
    check_size,
    starts_of,
)
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.office.turning import open_document_turned
from app.formats.office.xlsx_formulas import formulas_note
from app.formats.office.xlsx_lists import unknown_items
from app.formats.paragraph import OBJECT, Atom, Container, Paragraph
from app.formats.xml_text import Node, Text, encode_xml, escape, tree
from app.i18n import Message, joined

_KIND: Final = OfficeKind("LibreOffice", ".odt, .ods, .odp", "OpenOffice", Message("an OpenDocument file"))
_PARTS: Final = ("content.xml", "styles.xml")
_CONTAINERS: Final = ("span", "a", "meta", "meta-field")
_BREAKS: Final = ("tab", "line-break")
_ANCHOR = re.compile(
    r"(?:bookmark|reference-mark|change|alphabetical-index-mark|toc-mark)(?:-start|-end)?|soft-page-break|annotation(?:-end)?"
)
_STORED_TEXT = re.compile(r"""\s+office:string-value\s*=\s*(?:"[^"]*"|'[^']*')""")
_NOT_OFFERED: Final = ("tracked-changes", "annotation", "forms", "automatic-styles", "font-face-decls", "scripts")
_SPACE = re.compile(r"[ \t\r\n]+")
_SPACES = re.compile(r"(?<= ) +")
_LANGUAGE = re.compile(r'fo:language="(\w+)" fo:country="(\w+)"')
_DEFAULTS = re.compile(r"<style:default-style\b.*?</style:default-style>", re.DOTALL)


class OdfParagraph(Paragraph):
    """A paragraph, a heading, or an alternative text."""

    def __init__(self, node: Node, xml: str) -> None:
        super().__init__(xml)
        self.start, self.end = node.inner_start, node.inner_end
        self._text_prefix = node.name[: -len(node.local)]
        self._read_content(node, ())
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = ""

    def _read_content(self, node: Node, containers: tuple[Container, ...]) -> None:
        for child in node.children:
            if isinstance(child, Text):
                text = _SPACE.sub(" ", child.value).replace(OBJECT, " ")
                if text:
                    self._add(Atom(self._length, text, containers))
                continue
            raw = self._xml[child.start : child.end]
            if child.local in _CONTAINERS and child.content().strip():
                start_tag, end_tag = self._xml[child.start : child.inner_start], self._xml[child.inner_end : child.end]
                self._read_content(child, (*containers, self._container(start_tag, end_tag)))
            elif child.local == "s" and child.attributes.get(f"{self._text_prefix}c", "1").isdecimal():
                count = min(int(child.attributes.get(f"{self._text_prefix}c", "1")), 1000)
                self._add(Atom(self._length, " " * count, containers))
            elif _ANCHOR.fullmatch(child.local):
                is_last = not child.local.endswith("start")
                self._add(Atom(self._length, "", containers, raw=raw, is_last=is_last))
            else:
                self._add(Atom(self._length, OBJECT, containers, raw=raw, is_break=child.local in _BREAKS))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these spans (ascending) replaced. A space at the start is an element, else it is lost."""
        content = super().xml(translations)
        return f"<{self._text_prefix}s/>{content[1:]}" if content.startswith(" ") else content

    def translated(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The text with these spans (ascending) replaced."""
        p = self._text_prefix
        xml = f"<{p}p>{self.xml(translations)}</{p}p>"
        return OdfParagraph(tree(xml), xml).text

    def _content(self, text: str) -> str:
        """The text as XML, in which several spaces are an element."""
        parts = []
        position = 0
        for spaces in _SPACES.finditer(text):
            parts += [escape(text[position : spaces.start()]), f'<{self._text_prefix}s {self._text_prefix}c="']
            parts += [str(len(spaces.group())), '"/>']
            position = spaces.end()
        return "".join([*parts, escape(text[position:])])


@dataclass(frozen=True)
class OdfFile(OfficeFile):
    """An OpenDocument file. `items` are the items of lists of choices of a spreadsheet."""

    items: frozenset[str] = frozenset()

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of the body, with the names of sheets and slides, and then of headers and footers."""
        found: list[Block] = []
        for part in self.parts:
            xml, tables = part.decoded.text, Tables()
            nodes = [node for node in _paragraphs(tree(xml)) if OdfParagraph(node, xml).stretches]
            blocks = (open_document_block(node, tables) for node in nodes)
            label = ""
            if part.name != _PARTS[0]:
                found.append(Block("part", label=Message("headers and footers")))
            for node, block in zip(nodes, placed(blocks, part.starts, part.end), strict=True):
                if (name := _name_of_part(node)) and name != label:
                    found.append(Block("part", label=name))
                    label = name
                found.append(block)
        return found

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these spans replaced, in the target language."""
        written = super().write(translations, language)
        if not language:
            return written
        package = OfficePackage(written.data, self.package.name, _KIND)
        parts = {name: package.read(name) for name in _PARTS if package.has(name)} | _in_language(package, language)
        return WrittenFile(package.rewritten(open_document_turned(parts, language)), written.note)

    def changed_parts(self, changes: Mapping[str, Changes], language: str | None) -> dict[str, bytes]:
        """The new content of the parts that change, by name, also in lists of choices for cells with the same text."""
        new = super().changed_parts(changes, language)
        part = self.parts[0]
        spans = changes.get(part.name, {})
        texts: dict[str, dict[str, None]] = {}
        for index, paragraph in enumerate(part.paragraphs if self.items and spans else ()):
            if paragraph.text in self.items and isinstance(paragraph, OdfParagraph):
                text = paragraph.translated(spans[index]) if index in spans else paragraph.text
                texts.setdefault(paragraph.text, {})[text] = None
        changed = {item: found for item, found in texts.items() if [*found] != [item]}
        if changed:
            xml = new[part.name][len(part.decoded.mark) :].decode(part.decoded.encoding)
            new[part.name] = encode_xml(with_new_items(xml, changed), part.decoded)
        return new

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes; paragraphs inside of others, such as notes, come first."""
        xml = part.decoded.text
        if _STORED_TEXT.search(xml) is None and (new := changed_at_once(xml, part.paragraphs, changes)) is not None:
            return {part.name: encode_xml(new, part.decoded)}
        nodes = list(_paragraphs(tree(xml)))
        offered = [index for index, node in enumerate(nodes) if OdfParagraph(node, xml).stretches]
        xml = _without_stored_texts(xml, [nodes[offered[number]] for number in changes])
        return {part.name: encode_xml(self._changed(xml, offered, changes), part.decoded)}

    def _changed(self, xml: str, offered: Sequence[int], changes: Changes) -> str:
        """The XML with changes to paragraphs that may be inside of others; `offered` are those with segments."""
        nodes = list(_paragraphs(tree(xml)))
        depths = {offered[number]: _depth(nodes[offered[number]]) for number in changes}
        spans = {offered[number]: spans for number, spans in changes.items()}
        for depth in sorted({*depths.values()}, reverse=True):
            nodes = list(_paragraphs(tree(xml)))
            edits: list[Edit] = []
            for index, its_depth in depths.items():
                if its_depth == depth:
                    paragraph = OdfParagraph(nodes[index], xml)
                    edits.append((paragraph.start, paragraph.end, paragraph.xml(spans[index])))
            xml = splice(xml, edits)
        return xml


def parse(data: bytes, name: str) -> OdfFile:
    """Parses an OpenDocument file. Raises DocumentError, with a remedy, if it cannot be opened."""
    package = OfficePackage(data, name, _KIND)
    manifest = "META-INF/manifest.xml"
    if package.has(manifest) and "encryption-data" in package.xml(manifest).text:
        raise DocumentError("{name} is password-protected: save it without a password and open it again", name=name)
    parts: list[OfficePart] = []
    num_comments = num_paragraphs = 0
    lists: list[OdsList] = []
    unknown = formulas = None
    for part_name in _PARTS:
        if part_name != _PARTS[0] and not package.has(part_name):
            continue
        decoded = package.xml(part_name)
        check_runs(decoded.text, f"{name} ({part_name})")
        root = tree(decoded.text)
        num_comments += "<office:annotation " in decoded.text or "<office:annotation>" in decoded.text
        nodes = list(_paragraphs(root))
        num_paragraphs += len(nodes)
        check_size(num_paragraphs, name)
        paragraphs = [one for node in nodes if (one := OdfParagraph(node, decoded.text)).stretches]
        places = [
            Message("paragraph {number}", number=number)
            if part_name == _PARTS[0]
            else Message("paragraph {number} of {part}", number=number, part=part_name)
            for number in range(1, len(paragraphs) + 1)
        ]
        if part_name == _PARTS[0]:
            lists, texts = choice_lists(root), {paragraph.text for paragraph in paragraphs}
            unknown = unknown_items(lists, texts)
            formulas = formulas_note(texts_in_formulas(root, {*map(str.casefold, texts)}))
        if paragraphs:
            starts = starts_of(paragraphs, parts[-1].end if parts else 0)
            parts.append(OfficePart(part_name, places, decoded, paragraphs, starts))
    left_out = [Message("comments")] * bool(num_comments)
    left_out += [Message("texts in charts and other embedded objects")] * package.has("Object 1/content.xml")
    left_out += [unknown] if unknown else []
    notes = [Message("Not offered: {list}.", list=joined("; ", left_out))] if left_out else []
    notes += [formulas] if formulas else []
    items = frozenset(item for choices in lists for item in choices.items)
    return OdfFile(package, parts, tuple(notes), items=items)


def _paragraphs(root: Node) -> Iterator[Node]:
    """The paragraphs, headings and alternative texts of a part, in order, also those inside of others."""
    stack = [*reversed(root.nodes())]
    while stack:
        node = stack.pop()
        if node.local in _NOT_OFFERED or _is_number(node):
            continue
        is_alternative = node.local in ("title", "desc") and node.name.startswith("svg:")
        if (node.local in ("p", "h") and node.name.startswith("text:")) or is_alternative:
            yield node
        stack += reversed(node.nodes())


def _name_of_part(node: Node) -> str:
    """The name of the sheet or slide that an element is in; "" in a text."""
    outer = around(node, ("page",))
    if outer is None and around(node, ("spreadsheet",)):
        outer = around(node, ("table",))
    return next((value for key, value in outer.attributes.items() if key.endswith(":name")), "") if outer else ""


def _is_number(node: Node) -> bool:
    """True if a cell has a number, a date, or the result of a formula, which its program writes again."""
    if node.local not in ("table-cell", "covered-table-cell"):
        return False
    kind = node.attributes.get("office:value-type", "string")
    return kind != "string" or "table:formula" in node.attributes


def _without_stored_texts(xml: str, paragraphs: Iterable[Node]) -> str:
    """The XML without the attribute that repeats a cell's text, in the cells of these paragraphs.

    Programs show the attribute instead of the paragraphs.
    """
    cells = {cell.start: cell for one in paragraphs if (cell := around(one, ("table-cell", "covered-table-cell")))}
    tags = ((start, cell.inner_start) for start, cell in sorted(cells.items()))
    return splice(xml, [(start, end, _STORED_TEXT.sub("", xml[start:end])) for start, end in tags])


def _depth(node: Node) -> int:
    """In how many paragraphs a paragraph is, such as one with its note."""
    depth = 0
    while node.parent is not None:
        node = node.parent
        depth += node.local in ("p", "h")
    return depth


def _in_language(package: OfficePackage, language: str) -> dict[str, bytes]:
    """The parts in which the document's language becomes the target language."""
    decoded = {name: package.xml(name) for name in _PARTS if package.has(name)}
    defaults = "".join(_DEFAULTS.findall(decoded["styles.xml"].text)) if "styles.xml" in decoded else ""
    stated = _LANGUAGE.search(defaults)
    target = Language.get(language).maximize()
    if stated is None or not target.language or not target.territory:
        return {}
    new = f'fo:language="{target.language}" fo:country="{target.territory}"'

    def replaced(tag: re.Match[str]) -> str:
        return new if tag[1] == stated[1] else tag.group()

    return {name: encode_xml(_LANGUAGE.sub(replaced, part.text), part) for name, part in decoded.items()}
