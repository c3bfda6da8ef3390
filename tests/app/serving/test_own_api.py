"""Pinpoint's own dialect: answers of the bundled model, and what is refused."""

from __future__ import annotations

import asyncio
import io
import re
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest

from app.access.actor import OWNER
from app.errors import ApiError, CommandError
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.models.loading import SEARCH, ModelHandle
from app.paths import MODEL_FOLDER
from app.serving import translations
from app.serving.api_limits import MAX_BODY_BYTES
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.serving.own_api import PREFIX
from app.serving.translations import TranslationService
from engine import Translation, Worker
from tests.app.serving.conftest import Program


def ask(client: Program, path: str, **fields: Any) -> Any:
    reply = client.post(f"{PREFIX}/{path}", json={"source": "en", "target": "de", **fields})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_texts_get_their_translations_in_order(client: Program):
    texts = ["The file could not be opened.", "", "Save the file.\n\nClose it. Then go."]
    reply = ask(client, "translate", texts=texts)
    assert (reply["model"], reply["direction"]) == ("en-de", "en-de")
    found = [answer["translations"][0]["text"] for answer in reply["texts"]]
    assert found[0] == "Die Datei konnte nicht geöffnet werden." and found[1] == ""
    assert found[2].count("\n\n") == 1 and len(found[2].split(". ")) == 2
    assert {answer["status"] for answer in reply["texts"]} == {"complete"}


def test_constraints_hold_for_a_text_of_several_sentences(client: Program):
    sentences = ["The file could not be opened.", "A man is riding a red bicycle."]
    plain = ask(client, "translate", texts=sentences)["texts"]
    item = {"text": "\n".join(sentences), "phrases": ["Rad"], "prefix": "Die Datei konnte", "nbest": 3}
    (answer,) = ask(client, "translate", texts=[item])["texts"]
    assert len(answer["translations"]) == 3
    first, second = answer["translations"][0]["text"].split("\n")
    assert first == plain[0]["translations"][0]["text"] and re.search(r"\bRad\b", second)
    for translation in answer["translations"]:
        [place] = translation["placements"]
        assert translation["text"][place["start"] : place["end"]] == "Rad"
    (whole,) = ask(client, "translate", texts=[item], splitting="none")["texts"]
    assert "\n" not in whole["translations"][0]["text"]


def test_programs_get_an_error_if_translation_servers_cannot_be_reached(client: Program, monkeypatch):
    monkeypatch.setattr(Worker, "outage", "there is no Ray cluster at 'auto'")
    reply = client.post(f"{PREFIX}/translate", json={"target": "de", "texts": ["Save the file."]})
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "30")
    assert "The translation servers cannot be reached: try again later." in reply.text
    assert "Ray" not in reply.text
    monkeypatch.undo()
    assert ask(client, "translate", texts=["Save the file."])["texts"][0]["status"] == "complete"


def test_running_request_fails_soon_after_the_translation_servers_are_lost(client: Program, monkeypatch):
    def submit(*_: object, **__: object) -> Future[Translation]:
        monkeypatch.setattr(Worker, "outage", "Ray does not answer")
        return Future()  # the reply would come after the outage

    monkeypatch.setattr(Worker, "submit", submit)
    monkeypatch.setattr(translations, "ANSWER_SECONDS", 20.0)
    reply = client.post(f"{PREFIX}/translate", json={"target": "de", "texts": ["Save the file."]})
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "30")
    assert "The translation servers cannot be reached: try again later." in reply.text


def test_constraints_are_met_and_their_places_are_returned(client: Program):
    item = {
        "text": "Click <b>{0}</b> to open the file.",
        "phrases": ["Dokument", {"text": "öffnen", "count": 1}],
        "avoid": ["Klicken"],
        "nbest": 3,
    }
    (answer,) = ask(client, "translate", texts=[item])["texts"]
    assert answer["status"] == "complete" and 1 <= len(answer["translations"]) <= 3
    for translation in answer["translations"]:
        text = translation["text"]
        assert "<b>{0}</b>" in text and "Klicken" not in text and translation["unmet"] == []
        places = {place["phrase"]: text[place["start"] : place["end"]] for place in translation["placements"]}
        assert (places[0], places[1]) == ("Dokument", "öffnen")
    ranks = [translation["ranking_score"] for translation in answer["translations"]]
    assert ranks == sorted(ranks, reverse=True)


