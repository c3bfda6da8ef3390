"""The types of the protocol: the file for the page's scripts is up to date, and replies have these shapes."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from app.access.actor import OWNER
from app.formats.archive import pack
from app.glossary.glossary import MAX_OWN_ID
from app.models.opened_models import OpenedModels
from app.reports.review_table import session_review
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.glossary_results import ImportReport
from app.ui.page_state import SnapshotReply
from app.ui.project_results import BegunArchive
from app.ui.results import Findings, ShownSession
from app.workspace.commands import Workspace
from engine import Avoid, HubModel
from tests.app.formats.srx_samples import PUBLISHED_STYLE
from tests.app.hand_decoder import HandDecoder, settle
from tests.app.review_tables import reviewed
from tests.app.ui.protocol_types import FILE, protocol_types, results
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)

SHAPE = TypeAdapter(SnapshotReply)


def checked(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, which has exactly the fields that its type describes."""
    SHAPE.validate_json(json.dumps(reply))
    return reply


def test_types_of_the_page_are_up_to_date():
    assert FILE.read_text(encoding="utf-8") == protocol_types(), "run python -m tests.app.ui.protocol_types"


def test_shape_refuses_an_unknown_field_at_any_depth(api: Api):  # noqa: F811
    reply = checked(api.hello(OWNER, {}))
    for place in (reply, reply["model"]["style"], reply["rows"][0]):
        place["extra"] = 1
        errors = [error["type"] for error in _errors(reply)]
        assert errors == ["extra_forbidden"]
        del place["extra"]


def _errors(reply: dict[str, Any]) -> list[Any]:
    try:
        SHAPE.validate_json(json.dumps(reply))
    except ValueError as error:
        return error.errors()  # type: ignore[attr-defined]
    return []


def test_replies_have_the_shapes_of_the_protocol(api: Api):  # noqa: F811
    token = checked(api.hello(OWNER, {}))["token"]
    workspace = api.sessions.find(OWNER, token)
    decoder: Any = workspace.model.engine
    assert isinstance(decoder, HandDecoder) and isinstance(api.sessions, Sessions)
    api.sessions.glossary_files.add(OWNER, workspace, b"router\tRouter\nfile\tDatei\n", "terms.tsv")
    constraints = Constraints(("Router",), bans=(Avoid("rot"),)).to_json()
    for name, fields in (
        ("open", {"segment": 1}),
        ("constrain", {"segment": 1, "constraints": constraints, "origin": "person"}),
        ("comment", {"segment": 1, "text": "please check"}),
        ("edit", {"segment": 1, "text": "Der Router", "origin": "typed"}),
        ("check", {"segment": 1, "text": "Der Router"}),
        ("confirm", {"segment": 1, "text": "Der  Router"}),
        ("matches", {"segment": 0}),
        ("split", {"segment": 1, "offset": 4}),
        ("open_sample", {}),
    ):
        reply = api.command(OWNER, message(api, name, open=1, **fields))
        assert reply["ok"], (name, reply)
        checked(reply)
        if name != "open_sample":
            decoder.answer_all()
            settle(workspace)
            checked(workspace.snapshot(OWNER, -1, 1, -1))


def hub_model(name: str) -> HubModel:
    """A model that the hub has under any name."""
    return HubModel(name, "apache-2.0", {}, {}, frozenset(), "0123", {"tiny.gguf": 80})


@pytest.fixture(autouse=True)
def _no_spelling_and_no_hub(monkeypatch: pytest.MonkeyPatch):
    """The fake model would never answer, and no network is used."""
    monkeypatch.setattr("app.workspace.glossary_imports.SPELLING_SECONDS", 0)
    monkeypatch.setattr("app.models.document_models.look_up", hub_model)


def review_table(api: Api, workspace: Workspace) -> bytes:  # noqa: F811
    """A table for review with a change and a comment."""
    table = session_review(OWNER, api.sessions.store, workspace.session_id).data
    return reviewed(table, {1: "Öffnen", 2: "Router"}, {1: ("Ana", "gut")})


STRICT = ConfigDict(extra="forbid", strict=True)
TMX = b"""<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Open the settings.</seg></tuv>
<tuv xml:lang="de"><seg>\xc3\x96ffnen</seg></tuv></tu></body></tmx>"""
ARCHIVE = pack({"a.txt": b"One.\nTwo.\n", "b.png": b"no", "document.xlf": b"", "m.tmx": TMX})
UPLOAD = b"router\tRouter\nrouter\t\nfile\tdatei\nfile\tDatei\nbad\n"
TERM = {"source": "settings", "target": "Einstellungen", "variants": ["Optionen"], "status": "preferred"}


def has_shape(result: Any, shape: Any) -> None:
    """Raises ValidationError unless the result has exactly the fields of the shape, at any depth."""
    TypeAdapter(list[shape], config=STRICT).validate_json(json.dumps([result]))


