"""Tries real files of a folder: a table by format of how many open, stay byte for byte, and are valid when translated.

    python -m tests.format_table FOLDER
    python -m tests.format_table FOLDER --only yml docx --limit 200

Every file with a known ending is read, written without a translation, and written with a translation of each segment
in which all letters have changed their case, except for tags and placeholders. Software that is not of this project
reads the result, and Pinpoint reads the same segments again. Programs that are installed check more: LibreOffice makes
a PDF of each translated Office file, and `msgfmt` checks PO files. Exit status 1 means that a file was changed or is
not valid, or that LibreOffice opens the original only; files that are refused are listed with the reason.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import plistlib
import shutil
import signal
import subprocess
import sys
import tempfile
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
from app.formats import FORMATS, Reading
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.text.nontranslatables import placeholder_spans

MAX_REASONS = 20  # in the list below the table
OFFICE_ENDINGS = {"docx", "pptx", "xlsx", "odt", "ods", "odp"}
BATCH = 20  # files that one LibreOffice process converts
BATCH_SECONDS = 240
FILE_SECONDS = 60


@dataclass
class Row:
    """The counts of one ending. `problems` are the files that were changed or are not valid, `refused` the others."""

    num_files: int = 0
    num_opened: int = 0
    num_same: int = 0
    num_valid: int = 0
    shares: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    for_office: list[tuple[Path, Path]] = field(default_factory=list)  # the file and its translation, for LibreOffice
    num_in_office: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.format_table", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", metavar="ENDING", help="only files with these endings, such as docx")
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="files of each ending (default: 1000)")
    parser.add_argument("--without-office", action="store_true", help="do not open the translations in LibreOffice")
    flags = parser.parse_args(arguments)
    office = None if flags.without_office else shutil.which("soffice")
    endings = {ending.lstrip(".") for known in FORMATS.values() for ending in known.endings}
    with tempfile.TemporaryDirectory() as folder:
        rows = _rows(flags, endings, Path(folder) if office else None)
        if office:
            for row in rows.values():
                _open_in_office(row, office, Path(folder))
    print("Checked by:", ", ".join(["Python libraries", *(name for name in PROGRAMS if shutil.which(name))]))
    print(
        "| ending | files | opened | untouched = bytes | valid after translation | in LibreOffice | all text offered |"
    )
    print("|---|---|---|---|---|---|---|")
    for ending, row in sorted(rows.items()):
        complete = f"{sum(share >= 100 for share in row.shares)} of {len(row.shares)}" if row.shares else "-"
        in_office = f"{row.num_in_office} of {len(row.for_office)}" if row.for_office else "-"
        counts = (row.num_files, row.num_opened, row.num_same, row.num_valid)
        print(f"| {ending} | {' | '.join(map(str, counts))} | {in_office} | {complete} |")
    for title, lists in (("Refused", "refused"), ("Changed or not valid", "problems")):
        reasons = [reason for row in rows.values() for reason in getattr(row, lists)]
        if reasons:
            print(f"\n{title}:", *reasons[:MAX_REASONS], sep="\n- ")
            print(f"- and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else "")
    return int(any(row.problems for row in rows.values()))


def _rows(flags: argparse.Namespace, endings: set[str], for_office: Path | None) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for path in _files(flags.folder):
        ending = path.suffix.lower().lstrip(".")
        if ending in endings and (not flags.only or ending in flags.only):
            row = rows.setdefault(ending, Row())
            if row.num_files < flags.limit:
                _try(path, ending, row, for_office)
    return rows


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (path for name in sorted(names) if (path := Path(parent, name)).is_file() and not path.is_symlink())


def _try(path: Path, ending: str, row: Row, for_office: Path | None) -> None:
    row.num_files += 1
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
        written = _check(document, path.name, ending, data)
        row.num_valid += 1
        if for_office and ending in OFFICE_ENDINGS:
            translated = for_office / f"{ending}-{row.num_files}.{ending}"
            translated.write_bytes(written)
            row.for_office.append((path, translated))
    except Exception as problem:
        row.problems.append(f"{path}: {type(problem).__name__}: {str(problem)[:200]}")


def _open_in_office(row: Row, office: str, folder: Path) -> None:
    """Counts the translations of which LibreOffice makes a PDF; those of files that it does not open are left out."""
    failed = set(_unopened(office, [translated for _, translated in row.for_office], folder))
    row.num_in_office = len(row.for_office) - len(failed)
    originals = []
    for number, (path, translated) in enumerate(row.for_office):
        if translated in failed:
            original = folder / f"original-{number}{path.suffix.lower()}"
            shutil.copyfile(path, original)
            originals.append(original)
        else:
            originals.append(path)
    unreadable = set(_unopened(office, [each for each in originals if each.parent == folder], folder))
    for original, (path, translated) in zip(originals, row.for_office, strict=True):
        if translated in failed and original not in unreadable:
            row.problems.append(f"{path}: LibreOffice opens the file, but not its translation")
    row.for_office = [
        pair for original, pair in zip(originals, row.for_office, strict=True) if original not in unreadable
    ]


def _unopened(office: str, files: Sequence[Path], folder: Path) -> Iterator[Path]:
    """The files of which LibreOffice makes no PDF: in batches, and those of a batch without a PDF alone again."""
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        _make_pdfs(office, batch, folder, BATCH_SECONDS)
        for file in batch:
            if not _pdf(file, folder).exists():
                _make_pdfs(office, [file], folder, FILE_SECONDS)
            if not _pdf(file, folder).exists():
                yield file


def _make_pdfs(office: str, files: Sequence[Path], folder: Path, seconds: float) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "pdf", "--outdir", folder, *files]
    # soffice starts a process of its own, which a time limit has to end too
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)


def _pdf(file: Path, folder: Path) -> Path:
    return folder / f"{file.stem}.pdf"


def _check(document: Document, name: str, ending: str, data: bytes) -> bytes:
    """The translated file. Raises an exception if it is not valid, which the file itself is."""
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
    has_choice = document.format.has_encoding
    target = "de" if ending == "xcstrings" else None  # a catalog may have several languages
    again = read_document(written, name, reading=Reading(encoding) if has_choice else None, target=target)
    read, expected = [s.source for s in again.segments], list(texts.values())
    if document.format.is_paired:
        read, expected = [s.target or "" for s in again.segments], [texts[s.index] for s in document.segments]
    # Where a sentence ends depends on capitals, so the texts are compared as a whole.
    assert _letters(read) == _letters(expected), "another text after translation"
    assert again.export({}) == written, "changed when it was written again"
    return written


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


def _po(data: bytes) -> None:
    po.pofile.parsefile(io.BytesIO(data))
    if msgfmt := shutil.which("msgfmt"):
        # without --check: letters in another case may be other placeholders
        subprocess.run([msgfmt, "-o", os.devnull, "-"], input=data, capture_output=True, check=True)


def _html(data: bytes) -> None:
    HTMLParser().feed(data.decode("utf-8", "replace"))


def _table(data: bytes) -> None:
    list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def _xml(data: bytes) -> None:
    ElementTree.fromstring(data)


PROGRAMS = ("soffice", "msgfmt")  # that check more if they are installed

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
    "po": _po,
    "pot": _po,
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
