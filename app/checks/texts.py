"""What a translation's letters tell without knowing what they mean: its end, words twice, its length, its spaces."""

from __future__ import annotations

import re

OBJECT = "\ufffc"  # in place of a placeholder

# Signs at the end of a sentence that say the same in different scripts.
_END_CLASSES = {
    ".": ".。．｡।።۔", "?": "?？؟⸮", "!": "!！", ":": ":：", "…": "…⋯", ";": ";；؛", ",": ",，、،",
}  # fmt: skip
_CLASS_OF = {sign: name for name, signs in _END_CLASSES.items() for sign in signs}
_BEHIND_THE_END = re.compile(r"[\s\"'“”„‘’‚«»‹›)\]」』）】]+$")
_PAIRED = "*`"
_DOUBLED = re.compile(r"(?<!\w)([^\W\d_]+)((?:[ \t\u00a0]+\1)+)(?!\w)")
# What stands twice in a row in good sentences: "dass sie sie sieht", "he had had".
_MAY_STAND_TWICE = {
    "de": frozenset({"sie"}),
    "en": frozenset({"had", "that"}),
    "fr": frozenset({"nous", "vous"}),
}
# Pronouns that are articles too, behind a comma: "Dateien, die die Liste enthält".
_MAY_BEGIN_A_CLAUSE = {"de": frozenset({"der", "die", "das", "den", "dem"})}
_CLAUSE_BEFORE = re.compile(r",\s+(?:\w+\s+)?\Z")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MAX_RATIO = 2.5
_FREE_CHARACTERS = 15


def end_differences(source: str, target: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """{"end": (the sign missing or the one too many,)} where the texts end with signs of different classes.

    Quotes and brackets behind the sign are passed over.

    >>> end_differences("Ready?", "Fertig.", "de")
    {'end': ('?', '.')}
    """
    ends = _end_of(source, ""), _end_of(target, target_language)
    if ends[0] == ends[1] or not source.strip():
        return {}
    return {"end": tuple(end for end in ends if end)}


def _end_of(text: str, language: str) -> str:
    text = _BEHIND_THE_END.sub("", text)
    if text.endswith("..."):
        return "…"
    last = text[-1:]
    if language == "el" and last in (";", "\u037e"):  # the Greek question mark
        return "?"
    return _CLASS_OF.get(last, "")


def mark_differences(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """{"marks": those of emphasis or code that pair in the source and do not in the target}.

    >>> mark_differences("Read the **guide**", "Lesen Sie die **Anleitung*")
    {'marks': ('*',)}
    """
    lost = (mark for mark in _PAIRED if source.count(mark) and source.count(mark) % 2 == 0 and target.count(mark) % 2)
    return {"marks": tuple(lost)}


def doubled_words(source: str, target: str, target_language: str) -> dict[str, tuple[str, ...]]:
    """{"words": those standing twice in a row in the target}, unless the source has such a pair too.

    >>> doubled_words("Open the file.", "Öffnen Sie die die Datei.", "de")
    {'words': ('die die',)}
    """
    if _DOUBLED.search(source.lower()):
        return {}
    allowed = _MAY_STAND_TWICE.get(target_language, frozenset())
    relative = _MAY_BEGIN_A_CLAUSE.get(target_language, frozenset())
    found = (
        match
        for match in _DOUBLED.finditer(target)
        if match.group(1).lower() not in allowed
        and not (match.group(1) in relative and _CLAUSE_BEFORE.search(target[: match.start()]))
    )
    return {"words": tuple(dict.fromkeys(match.group() for match in found))}


def length_difference(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """{"short": ()} or {"long": ()} where one text has over 2.5 times the other's characters and 15 more.

    Between a script that writes no spaces and one that does, lengths say nothing.
    """
    if bool(_UNSPACED.search(source)) != bool(_UNSPACED.search(target)):
        return {}
    lengths = [sum(not c.isspace() for c in text) for text in (source, target)]
    if max(lengths) <= _MAX_RATIO * min(lengths) + _FREE_CHARACTERS:
        return {}
    return {"short" if lengths[1] < lengths[0] else "long": ()}


def space_differences(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """{"start": ()}, {"end": ()} where the texts' outer spaces differ, {"inside": ()} where only the target has two in
    a row."""
    says: dict[str, tuple[str, ...]] = {}
    if _start_of(source) != _start_of(target):
        says["start"] = ()
    if _start_of(source[::-1]) != _start_of(target[::-1]):
        says["end"] = ()
    if "  " in target.strip() and "  " not in source.strip():
        says["inside"] = ()
    return says


def _start_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
