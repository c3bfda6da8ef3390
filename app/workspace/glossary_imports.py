"""A glossary file that was read and is not used yet: a report on its rows and on its effect in the document.

Nothing changes until the translator has seen the report and uses the import; then the chosen fixes are applied.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

from app.access.actor import Actor
from app.errors import CommandError, LogError
from app.formats.documents import Export
from app.glossary import Term, TermMatches
from app.glossary.glossary import Glossary, combined_matcher
from app.glossary.import_report import Shown, StagedImport, Verdict
from app.glossary.reading.review import initial_capitals, misspellings, texts_to_spell
from app.glossary.reading.row_checks import (
    GlossaryImport,
    RowDecision,
    RowReport,
    clean,
    decided,
    identity,
    located,
    wrong_with,
)
from app.i18n import Message
from app.log.project_tables import Project, keep_project_setting
from app.models.loading import ModelHandle
from app.repeating import do_once
from app.segments.state import Json
from app.segments.term_coverage import dry_run
from app.text.encoding import safe_name
from app.text.folding import fold_spelling
from app.workspace.core import WorkspaceCore
from app.workspace.glossaries import GlossaryEditor
from app.workspace.terms import DocumentTerms
from engine import EngineError, SpellingQuestion

COLUMNS_SETTING = "glossary columns "  # followed by the key of the columns' names
MAX_CAPITALS = 50_000  # terms whose capitals are looked up before the report is shown
PORTION = 20_000  # terms checked at a time in the background
SPELLING_SECONDS = 20.0
SPELLING_PORTION = 500  # texts checked at a time, so that no translator waits for long


class GlossaryImports:
    """The newest import of one document that is not used yet."""

    def __init__(
        self, core: WorkspaceCore, terms: DocumentTerms, glossaries: GlossaryEditor, project: Callable[[], Project]
    ) -> None:
        self._core = core
        self._project = project
        self._terms = terms
        self._glossaries = glossaries
        self._staged: StagedImport | None = None
        self._number = 0

    def stage(self, imported: GlossaryImport, table_key: str | None = None, chosen_columns: str = "") -> Json:
        """Keeps a glossary that was read, and reports the changes that using it would make. Changes no terms.

        For `table_key` and `chosen_columns` see `StagedImport`; the choice is kept when the import is used.
        """
        core, document_terms = self._core, self._terms
        with core.lock:
            glossaries, segments = document_terms.glossaries, list(core.segments)
            self._number += 1
            number = self._number
        name, terms = imported.name, imported.terms
        same_name = next((glossary for glossary in glossaries if glossary.name == name), None)
        new = Glossary.of(0, name, terms)
        after = [new if glossary is same_name else glossary for glossary in glossaries]
        if same_name is None:
            after = [new, *glossaries]
        searched = combined_matcher(document_terms.document_terms, after, document_terms.source_language)

        def search(source: str) -> TermMatches:
            return document_terms.search_in(searched, source)

        now = dry_run(segments, document_terms.search, 0)
        then = dry_run(segments, search, len(searched))
        capitals = initial_capitals(terms[:MAX_CAPITALS], self._target_language)
        texts = texts_to_spell([*(use.term for use in then.uses if not use.term.is_for_document), *terms])
        spelt = misspellings_of(core.model, texts, core.token)
        looks = [*imported.warnings, *capitals, *misspellings(terms, spelt)]
        looks.sort(key=lambda report: report.row)
        accepted, num_gone = _compared(terms, same_name)
        counts: dict[str, int] = {verdict: len(found) for verdict, found in accepted.items()}
        counts |= {"rejected": imported.num_errors, "held": len(imported.held)}
        counts |= {"look": len(looks), "repeat": imported.num_repeats}
        counts["gone"] = num_gone
        reports: dict[Verdict, list[RowReport]] = {
            "rejected": list(imported.errors),
            "held": list(imported.held),
            "look": looks,
            "repeat": list(imported.repeats),
        }
        impact = {**then.summary(), "num_more": len(then.segments_hit) - len(now.segments_hit)}
        is_replacing = same_name is not None
        staged = StagedImport(
            number,
            name,
            terms,
            reports,
            accepted,
            counts,
            imported.notes,
            is_replacing,
            impact,
            table_key,
            chosen_columns,
        )
        with core.lock:
            if number == self._number:
                self._staged = staged
        self._check_on(staged, MAX_CAPITALS, texts[len(spelt) :], spelt)
        return staged.view()

    def view(self, number: int) -> Json:
        """The current report of the import."""
        with self._core.lock:
            return self._found(number).view()

    def rows(self, number: int, shown: Shown, offset: int) -> Json:
        """Some of its rows; see `StagedImport.rows`."""
        with self._core.lock:
            return self._found(number).rows(shown, offset)

    def table(self, number: int, shown: Shown, language: str) -> Export:
        """All of its rows of one kind, as a file."""
        with self._core.lock:
            staged = self._found(number)
            stem = staged.name.rpartition(".")[0] or staged.name
            return Export(safe_name(f"{stem}.{shown}.csv", f"{shown}.csv"), staged.table(shown, language))

    def use(
        self,
        actor: Actor,
        number: int,
        fixes: Iterable[str],
        fills: Mapping[str, str] | None = None,
        decisions: Mapping[str, RowDecision] | None = None,
        others: RowDecision = "leave",
    ) -> Json:
        """Adds the terms to the document, with the chosen fixes: "look 3" is the fix of row 3 of those to look at.

        `fills` are the targets that the translator entered for rows without one, by the same names. `decisions` are
        those on messy rows, `others` is the decision on the messy rows without one.
        """
        with self._core.lock:
            staged = self._found(number)
        fills, decisions = fills or {}, decisions or {}
        becomes: dict[Term, tuple[Term, ...]] = {}
        for name in fixes:
            fix = _report(staged, name).fix
            if fix is None or name.startswith("held "):
                raise CommandError("The page sent an invalid value for {name!r}; reload the page.", name="fixes")
            if fix.becomes and becomes.get(fix.term):
                raise CommandError("Two corrections were chosen for “{source}”: choose one.", source=fix.term.source)
            becomes[fix.term] = fix.becomes if becomes.get(fix.term, fix.becomes) else ()
        for name in decisions:
            if not name.startswith("held "):
                raise CommandError("The page sent an invalid value for {name!r}; reload the page.", name="decisions")
            _report(staged, name)
        terms = [after for term in staged.terms for after in becomes.get(term, (term,))]
        terms = _filled(terms, [(_report(staged, name), target) for name, target in fills.items()])
        held = [(report, decisions.get(f"held {at}", others)) for at, report in enumerate(staged.reports["held"])]
        num_decided = sum(decision != "leave" for _, decision in held)
        used = decided(terms, held) if num_decided else tuple(terms)
        report: dict[str, Any] = {
            "counts": staged.counts,
            "num_fixed": len(becomes) + len(fills) + num_decided,
            "notes": staged.view()["notes"],
        }
        result = self._glossaries.put(actor, staged.name, used, report)
        self._keep_columns(staged)
        with self._core.lock:
            if self._staged is staged:
                self._staged = None
        return {**result, "name": staged.name, "num_terms": len(used)}

    def _keep_columns(self, staged: StagedImport) -> None:
        """Keeps the chosen use of the columns for the next such table; only reports failures."""
        if staged.table_key and staged.chosen_columns:
            setting = COLUMNS_SETTING + staged.table_key
            try:
                with (log := self._core.store.connection).transaction(Message("store the project")):
                    keep_project_setting(log.db, self._project().id, setting, staged.chosen_columns)
            except LogError as error:
                self._core.report(error.args[0])

    @property
    def _target_language(self) -> str:
        return self._core.direction.partition("-")[2]

    def _found(self, number: int) -> StagedImport:
        staged = self._staged
        if staged is None or staged.number != number:
            raise CommandError("This import has ended, or a newer one has started: choose the file again.")
        return staged

    def _check_on(
        self, staged: StagedImport, first: int, texts: Sequence[str], spelt: Mapping[str, str | None]
    ) -> None:
        """Adds notes about unfinished checks: the capitals of terms from `first` on, and the spelling of `texts`.

        With a model, the checks continue in the background until everything is checked or the import is over.
        """
        num_terms = max(0, len(staged.terms) - first)
        if (num_terms or texts) and self._core.model.engine is not None:
            staged.is_checking = True
            wrong: dict[str, str | None] = {text: written for text, written in spelt.items() if written is not None}
            do_once(lambda: self._check_rest(staged, first, texts, wrong), "glossary checks")
        staged.unchecked = _unchecked(num_terms, len(texts), is_going_on=staged.is_checking)

    def _check_rest(self, staged: StagedImport, first: int, texts: Sequence[str], wrong: dict[str, str | None]) -> None:
        reported = {report.fix.term for report in staged.reports["look"] if report.kind == "unspellable" and report.fix}
        while staged.is_checking:
            portion = staged.terms[first : first + PORTION]
            first += PORTION
            looks = list(initial_capitals(portion, self._target_language))
            spelt = {} if portion else misspellings_of(self._core.model, texts, self._core.token)
            texts = texts[len(spelt) :]
            wrong |= {text: written for text, written in spelt.items() if written is not None}
            for report in misspellings(staged.terms, wrong) if spelt else ():
                if report.fix and report.fix.term not in reported:
                    reported.add(report.fix.term)
                    looks.append(report)
            with self._core.lock:
                if self._staged is not staged:
                    return
                staged.add_warnings(looks)
                # Nothing spelt means that the model is gone, or that a newer import asks it.
                staged.is_checking = bool(portion or spelt) and (first < len(staged.terms) or bool(texts))
                staged.unchecked = _unchecked(len(staged.terms) - first, len(texts), is_going_on=staged.is_checking)


def _unchecked(num_terms: int, num_texts: int, *, is_going_on: bool) -> tuple[str, ...]:
    """The notes of the report about skipped checks."""
    notes: list[str] = []
    if num_terms > 0:
        notes.append(Message("Terms whose capital letters are not checked yet: {count:,}.", count=num_terms))
    if num_texts and is_going_on:
        notes.append(
            Message("Words that are not checked yet (whether the model can write them): {count:,}.", count=num_texts)
        )
    elif num_texts:
        notes.append(
            Message("Words that were not checked (whether the model can write them): {count:,}.", count=num_texts)
        )
    return tuple(notes)


def _report(staged: StagedImport, name: str) -> RowReport:
    verdict, _, at = name.partition(" ")
    reports = staged.reports.get(verdict, [])  # type: ignore[call-overload]
    if not at.isdecimal() or int(at) >= len(reports):
        raise CommandError("The page sent an invalid value for {name!r}; reload the page.", name="fixes")
    found: RowReport = reports[int(at)]
    return found


def _filled(terms: list[Term], fills: Sequence[tuple[RowReport, str]]) -> list[Term]:
    """The terms, and rows whose missing target was filled in; raises CommandError for one that cannot be a term."""
    if not fills:
        return terms
    seen = {identity(term): term for term in terms}
    for report, target in fills:
        if report.blank is None:
            raise CommandError("The page sent an invalid value for {name!r}; reload the page.", name="fills")
        term = replace(report.blank, target=clean(target))
        if wrong := wrong_with(term):
            raise CommandError(located(term.glossary, term.row, wrong[1]))
        earlier = seen.setdefault(identity(term), term)
        if earlier.targets != term.targets or earlier.status != term.status:
            raise CommandError(
                "“{source}” has the target “{target}” in row {row} and “{other}” in row {other_row}: use the "
                "same target, or leave one row out.",
                source=term.source,
                target=earlier.target,
                row=earlier.row,
                other=term.target,
                other_row=term.row,
            )
    return sorted(seen.values(), key=lambda term: term.row)


def reported(imported: GlossaryImport) -> Json:
    """The report of an import without changes by a person, for the log and the terminal."""
    return {
        "counts": {
            "rejected": imported.num_errors,
            "held": len(imported.held),
            "look": len(imported.warnings),
            "repeat": imported.num_repeats,
        },
        "notes": list(imported.notes),
    }


def _compared(
    terms: Iterable[Term], earlier: Glossary | None
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


def misspellings_of(model: ModelHandle, texts: Sequence[str], owner: str) -> dict[str, str | None]:
    """The model's spelling of each text that it cannot spell, None for each that it can.

    Texts that were not checked within SPELLING_SECONDS are missing; all are missing where the model is not ready.
    """
    found: dict[str, str | None] = {}
    end = time.monotonic() + SPELLING_SECONDS
    for start in range(0, len(texts), SPELLING_PORTION):
        portion = texts[start : start + SPELLING_PORTION]
        left = end - time.monotonic()
        if model.engine is None or left <= 0:
            break
        try:
            question = SpellingQuestion(tuple(portion))
            answer = model.engine.ask(question, key=f"spelling/{owner}", owner=owner).result(left)
        except (TimeoutError, CancelledError, EngineError):
            break
        if answer is None:
            break  # a newer import asks
        found.update(answer)
    return found
