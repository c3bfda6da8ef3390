#!/usr/bin/env bash
# translate-toolkit 3.20.4: xliff2po marks a plural message as fuzzy although all its trans-units are approved.
#
# It reads the approval of a plural message from the attribute "approved" of the <group> around the trans-units. The
# schemas of XLIFF 1.1 and 1.2 allow this attribute on <trans-unit> only, so a tool that follows them cannot state that
# a plural message is finished. For a message without plural forms, the attribute of the trans-unit counts.
#
# Output seen:
#   msgid "Open": finished
#   msgid "%d file": fuzzy
#   with approved="yes" on the group, msgid "%d file": finished
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet translate-toolkit==3.20.4
cat > "$folder/a.xlf" <<'XLIFF'
<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.po" source-language="en" target-language="de" datatype="po"><body>
<trans-unit id="1" approved="yes"><source>Open</source><target state="final">Öffnen</target></trans-unit>
<group restype="x-gettext-plurals" id="2">
<trans-unit id="2[0]" approved="yes"><source>%d file</source><target state="final">%d Datei</target></trans-unit>
<trans-unit id="2[1]" approved="yes"><source>%d files</source><target state="final">%d Dateien</target></trans-unit>
</group></body></file></xliff>
XLIFF
sed 's/<group /<group approved="yes" /' "$folder/a.xlf" > "$folder/b.xlf"
state() { # prints whether the message with this msgid is fuzzy in the PO file made of an XLIFF file
    "$folder/venv/bin/xliff2po" --progress=none "$folder/$1.xlf" "$folder/$1.po" 2> /dev/null
    if grep -B1 -F "msgid \"$2\"" "$folder/$1.po" | grep -q '^#, fuzzy'; then echo fuzzy; else echo finished; fi
}
single=$(state a Open) plural=$(state a '%d file') grouped=$(state b '%d file')
echo "msgid \"Open\": $single"
echo "msgid \"%d file\": $plural"
echo "with approved=\"yes\" on the group, msgid \"%d file\": $grouped"
[ "$single $plural $grouped" = "finished fuzzy finished" ]
