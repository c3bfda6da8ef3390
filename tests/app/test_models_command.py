"""`pinpoint models`: what is there, what can be had, installing and removing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import main
from app.models import transfer
from tests.app.models.registry_server import Registry, serving
from tests.importers.marian import save_marian

pytest.importorskip("transformers")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    with serving(Registry()) as registry:
        monkeypatch.setenv("PINPOINT_MODEL_REGISTRY", registry.address)
        yield registry


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    status = main(["models", *map(str, arguments)])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_list_asks_the_registry_only_when_a_person_does(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    registry.publish(architecture="tiny")
    registry.publish(architecture="base", status=None, metrics={"flores200-plus": {"comet": 0.99}})
    status, out, _ = run(capsys)
    assert (status, registry.requests) == (0, [])
    assert "en-de" in out and "not known yet" in out and registry.address in out
    status, out, _ = run(capsys, "--direction", "en-pt")
    assert "firefox-en-pt-tiny  0 MB, comet 0.88, chrf 69.1, bleu 46.2, MPL-2.0, recommended" in out
    assert "firefox-en-pt-base  0 MB, comet 0.99, MPL-2.0, not released" in out
    assert len(registry.requests) == 1
    _, out, _ = run(capsys)
    assert "2 models for 1 language pair;" in out and len(registry.requests) == 1, "the list is kept"
    _, out, _ = run(capsys, "--direction", "en-xx")
    assert "none for en-xx; OPUS-MT may have one: --install Helsinki-NLP/opus-mt-en-xx" in out
    _, out, _ = run(capsys, "--json", "--update")
    records = [json.loads(line) for line in out.splitlines()]
    assert {record["kind"] for record in records} == {"installed", "published"}
    assert records[-1]["registry"] == registry.address


def test_folder_is_installed_listed_and_removed(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_marian(tmp_path / "opus-mt-en-de")
    assert run(capsys, "--install", tmp_path / "opus-mt-en-de")[0] == 0
    assert (tmp_path / "cache" / "models" / "opus-mt-en-de" / "source.json").is_file()
    assert "  opus-mt-en-de  en-de" in run(capsys)[1]
    assert run(capsys, "--remove", "opus-mt-en-de")[1].startswith("removed opus-mt-en-de")
    assert "opus-mt-en-de" not in run(capsys)[1]
    assert run(capsys, "--remove", "opus-mt-en-de")[0] == 2
    assert registry.requests == []


def test_failure_names_the_cure_with_status_2(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    registry.publish()
    status, _, err = run(capsys, "--install", "firefox-en-xx-tiny")
    assert status == 2 and "is not a published model, hub id, folder or file" in err
    registry.missing.update(registry.files)
    status, _, err = run(capsys, "--install", "firefox-en-pt-tiny")
    assert status == 2 and "licence MPL-2.0, from http://127.0.0.1" in err
    assert "was not found on the server (404): update the list" in err
    registry.is_down = True
    status, _, err = run(capsys, "--update")
    assert status == 2 and "check the connection and try again" in err
    status, _, err = run(capsys, "--model-registry", "ftp://example.org/models.json", "--update")
    assert status == 2 and "must be an http or https address" in err
