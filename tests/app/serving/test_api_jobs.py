"""Jobs of the HTTP API: many texts in the background, with progress, results and cancelling."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.errors import ApiError, LogError
from app.serving import api_jobs, stored_jobs, translations
from app.serving.gateway import ApiGateway
from app.serving.job_api import PATH
from app.serving.keys import ApiFile
from app.serving.stored_jobs import StoredJobs
from app.ui.server import Server, bind, server_config
from engine.text import TextCodec
from tests.app.log.test_wrong_values import failures
from tests.app.serving.conftest import listening
from tests.e2e.conftest import ForkedApp, save_random_model

TEXTS = [f"Open file {number}." for number in range(60)]


@pytest.fixture
def server(gateway: ApiGateway, key: str) -> Iterator[httpx.Client]:
    """A program with Ana's key, at a server whose event loop goes on between requests."""
    headers = {"Authorization": f"Bearer {key}"}
    with listening(gateway) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        yield client


def create(server: httpx.Client, texts: list[Any], **fields: Any) -> dict[str, Any]:
    reply = server.post(PATH, json={"source": "en", "target": "de", "texts": texts, **fields})
    assert reply.status_code == 201, reply.text
    return dict(reply.json())


def ended(server: httpx.Client, number: str) -> dict[str, Any]:
    end = time.monotonic() + 120
    while (job := server.get(f"{PATH}/{number}").json())["state"] == "running":
        assert time.monotonic() < end
        time.sleep(0.02)
    return dict(job)


