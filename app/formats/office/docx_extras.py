"""Texts of a Word document that are offered if a person chooses them: charts, diagrams (SmartArt) and properties.

Comments have paragraphs like those of the body, so `app.formats.office.docx` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from app.formats.base import one_line, splice
from app.formats.inline import Shown
from app.formats.office.drawing_text import DIAGRAM_PICTURE, drawing_paragraphs, rewritten_drawing
from app.formats.office.office_file import Changes, OfficePart, starts_of
from app.formats.office.office_package import OfficePackage, Relation
from app.formats.xml_text import Node, encode_xml, escape, tree
from app.i18n import Message

# The kinds of texts that can be chosen, as they are named in messages.
EXTRAS: Final[Mapping[str, Message]] = {
    "comments": Message("comments"),
    "charts": Message("texts in charts"),
    "diagrams": Message("texts in diagrams (SmartArt)"),
    "properties": Message("document properties"),
    "hidden": Message(
        "index entries, prompts and tips of fields, titles of content controls, lists of choices, and WordArt"
    ),
    "placeholders": Message("placeholder texts of content controls"),
}
_CORE: Final = "docProps/core.xml"
_PROPERTIES: Final = ("title", "subject", "description", "keywords", "category")
_DRAWINGS: Final = {"chart": "charts", "diagramData": "diagrams"}  # by kind of relation
_KINDS: Final = {**_DRAWINGS, "glossaryDocument": "placeholders"}
_LETTER = re.compile(r"[^\W\d_]")


class PropertyText:
    """The text of a property, with the interface of `app.formats.office.docx_text.Paragraph`."""

    def __init__(self, node: Node) -> None:
        self.start, self.end = node.inner_start, node.inner_end
        self.text = node.content()
        self.unsplit: list[tuple[int, int]] = []
        self.breaks: list[tuple[int, int]] = []
        inner = self.text.strip()
        first = self.text.index(inner)
        self.stretches = [(first, first + len(inner))] if _LETTER.search(inner) else []

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end as one line."""
        return Shown(one_line(self.text[start:end]))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these spans (ascending) replaced."""
        return escape(splice(self.text, translations))


def extras_in(package: OfficePackage, main: str) -> list[str]:
    """The kinds of texts of `EXTRAS` that a document has, of properties only those with letters."""
    kinds = {each.kind for each in package.relations(main).values()}
    found = {_KINDS.get(kind, kind) for kind in kinds}
    if any(property_text.stretches for property_text in _properties(package)):
        found.add("properties")
    return [name for name in EXTRAS if name in found]


def extra_parts(package: OfficePackage, main: str, chosen: Sequence[str], offset: int) -> Iterator[OfficePart]:
    """The parts with charts, diagrams and properties, as chosen; their text begins at `offset`."""
    relations = package.relations(main)
    drawings = [each for each in _once(relations) if _DRAWINGS.get(each.kind) in chosen and package.has(each.part)]
    for relation in drawings:
        decoded = package.xml(relation.part)
        paragraphs = drawing_paragraphs(decoded.text)
        is_diagram = relation.kind == "diagramData"
        label = Message("diagram") if is_diagram else Message("chart")
        pictures = [each.part for each in relations.values() if each.kind == DIAGRAM_PICTURE and package.has(each.part)]
        if paragraphs:
            starts = starts_of(paragraphs, offset)
            places = [label] * len(paragraphs)
            copies = pictures if is_diagram else []
            yield (part := OfficePart(relation.part, places, decoded, paragraphs, starts, copies, label))
            offset = part.end
    properties = _properties(package) if "properties" in chosen else []
    if properties:
        label = EXTRAS["properties"]
        starts = starts_of(properties, offset)
        yield OfficePart(_CORE, [label] * len(properties), package.xml(_CORE), properties, starts, label=label)


def rewritten_extra(
    package: OfficePackage, part: OfficePart, changes: Changes, language: str | None
) -> dict[str, bytes]:
    """The part with these changes, and its copies."""
    if part.name != _CORE:
        return rewritten_drawing(package, part, changes, language)
    edits = [
        (paragraph.start, paragraph.end, paragraph.xml(spans))
        for number, spans in changes.items()
        for paragraph in [part.paragraphs[number]]
    ]
    return {_CORE: encode_xml(splice(part.decoded.text, edits), part.decoded)}


def _once(relations: Mapping[str, Relation]) -> list[Relation]:
    return list({each.part: each for each in relations.values()}.values())


def _properties(package: OfficePackage) -> list[PropertyText]:
    if not package.has(_CORE):
        return []
    nodes = tree(package.xml(_CORE).text).nodes(*_PROPERTIES)
    texts = (PropertyText(node) for node in nodes if not node.is_empty_tag)
    return [text for text in texts if text.stretches]
