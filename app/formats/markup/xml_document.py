"""XML documents: DITA, DocBook and other XML; rules find their paragraphs.

The names of the elements of DITA and DocBook that are in running text, or are not translated, are known. In other XML,
an element with text of its own is a paragraph. An element inside of it is in running text if most elements of this name
are. Rules of ITS 2.0 in the file have priority: `its:translate`, `its:withinText`, and global rules whose selectors are
names. Rules that a person chose (`app.formats.part_rules`) have priority over these, but not over attributes of the
element itself. `app.formats.software.android` reads Android resources, without such rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Final

from app.errors import DocumentError
from app.formats.base import Edit, line_of, splice
from app.formats.blocks import PARAGRAPH, Block
from app.formats.markup.xml_rules import (
    LETTER,
    XmlRules,
    has_own_text,
    rules_of,
    vocabulary_of,
    with_chosen,
    with_state,
)
from app.formats.office.docx_drawings import AltText
from app.formats.office.office_blocks import placed
from app.formats.office.office_file import (
    Changes,
    OfficePart,
    ParagraphFile,
    changed_at_once,
    check_size,
    moved,
    starts_of,
)
from app.formats.paragraph import OBJECT, Atom, Container, Paragraph
from app.formats.parsed_file import ParsedFile
from app.formats.part_rules import ELEMENT_USES, KEY_USES, Part, PartList, PartUse, skipped_note
from app.formats.software import android
from app.formats.xml_text import (
    Node,
    Text,
    decode_xml,
    encode_xml,
    escape,
    escape_cdata,
    tree,
    unescape,
    with_attribute,
)
from app.i18n import Message

MAX_ATOMS: Final = 20_000  # in a paragraph
_SPACE = re.compile(r"[ \t\r\n]+")
_LINE_END = re.compile(r"\r?\n")
_BREAK = re.compile(r"([ \t]*\n[ \t\n]*)")  # with the white space around it
_BREAK_ALONE = re.compile(r"(\n)")
_BREAK_REFERENCE = re.compile(r"([ \t\r\n]*(?:&#(?:0*10|x0*[aA]);[ \t\r\n]*)+)")
_REFERENCE: Final = "&#10;"  # to a line break
_LINE_BREAK = re.compile(r"\n|&#")
_SENTENCE_END = re.compile(r"[.!?…:][)\]\"'”’»]*\Z")
_CDATA: Final = "<![CDATA["
_NOT_TEXT: Final = ("xmlns", "xml:")  # beginnings of the names of attributes


@dataclass(frozen=True, slots=True)
class _Tree:
    """A document and the results of its rules; the sets contain the offsets of elements.

    `with_blocks` are elements in running text that contain a paragraph. `with_text` are elements with letters or
    digits, and `with_letters` those with letters, of their own or in elements in running text.
    """

    name: str  # of the file
    root: Node
    rules: XmlRules
    with_blocks: Set[int]
    with_text: Set[int]
    with_letters: Set[int]


def _read_tree(name: str, root: Node, rules: XmlRules) -> _Tree:
    with_blocks: set[int] = set()
    with_text: set[int] = set()
    with_letters: set[int] = set()
    for node in reversed((root, *root.walk())):  # elements come after those inside of them
        for child in node.children:
            if isinstance(child, Text):
                if any(map(str.isalnum, child.value)):
                    with_text.add(node.start)
                    if LETTER.search(child.value):
                        with_letters.add(node.start)
                continue
            is_inline = rules.is_inline(child)
            if is_inline and child.start in with_text:
                with_text.add(node.start)
            if is_inline and child.start in with_letters:
                with_letters.add(node.start)
            if rules.is_block(child) or (is_inline and child.start in with_blocks):
                with_blocks.add(node.start)
    return _Tree(name, root, rules, with_blocks, with_text, with_letters)


class XmlParagraph(Paragraph):
    """The text of an element. Elements in running text are containers; all other elements are objects.

    Line breaks are objects in CDATA, in preformatted elements and with xml:space="preserve"; elsewhere they are spaces.
    A text to translate ends at a line break after the end of a sentence, and at an empty line.
    """

    def __init__(self, node: Node, xml: str, document: _Tree) -> None:
        super().__init__(xml)
        self._document = document
        raw = xml[node.inner_start : node.inner_end]
        self.start = node.inner_start + len(raw) - len(raw.lstrip())
        self.end = max(self.start, node.inner_start + len(raw.rstrip()))
        self._is_cdata = xml.startswith(_CDATA, self.start) and any(
            isinstance(child, Text) and (child.start, child.end) == (self.start, self.end) for child in node.children
        )
        self._keeps_space = node.inherited("xml:space") == "preserve"
        self._keeps_lines = self._keeps_space or node.local in document.rules.preformatted
        self._read_content(node, ())
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = ""

    def _read_content(self, node: Node, containers: tuple[Container, ...]) -> None:
        position = max(node.inner_start, self.start)
        for child in node.children:
            if child.start < position:  # white space at the start
                position = child.end if isinstance(child, Text) and child.end > position else position
                self._add_text_of(child, containers)
                continue
            self._add_hidden(self._xml[position : child.start], containers)
            position = child.end
            if isinstance(child, Text):
                self._add_text_of(child, containers)
                continue
            raw = self._xml[child.start : child.end]
            document, rules = self._document, self._document.rules
            is_text = rules.is_inline(child) and rules.is_translated(child) is not False
            if is_text and child.start in document.with_text and child.start not in document.with_blocks:
                tags = self._xml[child.start : child.inner_start], self._xml[child.inner_end : child.end]
                self._read_content(child, (*containers, self._container(*tags)))
            else:
                self._add(Atom(self._length, OBJECT, containers, raw=raw, parts=rules.is_block(child)))
        self._add_hidden(self._xml[position : min(node.inner_end, self.end)], containers)

    def _add(self, atom: Atom) -> None:
        if len(self._atoms) >= MAX_ATOMS:
            raise DocumentError(
                "{name}, {place}: the paragraph has more than {limit:,} texts and elements: break it up and open "
                "the file again",
                name=self._document.name,
                place=line_of(self._xml, self.start),
                limit=MAX_ATOMS,
            )
        super()._add(atom)

    def _add_text_of(self, child: Node | Text, containers: tuple[Container, ...]) -> None:
        if not isinstance(child, Text):
            return
        text, breaks = self._with_breaks(child)
        first = len(text) - len(text.lstrip()) if child.start < self.start or not self._atoms else 0
        last = max(first, len(text.rstrip())) if child.end >= self.end else len(text)
        start, end = text.count("\n", 0, first), len(breaks) - text.count("\n", last)
        if start:
            lead = _filled(text[:first], breaks[:start])
            self._add_space(lead.lstrip() if child.start < self.start else lead, containers)
        lines = text[first:last].split("\n")
        for number, (line, raw) in enumerate(zip_longest(lines, breaks[start:end])):
            if line:
                self._add(Atom(self._length, line.replace(OBJECT, " "), containers))
            if raw is not None:
                parts = len(_LINE_BREAK.findall(raw)) > 1 or _ends_text(lines, number)
                self._add(Atom(self._length, OBJECT, containers, raw=raw, parts=parts))
        if end < len(breaks):
            trail = _filled(text[last:], breaks[end:])
            self._add_space(trail.rstrip() if child.end > self.end else trail, containers)

    def _with_breaks(self, child: Text) -> tuple[str, list[str]]:
        """The text with "\\n" for each line break that counts, and the XML of these."""
        raw = self._xml[child.start : child.end]
        is_in_cdata = raw.startswith(_CDATA)
        if self._keeps_lines or is_in_cdata:
            value = child.value.replace("\r\n", "\n").replace("\r", "\n")
            pieces = (_BREAK_ALONE if self._keeps_space else _BREAK).split(value)
        elif "&#" in raw:
            pieces = _BREAK_REFERENCE.split(raw)
            pieces[::2] = map(unescape, pieces[::2])
        else:
            pieces = [child.value]
        lines, breaks = pieces[::2], pieces[1::2]
        if is_in_cdata and not (self._is_cdata or self._keeps_lines):  # the text is written outside of CDATA
            breaks = [_REFERENCE * each.count("\n") for each in breaks]
        if not self._keeps_space:
            lines = [_SPACE.sub(" ", line) for line in lines]
        return "\n".join(lines), breaks

    def _add_space(self, raw: str, containers: tuple[Container, ...]) -> None:
        """Adds white space at an end of the paragraph, which stays."""
        if raw:
            self._add(Atom(self._length, "", containers, raw=raw, is_last=True))

    def _add_hidden(self, raw: str, containers: tuple[Container, ...]) -> None:
        """Adds comments and processing instructions, which stay."""
        if raw.strip():
            self._add(Atom(self._length, "", containers, raw=raw, is_last=True))

    def _content(self, text: str) -> str:
        return text if self._is_cdata else escape(text)

    def _assembled(self, xml: str) -> str:
        content = super()._assembled(xml)
        if self._is_cdata:
            content = f"{_CDATA}{escape_cdata(content)}]]>"
        has_long_ends = self._xml.find("\r\n", self.start, self.end) >= 0
        return _LINE_END.sub("\r\n", content) if has_long_ends else content


def _ends_text(lines: Sequence[str], number: int) -> bool:
    """True if a text to translate ends with a line: its sentence ends there, or an empty line is beside the break."""
    is_empty = number > 0 and not lines[number].strip()
    is_before_empty = number + 2 < len(lines) and not lines[number + 1].strip()
    return is_empty or is_before_empty or _SENTENCE_END.search(lines[number].rstrip()) is not None


def _filled(text: str, breaks: Sequence[str]) -> str:
    """The text with the XML of its line breaks."""
    lines = text.split("\n")
    return "".join(chain.from_iterable(zip(lines, (*breaks, ""), strict=True)))


@dataclass(frozen=True, slots=True)
class _Found:
    """An element with text, or with attributes of text, and how many others it is inside of."""

    node: Node
    depth: int
    attributes: Sequence[str] = ()

    def read(self, xml: str, document: _Tree) -> XmlParagraph | AltText:
        return AltText(self.node, xml, self.attributes) if self.attributes else XmlParagraph(self.node, xml, document)


@dataclass(frozen=True)
class XmlFile(ParagraphFile):
    """An XML document."""

    parts: Sequence[OfficePart] = field(repr=False)
    rules: XmlRules = field(repr=False)
    root: Node = field(repr=False)
    languages: tuple[str, str]
    encoding: str
    mark: bytes
    notes: tuple[str, ...]

    def text_parts(self) -> Sequence[Part]:
        """The elements with text of their own, and their attributes with letters."""
        parts, attributes = PartList(), PartList()
        for node, is_on in with_state(self.root, self.rules):
            own = "".join(child.value for child in node.children if isinstance(child, Text))
            if LETTER.search(own):
                use: PartUse = "inline" if self.rules.is_inline(node) else "paragraph"
                parts.add(node.local, use if is_on else "skip", ELEMENT_USES, " ".join(own.split()))
            for name, value in node.attributes.items():
                if LETTER.search(value) and not name.startswith(_NOT_TEXT):
                    use = KEY_USES[not (is_on and self.rules.has_text(node, name))]
                    attributes.add(f"{node.local}/@{name}", use, KEY_USES, " ".join(value.split()))
        return [*parts.all(), *attributes.all()]

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """A paragraph for each element with text."""
        return [block for part in self.parts for block in placed([PARAGRAPH] * len(part.starts), part.starts, part.end)]

    def describe(self, start: int) -> str:
        """The line number, from 1."""
        part, index = self._find(start)
        return line_of(part.decoded.text, part.paragraphs[index].start)

    def file_with(self, new: Mapping[str, bytes]) -> bytes:
        """The new document."""
        (data,) = new.values()
        return data

    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The document with these changes."""
        xml = changed_at_once(part.decoded.text, part.paragraphs, changes)
        if xml is None:
            xml = self._changed_in_turn(part, changes)
        if language and "xml:lang" in self.root.attributes:
            root = tree(xml)
            tag = with_attribute(xml[root.start : root.inner_start], "xml:lang", language)
            xml = splice(xml, [(root.start, root.inner_start, tag)])
        return {part.name: encode_xml(xml, part.decoded)}

    def _changed_in_turn(self, part: OfficePart, changes: Changes) -> str:
        """The XML with these changes; elements inside of paragraphs, such as footnotes, come first."""
        xml = part.decoded.text
        document = _read_tree(part.name, tree(xml), self.rules)
        found = [each for each in _found(document) if each.read(xml, document).stretches]
        todo = [(found[number], spans) for number, spans in changes.items()]
        starts = [each.node.start for each, _ in todo]
        for depth in sorted({each.depth for each, _ in todo}, reverse=True):
            document = _read_tree(part.name, tree(xml), self.rules)
            nodes = {node.start: node for node in (document.root, *document.root.walk())}
            edits: list[Edit] = []
            for start, (each, spans) in zip(starts, todo, strict=True):
                if each.depth == depth:
                    paragraph = replace(each, node=nodes[start]).read(xml, document)
                    edits.append((paragraph.start, paragraph.end, paragraph.xml(spans)))
            xml = splice(xml, edits)
            starts = moved(starts, edits)
        return xml


