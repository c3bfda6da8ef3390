"""Converts the paragraphs of an InDesign story to text with placeholders, and back to XML.

A paragraph ends at a <Br/> or with its ParagraphStyleRange; it may begin and end inside a CharacterStyleRange. Ranges
whose format differs from the main text, links, insertions and XML tags become pairs of numbered placeholders. An object
(table, footnote, picture, page number) or a forced line break becomes one placeholder. Marks of the index, link
targets, editorial notes, hidden text and deleted text are not shown; in a translated sentence they move to its ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.formats.office.docx_drawings import AltText
from app.formats.paragraph import OBJECT, Atom, Container, Paragraph, without_marks, without_seams
from app.formats.xml_text import Node, unescape

_BREAK: Final = "Br"
_RANGE: Final = "CharacterStyleRange"
_PARAGRAPH: Final = "ParagraphStyleRange"
# Elements around text and around ranges.
_CONTAINERS: Final = {"XMLElement", "HyperlinkTextSource", "CrossReferenceSource", "Change", "EndnoteRange"}
# Elements that are not shown and have no text of the document.
_ANCHORS: Final = {
    "HyperlinkTextDestination", "ParagraphDestination", "PageReference", "Note", "XMLComment", "XMLInstruction",
    "HiddenText",
}  # fmt: skip
# Children of a container or range that belong to its start tag.
_PROPERTIES: Final = {"Properties", "XMLAttribute"}
# Elements of a story with data for the program.
_DATA: Final = {"StoryPreference", "InCopyExportOption", "MetadataPacketPreference", "DTD", *_PROPERTIES}
_ALTERNATIVE: Final = ("CustomAltText",)
_FLOWS: Final = {"Cell", "Footnote", "Endnote"}
# Kerning belongs to two letters; the language is the language of the source.
_INVISIBLE = re.compile(r"""\s(?:KerningValue|KerningMethod|AppliedLanguage)=(?:"[^"]*"|'[^']*')""")
_PART = re.compile(r"<!\[CDATA\[(?P<cdata>.*?)\]\]>|<!--.*?-->|(?P<sign><\?.*?\?>)|(?P<text>[^<]+)", re.DOTALL)
_LINE_BREAK: Final = "\u2028"
_SPECIAL = re.compile("[\t\u2028\ufeff]")
_RIGHT_TAB: Final = "<?ACE 8?>"
# Marks of the start of a run with its format, and of its end, as in `app.formats.office.docx_text`.
_RUN = re.compile("\ufffe(?:r([0-9]+)|(e))\ufffe")
_EMPTY_RUN = re.compile("\ufffer[0-9]+\ufffe\ufffee\ufffe")


@dataclass(frozen=True, slots=True)
class Item:
    """A text, an object or an anchor of a paragraph, and the elements of its text flow around it, outermost first."""

    node: Node
    path: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class StoryParagraph:
    """The items of a paragraph. `depth` is the number of paragraphs around it: a footnote is inside a paragraph.

    `alternative` is an element with an alternative text; it has no items.
    """

    items: Sequence[Item]
    depth: int
    alternative: Node | None = None

    @property
    def node(self) -> Node:
        """An element of the paragraph."""
        return self.alternative or self.items[0].node

    def read(self, xml: str) -> IdmlParagraph | AltText:
        """The text of the paragraph."""
        return AltText(self.alternative, xml, _ALTERNATIVE) if self.alternative else IdmlParagraph(self, xml)


def paragraphs_of(flow: Node, depth: int = 0) -> Iterator[StoryParagraph]:
    """The paragraphs of a story, each followed by those in its tables and footnotes."""
    for items in _split(flow):
        yield StoryParagraph(items, depth)
        for item in items:
            yield from alternatives(item.node, depth + 1)
            for inner in _flows(item.node):
                yield from paragraphs_of(inner, depth + 1)


def alternatives(node: Node, depth: int = 0) -> Iterator[StoryParagraph]:
    """The alternative texts of the pictures in an element, except for those in text inside of it."""
    if node.local == "ObjectExportOption" and node.attributes.get("AltTextSourceType") == "SourceCustom":
        if not node.attributes.get("CustomAltText", "").startswith("$ID/"):
            yield StoryParagraph((), depth, node)
    elif node.local not in (*_FLOWS, *_ANCHORS) and not _is_deleted(node):
        for child in node.nodes():
            yield from alternatives(child, depth)


def hidden_in(story: Node) -> set[str]:
    """The local names of the elements with text in a story that is not offered: Note, HiddenText."""
    return {node.local for node in story.walk() if node.local in ("Note", "HiddenText") and node.content().strip()}


