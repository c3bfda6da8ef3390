#!/usr/bin/env bash
# fluent.runtime 0.4.0: NUMBER with a minimum of decimals prints "1.0 point", and selects the plural form of 1.
#
# The guide of Fluent, page "Selectors", says: "If the translation requires a number to be formatted in a particular
# non-default manner, the selector should use the same formatting options. The formatted number will then be used to
# choose the correct CLDR plural category". In English, CLDR's category of 1.0 is "other" ("1.0 points"), as Babel, which
# fluent.runtime asks, knows. But fluent.runtime asks for the number without its options. The JavaScript implementation,
# @fluent/bundle 0.19.1, prints "1.0 points". So the same file of translations reads differently in two programs. Reported
# for literal variants such as [0.0] only (number 155 of projectfluent/fluent).
#
# Output seen:
#   fluent.runtime, English: 1.0 point
#   fluent.runtime, Czech: 2,0 body
#   Babel's category of 1.0 in English: other; of 2.0 in Czech: many
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet fluent.runtime==0.4.0 Babel==2.19.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from decimal import Decimal

from babel import Locale
from fluent.runtime import FluentBundle, FluentResource

POINTS = "NUMBER($n, minimumFractionDigits: 1)"
FORMS = {
    "en-US": {"one": "point", "other": "points"},
    "cs": {"one": "bod", "few": "body", "many": "bodu", "other": "bodů"},
}


def printed(language, number):
    forms = FORMS[language].items()
    variants = "".join(f"   {'*' if name == 'other' else ''}[{name}] {{ {POINTS} }} {word}\n" for name, word in forms)
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(f"score = {{ {POINTS} ->\n{variants}  }}\n"))
    text, errors = bundle.format_pattern(bundle.get_message("score").value, {"n": number})
    return str(errors or text)


found = printed("en-US", 1), printed("cs", 2)
categories = Locale("en").plural_form(Decimal("1.0")), Locale("cs").plural_form(Decimal("2.0"))
print(f"fluent.runtime, English: {found[0]}\nfluent.runtime, Czech: {found[1]}")
print(f"Babel's category of 1.0 in English: {categories[0]}; of 2.0 in Czech: {categories[1]}")
sys.exit(found != ("1.0 point", "2,0 body") or categories != ("other", "many"))
PYTHON
