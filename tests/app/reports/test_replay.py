"""The replay of a session from its events."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.replay import replay_steps

DOCUMENT = read_document(b"One.\n", "manual.txt")


def test_questions_about_a_place_in_the_text_are_steps_without_a_text(tmp_path: Path):
    with closing(LogStore.open(tmp_path / "log.sqlite")) as store:
        number = store.start_session(OWNER, DOCUMENT, "en-de", pseudonym="p1", token="token").id
        asked = {"word": "Eins", "offset": 0, "text": "Eins.", "shown": []}
        store.append(OWNER, number, "alternatives", asked, segment=0)
        steps = list(replay_steps(DOCUMENT.segments, store.events(number)))
    assert [(step.type, step.text, step.detail) for step in steps if step.segment == 0] == [("alternatives", None, "")]