def test_phrase_with_source_words_replaces_their_translation(client: Program):
    text = "The file could not be opened because the disk is full."
    items = [
        {"text": text, "phrases": [{"text": "Akte", "source_span": [text.index(word), text.index(word) + 4]}]}
        for word in ("file", "disk")
    ]
    found = [answer["translations"][0]["text"] for answer in ask(client, "translate", texts=items)["texts"]]
    assert found[0].startswith("Die Akte konnte") and "Platte voll" in found[0]
    assert found[1].startswith("Die Datei konnte") and "Akte voll" in found[1]


def test_beginning_and_locked_texts_are_kept(client: Program):
    item = {"text": "The file could not be opened.", "prefix": "Leider ", "locked": ["Datei", "öffnen"]}
    (answer,) = ask(client, "translate", texts=[item])["texts"]
    text = answer["translations"][0]["text"]
    assert text.startswith("Leider ") and 0 < text.find("Datei") < text.find("öffnen")


@pytest.mark.parametrize("text", ["The file could not be opened.", "The <b>file</b> could not be {verb} by %s."])
def test_translation_ends_with_the_suffix(client: Program, text: str):
    (answer,) = ask(client, "translate", texts=[{"text": text, "suffix": "sich nicht öffnen."}])["texts"]
    assert answer["status"] == "complete"
    assert answer["translations"][0]["text"].endswith(" sich nicht öffnen.")


def test_followed_translation_changes_only_where_a_phrase_requires_it(client: Program):
    earlier = "Man kann die Datei leider nicht auf dem Rechner speichern."
    item = {"text": "The file cannot be saved on the computer.", "phrases": ["Dokument"], "follow": earlier}
    (free, followed) = (
        ask(client, "translate", texts=[each])["texts"][0]["translations"][0]["text"]
        for each in ({**item, "follow": ""}, item)
    )
    assert "Dokument" in free and "Dokument" in followed

    def num_common(text: str) -> int:
        return len(set(text.split()) & set(earlier.split()))

    assert num_common(followed) > num_common(free)


def test_aligned_words_are_pairs_of_both_texts(client: Program):
    text = "Save the file.\n\nThe red <b>house</b> is small."
    (answer,) = ask(client, "translate", texts=[text])["texts"]
    best = answer["translations"][0]
    pairs = {(text[a:b], best["text"][c:d]) for a, b, c, d in best["alignment"]}
    assert {("file", "Datei"), ("red", "rote"), ("house", "Haus")} <= pairs, (best["text"], pairs)


def test_alignment_follows_british_spelling(client: Program):
    text = "Die Farbe der Mitte ist rot."
    best = ask(client, "translate", source="de", target="en-GB", texts=[text])["texts"][0]["translations"][0]
    pairs = {(text[a:b], best["text"][c:d]) for a, b, c, d in best["alignment"]}
    assert {("Farbe", "colour"), ("rot", "red")} <= pairs, (best["text"], pairs)


@pytest.mark.parametrize(
    ("source", "target", "text", "expected"),
    [
        ("en", "de", "Hello.\n\nPlease sign <b>the delivery note</b>.", [("the delivery note", "den Lieferschein")]),
        ("de", "en-GB", "Farbe: rot. Die Probezeit beträgt ein Jahr.", [("Probezeit", "probationary period")]),
    ],
)
def test_texts_of_lists_are_named(
    client: Program, source: str, target: str, text: str, expected: list[tuple[str, str]]
):
    best = ask(client, "translate", source=source, target=target, texts=[text])["texts"][0]["translations"][0]
    found = [(text[slice(*one["source_span"])], best["text"][one["start"] : one["end"]]) for one in best["listed"]]
    assert found == expected, best["text"]
    assert [one["form"] for one in best["listed"]] == [form for _, form in expected]


