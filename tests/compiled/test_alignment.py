"""The alignment head in the compiled core: the scores and links of PyTorch's head on the same model in 8 bits."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.bundled_data import DATA_FOLDER
from engine.compiled.c_interface import Core, CoreAlignment, CoreCancelled, CoreError, Floats, PrefixTree
from engine.decoding.aligner import AlignmentScores, align
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.model import LoadedModel, ModelConfig, Transformer, load_model
from engine.model.alignment import AlignmentHead
from engine.model.compiled_model import compiled_alignment, compiled_model
from engine.model.word_links import word_probabilities
from engine.text import BOS, EOS
from tests.budget import rounds
from tests.compiled.test_compiled_model import CONFIG, NO_LIMIT, random_pieces
from tests.compiled.twin import random_model, twin_of, weights_of

CLOSE = {"rtol": 1e-3, "atol": 2e-3}
VARIANTS = {
    "pre-norm": CONFIG,
    "post-norm": replace(CONFIG, norm="after", activation="swish"),
    "odd sizes": replace(CONFIG, vocabulary_size=37, model_size=18, num_heads=3, feed_forward_size=7),
    "SSRU": replace(CONFIG, norm="after", decoder="ssru"),
    "one decoder layer": replace(CONFIG, decoder_layers=1),
}
OPTIONS = SearchOptions(beam=3, nbest=3)
SAMPLE = DATA_FOLDER / "samples" / "getting-started.txt"


def sharp_head(config: ModelConfig, size: int) -> AlignmentHead:
    torch.manual_seed(7)
    head = AlignmentHead(config.model_size, size).eval()
    for parameter in head.parameters():
        parameter.data.mul_(3)
    return head


class Aligned:
    """A random model with a head, in the compiled core and as its twin, and one source."""

    def __init__(
        self, core: Core, config: ModelConfig = CONFIG, kernels: str | None = None, head_size: int = 40
    ) -> None:
        model, self.head = random_model(config), sharp_head(config, head_size)
        self.twin = twin_of(model)
        self.compiled = compiled_model(config, weights_of(model), core, kernels)
        made = compiled_alignment(self.compiled, config, weights_of(self.head))
        assert made is not None
        self.alignment: CoreAlignment = made
        self.ids = random_pieces(config, 13)
        self.memory_SE, self.cross = self.compiled.encode(self.ids)

    def tree(self, max_bytes: int = NO_LIMIT) -> PrefixTree:
        return PrefixTree(self.compiled, self.cross, [BOS], max_bytes)

    def logits(self, targets: list[list[int]], tree: PrefixTree | None = None) -> list[Floats]:
        return self.alignment.logits(tree or self.tree(), self.ids, self.memory_SE, targets)

    def expected(self, targets: list[list[int]]) -> list[Floats]:
        return self.head.logits(self.twin, torch.from_numpy(self.memory_SE)[None], self.ids, targets)


def targets_of(config: ModelConfig) -> list[list[int]]:
    """Targets of several lengths, some of which have a beginning in common."""
    first = random_pieces(config, 9)
    return [[*first, EOS], [*first[:5], *random_pieces(config, 6, 2), EOS], [*first, EOS], [EOS], []]


def assert_close(found: list[Floats], expected: list[Floats]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


@pytest.mark.parametrize("kernels", ["avx512vnni", "avx2", "plain"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_those_of_the_head_in_pytorch(core: Core, variant: str, kernels: str) -> None:
    if not core.kernels().get(kernels):
        pytest.skip(f"this processor or build has no kernels of the family {kernels}")
    aligned, targets = Aligned(core, VARIANTS[variant], kernels), targets_of(VARIANTS[variant])
    assert_close(aligned.logits(targets), aligned.expected(targets))


def test_word_probabilities_are_those_in_python(core: Core) -> None:
    aligned, targets = Aligned(core), targets_of(CONFIG)
    logits, sources = aligned.logits(targets), [(0, 1), (1, 4), (4, 6), (9, 13)]
    words = [[(n, min(n + 2, len(own))) for n in range(1, len(own), 2)] for own in logits]
    for some in (sources, []):
        found = aligned.alignment.word_probabilities(logits, some, words)
        for one, own, of_target in zip(found, logits, words, strict=True):
            expected = word_probabilities(own, some, of_target)
            assert one.shape == (len(of_target), len(some))
            np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(CoreError, match="other pieces"):
        aligned.alignment.word_probabilities(logits, [(12, 14)], words)


def test_what_a_search_has_read_is_not_computed_again(core: Core) -> None:
    aligned, tree, targets = (made := Aligned(core)), made.tree(), targets_of(CONFIG)
    nodes = [0, *(node for target in targets for node in tree.walk(0, target))]
    before = [tree.states(np.array(nodes, dtype=np.int32)), tree.num_bytes, tree.num_computed]
    assert_close(aligned.logits(targets, tree), aligned.expected(targets))
    after = [tree.states(np.array(nodes, dtype=np.int32)), tree.num_bytes, tree.num_computed]
    assert np.array_equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_search_goes_on_where_only_the_first_layer_has_been_read(core: Core) -> None:
    aligned, targets = Aligned(core), targets_of(CONFIG)
    found = []
    for is_aligned_before in (True, False):
        tree = aligned.tree()
        if is_aligned_before:
            aligned.logits(targets, tree)
        nodes = np.array([0, *tree.walk(0, [*targets[0], 9])], dtype=np.int32)
        found.append(np.empty((len(nodes), CONFIG.vocabulary_size), dtype=np.float32))
        tree.log_probs(nodes, found[-1])
    assert np.array_equal(*found)


def test_tree_of_little_memory_gives_the_same_scores(core: Core) -> None:
    aligned = Aligned(core)
    tree = aligned.tree(max_bytes=20_000)
    for seed in range(100):
        targets = [random_pieces(CONFIG, 12, seed), random_pieces(CONFIG, 8, seed + 1)]
        for found, expected in zip(aligned.logits(targets, tree), aligned.logits(targets), strict=True):
            assert np.array_equal(found, expected)
    state = 4 * (2 * 2 * 32 + 32)
    assert tree.num_bytes - 150 * tree.num_nodes <= max(20_000, 21 * state)


def test_alignment_that_was_ended_can_be_made_again(core: Core) -> None:
    aligned, tree, targets = (made := Aligned(core)), made.tree(), targets_of(CONFIG)
    tree.watch(lambda: True)
    with pytest.raises(CoreCancelled):
        aligned.logits(targets, tree)
    tree.watch(None)
    assert_close(aligned.logits(targets, tree), aligned.expected(targets))


def test_targets_that_do_not_fit_the_model_are_refused(core: Core) -> None:
    aligned = Aligned(core)
    with pytest.raises(InvalidRequest):
        aligned.logits([random_pieces(CONFIG, 40)])
    with pytest.raises(CoreError, match="not in the vocabulary"):
        aligned.logits([[5, 70]])
    with pytest.raises(CoreError, match="another source"):
        aligned.alignment.logits(aligned.tree(), [5, 6], aligned.memory_SE[:2], [[7]])
    with pytest.raises(CoreError, match="another model"):
        aligned.alignment.logits(Aligned(core).tree(), aligned.ids, aligned.memory_SE, [[7]])


@pytest.mark.parametrize(
    "config",
    [
        replace(CONFIG, source_vocabulary_size=90),
        replace(CONFIG, directions=(), languages={"en": "__en__", "de": "__de__"}, start="</s>"),
    ],
)
def test_head_whose_targets_or_sources_are_read_otherwise_stays_in_pytorch(core: Core, config: ModelConfig) -> None:
    model = compiled_model(config, weights_of(random_model(config)), core)
    assert compiled_alignment(model, config, weights_of(sharp_head(config, 8))) is None
    assert compiled_alignment(model, config, None) is None


# -- the bundled model -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator(core: Core) -> Translator:
    return Translator.load(DATA_FOLDER / "models" / "en-de", precision="int8")


@pytest.fixture(scope="module")
def twin() -> tuple[LoadedModel, Transformer]:
    loaded = load_model(DATA_FOLDER / "models" / "en-de")
    return loaded, twin_of(loaded.transformer)


def sentences(number: int) -> list[str]:
    """Sentences of the sample document, and further ones with words of theirs in another order."""
    lines = [line for line in SAMPLE.read_text(encoding="utf-8").splitlines() if 4 <= len(line.split()) <= 25]
    rng = random.Random(3)
    while len(lines) < number:
        one, other = rng.choice(lines).split(), rng.choice(lines).split()
        lines.append(" ".join([*one[: rng.randint(3, len(one))], *other[-rng.randint(1, len(other)) :]][:25]))
    return lines[:number]


def test_links_of_sentences_are_those_of_the_head_in_pytorch(translator, twin) -> None:
    """Rounding may decide for a pair whose probability is at the threshold: 4 of 300 translations had one."""
    loaded, rounded = twin
    num_targets = num_different = 0
    number = rounds(30, 100)
    for sentence in sentences(number):
        prepared = translator.pipeline.prepare(Request(sentence))
        encoded = translator.pipeline._core.of(prepared)
        targets = [one.tokens for one in translator.translate(Request(sentence), OPTIONS).hypotheses]
        ids = loaded.source_ids(loaded.codec.encode(sentence).ids, "en-de")
        scores = translator.pipeline._core.alignment_scores(prepared)
        memory_1SE = torch.from_numpy(encoded.memory_SE)[None]
        expected = loaded.alignment.logits(rounded, memory_1SE, ids, targets)
        logits = scores.logits(ids, targets)
        for one, other in zip(logits, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=0.1)  # of -10 to 20
            assert np.abs(one - other).mean() < 0.01
        decodings = [loaded.codec.decode(tokens) for tokens in targets]
        linked = partial(align, loaded, source=sentence, direction="en-de", marks=(), targets=targets)
        found = linked(scores=scores, decodings=decodings)
        by_torch = linked(
            scores=AlignmentScores(partial(loaded.alignment.logits, rounded, memory_1SE)), decodings=decodings
        )
        num_targets += len(targets)
        num_different += sum(one != other for one, other in zip(found, by_torch, strict=True))
    assert num_targets == 3 * number
    assert num_different <= number // 15


def test_translator_aligns_in_the_compiled_core(translator, monkeypatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("PyTorch aligns")

    monkeypatch.setattr(AlignmentHead, "logits", never)
    request = Request("The user can open a file.", phrases=(Phrase("Datei", source_span=(20, 24)),))
    [placement] = translator.translate(request).hypotheses[0].placements
    assert placement.aligned is True


@pytest.mark.parametrize("cause", ["cancelled", "deadline"])
def test_alignment_ends_at_a_cancel_and_not_at_a_deadline(translator, cause) -> None:
    """The best translations at a deadline are shown with their alignment; nobody sees those of a cancelled request."""

    class Ended(Interruption):
        is_possible = True

        def cause(self):
            return cause

    pipeline, codec = translator.pipeline, translator.pipeline._model.codec
    pipeline.forget_sources()
    prepared = pipeline.prepare(Request("The user can open a file."))
    target = (*codec.encode("Der Benutzer kann eine Datei öffnen.").ids, codec.end)

    def aligned(interruption):
        return pipeline.align(prepared, [target], [codec.decode(target)], interruption)

    if cause == "cancelled":
        with pytest.raises(Interrupted):
            aligned(Ended())
    else:
        assert aligned(Ended())[0].links
    assert aligned(NEVER)[0].links, "the tree can be used again"
