"""Times of what people do with constraints, compared with CTranslate2 int8 without any on the same weights.

    python -m benchmarks.constraints_against_ctranslate2 [--sentences N] [--rounds N] [--output FOLDER]

Runs in the environment of `latency.py`. Both search one sentence on one thread for the same number of steps: Pinpoint
in 8 bits from text to text, with the word alignment of all hypotheses; CTranslate2 from pieces to pieces. Calls take
turns, and times are processor time, so that other programs on the machine disturb little. A document is translated as
one batch by both, without constraints, on one thread and on two. Other words for a word have no counterpart in
CTranslate2. Writes results.json and prints tables.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.collector import keep_modules_out_of_collections
from benchmarks.latency import ROOT, Peer, in_precision, sample_sentences
from benchmarks.paper_dba import commit, environment, write_json
from benchmarks.speed.timing import interleave
from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator
from engine.model import load_model
from engine.threads import set_num_threads

COUNTS = (1, 3, 10)  # constraint tokens
NONE = "none"
KNOWN, UNKNOWN, COMPLETION = "follow, the pin has its place", "follow, the pin has no place", "half is given"
BANNED, LIMITED = "a word is banned", "a pin occurs at most once"
OF_PEOPLE = (KNOWN, UNKNOWN, COMPLETION, BANNED, LIMITED)
DOCUMENT_BEAM, NUM_ALTERNATIVES = 5, 8


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if importlib.util.find_spec("ctranslate2") is None:
        print(
            "constraints_against_ctranslate2: ctranslate2 is not installed here; run this in the environment of "
            "benchmarks/README.md",
            file=sys.stderr,
        )
        return 1
    set_num_threads(1)
    facts = {**environment(), "ctranslate2": version("ctranslate2"), "commit": commit()}
    model = load_model(options.model)
    translator = Translator(in_precision(model, "int8"))
    sentences = sample_sentences(options.sentences)
    keep_modules_out_of_collections()  # as the app does
    with tempfile.TemporaryDirectory() as scratch:
        peer = Peer(model, Path(scratch) / "model")
        rows = [row for sentence in sentences for row in rows_of(sentence, translator, peer, options)]
        documents = [document_of(sentences, translator, peer, threads, options.rounds) for threads in (1, 2)]
    set_num_threads(1)
    alternatives = [alternatives_ms(sentence, translator, options) for sentence in sentences]
    cells = cells_of(rows)
    results = {
        "environment": facts,
        "settings": {
            "model": options.model.name,
            "model_checksum": model.checksum,
            "decoder": translator.decoder,
            "sentences": sentences,
            "rounds": options.rounds,
            "beam": options.beam,
            "nbest": options.nbest,
        },
        "cells": cells,
        "documents": documents,
        "alternatives_cpu_ms": alternatives,
        "runs": rows,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    print(table_of(cells), table_of_documents(documents), sep="\n\n")
    print(f"\nOther words for a word: {statistics.median(alternatives):.1f} ms (median)")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.constraints_against_ctranslate2", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--model", type=Path, default=ROOT / "data" / "models" / "en-de", help="folder (%(default)s)")
    parser.add_argument("--sentences", type=int, default=10, help="sentences of the sample document (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each call, in turn (%(default)s)")
    parser.add_argument("--beam", type=int, default=10, help="of both searches (%(default)s)")
    parser.add_argument("--nbest", type=int, default=5, help="hypotheses that are aligned (%(default)s)")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "benchmarks" / "results" / "constraints_against_ctranslate2",
        help="folder for results.json (%(default)s)",
    )
    return parser.parse_args(arguments)


def rows_of(sentence: str, translator: Translator, peer: Peer, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The times of each kind of request for a sentence, which is translated without pins and with another pin before.

    Without constraints, nothing is known of the sentence. What is learned of the constraints themselves is forgotten
    before each run.
    """
    settings = SearchOptions(beam=options.beam, nbest=options.nbest)
    model, free = peer.model, Request(sentence)
    source = model.source_ids(model.codec.encode(sentence).ids, model.config.directions[0])
    proposal = translator.translate(free, settings).hypotheses
    words = sorted({word.strip('.,:;()"') for one in proposal for word in one.text.split()} - {""})
    random.Random(1).shuffle(words)
    other = Request(sentence, phrases=(Phrase(words[-1]),))
    requests = {NONE: free}
    for count in COUNTS:
        if (pins := pins_of(words[:-1], count, lambda word: len(model.codec.encode(word).ids))) is not None:
            requests[str(count)] = Request(sentence, phrases=pins)
    text, pin = proposal[0].text, (Phrase(words[0]),)
    in_place = text.replace(min(text.split(), key=len), words[0], 1)
    requests[KNOWN] = Request(sentence, phrases=pin, follow=Follow(in_place))
    requests[UNKNOWN] = Request(sentence, phrases=pin, follow=Follow(text))
    requests[COMPLETION] = Request(sentence, prefix=text[: len(text) // 2])
    requests[BANNED] = Request(sentence, avoid=(Avoid(max(text.split(), key=len).strip('.,:;()"')),))
    requests[LIMITED] = Request(sentence, phrases=(Phrase(words[0], max_count=1),))
    for kind, request in requests.items():
        expected = translator.translate(request, settings)

        def prepare(is_free: bool = kind == NONE) -> None:
            forget(translator)
            for earlier in () if is_free else (free, other):
                translator.translate(earlier, settings)

        calls: dict[str, Callable[[], object]] = {
            "pinpoint": lambda request=request: translator.translate(request, settings),  # type: ignore[misc]
            "ctranslate2": peer.call("int8", 1, [source], options.beam, expected.num_steps),
        }
        times = interleave(calls, options.rounds, {"pinpoint": prepare})
        yield {
            "kind": kind,
            "sentence": sentence,
            "pins": [phrase.text for phrase in request.phrases],
            "status": expected.status,
            "num_steps": expected.num_steps,
            **{f"{name}_cpu_ms": [round(ms, 3) for ms in found.cpu_ms] for name, found in times.items()},
            "ratio": times["pinpoint"].best_cpu_ms / times["ctranslate2"].best_cpu_ms,
        }


def forget(translator: Translator) -> None:
    """Forget all sources, constraints and answers to questions."""
    translator.__dict__.pop("_known_answers", None)
    translator.pipeline.forget_sources()
    for search in translator._compiled_searches:
        search._kept.clear()


def document_of(
    sentences: Sequence[str], translator: Translator, peer: Peer, threads: int, rounds: int
) -> dict[str, Any]:
    """Sentences a second of a whole document: text to text for us, pieces to pieces for CTranslate2."""
    set_num_threads(threads)
    model, requests = peer.model, [Request(sentence) for sentence in sentences]
    sources = [model.source_ids(model.codec.encode(sentence).ids, model.config.directions[0]) for sentence in sentences]
    settings = SearchOptions(beam=DOCUMENT_BEAM, nbest=1)
    calls: dict[str, Callable[[], object]] = {
        "pinpoint": lambda: list(translator.translate_all(requests, settings)),
        "ctranslate2": peer.call("int8", threads, sources, DOCUMENT_BEAM),
    }
    times = interleave(calls, rounds, {"pinpoint": lambda: forget(translator)})
    rates = {f"{name}_per_cpu_s": 1000 * len(sentences) / found.best_cpu_ms for name, found in times.items()}
    rates |= {f"{name}_per_s": 1000 * len(sentences) / found.best_ms for name, found in times.items()}
    return {"threads": threads, "sentences": len(sentences), **rates}


def alternatives_ms(sentence: str, translator: Translator, options: argparse.Namespace) -> float:
    """Processor time of the first question for other words for a word in the middle of a translation."""
    settings, request = SearchOptions(beam=options.beam, nbest=options.nbest), Request(sentence)
    found = translator.translate(request, settings).hypotheses[0]

    def prepare() -> None:
        forget(translator)
        translator.translate(request, settings)

    words = found.text.split()
    offset = len(" ".join(words[: len(words) // 2])) + 1
    call = {"pinpoint": lambda: translator.alternatives(request, found, offset, NUM_ALTERNATIVES, settings)}
    return interleave(call, options.rounds, {"pinpoint": prepare})["pinpoint"].best_cpu_ms


def pins_of(words: Sequence[str], count: int, num_tokens: Callable[[str], int]) -> tuple[Phrase, ...] | None:
    """The first words that make exactly `count` constraint tokens; None if none do."""
    pins, total = [], 0
    for word in words:
        if total + num_tokens(word) <= count:
            pins.append(Phrase(word))
            total += num_tokens(word)
    return tuple(pins) if total == count else None


def cells_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The medians of each kind of request; of a request the least of its rounds counts."""
    cells = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        cells.append(
            {
                "kind": kind,
                "sentences": len(own),
                "steps": statistics.median(row["num_steps"] for row in own),
                "pinpoint_cpu_ms": statistics.median(min(row["pinpoint_cpu_ms"]) for row in own),
                "ctranslate2_cpu_ms": statistics.median(min(row["ctranslate2_cpu_ms"]) for row in own),
                "ratio": statistics.median(row["ratio"] for row in own),
            }
        )
    return cells


def table_of(cells: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| constraints (numbers: tokens) | sentences | steps | Pinpoint, ms | CTranslate2 int8, ms | ratio |",
        "|---" * 6 + "|",
    ]
    for cell in cells:
        times = f"{cell['pinpoint_cpu_ms']:.1f} | {cell['ctranslate2_cpu_ms']:.1f} | {cell['ratio']:.2f}"
        lines.append(f"| {cell['kind']} | {cell['sentences']} | {cell['steps']:g} | {times} |")
    return "\n".join(lines)


def table_of_documents(documents: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| threads | Pinpoint, sentences/s | CTranslate2 int8 | Pinpoint, sentences/s of CPU time | CTranslate2 |",
        "|---" * 5 + "|",
    ]
    for one in documents:
        rates = [one[f"{name}_{per}"] for per in ("per_s", "per_cpu_s") for name in ("pinpoint", "ctranslate2")]
        lines.append(f"| {one['threads']} | " + " | ".join(f"{rate:.0f}" for rate in rates) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
