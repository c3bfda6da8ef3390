"""The part of a translation that continues a text, if showing it is expected to save time."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.text.words import Span, split_spans, word_spans
from engine import Hypothesis, is_unspaced

# Seconds of the keystroke-level model (Card, Moran and Newell 1980): to type a key, to decide whether to take an offer,
# and to read a word. `benchmarks/simulation/effort.py` has the source of each.
KEY_S: Final = 0.2
DECIDE_S: Final = 1.2
READ_S: Final = 0.25
UNSPACED_KEYS: Final = 3  # for a character of a script without spaces, by an input method
# An offer ends before a word that is less likely, after the words before it. In simulation on three development sets,
# 0, 0.1, 0.2 and 0.3 gave nearly the same time.
LEAST_LIKELY: Final = 0.1


@dataclass(frozen=True, slots=True)
class OfferedWord:
    """A word of an offer. `num_keys` type the offer up to its end; `probability` is given the words before it."""

    end: int
    num_keys: int
    probability: float
    is_known: bool


def completion_of(text: str, found: Hypothesis, proposal: str = "", is_requested: bool = False) -> str:
    """The words of the hypothesis that follow `text`, which may be in another Unicode normal form, or "".

    There are as many as save the most time, by expectation; none if they save less than it takes to read the first one.
    Words of `proposal` have been read. If `is_requested`, all are offered up to an unlikely one behind the first. Empty
    if the hypothesis does not begin with `text`.
    """
    begun = unicodedata.normalize("NFC", text)
    if not found.text.startswith(begun):
        return ""
    words = offered_words(len(begun), found, proposal)
    if is_requested:
        end = words[-1].end if words else len(begun)
    else:
        end = _best_end(words) or len(begun)
    return found.text[len(begun) : end]


def offered_words(start: int, found: Hypothesis, proposal: str) -> list[OfferedWord]:
    """The words that an offer may have, up to one behind the first that is unlikely."""
    required = [*((placement.start, placement.end) for placement in found.placements), *found.locked]
    known = {proposal[a:b] for a, b in word_spans(proposal)}
    unread = [(a, b) for a, b in word_spans(found.text) if found.text[a:b] not in known]
    words: list[OfferedWord] = []
    for first, end in split_spans(found.text):
        if end <= start:
            continue
        letters = max(first, start), end
        is_required = any(a < end and first < b for a, b in required)
        probability = 1.0 if is_required else _probability(found, letters)
        if words and probability < LEAST_LIKELY:
            break
        is_known = not any(a < end and first < b for a, b in unread)
        words.append(OfferedWord(end, _num_keys(found.text[start:end]), probability, is_known))
    return words


def _best_end(words: Sequence[OfferedWord]) -> int | None:
    """Where the offer ends that is expected to save the most time; None if none saves any.

    Somebody who takes an offer decides once, and reads its words. All words are taken by one key; if a later word is
    wrong, the right ones before it by one key each. What would take longer than typing is typed.
    """
    best_s, best_end = 0.0, None
    partly_s = 0.0  # saved if only some of the words are right
    all_right = 1.0  # the probability
    num_unread = 0
    for number, word in enumerate(words, start=1):
        all_right *= word.probability
        num_unread += not word.is_known and number > 1
        saved_s = KEY_S * word.num_keys - DECIDE_S - READ_S * num_unread
        expected_s = partly_s + all_right * max(0.0, saved_s - KEY_S)
        if expected_s > best_s:
            best_s, best_end = expected_s, word.end
        next_probability = words[number].probability if number < len(words) else 0.0
        partly_s += all_right * (1 - next_probability) * max(0.0, saved_s - KEY_S * number)
    is_read = bool(words) and not words[0].is_known
    return best_end if best_s > READ_S * is_read else None


def _num_keys(text: str) -> int:
    return sum(UNSPACED_KEYS if is_unspaced(character) else 1 for character in text)


def _probability(found: Hypothesis, letters: Span) -> float:
    """The product of the probabilities of the pieces that write these letters."""
    pieces = zip(found.token_spans, found.token_log_probs, strict=True)
    return math.exp(sum(log_prob for (start, end), log_prob in pieces if start < letters[1] and end > letters[0]))