def test_impossible_constraints_are_data_and_not_an_error(client: Program):
    item = {"text": "Open the file.", "phrases": ["Datei"], "avoid": [], "prefix": "", "locked": []}
    item["phrases"] = [{"text": "Datei", "max_count": 1}, {"text": "Datei öffnen", "max_count": 1, "count": 1}, "Ω≋⌘"]
    (answer,) = ask(client, "translate", texts=[item])["texts"]
    assert answer["status"] == "infeasible" and answer["translations"] == []
    assert answer["reasons"][0]["phrase"] == 2


def test_source_language_is_seen_from_the_text(client: Program):
    reply = ask(client, "translate", source=None, target="en", texts=["Die Datei konnte nicht geöffnet werden."])
    assert reply["direction"] == "de-en" and "file" in reply["texts"][0]["translations"][0]["text"]


def test_form_of_address_is_asked_of_the_model(client: Program):
    text = "Save your file before you close it."
    texts = [
        ask(client, "translate", formality=formality, texts=[text])["texts"][0]["translations"][0]["text"]
        for formality in ("formal", "informal")
    ]
    assert "Ihre Datei" in texts[0] and "deine Datei" in texts[1]
    fields = {"target": "en", "source": "de", "formality": "formal", "texts": ["Datei"]}
    refused = client.post(f"{PREFIX}/translate", json=fields)
    assert refused.status_code == 400 and "does not support the formality" in refused.json()["error"]["message"]


# Prices are computed without drafts and without scores of the reverse direction.
@pytest.mark.parametrize("search", [replace(SEARCH, draft_strength=0.0, reverse_weight=0.0)])
def test_prices_are_differences_of_scores(client: Program):
    fields = {"text": "Open the <b>file</b>.", "phrases": ["Dokument"], "avoid": ["Öffnen"]}
    reply = ask(client, "prices", **fields)
    assert "Dokument" in reply["constrained"] and "Dokument" not in reply["free"]
    assert reply["total"] > 0 and reply["phrases"][0] > 0 and len(reply["avoid"]) == 1

    def score(**item: Any) -> float:
        (answer,) = ask(client, "translate", texts=[{"text": fields["text"], **item}], splitting="none")["texts"]
        return float(answer["translations"][0]["score"])

    with_all = score(phrases=["Dokument"], avoid=["Öffnen"])
    assert reply["total"] == pytest.approx(score() - with_all, abs=1e-4)
    assert reply["phrases"][0] == pytest.approx(score(avoid=["Öffnen"]) - with_all, abs=1e-4)


def test_alternatives_replace_a_word_and_keep_what_is_before(client: Program):
    text = "Die <b>Datei</b> konnte nicht geöffnet werden."
    fields = {"text": "The <b>file</b> could not be opened.", "translation": text, "offset": text.index("konnte")}
    found = ask(client, "alternatives", **fields, count=3)["alternatives"]
    assert 1 <= len(found) <= 3
    for each in found:
        assert each["text"].startswith("Die <b>Datei</b> " + each["word"]) and each["word"] != "konnte"


