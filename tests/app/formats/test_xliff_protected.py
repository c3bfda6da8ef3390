"""Text of XLIFF that is not to be translated is one code, and is copied letter by letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.formats.bilingual.xliff_protected import TranslateState
from app.formats.inline import Piece, with_pairs
from app.formats.read_file import read_document
from app.formats.tag_names import tag_name
from tests.app.formats.test_code_pairs import TMX, XLIFF_1

XLIFF_2 = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f">'
    "{units}</file></xliff>"
)


def unit(*sources: str, attributes: str = "") -> str:
    segments = "".join(f"<segment><source>{source}</source></segment>" for source in sources)
    return f'<unit id="u"{attributes}>{segments}</unit>'


@pytest.mark.parametrize(
    ("units", "shown"),
    [
        (unit('Open <mrk id="m" translate="no">Big Door</mrk> now.'), ["Open {1} now."]),
        (unit('Open <mrk id="m" translate="no">a <pc id="1">b</pc></mrk> now.'), ["Open {1} now."]),
        (unit('Open <sm id="m" translate="no"/>Big Door<em startRef="m"/> now.'), ["Open {1} now."]),
        (
            unit('Press <mrk id="m" translate="no">Ctrl + <mrk id="n" translate="yes">Space</mrk> Key</mrk> now.'),
            ["Press {1}{2} {3}Space{/3} {4}{/1} now."],
        ),
        # from one segment to another
        (unit('One <sm id="s" translate="no"/>two.', 'Three<em startRef="s"/> four.'), ["One {1}{2}", "{1}{/2} four."]),
        (unit('<mrk id="m" translate="no">All of it</mrk>', "This."), ["This."]),
        # inherited from the unit, and turned on again
        (
            unit('No <mrk id="m" translate="yes">but this</mrk> no', "No", attributes=' translate="no"'),
            ["{1} {2}but this{/2} {3}"],
        ),
        (unit('One <mrk id="m" translate="yes">two</mrk>'), ["One {1}two{/1}"]),
    ],
)
def test_annotations_protect_text_in_version_2(units: str, shown: list[str]):
    data = XLIFF_2.format(units=units).encode()
    document = read_document(data, "a.xlf")
    assert [segment.source for segment in document.segments] == shown
    written = etree.fromstring(document.export(dict(enumerate(shown))))
    for segment in written.iter("{*}segment"):
        texts = [
            etree.tostring(segment.find(f"{{*}}{name}"))
            for name in ("source", "target")
            if segment.find(f"{{*}}{name}") is not None
        ]
        assert len({text.replace(b"target>", b"source>").replace(b"<target", b"<source") for text in texts}) == 1


def test_protected_marks_of_version_1_are_codes_with_their_text_as_name():
    document = read_document(
        XLIFF_1.format(source='Start <mrk mtype="protected">Big Door</mrk> now.').encode(), "a.xlf"
    )
    assert document.segments[0].source == "Start {1} now."
    assert tag_name(document.tags(0)["1"][0]) == "Big Door"
    written = document.export({0: "{1} jetzt starten."}).decode()
    assert '<mrk mtype="protected">Big Door</mrk> jetzt starten.</target>' in written


PIECES = st.lists(
    st.sampled_from(
        [
            Piece("text", "a"),
            Piece("text", " "),
            Piece("lone", "<x/>"),
            *(Piece("open", f"<sm {n} {d}/>", f"mark {n}", d) for n in "12" for d in ("yes", "no", "")),
            *(Piece("close", f"<em {n}/>", f"mark {n}") for n in "12"),
        ]
    )
)


@given(PIECES, st.booleans())
def test_protection_keeps_all_content_in_order(pieces: list[Piece], translates: bool):
    paired = with_pairs(pieces)
    found, after = TranslateState(translates).applied(paired)
    assert "".join(piece.raw for piece in found) == "".join(piece.raw for piece in pieces)
    assert with_pairs(found) == found
    if translates and not any(piece.declares == "no" for piece in pieces):
        assert [piece.kind for piece in found] == [piece.kind for piece in paired]
    assert after.translates == translates


@pytest.mark.parametrize("file", [XLIFF_1, TMX])
def test_note_counts_the_texts_inside_codes(file: str):
    source = 'See <ph>&lt;img alt="<sub>A red bicycle</sub>" title="<sub>12</sub>"/&gt;</ph> here.'
    name = "a.tmx" if file is TMX else "a.xlf"
    document = read_document(file.format(source=source).encode(), name)
    assert document.notes[-1] == "Not offered: texts inside inline codes, 1 in this file."
    assert document.segments[0].source == "See {1} here."
    assert not any("codes" in note for note in read_document(file.format(source="Here.").encode(), name).notes)
