"""Names of inline tags: what a person reads on a chip instead of a number."""

from __future__ import annotations

import pytest

from app.formats.read_file import read_document
from app.formats.tag_names import MAX_CONTENT_CHARACTERS, named_tags, tag_name

CASES = [
    ("**", "B", "Markdown"),
    ("_", "I", "Markdown"),
    ("![", "image", "Markdown"),
    ("``git `x` ``", "git `x`", "code with a space"),
    ("<strong class='a'>", "B", "HTML"),
    ('<a href="x">', "link", "HTML"),
    ("</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>", "B", "Word"),
    ('<w:hyperlink r:id="rId4"><w:r><w:t>', "link", "Word"),
    ('<w:r><w:rPr><w:b w:val="0"/></w:rPr>', "", "Word, bold switched off"),
    ('<g id="1" ctype="x-bold">', "B", "XLIFF 1.2"),
    ('<ph id="2" equiv-text="%s"/>', "%s", "XLIFF 1.2"),
    ('<pc id="1" type="fmt" subType="xlf:b">', "B", "XLIFF 2"),
    ("<g id='7'>", "", "nothing to tell"),
    ("", "", "empty"),
]


@pytest.mark.parametrize(("raw", "name", "why"), CASES)
def test_tag_is_named_after_its_effect(raw: str, name: str, why: str) -> None:
    assert tag_name(raw) == name, why


def test_tags_of_documents_are_found_by_segment() -> None:
    text = b"Plain.\n\nOpen the **settings** and [the site](https://a.example/b) with `docker build`.\n"
    document = read_document(text, "a.md")
    assert [named_tags(document.tags(s.index)) for s in document.segments] == [
        {},
        {
            "1": {"name": "B", "content": "**…**"},
            "2": {"name": "link", "content": "[…](https://a.example/b)"},
            "3": {"name": "docker build", "content": "`docker build`"},
        },
    ]
    page = read_document(b"<p>Open <b>it</b> <em>now</em>.</p>", "a.html")
    assert [tag["name"] for tag in named_tags(page.tags(0)).values()] == ["B", "I"]
    assert read_document(b"Open {1}it{/1}.", "a.txt").tags(0) == {}


def test_long_content_is_cut() -> None:
    assert len(named_tags({"1": ("<a href='" + "x" * 999, "</a>")})["1"]["content"]) == MAX_CONTENT_CHARACTERS
