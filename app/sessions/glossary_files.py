"""Glossary files for an open document: read, and shown before they are used or added at once."""

from __future__ import annotations

from dataclasses import replace

from app.access.actor import Actor
from app.glossary.reading.column_uses import Layout, layout_from
from app.glossary.reading.row_checks import located, undecided
from app.i18n import Message
from app.log.project_tables import project_setting
from app.log.store import LogStore
from app.reading import FileReader
from app.segments.state import Json
from app.workspace.commands import Workspace
from app.workspace.glossary_imports import COLUMNS_SETTING, reported

MAX_REPORTED_ERRORS = 200


class GlossaryFiles:
    """Reads glossaries for the documents of a log, whose projects remember how the columns of tables are used."""

    def __init__(self, store: LogStore, files: FileReader) -> None:
        """`files` reads uploaded files."""
        self._store = store
        self._files = files

    def add(self, actor: Actor, workspace: Workspace, data: bytes, name: str) -> Json:
        """Adds the valid terms of a glossary, read in this process; returns the report on its rows."""
        imported = FileReader().glossary(data, name, workspace.direction)
        report: Json = {**reported(imported), "name": imported.name, "num_terms": len(imported.terms)}
        workspace.glossaries.put(actor, imported.name, imported.terms, report)
        problems = [(error.row, error.message) for error in imported.errors]
        problems += [(held.row, undecided(held)) for held in imported.held]
        errors = [located(report["name"], *problem) for problem in problems[:MAX_REPORTED_ERRORS]]
        return {**report, "errors": errors}

    def stage(self, workspace: Workspace, data: bytes, name: str, columns: str = "") -> Json:
        """Reads an uploaded glossary and reports its effect on the document; changes nothing.

        `columns` is the use of a table's columns ("header:source,target"), or "ask" for the question which it is; the
        question is the answer, too, if nothing is given and the file leaves it open.
        """
        table = self._files.glossary_table(data, name, workspace.direction)
        key, kept = None if table is None else table.key, None
        if key:
            kept = project_setting(self._store.connection, workspace.project.id, COLUMNS_SETTING + key)
        layout = layout_from(columns) if columns not in ("", "ask") else layout_from(kept) if kept else None
        if table is not None and (columns == "ask" or (layout is None and not table.is_clear)):
            found = layout or Layout(table.uses, table.num_header_rows)
            return {"table": {"rows": table.rows, "uses": found.uses, "has_header": found.num_header_rows > 0}}
        imported = self._files.glossary(data, name, workspace.direction, None if table is None else layout)
        if kept and not columns:
            note = Message("The columns have the uses that you chose for an earlier table with the same column names.")
            imported = replace(imported, notes=(note, *imported.notes))
        return workspace.glossary_imports.stage(imported, key, columns if layout else "")
