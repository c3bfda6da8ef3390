"""Trains the alignment head of a finished model, whose own weights stay as they are.

Each target piece learns a distribution over source pieces from the links between words, and each source piece over
target pieces; several partners of a word share it equally. Needs torch, numpy and safetensors, and once per
prepared folder eflomal (see statistical_links.py).
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.errors import TrainingError
from engine.model.alignment import AlignmentHead, save_alignment, source_features, target_features
from engine.model.checkpoint import CONFIG, WEIGHTS, file_checksum
from engine.model.config import ModelConfig
from engine.model.encoded import source_mask
from engine.model.transformer import Transformer
from engine.model.weights import load_weights
from engine.model.word_links import ALIGNMENT, word_links, word_probabilities
from engine.text import BOS, PAD
from engine.train.data import CODEC_FILES, Batch, BatchPlan, BatchSampler, Integers, PreparedData
from engine.train.options import AlignOptions
from engine.train.statistical_links import FOLDER, Link, LinkedPairs, WordCutter, prepare_links

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinkScore:
    """Agreement of the head's links with the statistical ones, on pairs outside its training data."""

    set_name: str
    direction: str
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def __str__(self) -> str:
        return (
            f"{self.set_name} {self.direction}: precision {self.precision:.3f}, recall {self.recall:.3f}, "
            f"F1 {self.f1:.3f}"
        )


def align(work: Path, folder: Path, options: AlignOptions, device: str = "cpu") -> list[LinkScore]:
    """Train the head of the model in `folder` on the prepared folder `work` and write it; returns its scores on dev."""
    prepared = PreparedData.load(work)
    config = ModelConfig.load(folder / CONFIG)
    _check_codec(work, folder)
    model = load_weights(folder / WEIGHTS, config).to(device)
    checksum = file_checksum(folder / WEIGHTS)
    _make_links(work, options)
    cutter = WordCutter.load(work)
    linked = LinkedPairs.load(work / FOLDER / "train", prepared.languages)
    head = train_head(model, linked, prepared, cutter, options)
    save_alignment(folder / ALIGNMENT, head, checksum)
    return [
        score
        for name in prepared.dev_sets
        for score in score_head(
            model, head, LinkedPairs.load(work / FOLDER / "dev" / name, prepared.languages), prepared, cutter, name
        )
    ]


def train_head(
    model: Transformer, linked: LinkedPairs, prepared: PreparedData, cutter: WordCutter, options: AlignOptions
) -> AlignmentHead:
    """A head for a frozen model, trained on linked pairs in all directions of the model."""
    directions = model.config.directions
    batches = BatchSampler(linked.pairs, prepared, directions, options.batch_pieces, seed=options.seed)
    torch.manual_seed(options.seed)
    head = AlignmentHead(model.config.model_size).to(model.device)
    optimiser = torch.optim.Adam(head.parameters(), lr=options.peak_lr, betas=(0.9, 0.98))
    num_seen, last_reported = 0, time.monotonic()
    for update, drawn in enumerate(_drawn(batches)):
        batch = batches.batch(drawn, np.random.default_rng(0))
        rows = AlignmentTargets.of(batch, linked, prepared, cutter, directions[drawn.direction], drawn.pairs)
        loss = rows.loss(batch_logits(model, head, batch))
        warmed_up = min(1.0, (update + 1) / options.warmup_updates)
        optimiser.param_groups[0]["lr"] = options.peak_lr * warmed_up * max(0.0, 1 - num_seen / options.pairs)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        num_seen += len(drawn.pairs)
        if time.monotonic() - last_reported > 10 or num_seen >= options.pairs:
            print(f"{num_seen:,} of {options.pairs:,} pairs, loss {float(loss.detach()):.3f}", file=sys.stderr)
            last_reported = time.monotonic()
        if num_seen >= options.pairs:
            break
    return head.eval()


def score_head(
    model: Transformer, head: AlignmentHead, linked: LinkedPairs, prepared: PreparedData, cutter: WordCutter, name: str
) -> list[LinkScore]:
    """Agreement of the head's links with the links of a set, by direction."""
    directions = model.config.directions
    batches = BatchSampler(linked.pairs, prepared, directions, batch_pieces=3000)
    counts = np.zeros((len(directions), 3), dtype=np.int64)  # both, the head's, the set's
    for drawn in batches.epoch(0, shuffled=False):
        batch = batches.batch(drawn, np.random.default_rng(0))
        with torch.inference_mode():
            logits_BTS = batch_logits(model, head, batch).cpu().numpy()
        rows = AlignmentTargets.of(batch, linked, prepared, cutter, directions[drawn.direction], drawn.pairs)
        for row, (source_words, target_words, expected) in enumerate(rows.words_and_links()):
            found = set(word_links(word_probabilities(logits_BTS[row], source_words, target_words)))
            counts[drawn.direction] += len(found & expected), len(found), len(expected)
    return [
        LinkScore(name, direction, float(both / max(1, own)), float(both / max(1, given)))
        for direction, (both, own, given) in zip(directions, counts, strict=True)
    ]


