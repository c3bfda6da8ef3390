#!/usr/bin/env bash
# transformers 5.23.0: `repetition_penalty` delays the end of translations of NLLB and M2M100.
#
# The decoder of these models begins with </s>, the token that also ends a text (`decoder_start_token_id` and
# `eos_token_id` are both 2). The penalty is documented to penalise "previously generated tokens", and to count a prompt
# "for decoder-only models". But it counts the start token, so that the end of a text is penalised from the first step on,
# as if it had been there. In greedy search, where the penalty divides raw logits, a most probable end is passed over and
# words are added; in beam search, where it multiplies log-probabilities, the effect is smaller. The processor with
# `prompt_ignore_length=1` has no such effect. Marian models begin with <pad> and are not concerned. We found no report.
#
# Output seen (a model with constant probabilities):
#   probabilities of the end, "a" and "b": [0.67, 0.24, 0.09]
#   no penalty: (nothing), the end has logit 9.0 and score 9.0
#   repetition_penalty=1.2: a, the end has logit 9.0 and score 7.5
#   the processor with prompt_ignore_length=1: (nothing), the end has logit 9.0 and score 9.0
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
from transformers import M2M100Config, M2M100ForConditionalGeneration, RepetitionPenaltyLogitsProcessor

END, LANGUAGE, A, B = 2, 4, 5, 6
SIZES = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
config = M2M100Config(vocab_size=7, encoder_attention_heads=1, decoder_attention_heads=1, **SIZES)
assert config.decoder_start_token_id == config.eos_token_id == END
model = M2M100ForConditionalGeneration(config).eval()
logits = torch.zeros(7)
logits[END], logits[A], logits[B] = 9.0, 8.0, 7.0
model.lm_head.register_forward_hook(lambda module, given, output: logits.expand_as(output).clone())

print('probabilities of the end, "a" and "b":', [round(each, 2) for each in logits.softmax(-1)[[END, A, B]].tolist()])
ignoring = RepetitionPenaltyLogitsProcessor(1.2, prompt_ignore_length=1)
cases = {
    "no penalty": {},
    "repetition_penalty=1.2": {"repetition_penalty": 1.2},
    "the processor with prompt_ignore_length=1": {"logits_processor": [ignoring]},
}
found = []
for name, options in cases.items():
    answer = model.generate(
        torch.tensor([[LANGUAGE, A, B, END]]), forced_bos_token_id=LANGUAGE, max_new_tokens=8, do_sample=False,
        num_beams=1, output_scores=True, output_logits=True, return_dict_in_generate=True, **options,
    )
    text = "".join({A: "a", B: "b"}.get(token, "") for token in answer.sequences[0].tolist())
    values = answer.logits[1][0, END].item(), round(answer.scores[1][0, END].item(), 2)
    print(f"{name}: {text or '(nothing)'}, the end has logit {values[0]} and score {values[1]}")
    found.append((text, values[1]))
sys.exit(found != [("", 9.0), ("a", 7.5), ("", 9.0)])
PYTHON
