"""Learning from confirmed segments: BLEU with and without a datastore, over documents in order.

    python -m benchmarks.learning --documents docs DEV.en DEV.de DOCUMENTS.txt --unrelated news NEWS.en NEWS.de

Each segment is translated with what the segments before it have taught, then its reference is confirmed. A pair is
learned `--lag` segments late, as a person reads a proposal that was made while the segment before it was open.
Unrelated sentences are drawn from their file and learned in the same way. At last the guard: how many wrong
translations are refused and, if they were all learned, how many right ones are confirmed until the datastore is left
out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from benchmarks.paper_dba import commit, environment, write_json
from benchmarks.simulation.data import read_documents
from benchmarks.simulation.protocols import Segment
from benchmarks.simulation.statistics import bleu, bleu_gain
from engine import Datastore, DatastoreOptions, EngineError, Request, SearchOptions, Translator

NUM_WRONG = 20


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    torch.set_num_threads(1)  # so that CPU time is the time of a quiet machine
    try:
        run(options)
    except (EngineError, OSError, UnicodeDecodeError, ValueError) as error:
        print(f"learning: {error}", file=sys.stderr)
        return 1
    return 0


def run(options: argparse.Namespace) -> None:
    """Measure, and write the result as JSON."""
    translator = Translator.load(options.model)
    search = SearchOptions(beam=options.beam, nbest=1)
    sets: list[tuple[str, list[Segment]]] = []
    for name, source, reference, documents in options.documents:
        sets += [
            (f"{name}: {part[0].document}", part) for part in long_documents(source, reference, documents, options)
        ]
    names = [name for name, _ in sets]  # of documents
    for name, source, reference in options.unrelated:
        paths = Path(source), Path(reference)
        drawn = read_documents(*paths, None, options.direction, options.sentences, options.max_words, options.seed)
        sets.append((name, drawn))
    chosen = DatastoreOptions(least_fit=options.least_fit)
    names_of_settings = ("direction", "min_segments", "segments", "sentences", "lag", "beam", "seed")
    results: dict[str, Any] = {
        "environment": environment(),
        "commit": commit(),
        "model": {"name": translator.name, "checksum": translator.checksum},
        "settings": {key: getattr(options, key) for key in names_of_settings} | {"datastore": asdict(chosen)},
        "sets": {},
    }
    runs: dict[str, tuple[list[str], list[str], list[str]]] = {}
    milliseconds: dict[str, list[float]] = {"without": [], "with": [], "learn": []}
    for name, segments in sets:
        without, learned, store = translated(translator, segments, search, chosen, options.lag, milliseconds)
        goals = [segment.goal for segment in segments]
        runs[name] = without, learned, goals
        num_refused = len(segments) - options.lag - len(store.pairs)
        own = {"is_helpful": store.is_helpful, "refused": num_refused}
        results["sets"][name] = compared([runs[name]], options.seed) | own
        print(name, results["sets"][name]["gain"], flush=True)
    results["documents"] = compared([runs[name] for name in names], options.seed)
    results["unrelated"] = compared([own for name, own in runs.items() if name not in names], options.seed)
    means = {key: sum(values) / len(values) for key, values in milliseconds.items()}
    results["cpu_ms"] = {
        "learn a segment": round(means["learn"], 1),
        "translate": round(means["without"], 1),
        "added to a translation": round(means["with"] - means["without"], 1),
    }
    results["guard"] = guarded(translator, dict(sets)[names[0]])
    write_json(options.output, results)


def long_documents(source: str, reference: str, documents: str, options: argparse.Namespace) -> list[list[Segment]]:
    """The first `num_documents` documents with at least `min_segments` usable segments, cut to `segments`."""
    paths = Path(source), Path(reference), Path(documents)
    everything = read_documents(*paths, options.direction, sys.maxsize, options.max_words, options.seed)
    parts = [list(part) for _, part in groupby(everything, key=lambda segment: segment.document)]
    long = [part[: options.segments] for part in parts if len(part) >= options.min_segments]
    if not long:
        raise ValueError(f"{documents} has no document of {options.min_segments} segments; lower --min-segments")
    return long[: options.num_documents]


def translated(
    translator: Translator,
    segments: Sequence[Segment],
    search: SearchOptions,
    options: DatastoreOptions,
    lag: int,
    milliseconds: dict[str, list[float]],
) -> tuple[list[str], list[str], Datastore]:
    """The translations without and with learning, segment by segment in turn, and the datastore at the end."""
    datastore = translator.datastore_of((), options)
    texts: dict[str, list[str]] = {"without": [], "with": []}
    for number, segment in enumerate(segments):
        request = Request(segment.source, direction=segment.direction)
        for arm, own in (("without", None), ("with", datastore)):
            started = time.process_time()
            translation = translator.translate(request, search, datastore=own)
            milliseconds[arm].append(1000 * (time.process_time() - started))
            texts[arm].append(translation.hypotheses[0].text if translation.hypotheses else "")
        if number >= lag:
            before = segments[number - lag]
            started = time.process_time()
            datastore = learn(translator, before.source, before.goal, before.direction, datastore)
            milliseconds["learn"].append(1000 * (time.process_time() - started))
    return texts["without"], texts["with"], datastore


def learn(translator: Translator, source: str, goal: str, direction: str, datastore: Datastore) -> Datastore:
    return translator.learn(Request(source, direction=direction), goal, datastore)


def compared(runs: Sequence[tuple[list[str], list[str], list[str]]], seed: int) -> dict[str, Any]:
    """BLEU without and with learning, the gain with its 95 % interval, and the gain in each third of the documents."""
    result: dict[str, Any] = {"segments": sum(len(goals) for _, _, goals in runs)}
    thirds = []
    for third in range(3):
        without, learned, goals = joined(runs, third)
        thirds.append(round(bleu(learned, goals) - bleu(without, goals), 2))
    without, learned, goals = joined(runs)
    result["bleu"] = {"without": bleu(without, goals), "with": bleu(learned, goals)}
    result["gain"] = bleu_gain(learned, without, goals, seed)
    return result | {"gain_by_third": thirds}


def joined(
    runs: Sequence[tuple[list[str], list[str], list[str]]], third: int | None = None
) -> tuple[list[str], list[str], list[str]]:
    """All documents end to end, or the first, second or last third of each."""
    sides: tuple[list[str], list[str], list[str]] = ([], [], [])
    for own in runs:
        for side, texts in zip(sides, own, strict=True):
            size = len(texts)
            side += texts if third is None else texts[third * size // 3 : (third + 1) * size // 3]
    return sides


def guarded(translator: Translator, segments: Sequence[Segment]) -> dict[str, int | None]:
    """How many of 20 wrong translations are refused; how many right ones are confirmed until all of them are left out.

    The sources have each other's references, and come again with their own. None: they are never left out.
    """
    known = segments[:NUM_WRONG]
    wrong = [(one.source, other.goal) for one, other in zip(known, [*known[1:], known[0]], strict=True)]
    direction = known[0].direction
    fitting = [translator.stored_pair(Request(source, direction=direction), goal) for source, goal in wrong]
    datastore = translator.datastore_of((), DatastoreOptions(least_fit=-1000.0))
    for source, goal in wrong:
        datastore = learn(translator, source, goal, direction, datastore)
    noticed = None
    for number, segment in enumerate(known, start=1):
        datastore = learn(translator, segment.source, segment.goal, direction, datastore)
        if noticed is None and not datastore.is_helpful:
            noticed = number
    return {"wrong": len(wrong), "refused": fitting.count(None), "noticed after": noticed}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"))
    files = ("NAME", "SOURCE", "REFERENCE")
    parser.add_argument("--documents", nargs=4, action="append", required=True, metavar=(*files, "DOCUMENTS"))
    parser.add_argument("--unrelated", nargs=3, action="append", required=True, metavar=files)
    parser.add_argument("--direction", default="en-de")
    parser.add_argument("--num-documents", type=int, default=None, help="documents (default: all)")
    parser.add_argument("--min-segments", type=int, default=24, help="shorter documents are left out")
    parser.add_argument("--segments", type=int, default=60, help="most segments of each document")
    parser.add_argument("--sentences", type=int, default=120, help="unrelated sentences of each set")
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--lag", type=int, default=1)
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--least-fit", type=float, default=DatastoreOptions().least_fit)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
