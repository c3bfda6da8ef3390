"""The differences between a text and its revision, word by word, for the page.

The views contain strings but no text offsets, so the page never converts code points to UTF-16.
"""

from __future__ import annotations

import re

from app.segments import Json
from app.text.differences import steps_between
from app.text.words import word_spans

_PART = re.compile(r"\w+|\s+|[^\w\s]")


def revision_runs(text: str, revised: str) -> list[Json]:
    """The revised text in runs: {"t": text} where both are the same, {"t": new, "was": old} for a change.

    Joined, "t" is the revised text; with "was" in place of "t" it is the text before. Changes with only space between
    them are one change. Where only spaces differ, those of the text stay.

    >>> revision_runs("Der alte Server startet.", "Die alten Server starten.")
    [{'t': 'Die alten', 'was': 'Der alte'}, {'t': ' Server '}, {'t': 'starten', 'was': 'startet'}, {'t': '.'}]
    """
    before, after = _PART.findall(text), _PART.findall(revised)
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
        runs.append({"t": new, "was": old})
    return runs


def changed_words(previous: str, text: str) -> frozenset[int]:
    """The numbers of the words of `text` (see `word_spans`) that differ from the previous text.

    >>> sorted(changed_words("Der alte Server startet.", "Der neue Server startet jetzt."))
    [1, 4]
    """
    words = [text[start:end] for start, end in word_spans(text)]
    old = [previous[start:end] for start, end in word_spans(previous)]
    steps = steps_between(old, words)
    return frozenset(n for operation, _, _, to, stop in steps if operation != "equal" for n in range(to, stop))
