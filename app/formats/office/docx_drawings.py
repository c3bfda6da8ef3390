"""Alternative text of pictures and drawings in Word documents, presentations and workbooks.

It is in the attributes `title` and `descr` of `wp:docPr`, `p:cNvPr` and `xdr:cNvPr`. File names, which old versions of
Word wrote there, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.formats.base import one_line, splice
from app.formats.inline import Shown
from app.formats.xml_text import Node, unescape, with_attribute

_ATTRIBUTES = ("title", "descr")
_NAMED = ("p:cNvPr", "xdr:cNvPr")
_FILE_NAME = re.compile(r"[^\n]*\.(?:png|jpe?g|gif|bmp|tiff?|[ew]mf|svg)\s*\Z", re.IGNORECASE)


def is_alt_text(node: Node) -> bool:
    """True if an element has alternative text."""
    return (node.local == "docPr" or node.name in _NAMED) and any(alt_texts(node))


class AltText:
    """The alternative text of an element, with the interface of `app.formats.office.docx_text.Paragraph`."""

    def __init__(self, node: Node, xml: str, attributes: Sequence[str] = _ATTRIBUTES) -> None:
        self.start, self.end = node.start, node.inner_start
        self.unsplit: list[tuple[int, int]] = []
        self.breaks: list[tuple[int, int]] = []
        self.stretches: list[tuple[int, int]] = []
        self._tag = xml[self.start : self.end]
        self._spans: list[tuple[str, int, int]] = []  # of the attributes in `text`
        self.text = ""
        for name, value in zip(attributes, alt_texts(node, attributes), strict=True):
            if value:
                start = len(self.text)
                first = start + len(value) - len(value.lstrip())
                self._spans.append((name, start, start + len(value)))
                self.stretches.append((first, start + len(value.rstrip())))
                self.text += f"{value}\n"

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end as one line."""
        return Shown(one_line(self.text[start:end]))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The start tag with these spans (ascending) replaced."""
        tag = self._tag
        for name, first, last in self._spans:
            edits = [(s - first, e - first, text) for s, e, text in translations if first <= s and e <= last]
            if edits:
                tag = with_attribute(tag, name, splice(self.text[first:last], edits))
        return tag


def alt_texts(node: Node, attributes: Sequence[str] = _ATTRIBUTES) -> list[str]:
    """The values of these attributes; "" for those without text to translate."""
    values = (unescape(node.attributes.get(name, "")) for name in attributes)
    return ["" if _FILE_NAME.match(value) or not any(map(str.isalpha, value)) else value for value in values]
