"""How to search: the settings of one request, checked once when made, with the texts of their flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.errors import InvalidRequest
from engine.settings import check_settings, setting

Score = Literal["normalised", "log_prob", "bounded_length_reward"]
Stopping = Literal["optimal", "opennmt", "shrinking", "first_finished", "beam_finished", "all_finished"]
Finished = Literal["leave", "keep"]
Pruning = Literal["full_list", "first_finished"]
Crowding = Literal["topmost", "spread"]
MAX_BEAM = 1000  # hypotheses of a sentence; more would fill the memory of most machines
MAX_NBEST = 1000
MAX_PLACES_PER_BANK = 10
MAX_LATE_PENALTY = 1e6
MAX_REPETITION_PENALTY = 1e6
MAX_DRAFT_STRENGTH = 1e6
MAX_REVERSE_WEIGHT = 1e6
NUM_RERANKED = 5
MAX_LENGTH_REWARD = 1e6  # far more than any sensible reward, or ratio of lengths


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search; `engine/README.md` lists the options in a table.

    A translation has at most `max_length_factor` * source pieces + `max_length_offset` + constraint tokens, the end
    included. `bank_threshold` and `max_children` are the delta and M of Yang et al. 2020, where 1.5 and 5 cost no
    quality at a beam of 50; both spare continuations that take a phrase forward. `score="bounded_length_reward"` is
    log_prob + r * min(tokens, ratio * source pieces) (Huang et al. 2017).

    Phrases with more pieces than the beam has places crowd at the start of the output, as the shares of dynamic beam
    allocation leave all places to the rows that have met most; `crowding` and `places_per_bank` change that. A bank is
    the rows with the same number of constraint tokens met.
    """

    beam: int = setting(10, "hypotheses kept", minimum=1, maximum=MAX_BEAM)
    nbest: int = setting(5, "most translations to return", minimum=1, maximum=MAX_NBEST)
    score: Score = setting(
        "normalised",
        "ranks translations by log-probability per token, by log-probability, or by log-probability plus a reward for "
        "each token up to the usual length",
    )
    length_reward: float | None = setting(
        None,
        "reward for each token, for the bounded length reward",
        minimum=0,
        maximum=MAX_LENGTH_REWARD,
        unset="the model's",
    )
    length_ratio: float | None = setting(
        None,
        "usual number of tokens for each piece of the source, for the bounded length reward",
        minimum=0,
        maximum=MAX_LENGTH_REWARD,
        unset="the model's",
    )
    stopping: Stopping = setting(
        "optimal",
        "ends the search once no live hypothesis can enter the n-best list; as OpenNMT, when the likeliest item of the "
        "beam finishes; when the beam, which loses a place with each finished hypothesis, is empty; after the first "
        "finished hypothesis; after as many as the beam is wide; or when all have finished, at the length limit at the "
        "latest",
    )
    finished: Finished = setting(
        "leave",
        "a finished hypothesis frees its place in the beam; or keeps it as in the paper on dynamic beam allocation, "
        "and the search ends when all places are finished",
    )
    pruning_threshold: float | None = setting(
        20.0,
        "drops hypotheses whose log-probability is more than this below that of the best finished one; none: keep all",
        minimum=0,
    )
    pruning: Pruning = setting(
        "full_list",
        "drops them once the n-best list is full, or as soon as one has finished, as in the paper on dynamic beam "
        "allocation, which leaves shorter lists",
    )
    bank_threshold: float | None = setting(
        None,
        "drops hypotheses whose log-probability is more than this below that of the best with as many constraint "
        "tokens met",
        minimum=0,
        unset="keep all",
    )
    max_children: int | None = setting(
        None,
        "lets at most this many continuations of a hypothesis compete, and those that its phrases need",
        minimum=1,
        unset="as many as the beam is wide",
    )
    max_length_factor: float = setting(1.5, "most pieces of a translation for each piece of the source", minimum=0)
    max_length_offset: int = setting(
        10, "pieces that a translation may have beyond that, those of the phrases not counted", minimum=0
    )
    places_per_bank: int = setting(
        0,
        "widens the beam to this many places for each number of constraint tokens met, from 0 to all, so that many "
        "phrases do not crowd at the start; 1 is often enough",
        minimum=0,
        maximum=MAX_PLACES_PER_BANK,
    )
    crowding: Crowding = setting(
        "topmost",
        "where the beam is narrower than that, gives its places to the hypotheses that have met most, as in the paper, "
        "or spreads them evenly",
    )
    late_penalty: float = setting(
        0.0,
        "nats that rank a hypothesis lower for each sentence that it begins, beyond as many as the source has, while "
        "phrases are still missing, so that no phrase is put behind a finished sentence if it fits elsewhere; 0: none",
        minimum=0,
        maximum=MAX_LATE_PENALTY,
    )
    repetition_penalty: float = setting(
        0.0,
        "nats that rank a hypothesis lower for each run of three pieces that it repeats, beyond as many as the source "
        "and the constraints repeat, so that nothing is translated twice around a phrase; only in requests with "
        "phrases or locked texts; 0: none",
        minimum=0,
        maximum=MAX_REPETITION_PENALTY,
    )
    draft_strength: float = setting(
        0.0,
        "nats that each change to a draft costs: where the word alignment says that a phrase with a place in the "
        "source does not translate it, or that another word does too, the text is translated without such phrases, "
        "they are put into this draft in the place of the words that translate theirs, and the result is taken if "
        "more of them are then where they belong; not in requests that follow a text; 0: no draft",
        minimum=0,
        maximum=MAX_DRAFT_STRENGTH,
    )

    reverse_weight: float = setting(
        0.0,
        "adds this many times the score of the source, given the translation, to the score of each translation found, "
        "by the same model in the reverse direction, where it has one; at least five translations compete; not in "
        "requests with a prefix, or that follow a text; 0: not computed",
        minimum=0,
        maximum=MAX_REVERSE_WEIGHT,
    )

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)

    @property
    def num_found(self) -> int:
        """The translations that the search must find: those to return, or to rank again."""
        return max(self.nbest, NUM_RERANKED) if self.reverse_weight else self.nbest

    def beam_for(self, num_tokens: int) -> int:
        """The beam of a sentence with `num_tokens` constraint tokens."""
        return max(self.beam, min(MAX_BEAM, self.places_per_bank * (num_tokens + 1)))
