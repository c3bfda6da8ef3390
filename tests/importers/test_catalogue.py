"""What models are here: their sizes and origins as they are on disk, broken ones with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import safetensors.torch
import torch

from engine.errors import ModelError
from engine.importers import BUNDLED_MODEL, describe_model, install_model, known_models, model_folder
from engine.model import ModelConfig, Transformer, load_model, memory_check, save_weights
from tests.importers.marian import save_marian

CONFIG = ModelConfig(
    20, ("en-de", "de-en"), model_size=8, num_heads=2, feed_forward_size=12, encoder_layers=1, decoder_layers=1
)


def save_model(folder: Path) -> Transformer:
    folder.mkdir(parents=True)
    torch.manual_seed(1)
    model = Transformer(CONFIG)
    CONFIG.save(folder / "config.json")
    save_weights(folder / "model.safetensors", model)
    return model


def test_a_model_is_listed_with_the_figures_of_its_files(tmp_path: Path) -> None:
    model = save_model(tmp_path / "ours")
    (tmp_path / "ours" / "card.md").write_text("# Ours\n", encoding="utf-8")
    [entry] = known_models(bundled=tmp_path, cache=tmp_path / "nothing")
    assert (entry.name, entry.place, entry.directions) == ("ours", "bundled", ("en-de", "de-en"))
    assert entry.num_parameters == sum(value.numel() for value in model.state_dict().values())
    assert entry.num_bytes == sum(path.stat().st_size for path in (tmp_path / "ours").iterdir())
    assert entry.card == "# Ours\n"


def test_broken_models_are_listed_with_the_reason(tmp_path: Path) -> None:
    for name in ("whole", "without-weights", "half-copied", "no-model"):
        save_model(tmp_path / name)
    (tmp_path / "without-weights" / "model.safetensors").unlink()
    weights = tmp_path / "half-copied" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    (tmp_path / "no-model" / "config.json").write_text("[]", encoding="utf-8")
    (tmp_path / "interrupted.partial").mkdir()
    found = {entry.name: entry.problem for entry in known_models(bundled=tmp_path / "nothing", cache=tmp_path)}
    assert set(found) == {"whole", "without-weights", "half-copied", "no-model"}
    assert found["whole"] == ""
    assert "half-copied/model.safetensors is not an intact safetensors file" in found["half-copied"]
    assert "it should have" in found["half-copied"]
    assert "without-weights/model.safetensors" in found["without-weights"]
    assert "this is not a model of this program" in found["no-model"]


def test_a_converted_model_is_listed_under_the_name_that_loads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    save_marian(tmp_path / "opus-mt-en-de")
    folder = model_folder("opus-mt-en-de")
    [entry] = known_models(bundled=tmp_path / "nothing")
    assert (entry.name, entry.folder) == (str(tmp_path / "opus-mt-en-de"), folder)
    assert model_folder(entry.name) == folder


def test_a_card_that_links_to_a_file_elsewhere_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "secret").write_text("private", encoding="utf-8")
    own, foreign, hub = tmp_path / "own", tmp_path / "opus-mt-en-de", tmp_path / "hub" / "snapshots" / "1"
    save_model(own)
    (own / "card.md").symlink_to(tmp_path / "secret")
    assert describe_model(own).card == ""
    assert not (install_model(own, "installed") / "card.md").exists()
    pytest.importorskip("transformers")
    save_marian(foreign)
    (foreign / "README.md").symlink_to(tmp_path / "secret")
    assert describe_model(install_model(foreign, "converted")).card == ""
    hub.parent.mkdir(parents=True)
    save_marian(hub)
    blob = tmp_path / "hub" / "blobs" / "0a"
    blob.parent.mkdir()
    blob.write_text("# Card", encoding="utf-8")
    (hub / "README.md").symlink_to("../../blobs/0a")  # as the hub's cache has all files
    assert describe_model(install_model(hub, "from-hub")).card == "# Card"


def test_the_bundled_model_is_listed_first() -> None:
    first = known_models()[0]
    assert (first.folder, first.problem) == (BUNDLED_MODEL, "")
    assert first.card


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_weights_are_counted_from_the_header_alone(tmp_path: Path, dtype: torch.dtype) -> None:
    path = tmp_path / "model.safetensors"
    safetensors.torch.save_file({"a": torch.zeros(3, 4, dtype=dtype), "b": torch.zeros((), dtype=dtype)}, path)
    assert memory_check.num_weights(path) == 13
    assert memory_check.needed_bytes(path) == path.stat().st_size + 13 * 4


@pytest.mark.parametrize(
    "config",
    [
        "[" * 100_000,
        '{"kind": "pinpoint-transformer", "vocabulary_size": ' + "9" * 5_000 + "}",
        '{"kind": "pinpoint-transformer", "vocabulary_size": 100, "directions": ["en-de"], "encoder_layers": 100000}',
        '{"kind": "pinpoint-transformer", "vocabulary_size": 100, "directions": ["en-de"], "max_pieces": 1000000000}',
        '{"kind": "pinpoint-transformer", "vocabulary_size": 100, "directions": ["en-de"], "model_size": 1e400}',
        "\udcff",
    ],
)
def test_odd_folder_is_listed_with_its_problem_and_hides_no_other(tmp_path: Path, config: str) -> None:
    save_model(tmp_path / "good")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text(config, encoding="utf-8", errors="surrogateescape")
    (tmp_path / "odd" / "origin.json").write_text("[" * 100_000)
    good, odd = known_models(tmp_path / "no bundled models", tmp_path)
    assert good.problem == "" and "config.json" in odd.problem
    with pytest.raises(ModelError, match=r"config\.json"):
        load_model(tmp_path / "odd")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "origin.json"])
def test_pipe_in_a_folder_is_not_waited_for(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / "odd")
    (tmp_path / "odd" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "odd" / name)
    [odd] = known_models(tmp_path / "no bundled models", tmp_path)
    assert ("not a regular file" in odd.problem) == (name != "origin.json")


@pytest.mark.parametrize("content", [b"", b"12", b"\xff" * 40, (2).to_bytes(8, "little") + b"[]", b"\x01" + b"\0" * 7])
def test_file_without_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="is not an intact safetensors file"):
        memory_check.num_weights(path)


def test_a_model_that_does_not_fit_is_refused_with_both_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(tmp_path / "large")
    monkeypatch.setattr(memory_check, "needed_bytes", lambda _: 1_234_567_890)
    monkeypatch.setattr(memory_check, "available_bytes", lambda: 1_234_567_890)
    memory_check.check_memory(tmp_path / "large" / "model.safetensors")
    monkeypatch.setattr(memory_check, "available_bytes", lambda: 12_345_678)
    with pytest.raises(ModelError, match=r"large needs 1,235 MB of memory to load, and 12\.3 MB are free"):
        load_model(tmp_path / "large")


def test_a_container_has_no_more_than_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, usage = tmp_path / "limit", tmp_path / "usage"
    monkeypatch.setattr(memory_check, "_GROUP_FILES", ((str(limit), str(usage)),))
    whole = memory_check.available_bytes()
    assert whole > 10_000_000
    usage.write_text("4000\n")
    for text, expected in (("5000\n", 1000), ("3000\n", 0)):
        limit.write_text(text)
        assert memory_check.available_bytes() == expected
    limit.write_text("max\n")
    assert memory_check.available_bytes() > 10_000_000
