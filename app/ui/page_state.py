"""The state of a workspace as the page gets it: the shapes of `Workspace.snapshot`.

TypeScript types are made from them. Messages are in the page's language; words are numbered as in `word_spans`.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.checks import CheckName
from app.glossary.model import Status
from app.log.records import SegmentStateName
from app.segments.constraint_changes import BanCase
from app.segments.state import Origin
from engine import Formality

Run = tuple[str, str]  # [kind, text]
WordPair = tuple[int, int]


class ProjectName(TypedDict):
    """A project; without a name of its own, "". Its choices for matches of the memory, in percent."""

    id: int
    name: str
    min_match: int
    other_penalty: int
    import_penalty: int


class DocumentView(TypedDict):
    """The document, its session and project, and its language pair; `unit` is what its words are counted in.

    `can_be_reread`: a person may choose its encoding or columns.
    """

    name: str
    session: int
    project: ProjectName
    notes: list[str]
    can_be_reread: bool
    direction: str
    source_language: str
    target_language: str
    unit: Literal["words", "characters"]


class StyleView(TypedDict):
    """The chosen style, and the choices of the model."""

    formality: Formality | None
    domain: str | None
    formalities: list[Formality]
    domains: list[str]


class OfferedModel(TypedDict):
    """A model that was installed for the document, but translates other languages; no list has one without a key."""

    key: str
    name: str
    directions: list[str]


class ModelView(TypedDict):
    """The model in use; `next` names one that is loading, `fetched` is the percentage of its download.

    `pivot` is the language between if two models translate, one after the other. `num_learned` counts the confirmed
    segments that proposals draw from.
    """

    state: str
    name: str
    pivot: str
    message: str
    num_directions: int
    next: str
    fetched: int | None
    offered: OfferedModel | None
    style: StyleView
    num_learned: int


class SegmentCounts(TypedDict):
    """How many segments each filter of the list shows."""

    all: int
    open: int
    edited: int
    confirmed: int
    attention: int
    commented: int


class WordCounts(TypedDict):
    """Words of the source."""

    confirmed: int
    all: int


class WorkView(TypedDict):
    """Working time without pauses longer than the limit, and words confirmed per hour."""

    net_ms: int
    per_hour: float | None
    idle_limit_ms: int


class ProgressView(TypedDict):
    """How far the translation of the whole document is."""

    done: int
    total: int
    is_running: bool
    words_per_second: float | None
    seconds_left: int | None


class DecodeView(TypedDict):
    """How long the last decoding took."""

    last_ms: float | None


class GlossarySummary(TypedDict):
    """The glossaries in the header."""

    name: str
    num_terms: int
    num_glossaries: int


class TagView(TypedDict):
    """An inline tag: its short name, or "", and its content in the file."""

    name: str
    content: str


class SegmentRow(TypedDict):
    """One segment in the list. `stamp` is the version at which it changed last; an empty `source` was merged away.

    `match_rate` is the match of the memory that was filled in, else the best one, in percent, or 0. `tags` are
    the inline tags of the source by number: {1} or {/1} in the texts.
    """

    index: int
    stamp: int
    state: SegmentStateName
    is_queued: bool
    attention: str
    source: str
    target: str | None
    num_pins: int
    is_commented: bool
    is_repetition: bool
    is_from_memory: bool
    match_rate: int
    can_be_filled: bool
    score: float | None
    tags: dict[str, TagView]


class SourceRun(TypedDict):
    """A piece of the source: `w` numbers its word; `term` and `at` name a glossary hit."""

    t: str
    w: NotRequired[int]
    term: NotRequired[str]
    at: NotRequired[int]
    tag: NotRequired[bool]
    kept: NotRequired[bool]


class TargetRun(TypedDict):
    """A piece of the proposal: `w` numbers its word; `pin`, `is_term`, `kept` are met constraints, `ban` is a ban.

    `new` marks a word that is not in the previous text.
    """

    t: str
    w: NotRequired[int]
    pin: NotRequired[str]
    at: NotRequired[int]
    is_term: NotRequired[bool]
    terms: NotRequired[list[str]]
    tag: NotRequired[bool]
    kept: NotRequired[bool]
    new: NotRequired[bool]
    ban: NotRequired[str]


class ProposalView(TypedDict):
    """The best translation: `confidence` by word, `alignment` pairs (source word, target word)."""

    text: str
    score: float
    tokens: list[TargetRun]
    alignment: list[WordPair]
    confidence: list[float]
    is_stale: bool


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
    """A pin; `source` is the source text that it translates, if the model knows."""

    text: str
    status: Literal["met", "unmet", "pending"]
    reason: str
    source: str


class BanChoice(TypedDict):
    """A banned text."""

    text: str
    case: BanCase


class BanView(BanChoice):
    """A banned text in the newest translation: absent (`kept`), in conflict with a constraint, or still contained."""

    status: Literal["kept", "clash", "stands", "pending"]
    reason: str


class PricedConstraint(TypedDict):
    """What a required text costs, in log probability."""

    text: str
    is_pinned: bool
    is_kept: bool
    terms: list[str]
    price: float | None


class PricedBan(BanChoice):
    """What a ban costs, in log probability."""

    price: float | None


class PriceView(TypedDict):
    """The costs of the constraints: in total, each alone (`singly`), and the difference (`together`)."""

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
    gap: float
    runs: list[Run]


class RankedHypothesis(FreeHypothesis):
    """One translation of the n-best list: `score` is the model's less `penalty`, for changes and bad places."""

    rank: int
    penalty: float
    unmet: list[str]


class FindingView(TypedDict):
    """What a check found in the text."""

    check: CheckName
    kind: str
    texts: list[str]
    is_error: bool


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
    pins: list[str]
    pin_states: list[PinView]
    bans: list[BanChoice]
    ban_states: list[BanView]
    beginning: str
    locked: list[str]
    previous: str
    prices: PriceView | None
    is_pricing: bool
    terms_off: list[str]
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
    comment: str
    placeholders: list[str]
    origin: Origin | None
    is_from_memory: bool
    match_rate: int
    findings: list[FindingView]
    learned_from: list[LearnedView]


class SessionOffer(TypedDict):
    """An earlier session that can be continued."""

    session: int
    name: str
    num_confirmed: int
    num_segments: int
    last_ms: int


@with_config(ConfigDict(extra="forbid", strict=True))  # also for nested types; tests check replies with it
class SnapshotReply(TypedDict):
    """The state after a command: totals, the rows that changed, and the open segment if it changed.

    `order` comes if segments were split or merged; `offers` comes with another session; `result` is the command's own.
    `lookups_left`: segments whose best match in the memory is not known yet.
    """

    ok: Literal[True]
    token: str
    version: int
    document: DocumentView
    model: ModelView
    counts: SegmentCounts
    words: WordCounts
    work: WorkView
    progress: ProgressView
    lookups_left: int
    decode: DecodeView
    glossary: GlossarySummary | None
    problem: str
    keeps_keys: bool
    rows: list[SegmentRow]
    order: NotRequired[list[int]]
    segment: NotRequired[SegmentDetails]
    checks_off: NotRequired[list[CheckName]]
    offers: NotRequired[list[SessionOffer]]
    result: NotRequired[dict[str, object]]
