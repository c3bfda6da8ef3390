"""Line breaks inside paragraphs: one rule for all formats, a choice, and exact places in the exported file."""

from __future__ import annotations

import io

import openpyxl
import pytest
from pptx import Presentation

from app.errors import CommandError
from app.formats import Reading, stored_format
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.formats.soft_breaks import LineBreaks, lines
from tests.app.formats import test_idml, test_odf
from tests.app.formats.test_docx import with_body
from tests.app.formats.test_docx_practice import run

CASES = [
    ("Need help choosing|a product?", 1, "the sentence goes on"),
    ("The pump must be closed|before you open|the valve.", 1, "over three lines"),
    ("Über die Pumpe|öffnen Sie|ändern Sie", 1, "small letters with marks"),
    ("Насос|включен", 1, "other scripts"),
    ("The pump is closed.|open the valve.", 2, "the line before ends a sentence"),
    ("Is it “closed?”|open the valve.", 2, "with a quotation mark behind"),
    ("Enter:|a product", 2, "a colon introduces a list"),
    ("one;|two;|three", 3, "items with semicolons"),
    ("Acme Ltd.|12 High Street|London", 3, "an address"),
    ("Milk|Eggs", 2, "a list"),
    ("a) milk|b) eggs", 2, "a list with letters"),
    ("Visit us|www.example.org|info@example.org", 3, "addresses of the Internet"),
    ("We support|iPhone", 2, "a name that begins with a small letter"),
    ("Dear Ann||thank you", 2, "an empty line"),
    ("水泵|已关闭", 2, "a script without small letters"),
    ("Price|5 euros|4711", 2, "a line without letters is no segment"),
    ("123|4711", 0, "no letters at all"),
]


@pytest.mark.parametrize(("text", "num_lines", "reason"), CASES, ids=str)
def test_a_line_break_ends_a_segment_unless_a_sentence_goes_on(text: str, num_lines: int, reason: str) -> None:
    breaks = [(at, at + 1) for at, sign in enumerate(text) if sign == "|"]
    assert len(lines(text, breaks, None)) == num_lines, reason
    letters = [line for line in text.split("|") if any(map(str.isalpha, line))]
    assert [text[start:end] for start, end in lines(text, breaks, "separate")] == letters
    assert len(lines(text, breaks, "join")) == bool(letters)


def test_many_line_breaks_take_linear_time() -> None:
    """A quadratic algorithm would not finish."""
    text = "go on|" * 40_000
    breaks = [(at, at + 1) for at, sign in enumerate(text) if sign == "|"]
    assert len(lines(text, breaks, None)) == 1
    assert len(lines(text, breaks, "separate")) == 40_000


def html(text: str) -> bytes:
    return f"<p>{text.replace('|', '<br>')}</p>".encode()


def xhtml(text: str) -> bytes:
    return f"<p><b>{text.replace('|', '<br />')}</b></p>".encode()


def markdown(text: str) -> bytes:
    return ("> " + text.replace("|", "  \n> ") + "\n").encode()


def markdown_with_backslashes(text: str) -> bytes:
    return (text.replace("|", "\\\n") + "\n").encode()


def docx(text: str) -> bytes:
    return with_body(f"<w:p>{'<w:r><w:br/></w:r>'.join(map(run, text.split('|')))}</w:p>")


def docx_with_tabs(text: str) -> bytes:
    return with_body(f"<w:p>{'<w:r><w:tab/></w:r>'.join(map(run, text.split('|')))}</w:p>")


def odt(text: str) -> bytes:
    return test_odf.sample(f"<office:text><text:p>{text.replace('|', '<text:line-break/>')}</text:p></office:text>")


def pptx(text: str) -> bytes:
    presentation, target = Presentation(), io.BytesIO()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = text.replace("|", "\v")
    presentation.save(target)
    return target.getvalue()


def idml(text: str) -> bytes:
    return test_idml.sample({"low": test_idml.plain(text.replace("|", "\u2028"))})


def xlsx(text: str) -> bytes:
    workbook, target = openpyxl.Workbook(), io.BytesIO()
    assert workbook.active is not None
    workbook.active["A1"] = text.replace("|", "\n")
    workbook.save(target)
    return target.getvalue()


