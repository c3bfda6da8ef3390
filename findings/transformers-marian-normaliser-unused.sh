#!/usr/bin/env bash
# transformers 5.23.0: the tokeniser of Marian models asks for sacremoses, prepares its normaliser, and never uses it.
#
# The training texts of OPUS-MT models went through Moses' normalize-punctuation.perl, so their vocabularies need not have
# typographic quotes and dashes. `MarianTokenizer` recommends to install sacremoses and has a method `normalize` made of
# it, but no other method calls this: texts are cut into pieces as they are, and such marks become <unk>.
#
# Output seen (a vocabulary learnt from text with straight quotes):
#   normalize: He said "yes" - and left.
#   the tokens of a call, with sacremoses installed: ▁He ▁said ▁ <unk> yes <unk> ▁ <unk> ▁and ▁left . </s>
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet transformers==5.23.0 sentencepiece==0.2.3 sacremoses==0.2.0
cd "$folder"
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - <<'PYTHON'
import json
import sys

import sentencepiece
from transformers import MarianTokenizer

TEXTS = ['He said "yes" - and left.', 'He said "no" - and left.'] * 50
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(TEXTS), model_prefix="m", vocab_size=44, model_type="bpe", minloglevel=2
)
processor = sentencepiece.SentencePieceProcessor(model_file="m.model")
vocabulary = {processor.id_to_piece(number): number for number in range(len(processor))}
with open("vocab.json", "w", encoding="utf-8") as file:
    json.dump({**vocabulary, "<pad>": len(vocabulary)}, file)
tokenizer = MarianTokenizer(
    source_spm="m.model", target_spm="m.model", vocab="vocab.json", source_lang="en", target_lang="de"
)
text = "He said “yes” – and left."
normal = tokenizer.normalize(text)
print("normalize:", normal)
tokens = tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids)
print("the tokens of a call, with sacremoses installed:", *tokens)
normal_tokens = tokenizer.convert_ids_to_tokens(tokenizer(normal).input_ids)
sys.exit(normal != TEXTS[0] or tokens.count("<unk>") != 3 or "<unk>" in normal_tokens)
PYTHON
