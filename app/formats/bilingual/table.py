"""CSV and TSV as a document: each row has a source and a target; all other cells stay unchanged.

The person can choose the two columns. Otherwise, the names in the header row decide ("source" and "target", or names of
languages). Without such names, the first two columns are used, not counting a column of keys. A table of two languages
can be translated in either direction. A line break inside a cell is a tag. A translation never becomes a formula unless
its source was one.

Quotation marks inside quoted cells are doubled. In a file that cannot be read so, a backslash precedes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from app.errors import DocumentError
from app.formats.base import Edit, RawTags, Unit, UnitTranslation, WrittenFile, encode, line_of, one_line, splice
from app.formats.inline import Piece, Shown, show
from app.formats.parsed_file import PairedFile
from app.i18n import Message
from app.text.encoding import DecodedText, decode_text, escape_formula, shortened_list
from app.text.language_names import column_language
from app.text.text_limits import TextLimits

MAX_COLUMNS = 16_384
MAX_ROWS = 100_000
_SOURCE_NAMES = frozenset({"source", "src", "source text", "original", "quelle", "quelltext", "ausgangstext"})
_TARGET_NAMES = frozenset({"target", "tgt", "trg", "target text", "translation", "ziel", "zieltext", "übersetzung"})
_LIMIT_NAMES = frozenset(
    {
        "max length", "maximum length", "max. length", "max len", "length limit", "character limit", "char limit",
        "max characters", "max. characters", "maximum characters", "max chars", "max. chars", "max zeichen",
        "max. zeichen", "maximale zeichen", "zeichenlimit", "maximale länge", "max. länge", "maximallänge",
    }
)  # fmt: skip
_JOINED_LIMIT_NAMES = frozenset(name.replace(" ", "") for name in _LIMIT_NAMES)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
_SEPARATORS = ",;\t|"
_KEY = re.compile(r"(?=.*[\d._/:-])[\w./:-]+")
_BREAK = re.compile(r"(\r\n|\r|\n)")
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])(?:\r\n|\r|\n)", re.IGNORECASE)  # as Excel reads and writes it


_DOUBLED = re.compile(r'"((?:[^"]|"")*)"')
_BACKSLASHED = re.compile(r'"((?:[^"\\]|\\[\s\S]|"")*)"')
_ESCAPED = {_DOUBLED: re.compile('""'), _BACKSLASHED: re.compile(r'""|\\"')}  # a quotation mark inside of a cell
_LAST_BACKSLASHES = re.compile(r"\\+\Z")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell at `[start, end)` of the text; `value` is without its quotes."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class _Row:
    source: _Cell
    target: _Cell | None
    target_column: int
    end: int  # of its last cell
    num_cells: int
    max_characters: int


@dataclass(frozen=True)
class TableFile(PairedFile):
    """A table; a place is a source cell, in either column if both columns are languages."""

    decoded: DecodedText
    separator: str
    columns: tuple[int, int]  # of sources and targets
    lines: Sequence[Sequence[_Cell]] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    languages: tuple[str, str] = ("", "")  # the column names if these are languages
    notes: tuple[str, ...] = ()
    has_backslashes: bool = False  # before quotation marks inside of cells
    limit_column: int | None = None  # with the longest length of each target, in characters

    def tags(self, start: int, end: int) -> RawTags:
        """The line breaks of the source at a place."""
        row = self._by_place.get((start, end))
        return _with_both(row).tags if row else {}

    def reversed(self) -> TableFile | None:
        """The table with its targets as sources; None if its columns are not two languages."""
        if not all(self.languages):
            return None
        columns, languages = self.columns[::-1], self.languages[::-1]
        return replace(
            self, columns=columns, languages=languages, units=_units(_rows(self.lines, columns, self.limit_column))
        )

    def preview(self, num_rows: int) -> tuple[tuple[int, int] | None, list[list[str]]]:
        """The columns of sources and targets, and the cells of the first rows; the header is not among them."""
        return self.columns, [[one_line(cell.value) for cell in line] for line in self.lines[:num_rows]]

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these targets in their cells; missing cells are added to short rows."""
        edits = [self._edit(self._by_place[new.start, new.end], new.text) for new in translations]
        return encode(splice(self.decoded.text, edits), self.encoding, self.mark)

    @cached_property
    def _sources(self) -> dict[tuple[int, int], str]:
        return {place: _shown(row.source.value).text for place, row in self._by_place.items()}

    @cached_property
    def _by_place(self) -> dict[tuple[int, int], _Row]:
        return {(row.source.start, row.source.end): row for row in self._all_rows()}

    def _all_rows(self) -> list[_Row]:
        """The rows, also in the reversed direction if the table has two languages."""
        both = [*_rows(self.lines, self.columns[::-1], self.limit_column)] if all(self.languages) else []
        return [*both, *_rows(self.lines, self.columns, self.limit_column)]

    def _edit(self, row: _Row, text: str) -> Edit:
        text = one_line(text)
        if row.target is not None and text == _given(row):
            return row.target.end, row.target.end, ""
        text = _with_both(row).raw(text, str)
        if escape_formula(row.source.value) == row.source.value:
            text = escape_formula(text)
        if row.target is None:
            missing = row.target_column - row.num_cells + 1
            return row.end, row.end, self.separator * missing + self._written(text, is_quoted=False)
        is_quoted = self.decoded.text.startswith('"', row.target.start) and row.target.end > row.target.start
        return row.target.start, row.target.end, self._written(text, is_quoted=is_quoted)

    def _written(self, text: str, *, is_quoted: bool) -> str:
        if self.has_backslashes:
            quoted = _LAST_BACKSLASHES.sub(r"\g<0>\g<0>", text.replace('"', '\\"'))
        else:
            quoted = text.replace('"', '""')
        if is_quoted or self.separator in text or _BREAK.search(text) or text.startswith('"') or text != text.strip():
            return f'"{quoted}"'
        return text


