#!/usr/bin/env bash
# sacreBLEU 2.6.0: TER ignores capitals by default, BLEU and chrF count them.
#
# The three metrics of one call so disagree about a translation that differs from its reference in capitals only: TER
# finds nothing to edit. The signature, which is meant to make results comparable, says "case:lc" for TER and
# "case:mixed" for the others. `--ter-case-sensitive` counts capitals.
#
# Output seen (the German sentence without the capitals of its nouns):
#   TER 0.0, case:lc
#   BLEU 26.3, case:mixed
#   chrF2 65.6, case:mixed
#   TER with case_sensitive=True 42.9
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sacrebleu==2.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from sacrebleu.metrics import BLEU, CHRF, TER

SYSTEM, REFERENCE = ["das haus hat ein neues dach ."], [["Das Haus hat ein neues Dach ."]]
values = {}
for metric in (TER(), BLEU(), CHRF()):
    score = metric.corpus_score(SYSTEM, REFERENCE)
    signature = str(metric.get_signature())
    case = next(part for part in signature.split("|") if part.startswith("case:"))
    values[score.name] = round(score.score, 1), case
    print(f"{score.name} {score.score:.1f}, {case}")
counted = TER(case_sensitive=True).corpus_score(SYSTEM, REFERENCE).score
print(f"TER with case_sensitive=True {counted:.1f}")
sys.exit(values["TER"] != (0.0, "case:lc") or counted == 0 or values["BLEU"][0] > 99 or values["chrF2"][0] > 99)
PYTHON
