"""`python -m engine models`: a table for people, JSON lines for programs."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import DONE, STOPPED, main
from engine.importers import BUNDLED_MODEL, FAMILIES


def run(*flags: str) -> str:
    output = io.BytesIO()
    assert main(["models", *flags], io.BytesIO(), output, io.StringIO()) == DONE
    return output.getvalue().decode("utf-8")


@pytest.fixture
def cache(tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one model that came from a hub, and one that is broken."""
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path))
    folder = tmp_path / "models" / "opus-mt-xx-0123"
    shutil.copytree(model, folder)
    (folder / "origin.json").write_text('{"name": "team/opus-mt-xx"}', encoding="utf-8")
    (tmp_path / "models" / "broken").mkdir()
    return tmp_path / "models"


def test_json_lines_list_every_model_and_family(cache: Path) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in run("--json").splitlines()]
    models = {line["name"]: line for line in lines if line["kind"] == "model"}
    assert list(models)[1:] == ["broken", "team/opus-mt-xx"]
    found = models["team/opus-mt-xx"]
    assert (found["place"], found["directions"], found["problem"]) == ("cached", ["en-de", "de-en"], "")
    assert found["folder"] == str(cache / "opus-mt-xx-0123")
    assert (found["domains"], found["formalities"]) == (["docs", "software"], {"en-de": ["formal", "informal"]})
    assert found["num_bytes"] == sum(path.stat().st_size for path in (cache / "opus-mt-xx-0123").iterdir())
    assert "config.json is missing" in models["broken"]["problem"]
    assert [line["name"] for line in lines if line["kind"] == "family"] == [family.name for family in FAMILIES]


def test_table_has_a_line_for_each(cache: Path) -> None:
    table = run()
    [line] = [line for line in table.splitlines() if line.startswith("team/opus-mt-xx")]
    assert "cached" in line and "en-de, de-en" in line and " MB" in line
    assert line.endswith("en-de: formal, informal; domain: docs, software")
    [line] = [line for line in table.splitlines() if line.startswith("broken")]
    assert "broken: " in line and "config.json is missing" in line
    heading = table.splitlines()[0]
    assert heading.index("parameters") < line.index("config.json"), "what is wrong with one pulls no columns apart"
    assert all(family.pattern in table for family in FAMILIES)


def test_all_conversions_of_a_name_are_removed_and_no_other_model(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(cache / "opus-mt-xx-0123", cache / "opus-mt-xx-4567")  # of files that the hub has replaced
    shutil.copytree(cache / "opus-mt-xx-0123", cache / "opus-mt-yy-0123")
    (cache / "opus-mt-yy-0123" / "origin.json").write_text('{"name": "team/opus-mt-yy"}', encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache.parent / "hub"))
    (cache.parent / "hub" / "models--team--opus-mt-xx").mkdir(parents=True)  # downloaded by another program
    told = run("--remove", "team/opus-mt-xx")
    assert sorted(folder.name for folder in cache.iterdir()) == ["broken", "opus-mt-yy-0123"]
    assert told.count("removed team/opus-mt-xx: ") == 2
    assert str(cache / "opus-mt-xx-4567") in told
    assert "hf cache rm model/team/opus-mt-xx" in told
    assert "hf cache" not in run("--remove", "broken")
    assert [folder.name for folder in cache.iterdir()] == ["opus-mt-yy-0123"]


def test_model_that_is_not_cached_is_not_removed(cache: Path) -> None:
    for name in ("en-de", "team/nothing", str(BUNDLED_MODEL)):
        messages = io.StringIO()
        assert main(["models", "--remove", name], io.BytesIO(), io.BytesIO(), messages) == STOPPED
        assert f"error: no model {name} is in {cache}" in messages.getvalue()
    assert (BUNDLED_MODEL / "model.safetensors").is_file()
