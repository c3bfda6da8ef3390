"""A paragraph of WordprocessingML as text with formats, links and objects, and as XML again.

A run whose format is not the plain one of the text around it, and a link, stand in pairs of numbered placeholders; an
object (a picture, a footnote's mark, a field) is one placeholder. So does a bookmark whose text a cross-reference
shows. Other bookmarks, comments' marks and what tracked changes have deleted or moved away are not shown: they stand at
the ends of a translated sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from app.formats.inline import Piece, Shown, show
from app.formats.xml_text import Node, Text, escape

OBJECT = "\ufffc"  # stands in the text for an object
# Objects that part what stands before and behind them.
_PARTING = {"tab", "br", "cr", "ptab"}
_CHARACTERS = {"noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_CONTAINERS = {"hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo"}
_CONTAINER_PROPERTIES = {"smartTagPr", "customXmlPr"}
_FIRST_ANCHORS = {"bookmarkStart", "commentRangeStart", "permStart", "moveToRangeStart"}
# The bounds of what was moved away stay with it.
_LAST_ANCHORS = {
    "bookmarkEnd", "commentRangeEnd", "permEnd", "moveToRangeEnd", "del", "moveFrom", "moveFromRangeStart",
    "moveFromRangeEnd",
}  # fmt: skip
_REFERENCE = re.compile(r"(?<![A-Z])REF\s+([\w.-]+)")  # a field's codes; PAGEREF shows no text
_MUCH = 0.2  # of the text around
_MAX_BOOKMARKED = 100  # nodes, of a bookmark with its words
_LEFT_OUT = {"proofErr", "lastRenderedPageBreak", "rPr"}
# What of a format nobody sees: two runs that differ in it alone are one.
_UNSEEN = re.compile(r"<\w+:(?:lang|noProof|webHidden)\b[^>]*/>")
# Of an element that is closed and opened again. The marks are of U+FFFE, which may not stand in XML.
_SEAM = re.compile("\ufffe/([0-9]+)\ufffe[^\ufffe]*\ufffe\ufffe\\1\ufffe[^\ufffe]*\ufffe")
_MARK = re.compile("\ufffe(?:/?[0-9]+\ufffe)?")


@dataclass(slots=True, eq=False)
class _Container:
    """A link or another element around runs: its raw start and end, with marks until it is closed for good."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class _Atom:
    """Text in one format; or an object, `text` being OBJECT; or an anchor, without text. The latter have `raw`."""

    start: int
    text: str
    containers: tuple[_Container, ...]
    format: str = ""
    raw: str = ""
    parts: bool = False
    is_last: bool = False

    @property
    def end(self) -> int:
        """Where it ends in the paragraph's text."""
        return self.start + len(self.text)


