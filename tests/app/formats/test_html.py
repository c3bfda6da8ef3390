"""HTML pages: visible text is shown and markup is kept; lxml reads the written pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from app.formats.read_file import read_document

PAGE = """<!DOCTYPE html>
<html lang=en><head><meta charset="utf-8"><title>The page</title>
<style>p { content: "Not shown." }</style><script>if (a < b) "Not shown."</script></head>
<body class='x>y'>
<h1>Getting&nbsp;started</h1>
<p>Press <b>OK. Now</b> &amp; see
  <a href="a.html">the page</a>.  Run <code>ls -l</code> then.<br>A new line <img src="i.png"> here.
<ul><li><i>All slanted.</i><li>Open <b>bold</ul>
<pre>Not shown.</pre><div translate="no">Nor <div>this</div>.</div>
<p><span>12</span></p><!-- Nor this --> Loose text &lt;end&gt;
</body></html>
"""


def test_sentences_of_blocks_are_shown_with_tags_as_placeholders() -> None:
    document = read_document(PAGE.encode(), "a.html")
    assert [s.source for s in document.segments] == [
        "The page",
        "Getting\u00a0started",
        "Press {1}OK. Now{/1} & see {2}the page{/2}.",
        "Run {1} then.",
        "A new line {1} here.",
        "All slanted.",
        "Open {1}bold",
        "Loose text <end>",
    ]


def test_only_the_translated_sentences_change() -> None:
    document = read_document(PAGE.encode(), "a.html")
    exported = document.export_file({2: "{2}Die Seite{/2} & {1}los{/1} < {9}", 3: "Dann {1}.", 5: "Schräg."}, "de")
    expected = (
        PAGE.replace(
            'Press <b>OK. Now</b> &amp; see\n  <a href="a.html">the page</a>.',
            '<a href="a.html">Die Seite</a> &amp; <b>los</b> &lt; {9}',
        )
        .replace("Run <code>ls -l</code> then.", "Dann <code>ls -l</code>.")
        .replace("All slanted.", "Schräg.")
        .replace("<html lang=en>", '<html lang="de">')
    )
    assert exported.data.decode() == expected
    assert exported.name == "a.de.html"


def test_page_keeps_its_encoding_with_character_references_for_the_rest() -> None:
    data = '<meta charset="ISO-8859-1"><p>Größe</p>'.encode("latin-1")
    document = read_document(data, "a.htm")
    assert document.segments[0].source == "Größe"
    assert document.export({0: "Öl – Łódź"}) == b'<meta charset="ISO-8859-1"><p>\xd6l \x96 &#321;\xf3d&#378;</p>'


PARTS = st.lists(
    st.sampled_from(
        ["a. B ", "<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<br>", "&amp;", "<!--x-->", "< ", "\n", "<pre>"]
    )
)


@given(PARTS, st.booleans())
def test_any_tag_soup_round_trips_and_keeps_its_structure_when_translated(parts: list[str], is_all: bool) -> None:
    data = "".join(["<div>Text first.</div>", *parts]).encode()
    document = read_document(data, "a.html")
    assert document.export({s.index: s.source for s in document.segments}) == data
    chosen = document.segments if is_all else document.segments[-1:]
    exported = document.export({s.index: s.source + "X" for s in chosen})
    before, after = lxml_html.fromstring(data), lxml_html.fromstring(exported)
    assert [e.tag for e in after.iter() if e.tag != "span"] == [e.tag for e in before.iter()]
    assert "".join(after.itertext()).count("X") == len(chosen)


@pytest.mark.parametrize(
    "soup",
    [
        "<a '",
        "<",
        "<b>",
        "<!-- >",
        "</b>",
        "<pre>",
        "<pre",
        "<code>x</code>",
        "<a b='>",
        "<i></b>",
        "<p![C[",
        "</p![C[",
    ],
)
def test_hostile_html_round_trips(soup: str) -> None:
    """A quadratic algorithm would not finish."""
    data = f"Text. {soup * 5_000}".encode()
    document = read_document(data, "a.html")
    assert document.segments[0].source.startswith("Text.")
    assert document.export({0: document.segments[0].source}) == data


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("<html lang=en>", '<html lang="de">'),
        (
            "<HTML class='a>b' xml:lang='en' LANG = \"en-US\" dir=ltr>",
            '<HTML class=\'a>b\' xml:lang="de" lang="de" dir=ltr>',
        ),
        ("<html>", '<html lang="de">'),
        ("", ""),
    ],
)
def test_translated_page_declares_its_language(tag: str, written: str) -> None:
    document = read_document(f"{tag}<p>One</p>".encode(), "a.html")
    assert document.export_file({0: "Eins"}, "de").data.decode() == f"{written}<p>Eins</p>"


def test_text_after_a_script_with_tags_in_its_strings_is_shown() -> None:
    page = "<script>x = '<script src=a>'; y = '<p>'</script><p>One</p><textarea><textarea></textarea><p>Two</p>"
    assert [s.source for s in read_document(page.encode(), "a.html").segments] == ["One", "Two"]


def test_text_after_a_tag_with_an_odd_quote_is_shown() -> None:
    page = '<p class="a"">One</p><p title=\'it\' s\'>Two</p><a href="x>y">Three</a>'
    document = read_document(page.encode(), "a.html")
    assert [s.source for s in document.segments if s.note == ""] == ["One", "Two", "Three"]
    assert document.export({0: "Eins"}).decode() == page.replace("One", "Eins")


def test_page_whose_first_html_tag_is_in_a_value_is_exported():
    document = read_document(b'<p>One.</p><img alt="See <html> here.">', "a.html")
    written = document.export_file({0: "Eins.", 1: "Siehe <html> hier."}, "de").data
    assert read_document(written, "a.html").segments[1].source == "Siehe <html> hier."


@pytest.mark.parametrize(
    ("inner", "texts"),
    [
        ('<span translate="no">Keep <b translate="yes">this word</b> there</span>', ["Open", "this word", "now."]),
        ('<span translate="no">Keep <b>this word</b></span>', ["Open {1} now."]),
        ('<code translate="no">x <b translate="yes">this word</b></code>', ["Open {1} now."]),
    ],
)
def test_translated_text_in_an_element_that_is_not_translated_is_offered(inner: str, texts: list[str]) -> None:
    page = f"<p>Open {inner} now.</p>"
    document = read_document(page.encode(), "a.html")
    assert [segment.source for segment in document.segments] == texts
    written = document.export({s.index: s.source.upper() for s in document.segments}).decode()
    expected = page.replace("Open", "OPEN").replace("now", "NOW")
    assert written == (expected.replace("this word", "THIS WORD") if len(texts) > 1 else expected)
