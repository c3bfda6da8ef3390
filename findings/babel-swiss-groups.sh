#!/usr/bin/env bash
# Babel 2.19.0: numbers of Swiss German lose signs between their groups from one million on.
#
# The sign between groups of "de_CH" is an apostrophe. `format_decimal` writes the groups and then removes pairs of
# apostrophes, which are quotation marks in a pattern of CLDR. So "1'000'000" becomes "1000000": no error, and numbers
# of the same table have different groups.
#
# Output seen:
#   1'000 1000000 1000000'000
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet babel==2.19.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from babel.numbers import format_decimal

found = " ".join(format_decimal(number, locale="de_CH") for number in (1000, 10**6, 10**9))
print(found)
sys.exit(found != "1'000 1000000 1000000'000")
PYTHON
