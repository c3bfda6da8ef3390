"""Documents of programs: in Pinpoint's own dialect, and with DeepL's own client."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import deepl
import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.glossary import Term
from app.serving import document_api
from app.serving import gateway as gateway_module
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.sessions import Sessions
from tests.app.serving.conftest import Program, listening

PATH = document_api.PATH
TEXT = b"Open the file.\nClose the window."
GERMAN = "Öffnen Sie die Datei."


def send(program: Program, data: bytes = TEXT, name: str = "manual.txt", **fields: str) -> Any:
    return program.post(PATH, files={"file": (name, data)}, data={"source": "en", "target": "de", **fields})


def translated(program: Program, number: str) -> dict[str, Any]:
    """The status of a document when it is translated."""
    deadline = time.monotonic() + 60
    while (status := program.get(f"{PATH}/{number}").json()).get("state") == "translating":
        assert time.monotonic() < deadline, status
        time.sleep(0.15)  # a key may send 600 requests a minute
    assert "state" in status, status
    return dict(status)


def test_document_is_translated_post_edited_and_deleted(client: Program, sessions: Sessions):
    shown = sessions.open_sample(OWNER)
    made = send(client)
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    status = translated(client, number)
    assert (status["state"], status["num_segments"], status["num_translated"], status["num_failed"]) == (
        "translated", 2, 2, 0,
    )  # fmt: skip
    assert (status["num_characters"], status["direction"], status["seconds_left"]) == (31, "en-de", None)
    assert sessions.workspaces.current_token(OWNER) == shown.token and not shown.decoding.is_suspended
    draft = client.get(f"{PATH}/{number}/file")
    assert "filename*=UTF-8''manual.de.draft.txt" in draft.headers["content-disposition"]
    assert len(draft.text.splitlines()) == 2 and "Datei" in draft.text
    (summary,) = [each for each in sessions.store.sessions(OWNER) if each.document_name == "manual.txt"]
    sessions.resume(OWNER, summary.id).confirm(OWNER, 0, "Mach die Datei auf.")
    assert client.get(f"{PATH}/{number}").json()["num_confirmed"] == 1
    edited = client.get(f"{PATH}/{number}/file", params={"proposals": "false"})
    assert edited.text == "Mach die Datei auf.\nClose the window."
    in_use = client.request("DELETE", f"{PATH}/{number}")
    assert (in_use.status_code, in_use.json()["error"]["kind"]) == (409, "in_use")
    sessions.find(OWNER, shown.token)
    sessions.workspaces.show(OWNER, shown)
    assert client.request("DELETE", f"{PATH}/{number}").status_code == 204
    assert client.get(PATH).json() == {"documents": []}
    with pytest.raises(LogError):
        sessions.store.load_session(OWNER, summary.token)


def test_translation_goes_on_while_the_page_shows_another_document(client: Program, sessions: Sessions):
    number = send(client, b"\n".join(b"Open file number %d." % n for n in range(12))).json()["id"]
    token = next(each.token for each in sessions.store.sessions(OWNER))
    sessions.workspaces.show(OWNER, sessions.find(OWNER, token))
    sessions.open_sample(OWNER)  # suspends it
    assert translated(client, number)["num_translated"] == 12


def test_document_is_not_translated_before_its_terms_are_used(client: Program, sessions: Sessions):
    """Terms may come when the first segments have a translation already."""
    number = send(client).json()["id"]
    translated(client, number)
    (token,) = [each.token for each in sessions.store.sessions(OWNER)]
    sessions.find(OWNER, token, shows=False).glossaries.put(OWNER, "Terms", [Term("window", "Scheibe")])
    translated(client, number)
    assert "Scheibe" in client.get(f"{PATH}/{number}/file").text


def test_a_program_chooses_keys_columns_encoding_and_line_breaks(client: Program, sessions: Sessions):
    def num_segments(data: bytes, name: str, **fields: str) -> int:
        made = send(client, data, name, **fields)
        assert made.status_code == 201, made.text
        return int(client.get(f"{PATH}/{made.json()['id']}").json()["num_segments"])

    data = b'{"id": "one", "items": [{"title": "First", "id": "two"}]}'
    assert num_segments(data, "a.json") == 3
    assert num_segments(data, "a.json", rules="skip *\ntranslate items.*.title\n") == 1
    assert (
        num_segments("Nr;Titel;Text\n1;Žluť;Okno běží\n".encode("cp1250"), "a.csv", columns="2,3", encoding="cp1250")
        == 2
    )
    lines = b"<p>One<br>two</p>"
    choices = {"automatic": 1, "join": 1, "separate": 2}
    assert {choice: num_segments(lines, "a.html", line_breaks=choice) for choice in choices} == choices
    for name, fields in (
        ("a.html", {"line_breaks": "maybe"}),
        ("a.yaml", {"line_breaks": "join"}),
        ("a.json", {"rules": "drop id"}),
        ("a.csv", {"columns": "2"}),
        ("a.csv", {"columns": "2,2"}),
        ("a.txt", {"encoding": "none such"}),
        ("a.txt", {"rules": "skip id"}),
    ):
        refused = send(client, data, name, **fields)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (400, "invalid"), refused.text


@pytest.mark.parametrize(("numbers", "status"), [("false", 201), ("True", 201), ("1", 201), ("maybe", 400)])
def test_numbers_of_a_document_can_be_chosen_in_the_form(client: Program, numbers: str, status: int):
    reply = send(client, b"Open the file.", numbers=numbers)
    assert reply.status_code == status, reply.text
    assert status == 201 or "numbers is 'maybe'; it must be true or false" in reply.text


def test_document_outlives_its_workspace(client: Program, sessions: Sessions):
    number = send(client).json()["id"]
    translated(client, number)
    sessions.open_sample(OWNER)
    assert sessions.workspaces.close_idle(0) == 1
    assert translated(client, number)["num_translated"] == 2
    sessions.delete_unshown(
        OWNER, next(each.id for each in sessions.store.sessions(OWNER) if each.document_name == "manual.txt")
    )
    assert client.get(f"{PATH}/{number}").status_code == 404 and client.get(PATH).json() == {"documents": []}


def test_documents_of_the_page_stay_out_of_the_project_of_a_program(client: Program, sessions: Sessions):
    """Else a program would get their exact matches."""
    own = send(client).json()["project"]
    assert sessions.open_sample(OWNER).project.id != own
    assert [row["id"] for row in sessions.projects.overview(OWNER)["projects"] if row["is_current"]] != [own]


def test_every_route_hides_the_documents_of_others(gateway: ApiGateway, client: Program, keys: ApiFile):
    number = send(client).json()["id"]
    ben = Program(gateway, authorization=f"Bearer {keys.create('Ben', may_export=True)[1]}")
    walked = set()
    for route in document_api.router.routes:
        path = route.path.replace("{number}", number)  # type: ignore[attr-defined]
        for method in route.methods:  # type: ignore[attr-defined]
            if path != PATH:
                reply = ben.request(method, path)
                assert (method, path, reply.status_code) == (method, path, 404)
                assert reply.text == ben.request(method, path.replace(number, "0" * 32)).text
                walked.add((method, path))
    assert len(walked) == 3 and ben.get(PATH).json() == {"documents": []}
    deepl_key = ben.headers["authorization"].replace("Bearer", "DeepL-Auth-Key")
    for path in ("", "/result"):
        reply = ben.post(
            f"/v2/document/{number}{path}", json={"document_key": ""}, headers={"authorization": deepl_key}
        )
        assert reply.status_code == 404
    assert client.get(f"{PATH}/{number}").status_code == 200


def test_project_of_the_page_needs_a_key_that_may_export(
    gateway: ApiGateway, client: Program, keys: ApiFile, sessions: Sessions
):
    """Exact matches of a project's memory are texts of other people."""
    page = sessions.open_sample(OWNER)
    refused = send(client, project=str(page.project.id))
    assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "forbidden")
    first, second = send(client).json(), send(client).json()
    own = sessions.projects.get(OWNER, first["project"])
    assert (own.name, own.shares_memory, second["project"]) == ("Ana (API)", False, own.id)
    assert first["id"] != second["id"]
    opened = next(each for each in sessions.store.sessions(OWNER) if each.project_id == own.id)
    sessions.resume(OWNER, opened.id)  # a person post-edits it
    assert sessions.projects.for_new(OWNER, "en-de").id == page.project.id  # as before
    boss = Program(gateway, authorization=f"Bearer {keys.create('Boss', may_export=True)[1]}")
    assert send(boss, project=str(page.project.id)).json()["project"] == page.project.id
    assert send(boss, project="99").status_code == 400


