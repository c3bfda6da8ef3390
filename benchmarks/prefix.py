"""Cost of a given translation prefix: read in one pass, or cached, compared with one step for each piece.

    python -m benchmarks.prefix [--sentences N] [--rounds N] [--output FOLDER]

Longer sentences of the sample document are translated with a quarter, half and three quarters of the words of their own
translation given. Writes report.md and results.json to the folder and prints the report.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.latency import sample_sentences
from benchmarks.paper_dba import commit, environment
from benchmarks.speed.timing import interleave
from engine import Request, SearchOptions, Translator
from engine.model import EncodedSources, LoadedModel, load_model
from engine.model.config import Precision
from engine.model.decoder import Decoder
from engine.text import BOS
from tests.reference.stepwise import StepwiseTranslator

ROOT = Path(__file__).resolve().parents[1]
PRECISIONS: tuple[Precision, ...] = ("float32",)
SHARES = (0.25, 0.5, 0.75)
MIN_WORDS = 12  # of a sentence
STEPWISE, ANEW, WORD, AGAIN, FREE = "step by step", "in one pass", "a word more", "again", "nothing given"
DECODER_STEPWISE, DECODER_ANEW = "decoder alone, step by step", "decoder alone, in one pass"


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    torch.set_num_threads(1)
    model = load_model(options.model)
    sentences = [line for line in sample_sentences(10_000) if len(line.split()) >= MIN_WORDS][: options.sentences]
    cases = [case for precision in PRECISIONS for case in measure(model, precision, sentences, options)]
    results = {
        "environment": {**environment(), "commit": commit()},
        "settings": {
            "model": options.model.name,
            "model_checksum": model.checksum,
            "rounds": options.rounds,
            "beam": options.beam,
            "nbest": 1,
        },
        "summary": [summary(cases, precision, share) for precision in PRECISIONS for share in SHARES],
        "cases": cases,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (options.output / "results.json").write_text(text + "\n", encoding="utf-8")
    report = report_of(results)
    (options.output / "report.md").write_text(report, encoding="utf-8")
    print(report)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prefix", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--model", type=Path, default=ROOT / "data" / "models" / "en-de", help="folder (%(default)s)")
    parser.add_argument("--sentences", type=int, default=8, help="sentences of the sample document (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each call, interleaved (%(default)s)")
    parser.add_argument("--beam", type=int, default=10, help="beam (%(default)s)")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "benchmarks" / "results" / "prefix",
        help="folder for report.md and results.json (%(default)s)",
    )
    return parser.parse_args(arguments)


def measure(
    model: LoadedModel, precision: Precision, sentences: Sequence[str], options: argparse.Namespace
) -> list[dict[str, Any]]:
    translator, step_by_step = Translator(model), StepwiseTranslator(model)
    settings = SearchOptions(beam=options.beam, nbest=1)
    cases = []
    for sentence in sentences:
        words = translator.translate(Request(sentence), settings).hypotheses[0].text.split()
        for share in SHARES:
            given = words[: max(1, round(share * len(words)))]
            request = Request(sentence, prefix=" ".join(given) + " ")
            pieces, before = (model.codec.encode(" ".join(some)).ids for some in (given, given[:-1]))

            def knowing(
                known: Sequence[int], request: Request = request, sentence: str = sentence
            ) -> Callable[[], object]:
                """A translation whose first `known` pieces were read before, and no others."""

                def translate() -> object:
                    for (_, _, source, _), kept in translator.pipeline._encodings._sources._kept.items():
                        if source == sentence:
                            kept.newest.store(kept.newest.shared_with(known))
                    return translator.translate(request, settings)

                return translate

            found = translator.translate(request, settings).hypotheses[0]
            expected = step_by_step.translate(request, settings).hypotheses[0]
            encoded = translator.pipeline._encodings.of(translator.pipeline.prepare(request))
            times = interleave(
                {
                    FREE: lambda sentence=sentence: translator.translate(Request(sentence), settings),  # type: ignore[misc]
                    STEPWISE: lambda request=request: step_by_step.translate(request, settings),  # type: ignore[misc]
                    AGAIN: lambda request=request: translator.translate(request, settings),  # type: ignore[misc]
                    WORD: knowing(before),
                    ANEW: knowing(()),
                    DECODER_STEPWISE: decoding(model, encoded, pieces, is_at_once=False),
                    DECODER_ANEW: decoding(model, encoded, pieces, is_at_once=True),
                },
                options.rounds,
            )
            cases.append(
                {
                    "precision": precision,
                    "share": share,
                    "sentence": sentence,
                    "prefix": request.prefix,
                    "num_pieces": len(pieces),
                    "is_same_text": found.text == expected.text,
                    "score_difference": abs(found.score - expected.score),
                    "times": {name: {"wall_ms": own.wall_ms, "cpu_ms": own.cpu_ms} for name, own in times.items()},
                    "best_cpu_ms": {name: own.best_cpu_ms for name, own in times.items()},
                }
            )
    return cases


def decoding(
    model: LoadedModel, encoded: EncodedSources, pieces: Sequence[int], is_at_once: bool
) -> Callable[[], object]:
    """The decoder alone up to what may follow the pieces."""

    def decode() -> None:
        decoder: Decoder = Decoder(model.transformer, encoded)
        if is_at_once:
            decoder.read([pieces])
            decoder.step(torch.tensor([pieces[-1]]))
            return
        for piece in (BOS, *pieces):
            decoder.step(torch.tensor([piece]))
            decoder.select(torch.tensor([0]))

    return decode


def summary(cases: Sequence[dict[str, Any]], precision: Precision, share: float) -> dict[str, Any]:
    """Medians over the cases of processor time, each the least of its rounds, and of ratios to step by step."""
    own = [case for case in cases if case["precision"] == precision and case["share"] == share]

    def median(of: Callable[[dict[str, float]], float]) -> float:
        return statistics.median(of(case["best_cpu_ms"]) for case in own)

    names = (FREE, STEPWISE, ANEW, WORD, AGAIN, DECODER_STEPWISE, DECODER_ANEW)
    return {
        "precision": precision,
        "share": share,
        "num_cases": len(own),
        "num_pieces": statistics.median(case["num_pieces"] for case in own),
        "num_same_texts": sum(case["is_same_text"] for case in own),
        "largest_score_difference": max(case["score_difference"] for case in own),
        "cpu_ms": {name: median(lambda best, name=name: best[name]) for name in names},  # type: ignore[misc]
        "over_step_by_step": {
            name: median(lambda best, name=name: best[name] / best[STEPWISE])  # type: ignore[misc]
            for name in (ANEW, WORD, AGAIN)
        },
        "decoder_over_step_by_step": median(lambda best: best[DECODER_ANEW] / best[DECODER_STEPWISE]),
    }


def report_of(results: dict[str, Any]) -> str:
    columns = ("given", "pieces", STEPWISE, ANEW, WORD, AGAIN, FREE, DECODER_STEPWISE, DECODER_ANEW)
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in results["summary"]:
        times, ratios = row["cpu_ms"], row["over_step_by_step"]
        cells = [f"{row['share']:.0%}, {row['precision']}", f"{row['num_pieces']:.0f}", f"{times[STEPWISE]:.1f}"]
        cells += [f"{times[name]:.1f} ({ratios[name]:.2f})" for name in (ANEW, WORD, AGAIN)]
        cells += [f"{times[FREE]:.1f}", f"{times[DECODER_STEPWISE]:.1f}"]
        cells += [f"{times[DECODER_ANEW]:.1f} ({row['decoder_over_step_by_step']:.2f})"]
        lines.append("| " + " | ".join(cells) + " |")
    same = sum(row["num_same_texts"] for row in results["summary"])
    number = sum(row["num_cases"] for row in results["summary"])
    difference = max(row["largest_score_difference"] for row in results["summary"])
    lines += ["", f"The same text {same} of {number} times; scores differ by {difference:.2g} at most.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
