"""Decoders of random models: the log-probabilities of passes without a cache, however rows are chosen and joined."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import torch

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")

from engine.interruption import NEVER
from engine.transformers_models.adapter import TransformersModel
from engine.transformers_models.packed_weights import PackedLinear, pack_weights
from engine.transformers_models.prompt import Prompt, PromptableModel
from engine.transformers_models.prompt_cache import PromptCache
from engine.transformers_models.tree_decoder import TreeDecoder
from tests.transformers_models.models_of_tests import DECODER_ONLY, FAMILIES, model_of
from tests.transformers_models.tokenizers_of_tests import byte_level

NUM_PIECES = len(byte_level()) + 3


def adapted(family: str) -> TransformersModel:
    return TransformersModel(model_of(family, NUM_PIECES), byte_level(), ends_at_line=False)


@torch.inference_mode()
def log_probs_without_cache(model: TransformersModel, prompt: Prompt, row: Sequence[int]) -> torch.Tensor:
    """(V,): after the prompt and a row, by one pass over all of it."""
    ids, answer = torch.tensor([prompt.ids]), torch.tensor([[*prompt.starts, *row]], dtype=torch.long)
    if model.is_encoder_decoder:
        logits = model.model(input_ids=ids, decoder_input_ids=answer).logits[0, -1]
    else:
        logits = model.model(input_ids=torch.cat([ids, answer], 1)).logits[0, -1]
    return torch.log_softmax(logits.double(), -1)


def check_rows(
    model: TransformersModel, found: torch.Tensor, rows: Sequence[tuple[Prompt, list[int]]], atol: float = 2e-4
) -> None:
    for (prompt, row), found_V in zip(rows, found, strict=True):
        expected = log_probs_without_cache(model, prompt, row)
        assert torch.allclose(found_V.double(), expected, atol=atol, rtol=atol / 10), (prompt, row)


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_selections_and_joins_equal_passes_without_a_cache(family: str) -> None:
    model = adapted(family)
    assert model.decoder == ("tree" if family in DECODER_ONLY and family != "bloom" else "rows")
    check_steps_selections_and_joins(model, model, random.Random(family))


@pytest.mark.parametrize("family", ["llama", "gemma3", "t5", "mbart"])
def test_packed_weights_give_the_scores_of_the_model_as_it_was(family: str) -> None:
    model = model_of(family, NUM_PIECES)
    packed = TransformersModel(model, byte_level(), ends_at_line=False, packs_weights=True)
    assert any(isinstance(module, PackedLinear) for module in model.modules())
    reference = adapted(family)
    assert packed.features == reference.features
    check_steps_selections_and_joins(packed, reference, random.Random(family))


def test_shared_weights_are_copied_only_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, is_packed in ((10**9, True), (10_000, False)):
        model = model_of("gemma3", NUM_PIECES)  # its output layer has the weights of its embeddings
        monkeypatch.setattr("engine.transformers_models.packed_weights.available_bytes", lambda free=free: free)
        pack_weights(model)
        assert isinstance(model.get_output_embeddings(), PackedLinear) == is_packed
        assert isinstance(model.get_submodule("model.layers.0.mlp.up_proj"), PackedLinear)


def check_steps_selections_and_joins(
    checked: PromptableModel, model: TransformersModel, rng: random.Random, atol: float = 2e-4
) -> None:
    """Compare the decoder of one model with passes of another one, which has the same weights."""
    prompts = [
        Prompt(tuple(rng.randrange(5, NUM_PIECES) for _ in range(length)), model.starts) for length in (6, 9, 6, 3)
    ]
    prompts[2] = Prompt((*prompts[0].ids[:4], 7, 8), model.starts)  # begins as another

    def opened(some: Sequence[Prompt]) -> tuple[object, list[tuple[Prompt, list[int]]]]:
        return checked.open(some, [NEVER] * len(some)), [(prompt, []) for prompt in some]

    decoder, rows = opened(prompts[:2])
    for step in range(9):
        if step in (3, 5):  # sentences at another position
            other, newest = opened(prompts[2:3] if step == 3 else prompts[3:])
            prefix = [rng.randrange(5, NUM_PIECES) for _ in range(5 - step)]  # two pieces, then none
            log_probs = other.read([prefix])[0]  # type: ignore[attr-defined]
            for place, piece in enumerate(prefix):
                expected = log_probs_without_cache(model, newest[0][0], prefix[:place])[piece]
                assert log_probs[place] == pytest.approx(float(expected), abs=atol)
            last = prefix[-1:] or [model.codec.begin]
            newest = [(newest[0][0], prefix[:-1])]
            decoder.join(other)  # type: ignore[attr-defined]
            rows += newest
        else:
            last = []
        num_before = len(rows) - len(last)
        tokens = [rng.randrange(5, NUM_PIECES) for _ in range(num_before)] + last
        if step == 0:
            tokens = [model.codec.begin] * len(rows)
        found = decoder.step(torch.tensor(tokens))  # type: ignore[attr-defined]
        written = [[] if token == model.codec.begin else [token] for token in tokens]
        rows = [(prompt, [*row, *more]) for (prompt, row), more in zip(rows, written, strict=True)]
        check_rows(model, found, rows, atol)
        by_sentence = {id(prompt): [n for n, (own, _) in enumerate(rows) if own is prompt] for prompt, _ in rows}
        parents = [rng.choice(own) for own in by_sentence.values() for _ in range(rng.choice((1, 2, 3)))]
        if step == 6:  # a sentence leaves
            parents = [parent for parent in parents if rows[parent][0] is not prompts[1]]
        decoder.select(torch.tensor(parents))  # type: ignore[attr-defined]
        rows = [rows[parent] for parent in parents]


def test_places_that_no_row_sees_are_given_back() -> None:
    model, rng = adapted("gemma3"), random.Random(0)
    prompt = Prompt((5, 6, 7))
    decoder = model.open([prompt], [NEVER])
    assert isinstance(decoder, TreeDecoder)
    tokens, row = [model.codec.begin], []
    sizes = []
    for _ in range(60):
        found = decoder.step(torch.tensor(tokens))
        check_rows(model, found[:1], [(prompt, row)])
        decoder.select(torch.tensor([0] * 12))
        tokens = [rng.randrange(5, NUM_PIECES) for _ in range(12)]
        row = [*row, tokens[0]]
        sizes.append(decoder.num_bytes)
    size_of_place = sizes[0] / 3  # those of the prompt
    assert all(size <= size_of_place * (3 + step + 64) for step, size in enumerate(sizes)), "at most 64 are unseen"


def test_what_two_prompts_begin_with_is_read_once_and_gives_the_same_scores() -> None:
    model = adapted("llama")
    long = tuple(random.Random(1).randrange(5, NUM_PIECES) for _ in range(40))
    num_read: list[int] = []
    model.model.register_forward_pre_hook(
        lambda module, args, given: num_read.append(given["input_ids"].shape[1]), with_kwargs=True
    )
    model.open([Prompt((*long, 5, 6))], [NEVER])
    model.open([Prompt((*long, 7, 8, 9))], [NEVER])
    decoder = model.open([Prompt((*long, 7, 8, 9)), Prompt((*long, 7, 9, 9))], [NEVER] * 2)
    assert num_read == [42, 3, 3], "in one pass the last token of the known prompt, and two of the other one"
    found = decoder.step(torch.tensor([1, 1]))
    check_rows(model, found, [(Prompt((*long, 7, 8, 9)), []), (Prompt((*long, 7, 9, 9)), [])])  # type: ignore[arg-type]
    assert len(num_read) == 3 + 2, "the first step has been read with the prompt; two passes are those of the check"


def test_prompts_are_read_together_in_passes_of_a_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rng = adapted("gemma3"), random.Random(2)
    model._prompts = PromptCache()
    begin = tuple(rng.randrange(5, NUM_PIECES) for _ in range(6))
    prompts = [Prompt((*begin, *(rng.randrange(5, NUM_PIECES) for _ in range(1 + number % 4)))) for number in range(9)]
    monkeypatch.setattr("engine.transformers_models.tree_decoder._MOST_AT_ONCE", 10)
    num_read: list[int] = []
    model.model.register_forward_pre_hook(
        lambda module, args, given: num_read.append(given["input_ids"].shape[1]), with_kwargs=True
    )
    found = model.open([*prompts, prompts[0]], [NEVER] * 10).step(torch.tensor([1] * 10))
    assert 2 <= len(num_read) <= 4 and max(num_read) < 20, num_read
    check_rows(model, found, [(prompt, []) for prompt in [*prompts, prompts[0]]])


def test_the_cache_of_prompts_stays_within_its_limit() -> None:
    cache = PromptCache(max_bytes=1000)

    def keys(num_tokens: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        return [(torch.zeros(1, 1, num_tokens, 5), torch.ones(1, 1, num_tokens, 5))]  # 40 bytes a token

    cache.keep((1, 2, 3), keys(3))
    cache.keep((1, 2, 3, 4), keys(4))  # in its place
    assert cache.num_bytes == 160 and cache.longest((1, 2, 3, 9))[0] == 3
    cache.keep(tuple(range(10, 30)), keys(20))
    assert cache.num_bytes == 960
    cache.keep((40, 41), keys(2))
    assert cache.num_bytes <= 1000 and cache.longest((1, 2))[0] == 0 and cache.longest((40, 41, 42))[0] == 2
    cache.keep(tuple(range(100)), keys(100))
    assert cache.num_bytes <= 1000 and cache.longest((40, 41, 42))[0] == 2
