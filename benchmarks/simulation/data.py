"""Segments of documents in order and of post-edits, drawn by a seed."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.simulation.protocols import Segment
from benchmarks.simulation.words import words_of

MIN_WORDS = 3  # of source and goal, punctuation included


def read_documents(
    source: Path, reference: Path, documents: Path | None, direction: str, num_segments: int, max_words: int, seed: int
) -> list[Segment]:
    """Segments of a test set in its order; each document gives the same number of consecutive ones.

    `documents` has a line NAME<TAB>NUMBER OF LINES for each document; without it, sentences are drawn from all lines.
    """
    sides = [_lines(path) for path in (source, reference)]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"{source} has {len(sides[0])} lines, {reference} has {len(sides[1])}; they must match")
    pairs = [Segment(_joined(one), _joined(other), direction) for one, other in zip(*sides, strict=True)]
    if documents is None:
        return _drawn([pair for pair in pairs if is_usable(pair, max_words)], num_segments, seed)
    parts: dict[str, list[Segment]] = {}
    first = last = 0
    for number, line in enumerate(_lines(documents), start=1):
        name, _, count = line.partition("\t")
        if not count.strip().isdigit():
            raise ValueError(f"{documents} line {number}: expected NAME<TAB>NUMBER OF LINES, found {line!r}")
        first, last = last, last + int(count)
        own = (replace(pair, document=name) for pair in pairs[first:last])
        parts[name] = [segment for segment in own if is_usable(segment, max_words)]
    if not first < len(pairs) <= last:  # the last document may be cut
        raise ValueError(f"{documents} counts {last} lines, {source} has {len(pairs)}; they must match")
    chosen: list[Segment] = []
    for k, part in enumerate(parts.values()):
        size = min(len(part), (num_segments - len(chosen)) // (len(parts) - k))
        start = random.Random(f"{seed} {k}").randint(0, len(part) - size)
        chosen += part[start : start + size]
    return chosen


def read_post_edits(
    path: Path, split: str | None, direction: str, num_segments: int, max_words: int, seed: int
) -> list[Segment]:
    """Segments with a post-edit as goal, from a TSV file, also gzipped, with columns src and pe and perhaps split.

    Texts are taken as they are, unless they are tokenised (some word is separated from a full stop): then as a person
    would write them.
    """
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    reader = csv.DictReader(content.decode("utf-8").split("\n"), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = {"src", "pe", *(["split"] if split else [])} - set(reader.fieldnames or ())
    if missing:
        raise ValueError(f"{path} line 1: no column {', '.join(sorted(missing))}; it has {reader.fieldnames}")
    rows = [row for row in reader if not split or row["split"] == split]
    source, target = direction.split("-")
    segments = [Segment(detokenised(row["src"], source), detokenised(row["pe"], target), direction) for row in rows]
    return _drawn([segment for segment in segments if is_usable(segment, max_words)], num_segments, seed)


def detokenised(text: str, language: str) -> str:
    """A tokenised text as written; any other text as it is.

    >>> detokenised("Er sagt , dass es geht .", "de")
    'Er sagt, dass es geht.'
    """
    from sacremoses import MosesDetokenizer

    words = text.split()
    is_tokenised = words[-1:] == ["."] or "," in words
    return str(MosesDetokenizer(lang=language).detokenize(words)) if is_tokenised else " ".join(words)


def is_usable(segment: Segment, max_words: int) -> bool:
    return all(MIN_WORDS <= len(words_of(text)) <= max_words for text in (segment.source, segment.goal))


def _drawn(segments: Sequence[Segment], number: int, seed: int) -> list[Segment]:
    """So many of the segments, in their order."""
    kept = sorted(random.Random(seed).sample(range(len(segments)), min(number, len(segments))))
    return [segments[k] for k in kept]


def _joined(text: str) -> str:
    return " ".join(text.split())


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
