"""XML documents: DITA, DocBook and other XML, whose paragraphs are found by rules.

DITA and DocBook have lists of elements in running text and of elements that are not translated. In other XML, an
element with text of its own is a paragraph, and elements inside of it are in running text if most of their name are.
Rules of ITS 2.0 in the file count more: `its:translate`, `its:withinText`, and global rules whose selectors are
names. Android resources are read by `app.formats.android`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Final

from app.errors import DocumentError
from app.formats import android
from app.formats.base import Edit, ParsedFile, line_of, splice
from app.formats.blocks import PARAGRAPH, Block
from app.formats.docx_drawings import AltText
from app.formats.docx_text import OBJECT, Atom, Container, Paragraph
from app.formats.office_blocks import placed
from app.formats.office_file import Changes, OfficePart, ParagraphFile, check_size, moved, starts_of
from app.formats.xml_text import Node, Text, decode_xml, encode_xml, escape, tree, with_attribute
from app.i18n import Message

MAX_ATOMS: Final = 20_000  # in a paragraph
_ITS: Final = "http://www.w3.org/2005/11/its"
_SPACE = re.compile(r"[ \t\r\n]+")
_SELECTOR = re.compile(r"//(?:[\w.-]+:)?([\w.-]+|\*)(?:/@(?:[\w.-]+:)?([\w.-]+))?")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """A kind of XML: its root elements, attributes with text, and elements by what they are.

    `inline` elements are in running text, `nested` ones too, but with a text of their own, as footnotes have; `skipped`
    ones are not translated.
    """

    roots: frozenset[str]
    inline: frozenset[str]
    nested: frozenset[str]
    skipped: frozenset[str]
    attributes: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DITA: Final = _Vocabulary(
    roots=_names("topic concept task reference troubleshooting glossentry glossgroup map bookmap dita learningContent"),
    inline=_names(
        "b i u sup sub tt line-through overline ph xref keyword term cite q codeph varname apiname cmdname filepath "
        "option parmname msgnum msgph uicontrol wintitle menucascade shortcut userinput systemoutput synph tm state "
        "boolean abbreviated-form text markupname xmlelement xmlatt numcharref parameterentity textentity strong em"
    ),
    nested=_names("fn indexterm image data foreign"),
    skipped=_names("codeblock draft-comment required-cleanup foreign unknown data othermeta svg math keydef"),
    attributes=_names("navtitle alt"),
)
_DOCBOOK: Final = _Vocabulary(
    roots=_names("book article chapter section sect1 sect2 appendix preface refentry glossary"),
    inline=_names(
        "abbrev acronym anchor application citation citetitle classname co code command computeroutput constant coref "
        "database email emphasis envar errorcode errorname errortype exceptionname filename firstterm footnoteref "
        "foreignphrase function glossterm guibutton guiicon guilabel guimenu guimenuitem guisubmenu hardware "
        "interfacename keycap keycode keycombo keysym link literal markup mathphrase menuchoice methodname mousebutton "
        "olink option optional orgname package parameter personname phrase productname productnumber prompt property "
        "quote replaceable returnvalue shortcut structfield subscript superscript symbol systemitem tag termdef token "
        "trademark type ulink uri userinput varname wordasword xref"
    ),
    nested=_names("footnote indexterm inlinemediaobject inlineequation"),
    skipped=_names("programlisting screen synopsis cmdsynopsis funcsynopsis classsynopsis remark svg math"),
)


@dataclass(frozen=True, slots=True)
class _Rules:
    """By local name of an element: if it is in running text ("yes", "no" or "nested"), and if it is translated.

    `attributes` are those with text.
    """

    within: Mapping[str, str]
    translated: Mapping[str, bool]
    attributes: frozenset[tuple[str, str]]  # name of the element or "*", name of the attribute
    prefix: str = "its:"  # of ITS

    def is_inline(self, node: Node) -> bool:
        """Whether an element is in running text."""
        return self._within(node) == "yes"

    def is_block(self, node: Node) -> bool:
        """Whether an element is a paragraph or has some."""
        return self._within(node) == "no"

    def _within(self, node: Node) -> str:
        said = node.attributes.get(f"{self.prefix}withinText")
        return said or self.within.get(node.local, "no")

    def is_translated(self, node: Node) -> bool | None:
        """Whether the file says that an element is translated; None if it says nothing."""
        for name in (f"{self.prefix}translate", "translate"):
            if (value := node.attributes.get(name)) in ("yes", "no"):
                return value == "yes"
        return self.translated.get(node.local)

    def attributes_of(self, node: Node) -> list[str]:
        """The attributes of an element with text."""
        return [
            name
            for name, value in node.attributes.items()
            if ((node.local, name) in self.attributes or ("*", name) in self.attributes) and _LETTER.search(value)
        ]


@dataclass(frozen=True, slots=True)
class _Tree:
    """A document with what its rules say about it; elements by their offsets.

    `with_blocks` are elements in running text with a paragraph inside, `with_text` and
    `with_letters` those with letters or digits, or letters, of their own or in elements in running text.
    """

    name: str  # of the file
    root: Node
    rules: _Rules
    with_blocks: Set[int]
    with_text: Set[int]
    with_letters: Set[int]


def _read_tree(name: str, root: Node, rules: _Rules) -> _Tree:
    with_blocks: set[int] = set()
    with_text: set[int] = set()
    with_letters: set[int] = set()
    for node in reversed((root, *root.walk())):  # elements come after those inside of them
        for child in node.children:
            if isinstance(child, Text):
                if any(map(str.isalnum, child.value)):
                    with_text.add(node.start)
                    if _LETTER.search(child.value):
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
    """The text of an element with elements in running text as containers; other elements are objects."""

    text_attributes: ClassVar[str] = ""

    def __init__(self, node: Node, xml: str, document: _Tree) -> None:
        self._begin(xml, "")
        self._document = document
        raw = xml[node.inner_start : node.inner_end]
        self.start = node.inner_start + len(raw) - len(raw.lstrip())
        self.end = max(self.start, node.inner_start + len(raw.rstrip()))
        self._read_content(node, (), keeps_space=node.inherited("xml:space") == "preserve")
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = ""

    def _read_content(self, node: Node, containers: tuple[Container, ...], *, keeps_space: bool) -> None:
        position = max(node.inner_start, self.start)
        for child in node.children:
            if child.start < position:  # white space at the start
                position = child.end if isinstance(child, Text) and child.end > position else position
                self._add_text_of(child, containers, keeps_space=keeps_space)
                continue
            self._add_hidden(self._xml[position : child.start], containers)
            position = child.end
            if isinstance(child, Text):
                self._add_text_of(child, containers, keeps_space=keeps_space)
                continue
            raw = self._xml[child.start : child.end]
            document, rules = self._document, self._document.rules
            is_text = rules.is_inline(child) and rules.is_translated(child) is not False
            if is_text and child.start in document.with_text and child.start not in document.with_blocks:
                tags = self._xml[child.start : child.inner_start], self._xml[child.inner_end : child.end]
                self._read_content(child, (*containers, self._container(*tags)), keeps_space=keeps_space)
            else:
                self._add(Atom(self._length, OBJECT, containers, raw=raw, parts=rules.is_block(child)))
        self._add_hidden(self._xml[position : min(node.inner_end, self.end)], containers)

    def _add(self, atom: Atom) -> None:
        if len(self._atoms) >= MAX_ATOMS:
            raise DocumentError(
                Message(
                    "{name}, {place}: the paragraph has more than {limit:,} texts and elements: break it up and open "
                    "the file again",
                    name=self._document.name,
                    place=line_of(self._xml, self.start),
                    limit=MAX_ATOMS,
                )
            )
        super()._add(atom)

    def _add_text_of(self, child: Node | Text, containers: tuple[Container, ...], *, keeps_space: bool) -> None:
        if not isinstance(child, Text):
            return
        text = re.sub(r"[\r\n]", " ", child.value) if keeps_space else _SPACE.sub(" ", child.value)
        text = text.lstrip() if child.start < self.start or not self._atoms else text
        text = text.rstrip() if child.end >= self.end else text
        if text:
            self._add(Atom(self._length, text.replace(OBJECT, " "), containers))

    def _add_hidden(self, raw: str, containers: tuple[Container, ...]) -> None:
        """Adds comments and processing instructions, which stay."""
        if raw.strip():
            self._add(Atom(self._length, "", containers, raw=raw, is_last=True))

    @property
    def _end(self) -> str:
        return ""

    def _run(self, its_format: str) -> str:
        return ""

    def _content(self, text: str) -> str:
        return escape(text)


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
    rules: _Rules = field(repr=False)
    languages: tuple[str, str]
    encoding: str
    mark: bytes
    notes: tuple[str, ...] = ()
    is_paired: bool = False

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
        """The document with these changes; elements inside of paragraphs, such as footnotes, come first."""
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
            starts = [moved(start, edits) for start in starts]
        root = tree(xml)
        if language and "xml:lang" in root.attributes:
            tag = with_attribute(xml[root.start : root.inner_start], "xml:lang", language)
            xml = splice(xml, [(root.start, root.inner_start, tag)])
        return {part.name: encode_xml(xml, part.decoded)}


def read(data: bytes, name: str) -> ParsedFile:
    """Parses an XML document. Raises DocumentError, with a remedy, if it cannot be opened."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name == "resources":
        return android.read(data, name)
    vocabulary = _vocabulary(root)
    rules, unknown = _rules(root, vocabulary)
    document = _read_tree(name, root, rules)
    found = [each.read(decoded.text, document) for each in _found(document)]
    paragraphs = [paragraph for paragraph in found if paragraph.stretches]
    check_size(len(paragraphs), name)
    parts = [OfficePart(name, (), decoded, paragraphs, starts_of(paragraphs, 0))] if paragraphs else []
    notes = []
    if vocabulary is None:
        notes.append(
            Message(
                "Read as XML without known rules: an element with text is a paragraph, and elements inside of it are "
                "tags. Rules of ITS in the file can say otherwise."
            )
        )
    if unknown:
        notes.append(Message("Rules of ITS that are not used: {list}.", list=", ".join(unknown)))
    return XmlFile(
        parts, rules, (root.attributes.get("xml:lang", ""), ""), decoded.encoding, decoded.mark, tuple(notes)
    )


