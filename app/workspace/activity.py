"""Logs a translator's work apart from the texts: keys by class, pauses, terms that were shown and used.

Which keys were pressed and where the caret was is kept only where the translator has agreed to it in this session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.access.actor import Actor
from app.errors import CommandError
from app.log.records import KEY_CLASSES
from app.reports.working_time import SessionClock
from app.segments.findings import term_form
from app.segments.resolved_constraints import distinct_terms, term_key
from app.segments.state import SegmentState
from app.workspace.core import UnitOfWork, WorkspaceCore

MAX_COUNT: Final = 100_000
MAX_PRESSES: Final = 5_000  # between two tellings
MAX_KEY_CHARACTERS: Final = 20  # "MediaTrackPrevious" is a long one


class Activity:
    """One document's. `has_consent` says whether single keys are kept; `work` has the working time and speed."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        last = core.store.last_event(core.session_id, "consent")
        self.work = SessionClock(core.store, core.session_id)
        self.has_consent: bool = last is not None and last.payload["is_given"] is True
        self._shown: set[tuple[int, tuple[str, ...]]] = set()

    def consent(self, actor: Actor, is_given: bool) -> None:
        """Starts or stops logging single keys; keys already logged stay."""
        with self._core.command(actor) as work:
            if is_given != self.has_consent:
                work.log("consent", {"is_given": is_given})
                work.then(lambda: setattr(self, "has_consent", is_given))

    def keys(
        self, actor: Actor, index: int, counts: Mapping[str, int], presses: Any = None, carets: Any = None
    ) -> None:
        """Logs how many keys of each class the page has counted since its last report, unless all counts are 0.

        `presses` are [milliseconds, key] and `carets` [milliseconds, start, end of the selection], times counted from
        the first of them; without consent, they are never kept.
        """
        if unknown := sorted(set(counts) - set(KEY_CLASSES)):
            raise CommandError("The page sent an unknown key class {name!r}; reload the page.", name=unknown[0])
        if any(not 0 <= count <= MAX_COUNT for count in counts.values()):
            raise CommandError("The page sent invalid key counts; reload the page.")
        presses, carets = _rows(presses, (int, str)), _rows(carets, (int, int, int))
        pressed = {name: count for name, count in counts.items() if count}
        with self._core.command(actor) as work:
            segment = self._core.segment(index)
            if not self.has_consent:
                presses = carets = []
            if pressed:
                work.log("key", {"counts": pressed, **({"presses": presses} if presses else {})}, segment)
            if carets:
                work.log("caret", {"positions": carets}, segment)

    def idle(self, actor: Actor, index: int, idle_ms: int) -> None:
        """Logs a pause of this length without any action; opening the segment again ends the pause."""
        if idle_ms < 0:
            raise CommandError("The page sent an invalid idle time; reload the page.")
        with self._core.command(actor) as work:
            work.log("idle", {"idle_ms": idle_ms}, self._core.segment(index))

    def show_terms(self, work: UnitOfWork, segment: SegmentState) -> None:
        """Logs the terms that the page shows at a segment, once for the same terms."""
        terms = distinct_terms(segment.hits)
        shown = segment.index, tuple(term_key(term) for term in terms)
        if terms and shown not in self._shown:
            payload = [{"source": t.source, "target": t.target, "status": t.status} for t in terms]
            work.log("term_shown", {"terms": payload}, segment)
            work.then(lambda: self._shown.add(shown))

    def use_terms(self, work: UnitOfWork, segment: SegmentState) -> None:
        """Logs which terms a confirmed text uses, in which form, and why each other required term is not used."""
        text, used = segment.target or "", []
        for constraint in segment.resolved.required:
            form = term_form(text, constraint)
            used += [{"term": key, "form": form} for key in constraint.term_keys if form]
        if used:
            work.log("term_used", {"terms": used}, segment)
        keys = {item["term"] for item in used}
        overruled = {conflict.term_key: conflict for conflict in segment.resolved.conflicts}
        for term in distinct_terms(segment.hits):
            key = term_key(term)
            if term.status == "forbidden" or key in keys or key in segment.constraints.terms_off:
                continue  # a term that was switched off was logged then
            conflict = overruled.get(key)
            why = {"reason": conflict.kind, "by": conflict.kept} if conflict else {"reason": "not_in_text"}
            work.log("term_overridden", {"source": term.source, "target": term.target, **why}, segment)


def _rows(value: Any, kinds: tuple[type, ...]) -> list[list[Any]]:
    """The page's rows, each of values of these kinds; None has none."""
    rows = [] if value is None else value
    if (
        not isinstance(rows, list)
        or len(rows) > MAX_PRESSES
        or any(not isinstance(row, list) or [type(item) for item in row] != list(kinds) for row in rows)
        or any(isinstance(item, str) and len(item) > MAX_KEY_CHARACTERS for row in rows for item in row)
    ):
        raise CommandError("The page sent invalid key records; reload the page.")
    return rows
