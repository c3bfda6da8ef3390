"""Files that are read in another process: the same results, and nothing that a file does reaches this one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import CommandError, DocumentError, GlossaryError
from app.formats import Reading
from app.formats.archive import pack
from app.formats.read_file import FileOverview
from app.formats.srx import RuleFile
from app.i18n import Message
from app.reading import FileReader, ProjectRules, SeparateReader
from app.reading.separate_reader import ReadingLimits
from app.tm.entries import MemoryEntry
from app.tm.tmx_memory import write_tmx
from tests.app.formats.srx_samples import PUBLISHED_STYLE

PO = (
    'msgid ""\nmsgstr "Language: de\\nContent-Type: text/plain; charset=UTF-8\\n"\n\n'
    '#. a button\nmsgid "Open {0}"\nmsgstr "Öffnen {0}"\n\n#, fuzzy\nmsgid "Save"\nmsgstr "Speichern 💾"\n'
).encode()
GLOSSARY = b"router\tRouter\nok\tb\nmill\tA; B\nfile\tDatei\nfile\tDatei\nrouter\tRooter\nonly\n"
TMX = write_tmx([MemoryEntry(f"<b>Page</b> {number}", f"<b>Seite</b> {number}") for number in range(5100)], "en", "de")
ARCHIVE = pack({"a/größe.txt": b"One.\n", "b.png": b"no", "c.txt": b"", "d.txt": b"Two.\n" * 9})
MANY_TERMS = "".join(f"term {number}\tBegriff {number}\n" for number in range(120_000)).encode()


@pytest.fixture(scope="module")
def separate() -> Iterator[SeparateReader]:
    reader = SeparateReader()
    yield reader
    reader.close()


def english(_: FileOverview) -> str:
    return "en-de"


def children() -> list[int]:
    """The processes that this one has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = status.read_text().partition(" (")
        except OSError:
            continue
        if int(rest.rpartition(") ")[2].split()[1]) == os.getpid():
            found.append(int(number))
    return found


def test_files_read_elsewhere_equal_files_read_here(separate: SeparateReader):
    here = FileReader()
    assert separate.document(PO, "a.po", english) == here.document(PO, "a.po", english)
    imported = here.glossary(GLOSSARY, "g.tsv", "en-de")
    assert separate.glossary(GLOSSARY, "g.tsv", "en-de") == imported
    table, reading = "Datei;File\nÄrger;Trouble\n".encode("cp1252"), Reading("cp1252", (1, 0))
    document = separate.document(table, "a.csv", english, reading)
    assert document == here.document(table, "a.csv", english, reading)
    assert [segment.source for segment in document.segments][-1] == "Trouble"
    assert imported.errors and imported.repeats and any(warning.fix for warning in imported.warnings)
    assert imported.held
    assert separate.archive(ARCHIVE, "job.zip") == here.archive(ARCHIVE, "job.zip")
    assert separate.memory(TMX, "m.tmx", "en", "de") == here.memory(TMX, "m.tmx", "en", "de")


def test_rules_of_a_project_for_parts_are_used_where_they_leave_some_text(separate: SeparateReader):
    project_rules = ProjectRules(parts=(("json", ("skip **.id",)),))
    for reader in (separate, FileReader()):
        choose = {"choose": lambda _: "en-de", "rules_for": lambda _: project_rules}
        document = reader.document(b'{"id": "one", "title": "First"}', "a.json", **choose)
        assert ([each.source for each in document.segments], document.format.stored) == (
            ["First"],
            "json;rules=skip%20%2A%2A.id",
        )
        plain = reader.document(b'{"id": "one"}', "a.json", **choose)
        assert ([each.source for each in plain.segments], plain.format.stored) == (["one"], "json")
        chosen = reader.document(b'{"id": "one", "title": "First"}', "a.json", reading=Reading(), **choose)
        assert len(chosen.segments) == 2


