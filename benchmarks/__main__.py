"""Writes all bars and figures as one Markdown page, from the kept results; with --run, runs all benchmarks first.

    python -m benchmarks [--redraw] [--output FILE]
    python -m benchmarks --run [--only NAME ...] [--test-set SOURCE REFERENCE]

Without --run nothing is measured. A benchmark that fails, or lacks something, is reported with a fix; its kept result
stays, and the others run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.overview import page
from benchmarks.redrawing import redraw
from benchmarks.runs import BENCHMARKS, KEPT, run


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    outcomes: dict[str, str] = {}
    if options.run:
        names = options.only or [benchmark.name for benchmark in BENCHMARKS]
        files = dict(zip(("source", "reference"), options.test_set or (), strict=False))
        outcomes = run([benchmark for benchmark in BENCHMARKS if benchmark.name in names], options.results, files, tell)
        for name, failure in outcomes.items():
            tell(f"{name}: {f'not measured: {failure}' if failure else 'measured'}")
    if options.redraw:
        redraw(options.results)
    text = page(options.results)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    print(text, end="")
    return 1 if any(outcomes.values()) else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--run", action="store_true", help="measure first, with the settings of the kept results")
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument(
        "--test-set",
        nargs=2,
        type=lambda name: str(Path(name).absolute()),
        metavar=("SOURCE", "REFERENCE"),
        help="sentences and their translations, one a line, for those that need them",
    )
    parser.add_argument("--redraw", action="store_true", help="also rewrite the reports and charts of the results")
    parser.add_argument("--results", type=Path, default=KEPT, help="folder of the results (%(default)s)")
    parser.add_argument("--output", type=Path, help="file that the page is written to, as well")
    options = parser.parse_args(arguments)
    if options.only and not options.run:
        parser.error("--only says what to run; give --run too")
    return options


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
