"""Translates held-out sets with the engine, as a user would, and scores them with BLEU and chrF."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import TrainingError
from engine.evaluation import measure
from engine.request import Request
from engine.search_options import SearchOptions
from engine.train.corpus import read_set
from engine.translator import Translator


@dataclass(frozen=True, slots=True)
class SetScore:
    """Scores of one set, 0 to 100, higher is better; `signatures` are sacrebleu's, BLEU's first."""

    set_name: str
    direction: str
    num_lines: int
    beam: int
    bleu: float
    chrf: float
    signatures: tuple[str, str]

    @property
    def line(self) -> str:
        return (
            f"{self.set_name} {self.direction}: BLEU {self.bleu:.1f} [{self.signatures[0]}]  "
            f"chrF {self.chrf:.1f} [{self.signatures[1]}]"
        )


def score(set_name: str, direction: str, beam: int, outputs: Sequence[str], references: Sequence[str]) -> SetScore:
    """Compare translations with their references."""
    try:
        found = measure(("bleu", "chrf"), outputs, references, direction.partition("-")[2])
    except ImportError:
        raise TrainingError("evaluating needs sacrebleu; install it: pip install -r requirements.txt") from None
    (bleu, bleu_signature), (chrf, chrf_signature) = found["bleu"], found["chrf"]
    signatures = (f"BLEU {bleu_signature}", f"chrF {chrf_signature}")
    return SetScore(set_name, direction, len(outputs), beam, bleu, chrf, signatures)


def evaluate(
    model: Path,
    corpus: Path,
    set_name: str,
    direction: str = "en-de",
    beam: int = 5,
    limit: int | None = None,
    outputs_folder: Path | None = None,
) -> SetScore:
    """Translate one set and score it; the translations go to `outputs_folder`, one a line, if it is given."""
    source, _, target = direction.partition("-")
    pairs = read_set(corpus, set_name, (source, target))[:limit]
    translator = Translator.load(model, num_threads=None)
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
