#!/usr/bin/env bash
# transformers 5.23.0: beam search gives a text that the length limit cuts off the score of one that is not yet finished.
#
# The configurations of BART, mBART, Marian and others set `forced_eos_token_id` by default. At the length limit,
# `generate` then forces the end of the text and counts its log-probability as 0. Of texts that the limit cuts off,
# `sequences_scores` are therefore not their log-probability per token, and they are ranked by these scores: a cut text
# wins over one that is more probable with its end.
#
# Output seen (a random mBART of a fixed seed, four beams, a limit of six tokens):
#   text 1: sequences_scores -0.937, log-probability per token -2.348
#   text 2: sequences_scores -1.043, log-probability per token -1.993
#   text 3: sequences_scores -1.089, log-probability per token -2.313
#   text 4: sequences_scores -1.212, log-probability per token -2.870
#   the most probable text is number 2
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - <<'PYTHON'
import sys

import torch
from transformers import MBartConfig, MBartForConditionalGeneration

END, PADDING = 2, 1
torch.manual_seed(0)
config = MBartConfig(
    vocab_size=40,
    d_model=16,
    encoder_layers=1,
    decoder_layers=1,
    encoder_ffn_dim=16,
    decoder_ffn_dim=16,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    max_position_embeddings=32,
    init_std=0.6,
    pad_token_id=PADDING,
    bos_token_id=0,
    eos_token_id=END,
    decoder_start_token_id=END,
)
model = MBartForConditionalGeneration(config).eval()
assert model.generation_config.forced_eos_token_id == END  # by default
source = torch.tensor([[5, 6, 7, 8, END]])
found = model.generate(
    source,
    num_beams=4,
    num_return_sequences=4,
    max_new_tokens=6,
    do_sample=False,
    length_penalty=1.0,
    output_scores=True,
    return_dict_in_generate=True,
)
scores = found.sequences_scores.tolist()
real = []
for number, sequence in enumerate(found.sequences, 1):
    tokens = sequence[1:][sequence[1:] != PADDING]
    with torch.inference_mode():
        logits = model(input_ids=source, decoder_input_ids=sequence[None, : len(tokens)]).logits[0]
    log_probs = torch.log_softmax(logits, -1)[range(len(tokens)), tokens]
    real.append(float(log_probs.mean()))
    print(f"text {number}: sequences_scores {scores[number - 1]:.3f}, log-probability per token {real[-1]:.3f}")
best = 1 + real.index(max(real))
print(f"the most probable text is number {best}")
sys.exit(best == 1 or any(abs(score - own) < 0.1 for score, own in zip(scores, real)))
PYTHON
