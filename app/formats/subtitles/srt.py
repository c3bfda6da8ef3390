"""SubRip subtitles (.srt): a unit is the text of one speaker in one subtitle; numbers and times stay unchanged.

The lines of a subtitle are read as one sentence. Its translation is wrapped into the same number of lines, or into more
if a line would be too long. A sentence that continues in the next subtitles is one segment; its translation is split
among them (`app.text.subtitle_layout`). Players hide text in angle brackets, so brackets that are not formatting get an
invisible character. A line that starts with a dash belongs to another speaker. Position codes such as {\\an8} at the
start are layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from app.errors import DocumentError
from app.formats.base import Unit, line_of, one_line
from app.formats.blocks import Block
from app.formats.prose import ProseFile, blanked
from app.text.encoding import DecodedText, decode_text
from app.text.subtitle_layout import CueSpace, laid_out, milliseconds
from app.text.text_limits import TextLimits

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
_TAG = re.compile(r"<(/?)([^\s<>/]*)[^<>]*>")
_FORMATS: Final = frozenset({"b", "i", "u", "s", "font"})
_NO_TAG: Final = "<\u2060"  # a word joiner: tags do not begin with it, and players do not draw it
_SPEAKER = re.compile(r"(?:<[^<>]*>)*[-–—‐]")


_CLOCK = re.compile(r"[\d:,.]*\d")
Stretch = tuple[int, int, list[tuple[int, int]]]  # start, end and line breaks of a text


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle: its first and last moment as the file has them, the texts of its speakers, and their length."""

    begin: str
    finish: str
    texts: Sequence[Stretch]
    num_characters: int


def cue_of(times: str, texts: Sequence[Stretch]) -> Cue:
    """The subtitle with that line of times."""
    begin, finish = _CLOCK.findall(times)[:2]
    return Cue(begin, finish, texts, num_characters=sum(stop - start for start, stop, _ in texts))


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a SubRip file. Raises DocumentError if it has no lines of times."""
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    times = list(_TIMES.finditer(text))
    if not times:
        raise DocumentError(
            "{name} is not a subtitle file (.srt): it has no line of times such as 00:00:01,000 --> "
            "00:00:04,000. Rename it to .txt to open it as plain text",
            name=name,
        )
    first = times[0].start()
    number = _NUMBER_BEFORE_TIMES.search(text, max(0, first - _MAX_NUMBER), first)
    before = text[: number.start() if number else first].strip("\ufeff \t\r\n")
    if before:
        raise DocumentError(
            "{name}, {place}: text before the times of the first subtitle: remove it and open the file again",
            name=name,
            place=line_of(text, text.index(before)),
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
    by_text = {start: cue for cue in cues for start, _, _ in cue.texts}
    for start, stop, inside, of_cues in _sentences(text, [cue.texts for cue in cues]):
        joints += inside
        gaps += of_cues
        source = blanked(text, start, stop, inside)
        limits = TextLimits(cues=tuple(_spaces(text, start, stop, of_cues, by_text)))
        units.append(Unit(start, stop, source, whole=((0, len(source)),), limits=limits))

    def lay_out(text: str, start: int, end: int, translation: str) -> str:
        inside = gaps[bisect_left(gaps, (start,)) : bisect_left(gaps, (end,))]
        return _in_cues(text, inside, _spaces(text, start, end, inside, by_text), translation)

    blocks = list(_blocks(cues, {stop for _, stop in gaps}))
    return ProseFile(decoded, units, joints, show=show, mark_up=mark_up, lay_out=lay_out, blocks=blocks)


def _blocks(cues: Sequence[Cue], continued: Set[int]) -> Iterator[Block]:
    """A block for each subtitle with text; subtitles whose text begins in `continued` belong to the subtitle before."""
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
    """True if tags of that name format the translation: its source has one too, or the translation a whole pair."""
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


def _in_cues(text: str, gaps: Sequence[tuple[int, int]], spaces: Sequence[CueSpace], translation: str) -> str:
    """The translation in subtitles with these spaces, which are separated by these gaps of the text."""
    found = _LINE_END.search(text)
    line_end = found.group() if found else "\n"
    between = ["", *(text[first:stop] for first, stop in gaps)]
    lines = laid_out(one_line(translation), spaces)
    return "".join(f"{before}{line_end.join(part)}" for before, part in zip(between, lines, strict=True))


def _spaces(
    text: str, start: int, end: int, gaps: Sequence[tuple[int, int]], cues: Mapping[int, Cue]
) -> list[CueSpace]:
    """The space of each subtitle between two offsets, which are separated by these gaps; `cues` are by their texts."""
    spaces = []
    starts, stops = [start, *(stop for _, stop in gaps)], [*(first for first, _ in gaps), end]
    for first, stop in zip(starts, stops, strict=True):
        cue = cues[first]
        whole = max(0, milliseconds(cue.finish) - milliseconds(cue.begin))
        duration = whole * (stop - first) // cue.num_characters
        num_lines = len(_LINE_END.findall(text, first, stop)) + 1
        spaces.append(CueSpace(duration, stop - first, num_lines, len(cue.texts) == 1))
    return spaces


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
