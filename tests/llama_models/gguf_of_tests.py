"""Writes a small random model of transformers as a GGUF file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gguf import MODEL_ARCH, GGUFWriter, TokenType, get_tensor_name_map

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

CHAT = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}<|turn|>{% endfor %}<s>assistant: "
ADDED = "<think>"


def write_gguf(path: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, **changed: Any) -> Path:
    """A Qwen 3 model: the weights as they are. `changed` are other values of the file's description."""
    config, writer = model.config, GGUFWriter(path, "qwen3")
    writer.add_name("random")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(512)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    _add_pieces(writer, tokenizer, config.vocab_size, **changed)
    names = get_tensor_name_map(MODEL_ARCH.QWEN3, config.num_hidden_layers)
    for name, weights in model.state_dict().items():
        written = names.get_name(name, try_suffixes=(".weight",))
        assert written is not None, name
        writer.add_tensor(written, weights.float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_pieces(
    writer: GGUFWriter, tokenizer: PreTrainedTokenizerFast, size: int, pieces: str = "", chat: str = CHAT
) -> None:
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    names = [f"[PAD{number}]" for number in range(size)]
    for name, number in tokenizer.get_vocab().items():
        names[number] = "<|turn|>" if name == "<|end|>" else name  # by its name, llama.cpp takes it for an end
    names[-1] = ADDED  # found even in plain text
    special = {token["id"] for token in state["added_tokens"]}
    is_byte_level = "ByteLevel" in json.dumps(state["pre_tokenizer"])
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["model"]["merges"]]
    rank = {merge.replace(" ", ""): number for number, merge in reversed([*enumerate(merges)])}
    types = [
        TokenType.CONTROL if number in special
        else TokenType.BYTE if name.startswith("<0x")
        else TokenType.USER_DEFINED if name == ADDED
        else TokenType.UNUSED if number >= len(tokenizer)
        else TokenType.NORMAL
        for number, name in enumerate(names)
    ]  # fmt: skip
    writer.add_tokenizer_model(pieces or ("gpt2" if is_byte_level else "llama"))
    writer.add_token_list(names)
    writer.add_token_types(types)
    if is_byte_level:
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_merges(merges)
    else:
        writer.add_token_scores([-float(rank.get(name, len(merges))) for name in names])
        writer.add_add_space_prefix(False)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    if chat:
        writer.add_chat_template(chat)