@pytest.mark.parametrize("name", ["wrong", "nested"])
def test_shape_of_a_result_refuses_another_field(name: str):
    good: dict[str, Any] = {"findings": [{"check": "numbers", "kind": "missing", "texts": ["5"], "is_error": True}]}
    has_shape(good, Findings)
    (good if name == "wrong" else good["findings"][0])["more"] = 1
    with pytest.raises(ValidationError, match="more"):
        has_shape(good, Findings)


def test_result_of_removing_a_model_has_its_type(api: Api, tmp_path: Path):  # noqa: F811
    """It writes a file of its own, unlike the commands of the next test."""
    opened = api.sessions.models.catalog.opened = OpenedModels(tmp_path / "opened.json")
    opened.keep(tmp_path)
    [model] = opened.entries()
    reply = api.command(OWNER, message(api, "remove_model", key=model))
    assert reply["ok"], reply
    has_shape(reply["result"], results()["CommandResults"]["remove_model"])


def test_result_of_each_command_has_its_type(api: Api):  # noqa: F811
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    for name, role in (("Ana", "manager"), ("Ben", "reviewer")):
        api.sessions.store.people.put(name, role)
    api.sessions.glossary_files.add(OWNER, workspace, b"router\tRouter\nfile\tDatei\n", "terms.tsv")
    (glossary,) = workspace.terms.glossaries
    staged = api.glossaries.stage(OWNER, workspace.token, "more.tsv", b"save\tspeichern\n", "en")["result"]["import"]
    has_shape(begun := api.begin_archive(OWNER, workspace.token, "job.xlz", ARCHIVE, "en")["result"], BegunArchive)
    query = {"find": "Datei", "replacement": "Akte", "matches_case": False, "whole_words": False, "in_confirmed": True}
    more = {"case": "exact", "matching": "lemma", "note": ""}
    project = {"client_name": "", "formality": "formal", "domain": None, "shares_memory": True, "learns": True}
    project["has_review"] = True
    expected = {**results()["CommandResults"]}
    del expected["remove_model"]
    untyped = [name for name, shape in expected.items() if shape is None]
    done = set()
    for name, fields in (
        ("edit", {"segment": 1, "text": "Die Datei 5", "origin": "typed"}),
        ("check", {"segment": 1, "text": "Die Datei 5"}),
        ("find", query),
        ("replace", {**query, "segments": None}),
        ("find_in_project", query),
        ("step", {"step": 0, "is_undo": True}),
        ("compare_review", {"file": "a.docx", "data": base64.b64encode(review_table(api, workspace)).decode()}),
        ("take_review", {"changes": [{"segment": 0, "before": "", "text": "Öffnen", "comments": ["Ana: gut"]}]}),
        ("confirm_matches", {}),
        ("fill_matches", {"min_rate": 75}),
        ("confirm", {"segment": 1, "text": "Der Router speichert die Datei."}),
        ("import_memory", {"file": "m.tmx", "data": base64.b64encode(TMX).decode()}),
        ("matches", {"segment": 0}),
        ("earlier", {"segment": 1}),
        ("concordance", {"words": "settings"}),
        ("split", {"segment": 0, "offset": 5}),
        ("merge", {"segment": 0}),
        ("division_step", {"step": 1, "is_undo": True}),
        ("division_step", {"step": 0, "is_undo": True}),
        ("put_texts", {"segments": [0, 1], "is_source": True}),
        ("lock_segments", {"segments": [0], "is_locked": True}),
        ("lock_step", {"step": 0, "is_undo": True}),
        ("export_note", {"kind": "document"}),
        ("directions", {}),
        ("models", {}),
        ("published_models", {"direction": None, "is_update": False}),
        ("look_up_model", {"model": "team/tiny"}),
        ("model_pairs", {"direction": None}),
        ("import_glossary", {"import": staged, "fixes": [], "fills": {}, "decisions": {}, "others": "leave"}),
        ("glossary_switch", {"glossary": glossary.id, "is_on": False}),
        ("glossary_undo", {}),
        ("glossary_order", {"order": [glossary.id, glossary.id + 1]}),
        ("term_edit", {"glossary": glossary.id, "number": None, **TERM, **more}),
        ("term_remove", {"glossary": glossary.id, "number": 0}),
        ("add_term", {"segment": 0, "source": "Open", "target": "Öffnen", "scope": "glossary"}),
        ("add_term", {"segment": 0, "source": "settings", "target": "Optionen", "scope": "document"}),
        ("remove_term", {"source": "settings", "target": "Optionen"}),
        ("glossary_merge", {"glossary": glossary.id + 1, "into": glossary.id}),
        ("glossary_share", {"glossary": glossary.id}),
        ("glossary_remove", {"glossary": MAX_OWN_ID + 1}),
        ("import_sample_glossary", {}),
        ("open_document", {"file": "x.csv", "data": base64.b64encode(b"1,One,\n2,Two,\n").decode()}),
        ("reading", {}),
        ("reread_document", {"encoding": "cp1252", "source_column": 1, "target_column": 2, "extras": None}),
        ("open_document", {"file": "p.xml", "data": base64.b64encode(b"<a><p>One. Two.</p><p>X</p></a>").decode()}),
        ("reading", {}),
        ("reading", {"rules": ["skip a", "drop b"]}),
        ("reading", {"rules": ["skip *", "paragraph p"]}),
        ("reread_document", {"line_breaks": "automatic"}),
        (
            "reread_document",
            {"segments": "paragraph", "rules": ["skip *", "paragraph p"], "is_kept": True},
        ),
        ("open_document", {"file": "x.txt", "data": base64.b64encode(b"Same.\nSame.\n").decode()}),
        ("confirm", {"segment": 0, "text": "Gleich."}),
        ("resume_session", {"session": workspace.session_id}),
        ("projects", {}),
        ("create_project", {**project, "title": "Manuals", "direction": "en-de"}),
        ("activity", {}),
        ("members", {"project": workspace.project.id}),
        ("add_member", {"project": workspace.project.id, "person": "Ben"}),
        ("assign_document", {"session": workspace.session_id, "person": "Ben"}),
        ("assign_segments", {"segments": [0], "person": "Ben"}),
        ("remove_member", {"project": workspace.project.id, "person": "Ben"}),
        ("edit_project", {**project, "title": "Our manuals", "project": 2}),
        ("project_totals", {"project": workspace.project.id}),
        ("set_project_deadline", {"project": 2, "deadline_ms": 1_772_712_000_000}),
        ("set_document_deadline", {"session": workspace.session_id, "deadline_ms": None}),
        ("choose_segmentation", {"project": 2, "file": "a.srx", "data": base64.b64encode(PUBLISHED_STYLE).decode()}),
        ("projects", {}),
        ("remove_segmentation", {"project": 2}),
        ("choose_project", {"project": 1}),
        ("documents", {}),
        ("open_documents", {"tokens": [workspace.token, "unknown"]}),
        ("joined_documents", {}),
        ("joined_rows", {"session": workspace.session_id}),
        ("joined_rows", {"session": workspace.session_id, "after": 0}),
        ("next_document", {}),
        ("next_document", {"to_review": True}),
        ("changed_documents", {"stamp": -1}),
        ("changed_documents", {"stamp": api.sessions.store.list_changes.stamp}),
        ("move_document", {"session": workspace.session_id, "project": 2}),
        ("delete_project", {"project": 2, "into": 1}),
        ("delete_document", {"session": workspace.session_id + 1}),
        ("begin_files", {"folder": "Site"}),
        ("open_file", {"bundle": begun["bundle"] + 1, "path": "Site/a.png", "data": ""}),
        ("open_entry", {"bundle": begun["bundle"], "entry": 2}),
        ("import_entry", {"bundle": begun["bundle"], "entry": 3}),
        ("end_files", {"bundle": begun["bundle"]}),
        ("packable", {}),
        ("analyse", {"documents": [workspace.session_id]}),
        ("pack", {"documents": [workspace.session_id], "with_proposals": True}),
        ("restart_document", {"direction": "en-de"}),
        ("delete_session", {}),
        ("open_sample", {}),
    ):
        reply = api.command(OWNER, message(api, name, **fields))
        assert reply["ok"], (name, reply)
        if name not in untyped and (name, fields.get("segment")) != ("confirm", 1):
            has_shape(reply["result"], expected[name])
            done.add(name)
        else:
            assert "result" not in reply, "a confirmation without repetitions, and commands without a result"
    assert done == expected.keys() - untyped


