"""Requests, search options and translations: frozen dataclasses, checked once when made.

Offsets count Unicode code points of the text that they belong to. Scores are natural logarithms of probabilities:
higher wins, the sign never flips. Nothing here depends on pieces, tensors or the search.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import InvalidRequest
from engine.settings import check_settings, check_types, setting

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
MAX_FOLLOW_STRENGTH = 1e6
MAX_LATE_PENALTY = 1e6
MAX_REPETITION_PENALTY = 1e6
MAX_FOLLOW_CHARACTERS = 10_000  # the state of a hypothesis has a number for each piece
MAX_LENGTH_REWARD = 1e6  # far more than any sensible reward, or ratio of lengths

ReasonKind = Literal[
    "invalid",
    "unspellable",
    "avoided",
    "too_often",
    "too_long",
    "source_too_long",
    "too_many",
    "not_placed",
    "deadline",
    "cancelled",
    "not_a_number",
    "crashed",
]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text that the translation must contain.

    `forms` are alternatives to `text`; any one of them meets the phrase. The phrase needs at least `count` occurrences
    that do not overlap, and at most `max_count`, including those in the prefix, in locked texts and in other phrases.
    The counts of equal phrases add up.
    `boundary` controls the neighbours of an occurrence. "word": it must not be part of a longer word or number.
    "start": it may begin a longer word. "compound": it may also end one, with a lower-case first letter, as German
    nouns do (`Datei` in `Dateisystem` and in `Bilddatei`); such ends count where the model writes them and are never
    forced. "anywhere": no condition. Phrases that share a form, directly or through others, need separate occurrences;
    a phrase with a `max_count` must not share a form.
    `case="auto"` also accepts the capitalised form at the beginning of a sentence. `source_span` is the term's position
    in the source, for phrases from a glossary; it adds details to the placements (see `Placement`), and changes the
    translation only where `Request.follow` lacks the phrase (see `Follow`).
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
        check_types(self, InvalidRequest)
        for form in self.all_forms:
            if not form.strip():
                raise InvalidRequest(f"phrase {self.text!r}: form {form!r} is empty; give it text or leave it out")
        if self.count < 1:
            raise InvalidRequest(f"phrase {self.text!r}: count is {self.count}; it must be at least 1")
        if self.max_count is not None and self.max_count < self.count:
            raise InvalidRequest(
                f"phrase {self.text!r}: max_count is {self.max_count}; it must be at least its count, {self.count}"
            )

    @property
    def all_forms(self) -> tuple[str, ...]:
        """`text` first, then `forms`."""
        return (self.text, *self.forms)


@dataclass(frozen=True, slots=True)
class Avoid:
    """Text that the translation must not contain as whole words, in any segmentation.

    `case="permissive"` matches any case. The text is allowed inside a phrase, a locked text, the prefix or the suffix.
    """

    text: str
    case: AvoidCase = "exact"

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)
        if not self.text.strip():
            raise InvalidRequest(f"avoid contains {self.text!r}, which is blank; give it text or leave it out")


@dataclass(frozen=True, slots=True)
class Follow:
    """A previous translation, of which the new one changes as little as the model and the constraints allow.

    Hypotheses compete by log-probability minus `strength` nats for each change: each piece that is added to `text`,
    replaced in it or left out of it, counted as the least number of changes that turn `text` into the hypothesis
    (Levenshtein's distance). Pieces of a prefix that leaves no choice are not counted. If the place of a correction is
    known, give the text with the correction in it, and require the correction as a phrase. With strength 0 the
    translation is the same as without `follow`. Unless it is pruned, `text` itself competes if it meets all
    constraints, so the first translation never ranks below it; with a very large strength it is then the translation.

    With `places_phrases`, phrases that `text` lacks are first put into it, one after the other in their order, and the
    result is followed instead. A phrase goes between two words or in the place of up to three (one more for each
    further word of the phrase), without touching the prefix, locked texts and other phrases. Of the eight places with
    the best score up to the first piece behind the phrase, it takes the one with the best score of the whole text. The
    score is the log-probability plus 1 nat for each piece. If the phrase has a `source_span`, replacing words that
    translate the span adds 6 nats, and each other translated word that is replaced costs 3. The search may still move
    the phrase. A text that has all phrases, or does not begin with the prefix, is not changed.
    """

    text: str
    strength: float = setting(
        3.0, "nats for each piece that differs from the previous text", minimum=0, maximum=MAX_FOLLOW_STRENGTH
    )
    places_phrases: bool = True

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)
        if len(self.text) > MAX_FOLLOW_CHARACTERS:
            raise InvalidRequest(
                f"follow: text has {len(self.text):,} characters; at most {MAX_FOLLOW_CHARACTERS:,} can be followed; "
                "leave follow out or split the segment"
            )
        check_settings(self, InvalidRequest)


@dataclass(frozen=True, slots=True)
class Request:
    """One source sentence and the constraints on its translation.

    `direction` ("en-de") may be None: the model's first. `avoid` also takes strings. `prefix` is copied character by
    character. It may end inside a word, which then continues, or after a space, which closes the word.
    `locked` texts must occur in this order without overlap, with or without text between them; the translation ends
    with `suffix`. A phrase that occurs in any of these is met.
    `domain` (for example "software") and `formality`, how German addresses its reader ("formal": Sie, "informal": du),
    are for models that were trained with them; None leaves the choice to the model. `follow` is a previous translation
    to stay near to.

    With `hints`, a model that was trained for it reads the phrases, locked texts and suffix beside the source, so that
    it expects them. The search guarantees them either way. A phrase with several forms is no hint, because the model
    would prefer one of them; nor are texts for which the encoder has no room.
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
    follow: Follow | None = None
    hints: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "phrases", _items("phrases", self.phrases))
        for phrase in self.phrases:
            if not isinstance(phrase, Phrase):
                raise InvalidRequest(f"phrases contains {phrase!r}; wrap text in Phrase(...)")
        texts = _strings("avoid", self.avoid, but=Avoid)
        object.__setattr__(self, "avoid", tuple(Avoid(item) if isinstance(item, str) else item for item in texts))
        object.__setattr__(self, "locked", _strings("locked", self.locked))
        if self.follow is not None and not isinstance(self.follow, Follow):
            raise InvalidRequest(f"follow is {self.follow!r}; wrap text in Follow(...)")
        check_types(self, InvalidRequest)
        if not self.source.strip():
            raise InvalidRequest("source is blank; there is nothing to translate")
        for phrase in self.phrases:
            if phrase.source_span is not None:
                start, end = phrase.source_span
                if not 0 <= start < end <= len(self.source):
                    raise InvalidRequest(
                        f"phrase {phrase.text!r}: source_span is ({start}, {end}); it must be inside the source of "
                        f"{len(self.source)} characters"
                    )
        for text in self.locked:
            if not text.strip():
                raise InvalidRequest(f"locked contains {text!r}, which is blank; give it text or leave it out")


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

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)

    def beam_for(self, num_tokens: int) -> int:
        """The beam of a sentence with `num_tokens` constraint tokens."""
        return max(self.beam, min(MAX_BEAM, self.places_per_bank * (num_tokens + 1)))


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

    `log_prob` is the sum of the `token_log_probs`, including the end of the sentence; `score` is `log_prob` per token,
    or the score that `SearchOptions.score` selects. With a datastore these are of the mixed probabilities of model and
    neighbours, and with hints (`Request.hints`) of a model that knows the required texts; neither compare with scores
    of the model alone. `change_penalty` is the cost of the changes to the
    text of `Request.follow`, in nats. No penalty is in the two, but hypotheses are ranked by `score - score_penalty`:
    the score of `log_prob` less all penalties of `Request.follow` and of the search options. `token_spans` has the
    characters of each token in `text` (empty for the end). `unmet` has the indices of unmet phrases. `locked` has the
    spans of the locked texts and then the suffix, up to the first that is missing.
    `alignment` has (source_start, source_end, target_start, target_end) for each pair of aligned words, in the order of
    the target; a word may have several partners or none. It is empty if the model has no alignment head.
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


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a translation is not complete: a kind for programs, and a message with the fix for people."""

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
    """What a translation has from a learned pair: `share`, 0 to 1, of the probability of token number `token`."""

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
    decoding, in a batch with others.
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


def _items(name: str, values: Any) -> tuple[Any, ...]:
    """`values` as a tuple. Raises InvalidRequest for a string and for anything that is not a series."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidRequest(f"{name} is {values!r}; give a list")
    return tuple(values)


def _strings(name: str, values: Any, but: type | None = None) -> tuple[Any, ...]:
    """`values` as a tuple. Raises InvalidRequest unless each is a string or of the type `but`."""
    if isinstance(values, str):
        raise InvalidRequest(f"{name} is the string {values!r}; give a list of strings")
    items = _items(name, values)
    for item in items:
        if not isinstance(item, str if but is None else (str, but)):
            raise InvalidRequest(f"{name} contains {item!r}; it must be a list of strings")
    return items
