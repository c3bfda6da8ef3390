"""An XML file of strings, each the content of an element: common code of Android, .NET and .stringsdict resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.formats.added_forms import AddedForm, Place, by_place
from app.formats.base import Edit, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.escapes import from_shown, shown
from app.formats.parsed_file import TextFile
from app.formats.xml_text import Node, encode_xml, escape
from app.text.encoding import DecodedText


class XmlValue(Protocol):
    """The content of an element."""

    @property
    def source(self) -> str:
        """The text to translate."""

    def raw(self, translation: str) -> str:
        """The content of the element with this translation, as XML."""


@dataclass(frozen=True, slots=True)
class PlainValue:
    """Content without inline elements, given as the text to translate."""

    source: str

    def raw(self, translation: str) -> str:
        """The translation as XML."""
        return escape(from_shown(one_line(translation)))


@dataclass(frozen=True)
class XmlStrings(TextFile):
    """The file; a place is the content of an element without the white space at its ends, which stays."""

    decoded: DecodedText
    values: Mapping[Place, XmlValue] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        return self.values[form.like if form else (start, end)].source

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts; unsupported characters become character references."""
        edits: list[Edit] = []
        for new in translations:
            form = self.added.get((new.start, new.end))
            raw = self.values[form.like if form else (new.start, new.end)].raw(new.text)
            edits.append(form.edit(raw) if form else (new.start, new.end, raw))
        return WrittenFile(encode_xml(splice(self.decoded.text, edits), self.decoded))


def file_of(
    decoded: DecodedText,
    strings: Iterable[tuple[Node, str, str]],
    added: Callable[[Node, Unit], Iterable[AddedForm]] = lambda node, unit: (),
) -> XmlStrings:
    """The file with these elements, which contain only text, their notes and forms.

    A text in CDATA is written without CDATA.

    `added` returns the plural forms that a language may need beside an element.
    """
    forms: list[AddedForm] = []
    values: dict[Place, XmlValue] = {}
    units: list[Unit] = []
    for node, note, form in strings:
        raw = decoded.text[node.inner_start : node.inner_end]
        start = node.inner_start + len(raw) - len(raw.lstrip())
        end = node.inner_start + len(raw.rstrip())
        blank = re.sub(r"\s", " ", decoded.text[start:end])
        units.append(Unit(start, end, blank, note=note, whole=((0, end - start),), form=form))
        values[start, end] = PlainValue(shown(node.content().strip()))
        forms += added(node, units[-1])
    return XmlStrings(decoded, values, units, by_place(forms))
