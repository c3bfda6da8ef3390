#!/usr/bin/env bash
# PyYAML 6.0.2, with and without libyaml: the value of "key: &an:chor value" changes silently.
#
# In YAML 1.2, the name of an anchor goes on to the next space, so that the value is "value" (test Y2GN of the YAML test
# suite). libyaml ends the name at the colon: the anchor is "an", and the value is ":chor value". A program that writes
# the loaded data back puts ":chor" into the text. The reader of PyYAML that is written in Python does the same.
#
# Output seen:
#   C library: {'key': ':chor value'}
#   Python: {'key': ':chor value'}
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyyaml==6.0.2
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import yaml

TEXT = "key: &an:chor value\n"


def read(loader):
    try:
        return str(yaml.load(TEXT, Loader=loader))
    except yaml.YAMLError as problem:
        return type(problem).__name__


found = read(yaml.CSafeLoader), read(yaml.SafeLoader)
print(f"C library: {found[0]}\nPython: {found[1]}")
sys.exit(found != ("{'key': ':chor value'}",) * 2)
PYTHON
