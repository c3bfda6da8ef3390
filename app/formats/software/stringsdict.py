"""Plural forms of iOS and macOS (.stringsdict, an XML property list): each form and format with a letter is a segment.

So is each text for a width of the screen (NSStringVariableWidthRuleType). Keys, types and layout stay unchanged. The
keys around a text are its note. Forms that only the target language has are added (`app.formats.added_forms`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from app.errors import DocumentError
from app.formats.added_forms import OTHER, AddedForm, added_forms, space_before
from app.formats.base import Unit
from app.formats.escapes import repeated, repeated_keys_note
from app.formats.software.xml_strings import XmlStrings, file_of
from app.formats.unit_notes import key_note
from app.formats.xml_text import Node, decode_xml, tree

_FORMAT = "NSStringLocalizedFormatKey"
_FORMS = ("zero", "one", "two", "few", "many", "other", _FORMAT)
_WIDTHS = "NSStringVariableWidthRuleType"
_VARIABLE = re.compile(r"%(?:\d+\$)?#@[^@]*@")


def parse(data: bytes, name: str) -> XmlStrings:
    """Parses a .stringsdict file. Raises DocumentError if it is not XML or has another root element."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.name != "plist":
        raise DocumentError(
            "{name} has the root element <{root}>; a .stringsdict file needs <plist>: open it in Xcode and save "
            "it again as XML",
            name=name,
            root=root.name,
        )
    strings = ((node, key_note(".".join(path)), path[-1]) for node, path in _strings(root, ()))
    note = repeated_keys_note(_repeated(root, ()))
    file = file_of(decoded, strings, lambda node, unit: _added(node, unit, decoded.text))
    return replace(file, notes=(*file.notes, note)) if note else file


def _added(node: Node, unit: Unit, text: str) -> Iterator[AddedForm]:
    """The forms that a language may need beside the form "other"."""
    assert node.parent is not None, "it is in a dictionary"
    entries = node.parent.nodes()
    key = entries[next(place for place, each in enumerate(entries) if each is node) - 1]
    if key.content() != OTHER or text[key.inner_start : key.inner_end] != OTHER:
        return
    yield from added_forms(
        text,
        unit,
        (key.start, node.end),
        key.inner_start,
        given={each.content() for each in entries if each.local == "key"},
        joint=space_before(text, key.start),
        note=lambda category: f"{unit.note.removesuffix(OTHER)}{category}",
    )


def _strings(node: Node, path: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The strings with text below a dictionary, with their keys."""
    key = ""
    for child in node.nodes():
        if child.local == "key":
            key = child.content()
        elif child.local == "dict":
            yield from _strings(child, (*path, key) if key else path)
        elif (
            child.local == "string"
            and (key in _FORMS or path[-1:] == (_WIDTHS,))
            and not child.nodes()
            and _has_letter(child.content())
        ):
            yield child, (*path, key)


def _repeated(node: Node, path: tuple[str, ...]) -> Iterator[str]:
    """The keys that occur more than once in a dictionary below an element, with the keys around them."""
    yield from (".".join((*path, key)) for key in repeated(child.content() for child in node.nodes("key")))
    key = ""
    for child in node.nodes():
        if child.local == "key":
            key = child.content()
        elif child.local == "dict":
            yield from _repeated(child, (*path, key) if key else path)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, _VARIABLE.sub("", text)))
