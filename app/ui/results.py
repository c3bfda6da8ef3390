"""The results of commands and questions: one type each. `app.ui.page_state` has the types of the state.

Each command and question names its type in `result`; the page's TypeScript types are generated from them.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.glossary.import_report import Verdict
from app.glossary.model import Case, Matching, Status
from app.log.records import SegmentStateName
from app.ui.page_state import FindingView, Run, SessionOffer
from engine import Formality

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
    """An entry of the memory: how similar its source is in percent, and how it differs from the segment's."""

    rate: int
    source: str
    target: str
    origin: str
    runs: list[Run]


class Matches(TypedDict):
    """The matches of a segment, best first."""

    segment: int
    matches: list[MemoryMatch]
    num_entries: int


# ---- the whole document ----


class FoundRow(TypedDict):
    """A segment with the text; `runs` show the replacement."""

    index: int
    state: SegmentStateName
    runs: list[Run]


class FoundText(TypedDict):
    """Where a text occurs."""

    num_places: int
    num_segments: int
    rows: list[FoundRow]


class ReplaceStep(BatchStep):
    """A replacement, with the number of replaced texts."""

    num_places: int


class SteppedBatch(TypedDict):
    """An undone or redone change: how many segments it changed, and how many it left because of later changes."""

    num_segments: int
    num_left: int


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
    """A TMX file that was imported, and how many segments were filled from it."""

    name: str
    num_pairs: int
    num_filled: int


class ExportWarning(TypedDict):
    """A warning to show before a file is saved. A file that would be empty is not offered."""

    note: str | None
    is_empty: bool


# ---- models ----


class LanguagePairs(TypedDict):
    """The target languages by source language."""

    directions: dict[str, list[str]]


class ModelOffer(TypedDict):
    """A model that can be chosen; `is_fit` if it translates this document's language pair."""

    key: str
    name: str
    place: Literal["bundled", "cached", "folder"]
    directions: list[str]
    num_directions: int
    num_parameters: int
    num_bytes: int
    formalities: list[Formality]
    domains: list[str]
    problem: str
    card: str
    median_ms: float | None
    is_removable: bool
    is_current: bool
    is_fit: bool


class ModelOffers(TypedDict):
    """The models that can be chosen."""

    models: list[ModelOffer]


class PublishedOffer(TypedDict):
    """A model that can be downloaded; `num_here` bytes of it were downloaded already."""

    name: str
    title: str
    direction: str
    num_bytes: int
    num_parameters: int
    num_here: int
    quality: dict[str, float]
    licence: str
    licence_text: str
    is_released: bool
    is_recommended: bool
    is_installed: bool


class PublishedOffers(TypedDict):
    """The models of the list at `address` for a direction; `read_at` is empty if the list was never read."""

    address: str
    read_at: str
    direction: str
    directions: list[str]
    models: list[PublishedOffer]


class PairedModel(TypedDict):
    """One model of a pair; the licence only if it has to be downloaded."""

    name: str
    direction: str
    num_bytes: int
    is_installed: bool
    licence: str
    licence_text: str


class ModelPair(TypedDict):
    """Two models through a language between (`language`); `is_fit` if they translate this document's language pair."""

    key: str
    name: str
    language: str
    direction: str
    num_missing_bytes: int
    is_installed: bool
    is_current: bool
    is_fit: bool
    parts: list[PairedModel]


class PairOffers(TypedDict):
    """The target languages by source language that no single model has, and the models to use for `direction`."""

    pairs: dict[str, list[str]]
    direction: str
    pair: ModelPair | None


# ---- glossaries ----


class GlossaryView(TypedDict):
    """One glossary of the document; `is_shared` if it is a term base of the project."""

    id: int
    name: str
    num_terms: int
    is_on: bool
    is_shared: bool


class GlossaryList(TypedDict):
    """The glossaries by priority, and whether a change can be undone."""

    glossaries: list[GlossaryView]
    can_undo: bool


class Retranslated(TypedDict):
    """How many segments are translated again."""

    num_retranslated: int


class GlossaryChange(GlossaryList, Retranslated):
    """The glossaries after a change."""


class AddedTerm(Retranslated):
    """A term that was added; for a glossary, its name, its id, and the number of the term in it."""

    glossary: NotRequired[str]
    glossary_id: NotRequired[int]
    number: NotRequired[int]


class TermRow(TypedDict):
    """A term in the table of its glossary."""

    number: int
    source: str
    target: str
    variants: list[str]
    status: Status
    case: Case
    matching: Matching
    note: str


class EditedTerm(GlossaryChange):
    """The glossaries after a change of one term, and its row."""

    row: TermRow


class TermsPage(TypedDict):
    """Some rows of a glossary: `num_rows` match the filter, of `num_terms`."""

    num_rows: int
    num_terms: int
    offset: int
    rows: list[TermRow]


