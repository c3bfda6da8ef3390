"""What is met, found by looking at the whole text at once: the obvious twin of the tracker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.search.phrases import AvoidedText, TrackedPhrase
from tests.reference.toy import ToyTexts


def stands_at(text: str, form: str, start: int, boundary: str) -> bool:
    """True if `form` stands in `text` at `start` by the boundary rules, in plain ASCII."""
    end = start + len(form)
    if text[start:end] != form:
        return False
    before, after = text[:start], text[end:]
    goes_on = False
    if form[0].isalnum() and before:
        goes_on = before[-1].isalnum() or (form[0].isdigit() and before[-1] in ".," and before[-2:-1].isdigit())
    if goes_on and boundary in ("word", "start"):
        return False
    if not goes_on and boundary == "end":
        return False
    if boundary in ("word", "end") and form[-1].isalnum() and after:
        if after[0].isalnum():
            return False
        if form[-1].isdigit() and after[0] in ".," and after[1:2].isdigit():
            return False
    return True


def standing_spans(text: str, phrase: TrackedPhrase) -> set[tuple[int, int]]:
    """Where any form stands; the `heads` among them at the end of a longer word, the others by the boundary."""
    return {
        (start, start + len(form))
        for number, form in enumerate(phrase.forms)
        for start in range(len(text))
        if stands_at(text, form, start, "end" if number in phrase.heads else phrase.boundary)
    }


def count_met(text: str, phrase: TrackedPhrase) -> int:
    """Occurrences of any form that do not overlap, chosen by earliest end."""
    spans = [(end, start) for start, end in standing_spans(text, phrase)]
    count, last_end = 0, 0
    for end, start in sorted(spans):
        if start >= last_end:
            count, last_end = count + 1, end
    return count


def meets_all(text: str, phrases: Sequence[TrackedPhrase]) -> bool:
    """True if every phrase stands often enough, and none too often; those with a turn in order, the earliest ends."""
    if any(phrase.max_count is not None and count_met(text, phrase) > phrase.max_count for phrase in phrases):
        return False
    free = [phrase for phrase in phrases if phrase.turn is None]
    for group in sharing_groups(free):
        if len(group) == 1 and count_met(text, group[0]) < group[0].count:
            return False
        if len(group) > 1 and least_unserved(group, [standing_spans(text, phrase) for phrase in group]):
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


def sharing_groups(phrases: Sequence[TrackedPhrase]) -> list[list[TrackedPhrase]]:
    """The phrases, those together that share a form, be it through others; one with a turn is always alone."""
    groups: list[list[TrackedPhrase]] = []
    for phrase in phrases:
        same = [
            group
            for group in groups
            if phrase.turn is None and any(p.turn is None and set(p.forms) & set(phrase.forms) for p in group)
        ]
        groups = [group for group in groups if group not in same] + [[p for group in same for p in group] + [phrase]]
    return groups


def least_unserved(
    group: Sequence[TrackedPhrase], spans: Sequence[set[tuple[int, int]]], taken: Sequence[tuple[int, int]] = ()
) -> int:
    """Pieces unmet in the best way to give each required occurrence a span of its own, none overlapping another.

    `spans[i]` are those that phrase i may take; `taken` ones are taken already. Tries every way there is.
    """

    def least(slot: int, taken: tuple[tuple[int, int], ...]) -> int:
        if slot == len(slots):
            return 0
        number = slots[slot]
        best = group[number].num_pieces + least(slot + 1, taken)
        for start, end in spans[number]:
            if all(end <= left or right <= start for left, right in taken):
                best = min(best, least(slot + 1, (*taken, (start, end))))
        return best

    slots = [number for number, phrase in enumerate(group) for _ in range(phrase.count)]
    return least(0, tuple(taken))


@dataclass(frozen=True)
class GroupProgress:
    """How far phrases that share a form are: pieces that they lack, and with what is under way finished first.

    `further[i, s]` is the latter for spelling s of phrase i, with the pieces of it that stand.
    """

    missing: int
    left: int
    further: dict[tuple[int, int], tuple[int, int]]
    anew: dict[tuple[int, int], int]


def group_progress(texts: ToyTexts, pieces: Sequence[int], group: Sequence[TrackedPhrase]) -> GroupProgress:
    """How far the phrases of a group are after `pieces`, by definition."""
    text = texts.text(pieces)
    is_open = bool(pieces) and texts.glues_right[pieces[-1]]
    spans = []
    for phrase in group:
        certain = standing_spans(text, phrase)
        for probe in (" ", "x", "7", ",", ", ", ",7", "."):
            certain &= standing_spans(text + probe, phrase)
        spans.append(certain if is_open else standing_spans(text, phrase))
    left = least_unserved(group, spans)

    def missing_with(form: str, start: int) -> int:
        """With an occurrence of `form` at `start` for one of the phrases that take it."""
        best = left
        for number, phrase in enumerate(group):
            span = (start, start + len(form))
            if span in standing_spans(text[:start] + form, phrase) and form in phrase.forms:
                best = min(best, least_unserved(group, [s | {span} if n == number else s for n, s in enumerate(spans)]))
        return best

    further: dict[tuple[int, int], tuple[int, int]] = {}
    anew: dict[tuple[int, int], int] = {}
    for number, phrase in enumerate(group):
        for which, spelling in enumerate(phrase.spellings):
            form = phrase.forms[spelling.form]
            for depth in range(1, min(len(spelling.pieces) - 1, len(pieces)) + 1):
                start = len(text) - spelling.lengths[depth]
                begun = form[: spelling.lengths[depth]]
                if tuple(pieces[-depth:]) != spelling.pieces[:depth] or start < 0 or text[start:] != begun:
                    continue
                if not stands_at(text[:start] + form, form, start, phrase.boundary):
                    continue
                missing = missing_with(form, start) + len(spelling.pieces) - depth
                if missing < left:
                    further[number, which] = (depth, missing)
            longer = texts.text([*pieces, spelling.pieces[0]])
            start = len(longer) - spelling.lengths[1]
            if stands_at(longer[:start] + form, form, start, phrase.boundary):
                # nothing that stands overlaps it
                alone = [
                    s | {(start + 10**6, start + 10**6 + len(form))} if n == number else s for n, s in enumerate(spans)
                ]
                anew[number, which] = least_unserved(group, alone)
    least = min([left, *(missing for _, missing in further.values())])
    return GroupProgress(least, left, further, anew)


def _certain(text: str, phrase: TrackedPhrase) -> int:
    """Occurrences that no continuation can break; "x" and 7 stand in no form, so that they complete none."""
    return min(count_met(text + probe, phrase) for probe in (" ", "x", "7", ",", ", ", ",7", "."))


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


def total_missing(texts: ToyTexts, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> int:
    """Least number of constraint tokens still to come after `pieces`."""
    return sum(
        missing_pieces(texts, pieces, group[0]) if len(group) == 1 else group_progress(texts, pieces, group).missing
        for group in sharing_groups(phrases)
    )


def must_close(texts: ToyTexts, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> bool:
    """True if the last word is open, a phrase still has pieces to come, and no such phrase is under way."""
    is_lacking = under_way = False
    for group in sharing_groups(phrases):
        if len(group) > 1:
            of_group = group_progress(texts, pieces, group)
            is_lacking |= of_group.missing > 0
            under_way |= of_group.missing < of_group.left
        elif missing_pieces(texts, pieces, group[0]):
            is_lacking = True
            under_way |= 0 < progress(texts, pieces, group[0]).to_go < group[0].num_pieces
    return bool(pieces) and texts.glues_right[pieces[-1]] and is_lacking and not under_way


def forced_pieces(texts: ToyTexts, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> set[int]:
    """The pieces that take a phrase forward: of those under way the next, else (or if no farther) the first."""
    forced = set()
    groups = sharing_groups(phrases)
    for group in groups:
        if len(group) > 1:
            forced |= _forced_of_group(texts, pieces, group)
    for (phrase,) in (group for group in groups if len(group) == 1):
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


def _forced_of_group(texts: ToyTexts, pieces: Sequence[int], group: Sequence[TrackedPhrase]) -> set[int]:
    now, forced = group_progress(texts, pieces, group), set()
    for number, phrase in enumerate(group):
        nearest = None
        for which, spelling in enumerate(phrase.spellings):
            if (number, which) in now.further:
                depth, _ = now.further[number, which]
                forced.add(spelling.pieces[depth])
                nearest = min(nearest or 10**6, len(spelling.pieces) - depth)
        for which, spelling in enumerate(phrase.spellings):
            is_wanted = now.anew.get((number, which), now.left) < now.left
            if is_wanted and (nearest is None or len(spelling.pieces) <= nearest):
                forced.add(spelling.pieces[0])
    return forced


def _end_of_last_counted(text: str, phrase: TrackedPhrase) -> int:
    spans = [(end, start) for start, end in standing_spans(text, phrase)]
    last_end = 0
    for end, start in sorted(spans):
        if start >= last_end:
            last_end = end
    return last_end


def violates(text: str, avoided: Sequence[AvoidedText], phrases: Sequence[TrackedPhrase], prefix: str = "") -> bool:
    """True if an avoided text stands at word boundaries outside the prefix and outside every pinned text."""
    excused = [span for phrase in phrases for span in standing_spans(text, phrase)]
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
