"""Time against the number of constraint tokens, by dynamic beam allocation and grid beam search.

As figure 4 of Post & Vilar 2018:

    python -m benchmarks.time_against_constraints SOURCE REFERENCE --model data/models/en-de --output FOLDER

Each sentence is decoded alone, its source encoded beforehand, with words of its reference that make exactly C
constraint tokens. Two ways: at equal steps, where the search runs to a limit that is the same for every C, and as used,
where it stops by itself. FOLDER gets results.json, tables.md and charts.

Times are processor time of the process, so that waiting for other programs does not count, and of several rounds, in
each of which all variants take turns, each keeps its least.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.bars import CONSTRAINED, GRID, MANY_TOKENS, Bar
from benchmarks.charts import chart
from benchmarks.dba.constraints import word_spans
from benchmarks.dba.decoding import Pair
from benchmarks.paper_dba import commit, environment, file_checksum, read_pairs, write_json
from benchmarks.programs import run_program
from engine import Phrase, Request, SearchOptions, Translation, Translator
from engine.decoding.loop import DecodingJob, DecodingLoop
from engine.search.batching import SearchStream
from engine.search.beam import BeamSearch
from engine.text import normalise, occurrences
from tests.reference.grid import GridBeamSearch

SEARCHES: dict[str, type[BeamSearch]] = {"DBA": BeamSearch, "grid": GridBeamSearch}
WAYS = ("equal steps", "as used")
AS_USED = SearchOptions(nbest=1)
RATIOS = (
    (MANY_TOKENS, ("DBA", 15), ("DBA", 1)),
    (CONSTRAINED, ("DBA", 20), ("DBA", 0)),
    (GRID, ("grid", 10), ("DBA", 10)),
)
TO_THE_LIMIT = SearchOptions(nbest=1, pruning_threshold=None, stopping="all_finished", max_length_factor=0.0)


@dataclass(frozen=True, slots=True)
class Run:
    """One sentence decoded once."""

    search: str
    way: str
    count: int
    line: int
    cpu_ms: float
    steps: int
    expansions: int
    status: str


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("time_against_constraints", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    description = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_against_constraints", description=description)
    parser.add_argument("source", type=Path, help="source sentences, one a line, UTF-8")
    parser.add_argument("reference", type=Path, help="their reference translations")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    parser.add_argument("--direction", help="as en-de; the model's first if not given")
    parser.add_argument("--sentences", type=int, default=20, help="so many of the sentences that have the words (20)")
    parser.add_argument("--counts", nargs="+", type=int, default=list(range(21)), help="constraint tokens (0 to 20)")
    parser.add_argument(
        "--grid-counts", nargs="+", type=int, help="those that grid beam search is timed at too (the same)"
    )
    parser.add_argument("--beam", type=int, default=10, help="of both searches (%(default)s)")
    parser.add_argument("--steps", type=int, default=32, help="of the runs at equal steps (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of sentences and words (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (%(default)s)")
    options = parser.parse_args(arguments)
    if options.steps <= max(options.counts):
        parser.error(f"--steps is {options.steps}; it must be above the highest count, {max(options.counts)}")
    return options


def run(options: argparse.Namespace) -> None:
    """Time every search at every count and write the report."""
    translator = Translator.load(options.model)
    direction = options.direction or translator.directions[0]
    facts = {"environment": environment(), "commit": commit()}  # before others change either
    chosen = choose(options, translator, direction)
    runs: list[Run] = []
    for round_number in range(options.rounds):
        for pair, requests in chosen:
            decode(translator, requests[min(requests)], replace(AS_USED, beam=options.beam), BeamSearch)  # encodes
            for count, request in requests.items():
                for way in WAYS:
                    for name, search in SEARCHES.items():
                        if name == "DBA" or count in (options.grid_counts or options.counts):
                            runs.append(timed(translator, name, search, way, count, pair.line, request, options))
        print(f"round {round_number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    results = {
        "settings": {
            "model": translator.name,
            "model_checksum": translator.checksum,
            "source": {"name": options.source.name, "sha256": file_checksum(options.source)},
            "reference": {"name": options.reference.name, "sha256": file_checksum(options.reference)},
            "direction": direction,
            "lines": [pair.line for pair, _ in chosen],
            "beam": options.beam,
            "steps": options.steps,
            "rounds": options.rounds,
            "seed": options.seed,
        },
        **facts,
        "cells": cells_of(runs),
        "runs": [{name: getattr(item, name) for name in Run.__slots__} for item in runs],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    write_report(options.output, results)
    print(f"written: {options.output / 'tables.md'}", file=sys.stderr)


def choose(
    options: argparse.Namespace, translator: Translator, direction: str
) -> list[tuple[Pair, dict[int, Request]]]:
    """Sentences with their requests by count, of those whose references have the words for every count."""
    pairs = read_pairs(options.source, options.reference, None, options.seed)
    random.Random(options.seed).shuffle(pairs)
    chosen = []
    for pair in pairs:
        requests = {count: request_of(translator, pair, direction, count, options.seed) for count in options.counts}
        found = {count: request for count, request in requests.items() if request is not None}
        if len(found) == len(requests):
            chosen.append((pair, found))
        if len(chosen) == options.sentences:
            return chosen
    if not chosen:
        raise ValueError(f"no reference has words of exactly {max(options.counts)} pieces; give lower --counts")
    return chosen


def request_of(translator: Translator, pair: Pair, direction: str, count: int, seed: int) -> Request | None:
    """The sentence with words of its reference as phrases that have `count` tokens in all; None where none fit."""
    reference = normalise(pair.reference)
    words = {
        reference[slice(*span)]
        for span in word_spans(reference)
        if span in occurrences(reference, reference[slice(*span)])
    }
    shuffled = sorted(words)
    random.Random(f"{seed} {pair.line}").shuffle(shuffled)
    phrases: list[Phrase] = []
    num_tokens = 0
    for word in shuffled:
        longer = Request(pair.source, direction, (*phrases, Phrase(word)))
        if (num_with_it := translator.pipeline.prepare(longer).num_tokens) <= count:
            phrases.append(Phrase(word))
            num_tokens = num_with_it
    return Request(pair.source, direction, tuple(phrases)) if num_tokens == count else None


def timed(
    translator: Translator,
    name: str,
    search: type[BeamSearch],
    way: str,
    count: int,
    line: int,
    request: Request,
    options: argparse.Namespace,
) -> Run:
    """One run; at equal steps the length limit, which counts the constraint tokens in, is the same for every count."""
    wanted = AS_USED if way == "as used" else replace(TO_THE_LIMIT, max_length_offset=options.steps - count)
    started = time.process_time()
    translation, expansions = decode(translator, request, replace(wanted, beam=options.beam), search)
    cpu_ms = (time.process_time() - started) * 1000
    return Run(name, way, count, line, round(cpu_ms, 3), translation.num_steps, expansions, translation.status)


def decode(
    translator: Translator, request: Request, options: SearchOptions, search: type[BeamSearch]
) -> tuple[Translation, int]:
    """The translation by one search, and the rows it expanded."""
    sentences = SearchStream(translator.pipeline.decoder, translator._vocabulary, 1, "batch", search=search)
    loop = DecodingLoop[DecodingJob](translator.pipeline, sentences)
    loop.add(job := DecodingJob(request, options))
    while len(loop):
        loop.step()
    if job.error is not None:
        raise job.error
    return job.result(), loop.counts.num_expansions


def cells_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Means over sentences of each sentence's least time, by search, way and count."""
    cells = []
    for search, way, count in dict.fromkeys((item.search, item.way, item.count) for item in runs):
        those = [item for item in runs if (item.search, item.way, item.count) == (search, way, count)]
        least: dict[int, Run] = {}
        for item in those:
            if item.line not in least or item.cpu_ms < least[item.line].cpu_ms:
                least[item.line] = item
        per_step = [item.cpu_ms / item.steps for item in least.values()]
        cells.append(
            {
                "search": search,
                "way": way,
                "count": count,
                "ms": round(statistics.mean(item.cpu_ms for item in least.values()), 2),
                "ms_per_step": round(statistics.mean(per_step), 3),
                "median_ms_per_step_of_all_rounds": round(
                    statistics.median(item.cpu_ms / item.steps for item in those), 3
                ),
                "steps": round(statistics.mean(item.steps for item in least.values()), 1),
                "rows_per_step": round(statistics.mean(i.expansions / i.steps for i in least.values()), 1),
                "complete": sum(item.status == "complete" for item in least.values()),
            }
        )
    return cells


