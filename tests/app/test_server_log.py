"""Lines about the server's work: what they have, and that texts, names and secrets are in none of them."""

from __future__ import annotations

import json
import logging
import re
import signal
import sys
from pathlib import Path

import httpx
import pytest
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser

from app.paths import MODEL_FOLDER
from app.segments.segment_constraints import Constraints
from app.server_log import EventFormatter, area, fields, set_up
from app.serving.keys import ApiFile
from app.settings import LogFormat
from tests.e2e.conftest import ForkedApp
from tests.hard.page_client import PageClient

CANARY = "Kanarienvogel"


def line_of(logger: str, message: str, *args: object, error: Exception | None = None, **given: object) -> dict:
    try:
        if error:
            raise error
        info = None
    except Exception:
        info = sys.exc_info()
    record = logging.getLogger(logger).makeRecord(
        logger, logging.WARNING, __file__, 1, message, args, info, extra=fields(**given) if given else None
    )
    text = EventFormatter("text").format(record)
    line = EventFormatter("json").format(record)
    assert CANARY not in text + line and "\n" not in text + line
    return json.loads(line)


def test_exception_is_written_with_class_and_place_and_without_its_message() -> None:
    event = line_of("pinpoint", "a command failed", error=ValueError(f"{CANARY}\nin line 2"))
    assert (event["event"], event["error"], event["level"]) == ("a command failed", "ValueError", "warning")
    assert event["frames"].startswith("tests/app/test_server_log.py:")


def test_arguments_of_a_message_are_left_out() -> None:
    assert line_of("app.serving.gateway", "%s", CANARY)["event"] == "%s"
    assert line_of("uvicorn.error", f"Invalid request: {CANARY}")["event"] == "message"


def test_fields_are_written() -> None:
    assert line_of("pinpoint.requests", "request", status=200, ms=1.5)["status"] == 200


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "/"),
        ("/download/secret/docx", "/download/"),
        ("/glossary/secret", "/glossary/"),
        ("/api/v1/documents/7", "/api/v1/"),
        (f"/{CANARY}", "other"),
    ],
)
def test_only_the_beginning_of_an_address_is_written(path: str, shown: str) -> None:
    assert area(path) == shown


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_log_lines_of_the_server_contain_no_texts_names_or_secrets(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    keys = ApiFile.beside(log)
    key = keys.create(CANARY)[1]
    keys.close()
    app = ForkedApp(MODEL_FOLDER, log, "--api", "--log-format", "json")
    try:
        url = re.match(r"http://[\w.]+:\d+", app.address).group()  # type: ignore[union-attr]
        token = (tmp_path / "log.sqlite.token").read_text("utf-8").strip()
        client = PageClient(url)
        client._http.headers["Authorization"] = f"Bearer {token}"
        session = client.begin(f"{CANARY}.txt")
        client.command("edit", segment=1, text=CANARY, origin="typed")
        constraints = Constraints((CANARY,), prefix=CANARY).to_json()
        client.command("constrain", segment=2, constraints=constraints, origin="person")
        with pytest.raises(RuntimeError, match="bans"):
            client.command("constrain", segment=2, constraints={**constraints, "bans": [CANARY]}, origin="person")
        with pytest.raises((RuntimeError, httpx.HTTPStatusError)):
            client.command(CANARY, segment=CANARY)
        with pytest.raises((RuntimeError, httpx.HTTPStatusError)):
            client.command("open_document", file=f"{CANARY}.docx", data="AAAA")
        http = httpx.Client(base_url=url, trust_env=False, timeout=60, headers={"Authorization": f"Bearer {token}"})
        answers = [
            http.post(f"/glossary/{session}?file={CANARY}.csv", content=f"{CANARY},{CANARY}\n".encode()),
            http.post(f"/archive/{session}?file={CANARY}.zip", content=CANARY.encode()),
            http.get(f"/download/{session}/txt?{CANARY}={CANARY}"),
            http.get(f"/{CANARY}?token={token}", headers={"Cookie": f"{CANARY}={token}"}),
            http.post("/gradio_api/component_server", content=f'{{"{CANARY}'.encode()),
            http.get("/", headers={"Host": f"{CANARY}.example"}),
        ]
        program = {"Authorization": f"Bearer {key}"}
        texts = {"target": "de", "texts": [{"text": f"{CANARY} {CANARY}.", "phrases": [CANARY]}]}
        answers += [
            http.post("/api/v1/translate", json=texts, headers=program),
            http.post("/api/v1/translate", json={"target": CANARY, "texts": CANARY}, headers=program),
            http.post("/v2/translate", data={"text": CANARY, "target_lang": CANARY}, headers=program),
            http.get(f"/translate?q={CANARY}&langpair={CANARY}", headers={"Authorization": f"Bearer {CANARY}"}),
        ]
        statuses = [answer.status_code for answer in answers]
        assert statuses[0] == 200 and statuses[6] == 200 and {403, 404} <= set(statuses)
    finally:
        app.process.send_signal(signal.SIGTERM)
    assert app.process.wait(60) == 0
    lines = app.read_to_the_end()
    assert [line for line in lines if any(each in line for each in (CANARY, token, key, session))] == []
    events = [json.loads(line) for line in lines]
    assert (events[0]["event"], events[-1]["event"]) == ("started", "stopped")
    requests = [event for event in events if event["event"] == "request"]
    assert {"/gradio_api/component_server", "/glossary/", "/api/v1/", "other"} <= {each["address"] for each in requests}
    assert len({each["person"] for each in requests if "person" in each}) <= 1
    assert all(each["ms"] >= 0 and "bytes" in each for each in requests)


@pytest.mark.parametrize("log_format", [None, "text", "json"])
def test_invalid_form_is_not_logged_with_its_content(
    log_format: LogFormat | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setattr(logging, "captureWarnings", lambda _: None)
    for name in ("python_multipart", "pinpoint"):  # whose levels come back after the test
        monkeypatch.setattr(logging.getLogger(name), "level", logging.getLogger(name).level)
    set_up(log_format)
    with pytest.raises(MultipartParseError):
        MultipartParser(b"boundary").write(b"--not the boundary")
    assert caplog.records == []
