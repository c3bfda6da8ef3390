"""The state of the open segment as the page gets it: its source, terms, constraints, proposal and prices.

Messages are in the page's language; words are numbered as in `word_spans`.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.checks import CheckName
from app.glossary.model import Status
from app.log.records import SegmentStateName
from app.segments.segment_constraints import BanCase
from app.segments.state import Origin, Review
from app.ui.schemas import SegmentConstraints

Run = tuple[str, str]  # [kind, text]
WordPair = tuple[int, int]


class SourceRun(TypedDict):
    """A piece of the source: `w` numbers its word; `term` and `at` name a glossary hit."""

    t: str
    w: NotRequired[int]
    term: NotRequired[str]
    at: NotRequired[int]
    tag: NotRequired[bool]
    kept: NotRequired[bool]


class TargetRun(TypedDict):
    """A piece of the proposal: `w` numbers its word; `pin`, `is_term` and `kept` are met constraints.

    `new` marks a word that is not in the text before, `was` are the words before in its place. `listed` is the list
    that the word comes from.
    """

    t: str
    w: NotRequired[int]
    listed: NotRequired[Literal["set_phrase", "lexicon"]]
    pin: NotRequired[str]
    at: NotRequired[int]
    is_term: NotRequired[bool]
    terms: NotRequired[list[str]]
    tag: NotRequired[bool]
    kept: NotRequired[bool]
    new: NotRequired[bool]
    was: NotRequired[str]


class ProposalView(TypedDict):
    """The best translation: `confidence` by word, `alignment` pairs (source word, target word)."""

    text: str
    score: float
    tokens: list[TargetRun]
    alignment: list[WordPair]
    confidence: list[float]
    is_stale: bool
    is_first_of_more: bool


class TermView(TypedDict):
    """A term of the segment: required or forbidden, and whether the translation complies."""

    key: str
    source: str
    target: str
    status: Literal["met", "unmet", "pending", "off"]
    doubt: Literal["misaligned", "doubled", ""]
    note: str
    is_for_document: bool
    term_status: Status
    term_note: str
    glossary: str


class KeptView(TypedDict):
    """A part of the source that the translation must contain unchanged."""

    text: str
    count: int
    status: Literal["met", "unmet", "pending"]
    reason: str


class PinView(TypedDict):
    """A pin; `source` is the source text that it translates, if the person named it or the model knows."""

    text: str
    status: Literal["met", "unmet", "pending"]
    reason: str
    source: str


class BanView(TypedDict):
    """A banned text in the newest translation: absent (`kept`), in conflict with a constraint, or still contained."""

    text: str
    case: BanCase
    status: Literal["kept", "clash", "stands", "pending"]
    reason: str


class PricedConstraint(TypedDict):
    """The price of a required text, in log-probability."""

    text: str
    is_pinned: bool
    is_kept: bool
    terms: list[str]
    price: float | None


class PricedBan(TypedDict):
    """The price of a ban, in log-probability."""

    text: str
    case: BanCase
    price: float | None


class PriceView(TypedDict):
    """The prices of the constraints: in total, each alone (`singly`), and the difference (`together`)."""

    total: float | None
    singly: float
    together: float | None
    constraints: list[PricedConstraint]
    bans: list[PricedBan]


class ConflictView(TypedDict):
    """Two requirements that contradict each other: one is kept, the other given up."""

    kind: str
    kept: str
    given_up: str
    source: str
    term: str
    by: str


class FreeHypothesis(TypedDict):
    """The best translation without constraints, compared with the best that has them."""

    text: str
    score: float
    score_difference: float
    runs: list[Run]


class RankedHypothesis(FreeHypothesis):
    """One translation of the n-best list: `score` is the model's less `penalty` (see `hypothesis_rows`)."""

    rank: int
    penalty: float
    unmet: list[str]


class FindingView(TypedDict):
    """A finding of a check in the text."""

    check: CheckName
    kind: str
    texts: list[str]
    is_error: bool


class LimitsView(TypedDict):
    """The maximum length of the translation in code points (0: no limit). `tags`: code points counted for each tag.

    `cues` are the subtitles: milliseconds, characters and lines of the source, and whether there is no other text.
    `max_speed` is in characters per second.
    """

    max_characters: int
    normalization: Literal["", "NFC", "NFD"]
    tags: list[tuple[str, int]]
    cues: list[tuple[int, int, int, bool]]
    max_speed: int


class LearnedView(TypedDict):
    """A confirmed segment that words of the proposal come from; `segment` is its number.

    `segment` and `index` are null in another document. `words` has the numbers of the words with the segment's share of
    their probability, 0 to 1.
    """

    segment: int | None
    index: int | None
    source: str
    target: str
    words: list[tuple[int, float]]


class RemarkView(TypedDict):
    """A remark on the segment, with the text that it returned, or "". The owner of the server has the name ""."""

    wall_ms: int
    person: str
    text: str
    returned: str


class LockView(TypedDict):
    """Why a segment is locked: by its file, or by a person; the owner of the server has the name ""."""

    is_of_file: bool
    person: str


class SegmentDetails(TypedDict):
    """The open segment. `target` is the person's text, null while the machine's is shown.

    `between` is the text in the language between two models; "" where one model translates.
    """

    index: int
    stamp: int
    state: SegmentStateName
    num_words: int
    source: list[SourceRun]
    terms: list[TermView]
    kept: list[KeptView]
    constraints: SegmentConstraints
    pin_states: list[PinView]
    ban_states: list[BanView]
    prices: PriceView | None
    is_pricing: bool
    conflicts: list[ConflictView]
    is_pending: bool
    proposal: ProposalView | None
    between: str
    nbest: list[RankedHypothesis]
    free: FreeHypothesis | None
    notices: list[str]
    target: str | None
    machine_text: str | None
    note: str
    limits: LimitsView | None
    comment: str
    review: Review
    lock: LockView | None
    remarks: list[RemarkView]
    placeholders: list[str]
    origin: Origin | None
    is_from_memory: bool
    match_rate: int
    findings: list[FindingView]
    learned_from: list[LearnedView]
