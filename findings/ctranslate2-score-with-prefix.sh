#!/usr/bin/env bash
# CTranslate2 4.8.5: the score of a translation with `target_prefix` leaves the prefix out of the sum, but not of the length.
#
# By default (`length_penalty=1`) a score is the sum of the log-probabilities of the tokens divided by their number. With a
# target prefix, the sum is that of the tokens behind the prefix, and the number that of all tokens. So one and the same
# translation gets a better score the longer its prefix is, and scores of requests with different prefixes, or with and
# without one, cannot be compared.
#
# Output seen (a random model of a fixed seed; one translation of eight tokens, beams of four):
#   prefix of 0 tokens: score -0.381, sum of all / 8 = -0.382
#   prefix of 2 tokens: score -0.284, sum of all / 8 = -0.382, of those behind the prefix / 8 = -0.284, / 6 = -0.378
#   prefix of 4 tokens: score -0.186, sum of all / 8 = -0.382, of those behind the prefix / 8 = -0.186, / 4 = -0.373
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ctranslate2==4.8.5 torch==2.13.0 transformers==5.23.0 sentencepiece==0.2.3
cd "$folder"
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - <<'PYTHON'
import json
import math
import sys

import ctranslate2
import sentencepiece
import torch
from ctranslate2.converters import TransformersConverter
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

LENGTH = 8
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["a small house stands beside the old mill"] * 20),
    model_prefix="m",
    vocab_size=36,
    model_type="bpe",
    minloglevel=2,
)
processor = sentencepiece.SentencePieceProcessor(model_file="m.model")
pieces = ["</s>", "<unk>"] + [processor.id_to_piece(n) for n in range(3, len(processor))] + ["<pad>"]
with open("vocab.json", "w", encoding="utf-8") as file:
    json.dump({piece: number for number, piece in enumerate(pieces)}, file)
MarianTokenizer(source_spm="m.model", target_spm="m.model", vocab="vocab.json").save_pretrained("marian")
torch.manual_seed(0)
config = MarianConfig(
    vocab_size=len(pieces),
    d_model=16,
    encoder_layers=1,
    decoder_layers=1,
    encoder_ffn_dim=16,
    decoder_ffn_dim=16,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    max_position_embeddings=32,
    init_std=0.6,
    pad_token_id=len(pieces) - 1,
    eos_token_id=0,
    forced_eos_token_id=None,
    decoder_start_token_id=len(pieces) - 1,
)
MarianMTModel(config).save_pretrained("marian")
TransformersConverter("marian").convert("converted")
translator = ctranslate2.Translator("converted", device="cpu")
source = [[*pieces[5:9], "</s>"]]


def translated(prefix):
    """The best translation that begins with a prefix, and its score."""
    best = translator.translate_batch(
        source,
        target_prefix=[prefix] if prefix else None,
        beam_size=4,
        return_scores=True,
        max_decoding_length=LENGTH,
    )[0]
    return best.hypotheses[0], best.scores[0]


text, _ = translated([])
as_seen = True
for length in (0, 2, 4):
    tokens, score = translated(text[:length])
    each = translator.score_batch(source, [tokens])[0].log_probs[:LENGTH]  # without the end
    rest = sum(each[length:])
    line = f"prefix of {length} tokens: score {score:.3f}, sum of all / {LENGTH} = {sum(each) / LENGTH:.3f}"
    if length:
        line += f", of those behind the prefix / {LENGTH} = {rest / LENGTH:.3f}, / {LENGTH - length} = {rest / (LENGTH - length):.3f}"
    print(line)
    as_seen = as_seen and tokens == text and math.isclose(score, rest / LENGTH, abs_tol=1e-3)
sys.exit(not as_seen)
PYTHON
