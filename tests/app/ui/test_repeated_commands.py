"""A command that is sent again, because its reply was lost, is carried out once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.commands.segment_commands import SplitSegment
from app.ui.repeated_commands import MAX_PAGES, RepeatedCommands
from tests.app.hand_decoder import HandDecoder, ready_model

POSITION = {"since": -1, "open": None, "detail_since": -1}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    sessions.open_document(OWNER, b"Open the settings now.\nThe router saves the file.\n", "manual.txt")
    yield Api(sessions)
    sessions.close()
    store.close()


def sent(api: Api, sequence: int, name: str, client: str = "page", **fields: Any) -> dict[str, Any]:
    token = api.hello(OWNER, {})["token"]
    return api.command(
        OWNER, {"token": token, "client": client, "sequence": sequence, "name": name, **POSITION, **fields}
    )


def sources(api: Api) -> list[str]:
    return [segment.source for segment in api.sessions.find(OWNER, api.hello(OWNER, {})["token"]).segments]


def test_splitting_again_has_the_result_of_the_first_time(api: Api):
    first = sent(api, 1, "split", segment=0, offset=9)
    again = sent(api, 1, "split", segment=0, offset=9)
    assert first["ok"] and again["ok"] and again["result"] == first["result"]
    assert sources(api) == ["Open the", "The router saves the file.", "settings now."]
    assert not sent(api, 2, "split", segment=0, offset=9)["ok"], "another command is carried out"


def test_document_opened_again_is_opened_once(api: Api):
    first = sent(api, 1, "open_document", data="RG9vci4=", file="door.txt")
    again = sent(api, 1, "open_document", data="RG9vci4=", file="door.txt")
    assert first["token"] == again["token"] and len(api.sessions.store.sessions(OWNER)) == 2


def test_pages_of_two_people_with_one_name_are_distinguished(api: Api):
    """A page chooses its name. Else one person could have the commands of another dropped, or read their results."""
    token = api.hello(OWNER, {})["token"]
    secret = sent(api, 5, "matches", segment=0)
    assert secret["ok"]
    message = {"token": token, "client": "page", "sequence": 4, "name": "edit", "segment": 1, **POSITION}
    assert api.command(Actor.person("Ana"), {**message, "text": "Neu", "origin": "typed"})["rows"][1]["target"] == "Neu"
    refused = api.command(Actor.person("Ana"), {**message, "sequence": 5, "name": "matches", "segment": 9})
    assert not refused["ok"], "carried out, and not answered with the result of Ben's"


def test_command_that_arrives_after_a_newer_one_is_dropped(api: Api):
    sent(api, 2, "edit", segment=1, text="Neu", origin="typed")
    late = sent(api, 1, "edit", segment=1, text="Alt", origin="typed")
    assert late["ok"] and late["rows"][1]["target"] == "Neu"
    sent(api, 1, "edit", "another page", segment=1, text="Anders", origin="typed")
    assert api.hello(OWNER, {})["rows"][1]["target"] == "Anders"


def test_failed_command_is_tried_again(api: Api):
    assert not sent(api, 1, "split", segment=0, offset=0)["ok"]
    assert not sent(api, 1, "split", segment=0, offset=0)["ok"]


def command(sequence: int, client: str = "page") -> SplitSegment:
    return SplitSegment(token="t", name="split", segment=0, offset=1, client=client, sequence=sequence, **POSITION)


def test_second_attempt_waits_for_the_first():
    repeats, runs = RepeatedCommands(), []
    begun, may_end = threading.Event(), threading.Event()

    def slow() -> str:
        runs.append(1)
        begun.set()
        may_end.wait(60)
        return "done"

    results: list[str | None] = []
    attempts = [
        threading.Thread(target=lambda: results.append(repeats.once(OWNER, command(1), slow))) for _ in range(2)
    ]
    attempts[0].start()
    assert begun.wait(60)
    attempts[1].start()
    may_end.set()
    for attempt in attempts:
        attempt.join(60)
    assert (results, runs) == (["done", "done"], [1])


def test_error_is_not_kept_as_result_and_oldest_pages_are_forgotten_first():
    repeats = RepeatedCommands()

    def fail() -> None:
        raise CommandError("no")

    for _ in range(2):
        with pytest.raises(CommandError):
            repeats.once(OWNER, command(1), fail)
    assert (
        repeats.once(OWNER, command(1), lambda: "first") == repeats.once(OWNER, command(1), lambda: "second") == "first"
    )
    for number in range(MAX_PAGES):
        repeats.once(OWNER, command(1, f"page {number}"), lambda: "other")
    assert repeats.once(OWNER, command(1), lambda: "forgotten") == "forgotten"
    assert len(repeats._pages) == MAX_PAGES
    programs = [repeats.once(OWNER, command(1, ""), lambda text=text: text) for text in ("one", "two")]
    assert programs == ["one", "two"], "they send no number"
