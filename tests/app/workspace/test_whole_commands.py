"""Every command happens completely or not at all: each write of each command fails in turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.glossary import Term
from app.log import list_changes, people
from app.log.store import LogStore
from app.models.style import Style
from app.segments.find_replace import Query
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.segments.state import SegmentState
from app.segments.stored_state import segment_update
from app.tm.entries import MemoryEntry
from app.tm.library import MemoryLibrary
from app.workspace.batches import ReviewedSegment
from app.workspace.commands import Workspace
from engine import Avoid
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.faults import StatementFault

TEXT = "Open the settings.\nSave the file 3 times.\nOpen the settings.\nClose the dialog. Open it again.\n"


def tmx(source: str, target: str) -> bytes:
    unit = f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv><tuv xml:lang="de"><seg>{target}</seg></tuv></tu>'
    return f'<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>{unit}</body></tmx>'.encode()


MEMORY = tmx("Open the settings.", "Einstellungen.")
SIMILAR = tmx("Save the file 4 times.", "Speichern Sie die Datei 4-mal.")  # an exact match would fill itself


@dataclass(frozen=True)
class Case:
    """A command, and what a translator did before it."""

    command: Callable[[Workspace], object]
    before: Callable[[Workspace], object] = lambda workspace: None


def glossary(workspace: Workspace) -> int:
    workspace.glossaries.put(OWNER, "terms", [Term("file", "Datei"), Term("settings", "Einstellungen")])
    return workspace.terms.glossaries[0].id


def two_glossaries(workspace: Workspace) -> None:
    glossary(workspace)
    workspace.glossaries.put(OWNER, "more", [Term("file", "Akte"), Term("dialog", "Dialog")])


REVIEWED = [ReviewedSegment(0, "", "Neu", ["Ana: gut"]), ReviewedSegment(1, "", None, ["Ana: hm"])]
CASES = {
    "open": Case(lambda w: w.open(OWNER, 1), glossary),
    "leave": Case(lambda w: w.leave(OWNER, 0)),
    "edit": Case(lambda w: w.edit(OWNER, 0, "Neu", "typed", client="page")),
    "take a hypothesis": Case(lambda w: w.edit(OWNER, 0, "Neu", "hypothesis", rank=0)),
    "constrain": Case(
        lambda w: w.constrain(
            OWNER,
            0,
            Constraints(
                pins=("Menü", "öffnen"),
                terms_off=frozenset({"file\tDatei"}),
                bans=(Avoid("auf", "exact"),),
                prefix="Das ",
                locked=("Menü",),
            ),
        ),
        glossary,
    ),
    "free constraints": Case(
        lambda w: w.constrain(OWNER, 0, NO_CONSTRAINTS),
        lambda w: w.constrain(OWNER, 0, Constraints(pins=("Menü",), bans=(Avoid("auf", "exact"),))),
    ),
    "confirm": Case(
        lambda w: w.confirm(OWNER, 0, "Öffnen Sie die Einstellungen."),
        lambda w: (glossary(w), w.checking.show(OWNER, 0, "Öffnen 3")),
    ),
    "confirm with an unused term": Case(lambda w: w.confirm(OWNER, 1, "Speichern."), glossary),
    "reopen": Case(lambda w: w.reopen(OWNER, 0), lambda w: w.confirm(OWNER, 0, "Fertig.")),
    "comment": Case(lambda w: w.comment(OWNER, 0, "Why?")),
    "check": Case(
        lambda w: w.checking.show(OWNER, 1, "Speichern Sie  4-mal"), lambda w: w.checking.show(OWNER, 1, "Speichern")
    ),
    "choose checks": Case(
        lambda w: w.checking.choose(OWNER, ["numbers"]), lambda w: w.edit(OWNER, 1, "Speichern 4", "typed")
    ),
    "keys": Case(
        lambda w: w.activity.keys(OWNER, 0, {"character": 3}, [[0, "a"]], [[0, 1, 1]]),
        lambda w: w.activity.consent(OWNER, True),
    ),
    "consent": Case(lambda w: w.activity.consent(OWNER, True)),
    "idle": Case(lambda w: w.activity.idle(OWNER, 0, 90_000)),
    "pretranslate": Case(lambda w: w.pretranslate(OWNER, False)),
    "style": Case(lambda w: w.choose_style(OWNER, Style("formal"))),
    "replace": Case(
        lambda w: w.batches.replace(OWNER, Query("Datei", "Akte")),
        lambda w: [w.edit(OWNER, i, "Datei", "typed") for i in (0, 1, 2)],
    ),
    "take over a review": Case(lambda w: w.batches.take_review(OWNER, REVIEWED)),
    "undo a review": Case(
        lambda w: w.batches.step(OWNER, 0, is_undo=True), lambda w: w.batches.take_review(OWNER, REVIEWED)
    ),
    "confirm all matches": Case(
        lambda w: w.batches.confirm_matches(OWNER), lambda w: w.memory.import_memory(OWNER, MEMORY, "a.tmx")
    ),
    "fill matches": Case(
        lambda w: w.batches.fill_matches(OWNER, 75), lambda w: w.memory.import_memory(OWNER, SIMILAR, "a.tmx")
    ),
    "undo filled matches": Case(
        lambda w: w.batches.step(OWNER, 0, is_undo=True),
        lambda w: (w.memory.import_memory(OWNER, SIMILAR, "a.tmx"), settle(w), w.batches.fill_matches(OWNER, 75)),
    ),
    "undo a confirmation of all matches": Case(
        lambda w: w.batches.step(OWNER, 0, is_undo=True),
        lambda w: (w.memory.import_memory(OWNER, MEMORY, "a.tmx"), w.batches.confirm_matches(OWNER)),
    ),
    "undo a replacement": Case(
        lambda w: w.batches.step(OWNER, 0, is_undo=True),
        lambda w: (
            [w.edit(OWNER, i, "Datei", "typed") for i in (0, 1)],
            w.batches.replace(OWNER, Query("Datei", "Akte")),
        ),
    ),
    "split": Case(lambda w: w.structure.split(OWNER, 3, len("Close the "))),
    "merge": Case(lambda w: w.structure.merge(OWNER, 3), lambda w: w.edit(OWNER, 4, "Wieder.", "typed")),
    "undo a split": Case(
        lambda w: w.structure.step(OWNER, 0, is_undo=True), lambda w: w.structure.split(OWNER, 3, len("Close the "))
    ),
    "add a glossary": Case(lambda w: w.glossaries.put(OWNER, "more", [Term("dialog", "Dialog")]), glossary),
    "remove a glossary": Case(lambda w: w.glossaries.remove(OWNER, w.terms.glossaries[0].id), glossary),
    "switch a glossary off": Case(lambda w: w.glossaries.switch(OWNER, w.terms.glossaries[0].id, False), glossary),
    "edit a term": Case(
        lambda w: w.glossaries.edit(OWNER, w.terms.glossaries[0].id, {0: Term("file", "Akte")}), glossary
    ),
    "undo a glossary change": Case(lambda w: w.glossaries.undo(OWNER), glossary),
    "merge glossaries": Case(lambda w: w.glossaries.merge(OWNER, *(g.id for g in w.terms.glossaries)), two_glossaries),
    "add a term of the document": Case(lambda w: w.glossaries.add_term(OWNER, 1, "file", "Datei", "document")),
    "add a term to the glossary": Case(lambda w: w.glossaries.add_term(OWNER, 1, "file", "Datei", "glossary")),
    "remove a term": Case(
        lambda w: w.glossaries.remove_term(OWNER, "file", "Datei"),
        lambda w: w.glossaries.add_term(OWNER, 1, "file", "Datei", "document"),
    ),
    "import a memory": Case(lambda w: w.memory.import_memory(OWNER, MEMORY, "a.tmx")),
}


@contextmanager
def failing_at(store: LogStore, session_id: int, write: int) -> Iterator[None]:
    """Fails the session's event number `write` from now on, 1 being the next; 0 fails every change of a segment."""
    db = store.connection.db
    number = store.load_session(OWNER, session_id).num_events + write
    when = f"INSERT ON main.event WHEN NEW.seq = {number}" if write else "UPDATE ON main.segment WHEN 1"
    with store.connection.lock:  # not inside a transaction of another thread, which may be rolled back
        db.execute(f"CREATE TEMP TRIGGER fault BEFORE {when} BEGIN SELECT RAISE(ABORT, 'no space'); END")
    try:
        yield
    finally:
        with store.connection.lock:
            db.execute("DROP TRIGGER fault")


