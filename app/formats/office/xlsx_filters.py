"""Filters of Excel for texts of cells, in sheets and in tables: <filter val="green"/>.

Excel stores which rows a filter hides, and compares the texts when it applies the filter again. So a filter for the
text of a cell gets the translation of the cell; otherwise it would hide the translated rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from html import unescape

from app.formats.office.office_package import OfficePackage
from app.formats.xml_text import escape

_FILTER = re.compile(rb"""(<(?:[\w.-]+:)?filter\s+val\s*=\s*)(?:"([^"<]*)"|'([^'<]*)')(\s*/>)""")


def filtered_texts(package: OfficePackage, sheets: Iterable[str]) -> dict[str, set[str]]:
    """The texts of filters by the name of their part, a sheet or a table; only parts with filters."""
    found: dict[str, set[str]] = {}
    for sheet in sheets:
        tables = [each.part for each in package.relations(sheet).values() if each.kind == "table"]
        for part in (sheet, *filter(package.has, tables)):
            content = package.read(part)
            behind_cells = max(content.rfind(b"sheetData>"), 0)
            if texts := {_text(match) for match in _FILTER.finditer(content, behind_cells)}:
                found[part] = texts
    return found


def with_new_filters(content: bytes, texts: Mapping[str, Collection[str]]) -> bytes:
    """The part with filters for the new texts of cells; a filter for a text with several translations has them all."""

    def new(match: re.Match[bytes]) -> bytes:
        if _text(match) not in texts:
            return match[0]
        values = (
            escape(text).replace('"', "&quot;").encode("ascii", "xmlcharrefreplace") for text in texts[_text(match)]
        )
        return b"".join(match[1] + b'"' + value + b'"' + match[4] for value in values)

    start = max(content.rfind(b"sheetData>"), 0)
    return content[:start] + _FILTER.sub(new, content[start:])


def _text(match: re.Match[bytes]) -> str:
    return unescape((match[2] if match[2] is not None else match[3]).decode("utf-8", "replace"))
