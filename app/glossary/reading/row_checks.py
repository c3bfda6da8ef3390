"""Entries of a glossary file -> terms, checked one by one: errors, repeats, conflicts and warnings.

Decides which entries are unusable and which of two conflicting entries is kept, for every file format.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.glossary.model import Case, Matching, Status, Term
from app.glossary.reading.messy_rows import row_proposal
from app.i18n import Message
from app.text.encoding import shortened_list
from app.text.folding import fold_spelling, fold_term

MAX_TERM_CHARACTERS = 200
MAX_VARIANTS = 20
MAX_NOTE_CHARACTERS = 1000
# At most this many rows of each sort are listed; all are counted.
MAX_REPORTS = 10_000
# Shorter sources are found in many sentences by chance.
SHORT_SOURCE = 2

RowKind = Literal[
    # left out
    "columns", "empty", "too_long", "characters", "quotes", "conflict", "languages", "value", "variants",
    # left out without harm
    "repeat",
    # not used until a person decides
    "alternatives", "article", "label", "markup", "function_word", "no_target", "remark",
    # used, with a warning
    "capital", "short", "initial", "unspellable",
]  # fmt: skip
# What happens to a messy row: its proposal is used, the row as it is, or nothing.
RowDecision = Literal["accept", "keep", "leave"]
Side = Literal["source", "target", "variant"]
SIDES: dict[Side, Message] = {
    "source": Message("source"),
    "target": Message("target"),
    "variant": Message("variant"),
}
_SPACES = re.compile(r"[ \t\f\v\r\n]+")


@dataclass(frozen=True, slots=True)
class Fix:
    """A correction that the user may choose: `term` becomes these terms, or is left out (none)."""

    term: Term
    becomes: tuple[Term, ...] = ()

    @property
    def text(self) -> str:
        """The terms for display; only their targets if their source is that of the term."""
        targets = (" | ".join(one.targets) for one in self.becomes)
        if all(one.source == self.term.source for one in self.becomes):
            return "; ".join(targets)
        return "; ".join(f"{one.source} → {target}" for one, target in zip(self.becomes, targets, strict=True))


@dataclass(frozen=True, slots=True)
class RowReport:
    """An error or warning about a row: its text in the file, and a message with the solution.

    `blank` is its term if only the target is missing, which the user may fill in.
    """

    row: int
    text: str
    message: str
    kind: RowKind
    fix: Fix | None = None
    blank: Term | None = None


@dataclass(frozen=True, slots=True)
class GlossaryImport:
    """The result of reading a file: usable terms, rows left out, warnings, and notes for the user.

    `held` are messy rows with a proposal, whose terms are not among `terms` (see `decided`). `num_errors` and
    `num_repeats` count all such rows; at most MAX_REPORTS of them are listed.
    """

    name: str
    terms: tuple[Term, ...]
    errors: tuple[RowReport, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[RowReport, ...] = ()
    repeats: tuple[RowReport, ...] = ()
    num_errors: int = 0
    num_repeats: int = 0
    held: tuple[RowReport, ...] = ()


@dataclass(frozen=True, slots=True)
class TermEntry:
    """An unchecked row of a file. `shown` is its text for the report."""

    row: int
    shown: str
    source: str
    target: str
    variants: tuple[str, ...] = ()
    status: Status = "preferred"
    case: Case = "permissive"
    matching: Matching = "exact"
    note: str = ""


class RowChecker:
    """Collects terms and reports from entries, one by one, and compares each with the earlier ones."""

    def __init__(self, name: str, direction: str | None = None) -> None:
        self.terms: list[Term] = []
        self.held: list[RowReport] = []
        self.errors: list[RowReport] = []
        self.warnings: list[RowReport] = []
        self.repeats: list[RowReport] = []
        self.num_rows = 0
        self.num_errors = 0
        self._name = name
        self._languages = (direction or "").partition("-")[::2]
        self._seen: dict[tuple[str, bool], Term] = {}
        self._repeated: list[int] = []
        self._capital_pairs: list[tuple[int, int]] = []

    def add(self, entry: TermEntry) -> None:
        """Adds the term of this entry, or reports why it is left out."""
        self.num_rows += 1
        term = self._checked(entry)
        if term is None:
            return
        if proposal := row_proposal(term, *self._languages):
            fix = Fix(term, proposal.becomes)
            self.held.append(RowReport(entry.row, shown(entry.shown, 120), proposal.message, proposal.kind, fix))
            return
        earlier = self._seen.setdefault(identity(term), term)
        if earlier is term:
            self.terms.append(term)
            if len(term.source) <= SHORT_SOURCE and not term.is_case_exact:
                message = Message(
                    "“{source}” is very short and may match in many sentences: make it case-sensitive, or leave the "
                    "row out",
                    source=term.source,
                )
                self._warn(entry, "short", message, Fix(term))
        elif earlier.targets == term.targets and earlier.status == term.status:
            self._repeated.append(term.row)
            if earlier.source != term.source:
                self._capital_pairs.append((term.row, earlier.row))
                message = Message("the same as row {row} except for a capital letter; left out", row=earlier.row)
                self._warn(entry, "capital", message)
            elif len(self.repeats) < MAX_REPORTS:
                message = Message("the same as row {row}; left out", row=earlier.row)
                self.repeats.append(RowReport(entry.row, shown(entry.shown, 120), message, "repeat"))
        else:
            self.reject(
                entry.row,
                entry.shown,
                "conflict",
                Message(
                    "“{source}” has the target “{target}” in row {row} and “{other}” here; row {row} is used: remove "
                    "one of the rows",
                    source=shown(term.source),
                    target=shown(earlier.target),
                    row=earlier.row,
                    other=shown(term.target),
                ),
                Fix(earlier, (term,)),
            )

    def reject(
        self, row: int, text: str, kind: RowKind, problem: str, fix: Fix | None = None, entry: TermEntry | None = None
    ) -> None:
        """Reports a row that is left out; pass `entry` if only its target may be missing."""
        self.num_errors += 1
        if len(self.errors) < MAX_REPORTS:
            blank = term_of(entry, self._name) if entry else None
            if blank and (blank.target or wrong_with(replace(blank, target=blank.source))):
                blank = None
            self.errors.append(RowReport(row, shown(text, 120), problem, kind, fix, blank))

    @property
    def num_repeats(self) -> int:
        """The number of rows that repeat an earlier one."""
        return len(self._repeated)

    def notes(self) -> list[str]:
        """Notes about rows that were left out without harm."""
        notes: list[str] = []
        if self._repeated:
            notes.append(Message("Repeated rows, left out: {rows}.", rows=row_list(self._repeated)))
        if self._capital_pairs:
            pairs = shortened_list(f"{row} = {earlier}" for row, earlier in self._capital_pairs)
            notes.append(Message("Rows that differ only in the capital letter at the start: {rows}.", rows=pairs))
        return notes

    def _warn(self, entry: TermEntry, kind: RowKind, message: str, fix: Fix | None = None) -> None:
        if len(self.warnings) < MAX_REPORTS:
            self.warnings.append(RowReport(entry.row, shown(entry.shown, 120), message, kind, fix))

    def _checked(self, entry: TermEntry) -> Term | None:
        term = term_of(entry, self._name)
        if wrong := wrong_with(term):
            self.reject(entry.row, entry.shown, *wrong, entry=entry)
            return None
        return term


def undecided(report: RowReport) -> Message:
    """The problem of a held row that is not used, with the proposal, for use outside the table of rows."""
    proposal = report.fix.text if report.fix is not None and report.fix.becomes else ""
    if not proposal:
        return Message("{problem}; the row is not used. Proposal: leave it out", problem=report.message)
    return Message("{problem}; the row is not used. Proposal: {proposal}", problem=report.message, proposal=proposal)


def located(name: str, row: int, problem: str) -> Message:
    """A problem of a row, with file name and row number, for use outside the table of rows."""
    return Message("{name}, row {row}: {problem}", name=name, row=row, problem=problem)


def identity(term: Term) -> tuple[str, bool]:
    """The key that is unique among the terms of a glossary: the normalized source, and the target if it is forbidden.

    A source may have forbidden targets besides the required one.
    """
    key = fold_spelling(term.source) if term.is_case_exact else fold_term(term.source)
    is_forbidden = term.status == "forbidden"
    return (f"{key}\t{term.target}" if is_forbidden else key), is_forbidden


def decided(terms: Iterable[Term], held: Iterable[tuple[RowReport, RowDecision]]) -> tuple[Term, ...]:
    """The terms and those of held rows after decisions on them, in the order of the file.

    Of two terms with the same source and status, the second gives its targets to the first as variants.
    """
    found = [*terms]
    for report, decision in held:
        if report.fix is not None and decision != "leave":
            found += report.fix.becomes if decision == "accept" else (report.fix.term,)
    merged: dict[tuple[tuple[str, bool], Status], Term] = {}
    for term in sorted(found, key=lambda term: term.row):
        key = identity(term), term.status
        earlier = merged.setdefault(key, term)
        new = tuple(target for target in term.targets if target not in earlier.targets)
        if new and term.status != "do_not_translate":
            merged[key] = replace(earlier, variants=(*earlier.variants, *new)[:MAX_VARIANTS])
    return tuple(merged.values())


def term_of(entry: TermEntry, glossary: str) -> Term:
    """The entry as a term with cleaned texts, not yet checked (see `wrong_with`)."""
    source, target = clean(entry.source), clean(entry.target)
    if entry.status == "do_not_translate":
        target = target or source
    variants = tuple(dict.fromkeys(filter(None, map(clean, entry.variants))))
    return Term(
        source,
        target,
        entry.row,
        variants=tuple(variant for variant in variants if variant != target),
        status=entry.status,
        case=entry.case,
        matching=entry.matching,
        note=_SPACES.sub(" ", entry.note).strip()[:MAX_NOTE_CHARACTERS],
        glossary=glossary,
    )


def wrong_with(term: Term) -> tuple[RowKind, str] | None:
    """Why the term cannot be used, with the solution; None if it can."""
    cells: list[tuple[Side, str]] = [("source", term.source), ("target", term.target)]
    cells += [("variant", variant) for variant in term.variants]
    for side, cell in cells:
        if wrong := _wrong_cell(cell, side):
            return wrong
    if len(term.variants) > MAX_VARIANTS:
        return "variants", Message(
            "{count} variants of the target; a term may have up to {limit}: remove some",
            count=len(term.variants),
            limit=MAX_VARIANTS,
        )
    return None


def clean(cell: str) -> str:
    """The text in NFC, stripped, with single spaces; no-break spaces are kept."""
    if cell.isascii() and cell.isprintable() and "  " not in cell:
        return cell.strip()
    return _SPACES.sub(" ", unicodedata.normalize("NFC", cell).strip().strip("\ufeff"))


def shown(text: str, limit: int = 60) -> str:
    """The text, shortened to `limit` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def row_list(rows: Sequence[int]) -> str:
    """Row numbers for a message: "rows 2, 3"."""
    listed = shortened_list(str(row) for row in rows)
    return Message("row {rows}", rows=listed) if len(rows) == 1 else Message("rows {rows}", rows=listed)


def _wrong_cell(cell: str, side: Side) -> tuple[RowKind, str] | None:
    """Why this cell cannot be one side of a term, with the solution; None if it can."""
    if not cell:
        empty = {
            "source": Message("the source is empty: fill it in or remove the row"),
            "target": Message("the target is empty: fill it in or remove the row"),
        }
        return "empty", empty.get(side, empty["target"])
    if len(cell) > MAX_TERM_CHARACTERS:
        return "too_long", Message(
            "the {side} has {count:,} characters; a term has at most {limit}: shorten it",
            side=SIDES[side],
            count=len(cell),
            limit=MAX_TERM_CHARACTERS,
        )
    if cell.isprintable():
        return None
    if bad := next((c for c in cell if unicodedata.category(c) in ("Cc", "Cn", "Cs")), None):
        return "characters", Message(
            "the {side} contains the character U+{code:04X}, which cannot be typed: remove it",
            side=SIDES[side],
            code=ord(bad),
        )
    return None
