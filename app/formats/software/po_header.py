"""Headers of PO files: plural rules of languages, and the header that turns a template (POT) into a PO file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from gettext import c2py
from typing import Final

from app.text.plural_forms import is_language, numbers_of

_GERMANIC = "nplurals=2; plural=(n != 1);"
_ROMANCE = "nplurals=2; plural=(n > 1);"
_NONE = "nplurals=1; plural=0;"
_SLAVIC = (
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
)  # fmt: skip
_SLOVENIAN = "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"
_PLURALS = {
    **dict.fromkeys(
        ("bg", "da", "de", "el", "en", "es", "et", "eu", "fi", "he", "hu", "it", "nb", "nl", "no"), _GERMANIC
    ),
    **dict.fromkeys(("ca", "gl", "nn", "pt", "sv", "sq"), _GERMANIC),
    **dict.fromkeys(("fr", "oc", "pt_BR", "tr"), _ROMANCE),
    **dict.fromkeys(("am", "as", "bn", "br", "fa", "gu", "hi", "hy", "kn", "mr", "pa", "si", "zu"), _ROMANCE),
    **dict.fromkeys(("id", "ja", "ko", "ms", "th", "vi", "zh"), _NONE),
    **dict.fromkeys(("be", "bs", "hr", "ru", "sh", "sr", "uk"), _SLAVIC),
    **dict.fromkeys(("dsb", "hsb", "sl"), _SLOVENIAN),
    "cs": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
    "sk": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "lt": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "lv": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
    "ro": "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);",
    "cy": "nplurals=4; plural=(n==1 ? 0 : n==2 ? 1 : n!=8 && n!=11 ? 2 : 3);",
    "ga": "nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n>2 && n<7 ? 2 : n>6 && n<11 ? 3 : 4);",
    "gd": "nplurals=4; plural=(n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n>2 && n<20 ? 2 : 3);",
    "is": "nplurals=2; plural=(n%10!=1 || n%100==11);",
    "mk": "nplurals=2; plural=(n%10!=1 || n%100==11);",
    "mt": "nplurals=4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : n%100>10 && n%100<20 ? 2 : 3);",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
}
_NUM_PLURALS = re.compile(r"nplurals\s*=\s*(\d+)")
_RULE = re.compile(r"nplurals\s*=\s*\d+\s*;\s*plural\s*=\s*([^;\\\"]+)")
_TEMPLATE = re.compile(r"nplurals\s*=\s*INTEGER", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"charset=CHARSET\b|YEAR-MO-DA|PACKAGE VERSION")
_NEW: Final = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
MAX_PLURALS = 6
_MAX_RULE_CHARACTERS = 300
_NUMBERS = range(200)  # every known rule repeats after 100


def plural_rule(language: str) -> str | None:
    """The value of "Plural-Forms" for a language ("de", "pt_BR", "zh-Hans"); None if it is not known here."""
    code = language.replace("-", "_")
    known = _PLURALS.get(code) or _PLURALS.get(code.partition("_")[0])
    if known is None and is_language(code):  # other languages of CLDR have one form, or a form for 1
        known = _NONE if numbers_of("one", code) is None else _GERMANIC
    return known


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


def has_rule(header: str) -> bool:
    """True if a header states a plural rule."""
    return _RULE.search(header) is not None and _TEMPLATE.search(header) is None


def is_template(header: str) -> bool:
    """True if the header belongs to a template: without a language and a plural rule."""
    given = _field(header, "Language")
    is_unset = given == "" or (given is None and _PLACEHOLDER.search(header) is not None)
    return _TEMPLATE.search(header) is not None or (is_unset and not has_rule(header))


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
    """A header with the language, its plural rule if that is known here, and a character set, where it lacks them.

    An empty header is replaced by a new one.
    """
    lines = (header or _NEW).replace("charset=CHARSET", "charset=UTF-8").split("\n")
    rule = None if has_rule(header) else plural_rule(language)
    for name, value in (("Language", language.replace("-", "_")), ("Plural-Forms", rule)):
        place = next((at for at, line in enumerate(lines) if line.lower().startswith(f"{name.lower()}:")), None)
        if value is None:
            continue
        if place is None:
            lines.insert(len(lines) - 1, f"{name}: {value}")
        elif name == "Plural-Forms" or not lines[place].partition(":")[2].strip():
            lines[place] = f"{name}: {value}"
    return "\n".join(lines)


def _field(header: str, name: str) -> str | None:
    found = re.search(rf"^{name}:[ \t]*(.*)$", header, re.MULTILINE | re.IGNORECASE)
    return found[1].strip() if found else None
