"""What each role may do by each command of the page and each address of the API: a table, and attacks made from it.

A command or an address that is not in the table fails the test: whoever adds one decides who may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from app.access.actor import Actor
from app.access.rights import Role
from app.log.store import LogStore
from app.models import transfer
from app.models.published_models import PublishedModels
from app.paths import SAMPLES_FOLDER
from app.segments.text_changes import translator_work
from app.serving.gateway import error_reply_of
from app.sessions import Sessions
from app.ui.commands import COMMANDS
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.models.registry_server import Registry, serving
from tests.app.test_membership import NETWORK, Browser, Office, messages

ANA = Actor.person("Ana")

Rule = Literal["member", "reviewer", "manager", "creator", "administrator"]
# Who may: members of the project, its reviewers, its managers, all managers, or administrators of the server.
RULES: dict[str, Rule] = {
    **dict.fromkeys(
        ("open", "leave", "edit", "constrain", "confirm", "reopen", "comment", "remark", "check"), "member"
    ),
    **dict.fromkeys(
        ("split", "merge", "matches", "earlier", "keys", "idle", "pretranslate", "reading", "find", "compare_review"),
        "member",
    ),
    **dict.fromkeys(
        ("replace", "take_review", "confirm_matches", "fill_matches", "put_texts", "step", "division_step"), "member"
    ),
    **dict.fromkeys(("concordance", "import_memory", "choose_checks", "consent", "export_note"), "member"),
    **dict.fromkeys(("import_glossary", "import_sample_glossary", "glossary_share", "glossary_merge"), "member"),
    **dict.fromkeys(("glossary_remove", "glossary_switch", "glossary_order", "glossary_undo"), "member"),
    **dict.fromkeys(("term_edit", "term_remove", "add_term", "remove_term"), "member"),
    **dict.fromkeys(("directions", "models", "model_pairs", "switch_model", "stop_model"), "member"),
    **dict.fromkeys(
        ("projects", "choose_project", "documents", "changed_documents", "dismiss_notices", "activity"), "member"
    ),
    **dict.fromkeys(
        ("open_documents", "joined_documents", "joined_rows", "next_document", "find_in_project"), "member"
    ),
    **dict.fromkeys(("begin_files", "open_file", "open_entry", "import_entry", "end_files"), "member"),
    **dict.fromkeys(("packable", "pack", "analyse", "open_document", "open_sample"), "member"),
    **dict.fromkeys(("resume_session", "restart_document"), "member"),
    **dict.fromkeys(("review", "lock_segments", "lock_step"), "reviewer"),
    **dict.fromkeys(("create_project", "download_model", "fetch_model", "install_upload", "look_up_model"), "creator"),
    "published_models": "creator",  # where the list is read from the network
    **dict.fromkeys(("edit_project", "delete_project", "choose_segmentation", "remove_segmentation"), "manager"),
    **dict.fromkeys(("members", "add_member", "remove_member"), "manager"),
    **dict.fromkeys(("set_project_deadline", "set_document_deadline"), "manager"),
    "project_totals": "member",
    **dict.fromkeys(("move_document", "assign_document", "assign_segments", "delete_document"), "manager"),
    **dict.fromkeys(("delete_session", "choose_matches", "choose_style", "reread_document"), "manager"),
    **dict.fromkeys(("open_model", "remove_model"), "administrator"),
}
# Fields with which a command comes to the question who sends it.
FIELDS: dict[str, dict[str, Any]] = {
    "review": {"decision": "approved"},
    "choose_matches": {"min_match": 80, "other_penalty": 2, "import_penalty": 2},
    "choose_style": {"formality": "formal", "is_kept": True, "domain": "law"},
    "reread_document": {"is_kept": True},
    "add_member": {"person": "Cem"},
    "remove_member": {"person": "Ana"},
    "assign_document": {"person": "Ben"},
    "assign_segments": {"segments": [0], "person": "Ben"},
}
MAY: dict[Role, set[Rule]] = {
    "translator": {"member"},
    "reviewer": {"member", "reviewer"},
    "manager": {"member", "reviewer", "manager", "creator"},
    "administrator": {"member", "reviewer", "manager", "creator", "administrator"},
}
SHOWS_ANOTHER = {"open_document", "open_sample", "resume_session", "restart_document", "delete_session"}
# Addresses of the API without a key: lists that clients ask for before they have one. The others need one.
PUBLIC = {"/languages", "/list", "/listPairs", "/listLanguageNames"}


@pytest.fixture
def office(store: LogStore, tmp_path: Path) -> Iterator[Office]:
    """An office whose project has review and four people; Ben is a member, and the document is Ana's part."""
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    office = Office(sessions, tmp_path)
    office.people.put("Cem", "translator")
    office.people.join("Ben", [office.project])
    project = office.workspace.project
    draft = {"title": project.name, "client_name": project.client, "formality": None, "domain": None}
    sent = {"shares_memory": True, "learns": True, "has_review": True, "project": office.project}
    position = {"token": office.workspace.token, "since": -1, "open": 0, "detail_since": -1}
    edit = COMMANDS["edit_project"].model_validate({"name": "edit_project", **draft, **sent, **position})
    edit.run(ANA, sessions, office.workspace)  # type: ignore[union-attr]
    yield office
    office.keys.close()
    sessions.close()


