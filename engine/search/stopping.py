"""Scores that rank hypotheses, and when a sentence's search may stop (Huang et al. 2017).

In all stopping rules a finished hypothesis leaves the beam and its place is filled again, except that "shrinking"
(Bahdanau et al. 2014) removes the place. All rows of a step have the same length, so the best row by log-probability is
also the best by any score.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequest
from engine.search.finished import FinishedPool, SearchHypothesis
from engine.search_options import Score, SearchOptions


@dataclass(frozen=True, slots=True)
class Scoring:
    """The score of one sentence's hypotheses. Lengths are in tokens, the end included.

    "bounded_length_reward" is log_prob + reward * min(length, target_length): each token adds the reward until the
    translation has the expected length for its source (section 4 of the paper).
    """

    kind: Score = "normalised"
    reward: float = 0.0
    target_length: float = 0.0

    @classmethod
    def of(cls, options: SearchOptions, num_source_pieces: int, ratio: float | None, reward: float | None) -> Scoring:
        """The scoring for a source of `num_source_pieces`; the options override the model's `ratio` and `reward`.

        Raises InvalidRequest if the score needs one of them and neither the model nor the options have it.
        """
        if options.score != "bounded_length_reward":
            return cls(options.score)
        reward = options.length_reward if options.length_reward is not None else reward
        ratio = options.length_ratio if options.length_ratio is not None else ratio
        for name, value in (("length_reward", reward), ("length_ratio", ratio)):
            if value is None:
                raise InvalidRequest(
                    f"score is 'bounded_length_reward', but this model has no {name} for this direction; give "
                    f"{name} in the options, or estimate it: python -m engine.train lengths MODEL CORPUS --set SET"
                )
        assert reward is not None
        assert ratio is not None
        return cls(options.score, reward, ratio * num_source_pieces)

    def score(self, log_prob: float, length: int) -> float:
        """The score of a hypothesis; it rises with either argument.

        So `score(log_prob, max_length)` bounds every continuation of a row: further tokens only lower the
        log-probability. For "log_prob" this is the paper's equation 2, for the bounded length reward its equation 4.
        For the normalised score the bound is loose, but a lower one is not valid for all models: a row whose further
        tokens all have probability 1 reaches it.
        """
        if self.kind == "normalised":
            return log_prob / max(1, length)
        if self.kind == "log_prob":
            return log_prob
        return log_prob + self.reward * min(length, self.target_length)


def beam_left(options: SearchOptions, num_finished: int) -> int:
    """The number of places in a sentence's beam for its next step."""
    if options.stopping == "shrinking" and options.finished == "leave":
        return max(0, options.beam - num_finished)
    return options.beam


def is_over(
    options: SearchOptions, pool: FinishedPool, scoring: Scoring, live_total: float, length: int, max_length: int
) -> bool:
    """True if the sentence may stop. `live_total` is the log-probability minus penalties of its best row in any bank.

    All rows have this `length`. A row's total cannot rise as the row grows.

    "optimal": no row can enter the n-best list of distinct texts any more. The result then provably equals that of a
    search to the end, unless other options depend on finished hypotheses.
    """
    if options.stopping == "optimal":
        best = pool.best()
        return len(best) == options.nbest and best[-1].ranking_score >= scoring.score(live_total, max_length)
    if options.stopping == "opennmt":
        top = pool.latest_top
        return top is not None and len(top.tokens) == length and top.total >= live_total
    if options.stopping == "shrinking":
        return pool.num_finished >= options.beam
    if options.stopping == "first_finished":
        return pool.num_finished > 0
    if options.stopping == "beam_finished":
        return pool.num_finished >= options.beam and pool.num_texts >= min(options.nbest, options.beam)
    return False


def proved_best(
    options: SearchOptions, pool: FinishedPool, scoring: Scoring, live_total: float, max_length: int
) -> SearchHypothesis | None:
    """The best finished hypothesis if no live one can get its score, by the bound of "optimal" stopping; else None.

    A tie is no proof, because the later of two texts may have been stored first. OpenNMT's rule ranks the newest
    hypothesis first, so that there is no proof before the end.
    """
    best = pool.best()
    is_proved = best and options.stopping != "opennmt" and best[0].ranking_score > scoring.score(live_total, max_length)
    return best[0] if is_proved else None