def test_places_of_a_phrase_change_nothing_else_and_keep_tags(client: Program):
    text = "Die <b>Datei</b> konnte nicht geöffnet werden."
    fields = {"text": "The <b>file</b> could not be opened.", "translation": text, "phrases": ["x5", "leider"]}
    found = ask(client, "places", **fields, phrase=1, count=3)["places"]
    assert len(found) == 3
    for each in found:
        (place,) = [place for place in each["placements"] if place["phrase"] == 1]
        assert each["text"][place["start"] : place["end"]] == "leider"
        assert each["text"].count("<b>") == each["text"].count("</b>") == 1
    assert found[0]["text"].replace("leider ", "") == text
    refused = client.post(f"{PREFIX}/places", json={"target": "de", **fields, "phrase": 2})
    assert refused.status_code == 400 and "2 phrases" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "fields", "status", "says"),
    [
        ("translate", {"texts": []}, 400, "texts"),
        ("translate", {"texts": ["x"] * 51}, 400, "texts"),
        ("translate", {"texts": ["x" * 10_001]}, 400, "10000 characters"),
        ("translate", {"texts": ["x"], "target": "pt"}, 400, "No model translates en-pt. Available: en-de, de-en"),
        ("translate", {"texts": ["x"], "target": "../etc"}, 400, "not a language code"),
        ("translate", {"texts": ["x"], "colour": "red"}, 400, "colour"),
        ("translate", {"texts": [{"text": "x", "phrases": [" "]}]}, 400, "empty"),
        (
            "translate",
            {"texts": [{"text": "x", "phrases": [{"text": "y", "count": "2"}]}]},
            400,
            "texts.0.phrases.0.count: ",
        ),
        ("translate", {"texts": [{"text": "x", "phrases": [{"text": "y", "source_span": [0, 9]}]}]}, 400, "(0, 9)"),
        ("translate", {"texts": [{"text": "x", "phrases": [{"text": "y", "source_span": [0]}]}]}, 400, "source_span"),
        ("translate", {"texts": [{"text": "x", "nbest": 21}]}, 400, "nbest"),
        ("translate", {"texts": ["x"], "domain": "cooking"}, 400, "domain"),
        ("alternatives", {"text": "x", "translation": "y", "offset": 1}, 400, "offset"),
        ("alternatives", {"text": "x", "translation": "y z", "offset": 1}, 400, "not on a word"),
        ("alternatives", {"text": "x", "translation": "y" * 10_001, "offset": 1}, 400, "10,000 can be followed"),
        ("nowhere", {}, 404, "does not offer POST"),
        ("usage", {}, 405, "does not offer POST"),
    ],
)
def test_bad_request_gets_an_error_that_names_the_place(
    client: Program, path: str, fields: dict[str, Any], status: int, says: str
):
    reply = client.post(f"{PREFIX}/{path}", json={"source": "en", "target": "de", **fields})
    assert reply.status_code == status, reply.text
    assert says in reply.json()["error"]["message"] and reply.json().keys() == {"error"}
    assert reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (f"{PREFIX}/translate", {"texts": [{"text": "x", "phrases": ["y"] * 50, "nbest": 20}] * 3}),
        (f"{PREFIX}/translate", {"texts": [{"text": "x", "phrases": [{"text": "y", "count": 20}] * 7, "nbest": 20}]}),
        (f"{PREFIX}/translate", {"texts": [{"text": "x", "avoid": ["y"] * 50, "locked": ["z"]}] * 50}),
        ("/v2/translate", {"text": ["x"] * 50, "pinpoint": {"phrases": ["y"] * 5, "nbest": 10}}),
    ],
)
def test_product_of_texts_constraints_and_translations_is_limited_and_a_refused_request_costs_nothing(
    client: Program, keys: ApiFile, key: str, path: str, fields: dict[str, Any]
):
    languages = {"source_lang": "EN", "target_lang": "DE"} if path.startswith("/v2") else {"target": "de"}
    scheme = "DeepL-Auth-Key" if path.startswith("/v2") else "Bearer"
    reply = client.post(path, json={**languages, **fields}, headers={"authorization": f"{scheme} {key}"})
    assert reply.status_code == 413, reply.text
    assert "at most 2,500" in reply.text and len(reply.json()) == 1
    assert keys.characters_today(keys.keys()[0]) == 0


def test_translations_are_in_the_order_of_the_score_that_ranks_them(client: Program):
    texts = [{"text": text, "nbest": 5} for text in ("The file could not be opened.", "Save all open files first.")]
    for answer in ask(client, "translate", texts=texts)["texts"]:
        scores = [each["ranking_score"] for each in answer["translations"]]
        assert len(scores) == 5 and scores == sorted(scores, reverse=True)


