"""Loss of BLEU by decoding in the compiled core, with weights in 8 bits, on the same sentences as PyTorch in 32 bits.

    python -m benchmarks.speed.quality SOURCE REFERENCE [SOURCE REFERENCE ...] [--limit N] [--output FOLDER]

It also measures the processor time of both. The core must have been built (`python -m engine.compiled.build`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from engine import Request, SearchOptions, Translator


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.quality")
    parser.add_argument("files", type=Path, nargs="+", help="source sentences, one a line, and their translations")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--limit", type=int, help="only the first N lines of each file")
    parser.add_argument("--beam", type=int, default=5, help="beam size (%(default)s)")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    options = parser.parse_args(arguments)
    if len(options.files) % 2:
        parser.error("each file of source sentences needs one with their translations")
    torch.set_num_threads(1)
    translators = {
        "float32": Translator.load(options.model),
        "core": Translator.load(options.model, precision="int8"),
    }
    if not translators["core"].decoder.startswith("compiled"):
        parser.error(f"the core does not decode this model here: {translators['core'].decoder}")
    sets = []
    for source, reference in zip(options.files[::2], options.files[1::2], strict=True):
        sets.append(measured(translators, source, reference, options.limit, options.beam))
        print(shown(sets[-1]), flush=True)
    if options.output:
        results = {
            "settings": {
                "model": options.model.name,
                "model_checksum": translators["core"].checksum,
                "decoder": translators["core"].decoder,
                "beam": options.beam,
            },
            "environment": environment(),
            "commit": commit(),
            "sets": sets,
        }
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results, indent=1)


def measured(
    translators: dict[str, Translator], source: Path, reference: Path, limit: int | None, beam: int
) -> dict[str, Any]:
    """BLEU and seconds of processor time of each translator on one test set, and the share of equal translations."""
    sources, references = (path.read_text(encoding="utf-8").splitlines()[:limit] for path in (source, reference))
    outputs, bleu, seconds = {}, {}, {}
    for name, translator in translators.items():
        started = time.process_time()
        outputs[name] = translate(translator, sources, beam)
        seconds[name] = round(time.process_time() - started, 1)
        bleu[name] = sacrebleu.corpus_bleu(outputs[name], [references]).score
    num_same = sum(mine == other for mine, other in zip(*outputs.values(), strict=True))
    return {
        "source": {"name": source.name, "sha256": file_checksum(source)},
        "num_lines": len(sources),
        "bleu": bleu,
        "seconds": seconds,
        "share_same": num_same / len(sources),
    }


def shown(results: dict[str, Any]) -> str:
    bleu, seconds = results["bleu"], results["seconds"]
    figures = [f"{name}: BLEU {bleu[name]:.2f} in {seconds[name]:.0f} s" for name in bleu]
    return f"{results['source']['name']}, {results['num_lines']} lines: {', '.join(figures)}"


def translate(translator: Translator, sources: Sequence[str], beam: int) -> list[str]:
    """The best translation of each source."""
    found = translator.translate_all((Request(source) for source in sources), SearchOptions(beam=beam, nbest=1))
    return [translation.hypotheses[0].text for translation in found]


if __name__ == "__main__":
    main()
