"""PowerPoint presentations (.pptx): slides in their order, with tables, diagrams (SmartArt), charts and notes.

Alternative texts are offered, too. Texts that masters and layouts show on each slide follow the slides. Comments
are not offered.

A presentation without translations is written byte for byte; otherwise only changed parts and paragraphs change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.formats.blocks import Block
from app.formats.office.drawing_text import (
    DIAGRAM_PICTURE,
    drawing_nodes,
    drawing_paragraphs,
    drawing_tree,
    rewritten_drawing,
)
from app.formats.office.office_blocks import Tables, placed, slide_block
from app.formats.office.office_file import Changes, OfficeFile, OfficePart, check_runs, check_size, starts_of
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.office.turning import slides_turned
from app.formats.xml_text import tree
from app.i18n import Message

_POWERPOINT = OfficeKind("PowerPoint", ".pptx", ".ppt", Message("a PowerPoint presentation"))
_MAIN = re.compile(r"presentationml\.(presentation|slideshow|template)\.main\+xml$")
_PARTS: Final = ("diagramData", "chart", "notesSlide")  # of a slide, by the type of their relation, after the slide


@dataclass(frozen=True)
class PptxFile(OfficeFile):
    """A presentation."""

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of each slide, and of the parts that belong to it."""
        found: list[Block] = []
        for part in self.parts:
            nodes, tables = drawing_nodes(drawing_tree(part.decoded.text)), Tables()
            found.append(Block("part", label=part.places[0]))
            blocks = [slide_block(node, tables) for node, _ in nodes]
            found += placed(blocks, part.starts, part.end)
        return found

    def changed_parts(self, changes: Mapping[str, Changes], language: str | None) -> dict[str, bytes]:
        """The new content of the parts that change, by name, also of the styles if the direction of writing changes."""
        new = super().changed_parts(changes, language)
        return slides_turned(self.package, new, language) if language else new

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes, and the pictures of a diagram or the workbook of a chart."""
        return rewritten_drawing(self.package, part, changes, language)


def parse(data: bytes, name: str) -> PptxFile:
    """Parses a presentation. Raises DocumentError, with a remedy, if it cannot be opened."""
    package = OfficePackage(data, name, _POWERPOINT)
    parts: list[OfficePart] = []
    offset = num_paragraphs = 0
    for part_name, place, drawings in _parts_in_order(package):
        decoded = package.xml(part_name)
        check_runs(decoded.text, f"{name} ({part_name})")
        paragraphs = drawing_paragraphs(decoded.text)
        num_paragraphs += len(paragraphs)
        check_size(num_paragraphs, name)
        starts = starts_of(paragraphs, offset)
        if paragraphs:
            parts.append(OfficePart(part_name, [place] * len(paragraphs), decoded, paragraphs, starts, drawings))
            offset = parts[-1].end
    has_comments = any("/comments/" in part_name for part_name in package.names)
    notes = (Message("Not offered: {list}.", list=Message("comments")),) if has_comments else ()
    return PptxFile(package, parts, notes)


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
                    pictures = (drawing.part for drawing in others if drawing.kind == DIAGRAM_PICTURE)
                    drawings = [name for name in pictures if package.has(name)]
                    parts.setdefault(other.part, (place, drawings if kind == "diagramData" else []))
    layouts = _related(package, slides, "slideLayout")
    for kind, names in (("layout", layouts), ("master", _related(package, layouts, "slideMaster"))):
        for name in names:
            parts.setdefault(name, (Message("slide layout") if kind == "layout" else Message("slide master"), []))
    return [(name, place, drawings) for name, (place, drawings) in parts.items()]


def _related(package: OfficePackage, parts: Iterable[str], kind: str) -> list[str]:
    """The parts of a kind that others refer to, each once."""
    found = (each.part for part in parts for each in package.relations(part).values() if each.kind == kind)
    return [name for name in dict.fromkeys(found) if package.has(name)]


def _is_reference(attribute: str, value: str, related: Mapping[str, object]) -> bool:
    return attribute.endswith(":id") and value in related
