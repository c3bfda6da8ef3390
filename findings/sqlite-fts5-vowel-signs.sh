#!/usr/bin/env bash
# SQLite 3.54.1 (in apsw 3.54.1.0): full-text search ignores the vowel signs of Hindi, Tamil and Bengali words.
#
# The default tokenizer of FTS5, unicode61, splits a text at each character that is neither a letter nor a number. Vowel
# signs are marks in Unicode (categories Mc and Mn), so they split words: दिन (day) and दान (gift) both become the tokens
# द and न, and a search for one word finds the other. A concordance in these languages is full of wrong hits.
#
# The documentation of unicode61 contradicts itself: "all space and punctuation characters [...] are considered
# separators, and all other characters as token characters"; then only the categories L*, N* and Co are tokens, and "all
# other characters are separators". A vowel sign is neither space nor punctuation. The option
# categories 'L* N* Co Mn Mc' keeps the words whole. Some projects reported it for their own search, none to SQLite that
# we know of.
#
# Output seen:
#   default: a search for दिन (day) finds दान (gift), tokens द न
#   default: a search for கல் (stone) finds கலை (art), tokens கல
#   default: a search for তাল (palm) finds তিল (sesame), tokens ত ল
#   with marks: a search for दिन (day) does not find दान (gift), tokens दान
#   with marks: a search for கல் (stone) does not find கலை (art), tokens கலை
#   with marks: a search for তাল (palm) does not find তিল (sesame), tokens তিল
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet apsw==3.54.1.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import apsw

WORDS = [("दिन", "day", "दान", "gift"), ("கல்", "stone", "கலை", "art"), ("তাল", "palm", "তিল", "sesame")]
OPTIONS = {"default": "", "with marks": """, tokenize = "unicode61 categories 'L* N* Co Mn Mc'" """}

found = []
for name, option in OPTIONS.items():
    for word, meaning, other, other_meaning in WORDS:
        database = apsw.Connection(":memory:")
        database.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text{option})")
        database.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab(texts, instance)")
        database.execute("INSERT INTO texts VALUES (?)", (other,))
        hits = list(database.execute("SELECT text FROM texts WHERE texts MATCH ?", (f'"{word}"',)))
        tokens = " ".join(token for (token,) in database.execute("SELECT term FROM tokens ORDER BY offset"))
        verb = "finds" if hits else "does not find"
        print(f"{name}: a search for {word} ({meaning}) {verb} {other} ({other_meaning}), tokens {tokens}")
        found.append(bool(hits))
sys.exit(found != [True] * 3 + [False] * 3)
PYTHON