def parse(data: bytes, name: str, encoding: str | None = None, columns: tuple[int, int] | None = None) -> TableFile:
    """Parses a table; `columns` are the numbers of the source and target columns, from 0.

    Raises DocumentError with the row if quotation marks cannot be read, or if no row has the column of sources.
    """
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    declared = _SEPARATOR_LINE.match(text)
    separator = declared[1] if declared else "\t" if name.lower().endswith((".tsv", ".tab")) else _separator_of(text)
    start = declared.end() if declared else 0
    has_backslashes = separator != "\t" and '\\"' in text and not _can_read(text, start, separator, name)
    found = _lines(text, start, separator, name, _BACKSLASHED if has_backslashes else _DOUBLED)
    lines = list(islice(found, MAX_ROWS + 1))
    if len(lines) > MAX_ROWS:
        raise DocumentError(
            "{name} has more than {limit:,} rows: remove rows that are not needed", name=name, limit=MAX_ROWS
        )
    header = _columns(lines[0]) if lines else None
    has_header = header is not None or (columns is not None and bool(lines) and _is_header(lines[0], columns))
    source, target = columns or header or _without_keys(lines)
    if not any(source < len(line) for line in lines):
        raise DocumentError(
            "{name} does not have the column {number} that was chosen for the sources: choose another column",
            name=name,
            number=source + 1,
        )
    names = [cell.value.strip() for cell in lines[0]] if has_header else []
    languages = ["" if name.lower() in _SOURCE_NAMES | _TARGET_NAMES else name for name in names]
    languages += [""] * (max(source, target) + 1 - len(languages))
    named = (languages[source], languages[target])
    if columns and not all(map(column_language, named)):
        named = ("", "")
    rows = lines[has_header:]
    limit_column = next((at for at, label in enumerate(names) if _is_limit(label)), None)
    notes = (*([decoded.note] if decoded.note else []), *_notes(rows, (source, target), limit_column))
    units = _units(_rows(rows, (source, target), limit_column))
    return TableFile(
        decoded,
        separator,
        (source, target),
        rows,
        units,
        named,
        notes,
        has_backslashes=has_backslashes,
        limit_column=limit_column,
    )


