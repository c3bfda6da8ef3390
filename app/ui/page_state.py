"""The state of a workspace as the page gets it: the shapes of `Workspace.snapshot`.

TypeScript types are made from them. Messages are in the page's language.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.checks import CheckName
from app.log.notices import NoticeKind
from app.log.records import SegmentStateName
from app.segments.state import Review
from app.ui.segment_details import SegmentDetails
from engine import Formality


class ProjectName(TypedDict):
    """A project; without a name of its own, "". Its choices for matches of the memory, in percent.

    `has_review`: its segments are reviewed; `may_review`: by the actor, too. `may_lock` and `may_assign`: the person
    may lock segments, and assign parts of the document.
    """

    id: int
    name: str
    min_match: int
    other_penalty: int
    import_penalty: int
    has_review: bool
    may_review: bool
    may_lock: bool
    may_assign: bool


class DocumentView(TypedDict):
    """The document, its session and project, and its language pair; `unit` is what its words are counted in.

    `can_be_reread`: a person may choose its encoding or columns. `has_segments_choice`: they may choose what a segment
    is. `has_comment_choice`: comments are exported only if a person asks for them.
    """

    name: str
    session: int
    project: ProjectName
    notes: list[str]
    can_be_reread: bool
    has_segments_choice: bool
    has_comment_choice: bool
    direction: str
    source_language: str
    target_language: str
    unit: Literal["words", "characters"]


class StyleView(TypedDict):
    """The chosen style, and the choices of the model."""

    formality: Formality | None
    domain: str | None
    requires_numbers: bool
    formalities: list[Formality]
    domains: list[str]


class OfferedModel(TypedDict):
    """A model installed for the document that translates other languages; without a key, it is not in a list."""

    key: str
    name: str
    directions: list[str]


class ModelView(TypedDict):
    """The model in use; `next` names one that is loading, `fetched` is the percentage of its download.

    `pivot` is the language between if two models translate, one after the other. `is_silent`: its thread has not
    answered for a while, as the reply's problem says. `num_learned` counts the confirmed
    segments that proposals draw from.
    """

    state: str
    name: str
    pivot: str
    message: str
    num_directions: int
    device: str
    is_silent: bool
    next: str
    fetched: int | None
    offered: OfferedModel | None
    style: StyleView
    num_learned: int


class SegmentCounts(TypedDict):
    """The number of segments for each filter of the list; of states and reviews, those that are not locked."""

    all: int
    open: int
    edited: int
    confirmed: int
    attention: int
    commented: int
    to_review: int
    approved: int
    returned: int
    locked: int


class WordCounts(TypedDict):
    """Words of the source; all and confirmed ones are those of segments that are not locked."""

    confirmed: int
    all: int
    locked: int


class WorkView(TypedDict):
    """Working time without pauses longer than the limit, and words confirmed per hour."""

    net_ms: int
    per_hour: float | None
    idle_limit_ms: int


class ProgressView(TypedDict):
    """The progress of the translation of the whole document."""

    done: int
    total: int
    is_running: bool
    words_per_second: float | None
    seconds_left: int | None


class DecodeView(TypedDict):
    """The duration of the last decoding."""

    last_ms: float | None
    tokens_per_second: float | None


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

    `match_rate` is the match of the memory that was filled in, otherwise the best one, in percent, or 0. `tags` are
    the inline tags of the source by number: {1} or {/1} in the texts. `assignee` is the person to whom the segment is
    assigned, or "". `is_held` says that the person who asks may only read it, because it is assigned to another,
    `is_locked` that nobody may change it.
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
    review: Review
    is_locked: bool
    is_repetition: bool
    is_from_memory: bool
    match_rate: int
    can_be_filled: bool
    score: float | None
    tags: dict[str, TagView]
    assignee: str
    is_held: bool


class PersonPlace(TypedDict):
    """Another person who has the document open, and their segment; the owner of the server has the name ""."""

    name: str
    segment: int


class NoticeView(TypedDict):
    """A notice to the person: something was assigned to them or taken back, or a reviewer has returned segments.

    `sender` is who did so ("": the owner), `num_segments` 0 means the whole document. A dismissed notice is only a mark
    in the list of documents.
    """

    session: int
    document: str
    kind: NoticeKind
    sender: str
    num_segments: int
    is_dismissed: bool


class NewsView(TypedDict):
    """The notices to the person, newest first; `stamp` changes with them, `list_stamp` with the list of documents."""

    stamp: int
    list_stamp: int
    notices: list[NoticeView]


class SessionOffer(TypedDict):
    """An earlier session that can be continued. Locked segments are not among the confirmed ones."""

    session: int
    name: str
    num_confirmed: int
    num_segments: int
    num_locked: int
    last_ms: int


@with_config(ConfigDict(extra="forbid", strict=True))  # also for nested types; tests check replies with it
class SnapshotReply(TypedDict):
    """The state after a command: totals, the rows that changed, and the open segment if it changed.

    `order` comes if segments were split or merged; `offers` comes with another session; `result` is the command's own.
    `lookups_left`: segments whose best match in the memory is not known yet. `people` are the others who are here.
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
    people: list[PersonPlace]
    news: NewsView
    rows: list[SegmentRow]
    order: NotRequired[list[int]]
    segment: NotRequired[SegmentDetails]
    checks_off: NotRequired[list[CheckName]]
    offers: NotRequired[list[SessionOffer]]
    result: NotRequired[dict[str, object]]
