"""Projects: what new documents get from them, what their documents share, and that no change is half done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from app.access.actor import OWNER
from app.errors import CommandError, DocumentError, LogError
from app.formats import Reading
from app.glossary import Term
from app.log.migrations import migrations
from app.log.project_tables import project_setting
from app.log.store import LogStore
from app.models.style import Style, chosen_style
from app.paths import SAMPLES_FOLDER
from app.projects import ProjectDraft
from app.reports.jsonl import read_jsonl, session_jsonl, verify_jsonl
from app.reports.replay import replay_steps
from app.sessions import Sessions
from app.tm.entries import MemoryEntry
from app.tm.tmx_memory import write_tmx
from app.workspace.commands import Workspace
from tests.app.formats.srx_samples import PUBLISHED_STYLE, srx
from tests.app.hand_decoder import HandDecoder, ready_model, settle

TEXT = b"Open the settings.\nThe router saves the file.\n"
OTHER = b"Restart the router.\nClose the file.\n"
TERMS = [Term("router", "Router"), Term("file", "Datei")]
HOSTILE = "<img src=x onerror=alert(1)>'); DROP TABLE project; -- =cmd|' /C calc'!A0"


class Run:
    """The app from its start to its end, with a model that knows forms of address and a domain."""

    def __init__(self, log: Path) -> None:
        self.store = LogStore.open(log)
        model = ready_model(HandDecoder(), {"en-de": ("formal", "informal")}, ("docs",))
        self.sessions = Sessions(self.store, model, SAMPLES_FOLDER)
        self.projects = self.sessions.projects

    def open(self, name: str, text: bytes = TEXT) -> Workspace:
        workspace = self.sessions.open_document(OWNER, text, name)
        settle(workspace)
        return workspace

    def create(self, workspace: Workspace, name: str, direction: str = "en-de", **fields: Any) -> int:
        self.projects.create(OWNER, workspace, ProjectDraft(name, **fields), direction)
        rows = self.projects.overview(OWNER)["projects"]
        return next(int(row["id"]) for row in rows if row["name"] == name)

    def restarted(self, log: Path) -> Run:
        self.end()
        return Run(log)

    def end(self) -> None:
        self.sessions.close()
        self.store.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


@pytest.fixture
def run(log: Path) -> Iterator[Run]:
    run = Run(log)
    yield run
    run.end()


def terms_of(workspace: Workspace) -> list[tuple[str, str]]:
    return [(term.source, term.target) for glossary in workspace.terms.glossaries for term in glossary.terms.values()]


def hits_of(workspace: Workspace) -> list[list[str]]:
    return [[hit.term.target for hit in segment.hits] for segment in workspace.segments]


def changes_logged(run: Run, workspace: Workspace) -> list[str]:
    assert run.store.verify_chain(workspace.session_id).is_intact
    return [e.payload["change"] for e in run.store.events(workspace.session_id) if e.type == "glossary"]


# ---- new documents ----


def test_new_document_has_terms_style_and_memory_of_the_current_project_at_once(run: Run):
    first = run.open("first.txt")
    project = run.create(first, "Manuals", client="ACME", formality="informal", domain="docs")
    second = run.open("second.txt")
    assert (first.project.name, second.project.id, second.project.client) == ("", project, "ACME")
    second.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    second.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    third = run.open("third.txt", TEXT + OTHER)
    assert third.project.id == project
    assert hits_of(third) == [[], ["Router", "Datei"], ["Router"], ["Datei"]]
    assert third.style.chosen == chosen_style(run.store, third.session_id) == Style("informal", "docs")
    assert third.segments[0].target == "Öffnen Sie die Einstellungen."
    (event,) = [event for event in run.store.events(third.session_id) if event.type == "glossary"]
    assert event.payload["change"] == "project"
    assert event.payload["glossaries"][0]["checksum"] == second.terms.glossaries[0].checksum
    assert hits_of(first) == [[], []], "another project"


def test_default_project_is_formal_if_the_model_supports_it(run: Run):
    assert run.open("first.txt").style.chosen == Style("formal")
    run.sessions.model.formalities = {}
    other = run.open("other.txt", OTHER)
    assert other.style.chosen == Style()
    assert [event.type for event in run.store.events(other.session_id)].count("style") == 0


def test_document_goes_into_the_project_used_last_for_its_languages(run: Run):
    first = run.open("first.txt")
    manuals = run.create(first, "Manuals")
    run.create(first, "Handbücher", direction="de-en")
    assert run.open("second.txt").project.id == manuals
    run.projects.choose(OWNER, first, first.project.id)
    assert run.open("third.txt").project.id == first.project.id
    current = {row["name"]: row["is_current"] for row in run.projects.overview(OWNER)["projects"]}
    assert current == {"": True, "Manuals": False, "Handbücher": True}


def test_continued_document_keeps_its_project_and_untouched_one_is_used_again(run: Run, log: Path):
    run.open("first.txt")
    again = run.restarted(log)
    assert again.open("first.txt").session_id == 1
    other = again.create(again.sessions.find(OWNER, again.store.load_session(OWNER, 1).token), "Other")
    assert again.open("first.txt").project.id == other
    assert [summary.project_id for summary in again.store.sessions(OWNER)].count(other) == 1
    run.store = again.store
    run.sessions = again.sessions


# ---- term bases ----


def test_change_of_a_term_base_reaches_open_and_closed_documents_of_the_project_only(run: Run, log: Path):
    closed, opened = run.open("closed.txt"), run.open("open.txt", TEXT + OTHER)
    token = closed.token
    opened.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    (base,) = opened.terms.glossaries
    assert (terms_of(closed), hits_of(closed)) == (terms_of(opened), [[], ["Router", "Datei"]])
    run.create(opened, "Elsewhere")
    elsewhere = run.open("elsewhere.txt")
    run.sessions.workspaces.close_idle(0)  # all but the one shown
    opened = run.sessions.find(OWNER, opened.token)
    opened.glossaries.edit(OWNER, base.id, {0: Term("router", "Zugangsgerät"), 1: None})
    assert terms_of(elsewhere) == []
    closed = run.sessions.find(OWNER, token)
    assert terms_of(closed) == [("router", "Zugangsgerät")]
    assert changes_logged(run, closed) == ["project", "project"]
    assert changes_logged(run, opened) == ["import", "edit"]
    run.sessions.workspaces.close_idle(0)
    assert changes_logged(run, run.sessions.find(OWNER, token)) == ["project", "project"], "nothing has changed since"


def test_each_document_has_its_own_switch_and_order_of_term_bases(run: Run):
    first, second = run.open("first.txt"), run.open("second.txt", OTHER)
    first.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    base = first.terms.glossaries[0].id
    second.glossaries.switch(OWNER, base, False)
    assert (hits_of(first)[1], hits_of(second)) == (["Router", "Datei"], [[], []])
    first.glossaries.edit(OWNER, base, {2: Term("settings", "Einstellungen")})
    assert not second.terms.glossaries[0].is_on
    assert len(second.terms.glossaries[0]) == 3


def test_undo_after_another_document_changed_the_term_base_does_not_lose_its_change(run: Run):
    first, second = run.open("first.txt"), run.open("second.txt", OTHER)
    first.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    base = first.terms.glossaries[0].id
    second.glossaries.edit(OWNER, base, {2: Term("settings", "Einstellungen")})
    with pytest.raises(CommandError, match="no change of the glossaries"):
        first.glossaries.undo(OWNER)
    second.glossaries.undo(OWNER)
    assert terms_of(first) == terms_of(second) == [("router", "Router"), ("file", "Datei")]
    first.glossaries.remove(OWNER, base)
    assert (terms_of(first), terms_of(second)) == ([], [])
    first.glossaries.undo(OWNER)
    assert terms_of(first) == terms_of(second) == [("router", "Router"), ("file", "Datei")]


def test_term_base_changed_behind_the_back_of_a_document_is_not_overwritten(run: Run):
    first = run.open("first.txt")
    first.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    base = first.terms.glossaries[0].id
    with run.store.connection.lock:
        run.store.connection.db.execute("UPDATE term_base SET revision = 7")
    with pytest.raises(LogError, match="changed by another document"):
        first.glossaries.edit(OWNER, base, {0: None})
    assert len(terms_of(first)) == 2


def test_glossary_of_a_document_becomes_a_term_base_and_comes_back_with_undo(run: Run, log: Path):
    first, second = run.open("first.txt"), run.open("second.txt", OTHER)
    first.glossaries.put(OWNER, "terms.tsv", TERMS)
    assert terms_of(second) == []
    first.glossaries.share(OWNER, first.terms.glossaries[0].id)
    assert len(terms_of(second)) == 2
    with pytest.raises(CommandError, match="already"):
        first.glossaries.share(OWNER, first.terms.glossaries[0].id)
    first.glossaries.undo(OWNER)
    assert (len(terms_of(first)), len(terms_of(second))) == (2, 0)
    assert first.terms.glossaries == run.store.load_session(OWNER, first.session_id).glossaries


def test_merged_glossary_is_gone_and_its_terms_are_in_the_other(run: Run):
    first, second = run.open("first.txt"), run.open("second.txt", OTHER)
    first.glossaries.put(OWNER, "base.tsv", [*TERMS, Term("IT", "IT", status="do_not_translate")], is_shared=True)
    more = [Term("File", "Akte"), Term("file", "Datei"), Term("router", "Kiste", status="forbidden"), Term("x", "y")]
    first.glossaries.put(OWNER, "more.tsv", [*more, Term("it", "sie", status="do_not_translate")])
    base, own = (
        next(one for one in first.terms.glossaries if one.is_shared is is_shared) for is_shared in (True, False)
    )
    with pytest.raises(CommandError, match="with itself"):
        first.glossaries.merge(OWNER, base.id, base.id)
    before = first.terms.glossaries
    first.glossaries.merge(OWNER, own.id, base.id)
    (merged,) = first.terms.glossaries
    assert [(term.source, term.targets, term.status) for term in merged.terms.values()] == [
        ("router", ("Router",), "preferred"),
        ("file", ("Datei", "Akte"), "preferred"),
        ("IT", ("IT",), "do_not_translate"),
        ("router", ("Kiste",), "forbidden"),
        ("x", ("y",), "preferred"),
    ]
    assert second.terms.glossaries[0].terms == merged.terms
    assert run.store.load_session(OWNER, first.session_id).glossaries == first.terms.glossaries
    first.glossaries.undo(OWNER)
    assert [len(one) for one in first.terms.glossaries] == [len(one) for one in before]
    assert len(second.terms.glossaries[0]) == 3


def test_term_added_to_the_project_is_required_in_its_other_documents(run: Run):
    first, second = run.open("first.txt"), run.open("second.txt")
    result = first.glossaries.add_term(OWNER, 0, "settings", "Einstellungen", "project")
    assert result["glossary"] == "own terms"
    assert hits_of(second)[0] == ["Einstellungen"]
    first.glossaries.add_term(OWNER, 1, "router", "Router", "project")
    assert [len(one) for one in second.terms.glossaries] == [2]
    assert changes_logged(run, second) == ["project", "project"]


def test_interrupted_import_of_a_term_base_leaves_nothing(run: Run, log: Path):
    first = run.open("first.txt")
    run.store.glossaries.store_ahead(
        first.session_id, first.terms.glossaries[0] if first.terms.glossaries else _base(run)
    )
    db = run.store.connection.db
    assert db.execute("SELECT count(*) FROM term_base_term").fetchone() == (1,)
    assert run.open("second.txt").terms.glossaries == ()
    run.sessions.close()
    run.sessions = Sessions(run.store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    assert db.execute("SELECT count(*) FROM term_base_term").fetchone() == (0,)


def _base(run: Run) -> Any:
    from app.glossary import Glossary

    return Glossary.of(run.store.glossaries.reserve_term_base(), "cut off", TERMS[:1])


# ---- moving and deleting ----


@pytest.mark.parametrize("is_open", [True, False])
def test_moved_document_has_terms_and_memory_of_its_new_project(run: Run, is_open: bool):
    first = run.open("first.txt")
    first.glossaries.put(OWNER, "old.tsv", [Term("settings", "Optionen")], is_shared=True)
    first.glossaries.put(OWNER, "own.tsv", [Term("open", "öffnen")])
    target = run.create(first, "Target", shares_memory=False)
    run.open("second.txt", OTHER).glossaries.put(OWNER, "new.tsv", TERMS, is_shared=True)
    if not is_open:
        run.sessions.workspaces.close_idle(0)
    run.sessions.move_document(OWNER, first.session_id, target)
    moved = run.sessions.find(OWNER, first.token)
    assert moved.project.id == target
    assert {glossary.name for glossary in moved.terms.glossaries} == {"own.tsv", "new.tsv"}
    assert [event.payload["change"] for event in run.store.events(moved.session_id) if event.type == "project"] == [
        "create",
        "move",
    ]
    assert changes_logged(run, moved) == ["import", "import", "project"]
    assert moved.terms.glossaries == run.store.load_session(OWNER, moved.session_id).glossaries


def test_document_does_not_fit_into_a_project_of_other_languages(run: Run):
    first = run.open("first.txt")
    other = run.create(first, "Handbücher", direction="de-en")
    with pytest.raises(CommandError, match=r"“Handbücher” is for de-en, not for en-de"):
        run.sessions.move_document(OWNER, first.session_id, other)
    with pytest.raises(CommandError, match="deleted in the meantime"):
        run.sessions.move_document(OWNER, 99, first.project.id)
    with pytest.raises(CommandError, match="deleted in the meantime"):
        run.sessions.move_document(OWNER, first.session_id, 99)


def test_deleted_project_gives_documents_and_term_bases_to_another_and_loses_nothing(run: Run):
    first = run.open("first.txt")
    doomed = run.create(first, "Doomed")
    second = run.open("second.txt", OTHER)
    second.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    with pytest.raises(CommandError, match="Doomed is not empty"):
        run.sessions.delete_project(OWNER, first, doomed, None)
    with pytest.raises(CommandError, match="into itself"):
        run.sessions.delete_project(OWNER, first, doomed, doomed)
    english = run.create(first, "Handbücher", direction="de-en")
    with pytest.raises(CommandError, match="is for de-en"):
        run.sessions.delete_project(OWNER, first, doomed, english)
    run.sessions.delete_project(OWNER, first, doomed, first.project.id)
    assert {row["name"] for row in run.projects.overview(OWNER)["projects"]} == {"", "Handbücher"}
    assert second.project.id == first.project.id
    assert terms_of(first) == terms_of(second) == [("router", "Router"), ("file", "Datei")]
    run.sessions.delete_project(OWNER, first, english, None)
    (event,) = [e for e in run.store.events(first.session_id) if e.type == "project" and "into" in e.payload]
    assert (event.payload["name"], event.payload["into"]["project"]) == ("Doomed", first.project.id)


def test_deleted_document_stays_a_tombstone_and_the_open_one_is_not_deleted(run: Run):
    first, second = run.open("first.txt"), run.open("second.txt", OTHER)
    with pytest.raises(CommandError, match="is open"):
        run.sessions.delete_document(OWNER, second.session_id, besides=second)
    run.sessions.delete_document(OWNER, first.session_id, besides=second)
    assert [row["name"] for row in run.sessions.documents(OWNER)["documents"]] == ["second.txt"]
    assert [stone.session_id for stone in run.store.tombstones()] == [first.session_id]


# ---- names and drafts ----


def test_hostile_names_are_stored_and_exported_as_they_are(run: Run):
    first = run.open("first.txt")
    project = run.create(first, HOSTILE, client=HOSTILE)
    second = run.open("second.txt", OTHER)
    assert (second.project.id, second.project.name) == (project, HOSTILE)
    second.glossaries.put(OWNER, HOSTILE, [Term(HOSTILE, "x")], is_shared=True)
    assert run.store.load_session(OWNER, second.session_id).glossaries[0].name == HOSTILE
    assert verify_jsonl(session_jsonl(OWNER, run.store, second.session_id).data).is_intact


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "  \n "}, "has no name"),
        ({"name": "x" * 101}, "101 characters; a name may have up to 100"),
        ({"name": "x", "client": "y" * 101}, "101 characters"),
        ({"name": "x", "formality": "polite"}, "'polite' is not a form of address"),
        ({"name": "Taken"}, "already have a project “Taken”"),
    ],
)
def test_unusable_project_is_refused_and_nothing_is_logged(run: Run, fields: dict[str, str], message: str):
    first = run.open("first.txt")
    run.create(first, "Taken")
    before = run.store.load_session(OWNER, first.session_id).num_events
    with pytest.raises(CommandError, match=message):
        run.projects.create(OWNER, first, ProjectDraft(**fields), "en-de")
    assert run.store.load_session(OWNER, first.session_id).num_events == before
    run.create(first, "Taken", direction="de-en")


def test_renamed_project_is_shown_in_its_open_documents(run: Run):
    first = run.open("first.txt")
    version = first.core.version
    run.projects.edit(OWNER, first, first.project.id, ProjectDraft("  Our\u0000 manuals ", "ACME", "informal"))
    shown = first.snapshot(OWNER)["document"]["project"]
    assert (shown["id"], shown["name"]) == (first.project.id, "Our manuals")
    assert first.has_news(version, None, -1)
    assert first.style.chosen == Style("formal"), "documents keep their style"


def test_chosen_style_is_kept_for_new_documents_only_if_asked(run: Run):
    first = run.open("first.txt")
    run.projects.choose_style(OWNER, first, Style("informal"), is_kept=False)
    assert run.open("second.txt", OTHER).style.chosen == Style("formal")
    run.projects.choose_style(OWNER, first, Style("informal", "docs"), is_kept=True)
    assert run.open("third.txt", OTHER + TEXT).style.chosen == Style("informal", "docs")
    run.projects.choose_style(OWNER, first, Style(), is_kept=True)
    assert run.open("fourth.txt", OTHER + OTHER).style.chosen == Style()


# ---- all or nothing ----


@contextmanager
def refusing(run: Run, change: str) -> Iterator[None]:
    """Every change of this kind fails in the log's file."""
    db = run.store.connection.db
    with run.store.connection.lock:
        db.execute(f"CREATE TEMP TRIGGER fault BEFORE {change} BEGIN SELECT RAISE(ABORT, 'no space'); END")
    try:
        yield
    finally:
        with run.store.connection.lock:
            db.execute("DROP TRIGGER fault")


