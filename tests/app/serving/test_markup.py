"""Texts in XML and HTML: which parts are translated, and that a translation is markup again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.serving.markup import MarkedText, xml_problem


@pytest.mark.parametrize(
    ("text", "kind", "options", "paragraphs"),
    [
        ("Save &amp; close", "xml", {}, ["Save & close"]),
        ("a &lt;b&gt; &amp; c", "html", {}, ["a &lt;b&gt; & c"]),  # no tag may come of it
        ("1 &lt; 2", "html", {}, ["1 < 2"]),
        ('<a href="?a=1&amp;b">x &amp; y</a>', "xml", {}, ['<a href="?a=1&amp;b">x & y</a>']),
        ("<p>One.</p>\n<p>Two <b>b</b>.</p>", "html", {}, ["One.", "Two <b>b</b>."]),
        ("<P CLASS='x'>One<br/>Two</P> ", "html", {}, ["One", "Two"]),
        ("One <!-- <p>Two</p>", "html", {}, ["One"]),  # without an end, a comment goes to the end of the text
        ("Press <k /> and <k>Esc</k>", "xml", {"ignored": ["k"]}, ['Press <k /> and <kept id="0"/>']),
        ("a <code>b <kbd>c</kbd> <code>d", "html", {}, ['a <code>b <kept id="0"/> <code>d']),
        ("<!-- note --><p>One</p>", "html", {}, ["One"]),
        ("<p>One.</p><p>Two.</p>", "xml", {}, ["<p>One.</p><p>Two.</p>"]),
        ("<par>One.</par><par>Two.</par>", "xml", {"splitting": ["par"]}, ["One.", "Two."]),
        ("Press <k>Esc &amp; Q</k> now", "xml", {"ignored": ["k"]}, ['Press <kept id="0"/> now']),
        ('Use <i translate="no">Save</i> here', "html", {}, ['Use <kept id="0"/> here']),
        ("Run <code>a &lt; b</code>.", "html", {}, ['Run <kept id="0"/>.']),
        ("<p>One.</p><p>Two.</p>", "html", {"is_whole": True}, ["<p>One.</p><p>Two.</p>"]),
        ("", "html", {}, []),
        ("<p> </p>", "html", {}, []),
    ],
)
def test_paragraphs_are_found_and_an_unchanged_text_comes_back(
    text: str, kind: Any, options: dict[str, Any], paragraphs: list[str]
):
    marked = MarkedText.of(text, kind, **{"is_whole": False, **options})
    found = [paragraph.text for paragraph in marked.paragraphs]
    assert found == paragraphs
    assert marked.markup(found) == text


def test_new_signs_in_a_translation_are_escaped_but_not_its_tags():
    marked = MarkedText.of("One <b>x</b>", "xml", is_whole=False)
    assert marked.markup(["Eins & <b>zwei</b> < <script>"]) == "Eins &amp; <b>zwei</b> &lt; &lt;script&gt;"
    assert MarkedText.plain("a & b").markup(["c & <d>"]) == "c & <d>"


@pytest.mark.parametrize("part", ["<!--", "<![CDATA[", "  ", "<code>", "<k>", '<a class="notranslate">', "<br> "])
def test_time_is_linear_in_the_text(part: str):
    """The server answers nobody while it reads markup; 10,000 spaces took 0.85 seconds, 100,000 would take 85."""
    text = part * (100_000 // len(part))
    started = time.process_time()
    MarkedText.of(text, "html", ["k"], is_whole=False)
    xml_problem(text)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("text", ['<a class="' + "notranslate " * 8_000, "<a" + ' class="' * 10_000])
def test_unfinished_attributes_take_linear_time(text: str):
    began = time.process_time()
    MarkedText.of(text, "html", is_whole=False)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Save <b>all</b> & <x id='1'/>&nbsp;now", ""),
        ('<?xml version="1.0"?>\n<!DOCTYPE a>\n<a>Save</a>', ""),
        ('<a title="x>y"/>', ""),
        ("<g:x>a</g:x><!-- <b> --><![CDATA[<b>]]>", ""),
        ("ü <b>ü</i>", "character 9: mismatched tag"),
        ("<b>open", "character 7: mismatched tag"),
        ("1 < 2", "character 4: not well-formed (invalid token)"),
        ("<!-- note", "character 1: unclosed token"),
        ('Save <?xml version="1.0"?>', "character 6: XML or text declaration not at start of entity"),
        ("", ""),
    ],
)
def test_place_of_a_wrong_tag_in_xml_is_named(text: str, problem: str):
    assert xml_problem(text) == problem