def _can_read(text: str, start: int, separator: str, name: str) -> bool:
    """True if quotation marks inside of cells are doubled."""
    try:
        for _ in _lines(text, start, separator, name, _DOUBLED):
            pass
    except DocumentError:
        return False
    return True


def _is_header(cells: Sequence[_Cell], columns: tuple[int, int]) -> bool:
    """True if a row names the chosen columns."""
    names = [cells[at].value.strip().lower() if at < len(cells) else "" for at in columns]
    known = _SOURCE_NAMES | _TARGET_NAMES
    return any(name in known or column_language(name) is not None for name in names if name)


def _without_keys(lines: Sequence[Sequence[_Cell]]) -> tuple[int, int]:
    """The columns of a table without a header: the first two, or those after a column in which each cell is a key."""
    firsts = [line[0].value.strip() for line in lines if len(line) > 1]
    has_keys = len(firsts) > 1 and all(map(_KEY.fullmatch, firsts)) and len({*firsts}) == len(firsts)
    return (1, 2) if has_keys else (0, 1)


def _notes(rows: Sequence[Sequence[_Cell]], columns: tuple[int, int], limit_column: int | None) -> Iterator[str]:
    """Notes about texts of a table that are not offered: columns with letters, and rows without a source."""
    with_letters = {at for row in rows for at, cell in enumerate(row) if any(map(str.isalpha, cell.value))}
    if unused := sorted(with_letters - {*columns, limit_column}):
        yield Message(
            "Column {source} is read as source and column {target} as target. Not offered: {list}.",
            source=columns[0] + 1,
            target=columns[1] + 1,
            list=shortened_list(Message("column {number}", number=at + 1) for at in unused),
        )
    limits = (row[limit_column].value.strip() for row in rows if limit_column is not None and limit_column < len(row))
    if num_unread := sum(bool(limit) and not _whole_number(limit) for limit in limits):
        yield Message("Length limits that are not whole numbers are ignored: {count:,} in this file.", count=num_unread)
    source = columns[0]
    sourceless = (row for row in rows if source >= len(row) or not row[source].value.strip())
    num_rows = sum(any(map(str.isalpha, "".join(cell.value for cell in row))) for row in sourceless)
    if num_rows:
        yield Message("Not offered: rows without a source text, {count:,} in this file.", count=num_rows)


def _is_limit(name: str) -> bool:
    """True if a column of that name has the longest length of each target: "Max. length", "max_length"."""
    plain = " ".join(name.lower().replace("_", " ").replace("-", " ").split())
    return plain in _LIMIT_NAMES or plain in _JOINED_LIMIT_NAMES


def _rows(lines: Sequence[Sequence[_Cell]], columns: tuple[int, int], limit_column: int | None) -> Iterator[_Row]:
    """The rows with a source text."""
    source, target = columns
    for cells in lines:
        if source < len(cells) and cells[source].value.strip():
            found = cells[target] if target < len(cells) else None
            limit = cells[limit_column].value.strip() if limit_column is not None and limit_column < len(cells) else ""
            yield _Row(cells[source], found, target, cells[-1].end, len(cells), _whole_number(limit))