class Paragraph:
    """A paragraph's text and its XML. `prefix` is that of the elements' names, "w:".

    `referenced` are the names of the bookmarks whose text is shown elsewhere.

    `start` and `end` are the places in the part's XML that `xml` is to replace.
    """

    def __init__(self, node: Node, xml: str, prefix: str, referenced: Set[str] = frozenset()) -> None:
        self._xml = xml
        self._referenced = referenced
        self._prefix = prefix
        self._atoms: list[_Atom] = []
        self._length = 0
        self._num_containers = 0
        self._hyphens: dict[str, str] = {}  # those that the paragraph has as elements, not as characters
        self.unsplit: list[tuple[int, int]] = []
        body = [child for child in node.nodes() if child.name != f"{prefix}pPr"]
        self.start, self.end = (body[0].start, body[-1].end) if body else (node.inner_end, node.inner_end)
        self._read_all(body, ())
        self.text = "".join(atom.text for atom in self._atoms)
        self._base = _main_format(self._atoms)

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """Start and end of each stretch to translate: between tabs and line breaks, objects at its ends left out."""
        ends = [0]
        for atom in self._atoms:
            if atom.parts:
                ends += [atom.start, atom.end]
        ends.append(len(self.text))
        found = []
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            part = self.text[start:end]
            inner = part.strip(f"{OBJECT} \t\u00a0")
            if any(c.isalpha() for c in inner):
                first = start + part.index(inner)
                found.append((first, first + len(inner)))
        return found

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end with its placeholders."""
        inside = [atom for atom in self._clipped(start, end) if atom.text]
        return show(list(self._pieces(inside, 0, self._base)))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these stretches replaced, ascending; elsewhere text and formats are the same."""
        parts = [self._run(self._base)]
        position = 0
        for start, end, translation in translations:
            moved = [atom for atom in self._clipped(start, end) if not atom.text and start < atom.start < end]
            parts.append(self._same(position, start))
            parts += [self._outside(atom.raw, self._base) for atom in moved if not atom.is_last]
            parts.append(self.shown(start, end).raw(translation, self._content))
            parts += [self._outside(atom.raw, self._base) for atom in moved if atom.is_last]
            position = end
        parts += [self._same(position, len(self.text)), self._end]
        formats = "|".join(re.escape(its_format) for its_format in {atom.format for atom in self._atoms} | {""})
        p = self._prefix
        empty = rf'<{p}r>(?:{formats})<{p}t xml:space="preserve"></{p}t></{p}r>'
        xml = re.sub(empty, "", "".join(parts))
        # What a stretch covers in part, such as a link with a tab in it, was closed and opened again beside it.
        num_seams = 1
        while num_seams:
            xml, num_seams = _SEAM.subn("", xml)
        return _MARK.sub("", xml)

    # ---- reading ----

    def _read_all(self, nodes: Sequence[Node], containers: tuple[_Container, ...]) -> None:
        rest = list(nodes)
        while rest:
            if length := self._field_length(rest):
                self._read_field(rest[:length], containers)
                rest = rest[length:]
            elif length := self._bookmark_length(rest):
                self._read_bookmark(rest[:length], containers)
                rest = rest[length:]
            else:
                self._read(rest.pop(0), containers)

    def _read(self, node: Node, containers: tuple[_Container, ...]) -> None:
        raw = self._xml[node.start : node.end]
        local = node.local if node.name.startswith(self._prefix) else ""
        if local == "r":
            self._read_run(node, containers)
        elif local in _FIRST_ANCHORS or local in _LAST_ANCHORS:
            self._add(_Atom(self._length, "", containers, raw=raw, is_last=local in _LAST_ANCHORS))
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
        elif local not in _LEFT_OUT:
            self._add(_Atom(self._length, OBJECT, containers, raw=raw))

    def _read_container(self, node: Node, containers: tuple[_Container, ...]) -> None:
        """A container without text, such as an insertion that was deleted again, is an anchor as a whole."""
        inner = [child for child in node.nodes() if child.local not in _CONTAINER_PROPERTIES]
        start, num_atoms = self._length, len(self._atoms)
        if inner:
            before = self._xml[node.start : inner[0].start]
            container = self._container(before, self._xml[inner[-1].end : node.end])
            self._read_all(inner, (*containers, container))
        if self._length == start:
            del self._atoms[num_atoms:]
            raw = self._xml[node.start : node.end]
            self._add(_Atom(start, "", containers, raw=raw, is_last=True))

    def _container(self, start: str, end: str) -> _Container:
        number = self._num_containers = self._num_containers + 1
        return _Container(f"\ufffe{number}\ufffe{start}\ufffe", f"\ufffe/{number}\ufffe{end}\ufffe")

    def _read_run(self, node: Node, containers: tuple[_Container, ...]) -> None:
        properties = node.first("rPr")
        raw_format = self._xml[properties.start : properties.end] if properties else ""
        its_format = _UNSEEN.sub("", raw_format)
        if re.fullmatch(r"<[^>]*/>|<[^>]*>\s*</[^>]*>", its_format):
            its_format = ""
        rest = node.nodes()
        while rest:
            length = max(self._field_length(rest), 1)
            first, last, rest = rest[0], rest[length - 1], rest[length:]
            local = first.local if first.name.startswith(self._prefix) else ""
            if local in ("t", *_CHARACTERS):
                text = _CHARACTERS.get(local) or _text_of(first)
                if local in _CHARACTERS:
                    self._hyphens[text] = local
                if text:
                    self._add(_Atom(self._length, text, containers, its_format))
            elif local not in _LEFT_OUT:
                raw = f"<{self._prefix}r>{raw_format}{self._xml[first.start : last.end]}</{self._prefix}r>"
                text = "" if local == "commentReference" else OBJECT
                self._add(_Atom(self._length, text, containers, raw=raw, parts=local in _PARTING, is_last=not text))

    def _bookmark_length(self, nodes: Sequence[Node]) -> int:
        """How many nodes a bookmark that is shown elsewhere takes; 0 where none begins, or it holds all of the text."""
        first, p = nodes[0], self._prefix
        if first.name != f"{p}bookmarkStart" or first.attributes.get(f"{p}name") not in self._referenced:
            return 0
        for number, node in enumerate(nodes[:_MAX_BOOKMARKED], 1):
            if node.name == f"{p}bookmarkEnd" and node.attributes.get(f"{p}id") == first.attributes.get(f"{p}id"):
                is_all = not self._length and not any(n.content().strip() for n in nodes[number:])
                return 0 if is_all or number == 2 else number
        return 0

    def _read_bookmark(self, nodes: Sequence[Node], containers: tuple[_Container, ...]) -> None:
        start = self._length
        raw = (self._xml[node.start : node.end] for node in (nodes[0], nodes[-1]))
        self._read_all(nodes[1:-1], (*containers, self._container(*raw)))
        self.unsplit.append((start, self._length))

    def _field_length(self, nodes: Sequence[Node]) -> int:
        """How many of the nodes, from the first on, make a whole field; 0 where none begins or it does not end here."""
        depth = 0
        for number, node in enumerate(nodes, 1):
            for kind in self._field_signs(node):
                depth += (kind == "begin") - (kind == "end")
            if depth <= 0:
                return number if number > 1 and depth == 0 else 0
        return 0

    def _field_signs(self, node: Node) -> list[str]:
        """What begins, parts and ends fields in a run, in an insertion of runs, or at a node of a run."""
        marks = [node] if node.local == "fldChar" else node.nodes("fldChar")
        if node.local in ("ins", "moveTo"):
            return [sign for child in node.nodes() for sign in self._field_signs(child)]
        return [mark.attributes.get(f"{self._prefix}fldCharType", "") for mark in marks]

    def _read_field(self, nodes: Sequence[Node], containers: tuple[_Container, ...]) -> None:
        """A field is an object, but for a link, whose text is translated."""
        middle = next((n for n, node in enumerate(nodes) if "separate" in self._field_signs(node)), None)
        codes = "".join(node.content() for node in nodes[:middle])
        num_begins = sum(self._field_signs(node).count("begin") for node in nodes[:middle])
        start = self._length
        if middle is not None and num_begins == 1 and _is_link(codes) and nodes[0].local == nodes[-1].local == "r":
            before, last = self._xml[nodes[0].start : nodes[middle].end], self._xml[nodes[-1].start : nodes[-1].end]
            self._read_all(nodes[middle + 1 : -1], (*containers, self._container(before, last)))
            self.unsplit.append((start, self._length))
        else:
            self._add(_Atom(start, OBJECT, containers, raw=self._xml[nodes[0].start : nodes[-1].end]))

    def _add(self, atom: _Atom) -> None:
        self._atoms.append(atom)
        self._length = atom.end

    # ---- writing ----

    @property
    def _end(self) -> str:
        return f"</{self._prefix}t></{self._prefix}r>"

    def _run(self, its_format: str) -> str:
        return f'<{self._prefix}r>{its_format}<{self._prefix}t xml:space="preserve">'

    def _content(self, text: str) -> str:
        """Text within a run, its hyphens as the paragraph has them."""
        content = escape(text)
        for hyphen, local in self._hyphens.items():
            p = self._prefix
            content = content.replace(hyphen, f'</{p}t><{p}{local}/><{p}t xml:space="preserve">')
        return content

    def _outside(self, raw: str, following: str) -> str:
        """Raw XML between two runs; what follows has that format."""
        return f"{self._end}{raw}{self._run(following)}"

    def _clipped(self, start: int, end: int) -> list[_Atom]:
        """What stands between these places: parts of texts, objects, and the anchors at the ends too."""
        clipped = []
        first_atom = bisect_left(self._atoms, start, key=lambda atom: atom.end)
        last_atom = bisect_right(self._atoms, end, key=lambda atom: atom.start)
        for atom in self._atoms[first_atom:last_atom]:
            if not atom.text:
                clipped.append(atom)
            elif atom.end > start and atom.start < end:
                first, last = max(atom.start, start), min(atom.end, end)
                text = atom.text[first - atom.start : last - atom.start]
                clipped.append(_Atom(first, text, atom.containers, atom.format, atom.raw, atom.parts, atom.is_last))
        return clipped

    def _same(self, start: int, end: int) -> str:
        """The content from start to end as it is."""
        inside = self._clipped(start, end)
        # An anchor at the edge of a link would else make an empty link.
        freed = [
            atom
            if atom.text or (0 < n < len(inside) - 1 and _is_amid(inside, n))
            else _Atom(atom.start, "", (), raw=atom.raw)
            for n, atom in enumerate(inside)
        ]
        shown = show(list(self._pieces(freed, 0, self._base, is_exact=True)), hides=False)
        return shown.raw(shown.text, self._content)

    def _pieces(self, atoms: Sequence[_Atom], depth: int, base: str, *, is_exact: bool = False) -> Iterator[Piece]:
        """`base` is the format around, which needs no placeholders; without `is_exact`, a space never does."""
        for container, group in groupby(atoms, lambda a: a.containers[depth] if len(a.containers) > depth else None):
            members = list(group)
            if container is not None:
                inner = _main_format(members)
                yield Piece("open", f"{self._end}{container.start}{self._run(inner)}")
                yield from self._pieces(members, depth + 1, inner, is_exact=is_exact)
                yield Piece("close", f"{self._end}{container.end}{self._run(base)}")
                continue
            for (raw, its_format), run in groupby(members, lambda a: (a.raw, a.format)):
                if raw:
                    yield from (Piece("lone", self._outside(atom.raw, base)) for atom in run)
                    continue
                text = Piece("text", "".join(atom.text for atom in run))
                if its_format == base or not (is_exact or text.raw.strip()):
                    yield text
                else:
                    yield Piece("open", f"{self._end}{self._run(its_format)}")
                    yield text
                    yield Piece("close", f"{self._end}{self._run(base)}")