def test_avoided_text_in_code_that_is_kept_is_reported(client: Program):
    texts = [{"text": "Use the option --info here.", "avoid": ["info"]}, {"text": "Open it.", "avoid": ["info"]}]
    first, second = ask(client, "translate", texts=texts)["texts"]
    assert "--info" in first["translations"][0]["text"]
    assert [reason["kind"] for reason in first["reasons"]] == ["avoided"] and second["reasons"] == []
    assert "'--info' is kept" in first["reasons"][0]["message"]


@pytest.mark.parametrize("fields", [{"target": "fr"}, {"texts": ["x"], "domain": "cooking"}])
def test_refused_translation_is_not_counted(client: Program, keys: ApiFile, fields: dict[str, Any]):
    reply = client.post(f"{PREFIX}/translate", json={"source": "en", "target": "de", "texts": ["Open."], **fields})
    assert reply.status_code == 400 and keys.characters_today(keys.keys()[0]) == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"{PREFIX}/translate", rb'{"texts": ["a \ud800"], "source": "en", "target": "de"}'),
        ("/v2/translate", rb'{"text": "a \ud800", "source_lang": "EN", "target_lang": "DE"}'),
        ("/translate", rb'{"q": "a \ud800", "source": "en", "target": "de"}'),
        ("/translate", b'{"src": "a", "id": NaN}'),
        ("/translate", rb'{"src": "a", "id": "\ud800"}'),
    ],
)
def test_unencodable_text_is_refused(client: Program, key: str, path: str, body: bytes):
    scheme = "DeepL-Auth-Key" if path.startswith("/v2/") else "Bearer"
    headers = {"content-type": "application/json", "authorization": f"{scheme} {key}"}
    reply = client.post(path, content=body, headers=headers)
    assert reply.status_code == 400, reply.text


def test_error_shows_no_path_of_the_server(client: Program, keys: ApiFile, caplog: pytest.LogCaptureFixture):
    keys.connection.db.execute("DROP TABLE use")
    reply = client.get(f"{PREFIX}/usage")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "30")
    assert str(keys.connection.path) not in reply.text and str(keys.connection.path) in caplog.text


async def in_parts() -> AsyncIterator[bytes]:
    for _ in range(3):
        yield b"x" * 2**20


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({"path": Path("/srv/secret/a.tmx"), "error": "it is damaged"}, "a.tmx: it is damaged"),
        ({"path": Path("/srv/secret/a.tmx"), "error": OSError(13, "No access", "/srv/secret/a")}, "a.tmx: No access"),
    ],
)
def test_error_of_the_app_shows_no_folder_of_the_server(
    gateway: ApiGateway, client: Program, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    values: dict[str, object], shown: str,
):  # fmt: skip
    def fail(*_: object) -> None:
        raise CommandError("{path}: {error}", **values)

    monkeypatch.setattr(gateway.api.state.context.documents, "all_of", fail)
    reply = client.get(f"{PREFIX}/documents")
    assert (reply.status_code, reply.json()["error"]["message"]) == (400, shown)
    assert "/srv/secret" in caplog.text


def test_broken_json_and_large_bodies_are_refused(client: Program):
    broken = client.post(f"{PREFIX}/translate", content=b"{", headers={"content-type": "application/json"})
    assert (broken.status_code, broken.json()["error"]["kind"]) == (400, "invalid")
    large = client.post(f"{PREFIX}/translate", content=b"x" * (MAX_BODY_BYTES + 1))
    without_length = client.post(f"{PREFIX}/translate", content=in_parts())
    assert [(reply.status_code, reply.json()["error"]["kind"]) for reply in (large, without_length)] == [
        (413, "too_large")
    ] * 2


def test_missing_wrong_and_revoked_keys_are_refused_alike(gateway: ApiGateway, keys: ApiFile):
    anybody = Program(gateway)
    key, text = keys.create("Ben")
    replies = [
        anybody.get(f"{PREFIX}/usage", headers=headers)
        for headers in ({}, {"authorization": "Bearer pinpoint-guess"}, {"authorization": f"Basic {text}"})
    ]
    keys.revoke(key.id)
    replies.append(anybody.get(f"{PREFIX}/usage", headers={"authorization": f"Bearer {text}"}))
    assert {reply.status_code for reply in replies} == {401}
    assert {reply.headers["www-authenticate"] for reply in replies} == {"Bearer"}
    assert "Ben" not in "".join(reply.text for reply in replies)


