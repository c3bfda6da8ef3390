"""Headers of PO files: plural rules of languages, and the header that turns a template (POT) into a PO file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from gettext import c2py

_GERMANIC = "nplurals=2; plural=(n != 1);"
_ROMANCE = "nplurals=2; plural=(n > 1);"
_NONE = "nplurals=1; plural=0;"
_SLAVIC = (
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
)  # fmt: skip
_PLURALS = {
    **dict.fromkeys(
        ("bg", "da", "de", "el", "en", "es", "et", "eu", "fi", "he", "hu", "it", "nb", "nl", "no"), _GERMANIC
    ),
    **dict.fromkeys(("ca", "gl", "nn", "pt", "sv", "sq"), _GERMANIC),
    **dict.fromkeys(("fr", "oc", "pt_BR", "tr"), _ROMANCE),
    **dict.fromkeys(("id", "ja", "ko", "ms", "th", "vi", "zh"), _NONE),
    **dict.fromkeys(("be", "bs", "hr", "ru", "sr", "uk"), _SLAVIC),
    "cs": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
    "sk": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "lt": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "lv": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
    "ro": "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);",
    "sl": "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
}
_NUM_PLURALS = re.compile(r"nplurals\s*=\s*(\d+)")
_RULE = re.compile(r"nplurals\s*=\s*\d+\s*;\s*plural\s*=\s*([^;\\\"]+)")
_TEMPLATE = re.compile(r"nplurals\s*=\s*INTEGER", re.IGNORECASE)
_FIELDS = ("Language", "Plural-Forms")
MAX_PLURALS = 6
_MAX_RULE_CHARACTERS = 300
_NUMBERS = range(200)  # every known rule repeats after 100


def plural_rule(language: str) -> str | None:
    """The value of "Plural-Forms" for a language ("de", "pt_BR", "zh-Hans"); None if it is not known here."""
    code = language.replace("-", "_")
    return _PLURALS.get(code) or _PLURALS.get(code.partition("_")[0])


@cache
def plural_index(language: str) -> Callable[[int], int] | None:
    """A function that returns which plural form a number needs in a language; None if the rule is not known here."""
    rule = plural_rule(language)
    found = _RULE.search(rule) if rule is not None else None
    return None if found is None else c2py(found[1].strip())


def numbers_of_form(form: int, language: str) -> str | None:
    """The first numbers that need a plural form in a language; None without the form or a known rule."""
    rule, form_of = plural_rule(language), plural_index(language)
    if rule is None or form_of is None or form >= num_plurals(rule):
        return None
    return ", ".join([str(number) for number in _NUMBERS if form_of(number) == form][:4])


def num_plurals(rule: str) -> int:
    """The number of plural forms of a rule; 0 if it has none."""
    found = _NUM_PLURALS.search(rule)
    return int(found[1]) if found else 0


def is_template(header: str) -> bool:
    """True if the header belongs to a template: without a language and a plural rule."""
    given = _field(header, "Language")
    return _TEMPLATE.search(header) is not None or (given == "" and _RULE.search(header) is None)


def first_form_is_one(header: str) -> bool:
    """True if plural form 0 is used only for the number 1, by the rule of a header. True without a valid rule."""
    found = _RULE.search(header)
    if found is None or len(found[1]) > _MAX_RULE_CHARACTERS:
        return True
    try:
        form_of = c2py(found[1].strip())
        return [number for number in _NUMBERS if form_of(number) == 0] in ([1], [])
    except (ValueError, ArithmeticError, RecursionError):
        return True


def completed(header: str, language: str) -> str:
    """The value of a template's header with the language, and with its plural rule if that is known here."""
    values = {"Language": language.replace("-", "_"), "Plural-Forms": plural_rule(language)}
    lines = header.split("\n")
    for name in _FIELDS:
        value = values[name]
        place = next((at for at, line in enumerate(lines) if line.lower().startswith(f"{name.lower()}:")), None)
        if value is None or (place is None and name == "Plural-Forms"):
            continue
        if place is None:
            lines.insert(len(lines) - 1, f"{name}: {value}")
        elif name == "Plural-Forms" or not lines[place].partition(":")[2].strip():
            lines[place] = f"{name}: {value}"
    return "\n".join(lines)


def _field(header: str, name: str) -> str | None:
    found = re.search(rf"^{name}:[ \t]*(.*)$", header, re.MULTILINE | re.IGNORECASE)
    return found[1].strip() if found else None
