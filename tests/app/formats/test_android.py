"""Android strings.xml: Translate Toolkit reads the same keys and the new texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.read_file import read_document

FILE = r"""<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
  <!-- The title
       on top -->
  <string name="title">Don\'t <b>press</b>\n it &amp; <xliff:g id="x">%1$s</xliff:g></string>
  <string name="quoted">  "It's  new"  </string>
  <string name="kept" translatable="false">Brand</string>
  <string name="number">12</string>
  <string name="page"><![CDATA[<b>Hi</b> you]]></string>
  <string name="empty"/>
  <plurals name="files"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
  <string-array name="list"><item>One</item><item>\u00dcber \@home</item></string-array>
  <color name="red">#f00</color>
</resources>
"""


def test_strings_plurals_and_arrays_are_segments() -> None:
    document = read_document(FILE.encode(), "strings.xml")
    assert [(s.source, s.note) for s in document.segments] == [
        (r"Don't {1}press{/1}\n it & {2}", "Key: title · The title on top"),
        ("It's  new", "Key: quoted"),
        ("<b>Hi</b> you", "Key: page"),
        ("%d file", "Key: files[one]"),
        ("%d files", "Key: files[other]"),
        ("One", "Key: list[0]"),
        ("Über @home", "Key: list[1]"),
    ]


def test_translations_are_escaped_and_nothing_else_changes() -> None:
    document = read_document(FILE.encode(), "strings.xml")
    exported = document.export({0: r"L'{1}a{/1} < {2}\n", 1: 'C\'est "neuf"', 2: "<b>L'a</b>]]>", 5: "@ Eins"}).decode()
    assert exported == FILE.replace(r"Don\'t <b>press</b>\n it &amp; <xliff:g", r"L\'<b>a</b> &lt; <xliff:g").replace(
        "%1$s</xliff:g>", r"%1$s</xliff:g>\n"
    ).replace("It's  new", 'C\'est \\"neuf\\"').replace("<b>Hi</b> you]]>", r"<b>L\'a</b>]]]]><![CDATA[>]]>").replace(
        ">One<", r">\@ Eins<"
    )


WORDS = st.text(st.sampled_from("abÜ€😀 '\"<>&@?\\#%"), min_size=1, max_size=12).filter(
    lambda text: text.split() == [text] or (" ".join(text.split()) == text and any(map(str.isalpha, text)))
)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_another_library_reads_the_translations(texts: list[str]) -> None:
    aresource = pytest.importorskip("translate.storage.aresource", reason="it needs lxml")
    strings = "".join(f'<string name="k{number}">Text</string>' for number in range(len(texts)))
    document = read_document(f"<resources>{strings}</resources>".encode(), "strings.xml")
    shown = {number: text.replace("\\", "\\\\") for number, text in enumerate(texts)}
    parsed = aresource.AndroidResourceFile.parsestring(document.export(shown))
    assert [unit.target for unit in parsed.units] == texts


@given(st.text(st.sampled_from("ab\\'\"n @ü\n"), max_size=20))
def test_untranslated_resources_stay_as_they_are(content: str) -> None:
    data = f'<resources><string name="a">First</string><string name="b">{content}</string></resources>'.encode()
    document = read_document(data, "strings.xml")
    assert document.export({segment.index: segment.source for segment in document.segments}) == data
    assert document.export({0: "Neu"}) == data.replace(b"First", b"Neu")


QUOTED = [
    ('"Net: "', "Net:", '"NET: "'),
    (
        '"Go to "<b>"Settings"</b>" &gt; "<xliff:g id="x">"%1$s"</xliff:g>" now."',
        "Go to {1}Settings{/1} > {2} now.",
        '"GO TO "<b>"SETTINGS"</b>" &gt; "<xliff:g id="x">"%1$s"</xliff:g>" NOW."',
    ),
    ('say "a  b" loud', "say a  b loud", '"SAY A  B LOUD"'),
    ('<![CDATA["x  y "]]>', "x  y", '<![CDATA["X  Y "]]>'),
    (r'"Foo \"bar\" it' + "'s\"", 'Foo "bar" it\'s', r'"FOO \"BAR\" IT' + "'S\""),
    ('"end\\  "', "end ", '"END  "'),
    (r"\@home", "@home", r"\@HOME"),
]


@pytest.mark.parametrize(("raw", "source", "written"), QUOTED)
def test_unescaped_quotation_marks_are_not_text(raw: str, source: str, written: str) -> None:
    file = f'<resources xmlns:xliff="urn:x"><string name="a">{raw}</string></resources>'
    document = read_document(file.encode(), "strings.xml")
    assert [s.source for s in document.segments] == [source]
    assert document.export({0: source.upper()}).decode() == file.replace(raw, written)


@pytest.mark.parametrize("reference", ["@string/app_name", "@android:string/ok", "?attr/colour", "@null"])
def test_references_to_other_resources_are_not_offered(reference: str) -> None:
    file = f"<resources><string name='a'>{reference}</string><string name='b'>Text</string></resources>"
    assert [s.source for s in read_document(file.encode(), "strings.xml").segments] == ["Text"]


KEPT = [
    (
        'The <xliff:g id="app" example="A">Red Pump</xliff:g> works',
        "The {1} works",
        'THE <xliff:g id="app" example="A">Red Pump</xliff:g> WORKS',
    ),
    (
        "Press <b>the <x:g>Save <i>file</i> \\'now\\'</x:g> key</b> now",
        "Press {1}the {2} key{/1} now",
        "PRESS <b>THE <x:g>Save <i>file</i> \\'now\\'</x:g> KEY</b> NOW",
    ),
    ("A <x:g><x:g>b</x:g></x:g> c", "A {1} c", "A <x:g><x:g>b</x:g></x:g> C"),
]


@pytest.mark.parametrize(("raw", "source", "written"), KEPT)
def test_text_in_a_placeholder_of_android_is_kept(raw: str, source: str, written: str) -> None:
    file = f'<resources xmlns:xliff="urn:x" xmlns:x="urn:x"><string name="a">{raw}</string></resources>'
    document = read_document(file.encode(), "strings.xml")
    assert [s.source for s in document.segments] == [source]
    assert document.export({0: source.upper()}).decode() == file.replace(raw, written)


def test_text_that_is_all_in_a_placeholder_is_not_offered() -> None:
    strings = '<string name="a"><x:g>Red Pump</x:g></string><string name="b">B</string>'
    file = f'<resources xmlns:x="urn:x">{strings}</resources>'
    assert [s.source for s in read_document(file.encode(), "strings.xml").segments] == ["B"]


LINK = '<a href="%1$s">'
IN_CDATA = [  # content, source, translation, content with the translation
    (
        f"Accept our <![CDATA[{LINK}terms</a>]]> now",
        f"Accept our {LINK}terms</a> now",
        f"Nimm {LINK}'alle'</a> & an",
        f"Nimm <![CDATA[{LINK}\\'alle\\'</a>]]> &amp; an",
    ),
    (f"<![CDATA[Accept {LINK}it</a>]]>", f"Accept {LINK}it</a>", f'"{LINK}Es</a>"', rf"<![CDATA[\"{LINK}Es</a>\"]]>"),
    (
        f"<![CDATA[{LINK}]]>Terms<![CDATA[</a>]]> &amp; more",  # only tags in CDATA
        f"{LINK}Terms</a> & more",
        f"Mehr & {LINK}AGB</a>",
        f"Mehr &amp; <![CDATA[{LINK}]]>AGB<![CDATA[</a>]]>",
    ),
    (
        "One <![CDATA[<b>two <i>three</i><br/></b>]]> four",
        "One <b>two <i>three</i><br/></b> four",
        "<b>A <i>b</i><br/>&</b> c<br/>",
        "<![CDATA[<b>A <i>b</i><br/>&</b>]]> c<![CDATA[<br/>]]>",
    ),
    (  # a tag that the translation lacks or adds
        "One <![CDATA[<b>two</b>]]> three",
        "One <b>two</b> three",
        "Eins <b>zwei <u>drei</u>",
        "Eins <![CDATA[<b>zwei <u>drei</u>]]>",
    ),
    (
        '<![CDATA["Two  spaces <a href="x">y</a>"]]>',
        'Two  spaces <a href="x">y</a>',
        "Zwei  <a href=\"x\">'Z'</a>",
        '<![CDATA["Zwei  <a href="x">\'Z\'</a>"]]>',
    ),
    (
        '<![CDATA[<a\n  href=\\"x\\">y</a> z]]>',
        '<a href="x">y</a> z',
        '<a href="x">Y</a>',
        '<![CDATA[<a\n  href=\\"x\\">Y</a>]]>',
    ),
    ("<b>A</b> <![CDATA[<i>b</i>]]> c", "{1}A{/1} <i>b</i> c", "<i>B</i> {1}a{/1}", "<![CDATA[<i>B</i>]]> <b>a</b>"),
    (
        "<![CDATA[\n  <p>One</p>\n  <p>two\n  lines</p>\n]]>",  # line breaks beside tags and at the ends stay
        "<p>One</p>   <p>two   lines</p>",
        "<p>Eins</p> <p>zwei Zeilen</p>",
        "<![CDATA[\n  <p>Eins</p>\n  <p>zwei Zeilen</p>\n]]>",
    ),
    ("<![CDATA[One<br>\ntwo]]>", "One<br> two", "Eins<br> zwei drei", "<![CDATA[Eins<br>\nzwei drei]]>"),
    ("A &lt;b> <![CDATA[&amp;]]>", "A <b> &amp;", "B <b> &amp;", "B &lt;b&gt; &amp;amp;"),
]


@pytest.mark.parametrize(("raw", "source", "translation", "written"), IN_CDATA)
def test_html_in_cdata_stays_there_as_it_is(raw: str, source: str, translation: str, written: str) -> None:
    file = f'<resources><string name="a">{raw}</string></resources>'
    document = read_document(file.encode(), "strings.xml")
    assert [s.source for s in document.segments] == [source]
    assert document.export({0: source}).decode() == file
    assert document.export({0: translation}).decode() == file.replace(raw, written)