def test_segmentation_rules_are_read_and_used_as_in_this_process(separate: SeparateReader):
    here, rules = FileReader(), RuleFile("a.srx", PUBLISHED_STYLE)
    text = b"Mr. Smith left.  He came back, e.g. today."
    assert separate.num_rules(PUBLISHED_STYLE, "a.srx") == here.num_rules(PUBLISHED_STYLE, "a.srx") == 10
    documents = [
        reader.document(text, "a.txt", lambda _: "en-de", rules_for=lambda _: ProjectRules(rules))
        for reader in (separate, here)
    ]
    assert documents[0] == documents[1]
    assert [segment.source for segment in documents[0].segments] == ["Mr. Smith left.", "He came back, e.g. today."]
    assert documents[0].rules == rules
    assert separate.document(text, "a.txt", lambda _: "en-de").rules is None
    with pytest.raises(DocumentError, match=r"a\.srx is empty"):
        separate.num_rules(b"", "a.srx")


def test_invalid_or_damaged_archive_is_reported(separate: SeparateReader):
    with pytest.raises(DocumentError, match=r"job\.zip is not a ZIP archive"):
        separate.archive(b"PK\3\4", "job.zip")
    damaged = bytearray(ARCHIVE)
    damaged[damaged.index(b"a/gr") + 12] ^= 0xFF  # in the packed bytes of the first file
    members = separate.archive(bytes(damaged), "job.zip")
    assert "is damaged in the archive" in str(members[0].problem)
    assert members[3].problem is None


def test_the_direction_is_chosen_here_while_the_file_is_read_there(separate: SeparateReader):
    overviews: list[FileOverview] = []

    def choose(overview: FileOverview) -> str:
        overviews.append(overview)
        return "de-en"

    data = b"en,de\nFile,Datei\n"
    document = separate.document(data, "a.csv", choose)
    assert [segment.source for segment in document.segments] == ["Datei"]
    (overview,) = overviews
    assert (overview.languages, overview.text) == (("en", "de"), "File")
    assert overview.turned is not None and overview.turned.text == "Datei"

    def refuse(_: FileOverview) -> str:
        raise CommandError(Message("Not in your text."))

    with pytest.raises(CommandError, match="Not in your text"):
        separate.document(data, "a.csv", refuse)


def test_errors_of_files_stay_translatable(separate: SeparateReader):
    with pytest.raises(DocumentError) as caught:
        separate.document(b"PK\3\4", "a.docx", english)
    with pytest.raises(DocumentError) as expected:
        FileReader().document(b"PK\3\4", "a.docx", english)
    message = caught.value.args[0]
    assert message == expected.value.args[0]
    assert message.in_language("de") == expected.value.args[0].in_language("de") != message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (ReadingLimits(0, 600, 2**31), "reading took more than 0 seconds. Split the file"),
        (ReadingLimits(60, 0, 2**31), "reading took more than 0 seconds. Split the file"),
        (ReadingLimits(60, 600, 80 * 2**20), "reading needs more than 0.1 GiB of memory. Split the file"),
    ],
)
def test_a_file_that_takes_too_much_is_refused_with_the_limit(limits: ReadingLimits, problem: str):
    reader = SeparateReader(limits, limits)
    with pytest.raises(GlossaryError, match=rf"many\.tsv was not read: {problem}"):
        reader.glossary(MANY_TERMS, "../many.tsv", "en-de")
    reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="finds the process in /proc")
def test_a_crash_while_reading_is_an_error_and_the_next_file_is_read(separate: SeparateReader):
    def crash(_: FileOverview) -> str:
        for child in children():
            os.kill(child, signal.SIGSEGV)
        return "en-de"

    with pytest.raises(DocumentError, match="because of an internal error"):
        separate.document(PO, "a.po", crash)
    assert len(separate.document(PO, "a.po", english).segments) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="finds the process in /proc")
def test_close_ends_all_reading_processes():
    reader = SeparateReader()
    before = children()
    reader.start_ahead()
    assert len(children()) == len(before) + 1
    (first,) = set(children()) - set(before)
    for _ in range(2):
        reader.document(PO, "a.po", english)
        assert set(children()) - set(before) == {first}  # small files share a process
    reader.document(b"One.\n" + b" \n" * 2**20, "large.txt", english)
    assert first not in children()
    reader.close()
    assert children() == before
    with pytest.raises(DocumentError, match="is stopping"):
        reader.document(PO, "a.po", english)
