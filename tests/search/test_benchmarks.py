"""The experiments on stopping and on time against constraints run through on a random model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine import Translator
from engine.model import ModelConfig, Transformer
from engine.model.checkpoint import save_weights
from engine.text import TextCodec
from tests.benchmarks import stopping, time_against_constraints
from tests.benchmarks.dba.decoding import Pair

SOURCES = ["A man in an orange hat.", "Two dogs run", "Press the key"]
REFERENCES = ["Ein Mann mit einem Hut.", "Zwei Hunde rennen", "Drücken Sie die Taste „Esc“."]


@pytest.fixture(scope="module")
def model(codec: TextCodec, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(5)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 1, "decoder_layers": 1}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, max_pieces=96, length_ratios={"en-de": 1.2})
    config.save(folder / "config.json")
    codec.save(folder)
    transformer = Transformer(config)
    for parameter in transformer.parameters():
        parameter.data.mul_(2.0)
    save_weights(folder / "model.safetensors", transformer)
    return folder


def results_of(program, folder: Path, model: Path, *options: str) -> dict:
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(folder / "source.en"), str(folder / "reference.de")]
    output = folder / "results"
    assert program.main([*files, "--model", str(model), "--output", str(output), "--threads", "1", *options]) == 0
    assert (output / "tables.md").read_text(encoding="utf-8").startswith("# Results of")
    assert list(output.glob("*.svg"))
    return json.loads((output / "results.json").read_text(encoding="utf-8"))


def test_stopping_experiment_shows_the_theorems(model, tmp_path):
    results = results_of(stopping, tmp_path, model, "--beams", "3", "--reward", "0.5")
    cells = {cell["variant"]: cell for cell in results["cells"]}
    assert list(cells) == list(stopping.VARIANTS)
    optimal, opennmt = cells["optimal, log-prob (3)"], cells["OpenNMT (1)"]
    assert optimal["log_prob"] >= opennmt["log_prob"]
    assert optimal["steps"] <= opennmt["steps"]
    to_the_end = cells["to the end, normalised"]
    assert cells["optimal, normalised"]["normalised"] == to_the_end["normalised"]
    assert max(cell["steps"] for cell in cells.values()) == to_the_end["steps"]
    assert to_the_end["expansions"] > to_the_end["steps"]


def test_time_against_constraints_compares_equal_steps(model, tmp_path):
    options = ("--counts", "0", "3", "--beam", "2", "--steps", "9", "--rounds", "1", "--sentences", "2")
    results = results_of(time_against_constraints, tmp_path, model, *options)
    assert len(results["cells"]) == 2 * 2 * 2
    rows = {}
    for cell in results["cells"]:
        assert cell["complete"] == len(results["settings"]["lines"])
        if cell["way"] == "equal steps":
            assert cell["steps"] == 9
            rows[cell["search"], cell["count"]] = cell["rows_per_step"]
    assert rows["DBA", 3] <= 2 < rows["grid", 3]
    assert [bar["name"] for bar in results["bars"]] == ["DBA, C = 3 over none, per step at equal steps"]


def test_constraints_have_exactly_so_many_tokens(model):
    translator = Translator.load(model)
    pair = Pair(1, SOURCES[0], REFERENCES[0])
    for count in range(5):
        request = time_against_constraints.request_of(translator, pair, "en-de", count, seed=1)
        if request is not None:
            assert translator._constraints(request).num_tokens == count
            assert all(phrase.text in REFERENCES[0] for phrase in request.phrases)
    assert time_against_constraints.request_of(translator, pair, "en-de", 90, seed=1) is None
