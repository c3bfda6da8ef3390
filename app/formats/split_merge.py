"""Splits and merges the segments of a document, if its format allows this.

A segment that is merged into the previous one stays in the document with an empty source and place, so that segment
indices never change their meaning.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from app.errors import CommandError
from app.formats.base import Unit
from app.formats.documents import MAX_SEGMENT_CHARACTERS, Document, Segment
from app.formats.parsed_file import ParsedFile
from app.text.nontranslatables import NUMBERED_TAG

_GAP = re.compile(r"\s*")


def split_segment(document: Document, index: int, offset: int) -> tuple[Segment, Segment]:
    """Splits a segment before character `offset` of its source and returns both parts.

    White space at the split belongs to neither part. The second part has the index -1. Raises CommandError if the
    format does not allow the split.
    """
    segment = document.segments[index]
    first, second = segment.source[:offset].rstrip(), segment.source[offset:].lstrip()
    if not 0 < offset < len(segment.source) or not first or not second:
        raise CommandError("A segment can only be split between two words: choose a place inside it.")
    parsed = _parsed(document)
    unit = _unit(parsed, segment)
    raw = unit.source[segment.start - unit.start : segment.end - unit.start]
    gaps = [match.span() for match in re.finditer(r"\s+", raw)]
    if raw == segment.source:
        gap = _GAP.match(raw, offset)
        gaps = [(len(raw[:offset].rstrip()), gap.end() if gap else offset)]
    gaps = [(segment.start + start, segment.start + end) for start, end in gaps]
    gaps = _outside(gaps, [(unit.start + start, unit.start + end) for start, end in unit.whole])
    # Tags at the split may belong to either part, or to neither if they are between them.
    extent = _extent(first)
    for least in (extent, (extent[0], 0)):
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
        "The segment cannot be split there: a link, code or formatting would break. Choose another place."
    )


def merge_segments(document: Document, index: int, following: int) -> tuple[Segment, Segment]:
    """Merges a segment with the following one; returns the merged segment and the now empty following one.

    Raises CommandError if the format does not allow the merge.
    """
    first, second = document.segments[index], document.segments[following]
    parsed = _parsed(document)
    unit = _unit(parsed, first)
    if second.end > unit.end:
        raise CommandError(
            "The next segment is in another paragraph. Only segments of the same paragraph can be merged."
        )
    source = parsed.source(first.start, second.end)
    if len(source) > MAX_SEGMENT_CHARACTERS:
        raise CommandError(
            "The merged segment would be too long ({count:,} characters, limit {limit:,}).",
            count=len(source),
            limit=MAX_SEGMENT_CHARACTERS,
        )
    merged = replace(first, source=source, end=second.end, target=None, state="new")
    return merged, replace(second, source="", end=second.start, target=None, state="new")


def _outside(gaps: Sequence[tuple[int, int]], whole: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps (ascending) that are not inside one of the spans of `whole`."""
    starts = [start for start, _ in whole]
    ends = [0, *accumulate((end for _, end in whole), max)]
    return [gap for gap in gaps if gap[1] >= ends[bisect_left(starts, gap[0])]]


def _words(source: str) -> list[str]:
    """The words of a source without inline tags, which are numbered from 1 in each part."""
    return NUMBERED_TAG.sub("", source).split()


def _extent(source: str) -> tuple[int, int]:
    """Number of characters and of inline tags, which grow with the length of a part."""
    return sum(map(len, _words(source))), len(NUMBERED_TAG.findall(source))


def _parsed(document: Document) -> ParsedFile:
    if document.format.is_paired:
        raise CommandError(
            "Files of this format ({format}) pair each source with its translation; their segments cannot be "
            "split or merged.",
            format=document.format.label,
        )
    return document.parsed


def _unit(parsed: ParsedFile, segment: Segment) -> Unit:
    units = parsed.all_units()
    unit = units[bisect_right([unit.start for unit in units], segment.start) - 1]
    assert unit.start <= segment.start < segment.end <= unit.end, f"segment {segment.index} lies in no unit"
    return unit
