"""Texts of a Word document that no paragraph shows, offered if a person chooses them.

They are in field codes (`app.formats.office.docx_fields`), and in attributes: items of lists of choices, titles of
content controls, help and default texts of form fields, tips of links, WordArt such as watermarks, and alternative
texts of tables and old shapes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.formats.office.docx_drawings import AltText, alt_texts
from app.formats.office.docx_fields import FieldText, field_codes, field_texts, texts_of_code
from app.formats.xml_text import Node, unescape

_MAYBE: Final = re.compile(
    r"instrText|fldSimple|listItem|listEntry|textInput|textpath|statusText|helpText|tooltip|tblCaption|tblDescription|alt=|w:alias"
)
_ATTRIBUTES: Final[Mapping[str, str]] = {
    "listItem": "displayText",
    "listEntry": "val",
    "default": "val",
    "textpath": "string",
    "statusText": "val",
    "helpText": "val",
    "hyperlink": "tooltip",
    "tblCaption": "val",
    "tblDescription": "val",
    "alias": "val",
    **dict.fromkeys(
        ("shape", "rect", "roundrect", "oval", "line", "polyline", "arc", "curve", "image", "group"), "alt"
    ),
}
# Elements that have such a text only in this one
_PARENTS: Final[Mapping[str, str]] = {
    "statusText": "ffData",
    "helpText": "ffData",
    "default": "textInput",
    "alias": "sdtPr",
}


@dataclass(frozen=True, slots=True)
class HiddenTexts:
    """The starts of the elements of a part with such texts; `fields` are the texts in codes, by start."""

    fields: Mapping[int, FieldText] = field(default_factory=dict)
    starts: Collection[int] = frozenset()

    @classmethod
    def of(cls, root: Node, xml: str) -> HiddenTexts:
        """The texts of a part, given as a tree and as XML."""
        if not _MAYBE.search(xml):
            return cls()
        fields = field_texts(root)
        return cls(fields, {*fields, *(node.start for node in root.walk() if _attributes(node))})

    def paragraph(self, node: Node, xml: str) -> AltText | FieldText:
        """The text of one of the elements."""
        return self.fields.get(node.start) or AltText(node, xml, _attributes(node))


def hidden_texts(root: Node, xml: str) -> list[str]:
    """All such texts of a part but copies, also those whose code is spread over several elements."""
    if not _MAYBE.search(xml):
        return []
    codes = [
        "".join(node.content() for node in nodes) for nodes in field_codes(root) if not any(map(_is_copy, nodes[:1]))
    ]
    # A code in an attribute is not offered, but counted.
    codes += [
        unescape(value)
        for node in root.walk()
        if node.local == "fldSimple" and not _is_copy(node)
        for name, value in node.attributes.items()
        if name.endswith("instr")
    ]
    texts = [code[start:end] for code in codes for start, end in texts_of_code(code)]
    texts += [text for node in root.walk() if not _is_copy(node) for text in alt_texts(node, _attributes(node))]
    return [text for text in texts if any(map(str.isalpha, text))]


def _is_copy(node: Node) -> bool:
    """True if an element is in a version for old programs."""
    around = node.parent
    while around is not None and around.local != "Fallback":
        around = around.parent
    return around is not None


def _attributes(node: Node) -> tuple[str, ...]:
    """The name of the attribute with a text, as the file writes it; empty if there is none."""
    wanted = _ATTRIBUTES.get(node.local)
    around = _PARENTS.get(node.local)
    if wanted is None or (around and node.parent is not None and node.parent.local != around):
        return ()
    return tuple(name for name, value in node.attributes.items() if name.rpartition(":")[2] == wanted and value)
