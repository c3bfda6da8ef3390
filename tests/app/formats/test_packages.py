"""Packages of Trados, memoQ and XLZ: which files are documents, and what goes back."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import PurePosixPath

import pytest

from app.formats.archive import Archive, pack
from app.formats.packages import returned_project
from tests.app.formats.test_xliff_tools import MEMOQ, TRADOS

PROJECT = (
    '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<PackageProject Guid="1" PackageType="ProjectPackage">'
    '<LanguageDirections><LanguageDirection SourceLanguageCode="en-US" TargetLanguageCode="de-DE"/>'
    "</LanguageDirections></PackageProject>"
).encode()
SDLPPX = {
    "Job.sdlproj": PROJECT,
    "en-US/a.docx.sdlxliff": TRADOS.encode(),
    "de-de/a.docx.sdlxliff": TRADOS.encode(),
    "de-de/b.docx.sdlxliff": TRADOS.encode(),
    "Tm/en-US_de-DE.sdltm": b"SQLite format 3\0",
    "Termbases/t.sdltb": b"no",
    "Termbases/t.xml": b"<mtf/>",
    "Reports/analysis.html": b"<p>Text</p>",
}


def reasons(name: str, files: dict[str, bytes]) -> dict[str, str | None]:
    return {member.path: member.problem for member in Archive(pack(files), name).members}


def test_package_of_trados_has_the_files_of_its_target_language_as_documents():
    found = reasons("Job.sdlppx", SDLPPX)
    assert [path for path, problem in found.items() if problem is None] == [
        "de-de/a.docx.sdlxliff",
        "de-de/b.docx.sdlxliff",
    ]
    assert "in the source language" in str(found["en-US/a.docx.sdlxliff"])
    assert "translation memory" in str(found["Tm/en-US_de-DE.sdltm"])
    assert "export it as TBX" in str(found["Termbases/t.sdltb"])
    assert "menu Glossary" in str(found["Termbases/t.xml"])
    assert "is kept unchanged" in str(found["Reports/analysis.html"])
    members = Archive(pack(SDLPPX), "Job.sdlppx").members
    assert [member.path for member in members if member.is_memory] == ["Tm/en-US_de-DE.sdltm"]


@pytest.mark.parametrize("project", [b"", b"<no", PROJECT.replace(b"de-DE", b"fr-FR")])
def test_without_a_usable_project_file_all_bilingual_files_are_documents(project: bytes):
    found = reasons("Job.sdlppx", {**SDLPPX, "Job.sdlproj": project})
    assert sum(problem is None for problem in found.values()) == 3
    archive = Archive(pack({**SDLPPX, "Job.sdlproj": project}), "Job.sdlppx")
    assert archive.with_translations({}) is not None


def test_return_package_has_another_type_and_name_and_the_same_files():
    archive = Archive(pack(SDLPPX), "Job.SDLPPX")
    assert archive.return_name == "Job.sdlrpx"
    back = Archive(archive.with_translations({3: b"<new/>"}), "Job.sdlrpx")
    files = {**SDLPPX, "de-de/b.docx.sdlxliff": b"<new/>"}
    files["Job.sdlproj"] = PROJECT.replace(b'"ProjectPackage"', b'"ReturnPackage"')
    unpacked = {info.filename: back._archive.read(info) for info in back._infos}
    assert unpacked == files
    assert back.with_translations({}) == back.rewritten({})


@pytest.mark.parametrize(("ending", "document"), [("mqxlz", "document.mqxliff"), ("xlz", "content.xlf")])
def test_packages_of_memoq_and_xlz_go_back_as_they_came(ending: str, document: str):
    files = {document: MEMOQ.encode(), "skeleton.xml": b"<skeleton/>", "memory.tmx": b"<tmx/>"}
    archive = Archive(pack(files), f"a.{ending}")
    first, skeleton, memory = archive.members
    assert first.problem is None
    assert "is kept unchanged" in str(skeleton.problem)
    assert memory.is_memory
    assert archive.return_name == f"a.{ending}"
    assert archive.with_translations({}) == pack(files)


HOSTILE_PATHS = [
    "../../etc/a", "/etc/a", "de-de/../../a", "de-de\\..\\a", "C:\\a", "de-de/" + "a" * 60_000, "de-de/con",
    "./de-de/a", "de-de//a", "de-de/\u202ea", " ", "", "de-de/a\u0000b",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE_PATHS)
@pytest.mark.parametrize(("name", "ending"), [("a.sdlppx", "sdlxliff"), ("a.mqxlz", "mqxliff"), ("a.xlz", "xlf")])
def test_hostile_path_in_a_package_is_refused_or_becomes_a_plain_one(name: str, ending: str, path: str):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as file:
        file.writestr(f"{path}.{ending}", TRADOS)
    for member in Archive(written.getvalue(), name).members:
        parts = PurePosixPath(member.path).parts
        assert not {"..", "/", "", "."} & set(parts) and "\\" not in member.path and ":" not in member.path
        assert member.path.isprintable() and (len(member.path) <= 500 or member.problem is not None)
        if path.startswith(("..", "/", "C:", "de-de/..", "de-de\\..")):
            assert "points outside the archive" in str(member.problem)


@pytest.mark.parametrize(
    "project",
    [
        b"", b"\0" * 1000, b"<a>" * 10_000, PROJECT[:80], "<PackageProject/>".encode("utf-16"),
        b'<!DOCTYPE x [<!ENTITY a "aa">]><PackageProject PackageType="ProjectPackage">&a;</PackageProject>',
        b"<PackageProject><!--" + b"<PackageProject " * 100_000 + b"--></PackageProject>",
    ],
)  # fmt: skip
def test_hostile_project_file_leaves_the_documents_as_they_are_at_once(project: bytes):
    packed = pack({**SDLPPX, "Job.sdlproj": project})
    problems = {member.path: member.problem for member in Archive(packed, "job.sdlppx").members}
    assert problems["de-de/a.docx.sdlxliff"] is None
    began = time.process_time()
    assert b"ReturnPackage" not in returned_project(project, "Job.sdlproj")
    assert time.process_time() - began < 10  # the last one would take an hour where it is squared


@pytest.mark.parametrize("missing", ["Job.sdlproj", "de-de/b.docx.sdlxliff", "Tm/en-US_de-DE.sdltm"])
def test_package_that_lacks_a_part_opens_with_the_others(missing: str):
    files = {path: data for path, data in SDLPPX.items() if path != missing}
    archive = Archive(pack(files), "job.sdlppx")
    assert {member.path for member in archive.members} == set(files)
    assert any(member.path == "de-de/a.docx.sdlxliff" and member.problem is None for member in archive.members)
