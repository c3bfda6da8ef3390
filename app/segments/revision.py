"""The differences between a text and its revision, word by word, for the page.

The views contain strings but no text offsets, so the page never converts code points to UTF-16.
"""

from __future__ import annotations

import re
from typing import Final

from app.segments import Json
from app.text.differences import steps_between
from app.text.words import word_spans

MAX_SHOWN: Final = 80  # characters of the words before, which each changed word has
_BETWEEN = re.compile(r"\w+|\s+|[^\w\s]")  # beside words: marks, spaces and tags


def revision_runs(text: str, revised: str) -> list[Json]:
    """The revised text in runs: {"t": text} where both are the same, {"t": new, "was": old} for a change.

    Joined, "t" is the revised text; with "was" in place of "t" it is the text before. Changes with only space between
    them are one change. Where only spaces differ, those of the text stay.

    >>> revision_runs("Der alte Server startet.", "Die alten Server starten.")
    [{'t': 'Die alten', 'was': 'Der alte'}, {'t': ' Server '}, {'t': 'starten', 'was': 'startet'}, {'t': '.'}]
    """
    before, after = _words_and_marks(text), _words_and_marks(revised)
    runs: list[Json] = []
    for operation, first, last, to, stop in steps_between(before, after):
        old, new = "".join(before[first:last]), "".join(after[to:stop])
        if not (old + new).strip() or operation == "equal":
            if runs and "was" not in runs[-1]:
                runs[-1]["t"] += old
            elif old:
                runs.append({"t": old})
            continue
        if len(runs) > 1 and "was" not in runs[-1] and runs[-1]["t"].isspace():
            space, change = runs.pop()["t"], runs.pop()
            old, new = change["was"] + space + old, change["t"] + space + new
        same = old.strip() == new.strip()  # a space on the other side of a word
        runs.append({"t": old} if same else {"t": new, "was": old})
    return runs


def _words_and_marks(text: str) -> list[str]:
    """The text in words, as a user can click them, and what is between them."""
    parts: list[str] = []
    end = 0
    for first, last in word_spans(text):
        parts += [*_BETWEEN.findall(text[end:first]), text[first:last]]
        end = last
    return parts + _BETWEEN.findall(text[end:])


def changed_words(previous: str, text: str) -> dict[int, str]:
    """The changed words of `text`, numbered as in `word_spans`, each with the words before in its place.

    >>> changed_words("Der alte rote Server startet heute.", "Der neue Server startet.")
    {1: 'alte rote'}
    """
    spans = word_spans(previous)
    words = [text[start:end] for start, end in word_spans(text)]
    changed: dict[int, str] = {}
    for operation, first, last, to, stop in steps_between([previous[start:end] for start, end in spans], words):
        if operation not in ("equal", "delete"):
            before = _short(previous[spans[first][0] : spans[last - 1][1]]) if first < last else ""
            changed |= dict.fromkeys(range(to, stop), before)
    return changed


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def with_changes(tokens: list[Json], previous: str, text: str) -> list[Json]:
    """The tokens of a proposal; a word that is not in the previous text has "new" and "was", the words in its place."""
    changed = changed_words(previous, text)
    return [
        {**token, "new": True, "was": changed[token["w"]]} if token.get("w") in changed else token for token in tokens
    ]
