"""A day's session, made through the functions that the page calls: exported, read in equal, measured, replayed."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.log.changes import smallest_change
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.reports.jsonl import import_jsonl, session_jsonl, verify_jsonl
from app.reports.keystroke_files import session_translog
from app.reports.replay import replay_steps
from app.reports.spreadsheets import statistics_of
from app.reports.statistics import session_statistics
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.ui.api import Api
from tests.app.hand_decoder import HandDecoder, ready_model, settle
from tests.app.log.test_log_readme import documented
from tests.app.reports.test_keystroke_files import played
from tests.budget import rounds

NUM_SEGMENTS = rounds(100, 500)
NUM_EVENTS = 40 * NUM_SEGMENTS
WORDS = ["router", "saves", "file", "when", "light", "turns", "green", "open", "settings", "network", "password"]


class Person:
    """Post-edits a document from the first segment to the last, by chance, as a page sends it."""

    def __init__(self, folder: Path) -> None:
        self.chance = random.Random(7)
        self.decoder = HandDecoder()
        self.store = LogStore.open(folder / "log.sqlite")
        # What is proven here does not need every write on the disk.
        self.store._db.execute("PRAGMA synchronous = OFF")
        self.sessions = Sessions(self.store, ready_model(self.decoder), SAMPLES_FOLDER)
        self.api = Api(self.sessions)
        lines = (" ".join(self.chance.choices(WORDS, k=self.chance.randint(3, 14))) for _ in range(NUM_SEGMENTS - 3))
        text = "\n".join([*lines, "the same line", "the same line", "=1+1 <b>"])
        self.workspace = self.sessions.open_document(OWNER, text.encode(), "day.txt")
        self.sequence = 0

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        self.sequence += 1
        base = {
            "token": self.workspace.token,
            "client": "tab",
            "sequence": self.sequence,
            "since": self.workspace.core.version,
        }
        reply = self.api.command(OWNER, {**base, "open": None, "detail_since": -1, "name": name, **fields})
        assert reply["ok"], reply
        return reply

    def answer(self) -> None:
        self.decoder.answer_all()
        settle(self.workspace)
        self.decoder.requests.clear()  # answered and taken

    def constrain(self, index: int, *pins: str) -> None:
        self.send("constrain", segment=index, constraints=Constraints(pins).to_json(), origin="person")
        self.answer()

    def type(self, index: int, text: str) -> str:
        """A word more, less, or another one; as the page sends it, the whole text with what was done to it."""
        before, words = text, text.split()
        at = self.chance.randrange(len(words) + 1)
        words[at : at + 1] = self.chance.choices(WORDS, k=self.chance.randint(0, 2))
        text = " ".join(words) or "x"
        self.send("keys", segment=index, counts={"character": len(text), "delete": 2})
        change = smallest_change(before, text, self.chance.choice(["typed", "typed", "paste"]))
        reported = [[change.offset, len(change.removed), change.text, change.origin]]
        self.send("edit", segment=index, text=text, origin="typed", reported={"before": before, "changes": reported})
        return text

    def work(self) -> None:
        self.send("pretranslate", is_on=False)  # so that what is decoded is what this day asks for
        for index in range(NUM_SEGMENTS):
            self.send("open", segment=index)
            self.answer()
            if index % 4 == 0:
                self.constrain(index, self.chance.choice(WORDS))
            text = self.workspace.core.segment(index).text or "nothing"
            if index % 5:  # every fifth is fine as it is
                for _ in range(22):
                    text = self.type(index, text)
            if index % 7 == 0:
                self.send("edit", segment=index, text=None, origin="undo")
                text = self.workspace.core.segment(index).text or text
            self.send("confirm", segment=index, text=text)
            if index % 50 == 0:
                self.send("reopen", segment=index)
            if index % 20 == 0:
                self.send("leave", segment=index)
        find = {"find": "router", "replacement": "Router", "matches_case": True, "whole_words": True}
        step = self.send("replace", segments=None, in_confirmed=True, **find)["result"]["step"]
        self.send("step", step=step, is_undo=True)
        self.send("step", step=step, is_undo=False)
        self.send("split", segment=1, offset=self.workspace.core.segment(1).source.index(" ") + 1)
        self.send("split", segment=2, offset=self.workspace.core.segment(2).source.index(" ") + 1)
        self.send("merge", segment=2)  # what was cut off is part of it again
        self.answer()

    def ask(self, view: str) -> dict[str, Any]:
        reply = asyncio.run(self.api.record(OWNER, {"token": self.workspace.token, "view": view}))
        assert reply["ok"], reply
        return reply["result"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Person:
    person = Person(tmp_path_factory.mktemp("day"))
    person.work()
    return person


def rows(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    kept = []
    for table in ("session", "document", "segment", "event", "glossary", "glossary_term", "document_term"):
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "token"]
        kept += connection.execute(f"SELECT '{table}', {', '.join(names)} FROM {table} ORDER BY 1, 2, 3").fetchall()
    connection.close()
    return kept


def test_exported_day_is_equal_after_import(day: Person, tmp_path: Path) -> None:
    number = day.workspace.session_id
    exported = session_jsonl(OWNER, day.store, number)
    assert verify_jsonl(exported.data).num_events >= NUM_EVENTS
    other = LogStore.open(tmp_path / "log.sqlite")
    again = import_jsonl(other, exported.data, exported.name)
    assert rows(other.path) == rows(day.store.path)
    assert statistics_of(other, other.load_session(OWNER, again)) == statistics_of(
        day.store, day.store.load_session(OWNER, number)
    )
    other.close()


def test_events_of_the_day_match_their_description(day: Person) -> None:
    fields = documented()
    for event in day.store.events(day.workspace.session_id):
        assert set(event.payload) <= fields[event.type], event


def test_the_day_replayed_ends_with_the_final_texts(day: Person) -> None:
    session = day.store.load_session(OWNER, day.workspace.session_id)
    texts = {segment.index: segment.target or "" for segment in session.document.segments}
    played = list(replay_steps(session.document.segments, day.store.events(session.id)))
    for moment in played:
        if moment.segment is not None and moment.text is not None:
            assert moment.text != texts[moment.segment]
            texts[moment.segment] = moment.text
    proposals = {s.index: s.machine_text or "" for s in day.workspace.segments}
    assert texts == {s.index: proposals[s.index] if s.target is None else s.target for s in session.segments}
    assert [moment.at_ms for moment in played] == sorted(moment.at_ms for moment in played)
    view = day.ask("replay")
    assert [moment[0] for moment in view["moments"]] == [moment.seq for moment in played]
    assert len(view["segments"]) == NUM_SEGMENTS + 2  # those that were split off


def test_the_days_figures_follow_from_its_events_alone(day: Person) -> None:
    session = day.store.load_session(OWNER, day.workspace.session_id)
    figures = session_statistics(session.document.segments, day.store.events(session.id))
    assert {s.index: (s.final_text, s.state) for s in figures.segments} == {
        s.index: (s.target, s.state) for s in session.segments if s.source
    }
    confirmed = [s for s in session.segments if s.state == "confirmed"]
    assert sum(figures.origins.values()) == sum(len((s.target or "").split()) for s in confirmed)
    assert figures.num_confirmed == len(confirmed) > 0.95 * NUM_SEGMENTS
    assert set(figures.origins) >= {"model", "pin", "typed", "pasted", "replaced"}
    assert "unknown" not in {event.payload.get("origin") for event in day.store.events(session.id)}
    assert figures.keys["delete"] == 2 * sum(event.type == "key" for event in day.store.events(session.id))
    assert 0 < figures.num_unchanged < NUM_SEGMENTS / 4
    report = day.ask("report")
    assert (report["hter"], report["num_confirmed"]) == (figures.hter, figures.num_confirmed)
    assert len(report["segments"]) == NUM_SEGMENTS


def test_views_for_research_have_the_figures_of_the_report(day: Person) -> None:
    session = day.store.load_session(OWNER, day.workspace.session_id)
    figures = session_statistics(session.document.segments, day.store.events(session.id))
    columns = "segment - 1, gross_ms, net_ms, num_pins, num_bans, num_decodes, num_taken, num_reopened"
    rows = day.store._db.execute(f"SELECT {columns} FROM research_segments WHERE session = ?", (session.id,))
    assert sorted(rows.fetchall()) == sorted(
        (s.index, s.gross_ms, s.net_ms, s.num_pins, s.num_bans, s.num_decodes, s.num_taken, s.num_reopened)
        for s in figures.segments
    )


def test_keys_of_translog_give_the_final_texts_of_the_day(day: Person) -> None:
    log = ET.fromstring(session_translog(OWNER, day.store, day.workspace.session_id).data)
    assert played(log) == log.findtext("FinalTextUTF8")
    assert len(log.findall("Events/Key")) > 10 * NUM_SEGMENTS


def test_deleted_day_leaves_its_last_hash(day: Person) -> None:
    """The last test of this module: nothing is left of the day."""
    number, last = day.workspace.session_id, day.store.load_session(OWNER, day.workspace.session_id)
    reply = day.send("delete_session")
    assert reply["document"]["name"] == "getting-started.txt"
    with pytest.raises(LogError, match="does not contain this session"):
        day.store.load_session(OWNER, day.workspace.token)
    stone = day.store.tombstones()[-1]
    assert (stone.session_id, stone.num_events, stone.last_hash) == (number, last.num_events, last.last_hash)
    assert asyncio.run(day.api.record(OWNER, {"token": day.workspace.token, "view": "report"}))["ok"] is False
    day.sessions.close()
    day.store.close()