def without_scores(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Scores differ in the seventh digit if a text shares its steps with other texts."""
    scores = ("score", "log_prob", "ranking_score")
    return [
        {
            **answer,
            "translations": [{k: v for k, v in each.items() if k not in scores} for each in answer["translations"]],
        }
        for answer in answers
    ]


def characters(server: httpx.Client) -> int:
    return int(server.get("/api/v1/usage").json()["characters_today"])


def test_results_are_those_of_single_requests_in_order(server: httpx.Client) -> None:
    texts = [*TEXTS, {"text": "Open the file.", "phrases": ["Dokument"], "nbest": 2}]
    job = create(server, texts)
    assert (job["num_texts"], job["direction"]) == (61, "en-de")
    assert characters(server) == sum(map(len, TEXTS)) + len("Open the file.")
    assert [each["id"] for each in server.get(PATH).json()["jobs"]] == [job["id"]]
    assert ended(server, job["id"]) == {**job, "state": "done", "num_done": 61}
    found = server.get(f"{PATH}/{job['id']}/result").json()
    single = server.post("/api/v1/translate", json={"source": "en", "target": "de", "texts": texts[30:]}).json()
    assert without_scores(found["texts"][30:]) == without_scores(single["texts"])
    assert (found["model"], len(found["texts"])) == (single["model"], 61)
    assert server.delete(f"{PATH}/{job['id']}").status_code == 204
    assert server.get(PATH).json() == {"jobs": []}


def test_job_of_another_person_does_not_exist(server: httpx.Client, keys: ApiFile) -> None:
    number = create(server, TEXTS[:1])["id"]
    _, other = keys.create("Ben")
    for method, path in (("GET", ""), ("GET", "/result"), ("DELETE", "")):
        headers = {"Authorization": f"Bearer {other}"}
        assert server.request(method, f"{PATH}/{number}{path}", headers=headers).status_code == 404
    assert ended(server, number)["state"] == "done"


def test_deleted_job_ends_before_its_last_text(server: httpx.Client, gateway: ApiGateway) -> None:
    long = "The man who saw the red house on the hill did not open the large door of the old garden. " * 3
    jobs = gateway.api.state.context.jobs
    number = create(server, [f"{number}: {long}" for number in range(2000)])["id"]
    assert jobs.num_running == 1
    assert server.delete(f"{PATH}/{number}").status_code == 204
    assert server.get(f"{PATH}/{number}").status_code == 404
    began = time.monotonic()
    while jobs.num_running:
        assert time.monotonic() < began + 60  # all texts would take several minutes
        time.sleep(0.02)


def test_job_over_a_limit_is_refused_and_costs_nothing(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(texts: list[Any]) -> tuple[int, str]:
        reply = server.post(PATH, json={"source": "en", "target": "de", "texts": texts})
        return reply.status_code, reply.json()["error"]["message"]

    assert refused(["a"] * 2_001)[0] == 400
    assert refused([{"text": "a", "phrases": ["b"] * 50, "nbest": 20}] * 50)[0] == 413
    monkeypatch.setattr(stored_jobs, "MAX_RUNNING_JOBS", 0)
    assert refused(["a"]) == (429, "At most 0 jobs of a person run at once.")
    for limit, says in (
        ("MAX_ALL_JOB_BYTES", "The jobs of all people may have 0 bytes"),
        ("MAX_PERSON_JOB_BYTES", "The jobs of a person may have 0 bytes"),
        ("MAX_JOBS", "0 in all: delete jobs whose results you have"),
        ("MAX_JOBS_EACH", "0 jobs of a person"),
    ):
        monkeypatch.setattr(stored_jobs, limit, 0)
        assert says in refused(["a"])[1]
    assert (characters(server), server.get(PATH).json()) == (0, {"jobs": []})


def test_failed_job_keeps_what_it_had(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_jobs, "MAX_JOB_BYTES", 400)
    job = ended(server, create(server, TEXTS[:2])["id"])
    assert (job["state"], job["num_done"]) == ("failed", 0) and "more than 400 bytes" in job["problem"]
    monkeypatch.undo()
    monkeypatch.setattr(translations, "ANSWER_SECONDS", 0.0)
    job = ended(server, create(server, TEXTS)["id"])
    assert job["state"] == "failed" and "no answer" in job["problem"]


@contextmanager
def running(gateway: ApiGateway, key: str) -> Iterator[httpx.Client]:
    """A program at a server as the app starts and stops it."""
    listener = bind("127.0.0.1", 0)
    server = Server(server_config(gateway), gateway.stop, starts=[gateway.start])
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    headers = {"Authorization": f"Bearer {key}"}
    try:
        with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def stored(keys: ApiFile) -> StoredJobs:
    return StoredJobs(keys)


def counting(gateway: ApiGateway, monkeypatch: pytest.MonkeyPatch, *, fails_after: int = 10**9) -> list[str]:
    """The texts that the server translates from now on. After so many calls, its model is not ready."""
    service = gateway.api.state.context.translations
    translate, texts = service.translate, []

    async def counted(caller: Any, items: Any, setup: Any, gone: Any) -> Any:
        if len(texts) >= fails_after:
            raise ApiError("not_ready", "The model was unloaded.", retry_after=5)
        answers = await translate(caller, items, setup, gone)
        texts.extend(item.text for item in items)
        return answers

    monkeypatch.setattr(service, "translate", counted)
    return texts


def test_job_continues_after_a_restart_and_translates_no_text_twice(
    gateway: ApiGateway, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, running(gateway, key) as server:
        first = counting(gateway, patch, fails_after=50)
        job = create(server, TEXTS)
        end = time.monotonic() + 60
        while (shown := server.get(f"{PATH}/{job['id']}").json())["problem"] == "":
            assert time.monotonic() < end
            time.sleep(0.02)
        assert shown == {**job, "num_done": 50, "problem": "The model was unloaded."}
    second = counting(gateway, monkeypatch)
    with running(gateway, key) as server:
        assert ended(server, job["id"]) == {**job, "state": "done", "num_done": 60}
        found = server.get(f"{PATH}/{job['id']}/result").json()
        single = server.post("/api/v1/translate", json={"source": "en", "target": "de", "texts": TEXTS[:50]}).json()
        assert characters(server) == sum(map(len, TEXTS + TEXTS[:50])), "a restart charges nothing"
    assert (first, second[:10]) == (TEXTS[:50], TEXTS[50:])
    assert without_scores(found["texts"][:50]) == without_scores(single["texts"]) and len(found["texts"]) == 60


def test_job_waits_for_a_model_that_is_not_ready(
    gateway: ApiGateway, key: str, stored: StoredJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_jobs, "_RETRY_SECONDS", 0.05)
    service, fails = gateway.api.state.context.translations, [ApiError("not_ready", "Wait."), LogError("full")]
    translate = service.translate

    async def later(*arguments: Any) -> Any:
        if fails:
            raise fails.pop()
        return await translate(*arguments)

    monkeypatch.setattr(service, "translate", later)
    with running(gateway, key) as server:
        assert ended(server, create(server, TEXTS[:1])["id"])["state"] == "done"
    assert fails == []
    (job,) = stored.all_of("Ana")
    assert job.request == "", "the texts are not kept"


def interrupted(gateway: ApiGateway, key: str, stored: StoredJobs) -> str:
    """The id of a job that has no results when the server is stopped."""
    with pytest.MonkeyPatch.context() as patch, running(gateway, key) as server:
        counting(gateway, patch, fails_after=0)
        number = str(create(server, TEXTS[:2])["id"])
    (job,) = stored.all_of("Ana")
    assert (job.id, job.state, job.num_done) == (number, "running", 0)
    return number


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("model", "another", "began with the model another (en-de)"),
        ("request", '{"target": "de"}', "This version cannot read the job: texts: Field required."),
    ],
)
def test_job_that_cannot_continue_fails_with_the_reason(
    gateway: ApiGateway, key: str, stored: StoredJobs, keys: ApiFile, column: str, value: str, says: str
) -> None:
    number = interrupted(gateway, key, stored)
    keys.connection.db.execute(f"UPDATE job SET {column} = ?", (value,))
    with running(gateway, key) as server:
        job = ended(server, number)
    assert job["state"] == "failed" and says in job["problem"]


def test_jobs_end_with_their_key(gateway: ApiGateway, key: str, stored: StoredJobs, keys: ApiFile) -> None:
    number = interrupted(gateway, key, stored)
    _, other = keys.create("Ana")
    keys.revoke(1)
    with running(gateway, other) as server:
        assert server.get(PATH).json() == {"jobs": []}
        done = create(server, TEXTS[:1])["id"]
        assert ended(server, done)["state"] == "done" and number != done
    keys.revoke_all("Ana")
    for table in ("job", "job_answer"):
        assert keys.connection.rows("read", f"SELECT * FROM {table}") == []


def test_job_of_an_expired_key_and_an_old_one_are_removed(
    gateway: ApiGateway, key: str, stored: StoredJobs, keys: ApiFile
) -> None:
    db = keys.connection.db
    with running(gateway, key) as server:
        number = create(server, TEXTS[:1])["id"]
        ended(server, number)
    old = {"ended": (timedelta(hours=23), timedelta(hours=25)), "created": (timedelta(days=6), timedelta(days=8))}
    for column, ages in old.items():
        for age in ages:
            left = stored.all_of("Ana")
            db.execute(f"UPDATE job SET {column} = ?", ((datetime.now(UTC) - age).isoformat(timespec="seconds"),))
            if column == "created":
                db.execute("UPDATE job SET state = 'running', ended = ''")
            stored.remove_old()
            if age == ages[0]:
                assert len(stored.all_of("Ana")) == len(left) == 1
        if column == "ended":
            assert stored.all_of("Ana") == []
            interrupted(gateway, key, stored)
    (job,) = stored.all_of("Ana")
    assert (job.state, job.problem) == ("failed", "The job was not finished in 7 days.")
    db.execute("UPDATE key SET expires = '2020-01-01'")
    stored.remove_old()
    assert keys.connection.rows("read", "SELECT id FROM job") == []


def test_new_job_is_on_the_disk_before_it_is_answered(
    gateway: ApiGateway, key: str, stored: StoredJobs, keys: ApiFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mode() -> int:
        return int(keys.connection.db.execute("PRAGMA synchronous").fetchone()[0])

    insert, modes = keys.connection.insert, []

    def noting(table: str, **values: Any) -> int:
        modes.append((table, mode()))
        return insert(table, **values)

    monkeypatch.setattr(keys.connection, "insert", noting)
    with running(gateway, key) as server:
        ended(server, create(server, TEXTS[:1])["id"])
    normal, full = 1, 2
    assert modes == [("job", full), ("job_answer", normal)] and mode() == normal


def test_wrong_value_in_any_column_of_a_job_is_refused(
    gateway: ApiGateway, key: str, stored: StoredJobs, keys: ApiFile
) -> None:
    interrupted(gateway, key, stored)
    num_refused, others = failures(keys.connection, ("job",), lambda: stored.all_of("Ana"), stored.unfinished)
    assert others == [] and num_refused > 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_loses_no_result_of_a_job_that_was_shown(tmp_path: Path, codec: TextCodec) -> None:
    log = tmp_path / "log.sqlite"
    with closing(ApiFile.beside(log)) as keys:
        key = keys.create("Ana")[1]
    model = save_random_model(tmp_path / "random-en-de", codec)
    texts = [f"Press button {number} and wait until the lamp shines. " * 2 for number in range(500)]
    shown: dict[str, Any] = {"num_done": 0}
    for attempt in range(20):
        app = ForkedApp(model, log, "--no-auth", "--api", "--shutdown-seconds", "10")
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=app.url, headers=headers, timeout=60, trust_env=False) as server:
            if not attempt:
                shown = create(server, texts)
            before = results = server.get(f"{PATH}/{shown['id']}/result").json()["texts"]
            assert len(before) >= shown["num_done"]
            begun = len(before)
            while shown["state"] == "running" and (shown["num_done"] <= begun or attempt > 3):
                time.sleep(0.1)
                shown = server.get(f"{PATH}/{shown['id']}").json()
            results = server.get(f"{PATH}/{shown['id']}/result").json()["texts"]
            assert results[:begun] == before
        app.process.send_signal(signal.SIGTERM if attempt % 2 else signal.SIGKILL)
        assert app.process.wait(60) == (0 if attempt % 2 else -signal.SIGKILL)
        if shown["state"] != "running":
            break
    assert (shown["state"], len(results), attempt >= 3) == ("done", len(texts), True)
