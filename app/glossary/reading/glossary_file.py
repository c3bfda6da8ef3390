"""The bytes of a glossary file -> its terms, with a report about every row that was left out.

The format is recognized by content, because the file name of an upload is not reliable.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from app.errors import GlossaryError
from app.glossary.reading.column_uses import (
    MAX_COLUMNS,
    MAX_TITLE_ROWS,
    ColumnUse,
    Layout,
    foreign_languages,
    header_key,
    layout_of,
    num_title_rows,
    title_note,
    unused_languages,
)
from app.glossary.reading.columns import (
    DELIMITERS,
    ROWS_TO_SNIFF,
    Row,
    TableReader,
    cells_of,
    expected,
    is_utx,
    sniff,
    utx_layout,
)
from app.glossary.reading.row_checks import GlossaryImport, RowChecker, TermEntry, located
from app.glossary.reading.spreadsheet import XLSX_START, read_workbook
from app.glossary.reading.xml_glossaries import read_multiterm, read_tbx, read_tmx_terms, tbx_notes
from app.i18n import Message, joined
from app.text.encoding import decode_text, safe_name, shortened_list, unescape_formula

__all__ = ["GlossaryImport", "read_glossary"]

MAX_BYTES = 100 * 2**20
MAX_ROWS = 500_000  # reading, indexing and storing a million took 1.6 GB and nearly a minute
MAX_LINE_CHARACTERS = 1_000_000
_BYTES_TO_LOOK_AT = 4096
_MAX_HEADER_LINES = 1000
_MAX_LINES_OF_ROW = 20  # lines of a quoted cell; an unclosed quotation mark makes each of these be read again
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_NUM_SHOWN_ROWS = 5
_MAX_SHOWN_CHARACTERS = 80
_XML_ROOT = re.compile(r"<(?:\w+:)?(martif|tbx|tmx|mtf)[\s>/]", re.IGNORECASE)
_ACCESS_STARTS = (b"\0\1\0\0Standard Jet DB", b"\0\1\0\0Standard ACE DB")  # MultiTerm's .sdltb
_READERS = {"tmx": read_tmx_terms, "mtf": read_multiterm}


@dataclass(frozen=True, slots=True)
class GlossaryTable:
    """The first rows of a table, with the guessed use of each column.

    `is_clear`: the uses are certain. `key` identifies the names of the columns; empty without a header.
    """

    rows: tuple[tuple[str, ...], ...]
    uses: tuple[ColumnUse, ...]
    num_header_rows: int
    is_clear: bool
    key: str


def read_glossary(data: bytes, name: str, direction: str | None = None, layout: Layout | None = None) -> GlossaryImport:
    """The terms of a CSV, TSV, XLSX, TBX, MultiTerm XML, UTX or TMX file.

    A header may name the columns ("source,target", "en;de") in any order; `direction` ("en-de") then decides which
    language is the source. `layout` is the use of the columns of a table, if a person chose it. Raises GlossaryError,
    naming the first wrong row, if no row is usable.
    """
    name = safe_name(name, "glossary.tsv")
    checker = RowChecker(name, direction)
    if root := _root_of(data, name):
        notes = [] if root in _READERS else tbx_notes(data, _BYTES_TO_LOOK_AT)
        _read_entries(_READERS.get(root, read_tbx)(data, name, direction), name, checker)
    elif data.startswith(XLSX_START):
        notes = _read_workbook(data, name, direction, layout, checker)
    else:
        notes = _read_text(data, name, direction, layout, checker)
    if not checker.terms and not checker.held and checker.errors:
        count = checker.num_rows
        more = Message("; none of the {count:,} rows can be used", count=count) if count > 1 else ""
        first = checker.errors[0]
        raise GlossaryError(joined("", [located(name, first.row, first.message), more]))
    if not checker.terms and not checker.held:
        raise _no_terms(name)
    return GlossaryImport(
        name,
        tuple(checker.terms),
        tuple(checker.errors),
        (*notes, *checker.notes()),
        tuple(checker.warnings),
        tuple(checker.repeats),
        checker.num_errors,
        checker.num_repeats,
        tuple(checker.held),
    )


def read_table(data: bytes, name: str, direction: str | None = None) -> GlossaryTable | None:
    """The first rows of a CSV, TSV or XLSX file, to choose its columns; None for other formats and for one column.

    Raises GlossaryError.
    """
    name = safe_name(name, "glossary.tsv")
    if _root_of(data, name):
        return None
    if data.startswith(XLSX_START):
        rows, _ = read_workbook(data, name, _NUM_SHOWN_ROWS - 1 + MAX_TITLE_ROWS)
    else:
        text = decode_text(data, name, GlossaryError).text
        _check_lines(text, name)
        if is_utx(text):
            return None
        delimiter = sniff([line for _, line in islice(_filled_lines(text), ROWS_TO_SNIFF)])
        rows = list(islice(_table_rows(text, delimiter, RowChecker(name)), _NUM_SHOWN_ROWS + MAX_TITLE_ROWS))
    rows = _without_titles(rows, direction)[0][:_NUM_SHOWN_ROWS]
    num_columns = min(MAX_COLUMNS, max((len(row.cells) for row in rows), default=0))
    if num_columns < 2:
        return None
    header = rows[0].cells
    layout = layout_of(header, direction)
    unused: list[ColumnUse] = ["ignore"] * num_columns
    uses: tuple[ColumnUse, ...] = tuple([*layout.uses, *unused][:num_columns])
    is_used = all(
        use != "ignore" or all(not cell for row in rows[layout.num_header_rows :] for cell in row.cells[column:][:1])
        for column, use in enumerate(uses)
    )
    is_usual = layout.num_header_rows or num_columns == 2 or "source_language" in uses
    return GlossaryTable(
        tuple(tuple(cell[:_MAX_SHOWN_CHARACTERS] for cell in row.cells[:MAX_COLUMNS]) for row in rows),
        uses,
        layout.num_header_rows,
        bool(is_used and is_usual and layout.is_complete),
        header_key(header) if layout.num_header_rows else "",
    )


def _root_of(data: bytes, name: str) -> str:
    """The root element of an XML glossary, else an empty string. Raises GlossaryError if it cannot be a glossary."""
    if len(data) > MAX_BYTES:
        raise GlossaryError(
            "{name} has {size:.1f} MiB; Pinpoint imports glossaries of up to {limit} MiB: remove terms that this "
            "document does not need",
            name=name,
            size=len(data) / 2**20,
            limit=MAX_BYTES // 2**20,
        )
    if data.startswith(_ACCESS_STARTS):
        raise GlossaryError(
            "{name} is a term base of Trados MultiTerm in the format of Microsoft Access, which Pinpoint does not "
            "read: export it in MultiTerm as MultiTerm XML, TBX or Excel, and import that file",
            name=name,
        )
    root = _xml_root(data)
    if not root and _is_meant_as_xml(data, name):
        raise GlossaryError(
            "{name} is damaged or not a TBX, TMX or MultiTerm file: its first lines have no <tbx>, <martif>, <tmx> "
            "or <mtf>; export it again from the program that created it",
            name=name,
        )
    return root


def _xml_root(data: bytes) -> str:
    """The root element of an XML glossary ("tbx", "martif", "tmx" or "mtf"), otherwise an empty string."""
    head = data[:_BYTES_TO_LOOK_AT].replace(b"\0", b"").decode("latin-1")
    if "<" not in head[:10]:
        return ""
    found = _XML_ROOT.search(head)
    return found[1].lower() if found else ""


def _is_meant_as_xml(data: bytes, name: str) -> bool:
    """True if the first characters or the name suggest XML; a table may have "<" in its first row."""
    head = data[:_BYTES_TO_LOOK_AT].replace(b"\0", b"").decode("latin-1")
    return "<?xml" in head[:10] or name.lower().endswith((".tbx", ".tmx"))


def _read_entries(entries: Iterable[TermEntry], name: str, checker: RowChecker) -> None:
    for entry in entries:
        checker.add(entry)
        _check_count(checker.num_rows, name)


def _read_workbook(
    data: bytes, name: str, direction: str | None, layout: Layout | None, checker: RowChecker
) -> list[str]:
    rows, notes = read_workbook(data, name, MAX_ROWS + 1 + MAX_TITLE_ROWS)
    if not rows:
        raise _no_terms(name)
    rows, others = _without_titles(rows, direction)
    notes += others
    if layout is None:
        layout, others = _layout(rows[0].cells, direction, name)
        notes += others
    return notes + _read_rows(rows, layout, name, direction, checker, " | ")


def _read_text(data: bytes, name: str, direction: str | None, layout: Layout | None, checker: RowChecker) -> list[str]:
    decoded = decode_text(data, name, GlossaryError)
    notes = [decoded.note] if decoded.note else []
    text = decoded.text
    _check_lines(text, name)
    if is_utx(text):
        columns, num_header_lines = utx_layout([line for _, line in islice(_lines(text), _MAX_HEADER_LINES)], direction)
        utx_rows = (
            Row(number, line, [*map(unescape_formula, cells_of(line, "\t") or [])])
            for number, line in _lines(text)
            if number > num_header_lines and line.strip() and not line.startswith("#")
        )
        return notes + _read_rows(utx_rows, Layout(columns.uses, 0), name, direction, checker, "<TAB>", is_named=True)
    first = [line for _, line in islice(_filled_lines(text), ROWS_TO_SNIFF)]
    if not first:
        raise _no_terms(name)
    if text.count("\n") + text.count("\r") > MAX_ROWS:
        _check_count(sum(1 for _ in _filled_lines(text)) - 1, name)  # one of them may be a header
    delimiter = sniff(first)
    rows = _table_rows(text, delimiter, checker)
    start, others = _without_titles([*islice(rows, MAX_TITLE_ROWS + 1)], direction)
    notes += others
    if layout is None:
        layout, others = _layout(start[0].cells if start else (), direction, name)
        notes += others
    return notes + _read_rows(chain(start, rows), layout, name, direction, checker, DELIMITERS[delimiter])


def _without_titles(rows: list[Row], direction: str | None) -> tuple[list[Row], list[str]]:
    """The rows from the header on, with a note about rows above it."""
    num_titles = num_title_rows((row.cells for row in rows), direction)
    notes: list[str] = [title_note(row.number for row in rows[:num_titles])] if num_titles else []
    return rows[num_titles:], notes


def _check_lines(text: str, name: str) -> None:
    """Raises GlossaryError for a line that would become millions of cells."""
    if len(text) <= MAX_LINE_CHARACTERS:
        return
    for number, line in _lines(text):
        if len(line) > MAX_LINE_CHARACTERS:
            raise GlossaryError(
                "{name}, line {number} has more than {limit:,} characters, so it is not a row of a glossary: check "
                "how the file was exported",
                name=name,
                number=number,
                limit=MAX_LINE_CHARACTERS,
            )


def _layout(cells: Sequence[str], direction: str | None, name: str) -> tuple[Layout, list[str]]:
    """The guessed columns, with a note about columns of other languages.

    Raises GlossaryError for a header with the languages of another pair.
    """
    if foreign := foreign_languages(cells, direction):
        raise GlossaryError(
            "{name} has columns for {languages}, not for {direction}: choose another glossary, or name the columns "
            "source and target",
            name=name,
            languages=shortened_list(foreign),
            direction=(direction or "").replace("-", " → "),
        )
    layout = layout_of(cells, direction)
    others = unused_languages(cells, layout)
    return layout, [Message("Columns of other languages are not used: {names}.", names=others)] if others else []


def _table_rows(text: str, delimiter: str, checker: RowChecker) -> Iterator[Row]:
    """The rows of a table, one at a time, because there may be a million; rows with an open quote are rejected.

    A quoted cell may contain line breaks.
    """
    lines = _filled_lines(text)
    waiting: deque[tuple[int, str]] = deque()
    while (following := waiting.popleft() if waiting else next(lines, None)) is not None:
        number, line = following
        cells = cells_of(line, delimiter)
        joined_line = line
        while cells is None:  # the cell may go on in the next line
            used = joined_line.count("\n")
            if used == len(waiting) and (more := next(lines, None)) is not None:
                waiting.append(more)
            if used == len(waiting) or used == _MAX_LINES_OF_ROW:
                break
            joined_line += "\n" + waiting[used][1]
            cells = cells_of(joined_line, delimiter)
        if cells is None:
            problem = Message(
                "{expected}; a quotation mark is never closed: close it, or double it inside quotes",
                expected=expected(DELIMITERS[delimiter]),
            )
            checker.num_rows += 1
            checker.reject(number, line, "quotes", problem)
        else:
            for _ in range(joined_line.count("\n")):
                waiting.popleft()
            yield Row(number, joined_line, [unescape_formula(" ".join(cell.split("\n"))) for cell in cells])


def _filled_lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in _lines(text) if line.strip(" \t\f\v;,"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of each line, ended by a line feed, a carriage return or both."""
    return enumerate((match[1] for match in _LINE.finditer(text)), 1)


def _read_rows(
    rows: Iterable[Row],
    layout: Layout,
    name: str,
    direction: str | None,
    checker: RowChecker,
    separator: str,
    *,
    is_named: bool = False,
) -> list[str]:
    """Reads the rows after the header; `is_named`: the columns have names and the header is not among the rows."""
    reader = TableReader(layout, direction, checker, separator)
    num_rows = 0
    for row in islice(rows, layout.num_header_rows, None):
        num_rows += 1
        _check_count(num_rows, name)
        reader.read(row)
    if not num_rows and not checker.errors:
        raise GlossaryError("{name} has a header but no terms: write one per line, as source<TAB>target", name=name)
    checker.errors.sort(key=lambda error: error.row)
    return [] if is_named else reader.notes()


def _check_count(num_rows: int, name: str) -> None:
    if num_rows > MAX_ROWS:
        raise GlossaryError(
            "{name} has more than {limit:,} rows: remove rows that are not needed", name=name, limit=MAX_ROWS
        )


def _no_terms(name: str) -> GlossaryError:
    return GlossaryError("{name} contains no terms: write one per line, as source<TAB>target", name=name)
