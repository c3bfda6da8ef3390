"""Opening, leaving and taking up documents again, over the app's whole life."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError, DocumentError, GlossaryError, LogError
from app.glossary import Term
from app.log.records import SegmentUpdate
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.sessions import Sessions
from app.workspace.workspace_exports import DOCUMENT
from engine import Avoid
from tests.app.hand_decoder import HandDecoder, ready_model, settle

TEXT = b"Open the settings.\nThe router saves the file.\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


class Run:
    """The app from its start to its end."""

    def __init__(self, log: Path, direction: str = "en-de") -> None:
        self.store = LogStore.open(log)
        self.decoder = HandDecoder()
        self.sessions = Sessions(self.store, ready_model(self.decoder, direction=direction), SAMPLES_FOLDER)

    def end(self) -> None:
        self.sessions.close()
        self.store.close()


@pytest.fixture
def run(log: Path) -> Iterator[Run]:
    run = Run(log)
    yield run
    run.end()


def test_first_start_opens_the_sample_and_offers_nothing(run: Run):
    workspace, result = run.sessions.welcome(OWNER, None)
    assert workspace.document.name == "getting-started.txt"
    assert len(workspace.segments) >= 50
    assert result == {}
    assert workspace.core.segments[0].constraints.pins == ("Erste Schritte",)
    assert [glossary.name for glossary in workspace.terms.glossaries] == ["glossary.tsv"]


def test_first_visit_of_a_member_opens_the_document_of_the_project_and_adds_no_sample_to_it(run: Run):
    people, mia, tom = run.store.people, Actor.person("Mia"), Actor.person("Tom")
    people.put("Mia", "manager")
    people.put("Tom", "translator")
    workspace = run.sessions.open_document(mia, TEXT, "manual.txt")
    alone, _ = run.sessions.welcome(tom, None)
    assert alone.document.name == "getting-started.txt"
    assert alone.project.id != workspace.project.id
    people.put("Rita", "reviewer")
    people.join("Rita", [workspace.project.id])
    shown, result = run.sessions.welcome(Actor.person("Rita"), None)
    assert (shown, result) == (workspace, {})
    assert [one.document_name for one in run.store.sessions(mia)] == ["manual.txt"]


def test_sample_is_an_example_only_at_the_first_start_and_offered_once_something_was_done(log: Path):
    first = Run(log)
    workspace, _ = first.sessions.welcome(OWNER, None)
    workspace.constrain(OWNER, 0, NO_CONSTRAINTS)
    first.end()
    second = Run(log)
    fresh, result = second.sessions.welcome(OWNER, None)
    assert result["offer"]["name"] == "getting-started.txt"
    assert fresh.core.segments[0].constraints.pins == ()
    assert fresh.terms.glossaries == ()
    second.end()


def test_samples_glossary_is_free_of_errors_and_occurs_in_the_sample(run: Run):
    workspace, _ = run.sessions.welcome(OWNER, None)
    report = run.sessions.import_sample_glossary(OWNER, workspace)
    assert (report["num_terms"], report["counts"]["rejected"]) == (21, 0)
    assert sum(bool(segment.hits) for segment in workspace.segments) >= 15


def test_new_tab_shows_the_document_opened_last(run: Run):
    run.sessions.welcome(OWNER, None)
    opened = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    assert run.sessions.welcome(OWNER, None) == (opened, {})


def test_next_start_offers_the_session_and_finds_all_of_it(log: Path):
    first = Run(log)
    workspace = first.sessions.open_document(OWNER, TEXT, "manual.txt")
    first.sessions.glossary_files.add(OWNER, workspace, b"router\tRouter\nfile\tDatei\n", "terms.tsv")
    workspace.open(OWNER, 0)
    workspace.constrain(OWNER, 0, Constraints(pins=("Dialog",)))
    workspace.confirm(OWNER, 0, "Öffnen Sie den Dialog.")
    workspace.constrain(OWNER, 1, Constraints(terms_off=frozenset({"file\tDatei"})))
    workspace.edit(OWNER, 1, "Halb fertig", "hypothesis")
    token = workspace.token
    first.end()

    second = Run(log)
    shown, result = second.sessions.welcome(OWNER, None)
    assert shown.document.name == "getting-started.txt"
    assert result["offer"]["name"] == "manual.txt"
    assert (result["offer"]["num_confirmed"], result["offer"]["num_segments"]) == (1, 2)
    again = second.sessions.resume(OWNER, result["offer"]["session"])
    assert again.token == token
    assert [
        (s.state, s.target, s.constraints.pins, sorted(s.constraints.terms_off), s.origin) for s in again.segments
    ] == [
        ("confirmed", "Öffnen Sie den Dialog.", ("Dialog",), [], "typed"),
        ("edited", "Halb fertig", (), ["file\tDatei"], "hypothesis"),
    ]
    assert [(glossary.name, len(glossary)) for glossary in again.terms.glossaries] == [("terms.tsv", 2)]
    assert again.first_to_do(OWNER) == 1
    assert second.sessions.welcome(OWNER, None) == (again, {})  # offered once
    second.end()


def test_page_of_an_earlier_run_finds_its_session_by_the_token(log: Path):
    first = Run(log)
    token = first.sessions.open_document(OWNER, TEXT, "manual.txt").token
    first.end()
    second = Run(log)
    workspace, result = second.sessions.welcome(OWNER, token)
    assert (workspace.token, workspace.document.name, result) == (token, "manual.txt", {})
    second.end()


def test_next_start_shows_what_the_browser_showed_last_unless_the_app_shows_another_document(log: Path):
    first = Run(log)
    token = first.sessions.open_document(OWNER, TEXT, "manual.txt").token
    first.end()
    second = Run(log)
    last, result = second.sessions.welcome(OWNER, None, token)
    assert (last.token, last.document.name, result) == (token, "manual.txt", {})
    assert second.sessions.welcome(OWNER, None) == (last, {}), "another window shows it, too"
    opened = second.sessions.open_document(OWNER, b"Press the button.\n", "other.txt")
    assert second.sessions.welcome(OWNER, None, token) == (opened, {})
    second.end()


def test_next_start_shows_the_sample_if_the_last_document_is_gone_or_cannot_be_opened(
    log: Path, monkeypatch: pytest.MonkeyPatch
):
    first = Run(log)
    token = first.sessions.open_document(OWNER, TEXT, "manual.txt").token
    first.end()
    second = Run(log)

    def refuse(*_: object, **__: object) -> None:
        raise LogError("damaged")

    monkeypatch.setattr(second.sessions.opener, "take_up", refuse)
    for last in ("unknown", token):
        shown, _ = second.sessions.welcome(OWNER, None, last)
        assert shown.document.name == "getting-started.txt"
    second.end()


@pytest.mark.parametrize("is_long", [False, True])
def test_continuing_a_session_with_a_changed_log_shows_a_warning(
    log: Path, is_long: bool, monkeypatch: pytest.MonkeyPatch
):
    if is_long:  # then it is checked in the background
        monkeypatch.setattr("app.sessions.workspace_opener.MAX_EVENTS_CHECKED_FIRST", 0)
    first = Run(log)
    intact, changed = (
        first.sessions.open_document(OWNER, TEXT + extra, "manual.txt").token for extra in (b"", b"Save.\n")
    )
    first.end()
    with sqlite3.connect(log) as connection:
        number = connection.execute("SELECT id FROM session WHERE token = ?", (changed,)).fetchone()
        connection.execute("UPDATE event SET payload = '{}' WHERE session_id = ? AND seq = 1", number)
    connection.close()
    second = Run(log)
    assert second.sessions.find(OWNER, intact).document.notes == ()
    workspace = second.sessions.find(OWNER, changed)
    for thread in threading.enumerate():
        if thread.name == "verify":
            thread.join(60)
    (note,) = [workspace.core.problem] if is_long else workspace.document.notes
    assert "changed or damaged by another program (event 1 was changed)" in note
    second.end()


def test_second_tab_is_offered_nothing_while_the_first_continues_its_session(log: Path):
    first = Run(log)
    first.sessions.open_document(OWNER, TEXT, "other.txt").edit(OWNER, 0, "Angefangen", "typed")
    token = first.sessions.open_document(OWNER, TEXT, "manual.txt").token
    first.end()
    second = Run(log)
    workspace, _ = second.sessions.welcome(OWNER, token)
    assert [
        offer["name"] for offer in second.sessions.logged_documents.offers(OWNER, besides=workspace.session_id)
    ] == ["other.txt"]
    assert second.sessions.welcome(OWNER, None) == (workspace, {})
    second.end()


def test_untouched_session_is_not_offered_and_not_left_behind(log: Path):
    for _ in range(3):
        run = Run(log)
        _, result = run.sessions.welcome(OWNER, None)
        assert result == {}
        run.end()
    run = Run(log)
    assert len(run.store.sessions(OWNER)) == 1
    run.end()


def test_app_closes_properly_where_the_log_cannot_be_written(log: Path):
    run = Run(log)
    workspaces = [run.sessions.open_document(OWNER, TEXT, name) for name in ("a.txt", "b.txt")]
    run.store._db.conn.execute("PRAGMA query_only = ON")
    run.end()
    store = LogStore.open(log)
    for workspace in workspaces:
        assert "close" not in [event.type for event in store.events(workspace.session_id)]
    store.close()


@pytest.mark.parametrize("name", ["a.json", "a.yml"])
def test_plural_forms_that_were_added_are_there_again_at_the_next_start(log: Path, name: str):
    data = b'{"a": "{n, plural, one {# file} other {# files}}"}'
    first = Run(log, "en-pl")
    workspace = first.sessions.open_document(OWNER, data, name)
    sources = [segment.source for segment in workspace.segments]
    assert sources == ["{n} file", "{n} files", "{n} files", "{n} files"], "few and many are added"
    workspace.edit(OWNER, 1, "{n} pliki", "typed")
    token, session, exported = (
        workspace.token,
        workspace.session_id,
        first.sessions.exports.make(OWNER, workspace, DOCUMENT),
    )
    first.end()
    second = Run(log, "en-pl")
    again = second.sessions.resume(OWNER, session)
    assert again.token == token and [segment.source for segment in again.segments] == sources
    assert second.sessions.exports.make(OWNER, again, DOCUMENT) == exported and b"few {# pliki}" in exported.data
    second.end()


def test_document_opened_again_starts_a_new_session(run: Run):
    first = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    first.edit(OWNER, 0, "Etwas", "typed")
    second = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    assert second.token != first.token
    assert second.segments[0].target is None
    assert run.sessions.find(OWNER, first.token) is first


def test_document_that_is_not_shown_stops_pretranslating(run: Run):
    long = "\n".join(f"Line number {n}." for n in range(40)).encode()
    first = run.sessions.open_document(OWNER, long, "long.txt")
    second = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    settle(first)
    run.decoder.answer_all()
    settle(first)
    settle(second)
    assert first.snapshot(OWNER)["progress"]["done"] == 0
    assert second.snapshot(OWNER)["progress"]["done"] == 2
    first.open(OWNER, 0)
    for _ in range(10):
        run.decoder.answer_all()
        settle(first)
    assert first.snapshot(OWNER)["progress"]["done"] == 40


def test_unusable_files_change_nothing(run: Run, tmp_path: Path):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    with pytest.raises(DocumentError, match=r"end in \.pdf"):
        run.sessions.open_document(OWNER, b"%PDF-1.4", "manual.pdf")
    with pytest.raises(GlossaryError, match="1 column"):
        run.sessions.glossary_files.add(OWNER, workspace, b"router\nfile\n", "terms.tsv")
    with pytest.raises(DocumentError, match=r"missing\.txt"):
        run.sessions.open_files(OWNER, tmp_path / "missing.txt", None)
    assert run.sessions.welcome(OWNER, None)[0] is workspace
    assert workspace.terms.glossaries == ()


def test_exports_are_named_after_the_document_and_logged(run: Run):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    document = run.sessions.exports.make(OWNER, workspace, "document")
    assert (document.name, document.data.decode()) == (
        "manual.de.txt",
        "Öffnen Sie die Einstellungen.\nThe router saves the file.\n",
    )
    assert run.sessions.exports.make(OWNER, workspace, "log.csv").name == "manual.log.csv"
    assert run.sessions.exports.make(OWNER, workspace, "log.jsonl").name == "manual.log.jsonl"
    kinds = [event.payload["kind"] for event in run.store.events(workspace.session_id) if event.type == "export"]
    assert kinds == ["document", "log.csv", "log.jsonl"]
    with pytest.raises(CommandError, match=r"document, document-with-proposals, document-with-comments, log\.csv"):
        run.sessions.exports.make(OWNER, workspace, "../../etc/passwd")


def test_a_full_disk_does_not_keep_the_translation_back(run: Run, monkeypatch: pytest.MonkeyPatch):
    workspace = run.sessions.open_document(OWNER, b"One.", "manual.txt")
    workspace.confirm(OWNER, 0, "Eins.")

    def full(*_: object, **__: object) -> None:
        raise LogError("the disk is full")

    monkeypatch.setattr(run.store, "append", full)
    assert run.sessions.exports.make(OWNER, workspace, "document").data == b"Eins."


def test_exports_that_would_be_empty_are_known_before(run: Run):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    for kind in ("terms.tbx", "memory.tmx"):
        assert run.sessions.exports.note(OWNER, workspace, kind)["is_empty"], kind
    assert run.sessions.exports.note(OWNER, workspace, "log.csv") == {"note": None, "is_empty": False}
    workspace.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    assert run.sessions.exports.note(OWNER, workspace, "memory.tmx") == {"note": None, "is_empty": False}


def test_the_document_is_exported_with_proposals_where_that_is_asked(run: Run):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    run.decoder.answer_all()
    settle(workspace)
    workspace.edit(OWNER, 0, "Öffnen Sie die Einstellungen.", "typed")
    assert run.sessions.exports.make(OWNER, workspace, "document").data == TEXT.replace(
        b"Open the settings.", "Öffnen Sie die Einstellungen.".encode()
    )
    export = run.sessions.exports.make(OWNER, workspace, "document-with-proposals")
    assert export.data.decode() == "Öffnen Sie die Einstellungen.\nde: The router saves the file.\n"
    assert run.sessions.exports.note(OWNER, workspace, "document-with-proposals") == {
        "note": export.note,
        "is_empty": False,
    }
    assert export.name == "manual.de.draft.txt", "not the name of the other export"
    assert export.note is not None and "edited or confirmed: 1." in export.note
    assert "Segments in the source language: 1." in run.sessions.exports.note(OWNER, workspace)["note"]


def test_banned_words_are_restored_and_segments_stored_without_bans_load(log: Path):
    first = Run(log)
    workspace = first.sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.constrain(OWNER, 0, Constraints(bans=(Avoid("Dialog", "permissive"),)))
    older = SegmentUpdate("edited", "Alt", 1, {"pins": ["alt"], "terms_off": [], "origin": "typed"})
    first.store.append(OWNER, workspace.session_id, "edit", {}, segment=1, segment_version=1, update=older)
    first.end()
    second = Run(log)
    again, _ = second.sessions.welcome(OWNER, workspace.token)
    assert again.segments[0].constraints.bans == (Avoid("Dialog", "permissive"),)
    assert (again.segments[1].constraints.bans, again.segments[1].constraints.pins, again.segments[1].target) == (
        (),
        ("alt",),
        "Alt",
    )
    second.end()


def test_documents_of_every_format_are_exported_after_a_restart(log: Path):
    po = b'msgid "One"\nmsgstr "Eins"\n\nmsgid "Two."\nmsgstr ""\n'
    xliff = (
        b'<xliff version="1.2"><file><body><trans-unit id="1"><source>One</source></trans-unit></body></file></xliff>'
    )
    files = {"a.po": po, "a.xlf": xliff, "a.md": b"# One\n\nTwo. Three.\n", "a.html": b"<p>One <b>two</b>.</p>"}
    first = Run(log)
    tokens = {}
    for name, data in files.items():
        workspace = first.sessions.open_document(OWNER, data, name)
        workspace.edit(OWNER, len(workspace.segments) - 1, "Neu {1}x{/1}", "typed")
        tokens[name] = workspace.token
    untouched = first.sessions.open_document(OWNER, po, "untouched.po")
    assert untouched.core.tally.counts()["confirmed"] == 1
    first.end()
    second = Run(log)
    exported = {
        name: second.sessions.exports.make(OWNER, second.sessions.find(OWNER, token), "document").data
        for name, token in tokens.items()
    }
    assert exported == {
        "a.po": po.replace(b'msgid "Two."\nmsgstr ""', b'#, fuzzy\nmsgid "Two."\nmsgstr "Neu {1}x{/1}"'),
        "a.xlf": xliff.replace(b"<file>", b'<file target-language="de">').replace(
            b"</source>", b'</source><target state="needs-review-translation">Neu {1}x{/1}</target>'
        ),
        "a.md": b"# One\n\nTwo. Neu {1}x{/1}\n",
        "a.html": b"<p>Neu <b>x</b></p>",
    }
    assert "untouched.po" not in [offer["name"] for offer in second.sessions.logged_documents.offers(OWNER)]
    second.end()


def test_new_sessions_translate_in_a_direction_of_the_model_and_keep_it(run: Run):
    document = run.sessions.open_document(OWNER, TEXT, "a.txt")
    assert run.sessions.welcome(OWNER, None)[0].direction == "en-de"
    run.decoder.facts = replace(run.decoder.facts, directions=("fr-en", "en-fr"))
    run.sessions.model.adopt(run.decoder)
    assert document.direction == "en-de"
    other = run.sessions.open_document(OWNER, TEXT, "a.txt")
    assert (other.direction, other.token != document.token) == ("en-fr", True)  # the language of its text


def wait_until(is_done: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def refusing(run: Run, change: str) -> Iterator[None]:
    """Every change of this kind fails in the log's file: "INSERT ON main.event", say."""
    db = run.store.connection.db
    with run.store.connection.lock:  # not inside a transaction of another thread, which may be rolled back
        db.execute(f"CREATE TEMP TRIGGER fault BEFORE {change} BEGIN SELECT RAISE(ABORT, 'no space'); END")
    try:
        yield
    finally:
        with run.store.connection.lock:
            db.execute("DROP TRIGGER fault")


