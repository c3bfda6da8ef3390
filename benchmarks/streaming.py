"""Streaming decoding and its baselines (Yang et al. 2020, "A streaming approach for efficient batched beam search").

    python -m benchmarks.streaming [SOURCE] [--model data/models/en-de] [--output FOLDER] [--device cuda]

Decodes the same sentences, sorted by length within the look-ahead window, by each method of the paper and counts the
model's steps and the rows expanded in them (both exact on any machine), beside the times of interleaved runs, which
tell something on an accelerator only: a CPU's step takes as long as its rows are many. Checks that VAR-BATCH,
VAR-STREAM and VAR-STR-FIFO give the same translations. With `--constrained`, every second sentence has to contain two
words of the greedy translation of the sentence before, which it would hardly write itself. Writes results.json and
streaming.md to FOLDER. Without SOURCE, English lines of the tests' corpus sample.
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
from typing import Any, get_args

import torch

from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from benchmarks.programs import run_program
from engine import Phrase, Request, SearchOptions, Translation, Translator
from engine.decoding.loop import DecodingJob
from engine.model.config import Precision
from engine.search.batching import REFILL_SHARE, Counts, Schedule
from engine.text import is_word_char

ROOT = Path(__file__).resolve().parents[1]
CORPUS_SAMPLE = ROOT / "tests" / "data" / "corpus_sample.tsv"
LOOK_AHEAD_BATCHES = 8


@dataclass(frozen=True, slots=True)
class Method:
    """A decoding method: which sentences share a step, and how hypotheses are pruned."""

    name: str
    schedule: Schedule
    is_greedy: bool = False
    has_variable_width: bool = True
    refill_share: float = REFILL_SHARE

    def options(self, beam: int, threshold: float, max_children: int) -> SearchOptions:
        """The paper's heuristics; the rule that stops is the same for all but the greedy search."""
        options = SearchOptions(beam=beam, nbest=1, pruning_threshold=None, stopping="beam_finished", places_per_bank=1)
        if self.is_greedy:
            return replace(options, beam=1, stopping="first_finished")
        if self.has_variable_width:
            return replace(options, bank_threshold=threshold, max_children=min(max_children, beam))
        return options


METHODS = (
    Method("GREEDY", "batch", is_greedy=True),
    Method("FIXED", "batch", has_variable_width=False),
    Method("VAR-BATCH", "batch"),
    Method("VAR-STREAM", "stream"),
    Method("VAR-STR-FIFO", "fifo"),
    Method("VAR-STR-FIFO, refilled at once", "fifo", refill_share=1.0),
)
SAME_OUTPUT = tuple(method.name for method in METHODS if method.has_variable_width and not method.is_greedy)


