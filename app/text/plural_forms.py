"""The plural forms of languages: their categories in Unicode's CLDR, with numbers that need each.

https://cldr.unicode.org/index/cldr-spec/plural-rules. The category "other", which every language has, is not listed.
Nor is "many" of French, Italian, Portuguese, Spanish and Catalan: only whole millions need it, and "other" fits.
"""

from __future__ import annotations

from typing import Final

CATEGORIES: Final = ("zero", "one", "two", "few", "many", "other")

_ONE: Final = {"one": "1"}
_HEBREW: Final = {"one": "1", "two": "2"}
_NO_FORMS: Final[dict[str, str]] = {}
_ROMANIAN: Final = {"one": "1", "few": "0, 2, 19, 101"}
_RUSSIAN: Final = {"one": "1, 21, 31", "few": "2, 3, 4, 22", "many": "0, 5, 11, 20"}
_SERBIAN: Final = {"one": "1, 21, 31", "few": "2, 3, 4, 22"}
_CZECH: Final = {"one": "1", "few": "2, 3, 4", "many": "0.5, 1.5"}
_SORBIAN: Final = {"one": "1, 101", "two": "2, 102", "few": "3, 4, 103"}
_LIKE_ENGLISH: Final = (
    "af am as az bg bn ca da de el en eo es et eu fa fi fo fr fy gl gu ha hi hu hy ia is it ka kk kn ku ky lb mk ml mn "
    "mr nb ne nl nn no or pa ps pt si so sq sv sw ta te tk tl tr ug ur uz xh zu"
)
_WITHOUT_FORMS: Final = "bo id ja jv km ko lo ms my su th vi wo yo yue zh"
_CARDINALS: Final = {
    **dict.fromkeys(_LIKE_ENGLISH.split(), _ONE),
    **dict.fromkeys(_WITHOUT_FORMS.split(), _NO_FORMS),
    **dict.fromkeys(("be", "ru", "uk"), _RUSSIAN),
    **dict.fromkeys(("bs", "hr", "sh", "sr"), _SERBIAN),
    **dict.fromkeys(("cs", "sk"), _CZECH),
    **dict.fromkeys(("dsb", "hsb", "sl"), _SORBIAN),
    **dict.fromkeys(("he", "iw"), _HEBREW),
    **dict.fromkeys(("mo", "ro"), _ROMANIAN),
    "ar": {"zero": "0", "one": "1", "two": "2", "few": "3, 4, 10, 103", "many": "11, 26, 99, 111"},
    "br": {"one": "1, 21, 31", "two": "2, 22, 32", "few": "3, 4, 9, 23", "many": "1000000"},
    "cy": {"zero": "0", "one": "1", "two": "2", "few": "3", "many": "6"},
    "ga": {"one": "1", "two": "2", "few": "3, 4, 5, 6", "many": "7, 8, 9, 10"},
    "gd": {"one": "1, 11", "two": "2, 12", "few": "3, 10, 13, 19"},
    "lt": {"one": "1, 21, 31", "few": "2, 9, 22, 29", "many": "0.5, 1.5"},
    "lv": {"zero": "0, 10, 19, 20", "one": "1, 21, 31"},
    "mt": {"one": "1", "two": "2", "few": "0, 3, 10, 103", "many": "11, 19, 111"},
    "pl": {"one": "1", "few": "2, 3, 4, 22", "many": "0, 5, 11, 21"},
}
_ORDINALS: Final = {
    **dict.fromkeys(("fr", "hy", "lo", "ms", "ro", "vi"), _ONE),
    "ca": {"one": "1, 3", "two": "2", "few": "4"},
    "en": {"one": "1, 21, 31", "two": "2, 22, 32", "few": "3, 23, 33"},
    "hu": {"one": "1, 5"},
    "it": {"many": "8, 11, 80, 800"},
    "sv": {"one": "1, 2, 21, 22"},
    "uk": {"few": "3, 23, 33"},
}


def numbers_of(category: str, language: str, *, is_ordinal: bool = False) -> str | None:
    """Numbers that need this category in a language; None if it does not have the category, or is not known here.

    >>> numbers_of("few", "pl")
    '2, 3, 4, 22'
    >>> numbers_of("few", "de") is None
    True
    """
    forms = (_ORDINALS if is_ordinal else _CARDINALS).get(language.lower().replace("_", "-").partition("-")[0], {})
    return forms.get(category)


def is_language(tag: str) -> bool:
    """True if a language tag ("de", "pt-BR") begins with a language that is known here.

    >>> is_language("pt-BR"), is_language("foo")
    (True, False)
    """
    return tag.replace("_", "-").partition("-")[0] in _CARDINALS
