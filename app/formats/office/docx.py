"""Word documents (.docx): text in the body, headers, footers and notes; only paragraphs with a translation change.

Comments, charts, diagrams (SmartArt), document properties, texts that no paragraph shows, and placeholders of content
controls are offered if a person chooses them.

The alternative text of a picture comes after the start of its paragraph. A drop cap, which Word stores as a paragraph
of its own, and the paragraph after it are one text.

A document without translations is written byte for byte. In a translated one, all parts without translated text keep
their content, except for the language in the styles. `app.formats.office.docx_text` reads and writes paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from unicodedata import category

from langcodes import Language

from app.formats.base import Comment, Edit, RawTags, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.blocks import PARAGRAPH, Block
from app.formats.office.docx_comments import comments_of_file, comments_on, paragraph_around, with_comments
from app.formats.office.docx_drawings import AltText
from app.formats.office.docx_extras import EXTRAS, extra_parts, extras_in, rewritten_extra
from app.formats.office.docx_fields import FieldText
from app.formats.office.docx_hidden import HiddenTexts, hidden_texts
from app.formats.office.docx_text import WordParagraph, referenced_bookmarks
from app.formats.office.docx_text_boxes import Paragraphs, copies, paragraphs_of
from app.formats.office.office_blocks import Tables, name_of_styles, placed, word_block, word_headings
from app.formats.office.office_file import OfficePart, changed_at_once, check_runs, check_size, find_paragraph, unit_of
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.office.turning import word_turned
from app.formats.paragraph import OBJECT, Paragraph
from app.formats.parsed_file import ParsedFile
from app.formats.xml_text import Node, decode_xml, encode_xml, tree
from app.i18n import Message, joined
from app.text.encoding import DecodedText

_WORD = OfficeKind("Word", ".docx", ".doc", Message("a Word document"))
_DEFAULTS = re.compile(rb"<(\w+):docDefaults\b.*?</\1:docDefaults>", re.DOTALL)
_LANGUAGE = re.compile(rb"""(<\w+:lang\b[^>]*?\s\w+:val=["'])([\w-]+)(["'])""")
_KIND = re.compile(r"wordprocessingml\.(document\.(?:main|glossary)|header|footer|footnotes|endnotes|comments)\+xml$")
_MAX_DROP_CAP = 3  # characters: a letter with a quotation mark
_INITIAL = re.compile(r"((?:\{/?\d+\})*)((?:[\"'“„‚«»‹›(¿¡]*\w|.)?)(.*)", re.DOTALL)
_LABELS = {
    "header": Message("header"),
    "footer": Message("footer"),
    "footnotes": Message("footnotes"),
    "endnotes": Message("endnotes"),
    "comments": Message("comments"),
    "document.glossary": Message("placeholder texts of content controls"),
}
_ORDER = ("document.main", "header", "footer", "footnotes", "endnotes", "comments", "document.glossary")
_CHOSEN = {"comments": "comments", "document.glossary": "placeholders"}  # parts that are read if a person chooses them


@dataclass(frozen=True)
class _Part:
    """One XML file of the archive; `starts` are the offsets of its paragraphs in the text of the document.

    `caps` are the indices of the drop caps; each is one text with the paragraph after it. `referenced` are the
    bookmarks whose text is shown elsewhere. `with_hidden`: texts that no paragraph shows are offered, too;
    `num_hidden` is their number. `notes` are the comments of Word on the paragraphs, by their index.
    """

    name: str
    decoded: DecodedText
    prefix: str
    paragraphs: Sequence[Paragraph | AltText | FieldText] = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    caps: Set[int] = field(repr=False)
    referenced: Set[str] = field(repr=False)
    with_hidden: bool = False
    num_hidden: int = 0
    notes: Mapping[int, str] = field(default_factory=dict, repr=False)

    @property
    def end(self) -> int:
        """The offset behind the part."""
        return self.starts[-1] + len(self.paragraphs[-1].text) + 1

    def parsed(self, xml: str) -> tuple[Paragraphs, HiddenTexts]:
        """The elements with text of this part, whose XML may have changed."""
        return _parsed(tree(xml), xml, self.prefix, with_hidden=self.with_hidden)


@dataclass(frozen=True)
class DocxFile(ParsedFile):
    """A Word document; a place is a span of the text of all its paragraphs in order."""

    package: OfficePackage = field(repr=False)
    parts: Sequence[_Part | OfficePart] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    notes: tuple[str, ...] = ()

    def source(self, start: int, end: int) -> str:
        """The text at a place, with placeholders. Raises LookupError if there is none."""
        part, index = self._find(start)
        cap = part.paragraphs[index].text if index in _caps(part) else ""
        index, start = (index + 1, start + len(cap)) if cap else (index, start)
        first = start - part.starts[index]
        return cap + part.paragraphs[index].shown(first, first + end - start).text

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place. Raises LookupError if there is none."""
        part, index = self._find(start)
        cap = part.paragraphs[index].text if index in _caps(part) else ""
        index, start = (index + 1, start + len(cap)) if cap else (index, start)
        first = start - part.starts[index]
        return part.paragraphs[index].shown(first, first + end - start).tags

    def describe(self, start: int) -> str:
        """The paragraph number, from 1, and the part if it is not the body."""
        part, index = self._find(start)
        if part is self.parts[0]:
            return Message("paragraph {number}", number=index + 1)
        return Message("paragraph {number} of {part}", number=index + 1, part=part.name)

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The document with these spans replaced."""
        return self.write_with_comments(translations, (), language)

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """Like `write`, with comments at the paragraphs of the body; Word has none in headers, footers and notes."""
        changes: dict[str, dict[int, list[tuple[int, int, str]]]] = {}
        for t in translations:
            part, index = self._find(t.start)
            of_part = changes.setdefault(part.name, {})
            start, text = t.start, one_line(t.text)
            if index in _caps(part):
                initial, text = split_initial(text)
                num_letters = len(part.paragraphs[index].text)
                of_part[index] = [(0, num_letters, initial)]
                index, start = index + 1, start + num_letters
            first = start - part.starts[index]
            of_part.setdefault(index, []).append((first, first + t.end - start, text))
        new: dict[str, bytes] = {}
        for part in self.parts:
            if part.name in changes and isinstance(part, _Part):
                new[part.name] = _rewritten(part, changes[part.name])
            elif part.name in changes and isinstance(part, OfficePart):
                new |= rewritten_extra(self.package, part, changes[part.name], language)
        if language:
            new = word_turned(self._in_language(new, language), language)
        num_left_out = self._add_comments(comments, new) if comments else 0
        note = Message("Comments on headers, footers and notes were left out: {count:,}.", count=num_left_out)
        return WrittenFile(self.package.rewritten(new), note if num_left_out else None)

    @cached_property
    def extras(self) -> Sequence[str]:
        """The kinds of texts of `EXTRAS` that the document has, chosen or not."""
        names = _names_of_parts(self.package, ())
        texts = (self.package.xml(name).text for name in names)
        return tuple(_extras(self.package, names, sum(len(hidden_texts(tree(xml), xml)) for xml in texts)))

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of the body, and then of headers, footers and notes."""
        headings = word_headings(self.package)
        types = self.package.content_types()
        found: list[Block] = []
        for part in self.parts:
            if isinstance(part, OfficePart):
                found.append(Block("part", label=part.label))
                found += placed([PARAGRAPH] * len(part.starts), part.starts, part.end)
                continue
            kind = _KIND.search(types[part.name])
            if kind and kind[1] in _LABELS:
                found.append(Block("part", label=_LABELS[kind[1]]))
            paragraphs, _ = part.parsed(part.decoded.text)
            tables = Tables()
            starts = list(part.starts)
            for index in part.caps:  # one block with the paragraph behind
                starts[index + 1] = starts[index]
            blocks = [word_block(paragraphs.nodes[index], tables, headings) for index in paragraphs.originals]
            found += placed(blocks, starts, part.end)
        return found

    def _add_comments(self, comments: Sequence[Comment], new: dict[str, bytes]) -> int:
        """Adds comments to the parts that have changed; returns the number of those outside of the body."""
        main = _names_of_parts(self.package, ())[0]
        found = [(*self._find(one.start), one) for one in comments]
        body = next((part for part in self.parts if part.name == main), None)
        about: list[tuple[Node, Comment]] = []
        if isinstance(body, _Part):
            paragraphs, _ = body.parsed(decode_xml(new[main], main).text if main in new else body.decoded.text)
            nodes = [paragraphs.nodes[index] for index in paragraphs.originals]
            around = [(paragraph_around(nodes[index]), one) for part, index, one in found if part is body]
            about = [(paragraph, one) for paragraph, one in around if paragraph]
        if about:
            new |= with_comments(self.package, main, about, new)
        return len(comments) - len(about)

    def _in_language(self, new: Mapping[str, bytes], language: str) -> dict[str, bytes]:
        """The new parts and the styles, with the target language wherever they state the document's language."""
        styles = name_of_styles(self.package)
        parts = {styles: self.package.read(styles), **new} if styles else dict(new)
        defaults = _DEFAULTS.search(parts[styles]) if styles else None
        stated = _LANGUAGE.search(defaults.group()) if defaults else None
        if stated is None:
            return dict(new)
        of_document = stated[2].partition(b"-")[0].lower()
        territory = Language.get(language).maximize().territory
        value = f"{language}-{territory}" if territory and "-" not in language else language

        def replaced(tag: re.Match[bytes]) -> bytes:
            is_same = tag[2].partition(b"-")[0].lower() == of_document
            return tag[1] + value.encode("ascii") + tag[3] if is_same else tag.group()

        return {name: _LANGUAGE.sub(replaced, part) for name, part in parts.items()}

    def _find(self, start: int) -> tuple[_Part | OfficePart, int]:
        return find_paragraph(self.parts, start)


def parse(data: bytes, name: str, extras: Sequence[str] = ()) -> DocxFile:
    """Parses a Word document; `extras` are the kinds of further texts to offer, out of `EXTRAS`.

    Raises DocumentError, with a remedy, if it cannot be opened.
    """
    package = OfficePackage(data, name, _WORD)
    parts: list[_Part | OfficePart] = []
    units: list[Unit] = []
    offset = 0
    names = _names_of_parts(package, extras)
    for part_name in names:
        place = f"{name} ({part_name})"
        comments = comments_of_file(package, part_name) if part_name == names[0] else {}
        part = _part(part_name, package.read(part_name), place, offset, comments, with_hidden="hidden" in extras)
        if part.paragraphs:
            parts.append(part)
            units += _units(part)
            offset = part.end
    for extra in extra_parts(package, names[0], extras, offset):
        parts.append(extra)
        units += _units(extra)
    num_hidden = sum(part.num_hidden for part in parts if isinstance(part, _Part))
    left_out = [kind for kind in _extras(package, names, num_hidden) if kind not in extras]
    return DocxFile(package, parts, units, _notes(left_out, num_hidden))


def _extras(package: OfficePackage, names: Sequence[str], num_hidden: int) -> list[str]:
    """The kinds of texts of `EXTRAS` that a document with these parts has."""
    found = {*extras_in(package, names[0]), *(["hidden"] if num_hidden else [])}
    return [kind for kind in EXTRAS if kind in found]


def _notes(left_out: Sequence[str], num_hidden: int) -> tuple[str, ...]:
    """Notes about visible texts that are not offered, and how to include them."""
    seen = [kind for kind in left_out if kind != "properties"]
    if not seen:
        return ()
    texts = Message("{texts} ({count:,})", texts=EXTRAS["hidden"], count=num_hidden)
    return (
        Message(
            "Not offered: {list}. To translate them too, choose them in “Import settings”, or use --also {names}.",
            list=joined("; ", [texts if kind == "hidden" else EXTRAS[kind] for kind in seen]),
            names=",".join(seen),
        ),
    )


def _names_of_parts(package: OfficePackage, extras: Sequence[str]) -> list[str]:
    """The names of the parts with paragraphs of Word, the body first; some only if `extras` has their kind."""
    found = []
    for part, content_type in package.content_types().items():
        kind = _KIND.search(content_type)
        if kind and (kind[1] not in _CHOSEN or _CHOSEN[kind[1]] in extras):
            found.append((_ORDER.index(kind[1]), part))
    if not any(order == 0 for order, _ in found):
        raise package.other_kind()
    return [part for _, part in sorted(found)]


def _parsed(root: Node, xml: str, prefix: str, *, with_hidden: bool) -> tuple[Paragraphs, HiddenTexts]:
    hidden = HiddenTexts.of(root, xml) if with_hidden else HiddenTexts()
    return paragraphs_of(root, f"{prefix}p", hidden.starts), hidden


def _part(
    part_name: str, content: bytes, name: str, offset: int, comments: Mapping[str, str], *, with_hidden: bool
) -> _Part:
    decoded = decode_xml(content, name)
    num_paragraphs = check_runs(decoded.text, name)
    if "AlternateContent" not in decoded.text:  # it has copies of paragraphs, which do not count
        check_size(num_paragraphs, name)
    root = tree(decoded.text)
    prefix = root.name[: len(root.name) - len(root.local)]
    found, hidden = _parsed(root, decoded.text, prefix, with_hidden=with_hidden)
    nodes = [found.nodes[index] for index in found.originals]
    check_size(len(nodes), name)
    has_fields = "instrText" in decoded.text or "fldSimple" in decoded.text
    referenced = referenced_bookmarks(root) if has_fields else frozenset()
    paragraphs = [_paragraph(node, decoded.text, prefix, referenced, hidden) for node in nodes]
    caps = {
        index
        for index, (node, following) in enumerate(pairwise(nodes))
        if _is_drop_cap(node, paragraphs[index].text)
        and paragraphs[index + 1].stretches[:1]
        and paragraphs[index + 1].stretches[0][0] == 0
        and not decoded.text[node.end : following.start].strip()
    }
    starts = []
    for index, paragraph in enumerate(paragraphs):
        starts.append(offset)
        offset += len(paragraph.text) + (index not in caps)
    return _Part(
        part_name,
        decoded,
        prefix,
        paragraphs,
        starts,
        caps,
        referenced,
        with_hidden,
        len(hidden_texts(root, decoded.text)),
        comments_on(nodes, comments) if comments else {},
    )


def _paragraph(
    node: Node, xml: str, prefix: str, referenced: Set[str], hidden: HiddenTexts
) -> Paragraph | AltText | FieldText:
    if node.start in hidden.starts:
        return hidden.paragraph(node, xml)
    return WordParagraph(node, xml, prefix, referenced) if node.name == f"{prefix}p" else AltText(node, xml)


def _depth(node: Node, prefix: str) -> int:
    return sum(around.name == f"{prefix}p" for around in _around(node))


def _around(node: Node) -> list[Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _caps(part: _Part | OfficePart) -> Set[int]:
    """The indices of the drop caps of a part."""
    return part.caps if isinstance(part, _Part) else frozenset()


def _units(part: _Part | OfficePart) -> list[Unit]:
    units = []
    caps = _caps(part)
    notes = part.notes if isinstance(part, _Part) else {}
    for index, (offset, paragraph) in enumerate(zip(part.starts, part.paragraphs, strict=True)):
        for start, end in [] if index in caps else paragraph.stretches:
            unit = replace(unit_of(paragraph, start, end, offset), note=notes.get(index, ""))
            if start == 0 and index - 1 in caps:
                cap = part.paragraphs[index - 1].text
                whole, breaks = (
                    tuple((first + len(cap), last + len(cap)) for first, last in spans)
                    for spans in (unit.whole, unit.breaks)
                )
                start = unit.start - len(cap)
                unit = replace(unit, start=start, source=cap + unit.source, whole=whole, breaks=breaks)
            units.append(unit)
    return units


def _rewritten(part: _Part, changes: dict[int, list[tuple[int, int, str]]]) -> bytes:
    """The part with these spans replaced, by paragraph index, in the paragraphs and their copies."""
    text, name = part.decoded.text, f"{part.prefix}p"
    if "AlternateContent" not in text and (new := changed_at_once(text, part.paragraphs, changes)) is not None:
        return encode_xml(new, part.decoded)
    paragraphs, hidden = part.parsed(text)
    originals, copies_of = paragraphs.originals, copies(paragraphs, name)
    todo: dict[int, list[tuple[int, int, str]]] = {}  # by the index in all paragraphs
    for number, stretches in changes.items():
        todo[originals[number]] = stretches
        original = part.paragraphs[number]
        for index in copies_of.get(originals[number], ()):
            twin = _paragraph(paragraphs.nodes[index], text, part.prefix, part.referenced, hidden)
            if all(twin.shown(s, e).text == original.shown(s, e).text for s, e, _ in stretches):
                todo[index] = stretches
    depths = {index: _depth(paragraphs.nodes[index], part.prefix) for index in todo}
    # Text boxes are inside paragraphs: innermost first, then parse again because the offsets have moved.
    nodes = paragraphs.nodes
    for depth in sorted(set(depths.values()), reverse=True):
        if text is not part.decoded.text:
            paragraphs, hidden = part.parsed(text)
            nodes = paragraphs.nodes
        edits: list[Edit] = []
        for index, stretches in todo.items():
            if depths[index] == depth:
                paragraph = _paragraph(nodes[index], text, part.prefix, part.referenced, hidden)
                edits.append((paragraph.start, paragraph.end, paragraph.xml(stretches)))
        text = splice(text, edits)
    return encode_xml(text, part.decoded)


def _is_drop_cap(node: Node, text: str) -> bool:
    """True if a paragraph with that text is the drop cap of the next paragraph."""
    properties = node.first("pPr")
    frame = properties.first("framePr") if properties else None
    if frame is None or not 0 < len(text) <= _MAX_DROP_CAP or OBJECT in text:
        return False
    is_drop = any(name.rpartition(":")[2] == "dropCap" and value != "none" for name, value in frame.attributes.items())
    return is_drop and category(text[-1])[0] in "LM" and not text[0].isspace()


def split_initial(text: str) -> tuple[str, str]:
    """Splits a translation into its first letter, with punctuation before it and combining accents, and the rest.

    >>> split_initial("{1}„Es{/1} war")
    ('„E', '{1}s{/1} war')
    """
    found = _INITIAL.match(text)
    assert found is not None
    marks, initial, rest = found.groups()
    num_accents = next((at for at, sign in enumerate(rest) if category(sign)[0] != "M"), len(rest))
    return initial + rest[:num_accents], marks + rest[num_accents:]