def test_a_session_that_cannot_be_deleted_stays_open(run: Run):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.edit(OWNER, 0, "Begonnen", "typed")
    with refusing(run, "DELETE ON main.session"), pytest.raises(LogError, match="no space"):
        run.sessions.delete_session(OWNER, workspace)
    assert run.sessions.find(OWNER, workspace.token) is workspace
    workspace.open(OWNER, 1)
    run.decoder.answer_all()
    settle(workspace)
    assert workspace.segments[1].text == "de: The router saves the file."
    assert run.store.tombstones() == []


def test_a_document_that_cannot_be_begun_again_leaves_no_session(run: Run):
    workspace = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.glossaries.put(OWNER, "terms", [Term("router", "Router")])
    sessions = [summary.id for summary in run.store.sessions(OWNER)]
    glossary_event = "INSERT ON main.event WHEN NEW.type = 'glossary'"
    with refusing(run, glossary_event), pytest.raises(LogError, match="no space"):
        run.sessions.restart(OWNER, workspace, "en-de")
    assert [summary.id for summary in run.store.sessions(OWNER)] == sessions
    assert run.store.tombstones() == []
    assert run.sessions.welcome(OWNER, None)[0] is workspace


def test_only_so_many_documents_stay_open_that_no_page_shows(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.sessions.open_workspaces.MAX_OPEN", 2)
    monkeypatch.setattr("app.sessions.open_workspaces.AWAY_SECONDS", 0.0)
    before = threading.active_count()
    opened = []
    for number in range(6):
        opened.append(run.sessions.open_document(OWNER, b"One.", f"{number}.txt"))
        opened[-1].edit(OWNER, 0, f"Text {number}", "typed")
        settle(opened[-1])
    run.sessions.find(OWNER, opened[1].token)
    wait_until(lambda: threading.active_count() <= before + 3 * 4)
    monkeypatch.setattr("app.sessions.open_workspaces.AWAY_SECONDS", 3600.0)
    assert run.sessions.workspaces.close_idle() == 0, "a page that shows one asks for it"
    for number, workspace in enumerate(opened):
        assert run.sessions.find(OWNER, workspace.token).segments[0].target == f"Text {number}"


def test_after_a_deletion_the_document_used_last_is_shown(run: Run):
    sample, _ = run.sessions.welcome(OWNER, None)
    first, second, third = (run.sessions.open_document(OWNER, f"{n}.".encode(), f"{n}.txt") for n in range(3))
    for workspace in (sample, first, second, third):
        settle(workspace)  # filling in segments is logged, and counts as use
    first.edit(OWNER, 0, "Zuletzt", "typed")
    assert run.sessions.delete_session(OWNER, third) is first
    assert run.sessions.delete_session(OWNER, first) is second
    assert run.sessions.delete_session(OWNER, second).document.name == sample.document.name
    assert len(run.store.sessions(OWNER)) == 1


def test_unused_workspace_is_closed_and_found_again(run: Run):
    first = run.sessions.open_document(OWNER, TEXT, "manual.txt")
    first.edit(OWNER, 0, "Begonnen", "typed")
    settle(first)
    before = threading.active_count()
    second = run.sessions.open_document(OWNER, b"Another.", "other.txt")
    assert run.sessions.workspaces.close_idle(idle_seconds=3600) == 0
    settle(second)
    assert run.sessions.workspaces.close_idle(idle_seconds=0) == 1
    wait_until(lambda: threading.active_count() <= before)
    again = run.sessions.find(OWNER, first.token)
    assert again is not first
    assert (again.segments[0].target, again.direction) == ("Begonnen", "en-de")
    assert run.sessions.find(OWNER, second.token) is second
