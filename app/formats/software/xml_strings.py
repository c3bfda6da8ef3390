"""An XML file of strings, each the content of an element: common code of .NET resources and .stringsdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.formats.added_forms import AddedForm, Place, by_place
from app.formats.base import Edit, TextFile, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.escapes import from_shown, shown
from app.formats.xml_text import Node, encode_xml, escape
from app.text.encoding import DecodedText


@dataclass(frozen=True)
class XmlStrings(TextFile):
    """The file; a place is the content of an element without the white space at its ends, which stays."""

    decoded: DecodedText
    sources: dict[tuple[int, int], str] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    is_paired: bool = False

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        return self.sources[form.like if form else (start, end)]

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts; unsupported characters become character references."""
        edits: list[Edit] = []
        for new in translations:
            form = self.added.get((new.start, new.end))
            raw = escape(from_shown(one_line(new.text)))
            edits.append(form.edit(raw) if form else (new.start, new.end, raw))
        return WrittenFile(encode_xml(splice(self.decoded.text, edits), self.decoded))


def file_of(
    decoded: DecodedText,
    strings: Iterable[tuple[Node, str]],
    added: Callable[[Node, Unit], Iterable[AddedForm]] = lambda node, unit: (),
) -> XmlStrings:
    """The file with these elements, which contain only text, and their notes. A text in CDATA is written without.

    `added` returns the plural forms that a language may need beside an element.
    """
    forms: list[AddedForm] = []
    sources: dict[tuple[int, int], str] = {}
    units: list[Unit] = []
    for node, note in strings:
        raw = decoded.text[node.inner_start : node.inner_end]
        start = node.inner_start + len(raw) - len(raw.lstrip())
        end = node.inner_start + len(raw.rstrip())
        blank = re.sub(r"\s", " ", decoded.text[start:end])
        units.append(Unit(start, end, blank, note=note, whole=((0, end - start),)))
        sources[start, end] = shown(node.content().strip())
        forms += added(node, units[-1])
    return XmlStrings(decoded, sources, units, by_place(forms))
