"""ZIP archives of documents: what is opened, what is not and why, and that other files stay byte for byte."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile

import pytest

from app.errors import DocumentError
from app.formats import archive as limits
from app.formats.archive import Archive, pack, safe_path, unique_paths
from tests.budget import rounds

TEXT = b"Open the settings.\n"


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return output.getvalue()


def problems(data: bytes) -> dict[str, str | None]:
    """The problem of each file, by its path."""
    return {member.path: member.problem for member in Archive(data, "job.zip").members}


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def with_flag(data: bytes, bit: int) -> bytes:
    """The archive with a bit set in the flags of its only entry."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        changed[data.index(signature) + offset] |= bit
    return bytes(changed)


@pytest.mark.parametrize(
    ("name", "path", "reason"),
    [
        ("manual.txt", "manual.txt", None),
        ("Job 1\\de\\manual.txt", "Job 1/de/manual.txt", None),  # of a Windows program
        ("größe.txt", "größe.txt", None),
        ("../../etc/cron.txt", "etc/cron.txt", "points outside the archive"),
        ("a/..\\..\\b.txt", "a/b.txt", "points outside the archive"),
        ("/etc/hosts.txt", "etc/hosts.txt", "points outside the archive"),
        ("\\\\server\\share\\a.txt", "server/share/a.txt", "points outside the archive"),
        ("C:\\Windows\\a.txt", "C_/Windows/a.txt", "points outside the archive"),
        ("c:a.txt", "c_a.txt", "points outside the archive"),
        ("pictures/logo.png", "pictures/logo.png", "does not read files that end in .png"),
        ("old.doc", "old.doc", "save it as a Word document"),
        ("inner.zip", "inner.zip", "Archives inside an archive are not opened"),
        ("terms.tbx", "terms.tbx", "It is a glossary"),
        ("tm.sdltm", "tm.sdltm", "It is a translation memory"),
        ("Makefile", "Makefile", "does not have an extension"),
        ("__MACOSX/._manual.txt", "__MACOSX/_manual.txt", "data of macOS"),
        ("a/._manual.docx", "a/_manual.docx", "data of macOS"),
        ("a\u202etxt.exe/b.txt", "atxt.exe/b.txt", None),  # shown without the sign that turns the direction
        ("x" * 501 + ".txt", "x" * 96 + ".txt", "has 505 characters"),
    ],
)
def test_file_is_opened_or_has_a_reason(name: str, path: str, reason: str | None):
    (member,) = Archive(zipped((name, TEXT)), "job.zip").members
    assert member.path == path
    if reason is None:
        assert member.problem is None
        assert Archive(zipped((name, TEXT)), "job.zip").read(member) == TEXT
    else:
        assert reason in str(member.problem)


def test_folders_and_second_files_of_the_same_name_are_not_opened():
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped(("a/", b""), ("a/b.txt", b"first"), ("a/b.txt", b"second"), ("a\\b.txt", b"third"))
    archive = Archive(data, "job.zip")
    assert [member.problem is None for member in archive.members] == [True, False, False]
    assert archive.read(archive.members[0]) == b"first"


def test_links_and_protected_files_are_not_opened():
    assert "is a link" in str(problems(zipped((link("a.txt"), b"/etc/passwd")))["a.txt"])
    assert "password" in str(problems(with_flag(zipped(("a.txt", TEXT)), 1))["a.txt"])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_without_a_bound_on_memory_are_not_unpacked(method: int):
    assert "compression method is not supported" in str(problems(zipped(("a.txt", TEXT), method=method))["a.txt"])


def test_names_without_a_stated_encoding_are_utf_8_or_cp437():
    entries = [("a\x80.txt".encode("latin-1"), "aÇ.txt"), ("größe.txt".encode(), "größe.txt")]
    for raw, shown in entries:
        data = zipped((" " * len(raw), TEXT)).replace(b" " * len(raw), raw)
        assert list(problems(data)) == [shown]


def test_limits_of_size_ratio_number_and_total(monkeypatch: pytest.MonkeyPatch):
    zeros = zipped(("zeros.txt", bytes(3 * 2**20)))
    assert "200 times as large" in str(problems(zeros)["zeros.txt"])
    assert "too large (31.0 MiB" in str(problems(zipped(("a.txt", bytes(31 * 2**20))))["a.txt"])
    many = zipped(*((f"{number}.txt", TEXT) for number in range(5)))
    monkeypatch.setattr(limits, "MAX_DOCUMENTS", 3)
    assert [problem is None for problem in problems(many).values()] == [True, True, True, False, False]
    monkeypatch.setattr(limits, "MAX_DOCUMENTS", 500)
    monkeypatch.setattr(limits, "MAX_OPENED_BYTES", 2 * len(TEXT))
    assert [problem is None for problem in problems(many).values()] == [True, True, False, False, False]
    monkeypatch.setattr(limits, "MAX_ENTRIES", 4)
    with pytest.raises(DocumentError, match="5 entries"):
        Archive(many, "job.zip")
    monkeypatch.setattr(limits, "MAX_ARCHIVE_BYTES", 100)
    with pytest.raises(DocumentError, match="too large"):
        Archive(many, "job.zip")


