"""What the page asks and does about glossaries: files on their way in, terms page by page, edits, files out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.access.actor import OWNER
from app.glossary.reading.glossary_file import read_glossary
from app.ui import server
from app.ui.api import Api
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)

TERMS = b"settings\tEinstellungen\nrouter\tRouter\nfile\tDatei\n"


@pytest.fixture(autouse=True)
def unasked_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.workspace.glossary_imports.SPELLING_SECONDS", 0.0)


def ask(api: Api, question: str, **fields: Any) -> dict[str, Any]:  # noqa: F811
    return api.glossaries.ask(OWNER, {"token": api.hello(OWNER, {})["token"], "ask": question, **fields})


def bring(api: Api, data: bytes = TERMS, name: str = "terms.tsv") -> int:  # noqa: F811
    """Imports a glossary as the page does; returns its number."""
    staged = api.glossaries.stage(OWNER, api.hello(OWNER, {})["token"], name, data, "en")
    choices = {"import": staged["result"]["import"], "fixes": [], "fills": {}, "decisions": {}, "others": "keep"}
    reply = api.command(OWNER, message(api, "import_glossary", **choices))
    assert reply["ok"], reply
    return next(one["id"] for one in reply["result"]["glossaries"] if one["name"] == name)


def edit(api: Api, glossary: int, number: int | None, **fields: Any) -> dict[str, Any]:  # noqa: F811
    row = {"source": "file", "target": "Datei", "variants": [], "status": "preferred", "case": "permissive",
           "matching": "exact", "note": "", **fields}  # fmt: skip
    return api.command(OWNER, message(api, "term_edit", glossary=glossary, number=number, **row))


def test_file_goes_up_as_it_is_and_is_used_by_a_command(api: Api):  # noqa: F811
    client = TestClient(server.build_server(api, host="127.0.0.1", port=0, sign_in=None), base_url="http://127.0.0.1")
    token = api.hello(OWNER, {})["token"]
    reply = client.post(f"/glossary/{token}", params={"file": "../x.tsv"}, content=b"only\nthis\n").json()
    assert reply["ok"] is False and "1 column" in reply["error"]["message"]
    reply = client.post(f"/glossary/{token}", params={"file": "terms.tsv"}, content=TERMS).json()
    assert (reply["result"]["name"], reply["result"]["num_terms"]) == ("terms.tsv", 3)
    assert client.post("/glossary/guess", params={"file": "a.tsv"}, content=TERMS).json()["ok"] is False
    assert (
        client.post(f"/glossary/{token}", params={"file": "a.tsv"}, headers={"content-length": "200000000"}).status_code
        == 413
    )
    rows = f"/download/{token}/import/{reply['result']['import']}"
    saved = client.get(f"{rows}/new", params={"language": "de"})
    assert saved.headers["content-disposition"].endswith("terms.new.csv") and saved.text.count("\n") == 4
    assert client.get(f"{rows}/all").status_code == client.get(f"{rows}1/new").status_code == 404
    number = bring(api)
    assert client.get(f"{rows}/new").status_code == 404, "it is used"
    exported = client.get(f"/download/{token}/glossary/{number}/csv")
    assert exported.headers["content-disposition"].endswith("terms.csv")
    assert len(read_glossary(exported.content, "terms.csv", "en-de").terms) == 3
    listed = {one["kind"]: one for one in ask(api, "exports", glossary=number)["result"]["exports"]}
    assert listed["memoq"] == {"kind": "memoq", "label": "memoQ (CSV)", "note": ""}
    for kind in listed:
        exported = client.get(f"/download/{token}/glossary/{number}/{kind}")
        assert len(read_glossary(exported.content, "terms", "en-de").terms) == 3, kind
    assert client.get(f"/download/{token}/glossary/{number}/exe").status_code == 404
    assert client.get(f"/download/{token}/glossary/4711/csv").status_code == 404


def test_terms_are_shown_filtered_and_page_by_page(api: Api):  # noqa: F811
    glossary = bring(api, b"".join(b"term %d\tWort %d\n" % (n, n) for n in range(250)))
    page = ask(api, "terms", glossary=glossary, filter="", offset=200)["result"]
    assert (page["num_rows"], page["num_terms"], len(page["rows"])) == (250, 250, 50)
    assert page["rows"][0] == {
        "number": 200, "source": "term 200", "target": "Wort 200", "variants": [], "status": "preferred",
        "case": "permissive", "matching": "exact", "note": "",
    }  # fmt: skip
    found = ask(api, "terms", glossary=glossary, filter=" WORT 24", offset=0)["result"]
    assert [row["source"] for row in found["rows"]] == ["term 24", *(f"term {n}" for n in range(240, 250))]


def test_cell_is_changed_a_term_added_and_one_deleted(api: Api):  # noqa: F811
    glossary = bring(api)
    reply = edit(api, glossary, 2, target=" die  Datei ", variants=["Akte", ""], status="exact", note="x")
    assert reply["result"]["row"] == {
        "number": 2, "source": "file", "target": "die Datei", "variants": ["Akte"], "status": "exact",
        "case": "permissive", "matching": "exact", "note": "x",
    }  # fmt: skip
    assert edit(api, glossary, None, source="log", target="Protokoll")["result"]["row"]["number"] == 3
    assert api.command(OWNER, message(api, "term_remove", glossary=glossary, number=0))["ok"]
    rows = ask(api, "terms", glossary=glossary, filter="", offset=0)["result"]["rows"]
    assert [(row["number"], row["target"]) for row in rows] == [(1, "Router"), (2, "die Datei"), (3, "Protokoll")]
    for _ in range(3):
        assert api.command(OWNER, message(api, "glossary_undo"))["ok"]
    rows = ask(api, "terms", glossary=glossary, filter="", offset=0)["result"]["rows"]
    assert [row["target"] for row in rows] == ["Einstellungen", "Router", "Datei"]


WRONG = [
    ({"target": " "}, "the target is empty"),
    ({"target": "x" * 201}, "201 characters"),
    ({"source": "a\x00"}, "U+0000"),
    ({"variants": [f"v{n}" for n in range(21)]}, "21 variants"),
    ({"source": "Router", "target": "Weiche"}, "already has the target “Router”"),
    ({"number": 4711}, "was deleted"),
    ({"glossary": 4711}, "removed from the document"),
    ({"status": "loud"}, "'status'"),
    ({"variants": "a"}, "'variants'"),
]


@pytest.mark.parametrize(("fields", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_invalid_term_is_refused_with_the_reason(api: Api, fields: dict[str, Any], reason: str):  # noqa: F811
    glossary = bring(api)
    reply = edit(api, **{"glossary": glossary, "number": 2, **fields})
    assert reply["ok"] is False and reason in reply["error"]["message"]
    assert ask(api, "overview")["result"]["glossaries"][0]["num_terms"] == 3


def test_same_word_may_also_be_forbidden_or_differ_by_capitals(api: Api):  # noqa: F811
    glossary = bring(api)
    assert edit(api, glossary, None, target="Akte", status="forbidden")["ok"]
    assert edit(api, glossary, None, target="Ordner", status="forbidden")["ok"]
    assert not edit(api, glossary, None, target="Ordner", status="forbidden")["ok"]
    assert edit(api, glossary, None, source="FILE", target="FILE", case="exact")["ok"]


def test_invalid_questions_are_refused(api: Api):  # noqa: F811
    glossary = bring(api)
    for fields in (
        {"ask": "fly"},
        {"ask": "terms", "glossary": glossary, "filter": "", "offset": -1},
        {"ask": "terms", "glossary": "1", "filter": "", "offset": 0},
        {"ask": "import", "import": 99},
        {"ask": "rows", "import": 99, "shown": "new", "offset": 0},
        {"ask": "rows", "import": 1, "shown": "all", "offset": 0},
    ):
        assert ask(api, fields.pop("ask"), **fields)["ok"] is False  # type: ignore[arg-type]
    assert api.glossaries.ask(OWNER, None)["ok"] is False


def test_document_is_checked_before_anything_is_decoded(api: Api):  # noqa: F811
    bring(api, b"settings\tEinstellungen\nthe settings\tdie Einstellungen\nmodem\tModem\nfile\tDatei\n")
    api.command(OWNER, message(api, "confirm", segment=1, text="Der Router speichert."))
    run = ask(api, "document")["result"]
    json.dumps(run, allow_nan=False)
    assert (run["num_segments_hit"], run["num_found"], run["num_without"], run["num_unused"]) == (2, 2, 2, 1)
    assert [(use["source"], use["unused_in"]) for use in run["uses"]] == [("the settings", []), ("file", [1])]
    (lost,) = run["suppressed"]
    assert (lost["source"], lost["by"]["source"], lost["is_same_place"]) == ("settings", "the settings", False)
