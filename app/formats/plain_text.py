"""Plain text: each line is a unit; blank lines and white space at line ends are layout."""

from __future__ import annotations

import re

from app.errors import DocumentError
from app.formats.base import Unit
from app.formats.prose import ProseFile
from app.text.encoding import decode_text

# Only CR and LF end a line; a form feed or U+2028 is part of the text.
_LINE = re.compile(r"[^\r\n]+")


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a text in any common encoding. Raises DocumentError with a remedy."""
    decoded = decode_text(data, name, DocumentError, encoding)
    units = []
    for line in _LINE.finditer(decoded.text):
        source = line.group().strip()
        if source:
            start = line.start() + len(line.group()) - len(line.group().lstrip())
            units.append(Unit(start, start + len(source), source))
    return ProseFile(decoded, units)
