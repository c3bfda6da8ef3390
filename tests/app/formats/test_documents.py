"""Plain text documents: segments, and export with translations in their places."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.file_format import Reading
from app.formats.read_file import read_document
from app.glossary import term_matcher
from app.glossary.reading.glossary_file import read_glossary

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "samples"
LINE = st.text(st.sampled_from("aB ä\t€“.5%\u00a0\u2028\x0c中😀"), max_size=12)
LINES = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r"])), min_size=1, max_size=8)
ENCODINGS = {"utf-8": b"", "utf-8-sig": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


def sources(document: Document) -> list[str]:
    return [segment.source for segment in document.segments]


def test_line_consists_of_sentences_and_white_space_around_them() -> None:
    document = read_document(b"\r\n  One line.  Still it.  \r\n\r\n\tTwo\n\n\rThree", "a.txt")
    assert sources(document) == ["One line.", "Still it.", "Two", "Three"]
    exported = document.export({1: "Noch sie.", 2: "Zwei"})
    assert exported == b"\r\n  One line.  Noch sie.  \r\n\r\n\tZwei\n\n\rThree"


def test_only_line_ends_end_a_line() -> None:
    text = "a\x0cb\u2028c\x85d\u2029e\x0bf"
    assert sources(read_document(text.encode(), "a.txt")) == [text]


@given(LINES, st.sampled_from(sorted(ENCODINGS)))
def test_bytes_are_unchanged_without_translations(lines: list[tuple[str, str]], encoding: str) -> None:
    text = "x" + "".join(line + end for line, end in lines)  # never white space only, which is rejected
    data = ENCODINGS[encoding] + text.encode(encoding)
    document = read_document(data, "a.txt", reading=Reading(line_breaks="separate"))
    assert document.data == data
    assert document.export({}) == data
    assert document.export({s.index: s.source for s in document.segments}) == data
    for segment in document.segments:
        assert document.text[segment.start : segment.end] == segment.source


@given(LINES, st.data())
def test_translations_replace_only_their_segments(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    text = "x\n" + "".join(line + end for line, end in lines)
    document = read_document(text.encode(), "a.txt", reading=Reading(line_breaks="separate"))
    chosen = data.draw(st.sets(st.sampled_from(range(len(document.segments)))))
    exported = document.export({index: f"Übersetzung {index}" for index in chosen}).decode()
    expected, position = "", 0
    for segment in document.segments:
        expected += document.text[position : segment.start]
        expected += f"Übersetzung {segment.index}" if segment.index in chosen else segment.source
        position = segment.end
    assert exported == expected + document.text[position:]


def test_document_keeps_its_encoding() -> None:
    for encoding in ("cp1252", "utf-8-sig", "utf-16"):
        document = read_document("Fünf Äpfel\n".encode(encoding), "a.txt")
        exported = document.export({0: "Sechs Öfen – für 5 €"})
        assert exported.decode(encoding) == "Sechs Öfen – für 5 €\n"


def test_unsupported_characters_change_the_file_to_utf_8_with_a_note() -> None:
    document = read_document("Caf\xe9\n".encode("cp1252"), "menu.txt")
    exported = document.export_file({0: "Łódź"}, "pl")
    assert exported.data == "Łódź\n".encode()
    assert exported.name == "menu.pl.txt"
    assert exported.note is not None
    assert "Windows-1252" in exported.note
    assert "Ł (U+0141)" in exported.note


def test_line_break_in_a_translation_does_not_create_a_segment() -> None:
    document = read_document(b"One\nTwo\n", "a.txt")
    assert document.export({0: "Eins\r\n\nund"}) == b"Eins und\nTwo\n"


def test_lone_surrogate_does_not_break_the_export() -> None:
    assert read_document(b"One\n", "a.txt").export({0: "a\ud83d"}) == "a\ufffd\n".encode()


def test_translation_of_an_unknown_segment_is_an_error() -> None:
    with pytest.raises(DocumentError, match="index 1"):
        read_document(b"One\n", "a.txt").export({1: "Zwei"})


def test_file_over_the_limit_is_rejected_before_reading() -> None:
    with pytest.raises(DocumentError, match=r"big\.txt is too large \(5\.0 MiB.*split"):
        read_document(b"a" * (5 * 2**20 + 1), "big.txt")


def test_file_of_five_million_bytes_is_opened() -> None:
    line = b"word " * 79 + b"word\n"
    document = read_document(line * (5_000_000 // len(line)), "big.txt")
    assert len(document.segments) == 12_500


def test_too_many_segments_are_rejected() -> None:
    with pytest.raises(DocumentError, match=r"long\.txt has more than 20,000 segments.*split"):
        read_document(b"a\n" * 20_001, "long.txt")
    assert len(read_document(b"a\n" * 20_000, "long.txt").segments) == 20_000


def test_long_segment_is_opened_and_too_long_one_is_rejected_with_its_line() -> None:
    assert len(read_document(b"word " * 2000, "a.txt").segments) == 1
    with pytest.raises(DocumentError, match=r"line 3: the segment is too long .60,000 characters"):
        read_document(b"a\r\n\r\n" + b"a" * 60_000, "a.txt")


def test_hostile_text_is_plain_text() -> None:
    lines = ["<img src=x onerror=alert(1)>", "${alert(1)}", "=HYPERLINK('x')", "'; DROP TABLE event; --"]
    assert sources(read_document("\n".join(lines).encode(), "<b>.txt")) == lines


def test_the_sample_document_uses_every_term_of_the_sample_glossary() -> None:
    document = read_document((SAMPLES / "getting-started.txt").read_bytes(), "getting-started.txt")
    imported = read_glossary((SAMPLES / "glossary.tsv").read_bytes(), "glossary.tsv", "en-de")
    found = {hit.term for segment in document.segments for hit in term_matcher(imported.terms).find(segment.source)}
    assert len(document.segments) == 54
    assert len(imported.terms) == 21
    assert not imported.errors
    assert found == set(imported.terms)


def test_sentences_end_where_a_reader_expects() -> None:
    text = "1. Dr. Smith wrote 3.5 pages. Did he? “Yes.” See https://a.example/b.c for v1.2 of it!  – Done."
    assert sources(read_document(text.encode(), "a.txt")) == [
        "1. Dr. Smith wrote 3.5 pages.",
        "Did he?",
        "“Yes.”",
        "See https://a.example/b.c for v1.2 of it!",
        "– Done.",
    ]


@pytest.mark.parametrize(
    ("name", "cure"), [("app.rst", "convert it to XLIFF"), ("a.b.Ini", "convert it"), ("letter.RTF", ".docx")]
)
def test_file_of_an_unknown_kind_is_refused_with_a_cure(name: str, cure: str) -> None:
    with pytest.raises(DocumentError, match=f"{name}: .* end in .*{cure}"):
        read_document(b'{"open": "Open file"}', name)


@pytest.mark.parametrize("name", ["README", "notes.text", "Chapter 1. The start", ".hidden"])
def test_name_without_a_file_ending_is_plain_text(name: str) -> None:
    assert sources(read_document(b"One line.", name)) == ["One line."]


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("terms.sdltb", "import it as a glossary, from Trados MultiTerm as MultiTerm XML or TBX"),
        ("terms.TBX", "import it as a glossary"),
        ("memory.sdltm", "import it in the panel Memory"),
        ("letter.rtf", "save it as a Word document"),
    ],
)
def test_term_base_memory_or_rich_text_is_refused_as_a_document_with_the_cure(name: str, cure: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(cure)):
        read_document(b"x", name)
