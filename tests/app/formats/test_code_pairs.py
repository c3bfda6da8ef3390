"""Codes whose begin and end are separate elements are pairs if both ends are in the segment, in XLIFF and TMX."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.formats.documents import Document
from app.formats.read_file import read_document

XLIFF_1 = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" '
    'target-language="de" datatype="x"><body><trans-unit id="1"><source>{source}</source></trans-unit></body></file>'
    "</xliff>"
)
XLIFF_2 = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f">'
    '<unit id="u"><segment><source>{source}</source></segment></unit></file></xliff>'
)
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>{source}</seg></tuv>'
    '<tuv xml:lang="de"><seg/></tuv></tu></body></tmx>'
)
FILES = {"xlf": XLIFF_1, "xliff": XLIFF_2, "tmx": TMX}
BPT, EPT = '<bpt id="1">&lt;b></bpt>', '<ept id="1">&lt;/b></ept>'
CROSSED = ('<bx id="1"/>', '<bx id="2"/>', '<ex id="1"/>', '<ex id="2"/>')


def document_of(ending: str, source: str) -> Document:
    name = {"xliff": "xlf"}.get(ending, ending)
    return read_document(FILES[ending].format(source=source).encode(), f"a.{name}")


def written(document: Document, text: str) -> str:
    """The content of the target of the only segment."""
    root = etree.fromstring(document.export({0: text}))
    target = [element for element in root.iter() if etree.QName(element).localname in ("target", "seg")][-1]
    whole = etree.tostring(target, with_tail=False, encoding="unicode")
    for uri in ("urn:oasis:names:tc:xliff:document:1.2", "urn:oasis:names:tc:xliff:document:2.0"):
        whole = whole.replace(f' xmlns="{uri}"', "")
    return whole.partition(">")[2].rpartition("<")[0].replace("&gt;", ">")


@pytest.mark.parametrize(
    ("ending", "begin", "end"),
    [
        ("xlf", BPT, EPT),
        ("xlf", '<bpt id="1" rid="5">{}</bpt>', '<ept id="2" rid="5">{}</ept>'),  # memoQ
        ("xlf", '<bx id="1"/>', '<ex id="1"/>'),
        ("xlf", '<bx id="b" rid="1"/>', '<ex id="e" rid="1"/>'),
        ("xlf", '<it id="1" pos="open">&lt;b></it>', '<it id="2" pos="close">&lt;/b></it>'),
        ("xlf", '<it id="1" rid="7" pos="open">{}</it>', '<it id="2" rid="7" pos="close">{}</it>'),
        (
            "xlf",
            '<x id="START_LINK" equiv-text="&lt;a href=&quot;x&quot;>"/>',
            '<x id="CLOSE_LINK" equiv-text="&lt;/a>"/>',
        ),
        ("xlf", '<x id="START_BOLD_TEXT_1"/>', '<x id="CLOSE_BOLD_TEXT"/>'),  # Angular
        ("xlf", '<ph id="1">&lt;span class="x"></ph>', '<ph id="2">&lt;/span></ph>'),
        ("xliff", '<sc id="1"/>', '<ec startRef="1"/>'),
        ("xliff", '<sm id="1" type="term"/>', '<em startRef="1"/>'),
        ("xliff", '<ph id="1" equiv="&lt;b>"/>', '<ph id="2" equiv="&lt;/b>"/>'),
        ("tmx", '<bpt i="1" x="1">&lt;b></bpt>', '<ept i="1">&lt;/b></ept>'),
        ("tmx", '<it pos="begin" x="1">&lt;b></it>', '<it pos="end" x="2">&lt;/b></it>'),
        ("tmx", '<ph x="1">&lt;b></ph>', '<ph x="2">&lt;/b></ph>'),
        ("tmx", "<ut>&lt;b></ut>", "<ut>&lt;/b></ut>"),
    ],
)
def test_begin_and_end_in_one_segment_are_a_pair(ending: str, begin: str, end: str):
    document = document_of(ending, f"Press {begin}OK{end} now.")
    assert document.segments[0].source == "Press {1}OK{/1} now."
    assert written(document, "Jetzt {1}OK{/1}.") == f"Jetzt {begin}OK{end}."
    missing_end = f"Jetzt {begin}OK{end}"
    assert written(document, "Jetzt {1}OK") == missing_end
    assert written(document, "Jetzt {/1}OK") == "Jetzt OK"  # an end never comes before its begin


@pytest.mark.parametrize(
    ("ending", "source", "shown"),
    [
        ("xlf", f"one {EPT} two", "one {/1} two"),
        ("xlf", f"one {BPT} two", "one {1} two"),
        ("xlf", f'{BPT}one{EPT} <ept id="2">&lt;/i></ept>two', "{1}one{/1} {/2}two"),
        ("xlf", f'{BPT}one <bpt id="2">&lt;i></bpt>two', "{1}one {2}two"),
        ("xlf", "a {}b {}c{} {}d".format(*CROSSED), "a {1}b {2}c{/1} {/2}d"),
        ("xliff", '<ec isolated="yes" id="4"/> two', "{/1} two"),
        ("tmx", '<it pos="end" x="1">&lt;/b></it> two', "{/1} two"),
        ("xlf", '<ph id="1">&lt;br></ph>a<ph id="2">&lt;img src="a"></ph>b<ph id="3">&lt;b/></ph>c', "{1}a{2}b{3}c"),
        ("xlf", '<bpt id="1"/>a<bpt id="1"/>b<ept id="1"/>c<ept id="1"/>d', "{1}a{2}b{/2}c{/1}d"),
        ("xlf", f"{BPT}all{EPT}", "all"),  # around the whole text, like <g>
    ],
)
def test_codes_without_a_pair_and_overlapping_pairs_keep_their_places(ending: str, source: str, shown: str):
    document = document_of(ending, source)
    assert document.segments[0].source == shown
    assert written(document, shown) == source


def test_lone_end_is_written_where_it_was_typed():
    document = document_of("xlf", f"one {EPT} two")
    assert written(document, "eins zwei{/1}{1}") == f"eins zwei{EPT}" + "{1}"


def test_target_without_the_end_of_a_code_keeps_the_begin_of_its_own():
    source = XLIFF_1.format(source=f"Press {BPT}OK{EPT} now.")
    data = source.replace("</source>", f'</source><target state="new">Jetzt {BPT}OK</target>').encode()
    document = read_document(data, "a.xlf")
    assert document.segments[0].target == "Jetzt {2}OK"
    assert written(document, "Nun {2}OK") == f"Nun {BPT}OK"
    assert written(document, "Nun {1}OK{/1}") == f"Nun {BPT}OK{EPT}"


PARTS = st.sampled_from(["a", "{1}", "{/1}", "{2}", "{/2}", "{3}", "{/3}", "<", "{4}", "{/4}"])


@given(st.lists(PARTS, max_size=12).map("".join))
def test_every_typed_text_gives_each_code_its_end_in_order(typed: str):
    document = document_of("xlf", "a {}b {}c{} {}d <g id='9'>e</g>".format(*CROSSED))
    target = written(document, f"x{typed}x")
    for number in "12":
        open_ones = 0
        for tag in [part.partition("/>")[0] for part in target.split("<")]:
            open_ones += (tag == f'bx id="{number}"') - (tag == f'ex id="{number}"')
            assert open_ones >= 0, target
        assert open_ones == 0, target
    assert escape("<") in target or "<" not in typed
