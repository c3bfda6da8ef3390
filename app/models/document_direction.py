"""The direction of a new document: from its file, from the language of its text, or the model's first.

Languages are named by their codes ("en"); a file's "en-US" or "Englisch" is understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from app.errors import CommandError
from app.formats.read_file import FileOverview, ReadFile
from app.i18n import Message
from app.text.language_names import english_name, language_of
from app.text.recognition import language_shares
from engine import short_code

Reason = Literal["stated", "text", "first"]
F = TypeVar("F", ReadFile, FileOverview)

_MIN_WORDS = 5
_MIN_CERTAIN_WORDS = 4  # if the probability of the language is _CERTAIN_SHARE
_CERTAIN_SHARE = 0.9
_MIN_SHARE = 0.75  # the probability of a language among those of the model
_MIN_OTHER_SHARE = 0.6  # the probability of a language that the model does not translate, among all languages,
_MAX_OWN_SHARE = 0.1  # and that of all languages of the model together
_MIN_WORDS_AGAINST_FILE = 10  # for another language of the model than the file states
_MIN_UNSPACED = 15  # characters of a script without spaces, which count as five words
# In a short text, these are hard to tell from each other, but not from other languages.
_CLOSE_LANGUAGES = (
    frozenset({"es", "pt", "gl", "ca", "oc", "ast"}), frozenset({"no", "nn", "da"}), frozenset({"cs", "sk"}),
    frozenset({"hr", "bs", "sr", "sl"}), frozenset({"id", "ms"}), frozenset({"nl", "af"}),
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{3,}")
_QUOTATION = re.compile(r"“[^“”„\n]{1,400}”|„[^“”„\n]{1,400}[“”]|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«|\"[^\"\n]{1,400}\"")
_LONGEST_PARTICLE = 3  # letters of a small word inside a name: "van der Berg", "Piazza del Duomo"
_UNSPACED = re.compile(r"[\u2e80-\U0010ffff\u0e00-\u0eff]")
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
    """A direction and what decided it; `note` explains where the model does not support the file's languages.

    `languages` are the source and target that the document needs a model for; ("", "") if the model supports them, or
    if they are unknown. `is_other_text`: the text seems to be in that source language, although the file states another
    one.
    """

    direction: str
    reason: Reason
    note: str = ""
    languages: tuple[str, str] = ("", "")
    is_other_text: bool = False

    @property
    def needed_direction(self) -> str:
        """The direction that the document needs a model for; empty unless both languages are known and differ."""
        source, target = self.languages
        return f"{source}-{target}" if source and target and source != target else ""


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
    text = _without_quotations(file.text)
    shares = _shares_of_text(text)
    another = _clearly_another(text, shares, stated_source, directions) if is_stated else ""
    if another and not stated_target:  # such as the language of a template
        return replace(decide(file, directions, ("", "")), reason="text")
    if not is_stated and (guessed := _clearest(shares, fitting)):
        fitting, reason = [d for d in fitting if _source(d) == guessed], "text"
    direction = max(fitting, key=lambda d: _likeness(d, languages, first))  # the first of equals
    needed = ("", "")
    other = other_language(text, directions, shares)
    if not _fitting([direction], *stated):
        needed = (stated_source, stated_target)
        note = Message(
            "The languages stated in {name} are {stated}. The model does not support them, so the file was opened as "
            "{direction}.",
            name=file.name,
            stated=_names(languages),
            direction=direction,
        )
    elif other:
        needed = (other, stated_target or _code(direction.partition("-")[2]))
        note = Message(
            "The text of {name} seems to be in {language}. The model does not translate this language; the file was "
            "opened as {direction}. Choose a model for {language} in the menu of models.",
            name=file.name,
            language=english_name(other),
            direction=direction,
        )
    elif another:
        other, needed = another, (another, stated_target)
        note = Message(
            "The text of {name} seems to be in {language}, but the file states {stated}. Correct the languages in the "
            "file, or export it again.",
            name=file.name,
            language=english_name(another),
            stated=_names(languages),
        )
    return Decision(direction, reason, note, needed, bool(other))


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
            "The languages stated in {name} are {stated}, and Pinpoint cannot exchange its sources and targets. "
            "To translate {direction}, export the file again for this language pair, or correct the languages in "
            "the file.",
            name=file.name,
            stated=_names(file.languages),
            direction=direction,
        )


def check_direction(name: str, directions: Sequence[str], direction: str) -> None:
    """Raises CommandError if the model does not support the direction."""
    if direction not in directions:
        from engine import offer_of  # imports PyTorch, which reading a file does not need

        raise CommandError(
            "{name} translates {offered}, not {direction}.",
            name=name,
            offered=offer_of(directions),
            direction=direction,
        )


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


def guessed_languages(text: str, directions: Sequence[str]) -> list[tuple[float, str]]:
    """The probability of each source language of the directions for a text, most probable first."""
    return _among(_shares_of_text(text, min_words=1), directions)


def other_language(text: str, directions: Sequence[str], shares: Mapping[str, float] | None = None) -> str:
    """The language of a text, if it clearly is none of the sources of these directions; otherwise empty.

    Names of people and places have no say: a list of Turkish names may be part of an English text.
    """
    if shares is None:
        text = _without_quotations(text)
        shares = _shares_of_text(text)
    other = _other_language(shares, directions)
    return other and _other_language(_shares_of_text(_without_names(text)), directions)


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


def _shares_of_text(text: str, min_words: int = _MIN_WORDS) -> dict[str, float]:
    """The probabilities of languages for a text; empty if it has too few words to recognise one."""
    num_words = len(set(_WORD.findall(text)))
    if num_words < min(min_words, _MIN_CERTAIN_WORDS) and len(_UNSPACED.findall(text)) < _MIN_UNSPACED:
        return {}
    shares: dict[str, float] = {}
    for name, share in language_shares(text).items():
        shares[_code(name)] = shares.get(_code(name), 0.0) + share
    is_enough = num_words >= min_words or num_words < _MIN_CERTAIN_WORDS  # in a script without spaces
    return shares if is_enough or max(shares.values(), default=0.0) >= _CERTAIN_SHARE else {}


def _without_quotations(text: str) -> str:
    """The text without what it quotes, if the rest is enough to recognise its language."""
    rest = _QUOTATION.sub(" ", text)
    return rest if len(set(_WORD.findall(rest))) >= _MIN_WORDS else text


def _without_names(text: str) -> str:
    """The text without lines that may have only names: each has several words, and all with a capital.

    >>> _without_names("José García\\nPiazza del Duomo\\nAbra la puerta\\nArchivo")
    'Abra la puerta\\nArchivo'
    """
    lines = []
    for line in text.split("\n"):
        words = _WORD.findall(line)
        has_small = any(not word[0].isupper() and len(word) > _LONGEST_PARTICLE for word in words)
        if has_small or len(words) < 2 or any(word.isupper() for word in words) or not any(map(_has_case, words)):
            lines.append(line)
    return "\n".join(lines)


def _has_case(word: str) -> bool:
    return word[0].isupper() and word[1:].islower()


def _clearly_another(text: str, shares: Mapping[str, float], stated: str, directions: Sequence[str]) -> str:
    """The language of a text, if it is one of the model's, but clearly not the one that its file states."""
    share, found = next(iter(_among(shares, directions)), (0.0, ""))
    is_clear = share >= _CERTAIN_SHARE and shares.get(stated, 0.0) <= _MAX_OWN_SHARE
    has_text = len(set(_WORD.findall(text))) >= _MIN_WORDS_AGAINST_FILE
    return _code(found) if is_clear and has_text and not _other_language(shares, directions) else ""


