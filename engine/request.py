"""What a caller asks and what it gets back: frozen dataclasses, checked once when made.

Offsets are Unicode code points of the text they belong to. Scores are natural logarithms of
probabilities: higher wins, the sign never flips. This file knows nothing of pieces, tensors or search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from engine.errors import InvalidRequest
from engine.settings import check_settings, setting

Case = Literal["exact", "auto"]
AvoidCase = Literal["exact", "permissive"]
Boundary = Literal["word", "start", "compound", "anywhere"]
Formality = Literal["formal", "informal"]
Status = Literal["complete", "unmet", "deadline", "cancelled", "infeasible", "failed"]
Score = Literal["normalised", "log_prob", "bounded_length_reward"]
Stopping = Literal["optimal", "opennmt", "shrinking", "first_finished", "beam_finished", "all_finished"]
Finished = Literal["leave", "keep"]
Pruning = Literal["full_list", "first_finished"]
Crowding = Literal["topmost", "spread"]
MAX_BEAM = 1000  # hypotheses of a sentence; more would fill the memory of most machines
MAX_NBEST = 1000
MAX_PLACES_PER_BANK = 10
MAX_LENGTH_REWARD = 1e6  # far more than any sensible reward, or ratio of lengths

ReasonKind = Literal[
    "invalid",
    "unspellable",
    "avoided",
    "too_often",
    "too_long",
    "source_too_long",
    "not_placed",
    "deadline",
    "cancelled",
    "not_a_number",
    "crashed",
]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text that must stand in the translation.

    `text` comes first, `forms` are other spellings of which any one will do. `count` asks for at least so many
    occurrences that do not overlap, `max_count` for no more than so many, those in the prefix, in locked texts and in
    other phrases counted too. What phrases that are the same ask for adds up.
    `boundary` says what may touch the phrase: "word" nothing that would make it part of a longer word or number,
    "start" lets it begin a longer word, "compound" lets it also end one, with a small first letter then, as German
    nouns do (`Datei` in `Dateisystem` and in `Bilddatei`; such ends are taken where the model writes them, never
    forced), "anywhere" anything. Phrases that have a form in common, be it through others, need occurrences apart from
    each other's; one with a `max_count` may have none in common.
    `case="auto"` also takes the capitalised form where a sentence begins. `source_span` is where the term stands in
    the source, for those that come from a glossary; it changes no translation, but placements tell more (`Placement`).
    """

    text: str
    forms: tuple[str, ...] = ()
    count: int = 1
    case: Case = "exact"
    boundary: Boundary = "word"
    source_span: tuple[int, int] | None = None
    max_count: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", _strings("forms", self.forms))
        for form in self.all_forms:
            if not form.strip():
                raise InvalidRequest(f"phrase {self.text!r}: form {form!r} is empty; give it text or leave it out")
        if self.count < 1:
            raise InvalidRequest(f"phrase {self.text!r}: count is {self.count}; it must be at least 1")
        if self.max_count is not None and self.max_count < self.count:
            raise InvalidRequest(
                f"phrase {self.text!r}: max_count is {self.max_count}; it must be at least its count, {self.count}"
            )
        _one_of("case", self.case, get_args(Case))
        _one_of("boundary", self.boundary, get_args(Boundary))

    @property
    def all_forms(self) -> tuple[str, ...]:
        """`text` first, then `forms`."""
        return (self.text, *self.forms)


@dataclass(frozen=True, slots=True)
class Avoid:
    """Text that must not stand in the translation as a word or words of its own, in whatever pieces.

    `case="permissive"` means it in any case. Inside a phrase, locked text, prefix or suffix it is allowed, but there
    only.
    """

    text: str
    case: AvoidCase = "exact"

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidRequest(f"avoid contains {self.text!r}, which is blank; give it text or leave it out")
        _one_of("case", self.case, get_args(AvoidCase))


