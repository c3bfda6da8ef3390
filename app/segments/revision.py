"""The differences between a text and its revision, word by word, for the page.

The views contain strings but no text offsets, so the page never converts code points to UTF-16.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.segments import Json
from app.segments.segment_constraints import contains_banned
from app.text.differences import steps_between
from app.text.words import word_spans
from engine import Avoid

MAX_SHOWN: Final = 80  # characters of the words before, which each changed word has
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
        same = old.strip() == new.strip()  # a space on the other side of a word
        runs.append({"t": old} if same else {"t": new, "was": old})
    return runs


def word_changes(previous: str, text: str) -> tuple[dict[int, str], dict[int, str]]:
    """The changed words of `text`, each with the words before in its place, and the words left out before each word.

    Words are numbered as in `word_spans`; what is left out at the end has the number behind the last word.

    >>> word_changes("Der alte rote Server startet heute.", "Der neue Server startet.")
    ({1: 'alte rote'}, {4: 'heute'})
    """
    spans = word_spans(previous)
    words = [text[start:end] for start, end in word_spans(text)]
    changed: dict[int, str] = {}
    left_out: dict[int, str] = {}
    for operation, first, last, to, stop in steps_between([previous[start:end] for start, end in spans], words):
        before = _short(previous[spans[first][0] : spans[last - 1][1]]) if first < last else ""
        if operation == "delete":
            left_out[to] = before
        elif operation != "equal":
            changed |= dict.fromkeys(range(to, stop), before)
    return changed, left_out


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def with_changes(tokens: list[Json], previous: str, text: str, bans: Sequence[Avoid]) -> list[Json]:
    """The tokens of a proposal, with their differences from the previous text.

    A changed word has "new" and "was", the words before in its place. {"t": "", "gone": text} marks where words were
    left out, unless they are banned or the place is inside of a pin.
    """
    changed, left_out = word_changes(previous, text)
    left = {word: gone for word, gone in left_out.items() if not any(contains_banned(gone, ban) for ban in bans)}
    last = max((token["w"] for token in tokens if "w" in token), default=-1)
    result: list[Json] = []
    for token, following in zip(tokens, [*tokens[1:], {}], strict=True):
        word = token.get("w", -1)
        is_in_pin = bool(result) and "at" in token and result[-1].get("at") == token["at"]
        if word in left and not is_in_pin:
            result.append({"t": "", "gone": left.pop(word)})
        result.append({**token, "new": True, "was": changed[word]} if word in changed else token)
        if word == last and following.get("w") != last and last + 1 in left:
            result.append({"t": "", "gone": left.pop(last + 1)})
    return result
