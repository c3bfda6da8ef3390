"""Imported Firefox Translations models in the compiled core: the results of a plain twin of Marian's arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.compiled.c_interface import Core, PrefixTree
from engine.decoding.core_sources import MAX_BYTES
from engine.importers.marian_binary import read_marian_binary
from engine.importers.resolve import convert_folder
from engine.model import compiled_model as in_core
from engine.model.checkpoint import load_compiled, read_folder
from engine.text import BOS
from tests.compiled.test_products import FAMILIES
from tests.importers.firefox import HEADS, save_firefox
from tests.importers.test_firefox import KINDS, SOURCES, theirs
from tests.reference.firefox import Twin

pytest.importorskip("sentencepiece")


def is_own(name: str) -> bool:
    """True if an item is multiplied with steps of the file: in the decoder, except attention to the source."""
    return "Wemb" in name or (name.startswith("decoder_") and ("_rnn_W" in name or "_ffn_W" in name))


class RoundedTwin(Twin):
    """Queries and outputs of the attention to the source in 8 bits, too: weights scaled by output, inputs by row."""

    def _product(self, name: str, x: npt.NDArray[np.float32], bias=0.0) -> npt.NDArray[np.float32]:
        if not name.endswith(("context_Wq", "context_Wo")):
            return super()._product(name, x, bias)
        weights = super()._product(name, np.eye(x.shape[-1], dtype=np.float32)).T
        steps, rows = np.abs(weights).max(1) / 127, np.abs(x).max(-1, keepdims=True) / 127
        sums = np.rint(x / rows).astype(np.float64) @ np.rint(weights / steps[:, None]).T
        return (sums * rows * steps).astype(np.float32) + bias


@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_exact_emulation(tmp_path: Path, core: Core, kind: str) -> None:
    """The decoder, given the keys and values of an encoder in 32 bits."""
    binary = read_marian_binary(save_firefox(tmp_path / "theirs", **KINDS[kind]))
    convert_folder(tmp_path / "theirs", tmp_path / "ours", torch.float32)
    loaded = load_compiled(tmp_path / "ours", read_folder(tmp_path / "ours"), core)
    assert loaded.steps is not None
    assert loaded.compiled is not None
    twin, plain = RoundedTwin(binary, HEADS, is_own), Twin(binary, HEADS)
    rng, differences, changes, of_weights = np.random.default_rng(7), [], [], []
    for text in SOURCES:
        source = loaded.source_ids((loaded.source_codec or loaded.codec).encode(text).ids, "en-de")
        target = [*rng.integers(4, 302, 12).tolist(), 2]
        memory = twin.encode(theirs(source))
        exact, weights = twin.decode(memory, theirs(target[:-1]))
        in_32_bits, _ = plain.decode(plain.encode(theirs(source)), theirs(target[:-1]))
        encoded = loaded.transformer.encode(torch.tensor([source]), torch.tensor([len(source)]))
        cross = encoded.cross_LBSE[:, 0].unflatten(0, (-1, 2)).numpy()
        tree = PrefixTree(loaded.compiled.model, cross, [BOS], MAX_BYTES)
        nodes = [0, *tree.walk(0, target[:-1])]
        scores = np.array(tree.piece_log_probs(nodes, target))
        differences += list(np.abs(scores - exact[range(13), theirs(target)]))
        changes += list(np.abs(in_32_bits[range(13), theirs(target)] - exact[range(13), theirs(target)]))
        [logits] = loaded.compiled.alignment.logits(tree, source, cross, [target])
        of_weights += list(np.abs(np.exp(logits[1:]) - weights).ravel())
    # a number at the border of two steps may be rounded otherwise: seldom, and then visible in what follows
    assert np.median(differences) < 2e-3 < np.median(changes)
    assert np.mean(differences) < np.mean(changes) / 3
    assert np.median(of_weights) < 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_product_with_steps_of_its_own_equals_marians(tmp_path: Path, core: Core, family: str) -> None:
    """From weights stored in half precision, as models are converted; inputs beyond the range are cut."""
    if not core.kernels().get(family):
        pytest.skip(f"this processor or build has no kernels of the family {family}")
    rng = np.random.default_rng(1)
    levels, input_step = rng.integers(-127, 128, (40, 37)), 0.031
    weight_steps = rng.uniform(0.001, 0.002, 40).astype(np.float32)
    weights = (levels * weight_steps[:, None]).astype(np.float16).astype(np.float32)
    steps = rng.integers(-150, 151, (9, 37))
    rows = ((steps + rng.uniform(-0.45, 0.45, steps.shape)) * input_step).astype(np.float32)
    bias = rng.normal(size=40).astype(np.float32)
    found = core.product(family, rows, weights, bias, weight_steps, input_step)
    sums = np.clip(steps, -127, 127) @ levels.T
    np.testing.assert_allclose(found, sums * input_step * weight_steps + bias, rtol=1e-5, atol=1e-5)


def test_translator_decodes_and_aligns_in_the_core(tmp_path: Path, core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_core, "core", lambda: core)
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_firefox(tmp_path / "theirs")
    translator = Translator.load(tmp_path / "theirs", precision="int8")
    assert translator.decoder.startswith("compiled core")
    [request] = [Request(SOURCES[0], phrases=(Phrase("Dateien"),))]
    found = translator.translate(request, SearchOptions(beam=6, nbest=3))
    assert found.status == "complete"
    assert all("Dateien" in hypothesis.text for hypothesis in found.hypotheses)
    assert translator.num_compiled == 1
    assert "parts" not in vars(translator._model.network), "nothing was computed in PyTorch"