def _flows(node: Node) -> Iterator[Node]:
    """The text flows in an object."""
    if node.local in _FLOWS:
        yield node
    elif node.local not in _ANCHORS and not _is_deleted(node):
        for child in node.nodes():
            yield from _flows(child)


def _split(flow: Node) -> Iterator[list[Item]]:
    items: list[Item] = []
    for item in _items(flow, ()):
        if item is not None:
            items.append(item)
        elif items:
            yield items
            items = []
    if items:
        yield items


def _items(node: Node, path: tuple[Node, ...]) -> Iterator[Item | None]:
    """The items below an element, and None where a paragraph begins or ends."""
    for child in node.nodes():
        if child.local in _DATA:
            continue
        if child.local == _BREAK:
            yield None
        elif child.local == _PARAGRAPH or (child.local in (_RANGE, *_CONTAINERS) and not _is_deleted(child)):
            if child.local == _RANGE or not _has_break(child):
                if child.local != _RANGE and not _has_items(child):
                    yield Item(child, path)
                else:
                    yield from _items(child, (*path, child))
            else:
                yield None
                yield from _items(child, (*path, child))
                yield None
        else:
            yield Item(child, path)


def _has_break(node: Node) -> bool:
    """True if a paragraph ends inside of an element."""
    return node.local == _PARAGRAPH or any(
        child.local == _BREAK or (child.local in (_RANGE, _PARAGRAPH, *_CONTAINERS) and _has_break(child))
        for child in node.nodes()
    )


def _has_items(node: Node) -> bool:
    return any(item is not None for item in _items(node, ()))


def _is_deleted(node: Node) -> bool:
    return node.local == "Change" and node.attributes.get("ChangeType") == "DeletedText"


