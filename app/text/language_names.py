"""Language names and codes, as files and the headers of their columns write them -> codes ("en")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from engine import short_code

T = TypeVar("T")

_LANGUAGES = {
    "ar": ("ar", "ara", "arabic", "arabisch"),
    "bg": ("bg", "bul", "bulgarian", "bulgarisch"),
    "cs": ("cs", "ces", "cze", "czech", "tschechisch"),
    "da": ("da", "dan", "danish", "dänisch"),
    "de": ("de", "ger", "deu", "german", "deutsch"),
    "el": ("el", "ell", "gre", "greek", "griechisch"),
    "en": ("en", "eng", "english", "englisch"),
    "es": ("es", "spa", "spanish", "spanisch"),
    "fi": ("fi", "fin", "finnish", "finnisch"),
    "fr": ("fr", "fra", "fre", "french", "französisch"),
    "hu": ("hu", "hun", "hungarian", "ungarisch"),
    "it": ("it", "ita", "italian", "italienisch"),
    "ja": ("ja", "jpn", "japanese", "japanisch"),
    "ko": ("ko", "kor", "korean", "koreanisch"),
    "nb": ("nb", "nob", "norwegian", "norwegisch"),
    "nl": ("nl", "nld", "dut", "dutch", "niederländisch"),
    "pl": ("pl", "pol", "polish", "polnisch"),
    "pt": ("pt", "por", "portuguese", "portugiesisch"),
    "ro": ("ro", "ron", "rum", "romanian", "rumänisch"),
    "ru": ("ru", "rus", "russian", "russisch"),
    "sv": ("sv", "swe", "swedish", "schwedisch"),
    "tr": ("tr", "tur", "turkish", "türkisch"),
    "uk": ("uk", "ukr", "ukrainian", "ukrainisch"),
    "zh": ("zh", "zho", "chi", "chinese", "chinesisch"),
}
_ENGLISH = {code: next(word for word in words if len(word) > 3).title() for code, words in _LANGUAGES.items()}
_LANGUAGE_OF = {word: code for code, words in _LANGUAGES.items() for word in words}
# A name or code, and a region or script: "English (United States)", "English_United_States", "zh-Hans-CN".
_NAME = re.compile(r"([^\W\d_]+)(?:[-_]([\w-]+)|\s*\(([^()]*)\))?")
# Ends of the names of columns that are about a term (memoQ: "English_Def", "English_Term_Info").
_ABOUT = frozenset(
    {
        "def",
        "definition",
        "info",
        "example",
        "note",
        "notes",
        "comment",
        "status",
        "description",
        "context",
        "image",
        "id",
    }
)
_TERM = r"(?:term|terms|text|translation|begriff|benennung|übersetzung)"
_TERM_OF = re.compile(rf"{_TERM}\s*[\[(:_-]\s*(.+?)\s*[\])]?|(.+?)\s*[\[(:_-]\s*{_TERM}\s*[\])]?", re.IGNORECASE)
_CODE_BEHIND = re.compile(r"[^\[\]]+\[([\w-]+)\]")


def language_of(name: str) -> str | None:
    """The language code for a code or name: "en-GB", "English (United States)" and "Englisch" -> "en"."""
    found = _NAME.fullmatch(name.strip().casefold())
    if found is None or (found[2] and _ABOUT & {*re.split("[-_]", found[2])[-1:]}):
        return None
    return _LANGUAGE_OF.get(found[1])


def english_name(code: str) -> str:
    """The English name of a language; its code if the name is not known.

    >>> english_name("pt"), english_name("gd")
    ('Portuguese', 'gd')
    """
    return _ENGLISH.get(code, code)


def column_language(name: str) -> str | None:
    """The language whose texts a column contains, by its header: "German", "Term [de]", "German [de-DE]" -> "de".

    None for a column about a text: "German_Def", "Description [de]".
    """
    name = name.strip()
    if code := language_of(name):
        return code
    if found := _TERM_OF.fullmatch(name):
        return language_of(found[1] or found[2])
    behind = _CODE_BEHIND.fullmatch(name)
    return language_of(behind[1]) if behind and language_of(name.partition("[")[0]) else None


def in_language(language: str, texts: Mapping[str, T]) -> T | None:
    """Of texts by language tag (lower case), the one in this language, else the first in the same language and script.

    A regional variant counts as its language ("de-at" as "de"), another script as another language.

    >>> in_language("zho_Hans", {"zh-hant": "頁", "zh-cn": "页"})
    '页'
    >>> in_language("de", {"de-at": "Jänner", "de": "Januar"})
    'Januar'
    """
    tag_sought = language.replace("_", "-").lower()
    if tag_sought in texts:
        return texts[tag_sought]
    first, *others = tag_sought.split("-")
    scripts = {"", *(other for other in others if len(other) == 4)}
    for tag, text in texts.items():
        own, *more = tag.split("-")
        script = next((other for other in more if len(other) == 4 and other.isalpha()), "")
        if short_code(own) == short_code(first) and (script in scripts or len(scripts) == 1):
            return text
    return None