FORMATS = {
    "a.html": html, "a.xhtml": xhtml, "a.md": markdown, "b.md": markdown_with_backslashes, "a.docx": docx,
    "b.docx": docx_with_tabs, "a.odt": odt, "a.pptx": pptx, "a.idml": idml, "a.xlsx": xlsx,
}  # fmt: skip


def opened(name: str, text: str, choice: LineBreaks | None = None) -> Document:
    data = FORMATS[name](text)
    document = read_document(data, name, reading=Reading(line_breaks=choice))
    assert document.export({}) == data
    return document


def sources(document: Document) -> list[str]:
    """The sources without the texts that the samples of other tests have beside."""
    return [segment.source for segment in document.segments if segment.source not in ("The header", 'A "red" door')]


@pytest.mark.parametrize("name", FORMATS)
def test_line_break_inside_a_sentence_is_a_tag_that_keeps_its_place(name: str) -> None:
    document = opened(name, "Need help choosing|a product? Ask us.")
    assert sources(document) == ["Need help choosing{1}a product?", "Ask us."]
    again = read_document(document.export({0: "Brauchen Sie Hilfe{1}bei der Wahl?"}), name, "de")
    assert sources(again) == ["Brauchen Sie Hilfe{1}bei der Wahl?", "Ask us."]


@pytest.mark.parametrize("name", FORMATS)
def test_lines_of_an_address_are_segments_with_line_breaks_between_them(name: str) -> None:
    document = opened(name, "Acme Ltd.|High Street|London")
    assert sources(document) == ["Acme Ltd.", "High Street", "London"]
    again = read_document(document.export({1: "Hauptstraße"}), name, "de")
    assert sources(again) == ["Acme Ltd.", "Hauptstraße", "London"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_person_can_choose_that_line_breaks_always_or_never_end_a_segment(name: str) -> None:
    assert sources(opened(name, "Need help|a product?", "separate")) == ["Need help", "a product?"]
    joined = opened(name, "Acme House|High Street", "join")
    assert sources(joined) == ["Acme House{1}High Street"]
    assert joined.format.reading.line_breaks == "join"
    assert joined.format.reading == Reading(line_breaks="join")
    again = read_document(joined.export({0: "Haus{1}Straße"}), name, "de", Reading(line_breaks="join"))
    assert sources(again) == ["Haus{1}Straße"]


@pytest.mark.parametrize("name", ["a.html", "a.md", "b.md"])
def test_pair_of_tags_around_a_line_break_stays_whole_where_its_lines_are_one_segment(name: str) -> None:
    bold = ("<b>", "</b>") if name == "a.html" else ("**", "**")
    text = f"Need {bold[0]}help choosing|a{bold[1]} product?"
    document = opened(name, text)
    assert sources(document) == ["Need {1}help choosing{2}a{/1} product?"]
    assert document.export({0: "Need {1}help choosing{2}a{/1} product?"}) == FORMATS[name](text)


def test_pair_of_tags_over_separate_lines_of_html_is_two_tags() -> None:
    data = b"<p>See <b>Acme<br>London</b> now.</p>"
    document = read_document(data, "a.html")
    assert sources(document) == ["See {1}Acme", "London{1} now."]
    assert document.export({0: "Siehe {1}Acme", 1: "London{1} jetzt."}) == b"<p>Siehe <b>Acme<br>London</b> jetzt.</p>"


def test_page_break_in_word_always_ends_a_segment() -> None:
    data = with_body(f'<w:p>{run("the end")}<w:r><w:br w:type="page"/></w:r>{run("and on")}</w:p>')
    assert sources(read_document(data, "a.docx", reading=Reading(line_breaks="join"))) == ["the end", "and on"]


def test_format_without_line_breaks_in_paragraphs_refuses_the_choice() -> None:
    with pytest.raises(CommandError, match=r"import setting “line breaks”"):
        read_document(b"a: One.", "a.yaml", reading=Reading(line_breaks="join"))
    with pytest.raises(LookupError):
        stored_format("html;lines=maybe")
