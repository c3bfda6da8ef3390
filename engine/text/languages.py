"""Language codes: two letters (ISO 639-1) if a language has such a code, for all models.

If two languages of a model would get the same code, both keep the code of the model: zho_Hans, zho_Hant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

_FIRST = ("en", "de")  # the languages of the bundled model

# Individual languages that models offer under the name of their group (ISO 639-3), and two that are named otherwise.
_GROUP_OF = {
    "als": "sq",
    "arb": "ar",
    "ayr": "ay",
    "azj": "az",
    "ekk": "et",
    "fuv": "ff",
    "gaz": "om",
    "khk": "mn",
    "kmr": "ku",
    "knc": "kr",
    "lvs": "lv",
    "npi": "ne",
    "ory": "or",
    "pbt": "ps",
    "pes": "fa",
    "plt": "mg",
    "quy": "qu",
    "swh": "sw",
    "uzn": "uz",
    "ydd": "yi",
    "zsm": "ms",
    "hbs": "sh",
    "tgl": "tl",
}


@cache
def short_code(code: str) -> str:
    """The two-letter code of a language if it has one: `deu` and `deu_Latn` -> `de`.

    >>> short_code("deu_Latn"), short_code("fur_Latn"), short_code("en-US")
    ('de', 'fur', 'en')
    """
    from langcodes import standardize_tag  # here, because a machine that only trains does not need it

    language = re.split("[-_]", code, maxsplit=1)[0]
    if language in _GROUP_OF:
        return _GROUP_OF[language]
    if not re.fullmatch("[a-z]{3}", language):
        return language
    found = standardize_tag(language)
    return found if len(found) == 2 else language


def short_names(codes: Iterable[str]) -> Mapping[str, str]:
    """The codes of a model's languages by their short names: the bundled model's languages first, then by name.

    >>> dict(short_names(["zho_Hant", "zho_Hans", "eng_Latn"]))
    {'en': 'eng_Latn', 'zho_Hans': 'zho_Hans', 'zho_Hant': 'zho_Hant'}
    """
    codes = list(codes)
    num_bearers = Counter(map(short_code, codes))
    names = {short_code(code) if num_bearers[short_code(code)] == 1 else code: code for code in codes}
    return {name: names[name] for name in sorted(names, key=lambda name: (name not in _FIRST, name != "en", name))}
