"""Limits of length: what the files state, what is counted, and that the log and the written files keep them."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.checks import findings_in
from app.cli.translate import shortened
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.jsonl import read_jsonl, session_jsonl
from app.segments.state import SegmentState
from app.text.text_limits import TextLimits, packed, unpacked
from engine import Hypothesis

FILE_1 = """<xliff version="1.2"><file source-language="en" target-language="de" original="a" datatype="x"><body>
{units}
</body></file></xliff>"""
FILE_2 = """<xliff version="2.1" srcLang="en" trgLang="de" xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0">
<file id="f"><slr:profiles generalProfile="{profile}"><slr:normalization general="nfc"/></slr:profiles>
<unit id="u" slr:sizeRestriction="{size}">{segments}</unit></file></xliff>"""
SEGMENT = "<segment><source>Open</source></segment>"
CASES = [
    ('<trans-unit id="1" maxwidth="9" size-unit="char"><source>Open</source></trans-unit>', [9], 0, "of the unit"),
    (
        '<group maxwidth="9" size-unit="char"><trans-unit id="1"><source>Open</source></trans-unit>'
        '<trans-unit id="2" maxwidth="5" size-unit="char"><source>Save</source></trans-unit></group>',
        [9, 5],
        0,
        "of the group, unless the unit has its own",
    ),
    ('<trans-unit id="1" maxwidth="9"><source>Open</source></trans-unit>', [0], 1, "pixels are the default unit"),
    ('<trans-unit id="1" mq:maxlengthchars="9"><source>Open</source></trans-unit>', [9], 0, "of memoQ"),
    ('<trans-unit id="1" maxwidth="many" size-unit="char"><source>A</source></trans-unit>', [0], 1, "no number"),
    (
        '<trans-unit id="1" maxwidth="9" size-unit="char"><source>A. B.</source><seg-source>'
        '<mrk mtype="seg" mid="0">A.</mrk> <mrk mtype="seg" mid="1">B.</mrk></seg-source></trans-unit>',
        [0, 0],
        1,
        "one limit for two segments",
    ),
]


@pytest.mark.parametrize(("units", "expected", "num_unchecked", "why"), CASES)
def test_limits_of_xliff_1_are_read_and_others_counted(units: str, expected: list[int], num_unchecked: int, why: str):
    document = read_document(FILE_1.format(units=units).encode(), "a.xlf")
    assert [one.limits.max_characters if one.limits else 0 for one in document.segments] == expected, why
    assert any(f"({num_unchecked} in this file)" in note for note in document.notes) == bool(num_unchecked), why


@pytest.mark.parametrize(
    ("profile", "size", "segments", "expected"),
    [
        ("xliff:codepoints", "9", SEGMENT, [9]),
        ("xliff:codepoints", "2,9", SEGMENT, [9]),
        ("xliff:codepoints", "2,*", SEGMENT, [0]),
        ("other:pixels", "9", SEGMENT, [0]),
        ("xliff:codepoints", "9", SEGMENT + SEGMENT, [0, 0]),
    ],
)
def test_limits_of_xliff_2_apply_only_to_units_with_one_segment(
    profile: str, size: str, segments: str, expected: list[int]
):
    document = read_document(FILE_2.format(profile=profile, size=size, segments=segments).encode(), "a.xlf")
    assert [one.limits.max_characters if one.limits else 0 for one in document.segments] == expected
    assert all(one.limits.normalization == "NFC" for one in document.segments if one.limits)


def test_written_xliff_keeps_its_limits():
    data = FILE_1.format(units=CASES[0][0]).encode()
    written = read_document(data, "a.xlf").export({0: "Öffnen Sie alles"})
    assert b'maxwidth="9" size-unit="char"' in written
    assert read_document(written, "a.xlf").segments[0].limits == TextLimits(9)


@pytest.mark.parametrize("name", ["maxlength", "Max. length", "CHARACTER_LIMIT", "Max. Zeichen", "max-length"])
def test_a_column_of_a_table_has_the_limits(name: str):
    data = f'source,target,{name}\nOpen,,10\n"a\nb",,3\nc,,long\n'.encode()
    document = read_document(data, "a.csv")
    limits = [one.limits for one in document.segments]
    assert limits == [TextLimits(10), TextLimits(3, tags=(("1", 1),)), None]
    assert "Length limits that are not whole numbers are ignored: 1 in this file." in document.notes
    assert not any("Not offered" in note for note in document.notes)
    assert f",{name}".encode() in document.export({0: "Auf"})


COUNTS = [
    (TextLimits(9), "Größe", 5, "letters"),
    (TextLimits(9), "👍🏽", 2, "code points, not what is drawn"),
    (TextLimits(9), "o\u0308", 2, "as they are"),
    (TextLimits(9, "NFC"), "o\u0308", 1, "composed"),
    (TextLimits(9, "NFD"), "ö", 2, "decomposed"),
    (TextLimits(9, tags=(("1", 0),)), "{1}Auf{/1}{2}", 6, "tags count nothing, other braces are text"),
    (TextLimits(9, tags=(("1", 1),)), "a{1}b", 3, "a line break"),
]


@pytest.mark.parametrize(("limits", "text", "expected", "why"), COUNTS)
def test_code_points_are_counted(limits: TextLimits, text: str, expected: int, why: str):
    assert limits.num_characters(text) == expected, why
    if limits.normalization:
        assert len(unicodedata.normalize(limits.normalization, text)) == expected


def test_only_a_text_that_is_too_long_is_an_error():
    limits = TextLimits(6)
    assert not findings_in("Open", "Öffnen", "en-de", limits=limits)
    (finding,) = findings_in("Open", "Öffnen!", "en-de", limits=limits, off=["punctuation"])
    assert finding.message == "Characters above the limit of 6"
    assert finding.is_error
    assert not findings_in("Open", "Öffnen!", "en-de", limits=limits, off=["punctuation", "limits"])


def test_the_log_and_its_export_keep_the_limits(tmp_path: Path):
    units = CASES[0][0] + '<trans-unit id="2"><source>Save</source></trans-unit>'
    document = read_document(FILE_1.format(units=units).encode(), "a.xlf")
    with_log = LogStore.open(tmp_path / "log.sqlite")
    session = with_log.start_session(OWNER, document, "en-de")
    loaded = with_log.load_session(OWNER, session.id)
    assert [one.limits for one in loaded.document.segments] == [TextLimits(9), None]
    assert [one.limits for one in loaded.segments] == [TextLimits(9), None]
    exported = session_jsonl(OWNER, with_log, session.id).data
    record, _ = read_jsonl(exported, "log.jsonl")
    assert [one.limits for one in record.document.segments] == [TextLimits(9), None]
    with_log.close()


def test_the_best_translation_that_fits_is_taken():
    long, lacking, short = (
        Hypothesis(text, score, score, (), (), (), unmet=unmet)
        for text, score, unmet in [("Alles öffnen", -1.0, ()), ("Auf", -1.5, (0,)), ("Öffnen", -2.0, ())]
    )
    segment = SegmentState(0, "Open", 1, limits=TextLimits(6))
    assert shortened(segment, [long, lacking, short]) == short
    assert shortened(segment, [long, lacking]) == long
    assert shortened(SegmentState(0, "Open", 1), [long, short]) == long


@pytest.mark.parametrize("limits", [None, TextLimits(9), TextLimits(9, "NFD", (("1", 0), ("2", 1)))])
def test_packed_limits_are_read_back(limits: TextLimits | None):
    assert unpacked(packed(limits)) == limits
