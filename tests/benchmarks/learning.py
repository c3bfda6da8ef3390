"""Learning from confirmed segments: BLEU with and without a datastore, over documents in order.

    python -m tests.benchmarks.learning --documents docs DEV.en DEV.de DOCUMENTS.txt --unrelated news NEWS.en NEWS.de

Each segment is translated with what the segments before it have taught, then its reference is confirmed. A pair is
learned `--lag` segments late, as a person reads a proposal that was made while the segment before it was open.
Unrelated sentences are drawn from their file and learned in the same way. At last the guard: after a memory of wrong
translations, the references of another document are confirmed until the datastore is left out.
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

from engine import Datastore, DatastoreOptions, EngineError, Request, SearchOptions, Translator
from tests.benchmarks.paper_dba import commit, environment, write_json
from tests.benchmarks.simulation.data import read_documents
from tests.benchmarks.simulation.protocols import Segment
from tests.benchmarks.simulation.statistics import bleu, bleu_gain

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
    names = [name for name, _ in sets]
    for name, source, reference in options.unrelated:
        paths = Path(source), Path(reference)
        drawn = read_documents(*paths, None, options.direction, options.sentences, options.max_words, options.seed)
        sets.append((name, drawn))
    results: dict[str, Any] = {
        "environment": environment(),
        "commit": commit(),
        "model": {"name": translator.name, "checksum": translator.checksum},
        "settings": {
            **{key: getattr(options, key) for key in ("direction", "segments", "sentences", "lag", "beam", "seed")},
            "datastore": asdict(DatastoreOptions()),
        },
        "sets": {},
    }
    runs: dict[str, tuple[list[str], list[str], list[str]]] = {}
    milliseconds: dict[str, list[float]] = {"without": [], "with": [], "learn": []}
    for name, segments in sets:
        without, learned, store = translated(translator, segments, search, options.lag, milliseconds)
        goals = [segment.goal for segment in segments]
        runs[name] = without, learned, goals
        results["sets"][name] = compared([runs[name]], options.seed) | {"is_helpful": store.is_helpful}
        print(name, results["sets"][name]["gain"], flush=True)
    results["documents"] = compared([runs[name] for name in names], options.seed)
    results["unrelated"] = compared([own for name, own in runs.items() if name not in names], options.seed)
    means = {key: sum(values) / len(values) for key, values in milliseconds.items()}
    results["cpu_ms"] = {
        "learn a segment": round(means["learn"], 1),
        "translate": round(means["without"], 1),
        "added to a translation": round(means["with"] - means["without"], 1),
    }
    results["guard"] = {"wrong": NUM_WRONG, "noticed after": noticed(translator, dict(sets)[names[0]])}
    write_json(options.output, results)


def long_documents(source: str, reference: str, documents: str, options: argparse.Namespace) -> list[list[Segment]]:
    """The first `num_documents` documents with at least `segments` usable segments, cut to so many."""
    paths = Path(source), Path(reference), Path(documents)
    everything = read_documents(*paths, options.direction, sys.maxsize, options.max_words, options.seed)
    parts = [list(part) for _, part in groupby(everything, key=lambda segment: segment.document)]
    long = [part[: options.segments] for part in parts if len(part) >= options.segments]
    if len(long) < options.num_documents:
        raise ValueError(
            f"{documents} has {len(long)} documents of {options.segments} segments; give a smaller --segments or "
            "--num-documents"
        )
    return long[: options.num_documents]


def translated(
    translator: Translator,
    segments: Sequence[Segment],
    search: SearchOptions,
    lag: int,
    milliseconds: dict[str, list[float]],
) -> tuple[list[str], list[str], Datastore]:
    """The translations without and with learning, segment by segment in turn, and the datastore at the end."""
    datastore: Datastore | None = None
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
    assert datastore is not None, "fewer segments than the lag"
    return texts["without"], texts["with"], datastore


def learn(
    translator: Translator, source: str, goal: str, direction: str, datastore: Datastore | None = None
) -> Datastore:
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


def noticed(translator: Translator, segments: Sequence[Segment]) -> int | None:
    """How many right translations are confirmed until a memory of wrong ones is left out; None: it never is.

    The sources of the memory have each other's references, and come again.
    """
    known = segments[:NUM_WRONG]
    datastore: Datastore | None = None
    for segment, other in zip(known, [*known[1:], known[0]], strict=True):
        datastore = learn(translator, segment.source, other.goal, segment.direction, datastore)
    for number, segment in enumerate(known, start=1):
        datastore = learn(translator, segment.source, segment.goal, segment.direction, datastore)
        if not datastore.is_helpful:
            return number
    return None


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"))
    files = ("NAME", "SOURCE", "REFERENCE")
    parser.add_argument("--documents", nargs=4, action="append", required=True, metavar=(*files, "DOCUMENTS"))
    parser.add_argument("--unrelated", nargs=3, action="append", required=True, metavar=files)
    parser.add_argument("--direction", default="en-de")
    parser.add_argument("--num-documents", type=int, default=3)
    parser.add_argument("--segments", type=int, default=60, help="segments of each document")
    parser.add_argument("--sentences", type=int, default=120, help="unrelated sentences of each set")
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--lag", type=int, default=1)
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
