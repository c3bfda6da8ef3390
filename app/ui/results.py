"""The results of commands and questions about one document: one type each.

`app.ui.page_state` and `app.ui.segment_details` have the types of the state; `app.ui.project_results`,
`app.ui.glossary_results` and `app.ui.model_results` have the results about projects, glossaries and models.

Each command and question names its type in `result`; the page's TypeScript types are generated from them.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.formats.part_rules import Part
from app.formats.preview import PreviewBlock
from app.formats.soft_breaks import LineBreaksChoice
from app.log.records import SegmentStateName
from app.ui.model_results import ModelSuggestion
from app.ui.page_state import SessionOffer
from app.ui.schemas import SegmentConstraints
from app.ui.segment_details import FindingView, Run

# ---- one segment ----


class Findings(TypedDict):
    """The findings of the checks in a text that is not confirmed yet."""

    findings: list[FindingView]


class BatchStep(TypedDict):
    """A change of many segments: the number that undoes it, and the indices of the segments."""

    step: int
    segments: list[int]


class OpenedSegment(TypedDict):
    """The segment to open."""

    open: int


class DivisionStep(OpenedSegment):
    """A split or a merge: the number that undoes it, and the segment to open."""

    step: int


class MemoryMatch(TypedDict):
    """An entry of the memory: how similar its source is in percent, and how it differs from the segment's.

    The penalties are taken off the rate already. `is_adapted`: the target has the numbers, placeholders and tags of the
    segment, marked in `target_runs`.
    """

    rate: int
    other_penalty: int
    import_penalty: int
    source: str
    target: str
    origin: str
    runs: list[Run]
    is_adapted: bool
    target_runs: list[Run]


class Matches(TypedDict):
    """The matches of a segment, best first."""

    segment: int
    matches: list[MemoryMatch]
    num_entries: int


class EarlierStateView(TypedDict):
    """A text of the person, null for the proposal, with its constraints."""

    text: str | None
    is_confirmed: bool
    constraints: SegmentConstraints


class EarlierStates(TypedDict):
    """The earlier states of a segment, oldest first."""

    states: list[EarlierStateView]


# ---- the whole document ----


class FoundRow(TypedDict):
    """A segment with the text, and its number in its document; `runs` show the replacement."""

    index: int
    number: int
    state: SegmentStateName
    runs: list[Run]


class FoundText(TypedDict):
    """The places where a text can be replaced; `num_locked` and `num_held` segments with it stay as they are."""

    num_places: int
    num_segments: int
    num_locked: int
    num_held: int
    rows: list[FoundRow]


class FoundDocument(FoundText):
    """The places in another document of the project."""

    session: int
    name: str


class FoundInProject(TypedDict):
    """The other documents of the project with the text; `num_left_out` are too many to search in."""

    documents: list[FoundDocument]
    num_left_out: int


class ReplaceStep(BatchStep):
    """A replacement, with the number of replaced texts."""

    num_places: int


class SteppedBatch(TypedDict):
    """An undone or redone change: how many segments it changed, and how many it left because of later changes."""

    num_segments: int
    num_left: int


class ReviewChangeRun(TypedDict):
    """A part of a reviewer's text; `was` is the text before, if it was changed."""

    t: str
    was: NotRequired[str]


class ReviewRow(TypedDict):
    """What a reviewer changed in a segment, which has the `number` on the page; `text` is null if it stays.

    `problem` explains why the change needs a look, or if it cannot be taken over, why not.
    """

    segment: int
    number: int
    before: str
    text: str | None
    runs: list[ReviewChangeRun]
    comments: list[str]
    problem: str
    can_be_taken: bool


class ReviewDifferences(TypedDict):
    """The changes in a review table, and notes about the whole file."""

    rows: list[ReviewRow]
    notes: list[str]


class ConcordanceRow(TypedDict):
    """An entry of the memory."""

    source: str
    target: str
    origin: str


class Concordance(TypedDict):
    """The entries of the memory with these words."""

    words: str
    rows: list[ConcordanceRow]


class ImportedMemory(TypedDict):
    """A translation memory that was imported, and how many segments were filled from it."""

    name: str
    notes: list[str]
    num_pairs: int
    num_filled: int


