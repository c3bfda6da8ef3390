"""SubRip subtitles (.srt): a unit is the text of one speaker in one subtitle; numbers and times stay unchanged.

The lines of a subtitle are read as one sentence, and its translation is wrapped into the same number of lines. A
sentence that goes on in the next subtitles is one segment; its translation is split among them, if possible behind a
comma or before a conjunction. Players hide what is between angle brackets, so brackets that are no formatting get an
invisible sign. A line that starts with a dash belongs to another speaker. Position codes such as {\\an8}
at the start are layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from app.errors import DocumentError
from app.formats.base import Unit, line_of, one_line
from app.formats.blocks import Block
from app.formats.prose import ProseFile, blanked
from app.i18n import Message
from app.text.encoding import DecodedText, decode_text

_TIME = r"\d{1,3}:\d{1,2}:\d{1,2}(?:[,.:]\d{1,3})?"
_TIMES = re.compile(rf"(?m)^[ \t]*{_TIME}[ \t]*--?[ \t]?>[ \t]*{_TIME}[^\r\n]*(?:\r*\n|\r|\Z)")
_NUMBER_BEFORE_TIMES = re.compile(r"[ \t]*\d+[ \t]*(?:\r*\n|\r)\Z")
_MAX_NUMBER = 30  # characters of a subtitle's number, including its line end and spaces
_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"\r*\n|\r")
_BLANK_LINE = re.compile(r"(?:\r*\n|\r(?!\r*\n))[ \t]*(?:\r*\n|\r)")
_POSITION = re.compile(r"(?:\{\\[^{}]*\})+[ \t]*")
_MARKUP = re.compile(r"[<{]")
_GOES_ON = re.compile(r"[\w,'’\-–—]\Z")  # the end of a text whose sentence may go on
_MAX_JOINED: Final = 4  # subtitles with one sentence
# Signs after which, and words before which, a sentence is split
_PAUSE = re.compile(r"[,;:–—][\"'”“»«’]?\Z")
_CONJUNCTION = re.compile(
    r"und|oder|aber|dass|weil|wenn|als|damit|obwohl|während|der|die|das|and|or|but|that|because|when|while|which|who|if|to"
    r"|et|ou|mais|que|qui|y|o|pero|porque|e|ma|che|quando",
    re.IGNORECASE,
)
_PAUSE_BONUS: Final = 0.15  # of the length of the sentence
_CONJUNCTION_BONUS: Final = 0.1  # and the malus for a split behind one
_TAG = re.compile(r"<(/?)([^\s<>/]*)[^<>]*>")
_FORMATS: Final = frozenset({"b", "i", "u", "s", "font"})
_NO_TAG: Final = "<\u2060"  # a word joiner: no tag begins with it, and players draw nothing for it
_SPEAKER = re.compile(r"(?:<[^<>]*>)*[-–—‐]")


_CLOCK = re.compile(r"[\d:,.]*\d")
Stretch = tuple[int, int, list[tuple[int, int]]]  # start, end and line breaks of a text


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle: its first and last moment as the file has them, and the texts of its speakers."""

    begin: str
    finish: str
    texts: Sequence[Stretch]


def cue_of(times: str, texts: Sequence[Stretch]) -> Cue:
    """The subtitle with that line of times."""
    begin, finish = _CLOCK.findall(times)[:2]
    return Cue(begin, finish, texts)


