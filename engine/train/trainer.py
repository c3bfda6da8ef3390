"""The training loop: batches in, checkpoints out.

Stops at its budget, at a pause or at SIGTERM, always with a checkpoint that resumes exactly: weights, optimiser,
random numbers, position in the data. Needs torch, numpy and safetensors only.
"""

from __future__ import annotations

import itertools
import math
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from engine.errors import TrainingError
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer
from engine.text import BOS, PAD
from engine.train.data import Batch, BatchSampler, PairSet, PreparedData
from engine.train.loss import cross_entropy
from engine.train.muon import Muon
from engine.train.options import TrainOptions
from engine.train.precision import Precision, try_precisions
from engine.train.run_files import CHECKPOINT, OPTIONS, load_checkpoint, load_earlier, save_checkpoint, save_snapshot
from engine.train.run_progress import Meter, Position

EXPLORE_EVERY = 8  # choices of a thread count
SPEED_MEMORY = 0.7  # the share of the earlier speed in the one that is remembered


class Trainer:
    """One run in `folder`: a new one, or the resumed one. Call `train`.

    A new run begins with random weights, or with the weights of the model in the folder `initial`; the data must use
    its pieces.
    """

    def __init__(
        self,
        prepared_folder: Path,
        folder: Path,
        config: ModelConfig,
        options: TrainOptions,
        device: str = "cpu",
        initial: Path | None = None,
    ) -> None:
        self.folder, self.config, self.options = folder, config, options
        self.device = torch.device(device)
        prepared = PreparedData.load(prepared_folder)
        if config.vocabulary_size != prepared.vocabulary_size:
            raise TrainingError(
                f"the model has {config.vocabulary_size} pieces, the data {prepared.vocabulary_size}; "
                "start the run again on this data"
            )
        self._batches = self._make_batches(prepared_folder, prepared)
        self._dev = self._dev_batches(prepared_folder, prepared)
        torch.manual_seed(options.seed)
        self.model = Transformer(config, options.dropout).to(self.device)
        self._optimisers = make_optimisers(self.model, options)
        self.position = Position()
        self.precision: Precision | None = None  # None: chosen by `train`
        self._average: AveragedModel | None = None
        self._stopping = False
        self._threads = ThreadChooser(range(1, torch.get_num_threads() + 1)) if options.adapt_threads else None
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / CHECKPOINT).exists():
            self._load_checkpoint()
        else:
            if initial is not None:
                self._load_initial(initial, prepared_folder)
            if options.source_variants:
                training = {**self.config.training, "bpe_dropout": prepared.facts.get("bpe_dropout")}
                self.config = replace(self.config, training=training)
            self.config.save(folder / "config.json")
            self._average = self._new_average()
        options.save(folder / OPTIONS)

    def _make_batches(self, prepared_folder: Path, prepared: PreparedData) -> BatchSampler:
        options = self.options
        return BatchSampler(
            PairSet.load(prepared_folder / "train", prepared.languages),
            prepared,
            options.directions,
            options.batch_pieces,
            options.weights,
            options.domain_tag_rate,
            options.seed,
            options.formality_tag_rate,
            options.source_variants,
        )

    def _dev_batches(self, prepared_folder: Path, prepared: PreparedData) -> dict[str, BatchSampler]:
        """By name, each development set: every pair once without tags."""
        options = self.options
        batches = {}
        for name in prepared.dev_sets:
            pairs = PairSet.load(prepared_folder / "dev" / name, prepared.languages)
            batches[name] = BatchSampler(pairs, prepared, options.directions, options.batch_pieces)
        return batches

    def train(self) -> Position:
        """Train until the budget, a pause or SIGTERM; the position reached."""
        options, position = self.options, self.position
        self._choose_precision()
        for optimiser in self._optimisers:
            if isinstance(optimiser, Muon):
                optimiser.product_dtype = torch.bfloat16 if self.precision == "bfloat16" else torch.float32
        before = signal.signal(signal.SIGTERM, self._stop)
        spent, started, last_saved = position.minutes, time.monotonic(), time.monotonic()
        meter = Meter(options)
        try:
            for batches in self._updates():
                loss, num_pieces = self._timed_update(batches)
                position.update += 1
                position.pieces += num_pieces
                position.minutes = spent + (time.monotonic() - started) / 60
                meter.show(position, loss, num_pieces, self._progress())
                if position.update % options.dev_every == 0:
                    self._measure_dev()
                    save_snapshot(self.folder, self.result, position.update, options.keep_snapshots)
                if self._progress() >= 1:
                    break
                paused = options.pause_after_minutes
                if self._stopping or (paused is not None and position.minutes - spent >= paused):
                    break
                if time.monotonic() - last_saved >= 60 * options.checkpoint_minutes:
                    self._save_checkpoint()
                    last_saved = time.monotonic()
            self._measure_dev()
            save_snapshot(self.folder, self.result, position.update, options.keep_snapshots)
            self._save_checkpoint()
        finally:
            meter.close()
            signal.signal(signal.SIGTERM, before)
        return position

    @property
    def is_finished(self) -> bool:
        return self._progress() >= 1

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _progress(self) -> float:
        by_time = self.position.minutes / self.options.max_minutes if self.options.max_minutes else 0.0
        by_updates = self.position.update / self.options.max_updates if self.options.max_updates else 0.0
        return min(1.0, max(by_time, by_updates))

    def _updates(self) -> Iterator[list[Batch]]:
        """The batches of one update after another, from the position on."""
        if self.is_finished:
            return
        position, pending = self.position, []
        for epoch in itertools.count(position.epoch):
            drawn = self._batches.epoch(epoch)
            if not drawn:
                raise TrainingError("no training pair has a weight above 0; there is nothing to learn from")
            first = position.batch if epoch == position.epoch else 0
            for number in range(first, len(drawn)):
                rng = np.random.default_rng((self.options.seed, epoch, number))
                pending.append(self._batches.batch(drawn[number], rng))
                if len(pending) == self.options.accumulate:
                    position.epoch, position.batch = epoch, number + 1
                    yield pending
                    pending = []

    def _choose_precision(self) -> None:
        """Set `precision`: the option's, a resumed run's own, or the winner of a trial that changes nothing else."""
        before, asked, is_cpu = self.precision, self.options.precision, self.device.type == "cpu"
        if asked != "auto":
            self.precision = asked
            if before not in (None, asked):
                print(f"precision {asked} from here on; so far it was {before}", file=sys.stderr, flush=True)
        elif not is_cpu:
            self.precision = "bfloat16"
        elif before is not None:
            print(f"precision {before}, as before", file=sys.stderr, flush=True)
        elif not self.is_finished and (drawn := self._batches.epoch(self.position.epoch)):
            batch = self._batches.batch(drawn[0], np.random.default_rng(self.options.seed))
            random_numbers = torch.get_rng_state()
            trial = try_precisions(lambda precision: self._trial_step(batch, precision), partial(self._loss_in, batch))
            torch.set_rng_state(random_numbers)
            self.precision = trial.chosen
            print(trial, file=sys.stderr, flush=True)

    def _trial_step(self, batch: Batch, precision: Precision) -> None:
        """A step of training without the optimiser's part."""
        self.precision = precision
        self.model.train()
        loss, penalty = self._training_loss(batch)
        ((loss + penalty) / batch.num_target_pieces).backward()
        self.model.zero_grad(set_to_none=True)

    @torch.no_grad()
    def _loss_in(self, batch: Batch, precision: Precision) -> float:
        """The loss of a batch without dropout, which draws other numbers in another format."""
        self.precision = precision
        self.model.eval()
        return float(cross_entropy(*self._logits(batch)))

    def _timed_update(self, batches: list[Batch]) -> tuple[float, int]:
        """`_update` with the thread count that is fastest at the moment, if it is adapted."""
        if self._threads is None:
            return self._update(batches, self._progress())
        num_threads = self._threads.choose()
        torch.set_num_threads(num_threads)
        started = time.monotonic()
        loss, num_pieces = self._update(batches, self._progress())
        self._threads.record(num_threads, num_pieces / (time.monotonic() - started))
        return loss, num_pieces

    def _update(self, batches: list[Batch], progress: float) -> tuple[float, int]:
        """One step of the optimisers; the mean loss per target piece and the number of pieces."""
        rate = self.options.learning_rate(self.position.update + 1, progress)
        num_pieces = sum(batch.num_target_pieces for batch in batches)
        total = torch.zeros((), device=self.device)
        self.model.train()
        for batch in batches:
            loss, penalty = self._training_loss(batch)
            ((loss + penalty) / num_pieces).backward()
            total += loss.detach() / num_pieces
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options.max_gradient_norm)
        if not math.isfinite(float(norm)):
            raise TrainingError(
                f"update {self.position.update + 1}: the gradient is {float(norm)}; resume with a lower peak_lr"
            )
        for optimiser in self._optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        if self._average is not None:
            self._average.update_parameters(self.model)
        return float(total), num_pieces

    def _new_average(self) -> AveragedModel | None:
        """A moving average that begins with the present weights, if the options want one."""
        decay = self.options.averaging
        return AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(decay)) if decay else None

    @property
    def result(self) -> Transformer:
        """The weights that the run has found so far: their moving average, if there is one."""
        if self._average is None:
            return self.model
        average: Transformer = self._average.module  # type: ignore[assignment]  # a copy of the model
        return average

    def _training_loss(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Cross-entropy and what `r_drop` adds to it, both summed over the target pieces.

        That is half of Liang et al. 2021, equation 4, whose cross-entropy counts both readings of the batch.
        """
        smoothing, weight = self.options.label_smoothing, self.options.r_drop
        logits_NV, targets_N = self._logits(batch)
        loss = cross_entropy(logits_NV, targets_N, smoothing)
        if not weight:
            return loss, loss.new_zeros(())
        again_NV, _ = self._logits(batch)
        loss = (loss + cross_entropy(again_NV, targets_N, smoothing)) / 2
        one_NV, other_NV = logits_NV.float().log_softmax(dim=-1), again_NV.float().log_softmax(dim=-1)
        divergence = F.kl_div(one_NV, other_NV, reduction="sum", log_target=True)
        divergence = divergence + F.kl_div(other_NV, one_NV, reduction="sum", log_target=True)
        return loss, weight * divergence / 4

    def _logits(self, batch: Batch, model: Transformer | None = None) -> tuple[Tensor, Tensor]:
        """The logits (N, V) of a batch's N target pieces, and the pieces; of the trained model, unless one is given."""
        model = model or self.model
        target_BT = torch.from_numpy(batch.target_BT).to(self.device, non_blocking=True)
        inputs_BT = F.pad(target_BT[:, :-1], (1, 0), value=BOS)
        source_BS = torch.from_numpy(batch.source_BS).to(self.device, non_blocking=True)
        lengths_B = torch.from_numpy(batch.source_lengths_B).to(self.device, non_blocking=True)
        is_bfloat16 = self.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=is_bfloat16), self._attention(is_bfloat16):
            hidden_BTE = model(source_BS, lengths_B, inputs_BT)
            real_BT = target_BT != PAD
            logits_NV = model.project(hidden_BTE[real_BT])
        return logits_NV, target_BT[real_BT]

    def _attention(self, is_bfloat16: bool) -> AbstractContextManager[None]:
        """Plain attention where the fused one is slow: its gradient in bfloat16 on a CPU takes ten times as long."""
        is_slow = is_bfloat16 and self.device.type == "cpu"
        return sdpa_kernel(SDPBackend.MATH) if is_slow else nullcontext()

    @torch.no_grad()
    def _measure_dev(self) -> None:
        """Add the mean loss per piece of every development set to the history and print it."""
        model, position = self.result.eval(), self.position
        for name, batches in self._dev.items():
            total, count = 0.0, 0
            for number, drawn in enumerate(batches.epoch(0, shuffled=False)):
                batch = batches.batch(drawn, np.random.default_rng(number))
                total += float(cross_entropy(*self._logits(batch, model)))
                count += batch.num_target_pieces
            if count:
                position.history.append((position.update, position.minutes, name, total / count))
                print(f"\nupdate {position.update}  {name}  loss {total / count:.4f}", file=sys.stderr, flush=True)

    def _save_checkpoint(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self._optimisers],
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state() if self.device.type == "cuda" else None,
            "precision": self.precision,
            "position": {name: getattr(self.position, name) for name in Position.__slots__},
            "average": None if self._average is None else self._average.state_dict(),
        }
        save_checkpoint(self.folder, state)

    def _load_initial(self, initial: Path, prepared_folder: Path) -> None:
        self.model.load_state_dict(load_earlier(initial, prepared_folder, self.config).state_dict())
        earlier = ModelConfig.load(initial / "config.json").training
        self.config = replace(self.config, training={"earlier": dict(earlier)})

    def _load_checkpoint(self) -> None:
        path = self.folder / CHECKPOINT
        try:
            config = ModelConfig.load(self.folder / "config.json")
            if replace(config, training={}) != replace(self.config, training={}):
                raise TrainingError(f"{self.folder} has a run of another model; give another --run, or its settings")
            state = load_checkpoint(self.folder, self.device)
            self.model.load_state_dict(state["model"])
            for optimiser, saved in zip(self._optimisers, state["optimisers"], strict=True):
                optimiser.load_state_dict(saved)
            self.position = replace(Position(), **state["position"])
            self.precision = state.get("precision", "float32" if self.device.type == "cpu" else "bfloat16")
            self._average = self._new_average()
            if self._average is not None and state.get("average") is not None:
                self._average.load_state_dict(state["average"])
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise TrainingError(
                f"{path} cannot be resumed ({error}); resume with the run's own settings, or remove it to start again"
            ) from error
        torch.set_rng_state(state["rng"].cpu())
        if state["cuda_rng"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["cuda_rng"].cpu())


