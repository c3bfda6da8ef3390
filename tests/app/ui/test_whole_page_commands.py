"""Every command of the page happens completely or not at all, as its reply says: each SQL statement fails once."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.log import list_changes, people
from app.log.store import LogStore
from app.ui.api import Api
from tests.app.hand_decoder import settle
from tests.app.ui import test_protocol
from tests.app.ui.test_api import NUMBERS, api, message, new_api  # noqa: F401 (a fixture)
from tests.app.workspace.test_whole_commands import memory_of
from tests.budget import rounds
from tests.faults import Counter, StatementFault, counted

CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)


class FaultyApi:
    """An Api each of whose commands meets faults until it is carried out.

    The first fault is at the command's first statement, the next at its second, and so on. A command may be carried out
    although a statement failed, such as one of the notices after it. The faults behind that one come in the next round
    (`skips` has the number of the statement, by command).
    """

    def __init__(self, real: Api, skips: dict[int, int]) -> None:
        self._real = real
        self._skips = skips
        self._num_commands = self._selection = 0
        self.num_struck = self.num_refused = self.num_saved = 0
        self.problems: list[tuple[Any, ...]] = []  # commands that were refused although something has changed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def command(self, actor: Actor, asked: dict[str, Any]) -> dict[str, Any]:
        """The reply to the command, once it was carried out."""
        self._num_commands += 1
        asked = {**asked, **self._numbers(actor, asked)}
        number = self._skips.get(self._num_commands, 0)
        while True:
            number += 1
            before = self._state()
            fault = StatementFault(number, CODES[number % len(CODES)])
            numbered = {**asked, "sequence": next(NUMBERS)}
            reply = self._with(fault, actor, numbered)
            self.num_struck += fault.has_struck
            if not reply["ok"] and reply["error"]["kind"] == "saved":
                self.num_saved += 1
                saved = self._state()
                reply = self._real.command(actor, numbered)  # the change is not made again
                again = _differences(saved, self._state())
                if saved == before or again or not reply["ok"]:
                    self.problems.append((asked["name"], number, fault.statement, reply.get("error"), again))
                    return reply
            if reply["ok"]:
                if asked["name"] == "begin_files":
                    self._selection = reply["result"]["bundle"]
                self._skips[self._num_commands] = number if fault.has_struck else 10**9
                return reply
            assert fault.has_struck, (asked["name"], reply, self.problems)
            if reply["error"]["kind"] == "internal":  # an error of SQLite that has no message for people
                self.problems.append((asked["name"], number, fault.statement, reply["error"]))
            self.num_refused += 1
            changed = _differences(before, self._state())
            if changed:
                self.problems.append((asked["name"], number, fault.statement, reply["error"], changed))

    def _numbers(self, actor: Actor, asked: dict[str, Any]) -> dict[str, Any]:
        """The fields that name glossaries and documents: one that was refused has used its number up."""
        if asked["name"] == "delete_document":
            return {
                "session": min(
                    one.id for one in self._real.sessions.store.sessions(actor) if one.id >= asked["session"]
                )
            }
        if asked["name"] == "open_file":
            return {"bundle": self._selection}
        if not asked["name"].startswith("glossary_"):
            return {}
        glossaries = self._real.sessions.find(actor, asked["token"]).terms.glossaries
        own = sorted(each.id for each in glossaries if not each.is_shared)
        shared = [each.id for each in glossaries if each.is_shared]
        if asked["name"] == "glossary_order":
            return {"order": own}
        if asked["name"] == "glossary_merge":
            return {"glossary": own[-1], "into": own[0]}
        return {"glossary": shared[0]} if asked["name"] == "glossary_remove" else {}

    def _with(self, fault: StatementFault, actor: Actor, asked: dict[str, Any]) -> dict[str, Any]:
        connection = self._real.sessions.store.connection
        real = connection.db.conn
        with connection.lock:
            connection.db.conn = fault.over(real)
        try:
            return self._real.command(actor, asked)
        finally:
            with connection.lock:
                connection.db.conn = real

    def _state(self) -> dict[str, Any]:
        """The tables of the log, and what the open documents have in memory."""
        for workspace in self._real.sessions.workspaces.all():
            settle(workspace)
        store: LogStore = self._real.sessions.store
        with store.connection.lock:
            db = store.connection.db.conn
            names = [
                name
                for (name,) in db.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"
                )
            ]
            tables = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in sorted(names)}
        # A large glossary is written in parts; those of a refused one are in no glossary.
        known = {row[:2] for row in tables["glossary"]}
        tables["glossary_term"] = [row for row in tables["glossary_term"] if row[:2] in known]
        tables["term_base"] = [row for row in tables["term_base"] if row[1] is not None]
        bases = {row[0] for row in tables["term_base"]}
        tables["term_base_term"] = [row for row in tables["term_base_term"] if row[0] in bases]
        tables["shown document"] = self._real.sessions.workspaces.current_token(OWNER)
        for each in self._real.sessions.workspaces.all():
            memory = memory_of(each)
            memory["shown findings"] = {index: found for index, found in memory["shown findings"].items() if found}
            tables |= {f"{name} of {each.session_id}": value for name, value in memory.items()}
        return tables


def _differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (before.get(name), after.get(name))
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    }


@pytest.fixture(autouse=True)
def _looks_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes of other programs are looked for at each call, so that those statements fail, too."""
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(list_changes, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr("app.workspace.glossary_imports.SPELLING_SECONDS", 0)
    monkeypatch.setattr("app.models.document_models.look_up", test_protocol.hub_model)


def test_a_command_of_the_page_that_any_statement_fails_happens_completely_or_not_at_all(tmp_path: Path) -> None:
    skips: dict[int, int] = {}
    for number in range(rounds(2, 100)):
        with new_api(tmp_path / str(number)) as made:
            faulty = FaultyApi(made, skips)
            test_protocol.test_result_of_each_command_has_its_type(faulty)  # type: ignore[arg-type]
        assert not faulty.problems
        assert faulty.num_refused or number
        if not faulty.num_struck:
            break


def test_no_command_of_the_page_writes_another_file_than_the_log(api: Api) -> None:  # noqa: F811
    """So nothing but a statement of the log can fail in the middle of one. Commands about models are not among them."""

    def fail() -> None:
        raise OSError(errno.ENOSPC, "a fault of the test")

    with counted(Counter(1, fail)):
        test_protocol.test_result_of_each_command_has_its_type(api)


def test_each_statement_that_fails_after_the_commit_gives_a_reply_that_says_the_change_is_saved(api: Api) -> None:  # noqa: F811
    faulty, kinds = FaultyApi(api, {}), set()
    fields = {"client_name": "", "formality": "formal", "domain": None, "shares_memory": True, "learns": True}
    for number in range(1, 200, 7):  # each project that is made adds statements
        asked = message(api, "create_project", **fields, title=f"No. {number}", direction="en-de", has_review=False)
        fault = StatementFault(number, CODES[0])
        reply = faulty._with(fault, OWNER, asked)
        titles = [one["name"] for one in api.sessions.projects.overview(OWNER)["projects"]]
        kinds.add(kind := "" if reply["ok"] else reply["error"]["kind"])
        assert titles.count(f"No. {number}") == (kind in ("", "saved")), (fault.statement, reply)
        if kind == "saved":
            assert api.command(OWNER, asked)["ok"], "the same command again only reads its result"
            again = [one["name"] for one in api.sessions.projects.overview(OWNER)["projects"]]
            assert again == titles
    assert "saved" in kinds and "LogError" in kinds


def test_a_selection_of_files_whose_reply_fails_is_not_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    asked = message(api, "begin_files", folder="")
    faulty = FaultyApi(api, {})
    refused = [asked]

    def selections() -> int:
        return len(api.sessions.bundles._staged._values)

    for number in range(1, 20):
        fault = StatementFault(number, CODES[0])
        reply = faulty._with(fault, OWNER, {**asked, "sequence": next(NUMBERS)})
        if not fault.has_struck:
            break
        if not reply["ok"]:
            refused.append(reply)
            assert not selections(), fault.statement
        elif reply["result"]:
            api.sessions.bundles.end(OWNER, reply["result"]["bundle"])
    assert len(refused) > 1 and reply["ok"] and selections() == 1
