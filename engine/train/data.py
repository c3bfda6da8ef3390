"""Prepared data on disk and the batches drawn from it. Needs only numpy; works on ids, not on text.

A prepared folder holds `prepared.json`, the codec's files, and one folder per set (`train`, `dev/NAME`) with, for
each language, all pieces end to end (`en.npy`) and where each line starts (`en.offsets.npy`), and of each pair the
domain (`domains.npy`) and how its German speaks to the reader (`formalities.npy`, which an older folder lacks). Both
directions read the same arrays. Where `variants` has written them, `en.variants.npy` holds other encodings of the same
lines, one copy of all lines after the other, for directions with English as the source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import TrainingError
from engine.text import EOS, PAD
from engine.train.corpus import synthetic_domain

CODEC_FILES = ("vocabulary.txt", "bpe.codes")
FORMALITIES_FILE = "formalities.npy"
FORMAL_LANGUAGE = "de"  # the one whose formality is known
Ids = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]
Labels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PreparedData:
    """The decisions of `prepare`: everything that training needs in addition to the arrays.

    `synthetic_ids` has, by domain, the token of those pairs whose side in one language a model wrote; `domain_ids` that
    of the others.
    """

    languages: tuple[str, str]
    vocabulary_size: int
    direction_ids: Mapping[str, int]
    domains: tuple[str, ...]
    domain_ids: Mapping[str, int]
    dev_sets: tuple[str, ...]
    max_pieces: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    formality_ids: Mapping[str, int] = field(default_factory=dict)
    synthetic_ids: Mapping[str, int] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        (folder / "prepared.json").write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> PreparedData:
        path = folder / "prepared.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            for name in ("languages", "domains", "dev_sets"):
                data[name] = tuple(data[name])
            return cls(**data)
        except FileNotFoundError:
            raise TrainingError(f"{path} is missing; run `python -m engine.train prepare` first") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TrainingError(f"{path} is damaged ({error!r}); run `python -m engine.train prepare` again") from error


@dataclass(frozen=True, slots=True)
class Lines:
    """Many id sequences end to end; line i is `pieces[offsets[i]:offsets[i + 1]]`. Memory-mapped when loaded."""

    pieces: Ids
    offsets: Integers

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]], vocabulary_size: int) -> Lines:
        kind = np.uint16 if vocabulary_size <= 2**16 else np.uint32
        offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
        np.cumsum([len(sequence) for sequence in sequences], out=offsets[1:])
        pieces = np.fromiter((i for sequence in sequences for i in sequence), dtype=kind, count=int(offsets[-1]))
        return cls(pieces, offsets)

    @property
    def lengths(self) -> Integers:
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Ids:
        return self.pieces[self.offsets[index] : self.offsets[index + 1]]

    def save(self, folder: Path, language: str) -> None:
        np.save(folder / f"{language}.npy", self.pieces)
        np.save(folder / f"{language}.offsets.npy", self.offsets)

    @classmethod
    def load(cls, folder: Path, language: str) -> Lines:
        return cls(_load_array(folder / f"{language}.npy"), _load_array(folder / f"{language}.offsets.npy"))


def _load_array(path: Path) -> npt.NDArray[Any]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)  # type: ignore[no-any-return]
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} cannot be read ({error}); run `python -m engine.train prepare` again") from error


@dataclass(frozen=True, slots=True)
class PairSet:
    """One set of pairs: the lines of both languages, the index of each pair's domain, and the label of its formality.

    A label is 0 for a pair without formality, else 1 more than the place among the prepared `formality_ids`.
    Line v * len(pairs) + i of `variants` is another encoding of line i, the v-th; empty if none was made.
    """

    lines: Mapping[str, Lines]
    domains: Labels
    formalities: Labels | None = None
    variants: Mapping[str, Lines] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for language, lines in self.lines.items():
            lines.save(folder, language)
        np.save(folder / "domains.npy", self.domains)
        if self.formalities is not None:
            np.save(folder / FORMALITIES_FILE, self.formalities)

    @classmethod
    def load(cls, folder: Path, languages: Sequence[str]) -> PairSet:
        has_formalities = (folder / FORMALITIES_FILE).exists()
        return cls(
            {language: Lines.load(folder, language) for language in languages},
            _load_array(folder / "domains.npy"),
            _load_array(folder / FORMALITIES_FILE) if has_formalities else None,
            {
                language: Lines.load(folder, variants_name(language))
                for language in languages
                if (folder / f"{variants_name(language)}.npy").exists()
            },
        )

    def __len__(self) -> int:
        return len(self.domains)


def variants_name(language: str) -> str:
    """The names of the files with other encodings of a language's lines."""
    return f"{language}.variants"


