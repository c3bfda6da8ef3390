"""Jobs of the HTTP API: many texts in the background, with progress, results and cancelling."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.serving import api_jobs, translations
from app.serving.gateway import ApiGateway
from app.serving.job_api import PATH
from app.serving.keys import ApiFile
from tests.app.serving.conftest import listening

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
    number = create(server, [f"{number}: {long}" for number in range(300)])["id"]
    (job,) = gateway.api.state.context.jobs.all_of("Ana")
    assert server.delete(f"{PATH}/{number}").status_code == 204
    assert server.get(f"{PATH}/{number}").status_code == 404
    end = time.monotonic() + 60
    while job.state == "running":
        assert time.monotonic() < end
        time.sleep(0.02)
    assert job.state == "cancelled" and len(job.answers) < 300


def test_job_over_a_limit_is_refused_and_costs_nothing(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(texts: list[Any]) -> tuple[int, str]:
        reply = server.post(PATH, json={"source": "en", "target": "de", "texts": texts})
        return reply.status_code, reply.json()["error"]["message"]

    assert refused(["a"] * 2_001)[0] == 400
    assert refused([{"text": "a", "phrases": ["b"] * 50, "nbest": 20}] * 50)[0] == 413
    monkeypatch.setattr(api_jobs, "MAX_RUNNING_JOBS", 0)
    assert refused(["a"]) == (429, "At most 0 jobs of a person run at once.")
    monkeypatch.setattr(api_jobs, "MAX_JOBS_EACH", 0)
    assert "delete jobs whose results you have" in refused(["a"])[1]
    assert (characters(server), server.get(PATH).json()) == (0, {"jobs": []})


def test_failed_job_keeps_what_it_had(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_jobs, "MAX_JOB_BYTES", 100)
    job = ended(server, create(server, TEXTS[:2])["id"])
    assert (job["state"], job["num_done"]) == ("failed", 0) and "more than 100 bytes" in job["problem"]
    monkeypatch.undo()
    monkeypatch.setattr(translations, "ANSWER_SECONDS", 0.0)
    job = ended(server, create(server, TEXTS)["id"])
    assert job["state"] == "failed" and "no answer" in job["problem"]
