"""Compare Pinpoint's constrained search with that of transformers 4.55.4, on the same random Marian weights.

    python -m benchmarks.against_transformers [--sentences N] [--output FOLDER]

benchmarks/README.md says how to make the environment that it needs and what it measures. Writes report.md and
results.json to the folder and prints the report.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

WANTED_VERSION = "4.55.4"
ROOT = Path(__file__).resolve().parents[1]
CORPUS_SAMPLE = ROOT / "tests" / "data" / "corpus_sample.tsv"
NUM_PIECES = 2000


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if importlib.util.find_spec("transformers") is None:
        print(
            f"against_transformers: transformers is not installed here; it needs {WANTED_VERSION}, in an environment "
            "of its own (benchmarks/README.md has the two commands)",
            file=sys.stderr,
        )
        return 1
    import transformers

    if transformers.__version__ != WANTED_VERSION:
        print(
            f"against_transformers: transformers is {transformers.__version__}, but constrained beam search was last "
            f"in {WANTED_VERSION}; run it in the environment of benchmarks/README.md",
            file=sys.stderr,
        )
        return 1
    transformers.logging.set_verbosity_error()
    run(options)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.against_transformers", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--sentences", type=int, default=12, help="sentences a cell (%(default)s)")
    parser.add_argument("--strings", type=int, default=2000, help="random strings for the trackers (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of weights, sources and phrases (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (%(default)s)")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "benchmarks" / "results" / "against_transformers",
        help="folder for report.md and results.json (%(default)s)",
    )
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    """Runs all four comparisons and writes the report."""
    import torch

    from benchmarks.constrained import grid, report, trackers, traps
    from benchmarks.constrained.marian import RandomMarian
    from engine.text import TextCodec

    started = time.perf_counter()
    torch.set_num_threads(options.threads)
    facts = report.environment()
    lines = corpus_lines()
    codec = TextCodec.learn(lines, num_pieces=NUM_PIECES, min_char_count=1)
    tell("trackers")
    tracker_rows = trackers.compare_trackers(options.strings, options.seed)
    grid_rows: list[grid.GridRow] = []
    for world in grid.worlds(codec):
        marian = RandomMarian(codec, world.allowed, options.seed)
        words = grid.words_in(lines, codec, world.allowed)
        grid.warm_up(marian, world, words)
        for num_phrases in grid.PHRASES:
            jobs = grid.jobs_of(marian, world, words, num_phrases, options.sentences, options.seed)
            for beam in grid.BEAMS:
                tell(f"{world.name}: {num_phrases} phrases, beam {beam}")
                grid_rows += grid.run_cell(marian, world, jobs, beam)
    world = grid.worlds(codec)[1]
    marian = RandomMarian(codec, world.allowed, options.seed)
    tell("named cases")
    trap_rows = [traps.spring(trap, marian) for trap in traps.TRAPS]
    tell("batches")
    words = sorted(set(grid.words_in(lines, codec, world.allowed)))
    batch_rows = traps.compare_batches(marian, words, size=8, seed=options.seed)
    settings = {
        "sentences": options.sentences,
        "strings": options.strings,
        "seed": options.seed,
        "pieces": len(codec.vocabulary),
        "seconds": round(time.perf_counter() - started, 1),
    }
    text = report.report(facts, settings, tracker_rows, trap_rows, grid_rows, batch_rows)
    results = {
        "environment": facts,
        "settings": settings,
        "trackers": [asdict(row) for row in tracker_rows],
        "named_cases": [asdict(row) for row in trap_rows],
        "random_sentences": [asdict(row) for row in grid_rows],
        "batches": [asdict(row) for row in batch_rows],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    content = json.dumps(results, ensure_ascii=False, indent=1) + "\n"
    (options.output / "results.json").write_text(content, encoding="utf-8")
    print(text)


def corpus_lines() -> list[str]:
    """The texts of the corpus sample."""
    lines = CORPUS_SAMPLE.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [line.split("\t")[3] for line in lines if not line.startswith("# ")]


def tell(state: str) -> None:
    print(f"against_transformers: {state}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