@pytest.mark.parametrize(
    ("fields", "data", "name", "status", "says"),
    [
        ({"target": "pt"}, TEXT, "a.txt", 400, "No model translates en-pt"),
        ({"target": "../etc"}, TEXT, "a.txt", 400, "not a language code"),
        ({"project": "x"}, TEXT, "a.txt", 400, "project is not a number"),
        ({"formality": "rude"}, TEXT, "a.txt", 400, "form.formality"),
        ({"colour": "red"}, TEXT, "a.txt", 400, "form.colour"),
        ({}, b"\xff\xd8 no text", "a.docx", 400, "a.docx"),
    ],
)
def test_impossible_document_is_refused_and_leaves_nothing(
    client: Program, sessions: Sessions, fields: dict[str, str], data: bytes, name: str, status: int, says: str
):
    reply = send(client, data, name, **fields)
    assert reply.status_code == status and says in reply.json()["error"]["message"]
    assert sessions.store.sessions(OWNER) == [] and client.get(PATH).json() == {"documents": []}


def test_documents_have_limits(client: Program, keys: ApiFile, gateway: ApiGateway, monkeypatch: pytest.MonkeyPatch):
    poor = Program(gateway, authorization=f"Bearer {keys.create('Ben', characters_a_day=30)[1]}")
    assert send(poor).json()["error"]["kind"] == "used_up"
    assert poor.get(PATH).json() == {"documents": []}
    monkeypatch.setattr(gateway_module, "MAX_DOCUMENT_BYTES", 1000)
    large = send(client, b"x" * 1001)
    assert (large.status_code, large.json()["error"]["kind"]) == (413, "too_large")
    documents = gateway.api.state.context.documents
    with documents.receiving("Ana"):
        assert send(client).status_code == 201
        with documents.receiving("Ana"):
            busy = send(client)
            assert (busy.status_code, busy.headers["retry-after"]) == (429, "5")
        with documents.receiving("Ben"), documents.receiving("Ben"), documents.receiving("Cem"):
            assert send(client).status_code == 429
    monkeypatch.setattr("app.serving.api_documents.MAX_DOCUMENTS", 2)
    assert send(client).status_code == 201 and send(client).status_code == 429
    for body in ({"json": {}}, {"data": {"target": "de"}}, {"files": {"other": ("a.txt", b"x")}}):
        assert client.post(PATH, **body).status_code == 400  # type: ignore[arg-type]


