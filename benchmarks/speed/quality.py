"""Loss of BLEU by 8-bit weights, on the same sentences as with 32 bits.

    python -m benchmarks.speed.quality SOURCE REFERENCE [--model FOLDER] [--limit N] [--output FOLDER]

"int8" is what `Translator.load(..., precision="int8")` gives of a model without ranges of activations, "int8,
calibrated" of one with them, if this one has them; "throughout" rounds the small products of the decoder too, as they
would be in a larger model.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import sacrebleu
import torch

from benchmarks.paper_dba import commit, environment, file_checksum, write_json
from engine import Request, SearchOptions, Translator
from engine.model import LoadedModel, load_model
from engine.model.packed_weights import SMALLEST_PACKED, pack
from engine.model.transformer import Precision

VARIANTS: tuple[tuple[str, Precision, int, bool], ...] = (
    ("float32", "float32", SMALLEST_PACKED, False),
    ("int8", "int8", SMALLEST_PACKED, False),
    ("int8 throughout", "int8", 1, False),
    ("int8, calibrated", "int8", SMALLEST_PACKED, True),
    ("int8, calibrated, throughout", "int8", 1, True),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.quality")
    parser.add_argument("source", type=Path, help="source sentences, one a line")
    parser.add_argument("reference", type=Path, help="their translations")
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument("--limit", type=int, help="only the first N lines")
    parser.add_argument("--beam", type=int, default=5, help="beam size (%(default)s)")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    sources, references = (
        path.read_text(encoding="utf-8").splitlines()[: options.limit] for path in (options.source, options.reference)
    )
    outputs: dict[str, list[str]] = {}
    bleu: dict[str, float] = {}
    model = load_model(options.model)
    for name, precision, smallest, is_calibrated in VARIANTS:
        if is_calibrated and model.ranges is None:
            print(f"{name}: no activations.json; `python -m engine.train calibrate` writes it")
            continue
        transformer = copy.deepcopy(model.transformer)
        pack(transformer, precision, smallest, model.ranges if is_calibrated else None)
        outputs[name] = translate(replace(model, transformer=transformer), sources, options.beam)
        bleu[name] = sacrebleu.corpus_bleu(outputs[name], [references]).score
        num_same = sum(mine == plain for mine, plain in zip(outputs[name], outputs["float32"], strict=True))
        share = 100 * num_same / len(sources)
        print(f"{name}: BLEU {bleu[name]:.2f}, {share:.1f} % of {len(sources)} outputs as in float32", flush=True)
    if options.output:
        results = {
            "settings": {
                "model": options.model.name,
                "model_checksum": model.checksum,
                "source": {"name": options.source.name, "sha256": file_checksum(options.source)},
                "num_lines": len(sources),
                "beam": options.beam,
            },
            "environment": environment(),
            "commit": commit(),
            "bleu": bleu,
        }
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results, indent=1)


def translate(model: LoadedModel, sources: Sequence[str], beam: int) -> list[str]:
    """The best translation of each source."""
    translator = Translator(model)
    found = translator.translate_all((Request(source) for source in sources), SearchOptions(beam=beam, nbest=1))
    return [translation.hypotheses[0].text for translation in found]


if __name__ == "__main__":
    main()
