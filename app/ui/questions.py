"""The questions of the page, which change nothing: one model each, checked as commands are."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from app.glossary.import_report import Shown
from app.ui import results as r
from app.ui.glossary_results import DocumentCheck, GlossaryExports, GlossaryList, ImportReport, ImportRows, TermsPage
from app.ui.schemas import Count, Integer, List, Name, PageMessage, PageModel


class Hello(PageModel):
    """A page was opened or reloaded; `token` is the session that it showed before."""

    token: Name | None = None
    language: Name = "en"


class Changes(PageMessage):
    """Changes since `since`; see `app.ui.commands.command.CommandMessage`.

    A new question of a page (`client`) ends its earlier one. With `waits` false, the reply comes at once.
    """

    client: Name = ""
    since: Integer
    open: Integer | None = None
    detail_since: Integer
    waits: bool = True


class AskAlternatives(PageMessage):
    """Other words for word number `word` of the proposal `text`."""

    result: ClassVar[Any] = r.Alternatives
    segment: Integer
    word: Integer
    text: str


class AskCompletion(PageMessage):
    """How the translation could continue after `text`; if `is_requested`, also where the model is not certain."""

    result: ClassVar[Any] = r.Completion
    segment: Integer
    text: str
    is_requested: bool = False


class AskRevision(PageMessage):
    """Which words of an edited `text` should change; `beginning` and `locked` are kept as they are."""

    segment: Integer
    text: str
    beginning: str
    locked: List[str]


class AskRecord(PageMessage):
    """The session's figures ("report"), or every moment of it ("replay")."""

    view: Literal["report", "replay"]


class AskPreview(PageMessage):
    """The blocks of the document, with the segments in each."""

    result: ClassVar[Any] = r.DocumentPreview


class GlossaryQuestion(PageMessage):
    """Which question about glossaries a message is; the other fields are read later."""

    model_config = ConfigDict(extra="ignore")

    ask: Literal["overview", "document", "terms", "import", "rows", "exports"]


class AskOverview(PageMessage):
    """The document's glossaries."""

    ask: Literal["overview"]
    result: ClassVar[Any] = GlossaryList


class AskDocumentCheck(PageMessage):
    """Where the terms of the glossaries occur in the document."""

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
    filter: str
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