def referenced_bookmarks(root: Node) -> Set[str]:
    """The names of the bookmarks whose text is shown elsewhere in a part, by fields REF."""
    codes = []
    for node in root.walk():
        if node.local == "instrText":
            codes.append(node.content())  # a part of a field's codes, which may stand in several
        elif node.local == "fldSimple":
            codes.append(f" {' '.join(node.attributes.values())} ")
    return frozenset(_REFERENCE.findall("".join(codes)))


def _main_format(atoms: Sequence[_Atom]) -> str:
    """The plainest format of those in which much of the text stands: what the others add to is no tag."""
    sizes: Counter[str] = Counter()
    for atom in atoms:
        if not atom.raw:
            sizes[atom.format] += len(atom.text.strip())
    least = sizes.total() * _MUCH
    common = [its_format for its_format, size in sizes.items() if size >= least]
    return min(common, key=lambda its_format: (its_format.count("<"), -sizes[its_format]), default="")


def _is_link(codes: str) -> bool:
    """Whether these are a field's codes that make its text a link."""
    return codes.split()[:1] == ["HYPERLINK"]


def _is_amid(atoms: Sequence[_Atom], number: int) -> bool:
    """Whether the atoms on both sides are in the same links as this one."""
    return atoms[number - 1].containers == atoms[number].containers == atoms[number + 1].containers


def _text_of(node: Node) -> str:
    """The text of a w:t as Word shows it, each character in its place."""
    text = "".join(child.value for child in node.children if isinstance(child, Text))
    text = text if node.attributes.get("xml:space") == "preserve" else text.strip(" \t\n\r")
    return re.sub(r"[\t\n\r]", " ", text).replace(OBJECT, " ")
