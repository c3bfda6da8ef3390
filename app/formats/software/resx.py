"""Resources of .NET (.resx): each text value with a letter is a segment; everything else is unchanged.

Line breaks and tabs are shown as `\\n` and `\\t`. The comment of an entry and its key are its note. Other types of
entries (images, sizes, fonts) and the names of controls are not offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.errors import DocumentError
from app.formats.escapes import repeated, repeated_keys_note
from app.formats.software.xml_strings import XmlStrings, file_of
from app.formats.unit_notes import key_note
from app.formats.xml_text import Node, decode_xml, tree


def parse(data: bytes, name: str) -> XmlStrings:
    """Parses a .resx file. Raises DocumentError if it is not XML or has another root element."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name != "root":
        raise DocumentError(
            "{name} has the root element <{root}>; .NET resources need <root>: open it in Visual Studio and save "
            "it again",
            name=name,
            root=root.name,
        )
    note = repeated_keys_note(repeated(entry.attributes.get("name", "") for entry in root.nodes("data")))
    return replace(file_of(decoded, _values(root)), notes=(note,) if note else ())


def _values(root: Node) -> Iterator[tuple[Node, str, str]]:
    """The values with text, with their notes; they have no plural forms."""
    for entry in root.nodes("data"):
        key, value, comment = entry.attributes.get("name", ""), entry.first("value"), entry.first("comment")
        is_text = not {"type", "mimetype"} & set(entry.attributes) and not key.startswith(">>")
        if value is None or not is_text or value.nodes() or not any(map(str.isalpha, value.content())):
            continue
        remark = " ".join(comment.content().split()) if comment else ""
        yield value, " · ".join(filter(None, [key_note(key), remark])), ""
