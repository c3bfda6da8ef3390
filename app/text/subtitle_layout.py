"""Layout of a translation in subtitles: split among the subtitles of its sentence, and broken into lines.

The numbers are those of Netflix: 17 characters per second for adults, 42 characters in a line, 2 lines. Counted are the
characters that a reader sees, with spaces; a line break counts like the space in its place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

# Signs after which, and words before which, a sentence is split
_PAUSE = re.compile(r"[,;:–—][\"'”“»«’]?\Z")
_CONJUNCTION = re.compile(
    r"und|oder|aber|dass|weil|wenn|als|damit|obwohl|während|der|die|das|and|or|but|that|because|when|while|which|who|if|to"
    r"|et|ou|mais|que|qui|y|o|pero|porque|e|ma|che|quando",
    re.IGNORECASE,
)
_PAUSE_BONUS: Final = 0.15  # of the length of the sentence
_CONJUNCTION_BONUS: Final = 0.1  # and the malus for a split behind one
_MAX_WORDS_OFF: Final = 60  # words between a split and the place that the shares of the subtitles give
_HIDDEN = re.compile(r"<[^<>]*>|\{\\[^{}]*\}|\u2060")
_REFERENCE = re.compile(r"&(?:lt|gt|amp|nbsp|lrm|rlm);")  # of WebVTT


@dataclass(frozen=True, slots=True)
class SubtitleRules:
    """Limits of readable subtitles: characters per second, characters in a line, and lines of a subtitle."""

    max_speed: int = 17
    max_line: int = 42
    max_lines: int = 2


@dataclass(frozen=True, slots=True)
class CueSpace:
    """The room for a text in one subtitle: its duration (0: unknown), and characters and lines of the source.

    `num_lines` is 0 if the text has line breaks of its own. `is_alone`: the subtitle has no other text.
    """

    duration_ms: int
    share: int
    num_lines: int
    is_alone: bool = True

    def max_characters(self, rules: SubtitleRules) -> int:
        """The number of characters that fit in its lines and can be read in its time."""
        room = max(self.num_lines, rules.max_lines) * rules.max_line
        return min(room, rules.max_speed * self.duration_ms // 1000) if self.duration_ms else room


RULES: Final = SubtitleRules()


def milliseconds(time: str) -> int:
    """A time of a subtitle file in milliseconds; 0 for another text.

    >>> milliseconds("00:00:01,500"), milliseconds("01:02.5"), milliseconds("0:00:05")
    (1500, 62500, 5000)
    """
    found = re.fullmatch(r"(?:(\d{1,9}):)?(\d{1,9}):(\d{1,9})(?:[,.:](\d{1,3}))?", time)
    if found is None:
        return 0
    hours, minutes, seconds, fraction = found.groups(default="0")
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(fraction.ljust(3, "0"))


def num_visible(text: str) -> int:
    """The characters that a reader sees, without formatting."""
    return len(_REFERENCE.sub("x", _HIDDEN.sub("", text)))


def laid_out(text: str, cues: Sequence[CueSpace], rules: SubtitleRules = RULES) -> list[list[str]]:
    """The lines of each subtitle with the text."""
    if cues[0].num_lines == 0:
        return [text.split("\n")]
    return [
        in_lines(part.split(), cue, rules)
        for part, cue in zip(split_words(text.split(), cues, rules), cues, strict=True)
    ]


def split_words(words: Sequence[str], cues: Sequence[CueSpace], rules: SubtitleRules = RULES) -> list[str]:
    """The words in one part for each subtitle: as few characters too many as possible, then at the best places.

    A place is the better the closer the lengths of the parts are to the shares of the subtitles; pauses and
    conjunctions count for it. Tries all places up to 60 words from those that the shares give.

    >>> split_words("Der Router, der neu ist, speichert die Datei".split(), [CueSpace(0, 20, 1), CueSpace(0, 24, 1)])
    ['Der Router, der neu ist,', 'speichert die Datei']
    """
    if len(words) <= len(cues):
        return [*words, *[""] * (len(cues) - len(words))]
    ends = list(accumulate(len(word) + 1 for word in words))
    seen = [0, *accumulate(num_visible(word) + 1 for word in words)]
    shares = list(accumulate(cue.share for cue in cues))
    best: dict[int, tuple[int, float, tuple[int, ...]]] = {0: (0, 0.0, ())}
    for number, cue in enumerate(cues, 1):
        least, most = number, len(words) - (len(cues) - number)
        ideal = ends[-1] * shares[number - 1] / max(shares[-1], 1)
        middle = min(max(bisect_left(ends, ideal) + 1, least), most)
        is_last = number == len(cues)
        cuts = [most] if is_last else range(max(least, middle - _MAX_WORDS_OFF), min(most, middle + _MAX_WORDS_OFF) + 1)
        room = cue.max_characters(rules)
        found = {}
        for cut in cuts:
            off = 0.0 if is_last else abs(ends[cut - 1] - ideal) - _bonus(words, cut) * ends[-1]
            choices = (
                (excess + max(0, seen[cut] - seen[first] - 1 - room), cost + off, (*before, cut))
                for first, (excess, cost, before) in best.items()
                if first < cut
            )
            if chosen := min(choices, default=None):
                found[cut] = chosen
        best = found
    _, _, cuts_of_best = best[len(words)]
    return [" ".join(words[first:last]) for first, last in zip((0, *cuts_of_best), cuts_of_best, strict=False)]


def in_lines(words: Sequence[str], cue: CueSpace, rules: SubtitleRules = RULES) -> list[str]:
    """The words in as many lines as the source has, and in more, up to the limit, if a line were too long."""
    lines = _broken(words, cue.num_lines, rules)
    for count in range(cue.num_lines + 1, (rules.max_lines if cue.is_alone else 0) + 1):
        if all(num_visible(line) <= rules.max_line for line in lines):
            break
        lines = _broken(words, count, rules)
    return lines


def _broken(words: Sequence[str], count: int, rules: SubtitleRules) -> list[str]:
    """The words in that number of lines of similar lengths, two at a natural place; one line of too few words."""
    if count == 1 or len(words) < count:
        return [" ".join(words)]
    ends = list(accumulate(len(word) + 1 for word in words))  # where each word ends, with the space after it
    if count == 2:
        half = (ends[-1] - 1) / 2
        seen = [0, *accumulate(num_visible(word) + 1 for word in words)]

        def badness(at: int) -> tuple[int, float]:
            excess = max(0, seen[at] - 1 - rules.max_line) + max(0, seen[-1] - seen[at] - 1 - rules.max_line)
            return excess, abs(ends[at - 1] - 1 - half) - _bonus(words, at) * ends[-1]

        cut = min(range(1, len(words)), key=badness)
        return [" ".join(words[:cut]), " ".join(words[cut:])]
    lines: list[str] = []
    first = before = 0
    for left in range(count, 1, -1):
        ideal = before + 1 + (ends[-1] - 1 - before) / left
        last = bisect_left(ends, ideal, first, len(words) - left)
        if last > first and ideal - ends[last - 1] <= ends[last] - ideal:
            last -= 1
        lines.append(" ".join(words[first : last + 1]))
        first, before = last + 1, ends[last]
    return [*lines, " ".join(words[first:])]


def _bonus(words: Sequence[str], at: int) -> float:
    """The quality of a split before the word `at`, as a share of the length of the text."""
    if _PAUSE.search(words[at - 1]):
        return _PAUSE_BONUS
    if at < len(words) and _CONJUNCTION.fullmatch(words[at]):
        return _CONJUNCTION_BONUS
    return -_CONJUNCTION_BONUS if _CONJUNCTION.fullmatch(words[at - 1]) else 0.0


def exceeded(text: str, cues: Sequence[CueSpace], rules: SubtitleRules = RULES) -> dict[str, tuple[str, ...]]:
    """The figures above the limits, such as {"speed": ("21 > 17",)}: characters per second, in a line, and lines."""
    found: dict[str, list[str]] = {"speed": [], "line": [], "lines": []}
    for cue, lines in zip(cues, laid_out(text, cues, rules), strict=True):
        lengths = [num_visible(line) for line in lines]
        if cue.duration_ms:
            speed = -(-(sum(lengths) + len(lines) - 1) * 1000 // cue.duration_ms)  # rounded up
            found["speed"] += [f"{speed:,} > {rules.max_speed}"] * (speed > rules.max_speed)
        found["line"] += [f"{length:,} > {rules.max_line}" for length in lengths if length > rules.max_line]
        found["lines"] += [f"{len(lines):,} > {rules.max_lines}"] * (len(lines) > rules.max_lines)
    return {kind: tuple(texts) for kind, texts in found.items() if texts}
