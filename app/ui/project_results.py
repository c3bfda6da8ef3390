"""The results of commands about projects and about several documents; see `app.ui.results`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from app.access.rights import Role
from app.log.deadlines import Urgency
from app.reports.analysis import Band
from app.reports.audit import AuditRow
from app.ui.page_state import SegmentRow, SessionOffer

# ---- projects and documents ----


class SegmentationRow(TypedDict):
    """The segmentation rules of a project: the name, checksum and number of rules of their file."""

    name: str
    sha256: str
    num_rules: int


class ProjectRow(TypedDict):
    """A project; without a name of its own, "". `is_current`: new documents of its language pair go into it.

    `is_managed`: the person may change and delete it, its documents and its members, whose names are then in `members`.
    """

    id: int
    name: str
    client: str
    direction: str
    formality: str
    domain: str
    shares_memory: bool
    learns: bool
    has_review: bool
    deadline_ms: int | None
    num_documents: int
    num_term_bases: int
    num_terms: int
    segmentation: SegmentationRow | None
    is_current: bool
    is_managed: bool
    num_members: int
    members: list[str]


class ProjectList(TypedDict):
    """All projects, most recently used first; whether the person may create one.

    `has_members`: people see only the projects that they are members of.
    """

    projects: list[ProjectRow]
    can_create: bool
    has_members: bool


class PersonName(TypedDict):
    """A person with their role; "" without one."""

    name: str
    role: Role | Literal[""]


class ProjectMembers(TypedDict):
    """The members of a project, and the other people."""

    members: list[PersonName]
    others: list[PersonName]


class NamedDocument(TypedDict):
    """A document by its session."""

    session: int
    name: str


class ActivityList(TypedDict):
    """Events in the documents of projects that the person manages, newest first, and what can be chosen."""

    rows: list[AuditRow]
    is_more: bool
    people: list[str]
    documents: list[NamedDocument]


class DocumentRow(SessionOffer):
    """A document in the list of all documents; `assignee` is the person to whom it is assigned, or "".

    `part_assignees` are the people to whom parts of it are assigned. `due_ms` is its deadline, or that of its project.
    """

    num_approved: int
    num_returned: int
    direction: str
    project: int
    due_ms: int | None
    urgency: Urgency
    assignee: str
    part_assignees: list[str]


class AmountView(TypedDict):
    """Segments with the words of their sources: in all, confirmed, locked, and those that are left."""

    num_segments: int
    num_words: int
    num_segments_done: int
    num_words_done: int
    num_segments_locked: int
    num_words_locked: int
    num_segments_to_do: int
    num_words_to_do: int


class DocumentTotalsView(TypedDict):
    """The totals of a document. `deadline_ms` is its own, `due_ms` that of the project if it has none."""

    session: int
    name: str
    assignee: str
    deadline_ms: int | None
    due_ms: int | None
    urgency: Urgency
    amount: AmountView


class PersonTotalsView(TypedDict):
    """The totals of a person's segments; "" has those that are assigned to nobody."""

    name: str
    due_ms: int | None
    urgency: Urgency
    amount: AmountView


class ProjectTotalsView(TypedDict):
    """The totals of a project; times are milliseconds since 1970. `is_managed`: the person may set deadlines."""

    project: int
    deadline_ms: int | None
    unit: Literal["words", "characters"]
    urgency: Urgency
    documents: list[DocumentTotalsView]
    people: list[PersonTotalsView]
    amount: AmountView
    is_managed: bool


class AssignedSegments(TypedDict):
    """The number of assigned segments, and how many of them were assigned to somebody else before."""

    num_segments: int
    num_taken: int


class DocumentList(ProjectList):
    """All documents, most recently used first, and the projects that they belong to; `stamp` changes with them."""

    documents: list[DocumentRow]
    stamp: int


class ChangedDocuments(TypedDict):
    """The documents whose rows have changed; null: any may have, or may be gone."""

    documents: list[DocumentRow] | None
    stamp: int


class OpenDocuments(TypedDict):
    """The rows of the documents that were asked for, in the same order; null: the person sees no such document."""

    documents: list[DocumentRow | None]


class JoinedDocuments(TypedDict):
    """The documents of a project in one language pair, in the order in which they were opened."""

    documents: list[DocumentRow]


class JoinedPortion(TypedDict):
    """Rows of a document in its order, and the stamp after which changes are asked for.

    `is_last`: they are its last rows, or all that changed; otherwise more have to be asked for, or all again.
    """

    stamp: int
    rows: list[SegmentRow]
    is_last: bool


class NextDocument(TypedDict):
    """The next document of the project in which segments wait; null: there is none."""

    document: DocumentRow | None


# ---- several documents ----


class BegunFiles(TypedDict):
    """The number of an archive or a selection that is being opened."""

    bundle: int


class ArchiveFile(TypedDict):
    """A file of an archive, by the number of its entry; `problem` is the reason why it cannot be opened.

    `is_memory`: it is a translation memory that can be imported.
    """

    entry: int
    path: str
    problem: str | None
    is_memory: bool


class BegunArchive(BegunFiles):
    """An archive that is being opened: its name and all its files."""

    name: str
    files: list[ArchiveFile]


class OpenedFile(TypedDict):
    """A file of an archive or a selection: its session with notes about it, or the reason why it was not opened.

    `token` is that of the session, or "".
    """

    path: str
    session: int | None
    token: str
    problem: str | None
    notes: list[str]
    num_segments: int


class PackableDocument(TypedDict):
    """A document that can be exported with others."""

    session: int
    path: str
    num_confirmed: int
    num_segments: int
    num_locked: int


class PackableGroup(TypedDict):
    """Documents that belong together; the `name` of a selection may be empty."""

    name: str
    kind: Literal["archive", "selection", "project"]
    documents: list[PackableDocument]


class PackableDocuments(TypedDict):
    """The documents that were opened together with this one, if any, then the documents of its project."""

    groups: list[PackableGroup]


class SegmentCount(TypedDict):
    """Segments with their words, characters without tags, and tags and placeholders."""

    num_segments: int
    num_words: int
    num_characters: int
    num_placeables: int


class AnalysisRow(TypedDict):
    """The segments of a document by band."""

    session: int
    name: str
    counts: dict[Band, SegmentCount]


class AnalysisReply(TypedDict):
    """An analysis of documents; its files are downloaded by the key. `unit`: "words" or "characters" are counted."""

    key: str
    unit: str
    documents: list[AnalysisRow]


class PackedDocument(TypedDict):
    """An exported document, and its unfinished segments."""

    path: str
    note: str | None


class PackedDocuments(TypedDict):
    """An archive to download by its key; it contains `num_unchanged` unchanged files of the original archive."""

    key: str
    name: str
    documents: list[PackedDocument]
    num_unchanged: int
