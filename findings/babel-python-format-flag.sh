#!/usr/bin/env bash
# Babel 2.19.0: a PO file that is read and written again gets the flag python-format for texts with a percentage.
#
# `Message` adds the flag to every message in which it finds a conversion of Python, in files of programs in C, too, and
# beside a flag c-format. "50% on" holds one: "% o", an octal number with a space for its sign. Babel's own check and
# `msgfmt -c` then refuse a correct translation, whose sign of percent has another letter behind it.
#
# Output seen:
#   flags of 'Save up to 50% on books': none in the file, python-format in what Babel writes
#   flags of '%d files': c-format in the file, c-format, python-format in what Babel writes
#   check of 'Save up to 50% on books' = 'Bis zu 50 % bei Büchern sparen': placeholders are incompatible
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet Babel==2.19.0
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys

from babel.messages.pofile import read_po, write_po

PO = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Save up to 50% on books"
msgstr "Bis zu 50 % bei Büchern sparen"

#, c-format
msgid "%d files"
msgstr "%d Dateien"
"""


def flags(po):
    """The flags of each message of a PO file, by its text."""
    found, line_before = {}, ""
    for line in po.splitlines():
        if line.startswith('msgid "') and line != 'msgid ""':
            found[line[7:-1]] = line_before[3:] if line_before.startswith("#, ") else "none"
        line_before = line
    return found


catalog = read_po(io.BytesIO(PO.encode()), locale="de")
output = io.BytesIO()
write_po(output, catalog)
before, after = flags(PO), flags(output.getvalue().decode())
for text in before:
    print(f"flags of {text!r}: {before[text]} in the file, {after[text]} in what Babel writes")
errors = []
for message, found in catalog.check():
    errors += [str(error) for error in found]
    print(f"check of {message.id!r} = {message.string!r}: {', '.join(map(str, found))}")
sys.exit(list(after.values()) != ["python-format", "c-format, python-format"] or len(errors) != 1)
PYTHON
