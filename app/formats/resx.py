"""Resources of .NET (.resx): each text value with a letter is a segment; everything else stays unchanged.

Line breaks and tabs are shown as `\\n` and `\\t`. The comment of an entry and its key are its note. Other types of
entries (images, sizes, fonts) and the names of controls are not offered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.errors import DocumentError
from app.formats.base import TextFile, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.escapes import from_shown, key_note, shown
from app.formats.xml_text import decode_xml, encode_xml, escape, tree
from app.i18n import Message
from app.text.encoding import DecodedText


@dataclass(frozen=True)
class ResxFile(TextFile):
    """A .resx file; a place is the content of a value."""

    decoded: DecodedText
    sources: dict[tuple[int, int], str] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    notes: tuple[str, ...] = ()
    is_paired: bool = False

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        return self.sources[start, end]

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts; unsupported characters become character references."""
        edits = [(new.start, new.end, escape(from_shown(one_line(new.text)))) for new in translations]
        return WrittenFile(encode_xml(splice(self.decoded.text, edits), self.decoded))


def read(data: bytes, name: str) -> ResxFile:
    """Parses a .resx file. Raises DocumentError if it is not XML or has another root element."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name != "root":
        raise DocumentError(
            Message(
                "{name} has the root element <{root}>, and resources of .NET have <root>: open it in Visual Studio and "
                "save it again",
                name=name,
                root=root.name,
            )
        )
    sources: dict[tuple[int, int], str] = {}
    units: list[Unit] = []
    for entry in root.nodes("data"):
        key, value, comment = entry.attributes.get("name", ""), entry.first("value"), entry.first("comment")
        is_text = not {"type", "mimetype"} & set(entry.attributes) and not key.startswith(">>")
        if value is None or not is_text or value.nodes() or not any(map(str.isalpha, content := value.content())):
            continue
        # The white space at both ends stays; a text in CDATA is written without.
        raw = decoded.text[value.inner_start : value.inner_end]
        start = value.inner_start + len(raw) - len(raw.lstrip())
        end = value.inner_start + len(raw.rstrip())
        remark = " ".join(comment.content().split()) if comment else ""
        note = " · ".join(filter(None, [key_note(key), remark]))
        blank = re.sub(r"\s", " ", decoded.text[start:end])
        units.append(Unit(start, end, blank, note=note, whole=((0, end - start),)))
        sources[start, end] = shown(content.strip())
    return ResxFile(decoded, sources, units)