def ratios(cells: Sequence[dict[str, Any]]) -> dict[Bar, float]:
    """The measured ratios that have a bar, of times per step at equal steps."""
    ms = {(cell["search"], cell["count"]): cell["ms_per_step"] for cell in cells if cell["way"] == "equal steps"}
    return {bar: ms[over] / ms[under] for bar, over, under in RATIOS if over in ms and under in ms}


def write_report(folder: Path, results: dict[str, Any]) -> None:
    """Write tables.md and the charts."""
    settings, machine, cells = results["settings"], results["environment"], results["cells"]
    sections = [
        "# Results of time_against_constraints",
        f"{len(settings['lines'])} sentences of {settings['source']['name']}, {settings['direction']}, model "
        f"{settings['model']} (SHA-256 {settings['model_checksum'][:12]}), beam {settings['beam']}; the least of "
        f"{settings['rounds']} rounds for each sentence, in milliseconds of processor time, means over sentences.",
        f"{machine['processor']}, {machine['threads']} threads; Python {machine['python']}, torch {machine['torch']}; "
        f"commit {results['commit']}.",
        "| ratio | measured | bar |\n|---|---|---|\n"
        + "\n".join(f"| {bar.what} | {bar.shown(found)} | {bar} |" for bar, found in ratios(cells).items()),
    ]
    for way in WAYS:
        those = [cell for cell in cells if cell["way"] == way]
        header = "| search | C | ms a sentence | ms a step | steps | rows a step | complete |\n" + "|---" * 7 + "|\n"
        sections.append(
            f"## {way.capitalize()}\n\n"
            + header
            + "\n".join(
                f"| {c['search']} | {c['count']} | {c['ms']:.0f} | {c['ms_per_step']:.2f} | {c['steps']:.1f} "
                f"| {c['rows_per_step']:.1f} | {c['complete']} |"
                for c in sorted(those, key=lambda cell: (cell["search"], cell["count"]))
            )
        )
        series = {name: sorted((float(c["count"]), c["ms"]) for c in those if c["search"] == name) for name in SEARCHES}
        svg = chart(f"Time a sentence, {way} (figure 4)", "constraint tokens C", "ms", series)
        (folder / f"time_{way.replace(' ', '_')}.svg").write_text(svg, encoding="utf-8")
    (folder / "tables.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
