"""How long translations take while several people also ask for prices, on one core.

    python -m benchmarks.people SOURCES [--people 6 14 24] [--seconds 60] [--model FOLDER] --output FOLDER

Each person translates a sentence, pins a word of it twice, and asks for the price each time, with pauses between. The
steps of prices alternate with those of translations, as in the worker ("in turn"), or each price has the model to
itself ("alone"). Both get the same people, one after the other. Writes results.json and prints a table.
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from app.models.loading import SEARCH
from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from engine import AnyTranslator, Phrase, PriceQuestion, Question, Request, Translator, Worker
from engine.decoding.question_steps import Steps, answer_alone
from engine.interruption import Interruption

READING_S, PRICE_READING_S = 3.0, 2.0  # mean pauses: before a segment, and while a price is computed
CHARACTERS = range(40, 110)  # of the sentences
PINS = 2  # in each sentence


@dataclass(frozen=True)
class Alone:
    """A question that has the model to itself until it is answered."""

    question: Question[Any]

    def steps(self, translator: AnyTranslator, interruption: Interruption) -> Steps[Any]:
        yield ()
        return answer_alone(self.question.steps(translator, interruption), translator.decoding_loop)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("sources", type=Path, help="a text with one sentence in each line")
    parser.add_argument("--people", type=int, nargs="+", default=[6, 14, 24])
    parser.add_argument("--seconds", type=float, default=60.0, help="of work in each cell (%(default)s)")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model, precision="auto")
    lines = options.sources.read_text(encoding="utf-8").splitlines()
    sources = [line.strip() for line in lines if len(line.strip()) in CHARACTERS]
    results: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {options.sources.name: file_checksum(options.sources)},
        "environment": environment(),
        "commit": commit(),
        "rows": [],
    }
    for num_people in options.people:
        for way in ("in turn", "alone"):
            results["rows"].append(measured(way, num_people, options.seconds, translator, sources))
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    print(table(results["rows"]))


def measured(
    way: str, num_people: int, seconds: float, translator: Translator, sources: Sequence[str]
) -> dict[str, Any]:
    """The times of the translations of all people, and the processor time."""
    times_ms: list[float] = []
    started = time.process_time()
    with Worker(translator) as worker:
        people = [
            threading.Thread(target=work, args=(way, number, seconds, worker, sources, times_ms))
            for number in range(num_people)
        ]
        for person in people:
            person.start()
        for person in people:
            person.join()
    ordered = sorted(times_ms)
    return {
        "people": num_people,
        "prices": way,
        "translations": len(ordered),
        "median_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "load_of_core": round((time.process_time() - started) / seconds, 2),
    }


def work(way: str, number: int, seconds: float, worker: Worker, sources: Sequence[str], times_ms: list[float]) -> None:
    """What one person does; adds the time of each translation."""
    chance, end = random.Random(number), time.monotonic() + seconds

    def translate(request: Request) -> str:
        started = time.perf_counter()
        translation = worker.submit(request, SEARCH, key=number, owner=number).result()
        times_ms.append(1000 * (time.perf_counter() - started))
        return translation.hypotheses[0].text if translation.hypotheses else ""

    while time.monotonic() < end:
        time.sleep(chance.expovariate(1 / READING_S))
        source = chance.choice(sources)
        words = [word for word in translate(Request(source)).split() if word.isalpha()]
        for _ in range(PINS if words else 0):
            request = Request(source, phrases=[Phrase(chance.choice(words))])
            translate(request)
            price = PriceQuestion(request, SEARCH)
            answer = worker.ask(price if way == "in turn" else Alone(price), key=("price", number), owner=number)
            time.sleep(chance.expovariate(1 / PRICE_READING_S))
            answer.result()


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The figures in Markdown."""
    head = ["| people | prices | translations | median | 95 % | load of the core |", "|---|---|---|---|---|---|"]
    lines = (
        f"| {row['people']} | {row['prices']} | {row['translations']} | {row['median_ms']:.0f} ms | "
        f"{row['p95_ms']:.0f} ms | {row['load_of_core']:.2f} |"
        for row in rows
    )
    return "\n".join([*head, *lines])


if __name__ == "__main__":
    main()
