"""InDesign documents: what is offered in which order, and what a translation changes."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest
from translate.storage.idml import INLINE_ELEMENTS, NO_TRANSLATE_ELEMENTS, open_idml
from translate.storage.xliff import xlifffile
from translate.storage.xml_extract.extract import ParseState, build_store

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.preview import preview_of
from app.formats.read_file import read_document
from app.formats.tag_names import named_tags
from tests.app.formats.test_pptx import edited

PACKAGE = 'xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging" DOMVersion="8.0"'
PLAIN = '<CharacterStyleRange AppliedCharacterStyle="CharacterStyle/$ID/[No character style]">'
BOLD = '<CharacterStyleRange AppliedCharacterStyle="CharacterStyle/b" FontStyle="Bold">'
FONT = f'{BOLD}\n\t<Properties>\n\t\t<AppliedFont type="string">Myriad</AppliedFont>\n\t</Properties>'
FONT_OF_OURS = FONT.replace(">\n\t<Properties>", "><Properties>")
END = "</CharacterStyleRange>"
PARAGRAPH = '<ParagraphStyleRange AppliedParagraphStyle="ParagraphStyle/Body">'
# Two paragraphs in one range, formats, a link, an XML tag, a footnote, a mark of the index, a forced line break.
BODY = f"""{PARAGRAPH}
	{PLAIN}
		<Content>Set up the </Content>
	{END}
	{FONT}
		<Content>router</Content>
	{END}
	{PLAIN}
		<Content> &amp; wait.</Content><PageReference Self="p1" ReferencedTopic="t"/><Br/>
		<Content>Left	Right side</Content><Br/>
		<Content>Read </Content>
		<HyperlinkTextSource Self="h1" Name="a"><Content>the manual</Content></HyperlinkTextSource>
		<Content> now</Content>
		<Footnote>{PARAGRAPH}{PLAIN}<Content><?ACE 4?>	See page <?ACE 18?>.</Content>{END}
		</ParagraphStyleRange></Footnote>
	{END}
