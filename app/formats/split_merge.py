"""Where a document's segments can be cut in two or joined: the rules of places and formats, nothing of texts or pages.

A segment that was joined to the one before it stays behind with an empty source and an empty place, so that the numbers
by which segments are known never change their meaning.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from app.errors import CommandError
from app.formats import format_by_key
from app.formats.base import ParsedFile, Unit
from app.formats.documents import MAX_SEGMENT_CHARACTERS, Document, Segment
from app.i18n import Message

_GAP = re.compile(r"\s*")
_TAG = re.compile(r"\{/?\d+\}")


def split_segment(document: Document, index: int, offset: int) -> tuple[Segment, Segment]:
    """The two segments that a segment becomes where it is cut before character `offset` of its source.

    White space at the cut belongs to neither. The second has no index yet: it comes with -1. Raises CommandError where
    the format forbids it.
    """
    segment = document.segments[index]
    first, second = segment.source[:offset].rstrip(), segment.source[offset:].lstrip()
    if not 0 < offset < len(segment.source) or not first or not second:
        raise CommandError(Message("A segment is cut between two of its words: choose a place inside it."))
    parsed = _parsed(document)
    unit = _unit(parsed, segment)
    raw = unit.source[segment.start - unit.start : segment.end - unit.start]
    gaps = [match.span() for match in re.finditer(r"\s+", raw)]
    if raw == segment.source:
        gap = _GAP.match(raw, offset)
        gaps = [(len(raw[:offset].rstrip()), gap.end() if gap else offset)]
    gaps = [(segment.start + start, segment.start + end) for start, end in gaps]
    gaps = _outside(gaps, [(unit.start + start, unit.start + end) for start, end in unit.whole])
    # Tags at the cut may belong to either side or, as they stand between the two, to none.
    wanted = _extent(first)
    for least in (wanted, (wanted[0], 0)):
        at = bisect_left(gaps, least, key=lambda gap: _extent(parsed.source(segment.start, gap[0])))
        if at == len(gaps):
            continue
        end, begin = gaps[at]
        parts = parsed.source(segment.start, end), parsed.source(begin, segment.end)
        if [_words(part) for part in parts] == [_words(first), _words(second)]:
            return (
                replace(segment, source=parts[0], end=end, target=None, state="new"),
                replace(segment, index=-1, source=parts[1], start=begin, target=None, state="new"),
            )
    raise CommandError(
        Message(
            "The segment cannot be split there: a link, a piece of code or a formatted stretch would break. "
            "Choose another place."
        )
    )


def merge_segments(document: Document, index: int, following: int) -> tuple[Segment, Segment]:
    """A segment with the one behind it in one, and what stays of that one. Raises CommandError where that cannot be."""
    first, second = document.segments[index], document.segments[following]
    parsed = _parsed(document)
    unit = _unit(parsed, first)
    if second.end > unit.end:
        raise CommandError(
            Message(
                "The next segment stands in another paragraph: only segments of one paragraph can be merged, "
                "so that the document keeps its form."
            )
        )
    source = parsed.source(first.start, second.end)
    if len(source) > MAX_SEGMENT_CHARACTERS:
        raise CommandError(
            Message(
                "Together they would have {count:,} characters; a segment may have {limit:,}.",
                count=len(source),
                limit=MAX_SEGMENT_CHARACTERS,
            )
        )
    merged = replace(first, source=source, end=second.end, target=None, state="new")
    return merged, replace(second, source="", end=second.start, target=None, state="new")


def _outside(gaps: Sequence[tuple[int, int]], whole: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps that part none of some stretches, ascending."""
    starts = [start for start, _ in whole]
    ends = [0, *accumulate((end for _, end in whole), max)]
    return [gap for gap in gaps if gap[1] >= ends[bisect_left(starts, gap[0])]]


def _words(source: str) -> list[str]:
    """The words of a source without inline tags, whose numbers are counted anew in each part."""
    return _TAG.sub("", source).split()


def _extent(source: str) -> tuple[int, int]:
    """How many characters and how many inline tags a source has: more, the further a part of it goes."""
    return sum(map(len, _words(source))), len(_TAG.findall(source))


def _parsed(document: Document) -> ParsedFile:
    its_format = format_by_key(document.format)
    if its_format.is_paired:
        raise CommandError(
            Message(
                "{format} pairs each source with its own translation: its segments are those of the file and cannot "
                "be split or merged.",
                format=its_format.label,
            )
        )
    return its_format.read(document.data, document.name)


def _unit(parsed: ParsedFile, segment: Segment) -> Unit:
    at = bisect_right([unit.start for unit in parsed.units], segment.start) - 1
    unit = parsed.units[at]
    assert unit.start <= segment.start < segment.end <= unit.end, f"segment {segment.index} lies in no unit"
    return unit
