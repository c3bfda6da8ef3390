"""Measures the ranges of a model's activations on held-out sets: `engine.model.activations` explains their use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine.errors import TrainingError
from engine.importers import model_folder
from engine.model import ModelConfig, load_model
from engine.model.activations import ACTIVATIONS, Ranges, attach_gauges, load_ranges, save_ranges
from engine.model.checkpoint import CONFIG, WEIGHTS, file_checksum
from engine.model.packed_weights import pack
from engine.request import Phrase, Request
from engine.search_options import SearchOptions
from engine.train.corpus import read_set
from engine.translator import Translator


def calibrate(
    model: Path,
    corpus: Path,
    set_names: Sequence[str],
    directions: Sequence[str] | None = None,
    beam: int = 5,
    limit: int | None = 100,
) -> Ranges:
    """Translate the first lines of the sets in each direction, and write the input ranges beside the weights.

    The ranges span all rows of the search, also those that it gives up. Without `directions` all of the model's. A
    model that understands hints gets the longest word of the reference as a phrase for every second line.
    """
    folder = model_folder(model)
    config = ModelConfig.load(folder / CONFIG)
    requests = []
    for direction in directions or config.directions:
        source, _, target = direction.partition("-")
        for name in set_names:
            for number, (text, reference) in enumerate(read_set(corpus, name, (source, target))[:limit]):
                has_hint = config.hints is not None and number % 2 == 1
                requests.append(
                    Request(text, direction=direction, phrases=_longest_word(reference) if has_hint else ())
                )
    if not requests:
        raise TrainingError(f"there is nothing to translate in {', '.join(set_names)}; name a set with lines in it")
    (folder / ACTIVATIONS).unlink(missing_ok=True)  # ranges of other weights would be refused
    loaded = load_model(folder)
    pack(loaded.transformer)
    gauges = attach_gauges(loaded.transformer)
    for number, found in enumerate(Translator(loaded).translate_all(requests, SearchOptions(beam=beam, nbest=1)), 1):
        if not found.hypotheses:
            reasons = "; ".join(reason.message for reason in found.reasons)
            raise TrainingError(f"sentence {number} of the sets: {found.status} ({reasons})")
    checksum = file_checksum(folder / WEIGHTS)
    save_ranges(folder / ACTIVATIONS, {name: gauge.range for name, gauge in gauges.items()}, checksum, set_names)
    ranges = load_ranges(folder / ACTIVATIONS, loaded.config, checksum)
    assert ranges is not None
    return ranges


def _longest_word(text: str) -> tuple[Phrase, ...]:
    """A phrase of it; none for a text without words."""
    return tuple(Phrase(word) for word in sorted(re.findall(r"\w+", text), key=len)[-1:])
