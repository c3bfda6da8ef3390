"""SubRip subtitles (.srt): a unit is the text of one speaker in one subtitle; numbers and times stay unchanged.

The lines of a subtitle are read as one sentence, and its translation is wrapped into the same number of lines. A line
that starts with a dash belongs to another speaker. Position codes such as {\\an8} at the start are layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from app.errors import DocumentError
from app.formats.base import Unit, line_of, one_line
from app.formats.prose import ProseFile, blanked
from app.i18n import Message
from app.text.encoding import decode_text

_TIME = r"\d{1,3}:\d{1,2}:\d{1,2}(?:[,.:]\d{1,3})?"
_TIMES = re.compile(rf"(?m)^[ \t]*{_TIME}[ \t]*--?[ \t]?>[ \t]*{_TIME}[^\r\n]*(?:\r*\n|\r|\Z)")
_NUMBER_BEFORE_TIMES = re.compile(r"[ \t]*\d+[ \t]*(?:\r*\n|\r)\Z")
_MAX_NUMBER = 30  # characters of a subtitle's number, including its line end and spaces
_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"\r*\n|\r")
_BLANK_LINE = re.compile(r"(?:\r*\n|\r(?!\r*\n))[ \t]*(?:\r*\n|\r)")
_POSITION = re.compile(r"(?:\{\\[^{}]*\})+[ \t]*")
_SPEAKER = re.compile(r"(?:<[^<>]*>)*[-–—‐]")


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
    units: list[Unit] = []
    joints: list[tuple[int, int]] = []
    for index, match in enumerate(times):
        end = len(text)
        if index + 1 < len(times):
            end = times[index + 1].start()
            number = _NUMBER_BEFORE_TIMES.search(text, max(match.end(), end - _MAX_NUMBER), end)
            end = number.start() if number else end
        for start, stop, inside in speakers(text, match.end(), end):
            joints += inside
            source = blanked(text, start, stop, inside)
            units.append(Unit(start, stop, source, whole=((0, len(source)),)))
    return ProseFile(decoded, units, joints, lay_out=in_lines)


def speakers(text: str, start: int, end: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Start, end and line breaks of each speaker's text between two offsets."""
    found: list[tuple[int, int, list[tuple[int, int]]]] = []
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
    """Wraps the translation into as many lines as the original span, of lengths as equal as possible."""
    breaks: list[str] = _LINE_END.findall(text[start:end])
    words = one_line(translation).split()
    if not breaks or len(words) <= len(breaks):
        return one_line(translation).strip()
    ends = list(accumulate(len(word) + 1 for word in words))  # where each word ends, with the space after it
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
