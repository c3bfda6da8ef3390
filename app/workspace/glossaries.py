"""The glossaries of a document: adding, ordering, switching off, editing and removing them; undo of each change.

A term can also be required in the whole document. A change is logged, with all added and removed terms, before it takes
effect. Affected segments that are not confirmed are translated again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.glossary import Term, term_matcher
from app.glossary.glossary import Glossary, merged, with_revisions
from app.glossary.index.term_index import TermChanges
from app.log.glossary_log import glossary_payload
from app.segments.clean_texts import one_line
from app.segments.segment_constraints import MAX_PHRASE_CHARACTERS
from app.segments.state import Json
from app.segments.term_coverage import dry_run
from app.workspace.core import WorkspaceCore
from app.workspace.decoding import DecodeQueue
from app.workspace.segment_hits import SegmentHits
from app.workspace.terms import DocumentTerms, PreparedTerms

Change = Literal["import", "remove", "order", "switch", "edit", "share", "merge", "undo"]
Glossaries = tuple[Glossary, ...]
Scope = Literal["document", "glossary", "project"]
OWN_GLOSSARY = "own terms"
MAX_UNDO = 100
MAX_GLOSSARIES = 50


class GlossaryEditor:
    """The glossaries of one document, the first of the highest priority. Thread-safe.

    What takes long, searching the document for other terms and writing many of them, happens outside the workspace's
    lock: an edit of a segment does not wait for it.
    """

    def __init__(self, core: WorkspaceCore, terms: DocumentTerms, decoding: DecodeQueue) -> None:
        self._core = core
        self._terms = terms
        self._decoding = decoding
        self._hits = SegmentHits(core, terms)
        self._past: list[Glossaries] = []  # the glossaries before each change, the newest last
        self._last_id = max((glossary.id for glossary in terms.glossaries if not glossary.is_shared), default=0)
        # Called without locks after a change of the project's term bases, for the other documents of the project.
        self.on_shared_change: Callable[[Actor, Glossaries], None] = lambda actor, shared: None
        self._putting = threading.Lock()

    @property
    def source_language(self) -> str:
        """The language of the terms' sources."""
        return self._terms.source_language

    def overview(self) -> Json:
        """The glossaries by priority, and whether a change can be undone."""
        with self._core.lock:
            glossaries = self._terms.glossaries
            return {
                "glossaries": [
                    {
                        "id": glossary.id,
                        "name": glossary.name,
                        "num_terms": len(glossary),
                        "is_on": glossary.is_on,
                        "is_shared": glossary.is_shared,
                    }
                    for glossary in glossaries
                ],
                "can_undo": bool(self._past),
            }

    def glossary(self, id_: int, glossaries: Glossaries | None = None) -> Glossary:
        """One glossary; raises CommandError if the document does not have a glossary of this number."""
        glossaries = self._terms.glossaries if glossaries is None else glossaries
        found = next((glossary for glossary in glossaries if glossary.id == id_), None)
        if found is None:
            raise CommandError("This glossary was removed from the document: close the list and open it again.")
        return found

    def put(
        self,
        actor: Actor,
        name: str,
        terms: Iterable[Term],
        report: Mapping[str, Any] | None = None,
        *,
        is_shared: bool = False,
    ) -> Json:
        """Requires these terms from now on: replaces the glossary of the same name, or becomes the first glossary.

        With `is_shared` they become a term base of the project, else a glossary of this document only. `report`, the
        findings of the import, goes to the log.
        """

        def is_replaced(glossary: Glossary) -> bool:
            return glossary.name == name and glossary.is_shared == is_shared

        def with_new(glossaries: Glossaries) -> Glossaries:
            if any(map(is_replaced, glossaries)):
                return tuple(new if is_replaced(glossary) else glossary for glossary in glossaries)
            if len(glossaries) >= MAX_GLOSSARIES:
                raise CommandError(
                    "A document may have up to {limit} glossaries: remove one that you do not need.",
                    limit=MAX_GLOSSARIES,
                )
            return (new, *glossaries)

        with self._putting:  # one large glossary at a time is written
            new = Glossary.of(self.new_id(is_shared=is_shared), name, terms)
            with_new(self._terms.glossaries)
            return self._change(actor, "import", with_new, report=report)

    def share(self, actor: Actor, id_: int) -> Json:
        """Makes a glossary of this document a term base of its project, for all documents there."""
        with self._putting:
            new_id = self.new_id(is_shared=True)

            def shared(glossaries: Glossaries) -> Glossaries:
                own = self.glossary(id_, glossaries)
                if own.is_shared:
                    raise CommandError("{name} is already a glossary of the project.", name=own.name)
                return tuple(replace(own, id=new_id) if one is own else one for one in glossaries)

            return self._change(actor, "share", shared)

    def merge(self, actor: Actor, id_: int, into_id: int) -> Json:
        """Adds the terms of a glossary to another one and removes it; see `merged`."""

        def with_both(glossaries: Glossaries) -> Glossaries:
            gone, into = self.glossary(id_, glossaries), self.glossary(into_id, glossaries)
            if gone is into:
                raise CommandError("A glossary cannot be merged with itself: choose another one.")
            left = tuple(glossary for glossary in glossaries if glossary is not gone)
            return _with(left, merged(into, gone))

        return self._change(actor, "merge", with_both)

    def remove(self, actor: Actor, id_: int) -> Json:
        """Removes a glossary from the document, and a term base from the whole project."""

        def without(glossaries: Glossaries) -> Glossaries:
            gone = self.glossary(id_, glossaries)
            return tuple(glossary for glossary in glossaries if glossary is not gone)

        return self._change(actor, "remove", without)

    def arrange(self, actor: Actor, order: Sequence[int]) -> Json:
        """Sets the order of priority, the highest first; `order` names each glossary once."""

        def arranged(glossaries: Glossaries) -> Glossaries:
            by_id = {glossary.id: glossary for glossary in glossaries}
            if sorted(order) != sorted(by_id):
                raise CommandError("The glossaries were changed elsewhere: close the list and open it again.")
            return tuple(by_id[id_] for id_ in order)

        return self._change(actor, "order", arranged)

    def switch(self, actor: Actor, id_: int, is_on: bool) -> Json:
        """Switches a glossary off or on."""
        return self._change(
            actor, "switch", lambda glossaries: _with(glossaries, replace(self.glossary(id_, glossaries), is_on=is_on))
        )

    def edit(self, actor: Actor, id_: int, changes: TermChanges | Callable[[Glossary], TermChanges]) -> Json:
        """Sets the terms of a glossary with these numbers; None removes a term.

        Where `changes` is a function of the glossary as it is, it may refuse by raising CommandError.
        """

        def edited(glossaries: Glossaries) -> Glossaries:
            glossary = self.glossary(id_, glossaries)
            return _with(glossaries, glossary.changed(changes(glossary) if callable(changes) else changes))

        return self._change(actor, "edit", edited)

    def undo(self, actor: Actor) -> Json:
        """Undoes the newest change that was not undone yet; the log keeps both."""

        def earlier(_: Glossaries) -> Glossaries:
            if not self._past:
                raise CommandError("There is no change of the glossaries to undo.")
            return self._past[-1]

        with self._putting:  # a large one may come back
            return self._change(actor, "undo", earlier)

    def add_term(self, actor: Actor, index: int, source: str, target: str, scope: Scope) -> Json:
        """Requires `target` wherever `source` occurs: in this document, by the first glossary that is on, or by the
        first term base of the project that is on.

        `index` is the segment that the translator looks at; its source must contain the words. Returns how many other
        segments are translated again, and for a glossary its name, its id and the number of the term in it.
        """
        core, terms = self._core, self._terms
        with core.lock:
            segment = core.segment(index)
            term = Term(_clean(source), _clean(target), is_for_document=scope == "document")
            if not term.source or not term.target:
                raise CommandError("A term needs a source and a target: fill in both.")
            if not term_matcher((term,)).find(segment.source):
                raise CommandError(
                    "“{source}” does not occur in the source of segment {index}: choose words that occur there.",
                    source=term.source,
                    index=core.number(index),
                )
            is_shared = scope == "project"
            first = next((one for one in terms.glossaries if one.is_on and (one.is_shared or not is_shared)), None)
            known = terms.document_terms if term.is_for_document else first.terms.values() if first is not None else ()
            if any((other.source, other.target) == (term.source, term.target) for other in known):
                raise CommandError(
                    "“{source}” → “{target}” is already required there.", source=term.source, target=term.target
                )
            place: Json = {}
            if term.is_for_document:
                prepared = terms.prepared(self._sources(), document_terms=(*terms.document_terms, term))
                core.store.glossaries.add_term(actor, core.session_id, term, index)
            else:
                if first is None:
                    first = Glossary(self.new_id(is_shared=is_shared), OWN_GLOSSARY)
                prepared = self._store_term(actor, first, replace(term, glossary=first.name), index)
                place = {"glossary": first.name, "glossary_id": first.id, "number": first.next_number()}
            changed = self._hits.begin(prepared).finish()
            retranslated = core.carry_out(lambda: self._decoding.translate_by_terms(actor, changed, besides=index))
        if first is not None and first.is_shared:
            core.carry_out(lambda: self.on_shared_change(actor, _shared(terms.glossaries)))
        return {"num_retranslated": retranslated or 0, **place}

    def remove_term(self, actor: Actor, source: str, target: str) -> Json:
        """Stops requiring a term of the document; returns the number of segments that are translated again."""
        core, terms = self._core, self._terms
        with core.lock:
            gone = [term for term in terms.document_terms if (term.source, term.target) == (source, target)]
            left = tuple(term for term in terms.document_terms if term not in gone)
            prepared = terms.prepared(self._sources(), document_terms=left)
            if gone:
                core.store.glossaries.remove_terms(actor, core.session_id, gone)
            changed = self._hits.begin(prepared).finish()
            return {"num_retranslated": core.carry_out(lambda: self._decoding.translate_by_terms(actor, changed)) or 0}

    def check_document(self) -> Json:
        """Occurrences of the active terms in the document, before anything is decoded; see `dry_run`."""
        with self._core.lock:
            terms, segments = self._terms, list(self._core.segments)
            search, num_terms = terms.search, len(terms.all)
        return dry_run(segments, search, num_terms).view()

    def follow(self, actor: Actor, shared: Glossaries, *, move: Callable[[Glossaries], None] | None = None) -> None:
        """Uses the term bases of the project after a change by another document, or the term bases of another project.

        `move` writes the glossaries to the log, by default as followed. Undo of earlier changes ends here.
        """
        core, terms = self._core, self._terms
        write = move or (lambda after: core.store.glossaries.follow_project(actor, core.session_id, after))

        def followed(before: Glossaries) -> Glossaries:
            by_id = {glossary.id: glossary for glossary in shared}
            kept = [
                replace(by_id[one.id], is_on=one.is_on) if one.is_shared else one
                for one in before
                if not one.is_shared or one.id in by_id
            ]
            known = {one.id for one in before}
            return (*(one for one in shared if one.id not in known), *kept)

        while True:
            with core.lock:
                basis, before, sources = terms.all, terms.glossaries, self._sources()
            after = followed(before)
            prepared = terms.prepared(sources, after)
            with core.lock:
                if not basis is prepared.basis is terms.all:
                    continue
                write(after)
                self._past.clear()
                update = self._hits.begin(prepared)
            self._hits.carry_out(update)
            with core.lock:
                self._decoding.translate_quietly(actor)
                core.touch()
            return

    def new_id(self, *, is_shared: bool = False) -> int:
        """A number that no glossary of this document has or had; with `is_shared`, of a term base."""
        if is_shared:
            return self._core.store.glossaries.reserve_term_base()
        with self._core.lock:
            self._last_id += 1
            return self._last_id

    def _change(
        self,
        actor: Actor,
        change: Change,
        to: Callable[[Glossaries], Glossaries],
        *,
        report: Mapping[str, Any] | None = None,
    ) -> Json:
        """Stores the glossaries that `to` makes of the present ones, and translates the affected segments again.

        `to` is called again if the terms change while the document is searched for the new ones; only one caller at a
        time may add a glossary. Segments changed by a whole glossary are not flagged, as this may be every segment.
        """
        core, terms = self._core, self._terms
        payload_head: dict[str, Any] = {"change": change, **({"report": report} if report else {})}
        stored: set[int] = set()
        while True:
            with core.lock:
                basis, before, sources = terms.all, terms.glossaries, self._sources()
            after = with_revisions(before, to(before))
            if after == before:
                return {**self.overview(), "num_retranslated": 0}
            for new in after:
                if new.id not in stored.union(glossary.id for glossary in before):
                    core.store.glossaries.store_ahead(core.session_id, new)
                    stored.add(new.id)
            prepared = terms.prepared(sources, after)
            payload = glossary_payload(before, after, payload_head)
            with core.lock:
                if not basis is prepared.basis is terms.all:
                    continue  # another change came first
                core.store.glossaries.change(actor, core.session_id, before, after, payload, stored=stored)
                if change == "undo":
                    self._past.pop()
                else:
                    self._remember(before)
                update = self._hits.begin(prepared)
            core.carry_out(partial(self._hits.carry_out, update))
            with core.lock:
                if change == "edit":
                    retranslated = core.carry_out(partial(self._decoding.translate_by_terms, actor, update.finish()))
                else:
                    retranslated = None
                    core.carry_out(lambda: self._decoding.translate_quietly(actor))
                overview = {**self.overview(), "num_retranslated": retranslated or 0}
            if _revisions(before) != _revisions(after):
                core.carry_out(partial(self.on_shared_change, actor, _shared(after)))
            return overview

    def _store_term(self, actor: Actor, glossary: Glossary, term: Term, index: int) -> PreparedTerms:
        """Stores one more term of a glossary, which may be new, named while at a segment."""
        core, before = self._core, self._terms.glossaries
        after = glossary.changed({glossary.next_number(): term})
        is_new = all(other.id != glossary.id for other in before)
        glossaries = with_revisions(before, (after, *before) if is_new else _with(before, after))
        payload = {"source": term.source, "target": term.target, "scope": "glossary", "glossary": glossary.name}
        prepared = self._terms.prepared(self._sources(), glossaries)
        core.store.glossaries.change(
            actor, core.session_id, before, glossaries, payload, event_type="term_added", segment=index
        )
        self._remember(before)
        return prepared

    def _sources(self) -> list[str]:
        return [segment.source for segment in self._core.segments]

    def _remember(self, before: Glossaries) -> None:
        self._past.append(before)
        del self._past[:-MAX_UNDO]


def _with(glossaries: Glossaries, changed: Glossary) -> Glossaries:
    return tuple(changed if glossary.id == changed.id else glossary for glossary in glossaries)


def _shared(glossaries: Glossaries) -> Glossaries:
    return tuple(glossary for glossary in glossaries if glossary.is_shared)


def _revisions(glossaries: Glossaries) -> set[tuple[int, int]]:
    return {(glossary.id, glossary.revision) for glossary in glossaries if glossary.is_shared}


def _clean(text: str) -> str:
    text = " ".join(one_line(text).split())
    if len(text) > MAX_PHRASE_CHARACTERS:
        raise CommandError(
            "“{text}…” has {count} characters; a term may have up to {limit}.",
            text=text[:40],
            count=len(text),
            limit=MAX_PHRASE_CHARACTERS,
        )
    return text
