"""Results: translations with hypotheses, or the reasons why there are none; alternatives and prices.

Offsets count Unicode code points of the text that they belong to. Scores are natural logarithms of probabilities:
higher wins, the sign never flips.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from engine.request import Request

Status = Literal["complete", "unmet", "deadline", "cancelled", "infeasible", "failed"]
ReasonKind = Literal[
    "invalid",
    "unspellable",
    "avoided",
    "too_often",
    "too_long",
    "source_too_long",
    "too_many",
    "not_placed",
    "not_divided",
    "deadline",
    "cancelled",
    "not_a_number",
    "crashed",
]


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of one required occurrence of phrase number `phrase`: `text[start:end] == form`.

    For a phrase with a source span, from the word alignment: `aligned` is True if the form is aligned with that span
    (None: no span, or a model without alignment). `doubled` are other words that are aligned with the span only, so
    that it seems translated twice.
    """

    phrase: int
    form: str
    start: int
    end: int
    aligned: bool | None = None
    doubled: tuple[tuple[int, int], ...] = ()

    @property
    def is_doubted(self) -> bool:
        """True if the form does not stand for the source span of its phrase, or if other words do, too."""
        return self.aligned is False or bool(self.doubled)


@dataclass(frozen=True, slots=True)
class ListedText:
    """A text that is in a translation because of a list beside the model: `text[start:end] == form`.

    `origin` is the list: its set phrases, or its lexicon, for a word that the model did not translate. `source_span`
    has the characters of the source that the form translates.
    """

    origin: Literal["set_phrase", "lexicon"]
    form: str
    start: int
    end: int
    source_span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One translation.

    `log_prob` is the sum of the `token_log_probs`, including the end of the sentence; `score` is `log_prob` per token,
    or the score that `SearchOptions.score` selects. Of several sentences, `tokens` has those of each sentence with its
    end. With a datastore these are of the mixed probabilities of model and neighbours, and with hints (`Request.hints`)
    of a model that knows the required texts; neither compare with scores of the model alone. `change_penalty` is the
    cost of the changes to the text of `Request.follow`, in nats.
    `reverse_score` is the log-probability of the source, given this translation, in the reverse direction, per piece of
    the source (in total where `score` is a total); None if it was not computed (`SearchOptions.reverse_weight`).
    Hypotheses are ranked by `score - score_penalty`: the score of `log_prob` less all penalties of `Request.follow` and
    of the search options, plus the weighted reverse score. Of several sentences, this is the mean of the sentences' own
    values, each weighted by the number of tokens of its best translation (the sum, where `score` is a total), so that
    the best translation has the best of each sentence. `reverse_score` is such a mean, too.
    `token_spans` has the characters of each token in `text` (empty for the end). `unmet` has the indices of unmet
    phrases. `locked` has the spans of the locked texts and then the suffix, up to the first that is missing.
    `alignment` has (source_start, source_end, target_start, target_end) for each pair of aligned words, in the order of
    the target; a word may have several partners or none. It is empty if the model has no alignment head.
    `weak_alignment` has further pairs, in the order of the source, of words that have no partner in `alignment` but
    punctuation: less probable, and most but not all of them right.
    `listed` has the texts that come from the model's set phrases and lexicon, in the order of the translation.
    """

    text: str
    score: float
    log_prob: float
    tokens: tuple[int, ...]
    token_log_probs: tuple[float, ...]
    token_spans: tuple[tuple[int, int], ...]
    placements: tuple[Placement, ...] = ()
    alignment: tuple[tuple[int, int, int, int], ...] = ()
    unmet: tuple[int, ...] = ()
    locked: tuple[tuple[int, int], ...] = ()
    change_penalty: float = 0.0
    score_penalty: float = 0.0
    weak_alignment: tuple[tuple[int, int, int, int], ...] = ()
    reverse_score: float | None = None
    listed: tuple[ListedText, ...] = ()

    @property
    def num_misplaced(self) -> int:
        """Phrases that the word alignment doubts: they do not translate their source span, or other words do too."""
        return sum(placement.is_doubted for placement in self.placements)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a translation is not complete, or not divided: a kind for programs, and a message with the fix for people."""

    kind: ReasonKind
    message: str
    phrase: int | None = None


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The fewest constraints to remove from an infeasible request: indices of phrases, avoided and locked texts."""

    phrases: tuple[int, ...] = ()
    avoid: tuple[int, ...] = ()
    locked: tuple[int, ...] = ()
    prefix: bool = False
    suffix: bool = False


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of a learned pair: `share`, 0 to 1, of the probability of token number `token`."""

    token: int
    origin: Hashable
    share: float


@dataclass(frozen=True, slots=True)
class Translation:
    """The result of one request: the n-best list, best first, with its status.

    If "complete", every hypothesis meets every phrase and no two have the same text. `unknown_source` has the spans of
    source characters that the model has no pieces for and could not read. `relaxation` has the constraints to remove
    from an "infeasible" request, if that helps. `learned` has the learned pairs that made a token of the best
    hypothesis at least twice as likely, token by token, the greatest share first. `elapsed_ms` counts from the start of
    decoding, in a batch with others. `sentences` has the spans of the source that were translated alone, and the n-best
    list the best combinations of their translations. It is empty if the source was translated as one sentence; if it
    has several, a reason of the kind "not_divided" explains why. `prompts` has the text that a model was asked by, of
    each such sentence; empty for a model without prompts.
    """

    request: Request
    status: Status
    hypotheses: tuple[Hypothesis, ...] = ()
    reasons: tuple[Reason, ...] = ()
    unknown_source: tuple[tuple[int, int], ...] = ()
    num_steps: int = 0
    elapsed_ms: float = 0.0
    relaxation: Relaxation | None = None
    learned: tuple[Contribution, ...] = ()
    sentences: tuple[tuple[int, int], ...] = ()
    prompts: tuple[str, ...] = ()

    @property
    def learned_from(self) -> tuple[Hashable, ...]:
        """The origins of the learned pairs, each once, in the order of the best hypothesis."""
        return tuple(dict.fromkeys(one.origin for one in self.learned))


@dataclass(frozen=True, slots=True)
class PivotTranslation(Translation):
    """A translation by two models through `pivot`, the first one's best translation, with its score there.

    Both are None if the first model gave none. `unknown_source` and alignments refer to the source itself.
    """

    pivot: str | None = None
    pivot_score: float | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another word at a position of a hypothesis, its log-probability there, and the best sentence with it."""

    word: str
    log_prob: float
    hypothesis: Hypothesis


@dataclass(frozen=True, slots=True)
class Pricing:
    """The price of constraints in model score: the best score without them minus the best score with them.

    `phrases[i]` and `avoid[i]` are the price of that constraint alone, with the others kept; `total` is the price of
    all together. Prices need not add up, and beam search may make one negative. None: no translation to compare with.
    All translations are made without hints, whose scores compare with no others.
    """

    total: float | None
    phrases: tuple[float | None, ...]
    avoid: tuple[float | None, ...]
    constrained: Translation
    free: Translation
