"""What the log keeps of a person beside their texts: keys by class, pauses, terms that they saw and used; and, only
where the person has agreed to it in this session, which keys were pressed and where the caret stood.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from app.errors import CommandError
from app.i18n import Message
from app.log.records import KEY_CLASSES
from app.reports.working_time import SessionClock
from app.segments.constraints import distinct_terms, term_key
from app.segments.state import SegmentState, term_form

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

MAX_COUNT: Final = 100_000
MAX_PRESSES: Final = 5_000  # between two tellings
MAX_KEY_CHARACTERS: Final = 20  # "MediaTrackPrevious" is a long one


class Activity:
    """One workspace's; used under its lock. `has_consent` says whether single keys are kept, `work` how long and how
    fast the person has worked.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        last = workspace.store.last_event(workspace.session_id, "consent")
        self.work = SessionClock(workspace.store, workspace.session_id)
        self.has_consent: bool = last is not None and last.payload["is_given"] is True
        self._shown: set[tuple[int, tuple[str, ...]]] = set()

    def consent(self, is_given: bool) -> None:
        """The person agrees that single keys are kept from now on, or takes that back; what was kept stays."""
        with self.workspace.lock:
            if is_given != self.has_consent:
                self.workspace.store.append(self.workspace.session_id, "consent", {"is_given": is_given})
                self.has_consent = is_given

    def keys(self, index: int, counts: Mapping[str, int], presses: Any = None, carets: Any = None) -> None:
        """Keeps how many keys of each class the page has counted since it told last; nothing of nothing.

        `presses` are [milliseconds, key] and `carets` [milliseconds, start, end of the selection], times counted from
        the first of them; without consent they are not kept, whoever sends them.
        """
        if unknown := sorted(set(counts) - set(KEY_CLASSES)):
            raise CommandError(
                Message("The page sent an unknown key class {name!r}; reload the page.", name=unknown[0])
            )
        if any(not 0 <= count <= MAX_COUNT for count in counts.values()):
            raise CommandError(Message("The page sent impossible key counts; reload the page."))
        presses, carets = _rows(presses, (int, str)), _rows(carets, (int, int, int))
        pressed = {name: count for name, count in counts.items() if count}
        with self.workspace.lock:
            segment = self.workspace.segment(index)
            if not self.has_consent:
                presses = carets = []
            if pressed:
                self.workspace.log("key", {"counts": pressed, **({"presses": presses} if presses else {})}, segment)
            if carets:
                self.workspace.log("caret", {"positions": carets}, segment)

    def idle(self, index: int, idle_ms: int) -> None:
        """The person has done nothing for so many milliseconds; going on is told as going to the segment."""
        if idle_ms < 0:
            raise CommandError(Message("The page sent an invalid idle time; reload the page."))
        with self.workspace.lock:
            self.workspace.log("idle", {"idle_ms": idle_ms}, self.workspace.segment(index))

    def show_terms(self, segment: SegmentState) -> None:
        """Keeps which terms the person sees at a segment, once for the same terms."""
        terms = distinct_terms(segment.hits)
        shown = segment.index, tuple(term_key(term) for term in terms)
        if terms and shown not in self._shown:
            self._shown.add(shown)
            said = [{"source": t.source, "target": t.target, "status": t.status} for t in terms]
            self.workspace.log("term_shown", {"terms": said}, segment)

    def use_terms(self, segment: SegmentState) -> None:
        """Keeps which terms a confirmed text uses, each with the form that stands there, and which not, and why."""
        text, used = segment.target or "", []
        for constraint in segment.constraints:
            form = term_form(text, constraint)
            used += [{"term": key, "form": form} for key in constraint.term_keys if form]
        if used:
            self.workspace.log("term_used", {"terms": used}, segment)
        self._leave_terms(segment, {item["term"] for item in used})

    def _leave_terms(self, segment: SegmentState, used: Collection[str]) -> None:
        """Keeps why each other term that is required is not used; one that was switched off was told then."""
        overruled = {conflict.term_key: conflict for conflict in segment.resolved.conflicts}
        for term in distinct_terms(segment.hits):
            key = term_key(term)
            if term.status == "forbidden" or key in used or key in segment.terms_off:
                continue
            conflict = overruled.get(key)
            why = {"reason": conflict.kind, "by": conflict.kept} if conflict else {"reason": "not_in_text"}
            self.workspace.log("term_overridden", {"source": term.source, "target": term.target, **why}, segment)


def _rows(value: Any, kinds: tuple[type, ...]) -> list[list[Any]]:
    """The page's rows, each of values of these kinds; None has none."""
    rows = [] if value is None else value
    if (
        not isinstance(rows, list)
        or len(rows) > MAX_PRESSES
        or any(not isinstance(row, list) or [type(item) for item in row] != list(kinds) for row in rows)
        or any(isinstance(item, str) and len(item) > MAX_KEY_CHARACTERS for row in rows for item in row)
    ):
        raise CommandError(Message("The page sent invalid key records; reload the page."))
    return rows
