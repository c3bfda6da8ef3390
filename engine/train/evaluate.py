"""Translates held-out sets with the engine, as a user would, and scores them."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.errors import TrainingError
from engine.request import Request, SearchOptions
from engine.train.corpus import read_set
from engine.train.scores import Score, score
from engine.translator import Translator


def evaluate(
    model: Path,
    corpus: Path,
    set_name: str,
    direction: str = "en-de",
    beam: int = 5,
    limit: int | None = None,
    outputs_folder: Path | None = None,
) -> Score:
    """Translate one set and score it; the translations go to `outputs_folder`, one a line, if it is given."""
    source, _, target = direction.partition("-")
    pairs = read_set(corpus, set_name, (source, target))[:limit]
    translator = Translator.load(model)
    requests = [Request(text, direction=direction) for text, _ in pairs]
    outputs: list[str] = []
    for number, translation in enumerate(
        translator.translate_all(requests, SearchOptions(beam=beam, nbest=1)), start=1
    ):
        if not translation.hypotheses:
            reasons = "; ".join(reason.message for reason in translation.reasons)
            raise TrainingError(f"{set_name} line {number}: {translation.status} ({reasons})")
        outputs.append(translation.hypotheses[0].text)
        if number % 500 == 0:
            print(f"  {set_name}: {number:,} of {len(pairs):,}", file=sys.stderr, flush=True)
    if outputs_folder:
        outputs_folder.mkdir(parents=True, exist_ok=True)
        path = outputs_folder / f"{set_name.replace('/', '.')}.{direction}.txt"
        path.write_text("".join(line.replace("\n", " ") + "\n" for line in outputs), encoding="utf-8")
    return score(set_name, direction, beam, outputs, [reference for _, reference in pairs])
