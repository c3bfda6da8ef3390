"""Front matter of Markdown: PyYAML, tomllib and json read the same keys and the new texts, and all other bytes stay."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.read_file import read_document
from tests.app.work import growth

YAML = [  # value of the title, its segments, translation of the first one, value with it
    ("The page", ["The page"], "Die Seite", "Die Seite"),
    ("The page", ["The page"], "Seite: eins", '"Seite: eins"'),
    ("The page", ["The page"], '"Seite" #1', '"\\"Seite\\" #1"'),
    ("The page # comment", ["The page"], "Die Seite", "Die Seite # comment"),
    ("&x The page", ["The page"], "Die Seite", "&x Die Seite"),
    ("The page\n  goes on", ["The page goes on"], "Die Seite", "Die Seite"),
    ("The *page* & `code`", ["The *page* & `code`"], "*Seite*", '"*Seite*"'),
    ('"The page. Two"', ["The page. Two"], 'Die "Seite"', '"Die \\"Seite\\""'),
    ('"a \\"b\\" \\u00e9\\\n  c"', ['a "b" éc'], 'A "b"', '"A \\"b\\""'),
    ('"a\n\n  b"', [r"a\nb"], r"A\nb", r'"A\nb"'),
    ("'The page'", ["The page"], "Die 'Seite'", "'Die ''Seite'''"),
    ("'The pump''s\n  page'", ["The pump's page"], "Geht's", "'Geht''s'"),
    ("' The page '", ["The page"], "Die Seite", "' Die Seite '"),
    (">-\n  The page\n  goes on\n\n  Two", ["The page goes on", "Two"], "Die: Seite", ">-\n  Die: Seite\n\n  Two"),
    ("|  # comment\n  One\n  Two", ["One", "Two"], "- 'Eins'", "|  # comment\n  - 'Eins'\n  Two"),
    ("[a, b]", [], "", ""),
    (">", [], "", ""),
    ("2026", [], "", ""),
    ("*none", [], "", ""),
]


@pytest.mark.parametrize(("value", "sources", "translation", "written"), YAML)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_title_in_yaml_is_a_segment(
    value: str, sources: list[str], translation: str, written: str, line_end: str
) -> None:
    page = f"---\ndate: 2026\ntitle: {value}\ndraft: yes\n---\n\nText\n".replace("\n", line_end)
    document = read_document(page.encode(), "a.md")
    assert [segment.source for segment in document.segments] == [*sources, "Text"]
    assert document.coverage is not None and document.coverage.percent == 100
    assert document.export({segment.index: segment.source for segment in document.segments}).decode() == page
    if sources:
        old, new = value.replace("\n", line_end), written.replace("\n", line_end)
        assert document.export({0: translation}).decode() == page.replace(old, new)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_dots_end_yaml_that_begins_in_the_second_line(line_end: str) -> None:
    page = "---\ntitle: One\n...\n\nText\n\n---\n\nMore\n".replace("\n", line_end)
    document = read_document(page.encode(), "a.md")
    assert [segment.source for segment in document.segments] == ["One", "Text", "More"]
    assert document.export({0: "Eins"}).decode() == page.replace("One", "Eins")
    for prose in ["---\n\nText\n\n...\n", '+++\ntitle = "One"\nx = """\n...\n"""\n+++\nText\n']:
        document = read_document(prose.encode(), "a.md")
        assert "Text" in [segment.source for segment in document.segments]


def test_titles_at_any_depth_are_segments_and_other_values_are_not() -> None:
    page = """---
hero:
  name: My text
  title: One
  items:
    - {description: Two, id: three}
