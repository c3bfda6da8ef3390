"""The experiments of Post & Vilar 2018, "Fast lexically constrained decoding with dynamic beam allocation".

    python -m benchmarks.paper_dba SOURCE REFERENCE --model data/models/en-de --output FOLDER

Draws constraints from the references (dba/constraints.py says how), decodes with them as the paper does (finished
hypotheses keep their places, pruning threshold 20) and writes to FOLDER:

    cells/*.json            every sentence of every cell: a constraint set at one beam and pruning threshold
    references.json         the model's scores of the references
    results.json            all figures, with machine, versions, commit, model checksum and options
    tables.md, *.svg        the same to read and to look at

A cell is written when it is done; a second run decodes only what is missing, then writes the results anew. The paper
does not batch; with `--batch`, sentences are decoded together, and only the first `--timed` ones also alone, for times.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks.dba.constraints import SETS
from benchmarks.dba.decoding import Cell, CellDecoder, Pair
from benchmarks.dba.measures import summarise
from benchmarks.dba.report import write_report
from benchmarks.programs import run_program
from engine import Translator
from engine.text import TextCodec

PAPER_PRUNING = 20.0
PRUNING_BEAM = 10


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("paper_dba", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_dba", description=__doc__.split("\n\n")[0])
    parser.add_argument("source", type=Path, help="source sentences, one a line, UTF-8")
    parser.add_argument("reference", type=Path, help="their reference translations")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    parser.add_argument("--direction", help="as en-de; the model's first if not given")
    parser.add_argument("--sentences", type=int, help="a random sample of so many (all)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="constraint sets (all)")
    parser.add_argument("--beams", nargs="+", type=int, default=[5, 10, 20, 30], help="beam widths (5 10 20 30)")
    parser.add_argument(
        "--pruning",
        nargs="*",
        type=float,
        default=[0, 3, 5, 10, 20, 30],
        help=f"pruning thresholds to compare at beam {PRUNING_BEAM}, 0 for off (0 3 5 10 20 30)",
    )
    parser.add_argument("--nbest", type=int, default=5, help="items of each n-best list (%(default)s)")
    parser.add_argument("--batch", type=int, default=1, help="sentences decoded together (%(default)s, as the paper)")
    parser.add_argument("--timed", type=int, help="sentences decoded alone for times (all without --batch, else 0)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the constraints (%(default)s)")
    parser.add_argument("--threads", type=int, help="processor threads (PyTorch's own choice)")
    options = parser.parse_args(arguments)
    if options.timed is None:
        options.timed = sys.maxsize if options.batch == 1 else 0
    return options


def run(options: argparse.Namespace) -> None:
    """Decode what is missing and write the report."""
    translator = Translator.load(options.model)
    direction = options.direction or translator.directions[0]
    pairs = read_pairs(options.source, options.reference, options.sentences, options.seed)
    settings = {
        "model_checksum": translator.checksum,
        "source": {"name": options.source.name, "sha256": file_checksum(options.source)},
        "reference": {"name": options.reference.name, "sha256": file_checksum(options.reference)},
        "direction": direction,
        "lines": f"{len(pairs)} lines, {text_checksum(','.join(str(pair.line) for pair in pairs))}",
        "seed": options.seed,
        "nbest": options.nbest,
        "batch": options.batch,
        "timed": min(options.timed, len(pairs)),
        "threads": torch.get_num_threads(),
    }
    provenance = {"settings": settings, "commit": commit()}
    codec = TextCodec.load(options.model)
    decoder = CellDecoder(translator, codec, direction, options.seed, options.nbest, options.batch)
    folder = options.output / "cells"
    folder.mkdir(parents=True, exist_ok=True)
    cells = cells_of(options.sets, options.beams, options.pruning)
    decoded: dict[Cell, dict[str, Any]] = {}
    for number, cell in enumerate(cells, start=1):
        path = folder / f"{cell.name}.json"
        content = read_done(path, settings)
        if content is None:
            progress = Progress(f"{number}/{len(cells)} {cell.name}")
            content = {**provenance, **decoder.decode(cell, pairs, options.timed, progress.show)}
            write_json(path, content)
            progress.close()
        else:
            print(f"{number}/{len(cells)} {cell.name}: done before", file=sys.stderr)
        decoded[cell] = content
    path = options.output / "references.json"
    references = read_done(path, settings)
    if references is None:
        references = {**provenance, "scores": decoder.reference_scores(pairs)}
        write_json(path, references)
    results = {
        "settings": {**settings, "model": translator.name, "num_lines": len(pairs)},
        "search": {"finished": "keep", "pruning": PAPER_PRUNING, "pruning_beam": PRUNING_BEAM},
        "environment": environment(),
        "commits": sorted({content["commit"] for content in decoded.values()}),
        **summarise(decoded, references["scores"], pairs, options.seed),
    }
    write_json(options.output / "results.json", results, indent=1)
    write_report(options.output, results, decoded)
    print(f"written: {options.output / 'tables.md'}", file=sys.stderr)


def cells_of(sets: Sequence[str], beams: Sequence[int], pruning: Sequence[float]) -> list[Cell]:
    """Every set at every beam with the paper's threshold, then at every threshold with its beam; "none" goes first."""
    ordered = [name for name in SETS if name in {"none", *sets}]
    by_beam = [Cell(name, beam, PAPER_PRUNING) for beam in beams for name in ordered]
    by_threshold = [Cell(name, PRUNING_BEAM, threshold) for threshold in pruning for name in ordered]
    return list(dict.fromkeys([*by_beam, *by_threshold]))


