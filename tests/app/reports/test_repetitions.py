"""Repetitions inside of a document and across the documents of its project, counted by hand."""

from __future__ import annotations

from pathlib import Path

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.project_tables import Project, insert_project
from app.log.store import LogStore
from app.reports.repetitions import Repetitions, repetitions_of


def test_repetitions_are_counted_in_the_document_and_in_others_of_its_project_and_languages(tmp_path: Path):
    store = LogStore.open(tmp_path / "log.sqlite")
    text = b"Save the file.\nOpen it.\nSave the file.\nSave the file.\nNew.\n"
    first = store.start_session(OWNER, read_document(text, "a.txt"), "en-de")
    assert repetitions_of(store, first) == Repetitions(2, 6, 0, 0)
    with store.connection.transaction("make a project"):
        other = insert_project(store.connection.db, Project(0, "Other", "", "en-de", "", "", True))
    for name, content, direction, project in (
        ("b.txt", b"Open it.\nOpen it.\nSave the file.\n", "en-de", first.project_id),
        ("c.txt", b"New.\n", "en-de", other),
        ("d.txt", b"New.\n", "en-fr", None),
    ):
        store.start_session(OWNER, read_document(content, name), direction, project_id=project)
    assert repetitions_of(store, first) == Repetitions(2, 6, 2, 5)
    store.close()
