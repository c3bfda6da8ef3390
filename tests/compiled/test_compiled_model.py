"""The compiled encoder and decoder: the same numbers as PyTorch's model with the same weights in 8 bits."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.compiled.c_interface import Core, CoreCancelled, CoreError, PrefixTree
from engine.errors import InvalidRequest
from engine.model import ModelConfig, Transformer
from engine.model.compiled_model import compiled_model
from engine.text import BOS, EOS
from tests.compiled.twin import random_model, twin_of, weights_of

CONFIG = ModelConfig(
    vocabulary_size=70, directions=("en-de",), model_size=32, num_heads=2, feed_forward_size=48, encoder_layers=2,
    decoder_layers=2, max_pieces=40,
)  # fmt: skip
VARIANTS = {
    "pre-norm": CONFIG,
    "OPUS-MT": replace(CONFIG, norm="after", activation="swish", positions="tensor2tensor"),
    "fairseq": replace(CONFIG, norm="after", activation="gelu", positions="fairseq"),
    "sources with pieces of their own": replace(CONFIG, source_vocabulary_size=90),
    "SSRU": replace(CONFIG, norm="after", positions="tensor2tensor", decoder="ssru"),
    "SSRU of odd sizes": replace(CONFIG, decoder="ssru", model_size=18, num_heads=3, feed_forward_size=7),
    "odd sizes": replace(CONFIG, vocabulary_size=37, model_size=18, num_heads=3, feed_forward_size=7),
    "heads wider than a register": replace(CONFIG, model_size=76, num_heads=2),
    "many languages": replace(CONFIG, directions=(), languages={"en": "__en__", "de": "__de__"}, start="</s>"),
    "decoder of another width": replace(CONFIG, decoder_feed_forward_size=100, decoder_layers=3),
}
STARTS = {"many languages": [EOS, 9]}
NO_LIMIT = 2**40
CLOSE = {"rtol": 1e-4, "atol": 2e-4}


class Source:
    """One source of a random model, compiled and as its twin."""

    def __init__(
        self, core: Core, config: ModelConfig = CONFIG, starts: list[int] | None = None, kernels: str | None = None
    ) -> None:
        model = random_model(config)
        self.twin, self.compiled = twin_of(model), compiled_model(config, weights_of(model), core, kernels)
        self.starts = starts or [BOS]
        rng = random.Random(0)
        self.ids = [rng.randrange(config.source_vocabulary_size or config.vocabulary_size) for _ in range(11)]
        self.memory_SE, self.cross = self.compiled.encode(self.ids)

    def tree(self, max_bytes: int = NO_LIMIT) -> PrefixTree:
        return PrefixTree(self.compiled, self.cross, self.starts, max_bytes)

    def log_probs(self, tree: PrefixTree, nodes: list[int]) -> np.ndarray:
        out = np.empty((len(nodes), self.compiled.config.vocabulary_size), dtype=np.float32)
        tree.log_probs(np.array(nodes, dtype=np.int32), out)
        return out

    def path_log_probs(self, pieces: list[int], tree: PrefixTree | None = None) -> np.ndarray:
        """The log-probabilities (1 + pieces, V) after each beginning of a prefix."""
        tree = tree or self.tree()
        return self.log_probs(tree, [0, *tree.walk(0, pieces)])

    @torch.inference_mode()
    def expected(self, pieces: list[int]) -> torch.Tensor:
        """The twin's log-probabilities (1 + pieces, V), from its forward pass over the whole target."""
        mask, memory_1SE = None, self.twin.memory(torch.tensor([self.ids]), None)
        target = torch.tensor([[*pieces, EOS]])
        states = self.twin.states(memory_1SE, mask, target, torch.tensor([self.starts]))
        return torch.log_softmax(self.twin.project(states[0]), -1)


def random_pieces(config: ModelConfig, length: int, seed: int = 1) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(config.vocabulary_size) for _ in range(length)]


