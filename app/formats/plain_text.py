"""Plain text: a line is a unit; blank lines, and white space at either end of a line, are layout."""

from __future__ import annotations

import re

from app.errors import DocumentError
from app.formats.base import Unit
from app.formats.prose import ProseFile
from app.text.encoding import decode_text

# Only these end a line: a form feed or U+2028 inside a line is a character of its text.
_LINE = re.compile(r"[^\r\n]+")


def read(data: bytes, name: str) -> ProseFile:
    """The lines of a text in any common encoding. Raises DocumentError with the cure."""
    decoded = decode_text(data, name, DocumentError)
    units = []
    for line in _LINE.finditer(decoded.text):
        source = line.group().strip()
        if source:
            start = line.start() + len(line.group()) - len(line.group().lstrip())
            units.append(Unit(start, start + len(source), source))
    return ProseFile(decoded, units)
