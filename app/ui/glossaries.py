"""What the page asks about glossaries: the list of them, their terms page by page, imports before they are used.

Questions are answered beside the line of commands, so that a large glossary holds nobody up who types.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, get_args

from app.errors import CommandError
from app.formats.documents import Export
from app.glossary.import_report import Verdict
from app.glossary.model import Case, Matching, Status
from app.glossary.writing import write_glossary
from app.i18n import Message
from app.sessions import Sessions
from app.ui.schemas import Json, PageMessage, answer, told
from app.workspace.commands import Workspace
from app.workspace.term_grid import edit_term, grid_rows

_SHOWN = ("attention", *get_args(Verdict))


class GlossaryApi:
    """The page's questions and commands about glossaries. Stateless; safe from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self._reading = threading.Lock()  # one large file in memory at a time

    def ask(self, message: Any) -> Json:
        """One question, by its name in "ask"; changes nothing."""

        def look() -> Json:
            request = PageMessage(message)
            workspace = self.sessions.find(request.text("token"))
            questions: dict[str, Callable[[], Json]] = {
                "overview": workspace.glossaries.overview,
                "document": workspace.glossaries.check_document,
                "terms": lambda: grid_rows(
                    workspace.glossaries.base(request.number("glossary")),
                    request.text("filter"),
                    request.place("offset"),
                ),
                "import": lambda: workspace.glossary_imports.view(request.number("import")),
                "rows": lambda: workspace.glossary_imports.rows(
                    request.number("import"), request.choice("shown", _SHOWN), request.place("offset")
                ),
            }
            return {"ok": True, "result": questions[request.choice("ask", tuple(questions))]()}

        return told(message, answer(look))

    def stage(self, token: str, name: str, chunks: list[bytes], language: str) -> Json:
        """Reads a glossary that came up in pieces, and says what using it would do; changes nothing."""

        def read() -> Json:
            workspace = self.sessions.find(token)
            with self._reading:
                data = b"".join(chunks)
                chunks.clear()
                return {"ok": True, "result": self.sessions.stage_glossary(workspace, data, name)}

        return told({"language": language}, answer(read))

    def download(self, token: str, glossary: int, ending: str) -> Export:
        """One glossary, as it was edited, as a file. Raises AppError where there is no such glossary or kind."""
        workspace = self.sessions.find(token)
        export = write_glossary(workspace.glossaries.base(glossary), ending, workspace.direction)
        self.sessions.store.append(workspace.session_id, "export", {"kind": f"glossary.{ending}", "name": export.name})
        return export

    def download_rows(self, token: str, number: int, shown: str, language: str) -> Export:
        """The rows of an import that is not used yet, as CSV. Raises AppError where there are none such."""
        workspace = self.sessions.find(token)
        if shown not in _SHOWN:
            raise CommandError(Message("There is no list of rows {name!r}.", name=shown))
        export = workspace.glossary_imports.table(number, shown, language)  # type: ignore[arg-type]
        self.sessions.store.append(workspace.session_id, "export", {"kind": "glossary.rows", "name": export.name})
        return export


def glossary_commands(
    sessions: Sessions, workspace: Workspace, message: PageMessage
) -> dict[str, Callable[[], Json | None]]:
    """The commands about glossaries, by name; each changes the document's terms and says what there is now."""
    glossaries = workspace.glossaries
    return {
        "import_glossary": lambda: workspace.glossary_imports.use(
            message.number("import"), message.texts("fixes"), message.texts_by_name("fills")
        ),
        "import_sample_glossary": lambda: sessions.import_sample_glossary(workspace),
        "glossary_remove": lambda: glossaries.remove(message.number("glossary")),
        "glossary_switch": lambda: glossaries.switch(message.number("glossary"), message.flag("is_on")),
        "glossary_order": lambda: glossaries.arrange(message.optional_numbers("order") or []),
        "glossary_undo": glossaries.undo,
        "term_edit": lambda: edit_term(
            glossaries,
            message.number("glossary"),
            message.optional_number("number"),
            source=message.text("source"),
            target=message.text("target"),
            variants=message.texts("variants"),
            status=message.choice("status", get_args(Status)),
            case=message.choice("case", get_args(Case)),
            matching=message.choice("matching", get_args(Matching)),
            note=message.text("note"),
        ),
        "term_remove": lambda: glossaries.edit(message.number("glossary"), {message.number("number"): None}),
    }
