"""What is met, found by looking at the whole text at once: the obvious twin of the tracker."""

from __future__ import annotations

from collections.abc import Sequence

from engine.search.phrases import TrackedPhrase
from tests.reference.toy import ToyTexts


def stands_at(text: str, form: str, start: int, boundary: str) -> bool:
    """Whether `form` stands in `text` at `start` by the boundary rules, in plain ASCII."""
    end = start + len(form)
    if text[start:end] != form:
        return False
    before, after = text[:start], text[end:]
    if boundary != "anywhere" and form[0].isalnum() and before:
        if before[-1].isalnum():
            return False
        if form[0].isdigit() and before[-1] in ".," and before[-2:-1].isdigit():
            return False
    if boundary == "word" and form[-1].isalnum() and after:
        if after[0].isalnum():
            return False
        if form[-1].isdigit() and after[0] in ".," and after[1:2].isdigit():
            return False
    return True


def count_met(text: str, phrase: TrackedPhrase) -> int:
    """Occurrences of any form that do not overlap, chosen by earliest end."""
    spans = [
        (start + len(form), start)
        for form in set(phrase.forms)
        for start in range(len(text))
        if stands_at(text, form, start, phrase.boundary)
    ]
    count, last_end = 0, 0
    for end, start in sorted(spans):
        if start >= last_end:
            count, last_end = count + 1, end
    return count


def meets_all(text: str, phrases: Sequence[TrackedPhrase]) -> bool:
    return all(count_met(text, phrase) >= phrase.count for phrase in phrases)


def _certain(texts: ToyTexts, pieces: Sequence[int], phrase: TrackedPhrase) -> tuple[int, int]:
    """(occurrences that no continuation can break, how many there are if the text ends here)."""
    text = texts.text(pieces)
    probes = [" ", "x", "1", ",", ", ", ",1", "."]
    return min(count_met(text + probe, phrase) for probe in probes), count_met(text, phrase)


def missing_pieces(texts: ToyTexts, pieces: Sequence[int], phrase: TrackedPhrase) -> int:
    """Least number of the phrase's pieces still to come after `pieces`, by definition.

    What is met for certain counts whole; an occurrence that stands at the end but is not certain counts whole too;
    else the longest end of `pieces` that begins a spelling, where that spelling's text, with its left boundary, stands
    at the end of the text and does not overlap what is already counted.
    """
    certain, standing = _certain(texts, pieces, phrase)
    lacking = phrase.count - certain
    if lacking <= 0:
        return 0
    whole = phrase.num_pieces
    if standing > certain:
        return (lacking - 1) * whole
    text = texts.text(pieces)
    free_from = _end_of_last_counted(text, phrase)
    to_go = whole
    for spelling in phrase.spellings:
        form = phrase.forms[spelling.form]
        for depth in range(1, min(len(spelling.pieces) - 1, len(pieces)) + 1):
            begun = form[: spelling.lengths[depth]]
            start = len(text) - len(begun)
            if tuple(pieces[-depth:]) != spelling.pieces[:depth] or not text.endswith(begun) or start < free_from:
                continue
            if stands_at(text[:start] + form, form, start, phrase.boundary):  # all but the end already stands
                to_go = min(to_go, len(spelling.pieces) - depth)
    return (lacking - 1) * whole + to_go


def _end_of_last_counted(text: str, phrase: TrackedPhrase) -> int:
    spans = sorted(
        (start + len(form), start)
        for form in set(phrase.forms)
        for start in range(len(text))
        if stands_at(text, form, start, phrase.boundary)
    )
    last_end = 0
    for end, start in spans:
        if start >= last_end:
            last_end = end
    return last_end
