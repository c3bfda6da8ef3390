"""The files that are made of one session in the log, by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from app.access.actor import Actor
from app.formats.documents import Export
from app.log.store import LogStore
from app.reports.interchange import session_tbx, session_tmx, session_xliff
from app.reports.jsonl import session_jsonl
from app.reports.keystroke_files import session_tprdb, session_translog
from app.reports.review_table import REVIEW_TABLES
from app.reports.spreadsheets import session_csv, session_workbook

# The translated document, which also needs the original file, is made by `translated_document`.
EXPORTS: Final[Mapping[str, Callable[[Actor, LogStore, int], Export]]] = {
    "log.csv": session_csv,
    "log.jsonl": session_jsonl,
    "report.xlsx": session_workbook,
    "memory.tmx": session_tmx,
    "segments.xlf": session_xliff,
    "terms.tbx": session_tbx,
    "translog.xml": session_translog,
    "tprdb.zip": session_tprdb,
    **REVIEW_TABLES,
}
CAN_BE_EMPTY: Final = ("memory.tmx", "terms.tbx", "review-open.docx")  # the note of an empty file says so
