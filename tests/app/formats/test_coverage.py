"""The coverage of a document: letters offered over letters that a reader sees, counted without the format's reader."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from docx import Document as WordDocument
from markdown_it import MarkdownIt

from app.errors import CommandError
from app.formats import Reading, stored_format
from app.formats.coverage import Coverage
from app.formats.read_file import read_document
from tests.fuzz.samples import documents, word_with_extras

ROOT = Path(__file__).parents[3]
# By format, for each sample: what a reader sees of it and is not offered.
NOT_OFFERED = {
    "txt": ["", "", ""],
    "md": ["Not shown. Signs that are Markdown elsewhere", ""],  # in HTML blocks
    "mdx": [""],
    "html": ["Not shown.", "Not this"],  # preformatted text, and the content of a text field
    "docx": ["", "", ""],
    "pptx": [""],
    "xlsx": ["Name Colour, Ask Eva, Total", ""],  # headings of a table, a comment, the result of a formula
    "odt": ["May Door"],  # a date and the result of a formula
    "odp": [""],
    "idml": [""],
    "srt": [""],
    "vtt": [""],
}


@pytest.mark.parametrize(
    "path", ["data/samples/getting-started.txt", "README.md", "docs/translators.md", "CHANGELOG.md"]
)
def test_documents_of_this_project_are_offered_completely(path: str) -> None:
    coverage = read_document((ROOT / path).read_bytes(), path).coverage
    assert coverage is not None and coverage.num_seen > 1000
    assert coverage.num_offered == coverage.num_seen


@pytest.mark.parametrize("ending", NOT_OFFERED)
def test_all_letters_of_the_samples_are_offered_except_known_ones(ending: str) -> None:
    for data, missing in zip(documents()[ending], NOT_OFFERED[ending], strict=True):
        document = read_document(data, f"a.{ending}")
        assert document.coverage is not None
        num_missing = sum(map(str.isalpha, missing))
        assert document.coverage.num_seen - document.coverage.num_offered == num_missing
        assert any(f"Letters that are not offered: {num_missing}" in note for note in document.notes) == bool(missing)


def test_first_text_that_is_not_offered_is_named() -> None:
    page = "<p>One two.</p><pre>A long text that is kept as it is and not shown whole</pre><p>Three</p><pre>Four</pre>"
    coverage = read_document(page.encode(), "a.html").coverage
    assert coverage is not None and coverage.example == "A long text that is kept as it is and no"


@pytest.mark.parametrize("ending", NOT_OFFERED)
def test_named_text_is_one_that_is_not_offered(ending: str) -> None:
    for data, missing in zip(documents()[ending], NOT_OFFERED[ending], strict=True):
        coverage = read_document(data, f"a.{ending}").coverage
        assert coverage is not None
        assert bool(coverage.example) == bool(missing)
        assert all(word in missing for word in coverage.example.replace("(", "").split() if word.isalpha())


def test_markdown_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    parse = MarkdownIt.parse
    monkeypatch.setattr(MarkdownIt, "parse", lambda self, text, env: texts.append(text) or parse(self, text, env))
    document = read_document(b"One [house][a].[^1]\n\n[a]: https://example.org\n\n[^1]: Two doors.\n", "parsed-once.md")
    assert document.coverage == Coverage(16, 16)
    assert len(texts) == 1


def test_formats_that_declare_their_texts_have_no_coverage() -> None:
    for ending in sorted({*documents()} - {*NOT_OFFERED}):
        assert read_document(documents()[ending][0], f"a.{ending}").coverage is None


def test_only_a_complete_document_has_100_percent() -> None:
    assert [Coverage(*counts).percent for counts in ((9_999, 10_000), (10_000, 10_000), (1, 3))] == [99.9, 100.0, 33.3]


def test_note_lists_comments_and_charts_of_a_word_document() -> None:
    word = WordDocument()
    run = word.add_paragraph("One house.").add_run(" Two doors.")
    word.add_comment(run, "Is it so?", author="A", initials="A")
    stream = io.BytesIO()
    word.save(stream)
    document = read_document(stream.getvalue(), "a.docx")
    assert document.notes == (
        "Not offered: comments. To translate them too, choose them in “Import settings”, or use --also comments.",
        "72.7 % of the text that a reader sees is offered for translation. Letters that are not "
        "offered: 6, for example in “Is it so?”.",
    )


def test_chosen_texts_of_a_word_document_are_offered_and_written() -> None:
    data = word_with_extras()
    plain = read_document(data, "a.docx")
    assert plain.extras == ("comments", "charts", "diagrams", "properties")
    reading = Reading(extras=tuple(plain.extras))
    document = read_document(data, "a.docx", reading=reading)
    sources = [segment.source for segment in document.segments]
    assert sources == ["One house.", "Two doors.", "Is it so?", "Sold doors", "First step", "The title & more"]
    assert (document.notes, document.coverage and document.coverage.percent) == ((), 100)
    assert document.export({}) == data and document.format.reading == reading
    new = {2: "Ist es so?", 3: "Verkaufte Türen", 4: "Erster Schritt", 5: "Der Titel & mehr"}
    exported = document.export(new)
    again = WordDocument(io.BytesIO(exported))
    assert again.core_properties.title == new[5] and [c.text for c in again.comments] == [new[2]]
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        assert all(new[4] in archive.read(f"word/{name}.xml").decode() for name in ("data1", "drawing1"))
        assert f"<a:t>{new[3]}</a:t>" in archive.read("word/chart1.xml").decode()
    read = read_document(exported, "a.docx", reading=reading)
    assert [s.source for s in read.segments] == [new.get(n, source) for n, source in enumerate(sources)]


def test_unknown_kind_of_text_is_refused_with_those_that_exist() -> None:
    with pytest.raises(CommandError, match="'headers' is not a kind of text: choose from comments, charts"):
        read_document(b"", "a.docx", reading=Reading(extras=("headers",)))
    with pytest.raises(CommandError, match="HTML does not have the import setting “other texts”"):
        read_document(b"<p>a", "a.html", reading=Reading(extras=("comments",)))
    with pytest.raises(LookupError):
        stored_format("docx;extras=headers")


@pytest.mark.parametrize(
    ("page", "num_seen"),
    [
        ("<p>One</p><script>var x = '<p>no</p><script ';</script><p>Two</p>", 6),
        ("<p>One<div translate=no>no <div title=no>no</div> no</div>Two", 6),
        ("<p>One<code>no</code><svg><title>Six</title></svg><template><p>no</template>", 6),
        ('<p>One<img alt="Two"><!-- no --><style>p {no}', 6),
        ("<p>One</code></p>Two<a href='no", 6),
    ],
)
def test_letters_of_a_page_are_those_that_a_reader_sees(page: str, num_seen: int) -> None:
    coverage = read_document(page.encode(), "a.html").coverage
    assert coverage is not None and coverage.num_seen == num_seen
