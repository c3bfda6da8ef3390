"""`python -m engine.train calibrate`: the file it writes, what int8 makes of it, and that other weights refuse it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Request, SearchOptions, Translator
from engine.errors import ModelError
from engine.model import ModelConfig, load_model
from engine.model.activations import ACTIVATIONS, product_names
from engine.model.checkpoint import CONFIG, model_checksum, save_weights
from engine.model.packed_weights import CalibratedLinear, can_multiply_int8
from engine.text import HINT_PIECE
from engine.train.__main__ import main
from engine.train.calibrate import calibrate
from tests.train.corpora import PAIRS, write_corpus

BUNDLED = Path(__file__).parents[2] / "data" / "models" / "en-de"


@pytest.mark.skipif(not can_multiply_int8(), reason="no FBGEMM on this processor")
def test_a_calibrated_model_translates_in_int8_over_its_ranges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, corpus = Path(shutil.copytree(BUNDLED, tmp_path / "model")), write_corpus(tmp_path / "corpus")
    (model / ACTIVATIONS).unlink(missing_ok=True)
    before = model_checksum(model)
    command = ["calibrate", str(model), str(corpus), "--set", "dev/tiny", "--limit", "3", "--beam", "2"]
    assert main([*command, "--direction", "en-de"]) == 0
    loaded = load_model(model)
    assert loaded.ranges is not None
    names = product_names(loaded.config)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == names
    assert list(loaded.ranges) == names
    assert loaded.checksum == model_checksum(model) != before  # a stored request names the ranges too

    translator = Translator.load(model, precision="int8")
    assert isinstance(translator._model.transformer.output, CalibratedLinear)
    request, options = Request(PAIRS[0][0], direction="en-de"), SearchOptions(beam=2, nbest=1)
    best = translator.translate(request, options).hypotheses[0]
    plain = Translator(loaded)
    score = plain.score(PAIRS[0][0], tokens=best.tokens, direction="en-de")
    assert best.log_prob == pytest.approx(score.log_prob, abs=0.5)

    # a set that is not there leaves the file; other weights refuse it, until it is measured with them
    kept = (model / ACTIVATIONS).read_bytes()
    assert main([*command[:3], "--set", "dev/none"]) == 1
    assert "name a set as in dev/multi30k.val" in capsys.readouterr().err
    assert (model / ACTIVATIONS).read_bytes() == kept
    loaded.transformer.output_bias.data[5] += 1
    save_weights(model / "model.safetensors", loaded.transformer)
    (model / "alignment.safetensors").unlink(missing_ok=True)
    with pytest.raises(ModelError, match=r"measured with other weights .* engine\.train calibrate"):
        Translator.load(model)
    assert main([*command, "--direction", "en-de"]) == 0
    Translator.load(model)


def test_ranges_of_a_model_with_hints_are_measured_with_hints_too(tmp_path: Path) -> None:
    corpus, ranges = write_corpus(tmp_path / "corpus"), []
    for hints in (None, HINT_PIECE):
        model = Path(shutil.copytree(BUNDLED, tmp_path / str(hints)))
        replace(ModelConfig.load(model / CONFIG), hints=hints).save(model / CONFIG)
        ranges.append(calibrate(model, corpus, ["dev/tiny"], ["en-de"], beam=1, limit=2))
    assert ranges[0].keys() == ranges[1].keys()
    assert ranges[0] != ranges[1]
