"""People per core: predicted by a simulation with measured costs, and compared with real workers under load.

    python -m benchmarks.capacity [--models FOLDER ...] [--cores 1 2 4 8] [--load-cores 1 2] [--seconds 120]
        [--people 10 20 30 40] [--processes 2] [--sources FILE] --output FOLDER

Measures what steps and requests of each model cost, simulates people (see habits.py) for the most whom 1, 2, … cores
can serve, and lets so many people, and half of them, work at real workers with the first model, whose clock is their
processor time. `--people` also does so in real time, on a quiet machine with two cores or more. Writes results.json,
and prints report.md.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch

from benchmarks.capacity.costs import Costs, measure, segments_of
from benchmarks.capacity.habits import Habits
from benchmarks.capacity.load import command_ms, measured, measured_by_processes, stepped
from benchmarks.capacity.simulated import Outcome, most_people, simulate
from benchmarks.paper_dba import commit, environment, write_json
from engine import Translator

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "data" / "models" / "en-de"
CHARACTERS = range(40, 130)  # of the sentences
GOALS = (500, 5000)  # people
APP_LOAD = 0.5  # share of a core that the app's process may use


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    torch.set_num_threads(1)
    habits = Habits(**{field.name: getattr(options, field.name) for field in fields(Habits)})
    lines = options.sources.read_text(encoding="utf-8").splitlines()
    texts = [line.split("\t")[3] for line in lines if line.startswith("en\t")] if "\t" in lines[1] else lines
    sources = [text.strip() for text in texts if len(text.strip()) in CHARACTERS][: options.sentences]
    results: dict[str, Any] = {
        "environment": environment(),
        "commit": commit(),
        "settings": {"seconds": options.seconds, "simulated_seconds": options.simulated_seconds},
        "habits": asdict(habits),
        "models": [],
    }
    for number, folder in enumerate(options.models):
        translator = Translator.load(folder, precision="auto", is_compiled=False)
        print(f"{translator.name}: costs", file=sys.stderr, flush=True)
        segments = segments_of(translator, sources, random.Random(1))
        costs = measure(translator, segments, options.steps)
        found = {
            "name": translator.name,
            "checksum": translator.checksum,
            "precision": translator.precision,
            "step_ms": costs.step_ms,
            "begin_ms": {kind: round(costs.begin_ms(kind), 2) for kind in costs.samples},
            "mean_steps": {kind: round(_mean(cost.num_steps for cost in of), 1) for kind, of in costs.samples.items()},
            "people": {cores: most_people(costs, habits, cores, options.simulated_seconds) for cores in options.cores},
        }
        if number == 0:
            results["load"] = []
            for cores in options.load_cores:
                most = found["people"][cores]
                levels = [people * cores for people in options.load_people] or [most // 2, most]
                for people in sorted({max(1, people) for people in levels}):
                    print(f"{translator.name}: {people} people at {cores} workers", file=sys.stderr, flush=True)
                    real = stepped(folder, segments, habits, people, cores, options.seconds)
                    row = _compared(costs, habits, people, cores, options.simulated_seconds, real)
                    results["load"].append({"clock": "processor", **row})
            for people in options.people:
                print(f"{translator.name}: {people} people at work", file=sys.stderr, flush=True)
                real = measured(translator, segments, habits, people, options.seconds)
                row = _compared(costs, habits, people, 1, options.simulated_seconds, real)
                results["load"].append({"clock": "real", **row})
            if options.people and options.processes > 1:
                people = max(options.people) * options.processes
                real = measured_by_processes(folder, sources, habits, people, options.seconds, options.processes)
                # Each process has its own people, so the prediction is that of one.
                row = _compared(costs, habits, max(options.people), 1, options.simulated_seconds, real)
                results["load"].append({"clock": "real", **row, "people": people, "cores": options.processes})
            with tempfile.TemporaryDirectory() as scratch:
                results["command_ms"] = command_ms(folder, Path(scratch))
        results["models"].append(found)
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    text = report(results)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--models", type=Path, nargs="+", default=[MODEL], help="folders (default: the bundled model)")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2, 4, 8], help="copies of the model (%(default)s)")
    parser.add_argument(
        "--load-cores", type=int, nargs="*", default=[1, 2], help="workers of the load test, of --cores (%(default)s)"
    )
    parser.add_argument(
        "--load-people", type=int, nargs="*", default=[], help="for each of them (default: the most, and half of that)"
    )
    parser.add_argument("--people", type=int, nargs="*", default=[], help="at work in real time (default: none)")
    parser.add_argument("--seconds", type=float, default=120.0, help="of work for each number (%(default)s)")
    parser.add_argument("--simulated-seconds", type=float, default=600.0, help="of each simulation (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="copies in the last of these; 1: none (%(default)s)")
    parser.add_argument("--sources", type=Path, default=ROOT / "tests" / "data" / "corpus_sample.tsv")
    parser.add_argument("--sentences", type=int, default=60, help="of the sources (%(default)s)")
    parser.add_argument("--steps", type=int, default=150, help="measured for each size of a batch (%(default)s)")
    parser.add_argument("--output", type=Path, required=True)
    for field in fields(Habits):
        parser.add_argument("--" + field.name.replace("_", "-"), type=float, default=field.default)
    options = parser.parse_args(arguments)
    if not set(options.load_cores) <= set(options.cores):
        parser.error("--load-cores must be among --cores")
    return options


def _compared(costs: Costs, habits: Habits, people: int, cores: int, seconds: float, real: Outcome) -> dict[str, Any]:
    predicted = simulate(costs, habits, people, cores, seconds)
    return {
        "people": people,
        "cores": cores,
        "answers": sum(map(len, real.times_ms.values())),
        **{f"predicted_{name}": value for name, value in _figures(predicted).items()},
        **{f"measured_{name}": value for name, value in _figures(real).items()},
    }


def _figures(outcome: Outcome) -> dict[str, float]:
    return {
        "median_ms": round(outcome.quantile(0.5), 1),
        "p95_ms": round(outcome.quantile(0.95), 1),
        "load": round(outcome.load, 2),
    }


def _mean(numbers: Any) -> float:
    numbers = list(numbers)
    return float(sum(numbers)) / len(numbers)


def report(results: dict[str, Any]) -> str:
    """The tables of a result in Markdown."""
    tables = [people_table(results), *([load_table(results)] if results["load"] else []), extrapolation_table(results)]
    return "\n\n".join(tables) + "\n"


def people_table(results: dict[str, Any]) -> str:
    cores = list(results["models"][0]["people"])
    head = [
        "model",
        "a step of 1 / 16 sentences",
        *(f"{number} core{'s' if int(number) > 1 else ''}" for number in cores),
    ]
    rows = []
    for model in results["models"]:
        step_ms = list(model["step_ms"].values())
        rows.append([model["name"], f"{step_ms[0]:.1f} / {step_ms[-1]:.1f} ms", *map(str, model["people"].values())])
    return _table(head, rows)


def load_table(results: dict[str, Any]) -> str:
    head = ["people", "cores", "clock", "answers", "median: predicted", "measured", "p95: predicted", "measured",
            "ratio", "load: predicted", "measured"]  # fmt: skip
    rows = [
        [
            str(row["people"]),
            str(row["cores"]),
            row["clock"],
            str(row["answers"]),
            f"{row['predicted_median_ms']:.0f} ms",
            f"{row['measured_median_ms']:.0f} ms",
            f"{row['predicted_p95_ms']:.0f} ms",
            f"{row['measured_p95_ms']:.0f} ms",
            f"{row['measured_p95_ms'] / row['predicted_p95_ms']:.2f}" if row["predicted_p95_ms"] else "–",
            f"{row['predicted_load']:.2f}",
            f"{row['measured_load']:.2f}",
        ]
        for row in results["load"]
    ]
    return _table(head, rows)


def extrapolation_table(results: dict[str, Any]) -> str:
    """For each goal: cores of the model by the largest simulated number, and processes of the app."""
    head = ["people", "model", "copies of the model, a core each", "processes of the app"]
    rows = []
    for goal in GOALS:
        for model in results["models"]:
            cores, people = max((int(cores), people) for cores, people in model["people"].items())
            copies = str(math.ceil(goal * cores / people)) if people else "too slow on this processor"
            rows.append([f"{goal:,}", model["name"], copies, str(math.ceil(goal / people_per_process(results)))])
    return _table(head, rows)


def people_per_process(results: dict[str, Any]) -> float:
    """How many people one process of the app can serve with half of a core."""
    return float(APP_LOAD * 60_000 / (results["habits"]["commands_per_minute"] * results["command_ms"]))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("| --- ", "|---").replace("|--- |", "|---|")
    )


if __name__ == "__main__":
    sys.exit(main())
