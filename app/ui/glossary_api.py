"""Answers to the page's questions about glossaries: their list, their terms by page, imports before they are used.

Questions do not queue behind commands, so that a large glossary delays nobody who types.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, get_args

from app.access.actor import Actor
from app.errors import CommandError
from app.formats.documents import Export
from app.glossary.import_report import Verdict
from app.glossary.writing import KINDS, kind_label, losses, write_glossary
from app.segments import Json
from app.sessions import Sessions
from app.ui import questions as q
from app.ui.replies import attempt, in_language_of
from app.ui.schemas import PageMessage, by_literal, read
from app.workspace.commands import Workspace
from app.workspace.term_grid import grid_rows

_SHOWN = ("attention", *get_args(Verdict))


def _exports(workspace: Workspace, question: q.AskExports) -> Json:
    terms = workspace.glossaries.glossary(question.glossary).terms.values()
    return {"exports": [{"kind": kind, "label": kind_label(kind), "note": losses(terms, kind) or ""} for kind in KINDS]}


ANSWERS: Final[dict[type[PageMessage], Callable[[Workspace, Any], Json]]] = {
    q.AskOverview: lambda workspace, _: workspace.glossaries.overview(),
    q.AskDocumentCheck: lambda workspace, _: workspace.glossaries.check_document(),
    q.AskTerms: lambda workspace, asked: grid_rows(
        workspace.glossaries.glossary(asked.glossary), asked.filter, asked.offset
    ),
    q.AskExports: _exports,
    q.AskImport: lambda workspace, asked: workspace.glossary_imports.view(asked.import_),
    q.AskImportRows: lambda workspace, asked: workspace.glossary_imports.rows(asked.import_, asked.shown, asked.offset),
}
QUESTIONS: Final = by_literal("ask", ANSWERS)


class GlossaryApi:
    """The page's questions about glossaries, uploads and downloads. Safe from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self._reading = threading.Lock()  # one large file in memory at a time

    def ask(self, actor: Actor, message: Any) -> Json:
        """Answers one question, named by "ask"; changes nothing."""

        def look() -> Json:
            question = read(QUESTIONS[read(q.GlossaryQuestion, message).ask], message)
            workspace = self.sessions.find(actor, question.token)
            return {"ok": True, "result": ANSWERS[type(question)](workspace, question)}

        return in_language_of(message, attempt(actor, look))

    def stage(self, actor: Actor, token: str, name: str, data: bytes, language: str, columns: str = "") -> Json:
        """Reads an uploaded glossary; the reply shows its effects, or asks for its columns. Changes nothing.

        For `columns` see `GlossaryFiles.stage`.
        """

        def stage() -> Json:
            workspace = self.sessions.find(actor, token)
            with self._reading:
                return {"ok": True, "result": self.sessions.glossary_files.stage(workspace, data, name, columns)}

        return in_language_of({"language": language}, attempt(actor, stage))

    def download(self, actor: Actor, token: str, glossary: int, kind: str) -> Export:
        """One glossary as a file, with its edits. Raises AppError if there is no such glossary or file type."""
        workspace = self.sessions.find(actor, token)
        export = write_glossary(workspace.glossaries.glossary(glossary), kind, workspace.direction)
        self.sessions.store.append(
            actor, workspace.session_id, "export", {"kind": f"glossary.{kind}", "name": export.name}
        )
        return export

    def download_rows(self, actor: Actor, token: str, number: int, shown: str, language: str) -> Export:
        """Rows of an import that is not used yet, as CSV. Raises AppError if there is no such import or list."""
        workspace = self.sessions.find(actor, token)
        if shown not in _SHOWN:
            raise CommandError("{name!r} is not a list of rows.", name=shown)
        export = workspace.glossary_imports.table(number, shown, language)  # type: ignore[arg-type]
        self.sessions.store.append(
            actor, workspace.session_id, "export", {"kind": "glossary.rows", "name": export.name}
        )
        return export
