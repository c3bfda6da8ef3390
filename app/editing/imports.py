"""A glossary that was read and is not used yet: its rows one by one, what it would change, and what it does here.

Nothing of the document changes until the person has seen the report and uses it; then the fixes chosen are applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from app.asking.spelling import misspellings_of
from app.editing.dry_run import DryRun, dry_run
from app.errors import CommandError
from app.glossary import Term, TermMatches
from app.glossary.folding import fold_spelling
from app.glossary.review import initial_capitals, misspellings, texts_to_spell
from app.glossary.rows import GlossaryImport, RowReport
from app.glossary.termbases import Termbase, combined, termbase
from app.messages import Message
from app.segments.state import Json

if TYPE_CHECKING:
    from app.workspace import Workspace

Verdict = Literal["rejected", "look", "repeat", "new", "changed", "same"]
ATTENTION: tuple[Verdict, ...] = ("rejected", "look")
MAX_ROWS = 200
MAX_CAPITALS = 50_000  # terms whose capitals are looked up in the form list


@dataclass(frozen=True, slots=True)
class StagedImport:
    """An import that waits for the person's word. `accepted` are (verdict, what the term was, the term)."""

    number: int
    name: str
    terms: tuple[Term, ...]
    reports: dict[Verdict, Sequence[RowReport]]
    accepted: dict[Verdict, list[tuple[Term | None, Term]]]
    counts: dict[str, int]
    notes: tuple[str, ...]