def read_pairs(source: Path, reference: Path, num_sentences: int | None, seed: int) -> list[Pair]:
    """The pairs of two files, or a sample of them in the order of the files; pairs with a blank side are left out."""
    sides = [path.read_text(encoding="utf-8").removesuffix("\n").split("\n") for path in (source, reference)]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"{source} has {len(sides[0])} lines, {reference} has {len(sides[1])}; they must match")
    pairs = [Pair(line, *texts) for line, texts in enumerate(zip(*sides, strict=True), start=1)]
    pairs = [pair for pair in pairs if pair.source.strip() and pair.reference.strip()]
    if num_sentences is not None and num_sentences < len(pairs):
        pairs = random.Random(seed).sample(pairs, num_sentences)
    return sorted(pairs, key=lambda pair: pair.line)


def read_done(path: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """The content that an earlier run wrote, None without one; ValueError if its settings differ."""
    if not path.exists():
        return None
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    changed = [name for name, value in settings.items() if content["settings"].get(name) != value]
    if changed:
        raise ValueError(f"{path} was made with another {', '.join(changed)}; delete it or choose another --output")
    return content


def write_json(path: Path, content: object, indent: int | None = None) -> None:
    """Writes the file completely or not at all."""
    partial = path.with_name(path.name + ".partial")
    separators = (",", ":") if indent is None else None
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=indent, separators=separators) + "\n", "utf-8")
    os.replace(partial, path)


def environment() -> dict[str, Any]:
    """The machine, its load, and the versions of its software."""
    return {
        "processor": processor(),
        "num_processors": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "sacrebleu", "numpy")},
    }


def processor() -> str:
    """The processor's name, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def commit(root: Path | None = None) -> str:
    """The commit of a checkout, or of this one, marked where the engine has changed since; "unknown" outside one."""
    root = root or Path(__file__).resolve().parents[1]
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        status = subprocess.run([*git, "status", "--porcelain", "engine"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + (" with changes" if status.stdout else "")


def file_checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def text_checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Progress:
    """One line on stderr that says how far a cell is."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._started = time.perf_counter()
        self._is_terminal = sys.stderr.isatty()

    def show(self, state: str) -> None:
        if self._is_terminal:
            elapsed = time.perf_counter() - self._started
            print(f"\r{self._name}: {state}, {elapsed:.0f} s \033[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        begin = "\r\033[K" if self._is_terminal else ""
        print(f"{begin}{self._name}: {time.perf_counter() - self._started:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