</ParagraphStyleRange>"""
TAGGED = f"""<XMLElement Self="di1" MarkupTag="XMLTag/title"><XMLAttribute Self="a" Name="id" Value="1"/>
{PARAGRAPH}{PLAIN}<XMLElement Self="di2" MarkupTag="XMLTag/b"><Content>First</Content><Br/>
<Content>Second</Content><Br/></XMLElement>
<Content>A title\u2028in two lines</Content>{END}</ParagraphStyleRange></XMLElement>"""
TABLE = f"""{PARAGRAPH}{PLAIN}<Table Self="t"><Cell Self="c1" Name="0:0">{PARAGRAPH}{PLAIN}<Content>Door</Content>{END}
</ParagraphStyleRange></Cell><Cell Name="1:0">{PARAGRAPH}{PLAIN}<Content>12</Content>{END}</ParagraphStyleRange>
</Cell><Cell Self="c3" Name="1:1">{PARAGRAPH}{BOLD}<Content>Red</Content>{END}</ParagraphStyleRange></Cell></Table><Br/>
<TextFrame Self="f9" ParentStory="anchored"/><Content>Behind the table</Content>{END}</ParagraphStyleRange>"""
CHANGED = f"""{PARAGRAPH}<Change ChangeType="DeletedText">{PLAIN}<Content>Gone </Content><Br/>{END}</Change>{PLAIN}
<Content>Still </Content><Change ChangeType="InsertedText"><Content>here</Content></Change><Note><ParagraphStyleRange>
<CharacterStyleRange><Content>Is it so?</Content></CharacterStyleRange></ParagraphStyleRange></Note>{END}
<HiddenText>{PARAGRAPH}{PLAIN}<Content>Only in print</Content>{END}</ParagraphStyleRange></HiddenText>
</ParagraphStyleRange>"""


def plain(text: str) -> str:
    return f"{PARAGRAPH}{PLAIN}<Content>{text}</Content>{END}</ParagraphStyleRange>"


STORIES = {
    "low": BODY, "high": TAGGED, "right": TABLE, "changed": CHANGED, "anchored": plain("In the box"),
    "running": plain("The running title"), "hidden": plain("On a hidden layer"), "loose": plain("Nowhere"),
    "empty": plain("1 234"),
}  # fmt: skip


def frame(story: str, x: float, y: float, extra: str = "") -> str:
    """A frame of 100 by 50 points whose shape is given around its own centre, as InDesign does."""
    corners = "".join(f'<PathPointType Anchor="{px} {py}"/>' for px, py in [(-50, -25), (-50, 25), (50, 25), (50, -25)])
    return (
        f'<TextFrame Self="f{story}" ParentStory="{story}" ItemLayer="shown" Visible="true" {extra} '
        f'ItemTransform="1 0 0 1 {x + 50} {y + 25}"><Properties><PathGeometry>{corners}</PathGeometry></Properties>'
        "</TextFrame>"
    )


PAGES = "".join(
    f'<Page Self="p{name}" Name="{name}" GeometricBounds="0 0 700 500" ItemTransform="1 0 0 1 {x} -350"/>'
    for name, x in [("2", -500), ("3", 0)]
)
PICTURE = """<Rectangle Self="r">
<ObjectExportOption AltTextSourceType="SourceCustom" CustomAltText="A &quot;red&quot; door"/>
</Rectangle><Rectangle Self="r2">
<ObjectExportOption AltTextSourceType="SourceXMLStructure" CustomAltText="$ID/"/></Rectangle>"""
SPREAD = (
    f'<Spread Self="s">{PAGES}{frame("right", 20, -300)}{frame("low", -480, 100)}'
    f'<Group Self="g" ItemTransform="1 0 0 1 -480 -300">{frame("high", 0, 0)}{frame("changed", 0, 60)}</Group>'
    f"{frame('hidden', -480, 0).replace('shown', 'notes')}{frame('empty', 0, 0)}{PICTURE}</Spread>"
)
MASTER = (
    f'<MasterSpread Self="m" Name="A-Master"><Page Self="mp" Name="A" GeometricBounds="0 0 7 5"/>'
    f"{frame('running', 0, 0)}</MasterSpread>"
)


def sample(stories: dict[str, str] = STORIES, spread: str = SPREAD) -> bytes:
    """A document with these stories, as InDesign packs it: the type first and not compressed."""
    parts = {f"Stories/Story_{name}.xml": f'<Story Self="{name}">{xml}</Story>' for name, xml in stories.items()}
    sources = "".join(f'<idPkg:Story src="{name}"/>' for name in parts)
    document = (
        '<Layer Self="shown" Name="Layer 1" Visible="true"/><Layer Self="notes" Name="Notes" Visible="false"/>'
        f'<idPkg:MasterSpread src="MasterSpreads/m.xml"/><idPkg:Spread src="Spreads/s.xml"/>{sources}'
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.adobe.indesign-idml-package", zipfile.ZIP_STORED)
        archive.writestr("designmap.xml", f'<?xml version="1.0"?>\n<Document {PACKAGE} Self="d">{document}</Document>')
        archive.writestr("MasterSpreads/m.xml", f"<idPkg:MasterSpread {PACKAGE}>{MASTER}</idPkg:MasterSpread>")
        archive.writestr("Spreads/s.xml", f"<idPkg:Spread {PACKAGE}>{spread}</idPkg:Spread>")
        for name, xml in parts.items():
            archive.writestr(
                name, f'<?xml version="1.0" encoding="UTF-8"?>\n<idPkg:Story {PACKAGE}>{xml}</idPkg:Story>'
            )
    return target.getvalue()


def of(body: str) -> Document:
    """A document whose only story has this text."""
    return read_document(sample({"low": body}), "a.idml")


def story(data: bytes, name: str = "low") -> str:
    """The XML of a story."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = archive.read(f"Stories/Story_{name}.xml").decode()
    ElementTree.fromstring(xml)
    found = re.search(r"<Story [^>]*>(.*)</Story>", xml, re.DOTALL)
    assert found
    return found[1]


def texts_of(data: bytes) -> list[str]:
    """The texts as the translate toolkit reads them."""
    store = xlifffile()
    for name, content in open_idml(io.BytesIO(data)).items():
        store.switchfile(name, createifmissing=True)
        build_store(io.BytesIO(content), store, ParseState(NO_TRANSLATE_ELEMENTS, INLINE_ELEMENTS), collect_ids=False)
    return [str(unit.source) for unit in store.units]


