"""The rows of the tables of a Word document, with tracked changes as accepted and with the comments on each row.

The file comes from outside: it is unpacked within the limits of `office_package`, and read row by row without a tree of
the whole document, with defusedxml, which refuses entities.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from app.errors import DocumentError
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.i18n import Message

_WORD: Final = OfficeKind("Word", ".docx", ".doc", Message("a Word document"))
MAX_BYTES: Final = 30 * 2**20
MAX_ROWS: Final = 50_000
_MAX_DEPTH: Final = 100
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
# Parts of a document whose text is not in its present state, or is not running text.
_LEFT_OUT: Final = frozenset({"del", "moveFrom", "drawing", "pict", "object", "Fallback", "rPr", "sectPr"})
_TRACKED: Final = frozenset({"ins", "del", "moveFrom", "moveTo"})


@dataclass(frozen=True, slots=True)
class WordComment:
    """A comment of a Word document; its paragraphs are lines."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class WordRow:
    """A row of a table: the texts of its cells, whose paragraphs are lines, and its comments.

    `is_tracked`: it has tracked changes. `is_deleted`: the row itself is deleted by a tracked change. `has_table`: a
    table is in one of its cells, whose rows are rows of their own.
    """

    cells: tuple[str, ...]
    comments: tuple[WordComment, ...] = ()
    is_tracked: bool = False
    is_deleted: bool = False
    has_table: bool = False


@dataclass(frozen=True, slots=True)
class WordTables:
    """The rows of all tables in order, and the text of the paragraphs outside of tables.

    Rows of a table in a cell come before the row of that cell.
    """

    rows: tuple[WordRow, ...]
    text: str


def read_tables(data: bytes, name: str) -> WordTables:
    """The tables of a Word document. Raises DocumentError, with a remedy, if it cannot be read or is too large."""
    if len(data) > MAX_BYTES:
        raise DocumentError("{name} is larger than {limit} MiB", name=name, limit=MAX_BYTES // 2**20)
    package = OfficePackage(data, name, _WORD)
    main = next((each.part for each in package.relations("").values() if each.kind == "officeDocument"), "")
    related = {each.kind: each.part for each in package.relations(main).values()}
    try:
        comments = _comments(package.read(related["comments"])) if "comments" in related else {}
        return _tables(package.read(main), comments, name)
    except (ParseError, ValueError) as problem:  # defusedxml raises a ValueError for entities
        raise DocumentError(
            "{name} cannot be read ({problem}): open and save it in Word, then import it again",
            name=name,
            problem=type(problem).__name__,
        ) from problem


def _tables(xml: bytes, comments: Mapping[str, WordComment], name: str) -> WordTables:
    rows: list[WordRow] = []
    outside: list[str] = []
    seen: set[str] = set()
    num_tables = 0
    for event, element in _events(xml):
        kind = _local(element)
        if event == "start":
            num_tables += kind == "tbl"
        elif kind == "tbl":
            num_tables -= 1
        elif num_tables and kind == "tr":
            rows.append(_row(element, comments, seen))
            element.clear()
            if len(rows) > MAX_ROWS:
                raise DocumentError("{name} has more than {limit:,} rows", name=name, limit=MAX_ROWS)
        elif num_tables == 0 and kind == "p":
            outside.append(_text(element))
            element.clear()
    return WordTables(tuple(rows), "\n".join(outside))


def _row(row: Element, comments: Mapping[str, WordComment], seen: set[str]) -> WordRow:
    about = next((child for child in row if _local(child) == "trPr"), None)
    inside = {_local(element) for element in row.iter()}
    ids = [_attribute(e, "id") for e in row.iter() if _local(e) in ("commentRangeStart", "commentReference")]
    new = [number for number in dict.fromkeys(ids) if number in comments and number not in seen]
    seen.update(new)
    return WordRow(
        tuple(_text(cell) for cell in _children(row, "tc")),
        tuple(comments[number] for number in new),
        bool(inside & _TRACKED),
        about is not None and any(_local(child) == "del" for child in about),
        "tbl" in inside,
    )


def _children(element: Element, kind: str) -> Iterator[Element]:
    """The children of a kind, also those in content controls."""
    for child in element:
        if _local(child) == kind:
            yield child
        elif _local(child) in ("sdt", "sdtContent", "customXml"):
            yield from _children(child, kind)


def _comments(xml: bytes) -> dict[str, WordComment]:
    found = {}
    for event, element in _events(xml):
        if event == "end" and _local(element) == "comment":
            text = _text(element).strip()
            if text:
                found[_attribute(element, "id")] = WordComment(_attribute(element, "author"), text)
            element.clear()
    return found


def _events(xml: bytes) -> Iterator[tuple[str, Element]]:
    from defusedxml.ElementTree import iterparse  # type: ignore[import-untyped]  # takes long to import

    depth = 0
    for event, element in iterparse(io.BytesIO(xml), ("start", "end"), forbid_dtd=True):
        depth += 1 if event == "start" else -1
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        yield event, element


def _text(element: Element) -> str:
    """The text of a cell or a comment, with tracked changes accepted.

    A paragraph whose end was deleted by a tracked change continues in the next one.
    """
    parts: list[str] = []
    _collect(element, parts)
    return "".join(parts).removesuffix("\n")


def _collect(element: Element, parts: list[str]) -> None:
    kind = _local(element)
    if kind in _LEFT_OUT:
        return
    if kind == "t":
        parts.append(element.text or "")
    elif kind in _SIGNS:
        parts.append(_SIGNS[kind])
    elif kind == "sym":
        parts.append(_symbol(element))
    else:
        is_deleted_end = False
        for child in element:
            if _local(child) == "pPr":
                is_deleted_end = any(_local(mark) == "del" for about in _children(child, "rPr") for mark in about)
            else:
                _collect(child, parts)
        if kind == "p" and not is_deleted_end:
            parts.append("\n")


def _symbol(element: Element) -> str:
    """A sign of a symbol font, which Word inserts for some characters such as an arrow."""
    try:
        return chr(int(_attribute(element, "char"), 16))
    except (ValueError, OverflowError):
        return "\ufffd"


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _attribute(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
