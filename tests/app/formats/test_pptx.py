"""Presentations, made and read back by python-pptx: what is offered, and what a translation changes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from openpyxl import load_workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from xlsxwriter import Workbook

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.office import pptx
from app.formats.read_file import read_document
from app.formats.tag_names import named_tags
from tests.app.formats.test_docx import sample as word_sample

TITLE = "Set up the router"
PRESENTATION = "ppt/presentation.xml"


def saved(presentation: Any) -> bytes:
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def sample() -> bytes:
    """Three slides: formats and a link; a table and notes; a chart. The second one is moved to the end."""
    presentation = Presentation()
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = TITLE
    body = first.placeholders[1].text_frame
    paragraph = body.paragraphs[0]
    for text, is_bold in (("Press the ", None), ("red", True), (" button & wait <now>.", None)):
        run = paragraph.add_run()
        run.text, run.font.bold = text, is_bold
    paragraph = body.add_paragraph()
    link = paragraph.add_run()
    link.text = "manual"
    link.hyperlink.address = "https://example.org/manual"
    after = paragraph.add_run()
    after.text = " explains the lights."
    body.add_paragraph().text = "One line\vand another."
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "Lights"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for row, texts in enumerate((("Light", "Meaning"), ("Green", "42"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    second.notes_slide.notes_text_frame.text = "Show the device. Ask for questions."
    third = presentation.slides.add_slide(presentation.slide_layouts[5])
    third.shapes.title.text = "Sales"
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("2025", (1, 2))
    chart = third.shapes.add_chart(XL_CHART_TYPE.PIE, 0, Inches(2), Inches(3), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sold devices"
    third.shapes[1]._element.nvGraphicFramePr.cNvPr.set("descr", "A pie with two pieces")
    ids = presentation.slides._sldIdLst
    ids.append(ids[1])
    return saved(presentation)


def edited(data: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """The archive with the XML of one part changed."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            new.writestr(info, change(content.decode()).encode() if info.filename == part else content)
    return target.getvalue()


@pytest.fixture(scope="module")
def data() -> bytes:
    return sample()


def sources(document: Document) -> list[str]:
    return [document.segments[index].source for index in document.order]


def texts(data: bytes) -> list[str]:
    """All texts that python-pptx finds, slide by slide."""
    found: list[str] = []
    for slide in Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                found += [paragraph.text for paragraph in shape.text_frame.paragraphs]
            if shape.has_table:
                found += [cell.text for row in shape.table.rows for cell in row.cells]
            if shape.has_chart:
                found += [shape.chart.chart_title.text_frame.text]
        if slide.has_notes_slide:
            found.append(slide.notes_slide.notes_text_frame.text)
    return found


def test_texts_are_offered_slide_by_slide(data: bytes):
    document = read_document(data, "talk.pptx")
    assert sources(document) == [
        TITLE,
        "Press the {1}red{/1} button & wait <now>.",
        "{1}manual{/1} explains the lights.",
        "One line{1}and another.",
        "Sales",
        "A pie with two pieces",
        "Sold devices",
        "East",
        "West",
        "Lights",
        "Light",
        "Meaning",
        "Green",
        "Show the device.",
        "Ask for questions.",
    ]
    assert document.notes == ()


def test_without_translations_the_file_is_the_same_byte_for_byte(data: bytes):
    assert read_document(data, "talk.pptx").export({}) == data


def test_translations_appear_in_their_places_and_nothing_else_changes(data: bytes):
    document = read_document(data, "talk.pptx")
    translations = {
        TITLE: "Router einrichten",
        "Press the {1}red{/1} button & wait <now>.": "Den {1}roten{/1} Knopf drücken & <jetzt> warten.",
        "{1}manual{/1} explains the lights.": "Das {1}Handbuch{/1} erklärt die Lämpchen.",
        "One line{1}and another.": "Eine Zeile{1}und noch eine.",
        "Sold devices": "Verkaufte Geräte",
        "Green": "Grün",
        "Show the device.": "Das Gerät zeigen.",
    }
    by_index = {s.index: translations[s.source] for s in document.segments if s.source in translations}
    assert len(by_index) == len(translations)
    written = document.export_file(by_index, "de")
    expected = [
        {
            TITLE: "Router einrichten",
            "Press the red button & wait <now>.": "Den roten Knopf drücken & <jetzt> warten.",
            "manual explains the lights.": "Das Handbuch erklärt die Lämpchen.",
            "One line\vand another.": "Eine Zeile\vund noch eine.",
            "Sold devices": "Verkaufte Geräte",
            "Green": "Grün",
            "Show the device. Ask for questions.": "Das Gerät zeigen. Ask for questions.",
        }.get(text, text)
        for text in texts(data)
    ]
    assert (written.name, texts(written.data)) == ("talk.de.pptx", expected)
    frame = Presentation(io.BytesIO(written.data)).slides[0].placeholders[1].text_frame
    bold, link = frame.paragraphs[0].runs, frame.paragraphs[1].runs
    assert [run.text for run in bold if run.font.bold] == ["roten"]
    assert [run.text for run in link if run.hyperlink.address] == ["Handbuch"]
    assert {run.font._element.get("lang") for run in [*bold, *link]} == {"de"}
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(written.data)) as new:
        assert old.namelist() == new.namelist()
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert all(re.match(r"ppt/(slides|notesSlides|charts)/\w+\.xml$", name) for name in changed) and len(changed) == 4


