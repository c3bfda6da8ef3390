"""From the scores of an alignment head to links between words, and the file of the head; without PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from engine.errors import ModelError
from engine.model.config import ModelConfig

ALIGNMENT = "alignment.safetensors"
HEAD_SIZE = 128
# Two words are linked above this mean probability: the best F1 on the bundled model's development sets.
THRESHOLD = 0.4
# Two words without links have a weak one above this mean probability.
WEAK_THRESHOLD = 0.2

Range = tuple[int, int]
Floats = npt.NDArray[np.float32]
_CURE = "copy the model folder again, or remove this file: it is optional"


def word_probabilities(
    logits_TS: npt.NDArray[np.float32], source_words: Sequence[Range], target_words: Sequence[Range]
) -> npt.NDArray[np.float32]:
    """The probability that two words are translations of each other, (target words, source words).

    A word is its pieces (first, one past the last), as rows and columns of the logits. Looked at from one side, a
    piece's probability adds up over the pieces of the other side's word, and a word goes by its surest piece; the
    result is the mean of both sides.
    """
    if not source_words or not target_words:
        return np.zeros((len(target_words), len(source_words)), dtype=np.float32)
    sources, source_starts = _laid_out(source_words)
    targets, target_starts = _laid_out(target_words)
    to_source = _softmax(logits_TS, axis=1)[np.ix_(targets, sources)]
    to_target = _softmax(logits_TS, axis=0)[np.ix_(targets, sources)]
    to_source = np.maximum.reduceat(np.add.reduceat(to_source, source_starts, axis=1), target_starts, axis=0)
    to_target = np.maximum.reduceat(np.add.reduceat(to_target, target_starts, axis=0), source_starts, axis=1)
    return np.asarray((to_source + to_target) / 2, dtype=np.float32)


def word_links(probabilities: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """All linked pairs (target word, source word), in order; `probabilities` are of the words."""
    targets, sources = (probabilities > THRESHOLD).nonzero()
    return [*zip(targets.tolist(), sources.tolist(), strict=True)]


def weak_links(
    probabilities: npt.NDArray[np.float32], sources: Iterable[int], targets: Sequence[int]
) -> list[tuple[int, int]]:
    """For each source word, its most probable pair (target word, source word) with one of the target words.

    Left out for a word whose pairs are all unlikely.
    """
    if not targets:
        return []
    best = [(targets[int(probabilities[targets, source].argmax())], source) for source in sources]
    return [(target, source) for target, source in best if probabilities[target, source] > WEAK_THRESHOLD]


def read_head(path: Path, config: ModelConfig, model_checksum: str) -> dict[str, Floats] | None:
    """The weights of the head stored with a model's weights; None without the file.

    They are `query.weight` and `key.weight` (head size, 2E), and `query.bias` and `key.bias`. ModelError names the file
    and the cure.
    """
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="np") as file:
            trained_on = (file.metadata() or {}).get("model")
            weights = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is not an intact safetensors file ({error}); {_CURE}") from error
    if trained_on != model_checksum:
        raise ModelError(
            f"{path} was trained on other weights than those beside it; run `python -m engine.train align` for these, "
            "or remove this file: it is optional"
        )
    size = weights["query.bias"].size if "query.bias" in weights else HEAD_SIZE
    shapes = {"weight": (size, 2 * config.model_size), "bias": (size,)}
    expected = {f"{part}.{kind}": shape for part in ("query", "key") for kind, shape in shapes.items()}
    for name in sorted(expected.keys() | weights.keys()):
        found = weights[name].shape if name in weights else "missing"
        if found != (of := expected.get(name, "missing")):
            raise ModelError(f"{path}: {name} is {found}, expected {of}; {_CURE}")
    return weights


def _softmax(x: npt.NDArray[np.float32], axis: int) -> npt.NDArray[np.float32]:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)  # type: ignore[no-any-return]


def _laid_out(words: Sequence[Range]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The pieces of all words end to end, and where each word starts among them."""
    pieces = np.concatenate([np.arange(first, last) for first, last in words])
    lengths = [last - first for first, last in words]
    return pieces, np.cumsum([0, *lengths[:-1]])