def commands(office: Office, *, with_network: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each command in Ana's document: (name, message); those that use the network only on request."""
    for function, message in messages(office, office.workspace.token):
        if function == "command" and (with_network or message["name"] not in NETWORK):
            own = {"session": office.other_session} if message["name"] == "delete_document" else {}
            yield message["name"], {**message, **FIELDS.get(message["name"], {}), **own}


def work(workspace: Workspace) -> list[tuple[object, ...]]:
    """The work on each segment, without its comment, which everybody may write."""
    found = map(translator_work, workspace.segments)
    return [(source, text, is_confirmed, *constraints) for source, text, is_confirmed, _, *constraints in found]


def stored(office: Office) -> str:
    """All rows of the log but refused commands, which are logged, and what counts them."""
    queries = (
        "SELECT * FROM project",
        "SELECT * FROM member",
        "SELECT id, project_id, assignee FROM session",
        "SELECT * FROM assigned_segment",
        "SELECT * FROM segment",
        "SELECT * FROM event WHERE type != 'error'",
    )
    return str([office.store.connection.rows("read the log", query, {}) for query in queries])


def is_refused(reply: dict[str, Any]) -> bool:
    """True if a reply says that the person may not do this."""
    return "ask one of them" in str(reply.get("error"))


def test_each_command_has_a_rule():
    assert RULES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("role", ["translator", "reviewer"])
def test_member_is_refused_the_actions_of_other_roles(office: Office, role: Role):
    office.people.put("Ben", role)
    before, ben = stored(office), Browser(office, "Ben")
    for name, message in commands(office, with_network=True):
        if RULES[name] not in MAY[role]:
            assert is_refused(ben.call("command", message)), name
    assert stored(office) == before


@pytest.mark.parametrize("role", ["manager", "administrator"])
def test_project_managers_may_do_everything_in_their_own_projects(office: Office, role: Role):
    office.people.put("Ben", role)
    ben = Browser(office, "Ben")
    found = sorted(commands(office), key=lambda each: "delete" in each[0])
    for name, message in found:
        if RULES[name] in MAY[role] and name not in SHOWS_ANOTHER | {"remove_member", "delete_project"}:
            assert not is_refused(ben.call("command", message)), name


def test_translator_may_list_models_but_not_add_others(
    store: LogStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache" / "models"))
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)
    with serving(Registry()) as registry:
        for direction in ("fr-en", "en-it"):
            registry.publish(direction)
        published = PublishedModels(registry.address)
        published.update()
        sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER, published=published)
        office = Office(sessions, tmp_path)
        office.people.join("Ben", [office.project])
        sent = dict(commands(office, with_network=True))
        pair = sessions.models.catalog.offers_of_pairs("fr-it", "fr-it", office.workspace.model)["pair"]
        assert pair["num_missing_bytes"] > 0
        registry.is_down = True
        del registry.requests[:]
        for person, may in (("Ben", False), ("Ana", True)):
            browser = Browser(office, person)
            offers = browser.call("command", sent["models"])["result"]
            assert (offers["can_add"], offers["can_remove"]) == (may, False), person
            assert browser.call("command", {**sent["published_models"], "is_update": False, "sequence": 10**6})["ok"]
            upload = f"/model/{office.workspace.token}?upload={'a' * 32}&file=vocab.spm"
            reply = browser.client.post(upload, content=b"x").json()
            assert (reply["ok"], is_refused(reply)) == (may, not may), person
            assert list((tmp_path / "cache").glob("uploads/*/*")) == [] or may
            switched = browser.call("command", {**sent["switch_model"], "key": pair["key"], "sequence": 10**6 + 1})
            assert (switched["ok"], is_refused(switched)) == (may, not may), person
            assert registry.requests == [] or may
        office.keys.close()
        sessions.close()


def test_translator_commands_cannot_change_segments_assigned_to_others(office: Office):
    workspace = office.workspace
    office.sessions.members.assign_segments(
        ANA, workspace, range(len(workspace.segments)), "Ana", workspace.core.version
    )
    before, ben = work(workspace), Browser(office, "Ben")
    for name, message in commands(office):
        if name not in SHOWS_ANOTHER:
            ben.call("command", message)
            assert work(workspace) == before, name
    office.sessions.members.assign_segments(ANA, workspace, range(len(workspace.segments)), "", workspace.core.version)
    changed = set()
    for name, message in commands(office):
        if name not in SHOWS_ANOTHER:
            ben.call("command", message)
            changed |= {name} if work(workspace) != before else set()
            before = work(workspace)
    assert changed >= {"edit", "confirm", "reopen"}, "the same commands work where the part is nobody's"


def test_each_address_of_the_api_needs_a_key(office: Office):
    ana = Browser(office, "Ana", may_export=True)
    del ana.client.cookies[next(iter(ana.client.cookies))]
    for path, methods in api_addresses(office.front.api.routes):
        filled = path.replace("{number}", str(office.workspace.session_id)).replace("{kind}", "document")
        for method in methods:
            for headers in ({}, {"authorization": "Bearer pinpoint-wrong"}):
                status = ana.request(method, filled, headers=headers)
                assert status < 400 if path in PUBLIC else status in (401, 403), (method, path, status)
    assert not [text for text in ana.seen if "Geheimnis" in text]


def api_addresses(given: Any) -> list[tuple[str, set[str]]]:
    """The paths of the API's routes with their methods."""
    found: list[tuple[str, set[str]]] = []
    for route in given:
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        if inner:
            found += api_addresses(inner)
        elif error_reply_of(route.path):
            found.append((route.path, route.methods))
    return found
