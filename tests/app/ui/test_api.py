"""The functions that the page calls, given what a page sends and what nobody should send."""

from __future__ import annotations

import asyncio
import base64
import inspect
import itertools
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.segments.segment_constraints import NO_CONSTRAINTS
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.commands import COMMANDS
from app.ui.commands.command import CommandMessage
from tests.app.hand_decoder import HandDecoder, ready_model

NUMBERS = itertools.count(1)  # of the commands of a page

TEXT = b"Open the settings.\nThe router saves the file.\n"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with new_api(tmp_path) as made:
        yield made


@contextmanager
def new_api(folder: Path) -> Iterator[Api]:
    """With a log in this folder, and one document."""
    store = LogStore.open(folder / "log.sqlite")
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    sessions.open_document(OWNER, TEXT, "manual.txt")
    yield Api(sessions)
    sessions.close()
    store.close()


def message(api: Api, name: str, **fields: Any) -> dict[str, Any]:
    token = api.hello(OWNER, {})["token"]
    base = {"token": token, "client": "tab", "sequence": next(NUMBERS), "since": -1, "open": None, "detail_since": -1}
    return {**base, "name": name, **fields}


def test_reply_to_a_command_acknowledges_it_with_the_new_state(api: Api):
    reply = api.command(OWNER, message(api, "edit", segment=1, text="Neu", origin="typed", open=1))
    assert reply["ok"]
    assert reply["rows"][1]["target"] == "Neu"
    assert reply["segment"]["target"] == "Neu"
    json.dumps(reply, allow_nan=False)


def test_reported_edit_is_logged_and_an_impossible_report_loses_no_word(api: Api):
    reported: dict[str, Any] = {"before": "", "changes": [[0, 0, "Neue ", "typed"], [5, 0, "Datei😀", "paste"]]}
    reply = api.command(OWNER, message(api, "edit", segment=1, text="Neue Datei😀", origin="typed", reported=reported))
    assert reply["ok"]
    wrong = message(api, "edit", segment=1, text="Neue alte Datei😀", origin="typed", reported=reported)
    assert api.command(OWNER, wrong)["rows"][1]["target"] == "Neue alte Datei😀"
    workspace = api.sessions.find(OWNER, wrong["token"])
    events = [e for e in workspace.store.events(workspace.session_id) if "offset" in e.payload]
    assert [(e.type, e.payload["offset"], e.payload["text"], e.payload["origin"]) for e in events] == [
        ("insert", 0, "Neue ", "typed"), ("paste", 5, "Datei😀", "paste"), ("insert", 5, "alte ", "unknown"),
    ]  # fmt: skip
    assert events[0].segment_version == events[1].segment_version


def test_locked_log_is_waited_for_once_only(api: Api, monkeypatch: pytest.MonkeyPatch):
    """Everybody waits with a write; the message about it must not wait for the lock too."""
    asked = message(api, "edit", segment=1, text="Neu", origin="typed")
    store = api.sessions.store
    store.connection.db.conn.execute("PRAGMA busy_timeout = 0")
    attempts: list[str] = []
    transaction = store.connection.shared_transaction

    def counted(purpose: str) -> Any:
        attempts.append(purpose)
        return transaction(purpose)

    monkeypatch.setattr(store.connection, "shared_transaction", counted)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    reply = api.command(OWNER, asked)
    other.close()
    assert "close the program that locks the file" in reply["error"]["message"]
    assert attempts == ["write the events"]
    assert api.command(OWNER, asked)["ok"]


def test_upload_opens_a_new_session(api: Api):
    reply = api.command(
        OWNER, message(api, "open_document", file="<b>x</b>.txt", data=base64.b64encode(b"One\nTwo").decode())
    )
    assert reply["document"]["name"] == "b_.txt"
    assert len(reply["rows"]) == 2


