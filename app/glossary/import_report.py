"""The report on a glossary import before it is applied: its rows, for the page and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from app.glossary import Term
from app.glossary.reading.row_checks import RowReport
from app.i18n import Message, translated
from app.text.workbook import csv_table

Verdict = Literal["rejected", "held", "look", "repeat", "new", "changed", "same"]
Shown = Verdict | Literal["attention"]
ATTENTION: tuple[Verdict, ...] = ("held", "rejected", "look")
MAX_ROWS = 200


@dataclass
class StagedImport:
    """An import waiting for the user's decision. `accepted` has (earlier term, new term) pairs by verdict.

    `reports` only grow, so that a row keeps its name. `impact` counts the uses of its terms in the document.
    `table_key` identifies the names of a table's columns (empty without names, None for a file that is not a table),
    and `chosen_columns` is how a person chose to use them. `unchecked` are notes on checks that are still running or
    were skipped.
    """

    number: int
    name: str
    terms: tuple[Term, ...]
    reports: dict[Verdict, list[RowReport]]
    accepted: dict[Verdict, list[tuple[Term | None, Term]]]
    counts: dict[str, int]
    notes: tuple[str, ...]
    is_replacing: bool
    impact: dict[str, int]
    table_key: str | None = None
    chosen_columns: str = ""
    unchecked: tuple[str, ...] = field(default=())
    is_checking: bool = False

    def view(self) -> dict[str, Any]:
        """The report, ready for JSON."""
        return {
            "import": self.number,
            "name": self.name,
            "num_terms": len(self.terms),
            "num_proposed": sum(len(report.fix.becomes) for report in self.reports["held"] if report.fix),
            "is_replacing": self.is_replacing,
            "document": dict(self.impact),
            "counts": dict(self.counts),
            "notes": [*self.notes, *self.unchecked],
            "is_checking": self.is_checking,
            "is_table": self.table_key is not None,
        }

    def add_warnings(self, reports: Sequence[RowReport]) -> None:
        """Adds rows with a warning."""
        self.reports["look"] += reports
        self.counts["look"] += len(reports)

    def rows(self, shown: Shown, offset: int) -> dict[str, Any]:
        """Up to MAX_ROWS rows from `offset`: those with one verdict, or those that need attention."""
        rows = [row for _, row in zip(range(offset + MAX_ROWS), self._rows(shown), strict=False)][offset:]
        return {"rows": rows, "num_rows": self._num_rows(shown), "offset": offset}

    def table(self, shown: Shown, language: str) -> bytes:
        """All of these rows as CSV with a header and escaped formulas; messages are in the given language."""
        rows: list[tuple[str | int, ...]] = [("row", "result", "text", "message", "before", "fix")]
        for row in self._rows(shown):
            fix = (row.get("fix") or {}).get("to") or ""
            message = str(translated(row["message"], language))
            rows.append((row["row"], row["verdict"], row["text"], message, row.get("was", ""), fix))
        verdicts = ATTENTION if shown == "attention" else (shown,)
        if num_more := sum(self.counts[verdict] for verdict in verdicts) - self._num_rows(shown):
            message = Message("Further rows, which are not listed: {count:,}.", count=num_more)
            rows.append(("", "", "", translated(message, language), "", ""))
        return csv_table(rows)

    def _num_rows(self, shown: Shown) -> int:
        if shown == "attention":
            return sum(len(self.reports[verdict]) for verdict in ATTENTION)
        return len(self.accepted[shown]) if shown in self.accepted else len(self.reports[shown])

    def _rows(self, shown: Shown) -> Iterator[dict[str, Any]]:
        if shown != "attention" and shown in self.accepted:
            for was, term in self.accepted[shown]:
                yield _accepted_row(shown, was, term)
            return
        for verdict in ATTENTION if shown == "attention" else (shown,):
            for number, report in enumerate(self.reports[verdict]):
                yield _reported_row(verdict, number, report)


def _accepted_row(verdict: str, was: Term | None, term: Term) -> dict[str, Any]:
    before = was.target if was is not None and verdict == "changed" else ""
    return {"row": term.row, "verdict": verdict, "text": f"{term.source} → {term.target}", "message": "", "was": before}


def _reported_row(verdict: str, number: int, report: RowReport) -> dict[str, Any]:
    fix: dict[str, Any] | None = None
    if report.fix is not None:
        fix = {
            "name": f"{verdict} {number}",
            "to": report.fix.text if report.fix.becomes else None,
            "num_terms": len(report.fix.becomes),
        }
    blank = {"name": f"{verdict} {number}", "source": report.blank.source} if report.blank is not None else None
    return {
        "row": report.row,
        "verdict": verdict,
        "text": report.text,
        "message": report.message,
        "kind": report.kind,
        "fix": fix,
        "blank": blank,
    }
