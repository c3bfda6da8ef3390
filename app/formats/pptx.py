"""PowerPoint presentations (.pptx): slides in their order, with tables, diagrams (SmartArt), chart titles and notes.

Alternative texts are offered too. A line break inside a paragraph is a tag, as titles are often broken by hand. Masters
and layouts are not offered, nor are comments and the numbers and names in charts, which belong to a workbook inside.

A presentation without translations is written byte for byte; otherwise only changed parts and paragraphs change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from app.formats.base import Edit, splice
from app.formats.blocks import Block
from app.formats.docx_drawings import AltText
from app.formats.docx_text import OBJECT, Paragraph
from app.formats.docx_text_boxes import copies, paragraphs_of
from app.formats.office_blocks import Tables, placed, slide_block
from app.formats.office_file import Changes, OfficeFile, OfficePart, check_size, starts_of
from app.formats.office_package import OfficeKind, OfficePackage
from app.formats.xml_text import Node, encode_xml, tree
from app.i18n import Message
from app.text.encoding import DecodedText

_POWERPOINT = OfficeKind("PowerPoint", ".pptx", ".ppt", Message("a PowerPoint presentation"))
_MAIN = re.compile(r"presentationml\.(presentation|slideshow|template)\.main\+xml$")
_DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_USUAL_PREFIX: Final = "a:"
_PARTS: Final = ("diagramData", "chart", "notesSlide")  # of a slide, by the type of their relation, after the slide
_COPIES: Final = "diagramDrawing"  # a picture of a diagram, with the same paragraphs
# Properties of a run that nobody sees: language, and marks of the spelling checker.
_INVISIBLE = re.compile(r"""\s(?:lang|altLang|dirty|err|smtClean|smtId|noProof)=(?:"[^"]*"|'[^']*')""")
_EMPTY = re.compile(r"<[\w:]+\s*/>|<[\w:]+\s*>\s*</[^>]*>")


class SlideParagraph(Paragraph):
    """A paragraph of DrawingML."""

    text_attributes: ClassVar[str] = ""  # all spaces count

    def _visible(self, raw_format: str) -> str:
        tag, end, rest = raw_format.partition(">")
        its_format = _INVISIBLE.sub("", tag) + end + rest
        return "" if _EMPTY.fullmatch(its_format) else its_format

    def _text_of(self, node: Node) -> str:
        return re.sub(r"[\t\n\r]", " ", node.content()).replace(OBJECT, " ")


@dataclass(frozen=True)
class PptxFile(OfficeFile):
    """A presentation."""

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of each slide, and of what belongs to it."""
        found: list[Block] = []
        for part in self.parts:
            root, tables = tree(part.decoded.text), Tables()
            paragraphs = paragraphs_of(root, f"{_prefix(root)}p")
            found.append(Block("part", label=part.places[0]))
            blocks = [slide_block(paragraphs.nodes[index], tables) for index in paragraphs.originals]
            found += placed(blocks, part.starts, part.end)
        return found

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes, and the pictures of a diagram."""
        new = {part.name: _rewritten(part.decoded, changes, language)}
        for name in part.copies:
            decoded = self.package.xml(name)
            new[name] = _rewritten(decoded, _of_copy(part, decoded, changes), language)
        return new


def read(data: bytes, name: str) -> PptxFile:
    """Parses a presentation. Raises DocumentError, with a remedy, if it cannot be opened."""
    package = OfficePackage(data, name, _POWERPOINT)
    parts: list[OfficePart] = []
    offset = num_paragraphs = num_charts = 0
    for part_name, place, drawings in _parts_in_order(package):
        decoded = package.xml(part_name)
        num_charts += "/charts/" in part_name
        paragraphs = _originals(decoded.text)
        num_paragraphs += len(paragraphs)
        check_size(num_paragraphs, name)
        starts = starts_of(paragraphs, offset)
        if paragraphs:
            parts.append(OfficePart(part_name, [place] * len(paragraphs), decoded, paragraphs, starts, drawings))
            offset = parts[-1].end
    note = Message(
        "Of charts, titles are offered, but not the names and numbers in them: {count} in this file.", count=num_charts
    )
    return PptxFile(package, parts, (note,) if num_charts else ())


