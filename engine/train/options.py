"""The settings of each step of training: frozen dataclasses, checked once when made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal

from engine.errors import TrainingError
from engine.settings import check_settings, setting
from engine.train.corpus import Selection

Optimiser = Literal["muon", "adamw"]
Schedule = Literal["linear", "inverse_sqrt", "constant"]
PrecisionChoice = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """Training settings.

    The learning rate follows the limit that is nearer, `max_minutes` or `max_updates`, and reaches zero there. With a
    constant one, a run may go on without a limit, until a call with a limit ends it; that call may also change it.
    With `averaging` above 0, development losses and snapshots are those of a moving average of the weights, of which
    each update keeps so much.
    `r_drop` is the weight of a term that keeps two readings of a batch, each with other activations dropped, from
    differing (Liang et al. 2021; they take 5). With `adapt_threads` a resumed run equals an uninterrupted one only to
    rounding; otherwise exactly. With precision "auto", two runs may choose differently; a resumed run keeps its choice.
    """

    directions: tuple[str, ...] = setting(("en-de",), "the model learns all of them: en-de,de-en")
    max_minutes: float | None = setting(
        None, "minutes of the whole run, over all its calls", minimum=0, is_above_minimum=True, unset="no limit"
    )
    max_updates: int | None = setting(None, "updates of the whole run", minimum=1, unset="no limit")
    pause_after_minutes: float | None = setting(
        None,
        "ends this call with a checkpoint; the same command resumes it",
        minimum=0,
        is_above_minimum=True,
        unset="never",
    )
    batch_pieces: int = setting(2000, "padded pieces of the longer side in a batch", minimum=1)
    accumulate: int = setting(1, "batches in an update", minimum=1)
    optimiser: Optimiser = setting("muon", "optimiser of the matrices inside the layers; the rest uses AdamW")
    schedule: Schedule = setting("linear", "how the learning rate falls (constant: only in the last fifth)")
    averaging: float = setting(
        0.0,
        "share of the moving average of the weights that an update keeps: 0.998 (0: none)",
        minimum=0,
        maximum=1,
    )
    peak_lr: float = setting(2e-3, "highest learning rate", minimum=0, is_above_minimum=True)
    warmup_updates: int = setting(300, "updates until the highest learning rate is reached", minimum=1)
    weight_decay: float = setting(0.0, "decay of the weights, times the learning rate")
    label_smoothing: float = setting(0.1, "probability spread over the vocabulary", minimum=0, maximum=1)
    dropout: float = setting(0.1, "share of the activations dropped (halves the speed on a CPU)", minimum=0, maximum=1)
    r_drop: float = setting(
        0.0, "weight of the difference between two readings with dropout (doubles the time; 0: off)", minimum=0
    )
    max_gradient_norm: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)  # passes over each pair of a domain in an epoch
    domain_tag_rate: float = setting(0.0, "share of the sources that have their domain's token", minimum=0, maximum=1)
    formality_tag_rate: float = setting(
        0.0, "share of the sources of German with Sie or du that have that token", minimum=0, maximum=1
    )
    source_variants: int = setting(
        0,
        "encodings, of those that `variants` wrote, from which each source is drawn (0: its canonical pieces)",
        minimum=0,
    )
    dev_every: int = setting(500, "updates between development losses and snapshots", minimum=1)
    checkpoint_minutes: float = setting(5.0, "minutes between checkpoints", minimum=0, is_above_minimum=True)
    keep_snapshots: int = setting(8, "newest snapshots to keep", minimum=1)
    seed: int = setting(1, "seed of weights, order and dropout")
    precision: PrecisionChoice = setting(
        "auto", "number format of the products (auto: bfloat16 on a GPU, on a CPU the faster one in a short trial)"
    )
    adapt_threads: bool = setting(False, "uses fewer threads while other programs take the processor")

    def __post_init__(self) -> None:
        if self.max_minutes is None and self.max_updates is None and self.schedule != "constant":
            raise TrainingError(
                "give max_minutes or max_updates: the learning rate must know when to end, unless schedule is constant"
            )
        check_settings(self, TrainingError)
        if self.r_drop and not self.dropout:
            raise TrainingError(f"r_drop is {self.r_drop} and dropout {self.dropout}; r_drop needs a dropout above 0")
        for domain, weight in self.weights.items():
            if not weight >= 0:
                raise TrainingError(f"the weight of domain {domain} is {weight}; it must not be negative")

    def save(self, path: Path) -> None:
        """Write the settings as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> TrainOptions:
        """Read what `save` wrote."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if not data.get("hint_rate", True):  # of a run that was begun when this was a setting
                del data["hint_rate"]
            return cls(**{**data, "directions": tuple(data["directions"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TrainingError(f"{path} cannot be read ({error!r}); the run is incomplete") from error

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

        "linear" falls straight from the peak to zero; "inverse_sqrt" falls as the root of the updates, "constant"
        not at all, and both in the last fifth of the budget straight to zero.
        """
        rate = self.peak_lr * min(1.0, update / self.warmup_updates)
        if self.schedule == "linear":
            return rate * (1 - progress)
        if self.schedule == "inverse_sqrt":
            rate *= (self.warmup_updates / max(update, self.warmup_updates)) ** 0.5
        return rate * min(1.0, (1 - progress) / 0.2)


