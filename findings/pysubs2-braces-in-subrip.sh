#!/usr/bin/env bash
# pysubs2 1.8.1: a SubRip file that is read and written again loses words in braces, and backslashes break its lines.
#
# The library keeps all formats as events of Advanced SubStation Alpha, where {...} is an override tag, \N and \n are line
# breaks and \h is a space. It does not escape these signs of a SubRip file, in which they are ordinary text. Subtitles of
# software courses have them: keys in braces, placeholders and folders of Windows.
#
# Output seen (the texts of two subtitles, read and written as SubRip):
#   'Press {Enter} now.' -> 'Press  now.'
#   'Open C:\Notes\new.' -> 'Open C:\notes\new.' (as Python writes line breaks)
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pysubs2==1.8.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from pysubs2 import SSAFile

TEXTS = ["Press {Enter} now.", r"Open C:\Notes\new."]
given = "".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{text}\n\n" for n, text in enumerate(TEXTS, 1))
written = SSAFile.from_string(given, format_="srt").to_string("srt")
found = [block.split("\n", 2)[2] for block in written.strip().split("\n\n")]
for text, text_found in zip(TEXTS, found):
    print(f"'{text}' -> {text_found!r}")
sys.exit(found != ["Press  now.", "Open C:\notes\new."])
PYTHON
