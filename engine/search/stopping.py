"""By what score hypotheses are ranked, and when a sentence's search may stop (Huang et al. 2017).

All rules watch the same process: a hypothesis that finishes leaves the beam and its place is filled again, except that
"shrinking" (Bahdanau et al. 2014) takes the place away. Rows share one length at each step, so the best row by
log-probability is the best by any score.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequest
from engine.request import Score, SearchOptions
from engine.search.finished import FinishedPool


@dataclass(frozen=True, slots=True)
class Scoring:
    """The score of one sentence's hypotheses. Lengths are in tokens, the end included.

    "bounded_length_reward" is log_prob + reward * min(length, target_length): what each token adds, until the
    translation is as long as translations of such a source are (section 4 of the paper).
    """

    kind: Score = "normalised"
    reward: float = 0.0
    target_length: float = 0.0

    @classmethod
    def of(cls, options: SearchOptions, num_source_pieces: int, ratio: float | None, reward: float | None) -> Scoring:
        """For a source of so many pieces; `ratio` and `reward` are the model's, which the options may override.

        Raises InvalidRequest where the score needs one that neither gives.
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

        So a row that may still grow to `max_length` never scores above `score(its log_prob, max_length)`: further
        tokens only lower the log-probability. For log-probability that is the paper's equation 2, for the bounded
        length reward its equation 4. For the normalised score it tells late, and yet nothing lower is certain without
        knowing the model: a row whose further tokens are all sure gets there.
        """
        if self.kind == "normalised":
            return log_prob / max(1, length)
        if self.kind == "log_prob":
            return log_prob
        return log_prob + self.reward * min(length, self.target_length)


def beam_left(options: SearchOptions, num_finished: int) -> int:
    """How many places a sentence has for its next step."""
    if options.stopping == "shrinking" and options.finished == "leave":
        return max(0, options.beam - num_finished)
    return options.beam


def is_over(
    options: SearchOptions, pool: FinishedPool, scoring: Scoring, live_log_prob: float, length: int, max_length: int
) -> bool:
    """Whether the sentence may stop: `live_log_prob` is that of its best row, of any bank, all of them `length` long.

    "optimal": no row can enter the n-best list of distinct texts any more. That the result is what running to the end
    gives is a theorem as long as nothing else depends on what has finished.
    """
    if options.stopping == "optimal":
        best = pool.best()
        return len(best) == options.nbest and best[-1].score >= scoring.score(live_log_prob, max_length)
    if options.stopping == "opennmt":
        top = pool.latest_top
        return top is not None and len(top.tokens) == length and top.log_prob >= live_log_prob
    if options.stopping == "shrinking":
        return pool.num_finished >= options.beam
    if options.stopping == "first_finished":
        return pool.num_finished > 0
    if options.stopping == "beam_finished":
        return pool.num_finished >= options.beam and pool.num_texts >= min(options.nbest, options.beam)
    return False
