"""Checks of the surface of a translation: final punctuation, repeated words, length, spaces."""

from __future__ import annotations

import re

import regex  # type: ignore[import-untyped]

OBJECT = "\ufffc"  # replaces a placeholder

# Sentence-final punctuation with the same meaning in different scripts.
_END_CLASSES = {
    ".": ".。．｡।።۔", "?": "?？؟⸮", "!": "!！", ":": ":：", "…": "…⋯", ";": ";；؛", ",": ",，、،",
}  # fmt: skip
_CLASS_OF = {sign: name for name, signs in _END_CLASSES.items() for sign in signs}
_BEHIND_THE_END = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\"'“”„‘’‚«»‹›)]」』）】"
_PAIRED = "*`"
# In `regex`, \w has the vowel signs of Hindi, Tamil and others; in `re`, they end a word: "काम में" would repeat "म".
_DOUBLED = regex.compile(r"(?<!\w)([^\W\d_]+)((?:[ \t\u00a0]+\1)+)(?!\w)")
# Words that may be repeated in correct sentences: "dass sie sie sieht", "he had had".
_MAY_REPEAT = {
    "de": frozenset({"sie"}),
    "en": frozenset({"had", "that"}),
    "fr": frozenset({"nous", "vous"}),
}
# Relative pronouns that are also articles, after a comma: "Dateien, die die Liste enthält".
_MAY_BEGIN_A_CLAUSE = {"de": frozenset({"der", "die", "das", "den", "dem"})}
_CLAUSE_BEFORE = re.compile(r",\s+(?:\w+\s+)?\Z")
_DOT_OF_WORD = re.compile(r"\b(?:[^\W\d_]\.\s?[^\W\d_]|etc|usw|ff|mwst|std|stk|pcs|hrs)\.\Z", re.IGNORECASE)  # "3 p.m."
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MAX_RATIO = 2.5
_FREE_CHARACTERS = 15


def end_differences(source: str, target: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """{"end": (source punctuation, target punctuation)} if the texts end with punctuation of different classes.

    Ignores closing quotes and brackets after the punctuation, and the dot of an abbreviation: "3 p.m." is "15 Uhr".
    An end without punctuation is left out of the tuple.

    >>> end_differences("Ready?", "Fertig.", "de")
    {'end': ('?', '.')}
    """
    ends = _end_of(source, ""), _end_of(target, target_language)
    if ends[0] == ends[1] or not source.strip():
        return {}
    if set(ends) == {".", ""} and any(_DOT_OF_WORD.search(text.rstrip(_BEHIND_THE_END)) for text in (source, target)):
        return {}
    return {"end": tuple(end for end in ends if end)}


def _end_of(text: str, language: str) -> str:
    text = text.rstrip(_BEHIND_THE_END)
    if text.endswith("..."):
        return "…"
    last = text[-1:]
    if language == "el" and last in (";", "\u037e"):  # the Greek question mark
        return "?"
    return _CLASS_OF.get(last, "")


def mark_differences(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """{"marks": emphasis and code marks that are paired in the source but not in the target}.

    >>> mark_differences("Read the **guide**", "Lesen Sie die **Anleitung*")
    {'marks': ('*',)}
    """
    lost = (mark for mark in _PAIRED if source.count(mark) and source.count(mark) % 2 == 0 and target.count(mark) % 2)
    return {"marks": tuple(lost)}


def doubled_words(source: str, target: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """{"words": words repeated in a row in the target}; nothing if the source repeats a word too.

    >>> doubled_words("Open the file.", "Öffnen Sie die die Datei.", "de")
    {'words': ('die die',)}
    """
    if _DOUBLED.search(source.lower()):
        return {}
    allowed = _MAY_REPEAT.get(target_language, frozenset())
    relative = _MAY_BEGIN_A_CLAUSE.get(target_language, frozenset())
    found = (
        match
        for match in _DOUBLED.finditer(target)
        if match.group(1).lower() not in allowed
        and not (match.group(1) in relative and _CLAUSE_BEFORE.search(target[: match.start()]))
    )
    return {"words": tuple(dict.fromkeys(match.group() for match in found))}


def length_difference(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """{"short": ()} or {"long": ()} if one text has more than 2.5 times the other's characters plus 15.

    Lengths are not compared between a script with spaces and one without.
    """
    if bool(_UNSPACED.search(source)) != bool(_UNSPACED.search(target)):
        return {}
    lengths = [sum(not c.isspace() for c in text) for text in (source, target)]
    if max(lengths) <= _MAX_RATIO * min(lengths) + _FREE_CHARACTERS:
        return {}
    return {"short" if lengths[1] < lengths[0] else "long": ()}


def space_differences(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """Keys "start" and "end" if the outer spaces differ, "inside" if only the target has two spaces in a row."""
    found: dict[str, tuple[str, ...]] = {}
    if _start_of(source) != _start_of(target):
        found["start"] = ()
    if _start_of(source[::-1]) != _start_of(target[::-1]):
        found["end"] = ()
    if "  " in target.strip() and "  " not in source.strip():
        found["inside"] = ()
    return found


def _start_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
