"""The translation of an open document is exported from memory, and written once for its note and for the file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest

from app.access.actor import OWNER
from app.formats.base import UnitTranslation, WrittenFile
from app.formats.prose import ProseFile
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.workspace.workspace_exports import DOCUMENT
from tests.app.hand_decoder import HandDecoder, ready_model


def test_open_document_is_written_once_from_memory_until_it_changes(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, b"One.\nTwo.\n", "a.txt")
    written: list[int] = []
    write = ProseFile.write

    def counted(file: ProseFile, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        written.append(len(translations))
        return write(file, translations, language)

    monkeypatch.setattr(ProseFile, "write", counted)
    monkeypatch.setattr(LogStore, "load_session", lambda *_: pytest.fail("the session was read from the log"))
    try:
        workspace.edit(OWNER, 0, "Eins.", "typed")
        note = sessions.exports.note(OWNER, workspace)["note"]
        made = sessions.exports.make(OWNER, workspace, DOCUMENT)
        assert (made.data, made.note, written) == (b"Eins.\nTwo.\n", note, [1])
        workspace.edit(OWNER, 1, "Zwei.", "typed")
        assert sessions.exports.make(OWNER, workspace, DOCUMENT).data == b"Eins.\nZwei.\n"
        key = sessions.bundles.pack(OWNER, [workspace.session_id])["key"]
        with zipfile.ZipFile(io.BytesIO(sessions.bundles.packed(OWNER, key).data)) as archive:
            assert archive.read("a.de.txt") == b"Eins.\nZwei.\n"
        assert written == [1, 2, 2]
    finally:
        sessions.close()
