"""What hints do to pins: the encoder knows the required words, the search guarantees them, or both.

    python -m benchmarks.hints test.en test.de [--model FOLDER] [--segments N] --output FOLDER

A person gives words of the reference, as in `benchmarks.simulation`. They are pins of unknown place ("phrases"),
pins that the engine first puts into the text seen ("placed, follow 1"), or words typed over those that they replace
("order, follow 4"). Arms: `search` is the constrained search without hints, `both` with them, `hints` the search
without constraints by a model that reads the words; a model that does not understand hints has `search` alone. FOLDER
gets `results.json` and `report.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from app.models.loading import SEARCH
from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from benchmarks.simulation.data import read_documents
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.protocols import Segment, free_texts
from benchmarks.simulation.redecoding import KINDS, Given, given_words
from benchmarks.simulation.requesters import REQUESTERS, OneRequest
from benchmarks.simulation.statistics import bleu, ratio, share
from benchmarks.simulation.words import right_words
from engine import Request, Translator, occurrences
from engine.decoding.constraints import PreparedRequest
from engine.decoding.loop import DecodingJob, decode_all
from engine.interruption import NEVER

ARMS = ("search", "both", "hints")
ASKED = ("phrases", "placed, follow 1", "order, follow 4")
TOGETHER = 16  # sentences of a batch


@dataclass(frozen=True, slots=True)
class Answers:
    """The texts of one arm, with the decoding steps and the milliseconds of processor time of a sentence."""

    texts: tuple[str, ...]
    steps: float
    milliseconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--direction", help="as en-de; the model's first if not given")
    parser.add_argument("--segments", type=int, default=100, help="segments drawn (%(default)s)")
    parser.add_argument("--max-words", type=int, default=40, help="longer segments are left out (%(default)s)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["rand1", "rand3", "phr4", "missing1", "missing3"])
    parser.add_argument("--requesters", nargs="+", choices=ASKED, default=list(ASKED))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model)
    direction = options.direction or translator.directions[0]
    segments = read_documents(
        options.source, options.reference, None, direction, options.segments, options.max_words, options.seed
    )
    engine = Engine(translator, SEARCH)
    engine.read_ahead([Request(segment.source, direction) for segment in segments])
    results: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {path.name: file_checksum(path) for path in (options.source, options.reference)},
        "environment": environment(),
        "commit": commit(),
        "direction": direction,
        "segments": len(segments),
        "seed": options.seed,
        "search": asdict(SEARCH),
        "free_bleu": bleu([free_texts(segment, engine)[0] for segment in segments], [s.goal for s in segments]),
        "rows": [],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    for kind in options.kinds:
        for name in options.requesters:
            results["rows"] += compared(kind, name, segments, engine, options.seed)
            write_json(options.output / "results.json", results)
    report = table(results["rows"])
    (options.output / "report.md").write_text(report, encoding="utf-8")
    print(f"BLEU without pins: {results['free_bleu']}\n\n{report}")


def compared(kind: str, name: str, segments: Sequence[Segment], engine: Engine, seed: int) -> list[dict[str, Any]]:
    """The figures of each arm for one kind of words and one way of asking for them."""
    requester = REQUESTERS[name]
    assert isinstance(requester, OneRequest)
    assert isinstance(engine.translator, Translator)
    found = [(segment, given_words(kind, segment, requester, engine, seed)) for segment in segments]
    asked = [(segment, given) for segment, given in found if given is not None]
    requests = [requester.request(given.situation) for _, given in asked]
    rows = []
    num_arms = 1 if engine.translator._model.hint_id is None else 3 if name == "phrases" else 2
    for arm in ARMS[:num_arms]:
        answers = answered(arm, requests, engine.translator)
        figures = figures_of(answers.texts, requests, asked, seed)
        rows.append(
            {
                "kind": kind,
                "requester": name,
                "arm": arm,
                "segments": len(asked),
                **figures,
                "steps": round(answers.steps, 1),
                "milliseconds": round(answers.milliseconds, 1),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


def answered(arm: str, requests: Sequence[Request], translator: Any) -> Answers:
    """The best translations in one arm, an empty text where there is none."""
    options = replace(SEARCH, nbest=1)
    texts, steps, started = [], 0, time.process_time()
    for first in range(0, len(requests), TOGETHER):
        part = [replace(request, hints=arm != "search") for request in requests[first : first + TOGETHER]]
        jobs = [DecodingJob(request, options, NEVER, in_arm(arm, request, translator)) for request in part]
        decode_all(translator.decoding_loop(len(jobs), "batch"), jobs)
        for translation in (job.result() for job in jobs):
            texts.append(" ".join(translation.hypotheses[0].text.split()) if translation.hypotheses else "")
            steps += translation.num_steps
    spent = time.process_time() - started
    return Answers(tuple(texts), steps / max(1, len(requests)), 1000 * spent / max(1, len(requests)))


def in_arm(arm: str, request: Request, translator: Translator) -> PreparedRequest:
    """The prepared request; in the arm `hints` one without constraints, for an encoder that reads them."""
    prepared = translator.pipeline.prepare(request)
    if arm != "hints":
        return prepared
    free = translator.pipeline.prepare(Request(request.source, request.direction))
    return replace(free, hints=prepared.hints)


def figures_of(
    texts: Sequence[str], requests: Sequence[Request], asked: Sequence[tuple[Segment, Given]], seed: int
) -> dict[str, Any]:
    """Shares with intervals: required texts met, words placed right, right words lost and won; and BLEU."""
    met, placed, spoilt, lost, right = [], [], [], [], []
    for text, request, (segment, given) in zip(texts, requests, asked, strict=True):
        required = [*(phrase.text for phrase in request.phrases), *request.locked]
        met.append(all(occurrences(text, own) for own in required))
        before, after = right_words(given.seen, segment.goal), right_words(text, segment.goal)
        placed.append(given.chosen <= after)
        num_lost, num_won = len(before - after - given.chosen), len(after - before - given.chosen)
        spoilt.append(num_lost > num_won)
        lost.append(num_lost)
        right.append(len(before - given.chosen))
    goals = [segment.goal for segment, _ in asked]
    return {
        "bleu": bleu(texts, goals),
        "met": share(met, seed),
        "placed": share(placed, seed),
        "spoilt": share(spoilt, seed),
        "lost": ratio(lost, right, seed),
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The figures in Markdown."""
    lines = [
        "| given | request | arm | segments | BLEU | met | placed | spoilt | right words lost | steps | ms |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        shares = (f"{row[name][0]:.2f}" if row[name] else "" for name in ("met", "placed", "spoilt", "lost"))
        cells = (row["kind"], row["requester"], row["arm"], str(row["segments"]), f"{row['bleu']:.1f}", *shares)
        lines.append(f"| {' | '.join(cells)} | {row['steps']:.1f} | {row['milliseconds']:.0f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
