"""UTX, the simple term format of AAMT (UTX 1.11 and 1.20): tab-separated, with a header that begins with "#"."""

from __future__ import annotations

import re

from app.glossary.reading.tables import Layout, language_of

_FIRST_LINE = re.compile(r"#\s*UTX\b", re.IGNORECASE)
_DIRECTION = re.compile(r"([A-Za-z]{2,3})(?:-[\w-]+)?\s*(?:/|->|;)\s*([A-Za-z]{2,3})")


def is_utx(text: str) -> bool:
    """Whether a text begins as UTX does."""
    return _FIRST_LINE.match(text.lstrip("\ufeff")) is not None


def utx_layout(lines: list[str], direction: str | None) -> tuple[Layout, int]:
    """Where the columns are, and how many leading lines are the header; turned where the file is the other way round.

    `lines` begin with the first one of the file.
    """
    header = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    named = next((line for line in reversed(lines[:header]) if "\t" in line), "#src\ttgt")
    names = [name.strip().casefold() for name in named.lstrip("#").split("\t")]
    columns = {"source": 0, "target": 1}
    for what, known in (("source", "src"), ("target", "tgt"), ("status", "term status"), ("note", "comment")):
        if known in names:
            columns[what] = names.index(known)
    found = _DIRECTION.search(lines[0][lines[0].find(";") :]) if lines else None
    if found and direction and [language_of(found[2]), language_of(found[1])] == direction.split("-"):
        columns["source"], columns["target"] = columns["target"], columns["source"]
    return Layout(columns, 1), header