class BatchPlan(NamedTuple):
    """A planned batch: index of the direction, indices of the pairs, and the variant of each source."""

    direction: int
    pairs: Integers
    variants: Integers | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded ids of one direction: sources with direction token and end, targets with the end."""

    source_BS: Integers
    source_lengths_B: Integers
    target_BT: Integers

    @property
    def num_target_pieces(self) -> int:
        return int((self.target_BT != PAD).sum())


class BatchSampler:
    """Draws batches of about `batch_pieces` padded pieces from a set, epoch by epoch.

    An epoch takes pair i `weights[domain of i]` times (2.5: twice, and a third time with probability one half), in
    every direction; a synthetic pair only in that whose source a model wrote. It depends on (seed, epoch) alone, so
    that a run can resume at any batch. `domain_tag_rate` is the share of sources that carry their domain's token after
    that of the direction (synthetic ones always carry theirs: Caswell et al. 2019); `formality_tag_rate` is that of the
    sources of German pairs with a label that carry the token of their formality after both. With `source_variants` each
    source, every time it comes, takes one of the first so many variants at random.
    """

    def __init__(
        self,
        pairs: PairSet,
        prepared: PreparedData,
        directions: Sequence[str],
        batch_pieces: int,
        weights: Mapping[str, float] | None = None,
        domain_tag_rate: float = 0.0,
        seed: int = 1,
        formality_tag_rate: float = 0.0,
        source_variants: int = 0,
    ) -> None:
        for direction in directions:
            if direction not in prepared.direction_ids:
                offered = ", ".join(prepared.direction_ids)
                raise TrainingError(f"direction {direction!r} has no token in the vocabulary, which knows {offered}")
        weights = weights or {}
        if unknown := sorted(set(weights) - set(prepared.domains)):
            raise TrainingError(f"weight for domain {unknown[0]!r}; the data has {', '.join(prepared.domains)}")
        if formality_tag_rate:
            check_formality_tags(pairs, prepared, directions)
        if source_variants:
            _check_variants(pairs, directions, source_variants)
        self._pairs = pairs
        self._prepared = prepared
        self._directions = tuple(directions)
        self._batch_pieces = batch_pieces
        per_domain = np.array([weights.get(domain, 1.0) for domain in prepared.domains])
        self._weights = per_domain[np.asarray(pairs.domains)] if len(pairs) else np.zeros(0)
        synthetic = prepared.synthetic_ids
        tags = {**prepared.domain_ids, **synthetic}
        self._domain_tags = np.array([tags.get(domain, PAD) for domain in prepared.domains])
        self._tag_rates = np.array([1.0 if domain in synthetic else domain_tag_rate for domain in prepared.domains])
        self._is_read = {  # by direction: whether it takes the pairs of each domain
            direction: np.array(
                [d not in synthetic or d == synthetic_domain(direction.split("-")[0]) for d in prepared.domains]
            )
            for direction in directions
        }
        self._formality_tag_rate = formality_tag_rate
        self._formality_tags = np.array([PAD, *prepared.formality_ids.values()])
        self._source_variants = source_variants
        self._seed = seed

    def epoch(self, number: int, shuffled: bool = True) -> list[BatchPlan]:
        """The batches of an epoch."""
        rng = np.random.default_rng((self._seed, number))
        drawn: list[BatchPlan] = []
        for direction in range(len(self._directions)):
            times = np.floor(self._weights + rng.random(len(self._weights))).astype(np.int64)
            times *= self._is_read[self._directions[direction]][np.asarray(self._pairs.domains)]
            picked = np.repeat(np.arange(len(times)), times)
            drawn += self._cut(direction, rng.permutation(picked), self._drawn_variants(number, direction, len(picked)))
        if shuffled:
            drawn = [drawn[i] for i in rng.permutation(len(drawn))]
        return drawn

    def _drawn_variants(self, epoch: int, direction: int, count: int) -> Integers | None:
        if not self._source_variants:
            return None
        rng = np.random.default_rng((self._seed, epoch, direction, self._source_variants))
        return rng.integers(self._source_variants, size=count)

    def _cut(self, direction: int, picked: Integers, variants: Integers | None) -> Iterator[BatchPlan]:
        """Pairs of like length together; ties stay in the order of `picked`, which is random."""
        target = self._directions[direction].split("-")[1]
        num_heads = 3 + (self._formality_tag_rate > 0)  # direction, domain, formality, end
        lines, numbers = self._sources(BatchPlan(direction, picked, variants))
        source_lengths = lines.offsets[numbers + 1] - lines.offsets[numbers] + num_heads
        target_lengths = self._pairs.lines[target].lengths[picked] + 1
        order = np.lexsort((source_lengths, target_lengths))

        def draw(start: int, stop: int) -> BatchPlan:
            chosen = order[start:stop]
            return BatchPlan(direction, picked[chosen], None if variants is None else variants[chosen])

        start, widest = 0, 0
        for stop, index in enumerate(order):
            widest = max(widest, int(source_lengths[index]), int(target_lengths[index]))
            if stop > start and (stop + 1 - start) * widest > self._batch_pieces:
                yield draw(start, stop)
                start, widest = stop, max(int(source_lengths[index]), int(target_lengths[index]))
        if start < len(order):
            yield draw(start, len(order))

    def _sources(self, drawn: BatchPlan) -> tuple[Lines, Integers]:
        """The lines that contain the sources of a planned batch, and the line number of each."""
        language = self._directions[drawn.direction].split("-")[0]
        if drawn.variants is None:
            return self._pairs.lines[language], drawn.pairs
        return self._pairs.variants[language], drawn.variants * len(self._pairs) + drawn.pairs

    def batch(self, drawn: BatchPlan, rng: np.random.Generator) -> Batch:
        """The padded ids of some pairs; `rng` decides which sources carry a token of domain or formality."""
        name, indices = self._directions[drawn.direction], drawn.pairs
        target = self._pairs.lines[name.split("-")[1]]
        no_heads = np.zeros((len(indices), 0), dtype=np.int64)
        heads = np.full((len(indices), 1), self._prepared.direction_ids[name])
        if self._tag_rates.any():
            domains = np.asarray(self._pairs.domains[indices], dtype=np.int64)
            is_tagged = rng.random(len(indices)) < self._tag_rates[domains]
            heads = np.column_stack([heads, np.where(is_tagged, self._domain_tags[domains], PAD)])
        if self._formality_tag_rate and speaks_to_reader(name):
            assert self._pairs.formalities is not None
            tags = self._formality_tags[np.asarray(self._pairs.formalities[indices], dtype=np.int64)]
            heads = np.column_stack([heads, np.where(rng.random(len(indices)) < self._formality_tag_rate, tags, PAD)])
        source_BS, source_lengths_B = _table(*self._sources(drawn), heads)
        return Batch(source_BS, source_lengths_B, _table(target, indices, no_heads)[0])


def _check_variants(pairs: PairSet, directions: Sequence[str], num_variants: int) -> None:
    """Raise TrainingError if a source has too few encodings, or encodings of other lines."""
    for language in dict.fromkeys(direction.split("-")[0] for direction in directions):
        lines = pairs.variants.get(language)
        found, rest = divmod(len(lines), max(1, len(pairs))) if lines is not None else (0, 0)
        if rest:
            raise TrainingError(
                f"{variants_name(language)}.npy was made of other lines; run `python -m engine.train variants` again"
            )
        if found < num_variants:
            raise TrainingError(
                f"source_variants is {num_variants}, but the prepared folder has {found} for {language!r}; make them "
                "with `python -m engine.train variants`, or ask for no more than there are"
            )


def speaks_to_reader(direction: str) -> bool:
    """True if a direction leads into the language whose formality is known."""
    return direction.endswith(f"-{FORMAL_LANGUAGE}")


def check_formality_tags(pairs: PairSet, prepared: PreparedData, directions: Sequence[str]) -> None:
    """Raise TrainingError if no source could have a formality token."""
    if pairs.formalities is None or not prepared.formality_ids:
        raise TrainingError(
            "formality_tag_rate is given, but the prepared folder has no formalities.npy; run `python -m engine.train "
            "prepare` again, or leave it out"
        )
    if not any(map(speaks_to_reader, directions)):
        raise TrainingError(
            f"formality_tag_rate is given, but no direction leads into {FORMAL_LANGUAGE!r}; leave it out"
        )


def _table(lines: Lines, indices: Integers, heads_BX: Integers) -> tuple[Integers, Integers]:
    """Padded rows `head pieces... </s>` (B, W) and their lengths; PAD in a head means no piece."""
    head_lengths_B = (heads_BX != PAD).sum(axis=1)
    starts_B = lines.offsets[indices]
    counts_B = lines.offsets[indices + 1] - starts_B
    lengths_B = head_lengths_B + counts_B + 1
    columns_W = np.arange(lengths_B.max())
    places_BW = columns_W - head_lengths_B[:, None]
    inside_BW = (places_BW >= 0) & (places_BW < counts_B[:, None])
    table_BW = np.full(inside_BW.shape, PAD, dtype=np.int64)
    table_BW[inside_BW] = lines.pieces[(starts_B[:, None] + places_BW)[inside_BW]]
    table_BW[places_BW == counts_B[:, None]] = EOS
    for column in range(heads_BX.shape[1]):
        filled_B = heads_BX[:, column] != PAD
        table_BW[filled_B, column] = heads_BX[filled_B, column]
    return table_BW, lengths_B