def test_tags_have_names(data: bytes):
    document = read_document(data, "talk.pptx")
    names = {s.source: named_tags(document.tags(s.index)) for s in document.segments if "{1}" in s.source}
    assert [tags["1"]["name"] for tags in names.values()] == ["B", "link", "line break"]


def test_places_are_named_by_slide(data: bytes):
    parsed = read_document(data, "talk.pptx")
    file = pptx.parse(data, "talk.pptx")
    places = {segment.source: file.describe(segment.start) for segment in parsed.segments}
    assert (places[TITLE], places["Sales"], places["Lights"]) == ("slide 1", "slide 2", "slide 3")
    assert (places["Sold devices"], places["Ask for questions."]) == ("chart on slide 2", "notes of slide 3")


def test_runs_that_differ_in_spelling_marks_only_are_one_text(data: bytes):
    def split(xml: str) -> str:
        runs = '<a:r><a:rPr lang="en-US" dirty="0" err="1"/><a:t>Set up </a:t></a:r>'
        return xml.replace(
            f"<a:r><a:t>{TITLE}</a:t></a:r>", runs + "<a:r><a:rPr lang='en-GB'/><a:t>the router</a:t></a:r>"
        )

    document = read_document(edited(data, "ppt/slides/slide1.xml", split), "talk.pptx")
    assert sources(document)[0] == TITLE
    assert texts(document.export({document.order[0]: "Der Router"}))[0] == "Der Router"


DIAGRAM = """<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/>
<a:p><a:r><a:rPr lang="en-US"/><a:t>First step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"""
DRAWING = """<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dsp:sp><dsp:txBody><a:p><a:pPr lvl="0"/>
<a:r><a:rPr lang="en-US" kern="1200"/><a:t>First step</a:t></a:r></a:p></dsp:txBody></dsp:sp></dsp:drawing>"""


def test_diagram_and_its_picture_get_the_same_translation(data: bytes):
    def relate(xml: str) -> str:
        base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        more = f'<Relationship Id="rId91" Type="{base}/diagramData" Target="../diagrams/data1.xml"/>'
        more += '<Relationship Id="rId92" Type="http://schemas.microsoft.com/office/2007/relationships/diagramDrawing" '
        return xml.replace("</Relationships>", more + 'Target="/ppt/diagrams/drawing1.xml"/></Relationships>')

    with_diagram = edited(data, "ppt/slides/_rels/slide1.xml.rels", relate)
    added = {"ppt/diagrams/data1.xml": DIAGRAM, "ppt/diagrams/drawing1.xml": DRAWING}
    target = io.BytesIO(with_diagram)
    with zipfile.ZipFile(target, "a") as archive:
        for name, xml in added.items():
            archive.writestr(name, xml)
    document = read_document(target.getvalue(), "talk.pptx")
    step = next(s for s in document.segments if s.source == "First step")
    with zipfile.ZipFile(io.BytesIO(document.export({step.index: "Schritt eins"}))) as archive:
        for name, xml in added.items():
            expected = xml.replace("First step", "Schritt eins").replace(' lang="en-US"', "")
            assert archive.read(name).decode() == expected.replace("<a:rPr/>", "")


def test_names_in_a_chart_change_in_its_workbook_too(data: bytes):
    presentation = Presentation(io.BytesIO(data))
    chart = presentation.slides[1].shapes[1].chart
    names = CategoryChartData()
    names.categories = ["East", "West"]
    names.add_series("East", (1, 2))
    names.add_series("Sold", (3, 4))
    chart.replace_data(names)
    book = io.BytesIO()
    workbook = Workbook(book)
    headings = [{"header": " "}, {"header": "East"}, {"header": "Sold"}]
    rows = [["East", 1, 3], ["West", 2, 4]]
    workbook.add_worksheet("Sheet1").add_table("A1:C3", {"data": rows, "columns": headings})
    workbook.close()
    chart.part.chart_workbook.xlsx_part._blob = book.getvalue()
    document = read_document(saved(presentation), "talk.pptx")
    translations = {"East": "Ost & mehr", "Sold": "Verkauft", "West": "Westen"}
    by_index = {s.index: translations[s.source] for s in document.segments if s.source in translations}
    assert len(by_index) == 3  # each name once
    chart = Presentation(io.BytesIO(document.export(by_index))).slides[1].shapes[1].chart
    assert [*chart.plots[0].categories] == ["Ost & mehr", "Westen"]
    assert [(s.name, s.values) for s in chart.plots[0].series] == [("Ost & mehr", (1, 2)), ("Verkauft", (3, 4))]
    sheet = load_workbook(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob))["Sheet1"]
    assert [*sheet.values] == [(" ", "Ost & mehr", "Verkauft"), ("Ost & mehr", 1, 3), ("Westen", 2, 4)]
    (table,) = sheet.tables.values()
    assert table.column_names == [" ", "Ost & mehr", "Verkauft"]


