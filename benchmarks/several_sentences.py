"""Lines of several sentences: the whole line decoded as one sentence against each sentence decoded alone.

    python -m benchmarks.several_sentences FOLDER [--lines N] [--singles N] --output RESULTS

FOLDER has test sets, pairs of files NAME.LANGUAGE with a segment on each line, in the languages of the model. Each set
is translated in every direction of the model: the lines of several sentences both ways, and some lines of one sentence,
whose translations must be equal. RESULTS gets `results.json` and `report.md`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from engine import Request, SearchOptions, Translator
from engine.sentences.splitting import sentences_of

OPTIONS = SearchOptions(nbest=1)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--lines", type=int, default=100, help="lines of several sentences of each set (%(default)s)")
    parser.add_argument("--singles", type=int, default=20, help="lines of one sentence of each set (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model, precision="auto")
    results: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum, "precision": translator.precision},
        "files": {},
        "environment": environment(),
        "commit": commit(),
        "seed": options.seed,
        "search": asdict(OPTIONS),
        "rows": [],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    for direction in translator.directions:
        source_language, target_language = direction.split("-")
        for source in sorted(options.folder.glob(f"*.{source_language}")):
            reference = source.with_suffix(f".{target_language}")
            if not reference.exists():
                continue
            results["files"] |= {path.name: file_checksum(path) for path in (source, reference)}
            texts = [path.read_text(encoding="utf-8").splitlines() for path in (source, reference)]
            pairs = [pair for pair in zip(*texts, strict=True) if all(map(str.strip, pair))]
            random.Random(options.seed).shuffle(pairs)
            row = compared(translator, direction, pairs, options.lines, options.singles)
            if row["lines"]:
                results["rows"].append({"set": source.stem, "direction": direction, **row})
                print(results["rows"][-1], file=sys.stderr, flush=True)
                write_json(options.output / "results.json", results)
    report = table(results["rows"])
    (options.output / "report.md").write_text(report, encoding="utf-8")
    print(report)


def compared(
    translator: Translator, direction: str, pairs: Sequence[tuple[str, str]], num_lines: int, num_singles: int
) -> dict[str, Any]:
    """The figures of both ways for lines of several sentences, and how many lines of one sentence differ."""
    several, single = [], []
    for source, reference in pairs:
        request = Request(source, direction)
        (several if len(sentences_of(request, direction)) > 1 else single).append((request, reference))
    several_in_set = len(several)
    several, single = several[:num_lines], single[:num_singles]
    references = [reference for _, reference in several]
    figures: dict[str, Any] = {}
    for way, split in (("whole", False), ("by sentence", True)):
        requests = [replace(request, split_sentences=split) for request, _ in several]
        started = time.process_time()
        found = [*translator.translate_all(requests, OPTIONS)]
        seconds = time.process_time() - started
        outputs = [" ".join(one.hypotheses[0].text.split()) if one.hypotheses else "" for one in found]
        if outputs:
            bleu = sacrebleu.corpus_bleu(outputs, [references])
            figures[way] = {
                "bleu": round(bleu.score, 2),
                "length_ratio": round(bleu.sys_len / bleu.ref_len, 3),
                "untranslated": sum(not output for output in outputs),
                "milliseconds": round(1000 * seconds / len(outputs), 1),
            }
    ways = (translator.translate(replace(request, split_sentences=split), OPTIONS) for request, _ in single
            for split in (True, False))  # fmt: skip
    answers = [[hypothesis.text for hypothesis in one.hypotheses] for one in ways]
    num_different = sum(one != other for one, other in zip(answers[::2], answers[1::2], strict=True))
    return {
        "lines": len(several),
        "several_in_set": several_in_set,
        "lines_in_set": len(pairs),
        "singles": len(single),
        "singles_different": num_different,
        **figures,
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The figures in Markdown; each cell has those of both ways."""
    lines = [
        "| set | direction | several sentences | BLEU | length ratio | processor time, ratio | single, different |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        old, new = row["whole"], row["by sentence"]
        share = f"{row['lines']} of {row['several_in_set']} in {row['lines_in_set']}"
        bleu = f"{old['bleu']:.1f} → {new['bleu']:.1f}"
        ratio = f"{old['length_ratio']:.2f} → {new['length_ratio']:.2f}"
        seconds = f"{new['milliseconds'] / old['milliseconds']:.2f}"
        different = f"{row['singles_different']} of {row['singles']}"
        cells = (row["set"], row["direction"], share, bleu, ratio, seconds, different)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
