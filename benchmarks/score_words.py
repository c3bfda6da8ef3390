"""How far the words that the page shows for scores and prices can be trusted.

    python -m benchmarks.score_words DEV.en DEV.de [MORE.en MORE.de ...] [--model FOLDER] [--segments N] --output FOLDER

Scores: segments in groups by the score of their best translation, with the agreement of the translation with the
reference (chrF) and the share of segments where they are equal or nearly so. Prices: the price of a pin that fits, a
word of the reference that the model did not write, and of a pin that does not, a word of another reference. A good
bound has few pins that do not fit below it and few that fit above it. FOLDER gets `results.json` and `report.md`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from sacrebleu import sentence_chrf

from app.models.loading import SEARCH
from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from benchmarks.simulation.data import read_documents
from benchmarks.simulation.protocols import Segment
from engine import Phrase, Request, Translator

SCORE_BOUNDS = (-0.4, -0.6)  # as in app/ui/static/core/fit.js
PRICE_BOUNDS = (0.05, 0.15, 0.4)
NEARLY_EQUAL = 80.0  # chrF
LEAST_LETTERS = 4  # of a word to pin; shorter ones occur in nearly every sentence


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="pairs of files, in the model's first direction")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--segments", type=int, default=80, help="segments of each file and direction (%(default)s)")
    parser.add_argument("--max-words", type=int, default=40, help="longer segments are left out (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model)
    scored: list[tuple[float, float]] = []
    prices: dict[str, list[float]] = {"fits": [], "does not fit": []}
    for pair in zip(options.files[::2], options.files[1::2], strict=True):
        for direction in translator.directions[:2]:
            source, reference = pair if direction == translator.directions[0] else reversed(pair)
            segments = read_documents(
                source, reference, None, direction, options.segments, options.max_words, options.seed
            )
            found = [*translator.translate_all([Request(one.source, direction) for one in segments], SEARCH)]
            best = [one.hypotheses[0] for one in found]
            scored += [
                (one.score, sentence_chrf(one.text, [segment.goal]).score)
                for one, segment in zip(best, segments, strict=True)
            ]
            texts = [one.text for one in best]
            for kind, request in pins(segments, texts, random.Random(options.seed)):
                price = translator.price(request, SEARCH).total
                if price is not None:
                    prices[kind].append(price)
            print(source.name, direction, file=sys.stderr, flush=True)
    results = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {path.name: file_checksum(path) for path in options.files},
        "environment": environment(),
        "commit": commit(),
        "scored": [(round(score, 3), round(agreement, 1)) for score, agreement in scored],
        "prices": {kind: [round(price, 3) for price in found] for kind, found in prices.items()},
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results)
    text = report(results)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    print(text)


def pins(segments: Sequence[Segment], texts: Sequence[str], chance: random.Random) -> Iterator[tuple[str, Request]]:
    """For each segment a request with a word of its reference that the text lacks, and one with another's word."""
    words = [[word for word in one.goal.split() if len(word) >= LEAST_LETTERS and word.isalpha()] for one in segments]
    for number, (segment, text) in enumerate(zip(segments, texts, strict=True)):
        own = [word for word in words[number] if word not in text]
        foreign = [word for word in words[(number + 1) % len(words)] if word not in text and word not in segment.goal]
        for kind, choices in (("fits", own), ("does not fit", foreign)):
            if choices:
                phrases = (Phrase(chance.choice(choices)),)
                yield kind, Request(segment.source, segment.direction, phrases=phrases)


def report(results: dict[str, Any]) -> str:
    """Both tables in Markdown."""
    lines = ["| score | segments | chrF | nearly the reference |", "|---|---|---|---|"]
    for low, high in _ranges((*SCORE_BOUNDS, float("-inf")), float("inf")):
        group = [agreement for score, agreement in results["scored"] if low <= score < high]
        if group:
            close = sum(agreement >= NEARLY_EQUAL for agreement in group) / len(group)
            name = "lower" if low == float("-inf") else f"from {low}"
            lines.append(f"| {name} | {len(group)} | {sum(group) / len(group):.0f} | {close:.0%} |")
    lines += ["", "| price | pins that fit | pins that do not |", "|---|---|---|"]
    for high, low in _ranges((*PRICE_BOUNDS, float("inf")), float("-inf")):
        shares = [
            f"{sum(low < price <= high for price in found) / max(1, len(found)):.0%}"
            for found in (results["prices"]["fits"], results["prices"]["does not fit"])
        ]
        name = "higher" if high == float("inf") else f"up to {high}"
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def _ranges(bounds: Sequence[float], first: float) -> list[tuple[float, float]]:
    return list(zip(bounds, (first, *bounds[:-1]), strict=True))


if __name__ == "__main__":
    main()
