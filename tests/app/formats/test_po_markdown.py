"""Markdown in PO files of po4a and mdpo is shown with tags, tables cell by cell and without code."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.documents import Document
from app.formats.read_file import read_document

HEADER = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
TABLE = "| Name | Meaning | |------|---------| | door | *big* door |"  # as po4a 0.69 writes it
LINES = r"| Name | Meaning |\n|:----:|---|\n| door | *big* \\| old door |"


def message(text: str, comment: str = "#, markdown-text", target: str = "") -> str:
    escaped = text.replace('"', '\\"')
    return f'{comment}\nmsgid "{escaped}"\nmsgstr "{target}"\n'


def document_of(*messages: str) -> Document:
    return read_document((HEADER + "\n".join(messages)).encode(), "a.po")


@pytest.mark.parametrize(
    "comment",
    [
        "#. type: Plain text\n#: a.md:4\n#, markdown-text, no-wrap",
        "#. type: Plain text\n#: docs/a.md:4",
        "#. type: Title #",
        "#. type: Bullet: '* '\n#: a.markdown:3",
        "#: a.md:block 2 (paragraph)",
        "#: a.md:block 5 (unordered list)",
    ],
)
def test_emphasis_and_links_are_tags(comment: str):
    document = document_of(message('See [the **manual**](a.md "Tip") for `OK`.', comment))
    assert document.segments[0].source == "See {1}the {2}manual{/2}{/1} for `OK`."
    assert document.tags(0) == {"1": ("[", '](a.md "Tip")'), "2": ("**", "**")}
    written = document.export({0: "Für `OK` siehe {1}das {2}Handbuch{/2}{/1}."}).decode()
    assert 'msgstr "Für `OK` siehe [das **Handbuch**](a.md \\"Tip\\")."' in written


@pytest.mark.parametrize(
    "comment", ["#. type: Plain text\n#: a.adoc:4", "#: src/a.c:4", "#. type: Content of: <p>\n#: a.html:3"]
)
def test_other_messages_are_not_markdown(comment: str):
    document = document_of(message("Use *all* of it.", comment))
    assert document.segments[0].source == "Use *all* of it."


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        (r"print(1)\n", "#. type: Fenced code block (python)\n#: a.md:9\n#, no-wrap"),
        (r"print(1)\n", "#. type: Fenced code block\n#, no-wrap"),
        (r"    make all\n\n    make test\n", "#. type: Plain text\n#, markdown-text, no-wrap"),
        (r"\tmake all", "#, markdown-text"),
        ("make all", "#: a.md:block 3 (code)"),
    ],
)
def test_code_is_not_offered(text: str, comment: str):
    document = document_of(message(text, comment), message("Open."))
    assert [segment.source for segment in document.segments] == ["Open."]
    assert message(text, comment) in document.export({0: "Öffnen."}).decode()


@pytest.mark.parametrize(
    ("table", "cells", "written"),
    [
        (
            TABLE,
            ["Name", "Meaning", "door", "{1}big{/1} door"],
            "| N | B | |------|---------| | T | *große* Tür |",
        ),
        (LINES, ["Name", "Meaning", "door", r"{1}big{/1} \\| old door"], None),
    ],
)
def test_cells_of_a_table_are_segments(table: str, cells: list[str], written: str | None):
    document = document_of(message(table))
    sources = [segment.source for segment in document.segments]
    assert sources == cells
    if written:
        exported = document.export({0: "N", 1: "B", 2: "T", 3: "{1}große{/1} Tür"}).decode()
        assert f'msgstr "{written}"' in exported and "fuzzy" not in exported
    document = document_of(message(table, target=table))
    assert [segment.target for segment in document.segments] == sources
    partly = document_of(message(table)).export({0: "Die | Namen"}).decode()
    assert "#, fuzzy, markdown-text" in partly and r"| Die \\| Namen | Meaning |" in partly
    assert read_document(partly.encode(), "a.po").segments[0].target == r"Die \\| Namen"


def test_tags_of_a_given_translation_have_the_numbers_of_the_source():
    document = document_of(message("A *big* and **old** door", target="Eine **alte**, *große* Tür mit ~~Griff~~"))
    assert document.segments[0].target == "Eine {2}alte{/2}, {1}große{/1} Tür mit {3}Griff{/3}"
    written = document.export({0: "Tür, {1}groß{/1}, {3}kein{/3}"}).decode()
    assert 'msgstr "Tür, *groß*, ~~kein~~"' in written


PARTS = st.sampled_from(["a", " ", "{1}", "{/1}", "|", "*", "\\", "`", '"', "ä", "{2}"])


@given(st.lists(st.lists(PARTS, min_size=1, max_size=6).map("".join), min_size=4, max_size=4))
def test_table_keeps_its_form_with_any_translation(texts: list[str]):
    document = document_of(message(TABLE))
    written = document.export({index: f"x{text}x" for index, text in enumerate(texts)})
    again = read_document(written, "a.po")
    assert [segment.source for segment in again.segments] == [segment.source for segment in document.segments]


@pytest.mark.skipif(shutil.which("po4a-updatepo") is None, reason="po4a is not installed (Debian package po4a)")
def test_po4a_makes_the_translated_markdown(tmp_path: Path):
    source = "# Open the *door*\n\nText with **bold** here.\n\n    code\n\n"
    source += "| Name | Use |\n|------|-----|\n| door | *big* |\n"
    (tmp_path / "a.md").write_text(source)
    options = ["-f", "text", "-o", "markdown", "-m", "a.md", "-M", "UTF-8", "-p", "a.po"]
    subprocess.run(["po4a-updatepo", *options], cwd=tmp_path, check=True, capture_output=True)
    document = read_document((tmp_path / "a.po").read_bytes(), "a.po")
    assert [segment.source for segment in document.segments] == [
        *("Open the {1}door{/1}", "Text with {1}bold{/1} here.", "Name", "Use", "door", "big"),
    ]
    upper = {segment.index: segment.source.upper() for segment in document.segments}
    (tmp_path / "a.po").write_bytes(document.export_file(upper, "de").data)
    command = ["po4a-translate", *options, "-l", "b.md", "-k", "0"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    translated = (tmp_path / "b.md").read_text()
    assert "OPEN THE *DOOR*" in translated and "TEXT WITH **BOLD** HERE." in translated and "    code" in translated
