"""Notes of XLIFF segments and files, and the forms of messages that segments are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from app.formats.bilingual.xliff_gettext import form_of_xcode, message_notes
from app.formats.bilingual.xliff_segments import Entry
from app.formats.code_pairs import sub_flows_note
from app.formats.escapes import repeated
from app.formats.unit_notes import name_note
from app.formats.xml_text import Node
from app.i18n import Message
from app.text.encoding import shortened_list

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


def file_notes(root: Node, entries: Sequence[Entry], num_limits: int) -> Iterator[Message | None]:
    """Notes about a file; `num_limits` is the number of limits of length that are not checked."""
    if num_limits:
        yield Message(
            "Not checked: length limits in units other than characters, or for several segments ({count:,} in this "
            "file).",
            count=num_limits,
        )
    yield sub_flows_note(part.source for entry in entries for part in entry.parts)
    yield _repeated_ids_note(root)
    yield _repeated_mids_note(entries)


def _repeated_ids_note(root: Node) -> Message | None:
    """The note about units with the same id in one `file`."""
    ids = [
        repeated(unit.attributes.get("id", "") for unit in file.walk() if unit.local in ("trans-unit", "unit"))
        for file in root.nodes("file")
    ]
    if not any(ids):
        return None
    return Message(
        "Ids of several units in one <file>: {ids}. Each unit is offered; some programs use only the last.",
        ids=shortened_list(dict.fromkeys(chain.from_iterable(ids))),
    )


def _repeated_mids_note(entries: Sequence[Entry]) -> Message | None:
    """The note about segments (`mrk` elements) with the same id in one unit."""
    ids = [
        *chain.from_iterable(
            repeated(part.source.attributes.get("mid", "") for part in entry.parts) for entry in entries
        )
    ]
    if not ids:
        return None
    return Message(
        "Ids of several segments in one unit: {ids}. Each segment is offered; some programs use only the last.",
        ids=shortened_list(dict.fromkeys(ids)),
    )
