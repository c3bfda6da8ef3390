#!/usr/bin/env bash
# mdpo 2.1.4: a translated Markdown file counts its steps from 1 and has its addresses and verses on one line.
#
# mdpo makes a PO file of a Markdown file, and the translated Markdown of both. It writes "1." before each item of an
# ordered list, so a list that begins with 3 begins with 1, and a sentence such as "see step 3" names the wrong step. A
# hard line break (two spaces or a backslash at the end of a line) is a space in the PO file, so that no translator can
# keep it. Its README says: "Fully complies with CommonMark Specification v0.29". There, the first number of a list is its
# start number, and a hard line break is no space. Report 308 of mondeja/mdpo has the numbers after the first, which
# CommonMark ignores; we found no report of the start number or of line breaks.
#
# Output seen (the PO file has each text as its own translation):
#   in: 3. Open the lid. | 4. Repeat step 3. | Rose Street 5\ | Springfield
#   out: 1. Open the lid. | 1. Repeat step 3. | Rose Street 5 Springfield
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mdpo==2.1.4
cd "$folder"
printf '3. Open the lid.\n4. Repeat step 3.\n\nRose Street 5\\\nSpringfield\n' > a.md
venv/bin/md2po a.md --save --po-filepath a.po --quiet
venv/bin/python - <<'PYTHON'
import sys
from pathlib import Path

import polib
from mdpo.po2md import pofile_to_markdown

file = polib.pofile("a.po")
for entry in file:
    entry.msgstr = entry.msgid
file.save()
given, written = Path("a.md").read_text(), pofile_to_markdown("a.md", "a.po")
lines = [" | ".join(line for line in text.splitlines() if line) for text in (given, written)]
print(f"in: {lines[0]}\nout: {lines[1]}")
sys.exit(lines[1] != "1. Open the lid. | 1. Repeat step 3. | Rose Street 5 Springfield")
PYTHON
