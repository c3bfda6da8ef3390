"""The file formats of documents, chosen by file extension; a module for each, in rooms of similar formats.

Everything that is particular to a format is in its object here (`Format`) and in its parsed files
(`app.formats.parsed_file`). The modules beside this one are shared by several formats, or work with documents of any.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.errors import CommandError, DocumentError
from app.formats import plain_text, visible_texts
from app.formats.bilingual import table, tmx, xliff
from app.formats.file_format import MIB, Format, Reading, VisibleTexts
from app.formats.markup import html, markdown, xml_document
from app.formats.office import docx, docx_extras, idml, odf, pptx, xlsx
from app.formats.parsed_file import ParsedFile
from app.formats.part_rules import element_rules, key_rules
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
from app.text.placeholder_conventions import DRUPAL_7, DRUPAL_8, I18NEXT_3, LARAVEL, MEDIAWIKI, QT, SWIFT, TOKENS

__all__ = ["CONVERTIBLE", "FORMATS", "Format", "Reading", "format_of", "stored_format"]


def _office(
    key: str,
    label: str,
    endings: tuple[str, ...],
    parser: Callable[..., ParsedFile],
    seen: VisibleTexts,
) -> Format:
    return Format(key, label, endings, parser, 30 * MIB, has_line_breaks=True, visible_texts=seen)


_STRINGS: Final = (LARAVEL, DRUPAL_7, DRUPAL_8, I18NEXT_3, MEDIAWIKI)
_PLAIN_TEXT: Final = Format(
    "txt",
    Message("plain text"),
    (".txt", ".text"),
    plain_text.parse,
    has_encoding=True,
    has_line_breaks=True,
    joins_lines=True,
    visible_texts=visible_texts.of_text,
)
FORMATS: Final = {
    known.key: known
    for known in (
        _PLAIN_TEXT,
        *(
            Format(
                key,
                label,
                endings,
                markdown.parse,
                has_encoding=True,
                has_line_breaks=True,
                visible_texts=visible_texts.of_markdown,
                as_seen=visible_texts.markdown_as_seen,
            )
            for key, label, endings in (("markdown", "Markdown", (".md", ".markdown")), ("mdx", "MDX", (".mdx",)))
        ),
        Format(
            "srt",
            Message("SubRip subtitles"),
            (".srt",),
            srt.parse,
            has_encoding=True,
            visible_texts=visible_texts.of_subrip,
            as_seen=visible_texts.without_tags,
        ),
        Format(
            "po",
            Message("gettext messages"),
            (".po", ".pot"),
            po.parse,
            is_paired=True,
            takes_comments=True,
            has_forms=True,
            conventions=(*_STRINGS, QT),
        ),
        replace(
            _office("docx", Message("Word documents"), (".docx",), docx.parse, visible_texts.of_office),
            extras=docx_extras.EXTRAS,
            takes_comments=True,
            comments_on_request=True,
        ),
        _office("pptx", Message("PowerPoint presentations"), (".pptx",), pptx.parse, visible_texts.of_office),
        _office("xlsx", Message("Excel workbooks"), (".xlsx",), xlsx.parse, visible_texts.of_office),
        _office(
            "odf", Message("OpenDocument files"), (".odt", ".ods", ".odp"), odf.parse, visible_texts.of_opendocument
        ),
        _office("idml", Message("InDesign documents"), (".idml",), idml.parse, visible_texts.of_indesign),
        Format(
            "html",
            "HTML",
            (".html", ".htm", ".xhtml"),
            html.parse,
            has_encoding=True,
            has_line_breaks=True,
            visible_texts=visible_texts.of_html,
        ),
        Format(
            "csv",
            Message("tables"),
            (".csv", ".tsv", ".tab"),
            table.parse,
            is_paired=True,
            has_encoding=True,
            has_columns=True,
        ),
        Format("tmx", Message("translation memories"), (".tmx",), tmx.parse, 10 * MIB, is_paired=True, has_forms=True),
        Format(
            "json",
            Message("JSON texts"),
            (".json", ".arb"),
            json_strings.parse,
            has_forms=True,
            has_encoding=True,
            rules=key_rules,
            conventions=(*_STRINGS, SWIFT, QT, TOKENS),
        ),
        Format(
            "properties",
            Message("Java properties"),
            (".properties",),
            properties.parse,
            has_encoding=True,
            conventions=_STRINGS,
        ),
        Format("android", Message("Android resources"), (), android.parse, has_forms=True),
        Format(
            "xml",
            "XML",
            (".xml", ".dita", ".ditamap", ".dbk", ".docbook"),
            xml_document.parse,
            has_forms=True,
            rules=element_rules,
        ),
        Format("resx", Message(".NET resources"), (".resx",), resx.parse, conventions=_STRINGS),
        Format(
            "strings", Message("iOS strings"), (".strings",), ios_strings.parse, has_encoding=True, conventions=(SWIFT,)
        ),
        Format(
            "xcstrings",
            Message("Xcode string catalogs"),
            (".xcstrings",),
            xcstrings.parse,
            is_paired=True,
            has_forms=True,
            has_encoding=True,
            conventions=(SWIFT,),
        ),
        Format(
            "stringsdict",
            Message("iOS plural forms"),
            (".stringsdict",),
            stringsdict.parse,
            has_forms=True,
            conventions=(SWIFT,),
        ),
        Format(
            "yaml",
            Message("YAML texts"),
            (".yml", ".yaml"),
            yaml_strings.parse,
            has_forms=True,
            has_encoding=True,
            rules=key_rules,
            conventions=(*_STRINGS, SWIFT, QT),
        ),
        Format("ass", Message("ASS subtitles"), (".ass", ".ssa"), ass.parse, has_encoding=True),
        Format(
            "vtt",
            Message("WebVTT subtitles"),
            (".vtt",),
            webvtt.parse,
            has_encoding=True,
            visible_texts=visible_texts.of_webvtt,
            as_seen=visible_texts.without_tags,
        ),
        Format(
            "xliff",
            "XLIFF",
            (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"),
            xliff.parse,
            10 * MIB,
            is_paired=True,
            extras=xliff.EXTRAS,
            takes_comments=True,
            has_forms=True,
            conventions=(QT,),
        ),
    )
}
_ENDING = re.compile(r"(?<=[^.])\.\w{1,12}\Z")
# Endings of files that another program saves in a format of these, and how.
_SAVED_OTHERWISE: Final = (
    (
        (".doc", ".rtf", ".pdf", ".pages", ".wpd", ".docm", ".dotx", ".fodt"),
        Message("save it as a Word document (.docx) or as plain text (.txt)"),
    ),
    ((".ppt", ".key", ".pptm", ".ppsx", ".potx"), Message("save it as a PowerPoint presentation (.pptx)")),
    ((".xls", ".xlsm", ".xlsb", ".xltx", ".numbers"), Message("save it as an Excel workbook (.xlsx)")),
    ((".indd", ".indt", ".icml", ".idms", ".inx"), Message("save it as InDesign markup (.idml) in InDesign")),
)
CONVERTIBLE: Final = tuple(ending for endings, _ in _SAVED_OTHERWISE for ending in endings)
_CURES: Final = (
    *_SAVED_OTHERWISE,
    (
        (".zip", ".sdlppx", ".sdlrpx", ".mqxlz", ".xlz"),
        Message("open it in the browser with the menu Documents, or unpack it and open its files"),
    ),
    (  # of translation tools, in formats of their own
        (".mqout", ".mqback", ".wsxz"),
        Message("export its documents as XLIFF (.xlf, .sdlxliff or .mqxlz) from the program that created it"),
    ),
    (
        (".sdltb", ".tbx", ".utx"),
        Message("it has terms: import it as a glossary, from Trados MultiTerm as MultiTerm XML or TBX"),
    ),
    ((".sdltm",), Message("it is a translation memory: import it in the panel Memory")),
)


def format_of(name: str) -> Format:
    """The format for a file name; plain text for a name without an ending.

    Raises DocumentError for an unknown ending: if the file were read as plain text, its keywords would be translated.
    """
    if found := next((known for known in FORMATS.values() if name.lower().endswith(known.endings)), None):
        return found
    match = _ENDING.search(name)
    if match is None:
        return _PLAIN_TEXT
    ending = match.group()
    otherwise = Message("convert it to XLIFF (.xlf) or PO, or rename it to .txt if all of it is text")
    cure = next((cure for endings, cure in _CURES if ending.lower() in endings), otherwise)
    raise DocumentError(
        "{name}: Pinpoint does not read files that end in {ending}: {cure}", name=name, ending=ending, cure=cure
    )


def stored_format(text: str) -> Format:
    """The format with its import settings as the log has it (`Format.stored`). Raises LookupError if there is none."""
    key, *settings = text.split(";")
    try:
        return FORMATS[key].chosen(Reading.of_stored(settings)) if settings else FORMATS[key]
    except (CommandError, ValueError) as problem:
        raise LookupError(text) from problem
