"""The direction of a new document: from its file, from the language of its text, or the model's first.

Languages are named by their codes ("en"); a file's "en-US" or "Englisch" is understood.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from app.errors import CommandError
from app.formats.read_file import FileOverview, ReadFile
from app.i18n import Message
from app.text.language_names import language_of
from engine import short_code

Reason = Literal["stated", "text", "first"]
F = TypeVar("F", ReadFile, FileOverview)

MAX_GUESSED = 6  # languages: each has a dictionary, which takes up to some seconds to read (Finnish)
_MIN_WORDS = 5
_MIN_SHARE = 0.75  # of the text's words, in the dictionary of its language
_MIN_LEAD = 0.15  # over the next language
_WORD = re.compile(r"[^\W\d_]{3,}")
_TAG = re.compile(r"[a-z]{2,}(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_UNKNOWN = frozenset({"und", "mul", "zxx", "mis"})  # BCP 47's codes for no language
# The script of a language, or of one in a region, that is written in several (CLDR's likely subtags).
_SCRIPTS = {
    "zh": "hans", "zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant", "yue": "hant", "yue-cn": "hans",
    "sr": "cyrl", "sr-me": "latn", "ks": "arab", "pa": "guru", "pa-pk": "arab", "uz": "latn", "uz-af": "arab",
    "az": "latn", "az-ir": "arab", "sd": "arab", "sd-in": "deva", "mn": "cyrl", "mn-cn": "mong",
}  # fmt: skip
# Codes that say the same, or have been replaced.
_SAME = {"cmn": "zh", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "nb": "no", "tl": "fil", "sh": "sr"}


@dataclass(frozen=True, slots=True)
class Decision:
    """A direction and what decided it; `note` explains where the model does not support the file's languages."""

    direction: str
    reason: Reason
    note: str = ""


def decide(file: FileOverview, directions: Sequence[str], languages: tuple[str, str]) -> Decision:
    """Chooses one of the model's directions; `languages` are the document's source and target, "" where unknown."""
    first = directions[0]
    stated_source, stated_target = stated = _code(languages[0]), _code(languages[1])
    fitting = _fitting(directions, stated_source, stated_target)
    if not fitting and (turned := file.reversed()) and _fitting(directions, stated_target, stated_source):
        return decide(turned, directions, languages[::-1])
    note = ""
    if not fitting:
        fitting = _fitting(directions, stated_source, "") or list(directions)
    is_stated = bool(stated_source) and _code(_source(fitting[0])) == stated_source
    reason: Reason = "stated" if is_stated or (stated_target and len(fitting) < len(directions)) else "first"
    if not is_stated and (guessed := _language_of_text(file, fitting)):
        fitting, reason = [d for d in fitting if _source(d) == guessed], "text"
    direction = max(fitting, key=lambda d: _likeness(d, languages, first))  # the first of equals
    if not _fitting([direction], *stated):
        note = Message(
            "The languages stated in {name} are {stated}. The model does not support them, so the file was opened as "
            "{direction}.",
            name=file.name,
            stated=_names(languages),
            direction=direction,
        )
    return Decision(direction, reason, note)


def facing(file: F, direction: str) -> F:
    """The file or overview; with source and target swapped, where it has the direction's languages the other way."""
    source, target = map(_code, direction.split("-", 1))
    turned = file.reversed()
    return turned if turned and tuple(map(_code, file.languages)) == (target, source) else file


def check_facing(file: FileOverview, direction: str) -> None:
    """Raises CommandError if a bilingual file states its languages the other way round."""
    if not file.is_paired:
        return
    asked, stated = [_code(language) for language in direction.split("-", 1)], [*map(_code, file.languages)]
    pairs = zip(stated, asked, reversed(asked), strict=True)
    if any(language == opposite != own for language, own, opposite in pairs):
        raise CommandError(
            Message(
                "The languages stated in {name} are {stated}, and Pinpoint cannot exchange its sources and targets. "
                "To translate {direction}, export the file again for this language pair, or correct the languages in "
                "the file.",
                name=file.name,
                stated=_names(file.languages),
                direction=direction,
            )
        )


def check_direction(name: str, directions: Sequence[str], direction: str) -> None:
    """Raises CommandError if the model does not support the direction."""
    if direction not in directions:
        from engine import offer_of  # imports PyTorch, which reading a file does not need

        raise CommandError(
            Message(
                "{name} translates {offered}, not {direction}.",
                name=name,
                offered=offer_of(directions),
                direction=direction,
            )
        )


def stated_direction(languages: tuple[str, str]) -> str:
    """The direction of a document's stated languages; empty unless both are known and differ."""
    source, target = map(_code, languages)
    return f"{source}-{target}" if source and target and source != target else ""