def parse(data: bytes, name: str, rules: Sequence[str] = ()) -> ParsedFile:
    """Parses an XML document. Raises DocumentError, with a remedy, if it cannot be opened."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name == "resources":
        return android.parse(data, name)
    vocabulary = vocabulary_of(root)
    known, unknown = rules_of(root, vocabulary)
    chosen = with_chosen(known, rules)
    document = _read_tree(name, root, chosen)
    found = [each.read(decoded.text, document) for each in _found(document)]
    paragraphs = [paragraph for paragraph in found if paragraph.stretches]
    check_size(len(paragraphs), name)
    parts = [OfficePart(name, (), decoded, paragraphs, starts_of(paragraphs, 0))] if paragraphs else []
    notes: list[str] = []
    if vocabulary is None and not rules:
        notes.append(
            Message(
                "This XML format is not known: an element with text was read as a paragraph, and elements in it as "
                "tags. You can change this in the import settings, or with ITS rules in the file."
            )
        )
    if unknown:
        notes.append(Message("Ignored ITS rules: {list}.", list=", ".join(unknown)))
    if rules and (note := skipped_note(sum(not on for node, on in with_state(root, chosen) if has_own_text(node)))):
        notes.append(note)
    languages = root.attributes.get("xml:lang", ""), ""
    return XmlFile(parts, chosen, root, languages, decoded.encoding, decoded.mark, tuple(notes))


def _found(document: _Tree) -> Iterator[_Found]:
    """The elements with text or attributes of text, in order, each before those inside of it."""
    rules = document.rules
    stack: list[tuple[Node, int, bool, bool]] = [(document.root, 0, rules.is_on, False)]
    while stack:
        node, depth, is_on, is_in_text = stack.pop()
        said = rules.is_translated(node)
        if said and not is_on:  # inside an object of the paragraph around it
            is_in_text = False
        is_on = is_on if said is None else said
        if is_on and (attributes := rules.attributes_of(node)):
            yield _Found(node, depth + 1, attributes)
        is_inline = rules.is_inline(node) and is_in_text
        if is_inline and node.start in document.with_blocks:
            is_inline = is_in_text = False
        is_paragraph = is_on and not is_inline and node.start in document.with_letters
        if is_paragraph:
            yield _Found(node, depth)
        inner = is_paragraph or (is_inline and is_in_text)
        stack += [(child, depth + 1, is_on, inner) for child in reversed(node.nodes())]