def test_answer_to_each_question_about_glossaries_has_its_type(api: Api):  # noqa: F811
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    api.sessions.glossary_files.add(OWNER, workspace, b"router\tRouter\nthe router\tder Router\n", "terms.tsv")
    has_shape(
        uploaded := api.glossaries.stage(OWNER, workspace.token, "terms.tsv", UPLOAD, "en")["result"], ImportReport
    )
    assert uploaded["counts"]["rejected"] and uploaded["document"]["num_segments_hit"]
    number = {"import": uploaded["import"]}
    questions = [
        ("overview", {}),
        ("document", {}),
        ("terms", {"glossary": workspace.terms.glossaries[0].id, "filter": "", "offset": 0}),
        ("exports", {"glossary": workspace.terms.glossaries[0].id}),
        ("import", number),
        *(("rows", {**number, "shown": shown, "offset": 0}) for shown in ("attention", "repeat", "new", "same")),
    ]
    expected = results()["GlossaryResults"]
    for ask, fields in questions:
        reply = api.glossaries.ask(OWNER, {"token": workspace.token, "ask": ask, **fields})
        assert reply["ok"], (ask, reply)
        has_shape(reply["result"], expected[ask])
    assert {ask for ask, _ in questions} == expected.keys()


def test_greeting_report_and_replay_have_their_types(api: Api):  # noqa: F811
    token = api.hello(OWNER, {})["token"]
    api.command(OWNER, message(api, "confirm", segment=1, text="Der Router"))
    for view, shape in results()["RecordResults"].items():
        has_shape(asyncio.run(api.record(OWNER, {"token": token, "view": view}))["result"], shape)
    api.command(OWNER, message(api, "open_sample"))
    has_shape(Api(api.sessions).hello(OWNER, {})["result"], ShownSession)
