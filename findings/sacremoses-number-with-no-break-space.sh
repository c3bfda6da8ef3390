#!/usr/bin/env bash
# sacremoses 0.2.0: the normaliser of punctuation makes a decimal number of a number whose thousands a no-break space divides.
#
# `MosesPunctNormalizer` follows Moses' normalize-punctuation.perl, with which the training texts of many translation
# models were prepared. By default it also "normalises numbers": a no-break space between two digits becomes a comma for
# German, French, Spanish and Czech, and a full stop for English and all other languages. In English, "10 000" so becomes
# "10.000", in German "10,000": ten in both. An ordinary space or a narrow no-break space, which French uses, stays.
#
# Output seen:
#   en: '10.000 people' '10 000 people' (with an ordinary space)
#   de: '10,000 people' '10 000 people' (with an ordinary space)
#   fr: '10,000 people' '10 000 people' (with an ordinary space)
#   en, narrow no-break space: stays
#   en, norm_numbers=False: stays
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sacremoses==0.2.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from sacremoses import MosesPunctNormalizer

NO_BREAK, NARROW = "10\u00a0000 people", "10\u202f000 people"
expected = {"en": "10.000 people", "de": "10,000 people", "fr": "10,000 people"}
found = {}
for language in expected:
    normaliser = MosesPunctNormalizer(language)
    found[language] = normaliser.normalize(NO_BREAK)
    print(f"{language}: {found[language]!r} {normaliser.normalize('10 000 people')!r} (with an ordinary space)")
narrow_stays = MosesPunctNormalizer("en").normalize(NARROW) == NARROW
print("en, narrow no-break space:", "stays" if narrow_stays else "changes")
off_stays = MosesPunctNormalizer("en", norm_numbers=False).normalize(NO_BREAK) == NO_BREAK
print("en, norm_numbers=False:", "stays" if off_stays else "changes")
sys.exit(found != expected or not narrow_stays or not off_stays)
PYTHON
