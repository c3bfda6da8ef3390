"""Converts a WordprocessingML paragraph to text with placeholders, and back to XML.

Runs whose format differs from the main text, links, and bookmarks that a cross-reference shows become pairs of numbered
placeholders. An object (picture, footnote mark, field) becomes one placeholder. Other bookmarks, comment marks, and
text that tracked changes have deleted or moved away are not shown; in a translated sentence they move to its ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import ClassVar

from app.formats.paragraph import OBJECT, Atom, Container, Paragraph, main_format
from app.formats.xml_text import Node, Text, escape

# Objects that separate the text before and after them.
_BREAKS = {"tab", "br", "cr", "ptab"}
_PAGE_BREAKS = {"page", "column"}
_CHARACTERS = {"noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_CONTAINERS = {"hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo"}
_CONTAINER_PROPERTIES = {"smartTagPr", "customXmlPr"}
_FIRST_ANCHORS = {"bookmarkStart", "commentRangeStart", "permStart", "moveToRangeStart"}
# Includes the range marks of text that was moved away.
_LAST_ANCHORS = {
    "bookmarkEnd", "commentRangeEnd", "permEnd", "moveToRangeEnd", "del", "moveFrom", "moveFromRangeStart",
    "moveFromRangeEnd",
}  # fmt: skip
_REFERENCE = re.compile(r"(?<![A-Z])REF\s+([\w.-]+)")  # field code; PAGEREF shows no text
_MAX_BOOKMARKED = 100  # nodes in a bookmark
_IGNORED = {"proofErr", "lastRenderedPageBreak", "rPr"}
_EMPTY_ELEMENT = re.compile(r"<[^>]*/>|<[^>]*>\s*</[^>]*>")
_SPACE = re.compile(r"[\t\n\r]")
# Invisible format properties: runs that differ only in these are joined.
_INVISIBLE = re.compile(r"<\w+:(?:lang|noProof|webHidden)\b[^>]*/>")


def _ruby_base(run: Node) -> Node | None:
    """The text below the reading aid of a run, if the run has nothing else."""
    children = [child for child in run.nodes() if child.local != "rPr"]
    if len(children) != 1 or children[0].local != "ruby":
        return None
    base = children[0].first("rubyBase")
    return base if base is not None and base.nodes() else None


class WordParagraph(Paragraph):
    """A paragraph of runs with text elements, as in WordprocessingML; other Office formats differ in some elements.

    `prefix` is the namespace prefix of element names, "w:". `referenced` are the names of the bookmarks whose text is
    shown elsewhere.
    """

    text_attributes: ClassVar[str] = ' xml:space="preserve"'  # of a text element, for spaces at its ends

    def __init__(self, node: Node, xml: str, prefix: str, referenced: Set[str] = frozenset()) -> None:
        super().__init__(xml)
        self._prefix = prefix
        self._hyphens: dict[str, str] = {}  # element names of hyphens that are elements, by character
        self._referenced = referenced
        body = [child for child in node.nodes() if child.name != f"{prefix}pPr"]
        self.start, self.end = (body[0].start, body[-1].end) if body else (node.inner_end, node.inner_end)
        self._has_fields = "fldChar" in xml[self.start : self.end]
        self._read_all(body, ())
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = main_format(self._atoms)

    # ---- reading ----

    def _read_all(self, nodes: Sequence[Node], containers: tuple[Container, ...]) -> None:
        fields = self._field_lengths(nodes)
        last_text = -1
        if self._referenced:
            last_text = max((number for number, node in enumerate(nodes) if node.content().strip()), default=-1)
        position = 0
        while position < len(nodes):
            end = position + 1
            if length := fields.get(position):
                end = position + length
                self._read_field(nodes[position:end], containers)
            elif length := self._bookmark_length(nodes, position, last_text):
                end = position + length
                self._read_bookmark(nodes[position:end], containers)
            else:
                self._read(nodes[position], containers)
            position = end

    def _read(self, node: Node, containers: tuple[Container, ...]) -> None:
        raw = self._xml[node.start : node.end]
        local = node.local if node.name.startswith(self._prefix) else ""
        if local == "r" and (base := _ruby_base(node)):
            container = self._container(self._xml[node.start : base.inner_start], self._xml[base.inner_end : node.end])
            self._read_all(base.nodes(), (*containers, container))
        elif local == "r":
            self._read_run(node, containers)
        elif local in _FIRST_ANCHORS or local in _LAST_ANCHORS:
            self._add(Atom(self._length, "", containers, raw=raw, is_last=local in _LAST_ANCHORS))
        elif local in _CONTAINERS or (
            local == "fldSimple" and _is_link(node.attributes.get(f"{self._prefix}instr", ""))
        ):
            self._read_container(node, containers)
        elif local == "sdt" and (content := node.first("sdtContent")) and content.nodes():
            start = self._length
            before, behind = self._xml[node.start : content.inner_start], self._xml[content.inner_end : node.end]
            container = self._container(before, behind)
            self._read_all(content.nodes(), (*containers, container))
            self.unsplit.append((start, self._length))
        elif local not in _IGNORED:
            self._add(Atom(self._length, OBJECT, containers, raw=raw, is_break=local in _BREAKS))

    def _visible(self, raw_format: str) -> str:
        """The visible properties of a run; empty if there are none."""
        if not raw_format:
            return ""
        its_format = _INVISIBLE.sub("", raw_format)
        return "" if _EMPTY_ELEMENT.fullmatch(its_format) else its_format

    def _text_of(self, node: Node) -> str:
        """The text of a text element as the program shows it; white space characters become spaces."""
        text = "".join(child.value for child in node.children if isinstance(child, Text))
        text = text if node.attributes.get("xml:space") == "preserve" else text.strip(" \t\n\r")
        return _SPACE.sub(" ", text).replace(OBJECT, " ")

    def _read_container(self, node: Node, containers: tuple[Container, ...]) -> None:
        """Reads a container; one without text, such as an insertion that was deleted again, becomes an anchor."""
        inner = [child for child in node.nodes() if child.local not in _CONTAINER_PROPERTIES]
        start, num_atoms = self._length, len(self._atoms)
        if inner:
            before = self._xml[node.start : inner[0].start]
            container = self._container(before, self._xml[inner[-1].end : node.end])
            self._read_all(inner, (*containers, container))
        if self._length == start:
            del self._atoms[num_atoms:]
            raw = self._xml[node.start : node.end]
            self._add(Atom(start, "", containers, raw=raw, is_last=True))

    def _read_run(self, node: Node, containers: tuple[Container, ...]) -> None:
        properties = node.first("rPr")
        raw_format = self._xml[properties.start : properties.end] if properties else ""
        its_format = self._visible(raw_format)
        children = node.nodes()
        fields = self._field_lengths(children) if len(children) > 1 else {}
        position = 0
        while position < len(children):
            first, last = children[position], children[position + fields.get(position, 1) - 1]
            position += fields.get(position, 1)
            local = first.local if first.name.startswith(self._prefix) else ""
            if local in ("t", *_CHARACTERS):
                text = _CHARACTERS.get(local) or self._text_of(first)
                if local in _CHARACTERS:
                    self._hyphens[text] = local
                if text:
                    self._add_text(text, containers, its_format, raw_format)
            elif local not in _IGNORED:
                raw = f"<{self._prefix}r>{raw_format}{self._xml[first.start : last.end]}</{self._prefix}r>"
                text = "" if local == "commentReference" else OBJECT
                parts = local == "br" and first.attributes.get(f"{self._prefix}type", "") in _PAGE_BREAKS
                is_break = local in _BREAKS and not parts
                self._add(
                    Atom(self._length, text, containers, raw=raw, is_last=not text, parts=parts, is_break=is_break)
                )

    def _add_text(self, text: str, containers: tuple[Container, ...], its_format: str, raw_format: str) -> None:
        """Adds the text of a run with that format, which is given as it is compared and as it is in the file."""
        self._add(Atom(self._length, text, containers, its_format))

    def _bookmark_length(self, nodes: Sequence[Node], position: int, last_text: int) -> int:
        """Number of nodes of a referenced bookmark; 0 if none starts here, or if it contains all of the text.

        `last_text` is the last of the nodes with text.
        """
        first, p = nodes[position], self._prefix
        if first.name != f"{p}bookmarkStart" or first.attributes.get(f"{p}name") not in self._referenced:
            return 0
        for number, node in enumerate(nodes[position : position + _MAX_BOOKMARKED], 1):
            if node.name == f"{p}bookmarkEnd" and node.attributes.get(f"{p}id") == first.attributes.get(f"{p}id"):
                is_all = not self._length and last_text < position + number
                return 0 if is_all or number == 2 else number
        return 0

    def _read_bookmark(self, nodes: Sequence[Node], containers: tuple[Container, ...]) -> None:
        start = self._length
        raw = (self._xml[node.start : node.end] for node in (nodes[0], nodes[-1]))
        self._read_all(nodes[1:-1], (*containers, self._container(*raw)))
        self.unsplit.append((start, self._length))

    def _field_lengths(self, nodes: Sequence[Node]) -> dict[int, int]:
        """Number of nodes of each complete field of more than one node, by its first node."""
        lengths: dict[int, int] = {}
        if not self._has_fields:
            return lengths
        opened: list[tuple[int, int]] = []  # the first node, and the depth before it, ascending
        depth = 0
        for number, node in enumerate(nodes):
            before = depth
            for kind in self._field_signs(node):
                depth += (kind == "begin") - (kind == "end")
            while opened and depth <= opened[-1][1]:
                first, outside = opened.pop()
                if depth == outside:
                    lengths[first] = number - first + 1
            if depth > before:
                opened.append((number, before))
        return lengths

    def _field_signs(self, node: Node) -> list[str]:
        """The field marks ("begin", "separate", "end") in a run, an insertion of runs, or a node of a run."""
        marks = [node] if node.local == "fldChar" else node.nodes("fldChar")
        if node.local in ("ins", "moveTo"):
            return [sign for child in node.nodes() for sign in self._field_signs(child)]
        return [mark.attributes.get(f"{self._prefix}fldCharType", "") for mark in marks]

    def _read_field(self, nodes: Sequence[Node], containers: tuple[Container, ...]) -> None:
        """Reads a field: a link, whose text is translated, or else an object."""
        middle = next((n for n, node in enumerate(nodes) if "separate" in self._field_signs(node)), None)
        codes = "".join(node.content() for node in nodes[:middle])
        num_begins = sum(self._field_signs(node).count("begin") for node in nodes[:middle])
        start = self._length
        if middle is not None and num_begins == 1 and _is_link(codes) and nodes[0].local == nodes[-1].local == "r":
            before, last = self._xml[nodes[0].start : nodes[middle].end], self._xml[nodes[-1].start : nodes[-1].end]
            self._read_all(nodes[middle + 1 : -1], (*containers, self._container(before, last)))
            self.unsplit.append((start, self._length))
        else:
            self._add(Atom(start, OBJECT, containers, raw=self._xml[nodes[0].start : nodes[-1].end]))

    # ---- writing ----

    @property
    def _end(self) -> str:
        return f"</{self._prefix}t></{self._prefix}r>"

    def _run(self, its_format: str) -> str:
        return f"<{self._prefix}r>{its_format}<{self._prefix}t{self.text_attributes}>"

    def _assembled(self, xml: str) -> str:
        """The content without empty runs, and without the marks of containers."""
        formats = "|".join(re.escape(its_format) for its_format in {atom.format for atom in self._atoms} | {""})
        p = self._prefix
        empty = rf"<{p}r>(?:{formats})<{p}t{self.text_attributes}></{p}t></{p}r>"
        return super()._assembled(re.sub(empty, "", xml))

    def _content(self, text: str) -> str:
        """Text inside a run; hyphens become elements if they are elements in the paragraph."""
        content = escape(text)
        for hyphen, local in self._hyphens.items():
            p = self._prefix
            content = content.replace(hyphen, f"</{p}t><{p}{local}/><{p}t{self.text_attributes}>")
        return content


def referenced_bookmarks(root: Node) -> Set[str]:
    """The names of the bookmarks whose text REF fields of a part show."""
    codes = []
    for node in root.walk():
        if node.local == "instrText":
            codes.append(node.content())  # field codes may be spread over several elements
        elif node.local == "fldSimple":
            codes.append(f" {' '.join(node.attributes.values())} ")
    return frozenset(_REFERENCE.findall("".join(codes)))


def _is_link(codes: str) -> bool:
    """True if these field codes make the field's text a link."""
    return codes.split()[:1] == ["HYPERLINK"]
