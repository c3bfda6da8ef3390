"""The preview of each format: which blocks a document has, and which segments are in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from docx import Document as WordDocument

from app.formats.documents import Document
from app.formats.markup.html_blocks import OpenBlocks
from app.formats.preview import PreviewBlock, preview_of
from app.formats.read_file import read_document
from app.formats.split_merge import split_segment
from tests.app.formats import test_docx, test_odf, test_pptx, test_xlsx
from tests.fuzz.samples import documents

MARKDOWN = """---
title: Lights
---
# The router

Press the button. Wait.

- One
  1. Two

| Light | Meaning |
|---|---|
| Green | It works. Use it. |

```sh
make run
```
"""
PAGE = """<h2>Lights</h2><p>Press <b>OK</b>. Wait.<ul><li>One<li>Two<ol><li>Three</ol></ul><pre>make &lt;run&gt;</pre>
<table><tr><th>Light<th>Meaning<tr><td>Green<td><p>It works.</p><p>Use it.</table><p><img alt="A door">"""
SUBTITLES = """1
00:00:01,000 --> 00:00:02,000
The router saves

2
00:00:02,500 --> 00:00:04,000
the file.

3
00:00:05,000 --> 00:00:06,000
- Where?
- Here.
"""
ASS = "[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.50,Hello there.\n"


def lines(document: Document) -> list[str]:
    """Each block as a line: kind, level, label, and the texts in it, with | between cells."""
    shown = []
    for block in preview_of(document):
        texts = [texts_of(document, block["segments"]), *([block["text"]] if "text" in block else [])]
        if block["kind"] == "row":
            cells = [""] * block["num_columns"]
            for cell in block["cells"]:
                cells[cell["column"]] = texts_of(document, cell["segments"])
            texts = ["|".join(cells)]
        head = f"{block['kind']}{block.get('level', '')}"
        shown.append(f"{head} <{block['label']}> {''.join(texts)}" if "label" in block else f"{head} {''.join(texts)}")
    return [line.rstrip() for line in shown]


def texts_of(document: Document, indices: Sequence[int]) -> str:
    return " ".join(document.segments[index].source for index in indices)


def segments_of(block: PreviewBlock) -> list[int]:
    return block["segments"] + [index for cell in block.get("cells", ()) for index in cell["segments"]]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", "One. Two.\n\nThree.", ["paragraph One. Two.", "paragraph Three."]),
        (
            "a.md",
            MARKDOWN,
            [
                "entry <title> Lights", "heading1 The router", "paragraph Press the button. Wait.",
                "item1 One", "item2 Two", "row Light|Meaning", "row Green|It works. Use it.", "code make run",
            ],
        ),
        (
            "a.html",
            PAGE,
            [
                "heading2 Lights", "paragraph Press {1}OK{/1}. Wait.", "item1 One", "item1 Two", "item2 Three",
                "code make <run>", "row Light|Meaning", "row Green|It works. Use it.", "entry <alt> A door",
            ],
        ),
        (
            "a.srt",
            SUBTITLES,
            [
                "subtitle <00:00:01,000 – 00:00:04,000> The router saves the file.",
                "subtitle <00:00:05,000 – 00:00:06,000> - Where? - Here.",
            ],
        ),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000 line:0\nHello.", ["subtitle <00:01.000 – 00:02.000> Hello."]),
        ("a.ass", ASS, ["subtitle <0:00:01.00 – 0:00:02.50> Hello there."]),
        ("a.properties", "# Shown first\nmenu.open=Open it", ["entry <Key: menu.open · Shown first> Open it"]),
        ("a.csv", "source,target\nOne,\nTwo,Zwei\n", ["paragraph One", "paragraph Two"]),
    ],
)  # fmt: skip
def test_text_formats(name: str, data: str, expected: list[str]) -> None:
    assert lines(read_document(data.encode(), name)) == expected


def word_with_lists() -> bytes:
    word = WordDocument()
    word.add_heading("Lights", 0)
    word.add_heading("The router", 2)
    item = word.add_paragraph("Press the button.")
    numbering = item._p.get_or_add_pPr().get_or_add_numPr()
    numbering.get_or_add_ilvl().val = 1
    table = word.add_table(1, 2)
    table.cell(0, 0).text = "Green"
    table.cell(0, 1).text = "It works."
    table.cell(0, 1).add_paragraph("Use it.")
    return test_docx.saved(word)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        (
            "a.docx",
            word_with_lists(),
            ["heading1 Lights", "heading2 The router", "item2 Press the button.", "row Green|It works. Use it."],
        ),
        (
            "b.docx",
            test_docx.sample(),
            [
                "heading1 Getting started", "paragraph Press {1}OK{/1} now. The second {1}sentence {/1}is here.",
                "paragraph Name: Value Next line", "row Cell one", "part <header>", "paragraph The header",
            ],
        ),
        (
            "a.odt",
            test_odf.sample(),
            [
                "heading1 Set up the router",
                "paragraph Press {1}OK{/1} & wait   here. {1} Then {2}read on{/2}.", "paragraph See page 5.",
                "paragraph Left Right", "paragraph A red door", "paragraph In the box", "row Door",
                "part <headers and footers>", "paragraph The header",
            ],
        ),
        (
            "a.xlsx",
            test_xlsx.sample(),
            [
                "part <Parts & more>", "row Open the door. Close it.|4711-B", "row Press {1}OK{/1} now <or> later|",
                "row First line Second line|", "row Padded|", "part <Table>", "row Door|red", "row Lid|",
            ],
        ),
    ],
)  # fmt: skip
def test_office_formats(name: str, data: bytes, expected: list[str]) -> None:
    assert lines(read_document(data, name)) == expected


def test_slides_have_titles_lists_tables_and_notes() -> None:
    shown = lines(read_document(test_pptx.sample(), "a.pptx"))
    assert shown[:2] == ["part <slide 1>", "heading2 Set up the router"]
    assert shown[2] == "item1 Press the {1}red{/1} button & wait <now>."
    assert "row Light|Meaning" in shown and "part <notes of slide 3>" in shown


def test_each_segment_of_each_sample_is_in_one_block() -> None:
    for ending, files in documents().items():
        for data in files:
            document = read_document(data, f"a.{ending}")
            indices = [index for block in preview_of(document) for index in segments_of(block)]
            assert sorted(indices) == sorted(document.order), ending


def test_split_segment_is_behind_its_first_part() -> None:
    document = read_document(b"One, two. Three.", "a.txt")
    first, second = split_segment(document, 0, 5)
    split = replace(document, segments=(first, document.segments[1], replace(second, index=2)))
    assert [block["segments"] for block in preview_of(split)] == [[0, 2, 1]]


def test_many_open_elements_take_constant_time_each() -> None:
    blocks = OpenBlocks()
    for _ in range(20_000):
        for name in ("ul", "li", "table", "tr", "td"):
            blocks.tag(name, is_end=False)
    for _ in range(100_000):
        blocks.tag("tr", is_end=False)
    assert blocks.current.row[1] == 120_000
