"""The glossary tables of other tools: their headers, and the words that they write for yes, no and each status.

`column_uses.layout_of` decides the use of a column and reads these headers, too: a table that is written
here is read again by the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from langcodes import Language

from app.glossary.model import Status, Term
from app.glossary.reading.column_uses import ColumnUse, layout_of
from app.glossary.reading.memoq_info import source_info, target_info
from app.text.language_names import english_name
from engine import short_code

_DOMAIN: Final = re.compile(r"\[([^\]]+)\] ?(.*)", re.DOTALL)  # the domain that reading puts in front of the note
_OWN_WORDS: Final[dict[Status, str]] = {
    "preferred": "preferred",
    "exact": "exact",
    "do_not_translate": "do_not_translate",
    "forbidden": "forbidden",
}


@dataclass(frozen=True, slots=True, eq=False)
class ToolTable:
    """The layout of a tool's table.

    In `columns`, {S}, {s} and {s_region} stand for English, en and en-US, and {T}, {t} and {t_region} for the target
    language. `more_targets` are the columns that are repeated for each further target. `statuses` has the words of the
    column for the status; `has_words_for_all` if a tool supports every value of the term base.
    """

    label: str
    columns: tuple[str, ...]
    more_targets: tuple[str, ...] = ()
    ending: str = "csv"
    delimiter: str = ","
    has_header: bool = True
    yes: str = "yes"
    no: str = "no"
    statuses: Mapping[Status, str] = field(default_factory=dict[Status, str])
    has_words_for_all: bool = False

    def header(self, direction: str, num_variants: int) -> list[str]:
        """The names of the columns for these languages and so many targets besides the first."""
        columns = self.columns + num_variants * self.more_targets
        return [column.format(**_languages(direction)) for column in columns]

    @cache  # noqa: B019 - tables are constants
    def uses(self, num_variants: int) -> tuple[ColumnUse, ...]:
        """The use of each column."""
        return layout_of(self.header("en-de", num_variants), "en-de").uses

    @cache  # noqa: B019 - tables are constants
    def keeps_status(self, status: Status) -> bool:
        """True if the table can state that a term has this status."""
        uses = set(self.uses(1))
        stated_by: dict[Status, set[ColumnUse]] = {
            "forbidden": {"forbidden", "target_info"},
            "do_not_translate": {"do_not_translate", "translatable"},
        }
        has_word = "status" in uses and status in self.statuses
        return status == "preferred" or has_word or bool(uses & stated_by.get(status, set()))

    def can_state(self, term: Term) -> bool:
        """True if the table can contain the term; a forbidden term must be marked, or it would be required."""
        return term.status != "forbidden" or self.keeps_status("forbidden")

    def stated(self, term: Term) -> Iterator[Term]:
        """The term; as several terms if it forbids several targets, because tools support only one target."""
        if term.status != "forbidden" or self.has_words_for_all:
            yield term
            return
        for target in term.targets:
            yield replace(term, target=target, variants=())

    def cells(self, number: int, term: Term, uses: tuple[ColumnUse, ...], direction: str) -> Iterator[str]:
        """The cells of a term, in the order of `uses`."""
        variants = iter(term.variants)
        found = _DOMAIN.fullmatch(term.note) if "domain" in uses else None
        first: dict[ColumnUse, str] = {"note": found[2] if found else term.note, "domain": found[1] if found else ""}
        for column, use in enumerate(uses):
            if use == "ignore":
                yield str(number) if column == 0 else ""
            elif use == "variants" and self.more_targets:
                yield next(variants, "")
            elif use in ("note", "domain"):  # of several such columns, the first
                yield first.pop(use, "")
            else:
                yield _CELLS[use](self, term, _languages(direction))

    def yes_or_no(self, is_so: bool) -> str:
        """The word for yes or no."""
        return self.yes if is_so else self.no


@cache
def _languages(direction: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for side, language in zip("st", direction.split("-", 1), strict=True):
        code = short_code(language)
        region = Language.get(code).maximize().territory
        names |= {side: code, side.upper(): english_name(code), f"{side}_region": f"{code}-{region}"}
    return names


_CELLS: Final[Mapping[ColumnUse, Callable[[ToolTable, Term, Mapping[str, str]], str]]] = {
    "source": lambda _, term, __: term.source,
    "target": lambda _, term, __: term.target,
    "variants": lambda _, term, __: "|".join(term.variants),
    "status": lambda table, term, _: table.statuses.get(term.status, table.statuses["preferred"]),
    "forbidden": lambda table, term, _: table.yes_or_no(term.status == "forbidden"),
    "do_not_translate": lambda table, term, _: table.yes_or_no(term.status == "do_not_translate"),
    "translatable": lambda table, term, _: table.yes_or_no(term.status != "do_not_translate"),
    "case": lambda table, term, _: term.case if table.has_words_for_all else table.yes_or_no(term.is_case_exact),
    "matching": lambda _, term, __: term.matching,
    "source_language": lambda _, __, languages: languages["s"],
    "target_language": lambda _, __, languages: languages["t"],
    "source_info": lambda _, term, __: source_info(term.case, term.matching),
    "target_info": lambda _, term, __: target_info(is_forbidden=term.status == "forbidden"),
}
_OWN_COLUMNS: Final = ("source", "target", "variants", "status", "case", "matching", "note")
TABLES: Final[Mapping[str, ToolTable]] = {
    "csv": ToolTable("CSV", _OWN_COLUMNS, statuses=_OWN_WORDS, has_words_for_all=True),
    "tsv": ToolTable("TSV", _OWN_COLUMNS, ending="tsv", delimiter="\t", statuses=_OWN_WORDS, has_words_for_all=True),
    "memoq": ToolTable(
        "memoQ",
        ("Entry_ID", "Entry_Subject", "Entry_Note", "{S}", "Term_Info", "Term_Example", "{T}", "Term_Info",
         "Term_Example"),
        ("{T}", "Term_Info", "Term_Example"),
    ),
    "multiterm": ToolTable(
        "Trados MultiTerm",
        ("{S}", "Subject", "Definition", "{T}", "{T}::Status"),
        ("{T}", "{T}::Status"),
        delimiter=";",
        statuses={"preferred": "preferred", "forbidden": "forbidden"},
    ),
    "crowdin": ToolTable(
        "Crowdin",
        ("Concept Definition", "Concept Subject", "Term [{s}]", "Description [{s}]", "Status [{s}]", "Term [{t}]",
         "Description [{t}]", "Status [{t}]"),
        statuses={"preferred": "preferred", "forbidden": "not recommended"},
    ),
    "smartling": ToolTable(
        "Smartling",
        ("ID", "Definition", "Part of Speech", "Term ({s_region})", "Notes ({s_region})",
         "Case Sensitive ({s_region})", "Do Not Translate", "Term ({t_region})", "Variations ({t_region})",
         "Notes ({t_region})"),
        yes="TRUE",
        no="FALSE",
    ),
    "lokalise": ToolTable(
        "Lokalise",
        ("term", "description", "casesensitive", "translatable", "forbidden", "tags", "{t}", "{t}_description"),
        delimiter=";",
    ),
    "phrase": ToolTable(
        "Phrase",
        ("concept id", "domain", "subdomain", "concept note", "{s}", "{s} status", "{s} forbidden", "{s} note", "{t}",
         "{t} status", "{t} forbidden", "{t} note"),
        ending="xlsx",
        yes="TRUE",
        no="FALSE",
        statuses={"preferred": "Approved"},
    ),
    "matecat": ToolTable(
        "MateCat",
        ("Forbidden", "Domain", "Subdomain", "Definition", "{s_region}", "Notes", "Example of use", "{t_region}",
         "Notes", "Example of use"),
        ending="xlsx",
        yes="TRUE",
        no="",
    ),
    "deepl": ToolTable("DeepL", ("source", "target", "source language", "target language"), has_header=False),
}  # fmt: skip
