"""Markdown: text is shown, structure is kept, and another parser finds the same structure afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.formats.read_file import read_document

FILE = """---
layout: Not shown
---
# 1. First *steps*

Press `Save. Now` or **the key. There** first.  Then see [the page. Two](a.md "t") of it
  and go on.\\
A new line.

> Quoted text goes
> over two lines. And on.

- [ ] One item with &amp;
  continued here
  1. Nested!

| Name  | What \\| why |
|-------|-----------|
| Router | 10 |

```python
code = "Not shown."
```

    indented code

<div>
<p title='Its "title"'>In <b>a
  block</b></p><img alt="An image"><pre>Not shown</pre>
</div>

<p translate="no">Not shown</p>

<p>Signs * that are *Markdown* elsewhere</p>

Setext
======

[ref]: https://a.example "A title"
<!-- nor this -->
"""


def test_only_sentences_of_blocks_are_shown() -> None:
    document = read_document(FILE.encode(), "a.md")
    assert [s.source for s in document.segments] == [
        "1. First {1}steps{/1}",
        "Press {1} or {2}the key. There{/2} first.",
        "Then see {1}the page. Two{/1} of it and go on.",
        "A new line.",
        "Quoted text goes over two lines.",
        "And on.",
        "One item with &amp; continued here",
        "Nested!",
        "Name",
        r"What \| why",
        "Router",
        "In <b>a block</b>",
        "Setext",
        "t",
        'Its "title"',
        "An image",
        "A title",
    ]


def test_only_the_translated_sentences_change() -> None:
    document = read_document(FILE.encode(), "a.md")
    exported = document.export_file(
        {2: "Dann weiter.", 4: "Zitat.", 6: "Ein Punkt", 10: "Weg", 12: "Titel", 14: '"Tipp"'}, "de"
    )
    expected = (
        FILE.replace('Then see [the page. Two](a.md "t") of it\n  and go on.', "Dann weiter.")
        .replace("Quoted text goes\n> over two lines.", "Zitat.")
        .replace("One item with &amp;\n  continued here", "Ein Punkt")
        .replace("Router", "Weg")
        .replace("Setext", "Titel")
        .replace("'Its \"title\"'", "'\"Tipp\"'")
    )
    assert exported.data.decode() == expected
    assert exported.name == "a.de.md"


WRITTEN_ELSEWHERE = """# Set up {#setup .wide}

- [x] Done.[^1] Next.

> [!NOTE]
> Read this.

:::warning
Take care.
:::

!!! note "Its title"
    Under it.

Term
: Its meaning.

[^1]: For
  admins.
[^two]: More.
"""


def test_markdown_extensions_are_layout() -> None:
    document = read_document(WRITTEN_ELSEWHERE.encode(), "a.md")
    texts = [
        "Set up",
        "Done.",
        "Next.",
        "Read this.",
        "Take care.",
        "Its title",
        "Under it.",
        "Term",
        "Its meaning.",
        "For admins.",
        "More.",
    ]
    assert [s.source for s in document.segments] == texts
    written = document.export({s.index: s.source.upper() for s in document.segments}).decode()
    expected = WRITTEN_ELSEWHERE.replace("For\n  admins", "For admins")
    for text in texts:
        expected = expected.replace(text, text.upper())
    assert written == expected


MARKS = ["- x", "+ x", "* x", "> x", ">x", "# x", "1. Mai", "12) x", "a | b", "|", "-", "1."]


@pytest.mark.parametrize("typed", MARKS)
def test_translation_does_not_start_a_list_heading_quote_or_cell(typed: str) -> None:
    text = (
        "One.\nTwo here.\n\n- Item\n\n> Quote\n> goes on. End\n\nTitle\n===\n\n| Cell | Two |\n|---|---|\n| A | B |\n"
    )
    document = read_document(text.encode(), "a.md")
    written = document.export({s.index: typed for s in document.segments}).decode()
    assert blocks_of(written) == blocks_of(text)
    html = MarkdownIt("commonmark").enable("table").render(written)
    assert html.count(typed.replace(">", "&gt;")) == len(document.segments), "the reader sees what was typed"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_marks_are_kept(line_end: str) -> None:
    data = FILE.replace("\n", line_end).encode("utf-8-sig")
    document = read_document(data, "a.md")
    assert len(document.segments) == 17
    assert document.export({0: "1. Erste"}) == data.replace(b"1. First *steps*", b"1. Erste")


LINES = st.lists(
    st.sampled_from(
        ["a b. C", "# h", "- x. Y", "> q", "", "  ", "    i", "```", "| a | b |", "|-|-|", "1) n", "<b>", "\ta\t"]
    )
)


def blocks_of(text: str) -> list[str]:
    return [token.type for token in MarkdownIt("commonmark").enable("table").parse(text)]


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_any_lines_round_trip_and_keep_their_blocks_when_translated(lines: list[str], line_end: str) -> None:
    data = line_end.join(["Text first.", "", *lines]).encode()
    document = read_document(data, "a.md")
    assert document.export({s.index: s.source for s in document.segments}) == data
    for segment in document.segments:
        assert segment.source.split() == [w for w in document.text[segment.start : segment.end].split() if w != ">"]
    exported = document.export({s.index: f"Wort{s.index}" for s in document.segments}).decode()
    assert blocks_of(exported.replace("\r\n", "\n")) == blocks_of(data.decode().replace("\r\n", "\n"))


NOTES = """One.^[A *first* note. Its end.] A word^[with a
note] here. See [it](a.md "The page") or [that][ref].