COMMANDS: dict[str, Callable[[Run, Workspace], object]] = {
    "create": lambda run, w: run.projects.create(OWNER, w, ProjectDraft("New"), "en-de"),
    "edit": lambda run, w: run.projects.edit(OWNER, w, w.project.id, ProjectDraft("New")),
    "choose": lambda run, w: run.projects.choose(OWNER, w, w.project.id),
    "move": lambda run, w: run.sessions.move_document(OWNER, w.session_id, 2),
    "delete": lambda run, w: run.sessions.delete_project(OWNER, w, w.project.id, 2),
    "style": lambda run, w: run.projects.choose_style(OWNER, w, Style("informal"), is_kept=True),
    "matches": lambda run, w: run.projects.choose_matches(OWNER, w, 80, 2, 3),
    "share": lambda run, w: w.glossaries.share(OWNER, 1),
    "import": lambda run, w: w.glossaries.put(OWNER, "more.tsv", TERMS, is_shared=True),
    "term": lambda run, w: w.glossaries.add_term(OWNER, 0, "settings", "Einstellungen", "project"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_that_cannot_be_logged_changes_nothing(run: Run, name: str):
    workspace = run.open("first.txt")
    workspace.glossaries.put(OWNER, "own.tsv", TERMS)
    run.create(workspace, "Target")

    def state() -> Any:
        rows = [{**row, "is_current": None} for row in run.projects.overview(OWNER)["projects"]]
        record = run.store.load_session(OWNER, workspace.session_id)
        return rows, record, workspace.project, workspace.terms.glossaries, workspace.style.chosen

    before = state()
    with refusing(run, "INSERT ON main.event"), pytest.raises(LogError, match="no space"):
        COMMANDS[name](run, workspace)
    assert state() == before
    COMMANDS[name](run, workspace)
    assert state() != before


# ---- the log ----


def test_export_and_import_of_a_session_keep_terms_of_its_project(run: Run, tmp_path: Path):
    first = run.open("first.txt")
    first.glossaries.put(OWNER, "terms.tsv", TERMS, is_shared=True)
    first.glossaries.put(OWNER, "own.tsv", [Term("open", "öffnen")])
    first.confirm(OWNER, 0, "Öffnen.")
    data = session_jsonl(OWNER, run.store, first.session_id).data
    assert verify_jsonl(data).is_intact
    record, events = read_jsonl(data, "first.jsonl")
    other = LogStore.open(tmp_path / "other.sqlite")
    number = other.adopt_session(record, events)
    kept = other.load_session(OWNER, number)
    assert [(glossary.name, len(glossary), glossary.is_shared) for glossary in kept.glossaries] == [
        ("own.tsv", 1, False),
        ("terms.tsv", 2, False),
    ]
    assert other.verify_chain(number).is_intact
    assert list(replay_steps(kept.document.segments, other.events(number)))
    other.close()


def test_older_log_gets_a_project_for_each_language_pair_and_keeps_its_rows(log: Path):
    old = Database(log)
    migrations.apply(old, stop_before="m0008_project_and_term_base")
    for number, direction in ((1, "en-de"), (2, "en-de"), (3, "de-en")):
        old.execute("INSERT INTO document VALUES (?, 'a.txt', '', 'utf-8', x'', 'One.', 'txt')", (number,))
        old.execute(
            "INSERT INTO session VALUES (?1, ?2, ?1, ?3, '', '{}', '{}', ?1, 9, 0, '')",
            (number, f"token {number}", direction),
        )
    old.execute("INSERT INTO glossary VALUES (1, 1, 0, 'g', 1)")
    old.execute("INSERT INTO glossary_term VALUES (1, 1, 0, 'one', 'eins', 1, '{}')")
    old.execute("INSERT INTO memory_entry VALUES (1, 'm.tmx', 'en', 'de', 'Two.', 'Zwei.', 5)")
    old.close()
    run = Run(log)
    rows = {row["direction"]: row for row in run.projects.overview(OWNER)["projects"]}
    assert {direction: row["num_documents"] for direction, row in rows.items()} == {"en-de": 2, "de-en": 1}
    assert {row["name"] for row in rows.values()} == {""}
    record = run.store.load_session(OWNER, 1)
    assert [(g.name, terms.source) for g in record.glossaries for terms in g.terms.values()] == [("g", "one")]
    assert record.project_id == rows["en-de"]["id"]
    assert run.sessions.library.index("en-de").exact("Two.")[0].target == "Zwei."
    run.end()


# ---- the memory ----


def test_memory_of_other_projects_is_used_only_if_it_is_shared(run: Run):
    first = run.open("first.txt")
    first.confirm(OWNER, 0, "Aus dem ersten Projekt.")
    closed = run.create(first, "Closed", shares_memory=False)
    second = run.open("second.txt")
    assert second.project.id == closed
    assert (second.segments[0].target, second.memory.matches(OWNER, 0)["matches"]) == (None, [])
    assert second.memory.concordance("settings")["rows"] == []
    run.projects.edit(OWNER, second, closed, ProjectDraft("Closed", shares_memory=True))
    (match,) = second.memory.matches(OWNER, 0)["matches"]
    assert (match["target"], match["rate"], match["other_penalty"]) == ("Aus dem ersten Projekt.", 99, 1)
    second.confirm(OWNER, 0, "Aus dem zweiten Projekt.")
    third = run.open("third.txt")
    assert third.segments[0].target == "Aus dem zweiten Projekt.", "its own project comes first"
    targets = [match["target"] for match in third.memory.matches(OWNER, 0)["matches"]]
    assert targets == ["Aus dem zweiten Projekt.", "Aus dem ersten Projekt."]


def test_all_filled_matches_are_confirmed_in_one_step_that_can_be_undone(run: Run):
    first = run.open("first.txt", TEXT + b"Wait 5 minutes.\n")
    for index, text in enumerate(("Öffnen.", "Der Router speichert die Datei.", "Warten Sie 6 Minuten.")):
        first.confirm(OWNER, index, text)
    second = run.open("second.txt", TEXT + b"Wait 5 minutes.\nNew.\n")
    second.glossaries.put(OWNER, "own.tsv", [Term("settings", "Einstellungen")])
    before = [(segment.state, segment.target) for segment in second.segments]
    step = second.batches.confirm_matches(OWNER)
    needs_look = [segment.index for segment in second.segments if segment.attention]
    assert needs_look == [0, 2], "a missing term, a wrong number"
    assert (step["segments"], [segment.state for segment in second.segments]) == (
        [1],
        ["pretranslated", "confirmed", "pretranslated", "new"],
    )
    assert run.store.load_session(OWNER, second.session_id).segments[1].state == "confirmed"
    second.batches.step(OWNER, step["step"], is_undo=True)
    assert [(segment.state, segment.target) for segment in second.segments] == before
    second.batches.step(OWNER, step["step"], is_undo=False)
    assert second.segments[1].state == "confirmed"
    assert list(replay_steps(second.document.segments, run.store.events(second.session_id)))
    assert second.batches.confirm_matches(OWNER)["segments"] == []


def test_lowest_rate_and_penalties_are_stored_in_the_project(run: Run):
    first = run.open("first.txt", b"Open the file.\nOpen the big file.\n")
    run.create(first, "Other")
    first.confirm(OWNER, 0, "Datei auf.")
    assert [match["rate"] for match in first.memory.matches(OWNER, 1)["matches"]] == [77]
    run.projects.choose_matches(OWNER, first, 80, 2, 3)
    assert first.memory.matches(OWNER, 1)["matches"] == []
    assert first.snapshot(OWNER)["document"]["project"] == {
        "id": 1, "name": "", "min_match": 80, "other_penalty": 2, "import_penalty": 3,
        "has_review": False, "may_review": False, "may_lock": True, "may_assign": False,
    }  # fmt: skip
    run.projects.edit(OWNER, first, first.project.id, ProjectDraft("Renamed"))
    run.projects.choose(OWNER, first, first.project.id)
    assert run.open("second.txt").project.min_match == 80, "a new document of the project has them, too"
    other = run.open("third.txt", b"Open the file.\n")
    run.sessions.move_document(OWNER, other.session_id, 2)
    other.memory.library.forget()
    assert (other.project.min_match, other.project.other_penalty) == (75, 1)
    assert [match["rate"] for match in other.memory.matches(OWNER, 0)["matches"]] == [99]
    for wrong in ((49, 0, 0), (101, 0, 0), (75, -1, 0), (75, 0, 31)):
        with pytest.raises(CommandError, match="from 50 to 100 %, and a penalty from 0 to 30 %"):
            run.projects.choose_matches(OWNER, first, *wrong)


def test_imported_memory_belongs_to_the_project(run: Run):
    first = run.open("first.txt")
    run.create(first, "Closed", shares_memory=False)
    data = write_tmx([MemoryEntry("Open the settings.", "Importiert.")], "en", "de")
    first.memory.import_memory(OWNER, data, "m.tmx")
    second = run.open("second.txt")
    assert second.memory.matches(OWNER, 0)["matches"] == []
    run.sessions.move_document(OWNER, second.session_id, first.project.id)
    assert [match["target"] for match in second.memory.matches(OWNER, 0)["matches"]] == ["Importiert."]


# ---- segmentation rules ----

TWO_SENTENCES = b"See z.B. this. Done."


def sources(workspace: Workspace) -> list[str]:
    return [segment.source for segment in workspace.segments]


def test_rules_of_a_project_segment_documents_opened_later_also_after_a_restart(run: Run, log: Path):
    before = run.open("before.txt", TWO_SENTENCES)
    project = run.create(before, "Manuals")
    data = srx(r'<rule break="yes"><beforebreak>z\.</beforebreak></rule>')
    run.sessions.segmentation.choose(OWNER, before, project, data, "../own rules.srx")
    (row,) = [row for row in run.projects.overview(OWNER)["projects"] if row["id"] == project]
    assert (row["segmentation"]["name"], row["segmentation"]["num_rules"]) == ("own rules.srx", 1)
    run = run.restarted(log)
    try:
        after = run.open("after.txt", TWO_SENTENCES)
        assert sources(after) == ["See z.", "B. this. Done."]
        before = run.sessions.opener.take_up(OWNER, before.session_id)
        assert sources(before) == ["See z.B. this.", "Done."], "it was open before"
        assert run.sessions.segmentation.download(OWNER, project).data == data
        assert run.projects.rule_file(before.project.id) is None

        opening = next(iter(run.store.events(after.session_id))).payload
        assert opening["rules"] == {"name": "own rules.srx", "sha256": row["segmentation"]["sha256"]}
        assert "rules" not in next(iter(run.store.events(before.session_id))).payload
        record, _ = read_jsonl(session_jsonl(OWNER, run.store, after.session_id).data, "a.jsonl")
        assert [segment.source for segment in record.document.segments] == sources(after)

        run.sessions.segmentation.remove(OWNER, after, project)
        changes = [e.payload for e in run.store.events(after.session_id) if e.type == "project"]
        assert (changes[-1]["change"], changes[-1]["rules"]) == ("segmentation", None)
        assert sources(run.sessions.opener.take_up(OWNER, after.session_id)) == ["See z.", "B. this. Done."]
        assert sources(run.sessions.restart(OWNER, after, "en-de")) == ["See z.B. this.", "Done."], (
            "read again without rules"
        )
        with pytest.raises(CommandError, match=r"no segmentation rules: choose an \.srx file"):
            run.sessions.segmentation.download(OWNER, project)
        assert run.store.verify_chain(after.session_id).is_intact
    finally:
        run.end()


def test_unusable_rules_do_not_change_the_project(run: Run):
    workspace = run.open("first.txt")
    run.sessions.segmentation.choose(OWNER, workspace, workspace.project.id, PUBLISHED_STYLE, "good.srx")
    with pytest.raises(DocumentError, match=r"bad\.srx, line 1: the file has no segmentation rules"):
        run.sessions.segmentation.choose(OWNER, workspace, workspace.project.id, b"<tmx/>", "bad.srx")
    assert run.sessions.segmentation.download(OWNER, workspace.project.id).name == "good.srx"
    with pytest.raises(CommandError, match="deleted"):
        run.sessions.segmentation.choose(OWNER, workspace, 99, PUBLISHED_STYLE, "good.srx")


def test_rules_go_with_their_project(run: Run):
    first = run.open("first.txt")
    project = run.create(first, "Manuals")
    run.sessions.segmentation.choose(OWNER, first, project, PUBLISHED_STYLE, "good.srx")
    run.sessions.delete_project(OWNER, first, project, first.project.id)
    assert project_setting(run.store.connection, project, "segmentation") is None


def test_rules_for_parts_of_files_are_kept_for_new_documents_also_after_a_restart(run: Run, log: Path):
    data = b'{"id": "one", "title": "First"}'
    first = run.open("first.json", data)
    assert sources(first) == ["one", "First"]
    begun = run.sessions.restart(OWNER, first, "en-de", reading=Reading(rules=("skip id",)))
    assert (sources(begun), begun.document.format.reading.rules) == (["First"], ("skip id",))
    assert not run.projects.keeps_part_rules(begun, ("skip id",))
    run.projects.keep_part_rules(OWNER, begun, ("skip id",))
    assert run.projects.keeps_part_rules(begun, ("skip id",))
    changes = [e.payload for e in run.store.events(begun.session_id) if e.type == "project"]
    assert [(each["change"], each["format"], each["rules"]) for each in changes] == [
        ("part rules", "json", ["skip id"])
    ]
    run = run.restarted(log)
    try:
        assert sources(run.open("later.json", data)) == ["First"]
        assert sources(run.open("text.yml", b"id: one\ntitle: First\n")) == ["one", "First"], "another format"
        later = run.open("later.json", data)
        assert sources(run.sessions.restart(OWNER, later, "en-de")) == ["First"]
        assert sources(run.sessions.restart(OWNER, later, "en-de", reading=Reading())) == ["one", "First"]
        run.projects.keep_part_rules(OWNER, later, ())
        assert sources(run.open("last.json", data)) == ["one", "First"]
        assert project_setting(run.store.connection, later.project.id, "part rules") is None
    finally:
        run.end()