WRONG = [
    (None, "not an object"),
    ("edit", "not an object"),
    ({"name": "edit"}, "'token'"),
    ({"name": "fly"}, "unknown command 'fly'"),
    ({"name": "edit", "segment": "1", "text": "x", "origin": "typed"}, "'segment'"),
    ({"name": "edit", "segment": True, "text": "x", "origin": "typed"}, "'segment'"),
    ({"name": "edit", "segment": 1, "text": 5, "origin": "typed"}, "'text'"),
    ({"name": "edit", "segment": 1, "text": "x", "origin": "magic"}, "'origin'"),
    ({"name": "edit", "segment": 10**9, "text": "x", "origin": "typed"}, "does not exist"),
    ({"name": "edit", "segment": 1, "text": "x", "origin": "typed", "reported": []}, "'reported'"),
    ({"name": "edit", "segment": 1, "text": "x", "origin": "typed", "reported": {"changes": []}}, "'reported.before'"),
    *(
        (
            {
                "name": "edit",
                "segment": 1,
                "text": "x",
                "origin": "typed",
                "reported": {"before": "", "changes": changes},
            },
            why,
        )
        for changes, why in (
            ([[0, 0, "x", "magic"]], "'reported.changes'"),
            ([[0, True, "x", "typed"]], "'reported.changes'"),
            ([[0, 0, "x"]], "'reported.changes'"),
            (["x"], "'reported.changes'"),
            ({}, "'reported.changes'"),
        )
    ),
    *(
        (
            {
                "name": "constrain",
                "segment": 0,
                "constraints": {**NO_CONSTRAINTS.to_json(), **part},
                "origin": "person",
            },
            reason,
        )
        for part, reason in (
            ({"pins": "abc"}, "'constraints.pins'"),
            ({"pins": [1]}, "'constraints.pins'"),
            ({"bans": None}, "'constraints.bans'"),
            ({"bans": ["x"]}, "'constraints.bans'"),
            ({"bans": [{"text": "x", "case": "loud"}]}, "'constraints.bans'"),
            ({"beginning": ""}, "unknown field 'constraints.beginning'"),
        )
    ),
    ({"name": "constrain", "segment": 0, "constraints": {"pins": []}, "origin": "person"}, "'constraints.terms_off'"),
    ({"name": "open_document", "file": "x.txt", "data": "§§"}, "'data'"),
    ({"name": "resume_session", "session": 4711}, "does not contain this session"),
    ({"name": "keys", "segment": 0, "counts": {"magic": 1}}, "'magic'"),
    ({"name": "keys", "segment": 0, "counts": {"delete": -1}}, "invalid key counts"),
    ({"name": "keys", "segment": 0, "counts": {"delete": "1"}}, "'counts.delete'"),
    ({"name": "keys", "segment": 0, "counts": {}, "presses": [1]}, "'presses'"),
    ({"name": "consent", "is_given": "yes"}, "'is_given'"),
    ({"name": "idle", "segment": 0, "idle_ms": None}, "'idle_ms'"),
    ({"name": "idle", "segment": 0, "idle_ms": -1}, "'idle_ms'"),
    ({"name": "open", "segment": 10**400}, "'segment'"),
    ({"name": "open", "segment": 1.0}, "'segment'"),
    ({"name": "open", "segment": 0, "since": "1"}, "'since'"),
    ({"name": "open", "segment": 0, "force": True}, "unknown field 'force'"),
    ({"name": "open", "segment": 0, "x" * 1000: True}, "unknown field 'xxx"),
    ({"name": "open", "segment": 0, "language": 5}, "'language'"),
    ({"name": "x" * 501}, "'name'"),
    ({"name": "resume_session", "session": 2**64}, "'session'"),
    ({"name": "choose_checks", "off": ["spelling"]}, "'off'"),
    ({"name": "choose_style", "formality": "rude", "domain": None}, "'formality'"),
    ({"name": "begin_files", "folder": "x" * 20_000_000}, "'folder'"),
    ({"name": "concordance", "words": "x" * 1001}, "at most 1000 characters"),
    ({"name": "switch_model", "key": "\ud83d"}, "'key'"),
    (
        {
            "name": "replace",
            "find": "a",
            "replacement": "b",
            "matches_case": False,
            "whole_words": False,
            "in_confirmed": False,
            "segments": [0, "1"],
        },
        "'segments'",
    ),
]