def _whole_number(text: str) -> int:
    """A number of characters; 0 for another text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _units(rows: Iterable[_Row]) -> list[Unit]:
    """The units of the rows; those with a target are drafts."""
    return [
        Unit(row.source.start, row.source.end, _shown(row.source.value).text, _given(row), limits=_limits(row))
        for row in rows
    ]


def _limits(row: _Row) -> TextLimits | None:
    """The limit of the row; a tag is a line break."""
    if not row.max_characters:
        return None
    return TextLimits(row.max_characters, tags=tuple((number, 1) for number in _with_both(row).tags))


def _shown(value: str, like: Shown | None = None) -> Shown:
    """The text of a cell, with tags for the line breaks inside of it."""
    text = value.strip()
    if not _BREAK.search(text):
        return Shown(one_line(value), tags=dict(like.tags) if like else {})
    pieces = [Piece("lone" if number % 2 else "text", part) for number, part in enumerate(_BREAK.split(text)) if part]
    return show(pieces, like)


def _columns(cells: Sequence[_Cell]) -> tuple[int, int] | None:
    """The source and target columns named in a header row; None if the row is not a header."""
    names = [cell.value.strip().lower() for cell in cells]
    source = next((at for at, name in enumerate(names) if name in _SOURCE_NAMES), None)
    target = next((at for at, name in enumerate(names) if name in _TARGET_NAMES), None)
    if source is not None:
        return source, target if target is not None else len(names)
    # Other two-letter codes are recognised in the first two columns only.
    languages = [at for at, name in enumerate(names) if column_language(name)]
    if len(languages) >= 2 and names[languages[0]] != names[languages[1]]:
        return languages[0], languages[1]
    if len(names) >= 2 and names[0] != names[1] and all(_LANGUAGE.fullmatch(name) for name in names[:2]):
        return (0, 1) if all(len(re.split("[-_]", name)[0]) == 2 for name in names[:2]) else None
    return None


def _separator_of(text: str) -> str:
    """The most frequent separator in the first line; a comma in case of a tie."""
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    return max(_SEPARATORS, key=lambda sign: (first.count(sign), sign == ","))


def _lines(text: str, position: int, separator: str, name: str, quoted: re.Pattern[str]) -> Iterator[list[_Cell]]:
    """The cells of each row from `position` on, with their spans.

    A quoted cell may contain separators, line ends and quotation marks. Raises DocumentError if one is not closed,
    or if a row has too many columns.
    """
    cells: list[_Cell] = []
    plain = re.compile(rf"[^{re.escape(separator)}\r\n]*")
    while position < len(text):
        match = quoted.match(text, position)
        ends_here = match is not None and text[match.end() : match.end() + 1] in ("", separator, "\r", "\n")
        if not ends_here and text.startswith('"', position) and separator != "\t":
            raise DocumentError(
                '{name}, {place}: a cell starts with a quotation mark (") that is not closed before the next '
                "{separator!r}: close it, or double it if it is part of the text",
                name=name,
                place=line_of(text, position),
                separator=separator,
            )
        if match is not None and ends_here:
            cells.append(_Cell(*match.span(), _ESCAPED[quoted].sub('"', match[1])))
            position = match.end()
        else:
            bare = plain.match(text, position)
            assert bare is not None
            cells.append(_Cell(*bare.span(), bare.group()))
            position = bare.end()
        if len(cells) > MAX_COLUMNS:
            raise DocumentError(
                "{name}, {place}: the row has more than {limit:,} columns, as many as a sheet of Excel has: remove "
                "columns that are not needed",
                name=name,
                place=line_of(text, position),
                limit=MAX_COLUMNS,
            )
        if text.startswith(separator, position):
            position += 1
            if position == len(text) or text[position] in "\r\n":
                cells.append(_Cell(position, position, ""))
            else:
                continue
        yield cells
        cells = []
        position += 2 if text.startswith("\r\n", position) else 1
    if cells:
        yield cells


def _given(row: _Row) -> str | None:
    return _with_both(row).text if row.target is not None and row.target.value.strip() else None


def _with_both(row: _Row) -> Shown:
    """The text of the target, or of the source if there is none, with the line breaks of both."""
    source = _shown(row.source.value)
    return _shown(row.target.value, source) if row.target is not None and row.target.value.strip() else source
