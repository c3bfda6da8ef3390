"""Notes of XLIFF segments, and the forms of messages that they are."""

from __future__ import annotations

from app.formats.bilingual.xliff_gettext import form_of_xcode, message_notes
from app.formats.bilingual.xliff_segments import Entry
from app.formats.unit_notes import name_note
from app.formats.xml_text import Node

_CASES_NAMESPACE = "urn:oasis:names:tc:xliff:pgs:1.0"  # plural, gender and select module of 2.2


def note_of(entry: Entry) -> str:
    """The note of the segments of an entry: names, forms and contexts that the file states, and its comments."""
    unit = entry.unit
    notes = [*unit.nodes("note"), *(note for group in unit.nodes("notes") for note in group.nodes("note"))]
    name = unit.attributes.get("resname") or unit.attributes.get("name")
    parts = [name_note(name) if name else "", _case(entry.owner, unit), *message_notes(unit, entry.plural)]
    return " · ".join([*filter(None, parts), *(" ".join(note.content().split()) for note in notes)])


def form_of(entry: Entry) -> str:
    """The name of the form of a message, such as a plural form, that an entry is; empty if it is the only one."""
    number = str(entry.plural[0]) if entry.plural else ""
    return number or form_of_xcode(entry.owner) or _case(entry.owner, entry.unit)


def _case(segment: Node, unit: Node) -> str:
    """The values of variables for which a segment of 2.2 is shown: "host_gender = feminine, guest_count = 0"."""
    for name, value in segment.attributes.items():
        prefix, _, local = name.rpartition(":")
        if local == "case" and segment.inherited(f"xmlns:{prefix}") == _CASES_NAMESPACE:
            cases = value.split()
            variables = [switch.partition(":")[2] for switch in unit.attributes.get(f"{prefix}:switch", "").split()]
            if len(variables) != len(cases):
                return value
            return ", ".join(f"{variable} = {case}" for variable, case in zip(variables, cases, strict=True))
    return ""
