#!/usr/bin/env bash
# sacreBLEU 2.6.0: `--ter-asian-support` alone changes nothing, although the signature then has "asian:yes".
#
# The README says: "Pass `--ter-asian-support` to enable the tokenization of Asian characters. If provided with
# `--ter-normalize`, both will be applied." But a Chinese sentence stays one word with this option, so TER is 0 or 100 for
# it; only together with `--ter-normalized` is it split. Two results with and without the option are equal, and a reader
# of the signature takes them for results on characters. The docstrings of the classes have named the condition since pull
# request 235 of mjpost/sacrebleu; README and `sacrebleu --help` ("Enables special treatment of Asian characters") do not.
#
# Output seen (one of ten characters differs):
#   TER: 100.0, asian:no norm:no
#   TER with asian_support: 100.0, asian:yes norm:no
#   TER with asian_support and normalized: 10.0, asian:yes norm:yes
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sacrebleu==2.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from sacrebleu.metrics import TER

SYSTEM, REFERENCE = ["我们明天在车站见面。"], [["我们后天在车站见面。"]]
values = []
for options in ((), ("asian_support",), ("asian_support", "normalized")):
    metric = TER(**dict.fromkeys(options, True))
    values.append(round(metric.corpus_score(SYSTEM, REFERENCE).score, 1))
    settings = dict(part.split(":", 1) for part in str(metric.get_signature()).split("|"))
    name = " with ".join(["TER", *[" and ".join(options)][: len(options)]])
    print(f"{name}: {values[-1]}, asian:{settings['asian']} norm:{settings['norm']}")
sys.exit(values != [100.0, 100.0, 10.0])
PYTHON
