"""The alignment head: its probabilities against plain loops, its passes against each other, its file."""

from __future__ import annotations

import math

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.model import ModelConfig, Transformer
from engine.model.alignment import AlignmentHead, load_alignment, save_alignment, source_features, target_features
from engine.model.word_links import weak_links, word_links, word_probabilities
from engine.text import BOS

CONFIG = ModelConfig(
    60, ("en-de",), model_size=16, num_heads=2, feed_forward_size=24, encoder_layers=1, decoder_layers=2, max_pieces=12
)
CHECKSUM = "ab" * 32


def sharp_head(size: int = 8) -> AlignmentHead:
    torch.manual_seed(5)
    head = AlignmentHead(CONFIG.model_size, size).eval()
    for parameter in head.parameters():
        parameter.data.mul_(6)
    return head


def model() -> Transformer:
    torch.manual_seed(4)
    return Transformer(CONFIG).eval()


# -- words -------------------------------------------------------------------------------------------------------------


def plain_probability(logits: list[list[float]], source: tuple[int, int], target: tuple[int, int]) -> float:
    """The same in loops: each side's choice, added up over the other side's word, the surest piece, the mean."""
    width = len(logits[0])
    columns = [[row[s] for row in logits] for s in range(width)]

    def share(values: list[float], index: int) -> float:
        return math.exp(values[index]) / sum(math.exp(value) for value in values)

    to_source = max(sum(share(logits[t], s) for s in range(*source)) for t in range(*target))
    to_target = max(sum(share(columns[s], t) for t in range(*target)) for s in range(*source))
    return (to_source + to_target) / 2


@st.composite
def words_in(draw: st.DrawFn, first: int) -> tuple[list[tuple[int, int]], int]:
    """Words of one to three pieces from `first` on, now and then with a piece between that is no word's."""
    words = []
    for _ in range(draw(st.integers(0, 4))):
        first += draw(st.integers(0, 1))
        last = first + draw(st.integers(1, 3))
        words.append((first, last))
        first = last
    return words, first


@given(words_in(1), words_in(1), st.integers(0, 10_000))
def test_probabilities_of_words_equal_plain_loops(sources, targets, seed):
    (source_words, width), (target_words, height) = sources, targets
    logits = np.random.default_rng(seed).normal(scale=3, size=(height + 1, width + 1)).astype(np.float32)
    found = word_probabilities(logits, source_words, target_words)
    expected = [[plain_probability(logits.tolist(), s, t) for s in source_words] for t in target_words]
    assert found.shape == (len(target_words), len(source_words))
    assert np.allclose(found, np.array(expected).reshape(found.shape), atol=1e-5)


def test_links_are_the_sure_pairs_in_the_order_of_the_target():
    logits = np.full((4, 4), -9.0, dtype=np.float32)
    logits[1, 3] = logits[2, 3] = logits[3, 1] = 9  # two target words share the last source word
    words = [(1, 2), (2, 3), (3, 4)]
    assert word_links(word_probabilities(logits, words, words)) == [(0, 2), (1, 2), (2, 0)]


def test_weak_link_of_a_source_word_is_its_likeliest_one_if_likely_enough():
    probabilities = np.array([[0.9, 0.1, 0.3], [0.2, 0.2, 0.35], [0.3, 0.1, 0.39]], dtype=np.float32)
    assert weak_links(probabilities, [1, 2], [0, 1, 2]) == [(2, 2)]
    assert weak_links(probabilities, [1, 2], [0, 1]) == [(1, 2)], "only words that are asked for"
    assert weak_links(probabilities, [0, 1, 2], []) == []


# -- the pass ----------------------------------------------------------------------------------------------------------