@pytest.mark.parametrize(
    ("fields", "reason"), WRONG, ids=[f"{number} {reason}" for number, (_, reason) in enumerate(WRONG)]
)
def test_wrong_message_is_answered_with_the_reason_and_changes_nothing(api: Api, fields: Any, reason: str):
    if isinstance(fields, dict) and reason != "'token'":
        fields = message(api, **fields)
    before = api.hello(OWNER, {})["version"]
    reply = api.command(OWNER, fields)
    assert reply["ok"] is False
    assert reason in reply["error"]["message"]
    assert api.hello(OWNER, {})["version"] == before


def test_banned_words_of_a_page_reach_the_segment(api: Api):
    bans = [{"text": "Haus", "case": "exact"}, {"text": " ", "case": "exact"}, {"text": "rot", "case": "permissive"}]
    constraints = {**NO_CONSTRAINTS.to_json(), "bans": bans}
    reply = api.command(OWNER, message(api, "constrain", segment=0, constraints=constraints, origin="person", open=0))
    assert reply["segment"]["constraints"] == {**constraints, "bans": [bans[0], bans[2]]}


def test_unknown_token_has_its_own_kind_of_error(api: Api):
    reply = api.command(OWNER, {**message(api, "open", segment=0), "token": "guess"})
    assert reply["error"]["kind"] == "unknown_session"
    assert (
        asyncio.run(api.changes(OWNER, {"token": "guess", "since": 0, "open": None, "detail_since": 0}))["ok"] is False
    )


def test_request_for_changes_is_answered_at_the_next_change(api: Api):
    hello = api.hello(OWNER, {})

    async def ask_and_edit() -> dict[str, Any]:
        question = {"token": hello["token"], "since": hello["version"], "open": 0, "detail_since": hello["version"]}
        waiting = asyncio.create_task(api.changes(OWNER, question))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        edit = message(api, "edit", segment=0, text="Neu", origin="typed")
        await asyncio.to_thread(api.command, OWNER, edit)
        return await asyncio.wait_for(waiting, 60)

    news = asyncio.run(ask_and_edit())
    assert [row["target"] for row in news["rows"]] == ["Neu"]


def test_new_request_for_changes_of_a_page_ends_its_earlier_one(api: Api):
    hello = api.hello(OWNER, {})
    question = {"token": hello["token"], "since": hello["version"], "open": 0, "detail_since": hello["version"]}

    async def ask_twice() -> tuple[dict[str, Any], bool, bool]:
        pages = {
            page: asyncio.create_task(api.changes(OWNER, {**question, "client": page})) for page in ("one", "other")
        }
        await asyncio.sleep(0.05)
        later = asyncio.create_task(api.changes(OWNER, {**question, "client": "one"}))
        reply = await asyncio.wait_for(pages["one"], 10)
        still_waiting = not later.done(), not pages["other"].done()
        api.stop()
        await asyncio.gather(later, pages["other"])
        return reply, *still_waiting

    reply, later_waits, other_waits = asyncio.run(ask_twice())
    assert reply["ok"]
    assert later_waits
    assert other_waits


