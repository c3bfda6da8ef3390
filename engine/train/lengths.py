"""A model's bounded length reward (Huang et al. 2017, section 4): ratio and reward, estimated on a held-out set."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import TrainingError
from engine.model import load_model
from engine.model.checkpoint import CONFIG
from engine.model.config import ModelConfig
from engine.request import Request
from engine.search.stopping import Scoring
from engine.search_options import MAX_NBEST, SearchOptions
from engine.train.corpus import read_set
from engine.translation import Hypothesis
from engine.translator import Translator

REWARDS = tuple(round(0.1 * tenths, 1) for tenths in range(21))


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one reward: BLEU, 0 to 100, and output words per reference word."""

    reward: float
    bleu: float
    length_ratio: float


@dataclass(frozen=True, slots=True)
class LengthEstimate:
    """`ratio` is target pieces per source piece of the set; the best trial's reward is the model's."""

    direction: str
    ratio: float
    trials: tuple[Trial, ...]

    @property
    def best(self) -> Trial:
        """The trial of highest BLEU, of equals the one of the least reward."""
        return max(self.trials, key=lambda trial: (trial.bleu, -trial.reward))

    @property
    def table(self) -> str:
        """The paper's table 2 in Markdown."""
        rows = [f"| {t.reward:g} | {t.bleu:.2f} | {t.length_ratio:.3f} |" for t in self.trials]
        return "\n".join(["| reward | BLEU | length ratio |", "|---|---|---|", *rows])


def estimate_lengths(
    model: Path,
    corpus: Path,
    set_name: str,
    direction: str = "en-de",
    beam: int = 10,
    limit: int | None = None,
    rewards: Sequence[float] = REWARDS,
) -> LengthEstimate:
    """Try every reward on one set.

    The set is decoded once, until no hypothesis is left. The finished hypotheses do not depend on the reward. For each
    reward, the answer of the search is the best of them (by the theorem of the certificate), with the likeliest pieces
    of each text.
    """
    source, _, target = direction.partition("-")
    pairs = read_set(corpus, set_name, (source, target))[:limit]
    loaded = load_model(model)
    num_source_pieces = [len(loaded.codec.encode(text).ids) for text, _ in pairs]
    num_target_pieces = [len(loaded.codec.encode(text).ids) for _, text in pairs]
    ratio = sum(num_target_pieces) / max(1, sum(num_source_pieces))
    requests = [Request(text, direction=direction, split_sentences=False) for text, _ in pairs]
    finished = list(_finished(Translator(loaded), requests, beam, set_name))
    trials = []
    for reward in rewards:
        outputs = []
        for hypotheses, num_pieces in zip(finished, num_source_pieces, strict=True):
            scoring = Scoring("bounded_length_reward", reward, ratio * num_pieces)
            outputs.append(max(hypotheses, key=lambda found: scoring.score(found.log_prob, len(found.tokens))).text)
        bleu, length_ratio = _bleu(outputs, [reference for _, reference in pairs])
        trials.append(Trial(reward, bleu, length_ratio))
    return LengthEstimate(direction, ratio, tuple(trials))


def store_lengths(model: Path, estimate: LengthEstimate) -> None:
    """Write ratio and reward into the model's configuration."""
    path = model / CONFIG
    config = ModelConfig.load(path)
    config = replace(
        config,
        length_ratios={**config.length_ratios, estimate.direction: estimate.ratio},
        length_rewards={**config.length_rewards, estimate.direction: estimate.best.reward},
    )
    partial = path.with_name(f"{path.name}.partial")
    config.save(partial)
    os.replace(partial, path)


def _finished(
    translator: Translator, requests: Sequence[Request], beam: int, set_name: str
) -> Iterator[tuple[Hypothesis, ...]]:
    """All finished hypotheses of each request."""
    options = SearchOptions(beam=beam, nbest=MAX_NBEST, stopping="all_finished", score="log_prob")
    for number, translation in enumerate(translator.translate_all(requests, options), start=1):
        if translation.status != "complete":
            reasons = "; ".join(reason.message for reason in translation.reasons)
            raise TrainingError(f"{set_name} line {number}: {translation.status} ({reasons})")
        yield translation.hypotheses
        if number % 100 == 0:
            print(f"  {set_name}: {number:,} of {len(requests):,}", file=sys.stderr, flush=True)


def _bleu(outputs: Sequence[str], references: Sequence[str]) -> tuple[float, float]:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise TrainingError("estimating needs sacrebleu; install it: pip install -r requirements.txt") from None
    score = BLEU().corpus_score(list(outputs), [list(references)])
    return score.score, score.ratio
