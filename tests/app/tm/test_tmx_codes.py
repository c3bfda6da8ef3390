"""Inline codes of TMX: numbered tags on the way in, codes on the way out, the same texts after both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.base import RawTags
from app.formats.read_file import read_document
from app.formats.xml_text import tree
from app.tm.entries import MemoryEntry
from app.tm.index import MemoryIndex
from app.tm.memory_file import read_memory
from app.tm.tmx_codes import pairs_in, seg, texts_of
from app.tm.tmx_memory import write_tmx
from tests.app.formats.test_docx import sample as word_sample
from tests.app.formats.test_xliff import V1

B, END_B = '<bpt i="1">&lt;b></bpt>', '<ept i="1">&lt;/b></ept>'


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (f"Press {B}OK{END_B}.", f"{B}OK{END_B} drücken.", ("Press {1}OK{/1}.", "{1}OK{/1} drücken.")),
        (f"{B}All bold{END_B}", f"{B}Ganz fett{END_B}", ("All bold", "Ganz fett")),
        (f"{B}All bold{END_B}", "Nicht fett", ("{1}All bold{/1}", "Nicht fett")),
        ('A<ph x="1">br</ph>B <hi type="x">C</hi>', "<hi>C</hi> A<ph>br</ph>B", ("A{1}B {2}C{/2}", "{2}C{/2} A{1}B")),
        # The same codes in another order, with other numbers.
        ('<ph x="1">a</ph> or <ph x="2">b</ph>', '<ph x="7">b</ph> ob <ph x="8">a</ph>', ("{1} or {2}", "{2} ob {1}")),
        ("No code {1} %s", 'Kein <it pos="begin">x</it> {1} %s', ("No code {1} %s", "Kein {2} {1} %s")),
        (f"One {B}without its end", f"Ein {B}ohne Ende", ("One {1}without its end", "Ein {1}ohne Ende")),
        ("A <ut>x</ut> <sub>y</sub>", "B", ("A {1} {2}", "B")),
    ],
)  # fmt: skip
def test_codes_become_tags(source: str, target: str, expected: tuple[str, str]):
    assert texts_of(tree(f"<seg>{source}</seg>"), tree(f"<seg>{target}</seg>")) == expected


TAGS: RawTags = {"1": ("<b>", "</b>"), "2": ("<br/>", None), "3": ("<a href='?x&y'>", "</a>")}
PARTS = st.lists(st.sampled_from(["{1}", "{/1}", "{2}", "{3}", "{/3}", "{9}", "a", " & ", "<c>"]), max_size=9)


@given(PARTS)
def test_written_file_is_well_formed_and_has_each_code_once(parts: list[str]):
    text = "".join(parts)
    node = tree(seg(text, TAGS))
    codes = [(code.local, code.attributes.get("i")) for code in node.nodes()]
    starts = [i for name, i in codes if name == "bpt"]
    assert sorted(starts) == sorted(i for name, i in codes if name == "ept") and len(set(starts)) == len(starts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Press {1}OK{/1} & wait{2}",
            '<seg>Press <bpt i="1" x="1">&lt;b&gt;</bpt>OK<ept i="1">&lt;/b&gt;</ept> &amp; wait'
            '<ph x="2">&lt;br/&gt;</ph></seg>',
        ),
        ("{/1}turned{1}", '<seg><it pos="end" x="1">&lt;/b&gt;</it>turned<it pos="begin" x="1">&lt;b&gt;</it></seg>'),
        ("{0} files in {9}", "<seg>{0} files in {9}</seg>"),
    ],
)  # fmt: skip
def test_tags_become_codes(text: str, expected: str):
    assert seg(text, TAGS) == expected


def test_lone_braces_of_a_memory_are_kept_as_text():
    assert pairs_in("{1}OK{/1} {0} {2}") == {"1": ("{1}", "{/1}")}


def test_memory_written_and_read_has_the_same_texts():
    pairs = [("Press {1}OK{/1} in {0}.", "In {0} {1}OK{/1} drücken."), ("A & <b>", "B & <b>")]
    assert (
        read_memory(write_tmx([MemoryEntry(*pair) for pair in pairs], "en", "de"), "a.tmx", "en", "de").pairs == pairs
    )


@pytest.mark.parametrize(
    ("entry", "source", "target"),
    [
        (("Press {1}OK{/1}.", "{1}OK{/1} drücken."), "Press {2}OK{/2}.", "{2}OK{/2} drücken."),
        (("Press {1}OK{2}.", "{1}OK{2} drücken."), "Press {1}OK{/1}.", "{1}OK{/1} drücken."),
        (("Press <b>OK</b>.", "<b>OK</b> drücken."), "Press {1}OK{/1}.", "{1}OK{/1} drücken."),
        (("Press {1}OK{/1}.", "{1}OK{/1} drücken."), "Press <b>OK</b>.", "<b>OK</b> drücken."),
        (("{1} and {2}", "{2} und {1}"), "{2} and {1}", "{1} und {2}"),
    ],
)
def test_match_has_the_tags_of_the_segment(entry: tuple[str, str], source: str, target: str):
    index = MemoryIndex()
    index.add(1, MemoryEntry(*entry))
    assert [match.target for match in index.exact(source)] == [target]
    assert [(match.rate, match.entry.source, match.entry.target) for match in index.matches(source)] == [
        (100, source, target)
    ]


def test_match_with_other_tags_is_not_adapted():
    index = MemoryIndex()
    index.add(1, MemoryEntry("Press {1}OK{/1} now.", "Jetzt {1}OK{/1} drücken."))
    [match] = index.matches("Press OK now.")
    assert match.rate < 100 and match.entry.target == "Jetzt {1}OK{/1} drücken."


@pytest.mark.parametrize("name", ["a.xlf", "a.docx", "a.md"])
def test_segments_of_documents_keep_their_tags_through_a_memory(name: str):
    data = {
        "a.xlf": V1.encode(),
        "a.docx": word_sample(),
        "a.md": b"Press **OK** and `x` [now](y).\n",
    }
    document = read_document(data[name], name)
    tagged = [segment for segment in document.segments if document.tags(segment.index)]
    assert tagged
    for segment in tagged:
        node = tree(seg(segment.source, document.tags(segment.index)))
        entry = MemoryEntry(*texts_of(node, node))
        index = MemoryIndex()
        index.add(1, entry)
        assert [match.target for match in index.exact(segment.source)] == [segment.source]
