"""Several documents: opened from an archive or a selection, exported together."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError, DocumentError
from app.formats.archive import pack
from app.reading import FileReader
from app.sessions import Sessions
from app.sessions import bundles as limits
from app.sessions.bundles import Bundles
from tests.app.formats.test_archive import zipped
from tests.app.formats.test_packages import SDLPPX
from tests.app.hand_decoder import settle

TEXT = b"Open the settings.\nThe router saves the file.\n"
PICTURE = b"\x89PNG\r\n" + bytes(range(256))
JOB = zipped(("Job/a/manual.txt", TEXT), ("Job/logo.png", PICTURE), ("Job/b/manual.txt", TEXT), ("Job/c.docx", b"no"))


def open_job(bundles: Bundles, data: bytes = JOB, name: str = "job.zip") -> list[dict[str, Any]]:
    begun = bundles.begin_archive(OWNER, data, name)
    rows = [
        file if file["problem"] else bundles.open_entry(OWNER, begun["bundle"], file["entry"])
        for file in begun["files"]
    ]
    bundles.end(OWNER, begun["bundle"])
    return rows


def open_files(bundles: Bundles, folder: str, *files: tuple[str, bytes]) -> list[dict[str, Any]]:
    number = bundles.begin_selection(OWNER, folder)
    rows = [bundles.open_file(OWNER, number, path, data) for path, data in files]
    bundles.end(OWNER, number)
    return rows


def confirm(sessions: Sessions, session_id: int, *texts: str) -> None:
    workspace = sessions.resume(OWNER, session_id)
    for index, text in enumerate(texts):
        workspace.confirm(OWNER, index, text)


def contents(sessions: Sessions, packed: dict[str, Any]) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(sessions.bundles.packed(OWNER, packed["key"]).data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_files_of_an_archive_become_documents_of_one_project_and_the_others_have_a_reason(sessions: Sessions):
    rows = open_job(sessions.bundles)
    assert [row["path"] for row in rows] == ["Job/a/manual.txt", "Job/logo.png", "Job/b/manual.txt", "Job/c.docx"]
    assert [row.get("num_segments") for row in rows] == [2, None, 2, 0]
    assert ".png" in rows[1]["problem"] and "c.docx is not a .docx file" in rows[3]["problem"]
    documents = sessions.documents(OWNER)["documents"]
    assert [row["name"] for row in documents] == ["Job/b/manual.txt", "Job/a/manual.txt"]
    assert len({row["project"] for row in documents}) == 1
    confirm(sessions, rows[0]["session"], "Öffnen Sie die Einstellungen.")
    second = sessions.resume(OWNER, rows[2]["session"])
    assert second.document.name == "manual.txt"
    (match, *_) = second.memory.matches(OWNER, 0)["matches"]
    assert match["target"] == "Öffnen Sie die Einstellungen."


def test_export_replaces_the_chosen_documents_and_keeps_all_else_of_the_archive(sessions: Sessions):
    rows = open_job(sessions.bundles)
    first, second = rows[0]["session"], rows[2]["session"]
    confirm(sessions, first, "Öffnen Sie die Einstellungen.", "Der Router speichert die Datei.")
    confirm(sessions, second, "Einstellungen öffnen.")
    groups = sessions.bundles.choices(OWNER, first)["groups"]
    assert [(group["kind"], group["name"], len(group["documents"])) for group in groups] == [
        ("archive", "job.zip", 2),
        ("project", "My project", 2),
    ]
    packed = sessions.bundles.pack(OWNER, [first, second])
    assert (packed["name"], packed["num_unchanged"]) == ("job.de.zip", 2)
    assert [(row["path"], row["note"]) for row in packed["documents"]] == [
        ("Job/a/manual.txt", None),
        ("Job/b/manual.txt", "Segments that are not confirmed: 1 of 2. Segments in the source language: 1."),
    ]
    assert contents(sessions, packed) == {
        "Job/a/manual.txt": "Öffnen Sie die Einstellungen.\nDer Router speichert die Datei.\n".encode(),
        "Job/logo.png": PICTURE,
        "Job/b/manual.txt": "Einstellungen öffnen.\nThe router saves the file.\n".encode(),
        "Job/c.docx": b"no",
    }
    alone = contents(sessions, sessions.bundles.pack(OWNER, [second]))
    assert alone["Job/a/manual.txt"] == TEXT
    assert [event.payload["kind"] for event in sessions.store.events(first) if event.type == "export"] == ["zip"]


def test_documents_of_a_selection_and_of_a_project_are_exported_with_their_folders(sessions: Sessions):
    rows = open_files(
        sessions.bundles, "Site", ("Site/a.txt", TEXT), ("Site/x/a.txt", TEXT), ("Site/logo.png", PICTURE)
    )
    assert [row["session"] is None for row in rows] == [False, False, True]
    own = sessions.open_document(OWNER, b"Another file.\n", "a.txt")
    group, project = sessions.bundles.choices(OWNER, rows[0]["session"])["groups"]
    assert (group["name"], group["kind"], len(project["documents"])) == ("Site", "selection", 3)
    packed = sessions.bundles.pack(OWNER, [row["session"] for row in group["documents"]])
    assert packed["name"] == "Site.de.zip"
    assert list(contents(sessions, packed)) == ["Site/a.de.txt", "Site/x/a.de.txt"]
    whole = sessions.bundles.pack(OWNER, [row["session"] for row in project["documents"]])
    assert whole["name"] == "translated.de.zip"
    assert sorted(contents(sessions, whole)) == ["Site/a.de.txt", "Site/x/a.de.txt", "a.de.txt"]
    assert [one["kind"] for one in sessions.bundles.choices(OWNER, own.session_id)["groups"]] == ["project"]


def test_document_that_is_read_again_keeps_its_place_in_the_archive(sessions: Sessions):
    (row,) = open_job(sessions.bundles, zipped(("t.csv", b"en,de\nOne,\nTwo,\n")))
    workspace = sessions.resume(OWNER, row["session"])
    assert sessions.open_document(OWNER, b"en,de\nOne,\nTwo,\n", "t.csv").session_id != row["session"]
    again = sessions.restart(OWNER, workspace, "en-de")
    again.confirm(OWNER, 0, "Eins")
    group, _ = sessions.bundles.choices(OWNER, again.session_id)["groups"]
    assert [one["session"] for one in group["documents"]] == [again.session_id]
    assert contents(sessions, sessions.bundles.pack(OWNER, [again.session_id])) == {"t.csv": b"en,de\nOne,Eins\nTwo,\n"}


def test_archive_is_kept_until_its_last_document_is_deleted(sessions: Sessions):
    first, second = (row["session"] for row in open_job(sessions.bundles) if row.get("session"))
    workspace = sessions.open_sample(OWNER)
    connection = sessions.store.connection
    for session_id, left in ((first, 1), (second, 0)):
        sessions.delete_document(OWNER, session_id, besides=workspace)
        assert len(connection.rows("count", "SELECT id FROM bundle")) == left


def test_files_of_an_archive_are_unpacked_one_by_one(sessions: Sessions):
    """Thirty files of 1 MiB, which are packed to a few kilobytes each."""
    data = zipped(*((f"{number}.txt", b"One. Two. Three. Four. " * 45_000) for number in range(30)))
    tracemalloc.start()
    try:
        begun = sessions.bundles.begin_archive(OWNER, data, "job.zip")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row["problem"] for row in begun["files"]] == [None] * 30
    assert most < 8 * 2**20


def test_archives_that_are_not_opened_are_forgotten(sessions: Sessions, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MAX_STAGED_BYTES", 2 * len(JOB))
    bundles = Bundles(sessions.store, FileReader(), sessions.projects, sessions.opener, sessions.workspaces)
    first, second = (bundles.begin_archive(OWNER, JOB, "job.zip")["bundle"] for _ in range(2))
    bundles.forget_idle()
    third = bundles.begin_archive(OWNER, JOB, "job.zip")["bundle"]
    with pytest.raises(CommandError, match="no longer in memory"):
        bundles.open_entry(OWNER, first, 0)
    for number in (second, third):
        bundles.open_entry(OWNER, number, 0)
    bundles.forget_idle(0.0)
    with pytest.raises(CommandError, match="no longer in memory"):
        bundles.open_entry(OWNER, third, 0)


def test_archives_of_one_person_do_not_push_out_those_of_another(sessions: Sessions):
    bundles, ana, ben = sessions.bundles, Actor.person("Ana"), Actor.person("Ben")
    number = bundles.begin_archive(ana, JOB, "job.zip")["bundle"]
    session = bundles.open_entry(ana, number, 0)["session"]
    key = bundles.pack(ana, [session])["key"]
    own = bundles.open_entry(ben, bundles.begin_archive(ben, JOB, "job.zip")["bundle"], 0)["session"]
    for _ in range(10):
        bundles.begin_archive(ben, JOB, "job.zip")
        bundles.pack(ben, [own])
    assert bundles.open_entry(ana, number, 2)["session"]
    assert bundles.packed(ana, key).data
    with pytest.raises(CommandError, match="no longer in memory"):
        bundles.open_entry(ben, number, 2)


def test_nothing_is_stored_of_an_archive_without_documents(sessions: Sessions):
    rows = open_job(sessions.bundles, zipped(("a.docx", b"no"), ("b.png", PICTURE)))
    assert all(row["problem"] for row in rows)
    assert sessions.store.connection.rows("count", "SELECT id FROM bundle") == []


def test_stale_numbers_and_empty_choices_are_refused_with_a_remedy(sessions: Sessions, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MAX_STAGED", 1)
    bundles = Bundles(sessions.store, FileReader(), sessions.projects, sessions.opener, sessions.workspaces)
    first = bundles.begin_selection(OWNER, "")
    begun = bundles.begin_archive(OWNER, JOB, "job.zip")
    with pytest.raises(CommandError, match="open them again"):
        bundles.open_file(OWNER, first, "a.txt", TEXT)
    with pytest.raises(CommandError, match="open the archive again"):
        bundles.open_entry(OWNER, begun["bundle"], 99)
    assert "png" in bundles.open_entry(OWNER, begun["bundle"], 1)["problem"]
    with pytest.raises(CommandError, match="choose one"):
        bundles.pack(OWNER, [12345])
    with pytest.raises(CommandError, match="export it again"):
        bundles.packed(OWNER, "none")
    with pytest.raises(DocumentError, match="not a ZIP archive"):
        bundles.begin_archive(OWNER, b"PK no", "job.zip")


def test_document_that_cannot_be_exported_is_named_and_no_archive_is_made(sessions: Sessions):
    rows = open_job(sessions.bundles)
    first = rows[0]["session"]
    confirm(sessions, first, "Eins")
    opened = sessions.workspaces.of_session(first)
    assert opened is not None
    sessions.workspaces.forget(opened)  # an open document is exported from memory
    connection = sessions.store.connection
    with connection.transaction("change"):
        connection.db.execute("UPDATE document SET data = ? WHERE id = (SELECT min(id) FROM document)", (b"Other.\n",))
    with pytest.raises(DocumentError, match=r"^Job/a/manual\.txt: Segment 1 was created by another version"):
        sessions.bundles.pack(OWNER, [first])


def test_package_of_trados_goes_back_with_its_translations_and_offers_its_memory(sessions: Sessions):
    tmx = (
        b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Two doors.</seg></tuv>'
        b'<tuv xml:lang="de"><seg>Zwei T\xc3\xbcren.</seg></tuv></tu></body></tmx>'
    )
    begun = sessions.bundles.begin_archive(OWNER, pack({**SDLPPX, "Tm/m.tmx": tmx}), "Job.sdlppx")
    files = begun["files"]
    opened = [
        sessions.bundles.open_entry(OWNER, begun["bundle"], file["entry"]) for file in files if file["problem"] is None
    ]
    assert [row["path"] for row in opened] == ["Job.sdlppx/de-de/a.docx.sdlxliff", "Job.sdlppx/de-de/b.docx.sdlxliff"]
    workspace = sessions.resume(OWNER, opened[0]["session"])
    memory = next(file for file in files if file["path"].endswith("m.tmx"))
    assert memory["is_memory"]
    content, name = sessions.bundles.memory_file(OWNER, begun["bundle"], memory["entry"])
    assert workspace.memory.import_memory(OWNER, content, name)["num_pairs"] == 1
    with pytest.raises(CommandError, match="not in the archive"):
        sessions.bundles.memory_file(OWNER, begun["bundle"], files[0]["entry"])

    workspace.confirm(OWNER, 0, "Zwei Türen.")
    packed = sessions.bundles.pack(OWNER, [row["session"] for row in opened])
    assert packed["name"] == "Job.sdlrpx"
    back = contents(sessions, packed)
    assert back["de-de/b.docx.sdlxliff"] == SDLPPX["de-de/b.docx.sdlxliff"]
    assert '<mrk mtype="seg" mid="1">Zwei Türen.</mrk>' in back["de-de/a.docx.sdlxliff"].decode()
    assert b'PackageType="ReturnPackage"' in back["Job.sdlproj"]
    assert {path: back[path] for path in ("en-US/a.docx.sdlxliff", "Tm/m.tmx")} == {
        "en-US/a.docx.sdlxliff": SDLPPX["en-US/a.docx.sdlxliff"],
        "Tm/m.tmx": tmx,
    }


def test_repetition_in_another_file_is_filled_in_when_its_document_is_shown_again(sessions: Sessions):
    rows = open_job(sessions.bundles)
    second = sessions.resume(OWNER, rows[2]["session"])
    second.open(OWNER, 0)
    settle(second)
    assert second.segments[0].target is None
    confirm(sessions, rows[0]["session"], "Öffnen Sie die Einstellungen.")
    assert sessions.resume(OWNER, rows[2]["session"]) is second
    second.open(OWNER, 1)
    settle(second)
    assert [(one.state, one.target) for one in second.segments] == [
        ("pretranslated", "Öffnen Sie die Einstellungen."),
        ("new", None),
    ]


def test_drafts_have_the_proposals_of_the_documents_that_were_shown(sessions: Sessions):
    rows = open_job(sessions.bundles)
    first, second = rows[0]["session"], rows[2]["session"]
    workspace = sessions.resume(OWNER, first)
    decoder: Any = workspace.model.engine
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    proposal = workspace.segments[0].text
    assert proposal
    packed = sessions.bundles.pack(OWNER, [first, second], with_proposals=True)
    assert packed["name"] == "job.de.draft.zip"
    found = contents(sessions, packed)
    assert found["Job/a/manual.txt"].decode().startswith(proposal)
    assert found["Job/b/manual.txt"] == TEXT
    assert contents(sessions, sessions.bundles.pack(OWNER, [first]))["Job/a/manual.txt"] == TEXT
