"""The questions of the page, which change nothing: one model each, checked as commands are."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from app.glossary.import_report import Shown
from app.ui import results as r
from app.ui.glossary_results import DocumentCheck, GlossaryExports, GlossaryList, ImportReport, ImportRows, TermsPage
from app.ui.schemas import Count, Integer, Line, List, Name, PageMessage, PageModel, Table


class Hello(PageModel):
    """A page was opened or reloaded; `token` is the session that it showed before.

    `last_shown` are the sessions that this browser showed last, by the name of the person who worked.
    """

    token: Name | None = None
    last_shown: Table[Name] = Field(default_factory=dict)
    language: Name = "en"


class Changes(PageMessage):
    """Changes since `since`; see `app.ui.commands.command.CommandMessage`.

    A new question of a page (`client`) ends its earlier one. With `waits` false, the reply comes at once. `news_stamp`
    and `list_stamp` are the stamps of the notices and of the list of documents that the page has; null: it does not
    wait for newer ones.
    """

    client: Name = ""
    since: Integer
    open: Integer | None = None
    detail_since: Integer
    news_stamp: Integer | None = None
    list_stamp: Integer | None = None
    waits: bool = True


class AskAlternatives(PageMessage):
    """Other words for the one behind the beginning `before` of a segment's `text`; `locked` are parts that stay."""

    result: ClassVar[Any] = r.Alternatives
    segment: Integer
    text: str
    before: str
    locked: List[str]


class AskPlaces(PageMessage):
    """Other places of `pin` in a `text` of the segment, one more occurrence each.

    `moved` is the character where the occurrence begins that moves; null: all stay, and another one is put in.
    """

    result: ClassVar[Any] = r.Places
    segment: Integer
    pin: str
    text: str
    moved: Integer | None = None


class AskCompletion(PageMessage):
    """Asks for a continuation of `text`; if `is_requested`, also one that the model is not certain of."""

    result: ClassVar[Any] = r.Completion
    segment: Integer
    text: str
    is_requested: bool = False


class AskRevision(PageMessage):
    """Asks for the words of an edited `text` that should change; `prefix` and `locked` do not change."""

    segment: Integer
    text: str
    prefix: str
    locked: List[str]


class AskRecord(PageMessage):
    """Asks for the session's figures ("report"), or for all its moments ("replay")."""

    view: Literal["report", "replay"]


class AskPreview(PageMessage):
    """Asks for the blocks of the document, with the segments in each."""

    result: ClassVar[Any] = r.DocumentPreview


class GlossaryQuestion(PageMessage):
    """The kind of a question about glossaries; the other fields are read later."""

    model_config = ConfigDict(extra="ignore")

    ask: Literal["overview", "document", "terms", "import", "rows", "exports"]


class AskOverview(PageMessage):
    """Asks for the document's glossaries."""

    ask: Literal["overview"]
    result: ClassVar[Any] = GlossaryList


class AskDocumentCheck(PageMessage):
    """Asks for the occurrences of the glossaries' terms in the document."""

    ask: Literal["document"]
    result: ClassVar[Any] = DocumentCheck


class AskExports(PageMessage):
    """The files in which a glossary can be saved."""

    ask: Literal["exports"]
    result: ClassVar[Any] = GlossaryExports
    glossary: Integer


class AskTerms(PageMessage):
    """A page of a glossary's terms."""

    ask: Literal["terms"]
    result: ClassVar[Any] = TermsPage
    glossary: Integer
    filter: Line
    offset: Count


class AskImport(PageMessage):
    """The effects of using an uploaded glossary."""

    ask: Literal["import"]
    result: ClassVar[Any] = ImportReport
    import_: Integer = Field(alias="import")


class AskImportRows(PageMessage):
    """A page of the rows of an uploaded glossary."""

    ask: Literal["rows"]
    result: ClassVar[Any] = ImportRows
    import_: Integer = Field(alias="import")
    shown: Shown
    offset: Count