def _parts_in_order(package: OfficePackage) -> list[tuple[str, Message, list[str]]]:
    """The parts with text: name, description, and the names of their copies; each part once."""
    main = next((part for part, kind in package.content_types().items() if _MAIN.search(kind)), None)
    if main is None:
        raise package.other_kind()
    related = package.relations(main)
    slides = []
    for node in tree(package.xml(main).text).walk():
        if node.local == "sldId":
            found = next(
                (related[value] for key, value in node.attributes.items() if _is_reference(key, value, related)), None
            )
            if found is not None and package.has(found.part):
                slides.append(found.part)
    parts: dict[str, tuple[Message, list[str]]] = {}
    for number, slide in enumerate(slides, 1):
        parts.setdefault(slide, (Message("slide {number}", number=number), []))
        others = package.relations(slide).values()
        for kind in _PARTS:
            place = {
                "notesSlide": Message("notes of slide {number}", number=number),
                "chart": Message("chart on slide {number}", number=number),
                "diagramData": Message("diagram on slide {number}", number=number),
            }[kind]
            for other in others:
                if other.kind == kind and package.has(other.part):
                    drawings = [
                        drawing.part for drawing in others if drawing.kind == _COPIES and package.has(drawing.part)
                    ]
                    parts.setdefault(other.part, (place, drawings if kind == "diagramData" else []))
    return [(name, place, drawings) for name, (place, drawings) in parts.items()]


def _is_reference(attribute: str, value: str, related: Mapping[str, object]) -> bool:
    return attribute.endswith(":id") and value in related


def _prefix(root: Node) -> str:
    """The prefix of DrawingML's elements, with a colon; "" if it is the default."""
    name = next((key for key, value in root.attributes.items() if key.startswith("xmlns") and value == _DRAWING), None)
    return _USUAL_PREFIX if name is None else f"{name.partition(':')[2]}:".lstrip(":")


def _paragraph(node: Node, xml: str, prefix: str) -> Paragraph | AltText:
    return SlideParagraph(node, xml, prefix) if node.name == f"{prefix}p" else AltText(node, xml)


def _originals(xml: str) -> list[Paragraph | AltText]:
    """The paragraphs and alternative texts of a part, without those for other versions of PowerPoint."""
    root = tree(xml)
    prefix = _prefix(root)
    found = paragraphs_of(root, f"{prefix}p")
    return [_paragraph(found.nodes[index], xml, prefix) for index in found.originals]


def _rewritten(decoded: DecodedText, changes: Changes, language: str | None) -> bytes:
    """The part with these spans replaced, by paragraph, in the paragraphs and their copies for other versions."""
    xml = decoded.text
    root = tree(xml)
    prefix = _prefix(root)
    found = paragraphs_of(root, f"{prefix}p")
    originals, twins = found.originals, copies(found, f"{prefix}p")
    edits: list[Edit] = []
    for number, spans in changes.items():
        for index in (originals[number], *twins.get(originals[number], ())):
            paragraph = _paragraph(found.nodes[index], xml, prefix)
            edits.append((paragraph.start, paragraph.end, _in_language(paragraph.xml(spans), prefix, language)))
    return encode_xml(splice(xml, edits), decoded)


def _of_copy(part: OfficePart, copy: DecodedText, changes: Changes) -> Changes:
    """The same changes for the paragraphs of a copy, which are matched by their text, and in order where it repeats."""
    rest: dict[str, list[int]] = {}
    for index, paragraph in enumerate(_originals(copy.text)):
        rest.setdefault(paragraph.text, []).append(index)
    found = {}
    for index, paragraph in enumerate(part.paragraphs):
        twins = rest.get(paragraph.text)
        if twins:
            twin = twins.pop(0)
            if index in changes:
                found[twin] = changes[index]
    return found


def _in_language(xml: str, prefix: str, language: str | None) -> str:
    """Runs of a translated paragraph with their language; without one, the spelling checker uses its own."""
    if not language:
        return xml
    properties = f'<{prefix}rPr lang="{language}"'
    xml = xml.replace(f"<{prefix}r><{prefix}rPr", f"<{prefix}r>{properties}")
    return xml.replace(f"<{prefix}r><{prefix}t>", f"<{prefix}r>{properties}/><{prefix}t>")
