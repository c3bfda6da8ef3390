"""The glossaries of a document: put on it, ordered by priority, switched off, edited, taken off; each change undone.

A change stands in the log with all that came and went before it counts. Segments that it concerns and that are not
confirmed are translated anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from app.errors import CommandError
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.index.term_index import TermChanges
from app.i18n import Message
from app.log.store import glossary_payload
from app.segments.state import Json
from app.segments.term_coverage import dry_run
from app.workspace.memory import BREATH_SECONDS
from app.workspace.terms import Adoption, PreparedTerms

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

Change = Literal["import", "remove", "order", "switch", "edit", "undo"]
Bases = tuple[Glossary, ...]
MAX_UNDO = 100
MAX_GLOSSARIES = 50
# What the page lists of a document at once: terms, and segments for each.
MAX_LISTED = 1000
MAX_PLACES = 50
NUM_TOLD_AT_ONCE = 50  # segments, of other terms


class GlossaryEditor:
    """The glossaries of one workspace, the first of the highest priority. Safe from several threads.

    What takes long, searching the document for other terms and writing many of them, happens outside the workspace's
    lock: who edits a segment meanwhile does not wait.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._past: list[Bases] = []  # what there was before each change, the newest last
        self._last_id = max((base.id for base in workspace.terms.glossaries), default=0)
        self._putting = threading.Lock()

    def overview(self) -> Json:
        """The glossaries by priority, and whether a change can be undone."""
        with self.workspace.lock:
            bases = self.workspace.terms.glossaries
            return {
                "glossaries": [
                    {"id": base.id, "name": base.name, "num_terms": len(base), "is_on": base.is_on} for base in bases
                ],
                "can_undo": bool(self._past),
            }

    def base(self, id_: int, bases: Bases | None = None) -> Glossary:
        """One glossary; raises CommandError where the document has none of that number."""
        bases = self.workspace.terms.glossaries if bases is None else bases
        found = next((base for base in bases if base.id == id_), None)
        if found is None:
            raise CommandError(Message("This glossary is not on the document any more: close the list and open it."))
        return found

    def put(self, name: str, terms: Iterable[Term], report: Mapping[str, Any] | None = None) -> Json:
        """Requires these terms from now on: in place of the glossary of the same name, else before all others.

        `report` goes to the log: what the import found.
        """

        def with_new(bases: Bases) -> Bases:
            if any(base.name == name for base in bases):
                return tuple(new if base.name == name else base for base in bases)
            if len(bases) >= MAX_GLOSSARIES:
                raise CommandError(
                    Message(
                        "A document holds up to {limit} glossaries: take one off that is not needed.",
                        limit=MAX_GLOSSARIES,
                    )
                )
            return (new, *bases)

        with self._putting:  # one large glossary at a time is written
            new = Glossary.of(self.new_id(), name, terms)
            with_new(self.workspace.terms.glossaries)
            return self._change("import", with_new, report=report)

    def remove(self, id_: int) -> Json:
        """Takes a glossary off the document."""

        def without(bases: Bases) -> Bases:
            gone = self.base(id_, bases)
            return tuple(base for base in bases if base is not gone)

        return self._change("remove", without)

    def arrange(self, order: Sequence[int]) -> Json:
        """Puts the glossaries into this order of priority, the highest first; it names each of them once."""

        def arranged(bases: Bases) -> Bases:
            by_id = {base.id: base for base in bases}
            if sorted(order) != sorted(by_id):
                raise CommandError(Message("The glossaries were changed elsewhere: close the list and open it."))
            return tuple(by_id[id_] for id_ in order)

        return self._change("order", arranged)

    def switch(self, id_: int, is_on: bool) -> Json:
        """Lets a glossary rest, or uses it again."""
        return self._change("switch", lambda bases: _with(bases, replace(self.base(id_, bases), is_on=is_on)))

    def edit(self, id_: int, changes: TermChanges | Callable[[Glossary], TermChanges]) -> Json:
        """Puts these terms into a glossary by their numbers, or takes them out of it (None).

        Where `changes` is a function of the glossary as it is, it may refuse by raising CommandError.
        """

        def edited(bases: Bases) -> Bases:
            base = self.base(id_, bases)
            return _with(bases, base.changed(changes(base) if callable(changes) else changes))

        return self._change("edit", edited)

    def undo(self) -> Json:
        """Takes the newest change back that was not taken back yet; the log keeps both."""

        def earlier(_: Bases) -> Bases:
            if not self._past:
                raise CommandError(Message("There is no change of the glossaries to take back."))
            return self._past[-1]

        with self._putting:  # a large one may come back
            return self._change("undo", earlier)

    def with_term(self, first: Glossary, term: Term, index: int) -> PreparedTerms:
        """Stores one more term of the glossary `first`, which may be new, named while at a segment; for `adopt`."""
        terms = self.workspace.terms
        after = first.changed({first.next_number(): term})
        is_new = all(base.id != first.id for base in terms.glossaries)
        bases = (after, *terms.glossaries) if is_new else _with(terms.glossaries, after)
        said = {"source": term.source, "target": term.target, "scope": "glossary", "glossary": first.name}
        prepared = terms.prepared(bases)
        self.workspace.store.change_glossaries(
            self.workspace.session_id, terms.glossaries, bases, said, event_type="term_added", segment=index
        )
        self._remember(terms.glossaries)
        return prepared

    def check_document(self) -> Json:
        """What the terms that are on do to the document, before anything is decoded; see `dry_run`."""
        with self.workspace.lock:
            terms, segments = self.workspace.terms, list(self.workspace.segments)
            search, num_terms = terms.search, len(terms.all)
        run = dry_run(segments, search, num_terms)
        return {
            **run.summary(),
            "uses": [
                {**_told(use.term), "num_hits": use.num_hits, "segments": use.segments[:MAX_PLACES],
                 "unused_in": use.unused_in[:MAX_PLACES]}
                for use in run.uses[:MAX_LISTED]
            ],
            "suppressed": [
                {**_told(lost.term), "by": _told(lost.by), "is_same_place": lost.is_same_place,
                 "num_hits": lost.num_hits, "segments": lost.segments[:MAX_PLACES]}
                for lost in run.suppressed[:MAX_LISTED]
            ],
        }  # fmt: skip

    def new_id(self) -> int:
        """A number that no glossary of this document has or had."""
        with self.workspace.lock:
            self._last_id += 1
            return self._last_id

    def _change(
        self,
        change: Change,
        to: Callable[[Bases], Bases],
        *,
        report: Mapping[str, Any] | None = None,
    ) -> Json:
        """Stores the glossaries as `to` makes them of what there is, and translates anew what that concerns.

        `to` is asked again where the terms change while the document is searched for the new ones; what it brings in
        is brought in by nobody else meanwhile. What a whole glossary changes is not flagged: it may be every segment.
        """
        workspace, terms = self.workspace, self.workspace.terms
        said: dict[str, Any] = {"change": change, **({"report": report} if report else {})}
        stored: set[int] = set()
        num_anew = 0
        while True:
            with workspace.lock:
                basis, before = terms.all, terms.glossaries
            after = to(before)
            if after == before:
                return {**self.overview(), "num_anew": 0}
            for new in after:
                if new.id not in stored.union(base.id for base in before):
                    workspace.store.store_ahead(workspace.session_id, new)
                    stored.add(new.id)
            prepared = terms.prepared(after)
            payload = glossary_payload(before, after, said)
            with workspace.lock:
                if not basis is prepared.basis is terms.all:
                    continue  # another change came first
                workspace.store.change_glossaries(workspace.session_id, before, after, payload, stored=stored)
                if change == "undo":
                    self._past.pop()
                else:
                    self._remember(before)
                adoption = terms.begin_to_adopt(prepared)
            self._carry_out(adoption)
            with workspace.lock:
                if change == "edit":
                    num_anew = workspace.translate_by_terms(adoption.finish())
                else:
                    workspace.translate_quietly()
                return {**self.overview(), "num_anew": num_anew}

    def _carry_out(self, adoption: Adoption) -> None:
        """Tells the segments of other terms in portions, so that who edits one meanwhile does not wait for all."""
        is_left = True
        while is_left:
            with self.workspace.lock:
                is_left = adoption.carry_on(NUM_TOLD_AT_ONCE)
            if is_left:
                time.sleep(BREATH_SECONDS)

    def _remember(self, before: Bases) -> None:
        self._past.append(before)
        del self._past[:-MAX_UNDO]


def _with(bases: Bases, changed: Glossary) -> Bases:
    return tuple(changed if base.id == changed.id else base for base in bases)


def _told(term: Term) -> Json:
    return {"source": term.source, "target": term.target, "glossary": term.glossary, "status": term.status}