![](a.png 'A picture')

> A caret^[link](b.md), \\^[none] and [x]^[open

[ref]: <b.md>
  "The second page"
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_inline_notes_and_titles_are_texts_of_their_own(line_end: str):
    text = NOTES.replace("\n", line_end)
    document = read_document(text.encode(), "a.md")
    assert [s.source for s in document.segments] == [
        "One.",
        "A word{1} here.",
        "See {1}it{/1} or {2}that{/2}.",
        r"A caret^{1}link{/1}, \^[none] and [x]^[open",
        "A {1}first{/1} note.",
        "Its end.",
        "with a note",
        "The page",
        "A picture",
        "The second page",
    ]
    assert document.coverage is not None and document.coverage.percent == 100
    same = {segment.index: segment.source for segment in document.segments}
    assert document.export({}).decode() == document.export(same).decode() == text
    only_inner = {4: "Eine {1}erste{/1} Notiz.", 7: 'Die "Seite"', 8: "Ein Bild's", 9: "Die zweite"}
    expected = (
        text.replace("A *first* note.", "Eine *erste* Notiz.")
        .replace("The page", r"Die \"Seite\"")
        .replace("A picture", r"Ein Bild\'s")
        .replace("The second page", "Die zweite")
    )
    assert document.export(only_inner).decode() == expected
    both = {1: "Hier{1} ein Wort.", 2: "Siehe {2}das{/2} oder {1}es{/1}.", 6: "mit [1] Notiz", 7: "Seite"}
    first = f'A word^[with a{line_end}note] here. See [it](a.md "The page") or [that][ref].'
    second = 'Hier^[mit [1] Notiz] ein Wort. Siehe [das][ref] oder [es](a.md "Seite").'
    assert document.export(both).decode() == text.replace(first, second)
    assert "^[mit \\] Notiz]" in document.export({6: "mit ] Notiz"}).decode()


TITLES = [  # a text with a title or note, as shown, a translation, and as written
    ("[a](b (A title)) x", "A title", "Ein (T) :)", r"Ein \(T\) :\)"),
    (r'![](a.png "The \"x\"")', r"The \"x\"", 'Das "x"', r"Das \"x\""),
    ("[k]\n\n[k]: http://a.b/(c) (A title)", "A title", "Ein Titel", "Ein Titel"),
    ("[k]\n\n[k]: b\n    'The \\'x\\''", r"The \'x\'", "Das 'x'", r"Das \'x\'"),
    ("A note^[with `a]` in] x", "with `a]` in", "mit `a]` und ] drin", r"mit `a]` und \] drin"),
]


@pytest.mark.parametrize(("text", "source", "translation", "written"), TITLES)
def test_titles_and_notes_have_every_form_of_quotation(text: str, source: str, translation: str, written: str):
    document = read_document(text.encode(), "a.md")
    number = next(s.index for s in document.segments if s.source == source)
    exported = document.export({number: translation}).decode()
    assert exported == text.replace(source, written)
    assert len(read_document(exported.encode(), "a.md").segments) == len(document.segments)
