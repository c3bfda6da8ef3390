#!/usr/bin/env bash
# translate-toolkit 3.20.4: po2csv and csv2po double the backslashes of every translation, each time a file goes through.
#
# po2csv writes each backslash twice. csv2po takes both backslashes of a translation, although it reads the source text
# well enough to find its message. So paths of Windows and escapes change in a file that goes to a spreadsheet and back,
# although nobody edited it. The documentation of the two programs recommends them to "translators who can only use a
# Spreadsheet" and does not name backslashes among the known bugs; we found no report. The apostrophe before "=", "+",
# "-" and "@" is something else, and has options (--escape-formulas, --unescape-formulas).
#
# Output seen (the same translation after one and two ways to CSV and back, nothing edited):
#   msgstr "Öffne C:\\Daten"
#   msgstr "Öffne C:\\\\Daten"
#   msgstr "Öffne C:\\\\\\\\Daten"
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet translate-toolkit==3.20.4
cd "$folder"
cat > 0.po <<'PO'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Open C:\\data"
msgstr "Öffne C:\\Daten"
PO
for round in 1 2; do
    venv/bin/po2csv --progress=none $((round - 1)).po $round.csv
    venv/bin/csv2po --progress=none -t 0.po $round.csv $round.po
done
grep -h "Daten" 0.po 1.po 2.po
[ "$(grep -h "Daten" 1.po)" = 'msgstr "Öffne C:\\\\Daten"' ]
[ "$(grep -h "Daten" 2.po)" = 'msgstr "Öffne C:\\\\\\\\Daten"' ]
