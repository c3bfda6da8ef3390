"""What is met, found by looking at the whole text at once: the obvious twin of the tracker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.search.phrases import AvoidedText, TrackedPhrase
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
    """Whether every phrase stands often enough; those with a turn in order and apart, the earliest ends first."""
    free = [phrase for phrase in phrases if phrase.turn is None]
    if not all(count_met(text, phrase) >= phrase.count for phrase in free):
        return False
    position = 0
    for phrase in sorted((p for p in phrases if p.turn is not None), key=lambda p: p.turn or 0):
        ends = [
            start + len(form)
            for form in phrase.forms
            for start in range(position, len(text))
            if stands_at(text, form, start, phrase.boundary)
            if not phrase.ends_text or start + len(form) == len(text)
        ]
        if not ends:
            return False
        position = min(ends)
    return True


def _certain(text: str, phrase: TrackedPhrase) -> int:
    """Occurrences that no continuation can break."""
    return min(count_met(text + probe, phrase) for probe in (" ", "x", "1", ",", ", ", ",1", "."))


@dataclass(frozen=True)
class Progress:
    """How far a phrase is. `depths[i]` pieces of spelling i stand at the end of the text and may still become it."""

    num_lacking: int  # occurrences that are not certain
    is_standing: bool  # one stands at the end; what follows may still break it, but need not
    depths: tuple[int, ...]
    to_go: int


def progress(texts: ToyTexts, pieces: Sequence[int], phrase: TrackedPhrase) -> Progress:
    """How far `phrase` is after `pieces`, by definition.

    The longest end of `pieces` that begins a spelling counts where that spelling's text, with its left boundary, stands
    at the end of the text and does not overlap what is already counted.
    """
    text = texts.text(pieces)
    certain = _certain(text, phrase)
    is_open = bool(pieces) and texts.glues_right[pieces[-1]]
    standing = certain if is_open else count_met(text, phrase)
    free_from = _end_of_last_counted(text + "x" * is_open, phrase)
    depths = [0] * len(phrase.spellings)
    for number, spelling in enumerate(phrase.spellings):
        form = phrase.forms[spelling.form]
        for depth in range(1, min(len(spelling.pieces) - 1, len(pieces)) + 1):
            begun = form[: spelling.lengths[depth]]
            start = len(text) - len(begun)
            if tuple(pieces[-depth:]) != spelling.pieces[:depth] or not text.endswith(begun) or start < free_from:
                continue
            if stands_at(text[:start] + form, form, start, phrase.boundary):  # all but the end already stands
                depths[number] = depth
    to_go = min(len(spelling.pieces) - depth for spelling, depth in zip(phrase.spellings, depths, strict=True))
    to_go = 0 if standing > certain else min(to_go, phrase.num_pieces)
    return Progress(max(0, phrase.count - certain), standing > certain, tuple(depths), to_go)


def missing_pieces(texts: ToyTexts, pieces: Sequence[int], phrase: TrackedPhrase) -> int:
    """Least number of the phrase's pieces still to come after `pieces`."""
    now = progress(texts, pieces, phrase)
    return (now.num_lacking - 1) * phrase.num_pieces + now.to_go if now.num_lacking else 0


def must_close(texts: ToyTexts, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> bool:
    """Whether the last word is open, a phrase still has pieces to come, and no such phrase is under way."""
    states = [(phrase, progress(texts, pieces, phrase)) for phrase in phrases]
    lacking = [(phrase, now) for phrase, now in states if missing_pieces(texts, pieces, phrase)]
    under_way = any(0 < now.to_go < phrase.num_pieces for phrase, now in lacking)
    return bool(pieces) and texts.glues_right[pieces[-1]] and bool(lacking) and not under_way


def forced_pieces(texts: ToyTexts, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> set[int]:
    """The pieces that take a phrase forward: of those under way the next, else (or if no farther) the first."""
    forced = set()
    for phrase in phrases:
        if not missing_pieces(texts, pieces, phrase):
            continue
        now = progress(texts, pieces, phrase)
        depths = [0] * len(now.depths) if now.is_standing else now.depths
        under_way = [(spelling, depth) for spelling, depth in zip(phrase.spellings, depths, strict=True) if depth]
        forced |= {spelling.pieces[depth] for spelling, depth in under_way}
        nearest = min((len(spelling.pieces) - depth for spelling, depth in under_way), default=None)
        for spelling in phrase.spellings:
            text, form = texts.text([*pieces, spelling.pieces[0]]), phrase.forms[spelling.form]
            start = len(text) - spelling.lengths[1]
            begins = stands_at(text[:start] + form, form, start, phrase.boundary)
            if begins and (nearest is None or len(spelling.pieces) <= nearest):
                forced.add(spelling.pieces[0])
    return forced


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


def violates(text: str, avoided: Sequence[AvoidedText], phrases: Sequence[TrackedPhrase], prefix: str = "") -> bool:
    """Whether an avoided text stands at word boundaries outside the prefix and outside every pinned text."""
    excused = [
        (start, start + len(form))
        for phrase in phrases
        for form in phrase.forms
        for start in range(len(text))
        if stands_at(text, form, start, phrase.boundary)
    ]
    if prefix:
        excused.append((0, len(prefix)))
    for item in avoided:
        seen, wanted = (text.lower(), item.text.lower()) if item.ignores_case else (text, item.text)
        for start in range(len(text)):
            end = start + len(wanted)
            inside = any(left <= start and end <= right for left, right in excused)
            if stands_at(seen, wanted, start, "word") and not inside:
                return True
    return False