def test_exceeded_limit_is_reported_with_the_time_to_wait(gateway: ApiGateway, keys: ApiFile):
    text = keys.create("Ben", requests_a_minute=3, characters_a_day=10)[1]
    slow = Program(gateway, authorization=f"Bearer {text}")
    used_up = slow.post(f"{PREFIX}/translate", json={"source": "en", "target": "de", "texts": ["This is too long."]})
    assert (used_up.status_code, used_up.json()["error"]["kind"]) == (429, "used_up")
    usage, _ = (slow.get(f"{PREFIX}/usage").json() for _ in range(2))
    assert usage == {"name": "Ben", "characters_today": 0, "characters_a_day": 10, "requests_a_minute": 3}
    too_fast = slow.get(f"{PREFIX}/usage")
    assert (too_fast.status_code, too_fast.json()["error"]["kind"]) == (429, "too_fast")
    assert 1 <= int(too_fast.headers["retry-after"]) <= 60


def test_description_lists_the_addresses_and_needs_no_other_site(client: Program):
    reply = client.get(f"{PREFIX}/openapi.json")
    described = reply.json()
    assert {f"{PREFIX}/translate", f"{PREFIX}/prices", f"{PREFIX}/alternatives"} <= described["paths"].keys()
    assert "://" not in reply.text


def test_models_are_listed_with_their_styles(client: Program):
    (only,) = client.get(f"{PREFIX}/models").json()["models"]
    assert only["directions"] == ["en-de", "de-en"] and only["formalities"] == {"en-de": ["formal", "informal"]}


def test_sessions_are_read_with_a_key_that_may_export(
    gateway: ApiGateway, client: Program, keys: ApiFile, store: LogStore
):
    record = store.start_session(OWNER, read_document(b"Open the file.\nClose it.", "manual.txt"), "en-de")
    assert client.get(f"{PREFIX}/sessions").status_code == 403
    assert client.get(f"{PREFIX}/sessions/{record.id}/document").status_code == 403
    reader = Program(gateway, authorization=f"Bearer {keys.create('Boss', may_export=True)[1]}")
    listed = reader.get(f"{PREFIX}/sessions")
    (only,) = listed.json()["sessions"]
    assert (only["document"], only["num_segments"], only["direction"]) == ("manual.txt", 2, "en-de")
    assert record.token not in listed.text
    for kind in listed.json()["kinds"]:
        reply = reader.get(f"{PREFIX}/sessions/{record.id}/{kind}")
        assert reply.status_code == 200 and "attachment" in reply.headers["content-disposition"], kind
    assert reader.get(f"{PREFIX}/sessions/{record.id}/document").content == b"Open the file.\nClose it."
    table = reader.get(f"{PREFIX}/sessions/{record.id}/review.docx", params={"segments": "2", "states": "new"})
    assert [row.cells[1].text for row in docx.Document(io.BytesIO(table.content)).tables[0].rows[1:]] == ["Close it."]
    for kind, params in (
        ("review.docx", {"segments": "x"}),
        ("log.csv", {"segments": "1"}),
        ("document", {"states": "new"}),
    ):
        assert reader.get(f"{PREFIX}/sessions/{record.id}/{kind}", params=params).status_code in (400, 422)
    for path in (f"{record.id}/virus.exe", "99/document"):
        assert reader.get(f"{PREFIX}/sessions/{path}").status_code == 404


