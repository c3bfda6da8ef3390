"""Entries of XML glossaries, one after the other, so that a large file never stands in memory as a tree.

What `decode_xml` refuses (entities of a file's own, deep nesting, wrong encodings) is refused here.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from xml.etree import ElementTree

from app.errors import DocumentError, GlossaryError
from app.formats.xml_text import decode_xml
from app.i18n import Message

MAX_ELEMENTS = 10_000_000
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def local(element: ElementTree.Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def language(element: ElementTree.Element) -> str:
    """The first part of the element's language, in small letters: "en" for "en-GB"."""
    given = element.get(LANGUAGE) or element.get("lang") or ""
    return given.replace("_", "-").partition("-")[0].lower()


def entries(data: bytes, name: str, tag: str) -> Iterator[tuple[int, ElementTree.Element]]:
    """(number from 1, element) of each element of that local name. Raises GlossaryError for XML that is not safe."""
    try:
        text = decode_xml(data, name, MAX_ELEMENTS).text
    except DocumentError as problem:
        raise GlossaryError(*problem.args) from problem
    parser = ElementTree.XMLParser(encoding="utf-8")
    number = 0
    events = ElementTree.iterparse(BytesIO(text.encode("utf-8")), ("start", "end"), parser)
    path: list[ElementTree.Element] = []
    num_around = 0  # entries that stand around the place that was read last
    try:
        for event, element in events:
            if event == "start":
                path.append(element)
                num_around += local(element) == tag
                continue
            path.pop()
            if local(element) == tag:
                num_around -= 1
                number += 1
                yield number, element
            if path and not num_around:
                path[-1].remove(element)
    except ElementTree.ParseError as problem:  # well-formed, as was checked, but with prefixes that stand for nothing
        raise GlossaryError(
            Message(
                "{name} is no valid XML ({reason}): export it anew from the program that made it",
                name=name,
                reason=problem,
            )
        ) from problem
