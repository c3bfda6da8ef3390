"""Other encodings of every training source, by BPE dropout (Provilkov et al. 2020), for the encoder to read.

Made from a prepared folder's ids, vocabulary and merges alone, so that a machine with torch and numpy can make them
without the text. Targets, development sets and decoding keep the canonical pieces.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from engine.errors import TrainingError
from engine.text import TextCodec
from engine.train.data import Ids, Integers, Lines, PreparedData, variants_name

CHUNK = 5000
_MAX_WORDS = 1 << 16
_NUM_SPLITS = 32

_codec: TextCodec
_lines: Lines
_pieces: WordPieces


class WordPieces:
    """The pieces of words under BPE dropout.

    Each occurrence of a word draws one of 32 splits, which depend on the seed and the word alone: so they can be kept
    (of 65,536 words at most), which is ten times as fast as to draw every occurrence's own.
    """

    def __init__(self, codec: TextCodec, dropout: float, seed: int) -> None:
        self._codec, self._dropout, self._seed = codec, dropout, seed
        self._kept: dict[str, list[list[int] | None]] = {}

    def draw(self, word: str, rng: random.Random) -> list[int]:
        """The ids of one occurrence."""
        number = int(rng.random() * _NUM_SPLITS)
        splits = self._kept.get(word)
        if splits is None:
            if len(self._kept) >= _MAX_WORDS:
                return self._split(word, number)
            splits = self._kept[word] = [None] * _NUM_SPLITS
        ids = splits[number]
        if ids is None:
            ids = splits[number] = self._split(word, number)
        return ids

    def _split(self, word: str, number: int) -> list[int]:
        rng = random.Random(f"{self._seed} {number} {word}")
        return self._codec.vocabulary.ids_of(self._codec.merges.split(word, self._dropout, rng))


def write_variants(folder: Path, num_variants: int, dropout: float, num_workers: int = 1, seed: int = 1) -> None:
    """Write `num_variants` encodings of every training line beside the plain ones of a prepared folder.

    They depend on the seed alone, not on the workers. Where a variant would be longer than the `max_pieces` of the
    preparation, the line keeps its plain pieces.
    """
    if num_variants < 1 or not 0 < dropout < 1:
        raise TrainingError(
            f"{num_variants} source variants with BPE dropout {dropout}; ask for at least 1, with a dropout between 0 "
            "and 1 (Provilkov et al. take 0.1)"
        )
    prepared = PreparedData.load(folder)
    for language in prepared.languages:
        parts: list[list[Ids]] = [[] for _ in range(num_variants)]
        lengths: list[list[Integers]] = [[] for _ in range(num_variants)]
        num_lines = len(Lines.load(folder / "train", language))
        draw = partial(_draw_chunk, f"{seed} {language}", num_variants, prepared.max_pieces)
        with multiprocessing.Pool(num_workers, _start_worker, (folder, language, dropout, seed)) as pool:
            for done, drawn in enumerate(pool.imap(draw, range(0, num_lines, CHUNK)), start=1):
                for variant, (ids, counts) in enumerate(drawn):
                    parts[variant].append(ids)
                    lengths[variant].append(counts)
                num_done = min(done * CHUNK, num_lines)
                end = "\r" if sys.stderr.isatty() else "\n"
                print(f"  {language}: {num_done:,} of {num_lines:,} lines", end=end, file=sys.stderr, flush=True)
        counts = np.concatenate([chunk for variant in lengths for chunk in variant])
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
        pieces = np.concatenate([chunk for variant in parts for chunk in variant])
        _save_whole(Lines(pieces, offsets), folder / "train", variants_name(language))
    replace(prepared, facts={**prepared.facts, "bpe_dropout": dropout}).save(folder)


def _save_whole(lines: Lines, folder: Path, name: str) -> None:
    """Write the lines so that they are there only when all is written."""
    lines.save(folder, f"partial.{name}")
    for ending in ("offsets.npy", "npy"):
        os.replace(folder / f"partial.{name}.{ending}", folder / f"{name}.{ending}")


def _start_worker(folder: Path, language: str, dropout: float, seed: int) -> None:
    global _codec, _lines, _pieces
    _codec, _lines = TextCodec.load(folder), Lines.load(folder / "train", language)
    _pieces = WordPieces(_codec, dropout, seed)


def _draw_chunk(name: str, num_variants: int, max_pieces: int, start: int) -> list[tuple[Ids, Integers]]:
    """Pieces end to end and lengths, for each variant, of the lines from `start` on."""
    rng = random.Random(f"{name} {start}")
    plain = [_lines[number].tolist() for number in range(start, min(start + CHUNK, len(_lines)))]
    split = [_codec.words_and_marks(ids) for ids in plain]
    drawn = []
    for _ in range(num_variants):
        lines = []
        for ids, items in zip(plain, split, strict=True):
            others: list[int] = []
            for item in items:
                others += _pieces.draw(item, rng) if isinstance(item, str) else (item,)
            lines.append(others if len(others) <= max_pieces else ids)
        counts = np.array([len(line) for line in lines], dtype=np.int64)
        flat = np.fromiter((i for line in lines for i in line), dtype=_lines.pieces.dtype, count=int(counts.sum()))
        drawn.append((flat, counts))
    return drawn
