"""The preview of a document: its blocks with the indices of their segments, as plain data.

The texts of segments are not included: the page has them already, and they change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.formats.blocks import Block
from app.formats.documents import Document
from app.formats.unit_notes import shown_note

MAX_LABEL_CHARACTERS = 120


class PreviewCell(TypedDict):
    """A cell with text, and the number of its column among the columns with text, from 0."""

    column: int
    segments: list[int]


class PreviewBlock(TypedDict):
    """A block of the document. A `row` has cells, in as many columns as its table; all other blocks have segments.

    `text` is untranslated text; `label` is the name of a part, the times of a subtitle, or the key of an entry.
    """

    kind: Literal["paragraph", "heading", "item", "row", "part", "subtitle", "entry", "code"]
    segments: list[int]
    level: NotRequired[int]
    label: NotRequired[str]
    text: NotRequired[str]
    table: NotRequired[int]
    num_columns: NotRequired[int]
    cells: NotRequired[list[PreviewCell]]


def preview_of(document: Document) -> list[PreviewBlock]:
    """The blocks of a document in reading order, without empty ones; each segment is in one block."""
    segments = [document.segments[index] for index in document.order]
    starts = [segment.start for segment in segments]
    filled: list[tuple[Block, list[int]]] = []
    last: dict[int, int] = {}  # by position of the segment, the block that it is in
    for block in document.blocks():
        span = range(bisect_left(starts, block.start), bisect_left(starts, block.end))
        inside = [position for position in span if position not in last]
        if inside or block.kind in ("part", "code"):
            last |= dict.fromkeys(inside, len(filled))
            filled.append((block, [segments[position].index for position in inside]))
    left: dict[int, list[int]] = {}  # segments that no block has, behind the block of the segment before
    place = -1
    for position, segment in enumerate(segments):
        place = last.get(position, place)
        if position not in last:
            left.setdefault(place, []).append(segment.index)
    return _shown(_with(filled, left))


def _with(filled: Sequence[tuple[Block, list[int]]], left: dict[int, list[int]]) -> Iterable[tuple[Block, list[int]]]:
    """The blocks, and a paragraph for each segment that is left, by the number of the block before it."""
    for number, each in enumerate([None, *filled], -1):
        if each:
            yield each
        yield from ((Block("paragraph"), [index]) for index in left.get(number, ()))


def _shown(blocks: Iterable[tuple[Block, list[int]]]) -> list[PreviewBlock]:
    """The blocks for the page: cells of a row become one, and parts without anything in them are left out."""
    shown: list[PreviewBlock] = []
    columns: dict[int, set[int]] = {}
    row = None
    for block, segments in blocks:
        if block.kind == "cell":
            table = columns.setdefault(block.row[0], set())
            table.add(block.column)
            if row != block.row:
                shown.append({"kind": "row", "segments": [], "table": block.row[0], "cells": []})
            cells = shown[-1]["cells"]
            if cells and cells[-1]["column"] == block.column:  # several paragraphs
                cells[-1]["segments"] += segments
            else:
                cells.append({"column": block.column, "segments": segments})
            row = block.row
            continue
        row = None
        if shown and shown[-1]["kind"] == block.kind == "part":
            shown.pop()
        added: PreviewBlock = {"kind": block.kind, "segments": segments}
        if block.level:
            added["level"] = block.level
        if block.label:
            added["label"] = shown_note(_cut(block.label))
        if block.text:
            added["text"] = block.text
        shown.append(added)
    if shown and shown[-1]["kind"] == "part":
        shown.pop()
    ranks = {
        table: {column: rank for rank, column in enumerate(sorted(of_table))} for table, of_table in columns.items()
    }
    for each in shown:
        if each["kind"] == "row":
            rank = ranks[each["table"]]
            each["num_columns"] = len(rank)
            for cell in each["cells"]:
                cell["column"] = rank[cell["column"]]
    return shown


def _cut(label: str) -> str:
    """A label of a usual length; a message stays one, so that it can be translated."""
    return label if len(label) <= MAX_LABEL_CHARACTERS else label[: MAX_LABEL_CHARACTERS - 1] + "…"
