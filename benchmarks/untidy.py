"""Untidy texts: how many sentences have the translation of the plain sentence, and what reading a sentence costs.

    python -m benchmarks.untidy --source test.en news.en --direction en-de --output FOLDER

Each sentence of a sample is translated as it is and in six untidy forms: with doubled spaces, tabs, no-break spaces,
line breaks, full-width letters, and in capitals. Translations are equal letter by letter; of capitals, without case. In
capitals, a text loses the case of its words: for comparison, the plain sentence is translated with small letters after
the first. Writes results.json to FOLDER.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from benchmarks.programs import run_program
from engine import Request, SearchOptions, Translator
from engine.decoding.reading import RequestReader
from engine.text.normalisation import normalise_with_offsets

UNTIDY: dict[str, Callable[[str], str]] = {
    "doubled spaces": lambda text: text.replace(" ", "  "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "line breaks": lambda text: text.replace(" ", "\n"),
    "full-width letters": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "capitals": str.upper,
}
MIN_WORDS, MAX_WORDS = 4, 30
ROUNDS = 20  # of reading all sentences


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program("untidy", parse(arguments), run)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    description = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.untidy", description=description)
    parser.add_argument("--source", type=Path, nargs="+", required=True, help="sentences, one a line, UTF-8")
    parser.add_argument("--direction", default="en-de", help="of all sources (%(default)s)")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    parser.add_argument("--sentences", type=int, default=200, help="number of sentences of each file (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (%(default)s)")
    parser.add_argument("--beam", type=int, default=SearchOptions().beam, help="(%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch; 0: its own choice (%(default)s)")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    translator = Translator.load(options.model, num_threads=None)
    results: dict[str, Any] = {
        "commit": commit(),
        "machine": environment(),
        "model": translator.checksum,
        "direction": options.direction,
        "seed": options.seed,
        "sentences": options.sentences,
        "beam": options.beam,
        "sources": {path.name: file_checksum(path) for path in options.source},
        "shares": {},
    }
    everything: list[str] = []
    for path in options.source:
        sentences = sample(path, options.sentences, options.seed)
        everything += sentences
        results["shares"][path.name] = shares(translator, sentences, options.direction, options.beam)
        print(path.name, results["shares"][path.name], flush=True)
    results["microseconds"] = costs(translator, everything, options.direction, options.beam)
    print(results["microseconds"])
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results)


def sample(path: Path, number: int, seed: int) -> list[str]:
    """Sentences of ordinary length with single spaces, not in capitals, drawn at random."""
    lines = [" ".join(line.split()) for line in path.read_text(encoding="utf-8").splitlines()]
    usual = [line for line in lines if MIN_WORDS <= len(line.split()) <= MAX_WORDS and line != line.upper()]
    return random.Random(seed).sample(usual, min(number, len(usual)))


def shares(translator: Translator, sentences: Sequence[str], direction: str, beam: int) -> dict[str, float]:
    """By untidy form, the share of sentences that have the translation of the plain sentence."""
    plain = translations(translator, sentences, direction, beam)
    found = {}
    for name, untidy in UNTIDY.items():
        others = translations(translator, [untidy(sentence) for sentence in sentences], direction, beam)
        found[name] = share_of_equal(plain, others)
        if name == "capitals":
            small = [sentence[0].upper() + sentence[1:].lower() for sentence in sentences]
            in_small = translations(translator, small, direction, beam)
            found["plain sentence in small letters"] = share_of_equal(plain, in_small)
    return found


def translations(translator: Translator, sentences: Sequence[str], direction: str, beam: int) -> list[str]:
    requests = [Request(sentence, direction) for sentence in sentences]
    found = translator.translate_all(requests, SearchOptions(beam=beam, nbest=1))
    return [translation.hypotheses[0].text if translation.hypotheses else "" for translation in found]


def share_of_equal(plain: Sequence[str], others: Sequence[str]) -> float:
    """Letter by letter, or without case where the other text has no small letters."""
    equal = (
        one == other or (other == other.upper() and one.upper() == other)
        for one, other in zip(plain, others, strict=True)
    )
    return round(sum(equal) / len(plain), 4)


def costs(translator: Translator, sentences: Sequence[str], direction: str, beam: int) -> dict[str, float]:
    """Microseconds of processor time for a plain sentence: reading its request, its pieces, and its translation."""
    codec = translator._codec
    reader = RequestReader(codec, codec, aligns=True)
    requests = [Request(sentence, direction) for sentence in sentences]
    for sentence in sentences:
        codec.encode(sentence)  # fills the cache of words
    return {
        "composition (NFC)": microseconds(lambda: [normalise_with_offsets(text) for text in sentences], sentences),
        "plain form": microseconds(lambda: [codec.normal(text) for text in sentences], sentences),
        "request": microseconds(lambda: [reader.read(request, direction) for request in requests], sentences),
        "pieces": microseconds(lambda: [codec.encode(text) for text in sentences], sentences),
        "translation": microseconds(lambda: translations(translator, sentences, direction, beam), sentences, 1),
    }


def microseconds(work: Callable[[], object], sentences: Sequence[str], num_rounds: int = ROUNDS) -> float:
    """The median of some rounds, for one sentence."""
    rounds = []
    for _ in range(num_rounds):
        started = time.process_time()
        work()
        rounds.append(time.process_time() - started)
    return round(1e6 * statistics.median(rounds) / len(sentences), 2)


if __name__ == "__main__":
    sys.exit(main())