def batch_logits(model: Transformer, head: AlignmentHead, batch: Batch) -> Tensor:
    """The head's logits (B, 1 + T, S) for a batch, minus infinity at padding; only the head has gradients."""
    source_BS, lengths_B, target_BT = (
        torch.from_numpy(array).to(model.device) for array in (batch.source_BS, batch.source_lengths_B, batch.target_BT)
    )
    with torch.no_grad():
        mask = source_mask(lengths_B, source_BS.shape[1])
        memory_BSE = model.memory(source_BS, mask)
        inputs_BT = torch.cat([torch.full_like(target_BT[:, :1], BOS), target_BT], dim=1)
        targets_BTX = target_features(model, memory_BSE, mask, inputs_BT)
        sources_BSX = source_features(model, source_BS, memory_BSE)
    is_padding_BTS = (inputs_BT == PAD)[:, :, None] | (source_BS == PAD)[:, None, :]
    return head(sources_BSX, targets_BTX).masked_fill(is_padding_BTS, -1e9)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class AlignmentTargets:
    """For each pair of a batch: the word of each source and target piece, and the links (target word, source word)."""

    batch: Batch
    source_words: list[Integers]
    target_words: list[Integers]
    links: list[Integers]

    @classmethod
    def of(
        cls,
        batch: Batch,
        linked: LinkedPairs,
        prepared: PreparedData,
        cutter: WordCutter,
        direction: str,
        indices: Integers,
    ) -> AlignmentTargets:
        source, target = direction.split("-")
        is_swapped = source == prepared.languages[1]  # links are (first language, second language)
        lines = linked.pairs.lines
        links = [linked.links_of(int(i)) for i in indices]
        return cls(
            batch,
            [cutter.words_of_pieces(lines[source][int(i)]) for i in indices],
            [cutter.words_of_pieces(lines[target][int(i)]) for i in indices],
            links if is_swapped else [pairs[:, ::-1] for pairs in links],
        )

    def loss(self, logits_BTS: Tensor) -> Tensor:
        """Mean cross-entropy of the choice for each target piece, plus that for each source piece."""
        to_source, to_target = (torch.from_numpy(part).to(logits_BTS.device) for part in self.targets())
        by_target = -(to_source * logits_BTS.log_softmax(2)).sum() / to_source.sum()
        by_source = -(to_target * logits_BTS.log_softmax(1)).sum() / to_target.sum()
        return by_target + by_source

    def targets(self) -> tuple[Floats, Floats]:
        """The distributions to learn, both (B, 1 + T, S).

        Rows of the first sum to 1 for every target piece, columns of the second for every source piece. The rows of
        the target's start and end, and the columns that are not source text, are zero there.
        """
        batch = self.batch
        shape = batch.target_BT.shape[0], batch.target_BT.shape[1] + 1, batch.source_BS.shape[1]
        to_source, to_target = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        for row, (sources, targets, links) in enumerate(self._rows()):
            end = int(batch.source_lengths_B[row]) - 1
            columns = slice(end - len(sources), end)  # behind the direction's token
            is_linked = np.zeros((targets[-1] + 1, sources[-1] + 1), dtype=np.float32)
            is_linked[links[:, 0], links[:, 1]] = 1
            rows = slice(1, len(targets) + 1)
            # partners share a word alike, and the pieces of a partner share what it gets
            shares = is_linked / np.maximum(is_linked.sum(axis=1, keepdims=True), 1) / np.bincount(sources)
            to_source[row, rows, columns] = shares[np.ix_(targets, sources)]
            to_source[row, rows, end] = 1 - to_source[row, rows, columns].sum(axis=1)
            shares = is_linked / np.maximum(is_linked.sum(axis=0), 1) / np.bincount(targets)[:, None]
            to_target[row, rows, columns] = shares[np.ix_(targets, sources)]
            to_target[row, 0, columns] = 1 - to_target[row, rows, columns].sum(axis=0)
        return to_source, to_target

    def words_and_links(self) -> Iterator[tuple[list[Link], list[Link], set[Link]]]:
        """Source words and target words as ranges of columns and rows, and the links (target word, source word)."""
        for row, (sources, targets, links) in enumerate(self._rows()):
            first = int(self.batch.source_lengths_B[row]) - 1 - len(sources)
            yield _ranges(sources, first), _ranges(targets, 1), {(int(t), int(s)) for t, s in links}

    def _rows(self) -> Iterator[tuple[Integers, Integers, Integers]]:
        return zip(self.source_words, self.target_words, self.links, strict=True)


def _ranges(words: Integers, first: int) -> list[Link]:
    """The pieces of each word, (first, one past the last), counted from `first`."""
    ends = np.cumsum(np.bincount(words)) + first
    return list(zip([first, *ends[:-1].tolist()], ends.tolist(), strict=True))


def _drawn(batches: BatchSampler) -> Iterator[BatchPlan]:
    for epoch in range(1, 1_000_000):
        drawn = batches.epoch(epoch)
        if not drawn:
            raise TrainingError("there are no linked pairs; prepare the data with pairs in it")
        yield from drawn


def _check_codec(work: Path, folder: Path) -> None:
    for file in CODEC_FILES:
        if not (folder / file).is_file() or (folder / file).read_bytes() != (work / file).read_bytes():
            raise TrainingError(f"{folder / file} and the data's differ; prepare the data with --codec {folder}")


def _make_links(work: Path, options: AlignOptions) -> None:
    """Create the links of the prepared folder if they are missing, atomically."""
    if (work / FOLDER).is_dir():
        return
    print(f"aligning {options.counted_pairs:,} pairs by counting; this is kept in {work / FOLDER}", file=sys.stderr)
    partial = work / f"{FOLDER}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    prepare_links(work, partial, options.counted_pairs, options.seed)
    partial.rename(work / FOLDER)
