"""Reading translation memories of Trados Studio (.sdltm), which are SQLite databases.

The file is untrusted: it is read from memory, so that SQLite opens nothing else; only two ordinary tables may be read,
and no function, view or trigger of the file runs. A segment is XML: `<Text><Value>…` and `<Tag><Type>Start</Type>…`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from app.errors import SQLITE_ERRORS, DocumentError
from app.formats.xml_text import Node, decode_xml, tree
from app.text.language_names import in_language
from app.tm.tmx_codes import Code, texts_of_parts

SQLITE_START: Final = b"SQLite format 3\0"
MAX_SEGMENT_BYTES: Final = 2**20
_TABLES: Final = ("translation_units", "translation_memories")
_KINDS: Final = {"Start": "open", "End": "close"}  # others stand alone
_MAX_ELEMENTS: Final = 10_000
_READING: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})


def read_trados(
    data: bytes, name: str, source_language: str, target_language: str, unreadable: list[int]
) -> Iterator[tuple[str, str]]:
    """The (source, target) pairs in these languages, with numbered tags for codes. Raises DocumentError.

    The numbers of units whose XML cannot be read are added to `unreadable`.
    """
    try:
        connection = _open(data)
        try:
            _check_tables(connection, name)
            memories = _memories(connection, source_language, target_language)
            for number, source, target in _units(connection, memories):
                texts = _texts(source, target)
                if texts is None:
                    unreadable.append(number)
                elif all(texts):
                    yield texts
        finally:
            connection.close()
    except SQLITE_ERRORS as problem:
        raise DocumentError(
            "{name} is damaged ({reason}): open it in Trados Studio, export it as TMX, and import that file",
            name=name,
            reason=problem,
        ) from problem


def _open(data: bytes) -> sqlite3.Connection:
    """A connection to a copy in memory that can only read the tables of memories."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    # A write-ahead log would need a second file: the copy is marked as having none.
    connection.deserialize(data[:18] + b"\1\1" + data[20:])
    for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_SEGMENT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")

    def authorize(action: int, table: str | None, *_: str | None) -> int:
        is_known = action == sqlite3.SQLITE_SELECT or table in (*_TABLES, "sqlite_master")
        return sqlite3.SQLITE_OK if action in _READING and is_known else sqlite3.SQLITE_DENY

    connection.set_authorizer(authorize)
    return connection


def _check_tables(connection: sqlite3.Connection, name: str) -> None:
    """Raises DocumentError unless both tables are ordinary ones: a view or virtual table would run the file's code."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    kinds = {row[1]: (row[0], str(row[3] or "").lstrip().upper()) for row in rows}
    for table in _TABLES:
        kind, statement = kinds.get(table, ("", ""))
        if kind != "table" or not statement.startswith("CREATE TABLE"):
            raise DocumentError(
                "{name} is a database but not a translation memory of Trados Studio: choose another file", name=name
            )


def _memories(connection: sqlite3.Connection, source_language: str, target_language: str) -> set[int]:
    """The numbers of the memories in the file with these languages."""
    rows = connection.execute("SELECT id, source_language, target_language FROM translation_memories").fetchall()
    return {row[0] for row in rows if _is_in(source_language, row[1]) and _is_in(target_language, row[2])}


def _is_in(language: str, stated: object) -> bool:
    return in_language(language, {str(stated).replace("_", "-").lower(): True}) is not None


def _units(connection: sqlite3.Connection, memories: set[int]) -> Iterator[tuple[int, object, object]]:
    """(number, source, target) of each unit, as XML."""
    query = "SELECT id, translation_memory_id, source_segment, target_segment FROM translation_units ORDER BY id"
    for number, memory, source, target in connection.execute(query):
        if memory in memories:
            yield number, source, target


def _texts(source: object, target: object) -> tuple[str, str] | None:
    """The texts of a unit with numbered tags; None if its XML cannot be read."""
    if not isinstance(source, str) or not isinstance(target, str):
        return None
    try:
        return texts_of_parts(_parts(source), _parts(target))
    except DocumentError:
        return None


def _parts(xml: str) -> list[str | Code]:
    """Texts and codes of a segment. Raises DocumentError."""
    data = xml.encode("utf-8", "replace")
    if len(data) > MAX_SEGMENT_BYTES:
        raise DocumentError("the segment is too long")
    root = tree(decode_xml(data, "segment", _MAX_ELEMENTS).text)
    elements = root.first("Elements")
    if root.local != "Segment" or elements is None:
        raise DocumentError("the segment has no elements")
    parts: list[str | Code] = []
    for child in elements.nodes():
        if child.local == "Text":
            parts.append(_value(child, "Value"))
        elif child.local == "Tag":
            kind = _KINDS.get(_value(child, "Type"), "lone")
            content = _value(child, "TextEquivalent") or _value(child, "TagID")
            parts.append(Code(kind, f"anchor {_value(child, 'Anchor')}", content if kind != "close" else ""))
    return parts


def _value(node: Node, name: str) -> str:
    child = node.first(name)
    return "" if child is None else child.content()
