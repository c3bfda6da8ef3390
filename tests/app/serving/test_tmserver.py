"""The translation memory for other programs, in the dialect of tmserver and amaGama.

The requests are those of Weblate's machinery `tmserver` and of Virtaal.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from app.access.actor import OWNER, Actor
from app.log.store import LogStore
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.sessions import Sessions
from tests.app.serving.conftest import Program

FILE, DOOR = "Open the file.", "Open the door, please."


def unit(text: str, pair: str = "en/de") -> str:
    return f"/tmserver/{pair}/unit/{quote(text, safe='')}"


def put(program: Program, source: str, target: str, path: str = "", **more: Any) -> int:
    return program.request("PUT", path or unit(source), json={"source": source, "target": target}, **more).status_code


def found(program: Program, text: str, **fields: Any) -> list[str]:
    reply = program.get(unit(text), params=fields)
    assert reply.status_code == 200, reply.text
    return [each["target"] for each in reply.json()]


def test_entry_is_found_at_once_also_by_similar_texts_and_the_other_way(client: Program):
    assert found(client, FILE) == []
    assert put(client, FILE, "Öffnen Sie die Datei.") == 200
    assert client.get(unit(FILE)).json() == [
        {"source": FILE, "target": "Öffnen Sie die Datei.", "quality": 100, "rank": 100, "context": ""}
    ]
    (similar,) = client.get(unit("Open the files.")).json()
    assert 75 <= similar["quality"] < 100
    assert found(client, "Open the files.", min_similarity=99) == []
    assert client.get("/tmserver/en/de/unit/", params={"source": FILE}).json()[0]["quality"] == 100
    assert client.get(unit("Öffnen Sie die Datei.", "de/en")).json()[0]["target"] == FILE
    assert client.get("/tmserver/languages/").json() == {"sourceLanguages": ["en"], "targetLanguages": ["de"]}


def test_second_translation_of_a_text_replaces_the_first_before_and_after_the_memory_was_read(client: Program):
    put(client, FILE, "Erste.")
    put(client, FILE, "Zweite.")
    assert found(client, FILE) == ["Zweite."]
    put(client, FILE, "Dritte.")
    assert found(client, FILE) == ["Dritte."]
    assert [each["target"] for each in client.get(unit("Zweite.", "de/en")).json()] == []


def test_file_of_units_is_added_whole_or_not_at_all(client: Program):
    units = [{"source": FILE, "target": "Datei öffnen."}, {"source": DOOR, "target": "Bitte öffnen Sie die Tür."}]
    reply = client.post("/tmserver/en/de/store/manual.po", json=units)
    assert (reply.status_code, reply.text) == (200, "added 2 units from manual.po")
    wrong = client.post("/tmserver/en/de/store/manual.po", json=[{"source": FILE, "target": "Neu."}, {"source": "x"}])
    assert wrong.status_code == 400 and "target is missing" in wrong.text
    assert found(client, FILE) == ["Datei öffnen."]
    assert client.post("/tmserver/en/de/store/a", json=[units[0]] * 1001).status_code == 400


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        (unit(FILE), {"json": {"source": FILE, "target": " "}}, 400),
        (unit(FILE), {"json": [FILE]}, 400),
        (unit(FILE), {"content": b"{"}, 400),
        (unit(FILE), {"json": {"source": FILE, "target": "x" * 10_001}}, 413),
        (unit(FILE), {"content": b'{"source": "\\ud800", "target": "x"}'}, 400),
        (unit(FILE, "e_/de"), {"json": {"source": FILE, "target": "x"}}, 400),
        (unit(FILE, "en/de") + "?project=999", {"json": {"source": FILE, "target": "x"}}, 403),
        (unit(FILE, "en/de") + "?project=x", {"json": {"source": FILE, "target": "x"}}, 400),
    ],
)
def test_impossible_entry_is_refused_as_text_and_nothing_is_added(
    client: Program, sessions: Sessions, path: str, content: dict[str, Any], status: int
):
    reply = client.request("PUT", path, **content)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "text/plain; charset=utf-8"), reply.text
    assert sessions.library.directions() == []


def test_look_up_refuses_long_texts_and_finds_nothing_in_unknown_languages(client: Program):
    assert client.get(unit("x" * 10_001)).status_code == 413
    assert client.get(unit(FILE, "tlh/de")).json() == []
    assert client.get(unit(FILE), params={"max_candidates": 21}).status_code == 400


def test_key_without_the_right_to_export_reads_only_what_its_own_documents_use(
    client: Program, gateway: ApiGateway, keys: ApiFile, sessions: Sessions, store: LogStore
):
    """Matches are texts of other people."""
    for name in ("Ana", "Ben", "Cem"):
        store.people.put(name, "translator")
    anas = sessions.projects.add_unchosen(Actor.person("Ana"), "Anas", "en-de")
    sessions.library.add("en-de", "page", [(FILE, "Von der Seite.")], anas.id)
    ben = Program(gateway, authorization=f"Bearer {keys.create('Ben')[1]}")
    put(ben, DOOR, "Von Ben.")
    assert found(client, FILE) == found(client, DOOR) == found(ben, FILE) == []
    assert found(ben, DOOR) == ["Von Ben."]
    exporting = Program(gateway, authorization=f"Bearer {keys.create('Ana', may_export=True)[1]}")
    assert found(exporting, FILE) == ["Von der Seite."] and found(exporting, DOOR) == []
    assert put(exporting, FILE, "Neu.", f"{unit(FILE)}?project={anas.id}") == 200
    assert sorted(found(exporting, FILE)) == ["Neu.", "Von der Seite."]
    cem = Program(gateway, authorization=f"Bearer {keys.create('Cem', may_export=True)[1]}")
    assert found(cem, FILE) == [] and put(cem, FILE, "x", f"{unit(FILE)}?project={anas.id}") == 400


def test_client_without_a_key_is_known_by_its_address_and_a_page_of_another_site_is_not(
    gateway: ApiGateway, keys: ApiFile
):
    anybody = Program(gateway, "192.0.2.7")
    assert anybody.get(unit(FILE)).status_code == 401
    keys.create("Weblate", address="192.0.2.7")
    assert put(anybody, FILE, "Datei öffnen.") == 200 and found(anybody, FILE) == ["Datei öffnen."]
    assert put(anybody, FILE, "x", headers={"sec-fetch-site": "cross-site"}) == 401
    assert Program(gateway).get(unit(FILE), params={"key": keys.create("Virtaal")[1]}).status_code == 200


def test_added_texts_count_as_characters_of_the_day(gateway: ApiGateway, keys: ApiFile):
    program = Program(gateway, authorization=f"Bearer {keys.create('Ana', characters_a_day=20)[1]}")
    assert put(program, "Open.", "Öffnen.") == 200
    assert put(program, "Open it.", "Öffnen Sie es.") == 429


def test_entries_are_in_the_memory_of_the_page_and_in_its_export(client: Program, sessions: Sessions):
    put(client, FILE, "Datei öffnen.")
    exported = sessions.library.export(OWNER, "en-de", "csv").data.decode("utf-8-sig")
    assert f"{FILE},Datei öffnen.,Ana (API),imported,Ana (API)," in exported
    sessions.library.forget()
    assert found(client, FILE) == ["Datei öffnen."], "also after it was read from the file"
