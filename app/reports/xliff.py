"""All segments of a session as XLIFF 1.2, whatever the document's format: for review and for other tools."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from app import VERSION
from app.formats.documents import Export
from app.log.store import LogStore
from app.reports.jsonl import export_name
from app.reports.tmx import clean

_NAMESPACE = "urn:oasis:names:tc:xliff:document:1.2"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def session_xliff(store: LogStore, session_id: int) -> Export:
    """One unit for each segment, in their order; tags and placeholders stand as text, a person's comment as a note.

    Confirmed is "translated"; any other text, also the memory's, "needs-review-translation"; what has none has no
    target, since the model's proposals are nobody's text yet.
    """
    session = store.load_session(session_id)
    source_language, _, target_language = session.direction.partition("-")
    root = ET.Element("xliff", {"version": "1.2", "xmlns": _NAMESPACE})
    file = ET.SubElement(
        root,
        "file",
        {
            "original": clean(session.document.name),
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
        unit = ET.SubElement(body, "trans-unit", {"id": str(number), _SPACE: "preserve"})
        ET.SubElement(unit, "source").text = clean(segment.source)
        if segment.target:
            state = "translated" if segment.state == "confirmed" else "needs-review-translation"
            ET.SubElement(unit, "target", state=state).text = clean(segment.target)
        for text, by in ((segment.note, "document"), (str(segment.constraints.get("comment", "")), "translator")):
            if text:
                ET.SubElement(unit, "note", {"from": by}).text = clean(text)
    data = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return Export(export_name(session, "segments.xlf"), data)
