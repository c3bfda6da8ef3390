"""Simulates a translator who knows the goal text, and writes how much effort each way of working takes.

    python -m benchmarks.simulation --documents docs test.en test.de docs.txt --post-edits edits edits.tsv.gz dev
        [--model FOLDER] [--segments N] [--seed N] [--requesters NAME ...] [--without-waiting] --output FOLDER

FOLDER gets `results.json`, `report.md` and charts; README.md of the benchmarks describes the ways of working.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.models.loading import SEARCH
from benchmarks.paper_dba import Progress, commit, environment, file_checksum, write_json
from benchmarks.programs import run_program
from benchmarks.simulation import effort
from benchmarks.simulation.breakdown import Act, acts_of, breakdown
from benchmarks.simulation.completing import Completing, Prediction, predictions, ways_of_completing
from benchmarks.simulation.data import read_documents, read_post_edits
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.protocols import (
    PostEditing,
    Segment,
    WayOfWorking,
    effort_of,
    free_texts,
    ways_of_working,
    word_prediction,
)
from benchmarks.simulation.redecoding import KINDS, Redecoding, read_ahead, redecode
from benchmarks.simulation.report import write_report
from benchmarks.simulation.requesters import REQUESTERS, Requester
from benchmarks.simulation.statistics import bleu, bleu_gain, ratio, share
from benchmarks.simulation.suggestions import ways_of_suggesting
from benchmarks.simulation.words import num_wrong, words_of
from engine import Translator

FEW = 10  # words; a share of fewer is left out
MANY_WRONG = 4  # wrong words from which a segment counts as hard
BASELINE = (
    "phrases, follow 1",
    "placed, follow 1",
    "placed by source, follow 3",
    "order, follow 4",
)


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("simulation", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument(
        "--documents",
        action="append",
        nargs="+",
        default=[],
        metavar=("NAME", "FILE"),
        help="a name (with another direction: NAME@de-en), sources and references, one a line, and perhaps a file of "
        "NAME<TAB>LINES for each document",
    )
    parser.add_argument(
        "--post-edits",
        action="append",
        nargs="+",
        default=[],
        metavar=("NAME", "FILE"),
        help="a name, a TSV file with columns src and pe, and perhaps the value of its column split",
    )
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--direction", help="as en-de; the model's first if not given")
    parser.add_argument("--segments", type=int, default=50, help="segments of each set (%(default)s)")
    parser.add_argument("--max-words", type=int, default=60, help="longer segments are left out (%(default)s)")
    parser.add_argument(
        "--minutes", type=float, help="begins no more segments of a set after so long; those drawn come in random order"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the segments, words and resamples (%(default)s)")
    parser.add_argument("--beam", type=int, default=SEARCH.beam, help="beam width (%(default)s)")
    parser.add_argument(
        "--requesters",
        nargs="+",
        choices=REQUESTERS,
        metavar="NAME",
        default=list(BASELINE),
        help=f"ways to ask for one re-decoding, of {'; '.join(REQUESTERS)} (default: {'; '.join(BASELINE)})",
    )
    parser.add_argument(
        "--ways", nargs="*", metavar="TEXT", help="only ways of working whose name contains one of these"
    )
    parser.add_argument(
        "--kinds", nargs="*", choices=KINDS, default=list(KINDS), help="words given for one re-decoding"
    )
    parser.add_argument(
        "--corrections",
        nargs="*",
        choices=REQUESTERS,
        metavar="NAME",
        default=["placed, follow 1", "order, follow 4", "behind, follow 1"],
        help="those for whole ways of working (placed, follow 1; order, follow 4; behind, follow 1: as in the app)",
    )
    parser.add_argument("--without-waiting", action="store_true", help="answers take no time: the same figures again")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    options = parser.parse_args(arguments)
    if not options.documents and not options.post_edits:
        parser.error("there is nothing to simulate; give --documents or --post-edits")
    for given, name, numbers in ((options.documents, "documents", (3, 4)), (options.post_edits, "post-edits", (2, 3))):
        for words in given:
            if len(words) not in numbers:
                parser.error(f"--{name} has {len(words)} values, {' '.join(words)}; give {numbers[0]} or {numbers[1]}")
    if options.segments < 1:
        parser.error(f"--segments is {options.segments}; give at least 1")
    return options


def run(options: argparse.Namespace) -> None:
    """Simulates all sets and writes the results after each."""
    translator = Translator.load(options.model)
    direction = options.direction or translator.directions[0]
    sets = sets_of(options, direction)
    requesters = [REQUESTERS[name] for name in options.requesters]
    correcting = [REQUESTERS[name] for name in options.corrections]
    ways = [
        way
        for way in [*ways_of_working(correcting), *ways_of_completing(), *ways_of_suggesting(correcting)]
        if isinstance(way, PostEditing) or options.ways is None or any(text in way.name for text in options.ways)
    ]
    results: dict[str, Any] = {
        "settings": {
            "model": translator.name,
            "model_checksum": translator.checksum,
            "direction": direction,
            "files": {path.name: file_checksum(path) for path in files_of(options)},
            "segments": options.segments,
            "max_words": options.max_words,
            "minutes": options.minutes,
            "seed": options.seed,
            "is_waiting_counted": not options.without_waiting,
            "search": asdict(replace(SEARCH, beam=options.beam)),
            "requesters": options.requesters,
            "corrections": options.corrections,
            "constants_s": {name: value for name, value in vars(effort).items() if name.endswith("_S")},
            "many_wrong": MANY_WRONG,
        },
        "environment": environment(),
        "commit": commit(),
        "sets": [],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    for name, segments in sets.items():
        engine = Engine(translator, replace(SEARCH, beam=options.beam), not options.without_waiting)
        progress = Progress(name)
        found = simulate(segments, engine, ways, requesters, options.kinds, options.seed, progress, options.minutes)
        progress.close()
        results["sets"].append({"name": name, **found})
        write_json(options.output / "results.json", results)
    write_report(options.output, json.loads((options.output / "results.json").read_text(encoding="utf-8")))


def sets_of(options: argparse.Namespace, direction: str) -> dict[str, list[Segment]]:
    """The segments of each set by its name. Raises ValueError for a set without segments."""
    sets: dict[str, list[Segment]] = {}
    for name, source, reference, *documents in options.documents:
        order = Path(documents[0]) if documents else None
        own = name.partition("@")[2] or direction
        sets[name] = read_documents(
            Path(source), Path(reference), order, own, options.segments, options.max_words, options.seed
        )
    for name, file, *split in options.post_edits:
        sets[name] = read_post_edits(
            Path(file), split[0] if split else None, direction, options.segments, options.max_words, options.seed
        )
    for name, segments in sets.items():
        if not segments:
            raise ValueError(f"{name} has no segment of a usable length; give other files or another split")
    return sets


def files_of(options: argparse.Namespace) -> list[Path]:
    files = [Path(file) for _, *files in options.documents for file in files]
    files += [Path(words[1]) for words in options.post_edits]
    return files


def simulate(
    segments: Sequence[Segment],
    engine: Engine,
    ways: Sequence[WayOfWorking],
    requesters: Sequence[Requester],
    kinds: Sequence[str],
    seed: int,
    progress: Progress | None = None,
    minutes: float | None = None,
) -> dict[str, Any]:
    """All figures of one set. Works segment by segment, so that the ways of working share answers."""
    started = time.perf_counter()
    if minutes:
        segments = random.Random(seed).sample(segments, len(segments))
    persons = ("naive", "oracle")
    efforts: dict[tuple[str, str], list[effort.Effort]] = {(way.name, who): [] for way in ways for who in persons}
    redecodings: dict[tuple[str, str], list[Redecoding]] = {
        (kind, requester.name): [] for kind in kinds for requester in requesters
    }
    acts: dict[str, list[Act]] = {}
    predicted, free = [], []
    foreseen: list[Prediction] = []
    for number, segment in enumerate(segments, start=1):
        if minutes and time.perf_counter() - started > 60 * minutes and number > 1:
            segments = segments[: number - 1]
            break
        free.append(free_texts(segment, engine)[0])
        for way in ways:
            for who in persons:
                efforts[way.name, who].append(effort_of(way, segment, engine, who == "oracle"))
            if (own_acts := acts_of(way, segment, engine)) is not None:
                acts.setdefault(way.name, []).extend(own_acts)
        read_ahead(kinds, segment, requesters, engine, seed)
        for kind in kinds:
            for requester in requesters:
                one = redecode(kind, segment, requester, engine, seed)
                if one is not None:
                    redecodings[kind, requester.name].append(one)
        if any(way.name.startswith("prefix") for way in ways):
            predicted.append(word_prediction(segment, engine))
        if any(isinstance(way, Completing) for way in ways):
            foreseen += predictions(segment, engine)
        engine.forget()
        if progress:
            progress.show(f"{number} of {len(segments)}")
    goals = [segment.goal for segment in segments]
    wrong = [num_wrong(text, goal) for text, goal in zip(free, goals, strict=True)]
    plain = efforts[PostEditing().name, "naive"]
    return {
        "num_segments": len(segments),
        "num_documents": len({segment.document for segment in segments}),
        "num_words": sum(len(goal.split()) for goal in goals),
        "num_hard": sum(count >= MANY_WRONG for count in wrong),
        "num_wrong_words": wrong,
        "bleu": bleu(free, goals),
        "post_editing_actions_a_word": sum(one.actions for one in plain) / sum(len(words_of(goal)) for goal in goals),
        "word_prediction": ratio([right for right, _ in predicted], [number for _, number in predicted], seed)
        if predicted
        else None,
        "ways": [
            way_figures(name, who, own, plain, wrong, seed)
            for (name, who), own in efforts.items()
            if name != PostEditing().name or who == "naive"
        ],
        "calibration": calibration(foreseen),
        "breakdown": {name: breakdown(own, sum(one.seconds for one in plain)) for name, own in acts.items() if own},
        "redecodings": [
            redecoding_figures(kind, requester, own, seed) for (kind, requester), own in redecodings.items() if own
        ],
        "answer_ms": {
            kind: {
                "number": len(times),
                "median": statistics.median(times),
                "p95": sorted(times)[int(0.95 * len(times))],
            }
            for kind, times in sorted(engine.times_ms.items())
        },
    }


def way_figures(
    name: str,
    who: str,
    own: Sequence[effort.Effort],
    plain: Sequence[effort.Effort],
    wrong: Sequence[int],
    seed: int,
) -> dict[str, Any]:
    """Ratios to plain post-editing, over all segments and over hard ones, and the effort of each segment."""
    hard = [k for k, count in enumerate(wrong) if count >= MANY_WRONG]
    return {
        "way": name,
        "person": who,
        "actions": ratio([one.actions for one in own], [one.actions for one in plain], seed),
        "seconds": ratio([one.seconds for one in own], [one.seconds for one in plain], seed),
        "actions_hard": ratio([own[k].actions for k in hard], [plain[k].actions for k in hard], seed),
        "seconds_hard": ratio([own[k].seconds for k in hard], [plain[k].seconds for k in hard], seed),
        "each": {
            "actions": [one.actions for one in own],
            "seconds": [round(one.seconds, 2) for one in own],
            "waiting_s": round(sum(one.waiting_s for one in own), 2),
        },
    }


def calibration(foreseen: Sequence[Prediction]) -> dict[str, list[list[float] | None]]:
    """For each kind, by tenths of probability: the mean, the share of right words, their number; None for few words."""
    found: dict[str, list[list[float] | None]] = {}
    for kind in dict.fromkeys(one.kind for one in foreseen):
        tenths: list[list[Prediction]] = [[] for _ in range(10)]
        for one in foreseen:
            if one.kind == kind:
                tenths[min(9, int(10 * one.probability))].append(one)
        found[kind] = [
            [
                round(statistics.fmean(one.probability for one in own), 3),
                round(statistics.fmean(one.is_right for one in own), 3),
                len(own),
            ]
            if len(own) >= FEW
            else None
            for own in tenths
        ]
    return found


def redecoding_figures(kind: str, requester: str, own: Sequence[Redecoding], seed: int) -> dict[str, Any]:
    goals, texts, by_hand = [one.goal for one in own], [one.text for one in own], [one.by_hand for one in own]
    return {
        "kind": kind,
        "requester": requester,
        "num_segments": len(own),
        "met": share([one.is_met for one in own], seed),
        "placed": share([one.is_placed for one in own], seed),
        "hurt": share([one.num_spoilt > one.num_won for one in own], seed),
        "helped": share([one.num_won > one.num_spoilt for one in own], seed),
        "spoilt": ratio([one.num_spoilt for one in own], [one.num_right for one in own], seed),
        "won": ratio([one.num_won for one in own], [one.num_right for one in own], seed),
        "bleu": bleu(texts, goals),
        "bleu_by_hand": bleu(by_hand, goals),
        "bleu_gain": bleu_gain(texts, by_hand, goals, seed),
        "seconds_left": ratio([one.seconds for one in own], [one.seconds_by_hand for one in own], seed),
    }


if __name__ == "__main__":
    sys.exit(main())