title_x: no text
---
Text
"""
    document = read_document(page.encode(), "a.md")
    assert [(segment.source, segment.note) for segment in document.segments] == [
        ("One", "hero.title"),
        ("Two", "hero.items.0.description"),
        ("Text", ""),
    ]


TOML = r'''+++
# title = "comment"
date = 2026-01-01
title = 'The "page"'  # comment
text = """
title = "no key"
"""
summary = """
One "two"
three"""
[params]
description = "Say \"it\""
seo = { subtitle = "Sub", id = "x" }
[[items]]
params.title = <<<It's>>>
+++

Text
'''.replace("<<<", "'''").replace(">>>", "'''")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_texts_of_toml_are_segments(line_end: str) -> None:
    page = TOML.replace("\n", line_end)
    document = read_document(page.encode(), "a.md")
    assert [segment.source for segment in document.segments] == [
        'The "page"',
        r'One "two"\nthree',
        'Say "it"',
        "Sub",
        "It's",
        "Text",
    ]
    assert document.coverage is not None and document.coverage.percent == 100
    assert document.export({segment.index: segment.source for segment in document.segments}).decode() == page
    texts = {0: "Die 'Seite'", 1: r'Eins\n"zwei" \\', 2: 'Sag "es"', 3: r"a\tb", 4: "Los geht's"}
    written = document.export(texts).decode().replace(line_end, "\n")
    assert written == (
        TOML.replace("'The \"page\"'", "\"Die 'Seite'\"")
        .replace('One "two"\nthree', r"Eins%\"zwei\" \\".replace("%", "\n"))
        .replace(r"Say \"it\"", r"Sag \"es\"")
        .replace("Sub", r"a\tb")
        .replace("It's", "Los geht's")
    )
    assert tomllib.loads(written.split("+++")[1])["summary"] == 'Eins\n"zwei" \\'


def test_texts_of_json_are_segments() -> None:
    page = '{\n  "title": "The \\"page\\"",\n  "id": "x",\n  "a": [{"description": "One"}]\n}\n\nText {\n'
    document = read_document(page.encode(), "a.md")
    assert [segment.source for segment in document.segments] == ['The "page"', "One", "Text {"]
    assert document.coverage is not None and document.coverage.percent == 100
    assert document.export({1: '"Eins"'}).decode() == page.replace("One", r"\"Eins\"")


@pytest.mark.parametrize("page", ["{% raw %}\n\nText\n", "{}x\n", '{"title": "a"} b\n', "{{< note >}} Text\n"])
def test_braces_at_the_start_of_a_page_are_not_front_matter(page: str) -> None:
    document = read_document(page.encode(), "a.md")
    assert not document.notes
    assert document.segments[0].start == 0 or page.startswith("{%")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("---\na: 1\ntitle: {{ x }} y\n---\n\nText\n", "a.md, line 3, column 16: this is not valid YAML"),
        ("+++\na = 1\ntitle = x\n+++\n\nText\n", "a.md: this is not valid TOML (Invalid value (at line 3, column 9))"),
        ("+++\na = " + "[" * 5_000 + "\n+++\n\nText\n", "a.md: this is not valid TOML"),
        ("---\na: " + "[" * 5_000 + "\n---\n\nText\n", "a.md is nested more than 100 levels deep"),
    ],
)
def test_front_matter_that_is_not_valid_stays_with_a_note(page: str, message: str) -> None:
    document = read_document(page.encode(), "a.md")
    assert [segment.source for segment in document.segments] == ["Text"]
    assert len(document.notes) == 1 and f"front matter are not offered: {message}" in document.notes[0]
    assert document.export({0: "Neu"}).decode() == page.replace("Text", "Neu")


VALUES = st.text(st.sampled_from("aZ ü'\"\\:#-[]{}%,&*!|>\t?"), max_size=12)


@given(VALUES, VALUES, st.sampled_from(["yaml", "toml", "json"]))
def test_other_libraries_read_the_translations(value: str, new: str, kind: str) -> None:
    assume("{\t" not in value)  # with a letter behind it, the share of offered text counts it as a placeholder
    content: dict[str, Any] = {"title": value, "id": value}
    page = {
        "yaml": f"---\n{yaml.safe_dump(content)}---\n",
        "toml": f"+++\ntitle = {json.dumps(value)}\nid = {json.dumps(value)}\n+++\n",
        "json": json.dumps(content) + "\n",
    }[kind]
    document = read_document(f"{page}\nText\n".encode(), "a.md")
    assert all("other fields" in note for note in document.notes)
    if len(document.segments) < 2:
        assert not any(map(str.isalpha, value))
        return
    shown = new.strip().replace("\\", "\\\\").replace("\t", "\\t")
    exported = document.export({0: shown}).decode().removesuffix("\nText\n")
    read: dict[str, str] = {
        "yaml": lambda: yaml.safe_load(exported.removesuffix("---\n")),
        "toml": lambda: tomllib.loads(exported.strip("+\n")),
        "json": lambda: json.loads(exported),
    }[kind]()
    assert read["title"].strip() == new.strip() or shown == document.segments[0].source
    assert read["id"] == value


@pytest.mark.parametrize(
    "part",
    ["+++\ntitle = ", "title = '''", 'title = """x" ', "a.", "a = {", "#", "---\n", "title: 'a\n", "- ", '{"a":', "{,"],
)
@pytest.mark.parametrize("start", ["---\n", "+++\n", '{"title": "'])
def test_reading_takes_linear_time(start: str, part: str) -> None:
    def read(size: int) -> None:
        for end in ("", "\n---\n", "\n+++\n"):
            with suppress(DocumentError):
                read_document((start + part * size + end + "\nText\n").encode(), "a.md")

    assert growth(read, 500) < 2.5


FIELDS_OF_A_LIST = [
    ("---\ntags: [pump, 'red hose']\nkeywords:\n  - valve\ncategories: [a]\n---\n", ["pump", "red hose", "valve"]),
    (
        '+++\ntags = ["pump", \'red hose\'] # ["x"]\nids = ["pump"]\n[a]\nkeywords = [\n  "valve",\n]\n+++\n',
        ["pump", "red hose", "valve"],
    ),
    ('{"tags": ["pump"], "a": {"keywords": ["valve", 1]}, "ids": ["x"]}\n', ["pump", "valve"]),
]  # fmt: skip


@pytest.mark.parametrize(("front", "items"), FIELDS_OF_A_LIST)
def test_items_of_lists_of_keywords_are_segments(front: str, items: list[str]) -> None:
    document = read_document(f"{front}\nText\n".encode(), "a.md")
    assert [segment.source for segment in document.segments] == [*items, "Text"]
    assert document.export({0: "Pumpe"}).decode() == f"{front}\nText\n".replace("pump", "Pumpe", 1)


@pytest.mark.parametrize(
    "front",
    [
        "---\nbio: She likes old pumps.\nid: the-old-pump\n---\n",
        '+++\nbio = "She likes old pumps."\n+++\n',
        '{"bio": "She likes old pumps.", "id": "x"}\n',
    ],
)
def test_sentence_in_another_field_is_named(front: str) -> None:
    document = read_document(f"{front}\nText\n".encode(), "a.md")
    assert [str(remark) for remark in document.notes] == [
        "Not offered: other fields of the front matter, such as “She likes old pumps.”."
    ]