@dataclass(frozen=True, slots=True)
class Run:
    translations: tuple[Translation, ...]
    counts: Counts
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("streaming", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__.split("\n\n")[0])
    parser.add_argument("source", type=Path, nargs="?", default=CORPUS_SAMPLE, help="sentences, one a line, UTF-8")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    output = ROOT / "build" / "streaming"
    parser.add_argument("--output", type=Path, default=output, help="folder for the results (%(default)s)")
    parser.add_argument("--device", default="cpu", help="as PyTorch names it (%(default)s)")
    parser.add_argument("--precision", choices=get_args(Precision), default="float32", help="%(default)s")
    parser.add_argument("--compaction", type=int, help="steps after which finished rows leave (the device's own)")
    parser.add_argument("--sentences", type=int, help="a random sample of so many (all)")
    parser.add_argument("--beams", nargs="+", type=int, default=[5, 50], help="beam widths (5 50)")
    parser.add_argument("--batch", type=int, default=16, help="sentences at a time, the paper's n (%(default)s)")
    parser.add_argument("--threshold", type=float, default=1.5, help="the paper's delta (%(default)s)")
    parser.add_argument("--children", type=int, default=5, help="the paper's M (%(default)s)")
    parser.add_argument("--constrained", action="store_true", help="every second sentence with phrases")
    parser.add_argument("--repeats", type=int, default=1, help="interleaved runs, for times (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the phrases (%(default)s)")
    parser.add_argument("--threads", type=int, help="processor threads (PyTorch's own choice)")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    """Decode by every method and write the report."""
    translator = Translator.load(options.model, options.device, options.precision, options.compaction, num_threads=None)
    sources = sources_of(options.source)
    if options.sentences is not None and options.sentences < len(sources):
        sources = random.Random(options.seed).sample(sources, options.sentences)
    requests = [Request(source) for source in sources]
    if options.constrained:
        requests = constrained(requests, translator, options)
    tables = []
    for beam in options.beams:
        if translator.is_on_accelerator:  # whose kernels are compiled when first asked for
            for method in METHODS:
                decode(translator, requests[: options.batch], method, beam, options)
        runs: dict[str, list[Run]] = {method.name: [] for method in METHODS}
        for number in range(options.repeats):
            for method in METHODS:
                runs[method.name].append(decode(translator, requests, method, beam, options))
                print(f"k = {beam}, run {number + 1}: {method.name} done", file=sys.stderr, flush=True)
        tables.append({"beam": beam, **summarise(runs)})
    results = {
        "settings": {
            "model": translator.name,
            "model_checksum": translator.checksum,
            "source": {"name": options.source.name, "sha256": file_checksum(options.source)},
            "num_sentences": len(requests),
            "num_constrained": sum(bool(request.phrases) for request in requests),
            "batch_size": options.batch,
            "refill_share": REFILL_SHARE,
            "bank_threshold": options.threshold,
            "max_children": options.children,
            "repeats": options.repeats,
            "seed": options.seed,
            "device": torch.cuda.get_device_name() if translator.is_on_accelerator else "cpu",
            "precision": options.precision,
            "compaction_interval": options.compaction,
        },
        "environment": environment(),
        "commit": commit(),
        "tables": tables,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    (options.output / "streaming.md").write_text(report(results, translator.is_on_accelerator), encoding="utf-8")
    print(f"written: {options.output / 'streaming.md'}", file=sys.stderr)


def sources_of(path: Path) -> list[str]:
    """The lines that are not blank; of the corpus sample (tests/data/README.md) the texts of those in English."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path == CORPUS_SAMPLE:
        lines = [line.split("\t")[-1] for line in lines if line.startswith("en\t")]
    return [line for line in lines if line.strip()]


def decode(
    translator: Translator, requests: Sequence[Request], method: Method, beam: int, options: argparse.Namespace
) -> Run:
    search_options = method.options(beam, options.threshold, options.children)
    loop = translator.whole_loop(options.batch, method.schedule, method.refill_share)
    jobs = (DecodingJob(request, search_options) for request in requests)
    synchronise(translator)
    started = time.perf_counter()
    translations = tuple(loop.in_order(jobs, options.batch * LOOK_AHEAD_BATCHES))
    synchronise(translator)
    return Run(translations, loop.counts, time.perf_counter() - started)


def synchronise(translator: Translator) -> None:
    if translator.is_on_accelerator:
        torch.cuda.synchronize()


def constrained(requests: Sequence[Request], translator: Translator, options: argparse.Namespace) -> list[Request]:
    """Every second request with two words of the greedy translation of the one before as phrases."""
    rng = random.Random(options.seed)
    greedy = decode(translator, requests, METHODS[0], 1, options)
    asked = []
    for number, request in enumerate(requests):
        text = greedy.translations[number - 1].hypotheses[0].text
        words = sorted({word for word in text.split() if all(map(is_word_char, word))})
        phrases = [Phrase(word) for word in rng.sample(words, min(2, len(words)))] if number % 2 else []
        asked.append(replace(request, phrases=phrases))
    return asked


def summarise(runs: dict[str, list[Run]]) -> dict[str, Any]:
    """Counts and median times by method, the ratios over VAR-STREAM, and whether outputs are the same."""
    streamed = runs["VAR-STREAM"]
    methods = {}
    for name, own in runs.items():
        first, seconds = own[0], statistics.median(run.seconds for run in own)
        ratios = [run.seconds / other.seconds for run, other in zip(own, streamed, strict=True)]
        scores = [item.hypotheses[0].score for item in first.translations if item.hypotheses]
        methods[name] = {
            "num_steps": first.counts.num_steps,
            "num_expansions": first.counts.num_expansions,
            "expansions_per_step": round(first.counts.expansions_per_step, 2),
            "seconds": round(seconds, 3),
            "steps_over_stream": round(first.counts.num_steps / streamed[0].counts.num_steps, 3),
            "expansions_over_stream": round(first.counts.num_expansions / streamed[0].counts.num_expansions, 3),
            "time_over_stream": round(statistics.median(ratios), 3),
            "num_complete": sum(item.status == "complete" for item in first.translations),
            "mean_score": round(statistics.mean(scores), 4) if scores else None,
        }
    texts = {name: [[h.text for h in t.hypotheses] for t in runs[name][0].translations] for name in SAME_OUTPUT}
    reference = texts["VAR-BATCH"]
    num_same = {
        name: sum(own == other for own, other in zip(texts[name], reference, strict=True)) for name in SAME_OUTPUT
    }
    return {"methods": methods, "same_as_var_batch": num_same}


def report(results: dict[str, Any], is_on_accelerator: bool) -> str:
    """The results in Markdown."""
    settings = results["settings"]
    lines = [
        "# Streaming decoding",
        "",
        f"{settings['num_sentences']} sentences of {settings['source']['name']} ({settings['num_constrained']} with "
        f"phrases), model {settings['model']} ({settings['model_checksum'][:12]}), n = {settings['batch_size']}, "
        f"epsilon = {settings['refill_share']:.3f}, delta = {settings['bank_threshold']:g}, M = "
        f"{settings['max_children']}; {settings['device']}, {settings['precision']}, "
        f"{results['environment']['processor']}, torch {results['environment']['torch']}, commit "
        f"{results['commit'][:12]}.",
        "",
        "Steps and expansions are exact on any machine."
        if is_on_accelerator
        else "Steps and expansions are exact on any machine. **Times are of a CPU**, where a step takes as long as its "
        "rows are many, and say nothing about an accelerator, for which the method is meant.",
    ]
    for table in results["tables"]:
        lines += [
            "",
            f"## k = {table['beam']}",
            "",
            "| method | steps | expansions | per step | steps / VAR-STREAM | expansions / VAR-STREAM "
            "| time / VAR-STREAM | mean score | complete |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for name, row in table["methods"].items():
            lines.append(
                f"| {name} | {row['num_steps']} | {row['num_expansions']} | {row['expansions_per_step']:.1f} "
                f"| {row['steps_over_stream']:.2f} | {row['expansions_over_stream']:.2f} "
                f"| {row['time_over_stream']:.2f} | {row['mean_score']} | {row['num_complete']} |"
            )
        same = ", ".join(f"{name} {count}" for name, count in table["same_as_var_batch"].items())
        lines += ["", f"Sentences with the translation that VAR-BATCH gives: {same}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
