"""A paragraph of an XML format as text with placeholders, and its translation as XML: common code of several formats.

A format reads a paragraph into atoms: pieces of text with their format, objects, and anchors. The text in its main
format needs no placeholders. Text in another format and elements around text become pairs of numbered placeholders, an
object becomes one placeholder. Anchors are not shown; in a translated sentence they move to its ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from app.formats.inline import Piece, Shown, show
from app.formats.xml_text import escape

OBJECT = "\ufffc"  # represents an object in the text
_MIN_SHARE = 0.2  # of the surrounding text, for a format to count as common
# An element that is closed and opened again. The marks contain U+FFFE, which is not allowed in XML.
_SEAM = re.compile("\ufffe/([0-9]+)\ufffe[^\ufffe]*\ufffe\ufffe\\1\ufffe[^\ufffe]*\ufffe")
_MARK = re.compile("\ufffe(?:/?[0-9]+\ufffe)?")


@dataclass(slots=True, eq=False)
class Container:
    """A link or another element around runs: its raw start and end, with marks for `_SEAM`."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Atom:
    """Text in one format, an object (`text` is OBJECT) or an anchor (no text). Objects and anchors have `raw` XML.

    `parts`: the texts before and after it are translated separately. `is_break`: it is a line break or tab. `is_last`:
    the anchor moves to the end of a translated text, not to its start.
    """

    start: int
    text: str
    containers: tuple[Container, ...]
    format: str = ""
    raw: str = ""
    parts: bool = False
    is_last: bool = False
    is_break: bool = False

    @property
    def end(self) -> int:
        """Its end in the paragraph's text."""
        return self.start + len(self.text)


class Paragraph:
    """The text and XML of a paragraph; a format reads it, and defines how a run of text begins and ends.

    The result of `xml` replaces the part's XML from `start` to `end`. No segment ends inside of the spans `unsplit`.
    """

    start: int
    end: int
    text: str
    _base: str  # the main format

    def __init__(self, xml: str) -> None:
        """A paragraph of which nothing is read yet."""
        self._xml = xml
        self._atoms: list[Atom] = []
        self._length = 0
        self._num_containers = 0
        self.unsplit: list[tuple[int, int]] = []

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """The spans to translate, which may have line breaks inside, without objects at their ends."""
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

    @property
    def breaks(self) -> list[tuple[int, int]]:
        """The spans of line breaks and tabs."""
        return [(atom.start, atom.end) for atom in self._atoms if atom.is_break]

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end with placeholders."""
        inside = [atom for atom in self._clipped(start, end) if atom.text]
        return show(list(self._pieces(inside, 0, self._base)))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The content with these spans (ascending) replaced; other text keeps its format."""
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
        return self._assembled("".join(parts))

    # ---- reading ----

    def _container(self, start: str, end: str) -> Container:
        number = self._num_containers = self._num_containers + 1
        return Container(f"\ufffe{number}\ufffe{start}\ufffe", f"\ufffe/{number}\ufffe{end}\ufffe")

    def _add(self, atom: Atom) -> None:
        self._atoms.append(atom)
        self._length = atom.end

    # ---- writing: what formats differ in ----

    @property
    def _end(self) -> str:
        """The XML behind a run of text."""
        return ""

    def _run(self, its_format: str) -> str:
        """The XML before a run of text in this format."""
        return ""

    def _content(self, text: str) -> str:
        """Text inside of a run, as XML."""
        return escape(text)

    def _assembled(self, xml: str) -> str:
        """The content without the marks of containers."""
        return without_marks(without_seams(xml))

    # ---- writing: the same in all formats ----

    def _outside(self, raw: str, following: str) -> str:
        """Raw XML between two runs; the next run has the format `following`."""
        return f"{self._end}{raw}{self._run(following)}"

    def _clipped(self, start: int, end: int) -> list[Atom]:
        """The atoms between two offsets: parts of texts, objects, and anchors, including those at the ends."""
        clipped = []
        first_atom = bisect_left(self._atoms, start, key=lambda atom: atom.end)
        last_atom = bisect_right(self._atoms, end, key=lambda atom: atom.start)
        for atom in self._atoms[first_atom:last_atom]:
            if not atom.text:
                clipped.append(atom)
            elif atom.end > start and atom.start < end:
                first, last = max(atom.start, start), min(atom.end, end)
                text = atom.text[first - atom.start : last - atom.start]
                clipped.append(replace(atom, start=first, text=text))
        return clipped

    def _same(self, start: int, end: int) -> str:
        """The unchanged content from start to end."""
        inside = self._clipped(start, end)
        # Otherwise, an anchor at the edge of a link would create an empty link.
        freed = [
            atom
            if atom.text or (0 < n < len(inside) - 1 and _is_amid(inside, n))
            else Atom(atom.start, "", (), raw=atom.raw)
            for n, atom in enumerate(inside)
        ]
        shown = show(list(self._pieces(freed, 0, self._base, is_exact=True)), hides=False)
        return shown.raw(shown.text, self._content)

    def _pieces(self, atoms: Sequence[Atom], depth: int, base: str, *, is_exact: bool = False) -> Iterator[Piece]:
        """The atoms as pieces; the format `base` and, unless `is_exact`, spaces get no placeholders."""
        for container, group in groupby(atoms, lambda a: a.containers[depth] if len(a.containers) > depth else None):
            members = list(group)
            if container is not None:
                inner = main_format(members)
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


def without_seams(xml: str) -> str:
    """Joins elements that a span covers only partly, such as a link with a tab in it: they were closed and reopened."""
    num_seams = 1
    while num_seams:
        xml, num_seams = _SEAM.subn("", xml)
    return xml


def without_marks(xml: str) -> str:
    """Removes the marks of containers."""
    return _MARK.sub("", xml)


def main_format(atoms: Sequence[Atom]) -> str:
    """The simplest of the common formats of the text; it needs no placeholders."""
    sizes: Counter[str] = Counter()
    for atom in atoms:
        if not atom.raw:
            sizes[atom.format] += len(atom.text.strip())
    min_size = sizes.total() * _MIN_SHARE
    common = [its_format for its_format, size in sizes.items() if size >= min_size]
    return min(common, key=lambda its_format: (its_format.count("<"), -sizes[its_format]), default="")


def _is_amid(atoms: Sequence[Atom], number: int) -> bool:
    """True if the previous and next atoms are in the same containers as this one."""
    return atoms[number - 1].containers == atoms[number].containers == atoms[number + 1].containers
