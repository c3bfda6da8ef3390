"""A glossary that is read and not used yet: what its rows are, what it would change, which fixes are taken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError, GlossaryError
from app.glossary.reading import row_checks as glossary_rows
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.workspace import glossary_imports as imports
from app.workspace.commands import Workspace
from engine.decoding.question_steps import answer_alone
from engine.interruption import NEVER
from tests.app.hand_decoder import HandDecoder, ready_model

TEXT = b"Open the file.\nThe router saves the log file.\nThe Router is on.\n"
GLOSSARY = "\n".join(
    (
        "source\ttarget",
        "router\tRouter",
        "file\tDatei",
        "file\tAkte",
        "router\tRouter",
        "light\t",
        "user interface\tGrafische Oberfläche",
        "sign\t\u6f22\u5b57",
        "Router\tRouter",
        "ok\tok",
    )
)


class Speller(HandDecoder):
    """Spells nothing but Latin letters."""

    def ask(self, question: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(answer_alone(question.steps(self, NEVER), lambda _: None))
        return future

    def misspelling(self, text: str) -> str | None:
        return "\u2047" if "\u6f22" in text else None


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(Speller()), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.sessions = sessions  # type: ignore[attr-defined]
    yield workspace
    sessions.close()
    store.close()


def stage(workspace: Workspace, text: str, name: str = "terms.tsv") -> dict[str, Any]:
    report: dict[str, Any] = workspace.sessions.glossary_files.stage(workspace, text.encode(), name)  # type: ignore[attr-defined]
    return report


def rows(workspace: Workspace, report: dict[str, Any], shown: Any) -> list[tuple[int, str, str]]:
    found = workspace.glossary_imports.rows(report["import"], shown, 0)
    assert found["num_rows"] == len(found["rows"])
    return [(row["row"], row["verdict"], row.get("kind", "")) for row in found["rows"]]


def test_counts_next_to_another_glossary_include_the_terms_of_both(workspace: Workspace):
    first = stage(workspace, "file\tDatei\nlog\tProtokoll\n", "first.tsv")
    workspace.glossary_imports.use(OWNER, first["import"], [])
    figures = stage(workspace, "router\tRouter\nlight\tLicht\n", "second.tsv")["document"]
    assert (figures["num_terms"], figures["num_found"], figures["num_without"]) == (4, 3, 1)


def test_every_row_has_its_verdict_and_nothing_is_changed(workspace: Workspace):
    report = stage(workspace, GLOSSARY)
    assert report["counts"] == {
        "new": 5, "changed": 0, "same": 0, "held": 0, "rejected": 2, "look": 4, "repeat": 2, "gone": 0,
    }  # fmt: skip
    assert rows(workspace, report, "attention") == [
        (4, "rejected", "conflict"),
        (6, "rejected", "empty"),
        (7, "look", "initial"),
        (8, "look", "unspellable"),
        (9, "look", "capital"),
        (10, "look", "short"),
    ]
    assert rows(workspace, report, "repeat") == [(5, "repeat", "repeat")]
    assert [row for row, *_ in rows(workspace, report, "new")] == [2, 3, 7, 8, 10]
    assert workspace.terms.glossaries == ()
    document = report["document"]
    assert (document["num_segments"], document["num_segments_hit"], document["num_more"]) == (3, 3, 3)


def test_fixes_that_were_chosen_are_applied_when_it_is_used(workspace: Workspace):
    report = stage(workspace, GLOSSARY)
    attention = workspace.glossary_imports.rows(report["import"], "attention", 0)["rows"]
    assert [row["fix"]["to"] if row["fix"] else "-" for row in attention] == [
        "Akte", "-", "grafische Oberfläche", None, "-", None,
    ]  # fmt: skip
    fixes = [row["fix"]["name"] for row in attention if row["fix"]]
    view = workspace.glossary_imports.use(OWNER, report["import"], fixes)
    (glossary,) = workspace.terms.glossaries
    assert view["num_terms"] == len(glossary) == 3
    assert [(term.source, term.target) for term in glossary.terms.values()] == [
        ("router", "Router"),
        ("file", "Akte"),
        ("user interface", "grafische Oberfläche"),
    ]
    event = workspace.store.last_event(workspace.session_id, "glossary")
    assert event is not None and event.payload["report"]["num_fixed"] == 4
    with pytest.raises(CommandError, match="has ended"):
        workspace.glossary_imports.use(OWNER, report["import"], [])


def test_newer_file_of_the_same_name_reports_new_changed_same_and_removed_terms(workspace: Workspace):
    first = stage(workspace, "router\tRouter\nfile\tDatei\nlight\tLicht\n")
    workspace.glossary_imports.use(OWNER, first["import"], [])
    report = stage(workspace, "file\tAkte\nrouter\tRouter\nlog file\tProtokoll\n")
    assert report["is_replacing"]
    assert [report["counts"][name] for name in ("new", "changed", "same", "gone")] == [1, 1, 1, 1]
    (changed,) = workspace.glossary_imports.rows(report["import"], "changed", 0)["rows"]
    assert (changed["was"], changed["text"]) == ("Datei", "file → Akte")


@pytest.mark.parametrize("fixes", [["look 4711"], ["look"], ["new 0"], ["rejected -1"], ["fly 0"], ["rejected 1"]])
def test_fix_that_was_never_offered_is_refused(workspace: Workspace, fixes: list[str]):
    report = stage(workspace, GLOSSARY)
    with pytest.raises(CommandError, match="fixes"):
        workspace.glossary_imports.use(OWNER, report["import"], fixes)
    assert workspace.terms.glossaries == ()


def test_newer_import_replaces_the_older(workspace: Workspace):
    older, newer = stage(workspace, "a b\tA\n"), stage(workspace, "c d\tC\n")
    with pytest.raises(CommandError, match="newer one"):
        workspace.glossary_imports.use(OWNER, older["import"], [])
    workspace.glossary_imports.use(OWNER, newer["import"], [])


def test_target_that_was_missing_is_filled_in_beside_the_fixes(workspace: Workspace):
    report = stage(workspace, "router\tRouter\nlight\t\nwheel\nfile\tDatei\n\tLicht\n\x01\t\n")
    found = workspace.glossary_imports.rows(report["import"], "rejected", 0)["rows"]
    assert [(row["row"], (row["blank"] or {}).get("source")) for row in found] == [
        (2, "light"),
        (3, "wheel"),
        (5, None),  # it is the source that is missing
        (6, None),  # it would be refused with a target, too
    ]
    view = workspace.glossary_imports.use(OWNER, report["import"], [], {"rejected 0": " Licht ", "rejected 1": "Rad"})
    (glossary,) = workspace.terms.glossaries
    assert view["num_terms"] == 4
    assert [(term.row, term.source, term.target) for term in glossary.terms.values()] == [
        (1, "router", "Router"), (2, "light", "Licht"), (3, "wheel", "Rad"), (4, "file", "Datei"),
    ]  # fmt: skip
    event = workspace.store.last_event(workspace.session_id, "glossary")
    assert event is not None and event.payload["report"]["num_fixed"] == 2


FILLS = [
    ({"rejected 0": ""}, "row 2: the target is empty"),
    ({"rejected 0": "x" * 201}, "row 2: .*201 characters"),
    ({"rejected 0": "Licht"}, "“Lampe” in row 3 and “Licht” in row 2"),
    ({"rejected 1": "Rad"}, "'fills'"),
    ({"rejected 9": "Rad"}, "'fixes'"),
    ({"look": "Rad"}, "'fixes'"),
]


@pytest.mark.parametrize(("fills", "message"), FILLS)
def test_invalid_target_is_refused_and_nothing_is_imported(workspace: Workspace, fills: dict[str, str], message: str):
    report = stage(workspace, "router\tRouter\nlight\t\nLight\tLampe\n\tLicht\n")
    with pytest.raises(CommandError, match=message):
        workspace.glossary_imports.use(OWNER, report["import"], [], fills)
    assert workspace.terms.glossaries == ()


def test_exported_rows_contain_no_spreadsheet_formula(workspace: Workspace):
    report = stage(workspace, '=cmd|x!A1\t\nrouter\tRouter\nfile\tDatei\nfile\t=1+1\n"a, 1"\tA\n')
    export = workspace.glossary_imports.table(report["import"], "rejected", "de")
    assert export.name == "terms.rejected.csv" and export.data.startswith(b"\xef\xbb\xbfrow,")
    first, second = csv.DictReader(io.StringIO(export.data.decode("utf-8-sig")))
    assert first["text"].startswith("'=cmd|x!A1") and "leer" in first["message"]
    assert (second["row"], second["result"], second["fix"]) == ("4", "rejected", "'=1+1")
    every = workspace.glossary_imports.table(report["import"], "new", "en").data.decode("utf-8-sig")
    assert [row["text"] for row in csv.DictReader(io.StringIO(every))] == [
        "router → Router",
        "file → Datei",
        "a, 1 → A",
    ]


def test_table_states_how_many_rows_it_omits(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(glossary_rows, "MAX_REPORTS", 2)
    report = stage(workspace, "a b\tA\n" + "c d\t\n" * 5)
    table = workspace.glossary_imports.table(report["import"], "attention", "en").data.decode("utf-8-sig")
    *listed, last = csv.DictReader(io.StringIO(table))
    assert len(listed) == 2 and last["message"] == "Further rows, which are not listed: 3."


def test_words_whose_spelling_was_not_checked_are_counted(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(imports, "SPELLING_SECONDS", 0.0)
    monkeypatch.setattr(workspace.model, "engine", None)
    (note,) = stage(workspace, "router\tRouter\nfile\tDatei\n")["notes"]
    assert note == "Words that were not checked (whether the model can write them): 2."


def test_long_checks_are_announced_and_continue_after_the_report(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    begun: list[Any] = []
    monkeypatch.setattr(imports, "MAX_CAPITALS", 1)
    monkeypatch.setattr(imports, "PORTION", 1)
    monkeypatch.setattr(imports, "SPELLING_SECONDS", 0.0)
    monkeypatch.setattr(imports, "do_once", lambda job, name: begun.append(job))
    text = "router\tRouter\nuser interface\tGrafische Oberfläche\nsign\t\u6f22\nsign two\t\u6f22\u5b57\n"
    report = stage(workspace, text)
    assert (report["counts"]["look"], report["is_checking"]) == (0, True)
    assert report["notes"] == [
        "Terms whose capital letters are not checked yet: 3.",
        "Words that are not checked yet (whether the model can write them): 4.",
    ]
    monkeypatch.setattr(imports, "SPELLING_SECONDS", 20.0)
    monkeypatch.setattr(imports, "SPELLING_PORTION", 1)
    begun[0]()
    view = workspace.glossary_imports.view(report["import"])
    assert (view["counts"]["look"], view["is_checking"], view["notes"]) == (3, False, [])
    assert rows(workspace, report, "look") == [
        (2, "look", "initial"), (3, "look", "unspellable"), (4, "look", "unspellable"),
    ]  # fmt: skip


def test_checking_ends_with_its_import(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    begun: list[Any] = []
    monkeypatch.setattr(imports, "SPELLING_SECONDS", 0.0)
    monkeypatch.setattr(imports, "do_once", lambda job, name: begun.append(job))
    stage(workspace, "router\tRouter\n")
    newer = stage(workspace, "sign\t\u6f22\u5b57\n")
    monkeypatch.setattr(imports, "SPELLING_SECONDS", 20.0)
    begun[0]()
    assert workspace.glossary_imports.view(newer["import"])["is_checking"]


def test_columns_are_asked_for_and_the_choice_is_kept_for_the_same_names(workspace: Workspace):
    def bring(text: str, columns: str = "") -> dict[str, Any]:
        found: dict[str, Any] = workspace.sessions.glossary_files.stage(workspace, text.encode(), "t.csv", columns)  # type: ignore[attr-defined]
        return found

    text = "en,Kind,de\nfile,noun,Datei\n"
    assert bring(text)["table"] == {
        "rows": (("en", "Kind", "de"), ("file", "noun", "Datei")),
        "uses": ("source", "ignore", "target"),
        "has_header": True,
    }
    chosen = "header:source,note,target"
    report = bring(text, chosen)
    assert "table" in bring(text), "nothing is kept before the import is used"
    workspace.glossary_imports.use(OWNER, bring(text, chosen)["import"], [])
    assert report["is_table"] and workspace.terms.glossaries[0].terms[0].note == "noun"
    report = bring("EN , Kind,de\nrouter,verb,Router\n")
    assert report["notes"] == [
        "The columns have the uses that you chose for an earlier table with the same column names."
    ]
    assert bring(text, "ask")["table"]["uses"] == ("source", "note", "target")
    with pytest.raises(GlossaryError, match="no column has the use “target”"):
        bring(text, "header:source,note")


MESSY = "\n".join(
    (
        "source\ttarget",
        "grinder\tMahlwerk / Mühle",
        "the router\tder Router (m)",
        "in\tin",
        "file\tDatei",
        "outlet\t<b>Auslauf</b>",
    )
)


def used(workspace: Workspace) -> list[tuple[int, str, tuple[str, ...]]]:
    (glossary,) = workspace.terms.glossaries
    return [(term.row, term.source, term.targets) for term in glossary.terms.values()]


def test_messy_row_is_not_used_without_a_decision(workspace: Workspace):
    report = stage(workspace, MESSY)
    assert (report["counts"]["held"], report["num_terms"], report["num_proposed"]) == (4, 1, 3)
    assert rows(workspace, report, "held") == [
        (2, "held", "alternatives"), (3, "held", "article"), (4, "held", "function_word"), (6, "held", "markup"),
    ]  # fmt: skip
    found = workspace.glossary_imports.rows(report["import"], "held", 0)["rows"]
    assert [(row["fix"]["to"], row["fix"]["num_terms"]) for row in found] == [
        ("Mahlwerk | Mühle", 1), ("router → Router", 1), (None, 0), ("Auslauf", 1),
    ]  # fmt: skip
    workspace.glossary_imports.use(OWNER, report["import"], [])
    assert used(workspace) == [(5, "file", ("Datei",))]


def test_proposals_are_accepted_or_refused_one_by_one_or_all(workspace: Workspace):
    report = stage(workspace, MESSY)
    view = workspace.glossary_imports.use(OWNER, report["import"], [], {}, {"held 0": "accept", "held 2": "keep"})
    assert used(workspace) == [(2, "grinder", ("Mahlwerk", "Mühle")), (4, "in", ("in",)), (5, "file", ("Datei",))]
    assert view["num_terms"] == 3
    event = workspace.store.last_event(workspace.session_id, "glossary")
    assert event is not None and event.payload["report"]["num_fixed"] == 2
    report = stage(workspace, MESSY)
    workspace.glossary_imports.use(OWNER, report["import"], [], {}, {"held 1": "leave"}, "accept")
    assert used(workspace) == [
        (2, "grinder", ("Mahlwerk", "Mühle")), (5, "file", ("Datei",)), (6, "outlet", ("Auslauf",)),
    ]  # fmt: skip
    report = stage(workspace, MESSY)
    workspace.glossary_imports.use(OWNER, report["import"], [], {}, {}, "keep")
    assert [targets for _, _, targets in used(workspace)] == [
        ("Mahlwerk / Mühle",), ("der Router (m)",), ("in",), ("Datei",), ("<b>Auslauf</b>",),
    ]  # fmt: skip


def test_accepted_row_with_the_source_of_another_adds_its_targets(workspace: Workspace):
    report = stage(workspace, "router\tRouter\nthe router\tWegewähler, Router\n")
    workspace.glossary_imports.use(OWNER, report["import"], [], {}, {}, "accept")
    assert used(workspace) == [(1, "router", ("Router", "Wegewähler"))]


@pytest.mark.parametrize("name", ["held 9", "look 0", "held", "rejected 0"])
def test_decision_on_a_row_that_is_not_messy_is_refused(workspace: Workspace, name: str):
    report = stage(workspace, MESSY)
    with pytest.raises(CommandError, match="invalid value"):
        workspace.glossary_imports.use(OWNER, report["import"], [], {}, {name: "accept"})
    with pytest.raises(CommandError, match="fixes"):
        workspace.glossary_imports.use(OWNER, report["import"], ["held 0"])


def test_file_of_messy_rows_alone_is_read(workspace: Workspace):
    report = stage(workspace, "a\tein\nthe\tder\n")
    assert (report["num_terms"], report["counts"]["held"]) == (0, 2)
