"""Translations against their references, by sacrebleu, with the signature of every setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WITHOUT_SPACES = {"zh": "zh", "ja": "char", "ko": "char", "th": "char"}  # the tokeniser of BLEU, by target language


@dataclass(frozen=True, slots=True)
class Scores:
    """Of a whole set: BLEU and chrF, 0 to 100, higher is better; TER, edits per 100 words of reference, lower is."""

    bleu: float
    chrf: float
    ter: float
    signatures: dict[str, str]


def score(outputs: Sequence[str], references: Sequence[str], target_language: str = "") -> Scores:
    """Compare translations with one reference each."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    metrics = {"bleu": BLEU(tokenize=_WITHOUT_SPACES.get(target_language, "13a")), "chrf": CHRF(), "ter": TER()}
    found = {name: float(metric.corpus_score(outputs, [references]).score) for name, metric in metrics.items()}
    return Scores(**found, signatures={name: str(metric.get_signature()) for name, metric in metrics.items()})