class ExportWarning(TypedDict):
    """A warning to show before a file is saved. A file that would be empty is not offered."""

    note: str | None
    is_empty: bool


# ---- sessions ----


class ShownSession(OpenedSegment):
    """Another session: the segment to open, an earlier session that could be continued, whether this one was.

    `person` is the name of the person who signed in; "" with the access token. `is_sample`: the document is the sample.
    """

    person: str
    is_sample: bool
    offer: NotRequired[SessionOffer]
    model_offer: NotRequired[ModelSuggestion]
    is_continued: NotRequired[bool]


# ---- questions to the model ----


class AlternativeRow(TypedDict):
    """Another word, the sentence with it, and the fixed beginning that leads to this sentence."""

    word: str
    text: str
    tail: str
    prefix: str
    score_difference: float
    is_term: bool


class Alternatives(TypedDict):
    """Other words for a word of the proposal `text`, best sentence first; `replaced` are the pins that contain it."""

    word: str
    text: str
    replaced: list[str]
    rows: list[AlternativeRow]


class PlaceRow(TypedDict):
    """A text with the pin at another place: its characters `start` to `end`."""

    text: str
    start: int
    end: int


class Places(TypedDict):
    """The texts with a pin at other places, best first; each place is elsewhere than those before it."""

    pin: str
    rows: list[PlaceRow]


class Completion(TypedDict):
    """A continuation of the text, or the reason why there is none."""

    completion: str
    reason: str


# ---- preview, report and replay ----


class DocumentPreview(TypedDict):
    """The blocks of the document in the order of reading."""

    blocks: list[PreviewBlock]


class ReadingChoice(TypedDict):
    """How the file was read: the codec, the codecs with names that can be chosen, of a table the columns of sources and
    targets (from 0) with its first rows, and the kinds of texts that are not always offered, with those chosen.

    `segments` is what a segment is, `line_breaks` is whether line breaks end segments; null where the file decides.
    `rules` are lines about the keys or elements `parts`, of which the first of `num_parts` are shown, and `problem`
    names one that cannot be used; `is_kept`: the project reads new files of this format by them.
    """

    encoding: str
    encodings: list[tuple[str, str]]
    columns: tuple[int, int] | None
    rows: list[list[str]]
    extras: list[str]
    chosen_extras: list[str]
    segments: Literal["sentence", "paragraph"] | None
    line_breaks: LineBreaksChoice | None
    rules: list[str]
    parts: list[Part]
    problem: str
    num_parts: int
    is_kept: bool


class ReportSegment(TypedDict):
    """The figures of one segment; `terms` are how many were met, of how many."""

    index: int
    number: int
    state: SegmentStateName
    net_ms: int
    words: int
    hter: float | None
    chrf: float | None
    is_unchanged: bool
    edits: int
    pins: int
    terms: tuple[int, int]


class SessionReport(TypedDict):
    """The figures of a session. `origins` are [way, words], `prices` [price, kind, text, segment index, number].

    `coverage` is the share of the text that is offered, in percent; None for a format without it. `repetitions` are
    segments and words whose source came before in the document, or occurs in other documents of the project.
    """

    name: str
    created_ms: int
    last_ms: int
    num_events: int
    idle_limit_ms: int
    num_segments: int
    num_confirmed: int
    unit: Literal["words", "characters"]
    num_words: int
    num_words_confirmed: int
    gross_ms: int
    net_ms: int
    words_per_hour: float | None
    median_ms: float | None
    hter: float | None
    chrf: float | None
    num_compared: int
    num_unchanged: int
    num_pins: int
    num_bans: int
    num_terms: int
    num_terms_met: int
    coverage: float | None
    repetitions: tuple[int, int]
    repetitions_elsewhere: tuple[int, int]
    keys: dict[str, int]
    origins: list[tuple[str, int]]
    prices: list[tuple[float, str, str, int, int]]
    segments: list[ReportSegment]


class ReplaySegment(TypedDict):
    """A segment at the start of the session; `number` is its place in the list now."""

    number: int
    source: str
    text: str


class SessionReplay(TypedDict):
    """All moments: [event, milliseconds, type, segment, text after it, detail]."""

    segments: list[ReplaySegment]
    moments: list[tuple[int, int, str, int | None, str | None, str]]
