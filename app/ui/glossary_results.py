"""The results of commands and questions about glossaries and imports of glossaries; see `app.ui.results`."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.glossary.import_report import Verdict
from app.glossary.model import Case, Matching, Status
from app.glossary.reading.column_uses import ColumnUse


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
    """The number of segments that are translated again."""

    num_retranslated: int


class GlossaryChange(GlossaryList, Retranslated):
    """The glossaries after a change."""


class AddedTerm(Retranslated):
    """A term that was added; for a glossary, its name, its id, and the number of the term in it."""

    glossary: NotRequired[str]
    glossary_id: NotRequired[int]
    number: NotRequired[int]


class GlossaryExport(TypedDict):
    """A file type for a glossary; `note` lists the data that it cannot store, and is empty if it stores all."""

    kind: str
    label: str
    note: str


class GlossaryExports(TypedDict):
    """The files in which a glossary can be saved."""

    exports: list[GlossaryExport]


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
    """The segments in which a term occurs, and the confirmed segments that do not use it; up to 50 of each."""

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
ImportCounts = dict[Literal["rejected", "held", "look", "repeat", "new", "changed", "same", "gone"], int]


ImportNumber = TypedDict("ImportNumber", {"import": int})  # a field name that no class body can have


class DocumentImpact(GlossaryImpact):
    """The use of an imported glossary, and how many more segments it concerns than the present glossaries."""

    num_more: int


class TableView(TypedDict):
    """The first rows of a table, and the use of each column."""

    rows: list[list[str]]
    uses: list[ColumnUse]
    has_header: bool


class ColumnsQuestion(TypedDict):
    """The answer to an upload whose columns must be chosen."""

    table: TableView


class ImportReport(ImportNumber):
    """The report on an import that is not used yet. Counts and notes change while terms are checked.

    `num_proposed` counts the terms that the messy rows become if all proposals are accepted.
    """

    counts: ImportCounts
    notes: list[str]
    is_checking: bool
    name: str
    num_terms: int
    num_proposed: int
    is_replacing: bool
    is_table: bool
    document: DocumentImpact


class RowFix(TypedDict):
    """A fix that can be chosen by its name: the target becomes `to`, or the row is left out (null).

    The row becomes `num_terms` terms.
    """

    name: str
    to: str | None
    num_terms: int


class BlankRow(TypedDict):
    """A row without a target, which can be entered."""

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
    """A glossary that was used without changes; `errors` are the first rows that were left out."""

    counts: dict[Literal["rejected", "held", "look", "repeat"], int]
    notes: list[str]
    name: str
    num_terms: int
    errors: list[str]