def read(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a SubRip file. Raises DocumentError if it has no lines of times."""
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    times = list(_TIMES.finditer(text))
    if not times:
        raise DocumentError(
            Message(
                "{name} is not a subtitle file (.srt): it has no line of times such as 00:00:01,000 --> "
                "00:00:04,000. Rename it to .txt to open it as plain text",
                name=name,
            )
        )
    first = times[0].start()
    number = _NUMBER_BEFORE_TIMES.search(text, max(0, first - _MAX_NUMBER), first)
    before = text[: number.start() if number else first].strip("\ufeff \t\r\n")
    if before:
        raise DocumentError(
            Message(
                "{name}, {place}: text before the times of the first subtitle: remove it and open the file again",
                name=name,
                place=line_of(text, text.index(before)),
            )
        )
    cues: list[Cue] = []
    for index, match in enumerate(times):
        end = len(text)
        if index + 1 < len(times):
            end = times[index + 1].start()
            number = _NUMBER_BEFORE_TIMES.search(text, max(match.end(), end - _MAX_NUMBER), end)
            end = number.start() if number else end
        cues.append(cue_of(match.group(), speakers(text, match.end(), end)))
    return subtitle_file(decoded, cues, mark_up=_marked_up)


def subtitle_file(
    decoded: DecodedText,
    cues: Sequence[Cue],
    show: Callable[[str], str] = str,
    mark_up: Callable[[str, str], str] = lambda raw, translation: translation,
) -> ProseFile:
    """The file with these subtitles; sentences over several are joined."""
    text = decoded.text
    units: list[Unit] = []
    joints: list[tuple[int, int]] = []
    gaps: list[tuple[int, int]] = []  # between subtitles with one sentence
    for start, stop, inside, of_cues in _sentences(text, [cue.texts for cue in cues]):
        joints += inside
        gaps += of_cues
        source = blanked(text, start, stop, inside)
        units.append(Unit(start, stop, source, whole=((0, len(source)),)))

    def lay_out(text: str, start: int, end: int, translation: str) -> str:
        return _in_cues(text, start, end, gaps[bisect_left(gaps, (start,)) : bisect_left(gaps, (end,))], translation)

    blocks = list(_blocks(cues, {stop for _, stop in gaps}))
    return ProseFile(decoded, units, joints, show=show, mark_up=mark_up, lay_out=lay_out, blocks=blocks)


def _blocks(cues: Sequence[Cue], continued: Set[int]) -> Iterator[Block]:
    """A block for each subtitle with text; those whose text begins in `continued` belong to the one before."""
    block, begin = None, ""
    for cue in cues:
        if not cue.texts:
            continue
        start, end = cue.texts[0][0], cue.texts[-1][1]
        if block and start in continued:
            block = replace(block, end=end, label=f"{begin} – {cue.finish}")
            continue
        if block:
            yield block
        block, begin = Block("subtitle", start, end, label=f"{cue.begin} – {cue.finish}"), cue.begin
    if block:
        yield block


def is_formatting(name: str, source: str, translation: str) -> bool:
    """Whether tags of that name format the translation: its source has one too, or the translation a whole pair."""
    return any(tag[2] == name for tag in _TAG.finditer(source)) or (
        f"</{name}>" in translation and re.search(rf"<{re.escape(name)}[\s.>]", translation) is not None
    )


def _marked_up(raw: str, translation: str) -> str:
    """The translation with a mark in brackets that players would take for a tag and hide."""

    def written(tag: re.Match[str]) -> str:
        is_known = tag.group() in raw or (tag[2] in _FORMATS and is_formatting(tag[2], raw, translation))
        return tag.group() if is_known else _NO_TAG + tag.group()[1:]

    return _TAG.sub(written, translation)


def _sentences(
    text: str, cues: Sequence[Sequence[Stretch]]
) -> Iterator[tuple[int, int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """Start, end, joints, and gaps between subtitles of each text; a sentence over several subtitles is one text."""
    last: tuple[int, int, list[tuple[int, int]], list[tuple[int, int]]] | None = None
    for cue in cues:
        for number, (start, stop, inside) in enumerate(cue):
            if last and number == 0 and len(cue) == 1 and len(last[3]) < _MAX_JOINED - 1:
                before, after = text[last[0] : last[1]], text[start:stop]
                if _GOES_ON.search(before) and after[0].islower() and not _MARKUP.search(before + after):
                    gap = last[1], start
                    last = last[0], stop, [*last[2], gap, *inside], [*last[3], gap]
                    continue
            if last:
                yield last
            last = start, stop, inside, []
        if len(cue) > 1 and last:  # of several speakers, none goes on
            yield last
            last = None
    if last:
        yield last


def _in_cues(text: str, start: int, end: int, gaps: Sequence[tuple[int, int]], translation: str) -> str:
    """The translation in the subtitles between two offsets, which are separated by these gaps."""
    starts, stops = [start, *(stop for _, stop in gaps)], [*(first for first, _ in gaps), end]
    shares = [stop - first for first, stop in zip(starts, stops, strict=True)]
    parts = split_by_shares(one_line(translation).split(), shares) if gaps else [translation]
    between = [text[first:stop] for first, stop in gaps]
    lines = [in_lines(text, *place) for place in zip(starts, stops, parts, strict=True)]
    return "".join(f"{before}{line}" for before, line in zip(["", *between], lines, strict=True))


def split_by_shares(words: Sequence[str], shares: Sequence[int]) -> list[str]:
    """The words in as many parts as there are shares, of lengths close to them, split at natural places.

    >>> split_by_shares("Der Router, der neu ist, speichert die Datei".split(), [20, 24])
    ['Der Router, der neu ist,', 'speichert die Datei']
    """
    ends = list(accumulate(len(word) + 1 for word in words))
    total = ends[-1] if ends else 0
    parts: list[str] = []
    first = 0
    for left in range(len(shares) - 1, 0, -1):
        done = sum(shares[: len(shares) - left])
        ideal = total * done / max(sum(shares), 1)
        choices = range(first + 1, max(first + 1, len(words) - left) + 1)
        cut = first
        if first < len(words):
            cut = min(choices, key=lambda at: abs(ends[at - 1] - ideal) - _bonus(words, at) * total)
        parts.append(" ".join(words[first:cut]))
        first = cut
    return [*parts, " ".join(words[first:])]


def _bonus(words: Sequence[str], at: int) -> float:
    """How natural a split before the word `at` is, as a share of the length of the text."""
    if _PAUSE.search(words[at - 1]):
        return _PAUSE_BONUS
    if at < len(words) and _CONJUNCTION.fullmatch(words[at]):
        return _CONJUNCTION_BONUS
    return -_CONJUNCTION_BONUS if _CONJUNCTION.fullmatch(words[at - 1]) else 0.0


def speakers(text: str, start: int, end: int) -> list[Stretch]:
    """Start, end and line breaks of each speaker's text between two offsets."""
    found: list[Stretch] = []
    position = start
    if code := _POSITION.match(text, start, end):
        position = code.end()
    for line in _LINE.finditer(text, position, end):
        words = line.group().strip()
        if not words:
            continue
        first = line.start() + line.group().index(words)
        last = first + len(words)
        is_apart = not found or _SPEAKER.match(words) or _BLANK_LINE.search(text, found[-1][1], first)
        if is_apart:
            found.append((first, last, []))
        else:
            begin, before, inside = found[-1]
            inside.append((before, first))
            found[-1] = begin, last, inside
    return found


def in_lines(text: str, start: int, end: int, translation: str) -> str:
    """Wraps the translation into as many lines as the original span, of similar lengths, two at a natural place."""
    breaks: list[str] = _LINE_END.findall(text[start:end])
    words = one_line(translation).split()
    if not breaks or len(words) <= len(breaks):
        return one_line(translation).strip()
    ends = list(accumulate(len(word) + 1 for word in words))  # where each word ends, with the space after it
    if len(breaks) == 1:
        half = (ends[-1] - 1) / 2
        cut = min(range(1, len(words)), key=lambda at: abs(ends[at - 1] - 1 - half) - _bonus(words, at) * ends[-1])
        return breaks[0].join([" ".join(words[:cut]), " ".join(words[cut:])])
    lines: list[str] = []
    first = before = 0
    for left in range(len(breaks) + 1, 1, -1):
        ideal = before + 1 + (ends[-1] - 1 - before) / left
        last = bisect_left(ends, ideal, first, len(words) - left)
        if last > first and ideal - ends[last - 1] <= ends[last] - ideal:
            last -= 1
        lines.append(" ".join(words[first : last + 1]))
        first, before = last + 1, ends[last]
    return breaks[0].join([*lines, " ".join(words[first:])])
