"""Time of a translation memory lookup, compared with comparing every entry.

    python -m benchmarks.memory pairs.tsv --output results.json

Each line of the file is a source and its translation. Queries are sources with some words changed. Ratios are of one
run; both ways find entries by the same rate, the comparison of all without asking for shared words first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import time
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from app.tm.entries import MIN_RATE, MemoryEntry
from app.tm.index import MemoryIndex
from app.tm.similarity import fold


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, nargs="+", help="tab-separated, as they are or as .gz")
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    pairs = list({pair[0]: pair for path in options.pairs for pair in _pairs(path)}.values())
    draw.shuffle(pairs)
    pairs = pairs[: options.entries]
    began = time.perf_counter()
    index = MemoryIndex()
    for number, (source, target) in enumerate(pairs):
        index.add(number, MemoryEntry(source, target))
    build_s = time.perf_counter() - began
    folded = [fold(source) for source, _ in pairs]
    index_ms, all_ms, num_found = [], [], 0
    for source, _ in draw.sample(pairs, options.queries):
        words = source.split()
        words[draw.randrange(len(words))] = "something"
        query = " ".join(words)
        began = time.perf_counter()
        found = index.matches(query)
        index_ms.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        scorer = Levenshtein.normalized_similarity
        best = process.extractOne(fold(query), folded, scorer=scorer, score_cutoff=MIN_RATE / 100)
        all_ms.append(1000 * (time.perf_counter() - began))
        num_found += bool(found) == bool(best)
    figures = {
        "entries": len(pairs),
        "queries": options.queries,
        "build_s": build_s,
        "lookup_ms_median": statistics.median(index_ms),
        "lookup_ms_95": sorted(index_ms)[int(0.95 * len(index_ms))],
        "all_ms_median": statistics.median(all_ms),
        "all_over_lookup": statistics.median(all_ms) / statistics.median(index_ms),
        "queries_answered_alike": num_found,
    }
    options.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))


def _pairs(path: Path) -> list[tuple[str, str]]:
    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode("utf-8")
    columns = (line.split("\t") for line in text.splitlines())
    return [(cells[0], cells[1]) for cells in columns if len(cells) > 1 and cells[0].strip()]


if __name__ == "__main__":
    main()
