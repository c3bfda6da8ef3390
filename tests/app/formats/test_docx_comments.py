"""Comments of Word documents: those of the file are notes, those on segments are added; python-docx reads them back."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from docx.oxml.ns import qn

from app.access.actor import OWNER, Actor
from app.formats.base import Comment
from app.formats.documents import Document
from app.formats.office.docx_comments import with_comments
from app.formats.read_file import read_document
from app.formats.xml_text import tree
from app.log.store import LogStore
from app.reports.translated_document import translated_document
from app.workspace.workspace_exports import DOCUMENT, DOCUMENT_WITH_COMMENTS, WorkspaceExports
from tests.app.workspace.test_comments import go_on


def word(*, with_comment: bool) -> bytes:
    document = docx.Document()
    first = document.add_paragraph("First sentence. Second sentence.")
    document.add_table(1, 1).rows[0].cells[0].text = "In a cell."
    if with_comment:
        document.add_comment(first.runs, text="Given\nto all", author="Client", initials="C")
    document.sections[0].header.paragraphs[0].text = "In the header."
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def read(data: bytes):  # type: ignore[no-untyped-def]
    return docx.Document(io.BytesIO(data))


def export(document: Document, comments: dict[int, str], texts: dict[int, str] | None = None):  # type: ignore[no-untyped-def]
    by = {index: Comment(0, 0, text, "Ana & Ben", 1_796_000_000_000) for index, text in comments.items()}
    return document.export_file(texts or {}, "de", comments=comments, authors=by)


@pytest.mark.parametrize("with_comment", [False, True])
def test_comments_are_added_to_their_paragraphs_and_those_of_the_file_stay(with_comment: bool) -> None:
    data = word(with_comment=with_comment)
    document = read_document(data, "a.docx")
    assert [segment.source for segment in document.segments][:3] == [
        "First sentence.",
        "Second sentence.",
        "In a cell.",
    ]
    made = export(document, {1: "Two\nlines", 2: "<cell>"}, {0: "Erster Satz.", 2: "In einer Zelle."})
    new = read(made.data)
    found = [(comment.author, comment.text) for comment in new.comments]
    given = [("Client", "Given\nto all")] if with_comment else []
    assert found == [*given, ("Ana & Ben", "Two\nlines"), ("Ana & Ben", "<cell>")]
    assert [comment.timestamp.year for comment in new.comments][-1] == 2026 and made.note is None
    ids = {comment.text: str(comment.comment_id) for comment in new.comments}
    assert len({*ids.values()}) == len(found)
    for paragraph, text, shown in (
        (next(p for p in new.paragraphs if p.text), "Two\nlines", "Erster Satz. Second sentence."),
        (new.tables[0].rows[0].cells[0].paragraphs[0], "<cell>", "In einer Zelle."),
    ):
        assert paragraph.text == shown
        for mark in ("w:commentRangeStart", "w:commentRangeEnd", "w:commentReference"):
            assert ids[text] in [each.get(qn("w:id")) for each in paragraph._p.iter(qn(mark))]
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(made.data)) as changed:
        kept = [name for name in old.namelist() if old.read(name) == changed.read(name)]
        assert {"word/header1.xml", "word/settings.xml", "docProps/core.xml"} <= {*kept}
        assert len(changed.namelist()) == len({*changed.namelist()})


def test_comment_on_a_header_is_left_out_and_counted() -> None:
    document = read_document(word(with_comment=False), "a.docx")
    header = next(segment.index for segment in document.segments if segment.source == "In the header.")
    made = export(document, {header: "remark"})
    assert made.note == "Comments on headers, footers and notes were left out: 1."
    assert made.data == read_document(made.data, "a.docx").data and not [*read(made.data).comments]


def test_comments_of_the_file_are_notes_of_their_segments_and_comments_that_come_back_too() -> None:
    document = read_document(word(with_comment=True), "a.docx")
    assert [segment.note for segment in document.segments][:3] == ["Client: Given\nto all"] * 2 + [""]
    again = read_document(export(document, {2: "Why?"}).data, "a.docx")
    assert again.segments[2].note == "Ana & Ben: Why?" and again.segments[0].note == "Client: Given\nto all"


def test_list_of_comments_may_be_empty_or_have_another_prefix() -> None:
    package = read_document(word(with_comment=True), "a.docx").parsed.package  # type: ignore[attr-defined]
    main = package.read("word/document.xml").decode()
    paragraph = next(node for node in tree(main).walk() if node.local == "p")
    uri = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    for listed in (f'<w:comments xmlns:w="{uri}"/>', f'<x:comments xmlns:x="{uri}"><x:comment x:id="4"/></x:comments>'):
        new = with_comments(
            package, "word/document.xml", [(paragraph, Comment(0, 0, "new"))], {"word/comments.xml": listed.encode()}
        )
        made = read(package.rewritten(new))
        assert [comment.text for comment in made.comments][-1] == "new"


def test_word_document_has_comments_on_request_with_author_and_note(store: LogStore) -> None:
    session = store.start_session(OWNER, read_document(word(with_comment=False), "a.docx"), "en-de")
    workspace = go_on(store, session.token)
    workspace.comment(Actor.person("Ana"), 0, "Which one?")
    exports = WorkspaceExports(store, workspace.memory.library)
    plain, full = (exports.make(OWNER, workspace, kind) for kind in (DOCUMENT, DOCUMENT_WITH_COMMENTS))
    assert not [*read(plain.data).comments]
    assert "Comments are only in the document with comments (segment 1)." in (plain.note or "")
    assert [(comment.author, comment.text) for comment in read(full.data).comments] == [("Ana", "Which one?")]
    assert "omments" not in (full.note or "")
    assert workspace.snapshot(OWNER)["document"]["has_comment_choice"]
    assert translated_document(workspace.document, workspace.segments, "de").data == plain.data
    workspace.close()