def _vocabulary(root: Node) -> _Vocabulary | None:
    space = root.attributes.get("xmlns", "")
    if "docbook" in space:
        return _DOCBOOK
    if root.local in _DITA.roots and (root.local not in _DOCBOOK.roots or "class" in root.attributes):
        return _DITA
    return _DOCBOOK if root.local in _DOCBOOK.roots and not space else None


def _rules(root: Node, vocabulary: _Vocabulary | None) -> tuple[_Rules, list[str]]:
    """The rules for a document, and the selectors of ITS rules that are not understood."""
    prefix = next((key for key, value in root.attributes.items() if key.startswith("xmlns:") and value == _ITS), "")
    prefix = f"{prefix.partition(':')[2]}:" if prefix else "its:"
    within = dict.fromkeys(vocabulary.inline, "yes") if vocabulary else _inline_names(root)
    within |= dict.fromkeys(vocabulary.nested if vocabulary else (), "nested")
    translated = dict.fromkeys(vocabulary.skipped if vocabulary else (), False)
    attributes = {("*", name) for name in vocabulary.attributes} if vocabulary else set()
    unknown = []
    for node in root.walk():
        if node.name == f"{prefix}rules":
            translated["rules"] = False
        if node.name not in (f"{prefix}translateRule", f"{prefix}withinTextRule"):
            continue
        for selector in node.attributes.get("selector", "").split("|"):
            match = _SELECTOR.fullmatch(selector.strip())
            if match is None or (match[1] == "*" and match[2] is None):
                unknown.append(selector.strip()[:60])
            elif node.local == "withinTextRule":
                within[match[1]] = node.attributes.get("withinText", "no")
            elif match[2] is None:
                translated[match[1]] = node.attributes.get("translate") == "yes"
            elif node.attributes.get("translate") == "yes":
                attributes.add((match[1], match[2]))
    return _Rules(within, translated, frozenset(attributes), prefix), unknown


def _inline_names(root: Node) -> dict[str, str]:
    """The names of elements of which most stand beside text, and none has only elements in it."""
    beside: Counter[str] = Counter()
    every: Counter[str] = Counter()
    structure = {root.local}
    for parent in (root, *root.walk()):
        children = parent.nodes()
        has_text = _has_own_text(parent)
        every.update(child.local for child in children)
        if has_text:
            beside.update(child.local for child in children)
        elif len(children) > 1:
            structure.add(parent.local)
    return {name: "yes" for name, count in beside.items() if 2 * count > every[name] and name not in structure}


def _has_own_text(node: Node) -> bool:
    return any(isinstance(child, Text) and _LETTER.search(child.value) for child in node.children)


def _found(document: _Tree) -> Iterator[_Found]:
    """The elements with text or attributes of text, in order, each before those inside of it."""
    stack: list[tuple[Node, int, bool, bool]] = [(document.root, 0, True, False)]
    rules = document.rules
    while stack:
        node, depth, is_on, is_in_text = stack.pop()
        said = rules.is_translated(node)
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
