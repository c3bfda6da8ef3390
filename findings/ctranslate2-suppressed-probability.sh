#!/usr/bin/env bash
# CTranslate2 4.8.5: `suppress_sequences` gives the probability of what it suppresses to the other tokens.
#
# The suppressed token is taken out before the softmax. So a hypothesis is the better rated, the more often it comes to a
# place where the model wants the suppressed text: the score is not the model's, cannot be compared with that of a request
# without suppression or with `score_batch`, and the best hypothesis is not the model's best among those without the text.
#
# Output seen (a random model of a fixed seed; four tokens, beams of 400 and so no errors of the search):
#   suppressed: "hou hou"
#   best with suppress_sequences: hou mi hou ho, score -1.069, by score_batch -1.604
#   best of the hypotheses without suppression that lack the text: ho hou mi hou, by score_batch -1.584
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
import sys

import ctranslate2
import sentencepiece
import torch
from ctranslate2.converters import TransformersConverter
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

LENGTH = 4
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


def translated(hypotheses, **options):
    """Hypotheses, best first, with their scores."""
    result = translator.translate_batch(
        source, beam_size=400, num_hypotheses=hypotheses, return_scores=True, max_decoding_length=LENGTH, **options
    )[0]
    return list(zip(result.hypotheses, result.scores, strict=True))


def model_score(tokens):
    """The mean of the log-probabilities of the tokens, without the end."""
    return sum(translator.score_batch(source, [tokens])[0].log_probs[:LENGTH]) / LENGTH


pair = translated(1)[0][0][:2]
suppressing, score = translated(1, suppress_sequences=[pair])[0]
lacking = next(tokens for tokens, _ in translated(400) if pair not in [tokens[i : i + 2] for i in range(LENGTH)])
print("suppressed:", f'"{" ".join(pair)}"')
print(f"best with suppress_sequences: {' '.join(suppressing)}, score {score:.3f}, by score_batch {model_score(suppressing):.3f}")
print(
    f"best of the hypotheses without suppression that lack the text: {' '.join(lacking)}, "
    f"by score_batch {model_score(lacking):.3f}"
)
sys.exit(not (score > model_score(suppressing) + 0.4 and model_score(lacking) > model_score(suppressing) + 0.01))
PYTHON
