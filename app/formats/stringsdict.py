"""Plural forms of iOS and macOS (.stringsdict, an XML property list): each form and format with a letter is a segment.

Keys, types and layout stay unchanged. The keys around a text are its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.errors import DocumentError
from app.formats.escapes import key_note
from app.formats.xml_strings import XmlStrings, file_of
from app.formats.xml_text import Node, decode_xml, tree
from app.i18n import Message

_FORMAT = "NSStringLocalizedFormatKey"
_FORMS = ("zero", "one", "two", "few", "many", "other", _FORMAT)
_VARIABLE = re.compile(r"%(?:\d+\$)?#@[^@]*@")


def read(data: bytes, name: str) -> XmlStrings:
    """Parses a .stringsdict file. Raises DocumentError if it is not XML or has another root element."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name != "plist":
        raise DocumentError(
            Message(
                "{name} has the root element <{root}>, and a .stringsdict file has <plist>: open it in Xcode and save "
                "it as XML again",
                name=name,
                root=root.name,
            )
        )
    return file_of(decoded, ((node, key_note(".".join(path))) for node, path in _strings(root, ())))


def _strings(node: Node, path: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The strings with text below a dictionary, with their keys."""
    key = ""
    for child in node.nodes():
        if child.local == "key":
            key = child.content()
        elif child.local == "dict":
            yield from _strings(child, (*path, key) if key else path)
        elif child.local == "string" and key in _FORMS and not child.nodes() and _has_letter(child.content()):
            yield child, (*path, key)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, _VARIABLE.sub("", text)))