def has_same_languages(direction: str, other: str) -> bool:
    """True if two directions have the same languages, however they are written: "en-zh" and "eng_Latn-zho_Hans"."""
    return direction == other or [_code(code) for code in direction.split("-", 1)] == [
        _code(code) for code in other.split("-", 1)
    ]


@lru_cache(maxsize=4096)
def language_and_script(code: str) -> str:
    """A language's code, with its script only where that is not the usual one; regions do not count.

    >>> [language_and_script(code) for code in ("deu_Latn", "zho_Hans", "zho_Hant", "zh_hant", "pt_br")]
    ['de', 'zh', 'zh_hant', 'zh_hant', 'pt']
    """
    language, *others = re.split("[-_]", code.lower())
    language = short_code(language)
    scripts = [other for other in others if len(other) == 4 and other != _SCRIPTS.get(language, other)]
    return "_".join([language, *scripts[:1]])


def read_ahead(directions: Sequence[str], delay_seconds: float = 6) -> None:
    """Loads the dictionaries for guessing languages in the background, once the first page is drawn."""
    if languages := _guessable(directions):
        timer = threading.Timer(delay_seconds, _shares, ("word", languages))
        timer.daemon = True
        timer.start()


def guessed_languages(text: str, directions: Sequence[str]) -> list[tuple[float, str]]:
    """The share of a text's words in the dictionary of each source language of the directions, largest first.

    Empty where these cannot be told apart: see `_guessable`.
    """
    languages = _guessable(directions)
    return _shares(text, languages) if languages else []


def targets_by_source(directions: Sequence[str]) -> dict[str, list[str]]:
    """The targets of each source, in the model's order."""
    targets: dict[str, list[str]] = {}
    for direction in directions:
        source, _, target = direction.partition("-")
        targets.setdefault(source, []).append(target)
    return targets


def _names(languages: tuple[str, str]) -> str:
    """A file's languages as the file names them, for a message."""
    return " → ".join(language[:40] or "?" for language in languages)


def _fitting(directions: Sequence[str], source: str, target: str) -> list[str]:
    """The directions from and to these languages, where they are given."""
    fitting = []
    for direction in directions:
        codes = tuple(map(_code, direction.split("-", 1)))
        if source in ("", codes[0]) and target in ("", codes[1]):
            fitting.append(direction)
    return fitting


def _likeness(direction: str, stated: tuple[str, str], first: str) -> tuple[int, int]:
    """The numbers of subtags shared with the stated languages, and of languages shared with `first`."""
    pairs = zip(direction.split("-", 1), stated, first.split("-", 1), strict=True)
    shared = [(len(_subtags(name) & _subtags(tag)), name == other) for name, tag, other in pairs]
    return sum(count for count, _ in shared), sum(is_same for _, is_same in shared)


def _subtags(tag: str) -> set[str]:
    first, *others = re.split("[-_]", tag.lower())
    language = _code(first)
    scripts = [_SCRIPTS[key] for key in [*(f"{language}-{other}" for other in others), language] if key in _SCRIPTS]
    names_script = any(len(other) == 4 and other.isalpha() for other in others)
    return {*others, *([] if names_script else scripts[:1])}


def _source(direction: str) -> str:
    return direction.partition("-")[0]


@lru_cache(maxsize=1024)
def _code(name: str) -> str:
    """ "en-US", "Englisch" and "eng_Latn" -> "en"; empty if it is not a language."""
    code = language_of(name) or (short_code(name.lower().replace("-", "_")) if _TAG.fullmatch(name) else "")
    return "" if code in _UNKNOWN else _SAME.get(code, code)


def _language_of_text(file: FileOverview, directions: Sequence[str]) -> str:
    """The source language of these directions that the text is written in; empty if that is unclear."""
    languages = _guessable(directions)
    if not languages:
        return ""
    if len(set(_WORD.findall(file.text))) < _MIN_WORDS:
        return ""
    (share, language), *others = _shares(file.text, languages)
    is_clear = share >= _MIN_SHARE and (not others or share - others[0][0] >= _MIN_LEAD)
    return language if is_clear else ""


def _guessable(directions: Sequence[str]) -> tuple[str, ...]:
    """The source languages to guess from; empty if there is only one, too many, or one without a dictionary."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    sources = dict.fromkeys(map(_source, directions))
    return tuple(filter(SUPPORTED_LANGUAGES.__contains__, sources)) if 1 < len(sources) <= MAX_GUESSED else ()


_reading = threading.Lock()  # so that a dictionary is read only once


def _shares(text: str, languages: tuple[str, ...]) -> list[tuple[float, str]]:
    """The share of the text's words in each language's dictionary, largest first. The first call reads these."""
    from simplemma import langdetect

    with _reading:
        found = langdetect(text, languages, low_memory=True)
    return sorted(((share, language) for language, share in found if language != "unk"), reverse=True)