def _among(shares: Mapping[str, float], directions: Sequence[str]) -> list[tuple[float, str]]:
    """The probabilities of the directions' source languages alone, which add up to 1."""
    own = {source: shares.get(_code(source), 0.0) for source in map(_source, directions)}
    total = sum(own.values())
    return sorted(((share / total, source) for source, share in own.items()), reverse=True) if total else []


def _clearest(shares: Mapping[str, float], directions: Sequence[str]) -> str:
    """The source language of these directions that the text is clearly in; empty without one or without a choice."""
    found = _among(shares, directions)
    is_clear = len(found) > 1 and found[0][0] >= _MIN_SHARE and not _other_language(shares, directions)
    return found[0][1] if is_clear else ""


def _other_language(shares: Mapping[str, float], directions: Sequence[str]) -> str:
    if not shares:
        return ""
    own = {_code(_source(direction)) for direction in directions}
    best = max(shares, key=lambda language: shares[language])
    close = next((group for group in _CLOSE_LANGUAGES if best in group), frozenset({best}))
    share = sum(shares.get(language, 0.0) for language in close)
    is_clear = share >= _MIN_OTHER_SHARE and sum(shares.get(language, 0.0) for language in own) <= _MAX_OWN_SHARE
    return best if best not in own and is_clear else ""
