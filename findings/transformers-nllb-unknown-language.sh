#!/usr/bin/env bash
# transformers 5.23.0: an NLLB tokeniser takes any text as its language, and gives the model the id of an unknown word.
#
# The language codes of NLLB name a script ("deu_Latn"). With "de", "german" or a code that is misspelt, neither the
# constructor nor `src_lang`, nor the language of the target for `forced_bos_token_id`, raises an error or warns. The
# model reads <unk> where its language should stand, and is asked to begin the translation with <unk>.
#
# Output seen (a small vocabulary with the code deu_Latn):
#   src_lang='deu_Latn': deu_Latn ▁a </s>
#   src_lang='de': <unk> ▁a </s>
#   id of the target language 'de' for forced_bos_token_id: that of <unk>
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet transformers==5.23.0
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" -W error - <<'PYTHON'
import sys

from transformers import NllbTokenizer

VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "▁a", "deu_Latn"]
tokenizer = NllbTokenizer(
    vocab={piece: number for number, piece in enumerate(VOCABULARY)}, merges=[("▁", "a")], src_lang="deu_Latn"
)
found = {}
for language in ("deu_Latn", "de"):
    tokenizer.src_lang = language
    found[language] = tokenizer.convert_ids_to_tokens(tokenizer("a").input_ids)
    print(f"src_lang={language!r}:", *found[language])
is_unknown = tokenizer.convert_tokens_to_ids("de") == tokenizer.unk_token_id
print("id of the target language 'de' for forced_bos_token_id:", "that of <unk>" if is_unknown else "another")
sys.exit(found != {"deu_Latn": ["deu_Latn", "▁a", "</s>"], "de": ["<unk>", "▁a", "</s>"]} or not is_unknown)
PYTHON