@pytest.mark.parametrize(
    ("path", "scheme", "kind"),
    [
        (f"{PREFIX}/translate", "Bearer", "application/json"),
        (f"{PREFIX}/documents", "Bearer", "multipart/form-data; boundary=x"),
        ("/v2/document", "DeepL-Auth-Key", "multipart/form-data; boundary=x"),
        ("/translate", "Bearer", "multipart/form-data; boundary=x"),
        ("/MTRestService/TranslatePost", "Bearer", "application/json"),
    ],
)
def test_hangup_while_the_body_is_sent_is_not_logged_as_server_error(
    gateway: ApiGateway, key: str, path: str, scheme: str, kind: str
):
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "root_path": ""}
    scope |= {"http_version": "1.1", "scheme": "http", "raw_path": path.encode(), "client": ("127.0.0.1", 1)}
    headers = {b"host": b"127.0.0.1:7860", b"authorization": f"{scheme} {key}".encode(), b"content-type": kind.encode()}
    scope["headers"] = list(headers.items())
    messages = [{"type": "http.request", "body": b"--x\r\n", "more_body": True}]
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    asyncio.run(gateway(scope, receive, send))
    assert statuses[0] == 499
    documents = gateway.api.state.context.documents
    with documents.receiving("Ana"), documents.receiving("Ana"):
        pass


def test_hangup_cancels_running_work_of_the_model(gateway: ApiGateway, key: str, model: ModelHandle):
    """The caller hangs up as soon as the request was read; nothing is left for the model."""
    body = b'{"source": "en", "target": "de", "texts": ["' + b"The file is large. " * 200 + b'"]}'
    scope = {"type": "http", "method": "POST", "path": f"{PREFIX}/translate", "query_string": b"", "root_path": ""}
    scope |= {"http_version": "1.1", "scheme": "http", "raw_path": b"", "client": ("127.0.0.1", 1)}
    headers = {b"host": b"127.0.0.1:7860", b"content-length": str(len(body)).encode()}
    headers |= {b"authorization": f"Bearer {key}".encode(), b"content-type": b"application/json"}
    scope["headers"] = list(headers.items())
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    before = model.status()["num_answered"]
    asyncio.run(gateway(scope, receive, send))
    assert sent[0]["status"] == 499
    model.engine.submit(_request(), None, key="after", owner="test", priority="document").result(60)
    assert model.status()["num_answered"] - before < 20
    assert model.status()["queue_length"] == 0


def _request() -> Any:
    from engine import Request

    return Request("Open.", direction="en-de")


@pytest.fixture
def starting() -> ModelHandle:
    """A model that is being loaded."""
    handle = ModelHandle(MODEL_FOLDER)
    handle.describe()
    return handle


def test_requests_wait_in_no_thread_for_a_model_that_is_being_loaded(starting: ModelHandle, model: ModelHandle):
    service = TranslationService(lambda: [starting], SEARCH)

    async def ask() -> set[str]:
        num_threads = threading.active_count()
        setups = [asyncio.create_task(service.setup("en", "de", "A file.")) for _ in range(50)]
        await asyncio.wait(setups, timeout=0.1)
        assert threading.active_count() == num_threads and not any(setup.done() for setup in setups)
        assert model.engine is not None
        starting.adopt(model.engine)
        return {setup.direction for setup in await asyncio.gather(*setups)}

    assert asyncio.run(ask()) == {"en-de"}


@pytest.mark.parametrize(
    ("source", "target", "seconds", "kind"),
    [
        ("en", "de", 0.05, "not_ready"),  # the model takes too long
        ("en", "fr", 60.0, "not_ready"),  # it will not translate this
        (None, "?", 60.0, "unsupported"),
    ],
)
def test_request_does_not_wait_longer_than_it_helps(
    starting: ModelHandle, source: str | None, target: str, seconds: float, kind: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(translations, "LOADING_SECONDS", seconds)
    with pytest.raises(ApiError) as error:
        asyncio.run(TranslationService(lambda: [starting], SEARCH).setup(source, target, "A file."))
    assert error.value.kind == kind


def test_request_that_waits_for_a_model_fails_as_soon_as_loading_fails(tmp_path: Path):
    handle = ModelHandle(tmp_path / "nothing")

    async def ask() -> None:
        setup = asyncio.create_task(TranslationService(lambda: [handle], SEARCH).setup(None, "de", "A file."))
        await asyncio.sleep(0)
        handle.load_in_background()
        await setup

    with pytest.raises(ApiError) as error:
        asyncio.run(ask())
    assert error.value.kind == "not_ready"