def memory_of(workspace: Workspace) -> dict[str, Any]:
    """Everything that commands change in memory, without the counters of changes."""
    core = workspace.core
    return {
        "segments": [replace(segment, stamp=0) for segment in core.segments],
        "document": core.document,
        "order": core.order,
        "open": core.open_index,
        "glossaries": workspace.terms.glossaries,
        "document terms": workspace.terms.document_terms,
        "checks off": core.checks_off,
        "consent": workspace.activity.has_consent,
        "style": workspace.style.chosen,
        "pretranslating": workspace.decoding.is_pretranslating,
        "steps": ([*filter(None, workspace.batches._steps)], len(workspace.structure._steps)),
        "can undo glossaries": workspace.glossaries.overview()["can_undo"],
        "shown findings": {index: set(found) for index, found in workspace.checking._shown.items()},
        "memory": workspace.memory.library.index(workspace.direction).entries(),
    }


def log_of(workspace: Workspace) -> tuple[Any, ...]:
    record = workspace.store.load_session(OWNER, workspace.session_id)
    return list(workspace.store.events(workspace.session_id)), record.segments, record.glossaries, record.document_terms


def page_of(workspace: Workspace) -> dict[str, Any]:
    """What a page that comes up now is shown, without the speed of pre-translation, which changes with time."""
    snapshot = workspace.snapshot(OWNER, open_index=0)
    return {**snapshot, "progress": {**snapshot["progress"], "words_per_second": None, "seconds_left": None}}


