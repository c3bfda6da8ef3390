"""What an evaluation gives: BLEU and chrF of one set with the signature of every setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import TrainingError
from engine.evaluation import measure


@dataclass(frozen=True, slots=True)
class Score:
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


def score(set_name: str, direction: str, beam: int, outputs: Sequence[str], references: Sequence[str]) -> Score:
    """Compare translations with their references."""
    try:
        found = measure(("bleu", "chrf"), outputs, references, direction.partition("-")[2])
    except ImportError:
        raise TrainingError("evaluating needs sacrebleu; install it: pip install -r requirements.txt") from None
    (bleu, bleu_signature), (chrf, chrf_signature) = found["bleu"], found["chrf"]
    signatures = (f"BLEU {bleu_signature}", f"chrF {chrf_signature}")
    return Score(set_name, direction, len(outputs), beam, bleu, chrf, signatures)