def test_texts_are_offered_page_by_page_from_top_to_bottom_with_anchored_frames_and_master_pages() -> None:
    document = read_document(sample(), "a.idml")
    assert [segment.source for segment in document.segments] == [
        "First",
        "Second",
        "A title{1}in two lines",
        "Still {1}here{/1}",
        "Set up the {1}router{/1} & wait.",
        "Left",
        "Right side",
        "Read {1}the manual{/1} now",
        "See page {1}.",
        "Door",
        "Red",
        "Behind the table",
        "In the box",
        'A "red" door',
        "The running title",
    ]
    assert document.export({}) == sample()
    assert [name["name"] for name in named_tags(document.tags(4)).values()] == ["B"]
    assert [name["name"] for name in named_tags(document.tags(7)).values()] == ["link"]


def test_note_lists_hidden_texts_and_notes_which_do_not_count_as_visible() -> None:
    document = read_document(sample(), "a.idml")
    assert document.notes == (
        "Not offered: texts on hidden layers or in hidden frames (1); texts without a frame (1); hidden conditional "
        "text; notes. To translate hidden texts, show them in InDesign and save the document again.",
    )
    assert document.coverage and document.coverage.percent == 100


@pytest.mark.parametrize(
    ("old", "hidden"), [('Visible="true"', 'Visible="false"'), ('ItemLayer="shown"', 'ItemLayer="notes"')]
)
def test_group_is_hidden_with_all_that_is_in_it(old: str, hidden: str) -> None:
    spread = (
        f'<Spread Self="s">{PAGES}<Group Self="g" {hidden}>{frame("high", 0, 0)}</Group>{frame("low", 0, 9)}</Spread>'
    )
    assert old in spread
    document = read_document(sample(STORIES, spread), "a.idml")
    assert document.segments[0].source.startswith("Set up") and "First" not in [s.source for s in document.segments]


def test_only_the_translated_paragraph_changes_also_in_a_range_with_others() -> None:
    document = of(BODY)
    exported = document.export({1: "Links", 2: "Rechts <b>"})
    assert story(exported) == BODY.replace("Left	Right side", "Links	Rechts &lt;b&gt;")
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_tags_of_a_translation_become_ranges_and_links_and_the_footnote_stays() -> None:
    document = of(BODY)
    new = {0: "{1}Router{/1} einrichten & warten.", 3: "Jetzt {1}das Handbuch{/1} lesen", 4: "Siehe S. {1}."}
    exported = document.export(new)
    xml = story(exported)
    assert (
        f"{PARAGRAPH}\n\t{FONT_OF_OURS}<Content>Router</Content>{END}{PLAIN}<Content> einrichten &amp; "
        f"warten.</Content>"
        f'{END}{PLAIN}<PageReference Self="p1" ReferencedTopic="t"/>{END}{PLAIN}<Br/>' in xml
    )
    link = '<HyperlinkTextSource Self="h1" Name="a"><Content>das Handbuch</Content></HyperlinkTextSource>'
    assert f"<Content>Jetzt </Content>{END}{PLAIN}{link}{END}{PLAIN}<Content> lesen</Content>" in xml
    assert "<Content><?ACE 4?>\tSiehe S. <?ACE 18?>.</Content>" in xml
    assert read_document(exported, "a.idml").segments[3].source == new[3]
    assert "Links" not in texts_of(exported) and any("das Handbuch" in text for text in texts_of(exported))


def test_text_around_a_footnote_is_written_when_the_footnote_becomes_empty() -> None:
    xml = story(of(BODY).export({3: "Lies {1}das Handbuch{/1}", 4: ""}))
    assert "<Content>Lies </Content>" in xml and "<Content><?ACE 4?>\t</Content>" in xml
    cell = f'<Cell Name="0:0">{plain("Door")}</Cell>'
    table = f"{PARAGRAPH}{PLAIN}<Table>{cell}</Table><Content>Behind</Content>{END}</ParagraphStyleRange>"
    xml = story(of(table + plain("Last")).export({0: "Hinten", 1: "", 2: "Zuletzt"}))
    assert "<Content>Hinten</Content>" in xml and "<Content>Zuletzt</Content>" in xml


def test_element_around_several_paragraphs_of_a_range_stays_one() -> None:
    document = read_document(sample({"low": TAGGED}), "a.idml")
    xml = story(document.export({0: "Erster", 1: "Zweiter", 2: "Ein Titel{1}in zwei Zeilen"}))
    expected = TAGGED.replace("First", "Erster").replace("Second", "Zweiter")
    assert xml == expected.replace("A title\u2028in two lines", "Ein Titel\u2028in zwei Zeilen")


