"""Malicious files for every reader: too large, bombs, entities, path traversal, wrong encodings."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

import pytest

from app.errors import AppError, DocumentError, GlossaryError
from app.formats import FORMATS, xml_text
from app.formats.markup import markdown
from app.formats.office import office_file
from app.formats.read_file import read_document
from app.formats.xml_text import decode_xml
from app.glossary.reading import glossary_file as glossary_files
from app.glossary.reading.glossary_file import read_glossary
from app.tm import memory_file
from app.tm.memory_file import read_memory
from tests.app.formats.test_docx import BODY, changed, sample
from tests.app.glossary.test_glossary_formats import workbook
from tests.app.work import growth
from tests.fuzz.samples import documents

Read = Callable[[bytes], object]


def document(name: str) -> Read:
    return lambda data: read_document(data, name)


def glossary(data: bytes) -> object:
    return read_glossary(data, "g", "en-de")


def memory(data: bytes) -> object:
    return read_memory(data, "m.tmx", "en", "de")


@pytest.mark.parametrize(
    ("read", "max_bytes"),
    [
        *((document(f"a{ending}"), known.max_bytes) for known in FORMATS.values() for ending in known.endings),
        (glossary, glossary_files.MAX_BYTES),
        (memory, memory_file.MAX_BYTES),
    ],
)
def test_too_large_file_is_rejected_before_reading(read: Read, max_bytes: int):
    assert max_bytes <= 100 * 2**20
    with pytest.raises(AppError, match=r"\d+(\.\d)? MiB.* \d+ MiB"):
        read(bytes(max_bytes + 2**16))


def word(part: str) -> bytes:
    """A Word document whose body part starts with this text."""
    return changed(sample(), lambda xml: part + xml[xml.index("<w:document") :])


BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
OUTSIDE_DTD = '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]>'
XML_FILES: list[tuple[Read, Callable[[str], bytes]]] = [
    (document("a.xlf"), lambda start: f'{start}<xliff version="1.2">&a;</xliff>'.encode()),
    (document("a.tmx"), lambda start: f'{start}<tmx version="1.4"><body>&a;</body></tmx>'.encode()),
    (document("a.docx"), word),
    (glossary, lambda start: f"{start}<tbx><text>&a;</text></tbx>".encode()),
    (glossary, lambda start: f"{start}<martif><text>&a;</text></martif>".encode()),
    (memory, lambda start: f'{start}<tmx version="1.4"><body>&a;</body></tmx>'.encode()),
]


@pytest.mark.parametrize("start", [BOMB, OUTSIDE, OUTSIDE_DTD], ids=["bomb", "file", "address"])
@pytest.mark.parametrize(("read", "make"), XML_FILES)
def test_entity_declarations_are_rejected(read: Read, make: Callable[[str], bytes], start: str):
    with pytest.raises(AppError, match="its own entities"):
        read(make(start))


def test_entities_of_an_html_page_are_text():
    page = read_document(f"{OUTSIDE}<p>Host &a;.</p>".encode(), "a.html")
    assert [segment.source for segment in page.segments] == ["Host &a;."]


@pytest.mark.parametrize(("read", "make"), [case for case in XML_FILES if case[1] is not word])
def test_bytes_invalid_in_the_declared_encoding_are_rejected(read: Read, make: Callable[[str], bytes]):
    with pytest.raises(AppError, match="line 2: byte 0xFF is not valid in ascii"):
        read(make('<?xml version="1.0" encoding="ascii"?>\n').replace(b"&a;", b"\xff"))


def test_too_many_xml_elements_are_rejected():
    data = b"<a>" + b"<b/>" * 9 + b"</a>"
    assert decode_xml(data, "a.xml", 10).text == data.decode()
    with pytest.raises(DocumentError, match="more than 9 XML elements"):
        decode_xml(data, "a.xml", 9)


def test_too_many_paragraphs_are_rejected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(office_file, "MAX_PARAGRAPHS", 3)
    with pytest.raises(DocumentError, match=r"a\.docx .*more than 3 paragraphs"):
        read_document(sample(), "a.docx")


def test_markdown_with_too_many_lines_is_rejected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(markdown, "MAX_LINES", 3)
    assert read_document(b"a\nb\nc\n", "a.md").segments
    with pytest.raises(DocumentError, match="more than 3 lines"):
        read_document(b"a\nb\nc\nd\n", "a.md")


@pytest.mark.parametrize(
    ("limit", "text", "what"),
    [
        ("MAX_ITEMS", "- a\n  > 1) b\n\t* c\n", "list items"),
        ("MAX_MARKS", "*a* `b", "signs such as"),
    ],
)
def test_markdown_with_too_many_items_or_marks_is_rejected(
    limit: str, text: str, what: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(markdown, limit, 3)
    assert read_document(text.encode(), "a.md").segments
    monkeypatch.setattr(markdown, limit, 2)
    with pytest.raises(DocumentError, match=f"more than 2 {what}"):
        read_document(text.encode(), "a.md")


@pytest.mark.parametrize("mark", ["- ", "> ", "1. "])
def test_markdown_nested_too_deeply_is_rejected_instead_of_skipped(mark: str):
    assert len(read_document(b"x\n\n" + b"> " * 15 + b"deep\n", "a.md").segments) == 2
    with pytest.raises(DocumentError, match=r"a\.md, line 3: quotes or lists are nested too deeply"):
        read_document(f"x\r\n\r\n{mark * 25}deep\n".encode(), "a.md")


@pytest.mark.parametrize("line", ["[a b", "![a](b ", "`a``b", "**a", "<a href='", "{{a", "> a", "[a]: b '", "http://a"])
def test_reading_broken_markdown_takes_linear_time(line: str):
    assert growth(lambda size: markdown.parse(f"{line}\n".encode() * 20 * size, "a.md"), 10) < 2.5


def test_subtitle_with_many_speakers_takes_linear_time():
    times = b"1\n00:00:01,000 --> 00:00:02,000\n"
    assert growth(lambda size: read_document(times + b"- A\n" * size, "a.srt"), 100) < 2.5


def test_long_runs_of_spaces_are_read_quickly():
    run = b" " * 2**20  # without a limit this would take hours
    for data in (b"a" + run + b"b {#c}\n", b"a {#" + run + b"\n", b"- a" + run + b"\\\nb\n"):
        assert read_document(data, "a.md").segments[0].source[0] == "a"
    times = b"00:00:01,000 --> 00:00:02,000\na\n"
    with pytest.raises(DocumentError, match="line 1: text before the times of the first subtitle"):
        read_document(b"1000" + run + b"x\n" + times, "a.srt")


def test_unreadable_rows_count_towards_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(glossary_files, "MAX_ROWS", 3)
    with pytest.raises(GlossaryError, match="more than 3 rows"):
        glossary(b"a,b\n" + b'"a,b\n' * 4)


def with_part(archive: bytes, name: str, content: bytes) -> bytes:
    target = io.BytesIO(archive)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(name, content)
    return target.getvalue()


OFFICE = {ending: documents()[ending][0] for ending in ("docx", "pptx", "xlsx", "odt", "odp", "idml")}


@pytest.mark.parametrize("ending", OFFICE)
def test_office_file_with_another_ending_is_refused_with_its_own(ending: str):
    other = "xlsx" if ending == "idml" else "idml"
    with pytest.raises(DocumentError, match=rf"a\.{other} is a \.{ending} file with another ending: rename it"):
        read_document(OFFICE[ending], f"a.{other}")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("ending", OFFICE)
def test_office_file_with_a_part_twice_is_refused(ending: str):
    with zipfile.ZipFile(io.BytesIO(OFFICE[ending])) as archive:
        name = archive.namelist()[-1]
    with pytest.raises(DocumentError, match=f"{name} is there twice.*open and save it in"):
        read_document(with_part(OFFICE[ending], name, b"<x/>"), f"a.{ending}")


@pytest.mark.parametrize("name", ["../../evil.xml", "/etc/evil", "C:\\evil.xml"])
def test_archive_parts_with_path_like_names_stay_in_the_archive(name: str):
    read = read_document(with_part(sample(), name, b"x"), "../../a.docx")
    assert read.name == "a.docx"
    with zipfile.ZipFile(io.BytesIO(read.export({0: "Los"}))) as written:
        assert written.read(written.namelist()[-1]) == b"x"
    assert read_glossary(with_part(workbook([["a", "b"]]), name, b"x"), "../g.xlsx").name == "g.xlsx"


def test_missing_archive_part_is_not_looked_up_elsewhere():
    data = sample()
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        parts = {info.filename: old.read(info) for info in old.infolist()}
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"/word/document.xml", b"/../../etc/hostname")
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    with pytest.raises(DocumentError, match=r"\.\./\.\./etc/hostname is missing"):
        read_document(target.getvalue(), "a.docx")


def understated(archive: bytes, name: str) -> bytes:
    """The archive with a part of 3 MiB whose headers both declare one byte."""
    data = bytearray(with_part(archive, name, bytes(3 * 2**20)))
    for found, size in (
        (data.rindex(b"PK\x01\x02"), 24),
        (data.rindex(name.encode(), 0, data.rindex(b"PK\x01\x02")), -8),
    ):
        assert struct.unpack_from("<I", data, found + size)[0] == 3 * 2**20
        struct.pack_into("<I", data, found + size, 1)
    return bytes(data)


def test_part_larger_than_its_declared_size_is_rejected():
    with pytest.raises(DocumentError, match="damaged"):
        read_document(understated(sample(), "word/more.xml"), "a.docx")


def test_body_larger_than_its_declared_size_is_rejected():
    data = sample()
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        size = old.getinfo(BODY).file_size
    broken = data.replace(struct.pack("<I", size), struct.pack("<I", 10))
    with pytest.raises(DocumentError, match="damaged"):
        read_document(broken, "a.docx")


def test_only_xml_without_a_fault_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    check = xml_text._check
    monkeypatch.setattr(xml_text, "_check", lambda text, *rest: checked.append(text) or check(text, *rest))
    good, bad = b"<a><b/><b/>checked once</a>", b"<a><b/>not closed</b>"
    assert xml_text.decode_xml(good, "a") == xml_text.decode_xml(good, "b")
    for _ in range(2):
        with pytest.raises(DocumentError, match="not well-formed"):
            xml_text.decode_xml(bad, "a")
        with pytest.raises(DocumentError, match="more than 2 XML elements"):
            xml_text.decode_xml(good, "a", 2)
    assert checked == [good.decode(), bad.decode(), good.decode(), bad.decode(), good.decode()]
