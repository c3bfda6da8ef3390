"""The file formats of documents, chosen by file extension; a module for each, in rooms of similar formats.

The modules beside this one are shared by several formats, or work with documents of any format.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args
from urllib.parse import quote, unquote

from app.errors import CommandError, DocumentError, check_fields
from app.formats import plain_text
from app.formats.base import ParsedFile
from app.formats.bilingual import table, tmx, xliff
from app.formats.markup import html, markdown, xml_document
from app.formats.office import docx, docx_extras, idml, odf, pptx, xlsx
from app.formats.part_rules import element_rules, key_rules
from app.formats.soft_breaks import LineBreaks
from app.formats.software import (
    android,
    ios_strings,
    json_strings,
    po,
    properties,
    resx,
    stringsdict,
    xcstrings,
    yaml_strings,
)
from app.formats.subtitles import ass, srt, webvtt
from app.i18n import Message
from app.text.encoding import codec_of

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Reading:
    """Import settings that a person chose for a file; None if the reader of the format decides.

    `encoding` is a codec's name; `columns` are the numbers of the columns of sources and targets of a table, from 0.
    `extras` are the kinds of further texts to offer (`app.formats.office.docx_extras.EXTRAS`). `segments` is
    "paragraph" if each paragraph is one segment, otherwise each sentence is; formats with targets beside their sources
    do not have this choice. `line_breaks` is "separate" if each line break ends a segment, "join" if none does
    (`app.formats.soft_breaks`); formats without line breaks inside paragraphs do not have this choice. `rules` are
    lines that choose the parts of the file to translate (`app.formats.part_rules`).
    """

    encoding: str | None = None
    columns: tuple[int, int] | None = None
    extras: tuple[str, ...] | None = None
    segments: Literal["paragraph"] | None = None
    rules: tuple[str, ...] | None = None
    line_breaks: LineBreaks | None = None

    def __post_init__(self) -> None:
        """Raises CommandError for a value of the wrong type."""
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Format:
    """One file format: `key` identifies it, `read` parses a file of it.

    `is_paired`: its files contain targets beside the sources. `takes_comments`: its parsed files are
    `app.formats.base.SupportsComments`. `has_forms`: its units may be plural forms. `options` are the fields of
    `Reading` that `read` accepts; `reading` are the chosen settings. `has_line_breaks`: its paragraphs may have line
    breaks inside.
    """

    key: str
    label: str
    endings: tuple[str, ...]
    read: Callable[..., ParsedFile]
    max_bytes: int = 5 * _MIB
    is_paired: bool = False
    takes_comments: bool = False
    has_forms: bool = False
    options: tuple[str, ...] = ()
    has_line_breaks: bool = False
    reading: Reading = Reading()

    @property
    def log_key(self) -> str:
        """The key with the chosen reading, for the log: "csv;encoding=cp1250;columns=1,2"."""
        encoding, columns = self.reading.encoding, self.reading.columns
        chosen = [f"encoding={encoding}"] if encoding else []
        chosen += [f"columns={columns[0]},{columns[1]}"] if columns else []
        chosen += [f"extras={','.join(self.reading.extras)}"] if self.reading.extras else []
        chosen += [f"segments={self.reading.segments}"] if self.reading.segments else []
        chosen += [f"rules={quote(_LINE.join(self.reading.rules), safe='')}"] if self.reading.rules else []
        chosen += [f"lines={self.reading.line_breaks}"] if self.reading.line_breaks else []
        return ";".join([self.key, *chosen])

    def chosen(self, reading: Reading) -> Format:
        """The format with files read this way. Raises CommandError for a choice that it does not have."""
        given: dict[str, Any] = {name: value for name in _CHOICES if (value := getattr(reading, name)) is not None}
        refused = [_CHOICES[name] for name in given if name not in self.options]
        if reading.segments and self.is_paired:
            refused.append(Message("segments"))
        if reading.line_breaks and not self.has_line_breaks:
            refused.append(Message("line breaks"))
        if refused:
            raise CommandError(
                Message("{format} does not have the import setting “{what}”", format=self.label, what=refused[0])
            )
        if unknown := [name for name in reading.extras or () if name not in docx_extras.EXTRAS]:
            raise CommandError(
                Message(
                    "{name!r} is not a kind of text: choose from {list}",
                    name=unknown[0],
                    list=", ".join(docx_extras.EXTRAS),
                )
            )
        (element_rules if self.key == "xml" else key_rules)(reading.rules or ())
        return replace(self, read=partial(self.read, **given), reading=reading)


_CHOICES = {
    "encoding": Message("encoding"),
    "columns": Message("columns"),
    "extras": Message("other texts"),
    "rules": Message("parts to translate"),
}
_LINE = "\n"
_XLIFF = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
_TEXT = ("encoding",)
_PLAIN_TEXT = Format("txt", Message("plain text"), (".txt", ".text"), plain_text.read, options=_TEXT)
_ENDING = re.compile(r"(?<=[^.])\.\w{1,12}\Z")
_TEXTS = (".doc", ".rtf", ".pdf", ".pages", ".wpd", ".docm", ".dotx", ".fodt")  # of word processors
_SLIDES = (".ppt", ".key", ".pptm", ".ppsx", ".potx")  # of presentation programs
_SHEETS = (".xls", ".xlsm", ".xlsb", ".xltx", ".numbers")  # of spreadsheet programs
_LAYOUTS = (".indd", ".indt", ".icml", ".idms", ".inx")  # of InDesign
_PACKAGES = (".mqout", ".mqback", ".wsxz")  # of translation tools, in formats of their own
_TERM_BASES = (".sdltb", ".tbx", ".utx")  # and glossaries
_MEMORIES = (".sdltm",)
_ARCHIVES = (".zip", ".sdlppx", ".sdlrpx", ".mqxlz", ".xlz")
CONVERTIBLE = (
    *_TEXTS,
    *_SLIDES,
    *_SHEETS,
    *_LAYOUTS,
)  # endings of files that another program saves in a format of these
FORMATS = (
    _PLAIN_TEXT,
    Format("markdown", "Markdown", (".md", ".markdown"), markdown.read, options=_TEXT, has_line_breaks=True),
    Format("mdx", "MDX", (".mdx",), markdown.read, options=_TEXT, has_line_breaks=True),
    Format("srt", Message("SubRip subtitles"), (".srt",), srt.read, options=_TEXT),
    Format(
        "po", Message("gettext messages"), (".po", ".pot"), po.read, is_paired=True, takes_comments=True, has_forms=True
    ),
    Format(
        "docx", Message("Word documents"), (".docx",), docx.read, 30 * _MIB, options=("extras",), has_line_breaks=True
    ),
    Format("pptx", Message("PowerPoint presentations"), (".pptx",), pptx.read, 30 * _MIB, has_line_breaks=True),
    Format("xlsx", Message("Excel workbooks"), (".xlsx",), xlsx.read, 30 * _MIB, has_line_breaks=True),
    Format("odf", Message("OpenDocument files"), (".odt", ".ods", ".odp"), odf.read, 30 * _MIB, has_line_breaks=True),
    Format("idml", Message("InDesign documents"), (".idml",), idml.read, 30 * _MIB, has_line_breaks=True),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), html.read, options=_TEXT, has_line_breaks=True),
    Format("csv", Message("tables"), (".csv", ".tsv", ".tab"), table.read, is_paired=True, options=(*_TEXT, "columns")),
    Format("tmx", Message("translation memories"), (".tmx",), tmx.read, 10 * _MIB, is_paired=True, has_forms=True),
    Format(
        "json", Message("JSON texts"), (".json", ".arb"), json_strings.read, has_forms=True, options=(*_TEXT, "rules")
    ),
    Format("properties", Message("Java properties"), (".properties",), properties.read, options=_TEXT),
    Format("android", Message("Android resources"), (), android.read, has_forms=True),
    Format(
        "xml",
        "XML",
        (".xml", ".dita", ".ditamap", ".dbk", ".docbook"),
        xml_document.read,
        has_forms=True,
        options=("rules",),
    ),
    Format("resx", Message(".NET resources"), (".resx",), resx.read),
    Format("strings", Message("iOS strings"), (".strings",), ios_strings.read, options=_TEXT),
    Format(
        "xcstrings",
        Message("Xcode string catalogs"),
        (".xcstrings",),
        xcstrings.read,
        is_paired=True,
        has_forms=True,
        options=_TEXT,
    ),
    Format("stringsdict", Message("iOS plural forms"), (".stringsdict",), stringsdict.read, has_forms=True),
    Format(
        "yaml", Message("YAML texts"), (".yml", ".yaml"), yaml_strings.read, has_forms=True, options=(*_TEXT, "rules")
    ),
    Format("ass", Message("ASS subtitles"), (".ass", ".ssa"), ass.read, options=_TEXT),
    Format("vtt", Message("WebVTT subtitles"), (".vtt",), webvtt.read, options=_TEXT),
    Format("xliff", "XLIFF", _XLIFF, xliff.read, 10 * _MIB, is_paired=True, takes_comments=True, has_forms=True),
)
_BY_KEY = {known.key: known for known in FORMATS}


def format_of(name: str) -> Format:
    """The format for a file name; plain text for a name without an ending.

    Raises DocumentError for an unknown ending: if the file were read as plain text, its keywords would be translated.
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
    if ending.group().lower() in _LAYOUTS:
        cure = Message("save it as InDesign markup (.idml) in InDesign")
    if ending.group().lower() in _ARCHIVES:
        cure = Message("open it in the browser with the menu Documents, or unpack it and open its files")
    if ending.group().lower() in _PACKAGES:
        cure = Message("export its documents as XLIFF (.xlf, .sdlxliff or .mqxlz) from the program that created it")
    if ending.group().lower() in _TERM_BASES:
        cure = Message("it has terms: import it as a glossary, from Trados MultiTerm as MultiTerm XML or TBX")
    if ending.group().lower() in _MEMORIES:
        cure = Message("it is a translation memory: import it in the panel Memory")
    raise DocumentError(
        Message(
            "{name}: Pinpoint does not read files that end in {ending}: {cure}",
            name=name,
            ending=ending.group(),
            cure=cure,
        )
    )


