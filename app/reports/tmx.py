"""The confirmed segments of a session as a translation memory: TMX 1.4b, which translation tools read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from app import VERSION
from app.formats.documents import Export
from app.log.store import LogStore
from app.reports.jsonl import export_name

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def session_tmx(store: LogStore, session_id: int) -> Export:
    """One unit for each confirmed segment, with its place in the document; placeholders stand as text."""
    session = store.load_session(session_id)
    source_language, target_language = (tag.replace("_", "-") for tag in session.direction.split("-", 1))
    root = ET.Element("tmx", version="1.4")
    ET.SubElement(
        root,
        "header",
        {
            "creationtool": "Pinpoint",
            "creationtoolversion": VERSION,
            "segtype": "sentence",
            "o-tmf": "Pinpoint",
            "adminlang": "en",
            "srclang": source_language,
            "datatype": "plaintext",
        },
    )
    body = ET.SubElement(root, "body")
    date = datetime.fromtimestamp(session.last_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    for number, index in enumerate(session.document.order, 1):
        segment = session.segments[index]
        if segment.state != "confirmed" or not segment.target:
            continue
        unit = ET.SubElement(body, "tu", changedate=date)
        ET.SubElement(unit, "prop", type="x-document").text = clean(session.document.name)
        ET.SubElement(unit, "prop", type="x-segment").text = str(number)
        for language, text in ((source_language, segment.source), (target_language, segment.target)):
            variant = ET.SubElement(unit, "tuv", {_XML_LANG: language})
            ET.SubElement(variant, "seg").text = clean(text)
    data = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    note = None if len(body) else "No segment is confirmed yet, so the memory is empty."
    return Export(export_name(session, "tmx"), data, note)


def clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