class GlossaryImpact(TypedDict):
    """The use of glossaries in the document: counts of segments, terms and occurrences."""

    num_segments: int
    num_segments_hit: int
    num_terms: int
    num_found: int
    num_without: int
    num_hits: int
    num_suppressed: int
    num_unused: int


class TermName(TypedDict):
    """A term and its glossary."""

    source: str
    target: str
    glossary: str
    status: Status


class TermUseView(TermName):
    """Where a term occurs, and the confirmed segments that do not use it; up to 50 of each."""

    num_hits: int
    segments: list[int]
    unused_in: list[int]


class SuppressedTerm(TermName):
    """A term that another one overrides."""

    by: TermName
    is_same_place: bool
    num_hits: int
    segments: list[int]


class DocumentCheck(GlossaryImpact):
    """The use of the glossaries in the document, with the terms found and the terms overridden."""

    uses: list[TermUseView]
    suppressed: list[SuppressedTerm]


# The counts of an import by verdict; "gone" are terms of the glossary that it replaces.
ImportCounts = dict[Literal["rejected", "look", "repeat", "new", "changed", "same", "gone"], int]


ImportNumber = TypedDict("ImportNumber", {"import": int})  # a field name that no class body can have


class ImportProgress(ImportNumber):
    """The report on an import that is not used yet: the part that changes while terms are checked."""

    counts: ImportCounts
    notes: list[str]
    is_checking: bool


class DocumentImpact(GlossaryImpact):
    """The use of an imported glossary, and how many more segments it concerns than the present glossaries."""

    num_more: int


class ImportReport(ImportProgress):
    """The report on an uploaded glossary."""

    name: str
    num_terms: int
    is_replacing: bool
    document: DocumentImpact


class RowFix(TypedDict):
    """A fix that can be chosen by its name: the target becomes `to`, or the row is left out (null)."""

    name: str
    to: str | None


class BlankRow(TypedDict):
    """A row that lacks only a target, which can be entered."""

    name: str
    source: str


class ImportRow(TypedDict):
    """A row of an import: accepted, with the target before in `was`, or reported with a message."""

    row: int
    verdict: Verdict
    text: str
    message: str
    was: NotRequired[str]
    kind: NotRequired[str]
    fix: NotRequired[RowFix | None]
    blank: NotRequired[BlankRow | None]


class ImportRows(TypedDict):
    """Some rows of an import."""

    rows: list[ImportRow]
    num_rows: int
    offset: int


class UsedImport(GlossaryChange):
    """The glossaries after an import, with the name and the size of the imported one."""

    name: str
    num_terms: int


class ImportedGlossary(TypedDict):
    """A glossary that was used as it is; `errors` are the first rows that were left out."""

    counts: dict[Literal["rejected", "look", "repeat"], int]
    notes: list[str]
    name: str
    num_terms: int
    errors: list[str]


# ---- projects and documents ----


class ProjectRow(TypedDict):
    """A project; without a name of its own, "". `is_current`: new documents of its language pair go into it."""

    id: int
    name: str
    client: str
    direction: str
    formality: str
    domain: str
    shares_memory: bool
    num_documents: int
    num_term_bases: int
    num_terms: int
    is_current: bool


class ProjectList(TypedDict):
    """All projects, most recently used first."""

    projects: list[ProjectRow]


class DocumentRow(SessionOffer):
    """A document in the list of all documents."""

    direction: str
    project: int


class DocumentList(ProjectList):
    """All documents, most recently used first, and the projects that they belong to."""

    documents: list[DocumentRow]


# ---- sessions ----


class ModelSuggestion(TypedDict):
    """A model that can be downloaded for a direction; `title` is empty if the list of models was never read.

    `is_needed` says that no installed model has the direction. `pivot` is a language where two models are offered that
    translate through it; `num_bytes` is then what has to be downloaded.
    """

    direction: str
    title: str
    num_bytes: int
    pivot: str
    is_needed: bool


class ShownSession(OpenedSegment):
    """Another session: the segment to open, an earlier session that could be continued, whether this one was."""

    offer: NotRequired[SessionOffer]
    model_offer: NotRequired[ModelSuggestion]
    is_continued: NotRequired[bool]


# ---- questions to the model ----


class AlternativeRow(TypedDict):
    """Another word, the sentence with it, and the beginning of the translation that brings this sentence about."""

    word: str
    text: str
    tail: str
    beginning: str
    gap: float
    is_term: bool


class Alternatives(TypedDict):
    """Other words for a word of the proposal `text`, best sentence first; `replaced` are its start and end there."""

    word: str
    text: str
    replaced: list[int]
    rows: list[AlternativeRow]


class Completion(TypedDict):
    """How the text could continue, or the reason why nothing follows."""

    completion: str
    reason: str


# ---- report and replay ----


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
    """The figures of a session. `origins` are [way, words], `prices` [price, kind, text, segment index, number]."""

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
    """Every moment: [event, milliseconds, type, segment, text after it, detail]."""

    segments: list[ReplaySegment]
    moments: list[tuple[int, int, str, int | None, str | None, str]]