def test_client_of_deepl_translates_a_document_once(
    gateway: ApiGateway, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sleep = time.sleep
    monkeypatch.setattr(deepl.translator.time, "sleep", lambda seconds: sleep(0.02))
    with listening(gateway) as address:
        ana = deepl.DeepLClient(key, server_url=address)
        terms = ana.create_glossary("Terms", "EN", "DE", {"window": "Scheibe"})
        result = io.BytesIO()
        status = ana.translate_document(
            io.BytesIO(TEXT), result, source_lang="EN", target_lang="DE", filename="manual.txt", glossary=terms
        )
        assert (status.done, status.billed_characters) == (True, 31)
        assert "Datei" in result.getvalue().decode() and "Scheibe" in result.getvalue().decode()
        first = ana.create_glossary("First", "EN", "DE", {"file": "Akte"})
        handle = ana.translate_document_upload(
            TEXT, source_lang="EN", target_lang="DE", filename="manual.txt", glossary_ids=[first, terms]
        )
        ana.translate_document_wait_until_done(handle)
        ana.translate_document_download(handle, result := io.BytesIO())
        assert "Akte" in result.getvalue().decode() and "Scheibe" in result.getvalue().decode()
        (tmp_path / "a.html").write_text("<p>Save your <b>file</b>.</p>")
        ana.translate_document_from_filepath(
            tmp_path / "a.html", tmp_path / "b.html", target_lang="DE", formality="less"
        )
        assert (tmp_path / "b.html").read_text().startswith("<p>") and "deine" in (tmp_path / "b.html").read_text()
        handle = ana.translate_document_upload(TEXT, target_lang="DE", filename="manual.txt")
        with pytest.raises(deepl.DeepLException, match="no document"):
            ana.translate_document_get_status(deepl.DocumentHandle(handle.document_id, "guess"))
        ana.translate_document_wait_until_done(handle)
        ana.translate_document_download(handle, io.BytesIO())
        with pytest.raises(deepl.DeepLException):  # as with DeepL, a document is there once
            ana.translate_document_download(handle, io.BytesIO())
        with pytest.raises(deepl.DeepLException, match="style_id: this server does not offer style rules"):
            ana.translate_document_upload(TEXT, filename="manual.txt", target_lang="DE", style_rule="1")
        with pytest.raises(deepl.DeepLException, match="keeps its format"):
            ana.translate_document_upload(TEXT, target_lang="DE", filename="manual.txt", output_format="pdf")
