"""Whether a model decodes in 8 bits is tried once: by its time, and by the probabilities of its own translations."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import torch

from engine import Request, SearchOptions, Translator
from engine.decoding import precision_trial
from engine.decoding.precision_trial import MOST_DIFFERENT, KnownTrials, difference
from engine.importers import model_folder
from engine.model import compiled_model, load_model
from engine.model.packed_weights import can_multiply_int8, pack
from tests.importers.firefox import save_firefox

OPTIONS = SearchOptions(beam=3, nbest=2)
pytestmark = pytest.mark.skipif(not can_multiply_int8(), reason="this processor has no 8-bit products")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_firefox(tmp_path / "theirs", dim_emb=128, transformer_dim_ffn=1024)  # large enough for products in 8 bits
    return model_folder(tmp_path / "theirs")


def scores(translator: Translator) -> list[float]:
    return [each.score for each in translator.translate(Request("Open the settings."), OPTIONS).hypotheses]


@pytest.mark.parametrize(
    ("time_ratio", "most_different", "chosen"), [(0.5, 9.0, "int8"), (0.99, 9.0, "float32"), (0.5, 0.0, "float32")]
)
def test_model_of_8_bit_weights_is_tried_once(
    folder: Path, time_ratio: float, most_different: float, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision_trial, "_time_ratio", lambda *_: time_ratio)
    monkeypatch.setattr(precision_trial, "MOST_DIFFERENT", most_different)
    expected = {name: scores(Translator.load(folder, precision=name)) for name in ("float32", "int8")}
    assert expected["float32"] != expected["int8"]
    translator = Translator.load(folder, precision="auto")
    assert (translator.precision, scores(translator)) == (chosen, expected[chosen])
    monkeypatch.setattr(precision_trial, "_time_ratio", None)  # a second trial would fail
    assert scores(Translator.load(folder, precision="auto")) == expected[chosen]


def test_small_model_of_other_weights_stays_in_32_bits_without_a_trial(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision_trial, "_time_ratio", None)
    (folder / "activations.json").unlink()
    monkeypatch.setattr(compiled_model, "core", lambda: None)
    assert scores(Translator.load(folder, precision="auto")) == scores(Translator.load(folder))
    assert not (tmp_path / "cache" / "precisions.json").exists()


def test_difference_is_small_in_8_bits_and_large_with_coarse_weights(folder: Path) -> None:
    def translator(precision: str, num_bits: int = 0) -> Translator:
        model = load_model(folder, torch.device("cpu"))
        for weight in model.transformer.decoder_layers.parameters() if num_bits else ():
            step = weight.abs().amax() / 2 ** (num_bits - 1)
            weight.data = (weight / step).round() * step
        pack(model.transformer, precision, ranges=model.ranges, weight_steps=model.weight_steps)
        return Translator(model)

    exact = translator("float32")
    in_8_bits, in_2_bits = (difference(other, exact) for other in (translator("int8"), translator("float32", 2)))
    assert difference(exact, exact) == 0
    assert 0 < in_8_bits < in_2_bits
    assert in_2_bits > MOST_DIFFERENT


def test_time_in_which_other_programs_have_the_processor_does_not_count() -> None:
    class Model:
        """Waits for so many seconds, then computes for so many."""

        def __init__(self, waits: float, works: float) -> None:
            self._waits, self._works = waits, works

        def translate(self, request: Request, options: SearchOptions = OPTIONS) -> None:
            time.sleep(self._waits)
            end = time.thread_time() + self._works
            while time.thread_time() < end:
                pass

    assert precision_trial._time_ratio(Model(0.06, 0.01), Model(0.0, 0.03)) < 0.9


def test_results_of_other_models_threads_and_processors_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = KnownTrials(tmp_path / "new" / "precisions.json")
    trials.note("a", True)
    trials.note("b", False)
    assert (trials.of("a"), trials.of("b"), trials.of("c")) == (True, False, None)
    with monkeypatch.context() as patch:
        patch.setattr(torch, "get_num_threads", lambda: 99)
        assert trials.of("a") is None
    with monkeypatch.context() as patch:
        others = {**torch.cpu.get_capabilities(), "avx512_vnni": not torch.cpu.get_capabilities().get("avx512_vnni")}
        patch.setattr(torch.cpu, "get_capabilities", lambda: others)
        assert trials.of("a") is None
    assert trials.of("a") is True
    (tmp_path / "new" / "precisions.json").write_text("[]")
    assert trials.of("a") is None
