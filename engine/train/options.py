"""What a training run is asked to do: one frozen dataclass, checked once when made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal, get_args

from engine.errors import TrainingError

Optimiser = Literal["muon", "adamw"]
Schedule = Literal["linear", "inverse_sqrt"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How to train.

    `max_minutes` and `max_updates` bound the whole run, over all its calls; the learning rate follows whichever is
    nearer its end and reaches zero there. `pause_after_minutes` ends this call with a checkpoint, to be resumed.
    `batch_pieces` counts padded pieces of the longer side; an update sums `accumulate` batches. `weights` says how
    often an epoch takes each pair of a domain. `r_drop` is the weight of a term that keeps two readings of a batch,
    each with other activations dropped, from differing (Liang et al. 2021; they take 5); it doubles the time of an
    update. `source_variants` says from how many encodings of a source that `variants` wrote each is drawn (0: it keeps
    its canonical pieces). `adapt_threads` lets each update use as many processor threads as are fastest at the moment;
    then, unlike otherwise, a resumed run equals an uninterrupted one to rounding only.
    """

    directions: tuple[str, ...] = ("en-de",)
    max_minutes: float | None = None
    max_updates: int | None = None
    pause_after_minutes: float | None = None
    batch_pieces: int = 2000
    accumulate: int = 1
    optimiser: Optimiser = "muon"
    schedule: Schedule = "linear"
    peak_lr: float = 2e-3
    warmup_updates: int = 300
    weight_decay: float = 0.0
    label_smoothing: float = 0.1
    dropout: float = 0.1
    r_drop: float = 0.0
    max_gradient_norm: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    domain_tag_rate: float = 0.0
    formality_tag_rate: float = 0.0
    source_variants: int = 0
    dev_every: int = 500
    checkpoint_minutes: float = 5.0
    keep_snapshots: int = 8
    seed: int = 1
    adapt_threads: bool = False

    def __post_init__(self) -> None:
        if self.max_minutes is None and self.max_updates is None:
            raise TrainingError("give max_minutes or max_updates: the learning rate has to know when to end")
        for name in ("max_minutes", "max_updates", "pause_after_minutes", "checkpoint_minutes", "peak_lr"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise TrainingError(f"{name} is {value}; it must be more than 0")
        for name in ("batch_pieces", "accumulate", "warmup_updates", "dev_every", "keep_snapshots"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("label_smoothing", "dropout", "domain_tag_rate", "formality_tag_rate"):
            if not 0 <= getattr(self, name) <= 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be between 0 and 1")
        if self.source_variants < 0:
            raise TrainingError(f"source_variants is {self.source_variants}; it must not be negative")
        if not self.r_drop >= 0 or (self.r_drop and not self.dropout):
            raise TrainingError(
                f"r_drop is {self.r_drop} and dropout {self.dropout}; r_drop must not be negative, and needs a dropout"
            )
        for domain, weight in self.weights.items():
            if not weight >= 0:
                raise TrainingError(f"the weight of domain {domain} is {weight}; it must not be negative")
        for name, value, allowed in (
            ("optimiser", self.optimiser, get_args(Optimiser)),
            ("schedule", self.schedule, get_args(Schedule)),
        ):
            if value not in allowed:
                raise TrainingError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")

    def save(self, path: Path) -> None:
        """Write the settings as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> TrainOptions:
        """Read what `save` wrote."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{**data, "directions": tuple(data["directions"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TrainingError(f"{path} cannot be read ({error!r}); the run is not whole") from error

    def as_flags(self) -> str:
        """The command-line flags that ask for these settings, those left at their defaults not named."""
        flags = []
        for entry in fields(self):
            value = getattr(self, entry.name)
            flag = "--" + entry.name.replace("_", "-")
            if entry.name == "weights":
                flags += [f"--weight {domain}={times:g}" for domain, times in value.items()]
            elif entry.default is MISSING or value == entry.default:
                continue
            elif entry.name == "directions":
                flags.append(f"{flag} {','.join(value)}")
            else:
                flags.append(
                    flag if value is True else f"{flag} {value:g}" if isinstance(value, float) else f"{flag} {value}"
                )
        return " ".join(flags)

    def learning_rate(self, update: int, progress: float) -> float:
        """The rate of the 1-based `update`, `progress` in 0..1 being the part of the budget that is spent.

        "linear" falls straight from the peak to zero; "inverse_sqrt" falls as the root of the updates and then, in
        the last fifth of the budget, straight to zero.
        """
        rate = self.peak_lr * min(1.0, update / self.warmup_updates)
        if self.schedule == "linear":
            return rate * (1 - progress)
        decay: float = (self.warmup_updates / max(update, self.warmup_updates)) ** 0.5
        return rate * decay * min(1.0, (1 - progress) / 0.2)
