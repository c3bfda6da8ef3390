"""Small random models of several families, without any weights from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import transformers  # imports a class when it is first named: none takes seconds while tests are collected

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
_IDS: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_SLIDING = ["sliding_attention", "full_attention", "sliding_attention"]


def llama(vocab_size: int) -> PreTrainedModel:
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(vocab_size=vocab_size, initializer_range=0.6, **_SIZE, **_IDS)
    )


def qwen3(vocab_size: int) -> PreTrainedModel:
    return transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(vocab_size=vocab_size, initializer_range=0.6, **_SIZE, **_IDS)
    )


def gemma3(vocab_size: int) -> PreTrainedModel:
    """With layers that see only the last four tokens."""
    config = transformers.Gemma3TextConfig(
        vocab_size=vocab_size, sliding_window=4, layer_types=_SLIDING, initializer_range=0.6, **_SIZE, **_IDS
    )
    return transformers.Gemma3ForCausalLM(config)


def mistral(vocab_size: int) -> PreTrainedModel:
    """All of its layers see only the last five tokens."""
    config = transformers.MistralConfig(vocab_size=vocab_size, sliding_window=5, initializer_range=0.6, **_SIZE, **_IDS)
    return transformers.MistralForCausalLM(config)


def gpt2(vocab_size: int) -> PreTrainedModel:
    """With learned positions."""
    config = transformers.GPT2Config(
        vocab_size=vocab_size, n_embd=32, n_layer=2, n_head=4, n_positions=128, initializer_range=0.6, **_IDS
    )
    return transformers.GPT2LMHeadModel(config)


def bloom(vocab_size: int) -> PreTrainedModel:
    """It takes distances from a mask with one value for each token, so its rows are a batch."""
    config = transformers.BloomConfig(
        vocab_size=vocab_size, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.6, **_IDS
    )
    return transformers.BloomForCausalLM(config)


def t5(vocab_size: int) -> PreTrainedModel:
    config = transformers.T5Config(
        vocab_size=vocab_size,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        initializer_factor=1.0,
        tie_word_embeddings=False,
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=0,
    )
    return transformers.T5ForConditionalGeneration(config)


def mbart(vocab_size: int) -> PreTrainedModel:
    config = transformers.MBartConfig(
        vocab_size=vocab_size,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        max_position_embeddings=128,
        init_std=0.6,
        decoder_start_token_id=2,
        **_IDS,
    )
    return transformers.MBartForConditionalGeneration(config)


DECODER_ONLY: dict[str, Callable[[int], PreTrainedModel]] = {
    "llama": llama,
    "qwen3": qwen3,
    "gemma3": gemma3,
    "mistral": mistral,
    "gpt2": gpt2,
    "bloom": bloom,
}
ENCODER_DECODER: dict[str, Callable[[int], PreTrainedModel]] = {"t5": t5, "mbart": mbart}
FAMILIES = DECODER_ONLY | ENCODER_DECODER


def model_of(family: str, vocab_size: int, seed: int = 0) -> PreTrainedModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return FAMILIES[family](vocab_size).eval()
