"""Text in HTML attributes and text marked as not translatable; lxml reads the written pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from app.errors import CommandError
from app.formats.read_file import read_document
from app.formats.split_merge import merge_segments

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="description" content="All about it. And more.">
<meta name="viewport" content="width=device-width"><link rel=stylesheet title="Not this" href=a.css></head>
<body><p title='A tip'>See <img alt="A &quot;red&quot; fox" src="i.png"> and
<a href="x" title="Go there">this page</a>. Second one.</p>
<input type=submit value=Send><input type=text value="Not this" placeholder='Your name'>
<select><optgroup label="Fruit"><option label=Apple value="no">An apple</select>
<button aria-label="Close &amp; save"><img src=x alt=""></button><textarea placeholder="Write here">Not this</textarea>
<code title="A command">ls</code><p>Last.</p></body></html>
"""


def sources(page: str) -> list[str]:
    return [segment.source for segment in read_document(page.encode(), "a.html").segments]


def test_readable_attribute_values_are_segments_after_the_surrounding_text() -> None:
    document = read_document(PAGE.encode(), "a.html")
    assert [segment.source for segment in document.segments] == [
        "All about it.",
        "And more.",
        "A tip",
        "See {1} and {2}this page{/2}.",
        "Second one.",
        'A "red" fox',
        "Go there",
        "Send",
        "Your name",
        "Fruit",
        "Apple",
        "An apple",
        "Close & save",
        "Write here",
        "A command",
        "Last.",
    ]
    assert document.order == list(range(16))
    assert document.segments[5].note == "alt"


def test_translated_value_keeps_its_quotes_and_nothing_else_changes() -> None:
    document = read_document(PAGE.encode(), "a.html")
    translations = {
        1: "Und <mehr>.",
        2: 'Nils\' "Tipp"',
        3: "{2}Diese Seite{/2} & {1}.",
        5: 'Ein "roter" Fuchs & Nils\'',
        6: "Hin",
        7: 'Jetzt "los"',
        12: "Schließen & sichern",
        15: "Ende.",
    }
    expected = (
        PAGE.replace("And more.", "Und &lt;mehr&gt;.")
        .replace("'A tip'", "'Nils&#39; \"Tipp\"'")
        .replace(
            'See <img alt="A &quot;red&quot; fox" src="i.png"> and\n<a href="x" title="Go there">this page</a>.',
            '<a href="x" title="Hin">Diese Seite</a> &amp; '
            '<img alt="Ein &quot;roter&quot; Fuchs &amp; Nils\'" src="i.png">.',
        )
        .replace("value=Send", 'value="Jetzt &quot;los&quot;"')
        .replace("Close &amp; save", "Schließen &amp; sichern")
        .replace("Last.", "Ende.")
    )
    assert document.export(translations).decode() == expected
    # If the translation drops a tag, its attribute is dropped too.
    assert "Fuchs" not in document.export({3: "Nichts.", 5: "Ein Fuchs"}).decode()


def test_attribute_value_is_not_merged_with_the_text_next_to_it() -> None:
    document = read_document(PAGE.encode(), "a.html")
    with pytest.raises(CommandError, match="another paragraph"):
        merge_segments(document, 4, 5)
    merged, _ = merge_segments(document, 0, 1)
    assert merged.source == "All about it. And more."


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ('<p title="Tip" class="a notranslate">No</p><p>Yes', ["Yes"]),
        ("<div translate='NO'>No<p translate=yes title=Tip>Yes</p>no<b translate=yes>Yes too</b></div>After",
         ["Tip", "Yes", "Yes too", "After"]),
        ('<div class="notranslate">a<div>b</div>c</div><div>Yes</div>', ["Yes"]),
        ('<div translate=no>a<p translate=yes>Yes <i translate="no">no <u>no</u></i> there</div>After',
         ["Yes {1} there", "After"]),
        ('<p data-translate="no" title=\'translate="no"\'>Yes', ['translate="no"', "Yes"]),
        ('<p>Yes <img alt=No translate=no> <span class=notranslate title=No>no</span> there', ["Yes {1} {2} there"]),
        ('<p translate="no" TRANSLATE="yes">No</p><p alt="Not here" value=No>Yes', ["Yes"]),
        ('<div translate=no>No <img alt=No><img alt=Yes translate=yes></div>', ["Yes"]),
        ('<p TITLE = "Tip" title="Other">Yes', ["Tip", "Yes"]),
    ],
    ids=range(9),
)  # fmt: skip
def test_text_marked_as_not_translatable_is_not_shown(page: str, shown: list[str]) -> None:
    assert sources(page) == shown
    document = read_document(page.encode(), "a.html")
    exported = document.export({s.index: s.source + "X" for s in document.segments}).decode()
    assert exported.count("X") == len(shown)
    assert exported.replace("X", "").replace('"', "").replace("&quot;", "") == page.replace('"', "")


VALUES = st.text(st.sampled_from("ab. \"'&<>={1}/ß\n\u00a0"), max_size=10)
TAGS = st.lists(
    st.tuples(
        st.sampled_from(
            ["<img alt={}>", "<p title={}>", "<b title={}>x</b>", "<input placeholder={} alt=''>", "a. B "]
        ),
        VALUES,
        st.sampled_from("\"'"),
    ),
    max_size=6,
)


@given(TAGS, st.data())
def test_any_attribute_value_round_trips_and_its_translation_is_read_back(
    tags: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    def quoted(value: str, quote: str) -> str:
        references = {"&": "&amp;", quote: "&quot;" if quote == '"' else "&#39;"}
        return quote + "".join(references.get(c, c) for c in value) + quote

    page = "<div>First</div>" + "".join(tag.replace("{}", quoted(value, quote)) for tag, value, quote in tags)
    document = read_document(page.encode(), "a.html")
    assert document.export({s.index: s.source for s in document.segments}) == page.encode()
    values = [segment for segment in document.segments if segment.note]
    chosen = {segment.index: data.draw(VALUES) + "Q" for segment in values}
    before, after = (lxml_html.fromstring(text.decode()) for text in (page.encode(), document.export(chosen)))
    assert [e.tag for e in after.iter()] == [e.tag for e in before.iter()]
    assert "".join(after.itertext()) == "".join(before.itertext())
    written = "".join(value for element in after.iter() for value in element.attrib.values())
    for text in chosen.values():
        assert " ".join(text.split()) in " ".join(written.split())


def test_hostile_zones_and_values_round_trip() -> None:
    """A quadratic algorithm would not finish."""
    for soup in (
        "<p translate=no><i translate=yes>",
        '<p title="',
        "<p a='\"'b=\"",
        "<p title=x",
        "<p class=notranslate>",
    ):
        data = f"Text. {soup * 5_000}".encode()
        document = read_document(data, "a.html")
        assert document.export({0: document.segments[0].source}) == data
