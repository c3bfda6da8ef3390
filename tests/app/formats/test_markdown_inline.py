"""Emphasis and links in Markdown agree with markdown-it; translations are written correctly."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.formats.markup.markdown_inline import marked_up, pairs, shown
from app.formats.read_file import read_document

PARSER = MarkdownIt("commonmark").enable("strikethrough")
DEFINITION = "\n\n[k]: https://harbor.example\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read the **printer-guide** now", "Read the {1}printer-guide{/1} now"),
        ("**Note:** see [the *menu*](a.md)!", "{1}Note:{/1} see {2}the {3}menu{/3}{/2}!"),
        ("![A map](map.png)", "A map"),  # delimiters around the whole text are not shown
        ("a ***b*** ~~c~~ __d__", "a {1}{2}b{/2}{/1} {3}c{/3} {4}d{/4}"),
        ("`make` or ``make `all` ``", "`make` or {1}"),
        ("[one][k], [K][], [k], [no]", "{1}one{/1}, {2}K{/2}, {3}k{/3}, [no]"),
        ("snake_case_name, 2 * 3 * 4, \\*no\\*, `*code*`", "snake_case_name, 2 * 3 * 4, \\*no\\*, `*code*`"),
        ('[a](b "The title") **c', "{1}a{/1} **c"),
        ("[a](b (The title)) c", "{1}a{/1} c"),
        (r'[a](b "The \"title\"") c', "{1}a{/1} c"),
        ("A word[^word] and [it][^1].", "A word{1} and [it]{2}."),  # references to footnotes
        ("{1} of **it**", "{1} of {2}it{/2}"),  # a number that the text already contains
    ],
)
def test_emphasis_and_links_are_placeholders(text: str, expected: str) -> None:
    assert shown(text, {"K"}).text == expected


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("Read **it** now", "Lies {1}es {/1}jetzt", "Lies **es** jetzt"),
        ("a _nice_ day", "ein {1}schöner{/1}tag", "ein *schöner*tag"),
        ("a _nice_ day", "ein {1}schöner{/1} Tag", "ein _schöner_ Tag"),
        ("see `a *b` and *c*", "{2}c{/2}, siehe {1}", "*c*, siehe `a *b`"),
        ("see [the menu]", "siehe {1}das Menü{/1}", "siehe [das Menü][the menu]"),
        (
            "see [the menu](a_b.md) *now*",
            "{2}jetzt{/2} {1}das Menü{/1} {3}sehen",
            "*jetzt* [das Menü](a_b.md) {3}sehen",
        ),
        ("a **_b_** c", "x{1}{2} b {/2}{/1}y", "x **_b_** y"),  # the space belongs to neither pair
        ("a **_b_** c", "x {1}{2} {/2}{/1}y", "x  y"),  # delimiters around nothing would be text
        ("a [b](c) d", "x {1}{/1} y", "x [](c) y"),
        ("**a** b", "b {1}a", "b **a**"),  # every opened pair is closed
    ],
)
def test_translation_is_converted_back_to_markdown(text: str, translation: str, expected: str) -> None:
    assert marked_up(text, {"THE MENU"}, translation) == expected


SIGNS = st.lists(
    st.sampled_from(["*", "**", "_", " ~~a", "b~~ ", "a", " ", ".", "`", "[", "](b)", "![", "][k]", "]", "[k]", "é"])
)


@given(SIGNS.map("".join))
@example("a**a *a**")
@example("*a**b*c**")
@example("[a *b](b) c*")
@example("[a [b](b) c](b)")
@example("![a [b](b) c](b)")
@example("``a`*b*`c``*")
def test_delimiters_agree_with_another_parser(text: str) -> None:
    assume(not re.search(r"\]\[[^\]]*[\[`]|!\[[^\]]*[*_~`]", text))  # parsers differ here
    text = text.strip()
    inline = next((t for t in PARSER.parse(f"a {text} a{DEFINITION}") if t.type == "inline"), None)
    assert inline is not None and inline.children is not None
    text = inline.content
    edges = [(pair.start, text[pair.start : pair.inner_start], pair.inner_start) for pair in pairs(text, {"K"})]
    edges += [(pair.inner_end, "/", pair.end) for pair in pairs(text, {"K"})]
    found, position = "", 0
    for start, sign, end in sorted(edges):
        found, position = f"{found}{text[position:start]}<{sign}>", end
    assert _plain(found + text[position:]) == _plain("".join(map(_rendered, inline.children)))


def _rendered(token: Token) -> str:
    """A token of markdown-it; links and images by their delimiters."""
    if token.type == "image":
        return f"<![>{''.join(map(_rendered, token.children or []))}</>"
    if token.nesting == 0:
        return token.content
    return "</>" if token.nesting < 0 else f"<{token.markup or '['}>"


def _plain(text: str) -> str:
    return re.sub(r"[ `]", "", text)


@given(SIGNS.map("".join))
def test_unchanged_sentence_is_written_unchanged_except_shortcut_links(text: str) -> None:
    again = marked_up(text, (), shown(text, ()).text)
    assert shown(again, ()).text == shown(text, ()).text


def test_delimiters_across_lines_are_kept() -> None:
    data = b"> Read *the\n> guide* at [our\n> page][k]. Then **go**.\n\n[k]: https://harbor.example\n"
    document = read_document(data, "a.md")
    assert [s.source for s in document.segments] == ["Read {1}the guide{/1} at {2}our page{/2}.", "Then {1}go{/1}."]
    assert document.export({0: "{2}Da{/2} {1}lesen{/1}."}) == data.replace(
        b"Read *the\n> guide* at [our\n> page][k].", b"[Da][k] *lesen*."
    )


def test_many_delimiters_are_parsed_quickly() -> None:
    for sign in ("*a ", "**", "a**b", "[", "[a](", "*a_ ", "`", "~~ a", "![a]"):
        assert shown(sign * 4_000, ()).text


@pytest.mark.parametrize(
    ("source", "shown_text"),
    [
        ("Text <!-- ignore this --> more", "Text {1} more"),
        ("Use `|` or ``a`b`` here", "Use {1} or {2} here"),
        ('See [the page](a.md "The title") now', "See {1}the page{/1} now"),
        ("An ![image](a.png 'Title') here", "An {1}image{/1} here"),
        ("Heading {/*the-id*/}", "Heading {1}"),
        ('A {{< ref "a.md" >}} and `word`', "A {1} and `word`"),
    ],
)
def test_code_comments_and_titles_are_not_text(source, shown_text):
    content = shown(source, ())
    assert content.text == shown_text
    assert marked_up(source, (), content.text) == source


TYPED = [
    "<b>",
    "</i>",
    "<br/>",
    "<!-- x",
    "<a href='x'>",
    "< b",
    "a < b > c",
    "&copy;",
    "&#65;",
    "&",
    "R&D;",
    "<5>",
    "x>",
]


@given(st.lists(st.sampled_from([*TYPED, "wort"]), min_size=1, max_size=6))
def test_typed_html_is_seen_by_readers_as_it_was_typed(pieces: list[str]) -> None:
    document = read_document(b"One sentence here.\n", "a.md")
    typed = "Text " + " ".join(pieces) + " -->"
    page = MarkdownIt("commonmark").render(document.export({0: typed}).decode())
    assert re.findall(r"<.*?>", page) == ["<p>", "</p>"]
    assert unescape(re.sub(r"</?p>", "", page)).strip() == typed


@pytest.mark.parametrize(
    ("name", "source", "typed", "written"),
    [
        ("a.md", "Press <kbd>OK</kbd>.", "<kbd>OK</kbd> und <KBD>X</KBD>.", "<kbd>OK</kbd> und <KBD>X</KBD>."),
        ("a.md", "Salt &amp; pepper", "Salz &amp; Pfeffer &lt;", "Salz &amp; Pfeffer &amp;lt;"),
        ("a.md", "See it.", "z.&nbsp;B. &shy;", "z.&nbsp;B. &shy;"),  # never meant to be seen
        ("a.md", "See it.", "`<b>` und ``<i>`&amp;``, \\<b>", "`<b>` und ``<i>`&amp;``, \\<b>"),  # code, and escaped
        ("a.md", "See it.", "<https://a.example> <a@b.example>", "<https://a.example> <a@b.example>"),
        ("a.md", "See <!-- a note --> it.", "Siehe {1}.", "Siehe <!-- a note -->."),
        ("a.mdx", "See it.", "<5 MB, a < b, <https://a.example>", "&lt;5 MB, a < b, &lt;https://a.example>"),
    ],
)
def test_html_of_the_source_and_code_stay(name: str, source: str, typed: str, written: str) -> None:
    assert read_document(f"{source}\n".encode(), name).export({0: typed}).decode() == f"{written}\n"


def test_title_of_front_matter_is_written_as_typed() -> None:
    document = read_document(b"---\ntitle: A page\n---\n\nText.\n", "a.md")
    assert "title: Eine Seite <b> &copy; x\n" in document.export({0: "Eine Seite <b> &copy; x"}).decode()
