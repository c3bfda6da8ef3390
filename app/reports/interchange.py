"""A session in the interchange formats of translation tools: TMX 1.4b, XLIFF 1.2 and TBX-Basic."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Final

from app import VERSION
from app.access.actor import Actor
from app.formats.documents import Export
from app.glossary import Glossary
from app.glossary.writing import write_glossary
from app.i18n import Message
from app.log.store import LogStore
from app.reports.jsonl import export_name
from app.segments.state import Review
from app.segments.stored_state import review_of
from app.tm.library import languages_of
from app.tm.tmx_codes import seg
from app.tm.tmx_memory import TmxUnit, tmx_file

_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_XLIFF_NAMESPACE = "urn:oasis:names:tc:xliff:document:1.2"
# Of XLIFF 1.2, for segments that were reviewed.
_STATES: Final[Mapping[Review, str]] = {"approved": "signed-off", "returned": "needs-translation"}
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def session_tmx(actor: Actor, store: LogStore, session_id: int) -> Export:
    """The confirmed segments as TMX, one unit each with its position in the document; tags are inline codes.

    The date of a unit is the time of its confirmation.
    """
    session = store.load_session(actor, session_id)
    confirmed_ms = {event.segment: event.wall_ms for event in store.events(session_id) if event.type == "confirm"}
    units = [
        TmxUnit(
            seg(segment.source, session.document.tags(index)),
            seg(segment.target, session.document.tags(index)),
            confirmed_ms.get(index, session.last_ms),
            {"x-document": session.document.name, "x-segment": str(number)},
        )
        for number, index in enumerate(session.document.order, 1)
        if (segment := session.segments[index]).state == "confirmed" and segment.target
    ]
    note = None if units else Message("No segment is confirmed yet, so the translation memory is empty.")
    return Export(export_name(session, "tmx"), tmx_file(units, *languages_of(session.direction)), note)


def session_xliff(actor: Actor, store: LogStore, session_id: int) -> Export:
    """All segments as XLIFF, in order; tags and placeholders as text, comments of the translator as notes.

    Confirmed segments are "translated", approved ones "signed-off", returned ones "needs-translation". Other texts,
    also from the memory, are "needs-review-translation". Segments without a text have no target, because the proposals
    of the model are not reviewed.
    """
    session = store.load_session(actor, session_id)
    source_language, _, target_language = session.direction.partition("-")
    root = ET.Element("xliff", {"version": "1.2", "xmlns": _XLIFF_NAMESPACE})
    file = ET.SubElement(
        root,
        "file",
        {
            "original": xml_text(session.document.name),
            "source-language": source_language.replace("_", "-"),  # as NLLB models name them
            "target-language": target_language.replace("_", "-"),
            "datatype": "plaintext",
        },
    )
    tool = {"tool-id": "pinpoint", "tool-name": "Pinpoint", "tool-version": VERSION}
    ET.SubElement(ET.SubElement(file, "header"), "tool", tool)
    body = ET.SubElement(file, "body")
    for number, index in enumerate(session.document.order, 1):
        segment = session.segments[index]
        unit = ET.SubElement(body, "trans-unit", {"id": str(number), _XML_SPACE: "preserve"})
        ET.SubElement(unit, "source").text = xml_text(segment.source)
        if segment.target:
            state = _STATES.get(review_of(segment)) or (
                "translated" if segment.state == "confirmed" else "needs-review-translation"
            )
            ET.SubElement(unit, "target", state=state).text = xml_text(segment.target)
        for text, by in ((segment.note, "document"), (str(segment.constraints.get("comment", "")), "translator")):
            if text:
                ET.SubElement(unit, "note", {"from": by}).text = xml_text(text)
    data = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return Export(export_name(session, "segments.xlf"), data)


def session_tbx(actor: Actor, store: LogStore, session_id: int) -> Export:
    """The terms added in the session as TBX, in order of creation; removed ones are left out."""
    session = store.load_session(actor, session_id)
    terms = [term for glossary in session.glossaries for term in glossary.terms.values()]
    known = {(term.source, term.target): term for term in (*terms, *session.document_terms)}
    added = (event.payload for event in store.events(session_id) if event.type == "term_added")
    new = dict.fromkeys((payload["source"], payload["target"]) for payload in added)
    name = export_name(session, "terms.tbx")
    export = write_glossary(
        Glossary.of(1, name, [known[pair] for pair in new if pair in known]), "tbx", session.direction
    )
    note = None if known.keys() & new else Message("No term was added in this session, so the term base is empty.")
    return Export(name, export.data, note)


def xml_text(text: str) -> str:
    """The text with characters that XML does not allow replaced."""
    return _NO_XML.sub("\ufffd", text)