def workbook_of_names(headings: list[str], formula: str = "=1") -> bytes:
    target = io.BytesIO()
    workbook = Workbook(target)
    sheet = workbook.add_worksheet()
    sheet.add_table(0, 0, 1, len(headings) - 1, {"columns": [{"header": name} for name in headings]})
    sheet.write_formula("H9", formula)
    workbook.close()
    return target.getvalue()


@pytest.mark.parametrize(
    ("names", "formula", "is_changed"),
    [
        ({"East": "Ost"}, "=1", True),
        ({"East": "Gleich", "West": "gleich"}, "=1", False),  # two headings of a table must differ
        ({"East": "Ost"}, "=SUM(Table1[East])", False),
    ],
)
def test_workbook_of_a_chart_stays_if_new_names_do_not_fit(
    data: bytes, names: dict[str, str], formula: str, is_changed: bool
):
    presentation = Presentation(io.BytesIO(data))
    book = workbook_of_names(["East", "West"], formula)
    presentation.slides[1].shapes[1].chart.part.chart_workbook.xlsx_part._blob = book
    document = read_document(saved(presentation), "talk.pptx")
    written = document.export({s.index: names[s.source] for s in document.segments if s.source in names})
    chart = Presentation(io.BytesIO(written)).slides[1].shapes[1].chart
    assert next(iter(chart.plots[0].categories)) == names["East"]
    headings = next(load_workbook(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob)).active.values)[:2]
    assert headings == (("Ost", "West") if is_changed else ("East", "West"))


def test_text_that_a_layout_or_master_shows_is_offered_without_its_prompts():
    presentation = Presentation(io.BytesIO(sample()))
    unused = presentation.slide_layouts[8]
    for shapes, text in ((presentation.slide_layouts[1].shapes, "For members only"), (unused.shapes, "Never shown")):
        shape = deepcopy(presentation.slides[0].shapes.title._element)
        shape.nvSpPr.nvPr.clear()
        shape.txBody.findall(".//{*}t")[0].text = text
        shapes._spTree.append(shape)
    document = read_document(saved(presentation), "talk.pptx")
    assert sources(document)[-2:] == ["Ask for questions.", "For members only"]
    assert document.coverage is not None and document.coverage.num_seen == document.coverage.num_offered
    written = Presentation(io.BytesIO(document.export({document.order[-1]: "Nur für Mitglieder"})))
    assert written.slide_layouts[1].shapes[-1].text_frame.text == "Nur für Mitglieder"


def test_comments_that_are_not_offered_are_named(data: bytes):
    target = io.BytesIO(data)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("ppt/comments/comment1.xml", "<x/>")
    assert read_document(target.getvalue(), "talk.pptx").notes == ("Not offered: comments.",)


def test_main_part_may_have_its_type_by_default(data: bytes):
    def by_default(xml: str) -> str:
        override = re.search(r'<Override PartName="/ppt/presentation.xml" (ContentType="[^"]*")/>', xml)
        assert override is not None
        default = '<Default Extension="xml" ContentType="application/xml"/>'
        assert default in xml
        xml = xml.replace(override.group(), "")
        return xml.replace(default, f'<Default Extension="xml" {override[1]}/>')

    document = read_document(edited(data, "[Content_Types].xml", by_default), "talk.pptx")
    assert sources(document) == sources(read_document(data, "talk.pptx"))


DOCTYPE = "<!DOCTYPE p [<!ENTITY a 'b'>]>"
DAMAGED: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda data: b"", "is empty"),
    (lambda data: data[:2000], "not a .pptx file or is damaged"),
    (lambda data: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + data, r"old \.ppt format: in PowerPoint, save it as \.pptx"),
    (lambda data: word_sample(), r"is a \.docx file with another ending"),
    (lambda data: edited(data, "ppt/slides/slide1.xml", lambda xml: xml[:-20]), r"slide1\.xml"),
    (lambda data: edited(data, PRESENTATION, lambda xml: xml.replace("<p:pres", f"{DOCTYPE}<p:pres", 1)), "entit"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGED, ids=[message for _, message in DAMAGED])
def test_damaged_presentation_is_refused_with_the_cure(data: bytes, damage: Callable[[bytes], bytes], message: str):
    with pytest.raises(DocumentError, match=message):
        read_document(damage(data), "talk.pptx")


def test_presentation_without_text_is_refused_as_other_files_are():
    with pytest.raises(DocumentError, match="no text"):
        read_document(saved(Presentation()), "talk.pptx")