def make_optimisers(model: Transformer, options: TrainOptions) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers and AdamW for the rest, or AdamW for all."""
    inner: dict[int, list[Tensor]] = {1: [], 2: [], 3: []}  # by how many projections one parameter stacks
    outer: list[Tensor] = []
    for name, parameter in model.named_parameters():
        if options.optimiser == "muon" and parameter.dim() == 2 and name != "embedding.weight":
            inner[3 if name.endswith("qkv.weight") else 2 if name.endswith("kv.weight") else 1].append(parameter)
        else:
            outer.append(parameter)
    adamw = torch.optim.AdamW(
        outer, lr=options.peak_lr, betas=(0.9, 0.98), eps=1e-9, weight_decay=options.weight_decay, fused=True
    )
    if options.optimiser == "adamw":
        return [adamw]
    groups = [{"params": parameters, "parts": parts} for parts, parameters in inner.items() if parameters]
    return [Muon(groups, lr=options.peak_lr, weight_decay=options.weight_decay), adamw]


class ThreadChooser:
    """Chooses among thread counts the one that was fastest of late, trying the others now and then.

    Threads that compute together wait for the slowest. Where another program takes half a core, two threads can be
    slower than one, and that changes from minute to minute; so the speed of each choice is measured all along.
    """

    def __init__(self, choices: Sequence[int]) -> None:
        assert choices, "the list of choices is empty"
        self._choices = tuple(choices)
        self._speeds: dict[int, float] = {}
        self._num_asked = 0

    def choose(self) -> int:
        """The number of threads for the next piece of work."""
        self._num_asked += 1
        for choice in self._choices:
            if choice not in self._speeds:
                return choice
        fastest = max(self._choices, key=lambda choice: self._speeds[choice])
        others = [choice for choice in self._choices if choice != fastest]
        if others and self._num_asked % EXPLORE_EVERY == 0:
            return others[self._num_asked // EXPLORE_EVERY % len(others)]
        return fastest

    def record(self, choice: int, speed: float) -> None:
        """Remember how fast (in pieces a second, say) the work went with so many threads."""
        before = self._speeds.get(choice, speed)
        self._speeds[choice] = SPEED_MEMORY * before + (1 - SPEED_MEMORY) * speed