def format_by_key(key: str) -> Format:
    """The format with this key in the log (`Format.log_key`). Raises LookupError or ValueError if there is none."""
    name, *choices = key.split(";")
    if not choices:
        return _BY_KEY[name]
    chosen = dict(choice.split("=") for choice in choices)
    columns = tuple(map(int, chosen["columns"].split(","))) if "columns" in chosen else None
    if columns is not None and (len(columns) != 2 or min(columns) < 0):
        raise ValueError(key)
    encoding = chosen.get("encoding")
    if encoding is not None and codec_of(encoding) != encoding:
        raise LookupError(key)
    extras = tuple(chosen["extras"].split(",")) if "extras" in chosen else None
    if extras and not docx_extras.EXTRAS.keys() >= {*extras}:
        raise LookupError(key)
    segments: Literal["paragraph"] | None = None
    if "segments" in chosen:
        if chosen["segments"] != "paragraph" or _BY_KEY[name].is_paired:
            raise LookupError(key)
        segments = "paragraph"
    rules = tuple(unquote(chosen["rules"]).split(_LINE)) if "rules" in chosen else None
    line_breaks: LineBreaks | None = None
    if "lines" in chosen:
        if chosen["lines"] not in get_args(LineBreaks):
            raise LookupError(key)
        line_breaks = "separate" if chosen["lines"] == "separate" else "join"
    pair = (columns[0], columns[1]) if columns else None
    return _BY_KEY[name].chosen(Reading(encoding, pair, extras, segments, rules, line_breaks))