@pytest.mark.parametrize("data", [b"", b"PK\3\4 and no more", TEXT, zipped(("a.txt", TEXT))[:-10]])
def test_file_that_is_not_an_archive_is_refused_with_advice(data: bytes):
    with pytest.raises(DocumentError, match=r"job\.zip is (empty|not a ZIP archive).*: (choose|pack)"):
        Archive(data, "job.zip")


def test_entries_that_share_bytes_are_refused():
    data = bytearray(zipped(("a.txt", TEXT), ("b.txt", TEXT)))
    second = data.rindex(b"PK\1\2")
    data[second + 42 : second + 46] = bytes(4)  # both entries are at the beginning
    with pytest.raises(DocumentError, match="damaged"):
        Archive(bytes(data), "job.zip")


def test_entry_that_claims_more_than_four_gib_is_refused():
    data = bytearray(zipped(("a.txt", TEXT)))
    central = data.index(b"PK\1\2")
    field = struct.pack("<2HQ", 1, 8, 2**40)  # a ZIP64 field with the size
    data[central + 24 : central + 28] = b"\xff" * 4
    data[central + 30 : central + 32] = struct.pack("<H", len(field))
    data[central + 46 + 5 : central + 46 + 5] = field
    end = data.index(b"PK\5\6")
    data[end + 12 : end + 16] = struct.pack("<L", end - central)
    with pytest.raises(DocumentError, match="more than 4 GiB"):
        Archive(bytes(data), "job.zip")


def test_damaged_file_is_named_when_it_is_read():
    data = bytearray(zipped(("a.txt", TEXT), method=zipfile.ZIP_STORED))
    data[data.index(TEXT)] ^= 1
    archive = Archive(bytes(data), "job.zip")
    with pytest.raises(DocumentError, match=r"a\.txt is damaged in the archive"):
        archive.read(archive.members[0])


def streamed(*entries: tuple[str, bytes]) -> bytes:
    """An archive that was written to a pipe: sizes stand behind the data, and ZIP64 fields in the headers."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    output = Pipe()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as file:
                file.write(data)
    return output.getvalue()


@pytest.mark.parametrize("make", [zipped, streamed])
def test_rewritten_archive_has_new_content_and_the_same_bytes_elsewhere(make):
    entries = [("Job/größe.txt", TEXT), ("logo.png", bytes(range(256))), ("Job/b.txt", TEXT * 9)]
    data = make(*entries)
    archive = Archive(data, "job.zip")
    assert archive.rewritten({}) == data or make is streamed
    changed = archive.rewritten({2: b"Neu"})
    with zipfile.ZipFile(io.BytesIO(changed)) as read, zipfile.ZipFile(io.BytesIO(data)) as before:
        assert read.testzip() is None
        assert read.namelist() == before.namelist()
        assert [read.read(name) for name, _ in entries] == [TEXT, entries[1][1], b"Neu"]
        assert [info.date_time for info in read.infolist()] == [info.date_time for info in before.infolist()]
        first = before.infolist()[2].header_offset
    assert changed[:first] == data[:first]


def test_rewriting_keeps_protected_files_comments_prefixes_and_names_in_other_encodings():
    protected = with_flag(zipped(("a\x80.txt", TEXT)), 1)
    plain = zipped(("b.txt", TEXT))
    names = zipped(("%%%%%.txt", TEXT), ("b.txt", TEXT)).replace(b"%%%%%", b"a\x80\x81b%")
    for data in (b"#!/bin/sh\n" + plain, protected, names, plain[:-2] + struct.pack("<H", 2) + b"hi"):
        archive = Archive(data, "job.zip")
        assert archive.rewritten({}) == data or data.startswith(b"#!")  # whose offsets do not count the first line
        last = archive.members[-1]
        again = Archive(archive.rewritten({last.index: b"Neu"}), "job.zip")
        assert [member.path for member in again.members] == [member.path for member in archive.members]
        assert last.problem is not None or again.read(again.members[-1]) == b"Neu"


@pytest.mark.parametrize("seed", range(rounds(20, 500)))
def test_damaged_archives_raise_document_errors_only(seed: int):
    chance = random.Random(seed)
    data = bytearray(zipped(("a.txt", TEXT), ("b/c.html", b"<p>Text</p>"), ("d.png", bytes(50))))
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        archive = Archive(bytes(data), "job.zip")
        archive.rewritten({member.index: b"Neu" for member in archive.members})
        for member in archive.members:
            if member.problem is None:
                archive.read(member)
    except DocumentError:
        pass


def test_new_archive_has_safe_and_unique_paths():
    paths = unique_paths(["a/b.txt", "a/B.txt", "a/b.txt", "c", "c"])
    assert paths == ["a/b.txt", "a/B (2).txt", "a/b (3).txt", "c", "c (2)"]
    data = pack(dict.fromkeys(paths, TEXT))
    assert data == pack(dict.fromkeys(paths, TEXT))
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.namelist() == paths
    assert [safe_path(path) for path in ("..", "", "a//../b.txt", "con/nul.txt")] == [
        "_",
        "_",
        "a/b.txt",
        "_con/_nul.txt",
    ]
