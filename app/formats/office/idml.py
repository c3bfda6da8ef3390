"""InDesign documents (.idml): the stories of all pages in the order of reading, with tables, footnotes and links.

The texts of frames and paths on pages and master pages, and alternative texts, are offered. Frames on hidden layers,
hidden frames, stories without a frame, hidden conditional text, editorial notes, deleted text, names of bookmarks and
custom variables are not. The language of the styles, by which InDesign hyphenates, stays unchanged.

A document without translations is written byte for byte; otherwise only changed paragraphs change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from app.formats.base import Edit, RawTags, splice
from app.formats.blocks import PARAGRAPH, Block
from app.formats.office.idml_text import IdmlParagraph, StoryParagraph, alternatives, hidden_in, paragraphs_of
from app.formats.office.office_blocks import around, placed
from app.formats.office.office_file import (
    Changes,
    OfficeFile,
    OfficePart,
    changed_at_once,
    check_length,
    check_size,
    moved,
    starts_of,
)
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.xml_text import Node, encode_xml, tree
from app.i18n import Message, joined
from app.text.encoding import DecodedText

_KIND: Final = OfficeKind("InDesign", ".idml", ".indd", Message("an InDesign document"))
_MAP: Final = "designmap.xml"
_FRAMES: Final = ("TextFrame", "TextPath")
_GROUPS: Final = ("Group", "Rectangle", "Polygon", "Oval", "GraphicLine", "Button", "MultiStateObject", "State")
_CELL = re.compile(r"(\d+):(\d+)")
# x, y -> a x + c y + e, b x + d y + f
_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Final[_Matrix] = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame with text: the id of its story, the label of its page, if it is shown, and its order on the spread."""

    story: str
    page: str
    is_shown: bool
    order: tuple[float, ...]


