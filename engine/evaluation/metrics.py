"""Translations against their references, by sacrebleu, with the signature of every setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.text import short_code

Metric = Literal["bleu", "chrf", "ter"]
# BLEU's tokeniser by target language; 13a, the default, would treat a whole sentence without spaces as one word
_WITHOUT_SPACES = {
    **dict.fromkeys(("zh", "cmn", "yue"), "zh"),
    **dict.fromkeys(("ja", "ko", "th", "lo", "km", "my", "bo", "dz"), "char"),
}
# TER counts edits of characters in these languages. sacrebleu 2.6.0 ignores `asian_support` without `normalized`,
# although its README says otherwise; a sentence would be one word. See findings/sacrebleu-asian-support-alone.sh.
_TER_OF_CHARACTERS = frozenset({"zh", "cmn", "yue", "ja"})


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a set: BLEU and chrF, 0 to 100, higher is better; TER, edits per 100 words, lower is better.

    TER counts the words of the references; in Chinese and Japanese, their characters.
    """

    bleu: float
    chrf: float
    ter: float
    signatures: dict[str, str]


def score(outputs: Sequence[str], references: Sequence[str], target_language: str = "") -> Scores:
    """Compare translations with one reference each."""
    found = measure(("bleu", "chrf", "ter"), outputs, references, target_language)
    values = {metric: value for metric, (value, _) in found.items()}
    return Scores(**values, signatures={metric: signature for metric, (_, signature) in found.items()})


def measure(
    metrics: Sequence[Metric], outputs: Sequence[str], references: Sequence[str], target_language: str = ""
) -> dict[Metric, tuple[float, str]]:
    """Value and signature of each metric; TER takes far longer than the others."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    language = short_code(target_language)  # by whichever of its codes
    splits = language in _TER_OF_CHARACTERS
    makers: dict[Metric, Callable[[], Any]] = {
        "bleu": lambda: BLEU(tokenize=_WITHOUT_SPACES.get(language, "13a")),
        "chrf": CHRF,
        "ter": lambda: TER(normalized=splits, asian_support=splits),
    }
    found: dict[Metric, tuple[float, str]] = {}
    for name in metrics:
        metric = makers[name]()
        value = float(metric.corpus_score(list(outputs), [list(references)]).score)
        found[name] = value, str(metric.get_signature())
    return found
