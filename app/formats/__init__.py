"""The file formats of documents, chosen by file extension."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import DocumentError
from app.formats import (
    android,
    docx,
    html,
    ios_strings,
    json_strings,
    markdown,
    plain_text,
    po,
    pptx,
    properties,
    resx,
    subtitles,
    table,
    tmx,
    webvtt,
    xliff,
    xlsx,
)
from app.formats.base import ParsedFile
from app.i18n import Message

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Format:
    """One file format: `key` identifies it in the log, `read` parses a file of it.

    `is_paired`: its files contain targets beside the sources. `takes_comments`: its parsed files are
    `app.formats.base.SupportsComments`.
    """

    key: str
    label: str
    endings: tuple[str, ...]
    read: Callable[[bytes, str], ParsedFile]
    max_bytes: int = 5 * _MIB
    is_paired: bool = False
    takes_comments: bool = False


_XLIFF = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
_PLAIN_TEXT = Format("txt", Message("plain text"), (".txt", ".text"), plain_text.read)
_ENDING = re.compile(r"(?<=[^.])\.\w{1,12}\Z")
_TEXTS = (".doc", ".odt", ".rtf", ".pdf", ".pages", ".wpd", ".docm", ".dotx", ".fodt")  # of word processors
_SLIDES = (".ppt", ".odp", ".key", ".pptm", ".ppsx", ".potx")  # of presentation programs
_SHEETS = (".xls", ".xlsm", ".xlsb", ".xltx", ".ods", ".numbers")  # of spreadsheet programs
FORMATS = (
    _PLAIN_TEXT,
    Format("markdown", "Markdown", (".md", ".markdown"), markdown.read),
    Format("srt", Message("SubRip subtitles"), (".srt",), subtitles.read),
    Format("po", Message("gettext messages"), (".po", ".pot"), po.read, is_paired=True, takes_comments=True),
    Format("docx", Message("Word documents"), (".docx",), docx.read, 30 * _MIB),
    Format("pptx", Message("PowerPoint presentations"), (".pptx",), pptx.read, 30 * _MIB),
    Format("xlsx", Message("Excel workbooks"), (".xlsx",), xlsx.read, 30 * _MIB),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), html.read),
    Format("csv", Message("tables"), (".csv", ".tsv", ".tab"), table.read, is_paired=True),
    Format("tmx", Message("translation memories"), (".tmx",), tmx.read, 10 * _MIB, is_paired=True),
    Format("json", Message("JSON texts"), (".json", ".arb"), json_strings.read),
    Format("properties", Message("Java properties"), (".properties",), properties.read),
    Format("android", Message("Android resources"), (".xml",), android.read),
    Format("resx", Message(".NET resources"), (".resx",), resx.read),
    Format("strings", Message("iOS strings"), (".strings",), ios_strings.read),
    Format("vtt", Message("WebVTT subtitles"), (".vtt",), webvtt.read),
    Format("xliff", "XLIFF", _XLIFF, xliff.read, 10 * _MIB, is_paired=True, takes_comments=True),
)
_BY_KEY = {known.key: known for known in FORMATS}


def format_of(name: str) -> Format:
    """The format for a file name; plain text for a name without an ending.

    Raises DocumentError for an ending that no format has: read as plain text, the file's own words would be translated.
    """
    if found := next((known for known in FORMATS if name.lower().endswith(known.endings)), None):
        return found
    ending = _ENDING.search(name)
    if ending is None:
        return _PLAIN_TEXT
    cure = Message("convert it to XLIFF (.xlf) or PO, or rename it to .txt if all of it is text")
    if ending.group().lower() in _TEXTS:
        cure = Message("save it as a Word document (.docx) or as plain text (.txt)")
    if ending.group().lower() in _SLIDES:
        cure = Message("save it as a PowerPoint presentation (.pptx)")
    if ending.group().lower() in _SHEETS:
        cure = Message("save it as an Excel workbook (.xlsx)")
    raise DocumentError(
        Message(
            "{name}: Pinpoint does not read files that end in {ending}: {cure}",
            name=name,
            ending=ending.group(),
            cure=cure,
        )
    )


def format_by_key(key: str) -> Format:
    """The format with this key in the log."""
    return _BY_KEY[key]
