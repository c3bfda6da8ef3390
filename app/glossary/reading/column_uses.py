"""The use of each column of a glossary table: detected by the names in its first row, or chosen by a person.

The names are from the exports of memoQ, MultiTerm, Crowdin, Smartling, Lokalise, Phrase, MateCat, Transifex, DeepL
and OmegaT, and of tables with a column for each language.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, get_args

from app.errors import GlossaryError
from app.glossary.reading.row_checks import clean
from app.i18n import Message
from app.text.encoding import shortened_list
from app.text.language_names import column_language, language_of

# "source_variant": another source term with the same target; "variants": other targets; "forbidden", "do_not_translate"
# and "translatable": yes or no; "domain": goes in front of the note; the languages: of this row (DeepL); "source_info"
# and "target_info": Term_Info of memoQ, behind each of its terms.
ColumnUse = Literal[
    "ignore", "source", "target", "source_variant", "variants", "status", "forbidden", "do_not_translate",
    "translatable", "case", "matching", "note", "domain", "source_language", "target_language",
    "source_info", "target_info",
]  # fmt: skip
USES: Final[tuple[ColumnUse, ...]] = get_args(ColumnUse)
MAX_COLUMNS: Final = 200
MAX_TITLE_ROWS: Final = 10
_SEVERAL: Final = frozenset(
    {"ignore", "source_variant", "variants", "note", "domain", "target_info"}
)  # uses of more than one column
_HEADER: Final = "header:"
_NAMES: Final[Mapping[ColumnUse, str]] = {
    "source": "source, src, source term, source text, quelle, quelltext, quellbegriff, ausgangstext",
    "target": "target, tgt, target term, target text, ziel, zieltext, zielbegriff, translation, translated term",
    "source_language": "source lang, source language",
    "target_language": "target lang, target language",
    "source_variant": "source variants, source synonyms",
    "variants": "variants, variant, target variants, varianten, synonyms, synonym, synonyme, variations, "
    "target synonyms",
    "status": "status, term status, usage, usage status, administrative status",
    "forbidden": "forbidden, is forbidden, banned, verboten",
    "do_not_translate": "do not translate, donottranslate, dnt, non translatable, nontranslatable, nicht übersetzen",
    "translatable": "translatable, is translatable, übersetzbar",
    "case": "case, capitals, case sensitive, casesensitive, case sensitivity, casing",
    "matching": "matching, match, match type, exact match, exact",
    "note": "note, notes, comment, comments, bemerkung, kommentar, anmerkung, definition, def, description, "
    "beschreibung, entry note, concept definition, concept note, term note, usage note, term definition, notiz",
    "domain": "domain, domäne, subject, subject field, entry subject, entry domain, concept subject, fachgebiet, "
    "sachgebiet, subdomain",
    "source_info": "term info",
}
_USE_OF: Final[dict[str, ColumnUse]] = {name: use for use, names in _NAMES.items() for name in names.split(", ")}
_OF_SOURCE: Final = frozenset({"case", "matching", "note"})  # the uses of columns about the source term
_OF_TARGET: Final = frozenset({"status", "forbidden", "variants", "note"})
_ALONE: Final = frozenset({"source", "target", "term"})
_TERM: Final = frozenset({"term", "terms", "begriff", "benennung", "phrase"})
_MAX_NAME: Final = 100
_SEPARATOR: Final = re.compile(r"\s*(?:::?|[\[(_-]|\s)\s*")
_END: Final = re.compile(r"\s*[\])]\s*$")
_FIRST_NUMBER: Final = re.compile(r"\s*0{0,9}[01]\s*[.)]?\s*")  # of rows that are numbered
_UNREADABLE: Final = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """The use of each column, and the number of header rows, 0 or 1. Columns beyond `uses` are not used."""

    uses: tuple[ColumnUse, ...] = ("source", "target", "note")
    num_header_rows: int = 0

    @property
    def is_complete(self) -> bool:
        """True if it has a source and a target."""
        return {"source", "target"} <= set(self.uses)

    def places(self, use: ColumnUse) -> list[int]:
        """The columns with this use."""
        return [column for column, found in enumerate(self.uses) if found == use]

    def __str__(self) -> str:
        """The form that `layout_from` reads: "header:source,target,note"."""
        return (_HEADER if self.num_header_rows else "") + ",".join(self.uses)


def layout_from(text: str) -> Layout:
    """A layout that a person chose. Raises GlossaryError.

    >>> layout_from("header:source,ignore,target").uses
    ('source', 'ignore', 'target')
    """
    uses: list[ColumnUse] = []
    for name in text.removeprefix(_HEADER).split(",")[:MAX_COLUMNS]:
        use = next((use for use in USES if use == name.strip().replace("-", "_").casefold()), None)
        if use is None:
            raise GlossaryError(
                "“{name}” is not a use of a column: choose one of {known}",
                name=name.strip()[:40],
                known=", ".join(USES),
            )
        if use in uses and use not in _SEVERAL:
            raise GlossaryError("two columns have the use “{use}”: choose one of them", use=use)
        uses.append(use)
    for use in ("source", "target"):
        if use not in uses:
            raise GlossaryError("no column has the use “{use}”: choose the column with these terms", use=use)
    return Layout(tuple(uses), int(text.startswith(_HEADER)))


def layout_of(cells: Sequence[str], direction: str | None) -> Layout:
    """The use of each column, from the names in the first row if it is a header, otherwise from the usual order."""
    found = [_reading(cell) for cell in cells[:MAX_COLUMNS]]
    texts = [language for use, language in found if use == "text"]
    codes: list[str | None] = [*(direction or "").split("-")]
    has_languages = [use == "text" and language is not None for use, language in found]
    is_row = len(cells) == 4 and all(has_languages[2:]) and not has_languages[1]  # a term and its languages (DeepL)
    if len(codes) != 2:
        codes = list(dict.fromkeys(texts))[:2] if not is_row else []
    uses = tuple(_uses(found, codes))
    is_named = any(use == "source" for use, _ in found) and any(use == "target" for use, _ in found)
    is_by_language = not is_row and len(codes) == 2 and set(codes) <= set(texts)
    is_mixed = len(cells) > 2 and not is_row and {"source", "target"} <= set(uses) and any(has_languages)
    if is_named or is_by_language or is_mixed or foreign_languages(cells, direction):
        return Layout(uses, 1)
    if is_row:
        return Layout(("source", "target", "source_language", "target_language"))
    is_numbered = len(cells) > 2 and _FIRST_NUMBER.fullmatch(cells[0]) is not None
    return Layout(("ignore", *Layout().uses)) if is_numbered else Layout()


def num_title_rows(rows: Iterable[Sequence[str]], direction: str | None) -> int:
    """The number of rows with at most one filled cell, such as a title, above a header; 0 if no header follows them."""
    for number, cells in enumerate(islice(rows, MAX_TITLE_ROWS + 1)):
        if sum(1 for cell in cells if cell.strip()) > 1:
            return number if layout_of(cells, direction).num_header_rows else 0
    return 0


def title_note(row_numbers: Iterable[int]) -> Message:
    """The note about the rows above a header, which are not used."""
    return Message(
        "Rows above the names of the columns are not used: {rows}.", rows=shortened_list(map(str, row_numbers))
    )


def foreign_languages(cells: Sequence[str], direction: str | None) -> list[str]:
    """The language columns of a header without a language of `direction`; empty if it has both languages.

    Two names of other languages alone are not a header: "it<TAB>es" is an English-German term.
    """
    codes = (direction or "").split("-")
    found = [_reading(cell) for cell in cells[:MAX_COLUMNS]]
    languages = [language if use == "text" else None for use, language in found]
    known = {language for language in languages if language}
    if {"source", "target"} <= set(_uses(found, codes)):
        return []
    if len(codes) != 2 or set(codes) <= known or len(known) < 2 or (len(known) == 2 and not known & set(codes)):
        return []
    if len(cells) == 4 and languages[2] and languages[3] and not languages[1]:
        return []  # a term with its languages, as DeepL writes it
    return [clean(cell) for cell, language in zip(cells, languages, strict=False) if language]


def unused_languages(cells: Sequence[str], layout: Layout) -> str:
    """The names of the columns with terms of other languages, shortened; empty if there are none."""
    others = (
        clean(cell)
        for cell, use in zip(cells, layout.uses, strict=False)
        if use == "ignore" and _reading(cell)[0] == "text"
    )
    return shortened_list(others) if layout.num_header_rows else ""


def header_key(cells: Sequence[str]) -> str:
    """SHA-256 of the names of the columns, without differences in capitals and spaces."""
    return hashlib.sha256("\n".join(clean(cell).casefold() for cell in cells).encode("utf-8", "replace")).hexdigest()


def _uses(found: Sequence[tuple[str, str | None]], codes: Sequence[str | None]) -> Iterator[ColumnUse]:
    """The use of each column. A name that comes several times belongs to the language before it (memoQ, MateCat)."""
    names = [use for use, language in found if language is None]
    has_source = any(use == "text" and language == codes[0] for use, language in found) if len(codes) == 2 else False
    has_source = has_source or "source" in names
    taken: set[ColumnUse] = set()
    before: str | None = None
    for use, language in found:
        if use == "text" and language is not None:
            before = language
        elif language is None and (use == "source_info" or (names.count(use) > 1 and use not in _ALONE)):
            language = before
        chosen = _use(use, language, codes, has_source=has_source)
        if chosen in taken and chosen not in _SEVERAL:
            again: dict[ColumnUse, ColumnUse] = {"source": "source_variant", "target": "variants"}
            chosen = again.get(chosen, "ignore") if use == "text" else "ignore"
        taken.add(chosen)
        yield chosen


def _use(use: str, language: str | None, codes: Sequence[str | None], *, has_source: bool) -> ColumnUse:
    if use == "term":
        return "ignore" if has_source else "source"
    if use == "text":
        return "source" if language == next(iter(codes), "") else "target" if language in codes[1:] else "ignore"
    known: ColumnUse = next((one for one in USES if one == use), "ignore")
    if known == "source_info":
        return known if language == next(iter(codes), "") else "target_info" if language in codes[1:] else "ignore"
    if language is None:
        return known
    if language == next(iter(codes), "") and known == "variants":
        return "source_variant"
    is_used = known in (_OF_SOURCE if language == next(iter(codes), "") else _OF_TARGET)
    return known if is_used and language in codes else "ignore"


def _reading(cell: str) -> tuple[str, str | None]:
    """The meaning of a column name: its use, "text" for the terms of a language, or "term"; and the language."""
    name = clean(cell)
    if len(name) > _MAX_NAME:  # each place in it is tried as the end of a word: the time is quadratic
        return "ignore", None
    if language := column_language(name):
        return "text", language
    if use := use_named(name):
        return use, None
    for separator in _SEPARATOR.finditer(name):
        left, right = name[: separator.start()], _END.sub("", name[separator.end() :])
        for about, of in ((left, right), (right, left)):
            if (use := use_named(about)) and (language := language_of(of)):
                return ("text", language) if use in ("term", "source", "target") else (use, language)
    return "ignore", None


def use_named(name: str) -> str | None:
    """The use of a column or field of this name, "term" for one that has the terms; None if it is not known."""
    plain = _UNREADABLE.sub(" ", name.casefold()).strip()
    return "term" if plain in _TERM else _USE_OF.get(plain)