def test_request_for_changes_of_a_hidden_window_is_answered_at_once(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.ui.api.HOLD_SECONDS", 10**6)
    hello = api.hello(OWNER, {})
    question = {"token": hello["token"], "since": hello["version"], "open": 0, "detail_since": hello["version"]}
    reply = asyncio.run(asyncio.wait_for(api.changes(OWNER, {**question, "waits": False}), 60))
    assert (reply["ok"], reply["rows"]) == (True, [])


def test_error_of_the_log_shows_no_folder_of_the_server(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    path = api.sessions.store.path

    def fail(*_: object) -> None:
        raise LogError(
            "{path}: could not be read ({error})", path=path, error=OSError(5, "Input/output error", str(path))
        )

    monkeypatch.setattr(api.sessions.projects, "overview", fail)
    reply = api.command(OWNER, message(api, name="projects"))
    assert reply["error"]["message"] == f"{path.name}: could not be read (Input/output error)"
    assert str(path) in caplog.text


def test_internal_error_is_reported_without_details(api: Api, monkeypatch: pytest.MonkeyPatch):
    def explode(*_: object) -> None:
        raise RuntimeError("secret path /home/someone")

    monkeypatch.setattr("app.workspace.commands.Workspace.reopen", explode)
    reply = api.command(OWNER, message(api, "reopen", segment=0))
    assert reply["error"]["kind"] == "internal"
    assert "secret" not in reply["error"]["message"]


def test_keys_are_logged_as_counts_by_class(api: Api):
    reply = api.command(OWNER, message(api, "keys", segment=1, counts={"character": 12, "delete": 0}))
    assert reply["ok"]
    workspace = api.sessions.find(OWNER, reply["token"])
    last = list(workspace.store.events(workspace.session_id))[-1]
    assert (last.type, last.segment, last.payload) == ("key", 1, {"counts": {"character": 12}})


def test_deleting_a_session_shows_the_sample_instead_and_keeps_a_tombstone(api: Api):
    token = api.hello(OWNER, {})["token"]
    api.command(OWNER, message(api, "edit", segment=1, text="geheim", origin="typed"))
    reply = api.command(OWNER, {**message(api, "delete_session"), "token": token})
    assert reply["ok"] and reply["document"]["name"] == "getting-started.txt" and reply["token"] != token
    assert len(api.sessions.store.tombstones()) == 1
    gone = api.command(OWNER, {**message(api, "open", segment=0), "token": token})
    assert gone["error"]["kind"] == "unknown_session"


def test_report_and_replay_of_a_session_are_returned(api: Api):
    token = api.hello(OWNER, {})["token"]
    api.command(OWNER, message(api, "confirm", segment=1, text="Fertig"))
    report = asyncio.run(api.record(OWNER, {"token": token, "view": "report"}))["result"]
    assert (report["num_confirmed"], report["num_segments"]) == (1, 2)
    replay = asyncio.run(api.record(OWNER, {"token": token, "view": "replay"}))["result"]
    assert [moment[4] for moment in replay["moments"] if moment[2] == "confirm"] == ["Fertig"]
    wrong = asyncio.run(api.record(OWNER, {"token": token, "view": "secrets"}))
    assert "'view'" in wrong["error"]["message"]


def test_every_command_can_be_sent_by_its_name():
    def concrete(model: type[CommandMessage]) -> set[type[CommandMessage]]:
        found = set() if inspect.isabstract(model) or model.model_fields["name"].annotation is str else {model}
        return found.union(*map(concrete, model.__subclasses__()))

    assert set(COMMANDS.values()) == concrete(CommandMessage)


def test_every_text_of_a_command_has_a_limit():
    """Texts and comments of a segment have theirs where they are cleaned, with an error that names it."""
    cleaned_texts = {("edit", "text"), ("confirm", "text"), ("comment", "text"), ("remark", "text"), ("check", "text")}
    cleaned_texts |= {("review", "text"), ("review", "comment")}
    unlimited = {
        (name, field)
        for name, command in COMMANDS.items()
        for field, info in command.model_fields.items()
        if info.annotation in (str, str | None) and not info.metadata
    }
    assert unlimited == cleaned_texts


def test_half_a_surrogate_pair_reaches_the_text_as_a_replacement_character(api: Api):
    reply = api.command(OWNER, message(api, "edit", segment=1, text="Datei \ud83d", origin="typed", open=1))
    assert reply["segment"]["target"] == "Datei \ufffd"


@pytest.mark.full
def test_invalid_messages_never_cause_an_internal_error(api: Api):
    """Random values in every field of every command: each reply has a reason that a person can read."""
    values: list[Any] = [None, True, -1, 0, 10**400, 1.5, "", "x", "\ud83d", [], ["x"], [1], {}, {"a": 1}, "x" * 10_000]
    chance = random.Random(7)
    for _ in range(3000):
        name = chance.choice(
            [name for name in COMMANDS if name not in ("fetch_model", "look_up_model", "delete_session")]
        )
        fields = {field.alias or key: chance.choice(values) for key, field in COMMANDS[name].model_fields.items()}
        known = {key: value for key, value in message(api, name).items() if chance.random() < 0.9}
        reply = api.command(OWNER, {**fields, **known})
        assert reply["ok"] or reply["error"]["kind"] != "internal", (name, fields, reply)