@dataclass(frozen=True, slots=True)
class Request:
    """One source sentence and what its translation must contain, must not contain and begins with.

    `direction` ("en-de") may be None: the model's first. `avoid` takes strings as well. `prefix` is copied character
    by character; it may end anywhere: inside a word, which then goes on, or after a space, which closes the word.
    `locked` texts stand in this order and do not overlap, with or without something between; the translation ends with
    `suffix`. A phrase that stands in any of these is met.
    `domain` ("software", say) and `formality`, how German speaks to its reader ("formal": Sie, "informal": du), are for
    models that were trained with them; None leaves either to the model.
    """

    source: str
    direction: str | None = None
    phrases: tuple[Phrase, ...] = ()
    avoid: tuple[Avoid, ...] = ()
    prefix: str = ""
    locked: tuple[str, ...] = ()
    suffix: str = ""
    domain: str | None = None
    formality: Formality | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, str):
            raise InvalidRequest(f"source is {self.source!r}; it must be a string")
        if not self.source.strip():
            raise InvalidRequest("source is blank; there is nothing to translate")
        phrases: tuple[object, ...] = tuple(self.phrases)
        for phrase in phrases:
            if not isinstance(phrase, Phrase):
                raise InvalidRequest(f"phrases contains {phrase!r}; wrap text in Phrase(...)")
            if phrase.source_span is not None:
                start, end = phrase.source_span
                if not 0 <= start < end <= len(self.source):
                    raise InvalidRequest(
                        f"phrase {phrase.text!r}: source_span is ({start}, {end}); it must lie inside the source of "
                        f"{len(self.source)} characters"
                    )
        object.__setattr__(self, "phrases", phrases)
        texts = _strings("avoid", self.avoid, but=Avoid)
        object.__setattr__(self, "avoid", tuple(Avoid(item) if isinstance(item, str) else item for item in texts))
        object.__setattr__(self, "locked", _strings("locked", self.locked))
        for text in self.locked:
            if not text.strip():
                raise InvalidRequest(f"locked contains {text!r}, which is blank; give it text or leave it out")
        if self.formality is not None:
            _one_of("formality", self.formality, get_args(Formality))


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

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)

    def beam_for(self, num_tokens: int) -> int:
        """The beam of a sentence with so many constraint tokens."""
        return max(self.beam, self.places_per_bank * (num_tokens + 1))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one required occurrence of phrase number `phrase` stands: `text[start:end] == form`.

    For a phrase with a source span, from the word alignment: `aligned` says whether the form stands for that span
    (None: no span, or a model that cannot tell), `doubled` where else words stand for it and for nothing else, so that
    it seems translated twice.
    """

    phrase: int
    form: str
    start: int
    end: int
    aligned: bool | None = None
    doubled: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One translation.

    `log_prob` sums the `token_log_probs`, the end of the sentence included; `score` is it per token, or what
    `SearchOptions.score` asked for. `token_spans` gives each token's characters in `text` (empty for the end). `unmet`
    holds the indices of phrases not met. `locked` says where the locked texts and then the suffix stand, as far as they
    do.
    `alignment` holds (source_start, source_end, target_start, target_end) of each two words that stand for each other,
    in the order of the target; a word may have several partners, or none. It is empty where the model cannot tell.
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


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a translation is not complete: a kind for programs, a message with the cure for people."""

    kind: ReasonKind
    message: str
    phrase: int | None = None


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The fewest constraints whose removal lets a request be met: numbers of phrases, avoided and locked texts."""

    phrases: tuple[int, ...] = ()
    avoid: tuple[int, ...] = ()
    locked: tuple[int, ...] = ()
    prefix: bool = False
    suffix: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """The answer to one request: the n-best list, best first, and how it came about.

    When "complete", every hypothesis meets every phrase and no two have the same text. `unknown_source` gives the
    characters of the source that the model has no pieces for, and so could not read. `relaxation` says what to take
    away from a request that is "infeasible", where that helps. `elapsed_ms` counts from when the request began to be
    decoded, others beside it.
    """

    request: Request
    status: Status
    hypotheses: tuple[Hypothesis, ...] = ()
    reasons: tuple[Reason, ...] = ()
    unknown_source: tuple[tuple[int, int], ...] = ()
    num_steps: int = 0
    elapsed_ms: float = 0.0
    relaxation: Relaxation | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another word at some place of a hypothesis, its log-probability there, and the best sentence behind it."""

    word: str
    log_prob: float
    hypothesis: Hypothesis


@dataclass(frozen=True, slots=True)
class Pricing:
    """What the constraints cost in model score: best score without, less best score with.

    `phrases[i]` and `avoid[i]` are the price of that one alone, the others staying; `total` that of all together.
    Prices need not add up, and one may be negative, as beam search goes. None: no translation to compare with.
    """

    total: float | None
    phrases: tuple[float | None, ...]
    avoid: tuple[float | None, ...]
    constrained: Translation
    free: Translation


def _strings(name: str, values: Iterable[Any], but: type | None = None) -> tuple[Any, ...]:
    """`values` as a tuple, once each is found to be a string, or of the type `but`."""
    if isinstance(values, str):
        raise InvalidRequest(f"{name} is the string {values!r}; give a list of strings")
    items = tuple(values)
    for item in items:
        if not isinstance(item, str if but is None else (str, but)):
            raise InvalidRequest(f"{name} contains {item!r}; it must be a list of strings")
    return items


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidRequest(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
