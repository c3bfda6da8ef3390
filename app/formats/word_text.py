"""A paragraph of WordprocessingML as text with formats, links and objects, and as XML again.

A run whose format is not that of most of the text around it, and a link, stand in pairs of numbered placeholders; an
object (a picture, a footnote's mark, a field) is one placeholder. Bookmarks and the like are not shown: they stand at
the ends of a translated sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.formats.inline import Piece, Shown, show
from app.formats.xml_text import Node, Text

OBJECT = "\ufffc"  # stands in the text for an object
# Objects that part what stands before and behind them.
_PARTING = {"tab", "br", "cr", "ptab"}
_CHARACTERS = {"noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_CONTAINERS = {"hyperlink", "ins", "moveTo", "smartTag", "fldSimple", "dir", "bdo"}
_FIRST_ANCHORS = {"bookmarkStart", "commentRangeStart", "permStart", "moveFromRangeStart", "moveToRangeStart"}
_LAST_ANCHORS = {"bookmarkEnd", "commentRangeEnd", "permEnd", "moveFromRangeEnd", "moveToRangeEnd"}
_LEFT_OUT = {"proofErr", "lastRenderedPageBreak", "rPr"}
# What of a format nobody sees: two runs that differ in it alone are one.
_UNSEEN = re.compile(r"<\w+:(?:lang|noProof|webHidden)\b[^>]*/>")


@dataclass(slots=True, eq=False)
class _Container:
    """A link or another element around runs: its raw start and end."""

    start: str
    end: str = ""


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

    `start` and `end` are the places in the part's XML that `xml` is to replace.
    """

    def __init__(self, node: Node, xml: str, prefix: str) -> None:
        self._xml = xml
        self._prefix = prefix
        self._atoms: list[_Atom] = []
        self._length = 0
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
            moved = [atom for atom in self._atoms if not atom.text and start < atom.start < end]
            parts.append(self._same(position, start))
            parts += [self._outside(atom.raw, self._base) for atom in moved if not atom.is_last]
            parts.append(self.shown(start, end).raw(translation))
            parts += [self._outside(atom.raw, self._base) for atom in moved if atom.is_last]
            position = end
        parts += [self._same(position, len(self.text)), self._end]
        p = self._prefix
        empty = rf'<{p}r>(?:<{p}rPr>(?:(?!</{p}rPr>).)*</{p}rPr>)?<{p}t xml:space="preserve"></{p}t></{p}r>'
        return re.sub(empty, "", "".join(parts), flags=re.DOTALL)

    # ---- reading ----

    def _read_all(self, nodes: Sequence[Node], containers: tuple[_Container, ...]) -> None:
        rest = list(nodes)
        while rest:
            if length := self._field_length(rest):
                self._read_field(rest[:length], containers)
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
        elif local in _CONTAINERS and node.nodes():
            container = _Container(self._xml[node.start : node.inner_start], self._xml[node.inner_end : node.end])
            self._read_all(node.nodes(), (*containers, container))
        elif local == "sdt" and (content := node.first("sdtContent")) and content.nodes():
            start = self._length
            container = _Container(self._xml[node.start : content.inner_start], self._xml[content.inner_end : node.end])
            self._read_all(content.nodes(), (*containers, container))
            self.unsplit.append((start, self._length))
        elif local not in _LEFT_OUT:
            self._add(_Atom(self._length, OBJECT, containers, raw=raw))

    def _read_run(self, node: Node, containers: tuple[_Container, ...]) -> None:
        properties = node.first("rPr")
        its_format = _UNSEEN.sub("", self._xml[properties.start : properties.end]) if properties else ""
        if re.fullmatch(r"<[^>]*/>|<[^>]*>\s*</[^>]*>", its_format):
            its_format = ""
        for child in node.nodes():
            local = child.local if child.name.startswith(self._prefix) else ""
            if local in ("t", *_CHARACTERS):
                text = _CHARACTERS.get(local) or _text_of(child)
                if text:
                    self._add(_Atom(self._length, text, containers, its_format))
            elif local not in _LEFT_OUT:
                raw = f"<{self._prefix}r>{its_format}{self._xml[child.start : child.end]}</{self._prefix}r>"
                self._add(_Atom(self._length, OBJECT, containers, raw=raw, parts=local in _PARTING))

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
        return [n.attributes.get(f"{self._prefix}fldCharType", "") for n in node.nodes("fldChar")]

    def _read_field(self, nodes: Sequence[Node], containers: tuple[_Container, ...]) -> None:
        """A field is an object, but for a link, whose text is translated."""
        middle = next((n for n, node in enumerate(nodes) if "separate" in self._field_signs(node)), None)
        codes = "".join(node.content() for node in nodes[:middle])
        num_begins = sum(self._field_signs(node).count("begin") for node in nodes)
        start = self._length
        if middle is not None and num_begins == 1 and codes.split()[:1] == ["HYPERLINK"]:
            before, last = self._xml[nodes[0].start : nodes[middle].end], self._xml[nodes[-1].start : nodes[-1].end]
            self._read_all(nodes[middle + 1 : -1], (*containers, _Container(before, last)))
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

    def _outside(self, raw: str, following: str) -> str:
        """Raw XML between two runs; what follows has that format."""
        return f"{self._end}{raw}{self._run(following)}"

    def _clipped(self, start: int, end: int) -> list[_Atom]:
        """What stands between these places: parts of texts, objects, and the anchors at the ends too."""
        clipped = []
        for atom in self._atoms:
            if not atom.text:
                clipped += [atom] * (start <= atom.start <= end)
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
        return shown.raw(shown.text)

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


def _main_format(atoms: Sequence[_Atom]) -> str:
    """The format of most of the text."""
    sizes: Counter[str] = Counter()
    for atom in atoms:
        if not atom.raw:
            sizes[atom.format] += len(atom.text.strip())
    return sizes.most_common(1)[0][0] if sizes else ""


def _is_amid(atoms: Sequence[_Atom], number: int) -> bool:
    """Whether the atoms on both sides are in the same links as this one."""
    return atoms[number - 1].containers == atoms[number].containers == atoms[number + 1].containers


def _text_of(node: Node) -> str:
    """The text of a w:t as Word shows it, each character in its place."""
    text = "".join(child.value for child in node.children if isinstance(child, Text))
    text = text if node.attributes.get("xml:space") == "preserve" else text.strip(" \t\n\r")
    return re.sub(r"[\t\n\r]", " ", text).replace(OBJECT, " ")
