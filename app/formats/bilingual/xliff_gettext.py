"""Gettext messages in XLIFF 1.x, as Qt's lconvert and the translate toolkit write them.

Each plural form is a trans-unit in a group. Both programs take a translation for finished if the trans-unit (and in
files of the translate toolkit, the group of the plural forms) is approved; they ignore its state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.formats.unit_notes import class_note, context_note, plural_note
from app.formats.xml_text import Node

_GETTEXT = "x-gettext-"
_QT_CLASS = "x-trolltech-linguist-context"
_QT_NAMESPACE = "urn:trolltech:names:ts:document:1.0"
_HEADER = "x-gettext-domain-header"
_PLURALS = "x-gettext-plurals"
_CONTEXTS = ("x-gettext-msgctxt", "x-po-msgctxt")
_FORM_OF_XCODE = re.compile(r"(?<=\|==\|).+\Z|(?:zero|one|two|few|many|other)(?=:dict/:string\Z)", re.DOTALL)
_PO_GROUPS = ("po-entry", "po-reference", "po-translator")


def is_of_qt(root: Node) -> bool:
    """True if Qt's lconvert has written a file."""
    return _QT_NAMESPACE in root.attributes.values()


def is_gettext(root: Node) -> bool:
    """True if a file was made from messages of gettext or Qt."""
    return is_of_qt(root) or any(
        node.attributes.get("restype", "").startswith((_GETTEXT, _QT_CLASS))
        or (node.local == "context-group" and node.attributes.get("name") in _PO_GROUPS)
        or node.attributes.get("context-type") in _CONTEXTS
        for node in root.walk()
    )


def uses_approval(root: Node) -> bool:
    """True if trans-units of a file have the attribute "approved"."""
    return any(node.local == "trans-unit" and "approved" in node.attributes for node in root.walk())


def is_header(unit: Node) -> bool:
    """True if a trans-unit contains the header of a PO file."""
    return unit.attributes.get("restype") == _HEADER


def plural_group(unit: Node) -> Node | None:
    """The group of a trans-unit that is a plural form."""
    group = unit.parent
    return group if group is not None and group.attributes.get("restype") == _PLURALS else None


def plural_numbers(root: Node) -> dict[int, tuple[int, int]]:
    """The numbers of the plural forms, from 1, and of all forms of their messages, by the places of the trans-units."""
    found: dict[int, tuple[int, int]] = {}
    for group in root.walk():
        if group.attributes.get("restype") == _PLURALS:
            forms = group.nodes("trans-unit")
            found.update((form.start, (number, len(forms))) for number, form in enumerate(forms, 1))
    return found


def form_of_xcode(unit: Node) -> str:
    """The name of a form of a message, such as a plural form, in the id of a trans-unit; Xcode writes such ids."""
    found = _FORM_OF_XCODE.search(unit.attributes.get("id", ""))
    return found[0] if found else ""


def message_notes(unit: Node, plural: tuple[int, int] | None) -> Iterator[str]:
    """The notes about the message of a trans-unit: its plural form, context and class.

    `plural` are the numbers of the form, from 1, and of all forms; None for a message without plural forms.
    """
    if plural is not None:
        yield plural_note(*plural)
    for element in (plural_group(unit), unit):
        for contexts in element.nodes("context-group") if element else ():
            for context in contexts.nodes("context"):
                if context.attributes.get("context-type") in _CONTEXTS and context.content():
                    yield context_note(context.content())
    around = unit.parent
    while around is not None:
        if around.attributes.get("restype") == _QT_CLASS and around.attributes.get("resname"):
            yield class_note(around.attributes["resname"])
        around = around.parent
