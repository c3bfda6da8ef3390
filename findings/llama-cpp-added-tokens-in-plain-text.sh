#!/usr/bin/env bash
# llama.cpp (llama-cpp-python 0.3.36): llama_tokenize finds added tokens in text, although parse_special is false.
#
# `parse_special=False` is for text that comes from outside: "allow tokenizing special and/or control tokens which otherwise
# are not exposed and treated as plaintext". It holds for tokens of the type CONTROL only. Tokens of the type USER_DEFINED,
# such as <think> and <tool_call> of Qwen 3, are found in a text of a user and reach the model as themselves.
#
# Output seen (a vocabulary of single characters, <think> as USER_DEFINED and <|im_end|> as CONTROL):
#   a<think>b -> ['a', '<think>', 'b']
#   a<|im_end|>b -> ['a', '<', '|', 'i', 'm', '_', 'e', 'n', 'd', '|', '>', 'b']
#
# pip compiles llama.cpp, which takes some minutes. Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet llama-cpp-python==0.3.36 gguf==0.19.0
"$folder/venv/bin/python" - "$folder/vocabulary.gguf" <<'PYTHON'
import ctypes
import sys

import llama_cpp.llama_cpp as llama
from gguf import GGUFWriter, TokenType

path = sys.argv[1]
names = [*map(chr, range(33, 127)), "Ġ", "<think>", "<|im_end|>"]
writer = GGUFWriter(path, "llama")
writer.add_block_count(1)
writer.add_context_length(8)
writer.add_embedding_length(8)
writer.add_feed_forward_length(8)
writer.add_head_count(1)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("gpt-2")
writer.add_token_list(names)
writer.add_token_types([TokenType.NORMAL] * 95 + [TokenType.USER_DEFINED, TokenType.CONTROL])
writer.add_token_merges(["t h"])
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()

silent = llama.llama_log_callback(lambda *_: None)
llama.llama_log_set(silent, ctypes.c_void_p(0))
settings = llama.llama_model_default_params()
settings.vocab_only = True
vocabulary = llama.llama_model_get_vocab(llama.llama_model_load_from_file(path.encode(), settings))
found = []
for text in (b"a<think>b", b"a<|im_end|>b"):
    ids = (llama.llama_token * 50)()
    number = llama.llama_tokenize(vocabulary, text, len(text), ids, 50, False, False)
    found.append([names[token] for token in ids[:number]])
    print(text.decode(), "->", found[-1])
sys.exit(not (found[0] == ["a", "<think>", "b"] and found[1] == ["a", *"<|im_end|>", "b"]))
PYTHON
