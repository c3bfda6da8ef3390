"""Turns a corpus into what `train` reads: selects pairs, learns the codec, writes id arrays and the facts."""

from __future__ import annotations

import multiprocessing
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TrainingError
from engine.text import DIRECTION_PIECES, SYNTHETIC_PIECE, TextCodec
from engine.train.augmentation import PlaceholderAugmentation, joined
from engine.train.corpus import (
    HeldOut,
    SentencePair,
    read_licences,
    read_pairs,
    read_set,
    read_synthetic,
    synthetic_domain,
)
from engine.train.data import FORMAL_LANGUAGE, Labels, Lines, PairSet, PreparedData, variants_name
from engine.train.dictionary import DICTIONARY, dictionary_licence, read_dictionary
from engine.train.formality import FORMALITIES, labels_of
from engine.train.options import PrepareOptions
from engine.train.variants import write_variants

CHUNK = 2000


def prepare(corpus: Path, folder: Path, options: PrepareOptions) -> PreparedData:
    """Write the prepared folder; returns the content of its `prepared.json`."""
    licences = read_licences(corpus)
    pairs = [pair for pair in read_pairs(corpus) if options.selection.wants(pair)]
    held_out = HeldOut.of(corpus, options.languages)
    if options.more is not None:
        licences |= read_licences(options.more)
        pairs += _further_pairs(options.more, pairs, held_out, options)
    if not pairs:
        raise TrainingError(f"{corpus}: no pair is in the chosen domains and short enough; widen the selection")
    folder.mkdir(parents=True, exist_ok=True)
    if options.codec is not None:
        _report(f"{len(pairs):,} pairs selected; pieces of {options.codec}")
        codec = TextCodec.load(options.codec)
    else:
        _report(f"{len(pairs):,} pairs selected; learning {options.num_pieces:,} pieces")
        codec = _learn_codec(pairs, options)
    codec.save(folder)
    pairs = [*pairs, *joined(pairs, options.join_rate, random.Random(options.seed))]
    num_human = len(pairs)
    if options.synthetic is not None:
        pairs += read_synthetic(options.synthetic, options.languages)
    if held := codec.vocabulary.placeholders:
        augmentation, rng = (
            PlaceholderAugmentation(held, options.placeholder_rate, options.tag_rate),
            random.Random(options.seed),
        )
        pairs = [augmentation.augment(pair, rng) for pair in pairs]

    synthetic = tuple(sorted({pair.domain for pair in pairs[num_human:]}))
    domains = (*sorted(options.selection.max_words), *synthetic)
    if options.dictionary is not None:
        licences[DICTIONARY] = dictionary_licence(options.dictionary)
        pairs += read_dictionary(options.dictionary, options.languages, held_out)
        domains = (*domains, DICTIONARY)
    with multiprocessing.Pool(options.num_workers, _start_worker, (folder,)) as pool:
        kept, sides = _encode(pool, pairs, options.max_pieces)
        kept_pairs = [pairs[i] for i in kept]
        domain_indices = np.array([domains.index(pair.domain) for pair in kept_pairs], dtype=np.uint8)
        formalities = _formalities(kept_pairs, options.languages)
        _pair_set(sides, domain_indices, formalities, options, codec).save(folder / "train")
        dev_names = []
        for name in options.dev_sets:
            dev = [SentencePair(*texts, name, "") for texts in read_set(corpus, name, options.languages)]
            _, dev_sides = _encode(pool, dev, options.max_pieces)
            dev_sides = (dev_sides[0][: options.max_dev_pairs], dev_sides[1][: options.max_dev_pairs])
            no_domains = np.zeros(len(dev_sides[0]), dtype=np.uint8)
            dev_names.append(name.rsplit("/", 1)[-1])
            _pair_set(dev_sides, no_domains, None, options, codec).save(folder / "dev" / dev_names[-1])

    first, second = options.languages
    directions = [f"{first}-{second}", f"{second}-{first}"]
    prepared = PreparedData(
        languages=options.languages,
        vocabulary_size=len(codec.vocabulary),
        direction_ids={d: codec.vocabulary.id_of(f"<{d}>") for d in directions if f"<{d}>" in DIRECTION_PIECES},
        domains=domains,
        domain_ids={d: codec.vocabulary.id_of(f"<{d}>") for d in domains if f"<{d}>" in codec.vocabulary},
        synthetic_ids={d: codec.vocabulary.id_of(SYNTHETIC_PIECE) for d in synthetic},
        dev_sets=tuple(dev_names),
        max_pieces=options.max_pieces,
        facts={**_facts(kept_pairs, sides, formalities, licences, options), **_placeholder_facts(codec, options)},
        formality_ids={name: codec.vocabulary.id_of(f"<{name}>") for name in FORMALITIES},
    )
    prepared.save(folder)
    for language in options.languages:  # of an earlier preparation
        (folder / "train" / f"{variants_name(language)}.npy").unlink(missing_ok=True)
    if options.source_variants:
        write_variants(folder, options.source_variants, options.bpe_dropout, options.num_workers, options.seed)
    _report(f"{len(kept_pairs):,} pairs kept, {prepared.facts['pieces']}; written to {folder}")
    return prepared


