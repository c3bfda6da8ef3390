"""The glossaries of a document: put on it, ordered by priority, switched off, edited, taken off; each change undone.

A change stands in the log with all that came and went before it counts. Segments that it concerns and that are not
confirmed are translated anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from app.editing.dry_run import dry_run
from app.editing.imports import Imports
from app.errors import CommandError
from app.glossary import Term
from app.glossary.termbases import Termbase, TermChanges, termbase
from app.messages import Message
from app.segments.state import Json

if TYPE_CHECKING:
    from app.workspace import Workspace

Change = Literal["import", "remove", "order", "switch", "edit", "undo"]
MAX_UNDO = 100
MAX_GLOSSARIES = 50
# What the page lists of a document at once: terms, and segments for each.
MAX_LISTED = 1000
MAX_PLACES = 50


class Glossaries:
    """The glossaries of one workspace, the first of the highest priority. Takes the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.imports = Imports(workspace)
        self._past: list[tuple[Termbase, ...]] = []  # what there was before each change, the newest last

    def overview(self) -> Json:
        """The glossaries by priority, and whether a change can be undone."""
        with self.workspace.lock:
            bases = self.workspace.terms.termbases
            return {
                "glossaries": [
                    {"id": base.id, "name": base.name, "num_terms": len(base), "is_on": base.is_on} for base in bases
                ],
                "can_undo": bool(self._past),
            }

    def base(self, id_: int) -> Termbase:
        """One glossary; raises CommandError where the document has none of that number."""
        found = next((base for base in self.workspace.terms.termbases if base.id == id_), None)
        if found is None:
            raise CommandError(Message("This glossary is not on the document any more: close the list and open it."))
        return found

    def put(self, name: str, terms: Iterable[Term], report: Mapping[str, Any] | None = None) -> Json:
        """Requires these terms from now on: in place of the glossary of the same name, else before all others.

        `report` goes to the log: what the import found.
        """
        with self.workspace.lock:
            bases = self.workspace.terms.termbases
            new = termbase(self.new_id(), name, terms)
            if all(base.name != name for base in bases):
                if len(bases) >= MAX_GLOSSARIES:
                    raise CommandError(
                        Message(
                            "A document holds up to {limit} glossaries: take one off that is not needed.",
                            limit=MAX_GLOSSARIES,
                        )
                    )
                return self._change("import", (new, *bases), report=report)
            return self._change("import", [new if base.name == name else base for base in bases], report=report)

    def remove(self, id_: int) -> Json:
        """Takes a glossary off the document."""
        with self.workspace.lock:
            gone = self.base(id_)
            return self._change("remove", [base for base in self.workspace.terms.termbases if base is not gone])

    def arrange(self, order: Sequence[int]) -> Json:
        """Puts the glossaries into this order of priority, the highest first; it names each of them once."""
        with self.workspace.lock:
            bases = {base.id: base for base in self.workspace.terms.termbases}
            if sorted(order) != sorted(bases):
                raise CommandError(Message("The glossaries were changed elsewhere: close the list and open it."))
            return self._change("order", [bases[id_] for id_ in order])

    def switch(self, id_: int, is_on: bool) -> Json:
        """Lets a glossary rest, or uses it again."""
        with self.workspace.lock:
            return self._change("switch", self._with(replace(self.base(id_), is_on=is_on)))

    def edit(self, id_: int, changes: TermChanges) -> Json:
        """Puts these terms into a glossary by their numbers, or takes them out of it (None)."""
        with self.workspace.lock:
            return self._change("edit", self._with(self.base(id_).changed(changes)))

    def undo(self) -> Json:
        """Takes the newest change back that was not taken back yet; the log keeps both."""
        with self.workspace.lock:
            if not self._past:
                raise CommandError(Message("There is no change of the glossaries to take back."))
            return self._change("undo", self._past[-1])

    def add_term(self, first: Termbase, term: Term, index: int) -> None:
        """One more term of the glossary `first`, which may be new, named while at a segment. Translates nothing."""
        terms = self.workspace.terms
        after = first.changed({first.next_number(): term})
        bases = self._with(after) if any(base.id == first.id for base in terms.termbases) else (after, *terms.termbases)
        said = {"source": term.source, "target": term.target, "scope": "glossary", "glossary": first.name}
        self.workspace.store.change_glossaries(
            self.workspace.session_id, terms.termbases, bases, said, event_type="term_added", segment=index
        )
        self._remember(terms.termbases)
        terms.set_termbases(bases)

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
        """A number that no glossary of this document has, or had before a change that can be undone."""
        states = [self.workspace.terms.termbases, *self._past]
        return 1 + max((base.id for bases in states for base in bases), default=0)

    def _with(self, changed: Termbase) -> tuple[Termbase, ...]:
        return tuple(changed if base.id == changed.id else base for base in self.workspace.terms.termbases)

    def _change(self, change: Change, after: Sequence[Termbase], *, report: Mapping[str, Any] | None = None) -> Json:
        """Stores the glossaries as they are to be, and translates anew what that concerns.

        What a whole glossary changes is not flagged: it may be every segment.
        """
        workspace, before = self.workspace, self.workspace.terms.termbases
        after = tuple(after)
        num_anew = 0
        if after != before:
            said: dict[str, Any] = {"change": change, **({"report": report} if report else {})}
            workspace.store.change_glossaries(workspace.session_id, before, after, said)
            if change == "undo":
                self._past.pop()
            else:
                self._remember(before)
            workspace.terms.set_termbases(after)
            if change == "edit":
                num_anew = workspace.translate_by_terms()
            else:
                workspace.translate_quietly()
        return {**self.overview(), "num_anew": num_anew}

    def _remember(self, before: tuple[Termbase, ...]) -> None:
        self._past.append(before)
        del self._past[:-MAX_UNDO]


def _told(term: Term) -> Json:
    return {"source": term.source, "target": term.target, "glossary": term.glossary, "status": term.status}