class Imports:
    """The newest import of one workspace that is not used yet."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._staged: StagedImport | None = None
        self._number = 0

    def stage(self, imported: GlossaryImport) -> Json:
        """Keeps what was read, and says what using it would do. Changes nothing."""
        workspace = self.workspace
        with workspace.lock:
            bases, segments = workspace.terms.termbases, list(workspace.segments)
            self._number += 1
            number = self._number
        name, terms = imported.glossary.name, imported.glossary.terms
        same_name = next((base for base in bases if base.name == name), None)
        new = termbase(0, name, terms)
        after = [new if base is same_name else base for base in bases]
        if same_name is None:
            after = [new, *bases]
        searched = combined(workspace.terms.document_terms, after, workspace.terms.source_language)

        def search(source: str) -> TermMatches:
            return workspace.terms.search_in(searched, source)

        now = dry_run(segments, workspace.terms.search, 0)
        then = dry_run(segments, search, len(terms))
        spelt, num_unspelt = self._spelt(terms, then)
        _, _, target_language = workspace.direction.partition("-")
        capitals = initial_capitals(terms[:MAX_CAPITALS], target_language)
        looks = [*imported.warnings, *capitals, *misspellings(terms, spelt)]
        looks.sort(key=lambda report: report.row)
        reports: dict[Verdict, Sequence[RowReport]] = {
            "rejected": imported.errors,
            "look": looks,
            "repeat": imported.repeats,
        }
        accepted, num_gone = _compared(terms, same_name)
        counts: dict[str, int] = {verdict: len(found) for verdict, found in accepted.items()}
        counts |= {"rejected": imported.num_errors, "look": len(looks), "repeat": imported.num_repeats}
        counts["gone"] = num_gone
        notes = imported.notes
        if num_unspelt:
            notes += (
                Message("Whether the model can spell them was not checked for {count:,} words.", count=num_unspelt),
            )
        if len(terms) > MAX_CAPITALS:
            notes += (Message("Capitals were looked at in the first {count:,} terms.", count=MAX_CAPITALS),)
        staged = StagedImport(number, name, terms, reports, accepted, counts, notes)
        with workspace.lock:
            if number == self._number:
                self._staged = staged
        return {
            "import": number,
            "name": name,
            "num_terms": len(terms),
            "is_replacing": same_name is not None,
            "counts": counts,
            "notes": list(notes),
            "document": {**then.summary(), "num_more": len(then.segments_hit) - len(now.segments_hit)},
        }

    def rows(self, number: int, shown: Verdict | Literal["attention"], offset: int) -> Json:
        """Up to MAX_ROWS of its rows from `offset` on: those with one verdict, or those that need a look."""
        staged = self._found(number)
        if shown in staged.accepted:
            found = staged.accepted[shown]
            rows = [_accepted_row(shown, was, term) for was, term in found[offset : offset + MAX_ROWS]]
            return {"rows": rows, "num_rows": len(found), "offset": offset}
        verdicts = ATTENTION if shown == "attention" else (shown,)
        reports = [(verdict, at, told) for verdict in verdicts for at, told in enumerate(staged.reports[verdict])]
        rows = [_reported_row(verdict, at, told) for verdict, at, told in reports[offset : offset + MAX_ROWS]]
        return {"rows": rows, "num_rows": len(reports), "offset": offset}

    def use(self, number: int, fixes: Iterable[str]) -> Json:
        """Puts the terms on the document, with the fixes chosen: "look 3" is that of the third row to look at."""
        staged = self._found(number)
        becomes: dict[Term, Term | None] = {}
        for name in fixes:
            verdict, _, at = name.partition(" ")
            reports = staged.reports.get(verdict, ())  # type: ignore[call-overload]
            fix = reports[int(at)].fix if at.isdecimal() and int(at) < len(reports) else None
            if fix is None:
                raise CommandError(Message("The page sent no usable {name!r}; reload the page.", name="fixes"))
            if fix.term in becomes and fix.becomes is not None and becomes[fix.term] is not None:
                raise CommandError(Message("“{source}” is fixed in two ways: choose one.", source=fix.term.source))
            becomes[fix.term] = None if becomes.get(fix.term, fix) is None else fix.becomes
        terms = [after for term in staged.terms if (after := becomes.get(term, term)) is not None]
        report: dict[str, Any] = {"counts": staged.counts, "num_fixed": len(becomes), "notes": list(staged.notes)}
        told = self.workspace.glossaries.put(staged.name, terms, report)
        with self.workspace.lock:
            if self._staged is staged:
                self._staged = None
        return {**told, "name": staged.name, "num_terms": len(terms)}

    def _found(self, number: int) -> StagedImport:
        staged = self._staged
        if staged is None or staged.number != number:
            raise CommandError(Message("This import is over, or a newer one has begun: choose the file again."))
        return staged

    def _spelt(self, terms: Sequence[Term], run: DryRun) -> tuple[dict[str, str | None], int]:
        """What the model says of the terms' targets, those that the document needs first, and how many it was not
        asked about."""
        texts = texts_to_spell([*(use.term for use in run.uses if not use.term.is_for_document), *terms])
        spelt = misspellings_of(self.workspace.model, texts, self.workspace.token)
        return spelt, len(texts) - len(spelt)


def reported(imported: GlossaryImport) -> Json:
    """The report of an import that is used as it is, for the log and the terminal."""
    return {
        "counts": {"rejected": imported.num_errors, "look": len(imported.warnings), "repeat": imported.num_repeats},
        "notes": list(imported.notes),
    }


def _compared(
    terms: Iterable[Term], earlier: Termbase | None
) -> tuple[dict[Verdict, list[tuple[Term | None, Term]]], int]:
    """The terms as new, changed or the same against the glossary of the same name, and how many of that one go."""
    accepted: dict[Verdict, list[tuple[Term | None, Term]]] = {"new": [], "changed": [], "same": []}
    if earlier is None:
        return accepted | {"new": [(None, term) for term in terms]}, 0
    left: dict[str, list[Term]] = {}
    for term in earlier.terms.values():
        left.setdefault(fold_spelling(term.source), []).append(term)
    for term in terms:
        known = left.get(fold_spelling(term.source), [])
        same = next((other for other in known if _says(other) == _says(term)), None)
        was = same or next((other for other in known if other.status == term.status), None)
        if was is not None:
            known.remove(was)
        accepted["same" if same else "changed" if was else "new"].append((was, term))
    return accepted, sum(map(len, left.values()))


def _says(term: Term) -> Term:
    return replace(term, row=0, glossary="")


def _accepted_row(verdict: str, was: Term | None, term: Term) -> Json:
    before = was.target if was is not None and verdict == "changed" else ""
    return {"row": term.row, "verdict": verdict, "text": f"{term.source} → {term.target}", "message": "", "was": before}


def _reported_row(verdict: str, at: int, told: RowReport) -> Json:
    fix = None
    if told.fix is not None:
        fix = {"name": f"{verdict} {at}", "to": told.fix.becomes.target if told.fix.becomes else None}
    return {
        "row": told.row,
        "verdict": verdict,
        "text": told.text,
        "message": told.message,
        "kind": told.kind,
        "fix": fix,
    }
