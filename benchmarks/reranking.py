"""The gain from ranking translations again by the reverse direction, or from the lexicon, and its time.

    python -m benchmarks.reranking SOURCE REFERENCE [SOURCE REFERENCE ...] [--segments N] [--of lexicon] \
        --output FOLDER

Each pair of files is translated in both directions, a line each, with the app's search and with the same search without
`reverse_weight` (or `lexicon`). FOLDER gets `results.json` and `report.md`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from app.models.loading import SEARCH
from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from benchmarks.simulation.data import read_documents
from benchmarks.simulation.protocols import Segment, post_editing
from engine import Request, SearchOptions, Translator
from engine.evaluation.metrics import measure

ARMS = {
    "reverse_weight": {"without": replace(SEARCH, reverse_weight=0.0), "reranked": SEARCH},
    "lexicon": {"without": replace(SEARCH, lexicon=False), "with": SEARCH},
}
Arms = Mapping[str, SearchOptions]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="SOURCE REFERENCE")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--segments", type=int, default=200, help="segments drawn from each file (%(default)s)")
    parser.add_argument("--max-words", type=int, default=40, help="longer segments are left out (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=ARMS, default="reverse_weight", help="the search option (%(default)s)")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    if len(options.files) % 2:
        parser.error(f"there are {len(options.files)} files; each source needs its reference")
    torch.set_num_threads(1)
    translator = Translator.load(options.model, precision="auto")
    results: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {path.name: file_checksum(path) for path in options.files},
        "environment": environment(),
        "commit": commit(),
        "seed": options.seed,
        "search": asdict(SEARCH),
        "rows": [],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    for pair in zip(options.files[::2], options.files[1::2], strict=True):
        for direction in translator.directions[:2]:
            is_reverse = direction != translator.directions[0]
            source, reference = reversed(pair) if is_reverse else pair
            segments = read_documents(
                source, reference, None, direction, options.segments, options.max_words, options.seed
            )
            results["rows"].append(
                {"set": source.name, "direction": direction, **compared(segments, translator, ARMS[options.of])}
            )
            write_json(options.output / "results.json", results)
            print(results["rows"][-1], file=sys.stderr, flush=True)
    report = table(results["rows"], tuple(ARMS[options.of]))
    (options.output / "report.md").write_text(report, encoding="utf-8")
    print(report)


def compared(segments: Sequence[Segment], translator: Translator, arms: Arms) -> dict[str, Any]:
    """Number of segments, how many get another best translation, and the figures of each arm."""
    answers = {arm: answered(segments, translator, search) for arm, search in arms.items()}
    before, after = (texts for texts, _ in answers.values())
    goals = [segment.goal for segment in segments]
    figures = {}
    for arm, (own, milliseconds) in answers.items():
        found = measure(("bleu", "chrf"), own, goals, segments[0].direction.split("-")[1])
        seconds = sum(post_editing(text, goal).seconds for text, goal in zip(own, goals, strict=True))
        figures[arm] = {
            "bleu": round(found["bleu"][0], 2),
            "chrf": round(found["chrf"][0], 2),
            "post_editing_seconds": round(seconds, 1),
            "milliseconds": round(milliseconds, 1),
        }
    num_changed = sum(one != other for one, other in zip(before, after, strict=True))
    return {"segments": len(segments), "changed": num_changed, **figures}


def answered(segments: Sequence[Segment], translator: Translator, search: SearchOptions) -> tuple[list[str], float]:
    """The best translation of each segment, and the milliseconds of processor time of one."""
    requests = [Request(segment.source, segment.direction) for segment in segments]
    started = time.process_time()
    found = [*translator.translate_all(requests, search)]
    spent = time.process_time() - started
    texts = [" ".join(one.hypotheses[0].text.split()) if one.hypotheses else "" for one in found]
    return texts, 1000 * spent / len(requests)


def table(rows: Sequence[dict[str, Any]], arms: tuple[str, ...]) -> str:
    """The figures in Markdown; each cell has those of both arms."""
    lines = [
        "| set | direction | segments | changed | BLEU | chrF | time to post-edit, ratio | processor time, ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        old, new = (row[arm] for arm in arms)
        both = (f"{old[name]:.1f} → {new[name]:.1f}" for name in ("bleu", "chrf"))
        ratios = (f"{new[name] / old[name]:.3f}" for name in ("post_editing_seconds", "milliseconds"))
        cells = (row["set"], row["direction"], str(row["segments"]), str(row["changed"]), *both, *ratios)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
