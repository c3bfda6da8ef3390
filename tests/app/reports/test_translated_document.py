"""The translated document and its note."""

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.records import SavedSegment
from app.log.store import LogStore
from app.reports.translated_document import proposals_of, translated_document
from app.segments.stored_state import restore_segment
from tests.app.reports.sample_session import DOCUMENT, log_sample_session

RECALLED = {"text": "Zwei", "score": -0.5, "asked": "", "made_with": ""}


@pytest.fixture
def session_id(store: LogStore) -> int:
    return log_sample_session(store)


# ---- the document ----


def test_document_has_all_texts_and_notes_open_segments(store: LogStore, session_id: int) -> None:
    session = store.load_session(OWNER, session_id)
    export = translated_document(session.document, map(restore_segment, session.segments), "de")
    assert export.name == "my.manual.de.txt"
    assert export.data.decode("utf-8").split("\r\n")[:2] == ["Eine 1", "@SUM(A1)\ufffd"]  # no formula rule in a text
    assert export.note is not None
    assert "Segments that are not confirmed: 2 of 3" in export.note
    assert "Segments in the source language: 1." in export.note


def test_proposals_fill_untouched_segments(store: LogStore, session_id: int) -> None:
    session = store.load_session(OWNER, session_id)
    segments = map(restore_segment, session.segments)
    export = translated_document(session.document, segments, proposals={1: "never", 2: "Über uns"})
    assert export.data.decode("utf-8").rstrip().split("\r\n") == ["Eine 1", "@SUM(A1)\ufffd", "", "Über uns"]


def test_texts_from_the_memory_count_and_are_marked_as_proposals() -> None:
    document = read_document(b'msgid "One"\nmsgstr ""\n\nmsgid "Two"\nmsgstr ""\n\nmsgid "Six"\nmsgstr ""\n', "a.po")
    saved = [
        SavedSegment(0, "One", "Eins", "pretranslated", 1, {"origin": "memory"}),
        SavedSegment(1, "Two", None, "pretranslated", 0, {"recalled": RECALLED}),
        SavedSegment(2, "Six", "Sechs", "confirmed", 1, {}),
    ]
    proposals = proposals_of(map(restore_segment, saved))
    assert proposals == {0: "Eins", 1: "Zwei"}
    export = translated_document(document, map(restore_segment, saved), proposals=proposals)
    assert export.data.decode() == (
        '#, fuzzy\nmsgid "One"\nmsgstr "Eins"\n\n#, fuzzy\nmsgid "Two"\nmsgstr "Zwei"\n\nmsgid "Six"\nmsgstr "Sechs"\n'
    )
    assert export.note == ("Segments that are not confirmed: 2 of 3. Proposals that nobody has edited or confirmed: 2.")
    without = translated_document(document, map(restore_segment, saved))
    assert without.data == document.data.replace(b'"Six"\nmsgstr ""', b'"Six"\nmsgstr "Sechs"')
    assert without.note == "Segments that are not confirmed: 2 of 3. Segments without a translation: 2."


def test_only_confirmed_exports_only_confirmed_texts(store: LogStore, session_id: int) -> None:
    session = store.load_session(OWNER, session_id)
    segments = map(restore_segment, session.segments)
    export = translated_document(session.document, segments, proposals={2: "x"}, only_confirmed=True)
    assert export.data.decode("cp1252") == DOCUMENT.text.replace("One", "Eine 1")


def test_note_names_segments_with_different_placeholders() -> None:
    document = read_document(b"Copy %s\nTo {0}\n", "a.txt")
    targets = enumerate(["%s kopieren", "Nach 0"])
    saved = [SavedSegment(i, document.segments[i].source, t, "confirmed", 1, {}) for i, t in targets]
    note = translated_document(document, map(restore_segment, saved)).note
    assert note == "Placeholders differ from the source in segment 2."


def test_missing_translations_in_a_paired_file_are_not_source_text() -> None:
    document = read_document(b'msgid "One"\nmsgstr ""\n', "a.po")
    untouched = SavedSegment(0, "One", None, "new", 0, {})
    export = translated_document(document, map(restore_segment, [untouched]))
    assert export.data == document.data
    assert export.note == "Segments that are not confirmed: 1 of 1. Segments without a translation: 1."


def test_emptied_segment_keeps_its_source() -> None:
    document = read_document(b"One\nTwo\n", "a.txt")
    emptied = SavedSegment(index=0, source="One", target=" ", state="edited", version=1, constraints={})
    assert translated_document(document, map(restore_segment, [emptied])).data == b"One\nTwo\n"