class IdmlParagraph(Paragraph):
    """A paragraph of a story. The result of `xml` replaces the story's XML from `start` to `end`."""

    def __init__(self, paragraph: StoryParagraph, xml: str) -> None:
        super().__init__(xml)
        self._formats: list[str] = []
        self._format_numbers: dict[str, int] = {}
        items = paragraph.items
        outside = _num_outside(items[0].path)
        self._numbers: dict[int, Container] = {}  # of the elements around items, by their offset
        for item in items:
            self._read_item(item, item.path[outside:])
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = self._main_format()
        self.start, self._lead = self._edge(items[0], outside, is_first=True)
        self.end, self._trail = self._edge(items[-1], outside, is_first=False)

    def readable(self, raw: str) -> str:
        """The raw content of a tag, with ranges in place of their marks."""
        return without_marks(_RUN.sub(lambda mark: self._formats[int(mark[1])] if mark[1] else "", raw))

    def _assembled(self, xml: str) -> str:
        """The XML of the ranges. Adjacent ranges of the same format become one, also with a range around the paragraph.

        If a range begins before the paragraph or ends after it, its start tag or end tag is outside the result.
        """
        cleared = ""
        while cleared != xml:
            cleared, xml = xml, _EMPTY_RUN.sub("", xml)
        xml = without_seams(xml)
        parts: list[str] = []
        opened, is_ended, has_content = self._lead, self._lead is not None, False
        position = 0

        def close() -> None:
            nonlocal is_ended
            parts.append("</Content>" if has_content else "")
            parts.append(f"</{_RANGE}>" if opened else "")
            is_ended = False

        for mark in _RUN.finditer(xml):
            between = xml[position : mark.start()]
            position = mark.end()
            if between and is_ended:
                close()
                opened = None
            parts.append(between)
            if mark[2]:
                is_ended = True
                continue
            its_format = self._formats[int(mark[1])]
            if is_ended and opened == its_format:
                parts.append("" if has_content else "<Content>")
            else:
                if is_ended:
                    close()
                parts += [its_format, "<Content>"]
            opened, is_ended, has_content = its_format, False, True
        if is_ended and opened == self._trail and not xml[position:]:
            return without_marks("".join([*parts, "</Content>" if has_content else ""]))
        if is_ended:
            close()
        return without_marks("".join([*parts, xml[position:], self._trail or ""]))

    # ---- reading ----

    def _read_item(self, item: Item, path: Sequence[Node]) -> None:
        its_format, containers = "", []
        for number, node in enumerate(path):
            if node.local != _RANGE:
                if node.start not in self._numbers:
                    inner = [child for child in node.nodes() if child.local not in _PROPERTIES]
                    amid = (
                        child for child in node.nodes(*_PROPERTIES) if inner[0].start < child.start < inner[-1].start
                    )
                    properties = "".join(self._xml[child.start : child.end] for child in amid)
                    before = its_format + self._xml[node.start : inner[0].start] + properties
                    behind = self._xml[inner[-1].end : node.end] + (f"</{_RANGE}>" if its_format else "")
                    self._numbers[node.start] = self._container(before, behind)
                containers.append(self._numbers[node.start])
                its_format = ""
            elif not any(other.local == _RANGE for other in path[number + 1 :]):
                its_format = self._format(node)
        node, around = item.node, tuple(containers)
        if node.local == "Content":
            self._read_text(node, its_format, around)
            return
        raw = self._xml[node.start : node.end]
        raw = f"{its_format}{raw}</{_RANGE}>" if its_format else raw
        if node.local in _ANCHORS or _is_deleted(node) or node.local in _CONTAINERS:
            is_last = node.local not in ("HyperlinkTextDestination", "ParagraphDestination")
            self._add(Atom(self._length, "", around, raw=raw, is_last=is_last))
        else:
            self._add(Atom(self._length, OBJECT, around, raw=raw, parts=node.local == "Table"))

    def _format(self, node: Node) -> str:
        """The start of a range with its visible properties."""
        first = next((child for child in node.children if isinstance(child, Node)), None)
        properties = first if first and first.local == "Properties" else None
        tag = self._xml[node.start : node.inner_start]
        tag = tag[:-2].rstrip() + ">" if node.is_empty_tag else tag
        return _INVISIBLE.sub("", tag) + (self._xml[properties.start : properties.end] if properties else "")

    def _read_text(self, node: Node, its_format: str, containers: tuple[Container, ...]) -> None:
        for part in _PART.finditer(self._xml, node.inner_start, node.inner_end):
            if part["sign"]:
                self._add_sign(part["sign"], its_format, containers)
                continue
            text = part["cdata"] if part["cdata"] is not None else unescape(part["text"] or "")
            text = re.sub(r"[\r\n]", " ", text).replace(OBJECT, " ")
            position = 0
            for special in _SPECIAL.finditer(text):
                self._add_plain(text[position : special.start()], its_format, containers)
                self._add_sign(special.group(), its_format, containers)
                position = special.end()
            self._add_plain(text[position:], its_format, containers)

    def _add_plain(self, text: str, its_format: str, containers: tuple[Container, ...]) -> None:
        if text:
            self._add(Atom(self._length, text, containers, its_format))

    def _add_sign(self, raw: str, its_format: str, containers: tuple[Container, ...]) -> None:
        text = "" if raw == "\ufeff" else OBJECT
        run = f"{self._run(its_format)}{raw}{self._end}"
        self._add(
            Atom(self._length, text, containers, raw=run, parts=raw in ("\t", _RIGHT_TAB), is_break=raw == _LINE_BREAK)
        )

    def _main_format(self) -> str:
        """The format of most of the text that is in no link or other element; it needs no placeholders."""
        sizes: dict[str, int] = {}
        for atom in self._atoms:
            if not atom.raw and not atom.containers:
                sizes[atom.format] = sizes.get(atom.format, 0) + len(atom.text.strip())
        fallback = next((atom.format for atom in self._atoms if not atom.raw), "")
        return max(sizes, key=lambda its_format: sizes[its_format], default=fallback)

    # ---- writing ----

    @property
    def _end(self) -> str:
        return "\ufffee\ufffe"

    def _run(self, its_format: str) -> str:
        number = self._format_numbers.setdefault(its_format, len(self._formats))
        if number == len(self._formats):
            self._formats.append(its_format)
        return f"\ufffer{number}\ufffe"

    def _edge(self, item: Item, outside: int, *, is_first: bool) -> tuple[int, str | None]:
        """The begin or end of the paragraph, and the format of a range that continues outside of it, or None."""
        nodes = [*item.path[outside:], item.node]
        top = nodes[0]
        if top.local == _RANGE:
            children = top.children if is_first else reversed(top.children)
            outermost = next(child for child in children if isinstance(child, Node) and child.local not in _PROPERTIES)
            if outermost is not nodes[1]:
                return (nodes[1].start if is_first else nodes[1].end), self._format(top)
        return (top.start if is_first else top.end), None


def _num_outside(path: Sequence[Node]) -> int:
    """The number of elements around an item, from the outermost, that contain more than its paragraph."""
    return max((n for n, node in enumerate(path, 1) if node.local != _RANGE and _has_break(node)), default=0)
