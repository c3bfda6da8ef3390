"""A short trial of a model in 8 bits: whether it is faster on this processor, and gives the same probabilities.

It is made once for each model, processor and version of PyTorch, and the result is kept in a file.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import torch

from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Hypothesis, Translation

# Of the decoder and the output layer: smaller models gain less than a tenth, larger ones take too long to copy.
LEAST_WEIGHTS, MOST_WEIGHTS = 2**24, 2**27
LEAST_GAIN: Final = 0.05  # of the time
# Of a piece's log-probability, on average. Models that lose less than 0.2 BLEU in 8 bits have 0.003 to 0.011; with
# weights rounded to 5 bits it is 0.03 (benchmarks/README.md).
MOST_DIFFERENT: Final = 0.02
_SENTENCES: Final = (
    "The committee met on Monday to discuss the new budget for 2024.",
    "Please switch off the device before you open the cover.",
    "She told me that the train would arrive ten minutes late.",
)
_OPTIONS: Final = SearchOptions(beam=5, nbest=1)
_ROUNDS: Final = 2


class TrialTranslator(Protocol):
    """A translator, as the trial uses it."""

    def translate(self, request: Request, options: SearchOptions = ...) -> Translation: ...

    def score(self, source: str, *, tokens: tuple[int, ...]) -> Hypothesis: ...


def is_better(rounded: TrialTranslator, exact: TrialTranslator) -> bool:
    """True if 8 bits are faster than 32 bits by `LEAST_GAIN` and change the probabilities very little."""
    return difference(rounded, exact) <= MOST_DIFFERENT and _time_ratio(rounded, exact) <= 1 - LEAST_GAIN


def difference(rounded: TrialTranslator, exact: TrialTranslator) -> float:
    """The mean absolute difference of the log-probabilities of the exact model's translations, by piece."""
    differences: list[float] = []
    for sentence in _SENTENCES:
        found = exact.translate(Request(sentence), _OPTIONS).hypotheses
        if found:
            log_probs = (model.score(sentence, tokens=found[0].tokens).token_log_probs for model in (rounded, exact))
            differences += [abs(own - other) for own, other in zip(*log_probs, strict=True)]
    return sum(differences) / len(differences) if differences else float("inf")


def _time_ratio(rounded: TrialTranslator, exact: TrialTranslator) -> float:
    """The best time of the first model divided by the best time of the second; they translate in turns.

    It is the processor time of this thread, in which the other threads of PyTorch have a like share: by the clock, the
    ratio was between 0.7 and 1.8 on a busy machine instead of 0.86 to 0.95.
    """
    times = {rounded: float("inf"), exact: float("inf")}
    for number in range(_ROUNDS + 1):  # the first one warms up
        for model in times:
            started = time.thread_time()
            # Another source each time: results for an earlier source would come from the cache.
            model.translate(Request(f"{_SENTENCES[0]} {number + 1}."), _OPTIONS)
            if number:
                times[model] = min(times[model], time.thread_time() - started)
    return times[rounded] / times[exact]


class KnownTrials:
    """The results of earlier trials, in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def of(self, checksum: str) -> bool | None:
        """True if 8 bits are better for the model of this checksum on this computer; None without a trial."""
        found = self._all().get(_key(checksum))
        return found if isinstance(found, bool) else None

    def note(self, checksum: str, is_better: bool) -> None:
        """Stores a result. If the file cannot be written, the trial is repeated next time."""
        content = json.dumps({**self._all(), _key(checksum): is_better})
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new = self._file.with_suffix(".new")
            new.write_text(content, encoding="utf-8")
            new.replace(self._file)

    def _all(self) -> dict[str, object]:
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _key(checksum: str) -> str:
    """The model, the processor with its instructions, the threads, and the version of PyTorch."""
    instructions = sorted(name for name, is_there in torch.cpu.get_capabilities().items() if is_there is True)
    facts = [
        checksum, platform.node(), platform.processor(), *instructions, str(torch.get_num_threads()), torch.__version__,
    ]  # fmt: skip
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:24]
