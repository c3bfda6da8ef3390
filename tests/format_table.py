"""Tries real files of a folder: a table by format of how many open, stay byte for byte, and are valid when translated.

    python -m tests.format_table FOLDER
    python -m tests.format_table FOLDER --only yml docx --limit 200

Every file with a known ending is read, written without a translation, and written with a translation of each segment
in which all letters have changed their case, except for tags and placeholders. Software that is not of this project
reads the result, and Pinpoint reads the same segments again. Exit status 1 means that a file was changed or is not
valid; files that are refused are listed with the reason.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import plistlib
import sys
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import docx
import openpyxl
import pptx
import srt
import webvtt
import yaml
from translate.storage import po, properties, resx, tmx, xliff
from translate.storage.idml import open_idml

from app.errors import AppError
from app.formats import FORMATS, Reading, format_by_key
from app.formats.documents import Document, read_document
from app.text.nontranslatables import placeholder_spans

MAX_REASONS = 20  # in the list below the table


@dataclass
class Row:
    """The counts of one ending. `problems` are the files that were changed or are not valid, `refused` the others."""

    num_files: int = 0
    num_opened: int = 0
    num_same: int = 0
    num_valid: int = 0
    shares: list[float] = field(default_factory=list)
    seconds: float = 0.0
    refused: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.format_table", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", metavar="ENDING", help="only files with these endings, such as docx")
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="files of each ending (default: 1000)")
    flags = parser.parse_args(arguments)
    endings = {ending.lstrip(".") for known in FORMATS for ending in known.endings}
    rows: dict[str, Row] = {}
    for path in _files(flags.folder):
        ending = path.suffix.lower().lstrip(".")
        if ending in endings and (not flags.only or ending in flags.only):
            row = rows.setdefault(ending, Row())
            if row.num_files < flags.limit:
                _try(path, ending, row)
    print("| ending | files | opened | untouched = bytes | valid after translation | all text offered | slowest |")
    print("|---|---|---|---|---|---|---|")
    for ending, row in sorted(rows.items()):
        complete = f"{sum(share >= 100 for share in row.shares)} of {len(row.shares)}" if row.shares else "-"
        counts = (row.num_files, row.num_opened, row.num_same, row.num_valid)
        print(f"| {ending} | {' | '.join(map(str, counts))} | {complete} | {row.seconds:.1f} s |")
    for title, lists in (("Refused", "refused"), ("Changed or not valid", "problems")):
        reasons = [reason for row in rows.values() for reason in getattr(row, lists)]
        if reasons:
            print(f"\n{title}:", *reasons[:MAX_REASONS], sep="\n- ")
            print(f"- and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else "")
    return int(any(row.problems for row in rows.values()))


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (path for name in sorted(names) if (path := Path(parent, name)).is_file() and not path.is_symlink())


def _try(path: Path, ending: str, row: Row) -> None:
    row.num_files += 1
    started = time.perf_counter()
    data = path.read_bytes()
    try:
        document = read_document(data, path.name)
    except AppError as refusal:
        row.refused.append(f"{path}: {refusal}")
        return
    row.num_opened += 1
    if coverage := document.coverage:
        row.shares.append(coverage.percent)
    if document.export({}) == data:
        row.num_same += 1
    else:
        row.problems.append(f"{path}: changed without a translation")
    try:
        _check(document, path.name, ending, data)
        row.num_valid += 1
    except Exception as problem:
        row.problems.append(f"{path}: {type(problem).__name__}: {str(problem)[:200]}")
    row.seconds = max(row.seconds, time.perf_counter() - started)


def _check(document: Document, name: str, ending: str, data: bytes) -> None:
    """Raises an exception if the translated file is not valid, which the file itself is."""
    validate = VALIDATORS.get(ending)
    was_valid = True
    if validate:
        try:
            validate(data)
        except Exception:
            was_valid = False
    texts = {segment.index: swapped(segment.source) for segment in document.segments}
    exported = document.export_file(texts, "de")
    written = exported.data
    if validate and was_valid:
        validate(written)
    # A text in other letters may look like another encoding. One that its encoding lacks letters for became UTF-8.
    encoding = "utf-8" if exported.note else document.encoding
    has_choice = "encoding" in format_by_key(document.format).options
    again = read_document(written, name, reading=Reading(encoding) if has_choice else None)
    read, expected = [s.source for s in again.segments], list(texts.values())
    if format_by_key(document.format).is_paired:
        read, expected = [s.target or "" for s in again.segments], [texts[s.index] for s in document.segments]
    # Where a sentence ends depends on capitals, so the texts are compared as a whole.
    assert _letters(read) == _letters(expected), "another text after translation"
    assert again.export({}) == written, "changed when it was written again"


def _letters(texts: Iterable[str]) -> str:
    return "".join(letter for text in texts for letter in text if letter.isalpha())


def swapped(source: str) -> str:
    """The text with the other case of each letter that stays one letter, except in tags and placeholders."""
    kept = {at for start, end in placeholder_spans(source) for at in range(start, end)}
    depth = 0
    letters = []
    for at, letter in enumerate(source):
        depth += (letter in "<{&") - (letter in ">};" and depth > 0)
        other = letter.swapcase()
        is_kept = at in kept or depth > 0 or len(other) != 1 or "\\" in source[max(at - 1, 0) : at]
        letters.append(letter if is_kept else other)
    return "".join(letters)


def _package(read: Callable[[io.BytesIO], object]) -> Callable[[bytes], None]:
    """Checks every XML part of an archive, and that a program reads the whole."""

    def validate(data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for part in archive.namelist():
                if part.endswith((".xml", ".rels")):
                    ElementTree.fromstring(archive.read(part))
        read(io.BytesIO(data))

    return validate


def _toolkit(store: type) -> Callable[[bytes], None]:
    return lambda data: store.parsefile(io.BytesIO(data)) and None


def _html(data: bytes) -> None:
    HTMLParser().feed(data.decode("utf-8", "replace"))


def _table(data: bytes) -> None:
    list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def _xml(data: bytes) -> None:
    ElementTree.fromstring(data)


VALIDATORS: dict[str, Callable[[bytes], None]] = {
    "docx": _package(docx.Document),
    "pptx": _package(pptx.Presentation),
    "xlsx": _package(openpyxl.load_workbook),
    "odt": _package(lambda data: None),
    "ods": _package(lambda data: None),
    "odp": _package(lambda data: None),
    "idml": _package(open_idml),
    "html": _html,
    "htm": _html,
    "csv": _table,
    "json": lambda data: json.loads(data) and None,
    "arb": lambda data: json.loads(data) and None,
    "xcstrings": lambda data: json.loads(data) and None,
    "yml": lambda data: [*yaml.parse(data)] and None,
    "yaml": lambda data: [*yaml.parse(data)] and None,
    "stringsdict": lambda data: plistlib.loads(data) and None,
    "strings": _toolkit(properties.stringsutf8file),
    "properties": _toolkit(properties.javautf8file),
    "po": _toolkit(po.pofile),
    "pot": _toolkit(po.pofile),
    "tmx": _toolkit(tmx.tmxfile),
    "xlf": _toolkit(xliff.xlifffile),
    "xliff": _toolkit(xliff.xlifffile),
    "sdlxliff": _xml,
    "mqxliff": _xml,
    "mxliff": _xml,
    "xml": _xml,
    "dita": _xml,
    "dbk": _xml,
    "resx": _toolkit(resx.RESXFile),
    "srt": lambda data: [*srt.parse(data.decode("utf-8-sig"))] and None,
    "vtt": lambda data: webvtt.from_buffer(io.StringIO(data.decode("utf-8-sig"))) and None,
}

if __name__ == "__main__":
    sys.exit(main())