def test_attribute_behind_the_text_of_an_element_is_kept() -> None:
    attribute = '<XMLAttribute Self="a" Name="id" Value="1"/>'
    element = f'<XMLElement Self="di3"><Content>red</Content>{attribute}<Content> door</Content></XMLElement>'
    document = of(f"{PARAGRAPH}{PLAIN}<Content>The </Content>{element}{END}</ParagraphStyleRange>")
    assert document.segments[0].source == "The {1}red door{/1}"
    assert f'<XMLElement Self="di3">{attribute}<Content>rote Tür</Content></XMLElement>' in story(
        document.export({0: "Die {1}rote Tür{/1}"})
    )


def test_deleted_text_and_notes_stay_at_the_end_and_insertions_stay_inserted() -> None:
    xml = story(of(CHANGED).export({0: "{1}Hier{/1} noch"}))
    kept = f'<Change ChangeType="DeletedText">{PLAIN}<Content>Gone </Content><Br/>{END}</Change>'
    assert kept in xml and xml.count("<Note>") == xml.count("<HiddenText>") == 1
    assert '<Change ChangeType="InsertedText"><Content>Hier</Content></Change>' in xml
    assert of(xml.strip()).segments[0].source == "{1}Hier{/1} noch"


def test_cells_alternative_texts_and_the_rest_of_their_parts_are_written() -> None:
    document = read_document(sample(), "a.idml")
    sources = [segment.source for segment in document.segments]
    new = {"Door": "Tür", "Red": "Rot", 'A "red" door': 'Eine "rote" Tür', "In the box": "Im Kasten"}
    exported = document.export({sources.index(source): text for source, text in new.items()})
    assert story(exported, "right") == TABLE.replace("Door", "Tür").replace("Red", "Rot")
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        spread = archive.read("Spreads/s.xml").decode()
    assert SPREAD.replace("A &quot;red&quot; door", "Eine &quot;rote&quot; Tür") in spread
    assert [segment.source for segment in read_document(exported, "a.idml").segments] == [
        new.get(source, source) for source in sources
    ]


def test_preview_names_pages_and_shows_tables() -> None:
    blocks = preview_of(read_document(sample(), "a.idml"))
    assert [block["label"] for block in blocks if block["kind"] == "part"] == [
        "page 2",
        "page 3",
        "page 2",
        "master page A-Master",
    ]
    assert [[cell["column"] for cell in block["cells"]] for block in blocks if block["kind"] == "row"] == [[0], [1]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\x06\x06\xed\xf5\xd8\x1d\x46\xe5" * 9, "is not a .idml file or is damaged .*save it in InDesign"),
        (sample()[:-40], "is damaged"),
        (
            sample({"low": "<ParagraphStyleRange>"}),
            r"a.idml \(Stories/Story_low.xml\), line 2: the XML is not well-formed",
        ),
        (sample({"low": plain("12")}, SPREAD.replace(PICTURE, "")), "contains no text"),
        (
            edited(sample(), "designmap.xml", lambda xml: xml.replace("Document", "Other")),
            "is not an InDesign document",
        ),
        (
            edited(
                sample(), "Stories/Story_low.xml", lambda xml: xml.replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>', 1)
            ),
            "defines its own entities",
        ),
    ],
)
def test_bad_file_is_refused_with_the_cure(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.idml")


def test_document_of_indesign_itself_is_refused_with_the_cure() -> None:
    with pytest.raises(DocumentError, match=r"save it as InDesign markup \(\.idml\) in InDesign"):
        read_document(b"x", "a.indd")


def test_frames_with_damaged_positions_and_a_story_in_two_frames_are_read_once() -> None:
    spread = f'<Spread Self="s">{frame("low", 0, 0).replace("1 0 0 1", "1 x")}{frame("low", 0, 50)}</Spread>'
    assert len(read_document(sample({"low": plain("One.")}, spread), "a.idml").segments) == 1


def test_frames_anchored_in_one_another_a_thousand_times_are_read() -> None:
    chain = {
        f"u{n}": plain("One").replace("</Content>", f'</Content><TextFrame Self="f{n}" ParentStory="u{n + 1}"/>')
        for n in range(1100)
    }
    spread = f'<Spread Self="s">{frame("u0", 0, 0)}</Spread>'
    assert len(read_document(sample(chain, spread), "a.idml").segments) == 1100
