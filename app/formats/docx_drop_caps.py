"""Drop caps: Word keeps a paragraph's first letter as a paragraph of its own, which is one text with the next."""

from __future__ import annotations

import re
from unicodedata import category

from app.formats.docx_text import OBJECT
from app.formats.xml_text import Node

_MAX_CHARACTERS = 3  # a letter with a quotation mark
_INITIAL = re.compile(r"((?:\{/?\d+\})*)((?:[\"'“„‚«»‹›(¿¡]*\w|.)?)(.*)", re.DOTALL)


def is_drop_cap(node: Node, text: str) -> bool:
    """Whether a paragraph with that text is the first letter of the next."""
    properties = node.first("pPr")
    frame = properties.first("framePr") if properties else None
    if frame is None or not 0 < len(text) <= _MAX_CHARACTERS or OBJECT in text:
        return False
    is_drop = any(name.rpartition(":")[2] == "dropCap" and value != "none" for name, value in frame.attributes.items())
    return is_drop and category(text[-1])[0] in "LM" and not text[0].isspace()


def split_initial(text: str) -> tuple[str, str]:
    """A translation as its first letter, with the marks before it and the accents on it, and the rest.

    >>> split_initial("{1}„Es{/1} war")
    ('„E', '{1}s{/1} war')
    """
    found = _INITIAL.match(text)
    assert found is not None
    marks, initial, rest = found.groups()
    num_accents = next((at for at, sign in enumerate(rest) if category(sign)[0] != "M"), len(rest))
    return initial + rest[:num_accents], marks + rest[num_accents:]
