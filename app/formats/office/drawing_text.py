"""Paragraphs of drawings, charts and diagrams (SmartArt) of Office files, and writing their translations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

from app.formats.base import Edit, splice
from app.formats.office.chart_labels import ChartLabel, is_label, labels, workbook_with
from app.formats.office.docx_drawings import AltText
from app.formats.office.docx_text import WordParagraph
from app.formats.office.docx_text_boxes import copies, paragraphs_of
from app.formats.office.office_blocks import around
from app.formats.office.office_file import Changes, HasParagraphs
from app.formats.office.office_package import OfficePackage
from app.formats.paragraph import OBJECT, Paragraph
from app.formats.xml_text import Node, encode_xml, tree
from app.text.encoding import DecodedText

DIAGRAM_PICTURE: Final = "diagramDrawing"  # the relation to a picture of a diagram, with the same paragraphs
_DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_USUAL_PREFIX: Final = "a:"
# Invisible properties of a run: language, and marks of the spelling checker.
_INVISIBLE = re.compile(r"""\s(?:lang|altLang|dirty|err|smtClean|smtId|noProof)=(?:"[^"]*"|'[^']*')""")
_EMPTY = re.compile(r"<[\w:]+\s*/>|<[\w:]+\s*>\s*</[^>]*>")
# The points of a shape drawn by hand: often most of a slide, and never text.
_OUTLINE = re.compile(r"<((?:\w+:)?custGeom)>.*?</\1>", re.DOTALL)
_MASTERS: Final = ("sldMaster", "sldLayout")


class SlideParagraph(WordParagraph):
    """A paragraph of DrawingML."""

    text_attributes: ClassVar[str] = ""  # all spaces count

    def _visible(self, raw_format: str) -> str:
        tag, end, rest = raw_format.partition(">")
        its_format = _INVISIBLE.sub("", tag) + end + rest
        return "" if _EMPTY.fullmatch(its_format) else its_format

    def _text_of(self, node: Node) -> str:
        return re.sub(r"[\t\n\r]", " ", node.content()).replace(OBJECT, " ")


class DrawingPart(HasParagraphs, Protocol):
    """A part with drawings. `copies` are the names of the parts with the same paragraphs."""

    @property
    def name(self) -> str:
        """The name of the part."""

    @property
    def decoded(self) -> DecodedText:
        """Its XML."""

    @property
    def copies(self) -> Sequence[str]:
        """The names of the copies."""


def drawing_prefix(root: Node) -> str:
    """The prefix of DrawingML's elements, with a colon; "" if it is the default."""
    name = next((key for key, value in root.attributes.items() if key.startswith("xmlns") and value == _DRAWING), None)
    return _USUAL_PREFIX if name is None else f"{name.partition(':')[2]}:".lstrip(":")


def drawing_tree(xml: str) -> Node:
    """The root element of a part, without the outlines of shapes."""
    return tree(_OUTLINE.sub(lambda outline: " " * len(outline.group()), xml))


def drawing_nodes(root: Node, *, with_cells: bool = True) -> list[tuple[Node, list[Node]]]:
    """The elements of a part with text to translate, each with its copies.

    Copies are for other versions of PowerPoint, or in charts. The texts of placeholders in masters and layouts are left
    out: they are prompts to the author, which no slide shows. `with_cells`: includes the names in charts that are cells
    of the workbook of another file.
    """
    name = f"{drawing_prefix(root)}p"
    found = paragraphs_of(root, name)
    twins = copies(found, name)
    nodes = [(found.nodes[index], [found.nodes[twin] for twin in twins.get(index, ())]) for index in found.originals]
    if root.local in _MASTERS:
        nodes = [each for each in nodes if not _is_placeholder(each[0])]
    if root.local == "chartSpace":
        nodes += [(same[0], same[1:]) for same in labels(root, with_cells=with_cells).values()]
    return nodes


def _is_placeholder(node: Node) -> bool:
    shape = around(node, ("sp", "pic", "graphicFrame"))
    return shape is not None and any(each.local == "ph" for each in shape.walk())


def _paragraph(node: Node, xml: str, prefix: str) -> Paragraph | AltText | ChartLabel:
    if is_label(node):
        return ChartLabel(node)
    return SlideParagraph(node, xml, prefix) if node.name == f"{prefix}p" else AltText(node, xml)


def drawing_paragraphs(xml: str, *, with_cells: bool = True) -> list[Paragraph | AltText | ChartLabel]:
    """The paragraphs, alternative texts and chart labels of a part, without those for other versions of PowerPoint."""
    root = drawing_tree(xml)
    prefix = drawing_prefix(root)
    return [_paragraph(node, xml, prefix) for node, _ in drawing_nodes(root, with_cells=with_cells)]


def rewritten_drawing(
    package: OfficePackage, part: DrawingPart, changes: Changes, language: str | None, *, with_cells: bool = True
) -> dict[str, bytes]:
    """The part with these changes, and the pictures of a diagram or the workbook of a chart."""
    new = {part.name: _rewritten(part.decoded, changes, language, with_cells)}
    texts = {part.paragraphs[number].text: spans for number, spans in changes.items()}
    if with_cells and part.decoded.text.find("chartSpace", 0, 1000) >= 0:
        new |= workbook_with(package, part.name, {text: splice(text, spans) for text, spans in texts.items()})
    for name in part.copies:
        decoded = package.xml(name)
        new[name] = _rewritten(decoded, _of_copy(part, decoded, changes), language, with_cells)
    return new


def _rewritten(decoded: DecodedText, changes: Changes, language: str | None, with_cells: bool) -> bytes:
    """The part with these spans replaced, by paragraph, in the paragraphs and their copies for other versions."""
    xml = decoded.text
    root = drawing_tree(xml)
    prefix = drawing_prefix(root)
    found = drawing_nodes(root, with_cells=with_cells)
    edits: list[Edit] = []
    for number, spans in changes.items():
        original, twins = found[number]
        for node in (original, *twins):
            paragraph = _paragraph(node, xml, prefix)
            edits.append((paragraph.start, paragraph.end, _in_language(paragraph.xml(spans), prefix, language)))
    return encode_xml(splice(xml, edits), decoded)


def _of_copy(part: HasParagraphs, copy: DecodedText, changes: Changes) -> Changes:
    """The same changes for the paragraphs of a copy: matched by their text, and by their order if a text repeats."""
    rest: dict[str, list[int]] = {}
    for index, paragraph in enumerate(drawing_paragraphs(copy.text)):
        rest.setdefault(paragraph.text, []).append(index)
    found = {}
    for index, original in enumerate(part.paragraphs):
        twins = rest.get(original.text)
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
