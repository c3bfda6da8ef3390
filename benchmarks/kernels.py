"""Time of the output layer in separate steps divided by the fused kernel, in one run, by rows, vocabulary and beam.

    python -m benchmarks.kernels [--device cuda] [--output FOLDER]

On a GPU the fused one is the kernels, on a CPU their plain reference (where the matrix product adds the bias). Each
round times all contenders in turn (processor time on a CPU, so that other programs count less); ratios are medians
over the rounds. Writes report.md and results.json to the folder and prints the report.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import torch
from torch import Tensor
from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils.timer import timer as default_timer

from benchmarks import bars
from engine.kernels import top_tokens
from engine.kernels.dispatch import can_fuse

ROOT = Path(__file__).resolve().parents[1]
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
NUM_FORCED = 4


@dataclass(frozen=True, slots=True)
class Row:
    """Median times of one setting in microseconds; `copy_us` is the time to copy the logits once."""

    dtype: str
    num_rows: int
    vocabulary_size: int
    k: int
    has_masks: bool
    separate_us: float
    fused_us: float
    copy_us: float
    ratio: float  # median over the rounds of separate / fused


@dataclass(frozen=True, slots=True)
class Inputs:
    """Of one step: one of three masks for each row, a few forced tokens."""

    logits_RV: Tensor
    k: int
    bias_V: Tensor | None
    masks_MV: Tensor | None
    mask_of_R: Tensor | None
    forced_RF: Tensor | None

    @classmethod
    def random(
        cls, num_rows: int, vocabulary_size: int, k: int, has_masks: bool, dtype: torch.dtype, device: str
    ) -> Inputs:
        generator = torch.Generator().manual_seed(vocabulary_size + num_rows)
        logits_RV = (3 * torch.randn(num_rows, vocabulary_size, generator=generator)).to(device, dtype)
        bias_V = None if device == "cpu" else torch.randn(vocabulary_size, generator=generator).to(device, dtype)
        if not has_masks:
            return cls(logits_RV, k, bias_V, None, None, None)
        masks_MV = torch.zeros(3, vocabulary_size)
        masks_MV[:, :4] = masks_MV[1:, 4] = masks_MV[2, 100:] = -torch.inf
        masks_MV = masks_MV.to(device, torch.float32 if dtype is torch.float32 else torch.float16)
        mask_of_R = (torch.arange(num_rows) % 10 == 9) * 2 + (torch.arange(num_rows) % 2)
        mask_of_R = mask_of_R.clamp(max=2).to(device)
        forced_RF = torch.randint(-1, vocabulary_size, (num_rows, NUM_FORCED), generator=generator).to(device)
        return cls(logits_RV, k, bias_V, masks_MV, mask_of_R, forced_RF)


def separate_steps(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor | None]:
    """One library call after another, each over the whole vocabulary."""
    logits_RV = inputs.logits_RV.float()
    if inputs.bias_V is not None:
        logits_RV = logits_RV + inputs.bias_V
    log_probs_RV = torch.log_softmax(logits_RV, dim=1)
    if inputs.masks_MV is not None and inputs.mask_of_R is not None:
        log_probs_RV = log_probs_RV + inputs.masks_MV.index_select(0, inputs.mask_of_R)
    values_RK, tokens_RK = log_probs_RV.topk(inputs.k, dim=1)
    if inputs.forced_RF is None:
        return values_RK, tokens_RK, None
    return values_RK, tokens_RK, log_probs_RV.gather(1, inputs.forced_RF.clamp(min=0))


def fused(inputs: Inputs) -> object:
    return top_tokens(
        inputs.logits_RV,
        inputs.k,
        bias_V=inputs.bias_V,
        masks_MV=inputs.masks_MV,
        mask_of_R=inputs.mask_of_R,
        forced_RF=inputs.forced_RF,
    )


def measure(inputs: Inputs, num_rounds: int) -> tuple[float, float, float, float]:
    """Median microseconds of separate steps, fused and a copy; the median ratio of the first two."""
    contenders: tuple[Callable[[], object], ...] = (
        lambda: separate_steps(inputs),
        lambda: fused(inputs),
        inputs.logits_RV.clone,
    )
    clock = (
        default_timer if inputs.logits_RV.is_cuda else time.process_time
    )  # waits for the GPU; not for other programs
    threads = torch.get_num_threads()
    timers = [Timer("run()", globals={"run": run}, timer=clock, num_threads=threads) for run in contenders]
    for timer in timers:
        timer.timeit(3)  # compiles the kernels
    repeats = [max(1, int(0.001 / timer.timeit(3).mean)) for timer in timers]  # short, against other load
    rounds = [
        [timer.timeit(number).mean * 1e6 for timer, number in zip(timers, repeats, strict=True)]
        for _ in range(num_rounds)
    ]
    separate_us, fused_us, copy_us = (statistics.median(column) for column in zip(*rounds, strict=True))
    return separate_us, fused_us, copy_us, statistics.median(row[0] / row[1] for row in rounds)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    settings = product(options.dtypes, options.rows, options.vocabularies, options.widths, (False, True))
    for dtype, num_rows, vocabulary_size, k, has_masks in settings:
        print(f"kernels: {dtype}, {num_rows} x {vocabulary_size}, k = {k}", file=sys.stderr, flush=True)
        inputs = Inputs.random(num_rows, vocabulary_size, k, has_masks, DTYPES[dtype], options.device)
        yield Row(dtype, num_rows, vocabulary_size, k, has_masks, *measure(inputs, options.rounds))


def report(found: Sequence[Row], facts: dict[str, object]) -> str:
    """The figures as Markdown."""
    lines = [
        "# The output layer: separate steps over the fused one",
        "",
        *(f"* {name}: {value}" for name, value in facts.items()),
        "",
        f"On an accelerator the ratio has to be {bars.FUSED}. Medians in microseconds (processor time on a CPU); a",
        "copy reads and writes all logits once.",
        "",
        "| dtype | rows | V | k | masks, forced tokens | separate | fused | copy | separate / fused |",
        "|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {row.dtype} | {row.num_rows} | {row.vocabulary_size} | {row.k} | {'yes' if row.has_masks else 'no'} | "
            f"{row.separate_us:.0f} | {row.fused_us:.0f} | {row.copy_us:.0f} | **{row.ratio:.2f}** |"
            for row in found
        ),
        "",
        f"Least ratio {min(row.ratio for row in found):.2f}, median {statistics.median(r.ratio for r in found):.2f}.",
    ]
    return "\n".join(lines) + "\n"


def environment(device: str) -> dict[str, object]:
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "rev-parse", "HEAD"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    is_gpu = device.startswith("cuda")
    return {
        "device": torch.cuda.get_device_name(device) if is_gpu else f"CPU, {platform.machine()}",
        "fused is": _fused_by(device),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "commit": done.stdout.strip() or "unknown",
    }


def _fused_by(device: str) -> str:
    if not device.startswith("cuda"):
        return "the plain PyTorch reference; no bias (it is in the product)"
    runs = can_fuse(torch.empty(0, device=device).device)
    return "the Triton kernels" if runs else "the plain PyTorch reference: the kernels do not run here, see the warning"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    has_gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--device", default="cuda" if has_gpu else "cpu", help="where to run (%(default)s)")
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 100, 800] if has_gpu else [10])
    parser.add_argument("--vocabularies", type=int, nargs="+", default=[8000, 16000, 32000])
    parser.add_argument("--widths", type=int, nargs="+", default=[10, 20, 50] if has_gpu else [10, 20], help="beams")
    dtypes = ["float32", "bfloat16"] if has_gpu else ["float32"]
    parser.add_argument("--dtypes", nargs="+", choices=list(DTYPES), default=dtypes)
    parser.add_argument("--rounds", type=int, default=101, help="interleaved rounds (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (%(default)s)")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "build" / "kernels",
        help="folder for report.md and results.json (%(default)s)",
    )
    options = parser.parse_args(arguments)
    if options.device.startswith("cuda") and not has_gpu:
        parser.error("PyTorch finds no GPU here that --device cuda could be; take --device cpu")
    return options


@torch.inference_mode()
def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    torch.set_num_threads(options.threads)
    found, facts = list(rows(options)), environment(options.device)
    text = report(found, facts)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    content = {"environment": facts, "rounds": options.rounds, "rows": [asdict(row) for row in found]}
    (options.output / "results.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