@dataclass(frozen=True, slots=True)
class PrepareOptions:
    """Settings of `prepare`.

    Pairs with a character that cannot be spelt are left out. Where the vocabulary has placeholders,
    `placeholder_rate` of the pairs with some get others, and `tag_rate` of the pairs without get tags, so that training
    sees them all (augmentation.py). Joined pairs let it see texts of several sentences. Synthetic pairs come behind the
    others.
    """

    selection: Selection
    languages: tuple[str, str] = setting(
        ("en", "de"), "languages of the first and second column", metavar="FIRST,SECOND"
    )
    num_pieces: int = setting(8000, "size of the vocabulary", flag="pieces")
    codec: Path | None = setting(
        None, "use this model's pieces instead of learning some", metavar="MODEL", unset="learn them"
    )
    max_pieces: int = setting(40, "longest side of a pair, in pieces")
    codec_lines: int = setting(400_000, "lines from which the pieces are learnt")
    dev_sets: tuple[str, ...] = setting(
        (), "a development set: dev/multi30k.val", flag="dev", metavar="SET", is_repeated=True
    )
    max_dev_pairs: int = setting(500, "most pairs of a development set", flag="dev_pairs")
    num_workers: int = setting(2, "processes that encode", flag="workers")
    num_placeholders: int = setting(
        0, "number of placeholders and tags (%s, {0}, <b>) that are single pieces", flag="placeholders", minimum=0
    )
    placeholder_rate: float = setting(
        0.5, "share of the pairs with placeholders in which they are replaced by others", minimum=0, maximum=1
    )
    tag_rate: float = setting(
        0.02, "share of the pairs without placeholders that get a pair of tags", minimum=0, maximum=1
    )
    synthetic: Path | None = setting(
        None, "folder of `back-translate`, whose pairs are taken too", metavar="FOLDER", unset="none"
    )
    more: Path | None = setting(
        None, "folder of further pairs, such as one of `collect`", metavar="FOLDER", unset="none"
    )
    dictionary: Path | None = setting(
        None,
        "German-English dictionary in the format of Ding, whose entries are pairs too",
        metavar="FILE",
        unset="none",
    )
    join_rate: float = setting(
        0.0, "so many joined pairs for each pair: two or three of one source, in their order", minimum=0, maximum=0.3
    )
    source_variants: int = setting(0, "further encodings of each training source")
    bpe_dropout: float = setting(0.1, "probability that a further encoding skips a merge")
    seed: int = 1

    def __post_init__(self) -> None:
        check_settings(self, TrainingError)
        if self.num_placeholders and self.codec is not None:
            raise TrainingError(
                f"num_placeholders is {self.num_placeholders}, but the pieces are those of {self.codec}; leave one out"
            )


@dataclass(frozen=True, slots=True)
class BackTranslateOptions:
    """Settings of `back-translate`. Without `text`: the corpus' own side, of the pairs in `selection` (None: all)."""

    direction: str = setting(MISSING, "de-en: from German that people wrote to the model's English", metavar="FROM-TO")
    languages: tuple[str, str] = setting(
        ("en", "de"), "languages of the first and second column", metavar="FIRST,SECOND"
    )
    selection: Selection | None = None
    text: Path | None = setting(
        None, "translate the lines of this file instead of a side of the corpus", metavar="FILE", unset="the corpus"
    )
    source_id: str = setting("", "name of the text in SOURCES.tsv, required with --text", metavar="ID", unset="none")
    limit: int | None = setting(None, "first lines only", unset="all")
    beam: int = setting(4, "hypotheses kept", minimum=1)
    batch_size: int = setting(64, "lines translated together", minimum=1)
    part_lines: int = setting(5000, "lines of a part, which are held in memory", minimum=1)
    pause_after_minutes: float | None = setting(None, "ends this call; the same command resumes it", unset="never")

    def __post_init__(self) -> None:
        if self.direction not in ("-".join(self.languages), "-".join(reversed(self.languages))):
            first, second = self.languages
            raise TrainingError(f"direction is {self.direction!r}; it must be {first}-{second} or {second}-{first}")
        if (self.text is None) != (not self.source_id):
            raise TrainingError("text and source_id belong together; give both, or neither for the corpus' own side")
        check_settings(self, TrainingError)


@dataclass(frozen=True, slots=True)
class AlignOptions:
    """Settings for training an alignment head."""

    pairs: int = setting(30_000, "pairs to learn from")
    counted_pairs: int = setting(150_000, "pairs to align statistically, once per prepared folder")
    batch_pieces: int = 1000
    peak_lr: float = 7e-3
    warmup_updates: int = 30
    seed: int = 1