@dataclass(frozen=True)
class IdmlFile(OfficeFile):
    """An InDesign document."""

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The paragraphs and cells, with the name of the page before each story."""
        found: list[Block] = []
        label = ""
        for part in self.parts:
            if part.label != label:
                label = part.label
                found.append(Block("part", label=label))
            blocks = [_block(paragraph) for paragraph in _offered(part.decoded)]
            found += placed(blocks, part.starts, part.end)
        return found

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place. Raises LookupError if there is none."""
        part, index = self._find(start)
        paragraph = part.paragraphs[index]
        tags = super().tags(start, end)
        if not isinstance(paragraph, IdmlParagraph):
            return tags
        return {
            number: (paragraph.readable(first), None if last is None else paragraph.readable(last))
            for number, (first, last) in tags.items()
        }

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes; paragraphs inside of others, such as footnotes, come first."""
        xml = part.decoded.text
        if (new := changed_at_once(xml, part.paragraphs, changes)) is not None:
            return {part.name: encode_xml(new, part.decoded)}
        found = [each for each in _all(tree(xml)) if each.read(xml).stretches]
        todo = [(found[number].depth, spans) for number, spans in changes.items()]
        starts = [found[number].node.start for number in changes]
        for depth in sorted({its_depth for its_depth, _ in todo}, reverse=True):
            paragraphs = {each.node.start: each for each in _all(tree(xml))}
            edits: list[Edit] = []
            for start, (its_depth, spans) in zip(starts, todo, strict=True):
                if its_depth == depth:
                    paragraph = paragraphs[start].read(xml)
                    edits.append((paragraph.start, paragraph.end, paragraph.xml(spans)))
            xml = splice(xml, edits)
            starts = moved(starts, edits)
        return {part.name: encode_xml(xml, part.decoded)}


def parse(data: bytes, name: str) -> IdmlFile:
    """Parses an InDesign document. Raises DocumentError, with a remedy, if it cannot be opened."""
    package = OfficePackage(data, name, _KIND)
    document = tree(package.xml(_MAP).text)
    if document.local != "Document":
        raise package.other_kind()
    hidden_layers = {
        node.attributes.get("Self", "") for node in document.nodes("Layer") if node.attributes.get("Visible") == "false"
    }
    stories = {_id_of(part): part for part in _sources(document, "Story")}
    places: dict[str, str] = {}  # by name of part, in the order of reading
    hidden: set[str] = set()
    decoded: dict[str, DecodedText] = {}
    left_out: set[str] = set()

    for kind in ("Spread", "MasterSpread"):
        for part in _sources(document, kind):
            if package.has(part):
                decoded[part] = package.xml(part)
                spread, frames = _spread(tree(decoded[part].text), hidden_layers)
                waiting = sorted(frames, key=lambda frame: frame.order, reverse=True)
                while waiting:
                    frame = waiting.pop()
                    story = stories.get(frame.story, "")
                    if story in places or not package.has(story):
                        continue
                    if not frame.is_shown:
                        hidden.add(story)
                        continue
                    places[story] = frame.page
                    decoded[story] = package.xml(story)
                    root = tree(decoded[story].text)
                    left_out |= hidden_in(root)
                    # Frames that are anchored in a story follow it.
                    waiting += [*_frames(root, frame.page, hidden_layers, _IDENTITY, ())][::-1]
                places[part] = spread
    parts: list[OfficePart] = []
    num_paragraphs = 0
    for part, label in places.items():
        found = list(_all(tree(decoded[part].text)))
        num_paragraphs += len(found)
        check_size(num_paragraphs, name)
        for number, each in enumerate(found, 1):
            check_length(len(each.items), number, f"{name} ({part})")
        read_paragraphs = (each.read(decoded[part].text) for each in found)
        if paragraphs := [paragraph for paragraph in read_paragraphs if paragraph.stretches]:
            numbers = range(1, len(paragraphs) + 1)
            described = [Message("{part}, paragraph {number}", part=label, number=number) for number in numbers]
            starts = starts_of(paragraphs, parts[-1].end if parts else 0)
            parts.append(OfficePart(part, described, decoded[part], paragraphs, starts, label=label))
    return IdmlFile(package, parts, _notes(package, stories, places, hidden - {*places}, left_out))


def _notes(
    package: OfficePackage, stories: Mapping[str, str], places: Mapping[str, str], hidden: set[str], left_out: set[str]
) -> tuple[str, ...]:
    """Notes about texts of a document that are not offered."""
    unplaced = {*stories.values()} - {*places} - hidden
    hidden, unplaced = _with_text(package, hidden), _with_text(package, unplaced)
    found = []
    if hidden:
        found.append(Message("texts on hidden layers or in hidden frames ({count})", count=len(hidden)))
    if unplaced:
        found.append(Message("texts without a frame ({count})", count=len(unplaced)))
    if "HiddenText" in left_out:
        found.append(Message("hidden conditional text"))
    if "Note" in left_out:
        found.append(Message("notes"))
    if not found:
        return ()
    return (
        Message(
            "Not offered: {list}. To translate hidden texts, show them in InDesign and save the document again.",
            list=joined("; ", found),
        )
        if hidden or "HiddenText" in left_out
        else Message("Not offered: {list}.", list=joined("; ", found)),
    )


def _with_text(package: OfficePackage, parts: set[str]) -> set[str]:
    """The stories in which there is text to translate."""
    found = set()
    for part in parts:
        if package.has(part):
            xml = package.xml(part).text
            if any(each.read(xml).stretches for each in _all(tree(xml))):
                found.add(part)
    return found


def _id_of(part: str) -> str:
    """The id of the story in a part: "Stories/Story_u1c9.xml" has the story u1c9."""
    return part.rpartition("/")[2].removeprefix("Story_").removesuffix(".xml")


def _sources(document: Node, kind: str) -> list[str]:
    """The names of the parts of a kind, in the order of the document."""
    return [node.attributes.get("src", "") for node in document.nodes(kind)]


def _all(root: Node) -> Iterator[StoryParagraph]:
    """The paragraphs and alternative texts of a story, or the alternative texts of a spread."""
    if stories := root.nodes("Story"):
        return chain.from_iterable(map(paragraphs_of, stories))
    return alternatives(root)


def _offered(decoded: DecodedText) -> list[StoryParagraph]:
    return [each for each in _all(tree(decoded.text)) if each.read(decoded.text).stretches]


def _block(paragraph: StoryParagraph) -> Block:
    cell = around(paragraph.node, ("Cell",))
    table = around(cell, ("Table",)) if cell else None
    name = _CELL.fullmatch(cell.attributes.get("Name", "")) if cell else None  # "column:row"
    if table is None or name is None:
        return PARAGRAPH
    return Block("cell", row=(table.start, int(name[2])), column=int(name[1]))


# ---- frames and pages ----


def _spread(root: Node, hidden_layers: set[str]) -> tuple[str, list[_Frame]]:
    """The label of a spread, and its frames."""
    spread = next(iter(root.nodes("Spread", "MasterSpread")), root)
    pages = [(_box(page, page.attributes.get("GeometricBounds", "")), page) for page in spread.nodes("Page")]
    pages.sort(key=lambda page: page[0])
    labels = [_page_label(spread, page) for _, page in pages]
    lefts = [left for (left, _), _ in pages]
    found = []
    for frame in _frames(spread, "", hidden_layers, _IDENTITY, ()):
        x = frame.order[1] + 1  # point; a frame at the edge belongs to the page at its right
        number = max((n for n, left in enumerate(lefts) if left <= x), default=0)
        label = labels[number] if labels else Message("page")
        found.append(_Frame(frame.story, label, frame.is_shown, (number, frame.order[0], frame.order[1])))
    return labels[0] if labels else Message("page"), found


def _page_label(spread: Node, page: Node) -> str:
    if spread.local == "MasterSpread":
        return Message("master page {name}", name=spread.attributes.get("Name", ""))
    return Message("page {number}", number=page.attributes.get("Name", ""))


def _frames(
    node: Node, page: str, hidden_layers: set[str], matrix: _Matrix, above: tuple[float, ...], is_shown: bool = True
) -> Iterator[_Frame]:
    """The frames with text inside of an element; `order` is the top and left of it or of its group."""
    for child in node.nodes():
        is_item = child.local in (*_FRAMES, *_GROUPS)
        shows = is_shown and not (
            is_item
            and (child.attributes.get("Visible") == "false" or child.attributes.get("ItemLayer") in hidden_layers)
        )
        inner = _times(matrix, _numbers(child.attributes.get("ItemTransform", ""))) if is_item else matrix
        order = above or _top_left(child, inner) if is_item else above
        if child.local in _FRAMES and (story := child.attributes.get("ParentStory")):
            yield _Frame(story, page, shows, order or (0, 0))
        yield from _frames(child, page, hidden_layers, inner, () if child.local == "Group" else order, shows)


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError:
        return []


def _times(outer: _Matrix, inner: Sequence[float]) -> _Matrix:
    """A transformation inside of another; a damaged one is ignored."""
    if len(inner) != len(_IDENTITY):
        return outer
    a, b, c, d, e, f = outer
    m, n, o, p, x, y = inner
    return (a * m + c * n, b * m + d * n, a * o + c * p, b * o + d * p, a * x + c * y + e, b * x + d * y + f)


def _top_left(node: Node, matrix: _Matrix) -> tuple[float, ...]:
    """The top and left of a frame on its spread, in points; () if it has no shape."""
    points = [
        _numbers(point.attributes.get("Anchor", ""))
        for properties in node.nodes("Properties")
        for point in properties.walk()
        if point.local == "PathPointType"
    ]
    a, b, c, d, e, f = matrix
    placed = [(b * x + d * y + f, a * x + c * y + e) for x, y in (point for point in points if len(point) == 2)]
    return (round(min(y for y, _ in placed)), min(x for _, x in placed)) if placed else ()


def _box(page: Node, bounds: str) -> tuple[float, float]:
    """The left and top of a page on its spread."""
    numbers = _numbers(bounds)  # top, left, bottom, right
    matrix = _times(_IDENTITY, _numbers(page.attributes.get("ItemTransform", "")))
    top, left = numbers[:2] if len(numbers) == 4 else (0, 0)
    return matrix[0] * left + matrix[2] * top + matrix[4], matrix[1] * left + matrix[3] * top + matrix[5]
