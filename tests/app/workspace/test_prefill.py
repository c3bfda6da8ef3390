"""Exact matches of the memory stand in the segments that nobody has touched, and only there."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.replay import replay_steps
from app.reports.statistics import session_statistics
from app.reports.translated_document import proposals_of, translated_document
from app.reports.working_time import working_time
from app.segments.segment_constraints import Constraints
from app.segments.stored_state import restore_segment
from app.tm.library import MemoryLibrary
from app.tm.storage import import_entries
from app.workspace import memory as recall
from app.workspace.commands import Workspace
from engine import Avoid, SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model, settle

TEXT = "Open the file.\nSave %s now.\nClose it.\nSomething else.\n"


def remember(store: LogStore, *pairs: tuple[str, str], name: str = "old.tmx") -> None:
    import_entries(store.connection, name, "en", "de", pairs)


def begin(store: LogStore, decoder: HandDecoder, token: str = "", *, fills: bool = True) -> Workspace:
    """A run of the app on a new session, or on that of the token, once what the memory knows is filled in."""
    workspace = start(store, decoder, token, fills=fills)
    settle(workspace)
    return workspace


def start(store: LogStore, decoder: HandDecoder, token: str = "", *, fills: bool = True) -> Workspace:
    token = token or store.start_session(OWNER, read_document(TEXT.encode(), "manual.txt"), "en-de").token
    record = store.load_session(OWNER, token)
    return Workspace(
        store, record.id, token, record.document, [restore_segment(saved) for saved in record.segments],
        ready_model(decoder), direction="en-de", options=SearchOptions(), library=MemoryLibrary(store, fills=fills),
    )  # fmt: skip


def texts(workspace: Workspace) -> list[str | None]:
    return [segment.target for segment in workspace.segments]


def logged(workspace: Workspace, index: int) -> list[tuple[str, str | None]]:
    events = [e for e in workspace.store.events(workspace.session_id) if e.segment == index and "text" in e.payload]
    return [(event.type, event.payload.get("origin")) for event in events]


def test_every_segment_is_filled_also_in_small_portions(store: LogStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recall, "NUM_FILLED_AT_ONCE", 3)
    remember(store, *((line, f"TM: {line}") for line in TEXT.splitlines()))
    workspace = begin(store, HandDecoder())
    assert texts(workspace) == [f"TM: {line}" for line in TEXT.splitlines()]
    workspace.close()


def test_pretranslation_fills_in_exact_matches(store: LogStore):
    remember(store, ("Open  the file.", "Öffnen."), ("Save %s now.", "Jetzt sichern."), ("Close them.", "Schließen."))
    workspace = begin(store, HandDecoder())
    assert texts(workspace) == ["Öffnen.", None, None, None], "a placeholder lacks in one, and one is only similar"
    first = workspace.segments[0]
    assert (first.state, first.origin, first.version, first.is_from_memory) == ("pretranslated", "memory", 0, True)
    assert workspace.snapshot(OWNER)["rows"][0]["is_from_memory"]
    assert logged(workspace, 0) == [("insert", "memory")]
    saved = store.load_session(OWNER, workspace.session_id).segments[0]
    assert (saved.target, saved.state) == ("Öffnen.", "pretranslated")
    assert store.sessions(OWNER)[0].is_untouched, "nobody has done anything"
    assert store.verify_chain(workspace.session_id).is_intact
    workspace.close()


def test_answers_do_not_wait_while_a_large_memory_is_read(store: LogStore, monkeypatch: pytest.MonkeyPatch):
    may_read, read = threading.Event(), MemoryLibrary.index
    monkeypatch.setattr(MemoryLibrary, "index", lambda self, direction: may_read.wait(120) and read(self, direction))
    remember(store, ("Open the file.", "Öffnen."))
    decoder = HandDecoder()
    workspace = start(store, decoder)
    decoder.answer(1, "Jetzt %s sichern.")
    workspace.decoding._answers._turns.submit(lambda: None).result(60)
    assert workspace.segments[1].machine_text == "Jetzt %s sichern."
    assert texts(workspace) == [None] * 4
    may_read.set()
    settle(workspace)
    assert texts(workspace) == ["Öffnen.", None, None, None]
    workspace.close()


def test_contradicting_matches_are_only_offered(store: LogStore):
    remember(store, ("Open the file.", "Öffnen."), ("Close it.", "Schließen."))
    remember(store, ("Open the file.", "Datei auf."), ("Close it.", "Schließen."), name="other.tmx")
    workspace = begin(store, HandDecoder())
    assert texts(workspace) == [None, None, "Schließen.", None]
    assert len(workspace.memory.matches(OWNER, 0)["matches"]) == 2
    workspace.close()


def test_opening_fills_in_newer_matches_but_no_touched_segment(store: LogStore):
    decoder = HandDecoder()
    workspace = begin(store, decoder)
    decoder.answer_all()
    settle(workspace)
    workspace.edit(OWNER, 0, "Von Hand.", "typed")
    workspace.constrain(OWNER, 2, Constraints(pins=("schließen",)))
    remember(store, *((line, f"TM: {line}") for line in TEXT.splitlines()))
    workspace.memory.library.forget()
    workspace.memory.library.index("en-de")
    for index in range(4):
        workspace.open(OWNER, index)
    assert texts(workspace) == ["Von Hand.", "TM: Save %s now.", None, "TM: Something else."]
    assert workspace.segments[3].machine_text == "de: Something else.", "the model's stays one key away"
    workspace.close()


def test_undo_goes_back_to_the_model_and_stays_there_also_after_a_restart(store: LogStore):
    remember(store, ("Open the file.", "Öffnen."))
    decoder = HandDecoder()
    workspace = begin(store, decoder)
    workspace.open(OWNER, 0)
    decoder.answer(0, "Machen Sie auf.")
    settle(workspace)
    assert workspace.segments[0].text == "Öffnen."
    workspace.edit(OWNER, 0, None, "undo")
    assert (workspace.segments[0].text, workspace.segments[0].state) == ("Machen Sie auf.", "pretranslated")
    workspace.open(OWNER, 0)
    assert workspace.segments[0].target is None
    workspace.close()
    again = begin(store, HandDecoder(), workspace.token)
    assert (again.segments[0].target, again.segments[0].text) == (None, "Machen Sie auf.")
    again.close()


def test_a_filled_segment_is_as_it_was_after_a_restart(store: LogStore):
    remember(store, ("Open the file.", "Öffnen."))
    workspace = begin(store, HandDecoder())
    workspace.close()
    again = begin(store, HandDecoder(), workspace.token)
    assert again.segments[0].is_from_memory and again.segments[0].target == "Öffnen."
    assert logged(again, 0) == [("insert", "memory")], "filled once"
    again.close()


def test_report_counts_the_words_as_the_memorys_without_effort(store: LogStore):
    remember(store, ("Open the file.", "de: Open die Datei."))
    decoder = HandDecoder()
    workspace = begin(store, decoder)
    number = workspace.session_id
    workspace.open(OWNER, 0)
    decoder.answer_all()  # "de: Open the file.": words that the memory has too
    settle(workspace)
    figures = session_statistics(workspace.document.segments, store.events(number))
    assert (figures.segments[0].state, figures.segments[0].num_edits) == ("pretranslated", 0)
    workspace.confirm(OWNER, 0, "de: Open die Datei.")
    assert workspace.segments[0].origin == "memory"
    figures = session_statistics(workspace.document.segments, store.events(number))
    assert figures.origins == {"memory": 4}
    events = {event.type: event for event in store.events(number)}
    times = [("focus", 0), ("insert", 50_000), ("confirm", 100_000)]
    spread = [replace(events[name], monotonic_ms=at_ms) for name, at_ms in times]
    assert working_time(spread).net_ms == 0, "a pause of 100 s, in which nobody did anything"
    workspace.close()


def test_match_that_replaces_a_proposal_counts_as_the_memorys(store: LogStore):
    decoder = HandDecoder()
    workspace = begin(store, decoder)
    decoder.answer_all()
    settle(workspace)
    remember(store, ("Open the file.", "de: Open die Datei."))
    workspace.memory.library.forget()
    workspace.memory.library.index("en-de")
    workspace.open(OWNER, 0)
    workspace.confirm(OWNER, 0, "de: Open die Datei.")
    figures = session_statistics(workspace.document.segments, store.events(workspace.session_id))
    assert figures.origins == {"memory": 4}
    workspace.close()


def test_imported_file_fills_at_once_reports_it_and_can_be_switched_off(store: LogStore):
    data = (
        b'<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>Close it.</seg></tuv>'
        b'<tuv xml:lang="de"><seg>Zu damit.</seg></tuv></tu></body></tmx>'
    )
    workspace = begin(store, HandDecoder())
    assert workspace.memory.import_memory(OWNER, data, "a.tmx") == {
        "name": "a.tmx",
        "num_pairs": 1,
        "notes": [],
        "num_filled": 1,
    }
    assert texts(workspace)[2] == "Zu damit."
    workspace.close()
    other = begin(store, HandDecoder(), fills=False)
    other.open(OWNER, 2)
    assert other.memory.import_memory(OWNER, data, "a.tmx")["num_filled"] == 0
    assert texts(other) == [None] * 4
    other.close()


SIMILAR = (("Open the files.", "Öffnen Sie die Dateien."), ("Close them.", "Schließen."), ("Something new.", "Neues."))


def similar(store: LogStore) -> tuple[Workspace, HandDecoder]:
    """A document whose matches are 93, 91, 63 and 73 %; all segments have a proposal."""
    remember(store, *SIMILAR, ("Save %s now!", "%s sichern!"))
    decoder = HandDecoder()
    workspace = begin(store, decoder)
    workspace.project = replace(workspace.project, min_match=60)
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    return workspace, decoder


def test_matches_from_a_rate_on_fill_untouched_segments_as_one_step(store: LogStore):
    workspace, _ = similar(store)
    rates = [segment.match_rate for segment in workspace.segments]
    assert rates == [93, 91, 63, 73]
    before = [(segment.state, segment.target) for segment in workspace.segments]
    done = workspace.batches.fill_matches(OWNER, 73)
    assert (done["segments"], texts(workspace)) == (
        [0, 1, 3], ["Öffnen Sie die Dateien.", "%s sichern!", None, "Neues."],
    )  # fmt: skip
    rows = workspace.snapshot(OWNER)["rows"]
    assert {row["index"]: (row["match_rate"], row["is_from_memory"], row["can_be_filled"]) for row in rows} == {
        0: (93, True, False), 1: (91, True, False), 2: (63, False, True), 3: (73, True, False),
    }  # fmt: skip
    logged_rates = [
        event.payload["rate"] for event in store.events(workspace.session_id) if event.payload.get("origin") == "memory"
    ]
    assert logged_rates == [93, 91, 73]
    assert workspace.batches.confirm_matches(OWNER)["segments"] == [], "only 100 % matches are confirmed unseen"
    workspace.batches.step(OWNER, done["step"], is_undo=True)
    assert [(segment.state, segment.target) for segment in workspace.segments] == before
    workspace.batches.step(OWNER, done["step"], is_undo=False)
    assert [row["match_rate"] for row in workspace.snapshot(OWNER)["rows"] if row["is_from_memory"]] == [93, 91, 73]
    figures = session_statistics(workspace.document.segments, store.events(workspace.session_id))
    assert [segment.state for segment in figures.segments] == ["pretranslated"] * 4
    assert len(list(replay_steps(workspace.document.segments, store.events(workspace.session_id)))) > 3
    workspace.close()
    again = begin(store, HandDecoder(), workspace.token)
    assert [row["match_rate"] for row in again.snapshot(OWNER)["rows"] if row["is_from_memory"]] == [93, 91, 73]
    again.close()


def test_matches_fill_nothing_that_a_person_has_touched(store: LogStore):
    workspace, _ = similar(store)
    workspace.edit(OWNER, 0, "Von Hand.", "typed")
    workspace.constrain(OWNER, 1, Constraints(bans=(Avoid("sichern", "exact"),)))
    workspace.confirm(OWNER, 2, "Zu.")
    assert workspace.batches.fill_matches(OWNER, 60)["segments"] == [3]
    assert texts(workspace) == ["Von Hand.", None, "Zu.", "Neues."]
    assert workspace.batches.fill_matches(OWNER, 60)["segments"] == []
    workspace.edit(OWNER, 0, None, "undo")
    settle(workspace)
    assert workspace.batches.fill_matches(OWNER, 60)["segments"] == [0], "there is no text of the person any more"
    workspace.close()


def test_filled_fuzzy_match_counts_as_no_translation_until_a_person_confirms_it(store: LogStore):
    workspace, _ = similar(store)
    workspace.batches.fill_matches(OWNER, 90)
    saved = store.load_session(OWNER, workspace.session_id).segments
    exported = translated_document(workspace.document, map(restore_segment, saved), "de")
    assert exported.data.decode() == TEXT
    proposed = proposals_of(workspace.segments)
    drafted = translated_document(workspace.document, map(restore_segment, saved), "de", proposals=proposed)
    assert drafted.data.decode().splitlines()[0] == "Öffnen Sie die Dateien."
    workspace.close()