def test_target_among_others_has_the_logits_that_it_has_alone():
    transformer, head = model(), sharp_head()
    source = [4, 20, 21, 22, 2]
    memory = transformer.encode(torch.tensor([source]), torch.tensor([5])).memory_BSE
    sources = source_features(transformer, torch.tensor([source]), memory)
    targets = [[30, 31, 2], [32, 2], [30, 31, 35, 36, 2], [30, 36, 31, 2], [30, 31, 2], [2]]
    together = head.logits(transformer, memory, source, targets)
    for target, logits in zip(targets, together, strict=True):
        with torch.inference_mode():
            alone = head(sources, target_features(transformer, memory, None, torch.tensor([[BOS, *target]])))[0].numpy()
        assert logits.shape == alone.shape == (1 + len(target), len(source))
        assert np.allclose(logits, alone, atol=1e-4)


def test_row_of_a_piece_depends_only_on_it_and_earlier_pieces():
    transformer, head = model(), sharp_head()
    source = [4, 20, 21, 2]
    memory = transformer.encode(torch.tensor([source]), torch.tensor([4])).memory_BSE
    one, other = head.logits(transformer, memory, source, [[30, 31, 32, 2], [30, 31, 40, 2]])
    assert np.allclose(one[:3], other[:3], atol=1e-5)
    assert not np.allclose(one[3], other[3], atol=1e-2)


def test_target_that_fills_the_model_loses_the_row_of_its_end_alone():
    transformer, head = model(), sharp_head()
    memory = transformer.encode(torch.tensor([[4, 20, 2]]), torch.tensor([3])).memory_BSE
    full = [30] * (CONFIG.max_pieces - 1) + [2]
    assert head.logits(transformer, memory, [4, 20, 2], [full])[0].shape == (CONFIG.max_pieces, 3)


# -- the file ----------------------------------------------------------------------------------------------------------


def test_head_comes_back_from_its_file_in_half_precision(tmp_path):
    path, head = tmp_path / "alignment.safetensors", sharp_head()
    save_alignment(path, head, CHECKSUM)
    loaded = load_alignment(path, CONFIG, CHECKSUM)
    assert loaded is not None
    assert not loaded.training
    for name, value in head.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value.half().float())
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_model_without_the_file_has_no_head(tmp_path):
    assert load_alignment(tmp_path / "alignment.safetensors", CONFIG, CHECKSUM) is None


def test_head_of_other_weights_is_refused(tmp_path):
    path = tmp_path / "alignment.safetensors"
    save_alignment(path, sharp_head(), CHECKSUM)
    with pytest.raises(ModelError, match=r"alignment\.safetensors was trained on other weights .* engine.train align"):
        load_alignment(path, CONFIG, "cd" * 32)


@pytest.mark.parametrize("content", [b"", b"no tensors here", b"\xff" * 64])
def test_damaged_file_is_named_with_the_cure(tmp_path, content):
    path = tmp_path / "alignment.safetensors"
    path.write_bytes(content)
    with pytest.raises(
        ModelError, match=r"alignment\.safetensors is not an intact safetensors file .* remove this file"
    ):
        load_alignment(path, CONFIG, CHECKSUM)


def without_bias(state: dict[str, torch.Tensor]) -> None:
    del state["key.bias"]


def with_another(state: dict[str, torch.Tensor]) -> None:
    state["other"] = torch.zeros(1)


def of_a_wider_model(state: dict[str, torch.Tensor]) -> None:
    state["key.weight"] = torch.zeros(8, 64)


@pytest.mark.parametrize(
    ("change", "named"),
    [(without_bias, "key.bias is missing"), (with_another, "other"), (of_a_wider_model, r"key.weight is \(8, 64\)")],
)
def test_file_of_another_shape_is_refused_by_the_name_of_the_tensor(tmp_path, change, named):
    path = tmp_path / "alignment.safetensors"
    state = sharp_head().state_dict()
    change(state)
    safetensors.torch.save_file(state, path, metadata={"model": CHECKSUM})
    with pytest.raises(ModelError, match=named):
        load_alignment(path, CONFIG, CHECKSUM)
