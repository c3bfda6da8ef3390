"""Texts in XML and HTML: which parts are translated, and that a translation is markup again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.segments.segment_constraints import Constraints
from app.serving.constrained_texts import Answer, ConstrainedText, PlacedPhrase, TextHypothesis
from app.serving.markup import MarkedText, xml_problem
from app.serving.markup_tokens import Outline
from engine import Phrase
from tests.app.work import growth

DOCUMENT = """<?xml version="1.0"?>
<manual>
  <meta><name>The pump</name><date/></meta>
  <body>
    <par>Close the <i>valve</i>. Then wait.</par>
    <par>Open it.</par>
  </body>
</manual>"""


@pytest.mark.parametrize(
    ("text", "kind", "options", "paragraphs"),
    [
        ("Save &amp; close", "xml", {}, ["Save & close"]),
        ("a &lt;b&gt; &amp; c", "html", {}, ["a &lt;b&gt; & c"]),  # no tag may come of it
        ("1 &lt; 2", "html", {}, ["1 < 2"]),
        ('<a href="?a=1&amp;b">x &amp; y</a> z', "xml", {}, ['<a href="?a=1&amp;b">x & y</a> z']),
        ("<p>One.</p>\n<p>Two <b>b</b>.</p>", "html", {}, ["One.", "Two <b>b</b>."]),
        ("<P CLASS='x'>One<br/>Two</P> ", "html", {}, ["One", "Two"]),
        ("One <!-- <p>Two</p>", "html", {}, ["One"]),  # without an end, a comment goes to the end of the text
        ("One<!-- note --> two", "html", {}, ["One{1} two"]),
        ("<!-- note --><p>One</p>", "html", {}, ["One"]),
        # The text of a CDATA section is translated; HTML in one has paragraphs of its own.
        (
            "One<!-- note --> and <![CDATA[x < y &lt;]]> &lt; two",
            "xml",
            {},
            ["One{1} and <t3>x < y &lt;</t3> < two"],
        ),
        ("<p><![CDATA[ One & two ]]></p>", "xml", {}, ["<t0> One & two </t0>"]),
        ("<p>\n<![CDATA[<p>One &amp; <b>two</b></p><p>Three</p>]]>\n</p>", "xml", {}, ["One & <b>two</b>", "Three"]),
        ("<p><![CDATA[]]>One<![CDATA[ ]]></p>", "xml", {}, ["{1}One<t3> </t3>"]),
        ("<k><![CDATA[One]]></k>", "xml", {"ignored": {"k"}}, []),
        ("One <![CDATA[two", "xml", {}, ["One"]),
        ("One <![CDATA[two]]>", "html", {}, ["One"]),  # a comment in HTML
        # An element in place of a word gets a number, which the model copies; so does a group of tags without text.
        ("Press <k /> and <k>Esc</k>", "xml", {"ignored": {"k"}}, ["Press {1} and {2}"]),
        ('Open <x id="6"></x>, <b><x id="7"/></b> or {1}', "xml", {}, ["Open {2}, {3} or {1}"]),
        ("Intelligence<a/> in our everyday<b></b> lives", "xml", {}, ["Intelligence{1} in our everyday{2} lives"]),
        ('Click <img src="a.png"> here', "html", {}, ["Click {1} here"]),
        ("a <code>b <kbd>c</kbd> <code>d", "html", {}, ["a <code>b {1} <code>d"]),
        ("Press <k>Esc &amp; Q</k> now", "xml", {"ignored": {"k"}}, ["Press {1} now"]),
        ('Use <i translate="no">Save</i> here', "html", {}, ["Use {1} here"]),
        ("Run <code>a &lt; b</code>.", "html", {}, ["Run {1}."]),
        ('a <div class="x notranslate"><div>b</div>c</div> d', "html", {}, ["a", "d"]),
        ('Open <xliff:g id="a">Red Pump</xliff:g> now', "xml", {}, ["Open {1} now"]),  # of Android
        ("<script>if (a<b) {}</script>One", "html", {}, ["{1}One"]),
        ('<a title="x>y">One</a> two', "xml", {}, ["<t0>One</t0> two"]),
        # DeepL's rule: an element without text of its own is structure.
        (DOCUMENT, "xml", {}, ["The pump", "Close the <i>valve</i>. Then wait.", "Open it."]),
        ("<p>One</p><p> two.</p>", "xml", {}, ["One", "two."]),
        ("<p>One</p><p> two.</p>", "xml", {"non_splitting": {"p"}}, ["<p>One</p><p> two.</p>"]),
        ("<p>One</p><p> two.</p>", "xml", {"is_detected": False}, ["<p>One</p><p> two.</p>"]),
        (
            "<a><q1>One.</q1><b1>Two.</b1></a>",
            "xml",
            {"is_detected": False, "splitting": {"b1"}},
            ["<a><q1>One.</q1>", "Two."],
        ),
        ("See <note>One.</note> there.", "xml", {}, ["See <note>One.</note> there."]),
        ("See <note>One.</note> there.", "xml", {"splitting": {"note"}}, ["See", "One.", "there."]),
        ("<b>Press</b> <g id='1'>OK</g>", "xml", {}, ["<b>Press</b> <g id='1'>OK</g>"]),  # never structure
        ("<b>Press</b> <i>OK</i>", "xml", {"splitting": {"b", "i"}}, ["Press", "OK"]),
        ("<p>One</p><x>K</x><p>two</p>", "xml", {"ignored": {"x"}}, ["One", "two"]),
        ("<p>One.</p><q1>Two.</q1>", "html", {"splitting": {"q1"}, "non_splitting": {"p"}}, ["<p>One.</p>", "Two."]),
        # A line break inside a sentence, or one with an id, as Okapi sends codes, is a tag.
        ("Press <br id='p1'/> or <br id='b1'/>", "html", {}, ["Press {1} or {2}"]),
        ("Close it<br>before you <i>go</i>", "html", {}, ["Close it<br>before you <i>go</i>"]),
        ("Close <i>it</i><br><b>first</b>", "html", {}, ["Close <i>it</i><br><b>first</b>"]),
        ("Close it.<br>e-mails", "html", {}, ["Close it.", "e-mails"]),
        ("High Street<br><br>in Leeds", "html", {}, ["High Street", "in Leeds"]),
        ("Close it<br>before", "html", {"splitting": {"br"}}, ["Close it", "before"]),
        # Line breaks are white space, except where the markup keeps them, or the caller.
        ("<pre>One\n  two</pre>", "html", {}, ["One", "two"]),
        ('<p xml:space="preserve">One\n\ttwo</p>', "xml", {}, ["One", "two"]),
        ("<p>One\n two</p>", "html", {"keeps_lines": True}, ["One", "two"]),
        ("<p>One.</p><p>Two.</p>", "html", {"is_whole": True}, ["<p>One.</p><p>Two.</p>"]),
        ("", "html", {}, []),
        ("<p> </p>", "html", {}, []),
    ],
)
def test_paragraphs_are_found_and_an_unchanged_text_comes_back(
    text: str, kind: Any, options: dict[str, Any], paragraphs: list[str]
):
    is_whole = options.pop("is_whole", False)
    marked = MarkedText.of(text, Outline(kind, **options), is_whole=is_whole)
    found = [paragraph.text for paragraph in marked.paragraphs]
    assert found == paragraphs
    assert marked.markup(found) == text


def test_line_breaks_in_paragraphs_become_spaces_and_those_between_paragraphs_stay():
    outline = Outline("html")
    marked = MarkedText.of("<p>\n  One\n  <b>two\tthree</b>\r\nfour.\n</p>\n\n<pre>a\n b</pre>", outline)
    found = [paragraph.text for paragraph in marked.paragraphs]
    assert found == ["One <b>two\tthree</b> four.", "a", "b"]
    assert marked.markup(found) == "<p>\n  One <b>two\tthree</b> four.\n</p>\n\n<pre>a\n b</pre>"


@pytest.mark.parametrize(
    ("start", "paragraphs", "written"),
    [
        ("<p>", ["<t0>One two</t0>"], "<![CDATA[One two]]>"),
        ('<p xml:space="preserve">', ["<t0>One</t0>", "<t0>two</t0>"], "<![CDATA[One]]>\n\t<![CDATA[two]]>"),
    ],
)
def test_line_breaks_in_cdata_follow_the_rule_of_the_element(start: str, paragraphs: list[str], written: str):
    marked = MarkedText.of(f"{start}<![CDATA[One\n\ttwo]]></p>", Outline("xml"))
    found = [paragraph.text for paragraph in marked.paragraphs]
    assert found == paragraphs
    assert marked.markup(found) == f"{start}{written}</p>"


def test_constraints_and_answers_have_the_markup_of_the_text():
    (paragraph,) = MarkedText.of('Open <x id="1"/> & <b title=">">go</b>', Outline("xml")).paragraphs
    assert paragraph.text == "Open {1} & <t3>go</t3>"
    given = ConstrainedText(paragraph.text, (Phrase('<x id="1"/> öffnen'),), Constraints(prefix='<x id="1"/>'))
    item = paragraph.constrained(given)
    assert (item.phrases[0].text, item.constraints.prefix) == ("{1} öffnen", "{1}")
    text = "{1} öffnen"
    hypothesis = TextHypothesis(f"{text} & <t3>los</t3>", 0, 0, 1, (PlacedPhrase(0, text, text, 0, len(text)),))
    (shown,) = paragraph.answer(Answer(item, "complete", (hypothesis,))).hypotheses
    assert shown.text == '<x id="1"/> öffnen & <b title=">">los</b>'
    (placed,) = shown.placements
    assert shown.text[placed.start : placed.end] == placed.form == '<x id="1"/> öffnen'


def test_new_signs_in_a_translation_are_escaped_but_not_its_tags():
    marked = MarkedText.of("One <b>x</b>", Outline("xml"))
    assert marked.markup(["Eins & <b>zwei</b> < <script>"]) == "Eins &amp; <b>zwei</b> &lt; &lt;script&gt;"
    assert MarkedText.plain("a & b").markup(["c & <d>"]) == "c & <d>"


def test_translation_in_a_cdata_section_is_not_escaped_but_never_ends_it():
    marked = MarkedText.of("One & <![CDATA[x < y]]>", Outline("xml"))
    assert [each.text for each in marked.paragraphs] == ["One & <t1>x < y</t1>"]
    assert marked.markup(["Eins & <t1>a ]]> b & c</t1> <"]) == "Eins &amp; <![CDATA[a ]]]]><![CDATA[> b & c]]> &lt;"
    assert marked.markup(["Eins </t1>a<t1> & b"]) == "Eins a &amp; b", "text outside of a section is escaped"


@pytest.mark.parametrize(
    "part",
    [
        *(
            "<!--",
            "<![CDATA[",
            "<![CDATA[a]]>",
            "  ",
            "\n ",
            "<code>",
            "<k>",
            '<a class="notranslate">',
            "<br> ",
            "<br>a ",
        ),
        *("<b></b>", "<b>x</b>", "<x/>", "</x>", '<a title=">">', '<a ="<a"', "<script>", "</br>a<br>", "&lt;b"),
    ],
)
def test_time_is_linear_in_the_text(part: str):
    """The server answers nobody while it reads markup; 10,000 spaces took 0.85 seconds, 40,000 would take 14."""
    text = part * (40_000 // len(part))
    started = time.process_time()
    for kind in ("html", "xml"):
        MarkedText.of(text, Outline(kind, ignored={"k"}))
    xml_problem(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("text", ['<a class="' + "notranslate " * 8_000, "<a" + ' class="' * 10_000])
def test_unfinished_attributes_take_linear_time(text: str):
    began = time.process_time()
    MarkedText.of(text, Outline("html"))
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


@pytest.mark.parametrize("section", ["{}", "<![CDATA[{}]]>"])
@pytest.mark.parametrize("text", [" ", "a\n"])
def test_white_space_takes_linear_time(section: str, text: str):
    def read(size: int) -> None:
        content = section.format(text * size)
        MarkedText.of(f'<p xml:space="preserve">{content}</p><p>{content}</p>', Outline("xml"))

    assert growth(read, 300) < 2.5
