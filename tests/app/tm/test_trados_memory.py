"""Memories of Trados Studio: texts and codes of their units, and hostile or damaged databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pytest

from app.errors import DocumentError
from app.tm.memory_file import MemoryFile, read_memory

BOLD = "<Tag><Type>Start</Type><Anchor>1</Anchor><AlignmentAnchor>1</AlignmentAnchor><TagID>pt{}</TagID></Tag>"
END = "<Tag><Type>End</Type><Anchor>1</Anchor><AlignmentAnchor>1</AlignmentAnchor></Tag>"
FIELD = "<Tag><Type>TextPlaceholder</Type><Anchor>2</Anchor><TagID>9</TagID><TextEquivalent>10</TextEquivalent></Tag>"


def text(value: str) -> str:
    return f"<Text><Value>{value}</Value></Text>"


def segment(*elements: str) -> str:
    return (
        '<Segment xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
        f"<Elements>{''.join(elements)}</Elements><CultureName>en-US</CultureName></Segment>"
    )


PAIR = (segment(text("A &amp; B")), segment(text("A und B")))


def memory(units: Sequence[tuple[object, object]], *statements: str, languages: tuple[str, str] = ("en-US", "de-DE")):
    """A database with the tables of Trados Studio; `statements` change it."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE TABLE translation_memories (id INTEGER PRIMARY KEY, guid BLOB, name TEXT, source_language TEXT, "
        "target_language TEXT)"
    )
    db.execute(
        "CREATE TABLE translation_units (id INTEGER PRIMARY KEY, guid BLOB, translation_memory_id INT, "
        "source_hash INTEGER, source_segment TEXT, target_hash INTEGER, target_segment TEXT)"
    )
    db.execute("INSERT INTO translation_memories VALUES (1, x'00', 'm', ?, ?)", languages)
    for unit in units:
        db.execute(
            "INSERT INTO translation_units (translation_memory_id, source_segment, target_segment) VALUES (1, ?, ?)",
            unit,
        )
    for statement in statements:
        db.execute(statement)
    db.commit()
    return db.serialize()


def read(data: bytes) -> MemoryFile:
    return read_memory(data, "m.sdltm", "en", "de")


def test_units_are_read_with_codes_as_tags_and_damaged_ones_are_named():
    press = (
        segment(text("Press "), BOLD.format(4), text("OK"), END, text(" for "), FIELD),
        segment(FIELD, text(" lang "), BOLD.format(4), text("OK"), END, text(" drücken")),
    )
    broken = ("<Segment><Elements>", segment(text("x")))
    found = read(memory([PAIR, press, broken, (None, b"\0"), (segment(), segment())]))
    assert found.pairs == [
        ("A & B", "A und B"),
        ("Press {1}OK{/1} for {2}", "{2} lang {1}OK{/1} drücken"),
    ]
    assert found.notes == ["Unreadable units, left out (2): 3, 4."]


def test_database_with_a_write_ahead_log_is_read():
    data = bytearray(memory([PAIR]))
    data[18:20] = b"\2\2"
    assert read(bytes(data)).pairs == [("A & B", "A und B")]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (("DROP TABLE translation_units",), "not a translation memory of Trados"),
        (  # a view in place of the table would run what it selects
            ("DROP TABLE translation_units", "CREATE VIEW translation_units AS SELECT 1 AS id, load_extension('x')"),
            "not a translation memory of Trados",
        ),
        (("ALTER TABLE translation_units DROP COLUMN target_segment",), "is damaged .*export it as TMX"),
        (
            (  # a column that is computed when it is read
                "ALTER TABLE translation_units DROP COLUMN target_segment",
                "ALTER TABLE translation_units ADD COLUMN target_segment AS (hex(zeroblob(1000000000)))",
            ),
            "is damaged",
        ),
    ],
)
def test_hostile_database_is_refused(statements: tuple[str, ...], message: str):
    with pytest.raises(DocumentError, match=message):
        read(memory([PAIR], *statements))


def test_other_languages_and_damaged_files_are_refused():
    with pytest.raises(DocumentError, match="no units in both “en” and “de”"):
        read(memory([PAIR], languages=("en-US", "fr-FR")))
    data = memory([PAIR] * 200)
    odd_name = data.replace(b"CREATE", b"CR\x93ATE", 1)  # SQLite quotes it in its message
    for damaged in (data[:100], data[: len(data) // 2], data[:4096] + b"\xff" * (len(data) - 4096), odd_name):
        with pytest.raises(DocumentError, match=r"m\.sdltm"):
            read(damaged)


def test_memory_without_any_pair_is_refused():
    for units, message in (
        ((), "no units in both"),
        ([("<damaged", "<damaged")] * 2, "none of its units can be read \\(2"),
    ):
        with pytest.raises(DocumentError, match=message):
            read(memory(units))
