"""When to stop, and by what score: the experiments of Huang et al. 2017, "When to finish?".

    python -m benchmarks.stopping SOURCE REFERENCE --model data/models/en-de --output FOLDER

Decodes the same sentences by every variant at every beam, without constraints and without pruning, and writes to FOLDER
results.json, tables.md and charts: model score (figure 1), BLEU and length ratio (figure 2, table 3), steps and rows
expanded. Every variant answers with one translation; all run over the same process.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sacrebleu.metrics.bleu import BLEU

from benchmarks.charts import chart
from benchmarks.dba.decoding import Pair
from benchmarks.paper_dba import commit, environment, file_checksum, read_pairs, write_json
from benchmarks.programs import run_program
from engine import Request, SearchOptions, Translator
from engine.decoding.loop import DecodingJob

UNBOUNDED = 1e6  # a length ratio that no translation reaches
PLAIN = SearchOptions(nbest=1, pruning_threshold=None)
# As in section 5.2 of the paper, numbered as there, and the rules that it does not have.
VARIANTS = {
    "optimal, log-prob (3)": replace(PLAIN, stopping="optimal", score="log_prob"),
    "optimal, bounded reward (4)": replace(PLAIN, stopping="optimal", score="bounded_length_reward"),
    "optimal, normalised": replace(PLAIN, stopping="optimal", score="normalised"),
    "OpenNMT (1)": replace(PLAIN, stopping="opennmt", score="log_prob"),
    "shrinking, normalised (2a)": replace(PLAIN, stopping="shrinking", score="normalised"),
    "shrinking, reward (2b)": replace(
        PLAIN, stopping="shrinking", score="bounded_length_reward", length_ratio=UNBOUNDED
    ),
    "first finished": replace(PLAIN, stopping="first_finished", score="log_prob"),
    "k finished, normalised": replace(PLAIN, stopping="beam_finished", score="normalised"),
    "to the end, normalised": replace(PLAIN, stopping="all_finished", score="normalised"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One variant at one beam. Means are over sentences; `length_ratio` is in words, against the references."""

    variant: str
    beam: int
    log_prob: float
    normalised: float
    bleu: float
    length_ratio: float
    steps: float
    expansions: float


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("stopping", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    description = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stopping", description=description)
    parser.add_argument("source", type=Path, help="source sentences, one a line, UTF-8")
    parser.add_argument("reference", type=Path, help="their reference translations")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    parser.add_argument("--direction", help="as en-de; the model's first if not given")
    parser.add_argument("--sentences", type=int, help="a random sample of so many (all)")
    parser.add_argument("--beams", nargs="+", type=int, default=list(range(1, 21)), help="beam widths (1 to 20)")
    parser.add_argument("--reward", type=float, help="length reward (the model's)")
    parser.add_argument("--batch", type=int, default=16, help="sentences decoded together (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (%(default)s)")
    parser.add_argument("--threads", type=int, help="processor threads (PyTorch's own choice)")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    """Decode every cell and write the report."""
    translator = Translator.load(options.model)
    direction = options.direction or translator.directions[0]
    pairs = read_pairs(options.source, options.reference, options.sentences, options.seed)
    cells = []
    for beam in options.beams:
        for name, variant in VARIANTS.items():
            wanted = replace(variant, beam=beam, length_reward=options.reward)
            cells.append(measure(name, wanted, translator, direction, pairs, options.batch))
            print(cells[-1], file=sys.stderr, flush=True)
    config = json.loads((options.model / "config.json").read_text(encoding="utf-8"))
    results = {
        "settings": {
            "model": translator.name,
            "model_checksum": translator.checksum,
            "length_reward": options.reward or config.get("length_rewards", {}).get(direction),
            "length_ratio": config.get("length_ratios", {}).get(direction),
            "source": {"name": options.source.name, "sha256": file_checksum(options.source)},
            "reference": {"name": options.reference.name, "sha256": file_checksum(options.reference)},
            "direction": direction,
            "num_lines": len(pairs),
            "seed": options.seed,
        },
        "environment": environment(),
        "commit": commit(),
        "bleu_signature": signature(pairs),
        "cells": [{name: getattr(cell, name) for name in Cell.__slots__} for cell in cells],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    write_report(options.output, results)
    print(f"written: {options.output / 'tables.md'}", file=sys.stderr)


def measure(
    name: str, options: SearchOptions, translator: Translator, direction: str, pairs: Sequence[Pair], batch_size: int
) -> Cell:
    """Decode all sentences by one variant, those of like length together."""
    loop = translator.whole_loop(batch_size, "batch")
    jobs = [DecodingJob(Request(pair.source, direction), options) for pair in pairs]
    for job in sorted(jobs, key=lambda job: len(job.request.source)):
        loop.add(job)
    while len(loop):
        for job in loop.step():
            if job.error is not None:
                raise job.error
    translations = [job.result() for job in jobs]
    for pair, translation in zip(pairs, translations, strict=True):
        if translation.status != "complete":
            raise ValueError(f"line {pair.line}: {translation.status}")
    best = [translation.hypotheses[0] for translation in translations]
    bleu = BLEU().corpus_score([item.text for item in best], [[pair.reference for pair in pairs]])
    return Cell(
        variant=name,
        beam=options.beam,
        log_prob=mean(item.log_prob for item in best),
        normalised=mean(item.log_prob / len(item.tokens) for item in best),
        bleu=round(bleu.score, 2),
        length_ratio=round(bleu.ratio, 4),
        steps=mean(translation.num_steps for translation in translations),
        expansions=round(loop.counts.num_expansions / len(pairs), 2),
    )


def mean(values: Iterable[float]) -> float:
    items = list(values)
    return round(sum(items) / len(items), 4)


def signature(pairs: Sequence[Pair]) -> str:
    bleu = BLEU()
    bleu.corpus_score([pairs[0].reference], [[pairs[0].reference]])
    return str(bleu.get_signature())


def write_report(folder: Path, results: dict[str, Any]) -> None:
    """Write tables.md and the charts."""
    cells = [Cell(**cell) for cell in results["cells"]]
    settings, machine = results["settings"], results["environment"]
    sections = [
        "# Results of stopping",
        f"{settings['num_lines']:,} sentences of {settings['source']['name']}, {settings['direction']}, model "
        f"{settings['model']} (SHA-256 {settings['model_checksum'][:12]}), length reward {settings['length_reward']}, "
        f"length ratio {settings['length_ratio']:.4f}, pruning off, seed {settings['seed']}.",
        f"{machine['processor']}, {machine['threads']} threads; Python {machine['python']}, torch {machine['torch']}, "
        f"sacrebleu {machine['sacrebleu']}; commit {results['commit']}. BLEU {results['bleu_signature']}.",
        "## Best settings of each variant (table 3)\n\n" + best_table(cells),
    ]
    for title, field, digits in (
        ("Model score: mean log-probability of the answers (figure 1)", "log_prob", 3),
        ("Mean log-probability per token", "normalised", 3),
        ("BLEU (figure 2)", "bleu", 2),
        ("Length ratio (figure 2)", "length_ratio", 3),
        ("Steps a sentence", "steps", 1),
        ("Rows expanded a sentence", "expansions", 0),
    ):
        sections.append(f"## {title}\n\n" + by_beam(cells, field, digits))
        series = {name: [(float(c.beam), getattr(c, field)) for c in cells if c.variant == name] for name in VARIANTS}
        svg = chart(title, "beam", field.replace("_", " "), series)
        (folder / f"{field}.svg").write_text(svg, encoding="utf-8")
    (folder / "tables.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


def best_table(cells: Sequence[Cell]) -> str:
    rows = ["| variant | best beam | BLEU | length ratio | steps |", "|---|---|---|---|---|"]
    for name in VARIANTS:
        best = max((cell for cell in cells if cell.variant == name), key=lambda cell: cell.bleu)
        rows.append(f"| {name} | {best.beam} | {best.bleu:.2f} | {best.length_ratio:.3f} | {best.steps:.1f} |")
    return "\n".join(rows)


def by_beam(cells: Sequence[Cell], field: str, digits: int) -> str:
    """One row a variant, one column a beam."""
    beams = sorted({cell.beam for cell in cells})
    rows = ["| k | " + " | ".join(map(str, beams)) + " |", "|---" * (len(beams) + 1) + "|"]
    for name in VARIANTS:
        values = {cell.beam: getattr(cell, field) for cell in cells if cell.variant == name}
        rows.append(f"| {name} | " + " | ".join(f"{values[beam]:.{digits}f}" for beam in beams) + " |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