def texts_of(entries: Iterable[MemoryEntry]) -> list[tuple[str, str]]:
    return sorted((entry.source, entry.target) for entry in entries)


def stored(segment: SegmentState) -> tuple[Any, ...]:
    update = segment_update(segment, segment.version)
    return update.state, update.target, update.version, dict(update.constraints)


def begin(store: LogStore, case: Case) -> tuple[Workspace, HandDecoder]:
    decoder = HandDecoder()
    model = ready_model(decoder, formalities={"en-de": ("formal", "informal")})
    workspace = make_workspace(store, model, TEXT)
    workspace.open(OWNER, 0)
    case.before(workspace)
    decoder.answer_all()
    settle(workspace)
    return workspace, decoder


@pytest.mark.parametrize("name", CASES)
def test_a_command_whose_write_fails_changes_nothing_and_can_be_repeated(store: LogStore, name: str) -> None:
    case = CASES[name]
    num_refused = 0
    for write in count():
        workspace, decoder = begin(store, case)
        num_events = store.load_session(OWNER, workspace.session_id).num_events
        memory, log, page = memory_of(workspace), log_of(workspace), page_of(workspace)
        refused: LogError | None = None
        try:
            with failing_at(store, workspace.session_id, write):
                case.command(workspace)
                decoder.answer_all()
                settle(workspace)
        except LogError as error:
            refused = error
        if refused is not None:
            num_refused += 1
            assert "no space" in str(refused)
            assert memory_of(workspace) == memory
            assert log_of(workspace) == log
            assert page_of(workspace) == page
            case.command(workspace)  # the fault is over
            decoder.answer_all()
            settle(workspace)
        # Where it was not refused, the write that failed was not the command's. The log has all that a person did.
        saved = {s.index: (s.state, s.target, s.version) for s in log_of(workspace)[1]}
        for segment in workspace.segments:
            if "edited" in (segment.state, saved[segment.index][0]) or segment.state == "confirmed":
                assert stored(segment)[:3] == saved[segment.index]
        assert store.verify_chain(workspace.session_id).is_intact
        workspace.close()
        if store.load_session(OWNER, workspace.session_id).num_events < num_events + write - 1:
            break  # neither this write nor any later one happens
    assert num_refused or name == "import a memory", "no write of this command was made to fail"


@pytest.mark.parametrize(
    "name", ["confirm", *(pytest.param(n, marks=pytest.mark.full) for n in CASES if n != "confirm")]
)
def test_a_command_that_any_statement_fails_happens_completely_or_not_at_all(
    store: LogStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself fails: each statement of a command once, with a full disk, a faulty one, and a read-only file.

    Changes of other programs are looked for at each call, so that those statements fail, too.
    """
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(list_changes, "_LOOK_SECONDS", -1.0)
    case, number, num_refused = CASES[name], 0, 0
    connection = store.connection.db.conn
    while True:
        number += 1
        fault = StatementFault(number, (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)[number % 3])
        workspace, decoder = begin(store, case)
        log, page = log_of(workspace), page_of(workspace)
        is_refused = False
        with store.connection.lock:
            store.connection.db.conn = fault.over(connection)
        try:
            case.command(workspace)
        except LogError:
            is_refused = True
        finally:
            with store.connection.lock:
                store.connection.db.conn = connection
        if is_refused:
            num_refused += 1
            settle(workspace)
            assert log_of(workspace) == log, fault.statement
            assert page_of(workspace) == page, fault.statement
            case.command(workspace)
        decoder.answer_all()
        settle(workspace)
        assert store.verify_chain(workspace.session_id).is_intact, fault.statement
        saved = {each.index: (each.state, each.target, each.version) for each in log_of(workspace)[1]}
        assert {each.index: stored(each)[:3] for each in workspace.segments} == saved, fault.statement
        remembered = workspace.memory.library.index(workspace.direction).entries()
        expected = MemoryLibrary(store).index(workspace.direction).entries()
        assert texts_of(remembered) == texts_of(expected), fault.statement
        workspace.close()
        if not fault.has_struck:
            break
    assert num_refused


def test_constraints_are_written_together(store: LogStore) -> None:
    """The second of two pins failing once left the first in the log and none in memory."""
    workspace, _ = begin(store, Case(lambda w: None))
    with failing_at(store, workspace.session_id, 2), pytest.raises(LogError):
        workspace.constrain(OWNER, 0, Constraints(pins=("eins", "zwei")))
    assert workspace.segments[0].constraints.pins == ()
    assert [event.type for event in store.events(workspace.session_id) if event.type == "pin"] == []
    workspace.close()


def test_a_confirmation_and_its_terms_are_written_together(store: LogStore) -> None:
    """The term's event failing once left a confirmed segment in the log and an open one in memory."""
    workspace, _ = begin(store, Case(lambda w: None, glossary))
    with failing_at(store, workspace.session_id, 2), pytest.raises(LogError):
        workspace.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    assert workspace.segments[0].state != "confirmed"
    assert store.load_session(OWNER, workspace.session_id).segments[0].state != "confirmed"
    workspace.close()