def _further_pairs(
    folder: Path, pairs: Sequence[SentencePair], held_out: HeldOut, options: PrepareOptions
) -> list[SentencePair]:
    """The selected pairs of another folder that are neither among `pairs` nor in a held-out set."""
    known = {(pair.first, pair.second) for pair in pairs}
    return [
        pair
        for pair in read_pairs(folder)
        if options.selection.wants(pair)
        and (pair.first, pair.second) not in known
        and not held_out.contains(pair.first)
        and not held_out.contains(pair.second)
    ]


def _learn_codec(pairs: Sequence[SentencePair], options: PrepareOptions) -> TextCodec:
    half = options.codec_lines // 2
    sample = random.Random(options.seed).sample(pairs, half) if len(pairs) > half else pairs
    lines = (text for pair in sample for text in (pair.first, pair.second))
    return TextCodec.learn(lines, options.num_pieces, num_placeholders=options.num_placeholders)


_codec: TextCodec


def _start_worker(folder: Path) -> None:
    global _codec
    _codec = TextCodec.load(folder)


def _encode_chunk(texts: list[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
    return [(_codec.encode_ids(first), _codec.encode_ids(second)) for first, second in texts]


def _encode(
    pool: Any, pairs: Sequence[SentencePair], max_pieces: int
) -> tuple[list[int], tuple[list[list[int]], list[list[int]]]]:
    """Indices of the pairs that fit, and their pieces side by side."""
    from engine.text import UNK

    def chunks() -> Iterator[list[tuple[str, str]]]:
        for start in range(0, len(pairs), CHUNK):
            yield [(pair.first, pair.second) for pair in pairs[start : start + CHUNK]]

    kept: list[int] = []
    firsts: list[list[int]] = []
    seconds: list[list[int]] = []
    index = 0
    for encoded in pool.imap(_encode_chunk, chunks()):
        for first, second in encoded:
            fits = 0 < len(first) <= max_pieces and 0 < len(second) <= max_pieces
            if fits and UNK not in first and UNK not in second:
                kept.append(index)
                firsts.append(first)
                seconds.append(second)
            index += 1
        _report(f"  encoded {index:,} of {len(pairs):,}", end="\r" if sys.stderr.isatty() else "\n")
    return kept, (firsts, seconds)


def _pair_set(
    sides: tuple[list[list[int]], list[list[int]]],
    domains: Labels,
    formalities: Labels | None,
    options: PrepareOptions,
    codec: TextCodec,
) -> PairSet:
    size = len(codec.vocabulary)
    lines = {language: Lines.of(side, size) for language, side in zip(options.languages, sides, strict=True)}
    return PairSet(lines, domains, formalities)


def _formalities(pairs: Sequence[SentencePair], languages: tuple[str, str]) -> Labels | None:
    """The label of every pair; None without labels, which need German and English."""
    if set(languages) != {FORMAL_LANGUAGE, "en"}:
        return None
    german_first = languages[0] == FORMAL_LANGUAGE
    return labels_of([(p.first, p.second) if german_first else (p.second, p.first) for p in pairs])


def _facts(
    pairs: Sequence[SentencePair],
    sides: tuple[list[list[int]], list[list[int]]],
    formalities: Labels | None,
    licences: dict[str, tuple[str, str]],
    options: PrepareOptions,
) -> dict[str, Any]:
    """The facts about the data for the model's configuration and card."""
    first, second = options.languages
    num_first, num_second = (max(1, sum(map(len, side))) for side in sides)
    by_source = Counter((pair.source_id, pair.domain) for pair in pairs)
    by_domain = Counter(pair.domain for pair in pairs)
    num_synthetic = {d: by_domain[d] for d in map(synthetic_domain, options.languages) if by_domain[d]}
    if missing := sorted({source for source, _ in by_source} - set(licences)):
        raise TrainingError(f"SOURCES.tsv has no line for source {missing[0]!r}; add it with its licence")
    return {
        "pairs": len(pairs) - sum(num_synthetic.values()) - by_domain[DICTIONARY],
        "synthetic_pairs": num_synthetic,
        "dictionary_pairs": by_domain[DICTIONARY],
        "has_collected_pairs": options.more is not None,
        "join_rate": options.join_rate,
        "pieces": {first: num_first, second: num_second},
        "length_ratios": {f"{first}-{second}": num_second / num_first, f"{second}-{first}": num_first / num_second},
        "max_words": dict(options.selection.max_words),
        "without": sorted(options.selection.without),
        "pairs_by_domain": dict(by_domain.most_common()),
        "pairs_by_formality": {
            name: int((formalities == label).sum())
            for label, name in enumerate(FORMALITIES, start=1)
            if formalities is not None
        },
        "sources": [
            {
                "source_id": source,
                "origin": licences[source][0],
                "licence": licences[source][1],
                "domain": domain,
                "pairs": n,
            }
            for (source, domain), n in by_source.most_common()
        ],
    }


def _placeholder_facts(codec: TextCodec, options: PrepareOptions) -> dict[str, float]:
    if not (number := len(codec.vocabulary.placeholders)):
        return {}
    return {"placeholders": number, "placeholder_rate": options.placeholder_rate, "tag_rate": options.tag_rate}


def _report(message: str, end: str = "\n") -> None:
    print(message, end=end, file=sys.stderr, flush=True)
