"""The collector of reference cycles pauses while files are read and written, and goes on after them."""

import gc
from collections.abc import Iterator, Sequence

import pytest

from app.collector import (
    NUM_LARGE,
    IdleCollector,
    collector_paused,
    keep_modules_out_of_collections,
    leave_out_large,
    take_in_large,
)
from app.errors import DocumentError
from app.formats.base import UnitTranslation, WrittenFile
from app.formats.office.docx import DocxFile
from app.formats.read_file import read_document
from benchmarks.files.hostile import word


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_collector_goes_on_after_the_last_of_two_pauses() -> None:
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collector_stays_disabled_where_it_was() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_collector_goes_on_after_a_file_that_cannot_be_read() -> None:
    with pytest.raises(DocumentError):
        read_document(b"not a Word document", "a.docx")
    assert gc.isenabled()


def test_collector_pauses_while_a_document_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read_document(word("<w:p><w:r><w:t>Some text.</w:t></w:r></w:p>"), "a.docx")
    seen = []
    write = DocxFile.write

    def written(self: DocxFile, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        seen.append(gc.isenabled())
        return write(self, translations, language)

    monkeypatch.setattr(DocxFile, "write", written)
    document.export({0: "Ein Text."})
    assert seen
    assert not any(seen)
    assert gc.isenabled()


def test_large_document_is_left_out_of_collections_until_it_is_closed() -> None:
    before = gc.get_freeze_count()
    try:
        with collector_paused():
            document = [[number] for number in range(NUM_LARGE)]
            leave_out_large(len(document))
            assert gc.get_freeze_count() == before
        assert gc.get_freeze_count() > before + NUM_LARGE
        take_in_large(NUM_LARGE - 1)
        assert gc.get_freeze_count() > before + NUM_LARGE, "a small one was closed"
        with collector_paused():
            leave_out_large(NUM_LARGE - 1)
        take_in_large(len(document))
        assert gc.get_freeze_count() == 0
    finally:
        gc.freeze()  # as before


def test_loaded_modules_are_left_out_of_collections():
    gc.unfreeze()
    try:
        keep_modules_out_of_collections()
        assert gc.get_freeze_count() > 100_000  # a full collection of these takes a tenth of a second or more
        assert len(gc.get_objects()) < gc.get_freeze_count() // 10
    finally:
        gc.freeze()  # as before


@pytest.mark.parametrize(
    ("num_younger", "busy_share", "is_due", "why"),
    [
        (11, 0.0, True, "idle, and Python would collect now"),
        (10, 0.0, False, "idle, but little was made"),
        (11, 0.5, False, "a request is computed"),
        (1_001, 1.0, True, "never idle, and much was made"),
    ],
)
def test_full_collection_waits_until_the_process_is_idle(num_younger, busy_share, is_due, why):
    assert IdleCollector().is_due(num_younger, busy_share) == is_due, why


def test_python_runs_no_full_collection_while_they_wait_for_idle_moments():
    of_the_tests, thresholds, generations = gc.get_threshold(), (700, 10, 10), []
    gc.set_threshold(*thresholds)  # Python's own
    collector = IdleCollector()
    gc.callbacks.append(note := lambda phase, info: generations.append(info["generation"]))
    try:
        collector.begin()
        kept = [[number] for number in range(200_000)]  # enough for two full collections
        assert set(generations) == {0, 1}, f"{len(kept)} objects"
    finally:
        gc.callbacks.remove(note)
        collector.close()
        after = gc.get_threshold()
        gc.set_threshold(*of_the_tests)
    assert after == thresholds