@pytest.mark.parametrize("kernels", ["avx512vnni", "avx2", "plain"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_encoder_and_decoder_give_the_numbers_of_the_twin(core: Core, variant: str, kernels: str) -> None:
    if not core.kernels().get(kernels):
        pytest.skip(f"this processor or build has no kernels of the family {kernels}")
    source = Source(core, VARIANTS[variant], STARTS.get(variant), kernels)
    assert source.compiled.kernels == kernels
    with torch.inference_mode():
        memory_1SE = source.twin.memory(torch.tensor([source.ids]), None)
    torch.testing.assert_close(torch.from_numpy(source.memory_SE), memory_1SE[0], **CLOSE)
    pieces = random_pieces(VARIANTS[variant], 20)
    torch.testing.assert_close(torch.from_numpy(source.path_log_probs(pieces)), source.expected(pieces), **CLOSE)


def test_keys_and_values_of_the_source_are_those_of_the_twin(core: Core) -> None:
    source = Source(core)
    encoded = source.twin.encode(torch.tensor([source.ids]), torch.tensor([len(source.ids)]))
    torch.testing.assert_close(torch.from_numpy(source.cross).flatten(0, 1), encoded.cross_LBSE[:, 0], **CLOSE)


def test_prefix_computed_at_once_equals_piece_by_piece(core: Core) -> None:
    source, pieces = Source(core), random_pieces(CONFIG, 39)
    tree, node = source.tree(), 0
    one_by_one = [source.log_probs(tree, [0])[0]]
    for piece in pieces:
        [node] = tree.walk(node, [piece])
        one_by_one.append(source.log_probs(tree, [node])[0])
    assert np.array_equal(np.stack(one_by_one), source.path_log_probs(pieces))


def test_row_does_not_depend_on_the_rows_beside_it(core: Core) -> None:
    source = Source(core)
    paths = [random_pieces(CONFIG, seed % 7, seed) for seed in range(90)]
    tree = source.tree()
    nodes = [[0, *tree.walk(0, path)][-1] for path in paths]
    together = source.log_probs(tree, nodes)
    for path, found in zip(paths, together, strict=True):
        assert np.array_equal(found, source.path_log_probs(path)[-1])


def test_known_prefixes_are_not_computed_again(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    first = source.path_log_probs([5, 6, 7], tree)
    assert (tree.num_nodes, tree.num_computed) == (4, 4)
    assert np.array_equal(source.path_log_probs([5, 6, 7], tree), first)
    assert tree.num_computed == 4
    source.path_log_probs([5, 6, 8], tree)
    assert (tree.num_nodes, tree.num_computed) == (5, 5)


def test_beginnings_that_nobody_asked_for_are_computed_on_the_way(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    *_, last = tree.walk(0, [5, 6, 7])
    alone = source.log_probs(tree, [last])
    assert tree.num_computed == 4
    assert np.array_equal(alone[0], source.path_log_probs([5, 6, 7])[-1])


def test_node_may_be_asked_for_twice_and_with_its_beginning(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    *_, last = tree.walk(0, [5, 6])
    found = source.log_probs(tree, [last, 0, last])
    expected = source.path_log_probs([5, 6])
    assert np.array_equal(found, expected[[2, 0, 2]])


def test_tree_of_little_memory_forgets_results_and_computes_them_again(core: Core) -> None:
    source = Source(core)
    tree, unbounded = source.tree(max_bytes=20_000), source.tree()
    for seed in range(200):
        pieces = random_pieces(CONFIG, 12, seed % 40)
        assert np.array_equal(source.path_log_probs(pieces, tree), source.path_log_probs(pieces, unbounded))
    results = 13 * 4 * (96 + 3 + 2 * 2 * 32)  # of one path: logits, maxima, keys and values
    assert tree.num_bytes - 150 * tree.num_nodes <= max(20_000, results)
    assert tree.num_computed > unbounded.num_computed
    assert unbounded.num_bytes > 10 * 20_000


def test_piece_log_probs_are_those_of_the_pieces(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    pieces = random_pieces(CONFIG, 30)
    nodes = [0, *tree.walk(0, pieces)]
    found = tree.piece_log_probs(nodes[:-1], pieces)
    assert found == source.path_log_probs(pieces)[np.arange(30), pieces].tolist()


@pytest.mark.parametrize("starts", [[BOS], [EOS, 9]])
def test_path_has_the_starts_and_all_pieces(core: Core, starts: list[int]) -> None:
    tree = Source(core, starts=starts).tree()
    nodes = tree.walk(0, [5, 6])
    path = tree.path(nodes[-1])
    assert path[len(starts) - 1 :] == [0, *nodes]
    assert len(path) == len(starts) + 2


def test_call_is_ended_by_its_caller_and_the_tree_goes_on_afterwards(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    tree.watch(lambda: True)
    with pytest.raises(CoreCancelled):
        source.path_log_probs([5, 6, 7], tree)
    with pytest.raises(CoreCancelled):
        source.compiled.encode(source.ids, lambda: True)
    tree.watch(None)
    assert np.array_equal(source.path_log_probs([5, 6, 7], tree), source.path_log_probs([5, 6, 7]))


def test_prefix_of_the_longest_length_is_computed_and_a_longer_one_is_refused(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    pieces = random_pieces(CONFIG, 40)
    source.path_log_probs(pieces[:39], tree)
    with pytest.raises(InvalidRequest):
        source.path_log_probs(pieces, tree)


def test_calls_with_nodes_or_pieces_that_do_not_exist_are_refused(core: Core) -> None:
    source, tree = (made := Source(core)), made.tree()
    for call in (
        lambda: tree.walk(0, [70]),
        lambda: tree.walk(0, [-1]),
        lambda: tree.walk(7, [5]),
        lambda: source.log_probs(tree, [-1]),
        lambda: source.log_probs(tree, [1]),
        lambda: source.compiled.encode([70]),
        lambda: source.compiled.encode([]),
        lambda: PrefixTree(source.compiled, source.cross, [], NO_LIMIT),
    ):
        with pytest.raises(CoreError):
            call()


def test_source_longer_than_the_model_reads_is_refused(core: Core) -> None:
    source = Source(core)
    with pytest.raises(InvalidRequest):
        source.compiled.encode([5] * 42)


def test_part_that_is_missing_or_of_another_size_is_refused(core: Core) -> None:
    model = random_model(CONFIG)
    compiled = compiled_model(CONFIG, weights_of(model), core)
    with pytest.raises(CoreError, match=r"the model has no part encoder\.7"):
        compiled.set_linear("encoder.7.attention.qkv", np.ones((96, 32), np.float32), np.ones(96, np.float32))
    with pytest.raises(CoreError, match="has the size 5 instead of 32"):
        compiled.set_norm("encoder_norm", np.ones(5, np.float32), np.ones(5, np.float32))


@pytest.mark.parametrize("table", ["embedding", "decoder_norm"])
def test_number_that_is_not_finite_reaches_the_result(core: Core, table: str) -> None:
    """A damaged model must not translate as if nothing were wrong."""
    model: Transformer = random_model(CONFIG)
    compiled = compiled_model(CONFIG, weights_of(model), core)
    _, cross = compiled.encode([5, 6])
    if table == "embedding":
        with torch.no_grad():
            model.embedding.weight[8, 3] = torch.nan  # the compiled model reads the same table
    else:
        compiled.set_norm("decoder_norm", np.full(32, np.nan, np.float32), np.zeros(32, np.float32))
    tree = PrefixTree(compiled, cross, [BOS], NO_LIMIT)
    out = np.empty((1, 70), dtype=np.float32)
    tree.log_probs(np.array(tree.walk(0, [8]), dtype=np.int32), out)
    assert np.isnan(out).all()
